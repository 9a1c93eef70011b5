//! Whether a sentence came from the turns that its compaction read, or was taken over from the summary before.
//!
//! The range holds the summary before, sentence by sentence, next to the turns that came after it, and the ranker weighs
//! all of them against each other. A sentence is inherited where more belief lies on old sentences than on turns;
//! where the turns match it as well, the summariser could read the original: it is both, and counts as new. Comparing
//! matches and coverage alone, as the first version did, takes every new sentence about an old subject for an
//! inherited one (on the development labels 4 of 15, against 1 of 13 by belief). Where what is believed holds
//! next to nothing of the sentence, nothing is said.

use super::index::Index;
use super::range::Texts;
use super::rank::Ranked;
use super::support::{TOGETHER, Weighed};

/// The belief that has to lie on one side.
const DECIDED: f64 = 0.5;
/// What the side's first three sources have to hold.
const HELD: f64 = 0.1;
/// How close the turns' coverage has to come for both to be sources.
const CLOSE: f64 = 0.05;

/// Where a sentence came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// From the turns since the summary before.
    New,
    /// From the summary before.
    Inherited,
    /// From either.
    Both,
    /// It cannot be told.
    Weak,
}

impl Origin {
    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Inherited => "inherited",
            Self::Both => "both",
            Self::Weak => "weak",
        }
    }
}

/// The origin of a sentence with these sources; where it is inherited, the place of the sentence before.
pub fn of(texts: &Texts, index: &Index, weighed: &Weighed, ranked: &[Ranked]) -> (Origin, Option<usize>) {
    let is_old = |source: &&Ranked| texts.blocks[source.block].spot.sentence.is_some();
    let belief: f64 = ranked.iter().filter(is_old).map(|source| source.score).sum();
    let old = ranked.iter().find(is_old);
    let new = ranked.iter().find(|source| !is_old(source));
    let holds = |old: bool| {
        let side = ranked.iter().filter(|source| is_old(source) == old).take(TOGETHER).copied();
        weighed.coverage(index, &texts.blocks, &side.collect::<Vec<Ranked>>())
    };
    let matched = |source: Option<&Ranked>| source.map_or(0.0, |source| source.matched);
    if belief >= DECIDED && holds(true) >= HELD {
        if holds(false) >= holds(true) - CLOSE && matched(new) >= matched(old) {
            return (Origin::Both, None);
        }
        return (Origin::Inherited, old.and_then(|source| texts.blocks[source.block].spot.sentence));
    }
    let decided = 1.0 - belief >= DECIDED && holds(false) >= HELD;
    (if decided { Origin::New } else { Origin::Weak }, None)
}
