//! How the words of one sentence meet the blocks of the range: each block's best passage, and what of the sentence it holds.

use std::collections::HashMap;

use super::asked::{Asked, path_match};
use super::class::Class;
use super::features::{Asker, class_place, quotation};
use super::index::Index;

/// How the words of one sentence meet the blocks of the range.
pub(super) struct Matched {
    /// Each block's best passage and its score.
    pub(super) best: Vec<Option<(usize, f64)>>,
    /// Weight of the sentence's words that each block holds.
    pub(super) coverage: Vec<f64>,
    pub(super) most: f64,
    pub(super) most_in_class: [f64; Class::ALL.len()],
    pairs: HashMap<usize, f64>,
}

impl Matched {
    pub(super) fn of(asker: &Asker, asked: &Asked) -> Self {
        let index = asker.index;
        let mut scores = vec![0.0; index.passages.len()];
        index.score(&asked.words.known, 1.0, &mut scores);
        // Words around help where the sentence says little itself.
        if asked.is_short() {
            index.score(&asked.around, 0.5, &mut scores);
        } else if !asked.opens_line {
            index.score(&asked.around, 0.25, &mut scores);
        }
        let pairs = score_pairs(index, asked, &mut scores);
        let mut best: Vec<Option<(usize, f64)>> = vec![None; asker.blocks.len()];
        for (passage, score) in scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0) {
            let best = &mut best[index.passages[passage].block];
            if best.is_none_or(|(_, before)| score > before) {
                *best = Some((passage, score));
            }
        }
        let mut coverage = vec![0.0; asker.blocks.len()];
        for word in &asked.words.known {
            let mut last = usize::MAX;
            for (passage, _) in index.postings(*word) {
                let block = index.passages[*passage as usize].block;
                if block != last {
                    coverage[block] += index.weight(*word);
                    last = block;
                }
            }
        }
        let mut matched = Self { best, coverage, most: 0.0, most_in_class: [0.0; Class::ALL.len()], pairs };
        matched.add_joined(asker, asked);
        for (block, best) in asker.blocks.iter().zip(&matched.best) {
            let score = best.map_or(0.0, |(_, score)| score);
            matched.most = matched.most.max(score);
            let in_class = &mut matched.most_in_class[class_place(block.class)];
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
        let names = if asked.own_files.is_empty() { &asked.inherited_files } else { &asked.own_files };
        if !names.is_empty() {
            for (place, block) in asker.blocks.iter().enumerate().filter(|(_, block)| !block.path.is_empty())
            {
                if names.iter().any(|name| path_match(&block.path, name) > 0.0) {
                    self.join(asker, place);
                }
            }
        }
        for (place, prompt) in &asker.plain_prompts {
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
        self.pairs.get(&passage).copied().unwrap_or(0.0)
    }
}

/// Adds half the weight of neighbouring words to the passages that hold them side by side; gives their shares.
fn score_pairs(index: &Index, asked: &Asked, scores: &mut [f64]) -> HashMap<usize, f64> {
    let mut held: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut frequency = vec![0u32; asked.pairs.len()];
    let mut is_first = vec![false; index.vocabulary()];
    for (first, _) in &asked.pairs {
        is_first[*first as usize] = true;
    }
    for (passage, _) in scores.iter().enumerate().filter(|(_, score)| **score > 0.0) {
        let mut found: Vec<usize> = index
            .words(passage)
            .windows(2)
            .filter(|pair| is_first[pair[0] as usize])
            .filter_map(|pair| asked.pairs.binary_search(&(pair[0], pair[1])).ok())
            .collect();
        found.sort_unstable();
        found.dedup();
        for pair in &found {
            frequency[*pair] += 1;
        }
        if !found.is_empty() {
            held.push((passage, found));
        }
    }
    let count = index.passages.len() as f64;
    let weight = |pair: usize| {
        let frequency = f64::from(frequency[pair]);
        (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln()
    };
    let total: f64 = (0..frequency.len()).filter(|pair| frequency[*pair] > 0).map(weight).sum();
    let mut shares = HashMap::new();
    for (passage, found) in held {
        let sum: f64 = found.into_iter().map(weight).sum();
        scores[passage] += 0.5 * sum;
        shares.insert(passage, sum / total);
    }
    shares
}
