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
    /// All blocks but the newest one go, those that there were when it was prepared: were it prepared anew with every
    /// block that closes, a session could outrun its summariser. Without their originals no block can go.
    pub(super) fn check(&mut self, settings: &Settings, blocks: &[Block], at: u32, tokens: u64) {
        if settings.retention == Retention::CurrentBlock || tokens <= settings.soft() {
            return;
        }
        let Some((_, older)) = blocks.split_last() else { return };
        let Some(last) = older.last() else { return };
        let before = self.spans.last();
        let replaced = before.map_or(0, |span| span.blocks);
        if replaced >= last.number {
            return;
        }
        let prepared = self.prepared.last().copied().filter(|(_, blocks)| *blocks > replaced);
        if tokens <= settings.budget {
            if prepared.is_none() {
                self.prepared.push((at, last.number));
            }
            return;
        }
        // What the context comes to with the span of all blocks up to `end` in place of what stands for them now.
        let with = |end: &Block| {
            let already = before
                .map_or((0, 0), |span| (u64::from(span.planned), blocks[span.blocks as usize - 1].sums.1));
            let (span, skipped) = already;
            let gone = span + (end.sums.1 - skipped);
            tokens.saturating_sub(gone) + u64::from(planned(settings.span_budget, end.sums.0))
        };
        let ready = prepared.and_then(|(_, end)| blocks.get(end as usize - 1));
        let end = ready.filter(|end| with(end) <= settings.budget).unwrap_or(last);
        self.spans.push(Span {
            number: self.spans.len() as u32 + 1,
            turns: (1, end.turns.1),
            blocks: end.number,
            made_at: at,
            prepared_at: prepared.filter(|(_, blocks)| *blocks == end.number).map(|(at, _)| at),
            originals: end.sums.0,
            planned: planned(settings.span_budget, end.sums.0),
        });
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
