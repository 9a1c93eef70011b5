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
struct Belief {
    blocks: Vec<usize>,
    shares: Vec<f64>,
}

impl Belief {
    fn of(alone: &Alone) -> Option<Self> {
        let mut order: Vec<usize> = (0..alone.blocks.len()).collect();
        order.sort_by(|a, b| alone.scores[*b].total_cmp(&alone.scores[*a]).then(a.cmp(b)));
        order.truncate(SPEAKERS);
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

/// The messages for every candidate of every sentence; `blocks` is how many the range has.
pub fn messages(sentences: &[Sentence], alone: &[Alone], blocks: usize) -> Vec<Vec<Messages>> {
    let beliefs: Vec<Option<Belief>> = alone.iter().map(Belief::of).collect();
    let mut out: Vec<Vec<Messages>> =
        alone.iter().map(|alone| vec![[0.0; MESSAGES]; alone.blocks.len()]).collect();
    let mut chains: BTreeMap<(bool, Section), Vec<usize>> = BTreeMap::new();
    for (place, sentence) in sentences.iter().enumerate().filter(|(place, _)| beliefs[*place].is_some()) {
        hear_neighbour(sentences, &beliefs, place, &alone[place].blocks, &mut out[place]);
        chains.entry((sentence.drafted, sentence.section)).or_default().push(place);
    }
    for ((_, section), chain) in chains.iter().filter(|(_, chain)| chain.len() > 1) {
        let kernel = Kernel::new(blocks, chain.len());
        let spoken: Vec<&Belief> = chain.iter().filter_map(|place| beliefs[*place].as_ref()).collect();
        let before = kernel.pass(&spoken, true);
        let backwards: Vec<&Belief> = spoken.iter().rev().copied().collect();
        let mut after = kernel.pass(&backwards, false);
        after.reverse();
        let kind = kind(*section);
        for (at, place) in chain.iter().enumerate() {
            for (block, messages) in alone[*place].blocks.iter().zip(&mut out[*place]) {
                let from_before = before[at].as_ref().map_or(0.0, |b| kernel.message(b, *block, true).ln());
                let from_after = after[at].as_ref().map_or(0.0, |b| kernel.message(b, *block, false).ln());
                messages[kind] = from_before + from_after;
            }
        }
    }
    out
}

/// The sentence before in the same line, or the bullet above.
fn hear_neighbour(
    sentences: &[Sentence],
    beliefs: &[Option<Belief>],
    place: usize,
    blocks: &[usize],
    out: &mut [Messages],
) {
    let sentence = &sentences[place];
    let in_order = sentence.section.is_chronological();
    let (neighbour, kind) = match (sentence.opens_line, sentence.parent) {
        (false, _) if in_order || place == 0 => return,
        (false, _) => (place - 1, 0),
        (true, Some(parent)) => (parent, if in_order { 1 } else { 2 }),
        (true, None) => return,
    };
    let Some(belief) = &beliefs[neighbour] else { return };
    for (block, messages) in blocks.iter().zip(out) {
        let near: f64 = belief
            .blocks
            .iter()
            .zip(&belief.shares)
            .map(|(other, share)| share * (-(block.abs_diff(*other) as f64) / NEAR).exp())
            .sum();
        messages[kind] = (FLOOR + near).ln();
    }
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
