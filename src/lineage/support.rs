//! How far a sentence is supported by what it is traced to, and how much of it is word for word.
//!
//! Coverage is the share of a sentence's weight that the best passages of its first three sources hold; words that the
//! range does not hold at all count as the rarest. A sentence that says something is absent ("None.") cannot be
//! supported and is never flagged. Where originals are missing from the log nothing is called unsupported.

use std::collections::{BTreeSet, HashMap};

use crate::text::lexicon::Lexicon;
use crate::text::sentences::{Kind, Sentence};
use crate::text::words;

use super::index::Index;
use super::range::Block;
use super::rank::Ranked;

/// From here on a sentence is supported; from [`WEAK`] weakly.
const SUPPORTED: f64 = 0.65;
const WEAK: f64 = 0.40;
/// Sentences that weigh less say too little to be called unsupported.
const TELLING: f64 = 12.0;
/// What words count that any summary holds.
const TEMPLATE: f64 = 0.3;
/// What two sentences have to share to be about the same: words, and the share of the lighter one's weight.
const ALIKE_WORDS: usize = 3;
const ALIKE_SHARE: f64 = 0.25;
/// How many sources support a sentence together.
pub const TOGETHER: usize = 3;
/// From here on a run of words counts as the sentence's own wording; a word may have been changed.
const VERBATIM: f64 = 0.90;

/// How far a sentence is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Support {
    /// Most of it is found.
    Supported,
    /// A part of it is found.
    Weak,
    /// Little of it is found, though everything that was summarised is in the log.
    Unsupported,
    /// It says that something is absent.
    Absence,
    /// Little of it is found, but originals are missing from the log.
    Unknown,
}

impl Support {
    /// The word in JSON and on the screen; none where it cannot be told.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Supported => Some("supported"),
            Self::Weak => Some("weak"),
            Self::Unsupported => Some("unsupported"),
            Self::Absence => Some("absence"),
            Self::Unknown => None,
        }
    }
}

/// A sentence's words with their weights, for coverage.
#[derive(Debug)]
pub struct Weighed {
    known: Vec<(u32, f64)>,
    total: f64,
}

impl Weighed {
    /// Weighs the words of a sentence.
    pub fn new(index: &Index, lexicon: &Lexicon, text: &str) -> Self {
        let distinct: BTreeSet<String> = words::stems(text).into_iter().collect();
        let (mut known, mut total) = (Vec::new(), 0.0);
        for word in distinct {
            let number = index.word(&word);
            let discount = if lexicon.template.contains(&word) { TEMPLATE } else { 1.0 };
            let weight = discount * number.map_or(index.unseen(), |number| index.weight(number));
            total += weight;
            known.extend(number.map(|number| (number, weight)));
        }
        Self { known, total }
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.total <= 0.0
    }

    /// The share of its weight that the sources hold in their best passages and paths.
    pub fn coverage(&self, index: &Index, blocks: &[Block], sources: &[Ranked]) -> f64 {
        if self.total <= 0.0 {
            return 1.0;
        }
        let paths: Vec<u32> =
            sources.iter().flat_map(|source| index.query(&blocks[source.block].path).known).collect();
        let held = self.known.iter().filter(|(word, _)| {
            paths.contains(word) || sources.iter().any(|source| index.words(source.passage).contains(word))
        });
        // Not `sum`, which is minus nothing where nothing is held.
        held.fold(0.0, |sum, (_, weight)| sum + weight) / self.total
    }

    /// How much two sentences are about the same: shared weight over the geometric mean of theirs. Nothing where they
    /// share fewer than three words or less than a quarter of the lighter one.
    pub fn likeness(&self, other: &Self) -> f64 {
        let shared = self.known.iter().filter(|(word, _)| other.known.iter().any(|(known, _)| known == word));
        let (count, weight) = shared.fold((0, 0.0), |(count, sum), (_, weight)| (count + 1, sum + weight));
        let lighter = self.total.min(other.total);
        if count < ALIKE_WORDS || weight < ALIKE_SHARE * lighter {
            return 0.0;
        }
        weight / (self.total * other.total).sqrt()
    }

    /// How far coverage supports the sentence. One that says too little to be called unsupported cannot be told where
    /// nothing of it is held.
    pub fn support(
        &self,
        lexicon: &Lexicon,
        sentence: &Sentence,
        text: &str,
        coverage: f64,
        ample: bool,
    ) -> Support {
        let is_telling = self.total >= TELLING;
        match coverage {
            _ if sentence.kind == Kind::Sentence && lexicon.absence.opens(text) => Support::Absence,
            _ if self.is_empty() => Support::Unknown,
            SUPPORTED.. => Support::Supported,
            WEAK.. => Support::Weak,
            held if !is_telling && held > 0.0 => Support::Weak,
            _ if is_telling && ample => Support::Unsupported,
            _ => Support::Unknown,
        }
    }
}

/// A sentence's words in order, to be found in other texts as one run.
#[derive(Debug)]
pub struct Spoken {
    numbers: HashMap<String, u32>,
    words: Vec<u32>,
}

impl Spoken {
    /// Takes the words of `sentence`.
    pub fn new(sentence: &str) -> Self {
        let mut spoken = Self { numbers: HashMap::new(), words: Vec::new() };
        words::each_spoken(sentence, |word, _| {
            let next = spoken.numbers.len() as u32;
            let number = *spoken.numbers.entry(word.to_owned()).or_insert(next);
            spoken.words.push(number);
        });
        spoken
    }

    /// The longest run of its words that `source` holds, as a share of the sentence.
    pub fn run(&self, source: &str) -> f64 {
        // Where the source holds each of its words, counted from 1; most words of either are not in the other.
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); self.numbers.len()];
        let mut count = 0;
        words::each_spoken(source, |word, _| {
            count += 1;
            if let Some(number) = self.numbers.get(word) {
                places[*number as usize].push(count);
            }
        });
        let mut longest = 0;
        // The length of the run that ends at each place of the source with the word at hand.
        let mut runs = vec![0usize; count + 1];
        for word in &self.words {
            let ends = &places[*word as usize];
            let next: Vec<usize> = ends.iter().map(|place| runs[place - 1] + 1).collect();
            runs.fill(0);
            for (place, run) in ends.iter().zip(next) {
                runs[*place] = run;
                longest = longest.max(run);
            }
        }
        longest as f64 / self.words.len().max(1) as f64
    }
}

/// Whether a run is the sentence's wording, but for a word in ten at the most.
pub fn is_verbatim(share: f64) -> bool {
    share >= VERBATIM
}

/// Whether a run is the sentence word for word, none left out.
pub fn is_word_for_word(share: f64) -> bool {
    share >= 1.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_run_is_the_longest_of_both(a in "[abc ]{0,20}", b in "[abcd ]{0,40}") {
            let words = words::spoken(&a);
            let (length, _, _) = words::longest_run(&words, &words::spoken(&b));
            let share = length as f64 / words.len().max(1) as f64;
            assert!((Spoken::new(&a).run(&b) - share).abs() < 1e-12);
        }
    }
}
