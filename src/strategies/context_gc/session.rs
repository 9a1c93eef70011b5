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

mod item;
mod prompt;
mod rows;
mod rules;

use std::collections::{BTreeMap, HashMap};

use crate::formats::facts::Role;
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId, text};

use super::super::Context;
use super::{ContextGc, Event, Fate, Place, Trace, line};

use item::{Item, Stamp, Why, cleared};

pub use item::{Kept, Stub};
pub use prompt::{Prompt, STAGES, Spot, Totals, stage_place};

/// The turns of a session's main thread as events, each with what became of it and when. Grows with the session.
#[derive(Debug, Default)]
pub struct Replay {
    rules: rules::Rules,
    gc: ContextGc,
    items: Vec<Item>,
    of_turn: HashMap<TurnId, Said>,
    by_id: HashMap<String, u32>,
    /// Turns taken in.
    begun: u32,
    /// Microcompactions taken in, and prompts taken back.
    clearings: usize,
    withdrawals: usize,
    /// Prompts that were queued and may be taken back.
    queued: Vec<TurnId>,
    /// What is another since turn so-and-so: in the order in which that became known, and by the turn.
    journal: Vec<(u32, TurnId)>,
    changed: BTreeMap<u32, Vec<TurnId>>,
}

/// What a turn says as events.
#[derive(Debug, Default)]
struct Said {
    /// Events that stand for it or parts of it, and what the agent cleared of it.
    items: Vec<u32>,
    /// Where it stands in the prompt, since which turn.
    places: Vec<(u32, Place)>,
    /// Characters of its line of the prompt, in a trace; none where it says nothing there.
    characters: u32,
}

impl Replay {
    /// Replays the main thread of a session to its end. Reads every text once.
    pub fn of(log: &OpenLog) -> Result<Self, LogError> {
        let mut replay = Self::default();
        while replay.begun < log.session.last() {
            replay.take_next(log)?;
        }
        replay.take_clearings(&log.session);
        Ok(replay)
    }

    /// Takes in what came since, for as long as `go_on` says so of the next. The newest turn waits while it may still grow.
    pub fn advance_while(
        &mut self,
        log: &OpenLog,
        mut go_on: impl FnMut(u32) -> bool,
    ) -> Result<(), LogError> {
        while self.begun < Self::whole(log) && go_on(self.begun + 1) {
            self.take_next(log)?;
        }
        if self.is_settled(log) {
            self.take_clearings(&log.session);
        }
        self.take_withdrawals(&log.session);
        Ok(())
    }

    /// How many turns of the main thread can be taken in: an answer may still grow while it is the newest.
    fn whole(log: &OpenLog) -> u32 {
        let session = &log.session;
        let last = session.last();
        let newest = session.numbered(0, last).map(|id| session.turn(id));
        let grows = newest.is_some_and(|turn| turn.role == Role::Assistant) && !session.format.is_trace();
        last - u32::from(grows)
    }

    /// Whether all turns that are whole were taken in.
    pub fn is_settled(&self, log: &OpenLog) -> bool {
        self.begun >= Self::whole(log)
    }

    /// How many turns were taken in.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// How many things were found out so far: more, and something is to be shown anew.
    pub fn findings(&self) -> usize {
        self.journal.len()
    }

    fn take_next(&mut self, log: &OpenLog) -> Result<(), LogError> {
        let number = self.begun + 1;
        let Some(id) = log.session.numbered(0, number) else { return Ok(()) };
        let is_trace = log.session.format.is_trace();
        let events = if is_trace { own(log, id)? } else { self.rules.events(log, id)? };
        self.begun = number;
        match log.session.withdrawn_at(id) {
            Some(at) => self.note(at, id),
            None if log.session.turn(id).is_queued() => self.queued.push(id),
            None => {}
        }
        let mut first = None;
        for mut mapped in events {
            let characters = if is_trace { line(&mapped.event).chars().count() as u32 } else { 0 };
            // `strict` takes every event.
            if self.gc.add_event(mapped.event).is_err() {
                continue;
            }
            if is_trace {
                self.gc.newest().unwrap_or_default().clone_into(&mut mapped.id);
            }
            let place = self.items.len() as u32;
            self.by_id.insert(mapped.id.clone(), place);
            self.push(Item { id: mapped.id, turn: id, parts: mapped.parts, stamps: Vec::new() });
            self.of_turn.entry(id).or_default().characters += characters;
            first = first.or(Some(place));
        }
        self.stamp(number);
        let named = first.map(|first| self.items[first as usize].id.clone());
        if let Some(place) = named.and_then(|name| self.gc.place(&name)) {
            self.of_turn.entry(id).or_default().places.push((number, place));
        }
        self.note(number, id);
        Ok(())
    }

    /// Keeps an item with its turn and those of its parts.
    fn push(&mut self, item: Item) {
        let place = self.items.len() as u32;
        let own = std::iter::once(item.turn);
        let mut turns: Vec<TurnId> = item.parts.iter().map(|(turn, _)| *turn).chain(own).collect();
        turns.sort_unstable();
        turns.dedup();
        for turn in turns {
            self.of_turn.entry(turn).or_default().items.push(place);
        }
        self.items.push(item);
    }

    /// Something of a turn is another since turn `number`.
    fn note(&mut self, number: u32, turn: TurnId) {
        self.journal.push((number, turn));
        self.changed.entry(number).or_default().push(turn);
    }

    fn stamp(&mut self, number: u32) {
        let Ok(changes) = self.gc.compact() else { return };
        for id in changes.judged {
            let Some(place) = self.by_id.get(&id).copied() else { continue };
            let by = self.gc.cause(&id).and_then(|cause| self.by_id.get(cause).copied());
            let is_left = by.is_some_and(|by| self.items[by as usize].parts.is_empty());
            let why = |stage, reason: String| {
                // A branch that was left has no event by name: the turn that left it is told.
                let reason = match reason.strip_suffix(".left") {
                    Some(turn) if is_left => turn.to_owned(),
                    _ => reason,
                };
                Why { stage: Some(stage), reason, by }
            };
            let stamp = match self.gc.fate(&id) {
                Fate::Live => Stamp::Live,
                Fate::Pruned { stage, reason } => Stamp::Pruned(why(stage, reason)),
                Fate::Protected { stage, reason, keeper } => Stamp::Protected(why(stage, reason), keeper),
            };
            let item = &mut self.items[place as usize];
            item.stamps.push((number, stamp));
            let turns: Vec<TurnId> = item.parts.iter().map(|(turn, _)| *turn).collect();
            for turn in turns {
                self.note(number, turn);
            }
        }
        for id in changes.moved {
            let (Some(item), Some(place)) = (self.by_id.get(&id), self.gc.place(&id)) else { continue };
            // In a session, turns stand where they stand.
            let Some((turn, _)) = self.items[*item as usize].parts.first().copied() else { continue };
            let said = self.of_turn.entry(turn).or_default();
            if said.places.last().is_some_and(|(_, known)| *known != place) {
                said.places.push((number, place));
                self.note(number, turn);
            }
        }
    }

    /// Takes in what the agent itself took out of view.
    fn take_clearings(&mut self, session: &Session) {
        for clearing in &session.clearings()[self.clearings..] {
            for item in cleared(session, clearing) {
                let turns: Vec<TurnId> = item.parts.iter().map(|(turn, _)| *turn).collect();
                self.push(item);
                for turn in turns {
                    self.note(clearing.turn, turn);
                }
            }
        }
        self.clearings = session.clearings().len();
    }

    /// Takes in which prompts were taken back from the queue.
    fn take_withdrawals(&mut self, session: &Session) {
        if session.withdrawals() == self.withdrawals {
            return;
        }
        self.withdrawals = session.withdrawals();
        let mut queued = std::mem::take(&mut self.queued);
        queued.retain(|turn| match session.withdrawn_at(*turn) {
            Some(at) => {
                self.note(at, *turn);
                false
            }
            None => true,
        });
        self.queued = queued;
    }

    /// The turns of which something is another between turn `from`, which is left out, and turn `to`.
    fn changed_between(&self, from: u32, to: u32) -> Vec<TurnId> {
        let range = (std::ops::Bound::Excluded(from), std::ops::Bound::Included(to));
        if from >= to {
            Vec::new()
        } else {
            self.changed.range(range).flat_map(|(_, turns)| turns).copied().collect()
        }
    }

    /// The event called `id`, by its place among all.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// An event's name.
    pub fn name(&self, item: u32) -> &str {
        self.items.get(item as usize).map_or("", |item| &item.id)
    }

    /// The name of the event that a turn of a trace is.
    pub fn named(&self, turn: TurnId) -> Option<&str> {
        self.of_turn.get(&turn)?.items.first().map(|item| self.name(*item))
    }

    /// The turn that an event came with, and the part of it that it is, where it is one part.
    pub fn origin(&self, item: u32) -> Option<(TurnId, Option<u32>)> {
        let item = self.items.get(item as usize)?;
        Some(item.parts.last().map_or((item.turn, None), |(turn, part)| (*turn, Some(*part))))
    }

    /// The parts that an event stands for.
    pub fn parts_of(&self, item: u32) -> &[(TurnId, u32)] {
        self.items.get(item as usize).map(|item| &*item.parts).unwrap_or_default()
    }

    /// Tokens of what an event stands for.
    pub fn tokens(&self, session: &Session, item: u32) -> u64 {
        self.items.get(item as usize).map_or(0, |item| prompt::tokens_of(session, self, item))
    }

    /// The events of which a turn, or one part of it, is pruned after turn `number`.
    pub fn pruned_at(&self, turn: TurnId, part: Option<u32>, number: u32) -> impl Iterator<Item = u32> {
        let items = self.of_turn.get(&turn).map(|said| &*said.items).unwrap_or_default();
        let holds = move |item: &Item| {
            item.parts.iter().any(|(of, own)| *of == turn && part.is_none_or(|part| part == *own))
        };
        items.iter().copied().filter(move |item| {
            let item = &self.items[*item as usize];
            holds(item) && item.pruned(number).is_some()
        })
    }

    /// After which turn an event was pruned first, if ever.
    pub fn pruned_since(&self, item: u32) -> Option<u32> {
        let stamps = &self.items.get(item as usize)?.stamps;
        stamps.iter().find(|(_, stamp)| matches!(stamp, Stamp::Pruned(_))).map(|(at, _)| *at)
    }

    /// The receipt of an event after turn `number`, where it is pruned then.
    pub fn stub(&self, item: u32, number: u32) -> Option<Stub> {
        self.items.get(item as usize)?.stub(number)
    }

    /// The events of a turn that a stage would have pruned after turn `number`, and what keeps each.
    pub fn kept(&self, turn: TurnId, number: u32) -> Vec<Kept> {
        let items = self.of_turn.get(&turn).map(|said| &*said.items).unwrap_or_default();
        let kept = items.iter().filter_map(|item| match self.items[*item as usize].stamped(number)? {
            (_, Stamp::Protected(why, keeper)) => {
                Some(Kept { stage: why.stage, reason: why.reason.clone(), keeper: keeper.clone() })
            }
            _ => None,
        });
        kept.collect()
    }

    /// The parts that the event named `id` stands for.
    pub fn parts(&self, id: &str) -> Option<&[(TurnId, u32)]> {
        self.by_id.get(id).map(|place| &*self.items[*place as usize].parts)
    }

    /// The receipts as of turn `number`: those of the stages, then those that the log records, each in the order of the
    /// session.
    pub fn receipts(&self, number: u32) -> impl Iterator<Item = Stub> {
        let of = move |recorded: bool| {
            let stubs = self.items.iter().filter_map(move |item| item.stub(number));
            stubs.filter(move |stub| stub.stage.is_none() == recorded)
        };
        of(false).chain(of(true))
    }

    /// What the model would see after turn `number`: the lines of [`Prompt`].
    pub fn context(&self, session: &Session, number: u32) -> Context {
        let mut prompt = Prompt::default();
        prompt.move_to(session, self, number);
        prompt.context(session, self)
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
    let events = log.session.main().turns.iter().map(|id| event_of(log, id));
    let events = events.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    Ok(Some(Trace { events, injections: 0 }))
}
