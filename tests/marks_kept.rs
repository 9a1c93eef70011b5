//! Marks by hand while the store cannot be written: held by another process, or over a limit on file sizes.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod pty;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pty::{Screen, demo};
use rusqlite::Connection;
use serde_json::Value;

const SMALL: [&str; 4] = ["--block-turns", "20", "--budget", "6000"];

/// The demo session's Blocks with `state` for the state folder.
fn blocks(state: &Path) -> Screen {
    let demo = demo();
    let mut arguments = vec![demo.to_str().unwrap(), "--view", "blocks"];
    arguments.extend(SMALL);
    let state = state.to_owned();
    let mut screen =
        Screen::start_with(&arguments, 120, 40, move |command| command.env("PENTIMENTO_STATE", state));
    screen.wait("ledger · ");
    screen.wait("replayed · ");
    screen
}

/// A state folder whose store is there, with t100 pinned.
fn state() -> tempfile::TempDir {
    let state = tempfile::tempdir().unwrap();
    let mut screen = blocks(state.path());
    screen.press(":t100\rp");
    screen.wait("t100 is pinned");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
    state
}

/// Holds the store as another process that is writing does.
fn hold(state: &Path) -> Connection {
    let other = Connection::open(state.join("store.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

/// The turns that are pinned, as `context` has them.
fn pinned(state: &Path) -> Vec<String> {
    let demo = demo();
    let mut arguments = vec!["context", demo.to_str().unwrap(), "--strategy", "blocks", "--json"];
    arguments.extend(SMALL);
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentimento"));
    let output = command.args(&arguments).env("PENTIMENTO_STATE", state).output().unwrap();
    let context: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pinned = context["entries"][0]["pinned"].as_array().unwrap();
    pinned.iter().map(|turn| turn.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_mark_made_while_the_store_is_held_holds_and_is_kept_later() {
    let state = state();
    let other = hold(state.path());
    let mut screen = blocks(state.path());
    screen.press(":t20\rp");
    screen.wait("the mark is not kept yet: it holds until you leave");
    screen.wait("marks not kept");
    // Tried again meanwhile: what the store says of the others does not undo it.
    pty::rest();
    pty::rest();
    screen.press(":t30\rp");
    screen.press(":t100\rp");
    screen.wait("t100 is not pinned any more");
    screen.press("g");
    screen.wait("ledger · 23 items");
    other.execute_batch("ROLLBACK").unwrap();
    screen.wait_without("marks not kept");
    assert!(screen.text().contains("ledger · 23 items"), "{}", screen.text());
    assert_eq!(pinned(state.path()), ["t20", "t30"]);
    screen.press("q");
    assert_eq!(screen.ended(), 0);
    assert_eq!(pinned(state.path()), ["t20", "t30"]);
}

#[test]
fn who_leaves_while_the_store_is_held_waits_a_moment_and_is_told_what_was_lost() {
    let state = state();
    let other = hold(state.path());
    let mut screen = blocks(state.path());
    for turn in [20, 30, 40, 50, 60] {
        screen.press(&format!(":t{turn}\rp"));
        screen.wait(&format!("t{turn} is pinned"));
    }
    let begun = Instant::now();
    screen.press("q");
    screen.wait("keeping your marks …");
    assert_eq!(screen.ended(), 0);
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    let said = screen.text();
    assert!(said.contains("5 marks were not kept") && said.contains("another copy"), "{said}");
    drop(other);
    assert_eq!(pinned(state.path()), ["t100"]);
}

#[test]
fn who_leaves_loses_nothing_where_the_store_is_free_a_moment_later() {
    let state = state();
    let other = hold(state.path());
    let mut screen = blocks(state.path());
    screen.press(":t20\rp");
    screen.wait("t20 is pinned");
    screen.press("q");
    screen.wait("keeping your marks …");
    drop(other);
    assert_eq!(screen.ended(), 0);
    assert!(!screen.text().contains("not kept"), "{}", screen.text());
    assert_eq!(pinned(state.path()), ["t20", "t100"]);
}

#[test]
fn a_limit_on_file_sizes_ends_nothing() {
    for limit in ["1", "8", "60"] {
        let state = tempfile::tempdir().unwrap();
        let script = format!(r#"ulimit -f {limit}; exec "$0" "$@""#);
        let demo = demo();
        let arguments = ["-c", &script, env!("CARGO_BIN_EXE_pentimento"), demo.to_str().unwrap()];
        let arguments = [&arguments[..], &["--view", "blocks"], &SMALL].concat();
        let mut screen = Screen::program("sh", &arguments, 120, 40, |command| {
            command.env("PENTIMENTO_STATE", state.path());
        });
        screen.wait("replayed · ");
        screen.press(":t20\rp");
        screen.wait("marks not kept");
        screen.press("q");
        assert_eq!(screen.ended(), 0, "under {limit}");
        assert!(!screen.is_alternate());
        let said = screen.text();
        assert!(said.contains("1 mark was not kept"), "{said}");
    }
}
