//! The pinned ledger: what binds in the user's own words, taken out when it arrives and never summarised.
//!
//! Owns the items, their numbers and what became of them. Keeps their words: a few lines of a session, which every
//! context holds. Reads prompts, users' words in tool results, and, while a question waits, what the assistant says.

use std::collections::{BTreeSet, HashMap};

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Part, Session, TurnId};
use crate::text::binding::{self, Binding};
use crate::text::{lexicon, tokens, words};

use super::hand::{self, Mark, Marks};
use super::{is_typed, reading};

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It holds.
    Open,
    /// The assistant answered in this turn.
    Answered(u32),
    /// A later item speaks of the same.
    Superseded(u32),
}

impl State {
    /// The state in words.
    pub fn words(self) -> String {
        match self {
            Self::Open => "open".into(),
            Self::Answered(turn) => format!("answered at t{turn}"),
            Self::Superseded(item) => format!("superseded by i{item}"),
        }
    }
}

/// Something that binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number, from 1: `i9`.
    pub number: u32,
    /// The turn that says it.
    pub turn: TurnId,
    /// That turn's number.
    pub at: u32,
    /// Its words.
    pub text: String,
    /// How it binds: a hint, where being bound at all is reliable.
    pub binding: Binding,
    /// Estimated tokens.
    pub tokens: u32,
    /// The user said it in the result of a tool.
    pub voice: bool,
    /// What a person's marks of it are kept under.
    pub key: String,
    /// What a person said of it by hand.
    pub hand: Mark,
    stems: BTreeSet<String>,
    /// The turns that answer it, in order: one more each time that those before were left behind.
    answered: Vec<u32>,
    /// The items that supersede it, each with the turn that says so.
    superseded: Vec<(u32, u32)>,
}

impl Item {
    /// What had become of it as of turn `as_of`. What was said on a branch that was left behind by then counts for nothing.
    pub fn state(&self, session: &Session, as_of: u32) -> State {
        let holds = |turn: u32| session.numbered(0, turn).is_some_and(|id| !is_left(session, id, as_of));
        let superseded = self.superseded.iter().find(|(_, at)| *at <= as_of && holds(*at));
        // An answer is known once the turn after it has begun.
        let answered = || self.answered.iter().find(|turn| **turn < as_of && holds(**turn));
        match superseded {
            Some((item, _)) => State::Superseded(*item),
            None => answered().map_or(State::Open, |turn| State::Answered(*turn)),
        }
    }

    /// Whether a person took it out of the ledger.
    pub fn is_unpinned(&self) -> bool {
        self.hand.pinned == Some(false)
    }

    /// The names of its kinds: the one that a person gave it, else those that the rules give.
    pub fn kinds(&self) -> Vec<&'static str> {
        self.hand.class.map_or_else(|| self.rules(), |class| vec![class.name()])
    }

    /// The names of the kinds that the rules give it.
    fn rules(&self) -> Vec<&'static str> {
        let binding = self.binding;
        let all = [
            ("decision", binding.decision),
            ("rejection", binding.rejection),
            ("constraint", binding.constraint),
            ("commitment", binding.commitment),
            ("open", binding.open),
        ];
        all.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name).collect()
    }

    /// Whether its turn was left behind or taken back by turn `as_of`.
    pub fn is_gone(&self, session: &Session, as_of: u32) -> bool {
        is_left(session, self.turn, as_of)
    }
}

/// Whether a turn was left behind or taken back by turn `as_of`.
fn is_left(session: &Session, turn: TurnId, as_of: u32) -> bool {
    session.is_abandoned(turn, as_of) || session.withdrawn_at(turn).is_some_and(|at| at <= as_of)
}

/// How many of the newest items a new one may supersede: more are not looked through.
const LOOKED_AT: usize = 256;
/// A new item supersedes one of whose words it says this share.
const SAME: f64 = 0.6;
/// A text answers a question of whose words it says this share.
const ANSWERS: f64 = 0.5;

/// All items of a session, in order.
#[derive(Debug, Default)]
pub struct Ledger {
    items: Vec<Item>,
    /// The turns of prompts that a person typed: a question waits for its answer until the next.
    prompts: Vec<u32>,
    /// Tokens of the items that hold after the newest turn that ended, and how many items that counts. Marks by hand do
    /// not count here: the log alone decides.
    settled: (u64, usize),
    /// How often each text was said so far, by its key.
    said: HashMap<String, u32>,
    marks: Marks,
    /// Turns that a person pinned, in order.
    pinned: Vec<TurnId>,
}

impl Ledger {
    /// All items as of turn `as_of`, those of turns that were left behind included.
    pub fn items(&self, as_of: u32) -> &[Item] {
        &self.items[..self.items.partition_point(|item| item.at <= as_of)]
    }

    /// The item with this number.
    pub fn item(&self, number: u32) -> Option<&Item> {
        self.items.get(number.checked_sub(1)? as usize)
    }

    /// The items that are part of the context as of turn `as_of`.
    pub fn in_force(&self, session: &Session, as_of: u32) -> Vec<&Item> {
        let holds = |item: &&Item| !item.is_unpinned() && !item.is_gone(session, as_of);
        self.items(as_of).iter().filter(holds).collect()
    }

    /// The turns that a person pinned, as of turn `as_of`.
    pub fn pinned(&self, session: &Session, as_of: u32) -> &[TurnId] {
        &self.pinned[..self.pinned.partition_point(|id| session.turn(*id).number <= as_of)]
    }

    /// Whether a person pinned turn `id`.
    pub fn is_pinned(&self, id: TurnId) -> bool {
        self.pinned.binary_search(&id).is_ok()
    }

    /// What a person said.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Takes over what a person said of the items and of the turns up to `begun`.
    pub(super) fn mark(&mut self, session: &Session, begun: u32, marks: Marks) {
        self.marks = marks;
        for item in &mut self.items {
            item.hand = self.marks.get(&item.key);
        }
        self.pinned.clear();
        if self.marks.has_turns() {
            for number in 1..=begun {
                self.pin_marked(session, number);
            }
        }
    }

    /// Turn `number` is whole: it may be one that was pinned.
    pub(super) fn pin_marked(&mut self, session: &Session, number: u32) {
        let Some(id) = session.numbered(0, number).filter(|_| self.marks.has_turns()) else { return };
        let pinned = self.marks.get(&hand::of_turn(session, id)).pinned == Some(true);
        if let Err(at) = self.pinned.binary_search(&id)
            && pinned
        {
            self.pinned.insert(at, id);
        }
    }

    /// Tokens of the items in force after the newest turn that ended.
    pub(super) fn tokens(&self) -> u64 {
        self.settled.0
    }

    /// Turn `number` begins: takes out what binds in it.
    pub(super) fn arrive(&mut self, log: &OpenLog, number: u32) -> Result<(), LogError> {
        let Some(id) = log.session.numbered(0, number) else { return Ok(()) };
        let turn = log.session.turn(id);
        let typed = is_typed(&log.session, id);
        if !typed && !turn.has_voice() {
            return Ok(());
        }
        let binds = |part: &Part| part.kind == PartKind::Text && typed || part.voice;
        let texts = reading::texts(log, id, reading::RECORDS, binds)?;
        if typed && !turn.is_queued() {
            self.prompts.push(number);
        }
        for located in texts {
            let text = &located.text.text;
            match located.text.kind {
                PartKind::Text if typed => self.take(&log.session, id, text, false),
                PartKind::ToolResult if log.session.part(located.place).voice => {
                    let said = log.session.format.voice(text).unwrap_or_default();
                    self.take(&log.session, id, said, true);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, session: &Session, turn: TurnId, text: &str, voice: bool) {
        let at = session.turn(turn).number;
        for sentence in binding::typed_sentences(text) {
            let binding = binding::of(lexicon::built_in(), sentence);
            if !binding.any() {
                continue;
            }
            let known = self.said.entry(hand::of_words(sentence, 0)).or_default();
            let key = hand::of_words(sentence, *known);
            *known += 1;
            let item = Item {
                hand: self.marks.get(&key),
                key,
                number: self.items.len() as u32 + 1,
                turn,
                at,
                text: sentence.to_owned(),
                binding,
                tokens: tokens::estimate(sentence),
                voice,
                stems: words::stems(sentence).into_iter().collect(),
                answered: Vec::new(),
                superseded: Vec::new(),
            };
            self.supersede(session, &item);
            self.items.push(item);
        }
    }

    /// Marks the items that `new` says anew. A question settles nothing.
    fn supersede(&mut self, session: &Session, new: &Item) {
        if new.rules() == ["open"] {
            return;
        }
        let from = self.items.len().saturating_sub(LOOKED_AT);
        for old in &mut self.items[from..] {
            let shared = old.stems.intersection(&new.stems).count();
            let share = shared as f64 / old.stems.len().max(1) as f64;
            let is_said_anew = old.at < new.at && shared >= 3 && share >= SAME;
            if is_said_anew && !matches!(old.state(session, new.at), State::Superseded(_)) {
                old.superseded.push((new.number, new.at));
            }
        }
    }

    /// The waiting questions that turn `number`, which has ended, answers.
    pub(super) fn answers(&self, log: &OpenLog, number: u32) -> Result<Vec<usize>, LogError> {
        let Some(id) = log.session.numbered(0, number) else { return Ok(Vec::new()) };
        let waiting = self.waiting(&log.session, number);
        if waiting.is_empty() || log.session.turn(id).role != Role::Assistant {
            return Ok(Vec::new());
        }
        let mut said = BTreeSet::new();
        for located in reading::texts(log, id, reading::RECORDS, |part| part.kind == PartKind::Text)? {
            words::each_stem(&located.text.text, |word, _| {
                said.insert(word.to_owned());
            });
        }
        let answered = |place: &usize| {
            let asked = &self.items[*place].stems;
            let shared = asked.intersection(&said).count();
            shared >= 2.min(asked.len()) && shared as f64 >= ANSWERS * asked.len() as f64
        };
        Ok(waiting.into_iter().filter(answered).collect())
    }

    /// The places of the questions that wait for an answer at turn `number`: those since the newest prompt of its branch.
    fn waiting(&self, session: &Session, number: u32) -> Vec<usize> {
        let is_here = |turn: u32| session.numbered(0, turn).is_some_and(|id| !is_left(session, id, number));
        let newest = self.prompts.iter().rev().find(|prompt| is_here(**prompt)).copied().unwrap_or(0);
        let since = self.items.iter().enumerate().rev().take_while(|(_, item)| item.at >= newest);
        let waits =
            |item: &Item| item.binding.open && is_here(item.at) && item.state(session, number) == State::Open;
        let mut places: Vec<usize> = since.filter(|(_, item)| waits(item)).map(|(place, _)| place).collect();
        places.reverse();
        places
    }

    /// Turn `number` has ended and answers these questions.
    pub(super) fn settle(&mut self, session: &Session, number: u32, answers: Vec<usize>) {
        for place in answers {
            self.items[place].answered.push(number);
        }
        let goes_on = session.goes_on_from(number) == session.numbered(0, number - 1);
        // What was left behind or taken back with this turn may be anywhere: counted anew then.
        let from = if goes_on && session.is_steady(number, number) { self.settled } else { (0, 0) };
        let fresh = self.items[from.1..].iter().filter(|item| !item.is_gone(session, number));
        self.settled = (from.0 + fresh.map(|item| u64::from(item.tokens)).sum::<u64>(), self.items.len());
    }
}
