//! What pi's sessions say: the tree, the ranges of compactions, summaries of branches, failed messages.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use std::fmt::Write;

use pentimento::session::Provenance;
use pentimento::session::open::OpenLog;
use pentimento::strategies::{Entry, Strategy, context};

const HEAD: &str =
    r#"{"type":"session","version":3,"id":"a-session","timestamp":"2026-05-12T01:00:00.000Z","cwd":"/w"}"#;

/// A tree entry with this id that hangs on `parent`.
fn entry(id: &str, parent: Option<&str>, rest: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    format!(r#"{{"id":"{id}","parentId":{parent},"timestamp":"2026-05-12T01:00:01.000Z",{rest}}}"#)
}

fn says(role: &str, text: &str) -> String {
    let usage = if role == "assistant" {
        r#","usage":{"input":5,"output":2,"cacheRead":90,"cacheWrite":3}"#
    } else {
        ""
    };
    format!(
        r#""type":"message","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]{usage}}}"#
    )
}

fn open(lines: &[String]) -> OpenLog {
    let mut text = lines.join("\n");
    let _ = writeln!(text);
    OpenLog::load(support::log_of(text.as_bytes()).path()).unwrap()
}

fn seen(log: &OpenLog, number: u32) -> Vec<u32> {
    let entries = context(&log.session, Strategy::Recorded, number).entries;
    entries.iter().filter_map(Entry::turn).map(|id| log.session.turn(id).number).collect()
}

#[test]
fn the_tree_forks_and_a_branch_that_was_left_is_summed_up() {
    let log = open(&[
        HEAD.into(),
        entry("a", None, &says("user", "go")),
        entry("b", Some("a"), &says("assistant", "left")),
        entry("c", Some("b"), &says("user", "not so")),
        entry("d", Some("a"), r#""type":"branch_summary","fromId":"c","summary":"It went left.""#),
        entry("e", Some("d"), &says("assistant", "right")),
    ]);
    let session = &log.session;
    assert_eq!(seen(&log, 3), [1, 2, 3]);
    assert_eq!(seen(&log, 5), [1, 4, 5]);
    let summaries: Vec<(u32, u32)> = session
        .branch_summaries()
        .iter()
        .map(|(turn, leaf)| (session.turn(*turn).number, session.turn(*leaf).number))
        .collect();
    assert_eq!(summaries, [(4, 3)]);
    assert!(session.turn(session.numbered(0, 4).unwrap()).is_injected(), "nobody typed it");
    assert!(session.compactions().is_empty(), "it replaced nothing in view");
}

#[test]
fn a_compaction_keeps_what_begins_at_the_entry_that_it_names() {
    let keeps = |id: &str| {
        format!(r#""type":"compaction","summary":"So far.","firstKeptEntryId":"{id}","tokensBefore":900"#)
    };
    let log = open(&[
        HEAD.into(),
        entry("a", None, &says("user", "one")),
        entry("b", Some("a"), &says("assistant", "1")),
        entry("m", Some("b"), r#""type":"model_change","provider":"p","modelId":"m2""#),
        entry("c", Some("m"), &says("user", "two")),
        entry("d", Some("c"), &says("assistant", "2")),
        entry("g", Some("d"), &keeps("m")),
        entry("e", Some("g"), &says("user", "three")),
        entry("h", Some("e"), &keeps("e")),
        entry("i", Some("h"), &says("assistant", "3")),
    ]);
    let session = &log.session;
    let [first, second] = session.compactions() else { panic!("two compactions") };
    assert_eq!((&first.covers[..], &first.kept[..]), (&[(1, 2)][..], &[(3, 4)][..]));
    assert_eq!((&second.covers[..], &second.kept[..]), (&[(3, 5)][..], &[(6, 6)][..]));
    assert_eq!(session.provenance(first), Provenance::Exact);
    assert_eq!((second.depth, second.complete), (2, Some(true)));
    assert_eq!((seen(&log, 6), seen(&log, 8)), (vec![5, 3, 4, 6], vec![7, 6, 8]));
    assert_eq!(session.size_after(first), None, "nothing was charged between the two");
    assert_eq!(session.size_after(second).map(|(tokens, from)| (tokens, from.sign())), Some((98, "~")));
}

#[test]
fn in_version_1_the_first_kept_entry_is_named_by_its_number_among_those_that_can_be_read() {
    let message = |role: &str, text: &str| {
        format!(r#"{{"timestamp":"2025-12-09T00:53:29.825Z",{}}}"#, says(role, text))
    };
    let log = open(&[
        r#"{"type":"session","id":"old","timestamp":"2025-12-09T00:53:29.825Z","cwd":"/w","branchedFrom":"/before.jsonl"}"#.into(),
        message("user", "one"),
        "not JSON".into(),
        String::new(),
        message("assistant", "1"),
        message("user", "two"),
        r#"{"type":"compaction","timestamp":"2025-12-09T01:00:00.000Z","summary":"So far.","firstKeptEntryIndex":2,"tokensBefore":7}"#.into(),
    ]);
    let session = &log.session;
    let compaction = session.generation(1).unwrap();
    assert_eq!((&compaction.covers[..], &compaction.kept[..]), (&[(1, 1)][..], &[(2, 3)][..]));
    assert_eq!(session.header().unwrap().forked_from.as_deref(), Some("/before.jsonl"));
    assert_eq!(compaction.complete, Some(false), "a line of its range cannot be read");
}

#[test]
fn results_commands_and_failures_are_turns_with_what_is_known_of_them() {
    let log = open(&[
        HEAD.into(),
        entry("a", None, &says("user", "go")),
        entry(
            "b",
            Some("a"),
            r#""type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}],"model":"m1"}"#,
        ),
        entry(
            "c",
            Some("b"),
            r#""type":"message","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","isError":true,"content":[{"type":"text","text":"no such file"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}"#,
        ),
        entry(
            "d",
            Some("c"),
            r#""type":"message","message":{"role":"assistant","content":[],"errorMessage":"429 too many requests","stopReason":"error"}"#,
        ),
        entry(
            "e",
            Some("d"),
            r#""type":"message","message":{"role":"bashExecution","command":"git status","output":"clean","exitCode":0}"#,
        ),
        entry(
            "f",
            Some("e"),
            r#""type":"custom_message","customType":"x","content":"from an extension","display":true"#,
        ),
        entry("g", Some("f"), r#""type":"session_info","name":"A title""#),
    ]);
    let session = &log.session;
    let turns: Vec<(&str, String)> =
        session.turns().iter().map(|turn| (turn.role.name(), session.preview(&turn))).collect();
    let expected = [
        ("user", "go"),
        ("assistant", "ls"),
        ("tool", "no such file"),
        ("assistant", "429 too many requests"),
        ("user", "git status"),
        ("user", "from an extension"),
    ];
    assert_eq!(turns, expected.map(|(role, words)| (role, words.to_owned())));
    let result = session.numbered(0, 3).unwrap();
    assert!(session.turn(result).has_error());
    let (_, part) = session.parts(result).next().unwrap();
    assert_eq!(session.named(part.tool), Some("bash"), "a result finds its call");
    let text = &log.texts(result).unwrap()[0].text.text;
    assert_eq!(text, "no such file\n[image: image/png, 3 B]");
    assert_eq!(session.title.as_deref(), Some("A title"));
    assert_eq!(session.unknown.len(), 0, "{:?}", session.unknown);
}

#[test]
fn another_agents_file_with_the_same_header_is_not_taken_for_pis() {
    let lines = [HEAD, r#"{"type":"session/title","title":"x"}"#, r#"{"type":"user/message","text":"hi"}"#];
    let file = support::log_of((lines.join("\n") + "\n").as_bytes());
    let error = OpenLog::load(file.path()).unwrap_err().to_string();
    assert!(error.contains("no known log format"), "{error}");
}

/// Which turns of `log` are abandoned in the end.
fn abandoned(log: &OpenLog) -> Vec<u32> {
    let session = &log.session;
    (1..=session.last())
        .filter(|number| session.is_abandoned(session.numbered(0, *number).unwrap(), session.last()))
        .collect()
}

#[test]
fn the_first_prompt_may_be_taken_back_too() {
    for notes in [false, true] {
        let start = notes.then_some("n");
        let log = open(&[
            HEAD.into(),
            entry("n", None, r#""type":"model_change","provider":"p","modelId":"m""#),
            entry("a", start, &says("user", "first wording")),
            entry("b", Some("a"), &says("assistant", "one")),
            entry("c", start, &says("user", "second wording")),
            entry("d", Some("c"), &says("assistant", "two")),
        ]);
        assert_eq!(seen(&log, 4), [3, 4], "behind a note: {notes}");
        assert_eq!(seen(&log, 2), [1, 2]);
        assert_eq!(abandoned(&log), [1, 2]);
        assert_eq!(log.session.main().branches, 2);
    }
}

#[test]
fn a_fork_between_the_results_of_one_message_leaves_the_later_ones() {
    let call = r#""type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"p","name":"read","arguments":{}},{"type":"toolCall","id":"q","name":"read","arguments":{}}]}"#;
    let result = |call: &str| {
        format!(
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"{call}","content":[{{"type":"text","text":"of {call}"}}]}}"#
        )
    };
    let log = open(&[
        HEAD.into(),
        entry("a", None, &says("user", "go")),
        entry("b", Some("a"), call),
        entry("c", Some("b"), &result("p")),
        entry("d", Some("c"), &result("q")),
        entry("e", Some("d"), &says("assistant", "done")),
        entry("f", Some("c"), &says("user", "stop, otherwise")),
    ]);
    assert_eq!(seen(&log, 6), [1, 2, 3, 6]);
    assert_eq!(abandoned(&log), [4, 5]);
}

#[test]
fn what_a_compaction_keeps_is_on_its_own_path() {
    let log = open(&[
        HEAD.into(),
        entry("a", None, &says("user", "one")),
        entry("b", Some("a"), &says("assistant", "left")),
        entry("c", Some("a"), &says("assistant", "right")),
        entry("d", Some("c"), &says("user", "on")),
        entry("e", Some("d"), r#""type":"compaction","summary":"S","firstKeptEntryId":"b","tokensBefore":9"#),
    ]);
    let compaction = &log.session.compactions()[0];
    assert_eq!((compaction.kept.len(), &*compaction.covers), (0, &[(1, 1), (3, 4)][..]));
    assert_eq!(log.session.provenance(compaction), Provenance::Positional);
}

#[test]
fn a_compaction_that_is_written_again_is_an_echo() {
    let compaction = r#""type":"compaction","summary":"S","firstKeptEntryId":"b","tokensBefore":9"#;
    let log = open(&[
        HEAD.into(),
        entry("a", None, &says("user", "one")),
        entry("b", Some("a"), &says("assistant", "two")),
        entry("c", Some("b"), compaction),
        entry("c", Some("b"), compaction),
        entry("d", Some("c"), &says("user", "three")),
    ]);
    assert_eq!((log.session.compactions().len(), log.session.echoes().count()), (1, 1));
    assert_eq!(seen(&log, 4), [3, 2, 4]);
}

#[test]
fn an_index_beyond_the_file_or_between_two_entries_keeps_nothing() {
    for index in ["4294967295", "1.5", "-1", "99"] {
        let log = open(&[
            HEAD.into(),
            "not JSON".into(),
            says("user", "one").replacen('"', "{\"", 1) + "}",
            format!(
                r#"{{"type":"compaction","summary":"S","firstKeptEntryIndex":{index},"tokensBefore":9}}"#
            ),
        ]);
        let compaction = &log.session.compactions()[0];
        assert_eq!((compaction.covered(), compaction.kept_turns()), (1, 0), "{index}");
        assert_eq!(log.session.provenance(compaction), Provenance::Positional, "{index}");
    }
}
