//! From a turn forward: the sentences of each generation that carry it.
//!
//! A turn is found in the sentences that name it, or another turn of the same text, among their sources, and in later
//! sentences taken over from those; turns that a compaction kept word for word, or left on another branch, are told by the
//! log itself and are not guessed at. The ties are those that chains follow backward ([`tie`], [`Traces::before`]): a
//! sentence whose chain ends in a turn is listed with that turn. What became of a summary is what became of its sentences.

use std::collections::BTreeMap;

use crate::formats::facts::Role;
use crate::session::{Compaction, Session, TurnId};

use super::chain::{SentenceId, Traces};
use super::origin::Origin;
use super::support::TOGETHER;
use super::trace::{SourceLink, Traced};

/// What a first source has to hold of a sentence for the sentence to carry it; and of what it says beside names.
const CARRIED: f64 = 0.45;
/// What a second or third source has to hold.
const CARRIED_AFTER: f64 = 0.65;
/// How much of the sentence a run of words has to be to carry its source whatever its rank.
const CARRIED_RUN: f64 = 0.75;
/// The belief below which a source after the first carries nothing, and one that carries nothing is not worth showing.
const WORTH_SHOWING: f64 = 0.05;

/// Whether a sentence carries its source of this rank. Its names alone do not make it: a next step that names what a turn
/// was about would carry it. Nor does a later source that the ranker believes next to nothing of: its words are in
/// another path, or in a passage that repeats them.
fn carries(rank: usize, source: &SourceLink) -> bool {
    let believed = rank == 0 || source.score >= WORTH_SHOWING;
    source.run >= CARRIED_RUN || believed && source.coverage >= enough(rank) && source.said >= CARRIED
}

/// What a source of this rank has to hold of the sentence.
fn enough(rank: usize) -> f64 {
    if rank == 0 { CARRIED } else { CARRIED_AFTER }
}

/// Whether a source of this rank that does not carry the sentence is worth showing all the same.
fn is_worth_showing(rank: usize, source: &SourceLink) -> bool {
    source.score >= WORTH_SHOWING || source.coverage >= enough(rank)
}

/// Where a sentence's wording is taken to come from: its best source that is no summary, and its rank. None where it was
/// taken over, or where that source holds next to nothing of it.
pub(super) fn turn_behind(traced: &Traced) -> Option<(usize, &SourceLink)> {
    if traced.origin == Origin::Inherited {
        return None;
    }
    let is_turn = |(_, source): &(usize, &SourceLink)| source.spot.sentence.is_none();
    let (rank, source) = traced.sources.iter().enumerate().find(is_turn)?;
    (carries(rank, source) || is_worth_showing(rank, source)).then_some((rank, source))
}

/// How a sentence is tied to the turn `id`: as one of its first three sources, or as what its chain ends in.
fn tie(traced: &Traced, id: TurnId) -> Option<(Carrier, usize, &SourceLink)> {
    let is_of = |source: &SourceLink| {
        let repeats = source.repeats.as_ref().is_some_and(|turns| turns.contains(&id));
        source.spot.sentence.is_none() && (source.spot.turn == id || repeats)
    };
    let first = traced.sources.iter().take(TOGETHER).enumerate();
    let of_turn = first.chain(turn_behind(traced)).filter(|(_, source)| is_of(source));
    let tied =
        of_turn.filter_map(|(rank, source)| match (carries(rank, source), is_worth_showing(rank, source)) {
            (true, _) => Some((Carrier::Carries, rank, source)),
            (false, true) => Some((Carrier::Weak, rank, source)),
            (false, false) => None,
        });
    tied.max_by(|a, b| {
        let carries = |carrier| carrier == Carrier::Carries;
        carries(a.0).cmp(&carries(b.0)).then(a.2.coverage.total_cmp(&b.2.coverage))
    })
}

/// How a sentence carries a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// It holds enough of it, or was taken over from a sentence that does.
    Carries,
    /// The turn is among its first sources, but holds little of it; or it only shares words with a sentence before that
    /// carries the turn.
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
    /// Only a summary before could carry it on, or it is one itself: the sentences taken over from it.
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

    /// How many sentences carry it, and how many weakly.
    pub fn counts(&self) -> (usize, usize) {
        let carried = self.carried();
        let strong = carried.iter().filter(|carried| carried.carrier == Carrier::Carries).count();
        (strong, carried.len() - strong)
    }
}

/// What became of a turn, generation by generation.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    /// Each generation since the turn that concerns it.
    pub generations: Vec<(u32, Fate)>,
    /// The newest generation whose summary carries it more than weakly, or that kept it.
    pub last_seen: Option<u32>,
    /// The newest generation whose summary carries it at all.
    pub last_weak: Option<u32>,
    /// Whether the model still sees the turn itself at the end.
    pub in_view: bool,
}

impl Traces {
    /// What became of the turn `id` up to turn `as_of` of the main thread, as far as the generations since it were
    /// traced.
    pub fn forward(&self, session: &Session, id: TurnId, as_of: u32) -> Forward {
        let turn = session.turn(id);
        let mut out = Forward { in_view: turn.thread == 0, ..Forward::default() };
        if turn.thread != 0 {
            return out;
        }
        let mut carriers = self.sentences_of(session, id);
        let is_summary = !carriers.is_empty() || turn.role == Role::Summary;
        let stands = |compaction: &&Compaction| {
            compaction.summary.is_none_or(|summary| session.turn(summary).number <= as_of)
        };
        for compaction in session.compactions().iter().take_while(stands) {
            let generation = compaction.generation;
            let Some(fate) = self.fate(compaction, id, turn.number, is_summary, &carriers) else { continue };
            out.in_view &= matches!(fate, Fate::Kept) || !is_out(compaction, turn.number);
            carriers.extend(fate.carried().iter().map(|carried| (carried.sentence, carried.carrier)));
            if fate.counts().0 > 0 || matches!(fate, Fate::Kept) {
                out.last_seen = Some(generation);
            }
            if !fate.carried().is_empty() {
                out.last_weak = Some(generation);
            }
            out.generations.push((generation, fate));
        }
        out
    }

    /// Where `id` is a recorded summary: its sentences.
    fn sentences_of(&self, session: &Session, id: TurnId) -> BTreeMap<SentenceId, Carrier> {
        let trace = session.compaction_of(id).and_then(|compaction| self.get(compaction.generation));
        let sentences = trace.iter().flat_map(|trace| {
            let ids = 0..trace.sentences.len();
            ids.map(|place| (SentenceId { generation: trace.generation, place }, Carrier::Carries))
        });
        sentences.collect()
    }

    /// What `compaction` did with the turn `id`, where it concerns it.
    fn fate(
        &self,
        compaction: &Compaction,
        id: TurnId,
        number: u32,
        is_summary: bool,
        carriers: &BTreeMap<SentenceId, Carrier>,
    ) -> Option<Fate> {
        let within = |ranges: &[(u32, u32)]| ranges.iter().any(|(from, to)| (*from..=*to).contains(&number));
        let generation = compaction.generation;
        if within(&compaction.kept) {
            Some(Fate::Kept)
        } else if within(&compaction.abandoned) {
            Some(Fate::Abandoned)
        } else if compaction.covers_number(number) && !is_summary {
            Some(Fate::Summarised(self.carriers(generation, id)))
        } else if compaction.covers_number(number) || is_since(carriers, generation) {
            Some(Fate::Inherited(self.heirs(generation, carriers)))
        } else {
            None
        }
    }

    /// The sentences of a generation that rest on a turn.
    fn carriers(&self, generation: u32, id: TurnId) -> Vec<Carried> {
        let Some(trace) = self.get(generation) else { return Vec::new() };
        let mut out: Vec<(f64, Carried)> = Vec::new();
        for (place, traced) in trace.sentences.iter().enumerate() {
            let Some((carrier, rank, source)) = tie(traced, id) else { continue };
            let sentence = SentenceId { generation, place };
            let source_at = Some((rank, source.spot.index));
            out.push((source.coverage, Carried { sentence, carrier, from: None, source: source_at }));
        }
        out.sort_by(|(a, x), (b, y)| {
            let is_weak = |carried: &Carried| carried.carrier == Carrier::Weak;
            is_weak(x).cmp(&is_weak(y)).then(b.total_cmp(a)).then(x.sentence.cmp(&y.sentence))
        });
        out.into_iter().map(|(_, carried)| carried).collect()
    }

    /// The sentences of a generation that were taken over from `carriers`, or only share words with them. What comes from
    /// a weak carrier is weak.
    fn heirs(&self, generation: u32, carriers: &BTreeMap<SentenceId, Carrier>) -> Vec<Carried> {
        let Some(trace) = self.get(generation) else { return Vec::new() };
        let ids = (0..trace.sentences.len()).map(|place| SentenceId { generation, place });
        ids.filter_map(|sentence| {
            let from = self.before(sentence)?;
            let inherited = self.parent(sentence).is_some();
            let carrier = if inherited {
                *carriers.get(&from)?
            } else {
                carriers.get(&from).and(Some(Carrier::Weak))?
            };
            Some(Carried { sentence, carrier, from: Some(from), source: None })
        })
        .collect()
    }
}

/// Whether a compaction took turn `number` out of view.
fn is_out(compaction: &Compaction, number: u32) -> bool {
    let abandoned = compaction.abandoned.iter().any(|(from, to)| (*from..=*to).contains(&number));
    abandoned || compaction.covers_number(number)
}

/// Whether sentences before `generation` carry the turn.
fn is_since(carriers: &BTreeMap<SentenceId, Carrier>, generation: u32) -> bool {
    carriers.keys().next().is_some_and(|first| first.generation < generation)
}
