//! The compacted prompt of a session as of a turn, kept while the session grows and while one steps through it.
//!
//! Owns which lines it has: the turns of the path that are live, and receipts where pruned events stood, those that stand
//! together in one line. A branch that was left has its receipts where it was; what is neither live nor pruned (turns of
//! other branches and conversations, recorded summaries, events without words) stands beside the prompt, so that nothing
//! is out of sight. Moving to another turn, or taking in what came, looks only at turns of which something is another.

mod lines;

use std::collections::HashMap;

use crate::session::{Session, TurnId};

use super::super::super::full;
use super::super::outcome::Stage;
use super::super::receipt_line;
use super::super::{Place, prompt_tokens};
use super::Replay;
use super::item::Item;
use super::rows::{Entry, Row, Rows, Run};

/// A line of the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A turn.
    Turn(TurnId),
    /// The receipt of one event, by its place among all.
    Receipt(u32),
    /// Several receipts that stand together; the first of them.
    Run(u32),
}

/// What the prompt costs, and would cost whole. Of an agent's session these are estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tokens of all that was said.
    pub before: u64,
    /// Tokens of the prompt.
    pub after: u64,
    /// Those of them that receipts cost.
    pub receipts: u64,
    /// Events that a stage pruned, and results that the agent itself cleared.
    pub pruned: u64,
    /// See `pruned`.
    pub cleared: u64,
    /// Events that a stage would have pruned.
    pub kept: u64,
}

/// The stages in their order, and behind them what the log records.
pub const STAGES: usize = Stage::ALL.len() + 1;

/// What one stage pruned, as of the turn.
#[derive(Clone, Debug, Default)]
struct Share {
    /// In the order in which the events came.
    receipts: Vec<u32>,
    tokens: u64,
}

/// The prompt.
#[derive(Debug, Default)]
pub struct Prompt {
    as_of: u32,
    head: Option<TurnId>,
    /// How much of the replay's journal was looked at.
    seen: usize,
    on_path: Vec<bool>,
    rows: Rows,
    units: HashMap<TurnId, Unit>,
    beside: Vec<TurnId>,
    shares: [Share; STAGES],
    said: Sum,
    own: Sum,
    receipts: Sum,
    kept: u64,
}

/// Estimated tokens of a session's turns; of a trace, lines and their characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    tokens: u64,
    lines: u64,
    characters: u64,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.lines += other.lines;
        self.characters += other.characters;
    }

    fn take(&mut self, other: Self) {
        self.tokens -= other.tokens;
        self.lines -= other.lines;
        self.characters -= other.characters;
    }

    /// Its tokens: lines are parted by one character.
    fn total(self) -> u64 {
        self.tokens + prompt_tokens((self.characters + self.lines.saturating_sub(1)) as usize)
    }
}

/// What a turn adds.
#[derive(Clone, Debug, Default)]
struct Unit {
    place: Place,
    live: bool,
    beside: bool,
    receipts: Box<[Receipt]>,
    said: Sum,
    own: Sum,
    kept: u64,
}

#[derive(Clone, Copy, Debug)]
struct Receipt {
    item: u32,
    stage: usize,
    tokens: u64,
}

/// The place of a stage among all; of what the log records, the last.
pub fn stage_place(stage: Option<Stage>) -> usize {
    stage.map_or(Stage::ALL.len(), |stage| stage as usize)
}

impl Prompt {
    /// The prompt as of turn `as_of`, of which as much is there as was replayed.
    pub fn move_to(&mut self, session: &Session, replay: &Replay, as_of: u32) {
        // The newest turn is shown before it is whole.
        let to = if as_of > replay.begun + 1 { replay.begun } else { as_of };
        let from = std::mem::replace(&mut self.as_of, to);
        let mut touched = replay.changed_between(from.min(to), from.max(to));
        let news = &replay.journal[self.seen..];
        touched.extend(news.iter().filter(|(at, _)| *at <= to).map(|(_, turn)| *turn));
        self.seen = replay.journal.len();
        let between = from.min(to) + 1..=from.max(to);
        touched.extend(between.filter_map(|number| session.numbered(0, number)));
        self.walk(session, session.head(to), &mut touched);
        // It may have grown.
        touched.extend(session.numbered(0, to));
        touched.sort_unstable();
        touched.dedup();
        for turn in touched {
            self.refresh(session, replay, turn);
        }
    }

    /// Moves the end of the path, and finds whose part of it that changes.
    fn walk(&mut self, session: &Session, head: Option<TurnId>, touched: &mut Vec<TurnId>) {
        let (mut left, mut kept) = (std::mem::replace(&mut self.head, head), head);
        let number = |id: Option<TurnId>| id.map_or(0, |id| session.turn(id).number);
        while left != kept {
            let (at, on) = if number(left) > number(kept) { (&mut left, false) } else { (&mut kept, true) };
            let Some(id) = *at else { break };
            let place = id.0 as usize;
            if place >= self.on_path.len() {
                self.on_path.resize(place + 1, false);
            }
            self.on_path[place] = on;
            touched.push(id);
            *at = session.before(id);
        }
    }

    /// Looks at a turn anew.
    fn refresh(&mut self, session: &Session, replay: &Replay, turn: TurnId) {
        if session.turn(turn).thread != 0 {
            return;
        }
        let new = (session.turn(turn).number <= self.as_of).then(|| self.unit(session, replay, turn));
        let old = self.units.remove(&turn);
        if let Some(old) = old {
            self.forget(replay, turn, &old);
        }
        if let Some(new) = new {
            self.keep(replay, turn, new);
        }
    }

    fn unit(&self, session: &Session, replay: &Replay, turn: TurnId) -> Unit {
        let is_trace = session.format.is_trace();
        let said = replay.of_turn.get(&turn);
        let stamped = said.and_then(|said| said.places.iter().rev().find(|(at, _)| *at <= self.as_of));
        let withdrawn = session.withdrawn_at(turn).is_some_and(|at| at <= self.as_of);
        let on_path = self.on_path.get(turn.0 as usize).is_some_and(|on| *on) && !withdrawn;
        let mut gone = vec![false; session.part_count(turn)];
        let mut receipts = Vec::new();
        for item in said.map(|said| &*said.items).unwrap_or_default() {
            let event: &Item = &replay.items[*item as usize];
            let Some((_, why)) = event.pruned(self.as_of) else { continue };
            // A branch that an agent's session went back to is no dead one; a trace has only its own word.
            if why.stage == Some(Stage::Sweep) && on_path && !is_trace {
                continue;
            }
            let own = event.parts.iter().filter(|(of, _)| *of == turn);
            own.for_each(|(_, part)| {
                gone.iter_mut().skip(*part as usize).take(1).for_each(|gone| *gone = true);
            });
            // It stands where the first of its parts stood.
            if event.parts.first().is_some_and(|(of, _)| *of == turn) {
                let tokens = tokens_of(session, replay, event);
                receipts.push(Receipt { item: *item, stage: stage_place(why.stage), tokens });
            }
        }
        let characters = said.map_or(0, |said| u64::from(said.characters));
        let rests = gone.is_empty() || gone.contains(&false);
        let told = if is_trace { characters > 0 } else { full::original(session, turn).is_some() };
        let live = rests && on_path && told;
        let whole = Sum { tokens: 0, lines: u64::from(characters > 0), characters };
        let of_parts = |wanted: bool| {
            let parts = session.parts(turn).zip(&gone).filter(|(_, gone)| **gone == wanted);
            Sum { tokens: parts.map(|((_, part), _)| u64::from(part.tokens)).sum(), ..Sum::default() }
        };
        let own = if !live {
            Sum::default()
        } else if is_trace {
            whole
        } else {
            of_parts(false)
        };
        let mut all = if is_trace { whole } else { own };
        if !is_trace {
            all.add(of_parts(true));
        }
        Unit {
            place: stamped.map_or(Place::LAST, |(_, place)| *place),
            live,
            beside: rests && !live,
            receipts: receipts.into(),
            said: all,
            own,
            kept: replay.kept(turn, self.as_of).len() as u64,
        }
    }

    fn keep(&mut self, replay: &Replay, turn: TurnId, unit: Unit) {
        if unit.live || !unit.receipts.is_empty() {
            let receipts = unit.receipts.len() as u32;
            let tokens = unit.receipts.iter().map(|receipt| receipt.tokens).sum();
            let entry = Entry { place: unit.place, turn, live: unit.live, receipts, tokens };
            self.units.insert(turn, unit.clone());
            self.around(replay, unit.place, |rows| rows.put(entry));
        }
        if unit.beside
            && let Err(at) = self.beside.binary_search(&turn)
        {
            self.beside.insert(at, turn);
        }
        for receipt in &unit.receipts {
            let share = &mut self.shares[receipt.stage];
            share.tokens += receipt.tokens;
            if let Err(at) = share.receipts.binary_search(&receipt.item) {
                share.receipts.insert(at, receipt.item);
            }
        }
        self.said.add(unit.said);
        self.own.add(unit.own);
        self.kept += unit.kept;
        self.units.insert(turn, unit);
    }

    fn forget(&mut self, replay: &Replay, turn: TurnId, unit: &Unit) {
        if unit.live || !unit.receipts.is_empty() {
            self.units.insert(turn, unit.clone());
            self.around(replay, unit.place, |rows| rows.take(unit.place));
            self.units.remove(&turn);
        }
        if unit.beside
            && let Ok(at) = self.beside.binary_search(&turn)
        {
            self.beside.remove(at);
        }
        for receipt in &unit.receipts {
            let share = &mut self.shares[receipt.stage];
            share.tokens -= receipt.tokens;
            if let Ok(at) = share.receipts.binary_search(&receipt.item) {
                share.receipts.remove(at);
            }
        }
        self.said.take(unit.said);
        self.own.take(unit.own);
        self.kept -= unit.kept;
    }

    /// Changes the lines at a place, and counts those of receipts around it anew: runs part there, or join.
    fn around(&mut self, replay: &Replay, place: Place, change: impl FnOnce(&mut Rows)) {
        let first = self.rows.before(place).rows.saturating_sub(1);
        let sum = |prompt: &Self| {
            let last = prompt.rows.before(place).rows + prompt.rows.rows_around(place);
            let mut sum = Sum::default();
            (first..last).for_each(|row| sum.add(prompt.cost(replay, row)));
            sum
        };
        let before = sum(self);
        change(&mut self.rows);
        self.receipts.take(before);
        let after = sum(self);
        self.receipts.add(after);
    }

    /// What line `row` costs, where it is one of receipts.
    fn cost(&self, replay: &Replay, row: usize) -> Sum {
        let Some(Row::Receipts(Run { first, count, .. })) = self.rows.row(row) else { return Sum::default() };
        let name = self.nth_receipt(first).map_or("", |item| &*replay.items[item as usize].id);
        let characters = receipt_line(name, count.saturating_sub(1)).chars().count() as u64;
        Sum { tokens: 0, lines: 1, characters }
    }
}

/// What an event costs that is pruned.
pub(super) fn tokens_of(session: &Session, replay: &Replay, event: &Item) -> u64 {
    if session.format.is_trace() {
        let turn = event.parts.first().and_then(|(turn, _)| replay.of_turn.get(turn));
        return prompt_tokens(turn.map_or(0, |said| said.characters) as usize);
    }
    let parts = event.parts.iter().filter_map(|(turn, part)| session.nth_part(*turn, *part as usize));
    parts.map(|(_, part)| u64::from(part.tokens)).sum()
}
