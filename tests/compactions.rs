//! Logs written by hand, one for each way in which a compaction is recorded or goes wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use pentimento::session::address::{Moment, NoSuchMoment};
use pentimento::session::open::OpenLog;
use pentimento::session::{Compaction, Provenance};
use pentimento::strategies::{Entry, Strategy, context};
use support::{fixture, json, run};

fn open(name: &str) -> OpenLog {
    OpenLog::load(&fixture(name)).unwrap()
}

/// What the model sees after turn `number`, in words: `g1` a summary, `t3` a turn, `r:t3` a stub.
fn seen(log: &OpenLog, number: u32) -> String {
    let session = &log.session;
    let word = |entry: &Entry| match entry {
        Entry::Turn(id) | Entry::Said { turn: id, .. } => session.address(*id).to_string(),
        Entry::Summary { generation, .. } => format!("g{generation}"),
        Entry::Receipt { target } => format!("r:{}", session.address(*target)),
        Entry::Stubs(_) | Entry::Made(_) | Entry::Cluster(_) | Entry::Ledger(_) => entry.kind().to_owned(),
    };
    let words: Vec<String> = context(session, Strategy::Recorded, number).entries.iter().map(word).collect();
    words.join(" ")
}

fn generation(log: &OpenLog, number: u32) -> &Compaction {
    log.session.generation(number).unwrap()
}

/// The number of the summary's turn.
fn summary_turn(log: &OpenLog, number: u32) -> Option<u32> {
    generation(log, number).summary.map(|id| log.session.turn(id).number)
}

fn provenance(log: &OpenLog, number: u32) -> Provenance {
    log.session.provenance(generation(log, number))
}

#[test]
fn a_kept_segment_stays_in_view_between_the_summary_and_what_follows() {
    let log = open("kept-segment.jsonl");
    let compaction = generation(&log, 1);
    assert_eq!((&compaction.covers[..], &compaction.kept[..]), (&[(1, 2)][..], &[(3, 5)][..]));
    assert_eq!((compaction.trigger.as_deref(), compaction.complete), (Some("manual"), Some(true)));
    assert_eq!((compaction.tokens_before, compaction.tokens_after), (Some(28_139), Some(3_673)));
    assert_eq!((provenance(&log, 1), compaction.depth), (Provenance::Exact, 1));
    assert_eq!(seen(&log, 5), "t1 t2 t3 t4 t5");
    assert_eq!(seen(&log, 6), "g1 t3 t4 t5");
    assert_eq!(seen(&log, 7), "g1 t3 t4 t5 t7");
}

#[test]
fn kept_messages_are_those_listed_and_not_the_run_between_them() {
    let log = open("kept-messages.jsonl");
    let compaction = generation(&log, 1);
    assert_eq!(
        (&compaction.covers[..], &compaction.kept[..]),
        (&[(1, 2), (4, 4)][..], &[(3, 3), (5, 5)][..])
    );
    assert_eq!(seen(&log, 6), "g1 t3 t5");
    assert_eq!(seen(&log, 8), "g1 t3 t5 t7 t8");
}

#[test]
fn turns_kept_by_one_compaction_are_covered_or_kept_again_by_the_next() {
    let log = open("kept-messages.jsonl");
    let compaction = generation(&log, 2);
    assert_eq!(summary_turn(&log, 2), Some(9));
    assert_eq!(
        (&compaction.covers[..], &compaction.kept[..]),
        (&[(3, 3), (6, 7)][..], &[(5, 5), (8, 8)][..])
    );
    assert_eq!((&compaction.abandoned[..], compaction.depth), (&[][..], 2));
    assert_eq!(seen(&log, 10), "g2 t5 t8 t10");
}

#[test]
fn a_logical_parent_that_points_forward_or_nowhere_gives_way_to_file_order() {
    for name in ["forward-parent.jsonl", "dangling-parent.jsonl"] {
        let log = open(name);
        let compaction = generation(&log, 1);
        assert_eq!(
            (&compaction.covers[..], provenance(&log, 1)),
            (&[(1, 2)][..], Provenance::Positional),
            "{name}"
        );
        assert_eq!(compaction.complete, Some(true), "{name}");
        assert_eq!((seen(&log, 2), seen(&log, 4)), ("t1 t2".into(), "g1 t4".into()), "{name}");
    }
}

#[test]
fn a_boundary_without_a_summary_changes_no_context() {
    let log = open("boundary-alone.jsonl");
    let alone = generation(&log, 1);
    assert_eq!((alone.summary, alone.tokens_before, alone.covered()), (None, Some(111), 0));
    assert_eq!(seen(&log, 4), "t1 t2 t3 t4");
    let second = generation(&log, 2);
    assert_eq!((second.tokens_before, &second.covers[..], second.depth), (Some(222), &[(1, 4)][..], 1));
    assert_eq!(seen(&log, 6), "g2 t6");
    assert_eq!(log.session.resolve(&Moment::After(1)), Err(NoSuchMoment::NoSummary(1)));
    let info = json(&["info", "--json", support::text(&fixture("boundary-alone.jsonl"))]);
    assert!(info["compactions"][0]["summary_tokens"].is_null(), "{}", info["compactions"][0]);
}

#[test]
fn a_boundary_written_again_and_again_is_one_boundary() {
    let log = open("boundary-thrice.jsonl");
    assert_eq!(log.session.compactions().len(), 1);
    let compaction = generation(&log, 1);
    assert_eq!((compaction.boundary_row, &compaction.covers[..]), (Some(2), &[(1, 2)][..]));
    assert_eq!(seen(&log, 4), "g1 t4");
}

#[test]
fn records_that_a_later_compact_writes_again_are_echoes_and_make_no_turn() {
    let log = open("replayed.jsonl");
    let session = &log.session;
    assert_eq!(session.last(), 11);
    assert_eq!((session.main().branches, session.main().conversations), (1, 1));
    let lines: Vec<u32> = session.echoes().map(|echo| session.row(echo.row).line).collect();
    let boundaries = [13, 24, 28];
    let expected: Vec<u32> = (9..=16).chain(20..=30).filter(|line| !boundaries.contains(line)).collect();
    assert_eq!(lines, expected);
    let covers: Vec<&[(u32, u32)]> = session.compactions().iter().map(|c| &c.covers[..]).collect();
    assert_eq!(covers, [&[(1, 4)][..], &[(5, 7)], &[(8, 9)]]);
    let depths: Vec<u32> = session.compactions().iter().map(|c| c.depth).collect();
    assert_eq!(depths, [1, 2, 3]);
    assert!((1..=3).all(|generation| provenance(&log, generation) == Provenance::Exact));
    assert_eq!(
        (seen(&log, 7), seen(&log, 9), seen(&log, 11)),
        ("g1 t6 t7".into(), "g2 t9".into(), "g3 t11".into())
    );
}

#[test]
fn a_microcompaction_leaves_a_stub_for_each_cleared_result_from_its_turn_on() {
    let log = open("microcompaction.jsonl");
    let [clearing] = log.session.clearings() else { panic!("one microcompaction") };
    assert_eq!((clearing.turn, clearing.tokens_saved, clearing.parts.len()), (5, Some(300), 1));
    assert_eq!(seen(&log, 4), "t1 t2 t3 t4");
    assert_eq!(seen(&log, 5), "t1 t2 r:t3 t4 t5");
    assert_eq!(seen(&log, 6), "t1 t2 r:t3 t4 t5 t6");
    let info = json(&["info", "--json", support::text(&fixture("microcompaction.jsonl"))]);
    let expected = serde_json::json!([{"turn": 5, "line": 6, "tokens_saved": 300, "cleared": [3]}]);
    assert_eq!(info["microcompactions"], expected);
}

#[test]
fn a_replaced_result_is_a_stub_too() {
    let log = open("content-replacement.jsonl");
    assert_eq!(log.session.clearings()[0].tokens_saved, None);
    assert_eq!(seen(&log, 6), "t1 t2 t3 t4 r:t5 t6");
}

#[test]
fn an_old_summary_needs_no_boundary_and_no_flag() {
    let log = open("old-summary.jsonl");
    let compaction = generation(&log, 1);
    assert_eq!((compaction.boundary_row, summary_turn(&log, 1)), (None, Some(3)));
    assert_eq!((&compaction.covers[..], compaction.tokens_before), (&[(1, 2)][..], Some(154_002)));
    assert_eq!((provenance(&log, 1), compaction.complete), (Provenance::Positional, Some(true)));
    assert_eq!(seen(&log, 5), "g1 t4 t5");
    assert_eq!(log.session.main().conversations, 1);
}

#[test]
fn a_summary_that_opens_its_file_is_a_generation_that_covers_nothing() {
    let log = open("opens-with-summary.jsonl");
    let first = generation(&log, 1);
    assert_eq!((summary_turn(&log, 1), first.covered(), first.depth), (Some(1), 0, 1));
    assert_eq!((provenance(&log, 1), first.complete), (Provenance::None, Some(false)));
    let second = generation(&log, 2);
    assert_eq!((&second.covers[..], second.depth), (&[(1, 3)][..], 2));
    assert_eq!((seen(&log, 3), seen(&log, 5)), ("g1 t2 t3".into(), "g2 t5".into()));
    let expand = run(&["expand", support::text(&fixture("opens-with-summary.jsonl")), "g1"]);
    assert_eq!(expand.status.code(), Some(4));
}

#[test]
fn the_compaction_calls_own_file_makes_the_range_exact() {
    let with_call = open("compaction-call.jsonl");
    assert_eq!(provenance(&with_call, 1), Provenance::Exact);
    let names: Vec<&str> = with_call.agents().iter().map(|agent| agent.file.name.as_str()).collect();
    assert_eq!(names, ["b77"], "the call is no sub-agent");
    let alone = support::log_of(&std::fs::read(fixture("compaction-call.jsonl")).unwrap());
    let without = OpenLog::load(alone.path()).unwrap();
    assert_eq!(provenance(&without, 1), Provenance::Positional);
    assert_eq!(generation(&with_call, 1).covers, generation(&without, 1).covers);
}

#[test]
fn a_rewind_abandons_and_a_return_revives() {
    let log = open("rewind.jsonl");
    let session = &log.session;
    assert_eq!((seen(&log, 4), seen(&log, 6)), ("t1 t2 t3 t4".into(), "t1 t2 t5 t6".into()));
    assert_eq!(seen(&log, 8), "t1 t2 t3 t4 t7 t8");
    assert_eq!(session.main().branches, 3);
    let abandoned = |number: u32| {
        let turns = session.main().turns.iter().filter(|id| session.is_abandoned(*id, number));
        turns.map(|id| session.turn(id).number).collect::<Vec<_>>()
    };
    assert_eq!((abandoned(4), abandoned(5), abandoned(7)), (vec![], vec![3, 4], vec![5, 6]));
    let compaction = generation(&log, 1);
    assert_eq!(compaction.covers, [(1, 4), (7, 8)]);
    assert_eq!(compaction.abandoned, [(5, 6)]);
    assert_eq!(seen(&log, 10), "g1 t10");
}

#[test]
fn raw_lines_end_before_what_was_kept_and_begin_with_what_is_covered() {
    for (name, address, from, to) in [
        ("kept-segment.jsonl", "g1", 1, 2),
        ("kept-messages.jsonl", "g1", 1, 4),
        ("kept-messages.jsonl", "g2", 3, 8),
        ("dangling-parent.jsonl", "g1", 1, 2),
    ] {
        let path = fixture(name);
        let mut expected = support::physical_lines(&path)[from - 1..to].join(&b'\n');
        expected.push(b'\n');
        let raw = support::stdout(&["expand", "--raw", support::text(&path), address]);
        assert_eq!(String::from_utf8(raw).unwrap(), String::from_utf8(expected).unwrap(), "{name} {address}");
    }
}

#[test]
fn a_prompt_queued_between_a_boundary_and_its_summary_does_not_part_them() {
    let lines = support::physical_lines(&fixture("dangling-parent.jsonl"));
    let queued = br#"{"type":"queue-operation","operation":"enqueue","content":"Hurry."}"#.to_vec();
    let lines: Vec<Vec<u8>> = lines[..3].iter().cloned().chain([queued]).chain(lines[3..].to_vec()).collect();
    let file = support::log_of(&lines.join(&b'\n'));
    let log = OpenLog::load(file.path()).unwrap();
    assert_eq!(log.session.compactions().len(), 1);
    assert_eq!((generation(&log, 1).boundary_row, summary_turn(&log, 1)), (Some(2), Some(4)));
    assert_eq!(generation(&log, 1).tokens_before, Some(1_000));
}

#[test]
fn raw_lines_end_with_the_last_covered_record() {
    // Between what is covered and what was kept stand a note and lines that are no records.
    let path = fixture("kept-segment.jsonl");
    let mut lines = support::physical_lines(&path);
    lines.splice(2..2, [b"".to_vec(), b"   ".to_vec(), b"no record".to_vec()]);
    let covered = [&lines[..2].join(&b'\n')[..], b"\n"].concat();
    let file = support::log_of(&lines.join(&b'\n'));
    let raw = support::stdout(&["expand", "--raw", support::text(file.path()), "g1"]);
    assert_eq!(String::from_utf8(raw).unwrap(), String::from_utf8(covered).unwrap());
}
