//! Random traces, and very deep ones.

use pentimento::strategies::context_gc::{Event, Mode, compact_events};
use proptest::prelude::*;
use serde_json::json;

use crate::random_trace::{Seed, build};
use crate::traces::{grows_as_the_whole, nothing_is_lost, traces};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Circles, forward references, self-parents, repeated ids: nothing is lost, and a trace that grows is at every
    /// prefix the one that is read as a whole.
    #[test]
    fn random_traces(seeds in proptest::collection::vec(any::<Seed>(), 0..40)) {
        grows_as_the_whole(&build(&seeds));
    }
}

/// A chain in either direction, a circle, and a branch abandoned at its root: 60,000 events deep.
#[test]
fn deep_chains() {
    const DEEP: usize = 60_000;
    for (name, parent) in [("forward", 0), ("backward", 1), ("circle", 2)] {
        let events: Vec<Event> = (0..DEEP)
            .map(|place| {
                let parent = match parent {
                    0 => place.checked_sub(1),
                    1 => Some(place + 1).filter(|parent| *parent < DEEP),
                    _ => Some((place + 1) % DEEP),
                };
                let parent = parent.map(|parent| format!("e{parent}"));
                let mut value = json!({"id": format!("e{place}"), "timestamp": place, "parent_id": parent});
                let fields = if place == DEEP / 2 {
                    json!({"type": "abandon", "ref_to": ["e100", "e59000"]})
                } else {
                    json!({"type": "decision", "content": "on"})
                };
                value.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
                Event::parse(&value.to_string()).unwrap()
            })
            .collect();
        let strict = compact_events(&events, Mode::Strict).unwrap();
        let gone = strict.pruned_ids.len();
        // Forward: e100 up to the abandon event, and e59000 to the end. Backward: e100 and what it leads to, e59000 up
        // to the abandon event. The circle has no way out.
        assert_eq!(gone, [29_900 + 1_000, 101 + 29_000, DEEP][parent], "{name}");
        assert!(strict.receipts.iter().map(|receipt| receipt.members.len()).sum::<usize>() == gone);
        compact_events(&events, Mode::Reference).unwrap();
    }
}

/// What the fuzz target keeps.
#[test]
fn the_kept_corpus_holds() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus/traces");
    let inputs: Vec<_> = corpus.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(inputs.len() > 3);
    for path in &inputs {
        traces(&std::fs::read(path).unwrap());
    }
}

#[test]
fn what_is_lost_is_noticed() {
    let event = Event::parse(r#"{"id": "a", "type": "decision", "timestamp": 1, "content": "x"}"#).unwrap();
    let other = Event::parse(r#"{"id": "b", "type": "decision", "timestamp": 1, "content": "x"}"#).unwrap();
    let compacted = compact_events(std::slice::from_ref(&event), Mode::Strict).unwrap();
    let lost = std::panic::catch_unwind(|| nothing_is_lost(&[event, other], &compacted));
    assert!(lost.is_err());
}
