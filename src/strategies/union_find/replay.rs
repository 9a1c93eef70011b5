//! The cold forest of a session: which messages turned cold or left the path, and when.
//!
//! [`super::cut`] says what a message is. One that leaves the path while it is hot never turns cold; one that leaves it
//! later stays in its cluster. Takes messages in by their texts alone, on any thread; what it is asked costs what the
//! answer holds, whatever the forest holds.

use std::collections::HashMap;

use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::text::numbers::runs;

use super::super::blocks::originals::Originals;
use super::super::blocks::{planned, tokens_of};
use super::super::{ClusterEntry, Context, Entry, UNION_FIND};
use super::ColdForest;
use super::cut::{Arrival, Cutter, is_gone, numbered};
use super::forest::Stamp;
use super::settings::{Settings, Vectors};
use super::summaries;

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
    /// Estimated tokens of its turns.
    pub tokens: u64,
    /// When it left the hot window, and where to.
    pub left: Option<(Stamp, Left)>,
}

/// The cold forest of one log, as far as it was read.
#[derive(Clone, Debug)]
pub struct Replay {
    forest: ColdForest,
    messages: Vec<Message>,
    /// What each message says, to be read.
    originals: Vec<Originals>,
    /// Tokens of what each union made, by its place.
    tokens: Vec<u64>,
    begun: u32,
}

impl Replay {
    /// No message yet.
    pub fn new(forest: ColdForest) -> Self {
        Self { forest, messages: Vec::new(), originals: Vec::new(), tokens: Vec::new(), begun: 0 }
    }

    /// The forest of a log's first `last` turns.
    pub fn of(log: &OpenLog, settings: Settings, last: u32) -> Result<Self, LogError> {
        let mut texts = Vec::new();
        if settings.vectors == Vectors::Fitted {
            let mut cutter = Cutter::new(settings.hot);
            while let Some(arrival) = cutter.next(log, log.session.last()) {
                texts.push(arrival.text()?);
            }
        }
        let forest = ColdForest::fitted(settings, texts.iter().map(String::as_str));
        let mut replay = Self::new(forest);
        let mut cutter = Cutter::new(settings.hot);
        while let Some(arrival) = cutter.next(log, last) {
            let text = arrival.text()?;
            replay.take(arrival, &text);
        }
        replay.reach(cutter.begun());
        Ok(replay)
    }

    /// Takes in the next message, of which this text is counted.
    pub fn take(&mut self, arrival: Arrival, text: &str) {
        let Arrival { turns, came, tokens, dropped, originals } = arrival;
        self.forest.drop_hot(|message| dropped.contains(&message));
        for message in dropped {
            self.messages[message as usize].left = Some((came, Left::Dropped));
        }
        self.messages.push(Message { turns, came, tokens, left: None });
        self.originals.push(originals);
        let (_, cold) = self.forest.append(text, came);
        for node in cold {
            let message = self.forest.message(node);
            self.messages[message as usize].left = Some((came, Left::Cold(node)));
        }
        for place in self.tokens.len()..self.forest.forest().unions().len() {
            let union = self.forest.forest().unions()[place];
            // Who won it before, and what the loser had won: both are older.
            let before = |node: u32| {
                let won = self.forest.forest().won(node, Stamp::MAX);
                let older = won.partition_point(|won| (*won as usize) < place);
                let made = older.checked_sub(1).map(|last| self.tokens[won[last] as usize]);
                made.unwrap_or_else(|| self.message(node).tokens)
            };
            self.tokens.push(before(union.winner) + before(union.loser));
        }
        self.reach(came);
    }

    /// The messages that had come as of a turn, as they came.
    pub fn arrivals(&self, as_of: Stamp) -> Vec<Arrival> {
        let mut dropped: HashMap<Stamp, Vec<u32>> = HashMap::new();
        for (number, message) in (0..).zip(&self.messages) {
            if let Some((at, Left::Dropped)) = message.left {
                dropped.entry(at).or_default().push(number);
            }
        }
        let came = self.messages.partition_point(|message| message.came <= as_of);
        let messages = self.messages[..came].iter().zip(&self.originals);
        let arrival = |(message, originals): (&Message, &Originals)| Arrival {
            turns: message.turns,
            came: message.came,
            tokens: message.tokens,
            dropped: dropped.remove(&message.came).unwrap_or_default(),
            originals: originals.clone(),
        };
        messages.map(arrival).collect()
    }

    /// The forest alone.
    pub fn into_forest(self) -> ColdForest {
        self.forest
    }

    /// All turns up to this one were looked at.
    pub fn reach(&mut self, begun: u32) {
        self.begun = self.begun.max(begun);
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

    /// What a node's message says, to be read.
    pub fn originals(&self, node: u32) -> &Originals {
        &self.originals[self.forest.message(node) as usize]
    }

    /// The first turn of the oldest of a root's members as of a turn, and the last turn of the newest.
    pub fn span(&self, root: u32, as_of: Stamp) -> (u32, u32) {
        let (oldest, newest) = self.forest.ends(root, as_of);
        (self.message(oldest).turns.0, self.message(newest).turns.1)
    }

    /// Estimated tokens of a root's members as of a turn.
    pub fn tokens(&self, root: u32, as_of: Stamp) -> u64 {
        let made = self.forest.forest().made_by(root, as_of);
        made.map_or_else(|| self.message(root).tokens, |place| self.tokens[place as usize])
    }

    /// The number in the cluster's address: the first turn of its oldest member.
    pub fn name(&self, root: u32, as_of: Stamp) -> u32 {
        self.span(root, as_of).0
    }

    /// The number in the address that a root's cluster had before there was the union at a place.
    pub fn name_before(&self, root: u32, place: u32) -> u32 {
        self.message(self.forest.oldest_before(root, place)).turns.0
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
            entries.push(Entry::Cluster(Box::new(ClusterEntry { root, covers, tokens })));
        }
        let hot = self.hot(as_of).into_iter().filter(|message| !is_gone(session, message.turns.1, as_of));
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
        is_gone(session, self.message(node).turns.1, as_of)
    }
}

/// The turns of a message.
pub fn turns<'a>(session: &'a Session, message: &Message) -> impl Iterator<Item = TurnId> + use<'a> {
    numbered(session, message.turns)
}
