//! What a model sees: one [`Context`], whatever the strategy.
//!
//! Owns the ways to compact and what each leaves in view as of a turn. Knows no format and no screen. A context is
//! found from the path of its turn and from stamps, never by replaying: those of the session for [`context`], those
//! that [`blocks`], [`recursive`], [`context_gc`] and [`union_find`] set as they read along.

pub mod blocks;
pub mod context_gc;
pub mod costs;
pub mod fill;
mod full;
mod recorded;
pub mod recursive;
mod truncate;
pub mod union_find;

use std::fmt;
use std::str::FromStr;

use crate::session::{Session, TurnId};

use blocks::Made;

/// A way to compact that the session alone tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// What the agent itself did, as its log records it.
    Recorded,
    /// The newest turns only.
    Truncate(Limit),
    /// Every original turn of the branch.
    Full,
}

/// Where truncation cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many turns.
    Turns(u32),
    /// At most so many tokens, estimated.
    Tokens(u64),
}

/// Tokens a context may have where nobody says otherwise.
pub const BUDGET: u64 = 120_000;

/// The name of [`blocks`].
pub const BLOCKS: &str = "blocks";
/// The name of [`recursive`].
pub const RECURSIVE: &str = "recursive";
/// The name of [`union_find`].
pub const UNION_FIND: &str = "union-find";
/// The name of [`context_gc`].
pub const CONTEXT_GC: &str = "context-gc";
/// Names of the strategies of this build.
pub const NAMES: [&str; 7] = ["recorded", "truncate", "full", BLOCKS, RECURSIVE, UNION_FIND, CONTEXT_GC];

impl Strategy {
    /// Its name in JSON, on the command line and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Truncate(_) => "truncate",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "recorded" => Ok(Self::Recorded),
            "truncate" => Ok(Self::Truncate(Limit::Tokens(BUDGET))),
            "full" => Ok(Self::Full),
            _ => Err(format!("\"{text}\" is no strategy of this build: {}", NAMES.join(", "))),
        }
    }
}

/// One thing a model sees. Small, since a context that was never compacted holds every turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An original turn, whole.
    Turn(TurnId),
    /// A summary that stands for turns.
    Summary {
        /// Where its text is.
        turn: TurnId,
        /// Its generation: the compaction knows what it covers and how deep it is.
        generation: u32,
    },
    /// A turn that costs something else than in the session: parts of it are pruned, or it is a line of a trace.
    Said {
        /// The turn.
        turn: TurnId,
        /// What is in view of it.
        tokens: u32,
    },
    /// A stub that stands where the agent itself took a result out of view.
    Receipt {
        /// The turn that it stands for.
        target: TurnId,
    },
    /// Receipts that stand together in one line.
    Stubs(Box<StubsEntry>),
    /// A summary that was made here.
    Made(Box<MadeEntry>),
    /// A cluster of the cold forest, by a summary of its members.
    Cluster(Box<ClusterEntry>),
    /// The pinned ledger, word for word.
    Ledger(Box<LedgerEntry>),
}

/// Receipts of pruned events that stand together in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StubsEntry {
    /// The turn of the first of them.
    pub turn: TurnId,
    /// The events, by their places among all.
    pub items: Vec<u32>,
    /// What the line costs.
    pub tokens: u64,
}

/// A summary that was made here and stands for a run of turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeEntry {
    /// Which.
    pub made: Made,
    /// The first and last number of the turns it stands for.
    pub covers: (u32, u32),
    /// What it counts for, planned.
    pub tokens: u64,
}

/// A cluster of the cold forest that stands in a context by its summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterEntry {
    /// The root of its members.
    pub root: u32,
    /// The turns it stands for, as runs of numbers.
    pub covers: Vec<(u32, u32)>,
    /// What it counts for, planned.
    pub tokens: u64,
}

/// The pinned ledger as part of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The numbers of the items that are part of it.
    pub items: Vec<u32>,
    /// The turns that a person pinned.
    pub pinned: Vec<TurnId>,
    /// Their tokens.
    pub tokens: u64,
}

impl Entry {
    /// The turn of the log that it shows, or stands for; what was made here is in none.
    pub fn turn(&self) -> Option<TurnId> {
        match self {
            Self::Turn(turn)
            | Self::Summary { turn, .. }
            | Self::Said { turn, .. }
            | Self::Receipt { target: turn } => Some(*turn),
            Self::Stubs(stubs) => Some(stubs.turn),
            Self::Made(_) | Self::Cluster(_) | Self::Ledger(_) => None,
        }
    }

    /// The word in JSON and on the screen.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Turn(_) | Self::Said { .. } => "turn",
            Self::Summary { .. } | Self::Made(_) | Self::Cluster(_) => "summary",
            Self::Receipt { .. } | Self::Stubs(_) => "receipt",
            Self::Ledger(_) => "ledger",
        }
    }

    /// Estimated tokens.
    pub fn tokens(&self, session: &Session) -> u64 {
        match self {
            Self::Turn(turn) | Self::Summary { turn, .. } => u64::from(session.turn(*turn).tokens),
            Self::Said { tokens, .. } => u64::from(*tokens),
            Self::Receipt { .. } => RECEIPT_TOKENS,
            Self::Stubs(entry) => entry.tokens,
            Self::Made(entry) => entry.tokens,
            Self::Cluster(entry) => entry.tokens,
            Self::Ledger(entry) => entry.tokens,
        }
    }
}

/// What a stub such as "[Old tool result content cleared]" costs, estimated.
const RECEIPT_TOKENS: u64 = 7;

/// What a model sees after a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The number of the main thread's turn; 0 is before the first.
    pub as_of: u32,
    /// The name of the strategy.
    pub strategy: &'static str,
    /// In the order in which the model reads them.
    pub entries: Vec<Entry>,
    /// Estimated tokens of all entries.
    pub tokens: u64,
}

/// The context as of turn `as_of` of the main thread under `strategy`. Work grows with the entries and, for
/// [`Strategy::Full`] and a truncation, with the turns looked at. What [`context_gc`] prunes only a replay of the
/// session's texts tells; without one it prunes nothing.
pub fn context(session: &Session, strategy: Strategy, as_of: u32) -> Context {
    let entries = match (strategy, session.head(as_of)) {
        (_, None) => Vec::new(),
        (Strategy::Recorded, Some(turn)) => recorded::entries(session, turn, as_of),
        (Strategy::Truncate(limit), Some(turn)) => truncate::entries(session, turn, limit),
        (Strategy::Full, Some(turn)) => full::entries(session, turn),
    };
    let tokens = entries.iter().map(|entry| entry.tokens(session)).sum();
    Context { as_of, strategy: strategy.name(), entries, tokens }
}

/// What the agent itself leaves in view as of turn `as_of`, from its end: without a list of it.
pub fn recorded_newest_first(session: &Session, as_of: u32) -> impl Iterator<Item = Entry> {
    let head = session.head(as_of);
    head.into_iter().flat_map(move |turn| recorded::newest_first(session, turn, as_of))
}

#[cfg(test)]
mod tests;
