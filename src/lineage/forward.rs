//! From a turn forward: the sentences of each generation that carry it.
//!
//! A turn is found in the sentences that name it among their first three sources, and in later sentences taken over from
//! those; turns that a compaction kept word for word, or left on another branch, are told by the log itself and are not
//! guessed at.

use crate::session::{Session, TurnId};

use super::chain::{SentenceId, Traces};
use super::support::TOGETHER;
use super::trace::SourceLink;

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

impl Traces {
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
            let of_turn =
                first.filter(|(_, source)| source.spot.turn == id && source.spot.sentence.is_none());
            let Some((rank, source)) = of_turn.max_by(|a, b| a.1.coverage.total_cmp(&b.1.coverage)) else {
                continue;
            };
            let carries = carries(rank, source);
            if !carries && source.score < WORTH_SHOWING && source.coverage < enough(rank) {
                continue;
            }
            let carrier = if carries { Carrier::Carries } else { Carrier::Weak };
            let sentence = SentenceId { generation, place };
            out.push((
                source.coverage,
                Carried { sentence, carrier, from: None, source: Some((rank, source.spot.index)) },
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
