//! What speaks for a block as a sentence's source, as numbers.
//!
//! Owns the features of a sentence and each of its candidates: shared words by rarity, how much of a short window they
//! make up, files, quotations, the block's kind and place. Knows no weights. Sums run in the order of the sentence's
//! words and of the range, so the same log gives the same numbers.

use super::asked::Asked;
use super::class::Class;
use super::ground::Ground;
use super::index::Index;
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

/// What sentences are asked of.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// The candidates' texts.
    pub blocks: &'a [Block],
    /// Their words.
    pub index: &'a Index,
    /// What is known of them beyond.
    pub ground: &'a Ground,
}

impl Asker<'_> {
    /// Calls `take` with each candidate of a sentence, in order of their blocks.
    pub fn each_candidate(&self, asked: &Asked, mut take: impl FnMut(&Candidate)) {
        let matched = Matched::of(self, asked);
        let literals = self.ground.literals(self.blocks, &asked.literals);
        for (block, best) in matched.best.iter().enumerate() {
            let Some((passage, matching)) = *best else { continue };
            let mut candidate = Candidate { block, passage, matched: matching, features: [0.0; COUNT] };
            self.describe(asked, &matched, &mut candidate);
            if let Some(literals) = &literals {
                candidate.set(Feature::Literals, literals[block]);
            }
            take(&candidate);
        }
    }

    fn describe(&self, asked: &Asked, matched: &Matched, candidate: &mut Candidate) {
        let place = candidate.block;
        let block = &self.blocks[place];
        let (passage, score) = (candidate.passage, matched.score(place));
        let total = asked.words.total.max(f64::MIN_POSITIVE);
        candidate.features[TEXTS.len() + class_place(block.spot.class)] = 1.0;
        candidate.set(Feature::Match, score / matched.most);
        candidate.set(Feature::MatchInClass, score / matched.most_in_class[class_place(block.spot.class)]);
        candidate.set(Feature::Coverage, matched.coverage[place] / total);
        candidate.set(Feature::ProseCoverage, matched.prose(asked, passage));
        candidate.set(Feature::WindowPrecision, matched.window_precision(self.index, passage));
        candidate.set(Feature::Pairs, matched.pairs(passage));
        if let Some(call) = block.call {
            candidate.set(Feature::CallCoverage, matched.coverage[call] / total);
        }
        if let Some(prompt) = self.ground.prompt_of[place].filter(|prompt| *prompt != place) {
            candidate.set(Feature::PromptCoverage, matched.coverage[prompt] / total);
        }
        if let Some(new) = &self.ground.new_words[place] {
            let found = asked.words.known.iter().filter(|word| new.binary_search(word).is_ok());
            candidate.set(Feature::NewText, found.map(|word| self.index.weight(*word)).sum::<f64>() / total);
        }
        candidate.set(Feature::Repeats, self.index.passages[passage].repeated);
        candidate.set(Feature::Length, self.ground.length[place]);
        self.describe_files(asked, matched, block, candidate);
        self.describe_place(asked, block, candidate);
    }

    fn describe_files(&self, asked: &Asked, matched: &Matched, block: &Block, candidate: &mut Candidate) {
        let Some(path) = self.ground.path_of[candidate.block] else { return };
        let own = !asked.own_files.is_empty();
        let same = matched.same_path.get(path).copied().unwrap_or(0.0);
        let changed = block.spot.class == Class::Change;
        if same > SAME_PATH {
            let (named, named_changed) = if own {
                (Feature::OwnFile, Feature::OwnFileChanged)
            } else {
                (Feature::InheritedFile, Feature::InheritedFileChanged)
            };
            candidate.set(named, 1.0);
            candidate.flag(named_changed, changed);
            let again = self.ground.first_change[path].is_some_and(|first| first < candidate.block);
            candidate.flag(Feature::Reread, block.spot.class.is_read() && again);
        } else if own && same <= 0.0 {
            candidate.set(Feature::OtherFile, 1.0);
        }
    }

    fn describe_place(&self, asked: &Asked, block: &Block, candidate: &mut Candidate) {
        let place = candidate.block;
        candidate.flag(Feature::UserSaid, asked.of_user && block.spot.class == Class::Prompt);
        let late = place as f64 / (self.blocks.len().max(2) - 1) as f64;
        if asked.section.is_some_and(crate::text::sentences::Section::is_tail) {
            candidate.set(Feature::LateForTail, late);
            candidate.flag(Feature::LastForTail, self.blocks.len() - place <= LAST);
        }
        let old_todo = block.spot.class == Class::Todo && self.ground.last_todo != Some(place);
        candidate.flag(Feature::OldTodo, old_todo);
        if let Some(prompt) = self.ground.plain_prompt(place).filter(|_| !asked.quotes.is_empty()) {
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
