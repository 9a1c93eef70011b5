//! What Codex's rollouts say: messages written twice, compactions with and without a summary, rewinds, old headers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use std::io::Write;

use pentimento::formats::facts::Role;
use pentimento::session::open::OpenLog;
use pentimento::session::{RowKind, Session};
use pentimento::strategies::{Entry, Strategy, context};
use serde_json::json;

const META: &str = r#"{"timestamp":"2026-02-01T10:00:00.000Z","type":"session_meta","payload":{"id":"main","cwd":"/w","cli_version":"0.110.0"}}"#;

fn item(payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-02-01T10:00:01.000Z","type":"response_item","payload":{{{payload}}}}}"#)
}

fn event(payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-02-01T10:00:01.000Z","type":"event_msg","payload":{{{payload}}}}}"#)
}

fn message(role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(&format!(r#""type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]"#))
}

fn told(role: &str, text: &str) -> String {
    event(&format!(r#""type":"{role}_message","message":"{text}""#))
}

fn tokens(input: u64, total: u64) -> String {
    event(&format!(
        r#""type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total},"cached_input_tokens":4,"output_tokens":6}},"last_token_usage":{{"input_tokens":{input}}},"model_context_window":258400}}"#
    ))
}

fn compacted(message: &str, history: &[String]) -> String {
    let history = history.join(",");
    format!(r#"{{"type":"compacted","payload":{{"message":"{message}","replacement_history":[{history}]}}}}"#)
}

fn kept(role: &str, text: &str) -> String {
    format!(r#"{{"type":"message","role":"{role}","content":[{{"type":"input_text","text":"{text}"}}]}}"#)
}

fn open(lines: &[String]) -> OpenLog {
    let mut text = lines.join("\n");
    text.push('\n');
    let file = support::log_of(text.as_bytes());
    OpenLog::load(file.path()).unwrap()
}

fn seen(session: &Session, number: u32) -> Vec<u32> {
    let entries = context(session, Strategy::Recorded, number).entries;
    entries.iter().filter_map(Entry::turn).map(|id| session.turn(id).number).collect()
}

fn previews(session: &Session) -> Vec<(&'static str, String)> {
    session.turns().iter().map(|turn| (turn.role.name(), session.preview(&turn))).collect()
}

fn owned(turns: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    turns.iter().map(|(role, words)| (*role, (*words).to_owned())).collect()
}

#[test]
fn a_message_that_is_written_twice_is_one_turn_whichever_comes_first() {
    let log = open(&[
        META.into(),
        message("user", "first"),
        told("user", "first"),
        told("agent", "looking"),
        message("assistant", "looking"),
        item(r#""type":"function_call","call_id":"c1","name":"shell","arguments":"{\"command\":[\"ls\"]}""#),
        item(r#""type":"function_call_output","call_id":"c1","output":"a.txt""#),
        told("user", "second"),
        message("user", "second"),
        message("user", "second"),
    ]);
    let session = &log.session;
    let expected = [
        ("user", "first"),
        ("assistant", "looking"),
        ("tool", "a.txt"),
        ("user", "second"),
        ("user", "second"),
    ];
    assert_eq!(previews(session), owned(&expected), "and what is said twice is said twice");
    let echoes: Vec<(u32, u32)> =
        session.echoes().map(|echo| (session.row(echo.row).line, session.turn(echo.of).number)).collect();
    assert_eq!(echoes, [(3, 1), (5, 2), (9, 4)]);
}

#[test]
fn what_one_answer_is_made_of_is_one_turn() {
    let log = open(&[
        META.into(),
        message("user", "go"),
        item(
            r#""type":"reasoning","summary":[{"type":"summary_text","text":"thinking"}],"encrypted_content":"gAAA""#,
        ),
        message("assistant", "on it"),
        item(
            r#""type":"function_call","call_id":"c1","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make test\"]}""#,
        ),
        item(
            r#""type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** Begin Patch\n*** Update File: src/a.rs\n""#,
        ),
        tokens(1_000, 1_000),
        item(
            r#""type":"function_call_output","call_id":"c1","output":"{\"output\":\"2 failed\",\"metadata\":{\"exit_code\":2}}""#,
        ),
        item(r#""type":"custom_tool_call_output","call_id":"c2","output":"""#),
        item(r#""type":"reasoning","summary":[],"encrypted_content":"gAAAAA""#),
    ]);
    let session = &log.session;
    let roles: Vec<Role> = session.turns().iter().map(|turn| turn.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]);
    let answer = session.numbered(0, 2).unwrap();
    let texts: Vec<String> = log.texts(answer).unwrap().into_iter().map(|t| t.text.text).collect();
    assert_eq!(texts[..2], ["thinking", "on it"]);
    assert!(texts[2].contains("make test"), "{texts:?}");
    let paths: Vec<Option<&str>> = session.parts(answer).map(|(_, part)| session.named(part.path)).collect();
    assert_eq!(paths[3], Some("src/a.rs"), "a patch names its file");
    let result = session.numbered(0, 3).unwrap();
    assert!(session.turn(result).has_error(), "exit status 2");
    assert_eq!(session.preview(&session.turn(result)), "2 failed");
    let kinds: Vec<&str> =
        session.parts(session.numbered(0, 5).unwrap()).map(|(_, part)| part.kind.name()).collect();
    assert_eq!(kinds, ["encrypted"], "reasoning that cannot be read is there, and said to be so");
    assert_eq!(session.context_size(5).unwrap().0, 1_000);
    assert_eq!(session.window(), (258_400, true));
}

#[test]
fn a_readable_summary_keeps_the_newest_messages_that_say_the_same() {
    let log = open(&[
        META.into(),
        message("user", "again"),
        message("assistant", "done"),
        message("user", "again"),
        message("assistant", "well"),
        tokens(90_000, 90_000),
        compacted(
            "Another language model started to solve this problem. All is done.",
            &[
                kept("user", "again"),
                kept("developer", "be brief"),
                kept("user", "Another language model started to solve this problem. All is done."),
            ],
        ),
        message("user", "next"),
        message("assistant", "yes"),
        tokens(5_000, 95_000),
    ]);
    let session = &log.session;
    let compaction = session.generation(1).unwrap();
    assert_eq!(compaction.covers, [(1, 2), (4, 4)]);
    assert_eq!(compaction.kept, [(3, 3)], "the newest of the two");
    assert!(compaction.is_readable());
    assert_eq!(compaction.told_anew, 1, "what the developer says was said by no turn");
    assert_eq!(seen(session, 7), [3, 5, 6, 7]);
    let summary = compaction.summary.unwrap();
    let texts: Vec<(bool, String)> =
        log.texts(summary).unwrap().into_iter().map(|t| (session.part(t.place).again, t.text.text)).collect();
    let own = "Another language model started to solve this problem. All is done.".to_owned();
    assert_eq!(texts, [(false, own), (true, "be brief".to_owned())]);
    assert_eq!(compaction.before(|n| n.to_string()).unwrap(), "~90000");
    assert_eq!(session.size_after(compaction).unwrap().0, 5_000);
}

#[test]
fn an_encrypted_summary_is_never_empty_and_never_readable() {
    let sealed = r#"{"type":"compaction","encrypted_content":"gAAAAABmZmZmZmZm"}"#.to_owned();
    let log = open(&[
        META.into(),
        message("user", "first"),
        message("assistant", "done"),
        compacted("", &[kept("user", "first"), sealed]),
        message("user", "next"),
    ]);
    let session = &log.session;
    let compaction = session.generation(1).unwrap();
    assert_eq!((compaction.encrypted, compaction.summary_tokens), (Some(16), None));
    assert!(!compaction.is_readable());
    assert_eq!((&compaction.covers[..], &compaction.kept[..]), (&[(2, 2)][..], &[(1, 1)][..]));
    let text = &log.texts(compaction.summary.unwrap()).unwrap()[0].text.text;
    assert!(text.contains("encrypted") && text.contains("16 B"), "{text}");
}

#[test]
fn a_rewind_takes_prompts_and_what_followed_them_out_of_view_and_stamps_it() {
    let log = open(&[
        META.into(),
        message("user", "one"),
        message("assistant", "1"),
        message("user", "two"),
        message("assistant", "2"),
        message("user", "three"),
        message("assistant", "3"),
        event(r#""type":"thread_rolled_back","num_turns":2"#),
        message("user", "other"),
        message("assistant", "4"),
    ]);
    let session = &log.session;
    assert_eq!(seen(session, 5), [1, 2, 3, 4, 5]);
    assert_eq!(seen(session, 6), [1, 2], "after turn 6 came the rewind");
    assert_eq!(seen(session, 8), [1, 2, 7, 8]);
    let abandoned: Vec<u32> =
        (1..=8).filter(|n| session.is_abandoned(session.numbered(0, *n).unwrap(), 8)).collect();
    assert_eq!(abandoned, [3, 4, 5, 6]);
    assert_eq!(session.main().branches, 2);
}

#[test]
fn a_rewind_of_everything_leaves_an_empty_window() {
    let log = open(&[
        META.into(),
        message("user", "one"),
        message("assistant", "1"),
        event(r#""type":"thread_rolled_back","num_turns":9"#),
    ]);
    assert_eq!(seen(&log.session, 2), [0u32; 0]);
    assert_eq!(seen(&log.session, 1), [1]);
}

#[test]
fn charges_are_totals_and_a_new_process_counts_from_nothing() {
    let log = open(&[
        META.into(),
        message("user", "one"),
        tokens(100, 100),
        tokens(100, 100),
        message("assistant", "1"),
        tokens(150, 250),
        tokens(20, 20),
    ]);
    let usage = log.session.usage;
    assert_eq!((usage.context(), usage.output, usage.cache_read), (270, 12, 8));
}

#[test]
fn items_without_an_envelope_are_read_by_their_own_keys() {
    let log = open(&[
        r#"{"id":"old-session","timestamp":"2025-06-01T10:00:00.000Z","instructions":"be brief"}"#.into(),
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"list the files"}]}"#
            .into(),
        r#"{"record_type":"state"}"#.into(),
        r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}"#
            .into(),
        r#"{"type":"function_call_output","call_id":"c1","output":"a.txt"}"#.into(),
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one file"}]}"#
            .into(),
    ]);
    let session = &log.session;
    assert_eq!(session.format.name(), "codex");
    assert_eq!(&*session.session_ids[0], "old-session");
    assert_eq!((session.unknown.len(), session.malformed().len()), (0, 0), "{:?}", session.unknown);
    let expected =
        [("user", "list the files"), ("assistant", "ls"), ("tool", "a.txt"), ("assistant", "one file")];
    assert_eq!(previews(session), owned(&expected));
    let texts = log.texts(session.numbered(0, 3).unwrap()).unwrap();
    assert_eq!(texts[0].text.text, "a.txt");
}

#[test]
fn a_fork_says_where_it_comes_from_and_one_that_begins_elsewhere_is_not_complete() {
    let fork = r#"{"type":"session_meta","payload":{"id":"fork","forked_from_id":"main","parent_thread_id":"main","history_base":{"thread_id":"main","end_ordinal_exclusive":9},"cli_version":"0.147.0"}}"#;
    let log = open(&[
        fork.into(),
        META.into(),
        message("user", "one"),
        message("assistant", "1"),
        compacted("only a message", &[]),
    ]);
    let session = &log.session;
    let header = session.header().unwrap();
    assert_eq!((header.forked_from.as_deref(), header.parent.as_deref()), (Some("main"), Some("main")));
    assert_eq!(session.session_ids, ["fork".into(), "main".into()]);
    assert_eq!(session.generation(1).unwrap().complete, Some(false));
}

#[test]
fn a_sub_agents_rollout_is_found_by_its_thread_also_in_the_folder_of_a_later_day() {
    let folder = tempfile::tempdir().unwrap();
    let write = |day: &str, name: &str, lines: &[String]| {
        let day = folder.path().join("sessions/2026").join(day);
        std::fs::create_dir_all(&day).unwrap();
        let path = day.join(name);
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
        path
    };
    let spawned = |agent: &str, call: &str| {
        event(&format!(r#""type":"collab_agent_spawn_end","call_id":"{call}","new_thread_id":"{agent}""#))
    };
    let main = write(
        "02/28",
        "rollout-2026-02-28T23-59-00-main.jsonl",
        &[
            META.into(),
            message("user", "one"),
            item(r#""type":"function_call","call_id":"c1","name":"spawn_agent","arguments":"{}""#),
            spawned("agent-near", "c1"),
            spawned("agent-far", "c1"),
            spawned("agent-lost", "c1"),
        ],
    );
    let agent = |id: &str| {
        let meta =
            format!(r#"{{"type":"session_meta","payload":{{"id":"{id}","parent_thread_id":"main"}}}}"#);
        [meta, message("user", "look"), message("assistant", "seen")]
    };
    write("02/28", "rollout-2026-02-28T23-59-30-agent-near.jsonl", &agent("agent-near"));
    write("03/01", "rollout-2026-03-01T00-01-00-agent-far.jsonl", &agent("agent-far"));
    write("02/27", "rollout-2026-02-27T00-01-00-agent-lost.jsonl", &agent("agent-lost"));
    let log = OpenLog::load(&main).unwrap();
    let names: Vec<&str> = log.agents().iter().map(|agent| &*agent.file.name).collect();
    assert_eq!(names, ["agent-far", "agent-near"]);
    let lines = support::json_lines(&["expand", "--json", support::text(&main), "@agent-far/t2"]);
    assert_eq!(lines[0]["text"], json!("seen"));
}

#[test]
fn what_is_not_known_is_counted_by_name() {
    let log = open(&[
        META.into(),
        item(r#""type":"hologram""#),
        event(r#""type":"never-seen""#),
        r#"{"type":"new_kind","payload":{},"extra":1}"#.into(),
        r#"{"type":"world_state","payload":{"full":true}}"#.into(),
    ]);
    let names: Vec<&str> = log.session.unknown.keys().map(|name| &**name).collect();
    assert_eq!(names, ["event_msg/never-seen", "line.extra", "new_kind", "response_item/hologram"]);
    assert!(log.session.rows().iter().all(|row| row.kind == RowKind::Note));
}

#[test]
fn a_measurement_after_a_rewind_changes_nothing_before_it() {
    let lines = [
        META.into(),
        message("user", "one"),
        message("assistant", "1"),
        tokens(100, 100),
        message("user", "two"),
        event(r#""type":"thread_rolled_back","num_turns":1"#),
        tokens(70, 170),
    ];
    let (before, after) = (open(&lines[..4]), open(&lines));
    assert_eq!(before.session.context_size(2), after.session.context_size(2));
}

#[test]
fn several_prompts_at_once_find_their_own_twins() {
    for order in ["EaEbIaIb", "IaIbEaEb", "EaIaEbIb", "EaEbIbIa", "IaEaIbEb"] {
        let lines: Vec<String> = order
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                let text = if pair[1] == b'a' { "aa" } else { "bb" };
                if pair[0] == b'E' { told("user", text) } else { message("user", text) }
            })
            .collect();
        let log = open(&[vec![META.to_owned()], lines].concat());
        assert_eq!(previews(&log.session), owned(&[("user", "aa"), ("user", "bb")]), "{order}");
        assert_eq!(log.session.echoes().count(), 2, "{order}");
    }
}

#[test]
fn what_is_said_in_other_words_is_no_twin() {
    let log = open(&[META.into(), told("user", "q"), message("user", "q and what it hangs on")]);
    assert_eq!(previews(&log.session), owned(&[("user", "q"), ("user", "q and what it hangs on")]));
}

#[test]
fn marks_and_images_beside_a_text_do_not_hide_its_twin() {
    let log = open(&[
        META.into(),
        event(r#""type":"user_message","message":"look","images":["data:image/png;base64,AA"]"#),
        item(
            r#""type":"message","role":"user","content":[{"type":"input_text","text":"<image>"},{"type":"input_image","image_url":"data:image/png;base64,AA"},{"type":"input_text","text":"look"}]"#,
        ),
    ]);
    assert_eq!(previews(&log.session), owned(&[("user", "look")]));
}

#[test]
fn a_prompt_after_a_rewind_is_not_the_twin_of_one_before() {
    let log = open(&[
        META.into(),
        told("user", "a"),
        event(r#""type":"thread_rolled_back","num_turns":1"#),
        message("user", "a"),
    ]);
    assert_eq!(seen(&log.session, 2), [2]);
}

#[test]
fn a_message_of_an_unknown_role_and_a_rewind_of_an_unknown_length_are_named_unknown() {
    let log = open(&[
        META.into(),
        message("user", "a"),
        message("oracle", "b"),
        item(r#""type":"message","content":[{"type":"input_text","text":"c"}]"#),
        event(r#""type":"thread_rolled_back","num_turns":-1"#),
    ]);
    assert_eq!(previews(&log.session), owned(&[("user", "a")]));
    let unknown: Vec<&str> = log.session.unknown.keys().map(|name| &**name).collect();
    let expected =
        ["event_msg/thread_rolled_back without num_turns", "message without a role", "message/oracle"];
    assert_eq!(unknown, expected);
    assert_eq!(seen(&log.session, 1), [1]);
}
