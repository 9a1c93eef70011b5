//! The Forest view with the real binary in a pseudo-terminal: conversations, logs that grow, summarisers that fail, files.
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

/// The words of both panes, which may be on several lines.
fn words(text: &str) -> String {
    let right = text.lines().filter_map(|line| line.split("││").nth(1));
    let right = right.flat_map(|line| line.trim_end_matches(['│', '┃']).split_whitespace());
    right.collect::<Vec<_>>().join(" ")
}

fn start(path: &Path, state: &Path, more: &[&str], (columns, rows): (u16, u16)) -> Screen {
    let mut arguments = vec![path.to_str().unwrap(), "--view", "forest"];
    arguments.extend(more);
    let state = state.to_owned();
    Screen::start_with(&arguments, columns, rows, move |command| command.env("PENTIMENTO_STATE", state))
}

fn quit(mut screen: Screen) {
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

fn turn(number: u32) -> String {
    let parent = if number == 1 { "null".to_owned() } else { format!("\"u{}\"", number - 1) };
    let (port, host) = (number % 5, number % 3);
    format!(
        r#"{{"type":"user","uuid":"u{number}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"prompt {number} speaks of port {port} on host h{host}"}}}}"#
    ) + "\n"
}

fn log(folder: &Path, turns: u32) -> PathBuf {
    let path = folder.join("session.jsonl");
    std::fs::write(&path, (1..=turns).map(turn).collect::<String>()).unwrap();
    path
}

fn append(path: &Path, turns: std::ops::RangeInclusive<u32>) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    for number in turns {
        file.write_all(turn(number).as_bytes()).unwrap();
    }
}

/// A summariser of these shell commands.
fn summariser(folder: &Path, script: &str) -> String {
    let path = folder.join("summarise.sh");
    std::fs::write(&path, script).unwrap();
    format!("sh {}", path.display())
}

#[test]
fn a_conversation_has_its_forest_at_every_size() {
    let folder = tempfile::tempdir().unwrap();
    let messages: Vec<String> =
        (1..=60).map(|n| format!("message {n} speaks of port {} and host h{}", n % 5, n % 3)).collect();
    let path = folder.path().join("talk.json");
    std::fs::write(&path, serde_json::json!({"title": "Ports", "messages": messages}).to_string()).unwrap();
    for size in [(60, 15), (120, 40), (200, 60)] {
        let mut screen = start(&path, folder.path(), &[], size);
        screen.press("g");
        // The health line stands whole at every size.
        screen.until("health", |text| {
            text.lines().any(|line| line.contains("largest ") && line.contains("NaN 0 · forced 40/40"))
        });
        screen.press(":c1\r");
        screen.wait("c1 ");
        screen.press("z\t");
        screen.wait("written by extractive");
        screen.press("\r");
        screen.wait("message ");
        quit(screen);
    }
}

#[test]
fn a_log_that_grows_gets_its_forest() {
    let folder = tempfile::tempdir().unwrap();
    let path = log(folder.path(), 5);
    let mut screen = start(&path, folder.path(), &["--follow"], (120, 40));
    // The fifth goes on until the next one begins.
    screen.wait("hot · 4 messages");
    screen.wait("at t5: nothing turned cold");
    append(&path, 6..=12);
    screen.wait("hot · 10 messages");
    screen.wait("at t12: t1 turned cold");
    append(&path, 13..=40);
    screen.wait("at t40: t29 turned cold");
    screen.press("g");
    screen.wait("single ");
    // Back in time: the first union.
    screen.press(":u1\r");
    screen.wait("u1 1 + 1 at t");
    quit(screen);
}

#[test]
fn a_summary_grows_stale_and_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = log(folder.path(), 40);
    let slow = folder.path().join("slow");
    let script = format!(
        r#"n=$(grep -c 'speaks of port'); if [ -e {} ]; then sleep 3; fi; echo "- they speak of $n ports (t1)""#,
        slow.display()
    );
    let command = summariser(folder.path(), &script);
    let mut screen = start(&path, folder.path(), &["--summariser", &command, "--cap", "2"], (120, 40));
    screen.wait("replayed · ");
    screen.press(":c1\r");
    let first = screen.until("summary of all", |text| words(text).contains("they speak of"));
    assert!(words(&first).contains("of all"), "{first}");
    std::fs::write(&slow, "").unwrap();
    append(&path, 41..=80);
    // A key that comes before the turns do would find nothing to step to.
    screen.wait("40 turns later");
    screen.press("40.");
    screen.wait("as of t80");
    screen.press(":c1\r");
    screen.until("stale summary", |text| {
        words(text).contains("stale: this summary is of") && words(text).contains("being written")
    });
    let fresh = screen
        .until("fresh summary", |text| words(text).contains("of all") && !words(text).contains("stale"));
    assert_ne!(words(&first), words(&fresh));
    quit(screen);
}

#[test]
fn a_summariser_that_fails_can_be_tried_again_and_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = log(folder.path(), 40);
    let command = summariser(folder.path(), "exit 7");
    let mut screen = start(&path, folder.path(), &["--summariser", &command], (120, 40));
    screen.wait("replayed · ");
    screen.press(":c1\r");
    screen.until("failure", |text| words(text).contains("ended with exit status: 7"));
    screen.wait("! no summary");
    summariser(folder.path(), r#"cat > /dev/null; echo "- They speak of ports (t1)""#);
    screen.press("R");
    screen.wait("They speak of ports");
    summariser(folder.path(), "exec sleep 600");
    screen.press("X");
    screen.wait("writing stopped");
    screen.press(":c2\r");
    screen.until("no writing", |text| words(text).contains("not written · R writes it"));
    quit(screen);
}

#[test]
fn a_question_shows_what_a_reader_would_get() {
    let folder = tempfile::tempdir().unwrap();
    let path = log(folder.path(), 300);
    let mut screen = start(&path, folder.path(), &[], (120, 40));
    screen.wait("replayed · ");
    screen.press("awhich prompt speaks of port 4?\r");
    screen.wait("what a reader would get");
    let text = screen.until("reading", |text| text.contains("of 2,000 tokens"));
    assert!(text.contains("asked at t300: which prompt speaks"), "{text}");
    assert!(words(&text).contains("clusters by similarity"), "{text}");
    screen.press("\tG");
    screen.wait("word for word · 0.000");
    screen.press("\r");
    screen.wait("cluster");
    quit(screen);
}

#[test]
fn a_long_log_is_drawn_while_its_forest_grows() {
    let folder = tempfile::tempdir().unwrap();
    let path = log(folder.path(), 30_000);
    let mut screen = start(&path, folder.path(), &[], (120, 40));
    screen.wait("replaying t");
    // Keys are answered meanwhile.
    screen.press("2");
    screen.wait("Generations: what each");
    screen.press("4");
    screen.wait("Forest: clusters");
    screen.wait("replayed · ");
    screen.press("g");
    screen.wait("single 0/10");
    quit(screen);
}

const BROKEN: &str = r#"{"nodes": {"4": {"content": "port 5432", "embedding": [1.0, 0.0], "timestamp": null, "parent": 77, "rank": 0}, "9": {"content": "port 5433", "embedding": [0.8, 0.6], "timestamp": null, "parent": null, "rank": 1}, "11": {"content": "lunch", "embedding": [0.0, 1.0], "timestamp": null, "parent": null, "rank": 0}}, "summaries": {"9": "They speak of ports."}, "children": {"9": [9, 4], "11": [11]}, "centroids": {"9": [0.9, 0.3], "11": [0.0, 1.0]}}"#;

#[test]
fn a_forest_file_opens_as_it_is_with_its_defects() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.json");
    std::fs::write(&path, BROKEN).unwrap();
    for size in [(60, 15), (120, 40), (200, 60)] {
        let mut screen = start(&path, folder.path(), &[], size);
        screen.wait("single 1/2");
        screen.wait("! parent-missing: ");
        screen.press(":c4\r");
        screen.wait("c9 ");
        screen.press("z\t");
        screen.wait("They speak of ports.");
        screen.press("z\t:t4\r");
        screen.wait("t4 ");
        quit(screen);
    }
    // It opens in whatever view is asked for, and a healthy one says that it is.
    std::fs::write(&path, BROKEN.replace("77", "9")).unwrap();
    let mut screen = Screen::start(&[path.to_str().unwrap()], 120, 40);
    screen.wait("nothing of what holds in healthy files is breached");
    quit(screen);
}

#[test]
fn a_forest_file_is_asked_and_searched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.json");
    std::fs::write(&path, BROKEN.replace("77", "9")).unwrap();
    let mut screen = start(&path, folder.path(), &[], (120, 40));
    screen.wait("single 1/2");
    screen.wait("forest file · version 3 · 3 nodes");
    screen.press("awhich port\r");
    screen.wait("what a reader would get");
    screen.wait("asked: which port");
    screen.wait("the file fits: all of it, oldest first");
    // What is given leads to where it stands.
    screen.press("\t\r");
    screen.wait("t4 of c9");
    // The messages are searched, in the order of the tree.
    screen.press("\t/port\r");
    screen.wait("/port · 2 matches · 2 of 2 messages");
    screen.press("n");
    screen.wait("search goes on at the top");
    screen.press("/no such word\r");
    screen.wait("nothing found in any message");
    // It is no session.
    screen.press("5j");
    screen.press("6");
    screen.wait("without turns there is no view of audit");
    quit(screen);
}
