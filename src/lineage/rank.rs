//! The ranking: which blocks of the range a sentence most likely rests on.
//!
//! A linear model over [`super::features`], in two steps: each sentence alone, then with what its neighbours say
//! ([`super::context`]). The score is the model's share of belief among the sentence's candidates. It orders blocks;
//! it proves nothing, and callers show three sources, never one.

use std::sync::OnceLock;

use crate::text::lexicon::Lexicon;
use crate::text::sentences::{Kind, Sentence};

use super::asked::Asked;
use super::context::{self, Alone, Belief, Chain, ChainKey, MESSAGES, Messages, Nearness};
use super::features::{Asker, COUNT, Candidate};
use super::ground::Ground;
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

/// One sentence's candidates with their scores alone, and what they add where neighbours speak too.
#[derive(Debug)]
struct Scored {
    alone: Alone,
    passages: Vec<usize>,
    matched: Vec<f64>,
    together: Vec<f64>,
    belief: Option<Belief>,
}

/// A range to be asked, sentence by sentence. What a sentence needs of its neighbours is worked out when it is asked, and
/// kept: one sentence costs its section, all of them cost each sentence once.
#[derive(Debug)]
pub struct Ranker {
    ground: Ground,
    nearness: Nearness,
    weights: Weights,
    scored: Vec<OnceLock<Scored>>,
    chains: Vec<(ChainKey, OnceLock<Chain>)>,
}

impl Ranker {
    /// Prepares the range of `texts`, indexed as `index`.
    pub fn new(texts: &Texts, index: &Index, weights: &Weights) -> Self {
        let mut keys: Vec<ChainKey> = texts.sentences.iter().map(context::key).collect();
        keys.sort_unstable();
        keys.dedup();
        Self {
            ground: Ground::new(&texts.blocks, index),
            nearness: Nearness::new(texts.blocks.len()),
            weights: weights.clone(),
            scored: texts.sentences.iter().map(|_| OnceLock::new()).collect(),
            chains: keys.into_iter().map(|key| (key, OnceLock::new())).collect(),
        }
    }

    /// The ranking of the sentence at `place`.
    pub fn rank(&self, texts: &Texts, index: &Index, lexicon: &Lexicon, place: usize) -> Vec<Ranked> {
        let Some(sentence) = texts.sentences.get(place) else { return Vec::new() };
        let asked = Asking { ranker: self, texts, index, lexicon };
        let scored = asked.scored(place);
        let messages = asked.messages(place);
        let scores = scored.together.iter().zip(&messages);
        let scores: Vec<f64> =
            scores.map(|(together, messages)| together + dot(messages, &self.weights.messages)).collect();
        let is_prompt = |at: usize| texts.blocks[scored.alone.blocks[at]].spot.class == Class::Prompt;
        let (order, shares) = order(sentence, &scores, is_prompt);
        let ranked = order.into_iter().map(|at| Ranked {
            block: scored.alone.blocks[at],
            passage: scored.passages[at],
            score: shares[at],
            matched: scored.matched[at],
        });
        ranked.collect()
    }
}

/// A question to a range.
struct Asking<'a> {
    ranker: &'a Ranker,
    texts: &'a Texts,
    index: &'a Index,
    lexicon: &'a Lexicon,
}

impl<'a> Asking<'a> {
    /// A sentence's candidates, each scored.
    fn scored(&self, place: usize) -> &'a Scored {
        self.ranker.scored[place].get_or_init(|| self.score(place))
    }

    fn score(&self, place: usize) -> Scored {
        let Texts { blocks, summary, sentences, .. } = self.texts;
        let mut scored = Scored {
            alone: Alone::default(),
            passages: Vec::new(),
            matched: Vec::new(),
            together: Vec::new(),
            belief: None,
        };
        if sentences[place].kind == Kind::Code {
            return scored;
        }
        let Ranker { ground, weights, .. } = self.ranker;
        let asker = Asker { blocks, index: self.index, ground };
        let asked = Asked::new(self.index, self.lexicon, summary, sentences, place);
        asker.each_candidate(&asked, |candidate| {
            scored.alone.blocks.push(candidate.block);
            scored.alone.scores.push(dot(&candidate.features, &weights.alone));
            scored.passages.push(candidate.passage);
            scored.matched.push(candidate.matched);
            scored.together.push(dot(&candidate.features, &weights.together));
        });
        scored.belief = Belief::of(&scored.alone);
        scored
    }

    /// What its neighbours say of each candidate of a sentence.
    fn messages(&self, place: usize) -> Vec<Messages> {
        let scored = self.scored(place);
        let blocks = &scored.alone.blocks;
        let mut out = vec![[0.0; MESSAGES]; blocks.len()];
        if scored.belief.is_none() {
            return out;
        }
        if let Some((from, kind)) = context::neighbour(&self.texts.sentences, place)
            && let Some(belief) = &self.scored(from).belief
        {
            self.ranker.nearness.tell(belief, kind, blocks, &mut out);
        }
        if let Some(chain) = self.chain(context::key(&self.texts.sentences[place])) {
            chain.tell(place, blocks, &mut out);
        }
        out
    }

    /// Scores sentences on two threads: a person waits for the first answer of a range.
    fn score_all(&self, places: &[usize]) {
        /// Of fewer sentences a thread costs more than it spares.
        const WORTH_A_THREAD: usize = 6;
        let score = |places: &[usize]| {
            for place in places {
                self.scored(*place);
            }
        };
        if places.len() < WORTH_A_THREAD {
            return score(places);
        }
        let (here, there) = places.split_at(places.len() / 2);
        std::thread::scope(|scope| {
            let other = std::thread::Builder::new().spawn_scoped(scope, || score(there));
            score(here);
            if other.is_err() {
                score(there);
            }
        });
    }

    fn chain(&self, key: ChainKey) -> Option<&'a Chain> {
        let at = self.ranker.chains.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(self.ranker.chains[at].1.get_or_init(|| {
            let sentences = self.texts.sentences.iter().enumerate();
            let members = sentences.filter(|(_, sentence)| context::key(sentence) == key);
            let members: Vec<usize> = members.map(|(place, _)| place).collect();
            self.score_all(&members);
            let scored = |place: usize| Some((place, self.scored(place).belief.as_ref()?));
            let spoken = members.into_iter().filter_map(scored);
            let (places, beliefs): (Vec<usize>, Vec<&Belief>) = spoken.unzip();
            Chain::new(key, places, &beliefs, self.texts.blocks.len())
        }))
    }
}

/// The places of candidates by falling score, earlier ones first among equals, and each one's share of belief.
fn order(sentence: &Sentence, scores: &[f64], is_prompt: impl Fn(usize) -> bool) -> (Vec<usize>, Vec<f64>) {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_unstable_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let most = places.first().map_or(0.0, |first| scores[*first]);
    let said =
        places.iter().find(|place| is_prompt(**place)).is_some_and(|place| scores[*place] >= most - QUOTED);
    if sentence.kind == Kind::Quote && said {
        places.sort_by_key(|place| !is_prompt(*place));
    }
    let mut shares: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    (places, shares)
}

/// Every sentence's candidates with their features: all that a fit needs.
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
        let ground = Ground::new(&texts.blocks, index);
        let asker = Asker { blocks: &texts.blocks, index, ground: &ground };
        let candidates = texts.sentences.iter().enumerate().map(|(place, sentence)| {
            let mut out = Vec::new();
            if sentence.kind != Kind::Code {
                let asked = Asked::new(index, lexicon, &texts.summary, &texts.sentences, place);
                asker.each_candidate(&asked, |candidate| out.push(candidate.clone()));
            }
            out
        });
        Self {
            candidates: candidates.collect(),
            sentences: texts.sentences.clone(),
            is_prompt: texts.blocks.iter().map(|block| block.spot.class == Class::Prompt).collect(),
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
        let (order, shares) = order(sentence, scores, |place| self.is_prompt[candidates[place].block]);
        let ranked = order.into_iter().map(|place| {
            let Candidate { block, passage, matched, .. } = candidates[place];
            Ranked { block, passage, score: shares[place], matched }
        });
        ranked.collect()
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
