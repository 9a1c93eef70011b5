//! What a session is made of: rows, turns, parts, threads.

use crate::formats::facts::{PartKind, Role};

use super::names::{NO_NAME, Name};
use super::previews::Preview;
use super::table::Table;

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
    /// Its type in its format's words: a number among the session's labels.
    pub(super) label: u16,
    /// What it turned out to be.
    pub kind: RowKind,
    pub(super) flags: u8,
}

impl Row {
    pub(super) const NOTHING: Self = Self {
        offset: 0,
        length: 0,
        line: 0,
        anchor: TurnId::NONE,
        label: u16::MAX,
        kind: RowKind::Malformed,
        flags: 0,
    };
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
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Its number in its thread, from 1.
    pub number: u32,
    /// Its thread's place in [`super::Session::threads`]; 0 is the main one.
    pub thread: u16,
    /// The branch it was made on, from 1 in its thread.
    pub branch: u16,
    /// Who speaks.
    pub role: Role,
    pub(super) flags: u8,
    pub(super) preview_rank: u8,
    pub(super) preview: Preview,
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
    /// Logged size of the context that its message was made from, or that was measured after it; 0 where nothing was
    /// logged.
    pub context: u32,
    /// Milliseconds since the epoch, of its first record; [`i64::MIN`] where none is logged.
    pub time: i64,
}

impl Turn {
    pub(super) const NOTHING: Self = Self {
        number: 0,
        thread: 0,
        branch: 0,
        role: Role::User,
        flags: 0,
        preview_rank: u8::MAX,
        preview: Preview { begin: 0, length: 0 },
        first_row: 0,
        last_row: 0,
        parts: (0, 0),
        prev: TurnId::NONE,
        step: 0,
        abandoned_at: NEVER,
        tokens: 0,
        context: 0,
        time: i64::MIN,
    };
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

    /// The step that it is a part of: an assistant message with the results of its calls.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Sets `flag` where `holds`.
    pub(super) fn set(&mut self, flag: u8, holds: bool) {
        self.flags |= flag * u8::from(holds);
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
    /// A compaction wrote it down again: it stands beside the summary, not in it.
    pub again: bool,
}

impl Part {
    pub(super) const NOTHING: Self = Self {
        row: u32::MAX,
        bytes: 0,
        tokens: 0,
        tool: NO_NAME,
        path: NO_NAME,
        pair: u32::MAX,
        index: 0,
        kind: PartKind::Other,
        voice: false,
        error: false,
        again: false,
    };
}

/// One line of conversation.
#[derive(Debug)]
pub struct Thread {
    /// Its name in addresses; empty for the main one.
    pub name: Box<str>,
    /// Its turns, in order of their numbers.
    pub turns: Table<TurnId, 1>,
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
