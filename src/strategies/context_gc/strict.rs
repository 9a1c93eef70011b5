//! `strict`: the four stages with the reference's defects mended, event by event.
//!
//! Owns the trace as it grows. An event is tied to the others when it is added, and settled when somebody asks, at a cost
//! in proportion to what it changes: the branch that it abandons, the one value that it supersedes, the events that were
//! waiting for it and hang on it. Nothing is rebuilt; the prompt is a separate, linear step (`strict/render.rs`). What each stage asks is kept as facts of the event, so
//! the state follows from them alone and not from the order in which they came to be:
//!
//! - its [`Order`], by which values and duplicates are compared and the prompt is read (`strict/links.rs`);
//! - the abandoned targets that it hangs below (`strict/sweep.rs`);
//! - the circle that it is part of (`strict/links.rs`);
//! - its seat among the values of its variable or among equal calls (`strict/seats.rs`).

mod links;
mod render;
mod seats;
mod sweep;

pub(super) use render::receipt_line;

use std::collections::{BTreeSet, HashMap};

use super::event::{Event, Kind};
use super::outcome::{Changes, Oddity, Stage};

/// An event's place in the trace.
type NodeId = u32;

/// What comes before what: causes before what follows from them, whatever their clocks say; else by time, else by
/// place. An event is as late as the latest of those that it hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Order {
    time: u64,
    place: NodeId,
    depth: u32,
    own_time: u64,
    own_place: NodeId,
}

impl Order {
    /// Behind all others.
    pub(super) const LAST: Self = Self {
        time: u64::MAX,
        place: NodeId::MAX,
        depth: u32::MAX,
        own_time: u64::MAX,
        own_place: NodeId::MAX,
    };
}

/// What became of an event, in short: reasons are told when somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Live,
    Pruned(Stage),
    /// Kept by its own protection, or together with another event.
    Protected(Stage, Option<NodeId>),
}

/// A digest of a call and its results.
type Words = [u8; 32];

/// Where an event sits among its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    None,
    /// Among the values of a variable.
    Value(u32, Order),
    /// Among equal calls.
    Call(Words, Order),
}

#[derive(Debug)]
struct Node {
    event: Event,
    /// Its id; with a number behind it where the id was there before.
    label: Box<str>,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    order: Order,
    /// The abandoned targets that it hangs below, nearest first: a list in [`Engine::lists`].
    swept: sweep::List,
    /// The newest abandon event that names it.
    abandoned_by: Option<NodeId>,
    /// The targets that it abandons.
    targets: Vec<NodeId>,
    /// Its circle in [`Engine::rings`].
    ring: Option<u32>,
    /// The call that it is a result of.
    call: Option<NodeId>,
    /// The results of this call.
    results: Vec<NodeId>,
    /// The variable that it sets.
    variable: Option<u32>,
    words: Option<Words>,
    seat: Seat,
    state: State,
    stale: bool,
}

/// A circle of events that follow one another.
#[derive(Debug)]
struct Ring {
    id: Box<str>,
    /// Each followed by its child.
    members: Vec<NodeId>,
}

/// A trace and the state of each of its events.
#[derive(Debug, Default)]
pub(super) struct Engine {
    nodes: Vec<Node>,
    labels: HashMap<Box<str>, NodeId>,
    links: links::Links,
    lists: sweep::Lists,
    rings: Vec<Ring>,
    variables: HashMap<Box<str>, u32>,
    values: Vec<BTreeSet<(Order, NodeId)>>,
    calls: HashMap<Words, BTreeSet<(Order, NodeId)>>,
    oddities: Vec<(NodeId, Oddity)>,
    /// States at the last compaction, of events whose state changed since or which were added since.
    before: HashMap<NodeId, State>,
    seen: usize,
    /// Events whose facts are to be found anew.
    stale: Vec<NodeId>,
    /// Events that are to be judged anew.
    touched: Vec<NodeId>,
    /// Events of the last compaction that stand elsewhere since.
    moved: Vec<NodeId>,
}

impl Engine {
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The label of the newest event.
    pub(super) fn newest(&self) -> Option<&str> {
        self.nodes.last().map(|node| &*node.label)
    }

    /// The event kept under a label.
    pub(super) fn find(&self, label: &str) -> Option<&Event> {
        self.labels.get(label).map(|id| &self.node(*id).event)
    }

    /// Where the event kept under a label stands in the prompt.
    pub(super) fn order(&mut self, label: &str) -> Option<Order> {
        self.settle();
        self.labels.get(label).map(|id| self.node(*id).order)
    }

    /// Every event, in the order in which they were added.
    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        self.nodes.iter().map(|node| &node.event)
    }

    /// Adds an event.
    pub(super) fn add(&mut self, event: Event) {
        let id = self.push(event);
        self.tie(id);
    }

    fn push(&mut self, event: Event) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let label = self.label(id, event.id());
        let variable = self.variable(&event);
        self.labels.insert(label.clone(), id);
        self.nodes.push(Node {
            event,
            label,
            parent: None,
            children: Vec::new(),
            order: Order::default(),
            swept: sweep::List::default(),
            abandoned_by: None,
            targets: Vec::new(),
            ring: None,
            call: None,
            results: Vec::new(),
            variable,
            words: None,
            seat: Seat::None,
            state: State::Live,
            stale: false,
        });
        id
    }

    /// A name for the event that no other has: its id, or its id and the first number that is free.
    fn label(&mut self, id: NodeId, wanted: &str) -> Box<str> {
        if !self.labels.contains_key(wanted) {
            return wanted.into();
        }
        let repeats = self.links.repeats(wanted);
        let mut label = format!("{wanted}#{repeats}");
        while self.labels.contains_key(&*label) {
            label = format!("{wanted}#{}", self.links.repeats(wanted));
        }
        let oddity =
            Oddity::RepeatedId { number: id as usize + 1, id: wanted.to_owned(), label: label.clone() };
        self.oddities.push((id, oddity));
        label.into()
    }

    fn variable(&mut self, event: &Event) -> Option<u32> {
        let key = event.field("key").filter(|_| event.kind() == Kind::SetVar)?;
        if *key == super::value::Value::Null {
            return None;
        }
        let next = self.variables.len() as u32;
        let variable = *self.variables.entry(key.canonical().into()).or_insert(next);
        if variable == next {
            self.values.push(BTreeSet::new());
        }
        Some(variable)
    }

    /// What changed since the last call.
    pub(super) fn changes(&mut self) -> Changes {
        self.settle();
        let mut changed: Vec<(NodeId, State)> = self.before.drain().collect();
        changed.sort_unstable_by_key(|(id, _)| *id);
        let mut changes = Changes { added: self.nodes.len() - self.seen, ..Changes::default() };
        self.seen = self.nodes.len();
        let mut moved = std::mem::take(&mut self.moved);
        moved.sort_unstable();
        moved.dedup();
        changes.moved = moved.into_iter().map(|id| self.node(id).label.to_string()).collect();
        for (id, before) in changed {
            let node = self.node(id);
            let label = || node.label.to_string();
            if before != node.state {
                changes.judged.push(label());
            }
            match (before, node.state) {
                (State::Pruned(_), State::Pruned(_)) => {}
                (_, State::Pruned(_)) => changes.pruned.push(label()),
                (State::Pruned(_), _) => changes.restored.push(label()),
                _ => {}
            }
            if matches!(node.state, State::Protected(..)) && !matches!(before, State::Protected(..)) {
                changes.protected.push(label());
            }
        }
        changes
    }
}
