//! What a compaction covered, kept and left on other branches, worked out when its summary arrives.

use std::collections::BTreeSet;

use crate::formats::facts::{Again, Boundary, Id, KeptFrom, Role};
use crate::text::numbers::runs;

use super::compactions::{Provenance, SizeFrom};
use super::model::Session;
use super::turns::TurnId;

impl Session {
    /// Works out what the compaction at `index` with summary `turn` covers; `known` tells whether the log names an
    /// end of its range; where the kept run begins is known by itself. Of the messages that were written down again,
    /// those that are no earlier turn's stay.
    pub(super) fn cover(&mut self, index: usize, turn: TurnId, known: bool, boundary: &mut Boundary) {
        let Some(end) = self.before(turn) else {
            let compaction = &mut self.compactions[index];
            (compaction.complete, compaction.depth) = (Some(false), 1);
            return;
        };
        let mut path: Vec<TurnId> = Vec::new();
        for id in self.path(end) {
            path.push(id);
            let at = self.turn(id);
            if at.role == Role::Summary || at.is_root() {
                break;
            }
        }
        path.reverse();
        let Some(start) = path.first().copied() else { return };
        let first_row = self.turn(start).first_row;
        let last_row =
            self.compactions[index].boundary_row.unwrap_or(self.turn(turn).first_row).saturating_sub(1);
        // What the compaction before kept stands above its summary and was in view with it.
        let mut in_view: Vec<TurnId> = self
            .compaction_of(start)
            .into_iter()
            .flat_map(|before| before.kept.iter().flat_map(|(from, to)| *from..=*to))
            .filter_map(|number| self.numbered(0, number))
            .collect();
        in_view.extend(&path);
        let known = known || self.kept_from(boundary, &in_view).is_some();
        let mut kept = self.kept_turns(boundary, &in_view);
        kept.extend(self.found_again(&mut boundary.again, &in_view));
        kept.sort_unstable();
        kept.dedup();
        let numbers = |ids: &mut dyn Iterator<Item = TurnId>| runs(ids.map(|id| self.turn(id).number));
        let covers = numbers(&mut in_view.iter().copied().filter(|id| kept.binary_search(id).is_err()));
        let kept_ranges = numbers(&mut kept.iter().copied());
        let on_path = |id: &TurnId| path.binary_search(id).is_ok();
        let span = self.turn(start).number..self.turn(turn).number;
        let abandoned = numbers(&mut span.filter_map(|n| self.numbered(0, n)).filter(|id| !on_path(id)));
        let broken = path.iter().any(|id| self.turn(*id).is_dangling());
        let complete = self.is_complete(&path, first_row, last_row);
        let depth =
            1 + path.iter().filter_map(|id| self.compaction_of(*id)).map(|c| c.depth).max().unwrap_or(0);
        let logged = self.context_size(self.turn(end).number).map(|(tokens, _)| u64::from(tokens));
        let compaction = &mut self.compactions[index];
        if compaction.tokens_before.is_none() {
            compaction.tokens_before = logged;
            compaction.before_from = logged.map(|_| SizeFrom::Usage);
        }
        compaction.unbroken = !broken;
        compaction.provenance = if known && !broken { Provenance::Exact } else { Provenance::Positional };
        compaction.covers = covers;
        compaction.kept = kept_ranges;
        compaction.abandoned = abandoned;
        compaction.complete = complete;
        compaction.depth = depth;
        compaction.rows = Some((first_row, last_row));
    }

    /// The turns of `in_view` that the boundary says were kept.
    fn kept_turns(&self, boundary: &Boundary, in_view: &[TurnId]) -> Vec<TurnId> {
        let turn_of = |id: &Id| self.ids.get(id).and_then(|row| self.rows.anchor(*row).some());
        if !boundary.kept.is_empty() {
            return boundary
                .kept
                .iter()
                .filter_map(turn_of)
                .filter(|id| in_view.binary_search(id).is_ok())
                .collect();
        }
        if let Some((head, tail)) = boundary.kept_segment
            && let (Some(head), Some(tail)) = (turn_of(&head), turn_of(&tail))
        {
            return in_view.iter().copied().filter(|id| (head..=tail).contains(id)).collect();
        }
        let Some(from) = self.kept_from(boundary, in_view) else { return Vec::new() };
        // An older summary in that run is replaced by the new one.
        let stays = |id: &TurnId| self.turn(*id).first_row >= from && !self.turn(*id).is_summary();
        in_view.iter().copied().filter(stays).collect()
    }

    /// The row at which the kept run begins; nothing where it begins on a path that was left.
    fn kept_from(&self, boundary: &Boundary, in_view: &[TurnId]) -> Option<u32> {
        let row = self.row_kept_from(boundary.kept_from?)?;
        let on_path = self.rows.anchor(row).some().is_none_or(|turn| in_view.contains(&turn));
        on_path.then_some(row)
    }

    /// The row at which the kept run begins.
    fn row_kept_from(&self, from: KeptFrom) -> Option<u32> {
        match from {
            KeptFrom::Record(id) => self.ids.get(&id).copied(),
            KeptFrom::Entry(number) => {
                let mut row = u32::try_from(number).ok()?;
                for (malformed, _) in &self.malformed {
                    row = row.saturating_add(u32::from(*malformed <= row));
                }
                ((row as usize) < self.rows.len()).then_some(row)
            }
        }
    }

    /// The turns of `in_view` that say what a message of `again` says, the newest that is not taken yet for each;
    /// such messages are taken out of `again`. What the agent keeps are the newest messages.
    fn found_again(&self, again: &mut Vec<Again>, in_view: &[TurnId]) -> BTreeSet<TurnId> {
        let mut found = BTreeSet::new();
        let mut left: Vec<Again> = Vec::new();
        for message in std::mem::take(again).into_iter().rev() {
            let said = self.said.get(&message.said).map_or(&[][..], |turns| &turns[..]);
            // What was said before the first turn in view is not looked through: some things are said in every turn.
            let near = |id: &&TurnId| in_view.first().is_some_and(|first| *id >= first);
            let free = |id: &&TurnId| in_view.binary_search(id).is_ok() && !found.contains(*id);
            match said.iter().rev().take_while(near).find(free).copied() {
                Some(turn) => {
                    found.insert(turn);
                }
                None => left.push(message),
            }
        }
        left.reverse();
        *again = left;
        found
    }

    /// Whether every original of a range is in the log: not where a line in it is malformed or the file begins in
    /// the middle of a conversation; nobody can tell where the chain breaks inside.
    fn is_complete(&self, path: &[TurnId], first_row: u32, last_row: u32) -> Option<bool> {
        let from = self.malformed.partition_point(|(row, _)| *row < first_row);
        let malformed = self.malformed.get(from).is_some_and(|(row, _)| *row <= last_row);
        let begins_inside =
            path.first().is_some_and(|id| self.turn(*id).is_dangling() && self.turn(*id).number == 1);
        let elsewhere = self.header.as_ref().is_some_and(|header| header.begins_elsewhere)
            && path.first().is_some_and(|id| self.turn(*id).number == 1);
        if malformed || begins_inside || elsewhere {
            return Some(false);
        }
        let broken = path.iter().any(|id| self.turn(*id).is_dangling());
        (!broken).then_some(true)
    }
}
