//! The original turns that a summary is made from, ready to be read on any thread.
//!
//! Taken from the session, which stays where it is; it is small, since texts stay in the log. Reading needs it and the
//! log's bytes alone.

use std::sync::Arc;

use crate::formats::Format;
use crate::formats::facts::{PartKind, PartText, Role};
use crate::log::{LogError, Source};
use crate::session::open::OpenLog;
use crate::session::text::line;
use crate::session::{Row, TurnId};

use super::is_read;

/// Turns to be read, in order. Copies share what is known of each.
#[derive(Clone, Debug)]
pub struct Originals {
    bytes: Bytes,
    turns: Vec<Arc<Original>>,
}

/// The bytes of a log, and how its records are read.
#[derive(Clone, Debug)]
pub struct Bytes(Arc<(Source, Format)>);

impl Bytes {
    /// A log's.
    pub fn of(log: &OpenLog) -> Self {
        Self(Arc::new((log.source.clone(), log.session.format)))
    }
}

/// One of them.
#[derive(Debug)]
pub(super) struct Original {
    pub(super) number: u32,
    pub(super) role: Role,
    /// Estimated tokens of what a summary reads of it.
    pub(super) tokens: u64,
    rows: Vec<Row>,
    parts: Vec<Planned>,
}

/// A part of it.
#[derive(Debug)]
struct Planned {
    /// Which of the turn's rows holds it.
    row: usize,
    /// Its number in that record.
    part: u32,
    /// Its number in the turn.
    index: u32,
    tool: Option<Box<str>>,
    error: bool,
}

/// A part that was read.
#[derive(Debug)]
pub(in crate::strategies) struct ReadPart {
    /// Its number in the turn.
    pub(super) index: u32,
    pub(in crate::strategies) kind: PartKind,
    pub(in crate::strategies) tool: Option<String>,
    pub(super) error: bool,
    pub(in crate::strategies) text: String,
}

impl Originals {
    /// What is to be read for a summary of the turns `inputs`.
    pub fn of(log: &OpenLog, inputs: &[TurnId]) -> Self {
        Self::from(Bytes::of(log), log, inputs)
    }

    /// The same of a log whose bytes are at hand: many small ones share them.
    pub fn from(bytes: Bytes, log: &OpenLog, inputs: &[TurnId]) -> Self {
        Self { bytes, turns: inputs.iter().map(|id| Arc::new(original(log, *id))).collect() }
    }

    /// Several of one log as one, in this order; nothing where there are none.
    pub fn joined<'a>(mut all: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let mut joined = all.next()?.clone();
        joined.turns.extend(all.flat_map(|other| other.turns.iter().cloned()));
        Some(joined)
    }

    pub(super) fn turns(&self) -> &[Arc<Original>] {
        &self.turns
    }

    /// How many turns they are.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Reads what a summary gets of the turn at `place`. Reasoning and pictures are left out.
    pub(in crate::strategies) fn read(&self, place: usize) -> Result<Vec<ReadPart>, LogError> {
        let Some(turn) = self.turns.get(place) else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        for (number, row) in turn.rows.iter().enumerate() {
            let wanted = || turn.parts.iter().filter(|part| part.row == number);
            if wanted().next().is_none() {
                continue;
            }
            let (source, format) = &*self.bytes.0;
            let texts = format.texts(&line(source, row)?);
            let mut texts: Vec<Option<PartText>> = texts.into_iter().map(Some).collect();
            for part in wanted() {
                let Some(text) = texts.get_mut(part.part as usize).and_then(Option::take) else { continue };
                if is_read(text.kind) {
                    let tool = part.tool.as_deref().map(str::to_owned).or(text.tool);
                    let (index, error) = (part.index, part.error);
                    out.push(ReadPart { index, kind: text.kind, tool, error, text: text.text });
                }
            }
        }
        Ok(out)
    }
}

fn original(log: &OpenLog, id: TurnId) -> Original {
    let session = &log.session;
    let turn = session.turn(id);
    let (numbers, rows): (Vec<u32>, Vec<Row>) = session.rows_of(id).unzip();
    let planned = (0..).zip(session.parts(id)).filter_map(|(index, (_, part))| {
        let row = numbers.iter().position(|number| *number == part.row)?;
        let tool = session.named(part.tool).map(Into::into);
        Some(Planned { row, part: part.index, index, tool, error: part.error })
    });
    Original {
        number: turn.number,
        role: turn.role,
        tokens: super::tokens_of(session, id),
        parts: planned.collect(),
        rows,
    }
}
