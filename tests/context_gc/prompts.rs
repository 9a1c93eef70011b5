//! The prompt that is kept while a session grows, against one that is made anew.

use std::fmt::Write;

use pentimento::outline::receipts::Pruning;
use pentimento::session::open::OpenLog;
use pentimento::strategies::context_gc::session::{Prompt, Replay, Spot, Totals};
use pentimento::strategies::context_gc::{Event, Mode, Row, compact_events, read};
use proptest::prelude::*;
use serde_json::Value;

use crate::random_trace::{Seed, build};
use crate::support::{data, log_of};

/// The lines of a prompt: a live event, or the receipts that stand together.
fn lines(pruning: &Pruning) -> Vec<Vec<String>> {
    let Pruning { replay, prompt } = pruning;
    let name = |item: u32| format!("r:{}", replay.name(item));
    let line = |row: usize| match prompt.spot(row).unwrap() {
        Spot::Turn(turn) => vec![replay.named(turn).unwrap().to_owned()],
        Spot::Receipt(item) => vec![name(item)],
        Spot::Run(first) => {
            let within = 0..prompt.run_len(replay, first);
            within.map(|at| name(prompt.in_run(replay, first, at).unwrap())).collect()
        }
    };
    (0..prompt.len()).map(line).collect()
}

/// The same of the events as a whole, and what they cost.
fn whole(events: &[Event]) -> (Vec<Vec<String>>, [u64; 5]) {
    let compacted = compact_events(events, Mode::Strict).unwrap();
    let line = |row: &Row| match row {
        Row::Event { id, .. } => vec![id.clone()],
        Row::Receipt { receipt, .. } => {
            compacted.receipts[*receipt].members.iter().map(|id| format!("r:{id}")).collect()
        }
    };
    let lines = compacted.rows.iter().map(line).collect();
    let (pruned, kept) = (compacted.pruned_ids.len() as u64, compacted.protected_ids.len() as u64);
    let costs = [compacted.tokens_before, compacted.tokens_after, compacted.receipt_tokens, pruned, kept];
    (lines, costs)
}

/// As of every turn, reached from the one before, from one after and from far off, the prompt is that of the events so
/// far; also where a turn is taken in only after somebody wanted to look at it.
fn steps_as_the_whole(events: &[Event]) {
    let file = log_of(
        events
            .iter()
            .fold(String::new(), |mut text, event| {
                let line: Value = serde_json::from_str(event.source()).unwrap();
                writeln!(text, "{line}").unwrap();
                text
            })
            .as_bytes(),
    );
    let Ok(log) = OpenLog::load(file.path()) else { return assert!(events.is_empty()) };
    let last = log.session.last();
    assert_eq!(last as usize, events.len());
    let check = |pruning: &mut Pruning, as_of: u32| {
        pruning.move_to(&log, as_of);
        let (expected, costs) = whole(&events[..as_of as usize]);
        assert_eq!(lines(pruning), expected, "as of t{as_of}");
        let totals = pruning.prompt.totals();
        let found = [totals.before, totals.after, totals.receipts, totals.pruned, totals.kept];
        assert_eq!(found, costs, "as of t{as_of}");
        for row in 0..pruning.prompt.len() {
            if let Some(Spot::Turn(turn)) = pruning.prompt.spot(row) {
                assert_eq!(pruning.prompt.row_of(turn), Some(row));
            }
        }
    };
    let mut growing = Pruning::default();
    for as_of in 1..=last {
        growing.move_to(&log, as_of);
        growing.replay.advance_while(&log, |next| next <= as_of).unwrap();
        check(&mut growing, as_of);
    }
    let mut pruning = Pruning { replay: Replay::of(&log).unwrap(), ..Pruning::default() };
    let there_and_back = (0..=last).chain((0..=last).rev()).chain([last, last / 2, last / 3, last, 0, last]);
    there_and_back.for_each(|as_of| check(&mut pruning, as_of));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn random_prompts(seeds in proptest::collection::vec(any::<Seed>(), 1..40)) {
        let events: Vec<Event> =
            build(&seeds).iter().map(|value| Event::parse(&value.to_string()).unwrap()).collect();
        steps_as_the_whole(&events);
    }
}

#[test]
fn prompts_of_known_traces() {
    for folder in ["context-gc/traces", "context-gc/benchmark"] {
        let Some(folder) = data(folder) else { continue };
        for entry in std::fs::read_dir(folder).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            steps_as_the_whole(&read(&bytes).unwrap().events);
        }
    }
}

/// What a prompt shows: its lines, what stands beside it, and what it costs.
fn shown(pruning: &Pruning) -> (Vec<String>, Vec<u32>, Totals) {
    let Pruning { replay, prompt } = pruning;
    let line = |row: usize| match prompt.spot(row).unwrap() {
        Spot::Turn(turn) => format!("turn {}", turn.0),
        Spot::Receipt(item) => format!("r:{}", replay.name(item)),
        Spot::Run(first) => {
            let within = 0..prompt.run_len(replay, first);
            let names = within.map(|at| replay.name(prompt.in_run(replay, first, at).unwrap()).to_owned());
            names.collect::<Vec<_>>().join(" ")
        }
    };
    let beside = prompt.beside().iter().map(|turn| turn.0).collect();
    ((0..prompt.len()).map(line).collect(), beside, prompt.totals())
}

/// Of agents' sessions the prompt is the same however one comes to it: turn by turn while it is taken in, from behind,
/// and at once.
#[test]
fn prompts_of_sessions_do_not_depend_on_the_way() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut paths: Vec<_> = std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.push(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl"));
    let known = ["v2.1.29-auto-and-manual", "v2.1.17-microcompaction", "v1.0.17-resumed-a"];
    paths.extend(known.iter().filter_map(|name| data(&format!("claude-code/{name}.jsonl"))));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let mut receipts = 0;
    for path in paths {
        let Ok(log) = OpenLog::load(&path) else { continue };
        let last = log.session.last();
        let mut pruning = Pruning { replay: Replay::of(&log).unwrap(), ..Pruning::default() };
        let mut forward = Vec::new();
        for as_of in 0..=last {
            pruning.move_to(&log, as_of);
            forward.push(shown(&pruning));
        }
        for as_of in (0..=last).rev() {
            pruning.move_to(&log, as_of);
            assert_eq!(shown(&pruning), forward[as_of as usize], "{} back at t{as_of}", path.display());
        }
        for as_of in (0..=last).step_by(1 + last as usize / 20) {
            let mut fresh = Pruning { prompt: Prompt::default(), ..pruning };
            fresh.move_to(&log, as_of);
            assert_eq!(shown(&fresh), forward[as_of as usize], "{} at once at t{as_of}", path.display());
            pruning = fresh;
        }
        // Slices end anywhere, and somebody looks in between.
        let mut growing = Pruning::default();
        for end in (0..=last).step_by(7) {
            growing.replay.advance_while(&log, |next| next <= end).unwrap();
            growing.move_to(&log, last);
        }
        growing.replay.advance_while(&log, |_| true).unwrap();
        growing.move_to(&log, last);
        let (lines, beside, totals) = shown(&growing);
        let grown = &forward[last as usize];
        receipts += totals.pruned + totals.cleared;
        // An answer at the end is taken in once something follows it.
        assert_eq!((&lines, &beside, totals), (&grown.0, &grown.1, grown.2), "{}", path.display());
    }
    assert!(receipts >= 8, "{receipts} receipts are few");
}
