//! What stands behind a receipt: an event, the parts that it stands for, and what became of it when.

use crate::session::{Clearing, Session, TurnId};

use super::super::Stage;

/// An event, or what the agent itself took out of view: the parts that it stands for, and its stamps.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) id: String,
    /// The turn that it came with.
    pub(super) turn: TurnId,
    /// Turn and part; none where the event stands for its turn as a whole.
    pub(super) parts: Vec<(TurnId, u32)>,
    /// After which turn which became of it, where that is not that it is live.
    pub(super) stamps: Vec<(u32, Stamp)>,
}

/// What became of an event.
#[derive(Clone, Debug)]
pub(super) enum Stamp {
    Live,
    Pruned(Why),
    Protected(Why, String),
}

/// What did it.
#[derive(Clone, Debug)]
pub(super) struct Why {
    /// The stage; none where the log records that the agent did.
    pub(super) stage: Option<Stage>,
    pub(super) reason: String,
    /// The event behind it.
    pub(super) by: Option<u32>,
}

/// A receipt of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// The event's name: the address of the part that completed it.
    pub id: String,
    /// The parts that it stands for: turn, and number of the part.
    pub parts: Vec<(TurnId, u32)>,
    /// After which turn it was pruned.
    pub at: u32,
    /// The stage that pruned it; none where the log records that the agent did.
    pub stage: Option<Stage>,
    /// Why.
    pub reason: String,
    /// The event that superseded it, by its place among all.
    pub by: Option<u32>,
}

/// Why an event is in the prompt although a stage would have pruned it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The stage.
    pub stage: Option<Stage>,
    /// Why it would have.
    pub reason: String,
    /// What keeps it.
    pub keeper: String,
}

impl Item {
    pub(super) fn stamped(&self, number: u32) -> Option<&(u32, Stamp)> {
        self.stamps.iter().rev().find(|(at, _)| *at <= number)
    }

    /// What pruned it, where it is pruned after turn `number` and stands for something.
    pub(super) fn pruned(&self, number: u32) -> Option<(u32, &Why)> {
        match self.stamped(number)? {
            (at, Stamp::Pruned(why)) if !self.parts.is_empty() => Some((*at, why)),
            _ => None,
        }
    }

    /// Its receipt after turn `number`, where it is pruned then and stands for something.
    pub(super) fn stub(&self, number: u32) -> Option<Stub> {
        let (at, why) = self.pruned(number)?;
        let (id, parts) = (self.id.clone(), self.parts.clone());
        Some(Stub { id, parts, at, stage: why.stage, reason: why.reason.clone(), by: why.by })
    }
}

/// The results that a microcompaction took out of view.
pub(super) fn cleared(session: &Session, clearing: &Clearing) -> Vec<Item> {
    let line = session.row(clearing.row).line;
    let item = |place: &u32| {
        let turn = session.turn_of(&session.part(*place));
        let index = session.parts(turn).position(|(at, _)| at == *place)? as u32;
        let why = Why { stage: None, reason: format!("cleared by the agent (L{line})"), by: None };
        Some(Item {
            id: format!("t{}.{index}", session.turn(turn).number),
            turn,
            parts: vec![(turn, index)],
            stamps: vec![(clearing.turn, Stamp::Pruned(why))],
        })
    };
    clearing.parts.iter().filter_map(item).collect()
}
