//! What an event hangs on: parents, calls, targets, circles.
//!
//! Owns how ids are understood. An id means the newest event that has it by then; if there is none, the first that
//! will. A parent never changes once it is found, so each tree has one root or one circle, and whether an event closes
//! a circle is a question of whether it hangs in its own tree.

use std::collections::HashMap;

use super::super::event::Kind;
use super::super::outcome::Oddity;
use super::super::reference::cluster_id;
use super::{Engine, NodeId, Order, Ring};

/// Ids, and who waits for which.
#[derive(Debug, Default)]
pub(super) struct Links {
    newest: HashMap<Box<str>, NodeId>,
    calls: HashMap<Box<str>, NodeId>,
    clusters: HashMap<Box<str>, NodeId>,
    repeats: HashMap<Box<str>, u32>,
    /// Children without their parent, results without their call, abandon events without their target.
    children: HashMap<Box<str>, Vec<NodeId>>,
    results: HashMap<Box<str>, Vec<NodeId>>,
    abandons: HashMap<Box<str>, Vec<NodeId>>,
    /// Trees as a forest of their own: each node's way to the representative of its tree.
    tree: Vec<NodeId>,
    sizes: Vec<u32>,
}

impl Links {
    /// How often an id was there, with this time.
    pub(super) fn repeats(&mut self, id: &str) -> u32 {
        let repeats = self.repeats.entry(id.into()).or_insert(1);
        *repeats += 1;
        *repeats
    }

    fn tree_of(&mut self, mut id: NodeId) -> NodeId {
        while self.tree[id as usize] != id {
            let above = self.tree[id as usize];
            self.tree[id as usize] = self.tree[above as usize];
            id = above;
        }
        id
    }

    fn unite(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.tree_of(a), self.tree_of(b));
        if a == b {
            return;
        }
        let (small, large) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.tree[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
    }

    /// Those who still wait: `(who, for what)`.
    fn waiting(map: &HashMap<Box<str>, Vec<NodeId>>) -> impl Iterator<Item = (NodeId, &str)> {
        map.iter().flat_map(|(id, waiting)| waiting.iter().map(move |who| (*who, &**id)))
    }
}

impl Engine {
    /// Ties a new event to the others, and marks whose facts may change with it.
    pub(super) fn tie(&mut self, id: NodeId) {
        self.links.tree.push(id);
        self.links.sizes.push(1);
        let event = &self.node(id).event;
        let name: Box<str> = event.id().into();
        let follows = event.parent().map(Box::<str>::from);
        let is_abandon = event.kind() == Kind::Abandon;
        let names: Vec<Box<str>> = event.named().filter(|_| is_abandon).map(Box::from).collect();
        let parent = follows.and_then(|parent| self.parent_of(id, &parent, &name));
        let orphans = self.links.children.remove(&name).unwrap_or_default();
        let abandons = self.links.abandons.remove(&name).unwrap_or_default();
        self.links.newest.insert(name.clone(), id);
        self.tie_call(id, &name);
        for abandon in abandons {
            self.name_target(abandon, id);
        }
        let mut named = Vec::new();
        for target in names {
            match self.links.newest.get(&target).copied() {
                Some(target) if self.name_target(id, target) && target != id => named.push(target),
                Some(_) => {}
                None => self.links.abandons.entry(target).or_default().push(id),
            }
        }
        for orphan in orphans {
            self.hang(orphan, id);
        }
        match parent {
            Some(parent) if self.links.tree_of(parent) == self.links.tree_of(id) => {
                self.node_mut(id).parent = Some(parent);
                self.node_mut(parent).children.push(id);
                self.close_ring(id);
            }
            Some(parent) => self.hang(id, parent),
            None => {}
        }
        self.touched.push(id);
        self.mark_stale(id);
        for target in named {
            self.mark_stale(target);
        }
    }

    /// The parent of a new event, if it is there; else the event waits for it.
    fn parent_of(&mut self, id: NodeId, parent: &str, name: &str) -> Option<NodeId> {
        let known = self.links.newest.get(parent).or_else(|| self.links.clusters.get(parent)).copied();
        if known.is_none() && parent == name {
            self.oddities.push((id, Oddity::SelfParent { id: self.node(id).label.to_string() }));
        } else if known.is_none() {
            self.links.children.entry(parent.into()).or_default().push(id);
        }
        known
    }

    /// Pairs results with their call.
    fn tie_call(&mut self, id: NodeId, name: &str) {
        match self.node(id).event.kind() {
            Kind::ToolCall => {
                self.links.calls.insert(name.into(), id);
                for result in self.links.results.remove(name).unwrap_or_default() {
                    self.pair(id, result);
                    self.touched.push(result);
                }
            }
            Kind::ToolResult => {
                let Some(call) = self.node(id).event.text("call_id").map(Box::<str>::from) else { return };
                match self.links.calls.get(&call).copied() {
                    Some(call) => {
                        self.pair(call, id);
                        self.touched.push(call);
                    }
                    None => self.links.results.entry(call).or_default().push(id),
                }
            }
            _ => {}
        }
    }

    fn pair(&mut self, call: NodeId, result: NodeId) {
        self.node_mut(result).call = Some(call);
        let call = self.node_mut(call);
        call.results.push(result);
        call.words = None;
    }

    fn hang(&mut self, child: NodeId, parent: NodeId) {
        self.node_mut(child).parent = Some(parent);
        self.node_mut(parent).children.push(child);
        self.links.unite(child, parent);
    }

    /// A new event hangs on one that hangs on it: finds the circle, and gives it to those who waited for its id.
    fn close_ring(&mut self, id: NodeId) {
        let mut members = vec![id];
        let mut at = self.node(id).parent;
        while let Some(member) = at.filter(|member| *member != id) {
            members.push(member);
            at = self.node(member).parent;
        }
        members.reverse();
        let ring = self.rings.len() as u32;
        for member in &members {
            self.node_mut(*member).ring = Some(ring);
            self.touched.push(*member);
        }
        let mut sorted: Vec<&str> = members.iter().map(|member| &*self.node(*member).label).collect();
        sorted.sort_unstable();
        let name: Box<str> = cluster_id(&sorted).into();
        let sorted = sorted.into_iter().map(str::to_owned).collect();
        self.oddities.push((id, Oddity::Cycle { members: sorted }));
        self.links.clusters.insert(name.clone(), id);
        for orphan in self.links.children.remove(&name).unwrap_or_default() {
            self.hang(orphan, id);
        }
        self.rings.push(Ring { id: name, members });
    }

    /// An event's order, given its parent's.
    pub(super) fn order_of(&self, id: NodeId) -> Order {
        let node = self.node(id);
        let time = node.event.timestamp();
        let own = Order { time, place: id, depth: 0, own_time: time, own_place: id };
        let Some(parent) = node.parent else { return own };
        let above = self.node(parent).order;
        Order {
            time: own.time.max(above.time),
            place: own.place.max(above.place),
            depth: above.depth + 1,
            ..own
        }
    }

    /// What is odd so far, in the order of the trace.
    pub(super) fn oddities(&self) -> Vec<Oddity> {
        let label = |id: NodeId| self.node(id).label.to_string();
        let mut all = self.oddities.clone();
        all.extend(
            Links::waiting(&self.links.children).map(|(who, parent)| {
                (who, Oddity::MissingParent { id: label(who), parent: parent.to_owned() })
            }),
        );
        all.extend(
            Links::waiting(&self.links.results)
                .map(|(who, call)| (who, Oddity::MissingCall { id: label(who), call: call.to_owned() })),
        );
        all.extend(
            Links::waiting(&self.links.abandons).map(|(who, target)| {
                (who, Oddity::MissingTarget { id: label(who), target: target.to_owned() })
            }),
        );
        all.sort_by(|(a, left), (b, right)| a.cmp(b).then_with(|| left.to_string().cmp(&right.to_string())));
        all.into_iter().map(|(_, oddity)| oddity).collect()
    }
}
