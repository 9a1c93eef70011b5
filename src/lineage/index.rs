//! The index of one compaction's range: passages of its blocks, their words, and how rare each word is there.
//!
//! A word's weight is its inverse frequency over the passages of this range alone: what is common in the session as a
//! whole may be rare in the stretch that was summarised, and the index costs what its range holds, never the log.
//! Passages are whole lines up to 900 characters, windows inside them lines and sentences up to 260. No identifiers and
//! no character n-grams are indexed: measured, they change nothing that words split at humps and underscores do not.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::ops::Range;

use crate::text::words;

use super::range::{Block, Class};

/// Longest passage, in bytes, where its lines allow.
const PASSAGE: usize = 900;
/// Longest window, likewise.
const WINDOW: usize = 260;
/// BM25's saturation and length normalisation.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// How many words in a row make two passages repeat each other.
const SHINGLE: usize = 4;

/// A word's number in the index.
pub type Word = u32;

type Fixed = BuildHasherDefault<DefaultHasher>;

/// A stretch of a block.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The block's place.
    pub block: usize,
    /// Its words' places.
    pub words: Range<usize>,
    /// Where it stands in the block's text.
    pub range: Range<usize>,
    /// Share of its runs of four words that an earlier block holds too.
    pub repeated: f64,
}

/// The index.
#[derive(Debug)]
pub struct Index {
    vocabulary: HashMap<Box<str>, Word, Fixed>,
    /// Passages that hold each word.
    frequency: Vec<u32>,
    /// Words of all passages, one after another.
    words: Vec<Word>,
    /// Where each word ends in its block's text.
    ends: Vec<u32>,
    /// The passages, in order of their blocks.
    pub passages: Vec<Passage>,
    /// The passages of each block.
    pub of_block: Vec<Range<usize>>,
    /// Passages and counts of each word: `postings[starts[w]..starts[w + 1]]`.
    postings: Vec<(u32, u32)>,
    starts: Vec<usize>,
    average: f64,
    weights: Vec<f64>,
    unseen: f64,
}

/// A text's words as the index knows them, each once, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Words that the range holds.
    pub known: Vec<Word>,
    /// How many it does not hold.
    pub unknown: usize,
    /// Weight of all of them.
    pub total: f64,
}

impl Index {
    /// Indexes the blocks of a range.
    pub fn new(blocks: &[Block]) -> Self {
        let mut index = Self {
            vocabulary: HashMap::default(),
            frequency: Vec::new(),
            words: Vec::new(),
            ends: Vec::new(),
            passages: Vec::new(),
            of_block: Vec::new(),
            postings: Vec::new(),
            starts: Vec::new(),
            average: 1.0,
            weights: Vec::new(),
            unseen: 0.0,
        };
        let mut shingles: HashMap<[Word; SHINGLE], usize, Fixed> = HashMap::default();
        for (place, block) in blocks.iter().enumerate() {
            let from = index.passages.len();
            for range in passages(&block.text) {
                index.add(place, block, range, &mut shingles);
            }
            index.of_block.push(from..index.passages.len());
        }
        index.post();
        index
    }

    fn add(
        &mut self,
        place: usize,
        block: &Block,
        range: Range<usize>,
        shingles: &mut HashMap<[Word; SHINGLE], usize, Fixed>,
    ) {
        let from = self.words.len();
        let Self { vocabulary, words: all, ends, .. } = self;
        each_line(&block.text[range.clone()], |line, at| {
            words::each_stem(line, |word, found| {
                let next = vocabulary.len() as Word;
                let number = match vocabulary.get(word) {
                    Some(number) => *number,
                    None => *vocabulary.entry(word.into()).or_insert(next),
                };
                all.push(number);
                ends.push((range.start + at + found.end) as u32);
            });
        });
        let own = from..self.words.len();
        let mut repeated = 0usize;
        let mut runs = 0usize;
        for run in self.words[own.clone()].windows(SHINGLE) {
            let Ok(run) = <[Word; SHINGLE]>::try_from(run) else { continue };
            runs += 1;
            let first = shingles.get(&run).copied();
            repeated += usize::from(first.is_some_and(|first| first < place));
            if first.is_none() && block.class != Class::Meta {
                shingles.insert(run, place);
            }
        }
        let repeated = if runs == 0 { 0.0 } else { repeated as f64 / runs as f64 };
        self.passages.push(Passage { block: place, words: own, range, repeated });
    }

    /// Counts and posts the words of all passages.
    fn post(&mut self) {
        let size = self.vocabulary.len();
        let mut last = vec![u32::MAX; size];
        self.frequency = vec![0; size];
        for (passage, of) in self.passages.iter().enumerate() {
            for word in &self.words[of.words.clone()] {
                let word = *word as usize;
                if last[word] != passage as u32 {
                    last[word] = passage as u32;
                    self.frequency[word] += 1;
                }
            }
        }
        self.starts = vec![0; size + 1];
        for word in 0..size {
            self.starts[word + 1] = self.starts[word] + self.frequency[word] as usize;
        }
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
        let count = self.passages.len().max(1) as f64;
        self.average = (self.words.len() as f64 / count).max(1.0);
        let rarity = |frequency: f64| (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln();
        self.weights = self.frequency.iter().map(|frequency| rarity(f64::from(*frequency))).collect();
        self.unseen = rarity(0.0);
    }

    /// The number of a stem.
    pub fn word(&self, stem: &str) -> Option<Word> {
        self.vocabulary.get(stem).copied()
    }

    /// How many different words there are.
    pub fn vocabulary(&self) -> usize {
        self.weights.len()
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

    /// The words of a passage, window by window, as places for [`Index::slice`].
    pub fn windows(&self, passage: usize, text: &str) -> Vec<Range<usize>> {
        self.window_ranges(passage, text).into_iter().map(|(words, _)| words).collect()
    }

    /// The same with each window's bytes in the block's text.
    pub fn window_ranges(&self, passage: usize, text: &str) -> Vec<(Range<usize>, Range<usize>)> {
        let of = &self.passages[passage];
        let mut out = Vec::new();
        let (mut at, mut from) = (of.words.start, of.range.start);
        for end in windows(&text[of.range.clone()]) {
            let limit = of.range.start + end;
            let next = at + self.ends[at..of.words.end].partition_point(|word| *word as usize <= limit);
            if next > at {
                out.push((at..next, from..limit));
            }
            (at, from) = (next, limit);
        }
        out
    }

    /// The words at these places among all words.
    pub fn slice(&self, places: Range<usize>) -> &[Word] {
        &self.words[places]
    }
}

/// Where the passages of a text stand.
fn passages(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut piece = at..at + line.len();
        at += line.len();
        while piece.len() > PASSAGE + 1 {
            out.extend(open.take());
            let cut = cut(&text[piece.clone()], PASSAGE);
            out.push(piece.start..piece.start + cut);
            piece.start += cut;
        }
        match &mut open {
            Some(open) if open.len() + piece.len() <= PASSAGE + 1 => open.end = piece.end,
            _ => {
                out.extend(open.take());
                open = Some(piece);
            }
        }
    }
    out.extend(open);
    out.retain(|range| !text[range.clone()].trim().is_empty());
    out
}

/// Where to cut a line that is longer than `most`: at its last space, where there is one in the second half.
fn cut(line: &str, most: usize) -> usize {
    let head = crate::text::preview::floor(line, most);
    let end = if head.is_empty() { line.ceil_char_boundary(most.max(1)) } else { head.len() };
    head.rfind(' ').filter(|space| *space > most / 2).unwrap_or(end)
}

/// The ends of a passage's windows: lines and sentences, joined while they stay short.
fn windows(text: &str) -> Vec<usize> {
    let mut out = Vec::new();
    let (mut from, mut end) = (0, 0);
    for piece in pieces(text) {
        let mut piece = piece;
        if piece.end - from > WINDOW && end > from {
            out.push(end);
            from = piece.start;
        }
        while piece.len() > WINDOW {
            piece.start += cut(&text[piece.clone()], WINDOW);
            out.push(piece.start);
            from = piece.start;
        }
        end = piece.end;
    }
    out.push(text.len());
    out
}

/// Lines, and sentences inside them.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        let ends_line = bytes[at] == b'\n';
        let ends_sentence = matches!(bytes[at], b'.' | b'!' | b'?')
            && matches!(bytes.get(at + 1), Some(b' '))
            && bytes.get(at + 2).is_some_and(u8::is_ascii_uppercase);
        if ends_line || ends_sentence {
            out.push(from..at + 1);
            from = at + 1;
        }
    }
    if from < bytes.len() {
        out.push(from..bytes.len());
    }
    out
}

/// The lines of a text without the line numbers that reading tools put before them.
fn each_line(text: &str, mut take: impl FnMut(&str, usize)) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let head = line.trim_start_matches([' ', '\t']);
        let digits = head.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &head[digits..];
        let marked = rest.strip_prefix('→').or_else(|| rest.strip_prefix('\t'));
        let body = marked.filter(|_| digits > 0).unwrap_or(line);
        take(body, at + line.len() - body.len());
        at += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn passages_pack_whole_lines() {
        let text = format!("{}\n{}\n{}", "a".repeat(500), "b".repeat(300), "c".repeat(300));
        assert_eq!(passages(&text), [0..802, 802..1102]);
        let long = format!("{} {}", "x".repeat(600), "y".repeat(600));
        assert_eq!(passages(&long), [0..600, 600..1201]);
    }

    #[test]
    fn line_numbers_are_no_words() {
        let mut lines = Vec::new();
        each_line("   12→fn main\n13\tlet\n14 x", |line, at| lines.push((line.to_owned(), at)));
        let expected = [("fn main\n", 8), ("let\n", 19), ("14 x", 23)];
        assert_eq!(lines, expected.map(|(line, at)| (line.to_owned(), at)));
    }

    proptest! {
        #[test]
        fn any_text_is_cut_in_order(text in "(\\PC|\n| ){0,400}", times in 1usize..12) {
            let text = text.repeat(times);
            let mut end = 0;
            for range in passages(&text) {
                assert!(range.start >= end && !text[range.clone()].trim().is_empty());
                end = range.end;
                let ends = windows(&text[range.clone()]);
                assert!(ends.is_sorted() && ends.last() == Some(&range.len()));
            }
        }
    }
}
