//! The prompt that is kept while a session grows, against one that is made anew.

use std::fmt::Write;

use pentimento::outline::receipts::Pruning;
use pentimento::session::open::OpenLog;
use pentimento::strategies::context_gc::session::{Replay, Spot};
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
