//! How the words of one sentence meet the blocks of the range: each block's best passage, and what of the sentence it holds.
//!
//! Everything is summed along the postings of the sentence's words, so that a sentence costs what its words occur.

use super::asked::{Asked, path_match};
use super::class::Class;
use super::features::{Asker, class_place, quotation};
use super::index::{Index, Word};

/// How the words of one sentence meet the blocks of the range.
pub(super) struct Matched {
    /// Each block's best passage and its score.
    pub(super) best: Vec<Option<(usize, f64)>>,
    /// Weight of the sentence's words that each block holds.
    pub(super) coverage: Vec<f64>,
    /// The best score of all, and of each class.
    pub(super) most: f64,
    pub(super) most_in_class: [f64; Class::ALL.len()],
    /// How well each path of the range answers to the files that the sentence names or inherits.
    pub(super) same_path: Vec<f64>,
    /// Weight of the sentence's prose that each passage holds.
    prose: Vec<f64>,
    /// Weight of the sentence's words that each window holds.
    windows: Vec<f64>,
    /// The share of the sentence's neighbouring words that each passage holds side by side.
    pairs: Vec<f64>,
}

impl Matched {
    pub(super) fn of(asker: &Asker, asked: &Asked) -> Self {
        let index = asker.index;
        let passages = index.passages.len();
        let mut scores = vec![0.0; passages];
        index.score(&asked.words.known, 1.0, &mut scores);
        // Words around help where the sentence says little itself.
        if asked.is_short() {
            index.score(&asked.around, 0.5, &mut scores);
        } else if !asked.opens_line {
            index.score(&asked.around, 0.25, &mut scores);
        }
        let mut matched = Self {
            best: vec![None; asker.blocks.len()],
            coverage: vec![0.0; asker.blocks.len()],
            most: 0.0,
            most_in_class: [0.0; Class::ALL.len()],
            same_path: Vec::new(),
            prose: vec![0.0; passages],
            windows: vec![0.0; index.windows.len()],
            pairs: vec![0.0; passages],
        };
        score_pairs(index, &asked.pairs, &mut scores, &mut matched.pairs);
        for (passage, score) in scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0) {
            let best = &mut matched.best[index.passages[passage].block];
            if best.is_none_or(|(_, before)| score > before) {
                *best = Some((passage, score));
            }
        }
        for word in &asked.words.known {
            let mut last = usize::MAX;
            for (passage, _) in index.postings(*word) {
                let block = index.passages[*passage as usize].block;
                if block != last {
                    matched.coverage[block] += index.weight(*word);
                    last = block;
                }
            }
        }
        index.share_passages(&asked.prose.known, &mut matched.prose);
        index.share_windows(&asked.words.known, &mut matched.windows);
        matched.add_joined(asker, asked);
        for (block, best) in asker.blocks.iter().zip(&matched.best) {
            let score = best.map_or(0.0, |(_, score)| score);
            matched.most = matched.most.max(score);
            let in_class = &mut matched.most_in_class[class_place(block.spot.class)];
            *in_class = in_class.max(score);
        }
        matched.most = if matched.most > 0.0 { matched.most } else { 1.0 };
        for most in &mut matched.most_in_class {
            *most = most.max(1e-9);
        }
        matched
    }

    /// Blocks without a shared word that are joined by a path or a quotation.
    fn add_joined(&mut self, asker: &Asker, asked: &Asked) {
        let names = asked.files();
        if !names.is_empty() {
            let paths = asker.ground.paths.iter();
            self.same_path = paths
                .map(|path| names.iter().map(|name| path_match(path, name)).fold(0.0, f64::max))
                .collect();
            for (place, path) in asker.ground.path_of.iter().enumerate() {
                if path.is_some_and(|path| self.same_path[path] > 0.0) {
                    self.join(asker, place);
                }
            }
        }
        for (place, prompt) in &asker.ground.plain_prompts {
            if asked.quotes.iter().any(|quote| quotation(quote, prompt) > 0.5) {
                self.join(asker, *place);
            }
        }
    }

    fn join(&mut self, asker: &Asker, place: usize) {
        let first = asker.index.of_block[place].start;
        if self.best[place].is_none() && !asker.index.of_block[place].is_empty() {
            self.best[place] = Some((first, 0.0));
        }
    }

    pub(super) fn score(&self, block: usize) -> f64 {
        self.best[block].map_or(0.0, |(_, score)| score)
    }

    pub(super) fn pairs(&self, passage: usize) -> f64 {
        self.pairs[passage]
    }

    /// The share of the sentence's prose that a passage holds.
    pub(super) fn prose(&self, asked: &Asked, passage: usize) -> f64 {
        if asked.prose.total <= 0.0 { 0.0 } else { self.prose[passage] / asked.prose.total }
    }

    /// Of the window that shares the most: the shared weight over the window's own.
    pub(super) fn window_precision(&self, index: &Index, passage: usize) -> f64 {
        let (mut precision, mut most) = (0.0, 0.0);
        for window in index.passages[passage].windows.clone() {
            let shared = self.windows[window];
            if shared > most {
                most = shared;
                precision = shared / index.windows[window].weight;
            }
        }
        precision
    }
}

/// Adds half the weight of neighbouring words to the passages that hold them side by side, and their shares to `shares`.
fn score_pairs(index: &Index, pairs: &[(Word, Word)], scores: &mut [f64], shares: &mut [f64]) {
    let mut held: Vec<(u32, usize)> = Vec::new();
    let mut frequency = vec![0u32; pairs.len()];
    for (place, (first, second)) in pairs.iter().enumerate() {
        let before = held.len();
        let both = index.with_both(*first, *second);
        held.extend(both.filter(|passage| is_beside(index, *passage, *first, *second)).map(|p| (p, place)));
        frequency[place] = (held.len() - before) as u32;
    }
    held.sort_unstable();
    let count = index.passages.len() as f64;
    let weight = |pair: usize| {
        let frequency = f64::from(frequency[pair]);
        (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln()
    };
    let total: f64 = (0..frequency.len()).filter(|pair| frequency[*pair] > 0).map(weight).sum();
    for of_passage in held.chunk_by(|a, b| a.0 == b.0) {
        let Some((passage, _)) = of_passage.first() else { continue };
        let sum: f64 = of_passage.iter().map(|(_, pair)| weight(*pair)).sum();
        scores[*passage as usize] += 0.5 * sum;
        shares[*passage as usize] = sum / total;
    }
}

fn is_beside(index: &Index, passage: u32, first: Word, second: Word) -> bool {
    index.words(passage as usize).windows(2).any(|pair| pair == [first, second])
}
