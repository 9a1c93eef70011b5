#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]

use std::collections::BTreeSet;
use std::io::Write;

use proptest::prelude::*;

use super::{
    BLOCKS, CONTEXT_GC, Context, Entry, Limit, NAMES, RECEIPT_TOKENS, RECURSIVE, Strategy, UNION_FIND,
    context, fill,
};
use crate::random_log;
use crate::session::load::load;
use crate::session::{Session, TurnId};

/// A session of random records; none where nothing in them tells the format.
fn session(seeds: &[random_log::Seed]) -> Option<Session> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&random_log::build(seeds)).unwrap();
    load(file.path()).ok()
}

/// Numbers of the turns that are shown, a summary's own among them.
fn numbers(session: &Session, context: &Context) -> Vec<u32> {
    context.entries.iter().filter_map(Entry::turn).map(|turn| session.turn(turn).number).collect()
}

/// The path of turn `number` from its root on.
fn path(session: &Session, number: u32) -> Vec<TurnId> {
    let mut path: Vec<TurnId> =
        session.numbered(0, number).into_iter().flat_map(|id| session.path(id)).collect();
    path.reverse();
    path
}

/// Whether it is an original, or a summary whose originals are in no turn of the file.
fn is_original(session: &Session, id: TurnId) -> bool {
    match session.compaction_of(id) {
        Some(compaction) => compaction.covers.is_empty() && compaction.kept.is_empty(),
        None => true,
    }
}

fn strategies(limit: u32) -> [Strategy; 4] {
    [
        Strategy::Recorded,
        Strategy::Full,
        Strategy::Truncate(Limit::Turns(limit)),
        Strategy::Truncate(Limit::Tokens(u64::from(limit) * 10)),
    ]
}

/// The contexts as of every turn, under every strategy.
fn contexts(session: &Session, limit: u32) -> impl Iterator<Item = Context> {
    let moments = move |strategy| (0..=session.last()).map(move |as_of| context(session, strategy, as_of));
    strategies(limit).into_iter().flat_map(moments)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tokens_of_a_context_are_those_of_its_parts_and_stubs(
        seeds in random_log::seeds(60),
        limit in 0..20u32,
    ) {
        let Some(session) = session(&seeds) else { return Ok(()) };
        for context in contexts(&session, limit) {
            let (strategy, as_of) = (context.strategy, context.as_of);
            let by_parts: u64 = context.entries.iter().map(|entry| match entry {
                Entry::Receipt { .. } => RECEIPT_TOKENS,
                entry => {
                    let parts = entry.turn().into_iter().flat_map(|turn| session.parts(turn));
                    parts.map(|(_, part)| u64::from(part.tokens)).sum()
                }
            }).sum();
            prop_assert_eq!(context.tokens, by_parts, "{} as of {}", strategy, as_of);
            let kinds = fill::fill(&session, &context.entries).kinds;
            let by_share: u64 = kinds.iter().map(|share| share.tokens).sum();
            prop_assert_eq!(context.tokens, by_share, "what fills {} as of {}", strategy, as_of);
        }
    }

    #[test]
    fn entries_rise_and_only_a_summary_that_kept_turns_stands_before_older_ones(
        seeds in random_log::seeds(60),
        limit in 0..20u32,
    ) {
        let Some(session) = session(&seeds) else { return Ok(()) };
        for context in contexts(&session, limit) {
            let (strategy, as_of) = (context.strategy, context.as_of);
            let numbers = numbers(&session, &context);
            let opens = matches!(context.entries.first(), Some(Entry::Summary { .. }));
            let rest = &numbers[usize::from(opens && strategy == Strategy::Recorded.name())..];
            prop_assert!(rest.is_sorted_by(|a, b| a < b), "{} as of {}: {:?}", strategy, as_of, numbers);
            prop_assert!(numbers.iter().all(|n| *n <= as_of), "{} as of {}: {:?}", strategy, as_of, numbers);
            if strategy == Strategy::Recorded.name() {
                let more = context.entries.iter().skip(1).any(|entry| matches!(entry, Entry::Summary { .. }));
                prop_assert!(!more, "a second summary as of {}", as_of);
            }
        }
    }

    #[test]
    fn recorded_holds_the_newest_summary_its_kept_turns_and_the_path_since(seeds in random_log::seeds(60)) {
        let Some(session) = session(&seeds) else { return Ok(()) };
        for as_of in 1..=session.last() {
            let path = path(&session, as_of);
            let newest = path.iter().rposition(|id| session.turn(*id).is_summary());
            let mut expected: BTreeSet<u32> =
                path[newest.unwrap_or(0)..].iter().map(|id| session.turn(*id).number).collect();
            let summary = newest.and_then(|at| session.compaction_of(path[at]));
            expected.extend(summary.iter().flat_map(|c| c.kept.iter().flat_map(|(from, to)| *from..=*to)));
            let context = context(&session, Strategy::Recorded, as_of);
            let shown = numbers(&session, &context);
            prop_assert_eq!(shown.iter().copied().collect::<BTreeSet<_>>(), expected, "as of {}", as_of);
            if let Some(summary) = summary {
                prop_assert!(shown.iter().all(|number| !summary.covers_number(*number)), "as of {}", as_of);
            }
        }
    }

    #[test]
    fn full_holds_every_original_turn_of_the_path(seeds in random_log::seeds(60)) {
        let Some(session) = session(&seeds) else { return Ok(()) };
        for as_of in 1..=session.last() {
            let expected: Vec<u32> = path(&session, as_of)
                .into_iter()
                .filter(|id| is_original(&session, *id))
                .map(|id| session.turn(id).number)
                .collect();
            prop_assert_eq!(numbers(&session, &context(&session, Strategy::Full, as_of)), expected);
        }
    }

    #[test]
    fn truncation_shows_the_newest_turns_that_fit_and_the_newest_one_always(
        seeds in random_log::seeds(60),
        turns in 0..20u32,
        tokens in 0..200u64,
    ) {
        let Some(session) = session(&seeds) else { return Ok(()) };
        for as_of in 1..=session.last() {
            let full = context(&session, Strategy::Full, as_of);
            for limit in [Limit::Turns(turns), Limit::Tokens(tokens)] {
                let cut = context(&session, Strategy::Truncate(limit), as_of);
                let left_out = full.entries.len() - cut.entries.len();
                prop_assert_eq!(&cut.entries[..], &full.entries[left_out..], "{:?} as of {}", limit, as_of);
                if full.entries.is_empty() {
                    continue;
                }
                prop_assert!(!cut.entries.is_empty(), "{:?} as of {}: no newest turn", limit, as_of);
                let fits = |entries: &[Entry]| match limit {
                    Limit::Turns(turns) => entries.len() as u64 <= u64::from(turns),
                    Limit::Tokens(tokens) => {
                        entries.iter().map(|entry| entry.tokens(&session)).sum::<u64>() <= tokens
                    }
                };
                let alone = cut.entries.len() == 1;
                prop_assert!(fits(&cut.entries) || alone, "{:?} as of {}: too much", limit, as_of);
                if left_out > 0 {
                    let one_more = &full.entries[left_out - 1..];
                    prop_assert!(!fits(one_more), "{:?} as of {}: one more would fit", limit, as_of);
                }
            }
        }
    }
}

#[test]
fn a_strategy_is_read_back_from_its_name_and_another_name_lists_them() {
    // The others are no strategies of the session alone.
    for name in NAMES.into_iter().filter(|name| ![BLOCKS, RECURSIVE, UNION_FIND, CONTEXT_GC].contains(name)) {
        assert_eq!(name.parse::<Strategy>().unwrap().name(), name);
    }
    let message = "magic".parse::<Strategy>().unwrap_err();
    assert!(NAMES.iter().all(|name| message.contains(name)), "{message}");
}

#[test]
fn before_the_first_turn_and_behind_the_last_nothing_is_in_view() {
    let session = session(&[[0, 0, 1, 255]; 3]).unwrap();
    for strategy in strategies(5) {
        for as_of in [0, session.last() + 1] {
            let context = context(&session, strategy, as_of);
            assert_eq!((context.entries.len(), context.tokens), (0, 0), "{strategy} as of {as_of}");
        }
    }
}
