//! The recursive baseline, replayed: at each compaction the input is the summary before plus the turns since.
//!
//! It compacts where the log records a compaction, and wherever the budget of the block hierarchy is exceeded, so that
//! both are compared on equal terms. Owns the points, the folding, and the depth of every line: how many summaries it
//! went through.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::formats::facts::Role;
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::summarisers::{Failure, Request, Summariser, Summary, SummaryLine};

use super::blocks::levels::Plan;
use super::blocks::originals::Originals;
use super::blocks::summaries::{again, lead_down, size};
use super::blocks::{Made, Settings, planned, tokens_of};
use super::{Context, Entry, MadeEntry};

/// One compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Its number, from 1.
    pub number: u32,
    /// The last turn that it covers; it covers all from the first on.
    pub last: u32,
    /// The turn that had begun when it took effect.
    pub made_at: u32,
    /// The log records a compaction there.
    pub recorded: bool,
    /// The turns since the one before, on the branch then.
    pub since: Vec<TurnId>,
    /// Tokens of those turns.
    pub originals: u64,
    /// What its summary counts for.
    pub planned: u32,
}

/// The compactions of one log, as far as it was read.
#[derive(Debug)]
pub struct Recursive {
    settings: Settings,
    begun: u32,
    folds: Vec<Fold>,
}

impl Recursive {
    /// The compactions of the whole log.
    pub fn of(session: &Session, settings: Settings) -> Self {
        let mut recursive = Self { settings, begun: 0, folds: Vec::new() };
        recursive.advance(session);
        recursive
    }

    /// Takes in the turns that have begun since.
    pub fn advance(&mut self, session: &Session) {
        while self.begun < session.last() {
            if self.begun > 0 {
                self.end(session, self.begun);
            }
            self.begun += 1;
        }
    }

    /// Turn `turn` has ended: the next one begins.
    fn end(&mut self, session: &Session, turn: u32) {
        let Some(next) = session.numbered(0, turn + 1) else { return };
        let recorded = session.turn(next).is_summary();
        let (from, before) = self.folds.last().map_or((1, 0), |fold| (fold.last + 1, fold.planned));
        let open = |id: &TurnId| session.turn(*id).number >= from;
        let since = session.line(session.head(turn)).take_while(open);
        let since = since.filter(|id| {
            !session.turn(*id).is_summary() && session.withdrawn_at(*id).is_none_or(|at| at > turn)
        });
        let mut since: Vec<TurnId> = since.collect();
        since.reverse();
        let shown: u64 = since.iter().map(|id| u64::from(session.turn(*id).tokens)).sum();
        let full = self.settings.system + u64::from(before) + shown > self.settings.budget;
        // A result that is on its way belongs to its call.
        let between_steps = session.turn(next).role != Role::Tool;
        if since.is_empty() || !(recorded || full && between_steps) {
            return;
        }
        let originals: u64 = since.iter().map(|id| tokens_of(session, *id)).sum();
        self.folds.push(Fold {
            number: self.folds.len() as u32 + 1,
            last: turn,
            made_at: turn + 1,
            recorded,
            since,
            originals,
            planned: planned(self.settings.span_budget, u64::from(before) + originals),
        });
    }

    /// The compactions as of turn `as_of`.
    pub fn folds(&self, as_of: u32) -> &[Fold] {
        &self.folds[..self.folds.partition_point(|fold| fold.made_at <= as_of)]
    }

    /// Tokens that a compaction reads.
    pub fn read(&self, fold: &Fold) -> u64 {
        let before = fold.number.checked_sub(2).and_then(|at| self.folds.get(at as usize));
        fold.originals + before.map_or(0, |before| u64::from(before.planned))
    }

    /// The context as of turn `as_of`: the newest summary, and the turns since.
    pub fn context(&self, session: &Session, as_of: u32) -> Context {
        let as_of = as_of.min(self.begun);
        let newest = self.folds(as_of).last();
        let mut entries: Vec<Entry> = session
            .line(session.head(as_of))
            .take_while(|id| session.turn(*id).number > newest.map_or(0, |fold| fold.last))
            .filter(|id| {
                !session.turn(*id).is_summary() && session.withdrawn_at(*id).is_none_or(|at| at > as_of)
            })
            .map(Entry::Turn)
            .collect();
        entries.extend(newest.map(|fold| {
            let (made, tokens) = (Made::Fold(fold.number), u64::from(fold.planned));
            Entry::Made(Box::new(MadeEntry { made, covers: (1, fold.last), tokens }))
        }));
        entries.reverse();
        let tokens = self.settings.system + entries.iter().map(|entry| entry.tokens(session)).sum::<u64>();
        Context { as_of, strategy: super::RECURSIVE, entries, tokens }
    }
}

/// A summary of the recursive kind, written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    /// Its text.
    pub summary: Summary,
    /// For each of its lines, how many summaries stand between it and original turns.
    pub depths: Vec<u32>,
    /// How often the summariser was asked for it.
    pub calls: u32,
    /// Tokens read for it.
    pub read: u64,
}

impl Folded {
    /// The depth of its deepest line.
    pub fn depth(&self) -> u32 {
        self.depths.iter().copied().max().unwrap_or(1)
    }
}

/// The folded summaries of one log by one summariser, each made from the one before.
#[derive(Debug, Default)]
pub struct Folding {
    folded: Vec<Folded>,
}

impl Folding {
    /// The summaries up to compaction `number`, written now as far as they were not before.
    pub fn up_to(
        &mut self,
        log: &OpenLog,
        recursive: &Recursive,
        number: u32,
        summariser: &dyn Summariser,
        stop: &AtomicBool,
    ) -> Result<Result<&[Folded], Failure>, LogError> {
        let folds = &recursive.folds[..recursive.folds.len().min(number as usize)];
        for fold in folds.iter().skip(self.folded.len()) {
            match self.fold(log, recursive, fold, summariser, stop)? {
                Ok(folded) => self.folded.push(folded),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        Ok(Ok(&self.folded[..folds.len()]))
    }

    /// One compaction. Turns that do not fit the window beside the summary are folded in one after another.
    fn fold(
        &self,
        log: &OpenLog,
        recursive: &Recursive,
        fold: &Fold,
        summariser: &dyn Summariser,
        stop: &AtomicBool,
    ) -> Result<Result<Folded, Failure>, LogError> {
        let budget = recursive.settings.span_budget;
        let room = recursive.settings.window.saturating_sub(u64::from(budget)).max(1);
        let originals = Originals::of(log, &fold.since);
        let plan = Plan::new(&originals, room, budget)?;
        let mut before = self.folded.last().cloned();
        let mut end = fold.number.checked_sub(2).map_or(0, |at| recursive.folds[at as usize].last);
        let (mut calls, mut read) = (0, 0);
        for piece in &plan.pieces {
            let mut sources: Vec<_> = before.iter().map(|before| again((1, end), &before.summary)).collect();
            sources.extend(super::blocks::levels::sources(&originals, piece, stop)?);
            if stop.load(Ordering::Relaxed) {
                return Ok(Err(Failure::Stopped));
            }
            let request = Request { sources, budget };
            (calls, read) = (calls + 1, read + size(&request));
            let mut summary = match summariser.summarise(&request, stop) {
                Ok(summary) => summary,
                Err(failure) => return Ok(Err(failure)),
            };
            lead_down(&mut summary, before.as_ref().map(|before| &before.summary));
            let depths = depths(&summary, before.as_ref(), end);
            before = Some(Folded { summary, depths, calls, read });
            end = piece.turns.1;
        }
        Ok(before.ok_or_else(|| Failure::Failed("there is nothing to sum up".into())))
    }
}

/// How deep each line is: 1 where it stands in a turn since; else one deeper than the line of the summary before that
/// it says again, or than any of them where nobody can say. Headings, which rest on nothing, have none.
fn depths(summary: &Summary, before: Option<&Folded>, end: u32) -> Vec<u32> {
    let deepest = before.map_or(1, |before| before.depth() + 1);
    let knows = summary.lines.iter().any(|line| !line.turns.is_empty());
    let again = |text: &str| {
        let before = before?;
        let mut lines = before.summary.lines.iter().zip(&before.depths);
        let said = |line: &SummaryLine| before.summary.text.get(line.range.clone()).map(str::trim);
        lines.find(|(line, _)| said(line) == Some(text.trim())).map(|(_, depth)| depth + 1)
    };
    let depth = |line: &SummaryLine| {
        let text = summary.text.get(line.range.clone()).unwrap_or_default();
        if line.turns.is_empty() && knows {
            0
        } else if line.turns.iter().any(|turn| *turn > end) {
            1
        } else {
            again(text).unwrap_or(deepest)
        }
    };
    summary.lines.iter().map(depth).collect()
}
