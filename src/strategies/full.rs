//! No compaction: every original turn of the branch. A recorded summary is no original and is left out, except one
//! that opens its conversation: what it stands for is not in the file.

use crate::session::{Session, TurnId};

use super::Entry;

/// See [`super::context`].
pub(super) fn entries(session: &Session, turn: TurnId) -> Vec<Entry> {
    let mut newest_first: Vec<Entry> = session.path(turn).filter_map(|id| original(session, id)).collect();
    newest_first.reverse();
    newest_first
}

/// The entry for a turn of the path, if it belongs among the originals.
pub(super) fn original(session: &Session, id: TurnId) -> Option<Entry> {
    if !session.turn(id).is_summary() {
        return Some(Entry::Turn(id));
    }
    let compaction = session.compaction_of(id)?;
    let opens = compaction.covers.is_empty() && compaction.kept.is_empty();
    opens.then_some(Entry::Summary { turn: id, generation: compaction.generation })
}
