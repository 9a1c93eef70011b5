//! The newest turns that fit, and nothing of the rest.

use crate::session::{Session, TurnId};

use super::{Entry, Limit, full};

/// See [`super::context`]. The newest turn is always in view, however large it is.
pub(super) fn entries(session: &Session, turn: TurnId, limit: Limit) -> Vec<Entry> {
    let mut newest_first: Vec<Entry> = Vec::new();
    let mut tokens = 0;
    for entry in session.path(turn).filter_map(|id| full::original(session, id)) {
        tokens += entry.tokens(session);
        let full = match limit {
            Limit::Turns(turns) => newest_first.len() as u64 >= u64::from(turns.max(1)),
            Limit::Tokens(budget) => !newest_first.is_empty() && tokens > budget,
        };
        if full {
            break;
        }
        newest_first.push(entry);
    }
    newest_first.reverse();
    newest_first
}
