//! The agent's own way: the newest summary on the path, the turns it kept, everything since.

use crate::session::{Compaction, Session, TurnId};

use super::Entry;

/// See [`super::context`]: what is seen on the path that ends in `turn`, after turn `number`.
pub(super) fn entries(session: &Session, turn: TurnId, number: u32) -> Vec<Entry> {
    let mut newest_first = Vec::new();
    for id in session.path(turn) {
        if session.turn(id).is_summary()
            && let Some(compaction) = session.compaction_of(id)
        {
            let summary = Entry::Summary { turn: id, generation: compaction.generation };
            if compaction.kept_first {
                newest_first.push(summary);
                push_kept(session, compaction, number, &mut newest_first);
            } else {
                push_kept(session, compaction, number, &mut newest_first);
                newest_first.push(summary);
            }
            break;
        }
        newest_first.push(shown(session, id, number));
    }
    newest_first.reverse();
    newest_first
}

fn push_kept(session: &Session, compaction: &Compaction, number: u32, newest_first: &mut Vec<Entry>) {
    let kept = compaction.kept.iter().rev().flat_map(|(from, to)| (*from..=*to).rev());
    let kept = kept.filter_map(|kept| session.numbered(0, kept));
    newest_first.extend(kept.map(|id| shown(session, id, number)));
}

/// A turn as the model sees it after turn `number`: whole, or as a stub once its results were cleared.
fn shown(session: &Session, id: TurnId, number: u32) -> Entry {
    match session.cleared_at(id) {
        Some(at) if at <= number => Entry::Receipt { target: id },
        _ => Entry::Turn(id),
    }
}
