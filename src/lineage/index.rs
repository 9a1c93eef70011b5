//! The index of one compaction's range: passages of its blocks, their words, and how rare each word is there.
//!
//! A word's weight is its inverse frequency over the passages of this range alone: what is common in the session as a
//! whole may be rare in the stretch that was summarised, and the index costs what its range holds, never the log.
//! Passages are whole lines up to 900 characters, windows inside them lines and sentences up to 260. No identifiers and
//! no character n-grams are indexed: measured, they change nothing that words split at humps and underscores do not.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use foldhash::fast::FixedState;

use crate::text::words;

use super::passages::{each_line, passages, windows};
use super::range::{Block, Class};

/// BM25's saturation and length normalisation.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// How many words in a row make two passages repeat each other.
const SHINGLE: usize = 4;

/// A word's number in the index.
pub type Word = u32;

/// A stretch of a block.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The block's place.
    pub block: usize,
    /// Its words' places.
    pub words: Range<usize>,
    /// Where it stands in the block's text.
    pub range: Range<usize>,
    /// Its windows' places.
    pub windows: Range<usize>,
    /// Share of its runs of four words that an earlier block holds too.
    pub repeated: f64,
}

/// A stretch of a passage: some lines or sentences, with a word at least.
#[derive(Clone, Debug)]
pub struct Window {
    /// Its words' places.
    pub words: Range<usize>,
    /// Where it stands in the block's text.
    pub range: Range<usize>,
    /// The weight of its words, each once.
    pub weight: f64,
}

/// The index.
#[derive(Debug, Default)]
pub struct Index {
    vocabulary: HashMap<Box<str>, Word, FixedState>,
    /// Words of all passages, one after another.
    words: Vec<Word>,
    /// The passages, in order of their blocks.
    pub passages: Vec<Passage>,
    /// The passages of each block.
    pub of_block: Vec<Range<usize>>,
    /// The windows, in order of their passages.
    pub windows: Vec<Window>,
    /// Passages and counts of each word: `postings[starts[w]..starts[w + 1]]`.
    postings: Vec<(u32, u32)>,
    starts: Vec<usize>,
    /// Windows of each word, likewise.
    window_postings: Vec<u32>,
    window_starts: Vec<usize>,
    average: f64,
    weights: Vec<f64>,
    unseen: f64,
}

/// A text's words as the index knows them, each once.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Words that the range holds, in order of their numbers.
    pub known: Vec<Word>,
    /// How many it does not hold.
    pub unknown: usize,
    /// Weight of all of them.
    pub total: f64,
}

impl Index {
    /// Indexes the blocks of a range.
    pub fn new(blocks: &[Block]) -> Self {
        let mut index = Self::default();
        let mut builder = Builder::default();
        for (place, block) in blocks.iter().enumerate() {
            let from = index.passages.len();
            for range in passages(&block.text) {
                builder.add(&mut index, place, block, range);
            }
            index.of_block.push(from..index.passages.len());
        }
        index.post();
        index.weigh();
        index.post_windows();
        index
    }

    /// Counts and posts the words of all passages.
    fn post(&mut self) {
        let size = self.vocabulary.len();
        let mut last = vec![u32::MAX; size];
        self.starts = vec![0; size + 1];
        for (passage, of) in self.passages.iter().enumerate() {
            for word in &self.words[of.words.clone()] {
                let word = *word as usize;
                if last[word] != passage as u32 {
                    last[word] = passage as u32;
                    self.starts[word + 1] += 1;
                }
            }
        }
        sum_up(&mut self.starts);
        let mut next = self.starts.clone();
        self.postings = vec![(u32::MAX, 0); self.starts[size]];
        for (passage, of) in self.passages.iter().enumerate() {
            for word in &self.words[of.words.clone()] {
                let word = *word as usize;
                // Passages come in order, so the last posting is this passage's or an earlier one's.
                let filled = next[word];
                if filled > self.starts[word] && self.postings[filled - 1].0 == passage as u32 {
                    self.postings[filled - 1].1 += 1;
                } else {
                    self.postings[filled] = (passage as u32, 1);
                    next[word] += 1;
                }
            }
        }
    }

    /// Weighs every word by the passages that hold it.
    fn weigh(&mut self) {
        let count = self.passages.len().max(1) as f64;
        self.average = (self.words.len() as f64 / count).max(1.0);
        let rarity = |frequency: f64| (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln();
        self.weights = self.starts.windows(2).map(|of| rarity((of[1] - of[0]) as f64)).collect();
        self.unseen = rarity(0.0);
    }

    /// Weighs the windows and posts their words.
    fn post_windows(&mut self) {
        let size = self.vocabulary.len();
        let mut distinct: Vec<Word> = Vec::with_capacity(self.words.len());
        let mut ends = Vec::with_capacity(self.windows.len());
        self.window_starts = vec![0; size + 1];
        let mut own: Vec<Word> = Vec::new();
        for window in &mut self.windows {
            own.clear();
            own.extend(&self.words[window.words.clone()]);
            own.sort_unstable();
            own.dedup();
            window.weight = own.iter().map(|word| self.weights[*word as usize]).sum();
            for word in &own {
                self.window_starts[*word as usize + 1] += 1;
            }
            distinct.extend(&own);
            ends.push(distinct.len());
        }
        sum_up(&mut self.window_starts);
        let mut next = self.window_starts.clone();
        self.window_postings = vec![0; distinct.len()];
        let mut from = 0;
        for (window, end) in ends.into_iter().enumerate() {
            for word in &distinct[from..end] {
                self.window_postings[next[*word as usize]] = window as u32;
                next[*word as usize] += 1;
            }
            from = end;
        }
    }

    /// The number of a stem.
    pub fn word(&self, stem: &str) -> Option<Word> {
        self.vocabulary.get(stem).copied()
    }

    /// A word's weight.
    pub fn weight(&self, word: Word) -> f64 {
        self.weights[word as usize]
    }

    /// The weight of a word that the range does not hold.
    pub fn unseen(&self) -> f64 {
        self.unseen
    }

    /// The words of a passage, in order.
    pub fn words(&self, passage: usize) -> &[Word] {
        &self.words[self.passages[passage].words.clone()]
    }

    /// The passages that hold a word, in order, and how often.
    pub fn postings(&self, word: Word) -> &[(u32, u32)] {
        &self.postings[self.starts[word as usize]..self.starts[word as usize + 1]]
    }

    /// The passages that hold both words, in order.
    pub fn with_both(&self, a: Word, b: Word) -> impl Iterator<Item = u32> {
        let (a, b) = (self.postings(a), self.postings(b));
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        let mut rest = many;
        few.iter().filter_map(move |(passage, _)| {
            rest = &rest[rest.partition_point(|(other, _)| other < passage)..];
            rest.first().is_some_and(|(other, _)| other == passage).then_some(*passage)
        })
    }

    /// A text's words, each once.
    pub fn query(&self, text: &str) -> Query {
        let mut seen: HashSet<String> = HashSet::new();
        let mut query = Query::default();
        words::each_stem(text, |word, _| {
            if seen.insert(word.to_owned()) {
                match self.word(word) {
                    Some(word) => query.known.push(word),
                    None => query.unknown += 1,
                }
            }
        });
        query.known.sort_unstable();
        query.total = query.known.iter().map(|word| self.weight(*word)).sum::<f64>()
            + query.unknown as f64 * self.unseen;
        query
    }

    /// Adds `share` of the BM25 score of `words` to `scores`, one for each passage.
    pub fn score(&self, words: &[Word], share: f64, scores: &mut [f64]) {
        for word in words {
            let weight = self.weight(*word) * share * (K1 + 1.0);
            for (passage, count) in self.postings(*word) {
                let count = f64::from(*count);
                let length = self.passages[*passage as usize].words.len() as f64 / self.average;
                scores[*passage as usize] += weight * count / (count + K1 * (1.0 - B + B * length));
            }
        }
    }

    /// Adds to `shared` the weight of those of `words` that each window holds.
    pub fn share_windows(&self, words: &[Word], shared: &mut [f64]) {
        for word in words {
            let weight = self.weight(*word);
            let of = self.window_starts[*word as usize]..self.window_starts[*word as usize + 1];
            for window in &self.window_postings[of] {
                shared[*window as usize] += weight;
            }
        }
    }

    /// Adds to `shared` the weight of those of `words` that each passage holds.
    pub fn share_passages(&self, words: &[Word], shared: &mut [f64]) {
        for word in words {
            let weight = self.weight(*word);
            for (passage, _) in self.postings(*word) {
                shared[*passage as usize] += weight;
            }
        }
    }

    /// The words at these places among all words.
    pub fn slice(&self, places: Range<usize>) -> &[Word] {
        &self.words[places]
    }
}

/// Turns counts of `starts[1..]` into places.
fn sum_up(starts: &mut [usize]) {
    let mut sum = 0;
    for start in starts {
        sum += *start;
        *start = sum;
    }
}

/// What is needed only while an index is built.
#[derive(Default)]
struct Builder {
    /// Words as they stand in texts; none for stop words. Most words come many times: they are stemmed once.
    seen: HashMap<Box<str>, Option<Word>, FixedState>,
    /// Where words of the passage at hand end in its block's text.
    ends: Vec<usize>,
    /// The first block that holds each run of words.
    shingles: HashMap<[Word; SHINGLE], usize, FixedState>,
    stem: String,
}

impl Builder {
    fn add(&mut self, index: &mut Index, place: usize, block: &Block, range: Range<usize>) {
        let from = index.words.len();
        self.ends.clear();
        each_line(&block.text[range.clone()], |line, at| {
            words::each(line, |found| {
                if let Some(word) = self.number(index, &line[found.clone()]) {
                    index.words.push(word);
                    self.ends.push(range.start + at + found.end);
                }
            });
        });
        let words = from..index.words.len();
        let windows = self.cut(index, &block.text, &range, words.clone());
        let repeated = self.repeated(&index.words[words.clone()], place, block.spot.class);
        index.passages.push(Passage { block: place, words, range, windows, repeated });
    }

    /// The number of a word as it stands in a text.
    fn number(&mut self, index: &mut Index, found: &str) -> Option<Word> {
        if let Some(known) = self.seen.get(found) {
            return *known;
        }
        let number = words::stem_of(found, &mut self.stem).then(|| {
            let next = index.vocabulary.len() as Word;
            match index.vocabulary.get(self.stem.as_str()) {
                Some(number) => *number,
                None => *index.vocabulary.entry(self.stem.as_str().into()).or_insert(next),
            }
        });
        self.seen.insert(found.into(), number);
        number
    }

    /// Cuts a passage into windows; those without words are left out.
    fn cut(&self, index: &mut Index, text: &str, range: &Range<usize>, words: Range<usize>) -> Range<usize> {
        let first = index.windows.len();
        let (mut at, mut from) = (0, range.start);
        for end in windows(&text[range.clone()]) {
            let limit = range.start + end;
            let next = at + self.ends[at..].partition_point(|word| *word <= limit);
            if next > at {
                let words = words.start + at..words.start + next;
                index.windows.push(Window { words, range: from..limit, weight: 0.0 });
            }
            (at, from) = (next, limit);
        }
        first..index.windows.len()
    }

    /// The share of a passage's runs of words that an earlier block holds too.
    fn repeated(&mut self, words: &[Word], place: usize, class: Class) -> f64 {
        let mut repeated = 0usize;
        let mut runs = 0usize;
        for run in words.windows(SHINGLE) {
            let Ok(run) = <[Word; SHINGLE]>::try_from(run) else { continue };
            runs += 1;
            // What the harness puts in repeats others and is repeated by nobody.
            let first = if class == Class::Meta {
                self.shingles.get(&run).copied()
            } else {
                Some(*self.shingles.entry(run).or_insert(place))
            };
            repeated += usize::from(first.is_some_and(|first| first < place));
        }
        if runs == 0 { 0.0 } else { repeated as f64 / runs as f64 }
    }
}
