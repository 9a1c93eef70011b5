//! Sizes of the context: what the log says of them, and where that stands.

use crate::formats::facts::Role;

use super::compactions::SizeFrom;
use super::{Compaction, Session, TurnId};

/// The window that is taken for granted where none is logged.
const USUAL: u32 = 200_000;
/// The window of a model that can read more.
const LARGE: u32 = 1_000_000;

impl Session {
    /// The logged size of the context as of turn `number` of the main thread, and the turn that logged it: the
    /// newest closed assistant turn on the path. Nothing where none was logged since the compaction before it.
    pub fn context_size(&self, number: u32) -> Option<(u32, TurnId)> {
        let mut at = self.head(number)?;
        loop {
            let turn = self.turn(at);
            if turn.context > 0 {
                return Some((turn.context, at));
            }
            if turn.role == Role::Summary {
                return None;
            }
            at = turn.prev.some()?;
        }
    }

    /// The size of the model's window in tokens, and whether it was logged. Claude Code and pi log none, so it is
    /// taken to be 200,000, or a million where more than 200,000 tokens were in use or the model's name says so.
    pub fn window(&self) -> (u32, bool) {
        if let Some(logged) = self.window {
            return (logged, true);
        }
        let named = self.models.iter().any(|model| model.contains("[1m]"));
        let used = self.largest_context() > USUAL;
        (if named || used { LARGE } else { USUAL }, false)
    }

    /// The largest context logged, looking only where it can be: before each compaction and at the end.
    fn largest_context(&self) -> u32 {
        let before = self.compactions.iter().filter_map(|c| c.tokens_before).max().unwrap_or(0);
        let now = self.context_size(self.last()).map_or(0, |(tokens, _)| tokens);
        now.max(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// Context size after a compaction: as its own record says, else as logged for the first turn after it that
    /// logged any.
    pub fn size_after(&self, compaction: &Compaction) -> Option<(u64, SizeFrom)> {
        if let Some(logged) = compaction.tokens_after {
            return Some((logged, SizeFrom::Boundary));
        }
        let summary = self.turn(compaction.summary?).number;
        let after = (summary..).map_while(|number| self.numbered(0, number)).map(|id| self.turn(id));
        let mut after = after.take_while(|turn| !turn.is_summary() || turn.number == summary);
        after.find(|turn| turn.context > 0).map(|turn| (u64::from(turn.context), SizeFrom::Usage))
    }
}
