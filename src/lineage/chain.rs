//! Chains across generations, in both directions, over generations that were traced.
//!
//! Owns [`Traces`]: what was traced is kept, and says what has to be traced next, so that a caller can do it on a
//! thread of its own. A chain leads from a sentence back through the summaries that it was taken over from to the turn
//! behind the oldest wording; it never crosses a range whose originals are not all in the log. Forward, from a turn to the
//! sentences that carry it, the same ties are followed by `forward`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::log::{LogError, Source};
use crate::session::Session;
use crate::text::lexicon::Lexicon;
use crate::text::words;

use super::forward::turn_behind;
use super::prepared::Prepared;
use super::range::Plan;
use super::support::is_verbatim;
use super::trace::{SourceLink, Trace, Traced, trace};
use super::weights::Weights;

pub use super::forward::{Carried, Carrier, Fate, Forward};

/// How many ranges are kept for questions about single sentences.
const RANGES: usize = 8;

/// A sentence of a generation's summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SentenceId {
    /// The generation.
    pub generation: u32,
    /// Its place in the summary, from 0.
    pub place: usize,
}

impl std::fmt::Display for SentenceId {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "g{}.s{}", self.generation, self.place + 1)
    }
}

/// One step back along a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The sentence.
    pub sentence: SentenceId,
    /// Whether the later sentence was taken over from it; otherwise the two only share words.
    pub inherited: bool,
    /// Whether the wording changed.
    pub reworded: bool,
}

/// Where a sentence's wording came from, step by step.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The sentences before it, newest first; not the sentence itself.
    pub sentences: Vec<Step>,
    /// The turn behind the oldest of them (or behind the sentence itself): its best source that is no summary.
    pub turn: Option<SourceLink>,
    /// How many summaries stand between the sentence and original turns: steps that were not inherited end the count.
    pub depth: u32,
    /// How often the wording changed on the inherited way, the step from the turn included.
    pub paraphrases: u32,
}

/// Generations that were traced, and single sentences of others.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    kept: BTreeMap<u32, Arc<Trace>>,
    single: BTreeMap<SentenceId, Single>,
    /// The ranges that were read for single sentences, the one asked last at the end.
    ranges: Vec<Arc<Prepared>>,
}

/// A sentence that was traced alone, and what its chain needs of its generation.
#[derive(Clone, Debug)]
struct Single {
    traced: Arc<Traced>,
    text: String,
    complete: bool,
    previous: Option<u32>,
}

/// A traced sentence and what its chain needs of its generation.
struct Found<'a> {
    traced: &'a Traced,
    text: &'a str,
    complete: bool,
    previous: Option<u32>,
}

impl Traces {
    /// A generation, where it was traced.
    pub fn get(&self, generation: u32) -> Option<&Arc<Trace>> {
        self.kept.get(&generation)
    }

    /// Keeps a traced generation.
    pub fn insert(&mut self, trace: Arc<Trace>) {
        self.ranges.retain(|range| range.generation != trace.generation);
        self.single.retain(|id, _| id.generation != trace.generation);
        self.kept.insert(trace.generation, trace);
    }

    /// What still has to be traced before the chains of `generation` are whole, newest first.
    pub fn missing(&self, session: &Session, generation: u32) -> Vec<Plan> {
        let mut out = Vec::new();
        let mut next = Some(generation);
        while let Some(generation) = next {
            match self.get(generation) {
                Some(trace) => next = trace.previous,
                None => {
                    let Some(plan) = Plan::new(session, generation) else { break };
                    next = plan.previous;
                    out.push(plan);
                }
            }
        }
        out
    }

    /// Traces `generation` and those that its chains lead to, where that was not done before. None where the log has
    /// no such generation with a summary.
    pub fn ensure(
        &mut self,
        session: &Session,
        source: &Source,
        generation: u32,
        lexicon: &Lexicon,
        weights: &Weights,
    ) -> Result<Option<Arc<Trace>>, LogError> {
        for plan in self.missing(session, generation) {
            let range = self.ranges.iter().find(|range| range.generation == plan.generation);
            let trace = match range {
                Some(range) => range.trace(lexicon),
                None => trace(&plan, source, lexicon, weights)?,
            };
            self.insert(Arc::new(trace));
        }
        Ok(self.get(generation).cloned())
    }

    /// Traces one sentence and those that its chain leads to, and no other: the same as [`Traces::ensure`] gives for it.
    /// The range stays ready for the next question. None where there is no such sentence.
    pub fn sentence(
        &mut self,
        session: &Session,
        source: &Source,
        id: SentenceId,
        lexicon: &Lexicon,
        weights: &Weights,
    ) -> Result<Option<Arc<Traced>>, LogError> {
        let mut next = Some(id);
        while let Some(id) = next {
            if self.found(id).is_none() {
                let Some(range) = self.range(session, source, id.generation, lexicon, weights)? else {
                    break;
                };
                let Some(traced) = range.sentence(lexicon, id.place) else { break };
                let single = Single {
                    text: traced.sentence.text(&range.texts.summary).to_owned(),
                    traced: Arc::new(traced),
                    complete: range.texts.complete,
                    previous: range.previous,
                };
                self.single.insert(id, single);
            }
            next = self.before(id);
        }
        let whole = self.get(id.generation).and_then(|trace| trace.sentences.get(id.place));
        Ok(whole.cloned().map(Arc::new).or_else(|| self.single.get(&id).map(|single| single.traced.clone())))
    }

    /// A generation read and indexed, and kept for the next questions. None where the log has no such generation with a
    /// summary.
    pub fn range(
        &mut self,
        session: &Session,
        source: &Source,
        generation: u32,
        lexicon: &Lexicon,
        weights: &Weights,
    ) -> Result<Option<Arc<Prepared>>, LogError> {
        let range = match self.ranges.iter().position(|range| range.generation == generation) {
            Some(at) => self.ranges.remove(at),
            None => {
                let Some(plan) = Plan::new(session, generation) else { return Ok(None) };
                Arc::new(Prepared::read(&plan, source, lexicon, weights)?)
            }
        };
        self.insert_range(range.clone());
        Ok(Some(range))
    }

    /// Keeps a range that was read elsewhere, for questions about its sentences.
    pub fn insert_range(&mut self, range: Arc<Prepared>) {
        self.ranges.retain(|kept| kept.generation != range.generation);
        if self.ranges.len() >= RANGES {
            self.ranges.remove(0);
        }
        self.ranges.push(range);
    }

    fn found(&self, id: SentenceId) -> Option<Found<'_>> {
        if let Some(trace) = self.get(id.generation) {
            let traced = trace.sentences.get(id.place)?;
            let text = traced.sentence.text(&trace.text);
            return Some(Found { traced, text, complete: trace.complete, previous: trace.previous });
        }
        let Single { traced, text, complete, previous } = self.single.get(&id)?;
        Some(Found { traced, text, complete: *complete, previous: *previous })
    }

    /// The sentence that `id` was taken over from, where its range is complete.
    pub fn parent(&self, id: SentenceId) -> Option<SentenceId> {
        let found = self.found(id)?;
        let place = found.traced.parent.filter(|_| found.complete)?;
        Some(SentenceId { generation: found.previous?, place })
    }

    /// The sentence before that shares most words with `id`, where its range is complete.
    pub(super) fn before(&self, id: SentenceId) -> Option<SentenceId> {
        let found = self.found(id)?;
        let place = found.traced.before.filter(|_| found.complete)?;
        Some(SentenceId { generation: found.previous?, place })
    }

    /// The chain of a sentence.
    pub fn chain(&self, id: SentenceId) -> Chain {
        let mut chain = Chain { depth: 1, ..Chain::default() };
        let mut only_inherited = true;
        let mut at = id;
        while let Some(sentence) = self.before(at) {
            let inherited = self.parent(at).is_some();
            if only_inherited && !inherited {
                chain.paraphrases +=
                    u32::from(self.turn_behind(at).is_some_and(|turn| !is_verbatim(turn.run)));
            }
            only_inherited &= inherited;
            let reworded = self.is_reworded(at, sentence);
            if only_inherited {
                chain.depth += 1;
                chain.paraphrases += u32::from(reworded);
            }
            chain.sentences.push(Step { sentence, inherited, reworded });
            at = sentence;
        }
        let turn = self.turn_behind(at);
        if only_inherited {
            chain.paraphrases += u32::from(turn.is_some_and(|turn| !is_verbatim(turn.run)));
        }
        chain.turn = turn.cloned();
        chain
    }

    /// The turn that the wording of a sentence is taken to come from; none where the sentence was taken over.
    fn turn_behind(&self, id: SentenceId) -> Option<&SourceLink> {
        turn_behind(self.found(id)?.traced).map(|(_, source)| source)
    }

    /// Whether two sentences share less than nine tenths of the shorter one as one run of words.
    fn is_reworded(&self, a: SentenceId, b: SentenceId) -> bool {
        let words = |id| self.found(id).map(|found| words::spoken(found.text));
        let (Some(a), Some(b)) = (words(a), words(b)) else { return true };
        let (run, _, _) = words::longest_run(&a, &b);
        !is_verbatim(run as f64 / a.len().min(b.len()).max(1) as f64)
    }
}
