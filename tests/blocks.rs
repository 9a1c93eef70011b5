//! The block hierarchy through the library and the command line: what always holds, on random logs and on real ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

#[path = "support/copier.rs"]
mod copier;
#[path = "support/random_log.rs"]
mod random_log;
mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use copier::Copier;
use pentimento::commands::tree::blocks::to_json;
use pentimento::formats::facts::{PartKind, Role};
use pentimento::outline::blocks::BlocksView;
use pentimento::session::Session;
use pentimento::session::load::{Feed, News};
use pentimento::session::open::OpenLog;
use pentimento::strategies::blocks::summaries::{Missing, Summaries};
use pentimento::strategies::blocks::{Blocks, ClosedBy, Made, Retention, Settings, State};
use pentimento::strategies::recursive::{Folding, Recursive};
use pentimento::strategies::{Entry, costs};
use proptest::prelude::*;
use support::{all_logs, fixture, json, json_lines, log_of, run, stdout, text};

/// Small enough that short logs have blocks, spans and levels.
fn small(block_turns: u32, budget: u64) -> Settings {
    let settings =
        Settings { block_turns, budget, block_budget: 8, span_budget: 12, window: 40, ..Settings::default() };
    settings.checked().unwrap()
}

fn open(bytes: &[u8]) -> Option<OpenLog> {
    OpenLog::load(log_of(bytes).path()).ok()
}

/// The log at `path` record by record; `each` is called after every one.
fn live(path: &Path, each: &mut dyn FnMut(&OpenLog)) -> OpenLog {
    let mut feed = Feed::new(path);
    let mut log: Option<OpenLog> = None;
    let mut ended = false;
    loop {
        let news = if ended { feed.finish(path) } else { feed.next(path) };
        match news {
            News::Records(format, records) => {
                for (line, record) in records {
                    let source = feed.source().unwrap();
                    let log = log.get_or_insert_with(|| OpenLog::new(Session::new(format), source));
                    log.session.push(line, record);
                    each(log);
                }
            }
            News::Nothing if !ended => {}
            other => panic!("{other:?}"),
        }
        if ended {
            return log.unwrap();
        }
        ended = feed.position() >= std::fs::metadata(path).unwrap().len();
    }
}

/// The tree as JSON, with the summaries of the copier.
fn tree(log: &OpenLog, blocks: &Blocks, as_of: u32) -> String {
    let mut summaries = Summaries::new(Arc::new(Copier::default()));
    let made = blocks.closed(as_of).iter().map(|block| Made::Block(block.number));
    for made in made.chain(blocks.spans(as_of).last().map(|span| Made::Span(span.number))) {
        let _ = summaries.of(log, blocks, made, &AtomicBool::new(false));
    }
    to_json(log, &BlocksView::new(blocks, Some(&summaries), as_of), 3).to_string()
}

/// The log cut after turn `number`, as bytes.
fn cut(log: &OpenLog, bytes: &[u8], number: u32) -> Vec<u8> {
    let next = log.session.numbered(0, number + 1).map(|id| log.session.turn(id).first_row);
    let end = next.map_or(bytes.len(), |row| log.session.row(row).offset as usize);
    bytes[..end].to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn ranges_follow_one_another_and_cover_every_turn(
        seeds in random_log::seeds(160), turns in 1..8_u32, budget in 20..200_u64,
    ) {
        let Some(log) = open(&random_log::build(&seeds)) else { return Ok(()) };
        let blocks = Blocks::of(&log, small(turns, budget)).unwrap();
        for as_of in 0..=log.session.last() {
            let mut next = 1;
            for block in blocks.closed(as_of) {
                prop_assert_eq!(block.turns.0, next);
                prop_assert!(block.closed_at == block.turns.1 + 1 && block.closed_at <= as_of);
                let size = block.turns.1 + 1 - block.turns.0;
                prop_assert!((turns..=2 * turns).contains(&size), "{:?}", block);
                next = block.turns.1 + 1;
            }
            prop_assert_eq!(blocks.open_range(as_of), (next, as_of));
            let spans = blocks.spans(as_of);
            prop_assert!(spans.is_sorted_by_key(|span| span.blocks));
            if let Some(span) = spans.last() {
                let replaced = &blocks.closed(as_of)[..span.blocks as usize];
                prop_assert_eq!(span.turns, (1, replaced.last().unwrap().turns.1));
                // All but the newest block were replaced: of those that there were when it was prepared, or else made.
                let at = span.prepared_at.unwrap_or(span.made_at);
                prop_assert!(at <= span.made_at);
                prop_assert_eq!(span.blocks as usize + 1, blocks.closed(at).len());
            }
            let context = blocks.context(&log.session, as_of);
            let sum: u64 = context.entries.iter().map(|entry| entry.tokens(&log.session)).sum();
            prop_assert_eq!(context.tokens, sum);
        }
    }

    #[test]
    fn what_is_computed_live_is_what_the_cut_log_says(
        seeds in random_log::seeds(120), turns in 1..8_u32, budget in 20..200_u64, at in any::<u16>(),
    ) {
        let bytes = random_log::build(&seeds);
        let file = log_of(&bytes);
        let Ok(whole) = OpenLog::load(file.path()) else { return Ok(()) };
        let settings = small(turns, budget);
        let mut grown = Blocks::new(settings.clone());
        let log = live(file.path(), &mut |log| grown.advance(log).unwrap());
        let last = whole.session.last();
        prop_assert_eq!(log.session.last(), last);
        let at_once = Blocks::of(&whole, settings.clone()).unwrap();
        prop_assert_eq!(tree(&log, &grown, last), tree(&whole, &at_once, last));
        let number = u32::from(at) % (last + 1);
        let Some(short) = open(&cut(&whole, &bytes, number)) else { return Ok(()) };
        if short.session.last() != number {
            return Ok(());
        }
        let anew = Blocks::of(&short, settings).unwrap();
        prop_assert_eq!(
            grown.context(&log.session, number), anew.context(&short.session, number), "as of t{}", number
        );
        prop_assert_eq!(grown.closed(number), anew.closed(number));
        prop_assert_eq!(grown.spans(number), anew.spans(number));
        let state = |blocks: &Blocks| -> Vec<_> {
            let items = blocks.ledger().items(number).iter();
            items.map(|item| (item.at, item.text.clone(), item.state(&log.session, number))).collect()
        };
        prop_assert_eq!(state(&grown), state(&anew));
    }

    #[test]
    fn summaries_are_made_from_originals_and_never_change(
        seeds in random_log::seeds(160), turns in 1..8_u32, budget in 20..120_u64, window in 24..90_u64,
    ) {
        let file = log_of(&random_log::build(&seeds));
        if OpenLog::load(file.path()).is_err() {
            return Ok(());
        }
        let settings = Settings { window, ..small(turns, budget) }.checked().unwrap();
        let copier = Arc::new(Copier::default());
        let mut summaries = Summaries::new(Arc::clone(&copier) as Arc<_>);
        let mut blocks = Blocks::new(settings.clone());
        let mut first: BTreeMap<Made, String> = BTreeMap::new();
        let log = live(file.path(), &mut |log| {
            blocks.advance(log).unwrap();
            for block in blocks.closed(blocks.begun()) {
                let made = Made::Block(block.number);
                first.entry(made).or_insert_with(|| {
                    let written = summaries.of(log, &blocks, made, &AtomicBool::new(false));
                    written.map_or_else(|error| error.to_string(), |written| written.summary.text.clone())
                });
            }
        });
        // Anew, by somebody who was not there when they closed.
        let mut later = Summaries::new(Arc::clone(&copier) as Arc<_>);
        let all = (1..=blocks.closed(blocks.begun()).len() as u32).map(Made::Block);
        let spans = (1..=blocks.spans(blocks.begun()).len() as u32).map(Made::Span);
        for made in all.chain(spans) {
            copier.asked.lock().unwrap().clear();
            let written = later.of(&log, &blocks, made, &AtomicBool::new(false));
            let text = written.as_ref().map_or_else(ToString::to_string, |w| w.summary.text.clone());
            if let Some(first) = first.get(&made) {
                prop_assert_eq!(first, &text);
            }
            let Ok(written) = written else { continue };
            let asked = std::mem::take(&mut *copier.asked.lock().unwrap());
            let plan = &written.plan;
            prop_assert_eq!(asked.len() as u32, plan.calls());
            let numbers: Vec<u32> = blocks
                .inputs(&log.session, made)
                .into_iter()
                .map(|id| log.session.turn(id).number)
                .collect();
            let mut read: Vec<u32> = Vec::new();
            for (sources, tokens) in &asked[..plan.pieces.len()] {
                prop_assert!(sources.iter().all(|(summary, _)| !summary), "a summary of a summary");
                prop_assert!(*tokens <= window, "{} tokens in a window of {}", tokens, window);
                read.extend(sources.iter().map(|(_, turns)| turns.0));
            }
            read.dedup();
            prop_assert_eq!(read, numbers);
            prop_assert!(asked[plan.pieces.len()..].iter().all(|(s, _)| s.iter().all(|(summary, _)| *summary)));
            let (p, k) = (plan.pieces.len(), (window / u64::from(blocks.budget(made))) as usize);
            let mut depth = 1;
            let mut reach = 1;
            while reach < p {
                (reach, depth) = (reach * k, depth + 1);
            }
            prop_assert_eq!(plan.depth(), depth, "{} pieces, {} fit", p, k);
        }
    }
}

/// Turn `n` of a log: a prompt every `every` turns, else an assistant with a call and the result in turn.
fn chat(turns: u32, words: &dyn Fn(u32) -> String) -> Vec<u8> {
    let mut out = String::new();
    for n in 1..=turns {
        let parent = if n == 1 { "null".into() } else { format!("\"u{}\"", n - 1) };
        let text = words(n);
        let (kind, message) = match n % 4 {
            1 => ("user", format!(r#"{{"role":"user","content":"{text}"}}"#)),
            2 => (
                "assistant",
                format!(
                    r#"{{"id":"m{n}","role":"assistant","model":"x","content":[{{"type":"text","text":"{text}"}},{{"type":"tool_use","id":"c{n}","name":"Bash","input":{{"command":"run {n}"}}}}]}}"#
                ),
            ),
            3 => (
                "user",
                format!(
                    r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{}","content":"{text}"}}]}}"#,
                    n - 1
                ),
            ),
            _ => (
                "assistant",
                format!(
                    r#"{{"id":"m{n}","role":"assistant","model":"x","content":[{{"type":"text","text":"{text}"}}]}}"#
                ),
            ),
        };
        writeln!(
            out,
            r#"{{"parentUuid":{parent},"type":"{kind}","uuid":"u{n}","sessionId":"s","version":"2.1.7","timestamp":"2026-01-23T10:00:00.000Z","message":{message}}}"#
        )
        .unwrap();
    }
    out.into_bytes()
}

fn long_words(n: u32) -> String {
    (0..40).fold(String::new(), |all, word| all + &format!("turn{n}word{word} "))
}

#[test]
fn levels_and_depth_follow_the_window_of_the_summariser() {
    let file = log_of(&chat(1200, &long_words));
    let log = OpenLog::load(file.path()).unwrap();
    for window in [20_000, 10_000_000] {
        let settings = Settings { window, budget: 40_000, ..Settings::default() }.checked().unwrap();
        let blocks = Blocks::of(&log, settings).unwrap();
        let span = blocks.spans(log.session.last()).last().expect("a span is needed");
        let mut summaries = Summaries::new(Arc::new(Copier::default()));
        let written = summaries
            .of(&log, &blocks, Made::Span(span.number), &AtomicBool::new(false))
            .expect("it can be written");
        let p = written.plan.pieces.len() as u32;
        let k = (window / 3_000) as u32;
        let expected = if p == 1 { 1 } else { 1 + (f64::from(p).ln() / f64::from(k).ln()).ceil() as u32 };
        println!("window {window}: {} turns, {p} pieces, depth {}", span.turns.1, written.plan.depth());
        assert_eq!(written.plan.depth(), expected);
        assert_eq!(window == 10_000_000, p == 1);
        if window == 20_000 {
            assert!(written.plan.depth() >= 3, "{p} pieces are no test of levels");
        }
        let view = BlocksView::new(&blocks, Some(&summaries), log.session.last());
        let tree = to_json(&log, &view, 4);
        let node = tree["children"].as_array().unwrap().iter().find(|node| node["kind"] == "span").unwrap();
        assert_eq!(node["depth"], expected);
        let levels = node["children"].as_array().unwrap().iter().filter(|node| node["kind"] == "level");
        let below = levels.map(|node| node["level"].as_u64().unwrap() as u32).max().unwrap_or(0);
        assert_eq!(below + 1, expected);
    }
}

#[test]
fn blocks_of_a_fixed_size_have_exactly_that_size() {
    let file = log_of(&chat(205, &|n| format!("words of turn {n}")));
    let log = OpenLog::load(file.path()).unwrap();
    let settings = Settings { seams: false, ..Settings::default() };
    let blocks = Blocks::of(&log, settings).unwrap();
    let closed = blocks.closed(205);
    assert_eq!(closed.len(), 5);
    assert!(closed.iter().all(|b| b.turns.1 + 1 - b.turns.0 == 40 && b.closed_by == ClosedBy::Fixed));
}

/// A session of 200 turns, like [`chat`], with `change` applied to its lines.
fn closes(
    change: &dyn Fn(u32, &str) -> String,
    words: &dyn Fn(u32) -> String,
) -> Vec<((u32, u32), ClosedBy)> {
    let bytes = chat(200, words);
    let lines = std::str::from_utf8(&bytes)
        .unwrap()
        .lines()
        .zip(1..)
        .fold(String::new(), |all, (line, n)| all + &change(n, line) + "\n");
    let file = log_of(lines.as_bytes());
    let log = OpenLog::load(file.path()).unwrap();
    let blocks = Blocks::of(&log, Settings::default()).unwrap();
    blocks.closed(log.session.last()).iter().map(|block| (block.turns, block.closed_by)).collect()
}

#[test]
fn every_seam_has_its_name() {
    let same = |_: u32| "the same words again".to_owned();
    let as_it_is = |_: u32, line: &str| line.to_owned();
    // Turn 41 is a prompt.
    assert_eq!(closes(&as_it_is, &same)[0], ((1, 40), ClosedBy::Prompt));
    let other = |n: u32| if n == 41 { "zebras quench volcanoes".into() } else { same(n) };
    assert_eq!(closes(&as_it_is, &other)[0], ((1, 40), ClosedBy::Subject));
    // A prompt that says nothing is far from nothing.
    let nothing = |n: u32| if n == 41 { "now, you".into() } else { same(n) };
    assert_eq!(closes(&as_it_is, &nothing)[0], ((1, 40), ClosedBy::Prompt));
    let injected = |n: u32, line: &str| match n {
        41 => line.replacen(r#""type":"user""#, r#""type":"user","isMeta":true"#, 1),
        _ => line.to_owned(),
    };
    assert_eq!(closes(&injected, &same)[0], ((1, 40), ClosedBy::Step));
    let compacted = |n: u32, line: &str| match n {
        41 => line.replacen(r#""type":"user""#, r#""type":"user","isCompactSummary":true"#, 1),
        _ => line.to_owned(),
    };
    assert_eq!(closes(&compacted, &same)[0], ((1, 40), ClosedBy::Compaction));
}

/// A line of the assistant that calls a tool and gets no result, or a user's result of an earlier call.
fn calls(n: u32, name: &str, input: &str) -> String {
    format!(
        r#"{{"parentUuid":"u{}","type":"assistant","uuid":"u{n}","sessionId":"s","version":"2.1.7","message":{{"id":"m{n}","role":"assistant","content":[{{"type":"tool_use","id":"c{n}","name":"{name}","input":{input}}}]}}}}"#,
        n - 1
    )
}

fn result(n: u32, of: u32) -> String {
    format!(
        r#"{{"parentUuid":"u{}","type":"user","uuid":"u{n}","sessionId":"s","version":"2.1.7","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{of}","content":"ok"}}]}}}}"#,
        n - 1
    )
}

#[test]
fn a_done_item_closes_and_a_list_that_only_repeats_it_does_not() {
    let list = |status: &str| {
        format!(
            r#"{{"todos":[{{"content":"first","status":"completed"}},{{"content":"second","status":"{status}"}}]}}"#
        )
    };
    let change = |last: &'static str| {
        move |n: u32, line: &str| match n {
            38 => calls(38, "TodoWrite", &list("pending")),
            39 => result(39, 38),
            40 => calls(40, "TodoWrite", &list(last)),
            41 => result(41, 40),
            42 => calls(42, "Bash", "{}"),
            43 => result(43, 42),
            _ => line.to_owned(),
        }
    };
    let same = |_: u32| "the same words again".to_owned();
    assert_eq!(closes(&change("completed"), &same)[0], ((1, 41), ClosedBy::Plan));
    assert_eq!(closes(&change("in_progress"), &same)[0], ((1, 44), ClosedBy::Prompt));
}

#[test]
fn no_seam_lies_inside_a_call_and_80_turns_are_the_limit() {
    // One assistant message calls sixty tools whose results come one by one; the last never does.
    let many = |n: u32, line: &str| match n {
        38 => {
            let uses: Vec<String> = (0..100)
                .map(|call| format!(r#"{{"type":"tool_use","id":"p{call}","name":"Read","input":{{}}}}"#))
                .collect();
            format!(
                r#"{{"parentUuid":"u37","type":"assistant","uuid":"u38","sessionId":"s","version":"2.1.7","message":{{"id":"m38","role":"assistant","content":[{}]}}}}"#,
                uses.join(",")
            )
        }
        39..=130 => result(n, 0).replace("c0", &format!("p{}", n - 39)),
        _ => line.to_owned(),
    };
    let same = |_: u32| "the same words again".to_owned();
    let closed = closes(&many, &same);
    assert_eq!(closed[0], ((1, 80), ClosedBy::Forced));
    // The calls that never got a result are given up when a prompt comes: 132 is an assistant of a later step.
    assert!(closed[1].0.1 >= 131, "{closed:?}");
    // Results without calls are no seam, so that the cap comes.
    let flat = |n: u32, line: &str| match n {
        30..=120 if n.is_multiple_of(2) => calls(n, "Bash", "{}"),
        30..=120 => result(n, n - 1),
        _ => line.to_owned(),
    };
    assert_eq!(closes(&flat, &same)[0].1, ClosedBy::Cap);
    assert_eq!(closes(&flat, &same)[0].0, (1, 61));
}

#[test]
fn a_frozen_block_says_so_and_is_never_derived_again() {
    let file = log_of(&chat(90, &|n| format!("words of turn {n}")));
    let log = OpenLog::load(file.path()).unwrap();
    let settings = Settings { retention: Retention::CurrentBlock, budget: 100, ..Settings::default() };
    let blocks = Blocks::of(&log, settings).unwrap();
    assert!(blocks.spans(90).is_empty(), "a span would need originals");
    let copier = Arc::new(Copier::default());
    let mut summaries = Summaries::new(Arc::clone(&copier) as Arc<_>);
    let stop = AtomicBool::new(false);
    let missing = summaries.of(&log, &blocks, Made::Block(1), &stop).unwrap_err();
    assert!(
        matches!(missing, Missing::NotRetained) && missing.to_string().contains("originals not retained")
    );
    summaries.write_closed(&log, &blocks).unwrap();
    let asked = copier.asked.lock().unwrap().len();
    let first = summaries.of(&log, &blocks, Made::Block(1), &stop).unwrap();
    summaries.write_closed(&log, &blocks).unwrap();
    assert_eq!(first, summaries.of(&log, &blocks, Made::Block(1), &stop).unwrap());
    assert_eq!(copier.asked.lock().unwrap().len(), asked);
    let path = text(file.path());
    let out = stdout(&["expand", path, "b1", "--retention", "current-block"]);
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("originals not retained") && out.contains("t1–t40"), "{out}");
    assert!(!out.contains("── t1 "), "{out}");
}

#[test]
fn a_summariser_that_fails_changes_no_decision() {
    let file = log_of(&chat(600, &long_words));
    let log = OpenLog::load(file.path()).unwrap();
    let settings = Settings { budget: 20_000, ..Settings::default() };
    let blocks = Blocks::of(&log, settings).unwrap();
    let copier = Arc::new(Copier::default());
    copier.fails.store(true, Ordering::Relaxed);
    let mut summaries = Summaries::new(Arc::clone(&copier) as Arc<_>);
    let stop = AtomicBool::new(false);
    let failed = summaries.of(&log, &blocks, Made::Block(1), &stop).unwrap_err();
    assert!(failed.to_string().contains("told to"));
    let tree = to_json(&log, &BlocksView::new(&blocks, Some(&summaries), 600), 2);
    assert!(tree.to_string().contains("told to"));
    copier.fails.store(false, Ordering::Relaxed);
    assert!(summaries.of(&log, &blocks, Made::Block(1), &stop).is_ok());
}

#[test]
fn the_ledger_keeps_what_binds_and_what_became_of_it() {
    let words = |n: u32| match n {
        1 => "Never push to the release branch. Why is the parser slow on large files?".to_owned(),
        2 => "The parser is slow on large files since it copies every line.".to_owned(),
        5 => "From now on never push anything to the release branch or main.".to_owned(),
        _ => "fine words".to_owned(),
    };
    let file = log_of(&chat(12, &words));
    let log = OpenLog::load(file.path()).unwrap();
    let blocks = Blocks::of(&log, Settings::default()).unwrap();
    let items = blocks.ledger().items(12);
    let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert_eq!(items[0].state(&log.session, 4), State::Open);
    assert_eq!(items[0].state(&log.session, 5), State::Superseded(3));
    assert_eq!(items[1].state(&log.session, 2), State::Open, "turn 2 may go on");
    assert_eq!(items[1].state(&log.session, 3), State::Answered(2));
    let context = blocks.context(&log.session, 12);
    let Entry::Ledger(ledger) = &context.entries[0] else { panic!("the ledger comes first") };
    assert_eq!(ledger.items, [1, 2, 3]);
    let expanded = json_lines(&["expand", text(file.path()), "i1", "--json"]);
    assert_eq!((&expanded[0]["address"], &expanded[0]["state"]), (&"i1".into(), &"superseded by i3".into()));
    assert_eq!(expanded[1]["address"], "t1");
}

#[test]
fn what_was_said_on_a_branch_that_was_left_settles_nothing() {
    let line = |number: u32, parent: &str, role: &str, text: &str| {
        let id = if role == "assistant" { format!(r#""id":"m{number}","#) } else { String::new() };
        format!(
            r#"{{"parentUuid":{parent},"type":"{role}","uuid":"u{number}","sessionId":"s1","version":"2.1.7","timestamp":"2026-01-23T10:00:{number:02}.000Z","message":{{{id}"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        ) + "\n"
    };
    let asked = "Never push to the release branch. Why is the parser slow on large files?";
    let log = [
        line(1, "null", "user", asked),
        line(2, r#""u1""#, "assistant", "The parser is slow on large files since it copies lines."),
        line(3, r#""u2""#, "user", "From now on never push anything to the release branch or main."),
        line(4, r#""u1""#, "assistant", "No idea."),
        line(5, r#""u4""#, "assistant", "Found it: the parser is slow on large files, it parses twice."),
        line(6, r#""u5""#, "user", "fine"),
    ];
    let file = log_of(log.concat().as_bytes());
    let log = OpenLog::load(file.path()).unwrap();
    let blocks = Blocks::of(&log, Settings::default()).unwrap();
    let items = blocks.ledger().items(log.session.last());
    let states = |as_of: u32| -> Vec<State> {
        items[..2].iter().map(|item| item.state(&log.session, as_of)).collect()
    };
    let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(states(3), [State::Superseded(3), State::Answered(2)], "{texts:?}");
    assert_eq!(states(4), [State::Open, State::Open]);
    assert_eq!(states(log.session.last()), [State::Open, State::Answered(5)]);
}

/// Summaries of logs of at least so many bytes are not written twice.
const LONG: u64 = 1 << 20;

#[test]
fn real_logs_live_and_at_once_are_equal_and_no_block_closes_inside_a_call() {
    let mut reasons: BTreeMap<ClosedBy, u32> = BTreeMap::new();
    let mut three = None;
    for path in all_logs() {
        let Ok(log) = OpenLog::load(&path) else { continue };
        let blocks = Blocks::of(&log, Settings::default()).unwrap();
        let mut grown = Blocks::new(Settings::default());
        let grown_log = live(&path, &mut |log| grown.advance(log).unwrap());
        let last = log.session.last();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Written summaries are compared on random logs and on the shorter ones of these: the rest would take minutes.
        let shown = |log: &OpenLog, blocks: &Blocks| {
            if log.session.bytes < LONG {
                tree(log, blocks, last)
            } else {
                to_json(log, &BlocksView::new(blocks, None, last), 3).to_string()
            }
        };
        assert_eq!(shown(&log, &blocks), shown(&grown_log, &grown), "{name}");
        let mut own: BTreeMap<&str, u32> = BTreeMap::new();
        for block in blocks.closed(last) {
            *reasons.entry(block.closed_by).or_default() += 1;
            *own.entry(block.closed_by.name()).or_default() += 1;
            if block.closed_by != ClosedBy::Forced {
                assert_no_call_is_open(&log, block.turns.1, &name);
            }
        }
        println!("{name}: {last} turns {own:?}, ledger {}", blocks.ledger().items(last).len());
        if name == "v2.1.7-three-compactions.jsonl" {
            three = Some(own);
        }
    }
    let all: u32 = reasons.values().sum();
    for (reason, count) in &reasons {
        println!("{}: {count} of {all}, {:.1} %", reason.name(), f64::from(*count) * 100.0 / f64::from(all));
    }
    if let Some(own) = three {
        assert!(!own.contains_key("cap") && !own.contains_key("forced"), "{own:?}");
    }
}

/// Whether a call up to turn `end` gets its result after it, in the step that still goes on.
fn assert_no_call_is_open(log: &OpenLog, end: u32, name: &str) {
    let session = &log.session;
    let next = session.numbered(0, end + 1).unwrap();
    let interrupts = session.turn(next).role == Role::User && !session.turn(next).is_injected();
    for number in (end.saturating_sub(80)..=end).filter_map(|number| session.numbered(0, number)) {
        for (place, part) in session.parts(number).filter(|(_, part)| part.kind == PartKind::ToolCall) {
            let Some(by) = session.answered_by(place) else { continue };
            let later = session.turn(by).number > end && session.turn(by).thread == 0;
            let goes_on = session.step(next) == session.step(session.turn_of(&part));
            assert!(
                !(later && goes_on) || interrupts,
                "{name}: a call of t{} is open at t{end}",
                session.turn(number).number
            );
        }
    }
}

#[test]
fn the_recursive_baseline_reads_summaries_and_its_lines_grow_deeper() {
    let file = log_of(&chat(400, &long_words));
    let log = OpenLog::load(file.path()).unwrap();
    let settings = Settings { budget: 20_000, span_budget: 6_000, ..Settings::default() };
    let recursive = Recursive::of(&log.session, settings.clone());
    let folds = recursive.folds(400);
    assert!(folds.len() >= 3, "{folds:?}");
    let copier = Copier::default();
    let mut folding = Folding::default();
    let folded = folding
        .up_to(&log, &recursive, folds.len() as u32, &copier, &AtomicBool::new(false))
        .unwrap()
        .unwrap();
    let asked = copier.asked.lock().unwrap();
    for (at, (sources, _)) in asked.iter().enumerate() {
        assert_eq!(sources.iter().filter(|(summary, _)| *summary).count(), usize::from(at > 0));
    }
    // The copier keeps the oldest words, so that they go through every summary.
    for (at, folded) in folded.iter().enumerate() {
        assert_eq!(folded.depth(), at as u32 + 1);
        assert_eq!(folded.depths.len(), folded.summary.lines.len());
    }
    let cost = costs::of_recursive(&recursive, 400);
    assert_eq!(cost.calls, folds.len() as u64);
    assert_eq!(cost.input, cost.critical);
    let blocks = Blocks::of(&log, settings).unwrap();
    let hierarchy = costs::of_blocks(&log, &blocks, 400).unwrap();
    assert!(hierarchy.critical <= hierarchy.input);
    let originals: u64 = blocks.closed(400).iter().map(|block| block.originals).sum();
    assert!(hierarchy.input >= originals);
}

#[test]
fn the_command_line_shows_blocks_and_their_turns() {
    let file = log_of(&chat(100, &|n| format!("words of turn {n}")));
    let path = text(file.path());
    let tree = json(&["tree", path, "--view", "blocks", "--json"]);
    let block = &tree["children"][0];
    assert_eq!((&block["address"], &block["kind"]), (&"b1".into(), &"block".into()), "{tree}");
    assert_eq!(block["turns"], serde_json::json!([1, 40]));
    assert_eq!(block["closed_by"], "prompt");
    let turns = json_lines(&["expand", path, "b1", "--json"]);
    assert_eq!(turns.len(), 40);
    let traced = json_lines(&["trace", path, "b1", "--json"]);
    assert!(!traced.is_empty());
    for sentence in &traced {
        let sources = sentence["sources"].as_array().unwrap();
        assert!(!sources.is_empty() && sources.iter().all(|source| source["named"] == true), "{sentence}");
        let stands = |source: &serde_json::Value| (1..=40).contains(&source["turn"].as_u64().unwrap());
        assert!(sources.iter().all(stands), "{sentence}");
        let address = sentence["address"].as_str().unwrap();
        assert_eq!(&json(&["trace", path, address, "--json"]), sentence);
        let turns = json_lines(&["expand", path, address, "--json"]);
        let first = format!("t{}", sources[0]["turn"]);
        assert!(turns.iter().any(|turn| turn["address"] == first.as_str()), "{sentence}");
    }
    assert_eq!(run(&["trace", path, "b1.s999"]).status.code(), Some(4));
    let fixed = json(&["tree", path, "--view", "blocks", "--json", "--seams", "off", "--block-turns", "25"]);
    assert_eq!(fixed["children"][3]["turns"], serde_json::json!([76, 100]).clone());
    let context = json(&["context", path, "--strategy", "blocks", "--json", "--as-of", "90"]);
    assert_eq!(context["entries"][0]["address"], "b1");
    assert_eq!(run(&["expand", path, "b9"]).status.code(), Some(4));
    assert_eq!(run(&["tree", path, "--view", "blocks", "--summariser-window", "100"]).status.code(), Some(2));
    assert_eq!(run(&["context", path, "--budget", "5"]).status.code(), Some(2));
    let rewound = fixture("rewind.jsonl");
    let text = String::from_utf8(stdout(&["tree", text(&rewound), "--view", "blocks"])).unwrap();
    assert!(text.contains("open"), "{text}");
}

#[test]
fn costs_stand_beside_the_published_example() {
    let file = log_of(&chat(400, &long_words));
    let path = text(file.path());
    let info = json(&["info", path, "--json", "--costs", "--rates", "0.4,0", "--budget", "20000"]);
    let costs = &info["costs"];
    assert_eq!(costs["published"]["recursive"], 156_000);
    assert_eq!(costs["published"]["hierarchical"], 1_056_000);
    assert_eq!(costs["published"]["caveats"].as_array().unwrap().len(), 2);
    assert_eq!(costs["published"]["query"]["published_price"], 13.0);
    for row in costs["session"].as_array().unwrap() {
        let price = row["input"].as_f64().unwrap() * 0.4 / 1e6;
        assert!((row["price"].as_f64().unwrap() - price).abs() < 1e-9, "{row}");
    }
    assert_eq!(costs["session"][0]["calls"], 0);
    let plain = json(&["info", path, "--json", "--costs"]);
    assert!(plain["costs"]["session"][2]["price"].is_null(), "no rate is built in");
    let shown = String::from_utf8(stdout(&["info", path, "--costs"])).unwrap();
    assert!(shown.contains("336,000 + 720,000 = 1,056,000") && shown.contains("$13"), "{shown}");
    for none in ["much", "1e308,1e308", "-1,2", "nan,1"] {
        assert_eq!(run(&["info", path, "--costs", "--rates", none]).status.code(), Some(2), "{none}");
    }
}
