//! What the store keeps of a session is gone once it is forgotten, byte for byte.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

#[path = "support/home.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod home;

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use home::{Home, exchange};
use pentimento::store::{Item, KeptLine, KeptSummary, Owner, Store};

const SECRET: &str = "the umlaut breaks the launch code 7391";

/// A home with one session that the store knows everything of, and another one.
fn furnished() -> (Home, std::path::PathBuf) {
    let home = Home::new();
    let log =
        home.write(".claude/projects/-w/s1.jsonl", &exchange("s1", "/w", SECRET), Duration::from_mins(5));
    home.write(".claude/projects/-w/s2.jsonl", &exchange("s2", "/w", "Another one"), Duration::from_mins(5));
    assert!(home.run(&["sessions"]).status.success());
    let store = Store::open_in(&home.at("state")).unwrap();
    for session in ["s1", "s2"] {
        let text = if session == "s1" { SECRET } else { "what stays" };
        let lines = vec![KeptLine { range: 0..4, turns: vec![1] }];
        let summary = KeptSummary { name: "n".into(), budget: 9, text: text.repeat(300), lines };
        let owner = Owner {
            session,
            log: Some(&home.at(&format!(".claude/projects/-w/{session}.jsonl"))),
            place: "p",
        };
        store.keep(&[session.as_bytes()[1]; 32], &summary, Some(owner)).unwrap();
        let item = Item::Record(format!("{session}-0"));
        store.pin(session, &item, Some(true)).unwrap();
        store.mark(session, &item, Some(text)).unwrap();
        store.note(session, &item, text).unwrap();
    }
    (home, log)
}

fn holding(folder: &Path, needle: &str) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let holds = |path: &std::path::PathBuf| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
    };
    files.filter(holds).collect()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn no_file_of_the_state_folder_holds_what_was_forgotten() {
    let (home, log) = furnished();
    let state = home.at("state");
    assert!(holding(&state, SECRET).len() >= 2, "the store and the list of sessions know it");
    let output = home.run(&["forget", log.to_str().unwrap(), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["session_ids"], serde_json::json!(["s1"]));
    for (what, count) in [("summaries", 1), ("pins", 1), ("marks", 1), ("notes", 1), ("counts", 1)] {
        assert_eq!(report[what], count, "{what}: {report}");
    }
    for needle in [SECRET, "s1-0", "s1.jsonl"] {
        assert_eq!(holding(&state, needle), Vec::<std::path::PathBuf>::new(), "{needle}");
    }
    assert!(!holding(&state, "what stays").is_empty() && !holding(&state, "s2.jsonl").is_empty());
    assert!(fs::read_to_string(&log).unwrap().contains(SECRET), "the log is not touched");
    let again = stdout(&home.run(&["forget", log.to_str().unwrap()]));
    assert!(again.ends_with("s1.jsonl: nothing was kept\n"), "{again}");
}

#[test]
fn a_log_that_is_gone_can_be_forgotten() {
    let (home, log) = furnished();
    fs::remove_file(&log).unwrap();
    let said = stdout(&home.run(&["forget", log.to_str().unwrap()]));
    assert!(said.contains("deleted 1 summary, 1 pin, 1 mark, 1 note, 1 entry of the list"), "{said}");
    assert_eq!(holding(&home.at("state"), SECRET), Vec::<std::path::PathBuf>::new());
    let again = home.run(&["forget", log.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing is kept of it"));
}

#[test]
fn a_store_that_cannot_be_used_says_that_nothing_was_deleted() {
    let (home, log) = furnished();
    fs::write(home.at("state/store.sqlite"), "no database at all, but longer than a header is").unwrap();
    for name in ["store.sqlite-wal", "store.sqlite-shm"] {
        let _ = fs::remove_file(home.at("state").join(name));
    }
    let output = home.run(&["forget", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("nothing was deleted") && message.contains("damaged"), "{message}");
    assert!(stdout(&home.run(&["info", log.to_str().unwrap()])).contains("claude-code"), "all else works");
}

#[test]
fn without_a_state_folder_it_is_said_that_nothing_was_deleted() {
    let (home, log) = furnished();
    let file = home.at("no-folder");
    fs::write(&file, "").unwrap();
    let output = home.command(&["forget", log.to_str().unwrap()]).env("PENTIMENTO_STATE", &file).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(3));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("nothing was deleted: no state folder: "), "{message}");
    assert!(!message.contains("made anew"), "{message}");
}

#[test]
fn what_commands_wrote_while_the_store_was_held_is_kept_at_the_end() {
    let home = Home::new();
    let lines = (0..400)
        .map(|n| home::claude(n, "s1", "/w", if n % 2 == 0 { "user" } else { "assistant" }, "Go on."));
    let log = home.write(".claude/projects/-w/s1.jsonl", &lines.collect::<Vec<_>>(), Duration::from_mins(5));
    let log = log.to_str().unwrap();
    fs::create_dir_all(home.at("state")).unwrap();
    drop(Store::open_in(&home.at("state")).unwrap());
    let other = rusqlite::Connection::open(home.at("state/store.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let runs = home.at("runs");
    let command = format!("cat > /dev/null; echo run >> '{}'; echo 'They went on.'", runs.display());
    let tree = || home.command(&["tree", log, "--view", "blocks", "--summariser", &command]);
    let begun = std::time::Instant::now();
    let child = tree().stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let count = || fs::read_to_string(&runs).unwrap_or_default().lines().count();
    while count() < 9 {
        assert!(begun.elapsed() < Duration::from_secs(30), "{} written", count());
        std::thread::sleep(Duration::from_millis(5));
    }
    // Held for one full wait, and short ones after that.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    other.execute_batch("ROLLBACK").unwrap();
    let output = child.unwrap().wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let before = count();
    assert!(stdout(&tree().output().unwrap()).contains("b9 "));
    assert_eq!(count(), before, "everything was kept");
}

#[test]
fn what_a_command_wrote_is_written_once_until_it_is_forgotten() {
    let home = Home::new();
    let lines = (0..100)
        .map(|n| home::claude(n, "s1", "/w", if n % 2 == 0 { "user" } else { "assistant" }, "Go on."));
    let log = home.write(".claude/projects/-w/s1.jsonl", &lines.collect::<Vec<_>>(), Duration::from_mins(5));
    let log = log.to_str().unwrap();
    let runs = home.at("runs");
    let command = format!("cat > /dev/null; echo run >> '{}'; echo 'They went on.'", runs.display());
    let expand = |command: &str| home.run(&["expand", log, "b1", "--summary", "--summariser", command]);
    for _ in 0..2 {
        let said = stdout(&expand(&command));
        assert!(said.contains("They went on.") && said.contains("command prompts/"), "{said}");
        assert_eq!(fs::read_to_string(&runs).unwrap(), "run\n", "the second time the store has it");
    }
    assert!(!holding(&home.at("state"), "They went on.").is_empty());
    assert!(stdout(&home.run(&["forget", log])).contains("deleted 1 summary"));
    stdout(&expand(&command));
    assert_eq!(fs::read_to_string(&runs).unwrap(), "run\nrun\n");

    let failed = expand("cat > /dev/null; echo 'no credit left' >&2; exit 7");
    let message = String::from_utf8(failed.stderr).unwrap();
    assert_eq!(failed.status.code(), Some(4));
    assert!(message.contains("exit status: 7") && message.contains("no credit left"), "{message}");
}
