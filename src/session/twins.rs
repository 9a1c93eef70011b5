//! Messages that an agent writes twice: once as its interface was told, once as the model was.
//!
//! The two stand close together with nobody else speaking between, in either order, and where several prompts come at
//! once not always side by side. Two records are twins only where they say the same: what is said in other words is
//! shown in both.

use crate::formats::facts::{PartFacts, PartKind, Role, TurnFacts, Twin};

use super::turns::TurnId;

/// How many messages may wait for their twins.
const MOST: usize = 16;

/// A message whose twin has not come.
#[derive(Debug)]
struct Waiting {
    twin: Twin,
    texts: Vec<(u32, u32)>,
    images: usize,
    turn: TurnId,
}

/// Messages of one speaker that wait for their twins.
#[derive(Debug, Default)]
pub(super) struct Twins {
    role: Option<Role>,
    waiting: Vec<Waiting>,
}

impl Twins {
    /// The turn that a record of these facts says once more; the newest, where the same was said several times.
    pub(super) fn take(&mut self, facts: &TurnFacts) -> Option<TurnId> {
        let twin = facts.twin.filter(|_| self.role == Some(facts.role))?;
        let new = Waiting::of(twin, facts, TurnId::NONE);
        let at = self.waiting.iter().rposition(|old| match (old.twin, twin) {
            (Twin::Event, Twin::Item) => old.is_told_in(&new),
            (Twin::Item, Twin::Event) => new.is_told_in(old),
            _ => false,
        })?;
        Some(self.waiting.remove(at).turn)
    }

    /// A record of these facts, new in `turn`, waits for its twin. Others than of its speaker wait no more.
    pub(super) fn wait(&mut self, facts: &TurnFacts, turn: TurnId) {
        if self.role != Some(facts.role) || facts.twin.is_none() {
            self.clear();
        }
        let Some(twin) = facts.twin else { return };
        self.role = Some(facts.role);
        if self.waiting.len() == MOST {
            self.waiting.remove(0);
        }
        self.waiting.push(Waiting::of(twin, facts, turn));
    }

    /// Nobody waits any more: what comes belongs to something new.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }
}

impl Waiting {
    fn of(twin: Twin, facts: &TurnFacts, turn: TurnId) -> Self {
        let is = |kind: PartKind| move |part: &&PartFacts| part.kind == kind;
        Self {
            twin,
            texts: facts
                .parts
                .iter()
                .filter(is(PartKind::Text))
                .map(|part| (part.digest, part.bytes))
                .collect(),
            images: facts.parts.iter().filter(is(PartKind::Image)).count(),
            turn,
        }
    }

    /// Whether all that this event tells stands in `item`, which may hold marks and images beside it.
    fn is_told_in(&self, item: &Self) -> bool {
        if self.texts.is_empty() {
            return self.images > 0 && self.images == item.images;
        }
        self.texts.iter().all(|text| item.texts.contains(text))
    }
}
