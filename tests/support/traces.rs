//! What must hold of every trace, however broken: the check of the fuzz target `traces`, and of a property test.

use std::collections::BTreeSet;

use pentimento::strategies::context_gc::{Compacted, ContextGc, Event, Mode, compact_events, read};
use serde_json::Value;

use crate::gc_oracle::{Answer, answer};
use crate::random_trace::{Seed, build};

/// Bytes as a trace, and as the seeds of one.
pub fn traces(data: &[u8]) {
    if let Ok(trace) = read(data) {
        let _ = compact_events(&trace.events, Mode::Reference);
        let compacted = compact_events(&trace.events, Mode::Strict).expect("strict takes every trace");
        nothing_is_lost(&trace.events, &compacted);
    }
    let seeds: Vec<Seed> = data.as_chunks().0.iter().take(40).copied().collect();
    grows_as_the_whole(&build(&seeds));
}

/// At every prefix the trace that grows is the one that is read as a whole, and each change was told.
pub fn grows_as_the_whole(values: &[Value]) {
    let events: Vec<Event> =
        values.iter().map(|value| Event::parse(&value.to_string()).expect("an event")).collect();
    let mut gc = ContextGc::default();
    let mut pruned = BTreeSet::new();
    for (place, event) in events.iter().enumerate() {
        gc.add_event(event.clone()).expect("strict takes every event");
        let changes = gc.compact().expect("strict does not fail");
        assert_eq!(changes.added, 1);
        for id in changes.restored {
            assert!(pruned.remove(&id), "{id} came back and was not away");
        }
        for id in changes.pruned {
            assert!(pruned.insert(id.clone()), "{id} went twice");
        }
        let compacted = gc.compacted().expect("strict does not fail");
        nothing_is_lost(&events[..=place], &compacted);
        assert_eq!(said(&compacted), answer(&values[..=place]), "after {place} of {values:#?}");
        assert_eq!(compacted.pruned_ids.iter().cloned().collect::<BTreeSet<_>>(), pruned);
    }
    let _ = compact_events(&events, Mode::Reference);
}

fn said(compacted: &Compacted) -> Answer {
    Answer {
        pruned: compacted.pruned_ids.iter().cloned().collect(),
        protected: compacted.protected_reasons.clone(),
        reasons: compacted
            .prune_reasons
            .iter()
            .map(|(id, reason)| (id.clone(), reason.split(" cluster_").next().unwrap_or_default().to_owned()))
            .collect(),
        order: compacted.live_ids.clone(),
    }
}

/// Every event is in the prompt's events or behind a visible receipt, once; receipts are all that the prompt may grow by.
pub fn nothing_is_lost(events: &[Event], compacted: &Compacted) {
    let behind =
        compacted.receipts.iter().filter(|receipt| receipt.visible).flat_map(|receipt| &receipt.members);
    let mut all: Vec<&String> = compacted.live_ids.iter().chain(behind).collect();
    all.sort();
    let count = all.len();
    all.dedup();
    assert_eq!((all.len(), count), (events.len(), events.len()), "{compacted:#?}");
    for receipt in &compacted.receipts {
        assert!(compacted.prompt.contains(&format!("[RECEIPT {}", receipt.id)), "{compacted:#?}");
        assert!(receipt.members.iter().all(|id| compacted.pruned_ids.contains(id)));
    }
    assert!(compacted.tokens_after - compacted.receipt_tokens <= compacted.tokens_before);
}
