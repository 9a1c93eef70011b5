//! The agent's own way: the newest summary on the path, the turns it kept, everything since.

use crate::session::{Compaction, Session, TurnId};

use super::Entry;

/// See [`super::context`]: what is seen on the path that ends in `turn`, after turn `number`.
pub(super) fn entries(session: &Session, turn: TurnId, number: u32) -> Vec<Entry> {
    let mut entries: Vec<Entry> = newest_first(session, turn, number).collect();
    entries.reverse();
    entries
}

/// The same from its end, one by one: a context that was never compacted holds every turn.
pub(super) fn newest_first(session: &Session, turn: TurnId, number: u32) -> impl Iterator<Item = Entry> {
    let summary = session.path(turn).find_map(|id| {
        let compaction = session.turn(id).is_summary().then(|| session.compaction_of(id)).flatten()?;
        Some((id, compaction))
    });
    let since = session.path(turn).take_while(move |id| summary.is_none_or(|(summary, _)| *id != summary));
    let since = since.map(move |id| shown(session, id, number));
    since.chain(summary.into_iter().flat_map(move |(id, compaction)| {
        let entry = Entry::Summary { turn: id, generation: compaction.generation };
        let (before, behind) = if compaction.kept_first { (Some(entry), None) } else { (None, Some(entry)) };
        before.into_iter().chain(kept(session, compaction, number)).chain(behind)
    }))
}

fn kept(session: &Session, compaction: &Compaction, number: u32) -> impl Iterator<Item = Entry> {
    let kept = compaction.kept.iter().rev().flat_map(|(from, to)| (*from..=*to).rev());
    let kept = kept.filter_map(move |kept| session.numbered(0, kept));
    kept.map(move |id| shown(session, id, number))
}

/// A turn as the model sees it after turn `number`: whole, or as a stub once its results were cleared.
fn shown(session: &Session, id: TurnId, number: u32) -> Entry {
    match session.cleared_at(id) {
        Some(at) if at <= number => Entry::Receipt { target: id },
        _ => Entry::Turn(id),
    }
}
