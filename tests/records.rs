//! Prompts that wait in the queue, names that this build does not know, and lines that are damaged in every way.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use std::fmt::Write;

use pentimento::formats::facts::Role;
use pentimento::session::open::OpenLog;
use pentimento::session::{Row, RowKind, Session, TurnId};
use pentimento::strategies::{Entry, Strategy, context};
use support::{fixture, json, json_lines};

fn open(name: &str) -> OpenLog {
    OpenLog::load(&fixture(name)).unwrap()
}

/// The numbers of the turns in view after turn `number`.
fn seen(session: &Session, number: u32) -> Vec<u32> {
    let entries = context(session, Strategy::Recorded, number).entries;
    entries.iter().filter_map(Entry::turn).map(|id| session.turn(id).number).collect()
}

fn line_of(session: &Session, line: u32) -> Row {
    session.row(session.row_of_line(line).unwrap())
}

#[test]
fn a_queued_prompt_is_a_turn_where_it_is_queued_and_an_echo_where_it_is_delivered() {
    let log = open("queued.jsonl");
    let session = &log.session;
    let queued: Vec<(u32, String)> = session
        .turns()
        .iter()
        .filter(pentimento::session::Turn::is_queued)
        .map(|turn| (turn.number, session.preview(&turn)))
        .collect();
    let expected = [(3, "Also lint."), (6, "And format."), (9, "Never mind this.")];
    assert_eq!(queued, expected.map(|(number, words)| (number, words.to_owned())));
    let echoes: Vec<(u32, u32)> =
        session.echoes().map(|echo| (session.row(echo.row).line, session.turn(echo.of).number)).collect();
    assert_eq!(echoes, [(6, 3), (11, 6)], "one delivered as a prompt, one in the middle of the work");
    assert_eq!(session.main().branches, 1);
    let roles: Vec<Role> = session.turns().iter().map(|turn| turn.role).collect();
    let [user, assistant, tool] = [Role::User, Role::Assistant, Role::Tool];
    assert_eq!(roles, [user, assistant, user, tool, assistant, user, tool, assistant, user, user]);
}

#[test]
fn a_prompt_that_was_taken_back_is_out_of_view_from_then_on() {
    let log = open("queued.jsonl");
    let session = &log.session;
    let taken_back: Vec<u32> = session
        .turns()
        .iter()
        .filter(pentimento::session::Turn::is_withdrawn)
        .map(|turn| turn.number)
        .collect();
    assert_eq!(taken_back, [9], "delivered prompts stay");
    assert_eq!(seen(session, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(seen(session, 10), [1, 2, 3, 4, 5, 6, 7, 8, 10]);
}

#[test]
fn unknown_types_fields_and_blocks_are_counted_by_name_and_kept() {
    let path = fixture("unknown.jsonl");
    let info = json(&["info", "--json", support::text(&path)]);
    let expected =
        serde_json::json!({"block:hologram": 1, "never-seen": 2, "no type": 1, "user.newField": 1});
    assert_eq!(info["unknown"], expected);
    assert_eq!((&info["records"], &info["turns"], &info["notes"]), (&6.into(), &3.into(), &3.into()));
    let turns = json_lines(&["turns", "--json", support::text(&path)]);
    let kinds: Vec<&str> =
        turns[2]["parts"].as_array().unwrap().iter().map(|part| part["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["other", "text"]);
    let log = open("unknown.jsonl");
    let texts = log.texts(TurnId(2)).unwrap();
    assert!(texts[0].text.text.contains("a new kind of block"), "{:?}", texts[0]);
    assert_eq!(texts[1].text.text, "seen");
}

#[test]
fn content_of_an_unexpected_type_costs_no_record() {
    let log = open("odd-content.jsonl");
    let session = &log.session;
    assert_eq!((session.malformed().len(), session.rows().len()), (0, 8));
    assert_eq!(session.last(), 8);
    let parts: Vec<usize> = (0..8).map(|index| session.parts(TurnId(index)).count()).collect();
    assert_eq!(parts, [1, 0, 0, 0, 2, 0, 1, 1]);
    assert_eq!(session.preview(&session.turn(TurnId(4))), "a bare string");
    assert!(!session.turn(TurnId(7)).is_injected());
    assert_eq!(session.turn(TurnId(7)).time, i64::MIN);
    for index in 0..8 {
        let id = TurnId(index);
        assert_eq!(log.texts(id).unwrap().len(), parts[index as usize], "{}", session.address(id));
    }
}

#[test]
fn of_a_key_that_occurs_twice_the_last_counts() {
    let log = open("odd-content.jsonl");
    let turn = log.session.turn(TurnId(6));
    assert_eq!((turn.role, &*log.session.preview(&turn)), (Role::Assistant, "the last key counts"));
    assert_eq!(log.texts(TurnId(6)).unwrap()[0].text.text, "the last key counts");
    assert_eq!(log.session.before(TurnId(7)), Some(TurnId(6)), "the last id is the one to hang on");
}

/// A prompt whose text is these bytes, as they stand in the JSON.
fn prompt(id: &str, text: &[u8]) -> Vec<u8> {
    let head = format!(
        r#"{{"parentUuid":null,"type":"user","uuid":"{id}","sessionId":"s","message":{{"role":"user","content":""#
    );
    [head.as_bytes(), text, br#""}}"#].concat()
}

fn session_of(lines: &[Vec<u8>]) -> OpenLog {
    let file = support::log_of(&lines.join(&b'\n'));
    OpenLog::load(file.path()).unwrap()
}

#[test]
fn half_a_surrogate_pair_becomes_a_replacement_character() {
    let log = session_of(&[prompt("a", br"cut \ud83d"), prompt("b", br"whole \ud83d\ude00")]);
    let session = &log.session;
    assert_eq!((line_of(session, 1).is_repaired(), line_of(session, 2).is_repaired()), (true, false));
    let texts: Vec<String> =
        (0..2).map(|index| log.texts(TurnId(index)).unwrap()[0].text.text.clone()).collect();
    assert_eq!(texts, ["cut \u{fffd}", "whole \u{1f600}"]);
    assert_eq!(session.preview(&session.turn(TurnId(0))), "cut \u{fffd}");
}

#[test]
fn bytes_that_are_not_utf8_become_replacement_characters() {
    let log = session_of(&[prompt("a", b"caf\xe9 au lait"), prompt("b", "café".as_bytes())]);
    assert_eq!(log.session.malformed().len(), 0);
    assert!(line_of(&log.session, 1).is_repaired());
    assert_eq!(log.texts(TurnId(0)).unwrap()[0].text.text, "caf\u{fffd} au lait");
    assert_eq!(log.texts(TurnId(1)).unwrap()[0].text.text, "café");
}

#[test]
fn zero_bytes_at_the_end_are_one_malformed_line_that_says_so() {
    let log = session_of(&[prompt("a", b"before the crash"), vec![0; 512]]);
    let session = &log.session;
    assert_eq!(session.last(), 1);
    let [(row, reason)] = session.malformed() else { panic!("one malformed line") };
    assert_eq!((session.row(*row).line, &**reason), (2, "512 zero bytes, as a crash leaves them"));
}

#[test]
fn a_torn_line_in_the_middle_is_malformed_and_the_next_is_read() {
    let whole = prompt("b", b"torn away");
    let log = session_of(&[
        prompt("a", b"first"),
        whole[..whole.len() - 9].to_vec(),
        Vec::new(),
        prompt("c", b"last"),
        b"]".to_vec(),
    ]);
    let session = &log.session;
    let kinds: Vec<(u32, RowKind)> = session.rows().iter().map(|row| (row.line, row.kind)).collect();
    let expected = [(1, RowKind::Turn), (2, RowKind::Malformed), (4, RowKind::Turn), (5, RowKind::Malformed)];
    assert_eq!(kinds, expected);
    let reason = session.malformed_reason(1).unwrap();
    assert!(reason.contains("ends in the middle"), "{reason}");
}

#[test]
fn nesting_a_hundred_thousand_deep_ends_neither_the_program_nor_the_log() {
    let (open, shut) = ("[".repeat(100_000), "]".repeat(100_000));
    let mut inside = String::from_utf8(prompt("a", b"deep")).unwrap();
    inside.pop();
    let _ = write!(inside, r#","toolUseResult":{open}{shut}}}"#);
    let content = inside.replace(r#""content":"deep""#, &format!(r#""content":{open}{shut}"#));
    let bytes = [
        prompt("z", b"before"),
        inside.into(),
        content.into(),
        format!("{open}{shut}").into(),
        prompt("b", b"after"),
    ];
    let file = support::log_of(&bytes.join(&b'\n'));
    let log = OpenLog::load(file.path()).unwrap();
    let session = &log.session;
    let kinds: Vec<RowKind> = session.rows().iter().map(|row| row.kind).collect();
    let [turn, note] = [RowKind::Turn, RowKind::Note];
    assert_eq!(kinds, [turn, turn, turn, note, turn], "well-formed JSON is never malformed");
    let texts: Vec<Vec<String>> = session
        .main()
        .turns
        .iter()
        .map(|id| log.texts(id).unwrap().into_iter().map(|located| located.text.text).collect())
        .collect();
    assert_eq!(texts, [vec!["before"], vec!["deep"], vec![], vec!["after"]]);
    for line in ["L2", "L3", "L4"] {
        support::stdout(&["expand", support::text(file.path()), line]);
    }
}
