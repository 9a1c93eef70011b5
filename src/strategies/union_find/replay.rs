//! The cold forest of a session: which turns a message is, and when it comes, turns cold or leaves the path.
//!
//! A message is a turn of the main thread that has closed, an assistant's together with the results of its calls that
//! follow it; recorded summaries are left out. It comes with the turn that begins after it (in a conversation, which is
//! whole from the start, with its own turn). A message that leaves the path while it is hot never turns cold; one that
//! leaves it later stays in its cluster.
//!
//! What is counted of a message's text is bounded, so that no file an agent read fills a vector: all that was said up
//! to [`PROSE`] bytes a part, of a call its name and [`CALL`] bytes, of a result the first [`RESULT`] bytes and the last
//! [`RESULT_END`]. Reasoning is left out. What a reader is given is never cut like this.

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::text::LocatedText;
use crate::session::{Session, TurnId};
use crate::text::numbers::runs;
use crate::text::preview::floor;

use super::super::blocks::{planned, tokens_of};
use super::super::{Context, Entry, UNION_FIND};
use super::ColdForest;
use super::forest::Stamp;
use super::settings::{Settings, Vectors};
use super::summaries;

/// Bytes of one part of prose that are counted.
pub const PROSE: usize = 16 << 10;
/// Bytes of a call's arguments that are counted.
pub const CALL: usize = 1000;
/// Bytes of a result's beginning that are counted.
pub const RESULT: usize = 1000;
/// And of its end, where errors stand.
pub const RESULT_END: usize = 500;

/// What became of a message that is no longer hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It turned cold: its node.
    Cold(u32),
    /// It left the path.
    Dropped,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The numbers of its first and last turn.
    pub turns: (u32, u32),
    /// When it came.
    pub came: Stamp,
    /// When it left the hot window, and where to.
    pub left: Option<(Stamp, Left)>,
}

/// A message that goes on.
#[derive(Clone, Copy, Debug)]
struct Open {
    turns: (u32, u32),
    step: u32,
    /// It began with what the assistant or a tool said: results may follow.
    goes_on: bool,
}

/// The cold forest of one log, as far as it was read.
#[derive(Clone, Debug)]
pub struct Replay {
    forest: ColdForest,
    messages: Vec<Message>,
    open: Option<Open>,
    begun: u32,
}

impl Replay {
    /// The forest of a log's first `last` turns.
    pub fn of(log: &OpenLog, settings: Settings, last: u32) -> Result<Self, LogError> {
        let mut texts = Vec::new();
        if settings.vectors == Vectors::Fitted {
            let mut cutter = Cutter::default();
            while let Some(message) = cutter.next(&log.session, log.session.last()) {
                texts.push(text(log, message.turns)?);
            }
        }
        let forest = ColdForest::fitted(settings, texts.iter().map(String::as_str));
        let mut replay = Self { forest, messages: Vec::new(), open: None, begun: 0 };
        replay.advance(log, last)?;
        Ok(replay)
    }

    /// Takes in the turns up to `last` that have begun since. Work grows with them alone.
    pub fn advance(&mut self, log: &OpenLog, last: u32) -> Result<(), LogError> {
        let mut cutter = Cutter { open: self.open, begun: self.begun };
        while let Some(Cut { turns, came }) = cutter.next(&log.session, last) {
            let text = text(log, turns)?;
            self.come(&log.session, turns, &text, came);
            (self.open, self.begun) = (cutter.open, cutter.begun);
        }
        (self.open, self.begun) = (cutter.open, cutter.begun);
        Ok(())
    }

    fn come(&mut self, session: &Session, turns: (u32, u32), text: &str, came: Stamp) {
        let messages = &self.messages;
        let dropped = self.forest.drop_hot(|message| is_gone(session, &messages[message as usize], came));
        for message in dropped {
            self.messages[message as usize].left = Some((came, Left::Dropped));
        }
        self.messages.push(Message { turns, came, left: None });
        let (_, cold) = self.forest.append(text, came);
        for node in cold {
            let message = self.forest.message(node);
            self.messages[message as usize].left = Some((came, Left::Cold(node)));
        }
    }

    /// The forest.
    pub fn forest(&self) -> &ColdForest {
        &self.forest
    }

    /// The messages, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The newest turn that was looked at.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// The message of a node.
    pub fn message(&self, node: u32) -> &Message {
        &self.messages[self.forest.message(node) as usize]
    }

    /// The node of the message that holds a turn, if that is cold.
    pub fn node_of_turn(&self, number: u32) -> Option<u32> {
        let place = self.messages.partition_point(|message| message.turns.1 < number);
        let message = self.messages.get(place).filter(|message| message.turns.0 <= number)?;
        match message.left {
            Some((_, Left::Cold(node))) => Some(node),
            _ => None,
        }
    }

    /// The messages that were hot as of a turn, oldest first.
    pub fn hot(&self, as_of: Stamp) -> Vec<&Message> {
        let came = self.messages.partition_point(|message| message.came <= as_of);
        let gone = |message: &Message| message.left.filter(|(at, _)| *at <= as_of).map(|(_, left)| left);
        // Nothing that came before one that is cold is hot.
        let recent = self.messages[..came].iter().rev();
        let recent = recent.take_while(|message| !matches!(gone(message), Some(Left::Cold(_))));
        let mut hot: Vec<&Message> = recent.filter(|message| gone(message).is_none()).collect();
        hot.reverse();
        hot
    }

    /// The first turn behind all messages as of a turn: what stands there has not closed.
    pub fn first_open(&self, as_of: Stamp) -> u32 {
        let came = self.messages.partition_point(|message| message.came <= as_of);
        came.checked_sub(1).map_or(1, |last| self.messages[last].turns.1 + 1)
    }

    /// The messages of a root's members as of a turn, oldest first.
    pub fn members(&self, root: u32, as_of: Stamp) -> Vec<&Message> {
        let mut nodes = self.forest.forest().members(root, as_of);
        nodes.sort_unstable();
        nodes.into_iter().map(|node| self.message(node)).collect()
    }

    /// The turns of a root's members as of a turn, oldest first.
    pub fn turns(&self, session: &Session, root: u32, as_of: Stamp) -> Vec<TurnId> {
        self.members(root, as_of).into_iter().flat_map(|message| turns(session, message)).collect()
    }

    /// The number in the cluster's address: the first turn of its oldest member.
    pub fn name(&self, root: u32, as_of: Stamp) -> u32 {
        let oldest = self.forest.forest().members(root, as_of).into_iter().min();
        oldest.map_or(0, |node| self.message(node).turns.0)
    }

    /// What the model sees as of a turn, as long as it asks nothing: every cluster, the hot window, what is not yet a
    /// message. A cluster of one message is that message; tokens of the others are planned ones.
    pub fn context(&self, session: &Session, as_of: Stamp) -> Context {
        let as_of = as_of.min(self.begun);
        let mut entries = Vec::new();
        for root in self.forest.forest().roots(as_of) {
            let turns = self.turns(session, root, as_of);
            if self.forest.forest().size(root, as_of) == 1 {
                entries.extend(turns.into_iter().map(Entry::Turn));
                continue;
            }
            let originals = turns.iter().map(|id| tokens_of(session, *id)).sum();
            let covers = runs(turns.iter().map(|id| session.turn(*id).number));
            let tokens = u64::from(planned(summaries::BUDGET, originals));
            entries.push(Entry::Cluster { root, covers, tokens });
        }
        let hot = self.hot(as_of).into_iter().filter(|message| !is_gone(session, message, as_of));
        entries.extend(hot.flat_map(|message| turns(session, message)).map(Entry::Turn));
        let first = self.first_open(as_of);
        let on_path = session.line(session.head(as_of)).take_while(|id| session.turn(*id).number >= first);
        let stays = |id: &TurnId| {
            !session.turn(*id).is_summary() && session.withdrawn_at(*id).is_none_or(|at| at > as_of)
        };
        let mut open: Vec<Entry> = on_path.filter(stays).map(Entry::Turn).collect();
        open.reverse();
        entries.extend(open);
        let tokens = entries.iter().map(|entry| entry.tokens(session)).sum();
        Context { as_of, strategy: UNION_FIND, entries, tokens }
    }

    /// Whether the branch of a member was left as of a turn.
    pub fn is_abandoned(&self, session: &Session, node: u32, as_of: Stamp) -> bool {
        is_gone(session, self.message(node), as_of)
    }
}

/// The turns of a message.
pub fn turns<'a>(session: &'a Session, message: &Message) -> impl Iterator<Item = TurnId> + use<'a> {
    let (from, to) = message.turns;
    (from..=to).filter_map(|number| session.numbered(0, number))
}

fn is_gone(session: &Session, message: &Message, as_of: Stamp) -> bool {
    let Some(id) = session.numbered(0, message.turns.1) else { return true };
    session.is_abandoned(id, as_of) || session.withdrawn_at(id).is_some_and(|at| at <= as_of)
}

/// A message, found.
struct Cut {
    turns: (u32, u32),
    came: Stamp,
}

/// Cuts the main thread into messages.
#[derive(Default)]
struct Cutter {
    open: Option<Open>,
    begun: u32,
}

impl Cutter {
    /// The next message that closes with a turn up to `last`.
    fn next(&mut self, session: &Session, last: u32) -> Option<Cut> {
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
                    return Some(Cut { turns: open.turns, came: number });
                }
                self.open = Some(open);
            }
            if let Some(closed) = closed {
                return Some(Cut { turns: closed.turns, came: number });
            }
        }
        None
    }
}

/// What is counted of a message.
pub fn text(log: &OpenLog, turns: (u32, u32)) -> Result<String, LogError> {
    let mut text = String::new();
    for id in (turns.0..=turns.1).filter_map(|number| log.session.numbered(0, number)) {
        for located in log.texts(id)? {
            add(&mut text, &located);
        }
    }
    Ok(text)
}

fn add(out: &mut String, located: &LocatedText) {
    let text = &located.text.text;
    let mut push = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    match located.text.kind {
        PartKind::Text | PartKind::Other => push(floor(text, PROSE)),
        PartKind::ToolCall => {
            push(located.text.tool.as_deref().unwrap_or_default());
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
