//! One generation traced: each sentence of its summary with its sources, its support and where it came from.
//!
//! [`trace`] needs a [`Plan`] and the log's bytes, so it runs on any thread; what it gives holds no index, only results,
//! and is kept as long as anybody looks. Kept results never change: a recorded compaction's range is closed. Who asks
//! about single sentences keeps a [`Prepared`] instead.

use std::ops::Range;
use std::sync::Arc;

use crate::log::{LogError, Source};
use crate::session::{Provenance, TurnId};
use crate::text::lexicon::Lexicon;
use crate::text::sentences::Sentence;

use super::blocks::Spot;
use super::contrast::Contrast;
use super::origin::Origin;
use super::prepared::Prepared;
use super::range::Plan;
use super::support::{Support, TOGETHER, is_word_for_word};
use super::weights::Weights;

/// A generation's summary, traced.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The generation.
    pub generation: u32,
    /// The turn of its summary.
    pub summary: TurnId,
    /// How its range is known.
    pub provenance: Provenance,
    /// Whether everything that was summarised is in the log, by its chain of records.
    pub complete: bool,
    /// Whether it is also as much text as its logged size asks for; only then anything is called unsupported.
    pub ample: bool,
    /// The generation whose summary stands in its range.
    pub previous: Option<u32>,
    /// The lexicon's id.
    pub lexicon: String,
    /// The summary.
    pub text: String,
    /// Its sentences; `g3.s12` is at place 11.
    pub sentences: Vec<Traced>,
}

/// A sentence, traced.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The sentence.
    pub sentence: Sentence,
    /// How far it is supported.
    pub support: Support,
    /// The share of its weight that its first three sources hold.
    pub coverage: f64,
    /// Whether it stands in one of its first three sources in the same words, but for one in ten at the most.
    pub verbatim: bool,
    /// What it says otherwise than its first three sources.
    pub contrasts: Vec<Contrast>,
    /// Where it came from.
    pub origin: Origin,
    /// Where it is inherited: the place of the sentence in the summary before.
    pub parent: Option<usize>,
    /// The sentence in the summary before that shares most words with it, whether or not this one was taken over from it.
    pub before: Option<usize>,
    /// Its sources, best first. Show three.
    pub sources: Vec<SourceLink>,
}

/// A source of a sentence.
#[derive(Clone, Debug)]
pub struct SourceLink {
    /// Where it stands.
    pub spot: Spot,
    /// Other turns of the range with the very same text: the sentence may rest on any of them.
    pub repeats: Option<Arc<[TurnId]>>,
    /// Whether whoever made the summary names this turn for its line: then no turn was guessed. Whether it says what the
    /// line says is another question, which the shares answer.
    pub named: bool,
    /// The ranker's share of belief, 0 to 1: it orders, it does not prove. 1 where the source is named.
    pub score: f64,
    /// The share of the sentence's weight that this source holds alone.
    pub coverage: f64,
    /// The same share of its words beside names (files and other identifiers), which say little alone; as `coverage` where
    /// it has no such words, or names the file that the source is about.
    pub said: f64,
    /// The longest run of words that both share, as a share of the sentence.
    pub run: f64,
    /// The stretch of it that matches best.
    pub snippet: String,
    /// Where shared words stand in the snippet.
    pub shared: Vec<Range<usize>>,
}

impl Traced {
    /// Whether whoever made the summary names the turns that it rests on.
    pub fn is_named(&self) -> bool {
        self.sources.iter().any(|source| source.named)
    }

    /// Whether it stands in one of its first three sources word for word, none left out.
    pub fn is_word_for_word(&self) -> bool {
        self.sources.iter().take(TOGETHER).any(|source| is_word_for_word(source.run))
    }
}

/// Reads and traces a generation.
pub fn trace(plan: &Plan, source: &Source, lexicon: &Lexicon, weights: &Weights) -> Result<Trace, LogError> {
    Ok(Prepared::read(plan, source, lexicon, weights)?.trace(lexicon))
}
