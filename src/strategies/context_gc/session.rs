//! Context-GC over an agent's session: its turns as events, and what becomes of them as the session grows.
//!
//! Owns the replay of a session's main thread: turn after turn its events are added (`session/rules.rs` says which), and
//! what a turn prunes is stamped with it, so the context as of any turn is found from stamps. A turn is a receipt once
//! every part of it is pruned; while one part is live the turn stays whole. What is not on a turn's path is not in its
//! context under any strategy, so branches that were given up show only in the list of receipts. Of a trace that was opened
//! as a session every turn is the event that it is.
//!
//! What an agent's session says as events, and why:
//!
//! | in the session | event | why |
//! |---|---|---|
//! | the turn itself | `decision` without words | what an abandon names, and what the next turn follows |
//! | a prompt of the user's | `requirement` | what the user asked for or forbade; no stage but the sweep prunes it |
//! | text, thinking, a summary, what the harness put in | `decision` | said once; pruned with its branch only |
//! | a look (reading, listing, searching) and its result | `tool_call`, `tool_result` | the same look with the same result adds nothing. Its arguments carry how often what it looks at was changed before, so a look after a change is never a duplicate of one before it: a later edit refers to the state that was seen last |
//! | a result with the user's own words in it, or with a picture | `tool_result` with a result of its own | the user said it, each time; two pictures may look alike in the log |
//! | a call that changed a file | `file_edit` | later edits build on it: pruned with its branch only |
//! | a change that failed | `error` | it changed nothing, and says so |
//! | a command, once its result came | `command_run`, `test_run`, `git_commit` | it acted, or told the state at that time: running the tests again after a change says something new even where it says the same |
//! | the list of what is to be done | `set_var` | each list replaces the one before, and the newest tells all; but one that drops unfinished items begins another variable, so that the list which names them stays |
//! | any other call and its result | `tool_call` with an argument of its own, `tool_result` | it may act: never a duplicate |
//! | a branch that was left, once it was answered | `abandon` of its first turn | the turn that goes on elsewhere follows what comes before the branch. Local commands only look like a branch: their agent hangs them all on one record |
//! | another conversation in the same file | looks and lists of its own | what is said in one is not in view in the other |
//! | a microcompaction | none: its receipts are listed as recorded | the agent itself took those results out of its view; what is replayed here starts from all that was said, as it does beside recorded summaries |
//!
//! So nothing is pruned that a later event refers to: a look is pruned only while an equal one with nothing changed since
//! stands before it, a list only when a newer one names all that it left unfinished, and all else only with a branch that the session left.

mod rules;

use std::collections::HashMap;

use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Clearing, Session, TurnId, text};

use super::super::{CONTEXT_GC, Context, Entry, full};
use super::{ContextGc, Event, Fate, Mode, Stage, Trace};

/// The turns of a session's main thread as events, each with what became of it and when.
#[derive(Debug, Default)]
pub struct Replay {
    items: Vec<Item>,
    /// The items of each turn.
    of_turn: HashMap<TurnId, Vec<usize>>,
    by_id: HashMap<String, usize>,
    /// What the agent itself took out of view.
    cleared: Vec<Stub>,
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
    /// The stage that pruned it; none where the log records that the agent did.
    pub stage: Option<Stage>,
    /// Why.
    pub reason: String,
}

impl Replay {
    /// Replays the main thread of a session to its end. Reads every text once.
    pub fn of(log: &OpenLog) -> Result<Self, LogError> {
        let mut replay = Self::default();
        let mut rules = rules::Rules::default();
        let mut gc = ContextGc::new(Mode::Strict);
        let is_trace = log.session.format.is_trace();
        for id in &log.session.main().turns {
            let number = log.session.turn(*id).number;
            let events = if is_trace { own(log, *id)? } else { rules.events(log, *id)? };
            for mut mapped in events {
                // `strict` takes every event.
                if gc.add_event(mapped.event).is_err() {
                    continue;
                }
                if is_trace {
                    gc.newest().unwrap_or_default().clone_into(&mut mapped.id);
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
        replay.cleared =
            log.session.clearings().iter().flat_map(|clearing| cleared(&log.session, clearing)).collect();
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

    /// The receipts as of turn `number`: those of the stages, then those that the log records, each in the order of the
    /// session.
    pub fn receipts(&self, number: u32) -> impl Iterator<Item = Stub> {
        let cleared = self.cleared.iter().filter(move |stub| stub.at <= number).cloned();
        self.items.iter().filter_map(move |item| item.stub(number)).chain(cleared)
    }

    /// The receipts that stand for a whole turn after turn `number`; none while any part of the turn is live.
    pub fn receipts_of(&self, session: &Session, turn: TurnId, number: u32) -> Vec<Stub> {
        let places = self.of_turn.get(&turn).map(Vec::as_slice).unwrap_or_default();
        let stubs: Vec<Stub> = places.iter().filter_map(|place| self.items[*place].stub(number)).collect();
        let own = stubs.iter().flat_map(|stub| &stub.parts).filter(|(of, _)| *of == turn);
        let mut gone = vec![false; session.part_count(turn)];
        for (_, part) in own {
            if let Some(gone) = gone.get_mut(*part as usize) {
                *gone = true;
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
            // A branch that an agent's session went back to is no dead one; a trace has only its own word.
            let swept = |stub: &Stub| stub.stage == Some(Stage::Sweep) && !session.format.is_trace();
            if !stubs.is_empty() && !stubs.iter().any(swept) {
                *entry = Entry::Receipt { target: *id };
            }
        }
        let tokens = entries.iter().map(|entry| entry.tokens(session)).sum();
        Context { as_of: number, strategy: CONTEXT_GC, entries, tokens }
    }
}

/// The event that a turn of a trace is.
fn own(log: &OpenLog, id: TurnId) -> Result<Vec<rules::Mapped>, LogError> {
    let event = event_of(log, id)?;
    let mapped = |event: Event| rules::Mapped { id: event.id().to_owned(), event, parts: vec![(id, 0)] };
    Ok(event.into_iter().map(mapped).collect())
}

fn event_of(log: &OpenLog, id: TurnId) -> Result<Option<Event>, LogError> {
    let row = log.session.row(log.session.turn(id).first_row);
    let line = text::line(&log.source, &row)?;
    Ok(std::str::from_utf8(&line)
        .ok()
        .and_then(|text| Event::parse(text.trim_start_matches('\u{feff}')).ok()))
}

/// The trace that a log is, if it is one. Lines that are no events are in the session, not here.
pub fn trace(log: &OpenLog) -> Result<Option<Trace>, LogError> {
    if !log.session.format.is_trace() {
        return Ok(None);
    }
    let events = log.session.main().turns.iter().map(|id| event_of(log, *id));
    let events = events.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    Ok(Some(Trace { events, injections: 0 }))
}

impl Item {
    /// Its receipt after turn `number`, where it is pruned then and stands for something.
    fn stub(&self, number: u32) -> Option<Stub> {
        let (at, stamp) = self.stamps.iter().rev().find(|(at, _)| *at <= number)?;
        let (stage, reason) = stamp.as_ref().filter(|_| !self.parts.is_empty())?;
        let (id, parts) = (self.id.clone(), self.parts.clone());
        Some(Stub { id, parts, at: *at, stage: Some(*stage), reason: reason.clone() })
    }
}

/// The results that a microcompaction took out of view.
fn cleared(session: &Session, clearing: &Clearing) -> Vec<Stub> {
    let line = session.row(clearing.row).line;
    let stub = |place: &u32| {
        let turn = session.turn_of(&session.part(*place));
        let index = session.parts(turn).position(|(at, _)| at == *place)? as u32;
        Some(Stub {
            id: format!("t{}.{index}", session.turn(turn).number),
            parts: vec![(turn, index)],
            at: clearing.turn,
            stage: None,
            reason: format!("cleared by the agent (L{line})"),
        })
    };
    clearing.parts.iter().filter_map(stub).collect()
}
