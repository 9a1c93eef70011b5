//! Context-GC over an agent's session: its turns as events, and what becomes of them as the session grows.
//!
//! Owns the replay of a session's main thread: turn after turn its events are added (`session/rules.rs` says which), and
//! what a turn prunes is stamped with it, so the context as of any turn is found from stamps. A turn is a receipt once
//! every part of it is pruned; while one part is live the turn stays whole. What is not on a turn's path is not in its
//! context under any strategy, so branches that were given up show only in the list of receipts.

mod rules;

use std::collections::HashMap;

use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};

use super::super::{Context, Entry, Strategy, full};
use super::{ContextGc, Fate, Mode, Stage};

/// The turns of a session's main thread as events, each with what became of it and when.
#[derive(Debug, Default)]
pub struct Replay {
    items: Vec<Item>,
    /// The items of each turn.
    of_turn: HashMap<TurnId, Vec<usize>>,
    by_id: HashMap<String, usize>,
}

/// An event, the parts that it stands for, and its stamps.
#[derive(Debug)]
struct Item {
    id: String,
    /// Turn and part; none where the event stands for its turn as a whole.
    parts: Vec<(TurnId, u32)>,
    /// After which turn it was pruned, with stage and reason, or came back.
    stamps: Vec<(u32, Option<(Stage, String)>)>,
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
    /// The stage that pruned it.
    pub stage: Stage,
    /// Why.
    pub reason: String,
}

impl Replay {
    /// Replays the main thread of a session to its end. Reads every text once.
    pub fn of(log: &OpenLog) -> Result<Self, LogError> {
        let mut replay = Self::default();
        let mut rules = rules::Rules::default();
        let mut gc = ContextGc::new(Mode::Strict);
        for id in &log.session.main().turns {
            let number = log.session.turn(*id).number;
            for mapped in rules.events(log, *id)? {
                // `strict` takes every event.
                if gc.add_event(mapped.event).is_err() {
                    continue;
                }
                let place = replay.items.len();
                let mut turns: Vec<TurnId> = mapped.parts.iter().map(|(turn, _)| *turn).collect();
                turns.push(*id);
                turns.sort_unstable();
                turns.dedup();
                for turn in turns {
                    replay.of_turn.entry(turn).or_default().push(place);
                }
                replay.by_id.insert(mapped.id.clone(), place);
                replay.items.push(Item { id: mapped.id, parts: mapped.parts, stamps: Vec::new() });
            }
            replay.stamp(&mut gc, number);
        }
        Ok(replay)
    }

    fn stamp(&mut self, gc: &mut ContextGc, number: u32) {
        let Ok(changes) = gc.compact() else { return };
        for id in changes.pruned {
            let Fate::Pruned { stage, reason } = gc.fate(&id) else { continue };
            if let Some(place) = self.by_id.get(&id) {
                self.items[*place].stamps.push((number, Some((stage, reason))));
            }
        }
        for id in changes.restored {
            if let Some(place) = self.by_id.get(&id) {
                self.items[*place].stamps.push((number, None));
            }
        }
    }

    /// The parts that the event named `id` stands for.
    pub fn parts(&self, id: &str) -> Option<&[(TurnId, u32)]> {
        self.by_id.get(id).map(|place| &*self.items[*place].parts)
    }

    /// What stands behind a receipt after turn `number`, in the order of the session.
    pub fn receipts(&self, number: u32) -> impl Iterator<Item = Stub> {
        self.items.iter().filter(|item| !item.parts.is_empty()).filter_map(move |item| {
            let (at, stage, reason) = item.pruned(number)?;
            let (id, parts) = (item.id.clone(), item.parts.clone());
            Some(Stub { id, parts, at, stage, reason: reason.to_owned() })
        })
    }

    /// The receipts that stand for a whole turn after turn `number`; none while any part of the turn is live.
    pub fn receipts_of(&self, session: &Session, turn: TurnId, number: u32) -> Vec<Stub> {
        let places = self.of_turn.get(&turn).map(Vec::as_slice).unwrap_or_default();
        let mut gone = vec![false; session.part_count(turn)];
        let mut stubs = Vec::new();
        for item in places.iter().map(|place| &self.items[*place]) {
            let Some((at, stage, reason)) = item.pruned(number) else { continue };
            let own = item.parts.iter().filter(|(of, _)| *of == turn);
            own.for_each(|(_, part)| {
                if let Some(gone) = gone.get_mut(*part as usize) {
                    *gone = true;
                }
            });
            let (id, parts) = (item.id.clone(), item.parts.clone());
            if !parts.is_empty() {
                stubs.push(Stub { id, parts, at, stage, reason: reason.to_owned() });
            }
        }
        if gone.is_empty() || gone.contains(&false) { Vec::new() } else { stubs }
    }

    /// What the model would see after turn `number`.
    pub fn context(&self, session: &Session, number: u32) -> Context {
        let turn = session.head(number);
        let mut entries = turn.map(|turn| full::entries(session, turn)).unwrap_or_default();
        for entry in &mut entries {
            let Entry::Turn(id) = entry else { continue };
            let stubs = self.receipts_of(session, *id, number);
            // A branch that the session went back to is no dead one.
            if !stubs.is_empty() && stubs.iter().all(|stub| stub.stage != Stage::Sweep) {
                *entry = Entry::Receipt { target: *id };
            }
        }
        let tokens = entries.iter().map(|entry| entry.tokens(session)).sum();
        Context { as_of: number, strategy: Strategy::ContextGc, entries, tokens }
    }
}

impl Item {
    fn pruned(&self, number: u32) -> Option<(u32, Stage, &str)> {
        let (at, stamp) = self.stamps.iter().rev().find(|(at, _)| *at <= number)?;
        let (stage, reason) = stamp.as_ref()?;
        Some((*at, *stage, reason))
    }
}
