//! The same tree for somebody who keeps it while the log grows: the screen.
//!
//! Shares the hierarchy with whoever lets it grow. What a frame asks costs the rows on the screen: nothing is read, and
//! what grows with the session (what the ledger comes to) is counted once for each turn that it is looked at as of.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::session::TurnId;
use crate::session::open::OpenLog;
use crate::strategies::blocks::Blocks;
use crate::strategies::blocks::summaries::Summaries;

use super::super::{Group, Label, Node, Outline, OwnTree};
use super::{BlocksView, LedgerSum};

/// A hierarchy and its summaries.
#[derive(Debug)]
pub struct Hierarchy {
    /// The hierarchy.
    pub blocks: Blocks,
    /// What was written of it.
    pub summaries: Summaries,
    /// How often marks were made by hand: counts that hang on them are stale then.
    pub marked: u64,
    /// What the ledger comes to, and in which state of it.
    ledger: Cell<Option<(State, LedgerSum)>>,
}

impl Hierarchy {
    /// Nothing marked and counted yet.
    pub fn new(blocks: Blocks, summaries: Summaries) -> Self {
        Self { blocks, summaries, marked: 0, ledger: Cell::new(None) }
    }

    /// What the ledger comes to as of turn `as_of`.
    pub fn ledger_sum(&self, log: &OpenLog, as_of: u32) -> LedgerSum {
        let state = (as_of, self.blocks.ledger().items(as_of).len(), self.marked);
        if let Some((_, sum)) = self.ledger.get().filter(|(known, _)| *known == state) {
            return sum;
        }
        let sum = LedgerSum::of(&self.blocks, log, as_of);
        self.ledger.set(Some((state, sum)));
        sum
    }
}

/// The tree of a hierarchy that others let grow.
#[derive(Debug)]
pub struct BlocksTree {
    shared: Rc<RefCell<Hierarchy>>,
    as_of: u32,
}

/// The turn it is as of, how many items there are, and how often marks were made.
type State = (u32, usize, u64);

impl BlocksTree {
    /// The tree as of turn `as_of`.
    pub fn new(shared: Rc<RefCell<Hierarchy>>, as_of: u32) -> Self {
        Self { shared, as_of }
    }

    fn with<T>(&self, log: &OpenLog, ask: impl FnOnce(&BlocksView) -> T) -> T {
        let shared = self.shared.borrow();
        let Hierarchy { blocks, summaries, .. } = &*shared;
        let ledger = Some(shared.ledger_sum(log, self.as_of));
        ask(&BlocksView { blocks, summaries: Some(summaries), as_of: self.as_of, plans: None, ledger })
    }
}

impl OwnTree for BlocksTree {
    fn move_to(&mut self, _: &OpenLog, as_of: u32) {
        self.as_of = as_of;
    }

    fn path_to(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        self.with(log, |view| view.path(log, node))
    }

    fn newest(&self, log: &OpenLog) -> Vec<Node> {
        let open = Node::Group(Group::Open);
        let last = self.count(log, open).checked_sub(1).and_then(|last| self.child(log, open, last));
        last.map_or_else(|| vec![open], |last| vec![open, last])
    }
}

impl Outline for BlocksTree {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        self.with(log, |view| view.count(log, node))
    }

    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node> {
        self.with(log, |view| view.child(log, node, index))
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        self.with(log, |view| view.position(log, node, child))
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        self.with(log, |view| view.label(log, node))
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        self.with(log, |view| view.sources(log, node))
    }
}
