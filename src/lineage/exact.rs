//! Sources that are known: whoever makes a summary line by line can say which turns each line was made from.
//!
//! Nothing is guessed then. The ranker only orders the turns of a line and finds the stretch of each that matches best,
//! and support is counted in them as in any other source: an exact source says where a line comes from, not that it is
//! true to it.

use std::ops::Range;

use crate::session::{Session, TurnId};
use crate::summarisers::SummaryLine;

use super::index::Index;
use super::range::Texts;
use super::rank::Ranked;

/// A line of a made summary.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its bytes in the summary.
    pub range: Range<usize>,
    /// The turns it was made from.
    pub turns: Vec<TurnId>,
}

impl Line {
    /// A line as its maker gave it.
    pub fn of(session: &Session, line: &SummaryLine) -> Self {
        let turns = line.turns.iter().filter_map(|number| session.numbered(0, *number));
        Self { range: line.range.clone(), turns: turns.collect() }
    }
}

/// The turns of the lines in which a sentence stands, each once, in the order of the lines.
pub(super) fn turns(lines: &[Line], sentence: &Range<usize>) -> Vec<TurnId> {
    let mut out = Vec::new();
    for line in lines.iter().filter(|line| line.range.start < sentence.end && sentence.start < line.range.end)
    {
        for turn in &line.turns {
            if !out.contains(turn) {
                out.push(*turn);
            }
        }
    }
    out
}

/// The best block of each of `turns`, in the order of the ranking; turns that share no word with the sentence come last,
/// with their first block.
pub(super) fn sources(texts: &Texts, index: &Index, ranked: &[Ranked], turns: &[TurnId]) -> Vec<Ranked> {
    let mut out: Vec<Ranked> = Vec::new();
    let turn_of = |source: &Ranked| texts.blocks[source.block].spot.turn;
    for source in ranked.iter().filter(|source| turns.contains(&turn_of(source))) {
        if !out.iter().any(|taken| turn_of(taken) == turn_of(source)) {
            out.push(Ranked { score: 1.0, ..*source });
        }
    }
    for turn in turns {
        if out.iter().any(|taken| turn_of(taken) == *turn) {
            continue;
        }
        let mut blocks = texts.blocks.iter().enumerate().filter(|(_, block)| block.spot.turn == *turn);
        let first = blocks.find_map(|(block, _)| Some((block, index.of_block[block].clone().next()?)));
        out.extend(first.map(|(block, passage)| Ranked { block, passage, score: 1.0, matched: 0.0 }));
    }
    out
}
