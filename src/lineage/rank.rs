//! The ranking: which blocks of the range a sentence most likely rests on.
//!
//! A linear model over [`super::features`], in two steps: each sentence alone, then with what its neighbours say
//! ([`super::context`]). The score is the model's share of belief among the sentence's candidates. It orders blocks;
//! it proves nothing, and callers show three sources, never one.

use crate::text::lexicon::Lexicon;
use crate::text::sentences::{Kind, Sentence};

use super::context::{self, Alone, Messages};
use super::features::{Asker, COUNT, Candidate};
use super::index::Index;
use super::range::{Class, Texts};
use super::weights::Weights;

/// How far behind the best block a prompt may be and still come first for a quotation: only people are quoted there.
const QUOTED: f64 = 3.0;

/// A block as a sentence's source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The block's place in the range.
    pub block: usize,
    /// Its best passage's place in the index.
    pub passage: usize,
    /// The model's share of belief, 0 to 1.
    pub score: f64,
    /// How well the passage matches by its words alone, comparable within a sentence.
    pub matched: f64,
}

/// Every sentence's candidates and what its neighbours say: all that a fit needs.
#[derive(Debug)]
pub struct Field {
    /// The candidates of each sentence, in order of their blocks.
    pub candidates: Vec<Vec<Candidate>>,
    sentences: Vec<Sentence>,
    is_prompt: Vec<bool>,
}

impl Field {
    /// Prepares the ranking of all sentences of a summary.
    pub fn new(texts: &Texts, index: &Index, lexicon: &Lexicon) -> Self {
        let asker = Asker::new(&texts.blocks, index, lexicon, &texts.summary, &texts.sentences);
        let candidates = texts.sentences.iter().enumerate().map(|(place, sentence)| match sentence.kind {
            Kind::Code => Vec::new(),
            _ => asker.candidates(place),
        });
        Self {
            candidates: candidates.collect(),
            sentences: texts.sentences.clone(),
            is_prompt: texts.blocks.iter().map(|block| block.class == Class::Prompt).collect(),
        }
    }

    /// The messages of neighbours for every candidate, with each sentence ranked alone by `weights`.
    pub fn messages(&self, weights: &[f64; COUNT]) -> Vec<Vec<Messages>> {
        let alone: Vec<Alone> =
            self.candidates.iter().map(|candidates| ranked_alone(candidates, weights)).collect();
        context::messages(&self.sentences, &alone, self.is_prompt.len())
    }

    /// The ranking of all sentences.
    pub fn rank(&self, weights: &Weights) -> Vec<Vec<Ranked>> {
        let messages = self.messages(&weights.alone);
        let sentences = self.sentences.iter().zip(&self.candidates).zip(messages);
        sentences
            .map(|((sentence, candidates), messages)| {
                let scores = candidates.iter().zip(&messages).map(|(candidate, messages)| {
                    dot(&candidate.features, &weights.together) + dot(messages, &weights.messages)
                });
                self.order(sentence, candidates, &scores.collect::<Vec<f64>>())
            })
            .collect()
    }

    /// Candidates by falling score, earlier blocks first among equals.
    pub fn order(&self, sentence: &Sentence, candidates: &[Candidate], scores: &[f64]) -> Vec<Ranked> {
        let mut places: Vec<usize> = (0..candidates.len()).collect();
        places.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        let Some(first) = places.first() else { return Vec::new() };
        let most = scores[*first];
        let prompt = |place: &usize| self.is_prompt[candidates[*place].block];
        let said =
            places.iter().find(|place| prompt(place)).is_some_and(|place| scores[*place] >= most - QUOTED);
        if sentence.kind == Kind::Quote && said {
            places.sort_by_key(|place| !prompt(place));
        }
        let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        let ranked = |place: usize| {
            let Candidate { block, passage, matched, .. } = candidates[place];
            Ranked { block, passage, score: (scores[place] - most).exp() / sum, matched }
        };
        places.into_iter().map(ranked).collect()
    }
}

fn ranked_alone(candidates: &[Candidate], weights: &[f64; COUNT]) -> Alone {
    Alone {
        blocks: candidates.iter().map(|candidate| candidate.block).collect(),
        scores: candidates.iter().map(|candidate| dot(&candidate.features, weights)).collect(),
    }
}

/// The sum of products, in order.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
