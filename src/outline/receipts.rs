//! What Context-GC prunes as a tree: the compacted prompt with its receipts in place, what each stage pruned, and what is
//! neither in the prompt nor pruned.
//!
//! All of it but the turns is replayed; what the agent itself cleared is recorded, and its receipts stand beside the
//! others. Asks the strategy which lines there are, and lists nothing. The prompt is kept as of the turn on the screen.

mod labels;

use std::cell::RefCell;
use std::rc::Rc;

use crate::session::TurnId;
use crate::session::open::OpenLog;
use crate::strategies::context_gc::session::{Prompt, Replay, STAGES, Spot};

use super::{Group, Label, Node, Outline, OwnTree, parts};

pub use labels::{stage_at, stage_name, stage_words};

/// The name of the view on the command line.
pub const NAME: &str = "receipts";

/// A session's events, and the prompt that they make as of the turn that is looked at.
#[derive(Debug, Default)]
pub struct Pruning {
    /// What became of each event, and when.
    pub replay: Replay,
    /// The prompt.
    pub prompt: Prompt,
}

impl Pruning {
    /// Shows it as of turn `as_of`, with all that was replayed.
    pub fn move_to(&mut self, log: &OpenLog, as_of: u32) {
        self.prompt.move_to(&log.session, &self.replay, as_of);
    }
}

/// The tree of events that others let grow.
#[derive(Debug)]
pub struct ReceiptsTree {
    shared: Rc<RefCell<Pruning>>,
    as_of: u32,
}

impl ReceiptsTree {
    /// The tree as of turn `as_of`.
    pub fn new(shared: Rc<RefCell<Pruning>>, as_of: u32) -> Self {
        Self { shared, as_of }
    }

    /// Where the receipt of an event stands, with the way down to it.
    fn path_to_receipt(&self, item: u32) -> Vec<Node> {
        let Pruning { replay, prompt } = &*self.shared.borrow();
        let above = Node::Group(Group::Prompt);
        let Some((row, _, _)) = prompt.stands(replay, item) else { return Vec::new() };
        match prompt.spot(row) {
            Some(Spot::Run(first)) => vec![above, Node::Receipts(first), Node::Receipt(item)],
            _ => vec![above, Node::Receipt(item)],
        }
    }

    fn path_to_turn(&self, id: TurnId) -> Vec<Node> {
        let node = Node::Turn(id);
        let receipt = {
            let Pruning { replay, prompt } = &*self.shared.borrow();
            if prompt.row_of(id).is_some() {
                return vec![Node::Group(Group::Prompt), node];
            }
            if prompt.beside().binary_search(&id).is_ok() {
                return vec![Node::Group(Group::Beside), node];
            }
            replay.pruned_at(id, None, self.as_of).next()
        };
        receipt.map(|item| self.path_to_receipt(item)).unwrap_or_default()
    }

    /// A part stands under the receipt that it is behind, else under its turn.
    fn path_to_part(&self, id: TurnId, part: u32) -> Vec<Node> {
        let item = self.shared.borrow().replay.pruned_at(id, Some(part), self.as_of).next();
        let path = item.map(|item| self.path_to_receipt(item)).unwrap_or_default();
        below(if path.is_empty() { self.path_to_turn(id) } else { path }, Node::Part(id, part))
    }

    /// The events behind a receipt, a line of receipts or a stage: the first of them.
    fn first_event(&self, node: Node) -> Option<u32> {
        match node {
            Node::Receipt(item) | Node::Receipts(item) | Node::Cause(item) => Some(item),
            Node::Stage(stage) => self.shared.borrow().prompt.of_stage(usize::from(stage)).first().copied(),
            _ => None,
        }
    }
}

fn below(mut path: Vec<Node>, node: Node) -> Vec<Node> {
    if !path.is_empty() {
        path.push(node);
    }
    path
}

/// The stages that pruned something.
fn stages(prompt: &Prompt) -> impl Iterator<Item = u8> {
    (0..STAGES as u8).filter(|stage| !prompt.of_stage(usize::from(*stage)).is_empty())
}

/// The groups that hold something.
fn groups(prompt: &Prompt) -> impl Iterator<Item = Node> {
    let pruned = stages(prompt).next().map(|_| Group::Pruned);
    let beside = (!prompt.beside().is_empty()).then_some(Group::Beside);
    pruned.into_iter().chain([Group::Prompt]).chain(beside).map(Node::Group)
}

fn node(spot: Spot) -> Node {
    match spot {
        Spot::Turn(turn) => Node::Turn(turn),
        Spot::Receipt(item) => Node::Receipt(item),
        Spot::Run(first) => Node::Receipts(first),
    }
}

impl OwnTree for ReceiptsTree {
    fn move_to(&mut self, log: &OpenLog, as_of: u32) {
        self.as_of = as_of;
        self.shared.borrow_mut().move_to(log, as_of);
    }

    fn path_to(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        match node {
            Node::Turn(id) => self.path_to_turn(id),
            Node::Part(id, part) => self.path_to_part(id, part),
            Node::Group(Group::Notes(id)) => match self.path_to_turn(id) {
                path if path.last() == Some(&Node::Turn(id)) => below(path, node),
                path => path,
            },
            Node::Row(row) => match log.session.anchor(row) {
                Some(id) => match self.path_to(log, Node::Group(Group::Notes(id))) {
                    path if path.last() == Some(&Node::Group(Group::Notes(id))) => below(path, node),
                    path => path,
                },
                None => Vec::new(),
            },
            Node::Receipt(item) => self.path_to_receipt(item),
            Node::Receipts(item) => {
                let mut path = self.path_to_receipt(item);
                path.truncate(2);
                path
            }
            Node::Cause(item) => below(self.path_to_receipt(item), node),
            Node::Stage(_) => match self.position(log, Node::Group(Group::Pruned), node) {
                Some(_) => vec![Node::Group(Group::Pruned), node],
                None => Vec::new(),
            },
            _ if self.position(log, Node::Root, node).is_some() => vec![node],
            _ => Vec::new(),
        }
    }

    fn newest(&self, log: &OpenLog) -> Vec<Node> {
        let above = Node::Group(Group::Prompt);
        let last = self.count(log, above).checked_sub(1).and_then(|last| self.child(log, above, last));
        last.map_or_else(|| vec![above], |last| vec![above, last])
    }
}

impl Outline for ReceiptsTree {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        if parts::is_common(node) {
            return parts::count(log, node);
        }
        let Pruning { replay, prompt } = &*self.shared.borrow();
        match node {
            Node::Root => groups(prompt).count(),
            Node::Group(Group::Pruned) => stages(prompt).count(),
            Node::Group(Group::Prompt) => prompt.len(),
            Node::Group(Group::Beside) => prompt.beside().len(),
            Node::Stage(stage) => prompt.of_stage(usize::from(stage)).len(),
            Node::Receipts(first) => prompt.run_len(replay, first),
            Node::Receipt(item) => {
                let caused = replay.stub(item, self.as_of).is_some_and(|stub| stub.by.is_some());
                replay.parts_of(item).len() + usize::from(caused)
            }
            _ => 0,
        }
    }

    fn child(&self, log: &OpenLog, parent: Node, index: usize) -> Option<Node> {
        if parts::is_common(parent) {
            return parts::child(log, parent, index);
        }
        let Pruning { replay, prompt } = &*self.shared.borrow();
        match parent {
            Node::Root => groups(prompt).nth(index),
            Node::Group(Group::Pruned) => stages(prompt).nth(index).map(Node::Stage),
            Node::Group(Group::Prompt) => prompt.spot(index).map(node),
            Node::Group(Group::Beside) => prompt.beside().get(index).map(|id| Node::Turn(*id)),
            Node::Stage(stage) => {
                prompt.of_stage(usize::from(stage)).get(index).map(|item| Node::Receipt(*item))
            }
            Node::Receipts(first) => prompt.in_run(replay, first, index).map(Node::Receipt),
            Node::Receipt(item) => match replay.parts_of(item).get(index) {
                Some((turn, part)) => Some(Node::Part(*turn, *part)),
                None => Some(Node::Cause(item)),
            },
            _ => None,
        }
    }

    fn position(&self, log: &OpenLog, parent: Node, child: Node) -> Option<usize> {
        if parts::is_common(parent) {
            return parts::position(log, parent, child);
        }
        let Pruning { replay, prompt } = &*self.shared.borrow();
        match (parent, child) {
            (Node::Root, _) => groups(prompt).position(|group| group == child),
            (Node::Group(Group::Pruned), Node::Stage(stage)) => {
                stages(prompt).position(|known| known == stage)
            }
            (Node::Group(Group::Prompt), Node::Turn(id)) => prompt.row_of(id),
            (Node::Group(Group::Prompt), Node::Receipt(item) | Node::Receipts(item)) => {
                let (row, count, at) = prompt.stands(replay, item)?;
                ((count > 1) == matches!(child, Node::Receipts(_)) && at == 0).then_some(row)
            }
            (Node::Group(Group::Beside), Node::Turn(id)) => prompt.beside().binary_search(&id).ok(),
            (Node::Stage(stage), Node::Receipt(item)) => {
                prompt.of_stage(usize::from(stage)).binary_search(&item).ok()
            }
            (Node::Receipts(first), Node::Receipt(item)) => {
                let (row, _, at) = prompt.stands(replay, item)?;
                let (run, _, _) = prompt.stands(replay, first)?;
                (row == run).then_some(at)
            }
            (Node::Receipt(item), Node::Part(turn, part)) => {
                replay.parts_of(item).iter().position(|known| *known == (turn, part))
            }
            (Node::Receipt(item), Node::Cause(of)) if item == of => {
                let caused = replay.stub(item, self.as_of).is_some_and(|stub| stub.by.is_some());
                caused.then(|| replay.parts_of(item).len())
            }
            _ => None,
        }
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        self.label_of(log, node)
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        /// Turns of a line of receipts that are listed.
        const LISTED: usize = 200;
        let Some(first) = self.first_event(node) else {
            return match node {
                Node::Turn(id) | Node::Part(id, _) => vec![id],
                Node::Row(row) => log.session.anchor(row).into_iter().collect(),
                _ => Vec::new(),
            };
        };
        let shared = self.shared.borrow();
        if let Node::Cause(item) = node {
            let by = shared.replay.stub(item, self.as_of).and_then(|stub| stub.by);
            return by.and_then(|by| shared.replay.origin(by)).map(|(turn, _)| turn).into_iter().collect();
        }
        let items: Vec<u32> = match node {
            Node::Stage(stage) => {
                shared.prompt.of_stage(usize::from(stage)).iter().copied().take(LISTED).collect()
            }
            Node::Receipts(first) => {
                let within = 0..shared.prompt.run_len(&shared.replay, first).min(LISTED);
                within.filter_map(|at| shared.prompt.in_run(&shared.replay, first, at)).collect()
            }
            _ => vec![first],
        };
        let parts = items.into_iter().flat_map(|item| shared.replay.parts_of(item));
        let mut turns: Vec<TurnId> = parts.map(|(turn, _)| *turn).collect();
        turns.dedup();
        turns
    }
}
