//! The cold forest as a tree: its health first, what this turn changed, then clusters with the unions that made them, the
//! hot window, what is no message yet.
//!
//! All of it but the turns is replayed. A cluster opens into its root's message and the unions the root won, in order;
//! a union into what it brought: the message that was a root until then, and what that had won before. What a row is
//! called costs the same whatever the cluster holds.

mod file;
mod labels;
mod own;

pub use file::{FileShown, FileTree, HOT};
pub use labels::bar;
pub use own::{Asked, ForestTree, Shown};

use std::collections::HashMap;
use std::rc::Rc;

use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::strategies::union_find::cut::numbered;
use crate::strategies::union_find::forest::Union;
use crate::strategies::union_find::health::Health;
use crate::strategies::union_find::reader::Reading;
use crate::strategies::union_find::replay::{Message, Replay, turns};
use crate::strategies::union_find::summaries::{BUDGET, Standing, Summaries};

use super::{Group, Label, Node, Outline, parts};

/// The tree of a cold forest as of a turn.
#[derive(Debug)]
pub struct ForestView<'a> {
    /// The forest.
    pub replay: &'a Replay,
    /// What was written of it, if anything.
    pub summaries: Option<&'a Summaries>,
    /// What a reader would get, where somebody asked as of this turn.
    pub reading: Option<&'a Reading>,
    /// There is a row for what somebody asked.
    pub asked: Option<String>,
    /// The number of the main thread's turn it is as of.
    pub as_of: u32,
    moment: Rc<Moment>,
}

/// The name of the view on the command line.
pub const NAME: &str = "forest";

/// What is worked out once for a turn.
#[derive(Debug, Default)]
pub struct Moment {
    /// The roots, oldest first.
    roots: Vec<u32>,
    /// Members of the largest cluster.
    largest: u32,
    /// How many members of a root's cluster are on branches that were left.
    left: HashMap<u32, usize>,
}

impl Moment {
    /// As of turn `as_of`.
    pub fn of(session: &Session, replay: &Replay, as_of: u32) -> Self {
        let forest = replay.forest().forest();
        let roots = forest.roots(as_of);
        let largest = roots.iter().map(|root| forest.size(*root, as_of)).max().unwrap_or(0);
        let mut left = HashMap::new();
        for id in session.left().iter().filter(|id| session.turn(**id).thread == 0) {
            let number = session.turn(*id).number;
            let node = replay.node_of_turn(number);
            // A message is left where its last turn is.
            let node = node.filter(|node| replay.message(*node).turns.1 == number);
            let cold = node.filter(|node| forest.added(*node) <= as_of);
            if let Some(node) = cold.filter(|node| replay.is_abandoned(session, *node, as_of)) {
                *left.entry(forest.root(node, as_of)).or_insert(0) += 1;
            }
        }
        Self { roots, largest, left }
    }
}

impl<'a> ForestView<'a> {
    /// The tree as of turn `as_of`.
    pub fn new(log: &OpenLog, replay: &'a Replay, summaries: Option<&'a Summaries>, as_of: u32) -> Self {
        let moment = Rc::new(Moment::of(&log.session, replay, as_of));
        Self { replay, summaries, reading: None, asked: None, as_of, moment }
    }

    /// How balanced it is.
    pub fn health(&self) -> Health {
        Health::of(self.replay.forest(), self.as_of)
    }

    /// The address of a root's cluster.
    pub fn address(&self, root: u32) -> Address {
        Address::Cluster(self.replay.name(root, self.as_of))
    }

    /// The terms that weigh most in a cluster's centroid.
    pub fn top_terms(&self, root: u32) -> Vec<&str> {
        self.replay.forest().top_terms(root, self.as_of)
    }

    /// What is known of its summary.
    pub fn standing(&self, root: u32) -> Option<Standing> {
        self.summaries?.known(self.replay, root, self.as_of, BUDGET)
    }

    /// How many members of a cluster are on branches that were left.
    pub fn abandoned(&self, root: u32) -> usize {
        self.moment.left.get(&root).copied().unwrap_or(0)
    }

    /// The root of the cluster that holds a cold turn, as of now.
    pub fn root_of_turn(&self, number: u32) -> Option<u32> {
        let forest = self.replay.forest().forest();
        let node = self.replay.node_of_turn(number).filter(|node| forest.added(*node) <= self.as_of)?;
        Some(forest.root(node, self.as_of))
    }

    /// The roots with the sizes of their clusters, oldest first.
    pub fn sizes(&self) -> Vec<(u32, u32)> {
        let forest = self.replay.forest().forest();
        self.moment.roots.iter().map(|root| (*root, forest.size(*root, self.as_of))).collect()
    }

    /// The same forest as of another turn, for what is said of single clusters.
    #[must_use]
    pub fn at(&self, as_of: u32) -> ForestView<'a> {
        let moment = Rc::clone(&self.moment);
        ForestView { as_of, moment, reading: None, asked: None, ..*self }
    }

    /// Estimated tokens of what a reader sees in any case: the hot window, and what is no message yet.
    pub fn hot_tokens(&self, log: &OpenLog) -> u64 {
        let hot = self.replay.hot(self.as_of);
        let from = hot.first().map_or(self.replay.first_open(self.as_of), |message| message.turns.0);
        let turns = numbered(&log.session, (from, self.as_of));
        // A recorded summary is no message: a forest takes in what was said.
        let turns = turns.filter(|id| !log.session.turn(*id).is_summary());
        turns.map(|id| u64::from(log.session.turn(id).tokens)).sum()
    }

    /// The turns that a union brought, oldest first.
    pub fn joined(&self, log: &OpenLog, place: u32) -> Vec<TurnId> {
        let Some(union) = self.union(place) else { return Vec::new() };
        // What hangs below the loser has not changed since it was linked.
        let nodes = self.replay.forest().forest().sorted_members(union.loser, self.as_of);
        nodes.into_iter().flat_map(|node| turns(&log.session, self.replay.message(node))).collect()
    }

    /// The nodes from the root's child down to `node`; empty where it is not there as of now.
    pub fn path(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        let session = &log.session;
        let forest = self.replay.forest().forest();
        match node {
            Node::Part(id, _) | Node::Group(Group::Notes(id)) => self.below_turn(log, id, node),
            Node::Row(row) => session.anchor(row).map_or_else(Vec::new, |id| {
                let notes = Node::Group(Group::Notes(id));
                let mut path = self.below_turn(log, id, notes);
                path.extend((!path.is_empty()).then_some(node));
                path
            }),
            Node::Turn(id) => {
                let turn = session.turn(id);
                if turn.thread != 0 || turn.number > self.as_of {
                    return Vec::new();
                }
                let cold = self.replay.node_of_turn(turn.number);
                if let Some(cold) = cold.filter(|cold| forest.added(*cold) <= self.as_of) {
                    let mut path = self.up(cold);
                    path.push(node);
                    return path;
                }
                let held = [Group::Hot, Group::Open].map(Node::Group);
                let holder = held.into_iter().find(|group| self.position(log, *group, node).is_some());
                holder.map_or_else(Vec::new, |group| vec![group, node])
            }
            Node::Cluster(_) => {
                let there = self.position(log, Node::Root, node).is_some();
                if there { vec![node] } else { Vec::new() }
            }
            Node::Union(place) => match self.union(place).filter(|union| union.at <= self.as_of) {
                Some(union) => self.up(union.loser),
                None => Vec::new(),
            },
            Node::Group(_) if self.position(log, Node::Root, node).is_some() => vec![node],
            _ => Vec::new(),
        }
    }

    fn below_turn(&self, log: &OpenLog, id: TurnId, node: Node) -> Vec<Node> {
        let mut path = self.path(log, Node::Turn(id));
        path.extend((!path.is_empty()).then_some(node));
        path
    }

    /// The way down to what stands under a cold node: its cluster and the unions that brought it there.
    fn up(&self, node: u32) -> Vec<Node> {
        let forest = self.replay.forest().forest();
        let (mut path, mut at) = (Vec::new(), node);
        while let Some(place) = forest.ended_by(at, self.as_of) {
            path.push(Node::Union(place));
            at = forest.unions()[place as usize].winner;
        }
        path.push(Node::Cluster(at));
        path.reverse();
        path
    }

    fn union(&self, place: u32) -> Option<&Union> {
        self.replay.forest().forest().union_numbered(place + 1)
    }

    /// The first and last turn that are in no message.
    fn open(&self) -> (u32, u32) {
        (self.replay.first_open(self.as_of), self.as_of)
    }

    /// Whether turns that are in no message are only waiting to be replayed: these are many.
    fn is_behind(&self) -> bool {
        self.replay.begun() < self.as_of
    }

    /// The turns of the messages that have not closed: recorded summaries are none.
    fn open_turns(&self, log: &OpenLog) -> Vec<TurnId> {
        let turns = numbered(&log.session, self.open());
        turns.filter(|id| !log.session.turn(*id).is_summary()).collect()
    }

    /// How many turns are in no message.
    fn open_count(&self, log: &OpenLog) -> usize {
        let (from, to) = self.open();
        if self.is_behind() { (to + 1).saturating_sub(from) as usize } else { self.open_turns(log).len() }
    }

    /// The places of the unions of this turn.
    fn united_now(&self) -> std::ops::Range<u32> {
        let forest = self.replay.forest().forest();
        let before = self.as_of.saturating_sub(1);
        forest.unions_as_of(before).len() as u32..forest.unions_as_of(self.as_of).len() as u32
    }

    /// The nodes that turned cold at this turn.
    fn cold_now(&self) -> std::ops::Range<u32> {
        let forest = self.replay.forest().forest();
        forest.len_as_of(self.as_of.saturating_sub(1))..forest.len_as_of(self.as_of)
    }

    /// How many rows stand above the clusters.
    fn head(&self) -> usize {
        2 + usize::from(self.asked.is_some())
    }

    fn root_child(&self, log: &OpenLog, index: usize) -> Option<Node> {
        let head = [Some(Group::Health), self.asked.as_ref().map(|_| Group::Asked), Some(Group::Now)];
        if index < self.head() {
            return head.into_iter().flatten().nth(index).map(Node::Group);
        }
        let below = index - self.head();
        let roots = &self.moment.roots;
        match below.checked_sub(roots.len()) {
            None => roots.get(below).map(|root| Node::Cluster(*root)),
            Some(0) => Some(Node::Group(Group::Hot)),
            Some(1) if self.open_count(log) > 0 => Some(Node::Group(Group::Open)),
            Some(_) => None,
        }
    }

    /// A node's message's turns, then the unions it won.
    fn below(&self, log: &OpenLog, node: u32, index: usize) -> Option<Node> {
        let message = self.replay.message(node);
        let own = turns(&log.session, message).count();
        if index < own {
            return turns(&log.session, message).nth(index).map(Node::Turn);
        }
        let won = self.replay.forest().forest().won(node, self.as_of);
        won.get(index - own).map(|place| Node::Union(*place))
    }

    /// The node that stands under a cluster or union with its message.
    fn node_of(&self, node: Node) -> Option<u32> {
        match node {
            Node::Cluster(root) => Some(root),
            Node::Union(place) => self.union(place).map(|union| union.loser),
            _ => None,
        }
    }

    fn hot_turns(&self, log: &OpenLog) -> Vec<TurnId> {
        let hot = self.replay.hot(self.as_of);
        hot.into_iter().flat_map(|message: &Message| turns(&log.session, message)).collect()
    }

    fn now(&self, log: &OpenLog) -> Vec<Node> {
        let cold = self.cold_now().flat_map(|node| turns(&log.session, self.replay.message(node)));
        cold.map(Node::Turn).chain(self.united_now().map(Node::Union)).collect()
    }
}

impl Outline for ForestView<'_> {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        match node {
            Node::Root => self.head() + self.moment.roots.len() + 1 + usize::from(self.open_count(log) > 0),
            Node::Cluster(_) | Node::Union(_) => self.node_of(node).map_or(0, |node| {
                let own = turns(&log.session, self.replay.message(node)).count();
                own + self.replay.forest().forest().won(node, self.as_of).len()
            }),
            Node::Group(Group::Now) => self.now(log).len(),
            Node::Group(Group::Hot) => self.hot_turns(log).len(),
            Node::Group(Group::Open) => self.open_count(log),
            Node::Turn(_) | Node::Part(..) | Node::Group(Group::Notes(_)) | Node::Row(_) => {
                parts::count(log, node)
            }
            _ => 0,
        }
    }

    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node> {
        match node {
            Node::Root => self.root_child(log, index),
            Node::Cluster(_) | Node::Union(_) => self.below(log, self.node_of(node)?, index),
            Node::Group(Group::Now) => self.now(log).get(index).copied(),
            Node::Group(Group::Hot) => self.hot_turns(log).get(index).copied().map(Node::Turn),
            Node::Group(Group::Open) if self.is_behind() => {
                let (from, to) = self.open();
                let number = from + index as u32;
                log.session.numbered(0, number).filter(|_| number <= to).map(Node::Turn)
            }
            Node::Group(Group::Open) => self.open_turns(log).get(index).copied().map(Node::Turn),
            Node::Turn(_) | Node::Group(Group::Notes(_)) => parts::child(log, node, index),
            _ => None,
        }
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        let listed = |known: &[Node]| known.iter().position(|known| *known == child);
        match (node, child) {
            (Node::Root, Node::Cluster(root)) => {
                let place = self.moment.roots.binary_search(&root).ok()?;
                Some(self.head() + place)
            }
            (Node::Root, _) => {
                let (head, roots) = (self.head(), self.moment.roots.len());
                (0..head)
                    .chain(head + roots..head + roots + 2)
                    .find(|at| self.root_child(log, *at) == Some(child))
            }
            (Node::Cluster(_) | Node::Union(_), _) => {
                let node = self.node_of(node)?;
                let message = self.replay.message(node);
                let own = turns(&log.session, message).count();
                match child {
                    Node::Turn(id) => turns(&log.session, message).position(|known| known == id),
                    Node::Union(place) => {
                        let won = self.replay.forest().forest().won(node, self.as_of);
                        won.binary_search(&place).ok().map(|at| own + at)
                    }
                    _ => None,
                }
            }
            (Node::Group(Group::Now), _) => listed(&self.now(log)),
            (Node::Group(Group::Hot), Node::Turn(id)) => {
                self.hot_turns(log).iter().position(|known| *known == id)
            }
            (Node::Group(Group::Open), Node::Turn(id)) if !self.is_behind() => {
                self.open_turns(log).iter().position(|known| *known == id)
            }
            (Node::Group(Group::Open), Node::Turn(id)) => {
                let ((from, to), turn) = (self.open(), log.session.turn(id));
                let within = turn.thread == 0 && (from..=to).contains(&turn.number);
                within.then(|| (turn.number - from) as usize)
            }
            (Node::Turn(_) | Node::Group(Group::Notes(_)), _) => parts::position(log, node, child),
            _ => None,
        }
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        self.called(log, node)
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        match node {
            Node::Cluster(root) => self.replay.turns(&log.session, root, self.as_of),
            Node::Union(place) => self.joined(log, place),
            Node::Group(Group::Hot) => self.hot_turns(log),
            Node::Group(Group::Open) => numbered(&log.session, self.open()).collect(),
            Node::Turn(id) | Node::Part(id, _) => vec![id],
            _ => Vec::new(),
        }
    }
}
