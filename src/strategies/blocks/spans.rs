//! Spans: one summary of originals for the oldest blocks, once everything no longer fits.

use super::{Block, Retention, Settings, planned};

/// A summary that stands for all turns up to the end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its number, from 1.
    pub number: u32,
    /// The numbers of its first and last turn.
    pub turns: (u32, u32),
    /// How many blocks it replaces, from the first on.
    pub blocks: u32,
    /// The turn that had begun when it took effect.
    pub made_at: u32,
    /// The turn at which the same span was prepared ahead, where it was.
    pub prepared_at: Option<u32>,
    /// Tokens of the turns that it is made from.
    pub originals: u64,
    /// What it counts for.
    pub planned: u32,
}

/// The spans, and what was prepared.
#[derive(Debug, Default)]
pub(super) struct Spans {
    spans: Vec<Span>,
    /// The turn at which a span was prepared, and how many blocks it would replace.
    prepared: Vec<(u32, u32)>,
}

impl Spans {
    /// Looks whether `tokens`, what everything came to when turn `at` began, fits; makes or prepares a span if not.
    /// All blocks but the newest one go; without their originals nothing can.
    pub(super) fn check(&mut self, settings: &Settings, blocks: &[Block], at: u32, tokens: u64) {
        if settings.retention == Retention::CurrentBlock || tokens <= settings.soft() {
            return;
        }
        let Some((_, older)) = blocks.split_last() else { return };
        let Some(last) = older.last() else { return };
        if self.spans.last().is_some_and(|span| span.blocks >= last.number) {
            return;
        }
        let prepared = self.prepared.last().filter(|(_, blocks)| *blocks == last.number).map(|(at, _)| *at);
        if tokens > settings.budget {
            self.spans.push(Span {
                number: self.spans.len() as u32 + 1,
                turns: (1, last.turns.1),
                blocks: last.number,
                made_at: at,
                prepared_at: prepared,
                originals: last.sums.0,
                planned: planned(settings.span_budget, last.sums.0),
            });
        } else if prepared.is_none() {
            self.prepared.push((at, last.number));
        }
    }

    pub(super) fn all(&self) -> &[Span] {
        &self.spans
    }

    pub(super) fn as_of(&self, as_of: u32) -> &[Span] {
        &self.spans[..self.spans.partition_point(|span| span.made_at <= as_of)]
    }

    pub(super) fn prepared(&self, as_of: u32) -> &[(u32, u32)] {
        &self.prepared[..self.prepared.partition_point(|(at, _)| *at <= as_of)]
    }
}
