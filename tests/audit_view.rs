//! The Audit view with the real binary in a pseudo-terminal: from a compaction that arrives to a note on the clipboard.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use pty::{Screen, demo};

/// The fixture that loses something, line by line, with a token in the prompt that binds.
fn lines(token: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/audited.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let named = text.replace(
        "Never write to the flash while the pump runs. You",
        &format!("Never push with {token}. You"),
    );
    named.lines().map(|line| format!("{line}\n")).collect()
}

fn token() -> String {
    // Put together here, so that no value in this file looks like a key to anybody else.
    ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat()
}

fn append(path: &Path, lines: &[String]) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(lines.concat().as_bytes()).unwrap();
}

/// A log that is followed, before its first compaction.
fn followed(width: u16, height: u16) -> (tempfile::TempDir, PathBuf, Vec<String>, Screen) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let lines = lines(&token());
    std::fs::write(&path, lines[..7].concat()).unwrap();
    let mut screen = Screen::start(&["--follow", path.to_str().unwrap()], width, height);
    screen.wait("● following");
    (folder, path, lines, screen)
}

/// What was put on the clipboard last.
fn clipboard(screen: &Screen) -> Option<String> {
    let received = screen.received();
    let text = String::from_utf8_lossy(&received);
    let (_, rest) = text.rsplit_once("\x1b]52;c;")?;
    let end = rest.find(['\x07', '\x1b'])?;
    let bytes: Vec<u8> = decoded(&rest[..end]);
    String::from_utf8(bytes).ok()
}

fn decoded(base64: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut out = Vec::new();
    for four in base64.as_bytes().chunks(4) {
        let values: Vec<u32> = four.iter().filter_map(|byte| value(*byte)).collect();
        let bits = values.iter().fold(0, |bits, value| bits << 6 | value) << (6 * (4 - values.len()));
        out.extend(bits.to_be_bytes()[1..values.len()].iter());
    }
    out
}

#[test]
fn from_the_banner_to_a_note_on_the_clipboard_in_three_keys() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let (_folder, path, lines, mut screen) = followed(width, height);
        append(&path, &lines[7..10]);
        // What the screen says is all that is pressed.
        let banner = screen.until("the banner", |text| text.contains("compaction g1"));
        assert!(banner.contains("6 shows what it lost") || banner.contains("6 lost"), "{banner}");
        screen.press("6");
        let report =
            screen.until("report", |text| text.contains("g1 ✗ dropped") || text.contains("g1 dropped"));
        assert!(report.contains("r note") || report.contains("r makes a note"), "{report}");
        screen.press("r");
        screen.wait("r or Enter copies it");
        screen.press("r");
        screen.wait("sent to the clipboard: # From earlier");
        let note = clipboard(&screen).unwrap();
        assert!(note.contains("> No, don't rename the sensor ids"), "{note}");
        assert!(note.contains("[masked]") && !note.contains(&token()), "{note}");
        assert!(note.contains("constraint, dropped at g1"), "{note}");
        screen.press("q");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn a_compaction_that_arrives_is_audited_where_it_is_followed() {
    let (_folder, path, lines, mut screen) = followed(120, 40);
    screen.press("6");
    screen.wait("nothing was compacted so far");
    append(&path, &lines[7..10]);
    screen.wait("g1 dropped 2 constraints");
    append(&path, &lines[10..]);
    screen.wait("g2 dropped ");
    // Who follows is at the newest.
    screen.wait("┌ g2 audit");
    // One that looks at something else stays there.
    screen.press("k");
    screen.wait("┌ g1 audit");
    append(&path, &lines[1..2]);
    pty::rest();
    assert!(screen.text().contains("┌ g1 audit"), "{}", screen.text());
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn the_view_can_be_asked_for_on_the_command_line() {
    let demo = demo();
    let mut screen = Screen::start(&[demo.to_str().unwrap(), "--view", "audit"], 120, 40);
    screen.wait("┌ g6 audit");
    screen.wait("v shows only what was lost");
    screen.press(":g1\rl");
    screen.wait("open questions");
    screen.press("2");
    screen.wait("Generations: ");
    screen.press("6");
    screen.wait("┌ g1 audit");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}
