//! What the model holds, and the plain questions it answers.

use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::HashMap;

use crate::formats::Format;
use crate::formats::facts::{Header, Id, Role, Said, Usage};

use super::compactions::{Clearing, Compaction, Pending};
use super::names::{NO_NAME, Name, Names};
use super::notes::{Notes, place};
use super::packed::{Parts, Turns};
use super::previews::Previews;
use super::queue::Waiting;
use super::rows::Rows;
use super::table::Table;
use super::turns::{Echo, Part, Row, RowKind, Thread, Turn, TurnId};
use super::twins::Twins;

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
    pub(super) rows: Rows,
    /// The rows that belong to no turn, in file order.
    pub(super) others: Table<u32, 1>,
    pub(super) turns: Turns,
    pub(super) previews: Previews,
    pub(super) parts: Parts,
    pub(super) threads: Vec<Thread>,
    pub(super) names: Names,
    /// The types of records, apart from the names: they are few, and every row has one.
    pub(super) labels: Names,
    pub(super) ids: HashMap<Id, u32>,
    pub(super) calls: HashMap<Id, u32>,
    /// Calls, by their places, whose first result is not the part they are paired with: it said nothing, or came twice.
    pub(super) answered: HashMap<u32, TurnId>,
    pub(super) messages: HashMap<Id, Message>,
    /// The newest turn of every step.
    pub(super) step_ends: Table<TurnId, 1>,
    pub(super) compactions: Vec<Compaction>,
    /// Each boundary's place among the compactions, and the size it logged: ids alone may be blanked out.
    pub(super) boundaries: HashMap<Id, (usize, Option<u64>)>,
    pub(super) pending: Option<Pending>,
    pub(super) clearings: Vec<Clearing>,
    pub(super) cleared: HashMap<TurnId, u32>,
    /// Turns of a message that another turn began, and that turn.
    pub(super) continues: HashMap<TurnId, TurnId>,
    pub(super) revived: HashMap<TurnId, Vec<(u32, bool)>>,
    /// When prompts were taken back from the queue; a fork may have left them behind before that.
    pub(super) withdrawn: HashMap<TurnId, u32>,
    /// Turns that were ever left behind or taken back, as they were.
    pub(super) left: Vec<TurnId>,
    /// Where messages were said that a compaction may keep a copy of.
    pub(super) said: HashMap<Said, Vec<TurnId>>,
    /// Messages that are written twice, until their twins come or somebody else speaks.
    pub(super) twins: Twins,
    /// Records that repeat turns and hang elsewhere: the others hang on what they repeat.
    pub(super) delivered: Vec<Echo>,
    /// Rewinds of the main thread: after which turn each happened, and the turn that the path goes on from.
    pub(super) rewinds: Vec<(u32, TurnId)>,
    /// Turns that sum up a branch, and the turn in which that branch ended.
    pub(super) branch_summaries: Vec<(TurnId, TurnId)>,
    /// Rows that name a record which did not stand before them, and its id.
    pub(super) lost: Vec<(u32, Id)>,
    /// Tokens charged so far as the log counts them, and what earlier runs of the counter had come to.
    pub(super) metered: (Usage, Usage),
    /// The size of the model's window, where it was logged.
    pub(super) window: Option<u32>,
    /// Where the session comes from, as its first header says.
    pub(super) header: Option<Box<Header>>,
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
    /// The directory the agent worked in, the first one logged.
    pub project: Option<Box<str>>,
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
            rows: Rows::default(),
            others: Table::default(),
            turns: Turns::default(),
            previews: Previews::default(),
            parts: Parts::default(),
            threads: vec![Thread {
                name: "".into(),
                turns: Table::default(),
                started_by: None,
                branches: 1,
                conversations: 0,
            }],
            names: Names::default(),
            labels: Names::default(),
            ids: HashMap::default(),
            calls: HashMap::default(),
            answered: HashMap::default(),
            messages: HashMap::default(),
            step_ends: Table::default(),
            compactions: Vec::new(),
            boundaries: HashMap::default(),
            pending: None,
            clearings: Vec::new(),
            cleared: HashMap::default(),
            continues: HashMap::default(),
            revived: HashMap::default(),
            withdrawn: HashMap::default(),
            left: Vec::new(),
            said: HashMap::default(),
            twins: Twins::default(),
            delivered: Vec::new(),
            rewinds: Vec::new(),
            branch_summaries: Vec::new(),
            lost: Vec::new(),
            metered: (Usage::default(), Usage::default()),
            window: None,
            header: None,
            malformed: Vec::new(),
            waiting: Waiting::default(),
            agents: Vec::new(),
            compaction_calls: HashMap::default(),
            main_agent: None,
            open_task_calls: Vec::new(),
            unknown: BTreeMap::new(),
            session_ids: Vec::new(),
            version: None,
            project: None,
            models: Vec::new(),
            title: None,
            usage: Usage::default(),
            bytes: 0,
            partial: false,
        }
    }

    /// Non-blank lines, in file order.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The row with this number, from 0; of a number that there is not, a line of no bytes that is no record.
    pub fn row(&self, row: u32) -> Row {
        self.rows.get(row).unwrap_or(Row::NOTHING)
    }

    /// Turns of all threads, in file order.
    pub fn turns(&self) -> &Turns {
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

    /// The turn `id`; of an id that there is not, a turn of nothing.
    pub fn turn(&self, id: TurnId) -> Turn {
        self.turns.get(id.0).unwrap_or(Turn::NOTHING)
    }

    /// The first words of a turn.
    pub fn preview(&self, turn: &Turn) -> String {
        self.previews.get(turn.preview)
    }

    /// The turn with `number` in thread `thread`.
    pub fn numbered(&self, thread: usize, number: u32) -> Option<TurnId> {
        self.threads.get(thread)?.turns.get(number.checked_sub(1)?)
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
        self.continues.get(&id).copied()
    }

    /// The parts of a turn, with their places among all parts.
    pub fn parts(&self, id: TurnId) -> impl Iterator<Item = (u32, Part)> {
        let (from, to) = self.turn(id).parts;
        (from..to)
            .map(|place| (place, self.part(place)))
            .filter(move |(_, part)| self.rows.anchor(part.row) == id)
    }

    /// How many parts a turn has.
    pub fn part_count(&self, id: TurnId) -> usize {
        let turn = self.turn(id);
        if turn.is(Turn::MIXED) { self.parts(id).count() } else { (turn.parts.1 - turn.parts.0) as usize }
    }

    /// The part at `index` of a turn, and its place among all parts.
    pub fn nth_part(&self, id: TurnId, index: usize) -> Option<(u32, Part)> {
        let turn = self.turn(id);
        if turn.is(Turn::MIXED) {
            return self.parts(id).nth(index);
        }
        let place = turn.parts.0.checked_add(u32::try_from(index).ok()?)?;
        (place < turn.parts.1).then(|| (place, self.part(place)))
    }

    /// The part at `place`; of a place that there is not, a part of nothing.
    pub fn part(&self, place: u32) -> Part {
        self.parts.get(place).unwrap_or(Part::NOTHING)
    }

    /// The other half of a call and its result.
    pub fn pair(&self, part: &Part) -> Option<(u32, Part)> {
        self.parts.get(part.pair).map(|pair| (part.pair, pair))
    }

    /// The turn in which the call at `place` got its first result, a silent one included.
    pub fn answered_by(&self, place: u32) -> Option<TurnId> {
        let first = self.answered.get(&place).copied();
        first.or_else(|| self.pair(&self.part(place)).map(|(_, result)| self.turn_of(&result)))
    }

    /// The step that a turn is a part of: an assistant message with the results of its calls.
    pub fn step(&self, id: TurnId) -> u32 {
        self.turn(id).step
    }

    /// The turn that a part belongs to.
    pub fn turn_of(&self, part: &Part) -> TurnId {
        self.rows.anchor(part.row)
    }

    /// The rows of a turn's own records.
    pub fn rows_of(&self, id: TurnId) -> impl Iterator<Item = (u32, Row)> {
        let turn = self.turn(id);
        (turn.first_row..=turn.last_row)
            .filter(move |row| self.rows.anchor(*row) == id && self.rows.kind(*row) == Some(RowKind::Turn))
            .filter_map(|row| Some((row, self.rows.get(row)?)))
    }

    /// The turn that a row belongs to; of a note, the turn it hangs on.
    pub fn anchor(&self, row: u32) -> Option<TurnId> {
        self.rows.anchor(row).some()
    }

    /// The row of a physical line.
    pub fn row_of_line(&self, line: u32) -> Option<u32> {
        self.rows.of_line(line)
    }

    /// The row whose line holds the byte at `offset`.
    pub fn row_at(&self, offset: u64) -> Option<u32> {
        self.rows.begun_by(offset).checked_sub(1)
    }

    /// The type of a row's record, in its format's words.
    pub fn label(&self, row: &Row) -> &str {
        self.labels.text(Name(u32::from(row.label)))
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

    /// The first turn that a compaction replaced; an older summary only where it replaced nothing else.
    pub fn first_covered(&self, generation: u32) -> Option<TurnId> {
        let covers = &self.generation(generation)?.covers;
        let numbers = covers.iter().flat_map(|(from, to)| *from..=*to);
        let mut turns = numbers.filter_map(|number| self.numbered(0, number)).peekable();
        let first = turns.peek().copied();
        turns.find(|id| !self.turn(*id).is_summary()).or(first)
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

    /// How many prompts were taken back from the queue so far.
    pub fn withdrawals(&self) -> usize {
        self.withdrawn.len()
    }

    /// Where the path of the main thread ends as of turn `number`: that turn, or the one that a rewind right after it
    /// went back to. Nothing where there is no such turn or a rewind left none.
    pub fn head(&self, number: u32) -> Option<TurnId> {
        let rewound =
            self.rewinds.iter().rev().take_while(|(at, _)| *at >= number).find(|(at, _)| *at == number);
        match rewound {
            Some((_, to)) => to.some(),
            None => self.numbered(0, number),
        }
    }

    /// Turns that sum up a branch which was left, each with the turn in which the branch ended.
    pub fn branch_summaries(&self) -> &[(TurnId, TurnId)] {
        &self.branch_summaries
    }

    /// Where the session comes from, where its log says so.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_deref()
    }

    /// Records that repeat turns, in file order. Work grows with the rows.
    pub fn echoes(&self) -> impl Iterator<Item = Echo> {
        let rows = (0..).zip(self.rows.kinds()).filter(|(_, kind)| *kind == RowKind::Echo);
        rows.filter_map(|(row, _)| Some(Echo { row, of: self.echo_of(row)? }))
    }

    /// The turn that a record repeats, if it repeats one.
    pub fn echo_of(&self, row: u32) -> Option<TurnId> {
        if self.rows.kind(row) != Some(RowKind::Echo) {
            return None;
        }
        let at = self.delivered.binary_search_by_key(&row, |echo| echo.row);
        Some(at.map_or_else(|_| self.rows.anchor(row), |at| self.delivered[at].of))
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
    pub fn notes_after(&self, id: TurnId) -> Notes<'_> {
        let rows = self.rows_after(id);
        Notes { all: &self.others, places: place(&self.others, rows.start)..place(&self.others, rows.end) }
    }
}
