//! One lazy tree type for every view.
//!
//! A tree is asked, never built: how many children a node has, which one is the n-th, what it is called, which
//! turns it rests on, all as of a turn. The terminal, `pentimento tree` and the exports read the same answers, and
//! a node with a million children costs nothing until somebody looks at some of them.

pub mod audit;
pub mod blocks;
pub mod forest;
mod generations;
mod kind;
mod label;
mod labels;
mod parts;
mod paths;
pub mod receipts;
#[cfg(test)]
mod tests;
mod view;
mod window;

pub use kind::ViewKind;
pub use label::{Label, Mark, one_line};
pub use view::View;

use std::fmt::Debug;

use crate::session::TurnId;
use crate::session::open::OpenLog;
use crate::strategies::blocks::Made;

use audit::Audited;

/// A node of a tree. Small, and the same node names the same thing for as long as its log lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// The tree itself.
    Root,
    /// A recorded compaction.
    Generation(u32),
    /// A section of a generation's summary, from 0.
    Section(u32, u16),
    /// A sentence of a generation's summary, from 0.
    Sentence(u32, u32),
    /// Turns under one heading.
    Group(Group),
    /// A turn of the session.
    Turn(TurnId),
    /// A part of a turn, from 0.
    Part(TurnId, u32),
    /// A row that is no turn.
    Row(u32),
    /// A microcompaction, by its place among them.
    Clearing(u32),
    /// What fills the window, by its place: kinds first, then files.
    Share(u16),
    /// A thread of the session's own file, by its place.
    Thread(u16),
    /// A sub-agent with a file of its own, by its place.
    Agent(u16),
    /// A turn of such a sub-agent's main thread.
    AgentTurn(u16, TurnId),
    /// A part of such a turn.
    AgentPart(u16, TurnId, u32),
    /// A block or span.
    Made(Made),
    /// A summary below the top one of a block or span: its level from 1, and its place there.
    Piece(Made, u16, u16),
    /// A sentence of the summary of a block or span, from 0.
    MadeSentence(Made, u32),
    /// An item of the ledger.
    Item(u32),
    /// A cluster of the cold forest, by the node of its root.
    Cluster(u32),
    /// A union of clusters, by its place; below it stands what joined.
    Union(u32),
    /// Something wrong with a forest's file, by its place.
    Breach(u32),
    /// A member of a cluster of a forest's file: the cluster's place, and its own in it.
    Member(u32, u32),
    /// A turn that a person put into the ledger.
    Pinned(TurnId),
    /// What a stage pruned, by its place among the stages; behind them what the agent itself cleared.
    Stage(u8),
    /// The receipt of an event, by its place among all.
    Receipt(u32),
    /// Receipts that stand together, by the first of them.
    Receipts(u32),
    /// What superseded the event of a receipt.
    Cause(u32),
    /// What only the audit says.
    Audited(Audited),
}

/// A heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Turns kept word for word by the compaction that made the window.
    Kept,
    /// Turns in view since then.
    Since,
    /// What fills the window.
    Fill,
    /// What the model no longer sees.
    Out,
    /// Turns that a generation covers.
    Covered(u32),
    /// Turns that a generation kept.
    KeptBy(u32),
    /// Turns of its range on other branches.
    AbandonedIn(u32),
    /// Turns on other branches since the last compaction.
    Abandoned,
    /// Turns of earlier conversations in the same file.
    Earlier,
    /// Records that are no turns, behind a turn.
    Notes(TurnId),
    /// Sub-agents' threads.
    Threads,
    /// Turns of the whole session that a filter lets through.
    Matches,
    /// The pinned ledger.
    Ledger,
    /// The lines of the summary of a block or span.
    Lines(Made),
    /// Turns in no block or message yet.
    Open,
    /// How balanced the cold forest is.
    Health,
    /// The messages of the hot window.
    Hot,
    /// What a turn changed in the cold forest.
    Now,
    /// What somebody asked of the cold forest, and what a reader would get.
    Asked,
    /// What was pruned, by stage.
    Pruned,
    /// The compacted prompt.
    Prompt,
    /// What is neither in the prompt nor pruned.
    Beside,
}

/// A lazy tree.
pub trait Outline {
    /// How many children `node` has.
    fn count(&self, log: &OpenLog, node: Node) -> usize;
    /// Its child at `index`, below [`Outline::count`].
    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node>;
    /// Where `child` stands among the children of `node`.
    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize>;
    /// What it is called.
    fn label(&self, log: &OpenLog, node: Node) -> Label;
    /// The turns it rests on.
    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId>;
}

/// The tree of a view that shows something else than what the log records: what is replayed or worked out here.
///
/// A [`View`] asks it for everything but what stands under turns and notes, which is the same in every view.
pub trait OwnTree: Outline + Debug {
    /// Shows it as of turn `as_of`; the log may have grown.
    fn move_to(&mut self, log: &OpenLog, as_of: u32);
    /// The nodes from the root's child down to `node` itself. Empty where this tree does not show it.
    fn path_to(&self, log: &OpenLog, node: Node) -> Vec<Node>;
    /// The node to select where nothing else is, with the way down to it.
    fn newest(&self, log: &OpenLog) -> Vec<Node>;
}
