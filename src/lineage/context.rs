//! What neighbouring sentences say of a sentence's source: messages along a section.
//!
//! Sentences of one section tend to rest on blocks near each other and in order. Each sentence, ranked alone, gives a
//! distribution over its best blocks; along a section it is passed forward and backward, weaker with distance and much
//! weaker for going back. The bullet above and the sentence before in the same line speak as well. The messages are
//! logarithms and enter the score with weights of their own, by kind of section.

use std::collections::BTreeMap;

use crate::text::sentences::{Section, Sentence};

/// Kinds of messages.
pub const MESSAGES: usize = 8;

/// What they are called in the file of weights.
pub const NAMES: [&str; MESSAGES] = [
    "sentence-before",
    "bullet-above-in-order",
    "bullet-above",
    "along-chronology",
    "along-messages",
    "along-errors",
    "along-tail",
    "along-others",
];

/// How many of a sentence's best blocks speak.
const SPEAKERS: usize = 30;
/// How sure a sentence is of its own ranking.
const TEMPERATURE: f64 = 0.6;
/// How much a message fades over the usual step from one sentence to the next.
const FADE: f64 = 0.15;
/// How much going back by more than [`SLACK`] blocks costs.
const BACK: f64 = 2.0;
const SLACK: i64 = 2;
/// The share of every message that says nothing.
const NOISE: f64 = 0.05;
/// How near a bullet's and its parent's blocks stand, in blocks.
const NEAR: f64 = 4.0;
/// What nothing near is worth.
const FLOOR: f64 = 0.02;

/// The messages for one candidate.
pub type Messages = [f64; MESSAGES];

/// A sentence's candidates ranked alone: blocks in order, and their scores.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    /// The blocks' places, rising.
    pub blocks: Vec<usize>,
    /// Their scores.
    pub scores: Vec<f64>,
}

/// What a sentence says of blocks: its best ones and how likely it holds each.
#[derive(Clone, Debug)]
pub(super) struct Belief {
    blocks: Vec<usize>,
    shares: Vec<f64>,
}

impl Belief {
    pub(super) fn of(alone: &Alone) -> Option<Self> {
        let mut order: Vec<usize> = (0..alone.blocks.len()).collect();
        let better = |a: &usize, b: &usize| alone.scores[*b].total_cmp(&alone.scores[*a]).then(a.cmp(b));
        if order.len() > SPEAKERS {
            order.select_nth_unstable_by(SPEAKERS, better);
            order.truncate(SPEAKERS);
        }
        order.sort_unstable_by(better);
        let most = alone.scores[*order.first()?];
        let blocks = order.iter().map(|place| alone.blocks[*place]).collect();
        let shares = order.iter().map(|place| ((alone.scores[*place] - most) * TEMPERATURE).exp()).collect();
        let mut belief = Self { blocks, shares };
        belief.normalise();
        Some(belief)
    }

    fn normalise(&mut self) {
        let sum: f64 = self.shares.iter().sum();
        if sum > 0.0 {
            for share in &mut self.shares {
                *share /= sum;
            }
        }
    }
}

/// How likely the next sentence rests on a block `distance` further on.
#[derive(Debug)]
struct Kernel {
    reach: i64,
    table: Vec<f64>,
}

impl Kernel {
    fn new(blocks: usize, sentences: usize) -> Self {
        let step = (blocks as f64 / sentences as f64).max(1.0);
        let reach = blocks as i64;
        let value = |distance: i64| {
            let back = if distance < -SLACK { BACK } else { 0.0 };
            (-FADE * distance.abs() as f64 / step - back).exp()
        };
        Self { reach, table: (-reach..=reach).map(value).collect() }
    }

    fn at(&self, distance: i64) -> f64 {
        self.table[(distance + self.reach) as usize]
    }

    /// What `belief` says of `block`: as the next one's where `forward`, else as the one before's.
    fn message(&self, belief: &Belief, block: usize, forward: bool) -> f64 {
        let sum: f64 = belief
            .blocks
            .iter()
            .zip(&belief.shares)
            .map(|(other, share)| {
                let distance = block as i64 - *other as i64;
                share * self.at(if forward { distance } else { -distance })
            })
            .sum();
        NOISE + (1.0 - NOISE) * sum
    }

    /// The messages that each sentence of a chain hears from one side.
    fn pass(&self, chain: &[&Belief], forward: bool) -> Vec<Option<Belief>> {
        let mut heard = Vec::with_capacity(chain.len());
        let mut last: Option<Belief> = None;
        for belief in chain {
            let mut next = (*belief).clone();
            if let Some(last) = &last {
                for (block, share) in next.blocks.iter().zip(&mut next.shares) {
                    *share *= self.message(last, *block, forward);
                }
                next.normalise();
            }
            heard.push(last.replace(next));
        }
        heard
    }
}

/// The sentences of one section, in order, after they have spoken to each other.
#[derive(Debug)]
pub(super) struct Chain {
    kernel: Kernel,
    kind: usize,
    /// The places of its sentences, rising.
    places: Vec<usize>,
    /// What each hears from those before it, and from those after it.
    before: Vec<Option<Belief>>,
    after: Vec<Option<Belief>>,
}

/// What the sentences of one chain have in common.
pub(super) type ChainKey = (bool, Section);

/// The chain that a sentence stands in.
pub(super) fn key(sentence: &Sentence) -> ChainKey {
    (sentence.drafted, sentence.section)
}

impl Chain {
    /// Lets the sentences at `places` speak, each with what it believes alone; `blocks` is how many the range has.
    pub(super) fn new(key: ChainKey, places: Vec<usize>, beliefs: &[&Belief], blocks: usize) -> Self {
        let kernel = Kernel::new(blocks, places.len());
        let before = kernel.pass(beliefs, true);
        let backwards: Vec<&Belief> = beliefs.iter().rev().copied().collect();
        let mut after = kernel.pass(&backwards, false);
        after.reverse();
        Self { kernel, kind: kind(key.1), places, before, after }
    }

    /// Adds what the sentence at `place` hears of each of `blocks`.
    pub(super) fn tell(&self, place: usize, blocks: &[usize], out: &mut [Messages]) {
        let Ok(at) = self.places.binary_search(&place) else { return };
        // A sentence alone in its section hears nothing.
        if self.places.len() < 2 {
            return;
        }
        let told = |heard: &Option<Belief>, block: usize, forward: bool| {
            heard.as_ref().map_or(0.0, |belief| self.kernel.message(belief, block, forward).ln())
        };
        for (block, messages) in blocks.iter().zip(out) {
            messages[self.kind] = told(&self.before[at], *block, true) + told(&self.after[at], *block, false);
        }
    }
}

/// The place of the sentence before in the same line, or of the bullet above, and the kind of what it says.
pub(super) fn neighbour(sentences: &[Sentence], place: usize) -> Option<(usize, usize)> {
    let sentence = &sentences[place];
    let in_order = sentence.section.is_chronological();
    match (sentence.opens_line, sentence.parent) {
        (false, _) if in_order || place == 0 => None,
        (false, _) => Some((place - 1, 0)),
        (true, Some(parent)) => Some((parent, if in_order { 1 } else { 2 })),
        (true, None) => None,
    }
}

/// How near blocks stand, by how many are between them.
#[derive(Debug)]
pub(super) struct Nearness(Vec<f64>);

impl Nearness {
    pub(super) fn new(blocks: usize) -> Self {
        Self((0..=blocks).map(|distance| (-(distance as f64) / NEAR).exp()).collect())
    }

    /// Adds what a neighbour says of each of `blocks`.
    pub(super) fn tell(&self, belief: &Belief, kind: usize, blocks: &[usize], out: &mut [Messages]) {
        for (block, messages) in blocks.iter().zip(out) {
            let near = belief.blocks.iter().zip(&belief.shares);
            let near: f64 = near.map(|(other, share)| share * self.0[block.abs_diff(*other)]).sum();
            messages[kind] = (FLOOR + near).ln();
        }
    }
}

/// The messages for every candidate of every sentence; `blocks` is how many the range has.
pub fn messages(sentences: &[Sentence], alone: &[Alone], blocks: usize) -> Vec<Vec<Messages>> {
    let beliefs: Vec<Option<Belief>> = alone.iter().map(Belief::of).collect();
    let mut out: Vec<Vec<Messages>> =
        alone.iter().map(|alone| vec![[0.0; MESSAGES]; alone.blocks.len()]).collect();
    let nearness = Nearness::new(blocks);
    let mut chains: BTreeMap<ChainKey, Vec<usize>> = BTreeMap::new();
    for (place, sentence) in sentences.iter().enumerate().filter(|(place, _)| beliefs[*place].is_some()) {
        if let Some((from, kind)) = neighbour(sentences, place)
            && let Some(belief) = &beliefs[from]
        {
            nearness.tell(belief, kind, &alone[place].blocks, &mut out[place]);
        }
        chains.entry(key(sentence)).or_default().push(place);
    }
    for (key, places) in chains {
        let spoken: Vec<&Belief> = places.iter().filter_map(|place| beliefs[*place].as_ref()).collect();
        let chain = Chain::new(key, places, &spoken, blocks);
        for place in &chain.places {
            chain.tell(*place, &alone[*place].blocks, &mut out[*place]);
        }
    }
    out
}

fn kind(section: Section) -> usize {
    match section {
        Section::Chronology => 3,
        Section::Messages => 4,
        Section::Errors | Section::Problems => 5,
        Section::Current | Section::Pending | Section::Next => 6,
        _ => 7,
    }
}
