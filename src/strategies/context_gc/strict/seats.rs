//! Values and equal calls: who is superseded, who is a duplicate, and what that makes of an event.
//!
//! Owns the seats and the verdict. Events of an abandoned branch have no seat, so an abandoned value supersedes
//! nothing. A call and its results are one unit: pruned together, or not at all.

use super::super::event::Kind;
use super::super::outcome::Stage;
use super::super::value::Value;
use super::{Engine, NodeId, Seat, State, Words};

impl Engine {
    /// Gives those whose facts changed their new seats, and judges all whom that concerns.
    pub(super) fn settle(&mut self) {
        self.freshen();
        let mut touched = std::mem::take(&mut self.touched);
        for id in &mut touched {
            // A result is judged with its call.
            *id = self.node(*id).call.unwrap_or(*id);
        }
        touched.sort_unstable();
        touched.dedup();
        let mut concerned = touched.clone();
        for id in touched {
            let seat = self.seat_for(id);
            if seat == self.node(id).seat {
                continue;
            }
            self.leave(id, &mut concerned);
            self.take(id, seat, &mut concerned);
        }
        concerned.sort_unstable();
        concerned.dedup();
        for id in concerned {
            self.judge(id);
        }
    }

    fn seat_for(&mut self, id: NodeId) -> Seat {
        let node = self.node(id);
        if !node.swept.is_empty() {
            return Seat::None;
        }
        if let Some(variable) = node.variable {
            return Seat::Value(variable, node.order);
        }
        let free = |id: &NodeId| self.node(*id).swept.is_empty() && self.node(*id).ring.is_none();
        if node.results.is_empty() || !free(&id) || !node.results.iter().all(free) {
            return Seat::None;
        }
        let words = node.words.unwrap_or_else(|| self.words_of(id));
        let node = self.node_mut(id);
        node.words = Some(words);
        Seat::Call(words, node.order)
    }

    /// What a call and its results say. Texts are parted by a byte that canonical text does not hold.
    fn words_of(&self, id: NodeId) -> Words {
        let node = self.node(id);
        let mut digest = blake3::Hasher::new();
        let mut say = |value: Option<&Value>| {
            digest.update(value.map(Value::canonical).unwrap_or_default().as_bytes());
            digest.update(&[0xff]);
        };
        say(node.event.field("tool_name"));
        say(node.event.field("arguments"));
        for result in &node.results {
            say(self.node(*result).event.field("result"));
        }
        digest.finalize().into()
    }

    fn leave(&mut self, id: NodeId, concerned: &mut Vec<NodeId>) {
        match std::mem::replace(&mut self.node_mut(id).seat, Seat::None) {
            Seat::None => {}
            Seat::Value(variable, order) => {
                let values = &mut self.values[variable as usize];
                values.remove(&(order, id));
                concerned.extend(values.last().map(|(_, winner)| *winner));
            }
            Seat::Call(words, order) => {
                if let Some(calls) = self.calls.get_mut(&words) {
                    calls.remove(&(order, id));
                    concerned.extend(calls.first().map(|(_, first)| *first));
                }
            }
        }
    }

    fn take(&mut self, id: NodeId, seat: Seat, concerned: &mut Vec<NodeId>) {
        match seat {
            Seat::None => {}
            Seat::Value(variable, order) => {
                let values = &mut self.values[variable as usize];
                concerned.extend(values.last().map(|(_, winner)| *winner));
                values.insert((order, id));
            }
            Seat::Call(words, order) => {
                let calls = self.calls.entry(words).or_default();
                concerned.extend(calls.first().map(|(_, first)| *first));
                calls.insert((order, id));
            }
        }
        self.node_mut(id).seat = seat;
    }

    /// The value in force, where this event's is another.
    pub(super) fn superseded_by(&self, id: NodeId) -> Option<NodeId> {
        let Seat::Value(variable, _) = self.node(id).seat else { return None };
        let (_, winner) = self.values[variable as usize].last()?;
        (*winner != id).then_some(*winner)
    }

    /// The first call that said and got the same, where this one is another.
    pub(super) fn duplicate_of(&self, call: NodeId) -> Option<NodeId> {
        let Seat::Call(words, _) = self.node(call).seat else { return None };
        let (_, first) = self.calls.get(&words)?.first()?;
        (*first != call).then_some(*first)
    }

    /// The stage that would prune an event, were it alone.
    fn stage(&self, id: NodeId) -> Option<Stage> {
        let node = self.node(id);
        if !node.swept.is_empty() {
            return Some(Stage::Sweep);
        }
        if self.superseded_by(id).is_some() {
            return Some(Stage::Override);
        }
        if self.duplicate_of(node.call.unwrap_or(id)).is_some() {
            return Some(Stage::Dedup);
        }
        // A value in force is told, circle or not.
        (node.ring.is_some() && node.variable.is_none()).then_some(Stage::Cycle)
    }

    /// Judges an event, or a call with its results.
    fn judge(&mut self, id: NodeId) {
        let mut unit = vec![id];
        if self.node(id).event.kind() == Kind::ToolCall {
            unit.extend(&self.node(id).results);
        }
        let stages: Vec<Option<Stage>> = unit.iter().map(|id| self.stage(*id)).collect();
        let guarded: Vec<bool> = unit.iter().map(|id| self.node(*id).event.protection().is_some()).collect();
        let free = stages.iter().position(Option::is_none);
        let keeper = free.or_else(|| guarded.iter().position(|guarded| *guarded)).map(|keeper| unit[keeper]);
        for ((id, stage), guarded) in unit.into_iter().zip(stages).zip(guarded) {
            let state = match (stage, keeper) {
                (None, _) => State::Live,
                (Some(stage), None) => State::Pruned(stage),
                (Some(stage), Some(keeper)) => State::Protected(stage, (!guarded).then_some(keeper)),
            };
            let before = std::mem::replace(&mut self.node_mut(id).state, state);
            if before != state {
                self.before.entry(id).or_insert(before);
            }
        }
    }
}
