//! What the model holds, and the plain questions it answers.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::formats::Format;
use crate::formats::facts::{Id, PartKind, Role, Usage};

use super::compactions::{Clearing, Compaction, Pending};
use super::names::{NO_NAME, Name, Names};
use super::queue::Waiting;

/// A stamp that never comes.
pub const NEVER: u32 = u32::MAX;

/// A turn's place among all turns of its file, in file order. Not its number: that counts within its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnId(pub u32);

impl TurnId {
    pub(super) const NONE: Self = Self(u32::MAX);

    pub(super) fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

/// What a physical line turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A record of a turn.
    Turn,
    /// A record that is no turn.
    Note,
    /// A record that repeats a turn.
    Echo,
    /// No record at all.
    Malformed,
}

/// One non-blank physical line.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Where it begins in the log.
    pub offset: u64,
    /// Its length in bytes, without the newline.
    pub length: u32,
    /// Its number in the file, from 1.
    pub line: u32,
    /// The turn it belongs to or hangs on.
    pub(super) anchor: TurnId,
    /// Its type in its format's words.
    pub label: Name,
    /// What it turned out to be.
    pub kind: RowKind,
    pub(super) flags: u8,
}

impl Row {
    /// Its chain leads to a record that is not in the file.
    pub(super) const DANGLING: u8 = 1;
    /// It says that it has no parent.
    pub(super) const ROOT: u8 = 2;
    /// It was mended before it could be read.
    pub(super) const REPAIRED: u8 = 4;

    pub(super) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether bytes had to be replaced before the line could be read.
    pub fn is_repaired(&self) -> bool {
        self.is(Self::REPAIRED)
    }
}

/// One turn.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Its number in its thread, from 1.
    pub number: u32,
    /// Its thread's place in [`Session::threads`]; 0 is the main one.
    pub thread: u16,
    /// The branch it was made on, from 1 in its thread.
    pub branch: u16,
    /// Who speaks.
    pub role: Role,
    pub(super) flags: u8,
    pub(super) preview_rank: u8,
    /// First and last row of its records; rows of others may lie between.
    pub first_row: u32,
    /// See `first_row`.
    pub last_row: u32,
    pub(super) parts: (u32, u32),
    pub(super) prev: TurnId,
    pub(super) step: u32,
    /// The number of the turn at which it was abandoned; [`NEVER`] if it was not.
    pub abandoned_at: u32,
    /// Estimated tokens of its parts.
    pub tokens: u32,
    /// Logged size of the context its message was made from; 0 where nothing was logged.
    pub context: u32,
    pub(super) continues: TurnId,
    /// Milliseconds since the epoch, of its first record; [`i64::MIN`] where none is logged.
    pub time: i64,
    /// Its first words.
    pub preview: Box<str>,
}

impl Turn {
    /// A conversation begins with it.
    pub(super) const ROOT: u8 = 1;
    /// The record it hangs on is missing: it was put in file order.
    pub(super) const DANGLING: u8 = 2;
    /// Put in by the harness, not typed.
    pub(super) const INJECTED: u8 = 4;
    /// A prompt that waited in the queue.
    pub(super) const QUEUED: u8 = 8;
    /// A queued prompt that was taken back and never reached the model.
    pub(super) const WITHDRAWN: u8 = 16;
    /// It holds the user's own words inside a tool result.
    pub(super) const VOICE: u8 = 32;
    /// It holds a failed tool result.
    pub(super) const ERROR: u8 = 64;
    /// Parts of other turns stand between its own.
    pub(super) const MIXED: u8 = 128;

    pub(super) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether the harness put it in, rather than a person.
    pub fn is_injected(&self) -> bool {
        self.is(Self::INJECTED)
    }

    /// Whether it is a prompt that was typed while the agent worked.
    pub fn is_queued(&self) -> bool {
        self.is(Self::QUEUED)
    }

    /// Whether it was taken back before the model saw it.
    pub fn is_withdrawn(&self) -> bool {
        self.is(Self::WITHDRAWN)
    }

    /// Whether it carries the user's words inside a tool result.
    pub fn has_voice(&self) -> bool {
        self.is(Self::VOICE)
    }

    /// Whether a tool reported a failure in it.
    pub fn has_error(&self) -> bool {
        self.is(Self::ERROR)
    }

    /// Whether its first words are prose, rather than a call's arguments or reasoning.
    pub fn preview_is_text(&self) -> bool {
        self.preview_rank == 0
    }

    /// Whether a conversation of its own begins here.
    pub fn is_root(&self) -> bool {
        self.is(Self::ROOT)
    }

    /// Whether it was placed by file order because the record it hangs on is missing.
    pub fn is_dangling(&self) -> bool {
        self.is(Self::DANGLING)
    }
}

/// One non-empty content block of a turn's record.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The row of its record.
    pub row: u32,
    /// Bytes of its text.
    pub bytes: u32,
    /// Estimated tokens.
    pub tokens: u32,
    /// The tool's name, on calls and on results whose call is known.
    pub tool: Name,
    /// The file the call is about, likewise.
    pub path: Name,
    /// The other half of a call and its result: its place among all parts.
    pub(super) pair: u32,
    /// Its number among the parts of its record, from 0.
    pub index: u32,
    /// What it is.
    pub kind: PartKind,
    /// The user's own words are in it.
    pub voice: bool,
    /// A failed result.
    pub error: bool,
}

/// One line of conversation.
#[derive(Debug)]
pub struct Thread {
    /// Its name in addresses; empty for the main one.
    pub name: Box<str>,
    /// Its turns, in order of their numbers.
    pub turns: Vec<TurnId>,
    /// The call that started it, where that can be told.
    pub started_by: Option<TurnId>,
    /// Where paths fork, plus one.
    pub branches: u16,
    /// How many conversations begin in it.
    pub conversations: u32,
}

/// A record that repeats a turn.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// The record.
    pub row: u32,
    /// What it repeats.
    pub of: TurnId,
}

/// What is remembered of an API message.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) last_turn: TurnId,
    pub(super) step: u32,
    pub(super) usage: [u32; 4],
}

/// One log, read so far.
#[derive(Debug)]
pub struct Session {
    /// Its format.
    pub format: Format,
    pub(super) rows: Vec<Row>,
    /// The rows that belong to no turn, in file order.
    pub(super) others: Vec<u32>,
    pub(super) turns: Vec<Turn>,
    pub(super) parts: Vec<Part>,
    pub(super) threads: Vec<Thread>,
    pub(super) names: Names,
    pub(super) ids: HashMap<Id, u32>,
    pub(super) calls: HashMap<Id, u32>,
    pub(super) messages: HashMap<Id, Message>,
    pub(super) step_ends: Vec<TurnId>,
    pub(super) compactions: Vec<Compaction>,
    /// Each boundary's place among the compactions, and the size it logged: ids alone may be blanked out.
    pub(super) boundaries: HashMap<Id, (usize, Option<u64>)>,
    pub(super) pending: Option<Pending>,
    pub(super) clearings: Vec<Clearing>,
    pub(super) cleared: HashMap<TurnId, u32>,
    pub(super) revived: HashMap<TurnId, Vec<(u32, bool)>>,
    /// When prompts were taken back from the queue; a fork may have left them behind before that.
    pub(super) withdrawn: HashMap<TurnId, u32>,
    pub(super) echoes: Vec<Echo>,
    pub(super) malformed: Vec<(u32, Box<str>)>,
    pub(super) waiting: Waiting,
    pub(super) agents: Vec<(Box<str>, TurnId)>,
    pub(super) compaction_calls: HashMap<Id, Box<str>>,
    pub(super) main_agent: Option<Box<str>>,
    pub(super) open_task_calls: Vec<TurnId>,
    /// Names of record types, fields and blocks that this build does not know, and how often they occurred.
    pub unknown: BTreeMap<Box<str>, u64>,
    /// Session ids in order of appearance.
    pub session_ids: Vec<Box<str>>,
    /// The version of the agent that wrote the last record that names one.
    pub version: Option<Box<str>>,
    /// Models in order of appearance.
    pub models: Vec<Box<str>>,
    /// The session's title, the last one logged.
    pub title: Option<Box<str>>,
    /// Tokens charged, each message once, its last record counting.
    pub usage: Usage,
    /// Bytes of the log behind this model.
    pub bytes: u64,
    /// Built from the end of a log only: numbers of turns and lines are not known.
    pub partial: bool,
}

impl Session {
    /// An empty session.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            rows: Vec::new(),
            others: Vec::new(),
            turns: Vec::new(),
            parts: Vec::new(),
            threads: vec![Thread {
                name: "".into(),
                turns: Vec::new(),
                started_by: None,
                branches: 1,
                conversations: 0,
            }],
            names: Names::default(),
            ids: HashMap::new(),
            calls: HashMap::new(),
            messages: HashMap::new(),
            step_ends: Vec::new(),
            compactions: Vec::new(),
            boundaries: HashMap::new(),
            pending: None,
            clearings: Vec::new(),
            cleared: HashMap::new(),
            revived: HashMap::new(),
            withdrawn: HashMap::new(),
            echoes: Vec::new(),
            malformed: Vec::new(),
            waiting: Waiting::default(),
            agents: Vec::new(),
            compaction_calls: HashMap::new(),
            main_agent: None,
            open_task_calls: Vec::new(),
            unknown: BTreeMap::new(),
            session_ids: Vec::new(),
            version: None,
            models: Vec::new(),
            title: None,
            usage: Usage::default(),
            bytes: 0,
            partial: false,
        }
    }

    /// Non-blank lines, in file order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Turns of all threads, in file order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The threads; the main one first.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The main thread.
    pub fn main(&self) -> &Thread {
        &self.threads[0]
    }

    /// The turn `id`.
    pub fn turn(&self, id: TurnId) -> &Turn {
        &self.turns[id.0 as usize]
    }

    /// The turn with `number` in thread `thread`.
    pub fn numbered(&self, thread: usize, number: u32) -> Option<TurnId> {
        let index = number.checked_sub(1)? as usize;
        self.threads.get(thread)?.turns.get(index).copied()
    }

    /// The number of the newest turn of the main thread; 0 where there is none.
    pub fn last(&self) -> u32 {
        self.main().turns.len() as u32
    }

    /// The turn before `id` on its path.
    pub fn before(&self, id: TurnId) -> Option<TurnId> {
        self.turn(id).prev.some()
    }

    /// The earlier turn of the same message that `id` continues.
    pub fn continues(&self, id: TurnId) -> Option<TurnId> {
        self.turn(id).continues.some()
    }

    /// The parts of a turn, with their places among all parts.
    pub fn parts(&self, id: TurnId) -> impl Iterator<Item = (u32, &Part)> {
        let (from, to) = self.turn(id).parts;
        (from..to)
            .map(|place| (place, &self.parts[place as usize]))
            .filter(move |(_, part)| self.rows[part.row as usize].anchor == id)
    }

    /// How many parts a turn has.
    pub fn part_count(&self, id: TurnId) -> usize {
        let turn = self.turn(id);
        if turn.is(Turn::MIXED) { self.parts(id).count() } else { (turn.parts.1 - turn.parts.0) as usize }
    }

    /// The part at `index` of a turn, and its place among all parts.
    pub fn nth_part(&self, id: TurnId, index: usize) -> Option<(u32, &Part)> {
        let turn = self.turn(id);
        if turn.is(Turn::MIXED) {
            return self.parts(id).nth(index);
        }
        let place = turn.parts.0.checked_add(u32::try_from(index).ok()?)?;
        (place < turn.parts.1).then(|| (place, self.part(place)))
    }

    /// The part at `place`.
    pub fn part(&self, place: u32) -> &Part {
        &self.parts[place as usize]
    }

    /// The other half of a call and its result.
    pub fn pair(&self, part: &Part) -> Option<(u32, &Part)> {
        self.parts.get(part.pair as usize).map(|pair| (part.pair, pair))
    }

    /// The turn that a part belongs to.
    pub fn turn_of(&self, part: &Part) -> TurnId {
        self.rows[part.row as usize].anchor
    }

    /// The rows of a turn's own records.
    pub fn rows_of(&self, id: TurnId) -> impl Iterator<Item = (u32, &Row)> {
        let turn = self.turn(id);
        (turn.first_row..=turn.last_row)
            .map(|row| (row, &self.rows[row as usize]))
            .filter(move |(_, row)| row.kind == RowKind::Turn && row.anchor == id)
    }

    /// The turn that a row belongs to; of a note, the turn it hangs on.
    pub fn anchor(&self, row: u32) -> Option<TurnId> {
        self.rows.get(row as usize)?.anchor.some()
    }

    /// The row of a physical line.
    pub fn row_of_line(&self, line: u32) -> Option<u32> {
        self.rows.binary_search_by_key(&line, |row| row.line).ok().map(|row| row as u32)
    }

    /// The row whose line holds the byte at `offset`.
    pub fn row_at(&self, offset: u64) -> Option<u32> {
        let after = self.rows.partition_point(|row| row.offset <= offset);
        after.checked_sub(1).map(|row| row as u32)
    }

    /// A name's text.
    pub fn name(&self, name: Name) -> &str {
        self.names.text(name)
    }

    /// A name's text, or nothing where there is no name.
    pub fn named(&self, name: Name) -> Option<&str> {
        (name != NO_NAME).then(|| self.names.text(name))
    }

    /// Recorded compactions in order; generation n is at n − 1.
    pub fn compactions(&self) -> &[Compaction] {
        &self.compactions
    }

    /// The compaction with this generation.
    pub fn generation(&self, generation: u32) -> Option<&Compaction> {
        self.compactions.get(generation.checked_sub(1)? as usize)
    }

    /// The compaction whose summary is the turn `id`.
    pub fn compaction_of(&self, id: TurnId) -> Option<&Compaction> {
        if self.turn(id).role != Role::Summary {
            return None;
        }
        self.compactions.iter().find(|compaction| compaction.summary == Some(id))
    }

    /// The newest compaction whose summary is at or before turn `number` of the main thread.
    pub fn compaction_before(&self, number: u32) -> Option<&Compaction> {
        let is_before = |compaction: &&Compaction| {
            compaction.summary.is_some_and(|id| self.turn(id).thread == 0 && self.turn(id).number <= number)
        };
        self.compactions.iter().rev().find(is_before)
    }

    /// Microcompactions in order.
    pub fn clearings(&self) -> &[Clearing] {
        &self.clearings
    }

    /// The number of the turn after which the results in turn `id` were cleared, where all of them were.
    pub fn cleared_at(&self, id: TurnId) -> Option<u32> {
        self.cleared.get(&id).copied()
    }

    /// The number of the turn after which turn `id` was taken back from the queue, if it was.
    pub fn withdrawn_at(&self, id: TurnId) -> Option<u32> {
        self.withdrawn.get(&id).copied()
    }

    /// Records that repeat turns.
    pub fn echoes(&self) -> &[Echo] {
        &self.echoes
    }

    /// Malformed lines and why they are.
    pub fn malformed(&self) -> &[(u32, Box<str>)] {
        &self.malformed
    }

    /// Why `row` is malformed, if it is.
    pub fn malformed_reason(&self, row: u32) -> Option<&str> {
        let at = self.malformed.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        Some(&self.malformed[at].1)
    }

    /// Sub-agents named by results, with the turn of the result.
    pub fn agents(&self) -> &[(Box<str>, TurnId)] {
        &self.agents
    }

    /// Rows between two turns of one thread that are no turns: what lies after `id` and before the next turn.
    pub fn rows_after(&self, id: TurnId) -> Range<u32> {
        let turn = self.turn(id);
        let next = self.numbered(turn.thread as usize, turn.number + 1);
        let end = next.map_or(self.rows.len() as u32, |next| self.turn(next).first_row);
        turn.last_row + 1..end.max(turn.last_row + 1)
    }

    /// Those rows behind a turn that belong to no turn of any thread.
    pub fn notes_after(&self, id: TurnId) -> &[u32] {
        let rows = self.rows_after(id);
        let at = |row: u32| self.others.partition_point(|other| *other < row);
        &self.others[at(rows.start)..at(rows.end)]
    }

    /// The logged size of the context as of turn `number` of the main thread, and the turn that logged it: the
    /// newest closed assistant turn on the path. Nothing where none was logged since the compaction before it.
    pub fn context_size(&self, number: u32) -> Option<(u32, TurnId)> {
        let mut at = self.numbered(0, number)?;
        loop {
            let turn = self.turn(at);
            if turn.context > 0 {
                return Some((turn.context, at));
            }
            if turn.role == Role::Summary {
                return None;
            }
            at = turn.prev.some()?;
        }
    }

    /// The size of the model's window in tokens, and whether it was logged: Claude Code logs none, so it is taken
    /// to be 200,000, or a million where more than 200,000 tokens were in use or the model's name says so.
    pub fn window(&self) -> (u32, bool) {
        const USUAL: u32 = 200_000;
        const LARGE: u32 = 1_000_000;
        let named = self.models.iter().any(|model| model.contains("[1m]"));
        let used = self.largest_context() > USUAL;
        (if named || used { LARGE } else { USUAL }, false)
    }

    /// The largest context logged, looking only where it can be: before each compaction and at the end.
    fn largest_context(&self) -> u32 {
        let before = self.compactions.iter().filter_map(|c| c.tokens_before).max().unwrap_or(0);
        let now = self.context_size(self.last()).map_or(0, |(tokens, _)| tokens);
        now.max(u32::try_from(before).unwrap_or(u32::MAX))
    }
}
