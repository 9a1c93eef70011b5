//! Nothing that a log holds reaches a terminal raw: every code that a terminal acts on, and every character that
//! hides or reorders text, in every place of a log, in its path, in what is typed and pasted; and the bytes that a
//! pseudo-terminal received hold nothing but what the program itself sends. JSON into a pipe keeps every character.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;
#[path = "support/samples.rs"]
mod samples;
#[path = "support/stream.rs"]
mod stream;
mod support;

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pty::Screen;
use samples::{SAMPLES, Sample};
use stream::Writer;
use support::{json_lines, text};

/// Every text that no terminal should be sent, each once.
fn hazards() -> Vec<String> {
    let mut hazards: Vec<String> = (1..=0x9f)
        .filter(|code| !(0x20..0x7f).contains(code))
        .filter_map(char::from_u32)
        .map(String::from)
        .collect();
    hazards.extend(
        [
            "\u{1b}[2J",
            "\u{1b}[31m",
            "\u{1b}c",
            "\u{1b}(0",
            "\u{1b}#8",
            "\u{9b}2J",
            "\u{1b}]0;title\u{7}",
            "\u{1b}]8;;http://example.org\u{1b}\\",
            "\u{1b}]52;c;Zm9v\u{7}",
            "\u{1b}]52;c;Zm9v\u{1b}\\",
            "\u{9d}52;c;Zm9v\u{9c}",
            "\u{1b}]unfinished",
            "\u{1b}Pq#0\u{1b}\\",
            "\u{90}q\u{9c}",
            "\u{1b}_apc\u{1b}\\",
            "\u{9f}apc\u{9c}",
            "\u{1b}^pm\u{1b}\\",
            "\u{1b}Xsos\u{1b}\\",
            "\u{1b}\u{1b}[31m",
            "\u{1b}[?1049l",
            "\u{1b}[",
            "\u{1b}",
        ]
        .map(String::from),
    );
    let single = (0x200b..=0x200f)
        .chain(0x202a..=0x202e)
        .chain(0x2060..=0x206f)
        .chain([
            0xad, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x2028, 0x2029, 0x3164, 0xfe0e, 0xfe0f,
            0xfeff, 0xffa0,
        ])
        .chain([0xfff9, 0xfffa, 0xfffb, 0x1d173, 0xe0001, 0xe0020, 0xe0041, 0xe007f, 0xe0100, 0xe01ef]);
    hazards.extend(single.filter_map(char::from_u32).map(String::from));
    hazards.push(format!("e{}", "\u{301}".repeat(50)));
    hazards.push(format!("x{}", "\u{fe0f}".repeat(50)));
    hazards.push("\u{200d}".repeat(50));
    hazards
}

/// The hazards in texts short enough to be seen whole in a preview.
fn texts() -> Vec<String> {
    hazards().chunks(18).map(|chunk| format!("{}!", chunk.join("."))).collect()
}

/// `text` as it stands inside a JSON string: everything that is no plain letter as an escape, or only what must be.
fn inside(text: &str, escaped: bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            _ if (c as u32) < 0x20 || (escaped && !c.is_ascii_graphic()) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// A folder with a log that holds `hazard` in every place, in its path, and in its sub-agents' files.
struct Hostile {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Hostile {
    fn new(sample: &Sample, hazard: &str, inside: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let named = |before: &str, after: &str| -> OsString {
            let name = hazard.bytes().filter(|byte| !matches!(byte, b'/' | 0)).take(200);
            OsString::from_vec(before.bytes().chain(name).chain(after.bytes()).collect())
        };
        let path = folder.path().join(named("log", ".jsonl"));
        std::fs::write(&path, sample.with_texts(inside)).unwrap();
        let agents = path.with_extension("").join("subagents");
        std::fs::create_dir_all(&agents).unwrap();
        std::fs::write(agents.join(named("agent-", ".jsonl")), sample.prompts([format!("asked {inside}")]))
            .unwrap();
        Self { _folder: folder, path }
    }
}

/// What was sent must be the program's own; the answer is what it copied.
fn check(bytes: &[u8], writer: Writer, what: &str) -> Vec<String> {
    let mut copied = Vec::new();
    if let Some(leak) = stream::leak(bytes, writer, &mut copied) {
        panic!("{what}: {leak}");
    }
    copied
}

/// Presses each of `keys` and lets it be drawn.
fn slowly(screen: &mut Screen, keys: &str) {
    for key in keys.chars() {
        screen.press(key.encode_utf8(&mut [0; 4]));
        pty::tick();
    }
}

/// Every view, row, detail, message and prompt of the interface.
fn walk(path: &Path, hazard: &str, what: &str) {
    let mut screen = Screen::start(&[OsStr::new("--follow"), path.as_os_str()], 200, 60);
    screen.wait("● following");
    slowly(&mut screen, &format!("g*g{}g\t   \t", "j".repeat(20)));
    // Before the second compaction there is most to see.
    screen.press(":g2-\r");
    slowly(&mut screen, &format!("g*g{}", "j".repeat(45)));
    // A digit alone is a view once nothing follows it.
    screen.press("2");
    screen.wait("Generations: what each compaction covered");
    slowly(&mut screen, &format!("g*g{}", "j".repeat(45)));
    for keys in [":g2\r", "d", "z", "z", "y", "Y", "\u{1b}", ":L3\r", "Y", ":t1\r", "y", "?", "?"] {
        screen.press(keys);
        pty::tick();
    }
    for prompt in ["/", ":", "F"] {
        screen.press(prompt);
        screen.press(&format!("\u{1b}[200~{hazard}\u{1b}[201~"));
        pty::tick();
        slowly(&mut screen, "\rn");
        screen.press("\u{1b}");
        pty::tick();
    }
    screen.press("\u{1b}");
    pty::tick();
    screen.press("/[^a-z]\r");
    screen.wait("matches");
    slowly(&mut screen, "nnnNN");
    // The reason why it cannot be read any more names its path.
    std::fs::remove_file(path).unwrap();
    screen.wait("file deleted");
    std::fs::create_dir(path).unwrap();
    screen.wait("cannot be read");
    pty::tick();
    screen.press("q");
    assert_eq!(screen.ended(), 0, "{what}");
    let copied = check(&screen.received(), Writer::Interface, what);
    assert!(copied.len() >= 3 && copied.iter().any(|text| text == "t1"), "{what}: {copied:?}");
}

fn interface(escaped: bool) {
    for sample in &SAMPLES {
        for hazard in texts() {
            let log = Hostile::new(sample, &hazard, &inside(&hazard, escaped));
            walk(&log.path, &hazard, &format!("{} {hazard:?}", sample.format));
        }
    }
}

#[test]
fn nothing_written_as_it_is_reaches_the_terminal_raw_from_the_interface() {
    interface(false);
}

#[test]
fn nothing_written_as_escapes_reaches_the_terminal_raw_from_the_interface() {
    interface(true);
}

/// Runs a command with a terminal for its output; the answer is what the terminal received.
fn on_terminal(arguments: &[&OsStr]) -> Vec<u8> {
    let mut screen = Screen::start(arguments, 200, 60);
    screen.ended();
    screen.received()
}

/// Every look that a command gives, and what it needs beside the path.
const LOOKS: [&[&str]; 14] = [
    &["info"],
    &["info", "--json"],
    &["turns"],
    &["turns", "--json"],
    &["context"],
    &["context", "--json", "--as-of", "g1-"],
    &["context", "--strategy", "full"],
    &["tree", "--depth", "9"],
    &["tree", "--depth", "9", "--as-of", "g2-"],
    &["tree", "--depth", "9", "--json"],
    &["tree", "--depth", "9", "--view", "generations"],
    &["expand", "g1"],
    &["expand", "g2", "--summary"],
    &["expand", "g2", "--json"],
];

/// The arguments of `look` at `path`, which comes first for those that have an address behind it.
fn look<'a>(look: &'a [&'a str], path: &'a Path) -> Vec<&'a OsStr> {
    let mut arguments: Vec<&OsStr> = look.iter().map(OsStr::new).collect();
    arguments.insert(1, path.as_os_str());
    arguments
}

#[test]
fn nothing_in_a_log_reaches_the_terminal_raw_from_a_command() {
    for sample in &SAMPLES {
        for (number, hazard) in texts().iter().enumerate() {
            let what = format!("{} {hazard:?}", sample.format);
            let log = Hostile::new(sample, hazard, &inside(hazard, number % 2 == 0));
            let lines = sample.head.len() + sample.texts.len();
            let addresses: Vec<String> = (1..=lines).map(|line| format!("L{line}")).collect();
            let expanded = addresses.iter().map(|address| vec!["expand", address]);
            let raw = [vec!["expand", "L1", "--raw"], vec!["expand", "g1", "--raw"]];
            for arguments in LOOKS.iter().map(|look| look.to_vec()).chain(expanded).chain(raw) {
                let received = on_terminal(&look(&arguments, &log.path));
                check(&received, Writer::Command, &format!("{what} {arguments:?}"));
                assert!(!received.is_empty(), "{what} {arguments:?}");
            }
        }
    }
}

#[test]
fn nothing_in_a_message_reaches_the_terminal_raw() {
    let folder = tempfile::tempdir().unwrap();
    let log = support::log_of(SAMPLES[0].prompts(["a", "b"]).as_bytes());
    let log = log.path().as_os_str();
    for hazard in texts() {
        let bytes: Vec<u8> = hazard.bytes().filter(|byte| *byte != 0).collect();
        let hazard = OsStr::from_bytes(&bytes);
        let diary = support::log_of(&bytes.repeat(20));
        let missing = folder.path().join(hazard);
        let o = OsStr::new;
        let runs: Vec<Vec<&OsStr>> = vec![
            vec![missing.as_os_str()],
            vec![hazard],
            vec![o("info"), missing.as_os_str()],
            vec![o("info"), diary.path().as_os_str()],
            vec![diary.path().as_os_str()],
            vec![o("expand"), log, hazard],
            vec![o("turns"), log, o("--thread"), hazard],
            vec![o("turns"), log, o("--range"), hazard],
            vec![o("context"), log, o("--as-of"), hazard],
            vec![o("context"), log, o("--strategy"), hazard],
            vec![o("tree"), log, o("--view"), hazard],
            vec![o("--theme"), hazard, log],
            vec![o("--as-of"), hazard, log],
            vec![o("info"), log, hazard],
            vec![o("completions"), hazard],
        ];
        for arguments in runs {
            let received = on_terminal(&arguments);
            check(&received, Writer::Command, &format!("{arguments:?}"));
            assert!(!received.is_empty(), "{arguments:?}");
        }
    }
}

#[test]
fn json_into_a_pipe_keeps_every_character() {
    for sample in &SAMPLES {
        for hazard in texts() {
            for escaped in [false, true] {
                let log = support::log_of(sample.prompts([inside(&hazard, escaped)]).as_bytes());
                let lines = json_lines(&["expand", "--json", text(log.path()), "t1"]);
                assert_eq!(lines[0]["text"], hazard.as_str(), "{hazard:?}");
                let printed = support::stdout(&["expand", "--json", text(log.path()), "t1"]);
                let kept: String = hazard.chars().filter(|c| *c >= '\u{80}').collect();
                let found: String =
                    String::from_utf8(printed).unwrap().chars().filter(|c| *c >= '\u{80}').collect();
                assert!(found.contains(&kept), "written as they are, not as escapes: {kept:?} in {found:?}");
                let raw = support::stdout(&["expand", "--raw", text(log.path()), "t1"]);
                assert!(std::fs::read(log.path()).unwrap().ends_with(&raw), "{hazard:?}");
            }
        }
    }
}
