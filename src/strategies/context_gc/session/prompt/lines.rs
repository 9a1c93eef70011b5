//! The lines of the compacted prompt, as they are asked for: by their places, by receipt, by stage, and as a context.

use crate::session::{Session, TurnId};

use super::super::super::super::{CONTEXT_GC, Context, Entry, StubsEntry};
use super::super::super::outcome::Stage;
use super::super::Replay;
use super::super::rows::{Row, Run};
use super::{Prompt, Share, Spot, Totals};

impl Prompt {
    /// What the model would see: the same lines, and the same tokens in all.
    pub(in super::super) fn context(&self, session: &Session, replay: &Replay) -> Context {
        let entries = (0..self.len()).filter_map(|row| self.entry(session, replay, row)).collect();
        Context { as_of: self.as_of, strategy: CONTEXT_GC, entries, tokens: self.totals().after }
    }

    fn entry(&self, session: &Session, replay: &Replay, row: usize) -> Option<Entry> {
        let (first, items) = match self.spot(row)? {
            Spot::Turn(turn) => {
                let tokens = self.units.get(&turn)?.own.total();
                let is_whole = tokens == u64::from(session.turn(turn).tokens);
                let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
                return Some(if is_whole { Entry::Turn(turn) } else { Entry::Said { turn, tokens } });
            }
            Spot::Receipt(item) => (item, vec![item]),
            Spot::Run(first) => {
                let of = 0..self.run_len(replay, first);
                (first, of.filter_map(|index| self.in_run(replay, first, index)).collect())
            }
        };
        let (turn, _) = replay.origin(first)?;
        Some(Entry::Stubs(Box::new(StubsEntry { turn, items, tokens: self.cost(replay, row).total() })))
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.rows.len().rows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The line at `row`.
    pub fn spot(&self, row: usize) -> Option<Spot> {
        Some(match self.rows.row(row)? {
            Row::Turn(turn) => Spot::Turn(turn),
            Row::Receipts(run) if run.count == 1 => Spot::Receipt(self.nth_receipt(run.first)?),
            Row::Receipts(run) => Spot::Run(self.nth_receipt(run.first)?),
        })
    }

    pub(super) fn nth_receipt(&self, nth: usize) -> Option<u32> {
        let (turn, index) = self.rows.receipt(nth)?;
        self.units.get(&turn)?.receipts.get(index).map(|receipt| receipt.item)
    }

    /// The line of a turn that is live.
    pub fn row_of(&self, turn: TurnId) -> Option<usize> {
        let unit = self.units.get(&turn).filter(|unit| unit.live)?;
        Some(self.rows.before(unit.place).rows)
    }

    /// Where the receipt of an event stands: its line, how many receipts that has, and which of them it is.
    pub fn stands(&self, replay: &Replay, item: u32) -> Option<(usize, usize, usize)> {
        let (turn, _) = replay.items.get(item as usize)?.parts.first()?;
        let unit = self.units.get(turn)?;
        let index = unit.receipts.iter().position(|receipt| receipt.item == item)?;
        let before = self.rows.before(unit.place);
        let nth = before.receipts + index;
        let of = |row: usize| match self.rows.row(row)? {
            Row::Receipts(run) => {
                nth.checked_sub(run.first).filter(|at| *at < run.count).map(|at| (row, run.count, at))
            }
            Row::Turn(_) => None,
        };
        let behind = before.rows + usize::from(unit.live);
        of(behind).or_else(|| of(behind.checked_sub(1)?))
    }

    /// The receipts that stand together with that of `first`, if that is the first of several.
    fn run(&self, replay: &Replay, first: u32) -> Option<Run> {
        let (row, _, _) = self.stands(replay, first).filter(|(_, count, at)| *count > 1 && *at == 0)?;
        match self.rows.row(row)? {
            Row::Receipts(run) => Some(run),
            Row::Turn(_) => None,
        }
    }

    /// How many receipts stand together with that of `first`, which is the first of them.
    pub fn run_len(&self, replay: &Replay, first: u32) -> usize {
        self.run(replay, first).map_or(0, |run| run.count)
    }

    /// Tokens of what they stand for.
    pub fn run_tokens(&self, replay: &Replay, first: u32) -> u64 {
        self.run(replay, first).map_or(0, |run| run.tokens)
    }

    /// The receipt at `index` among them.
    pub fn in_run(&self, replay: &Replay, first: u32, index: usize) -> Option<u32> {
        let run = self.run(replay, first)?;
        if index < run.count { self.nth_receipt(run.first + index) } else { None }
    }

    /// The receipts of a stage.
    pub fn of_stage(&self, stage: usize) -> &[u32] {
        self.shares.get(stage).map(|share| &*share.receipts).unwrap_or_default()
    }

    /// Tokens of what a stage pruned.
    pub fn stage_tokens(&self, stage: usize) -> u64 {
        self.shares.get(stage).map_or(0, |share| share.tokens)
    }

    /// Turns that are neither live nor pruned.
    pub fn beside(&self) -> &[TurnId] {
        &self.beside
    }

    /// The receipts that stand where a turn stood, or behind what rests of it.
    pub fn receipts_at(&self, turn: TurnId) -> impl Iterator<Item = u32> {
        let receipts = self.units.get(&turn).map(|unit| &*unit.receipts).unwrap_or_default();
        receipts.iter().map(|receipt| receipt.item)
    }

    /// What it costs.
    pub fn totals(&self) -> Totals {
        let mut all = self.own;
        all.add(self.receipts);
        let after = all.total();
        let count = |shares: &[Share]| shares.iter().map(|share| share.receipts.len() as u64).sum();
        let (stages, recorded) = self.shares.split_at(Stage::ALL.len());
        Totals {
            before: self.said.total(),
            after,
            receipts: after - self.own.total(),
            pruned: count(stages),
            cleared: count(recorded),
            kept: self.kept,
        }
    }
}
