//! What a summary is made from: originals, and where they exceed the summariser's window, levels of summaries.
//!
//! Owns the cut into pieces that fit, and how summaries of pieces are joined. Depth grows with the levels, never with
//! the number of compactions.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::log::LogError;
use crate::summarisers::{SourcePart, SourceTurn};
use crate::text::tokens;

use super::originals::{Originals, ReadPart};

/// Originals that fit the window together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The numbers of its first and last turn.
    pub turns: (u32, u32),
    /// Estimated tokens of its text.
    pub tokens: u64,
    /// What it holds, where that was read already; else the turns are whole.
    slices: Vec<Slice>,
}

/// A turn, whole or a piece of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slice {
    /// Its place among the originals.
    turn: usize,
    /// Pieces of its parts: each part's number in the turn, and bytes of its text. None: all of it.
    cut: Option<Vec<(u32, Range<usize>)>>,
}

/// How a summary is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The originals, in order: each piece is summarised once.
    pub pieces: Vec<Piece>,
    /// For every level above, from the lowest: which summaries of the level below each of its summaries joins.
    pub joins: Vec<Vec<Range<usize>>>,
}

/// A summary reads originals of this share of the window at most without their being measured: what is rendered is
/// never four times what was counted.
const SURELY: u64 = 4;

/// Tokens of turns that were measured, by their numbers: who plans for the same turns again and again reads each once.
#[derive(Debug, Default)]
pub struct Sizes(HashMap<u32, u64>);

impl Plan {
    /// The plan for `originals`, for a summariser that reads `window` tokens at once and writes `budget`.
    pub fn new(originals: &Originals, window: u64, budget: u32) -> Result<Self, LogError> {
        Self::measured(originals, window, budget, &mut Sizes::default())
    }

    /// The same, where some of the turns may have been measured before.
    pub fn measured(
        originals: &Originals,
        window: u64,
        budget: u32,
        sizes: &mut Sizes,
    ) -> Result<Self, LogError> {
        let turns = originals.turns();
        let counted: u64 = turns.iter().map(|turn| turn.tokens).sum();
        let pieces = if counted.saturating_mul(SURELY) <= window {
            let ends = (turns.first(), turns.last());
            let numbers = (ends.0.map_or(0, |turn| turn.number), ends.1.map_or(0, |turn| turn.number));
            let slices = (0..turns.len()).map(|turn| Slice { turn, cut: None }).collect();
            vec![Piece { turns: numbers, tokens: counted, slices }]
        } else {
            pieces(originals, window, sizes)?
        };
        let joins = joins(pieces.len(), (window / u64::from(budget.max(1))).max(2) as usize);
        Ok(Self { pieces, joins })
    }

    /// How many summaries stand between the top one and originals, itself counted.
    pub fn depth(&self) -> u32 {
        1 + self.joins.len() as u32
    }

    /// How many summaries are written for it.
    pub fn calls(&self) -> u32 {
        (self.pieces.len() + self.joins.iter().map(Vec::len).sum::<usize>()) as u32
    }

    /// How many summaries stand at a level, from 1.
    pub fn size(&self, level: usize) -> usize {
        match level {
            0 => 0,
            1 => self.pieces.len(),
            _ => self.joins.get(level - 2).map_or(0, Vec::len),
        }
    }

    /// The places at the level below that a summary joins; of level 1, none.
    pub fn below(&self, level: usize, index: usize) -> Range<usize> {
        let join = level.checked_sub(2).and_then(|join| self.joins.get(join)?.get(index));
        join.cloned().unwrap_or(0..0)
    }

    /// The turns that a summary stands for.
    pub fn turns(&self, level: usize, index: usize) -> (u32, u32) {
        if level <= 1 {
            return self.pieces.get(index).map_or((0, 0), |piece| piece.turns);
        }
        let below = self.below(level, index);
        let first = self.turns(level - 1, below.start);
        (first.0, self.turns(level - 1, below.end.saturating_sub(1)).1)
    }
}

/// How `pieces` summaries are joined, `fit` at a time, level by level, until one is left. Groups of a level differ in
/// size by one at the most.
fn joins(pieces: usize, fit: usize) -> Vec<Vec<Range<usize>>> {
    let mut joins = Vec::new();
    let mut count = pieces;
    while count > 1 {
        let groups = count.div_ceil(fit);
        joins.push((0..groups).map(|at| at * count / groups..(at + 1) * count / groups).collect());
        count = groups;
    }
    joins
}

/// Cuts originals into pieces of at most `window` tokens: between turns, and inside a turn only where it alone is larger.
fn pieces(originals: &Originals, window: u64, sizes: &mut Sizes) -> Result<Vec<Piece>, LogError> {
    let mut out: Vec<Piece> = Vec::new();
    let mut add = |slice: Slice, number: u32, tokens: u64| match out.last_mut() {
        Some(piece) if piece.tokens + tokens <= window => {
            piece.turns.1 = number;
            piece.tokens += tokens;
            piece.slices.push(slice);
        }
        _ => out.push(Piece { turns: (number, number), tokens, slices: vec![slice] }),
    };
    for (turn, original) in originals.turns().iter().enumerate() {
        let number = original.number;
        if let Some(size) = sizes.0.get(&number).filter(|size| **size <= window) {
            add(Slice { turn, cut: None }, number, *size);
            continue;
        }
        let read = originals.read(turn)?;
        let size: u64 = read.iter().map(|part| u64::from(tokens::estimate(&part.text))).sum();
        sizes.0.insert(number, size);
        if size <= window {
            add(Slice { turn, cut: None }, number, size);
            continue;
        }
        for part in read {
            for range in cuts(&part.text, window) {
                let tokens = u64::from(tokens::estimate(&part.text[range.clone()]));
                add(Slice { turn, cut: Some(vec![(part.index, range)]) }, number, tokens);
            }
        }
    }
    Ok(out)
}

/// Cuts a text into runs of at most `window` tokens: between paragraphs, else lines, else words, else anywhere.
fn cuts(text: &str, window: u64) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let rest = &text[from..];
        if fits(rest, window) {
            out.push(from..text.len());
            break;
        }
        // A text has at most as many tokens as bytes, and more than one for seven of them is likely: doubled until
        // it no longer fits, then halved in.
        let mut most = crate::text::preview::floor(rest, window as usize).len().max(first(rest));
        let mut too_many = rest.len();
        while too_many - most > 1 {
            let middle = crate::text::preview::floor(rest, most + (too_many - most) / 2).len();
            if middle <= most {
                break;
            }
            if fits(&rest[..middle], window) { most = middle } else { too_many = middle }
        }
        let head = &rest[..most];
        let at = ["\n\n", "\n", " "].iter().find_map(|gap| head.rfind(gap).map(|at| at + gap.len()));
        let at = at.filter(|at| *at > 0).unwrap_or(most);
        out.push(from..from + at);
        from += at;
    }
    out
}

fn first(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn fits(text: &str, window: u64) -> bool {
    u64::from(tokens::estimate(text)) <= window
}

/// What a summariser is given of originals that are whole.
pub fn whole(originals: &Originals) -> Result<Vec<SourceTurn>, LogError> {
    let slices = (0..originals.turns().len()).map(|turn| Slice { turn, cut: None }).collect();
    sources(originals, &Piece { turns: (0, 0), tokens: 0, slices }, &AtomicBool::new(false))
}

/// What a summariser is given of a piece; once `stop` is set, no more of it.
pub fn sources(originals: &Originals, piece: &Piece, stop: &AtomicBool) -> Result<Vec<SourceTurn>, LogError> {
    let mut out: Vec<SourceTurn> = Vec::new();
    for slice in &piece.slices {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let Some(turn) = originals.turns().get(slice.turn) else { continue };
        let mut parts = Vec::new();
        for part in originals.read(slice.turn)? {
            parts.extend(cut_out(&part, slice).into_iter().map(|text| SourcePart {
                kind: part.kind,
                tool: part.tool.clone(),
                error: part.error,
                text: text.to_owned(),
            }));
        }
        match out.last_mut().filter(|last| last.turns == (turn.number, turn.number)) {
            Some(last) => last.parts.extend(parts),
            None => out.push(SourceTurn { turns: (turn.number, turn.number), role: turn.role, parts }),
        }
    }
    Ok(out)
}

/// What a slice holds of a part.
fn cut_out<'a>(part: &'a ReadPart, slice: &Slice) -> Vec<&'a str> {
    let Some(cut) = &slice.cut else { return vec![part.text.as_str()] };
    let of_part = cut.iter().filter(|(index, _)| *index == part.index);
    of_part.filter_map(|(_, range)| part.text.get(range.clone())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn depth_is_the_number_of_levels() {
        assert_eq!(joins(1, 6), Vec::<Vec<Range<usize>>>::new());
        let sizes = |pieces| {
            let level = |level: &Vec<Range<usize>>| level.iter().map(Range::len).collect::<Vec<_>>();
            joins(pieces, 6).iter().map(level).collect::<Vec<_>>()
        };
        assert_eq!(sizes(6), [[6]]);
        assert_eq!(sizes(7), [vec![3, 4], vec![2]]);
        assert_eq!(joins(37, 6).len(), 3);
    }

    proptest! {
        #[test]
        fn levels_follow_the_logarithm(pieces in 1..2000_usize, fit in 2..40_usize) {
            let levels = joins(pieces, fit);
            let mut expected = 0;
            let mut reach = 1;
            while reach < pieces {
                reach *= fit;
                expected += 1;
            }
            prop_assert_eq!(levels.len(), expected);
            let mut below = pieces;
            for level in levels {
                prop_assert!(level.iter().all(|group| (1..=fit).contains(&group.len())));
                let flat: Vec<usize> = level.iter().flat_map(Clone::clone).collect();
                prop_assert_eq!(flat, (0..below).collect::<Vec<_>>());
                below = level.len();
            }
            prop_assert_eq!(below, 1);
        }

        #[test]
        fn cuts_fit_and_leave_nothing_out(text in "[a-z0-9 é\n.]{0,400}", window in 4..60_u64) {
            let cuts = cuts(&text, window);
            prop_assert_eq!(cuts.iter().map(|cut| &text[cut.clone()]).collect::<String>(), text.clone());
            prop_assert!(cuts.iter().all(|cut| fits(&text[cut.clone()], window) && !cut.is_empty()));
        }
    }
}
