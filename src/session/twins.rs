//! Messages that an agent writes twice: once as its interface was told, once as the model was.
//!
//! The two stand close together with nobody else speaking between, in either order, and where several prompts come at
//! once not always side by side. Two records are twins only where they say the same: what is said in other words is
//! shown in both.

use crate::formats::facts::{PartKind, Role, TurnFacts, Twin};

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
        let at = self.waiting.iter().rposition(|old| {
            let (known, new) = ((old.texts.iter().copied(), old.images), (texts(facts), images(facts)));
            match (old.twin, twin) {
                (Twin::Event, Twin::Item) => is_told_in(known, new),
                (Twin::Item, Twin::Event) => is_told_in(new, known),
                _ => false,
            }
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
        self.waiting.push(Waiting { twin, texts: texts(facts).collect(), images: images(facts), turn });
    }

    /// Nobody waits any more: what comes belongs to something new.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }
}

/// The texts of a message: their checksums and sizes.
fn texts(facts: &TurnFacts) -> impl Iterator<Item = (u32, u32)> + Clone {
    let texts = facts.parts.iter().filter(|part| part.kind == PartKind::Text);
    texts.map(|part| (part.digest, part.bytes))
}

fn images(facts: &TurnFacts) -> usize {
    facts.parts.iter().filter(|part| part.kind == PartKind::Image).count()
}

/// Whether all that an event tells, its texts and images, stands in an item, which may hold marks and images beside it.
fn is_told_in(
    (mut event, event_images): (impl Iterator<Item = (u32, u32)> + Clone, usize),
    (item, item_images): (impl Iterator<Item = (u32, u32)> + Clone, usize),
) -> bool {
    if event.clone().next().is_none() {
        return event_images > 0 && event_images == item_images;
    }
    event.all(|text| item.clone().any(|other| other == text))
}
