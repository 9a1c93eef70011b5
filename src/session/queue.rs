//! Prompts that wait for the agent: turns when they are queued, echoes when they are delivered.

use crate::formats::facts::{PartFacts, Queue, TurnFacts};

use super::grow::Line;
use super::model::Session;
use super::turns::{Turn, TurnId};

/// Enough of a text to know it again: its sizes and first words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    bytes: u32,
    tokens: u32,
    preview: Box<str>,
}

impl Shape {
    fn of(parts: &[PartFacts]) -> Self {
        Self {
            bytes: parts.iter().map(|part| part.bytes).sum(),
            tokens: parts.iter().map(|part| part.tokens).sum(),
            preview: parts.first().map(|part| part.preview.as_str()).unwrap_or_default().into(),
        }
    }
}

/// Queued prompts that were not seen again yet.
#[derive(Debug, Default)]
pub struct Waiting {
    /// In the queue, or announced as about to be delivered.
    queued: Vec<(Shape, TurnId)>,
    /// Left the queue in the middle of the agent's work; newer versions show that in a record of its own.
    removed: Vec<(Shape, TurnId)>,
}

/// How many prompts that left the queue are kept in mind.
const REMOVED: usize = 32;

impl Session {
    /// What a record about the queue does. The answer is the turn that it makes or repeats.
    pub(super) fn queue(&mut self, line: Line, queue: &mut Queue) -> QueueOutcome {
        match queue {
            Queue::Enqueue(parts) => QueueOutcome::Turn(self.enqueue(line, std::mem::take(parts))),
            Queue::Dequeue => QueueOutcome::Note,
            Queue::Remove(parts) => {
                let shape = Shape::of(parts);
                let named = self.waiting.queued.iter().position(|(known, _)| *known == shape);
                if !self.waiting.queued.is_empty() {
                    // Older versions do not say which; prompts leave the queue in order.
                    let prompt = self.waiting.queued.remove(named.unwrap_or(0));
                    self.waiting.removed.push(prompt);
                    let surplus = self.waiting.removed.len().saturating_sub(REMOVED);
                    self.waiting.removed.drain(..surplus);
                }
                QueueOutcome::Note
            }
            Queue::Withdraw => {
                for (_, id) in std::mem::take(&mut self.waiting.queued) {
                    let now = self.threads[self.turn(id).thread as usize].turns.len() as u32;
                    self.turns.change(id.0, |turn| turn.flags |= Turn::WITHDRAWN);
                    self.withdrawn.insert(id, now);
                    self.stamp_abandoned(id, now);
                }
                QueueOutcome::Note
            }
            Queue::Delivered(parts) => {
                let shape = Shape::of(parts);
                let removed = take(&mut self.waiting.removed, &shape);
                removed
                    .or_else(|| take(&mut self.waiting.queued, &shape))
                    .map_or(QueueOutcome::Note, QueueOutcome::Echo)
            }
        }
    }

    /// The queued prompt that a prompt of these parts delivers, if it does.
    pub(super) fn delivers(&mut self, facts: &TurnFacts) -> Option<TurnId> {
        if self.waiting.queued.is_empty() {
            return None;
        }
        take(&mut self.waiting.queued, &Shape::of(&facts.parts))
    }

    /// Whether a summary stands between a queued prompt and now. Its delivery then is no repetition: the model sees
    /// it again, beside the summary that covers the first.
    pub(super) fn is_compacted_away(&self, id: TurnId) -> bool {
        let newest = self.compactions.iter().rev().find_map(|compaction| compaction.summary);
        newest.is_some_and(|summary| summary > id)
    }

    fn enqueue(&mut self, line: Line, parts: Vec<PartFacts>) -> TurnId {
        let shape = Shape::of(&parts);
        let id = self.queued_turn(line, parts);
        self.waiting.queued.push((shape, id));
        id
    }
}

/// What a record about the queue is.
pub(super) enum QueueOutcome {
    /// A new turn.
    Turn(TurnId),
    /// A turn seen again.
    Echo(TurnId),
    /// Neither.
    Note,
}

fn take(prompts: &mut Vec<(Shape, TurnId)>, shape: &Shape) -> Option<TurnId> {
    let at = prompts.iter().position(|(known, _)| known == shape)?;
    Some(prompts.remove(at).1)
}
