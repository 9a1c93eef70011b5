//! The Blocks view with the real binary in a pseudo-terminal: pins that stay, summarisers that fail, copies at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use pty::{Screen, demo};
use serde_json::Value;

const SMALL: [&str; 4] = ["--block-turns", "20", "--budget", "6000"];

/// The demo session's Blocks, with `more` options, and `state` for the state folder.
fn blocks(state: &Path, more: &[&str]) -> Screen {
    let demo = demo();
    let mut arguments = vec![demo.to_str().unwrap(), "--view", "blocks"];
    arguments.extend(SMALL);
    arguments.extend(more);
    let state = state.to_owned();
    let mut screen =
        Screen::start_with(&arguments, 120, 40, move |command| command.env("PENTIMENTO_STATE", state));
    screen.wait("ledger · ");
    screen.wait("replayed · ");
    screen
}

fn quit(mut screen: Screen) {
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

/// The ledger as `context --strategy blocks` has it: its items, and the turns that are pinned.
fn ledger(state: &Path) -> (Vec<String>, Vec<String>) {
    let demo = demo();
    let mut arguments = vec!["context", demo.to_str().unwrap(), "--strategy", "blocks", "--json"];
    arguments.extend(SMALL);
    let output = Command::new(env!("CARGO_BIN_EXE_pentimento"))
        .args(&arguments)
        .env("PENTIMENTO_STATE", state)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let context: Value = serde_json::from_slice(&output.stdout).unwrap();
    let entry = &context["entries"][0];
    assert_eq!(entry["kind"], "ledger");
    let texts = |name: &str| -> Vec<String> {
        entry[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    (texts("items"), texts("pinned"))
}

#[test]
fn pins_survive_a_restart_and_are_the_same_everywhere() {
    let state = tempfile::tempdir().unwrap();
    let before = ledger(state.path());
    assert!(before.0.contains(&"i3".to_owned()) && before.1.is_empty());
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "who only looks makes no store");
    let mut screen = blocks(state.path(), &[]);
    screen.press(":i3\rp");
    screen.wait("i3 is unpinned");
    screen.press(":t100\rp");
    screen.wait("t100 is pinned");
    screen.press(":i5\rC");
    screen.wait("i5: decision");
    quit(screen);
    let (items, pinned) = ledger(state.path());
    assert!(!items.contains(&"i3".to_owned()), "{items:?}");
    assert_eq!(items.len() + 1, before.0.len());
    assert_eq!(pinned, ["t100"]);
    let mut screen = blocks(state.path(), &[]);
    screen.press(":i3\r");
    screen.wait("unpinned by hand: not part of the context");
    screen.press(":i5\r");
    screen.wait("decision (by hand)");
    screen.press("g");
    screen.press("j");
    screen.wait("t100 tool");
    // As the rules have it again: nothing is left of it.
    screen.press("p");
    screen.wait("t100 is not pinned any more");
    // Its row is gone: the next key meets no other turn, which the ledger at the end shows.
    screen.press("p");
    screen.wait("choose ");
    screen.press(":i3\rp");
    screen.wait("i3 is in the ledger again");
    quit(screen);
    assert_eq!(ledger(state.path()), before);
}

#[test]
fn what_is_kept_can_be_forgotten() {
    let state = tempfile::tempdir().unwrap();
    let mut screen = blocks(state.path(), &[]);
    screen.press(":t100\rp");
    screen.wait("t100 is pinned");
    quit(screen);
    let output = Command::new(env!("CARGO_BIN_EXE_pentimento"))
        .args(["forget", demo().to_str().unwrap()])
        .env("PENTIMENTO_STATE", state.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("deleted 1 pin"), "{said}");
    assert!(ledger(state.path()).1.is_empty());
}

#[test]
fn two_copies_at_once_lose_no_pin() {
    let state = tempfile::tempdir().unwrap();
    let mut screens = [blocks(state.path(), &[]), blocks(state.path(), &[])];
    for turn in [10, 20, 30, 40] {
        for (copy, screen) in screens.iter_mut().enumerate() {
            screen.press(&format!(":t{}\rp", turn + copy));
            screen.wait(&format!("t{} is pinned", turn + copy));
        }
    }
    screens.into_iter().for_each(quit);
    let pinned = ledger(state.path()).1;
    assert_eq!(pinned, ["t10", "t11", "t20", "t21", "t30", "t31", "t40", "t41"]);
}

#[test]
fn a_copy_that_is_killed_loses_no_pin_that_was_kept() {
    let state = tempfile::tempdir().unwrap();
    for (round, turn) in [10, 20, 30].into_iter().enumerate() {
        let mut screen = blocks(state.path(), &[]);
        screen.press(&format!(":t{turn}\rp"));
        screen.wait(&format!("t{turn} is pinned"));
        let begun = std::time::Instant::now();
        while ledger(state.path()).1.len() <= round {
            assert!(begun.elapsed() < pty::PATIENCE, "the pin is never kept");
        }
        // In the midst of the next one.
        screen.press(&format!(":t{}\rpppppp", turn + 1));
        screen.signal("KILL");
        screen.ended();
        let pinned = ledger(state.path()).1;
        assert!(pinned.contains(&format!("t{turn}")), "{pinned:?}");
        let mut screen = blocks(state.path(), &[]);
        screen.press(&format!(":t{}\r", turn + 1));
        screen.wait(&format!("t{} ", turn + 1));
        if pinned.contains(&format!("t{}", turn + 1)) {
            screen.press("p");
            screen.wait("is not pinned any more");
        }
        quit(screen);
    }
    assert_eq!(ledger(state.path()).1, ["t10", "t20", "t30"]);
}

#[test]
fn a_full_disk_is_said_and_the_view_goes_on() {
    let state = tempfile::tempdir().unwrap();
    // The store is there already, so that only writing fails.
    let mut screen = blocks(state.path(), &[]);
    screen.press(":t100\rp");
    screen.wait("t100 is pinned");
    quit(screen);
    let script = r#"ulimit -f 1; exec "$0" "$@""#;
    let demo = demo();
    let mut arguments = vec!["-c", script, env!("CARGO_BIN_EXE_pentimento"), demo.to_str().unwrap()];
    arguments.extend(["--view", "blocks"]);
    arguments.extend(SMALL);
    let mut screen = Screen::program("sh", &arguments, 120, 40, |command| {
        command.env("PENTIMENTO_STATE", state.path());
    });
    screen.wait("replayed · ");
    screen.press(":t20\rp");
    screen.wait("marks are not kept");
    screen.wait("marks not kept");
    screen.press("g");
    screen.wait("ledger · 22 items");
    quit(screen);
    assert_eq!(ledger(state.path()).1, ["t100"], "what was kept stays");
}

#[test]
fn without_a_store_it_is_said_and_works() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("no-folder");
    std::fs::write(&file, "").unwrap();
    let mut screen = blocks(&file, &[]);
    screen.wait("marks not kept");
    screen.press(":b1\r");
    screen.wait("written by extractive");
    screen.press(":t20\rp");
    screen.press("g");
    screen.wait("ledger · 22 items");
    quit(screen);
}

/// The words of the right pane, which may be on several lines.
fn words(text: &str) -> String {
    let text = text.replace('┃', "│");
    let right = text.lines().filter_map(|line| line.split("││").nth(1));
    right.flat_map(|line| line.trim_end_matches('│').split_whitespace()).collect::<Vec<_>>().join(" ")
}

/// Whether a process is there and has not ended; nobody may have asked yet how it did.
fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// A summariser of these shell commands.
fn summariser(folder: &Path, script: &str) -> String {
    let path = folder.join("summarise.sh");
    std::fs::write(&path, script).unwrap();
    format!("sh {}", path.display())
}

#[test]
fn a_summariser_that_fails_leaves_a_gap_that_can_be_tried_again() {
    let good = r#"cat > /dev/null; echo "- The shop is slow (t1)""#;
    for (bad, said) in [
        ("exit 7", "ended with exit status: 7"),
        ("cat > /dev/null", "answered nothing"),
        ("exec /nowhere/at-all", "no such program"),
        ("sleep 60", "did not answer within 1 s"),
        (r"printf '\377'", "no UTF-8"),
    ] {
        let state = tempfile::tempdir().unwrap();
        let command = summariser(state.path(), bad);
        let mut screen = blocks(state.path(), &["--summariser", &command, "--summariser-limit", "1"]);
        screen.press(":b1\r");
        screen.until(said, |text| words(text).contains(said));
        screen.wait("! no summary");
        screen.wait(" failed");
        summariser(state.path(), good);
        screen.press("R");
        // On a block that failed only that one is tried, elsewhere all.
        screen.wait("The shop is slow");
        screen.wait("! no summary");
        screen.press(":i1\rR");
        screen.wait_without("! no summary");
        // Its line says which turn it rests on.
        screen.press(":b1.s1\ro");
        screen.wait("t1 user");
        quit(screen);
    }
}

#[test]
fn what_a_command_wrote_is_not_written_again() {
    let state = tempfile::tempdir().unwrap();
    let asked = state.path().join("asked");
    let script = format!("cat > /dev/null; echo x >> {}; echo '- The shop is slow (t1)'", asked.display());
    let command = summariser(state.path(), &script);
    let count = || std::fs::read_to_string(&asked).unwrap().lines().count();
    let mut before = 0;
    for round in 0..3 {
        let mut screen = blocks(state.path(), &["--summariser", &command]);
        screen.press(":b1\r");
        screen.wait("written by command");
        screen.until("end of writing", |text| !text.contains("· writing "));
        quit(screen);
        assert!(round == 0 || count() == before, "asked {} times, then {before}", count());
        before = count();
    }
}

#[test]
fn writing_can_be_stopped_and_leaves_nothing_behind() {
    let state = tempfile::tempdir().unwrap();
    let mark = state.path().join("running");
    let command = summariser(state.path(), &format!("echo $$ >> {}; exec sleep 600", mark.display()));
    let mut screen = blocks(state.path(), &["--summariser", &command]);
    screen.wait("writing 2 of ");
    screen.press("X");
    screen.wait("writing stopped");
    screen.wait_without("· writing 2");
    screen.press("R");
    screen.wait("writing 2 of ");
    quit(screen);
    for process in std::fs::read_to_string(&mark).unwrap().lines() {
        let begun = std::time::Instant::now();
        while runs(process) {
            assert!(begun.elapsed() < pty::PATIENCE, "{process} still runs");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

#[test]
fn prompts_of_ones_own_are_used() {
    let state = tempfile::tempdir().unwrap();
    std::fs::write(state.path().join("turns.md"), "MY OWN WORDS {{turns}}\n{{text}}").unwrap();
    let command = summariser(state.path(), "head -n 1 | sed 's/^/- /'");
    let folder = state.path().to_str().unwrap().to_owned();
    let mut screen = blocks(state.path(), &["--summariser", &command, "--prompts", &folder]);
    screen.press(":b1\r");
    screen.wait("MY OWN WORDS t1 to t24");
    quit(screen);
}

#[test]
fn a_log_that_grows_gets_its_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let turn = |number: u32| {
        let parent = if number == 1 { "null".to_owned() } else { format!("\"u{}\"", number - 1) };
        format!(
            r#"{{"type":"user","uuid":"u{number}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"prompt number {number} of many"}}}}"#
        ) + "\n"
    };
    std::fs::write(&path, (1..=5).map(turn).collect::<String>()).unwrap();
    let state = folder.path().join("state");
    let arguments = [path.to_str().unwrap(), "--view", "blocks", "--follow", "--block-turns", "10"];
    let mut screen =
        Screen::start_with(&arguments, 120, 40, move |command| command.env("PENTIMENTO_STATE", state));
    screen.wait("open t1–t5");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    for number in 6..=35 {
        file.write_all(turn(number).as_bytes()).unwrap();
    }
    screen.wait("b3 t21–t30");
    screen.wait("open t31–t35");
    screen.press(":b2\r");
    screen.wait("written by extractive");
    quit(screen);
}
