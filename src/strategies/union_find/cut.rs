//! Which turns of a session are a message, when it comes, and which hot messages have left the path by then.
//!
//! A message is a turn of the main thread that has closed, an assistant's together with the results of its calls that
//! follow it; recorded summaries are left out. It comes with the turn that begins after it (in a conversation, which is
//! whole from the start, with its own turn). Needs the session, and is quick; what a message says is read from the log
//! afterwards, on any thread.
//!
//! What is counted of a message's text is bounded, so that no file an agent read fills a vector: all that was said up
//! to [`PROSE`] bytes a part, of a call its name and [`CALL`] bytes, of a result the first [`RESULT`] bytes and the last
//! [`RESULT_END`]. Reasoning is left out. What a reader is given is never cut like this.

use std::collections::VecDeque;

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::text::preview::floor;

use super::super::blocks::originals::{Bytes, Originals, ReadPart};
use super::forest::Stamp;

/// Bytes of one part of prose that are counted.
pub const PROSE: usize = 16 << 10;
/// Bytes of a call's arguments that are counted.
pub const CALL: usize = 1000;
/// Bytes of a result's beginning that are counted.
pub const RESULT: usize = 1000;
/// And of its end, where errors stand.
pub const RESULT_END: usize = 500;

/// A message that comes.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The numbers of its first and last turn.
    pub turns: (u32, u32),
    /// When it comes.
    pub came: Stamp,
    /// Estimated tokens of its turns.
    pub tokens: u64,
    /// The numbers of the messages that were hot and have left the path by then.
    pub dropped: Vec<u32>,
    /// What it says, to be read.
    pub originals: Originals,
}

impl Arrival {
    /// What is counted of it.
    pub fn text(&self) -> Result<String, LogError> {
        let mut text = String::new();
        for turn in 0..self.originals.len() {
            for part in self.originals.read(turn)? {
                add(&mut text, &part);
            }
        }
        Ok(text)
    }
}

/// A message that goes on.
#[derive(Clone, Copy, Debug)]
struct Open {
    turns: (u32, u32),
    step: u32,
    /// It began with what the assistant or a tool said: results may follow.
    goes_on: bool,
}

/// Cuts the main thread of a session that grows into messages.
#[derive(Clone, Debug)]
pub struct Cutter {
    /// Messages in the hot window.
    window: usize,
    open: Option<Open>,
    begun: u32,
    /// The hot messages, and the last turn of each.
    hot: VecDeque<(u32, u32)>,
    messages: u32,
    bytes: Option<Bytes>,
}

impl Cutter {
    /// Nothing cut yet; `window` messages are hot.
    pub fn new(window: u32) -> Self {
        Self { window: window as usize, open: None, begun: 0, hot: VecDeque::new(), messages: 0, bytes: None }
    }

    /// The newest turn that was looked at.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// How many messages were cut.
    pub fn messages(&self) -> u32 {
        self.messages
    }

    /// The next message that comes with a turn up to `last`. Work grows with its turns alone.
    pub fn next(&mut self, log: &OpenLog, last: u32) -> Option<Arrival> {
        let (turns, came) = self.cut(&log.session, last)?;
        let session = &log.session;
        let mut dropped = Vec::new();
        self.hot.retain(|(message, end)| {
            let gone = is_gone(session, *end, came);
            dropped.extend(gone.then_some(*message));
            !gone
        });
        self.hot.push_back((self.messages, turns.1));
        while self.hot.len() > self.window {
            self.hot.pop_front();
        }
        self.messages += 1;
        let ids: Vec<TurnId> = numbered(session, turns).collect();
        let tokens = ids.iter().map(|id| u64::from(session.turn(*id).tokens)).sum();
        let bytes = self.bytes.get_or_insert_with(|| Bytes::of(log)).clone();
        Some(Arrival { turns, came, tokens, dropped, originals: Originals::from(bytes, log, &ids) })
    }

    fn cut(&mut self, session: &Session, last: u32) -> Option<((u32, u32), Stamp)> {
        let whole = session.format.is_document();
        while self.begun < last.min(session.last()) {
            self.begun += 1;
            let number = self.begun;
            let Some(turn) = session.numbered(0, number).map(|id| session.turn(id)) else { continue };
            let goes_on = matches!(turn.role, Role::Assistant | Role::Tool);
            if let Some(open) = &mut self.open
                && open.goes_on
                && goes_on
                && open.step == turn.step()
                && open.turns.1 + 1 == number
            {
                open.turns.1 = number;
                continue;
            }
            let closed = self.open.take();
            if !turn.is_summary() {
                let open = Open { turns: (number, number), step: turn.step(), goes_on: goes_on && !whole };
                if whole {
                    return Some((open.turns, number));
                }
                self.open = Some(open);
            }
            if let Some(closed) = closed {
                return Some((closed.turns, number));
            }
        }
        None
    }
}

/// The turns of the main thread with these numbers.
pub fn numbered(session: &Session, (from, to): (u32, u32)) -> impl Iterator<Item = TurnId> + use<'_> {
    (from..=to).filter_map(|number| session.numbered(0, number))
}

/// Whether the message that ends with turn `end` has left the path as of a turn.
pub fn is_gone(session: &Session, end: u32, as_of: Stamp) -> bool {
    let Some(id) = session.numbered(0, end) else { return true };
    session.is_abandoned(id, as_of) || session.withdrawn_at(id).is_some_and(|at| at <= as_of)
}

fn add(out: &mut String, part: &ReadPart) {
    let text = &part.text;
    let mut push = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    match part.kind {
        PartKind::Text | PartKind::Other => push(floor(text, PROSE)),
        PartKind::ToolCall => {
            push(part.tool.as_deref().unwrap_or_default());
            push(floor(text, CALL));
        }
        PartKind::ToolResult if text.len() <= RESULT + RESULT_END => push(text),
        PartKind::ToolResult => {
            push(floor(text, RESULT));
            let mut from = text.len() - RESULT_END;
            while !text.is_char_boundary(from) {
                from += 1;
            }
            push(&text[from..]);
        }
        PartKind::Thinking | PartKind::Image | PartKind::Encrypted => {}
    }
}
