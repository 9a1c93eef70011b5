#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]

use std::io::Write;

use super::Session;
use super::load::{End, Feed, load, load_end};

const PROMPT: &str = r#"{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}"#;
const ANSWER: &str = r#"{"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"ho"}]}}"#;

/// What a follower has read of a log written in `pieces`, after each of them.
fn follow(pieces: &[&str]) -> (Vec<Vec<(u64, u32)>>, Session) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let (mut feed, mut session, mut seen) = (Feed::new(&path), None, Vec::new());
    let mut file = std::fs::File::create(&path).unwrap();
    for piece in pieces {
        file.write_all(piece.as_bytes()).unwrap();
        while !matches!(feed.read_to_end(&path, &mut session, &mut |_| true), End::Reached) {}
        let rows = session.iter().flat_map(|session: &Session| session.rows().iter());
        seen.push(rows.map(|row| (row.offset, row.length)).collect());
    }
    (seen, load(&path).unwrap())
}

fn extents(session: &Session) -> Vec<(u64, u32)> {
    session.rows().iter().map(|row| (row.offset, row.length)).collect()
}

#[test]
fn an_unfinished_line_that_is_a_whole_record_counts_at_once_and_only_once() {
    let (seen, whole) = follow(&[PROMPT, "\n", ANSWER, "\n"]);
    assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 2, 2]);
    assert_eq!(seen[3], extents(&whole));
}

#[test]
fn an_open_record_whose_line_goes_on_with_a_blank_has_the_length_of_its_line() {
    for end in ["\r\n", " \n", "  "] {
        let (seen, whole) = follow(&[PROMPT, "\n", ANSWER, end]);
        assert_eq!(seen[2].len(), 2, "{end:?}");
        assert_eq!(seen[3], extents(&whole), "{end:?}");
    }
}

#[test]
fn an_open_record_whose_line_goes_on_with_another_is_malformed() {
    let (seen, whole) = follow(&[PROMPT, "\n", ANSWER, ANSWER, "\n"]);
    assert_eq!(seen[2].len(), 2);
    assert_eq!(whole.malformed().len(), 1);
    assert_eq!(seen[4], extents(&whole));
}

/// A session of these lines.
fn session_of(lines: &[&str]) -> Session {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(lines.join("\n").as_bytes()).unwrap();
    load(file.path()).unwrap()
}

fn prompt(id: &str, parent: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"user","uuid":"{id}","parentUuid":{parent},"sessionId":"s","message":{{"role":"user","content":"{id}"}}}}"#
    )
}

#[test]
fn a_queued_prompt_that_a_fork_left_behind_stays_abandoned_from_there_when_it_is_taken_back() {
    let queued = r#"{"type":"queue-operation","operation":"enqueue","content":"wait"}"#;
    let withdraw = r#"{"type":"queue-operation","operation":"popAll"}"#;
    let session = session_of(&[
        &prompt("a", ""),
        &prompt("b", "a"),
        queued,
        &prompt("fork", "a"),
        &prompt("d", "fork"),
        withdraw,
    ]);
    let waiting = session.numbered(0, 3).unwrap();
    let abandoned: Vec<bool> = (0..=5).map(|number| session.is_abandoned(waiting, number)).collect();
    assert_eq!(abandoned, [false, false, false, false, true, true]);
    assert!(session.turn(waiting).is_withdrawn());
}

#[test]
fn a_thread_whose_records_have_no_id_at_all_is_not_named_like_the_main_one() {
    let side = r#"{"type":"user","parentUuid":null,"sessionId":"s","isSidechain":true,"agentId":"","message":{"role":"user","content":"go"}}"#;
    let session = session_of(&[&prompt("a", ""), side]);
    let names: Vec<&str> = session.threads().iter().map(|thread| &*thread.name).collect();
    assert_eq!(names, ["", "side"]);
}

#[test]
fn the_end_of_a_long_log_shows_turns_also_behind_lines_of_megabytes() {
    let prompt = |number: u32| {
        format!(
            r#"{{"type":"user","uuid":"{number}","parentUuid":null,"sessionId":"s","message":{{"role":"user","content":"prompt {number}"}}}}"#
        )
    };
    let note =
        format!(r#"{{"type":"progress","uuid":"n","sessionId":"s","data":"{}"}}"#, "x".repeat(1 << 20));
    let mut lines: Vec<String> = (0..30_000).map(prompt).collect();
    lines.extend([note.clone(), prompt(30_000), note]);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(lines.join("\n").as_bytes()).unwrap();
    let length = file.as_file().metadata().unwrap().len();
    let (session, _) = load_end(file.path(), length).unwrap();
    assert!(session.partial && session.turns().len() > 1000, "{}", session.turns().len());
    let turns = session.turns();
    assert_eq!(session.preview(&turns.last().unwrap()), "prompt 30000");
}
