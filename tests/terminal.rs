//! The real binary in a real pseudo-terminal: keys in, screen out, and the terminal given back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;

use std::io::Write;

use pty::{Screen, demo};

#[test]
fn a_session_is_opened_walked_searched_and_left() {
    let mut screen = Screen::start(&[demo().to_str().unwrap()], 120, 40);
    screen.wait("since g6");
    assert!(screen.is_alternate(), "the interface has a screen of its own");

    screen.press("\r");
    screen.wait("▾ g6 summary");

    screen.press("[");
    screen.wait("as of t156");
    screen.press("[");
    screen.wait("g5 of 6");

    screen.press("/order_status\r");
    screen.wait("matches");

    screen.press("\x1b");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
    assert!(!screen.is_alternate(), "the terminal is given back");
    assert!(!screen.captures_mouse(), "the mouse is given back");
    assert!(!screen.hides_cursor(), "the cursor is given back");
}

#[test]
fn a_follower_waits_for_its_file_and_shows_lines_as_they_come() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let mut screen = Screen::start(&["--follow", path.to_str().unwrap()], 120, 30);
    screen.wait("waiting for the file");

    let lines: Vec<String> = std::fs::read_to_string(demo()).unwrap().lines().map(str::to_owned).collect();
    let mut file = std::fs::File::create(&path).unwrap();
    for line in &lines[..20] {
        writeln!(file, "{line}").unwrap();
    }
    screen.wait("● following");
    let (half, rest) = lines[20].split_at(lines[20].len() / 2);
    write!(file, "{half}").unwrap();
    file.flush().unwrap();
    pty::rest();
    writeln!(file, "{rest}").unwrap();
    screen.wait("should become an enum");

    std::fs::write(&path, lines[..5].join("\n")).unwrap();
    screen.wait("read anew");

    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn being_told_to_go_gives_the_terminal_back() {
    let mut screen = Screen::start(&[demo().to_str().unwrap()], 100, 30);
    screen.wait("since g6");
    screen.signal("TERM");
    assert_eq!(screen.ended(), 0);
    assert!(!screen.is_alternate() && !screen.captures_mouse());
}

#[test]
fn another_size_is_drawn_anew() {
    let mut screen = Screen::start(&[demo().to_str().unwrap()], 120, 40);
    screen.wait("since g6");
    screen.resize(60, 15);
    screen.wait("? help · q quit");
    screen.resize(1, 1);
    screen.resize(200, 60);
    screen.wait("356 records");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn without_a_terminal_the_interface_says_what_to_use_instead() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_pentimento")).arg(demo()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("needs a terminal") && message.contains("tree"), "{message}");
    assert!(output.stdout.is_empty());
}
