//! What speaks for a block as a sentence's source, as numbers.
//!
//! Owns the features of a sentence and each of its candidates: shared words by rarity, how much of a short window they
//! make up, files, quotations, the block's kind and place. Knows no weights. Sums run in the order of the sentence's
//! words and of the range, so the same log gives the same numbers.

use std::collections::HashMap;

use memchr::memmem;

use crate::text::lexicon::Lexicon;
use crate::text::sentences::{Kind, Sentence};

use super::asked::{Asked, folded, path_match, plain};
use super::class::Class;
use super::index::{Index, Query, Word};
use super::matched::Matched;
use super::range::Block;

/// How many blocks at the end of a range count as its last.
const LAST: usize = 12;
/// Below this a path does not answer to a name.
const SAME_PATH: f64 = 0.99;

macro_rules! features {
    ($($name:ident $text:literal,)*) => {
        /// One number of a candidate. The classes of blocks follow, one number each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "described where they are computed")]
        pub enum Feature { $($name,)* }

        /// What the features are called in the file of weights, in their order; classes after them.
        const TEXTS: &[&str] = &[$($text,)*];
    };
}

features! {
    Match "match",
    MatchInClass "match-in-class",
    Coverage "coverage",
    ProseCoverage "prose-coverage",
    WindowPrecision "window-precision",
    Literals "literals",
    CallCoverage "call-coverage",
    NewText "new-text",
    Quotation "quotation",
    OwnFile "own-file",
    InheritedFile "inherited-file",
    OwnFileChanged "own-file-changed",
    InheritedFileChanged "inherited-file-changed",
    OtherFile "other-file",
    Reread "reread",
    UserSaid "user-said",
    LateForTail "late-for-tail",
    LastForTail "last-for-tail",
    Repeats "repeats",
    OldTodo "old-todo",
    Length "length",
    Pairs "pairs",
    PromptCoverage "prompt-coverage",
}

/// How many features there are.
pub const COUNT: usize = TEXTS.len() + Class::ALL.len();

/// A candidate's features.
pub type Features = [f64; COUNT];

/// The name of the feature at `place`.
pub fn name(place: usize) -> String {
    match TEXTS.get(place) {
        Some(name) => (*name).to_owned(),
        None => format!("class-{:?}", Class::ALL[place - TEXTS.len()]).to_lowercase(),
    }
}

/// A block that may be a sentence's source.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The block's place.
    pub block: usize,
    /// Its best passage.
    pub passage: usize,
    /// How well the passage matches, by its words alone: comparable within a sentence.
    pub matched: f64,
    /// What speaks for it.
    pub features: Features,
}

/// Everything about a range that sentences are asked of.
#[derive(Debug)]
pub struct Asker<'a> {
    /// The candidates' texts.
    pub blocks: &'a [Block],
    /// Their words.
    pub index: &'a Index,
    /// The sentences, prepared; those of code are empty.
    asked: Vec<Asked>,
    pub(super) plain_prompts: Vec<(usize, String)>,
    folded: Vec<String>,
    new_words: HashMap<usize, Vec<Word>>,
    first_change: HashMap<&'a str, usize>,
    prompt_of: Vec<Option<usize>>,
    last_todo: Option<usize>,
}

impl<'a> Asker<'a> {
    /// Prepares the sentences of `summary`.
    pub fn new(
        blocks: &'a [Block],
        index: &'a Index,
        lexicon: &Lexicon,
        summary: &str,
        sentences: &[Sentence],
    ) -> Self {
        let asked = sentences.iter().enumerate().map(|(place, sentence)| match sentence.kind {
            Kind::Code => Asked::default(),
            _ => Asked::new(index, lexicon, summary, sentences, place),
        });
        let asked: Vec<Asked> = asked.collect();
        let is_prompt = |block: &Block| block.class == Class::Prompt;
        let prompts = blocks.iter().enumerate().filter(|(_, block)| is_prompt(block));
        let plain_prompts = prompts.map(|(place, block)| (place, plain(&block.text))).collect();
        let mut first_change = HashMap::new();
        let mut prompt_of = Vec::with_capacity(blocks.len());
        let mut prompt = None;
        let mut new_words = HashMap::new();
        for (place, block) in blocks.iter().enumerate() {
            if is_prompt(block) && !block.voice {
                prompt = Some(place);
            }
            prompt_of.push(prompt);
            if block.class == Class::Change && !block.path.is_empty() {
                first_change.entry(block.path.as_str()).or_insert(place);
            }
            if let Some((old, new)) = &block.edit {
                let old = index.query(&block.text[old.clone()]).known;
                let mut new = index.query(&block.text[new.clone()]).known;
                new.retain(|word| old.binary_search(word).is_err());
                new_words.insert(place, new);
            }
        }
        let last_todo = blocks.iter().rposition(|block| block.class == Class::Todo);
        let folded = blocks.iter().map(|block| folded(&block.text)).collect();
        Self { blocks, index, asked, plain_prompts, folded, new_words, first_change, prompt_of, last_todo }
    }

    /// The candidates of the sentence at `place`, in order of their blocks.
    pub fn candidates(&self, place: usize) -> Vec<Candidate> {
        let Some(asked) = self.asked.get(place) else { return Vec::new() };
        let matched = Matched::of(self, asked);
        let mut out: Vec<Candidate> = matched
            .best
            .iter()
            .enumerate()
            .filter_map(|(block, best)| {
                let (passage, matched) = (*best)?;
                Some(Candidate { block, passage, matched, features: [0.0; COUNT] })
            })
            .collect();
        let literals = self.literals(asked);
        for candidate in &mut out {
            self.describe(asked, &matched, candidate);
            if let Some(literals) = &literals {
                candidate.set(Feature::Literals, literals[candidate.block]);
            }
        }
        out
    }

    /// The share of a sentence's literals that each block holds, weighed by how few hold them.
    fn literals(&self, asked: &Asked) -> Option<Vec<f64>> {
        if asked.literals.is_empty() {
            return None;
        }
        let mut shares = vec![0.0; self.blocks.len()];
        let mut total = 0.0;
        for literal in &asked.literals {
            let finder = memmem::Finder::new(literal.as_bytes());
            let holds: Vec<usize> = (0..self.blocks.len())
                .filter(|block| finder.find(self.folded[*block].as_bytes()).is_some())
                .collect();
            let weight = (1.0 + self.blocks.len() as f64 / holds.len().max(1) as f64).ln();
            total += weight;
            for block in holds {
                shares[block] += weight;
            }
        }
        for share in &mut shares {
            *share /= total;
        }
        Some(shares)
    }

    fn describe(&self, asked: &Asked, matched: &Matched, candidate: &mut Candidate) {
        let place = candidate.block;
        let block = &self.blocks[place];
        let (passage, score) = (candidate.passage, matched.score(place));
        let total = asked.words.total.max(f64::MIN_POSITIVE);
        candidate.features[TEXTS.len() + class_place(block.class)] = 1.0;
        candidate.set(Feature::Match, score / matched.most);
        candidate.set(Feature::MatchInClass, score / matched.most_in_class[class_place(block.class)]);
        candidate.set(Feature::Coverage, matched.coverage[place] / total);
        let words = self.index.words(passage);
        candidate.set(Feature::ProseCoverage, self.share(&asked.prose, words));
        candidate.set(Feature::WindowPrecision, self.window_precision(asked, passage, block));
        candidate.set(Feature::Pairs, matched.pairs(passage));
        if let Some(call) = block.call {
            candidate.set(Feature::CallCoverage, matched.coverage[call] / total);
        }
        if let Some(prompt) = self.prompt_of[place].filter(|prompt| *prompt != place) {
            candidate.set(Feature::PromptCoverage, matched.coverage[prompt] / total);
        }
        if let Some(new) = self.new_words.get(&place) {
            let found = asked.words.known.iter().filter(|word| new.binary_search(word).is_ok());
            candidate.set(Feature::NewText, found.map(|word| self.index.weight(*word)).sum::<f64>() / total);
        }
        candidate.set(Feature::Repeats, self.index.passages[passage].repeated);
        candidate.set(Feature::Length, (1.0 + self.index.of_block[place].len() as f64).ln());
        self.describe_files(asked, block, candidate);
        self.describe_place(asked, block, candidate);
    }

    /// Share of a query's weight that a passage holds.
    fn share(&self, query: &Query, passage: &[Word]) -> f64 {
        if query.total <= 0.0 {
            return 0.0;
        }
        let held = query.known.iter().filter(|word| passage.contains(word));
        held.map(|word| self.index.weight(*word)).sum::<f64>() / query.total
    }

    /// Of the window that shares the most: the shared weight over the window's own.
    fn window_precision(&self, asked: &Asked, passage: usize, block: &Block) -> f64 {
        let (mut precision, mut most) = (0.0, 0.0);
        let mut distinct: Vec<Word> = Vec::new();
        for window in self.index.windows(passage, &block.text) {
            distinct.clear();
            distinct.extend(self.index.slice(window));
            distinct.sort_unstable();
            distinct.dedup();
            let weight = |word: &Word| self.index.weight(*word);
            let shared: f64 = distinct
                .iter()
                .filter(|word| asked.words.known.binary_search(word).is_ok())
                .map(weight)
                .sum();
            if shared > most {
                most = shared;
                precision = shared / distinct.iter().map(weight).sum::<f64>();
            }
        }
        precision
    }

    fn describe_files(&self, asked: &Asked, block: &Block, candidate: &mut Candidate) {
        if block.path.is_empty() {
            return;
        }
        let own = !asked.own_files.is_empty();
        let names = if own { &asked.own_files } else { &asked.inherited_files };
        let same = names.iter().map(|name| path_match(&block.path, name)).fold(0.0, f64::max);
        let changed = block.class == Class::Change;
        if same > SAME_PATH {
            let (named, named_changed) = if own {
                (Feature::OwnFile, Feature::OwnFileChanged)
            } else {
                (Feature::InheritedFile, Feature::InheritedFileChanged)
            };
            candidate.set(named, 1.0);
            candidate.flag(named_changed, changed);
            let written = self.first_change.get(block.path.as_str());
            let again = written.is_some_and(|first| *first < candidate.block);
            candidate.flag(Feature::Reread, block.class.is_read() && again);
        } else if own && same <= 0.0 {
            candidate.set(Feature::OtherFile, 1.0);
        }
    }

    fn describe_place(&self, asked: &Asked, block: &Block, candidate: &mut Candidate) {
        let place = candidate.block;
        candidate.flag(Feature::UserSaid, asked.of_user && block.class == Class::Prompt);
        let late = place as f64 / (self.blocks.len().max(2) - 1) as f64;
        if asked.section.is_some_and(crate::text::sentences::Section::is_tail) {
            candidate.set(Feature::LateForTail, late);
            candidate.flag(Feature::LastForTail, self.blocks.len() - place <= LAST);
        }
        let old_todo = block.class == Class::Todo && self.last_todo != Some(place);
        candidate.flag(Feature::OldTodo, old_todo);
        if let Ok(at) = self.plain_prompts.binary_search_by_key(&place, |(place, _)| *place) {
            let prompt = &self.plain_prompts[at].1;
            let best = asked.quotes.iter().map(|quote| quotation(quote, prompt)).fold(0.0, f64::max);
            candidate.set(Feature::Quotation, best);
        }
    }
}

/// How well a prompt answers to a quotation.
pub(super) fn quotation(quote: &str, prompt: &str) -> f64 {
    const LONG: usize = 15;
    if quote == prompt {
        1.0
    } else if quote.len() >= LONG && prompt.contains(quote) || prompt.len() >= LONG && quote.contains(prompt)
    {
        0.7
    } else if quote.len() >= 6 && prompt.contains(quote) {
        0.5
    } else {
        0.0
    }
}

pub(super) fn class_place(class: Class) -> usize {
    class as usize
}

impl Candidate {
    fn set(&mut self, feature: Feature, value: f64) {
        self.features[feature as usize] = value;
    }

    fn flag(&mut self, feature: Feature, holds: bool) {
        if holds {
            self.set(feature, 1.0);
        }
    }
}
