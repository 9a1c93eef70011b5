//! The Receipts view with the real binary in a pseudo-terminal: a log that grows, receipts that come while one looks.
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

use pty::Screen;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Follows the log as it grows line by line; at each number of lines something is to be seen.
fn follow(name: &str, seen: &[(usize, &str)]) {
    let lines = std::fs::read_to_string(fixture(name)).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, format!("{}\n", lines[0])).unwrap();
    let mut screen = Screen::start(&[path.to_str().unwrap(), "--view", "receipts", "--follow"], 120, 40);
    screen.wait("replayed · ");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    let mut written = 1;
    for (count, words) in seen {
        for line in &lines[written..*count] {
            writeln!(file, "{line}").unwrap();
        }
        written = *count;
        screen.wait(words);
    }
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn receipts_come_while_an_agent_works() {
    follow(
        "pruned.jsonl",
        &[
            (4, "t4 assistant"),
            (9, "r:t8.1 dedup"),
            (15, "t13 assistant"),
            (16, "r:t12.0 sweep +2"),
            (20, "r:t5.0 override"),
            (21, "r:t7.0 recorded"),
            (26, "t25 assistant"),
        ],
    );
}

#[test]
fn receipts_come_while_a_trace_grows() {
    follow(
        "trace.jsonl",
        &[
            (7, "t7 tool"),
            (8, "r:b1 sweep +2"),
            (9, "r:v1 override"),
            (13, "r:c2 dedup +1"),
            (14, "t14 tool"),
        ],
    );
}

#[test]
fn a_receipt_is_reached_opened_and_left_by_keys() {
    let path = fixture("trace.jsonl");
    let mut screen = Screen::start(&[path.to_str().unwrap(), "--view", "receipts"], 120, 40);
    screen.wait("replayed · ");
    screen.press(":r:b3\r");
    screen.wait("sweep · abandoned by x1");
    screen.wait("ERROR: permission denied");
    // Opens into the original and what gave it up.
    screen.press("l");
    screen.wait("by x1 · [abandon] b1");
    screen.press("o");
    screen.wait("Window: what the model sees");
    screen.press("\x1b");
    screen.wait("Receipts: the prompt");
    screen.press("t");
    screen.wait("beside it · 1 event");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}
