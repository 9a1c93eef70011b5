//! The reply tree: what hangs on what, where it forks, what a fork leaves behind.
//!
//! Records name their parents, but the tree of turns is coarser than the tree of records: an assistant message with
//! parallel calls and the results of those calls form one *step*, whose records hang on one another in any order.
//! Only a record that hangs on an earlier step than the newest one forks the path.

use crate::formats::facts::{Parent, Role};

use super::model::Session;
use super::turns::{NEVER, Row, Turn, TurnId};

/// What the record that a record hangs on leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hang {
    /// The record names nothing.
    Absent,
    /// It says that it has no parent.
    Root,
    /// The record it names, or one that leads there, is not in the file.
    Dangling,
    /// The chain begins with notes: no turn comes before. They stand before all turns, or only before their own.
    Nowhere { first: bool },
    /// A turn.
    At(TurnId),
}

impl Hang {
    pub(super) fn turn(self) -> TurnId {
        match self {
            Self::At(turn) => turn,
            _ => TurnId::NONE,
        }
    }
}

/// Where a new turn goes.
pub(super) struct Place {
    pub(super) prev: TurnId,
    pub(super) flags: u8,
}

impl Session {
    /// Follows `parent` through notes and echoes to a turn.
    pub(super) fn hang(&self, parent: Parent) -> Hang {
        match parent {
            Parent::Absent => Hang::Absent,
            Parent::Root => Hang::Root,
            Parent::Of(id) => match self.ids.get(&id) {
                None => Hang::Dangling,
                Some(row) => {
                    let first = self.turns.get(0).is_none_or(|turn| *row < turn.first_row);
                    let row = self.row(*row);
                    match row.anchor.some() {
                        Some(turn) => Hang::At(turn),
                        None if row.is(Row::DANGLING) => Hang::Dangling,
                        None => Hang::Nowhere { first },
                    }
                }
            },
        }
    }

    /// Whether the record that turn `id` hangs on is in the file all the same: it is its own, or one behind it. For
    /// display only: it looks ahead.
    pub fn hangs_forward(&self, id: TurnId) -> bool {
        let row = self.turn(id).first_row;
        let lost = self.lost.binary_search_by_key(&row, |(row, _)| *row);
        lost.is_ok_and(|at| self.ids.contains_key(&self.lost[at].1))
    }

    /// The turn that the next one of a thread goes on from: its newest, unless a rewind went back since.
    pub(super) fn tip(&self, thread: usize) -> TurnId {
        let turns = &self.threads[thread].turns;
        match self.rewinds.last() {
            Some((at, to)) if thread == 0 && *at as usize == turns.len() => *to,
            _ => turns.last().unwrap_or(TurnId::NONE),
        }
    }

    /// Takes the newest `prompts` and all that followed them from the model's view.
    pub(super) fn rewind(&mut self, prompts: u32) {
        self.twins.clear();
        let now = self.last();
        let mut left = prompts;
        let mut at = self.tip(0);
        while let Some(id) = at.some().filter(|_| left > 0) {
            let turn = self.turn(id);
            // A rewind does not reach behind a summary: what that covers is no part of the history any more.
            if turn.is_summary() {
                break;
            }
            left -= u32::from(turn.role == Role::User && !turn.is_injected());
            at = turn.prev;
            self.stamp_abandoned(id, now);
        }
        if left < prompts {
            self.rewinds.push((now, at));
            let thread = &mut self.threads[0];
            thread.branches = thread.branches.saturating_add(1);
        }
    }

    /// Finds the turn before a new one of `step`, and stamps what a fork abandons.
    pub(super) fn place(&mut self, thread: usize, hang: Hang, step: u32, role: Role) -> Place {
        let tip = self.tip(thread);
        let in_file_order = |flags| Place { prev: tip, flags };
        match hang {
            Hang::At(turn) if self.format.is_tree() && usize::from(self.turn(turn).thread) == thread => {
                self.fork(thread, tip, turn);
                Place { prev: turn, flags: 0 }
            }
            // The first prompt was taken back and put in other words.
            Hang::Root | Hang::Nowhere { .. } if tip != TurnId::NONE && self.begins_anew(hang, role) => {
                self.fork(thread, tip, TurnId::NONE);
                Place { prev: TurnId::NONE, flags: Turn::ROOT }
            }
            Hang::Root if role == Role::User => Place { prev: TurnId::NONE, flags: Turn::ROOT },
            Hang::Dangling => in_file_order(Turn::DANGLING),
            Hang::Absent | Hang::Nowhere { .. } | Hang::Root => in_file_order(0),
            Hang::At(turn) => {
                let Some(newest) = tip.some() else { return in_file_order(0) };
                let hung = self.turn(turn);
                if usize::from(hung.thread) != thread {
                    return in_file_order(0);
                }
                let goes_on = hung.step == self.turn(newest).step || hung.step == step;
                if goes_on {
                    return in_file_order(0);
                }
                let prev = self.step_ends.get(hung.step).unwrap_or(TurnId::NONE);
                self.fork(thread, newest, prev);
                Place { prev, flags: 0 }
            }
        }
    }

    /// Whether a record of `role` that hangs before all turns leaves them behind. Where the log is no tree it may as
    /// well be the first of another conversation, or one whose chain is broken.
    fn begins_anew(&self, hang: Hang, role: Role) -> bool {
        self.format.is_tree() || (hang == Hang::Nowhere { first: true } && role == Role::User)
    }

    /// The path goes on from `from` instead of `tip`: stamps what is left behind and what comes back.
    fn fork(&mut self, thread: usize, tip: TurnId, from: TurnId) {
        let at = self.threads[thread].turns.len() as u32 + 1;
        let (mut left, mut kept) = (tip, from);
        let mut left_any = false;
        while left != kept {
            let number = |id: TurnId| id.some().map_or(0, |id| self.turn(id).number);
            if number(left) > number(kept) {
                self.stamp_abandoned(left, at);
                left_any = true;
                left = self.turn(left).prev;
            } else {
                self.stamp_revived(kept, at);
                kept = self.turn(kept).prev;
            }
        }
        if left_any {
            self.threads[thread].branches = self.threads[thread].branches.saturating_add(1);
        }
    }

    pub(super) fn stamp_abandoned(&mut self, id: TurnId, at: u32) {
        if let Some(history) = self.revived.get_mut(&id) {
            history.push((at, true));
        } else if self.turn(id).abandoned_at == NEVER {
            self.turns.change(id.0, |turn| turn.abandoned_at = at);
            self.left.push(id);
        }
    }

    /// The turns that were ever left behind or taken back, in the order in which they were; some came back.
    pub fn left(&self) -> &[TurnId] {
        &self.left
    }

    fn stamp_revived(&mut self, id: TurnId, at: u32) {
        let turn = self.turn(id);
        if turn.abandoned_at != NEVER && !turn.is_withdrawn() {
            let first = turn.abandoned_at;
            self.revived.entry(id).or_insert_with(|| vec![(first, true)]).push((at, false));
        }
    }

    /// Whether turn `id` was abandoned as of turn `number` of its thread.
    pub fn is_abandoned(&self, id: TurnId, number: u32) -> bool {
        match self.revived.get(&id) {
            Some(history) => {
                history.iter().rev().find(|(at, _)| *at <= number).is_some_and(|(_, abandoned)| *abandoned)
            }
            None => self.turn(id).abandoned_at <= number,
        }
    }

    /// Where the turn `number` of the main thread goes on from: the turn before it on its path, or the end of the
    /// conversation before where it begins one of its own.
    pub fn goes_on_from(&self, number: u32) -> Option<TurnId> {
        let own = self.numbered(0, number).and_then(|id| self.turn(id).prev.some());
        own.or_else(|| self.head(number.checked_sub(1)?))
    }

    /// All that leads to the turn `id` of the main thread, newest first: its path, then that of the conversation
    /// before in the same file, and so on. Turns that were left are not on it; prompts that were taken back are.
    pub fn line(&self, id: Option<TurnId>) -> impl Iterator<Item = TurnId> {
        std::iter::successors(id, |id| self.goes_on_from(self.turn(*id).number))
    }

    /// Whether nothing but new turns changed what the model sees from turn `from` to turn `to` of the main thread,
    /// both included: no results were cleared, no prompt was taken back, nothing was rewound.
    pub fn is_steady(&self, from: u32, to: u32) -> bool {
        let between = |at: u32| (from..=to).contains(&at);
        let rewound = self.rewinds.iter().rev().take_while(|(at, _)| *at >= from).any(|(at, _)| between(*at));
        let cleared = self.clearings.iter().rev().take_while(|clearing| clearing.turn >= from);
        !rewound
            && !cleared.map(|clearing| clearing.turn).any(between)
            && !self.withdrawn.values().copied().any(between)
    }

    /// The path of turn `id`, newest first: the turn itself, the one before it, and so on to its root. Prompts
    /// that were taken back from the queue by then are left out.
    pub fn path(&self, id: TurnId) -> impl Iterator<Item = TurnId> {
        let number = self.turn(id).number;
        let mut next = id.some();
        std::iter::from_fn(move || {
            loop {
                let at = next?;
                let turn = self.turn(at);
                next = turn.prev.some();
                let withdrawn =
                    turn.is_withdrawn() && self.withdrawn.get(&at).is_some_and(|at| *at <= number);
                if !withdrawn {
                    return Some(at);
                }
            }
        })
    }
}
