//! Chains across generations, in both directions, over generations that were traced.
//!
//! Owns [`Traces`]: what was traced is kept, and says what has to be traced next, so that a caller can do it on a
//! thread of its own. A chain leads from a sentence back through the summaries that it was taken over from to the turn
//! behind the oldest wording; it never crosses a range whose originals are not all in the log. Forward, a turn is found
//! in the sentences that name it among their first three sources, and in later sentences taken over from those; turns
//! that a compaction kept word for word, or left on another branch, are told by the log itself and are not guessed at.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::log::{LogError, Source};
use crate::session::{Session, TurnId};
use crate::text::lexicon::Lexicon;
use crate::text::words;

use super::origin::Origin;
use super::range::Plan;
use super::support::{TOGETHER, is_verbatim};
use super::trace::{SourceLink, Trace, Traced, trace};
use super::weights::Weights;

/// What a first source has to hold of a sentence for the sentence to carry it.
const CARRIED: f64 = 0.45;
/// What a second or third source has to hold.
const CARRIED_AFTER: f64 = 0.65;
/// How much of the sentence a run of words has to be to carry its source whatever its rank.
const CARRIED_RUN: f64 = 0.75;
/// The belief below which a source that carries nothing is not worth showing.
const WORTH_SHOWING: f64 = 0.05;

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
    /// Whether the later sentence was taken over from it; otherwise both are about the same, and turns in between
    /// speak of it too.
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

/// How a sentence carries a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// It holds enough of it, or was taken over from a sentence that does.
    Carries,
    /// The turn is among its first sources, but holds little of it; or it is about the same as a sentence before that
    /// carries the turn, and later turns speak of it too.
    Weak,
}

/// A sentence that carries a turn.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The sentence.
    pub sentence: SentenceId,
    /// How.
    pub carrier: Carrier,
    /// The sentence before that it was taken over from; none where it rests on the turn itself.
    pub from: Option<SentenceId>,
    /// The turn's place among the sentence's sources, from 0, and the turn's part; none where it was taken over.
    pub source: Option<(usize, u32)>,
}

/// What one compaction did with a turn.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It was summarised: the sentences that carry it, best first. None: it is not found in the summary.
    Summarised(Vec<Carried>),
    /// It stayed in view word for word, as the log says.
    Kept,
    /// It stood on another branch and was not summarised.
    Abandoned,
    /// Only a summary before could carry it on: the sentences taken over from it.
    Inherited(Vec<Carried>),
}

impl Fate {
    /// The word in JSON and on the screen.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Summarised(_) => "summarised",
            Self::Kept => "kept",
            Self::Abandoned => "abandoned",
            Self::Inherited(_) => "inherited",
        }
    }

    /// The sentences that carry the turn.
    pub fn carried(&self) -> &[Carried] {
        match self {
            Self::Summarised(carried) | Self::Inherited(carried) => carried,
            Self::Kept | Self::Abandoned => &[],
        }
    }
}

/// What became of a turn, generation by generation.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    /// Each generation since the turn that concerns it.
    pub generations: Vec<(u32, Fate)>,
    /// The newest generation whose summary carries it more than weakly, or that kept it.
    pub last_seen: Option<u32>,
    /// Whether the model still sees the turn itself at the end of the log.
    pub in_view: bool,
}

/// Generations that were traced.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    kept: BTreeMap<u32, Arc<Trace>>,
}

impl Traces {
    /// A generation, where it was traced.
    pub fn get(&self, generation: u32) -> Option<&Arc<Trace>> {
        self.kept.get(&generation)
    }

    /// Keeps a traced generation.
    pub fn insert(&mut self, trace: Arc<Trace>) {
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
            self.insert(Arc::new(trace(&plan, source, lexicon, weights)?));
        }
        Ok(self.get(generation).cloned())
    }

    fn traced(&self, id: SentenceId) -> Option<(&Trace, &Traced)> {
        let trace = self.get(id.generation)?;
        Some((trace, trace.sentences.get(id.place)?))
    }

    /// The sentence that `id` was taken over from, where its range is complete.
    pub fn parent(&self, id: SentenceId) -> Option<SentenceId> {
        let (trace, traced) = self.traced(id)?;
        let place = traced.parent.filter(|_| trace.complete)?;
        Some(SentenceId { generation: trace.previous?, place })
    }

    /// The sentence before that `id` is about the same as, where its range is complete.
    fn before(&self, id: SentenceId) -> Option<SentenceId> {
        let (trace, traced) = self.traced(id)?;
        let place = traced.before.filter(|_| trace.complete)?;
        Some(SentenceId { generation: trace.previous?, place })
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

    /// The best source of a sentence that is no summary; none where the sentence was taken over.
    fn turn_behind(&self, id: SentenceId) -> Option<&SourceLink> {
        let (_, traced) = self.traced(id).filter(|(_, traced)| traced.origin != Origin::Inherited)?;
        traced.sources.iter().find(|source| source.sentence.is_none())
    }

    /// Whether two sentences share less than nine tenths of the shorter one as one run of words.
    fn is_reworded(&self, a: SentenceId, b: SentenceId) -> bool {
        let words =
            |id| self.traced(id).map(|(trace, traced)| words::spoken(traced.sentence.text(&trace.text)));
        let (Some(a), Some(b)) = (words(a), words(b)) else { return true };
        let (run, _, _) = words::longest_run(&a, &b);
        !is_verbatim(run as f64 / a.len().min(b.len()).max(1) as f64)
    }

    /// What became of the turn `id`, as far as the generations since it were traced.
    pub fn forward(&self, session: &Session, id: TurnId) -> Forward {
        let number = session.turn(id).number;
        let mut out = Forward { in_view: session.turn(id).thread == 0, ..Forward::default() };
        if session.turn(id).thread != 0 {
            return out;
        }
        let within = |ranges: &[(u32, u32)]| ranges.iter().any(|(from, to)| (*from..=*to).contains(&number));
        let mut carriers: Vec<SentenceId> = Vec::new();
        for compaction in session.compactions() {
            let generation = compaction.generation;
            let fate = if within(&compaction.kept) {
                Fate::Kept
            } else if within(&compaction.abandoned) {
                out.in_view = false;
                Fate::Abandoned
            } else if compaction.covers_number(number) {
                out.in_view = false;
                Fate::Summarised(self.carriers(generation, id))
            } else if !carriers.is_empty() {
                Fate::Inherited(self.heirs(generation, &carriers))
            } else {
                continue;
            };
            let carried = fate.carried();
            let strong = carried.iter().filter(|carried| carried.carrier == Carrier::Carries);
            carriers = strong.map(|carried| carried.sentence).collect();
            if !carriers.is_empty() || matches!(fate, Fate::Kept) {
                out.last_seen = Some(generation);
            }
            out.generations.push((generation, fate));
        }
        out
    }

    /// The sentences of a generation that rest on a turn.
    fn carriers(&self, generation: u32, id: TurnId) -> Vec<Carried> {
        let Some(trace) = self.get(generation) else { return Vec::new() };
        let mut out: Vec<(f64, Carried)> = Vec::new();
        for (place, traced) in trace.sentences.iter().enumerate() {
            let first = traced.sources.iter().take(TOGETHER).enumerate();
            let of_turn = first.filter(|(_, source)| source.turn == id && source.sentence.is_none());
            let Some((rank, source)) = of_turn.max_by(|a, b| a.1.coverage.total_cmp(&b.1.coverage)) else {
                continue;
            };
            let enough = if rank == 0 { CARRIED } else { CARRIED_AFTER };
            let carries = source.coverage >= enough || source.run >= CARRIED_RUN;
            if !carries && source.score < WORTH_SHOWING {
                continue;
            }
            let carrier = if carries { Carrier::Carries } else { Carrier::Weak };
            let sentence = SentenceId { generation, place };
            out.push((
                source.coverage,
                Carried { sentence, carrier, from: None, source: Some((rank, source.index)) },
            ));
        }
        out.sort_by(|(a, x), (b, y)| {
            let strength = |carried: &Carried| carried.carrier == Carrier::Weak;
            strength(x).cmp(&strength(y)).then(b.total_cmp(a)).then(x.sentence.cmp(&y.sentence))
        });
        out.into_iter().map(|(_, carried)| carried).collect()
    }

    /// The sentences of a generation that were taken over from `carriers`, or are about the same.
    fn heirs(&self, generation: u32, carriers: &[SentenceId]) -> Vec<Carried> {
        let Some(trace) = self.get(generation) else { return Vec::new() };
        let ids = (0..trace.sentences.len()).map(|place| SentenceId { generation, place });
        ids.filter_map(|sentence| {
            let from = self.before(sentence).filter(|before| carriers.contains(before))?;
            let inherited = self.parent(sentence).is_some();
            let carrier = if inherited { Carrier::Carries } else { Carrier::Weak };
            Some(Carried { sentence, carrier, from: Some(from), source: None })
        })
        .collect()
    }
}
