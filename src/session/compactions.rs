//! Recorded compactions: what each one covered, kept and left on other branches.
//!
//! The range of generation n starts at the previous summary (its text is part of what was summarised, with the turns
//! that it kept) or where the conversation begins, and ends before the boundary. Inside it the path decides what is covered; turns off the
//! path are abandoned, not covered. All of it is stamped when the summary arrives and never changes.

use crate::formats::facts::{Again, Boundary, Clearing as ClearingFacts, Id, PartKind, Role, TurnFacts};

use super::branches::Hang;
use super::grow::Line;
use super::model::Session;
use super::turns::{Row, RowKind, Turn, TurnId};

/// How the covered range is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// By ids: the log names the end, and an unbroken chain leads from there to the start.
    Exact,
    /// By position in the file.
    Positional,
    /// Not at all: what was summarised is not in this file.
    None,
}

impl Provenance {
    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Positional => "positional",
            Self::None => "none",
        }
    }
}

/// Where a size comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeFrom {
    /// The compaction's own record.
    Boundary,
    /// What was charged for the message next to it: near, but not the same.
    Usage,
}

impl SizeFrom {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boundary => "boundary",
            Self::Usage => "usage",
        }
    }

    /// `~` before a size that is only near.
    pub fn sign(self) -> &'static str {
        if self == Self::Usage { "~" } else { "" }
    }
}

/// A run of turn numbers of the main thread, both ends in it.
pub type Range = (u32, u32);

/// One recorded compaction.
#[derive(Clone, Debug)]
pub struct Compaction {
    /// Its number in the file, from 1.
    pub generation: u32,
    /// The row of its boundary; old versions left none.
    pub boundary_row: Option<u32>,
    /// The turn of its summary. None where a boundary stands alone: then nothing was compacted.
    pub summary: Option<TurnId>,
    /// What set it off, as logged.
    pub trigger: Option<Box<str>>,
    /// Context size before it; where it comes from says `before_from`.
    pub tokens_before: Option<u64>,
    /// Context size after it, as logged by its own record.
    pub tokens_after: Option<u64>,
    /// Where the size before comes from; None where there is none.
    pub before_from: Option<SizeFrom>,
    /// Estimated tokens of its summary; None without a summary, and where that cannot be read.
    pub summary_tokens: Option<u32>,
    /// Bytes of its summary, where only the model's provider can read it.
    pub encrypted: Option<u32>,
    /// Messages that it wrote down again and that are no earlier turn's.
    pub told_anew: u32,
    /// The turns it replaced.
    pub covers: Vec<Range>,
    /// Turns of its range that stayed in view word for word.
    pub kept: Vec<Range>,
    /// The model reads them before the summary, not behind it.
    pub kept_first: bool,
    /// Turns of its range on other branches.
    pub abandoned: Vec<Range>,
    /// How the range is known from the chain of records alone (see [`Session::provenance`]).
    pub(super) provenance: Provenance,
    /// Nothing breaks the chain inside the range.
    pub(super) unbroken: bool,
    /// Whether the originals are all in the log; None where that cannot be told.
    pub complete: Option<bool>,
    /// How many summaries stand between it and original turns: 1 for a summary of originals. At least this for a
    /// summary whose originals are in another file.
    pub depth: u32,
    /// First and last row of its range.
    pub rows: Option<(u32, u32)>,
}

/// A microcompaction, or a replacement of single results.
#[derive(Clone, Debug)]
pub struct Clearing {
    /// The number of the main thread's newest turn when it happened: it takes effect after that turn.
    pub turn: u32,
    /// The row of its record.
    pub row: u32,
    /// Tokens saved, as logged.
    pub tokens_saved: Option<u64>,
    /// Places of the cleared results among all parts.
    pub parts: Vec<u32>,
    /// The turns that hold them.
    pub turns: Vec<TurnId>,
}

/// A boundary whose summary has not come yet.
#[derive(Debug)]
pub struct Pending {
    index: usize,
    facts: Boundary,
    /// The thread's newest turn at the boundary.
    tip: TurnId,
}

impl Session {
    /// A compaction's mark.
    pub(super) fn boundary(&mut self, row: u32, id: Option<Id>, facts: Boundary) {
        let tip = self.tip(0);
        self.rows.hang(row, tip);
        // Every later compaction in the same process may write the old boundaries once more.
        let known = id.and_then(|id| self.boundaries.get(&id));
        if let Some((index, tokens_before)) = known
            && *tokens_before == facts.tokens_before
        {
            if let Some(summary) = self.compactions[*index].summary {
                self.rows.hang(row, summary);
            }
            return;
        }
        let index = self.compactions.len();
        if let Some(id) = id {
            self.boundaries.insert(id, (index, facts.tokens_before));
        }
        self.compactions.push(Compaction::marked(index as u32 + 1, row, &facts));
        self.pending = Some(Pending { index, facts, tip });
    }

    /// A summary: it completes the boundary right before it, or stands alone as old versions wrote it.
    pub(super) fn summary(&mut self, line: Line, row: u32, facts: &TurnFacts) {
        let tip = self.tip(0);
        // Between the two nobody speaks, but a person may queue a prompt.
        let pending = self.pending.take().filter(|pending| {
            let mut since = self.main().turns.iter().rev().take_while(|id| *id != pending.tip);
            since.all(|id| self.turn(id).is_queued())
        });
        let (index, mut boundary) = match pending {
            Some(pending) => (pending.index, pending.facts),
            None => (self.compactions.len(), Boundary::default()),
        };
        if index == self.compactions.len() {
            self.boundary(row, None, Boundary::default());
            self.pending = None;
            self.compactions[index].boundary_row = None;
        }
        let end = boundary
            .logical_parent
            .map_or(Hang::Absent, |id| self.hang(crate::formats::facts::Parent::Of(id)));
        let known_end = matches!(end, Hang::At(turn) if self.turn(turn).thread == 0);
        let step = self.step_ends.len() as u32;
        let place = if known_end { self.place(0, end, step, Role::Summary).prev } else { tip };
        let turn = self.summarised(index, line, row, place, facts);
        if let Some(mark) = self.compactions[index].boundary_row {
            self.rows.hang(mark, turn);
        }
        self.cover(index, turn, known_end, &mut boundary);
    }

    /// A compaction whose mark and summary are one record.
    pub(super) fn compacted(
        &mut self,
        line: Line,
        row: u32,
        hang: Hang,
        mut boundary: Boundary,
        facts: &TurnFacts,
    ) {
        let index = self.compactions.len();
        let mut compaction = Compaction::marked(index as u32 + 1, row, &boundary);
        compaction.boundary_row = None;
        self.compactions.push(compaction);
        let step = self.step_ends.len() as u32;
        let place = self.place(0, hang, step, Role::Summary).prev;
        let turn = self.summarised(index, line, row, place, facts);
        self.cover(index, turn, false, &mut boundary);
        let told_anew = self.tell_anew(turn, row, boundary.again);
        self.compactions[index].told_anew = told_anew;
    }

    /// The turn of the summary of the compaction at `index`.
    fn summarised(&mut self, index: usize, line: Line, row: u32, prev: TurnId, facts: &TurnFacts) -> TurnId {
        let step = self.step_ends.len() as u32;
        let sealed = facts.parts.iter().find(|part| part.kind == PartKind::Encrypted);
        let (sealed, tokens) =
            (sealed.map(|part| part.bytes), facts.parts.iter().map(|part| part.tokens).sum());
        let turn = self.add_turn(0, line, row, Role::Summary, prev, step, 0);
        self.extend(turn, row, facts);
        let compaction = &mut self.compactions[index];
        compaction.summary = Some(turn);
        compaction.encrypted = sealed;
        compaction.summary_tokens = sealed.is_none().then_some(tokens);
        turn
    }

    /// Messages that the compaction of `turn` wrote down and that are no earlier turn's: the model reads them with
    /// the summary, so they are parts of its turn. The answer is how many there are.
    fn tell_anew(&mut self, turn: TurnId, row: u32, again: Vec<Again>) -> u32 {
        let told = again.len() as u32;
        let mut whole = self.turn(turn);
        for message in again {
            for (index, part) in (u32::from(message.first)..).zip(&message.parts) {
                whole.tokens = whole.tokens.saturating_add(part.tokens);
                whole.set(Turn::VOICE, part.voice);
                whole.set(Turn::ERROR, part.error);
                self.add_part(turn, row, index, part);
                self.parts.change(self.parts.len() as u32 - 1, |part| part.again = true);
            }
        }
        whole.parts.1 = self.parts.len() as u32;
        self.turns.change(turn.0, |old| *old = whole);
        told
    }

    /// How the covered range of `compaction` is known. The compaction call's own file, where there is one, names
    /// the last record that was summarised.
    pub fn provenance(&self, compaction: &Compaction) -> Provenance {
        let named_by_call = compaction.unbroken
            && compaction.rows.is_some_and(|(first, last)| {
                self.compaction_calls
                    .keys()
                    .any(|end| self.ids.get(end).is_some_and(|row| (first..=last).contains(row)))
            });
        if named_by_call { Provenance::Exact } else { compaction.provenance }
    }

    /// The session's compaction calls: the last summarised record of each, and the file's name.
    pub fn set_compaction_calls(&mut self, calls: impl IntoIterator<Item = (Id, Box<str>)>) {
        self.compaction_calls = calls.into_iter().collect();
    }

    /// A microcompaction at `row`.
    pub(super) fn clear(&mut self, row: u32, facts: &ClearingFacts) {
        let parts: Vec<u32> = facts
            .calls
            .iter()
            .filter_map(|call| self.calls.get(call))
            .map(|call| self.part(*call).pair)
            .filter(|place| (*place as usize) < self.parts.len())
            .collect();
        let mut turns: Vec<TurnId> = parts.iter().map(|place| self.turn_of(&self.part(*place))).collect();
        turns.sort_unstable();
        turns.dedup();
        let now = self.last();
        let cleared_before: Vec<u32> = self.clearings.iter().flat_map(|c| c.parts.iter().copied()).collect();
        for turn in &turns {
            let all = self
                .parts(*turn)
                .filter(|(_, part)| part.kind == PartKind::ToolResult)
                .all(|(place, _)| parts.contains(&place) || cleared_before.contains(&place));
            if all {
                self.cleared.entry(*turn).or_insert(now);
            }
        }
        self.clearings.push(Clearing { turn: now, row, tokens_saved: facts.tokens_saved, parts, turns });
    }
}

impl Compaction {
    /// A compaction of which only the mark at `row` is known.
    fn marked(generation: u32, row: u32, facts: &Boundary) -> Self {
        Self {
            generation,
            boundary_row: Some(row),
            summary: None,
            trigger: facts.trigger.clone(),
            tokens_before: facts.tokens_before,
            tokens_after: facts.tokens_after,
            before_from: facts.tokens_before.map(|_| SizeFrom::Boundary),
            summary_tokens: None,
            encrypted: None,
            told_anew: 0,
            covers: Vec::new(),
            kept: Vec::new(),
            kept_first: facts.kept_first,
            abandoned: Vec::new(),
            provenance: Provenance::None,
            unbroken: false,
            complete: None,
            depth: 0,
            rows: None,
        }
    }

    /// Context size before it, in words: `short` or in full, with a sign where it is only near.
    pub fn before(&self, words: fn(u64) -> String) -> Option<String> {
        let sign = self.before_from.map_or("", SizeFrom::sign);
        Some(format!("{sign}{}", words(self.tokens_before?)))
    }

    /// Whether its summary can be read here.
    pub fn is_readable(&self) -> bool {
        self.summary_tokens.is_some_and(|tokens| tokens > 0)
    }

    /// Why its summary cannot be read, where there is one that cannot.
    pub fn unreadable(&self) -> Option<String> {
        self.summary?;
        match self.encrypted {
            Some(bytes) => Some(format!(
                "the summary is encrypted ({}): only the model's provider can read it",
                crate::text::numbers::bytes(u64::from(bytes))
            )),
            None if !self.is_readable() => Some("the record of the compaction holds no summary text".into()),
            None => None,
        }
    }

    /// How many turns it replaced.
    pub fn covered(&self) -> u32 {
        self.covers.iter().map(|(from, to)| to - from + 1).sum()
    }

    /// How many turns of its range stayed in view.
    pub fn kept_turns(&self) -> u32 {
        self.kept.iter().map(|(from, to)| to - from + 1).sum()
    }

    /// Whether it replaced the turn with this number of the main thread.
    pub fn covers_number(&self, number: u32) -> bool {
        self.covers.iter().any(|(from, to)| (*from..=*to).contains(&number))
    }
}

impl Row {
    /// The turn this row's record is a part of.
    pub fn turn(&self) -> Option<TurnId> {
        (self.kind == RowKind::Turn).then(|| self.anchor.some()).flatten()
    }
}

impl Turn {
    /// Whether it is a recorded summary.
    pub fn is_summary(&self) -> bool {
        self.role == Role::Summary
    }
}
