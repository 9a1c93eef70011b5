//! The block hierarchy as a tree: the ledger, spans with their levels, blocks, open turns.
//!
//! All of it but the turns is replayed. Asks the strategy for what there is and the summaries for what was written;
//! writes nothing itself, and lists nothing: where a child stands is counted.

mod labels;
mod own;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::session::TurnId;
use crate::session::open::OpenLog;
use crate::strategies::blocks::levels::Plan;
use crate::strategies::blocks::originals::Originals;
use crate::strategies::blocks::summaries::{Summaries, Written};
use crate::strategies::blocks::{Block, Blocks, Made, Retention, Span, State};

use super::{Group, Label, Node, Outline, parts};

pub use own::{BlocksTree, Hierarchy};

/// The tree of a block hierarchy as of a turn.
#[derive(Debug)]
pub struct BlocksView<'a> {
    /// The hierarchy.
    pub blocks: &'a Blocks,
    /// What was written of it, if anything.
    pub summaries: Option<&'a Summaries>,
    /// The number of the main thread's turn it is as of.
    pub as_of: u32,
    /// How summaries are made; nothing where that is only told of those that were written, since the log would have to
    /// be read.
    plans: Option<RefCell<HashMap<Made, Option<Rc<Plan>>>>>,
    /// What the ledger comes to, where that was counted already.
    ledger: Option<LedgerSum>,
}

/// What a ledger comes to as of a turn. Counting looks at every item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSum {
    /// Estimated tokens of what is part of the context.
    pub tokens: u64,
    /// Items that were answered.
    pub answered: usize,
    /// Items that a newer one supersedes.
    pub superseded: usize,
}

impl LedgerSum {
    /// Counts.
    pub fn of(blocks: &Blocks, log: &OpenLog, as_of: u32) -> Self {
        let mut sum = Self { tokens: blocks.ledger_tokens(&log.session, as_of), ..Self::default() };
        for item in blocks.ledger().items(as_of) {
            match item.state(&log.session, as_of) {
                State::Open => {}
                State::Answered(_) => sum.answered += 1,
                State::Superseded(_) => sum.superseded += 1,
            }
        }
        sum
    }
}

/// The name of the view on the command line.
pub const NAME: &str = "blocks";

impl<'a> BlocksView<'a> {
    /// The tree as of turn `as_of`.
    pub fn new(blocks: &'a Blocks, summaries: Option<&'a Summaries>, as_of: u32) -> Self {
        Self { blocks, summaries, as_of, plans: Some(RefCell::default()), ledger: None }
    }

    /// What was written for a block or span.
    pub fn written(&self, made: Made) -> Option<&Arc<Written>> {
        self.summaries?.known(self.blocks, made)?.as_ref().ok()
    }

    /// How its summary is made; nothing where the log cannot be read.
    pub fn plan(&self, log: &OpenLog, made: Made) -> Option<Rc<Plan>> {
        let plans = self.plans.as_ref()?;
        if let Some(plan) = plans.borrow().get(&made) {
            return plan.clone();
        }
        let plan = match self.written(made) {
            Some(written) => Some(Rc::new(written.plan.clone())),
            None if self.is_frozen() => None,
            None => {
                let inputs = self.blocks.inputs(&log.session, made);
                let window = self.blocks.settings().window;
                let originals = Originals::of(log, &inputs);
                Plan::new(&originals, window, self.blocks.budget(made)).ok().map(Rc::new)
            }
        };
        plans.borrow_mut().insert(made, plan.clone());
        plan
    }

    /// What `ask` says of how its summary is made.
    fn of_plan<T>(&self, log: &OpenLog, made: Made, ask: impl FnOnce(&Plan) -> T) -> Option<T> {
        match (&self.plans, self.written(made)) {
            (_, Some(written)) => Some(ask(&written.plan)),
            (Some(_), None) => self.plan(log, made).map(|plan| ask(&plan)),
            (None, None) => None,
        }
    }

    /// Whether the originals of closed blocks are not kept.
    pub fn is_frozen(&self) -> bool {
        self.blocks.settings().retention == Retention::CurrentBlock
    }

    /// Turns of a block that were left behind after it closed.
    pub fn abandoned(&self, log: &OpenLog, block: &Block) -> Vec<u32> {
        let inputs = self.blocks.inputs(&log.session, Made::Block(block.number));
        let left = inputs.into_iter().filter(|id| log.session.is_abandoned(*id, self.as_of));
        left.map(|id| log.session.turn(id).number).collect()
    }

    /// What stands under `node`, as runs of nodes that can be counted.
    fn runs(&self, log: &OpenLog, node: Node) -> Vec<Run> {
        match node {
            Node::Root => self.root(log),
            Node::Group(Group::Ledger) => {
                let ledger = self.blocks.ledger();
                let pinned = ledger.pinned(&log.session, self.as_of).len();
                vec![Run::Pinned(pinned as u32), Run::Items(ledger.items(self.as_of).len() as u32)]
            }
            Node::Group(Group::Open) => vec![turns(self.blocks.open_range(self.as_of))],
            Node::Group(Group::Lines(made)) => {
                vec![Run::Lines(made, self.written(made).map_or(0, |written| written.sentences.len() as u32))]
            }
            Node::Made(made) => self.under_made(log, made),
            Node::Piece(made, 1, index) => {
                let range = self.of_plan(log, made, |plan| plan.turns(1, usize::from(index)));
                range.map(turns).into_iter().collect()
            }
            Node::Piece(made, level, index) => {
                let below =
                    self.of_plan(log, made, |plan| plan.below(usize::from(level), usize::from(index)));
                let below = below.unwrap_or(0..0);
                vec![Run::Pieces(made, level - 1, below.start as u16, below.len() as u32)]
            }
            _ => Vec::new(),
        }
    }

    fn root(&self, log: &OpenLog) -> Vec<Run> {
        let ledger = self.blocks.ledger();
        let has_ledger =
            !ledger.items(self.as_of).is_empty() || !ledger.pinned(&log.session, self.as_of).is_empty();
        let spans = self.blocks.spans(self.as_of);
        let in_view = spans.last();
        let replaced = in_view.map_or(0, |span| span.blocks);
        let one = |node: Node| Run::One(node);
        let mut runs: Vec<Run> = Vec::new();
        runs.extend(has_ledger.then(|| one(Node::Group(Group::Ledger))));
        runs.extend(in_view.map(|span: &Span| one(Node::Made(Made::Span(span.number)))));
        runs.push(Run::Blocks(replaced + 1, self.blocks.closed(self.as_of).len() as u32 - replaced));
        runs.push(one(Node::Group(Group::Open)));
        // Spans that were replaced by longer ones, newest first.
        runs.push(Run::Spans((spans.len() as u32).saturating_sub(1)));
        runs
    }

    fn under_made(&self, log: &OpenLog, made: Made) -> Vec<Run> {
        let mut runs = Vec::new();
        runs.extend(self.written(made).map(|_| Run::One(Node::Group(Group::Lines(made)))));
        // The summaries that its own joins, where originals exceed the summariser's window.
        let level = self.of_plan(log, made, |plan| (plan.joins.len(), plan.size(plan.joins.len())));
        runs.extend(level.map(|(level, size)| Run::Pieces(made, level as u16, 0, size as u32)));
        match made {
            Made::Block(number) if !self.is_frozen() => {
                runs.extend(self.blocks.block(number).map(|block| turns(block.turns)));
            }
            Made::Span(number) if self.blocks.spans(self.as_of).len() == number as usize => {
                runs.push(Run::Blocks(1, self.blocks.span(number).map_or(0, |span| span.blocks)));
            }
            _ => {}
        }
        runs
    }

    /// The nodes from the root's child down to `node` itself. Empty where the tree does not show it.
    fn path(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        let below = |mut path: Vec<Node>, node: Node| {
            if !path.is_empty() {
                path.push(node);
            }
            path
        };
        match node {
            Node::Turn(id) => {
                let number = log.session.turn(id).number;
                if log.session.turn(id).thread != 0 || number > self.as_of {
                    return Vec::new();
                }
                if number >= self.blocks.open_range(self.as_of).0 {
                    return vec![Node::Group(Group::Open), node];
                }
                match self.blocks.block_of(number).filter(|_| !self.is_frozen()) {
                    Some(block) => below(self.path(log, Node::Made(Made::Block(block.number))), node),
                    None => Vec::new(),
                }
            }
            Node::Part(id, _) | Node::Group(Group::Notes(id)) => below(self.path(log, Node::Turn(id)), node),
            Node::Row(row) => match log.session.anchor(row) {
                Some(id) => below(self.path(log, Node::Group(Group::Notes(id))), node),
                None => Vec::new(),
            },
            Node::Item(_) | Node::Pinned(_) => {
                let ledger = Node::Group(Group::Ledger);
                let shows = self.position(log, Node::Root, ledger).is_some();
                let path = vec![ledger, node];
                if shows && self.position(log, ledger, node).is_some() { path } else { Vec::new() }
            }
            Node::MadeSentence(made, place) => {
                let written = self.written(made).is_some_and(|w| (place as usize) < w.sentences.len());
                let lines = below(self.path(log, Node::Made(made)), Node::Group(Group::Lines(made)));
                if written { below(lines, node) } else { Vec::new() }
            }
            Node::Group(Group::Lines(made)) => below(self.path(log, Node::Made(made)), node),
            Node::Made(Made::Block(number)) if self.position(log, Node::Root, node).is_none() => {
                let span = self.blocks.spans(self.as_of).last().filter(|span| number <= span.blocks);
                span.map_or_else(Vec::new, |span| vec![Node::Made(Made::Span(span.number)), node])
            }
            _ if self.position(log, Node::Root, node).is_some() => vec![node],
            _ => Vec::new(),
        }
    }
}

/// Nodes that follow one another.
#[derive(Clone, Copy, Debug)]
enum Run {
    One(Node),
    /// Turns of the main thread, from this number on, so many.
    Turns(u32, u32),
    /// Blocks, from this number on.
    Blocks(u32, u32),
    /// So many spans, from this number down.
    Spans(u32),
    Pinned(u32),
    Items(u32),
    Lines(Made, u32),
    /// Summaries of this level, from this place on.
    Pieces(Made, u16, u16, u32),
}

fn turns((from, to): (u32, u32)) -> Run {
    Run::Turns(from, (to + 1).saturating_sub(from))
}

impl Run {
    fn len(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Turns(_, count)
            | Self::Blocks(_, count)
            | Self::Spans(count)
            | Self::Pinned(count)
            | Self::Items(count)
            | Self::Lines(_, count)
            | Self::Pieces(_, _, _, count) => count as usize,
        }
    }

    /// The node at `index`, below its length.
    fn at(self, view: &BlocksView, log: &OpenLog, index: usize) -> Option<Node> {
        let index = index as u32;
        Some(match self {
            Self::One(node) => node,
            Self::Turns(from, _) => Node::Turn(log.session.numbered(0, from + index)?),
            Self::Blocks(from, _) => Node::Made(Made::Block(from + index)),
            Self::Spans(newest) => Node::Made(Made::Span(newest - index)),
            Self::Pinned(_) => {
                let pinned = view.blocks.ledger().pinned(&log.session, view.as_of);
                Node::Pinned(*pinned.get(index as usize)?)
            }
            Self::Items(_) => Node::Item(index + 1),
            Self::Lines(made, _) => Node::MadeSentence(made, index),
            Self::Pieces(made, level, from, _) => Node::Piece(made, level, from + index as u16),
        })
    }

    /// Where `node` stands in it.
    fn find(self, view: &BlocksView, log: &OpenLog, node: Node) -> Option<usize> {
        let at = match (self, node) {
            (Self::One(one), _) => (one == node).then_some(0),
            (Self::Turns(from, _), Node::Turn(id)) if log.session.turn(id).thread == 0 => {
                log.session.turn(id).number.checked_sub(from)
            }
            (Self::Blocks(from, _), Node::Made(Made::Block(number))) => number.checked_sub(from),
            (Self::Spans(newest), Node::Made(Made::Span(number))) => newest.checked_sub(number),
            (Self::Pinned(_), Node::Pinned(id)) => {
                let pinned = view.blocks.ledger().pinned(&log.session, view.as_of);
                pinned.binary_search(&id).ok().map(|at| at as u32)
            }
            (Self::Items(_), Node::Item(number)) => number.checked_sub(1),
            (Self::Lines(of, _), Node::MadeSentence(made, place)) if of == made => Some(place),
            (Self::Pieces(of, level, from, _), Node::Piece(made, at, place)) if (of, level) == (made, at) => {
                place.checked_sub(from).map(u32::from)
            }
            _ => None,
        };
        at.map(|at| at as usize).filter(|at| *at < self.len())
    }
}

impl Outline for BlocksView<'_> {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        if parts::is_common(node) {
            return parts::count(log, node);
        }
        self.runs(log, node).into_iter().map(Run::len).sum()
    }

    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node> {
        if parts::is_common(node) {
            return parts::child(log, node, index);
        }
        let mut left = index;
        for run in self.runs(log, node) {
            if left < run.len() {
                return run.at(self, log, left);
            }
            left -= run.len();
        }
        None
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        if parts::is_common(node) {
            return parts::position(log, node, child);
        }
        let mut before = 0;
        for run in self.runs(log, node) {
            if let Some(at) = run.find(self, log, child) {
                return Some(before + at);
            }
            before += run.len();
        }
        None
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        self.label_of(log, node)
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        let numbered = |number: u32| log.session.numbered(0, number);
        match node {
            Node::Made(made) | Node::Group(Group::Lines(made)) => self.blocks.inputs(&log.session, made),
            Node::MadeSentence(made, place) => {
                let turns = self.written(made).map(|written| written.turns_of(place)).unwrap_or_default();
                turns.into_iter().filter_map(numbered).collect()
            }
            Node::Piece(made, level, index) => {
                let turns =
                    self.of_plan(log, made, |plan| plan.turns(usize::from(level), usize::from(index)));
                let holds = |id: &TurnId| {
                    turns.is_some_and(|(from, to)| (from..=to).contains(&log.session.turn(*id).number))
                };
                self.blocks.inputs(&log.session, made).into_iter().filter(holds).collect()
            }
            Node::Item(number) => {
                self.blocks.ledger().item(number).map(|item| item.turn).into_iter().collect()
            }
            Node::Group(Group::Open) => {
                let context = self.blocks.context(&log.session, self.as_of);
                context.entries.iter().filter_map(crate::strategies::Entry::turn).collect()
            }
            Node::Group(Group::Ledger) => {
                let ledger = self.blocks.ledger();
                let pinned = ledger.pinned(&log.session, self.as_of).iter().copied();
                pinned.chain(ledger.items(self.as_of).iter().map(|item| item.turn)).collect()
            }
            Node::Turn(id) | Node::Part(id, _) | Node::Pinned(id) => vec![id],
            _ => Vec::new(),
        }
    }
}
