//! A generation read and indexed, to be asked sentence by sentence.
//!
//! Owns the texts of a range, their index and what sentences of the same section share, so that a question costs what its
//! section holds and the next one less. An answer is the same whatever was asked before it. Its memory grows with the
//! range; [`super::chain::Traces`] keeps few of them.

use std::sync::OnceLock;

use crate::log::{LogError, Source};
use crate::session::{Provenance, TurnId};
use crate::text::lexicon::Lexicon;
use crate::text::sentences::Kind;

use super::exact::{self, Line};
use super::index::Index;
use super::links::Tracer;
use super::range::{Plan, Texts};
use super::rank::Ranker;
use super::support::Weighed;
use super::trace::{Trace, Traced};
use super::weights::Weights;

/// A generation, ready to be asked.
#[derive(Debug)]
pub struct Prepared {
    /// The generation.
    pub generation: u32,
    /// The turn of its summary.
    pub summary: TurnId,
    /// How its range is known.
    pub provenance: Provenance,
    /// The generation whose summary stands in its range.
    pub previous: Option<u32>,
    /// The lexicon's id.
    pub lexicon: String,
    /// The summary, its sentences, and what they may rest on.
    pub texts: Texts,
    index: Index,
    ranker: Ranker,
    old: OnceLock<Vec<Option<Weighed>>>,
    /// What the maker of the summary says of its lines; nothing of a recorded one.
    lines: Vec<Line>,
}

impl Prepared {
    /// Reads and indexes a generation; its sentences will be ranked by `weights`.
    pub fn read(
        plan: &Plan,
        source: &Source,
        lexicon: &Lexicon,
        weights: &Weights,
    ) -> Result<Self, LogError> {
        let texts = plan.read(source, lexicon)?;
        let index = Index::new(&texts.blocks);
        let ranker = Ranker::new(&texts, &index, weights);
        Ok(Self {
            generation: plan.generation,
            summary: plan.summary,
            provenance: plan.provenance,
            previous: plan.previous,
            lexicon: lexicon.id().to_owned(),
            texts,
            index,
            ranker,
            old: OnceLock::new(),
            lines: plan.made.as_ref().map(|made| made.lines.clone()).unwrap_or_default(),
        })
    }

    /// The sentence at `place`, traced with the lexicon that the range was read with; none where there is no such sentence.
    pub fn sentence(&self, lexicon: &Lexicon, place: usize) -> Option<Traced> {
        let sentence = self.texts.sentences.get(place)?;
        let old = self.old.get_or_init(|| {
            let sentences = self.texts.previous_sentences.iter().map(|sentence| {
                let text = sentence.text(&self.texts.previous);
                (sentence.kind == Kind::Sentence).then(|| Weighed::new(&self.index, lexicon, text))
            });
            sentences.collect()
        });
        let tracer = Tracer { texts: &self.texts, index: &self.index, lexicon, old };
        let ranked = self.ranker.rank(&self.texts, &self.index, lexicon, place);
        let turns = exact::turns(&self.lines, &sentence.range);
        if turns.is_empty() || sentence.kind == Kind::Code {
            return Some(tracer.sentence(place, &ranked));
        }
        let known = exact::sources(&self.texts, &self.index, &ranked, &turns);
        let mut traced = tracer.sentence(place, &known);
        for source in &mut traced.sources {
            source.named = true;
        }
        Some(traced)
    }

    /// All of it, traced.
    pub fn trace(&self, lexicon: &Lexicon) -> Trace {
        let places = 0..self.texts.sentences.len();
        let sentences = places.filter_map(|place| self.sentence(lexicon, place)).collect();
        Trace {
            generation: self.generation,
            summary: self.summary,
            provenance: self.provenance,
            complete: self.texts.complete,
            ample: self.texts.ample,
            previous: self.previous,
            lexicon: self.lexicon.clone(),
            sentences,
            text: self.texts.summary.clone(),
        }
    }
}
