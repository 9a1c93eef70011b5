//! A Context-GC trace that grows, compacted after each event: what an event costs when the trace is short and when it is
//! long.
//!
//! `cargo bench --bench context_gc -- [--events=N]`; 100,000 events without arguments.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

use std::time::{Duration, Instant};

use pentimento::strategies::context_gc::{ContextGc, Event, Mode, compact_events};
use serde_json::{Value, json};

/// How many events are measured around each length.
const WINDOW: usize = 500;
/// The length at which a batch is run anew after each event.
const BATCH: usize = 1_000;

fn main() {
    let given = std::env::args().find_map(|argument| argument.strip_prefix("--events=")?.parse().ok());
    let count: usize = given.unwrap_or(100_000);
    let events: Vec<Event> =
        (0..count).map(|place| Event::parse(&event(place).to_string()).unwrap()).collect();
    let mut gc = ContextGc::new(Mode::Strict);
    let mut costs = Vec::with_capacity(count);
    let mut changes = 0;
    for event in &events {
        let event = event.clone();
        let start = Instant::now();
        gc.add_event(event).unwrap();
        let changed = gc.compact().unwrap();
        costs.push(start.elapsed());
        changes += changed.pruned.len() + changed.restored.len();
    }
    println!("{count} events, a compaction after each: {changes} changes");
    let mut lengths = vec![1_000, 10_000, 100_000, count];
    lengths.retain(|length| *length <= count);
    lengths.dedup();
    for length in lengths {
        let window = &costs[length.saturating_sub(WINDOW)..length];
        let worst = window.iter().max().copied().unwrap_or_default();
        let mean = window.iter().sum::<Duration>() / window.len() as u32;
        println!("  strict, at {length:>7} events: {mean:>10.2?} an event (worst {worst:.2?})");
    }
    let start = Instant::now();
    let compacted = gc.compacted().unwrap();
    let (prompt, pruned) = (compacted.prompt.len(), compacted.pruned_ids.len());
    println!("  prompt at the end: {:.2?} for {prompt} bytes, {pruned} pruned", start.elapsed());
    for mode in [Mode::Strict, Mode::Reference] {
        let part = &events[..BATCH.min(count)];
        let start = Instant::now();
        let rounds = 20;
        for _ in 0..rounds {
            compact_events(part, mode).unwrap();
        }
        println!(
            "  {mode}, the whole anew at {:>7} events: {:>10.2?} an event",
            part.len(),
            start.elapsed() / rounds
        );
    }
}

/// A linear trace: work in rounds of 40 events, with looks that repeat, values that change, and a branch that is given up.
fn event(place: usize) -> Value {
    let id = |place: usize| format!("e{place}");
    let round = place % 40;
    let mut event = json!({"id": id(place), "timestamp": place, "parent_id": place.checked_sub(1).map(id)});
    let fields = match round {
        0 => json!({"type": "requirement", "content": format!("round {place}")}),
        1 | 11 | 21 | 31 => json!({"type": "set_var", "key": format!("v{}", round / 10), "value": place}),
        35 => json!({"type": "abandon", "ref_to": [id(place - 8)]}),
        _ if round.is_multiple_of(2) => {
            json!({"type": "tool_call", "tool_name": "read", "arguments": {"path": format!("f{}", place / 40 % 7 * round)}})
        }
        _ => json!({"type": "tool_result", "call_id": id(place - 1), "result": "a line\n".repeat(20)}),
    };
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}
