//! `reference`: what version 0.3.0 of Context-GC returns for a list of events, defects included.
//!
//! Owns the graph and the four stages; `reference/render.rs` the order and the prompt. Kept to be compared with, so
//! nothing here is mended: [`super::strict`] does that. The one liberty is that no walk recurses.

mod cycles;
mod render;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::event::{Event, Kind};
use super::outcome::{Compacted, Stage};
use super::prompt;
use super::trace::GcError;
use super::value::Value;

/// Why one node comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Sequence,
    Supersedes,
}

/// A node: an event, or the stub of a collapsed cycle.
struct Node<'a> {
    id: String,
    timestamp: u64,
    event: Option<&'a Event>,
}

/// The graph, in the order in which its ids were first seen.
#[derive(Default)]
struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    places: HashMap<String, usize>,
    /// From, to, kind; gone where a cycle was collapsed.
    edges: Vec<Option<(usize, usize, Edge)>>,
    /// Edges that leave a node, in the order of `edges`.
    leaving: Vec<Vec<usize>>,
    pruned: BTreeSet<usize>,
    protected: BTreeSet<usize>,
    prune_reasons: BTreeMap<String, String>,
    protected_reasons: BTreeMap<String, String>,
    stages: BTreeMap<String, Stage>,
    /// Members of collapsed cycles, by the node that stands for them.
    clusters: BTreeMap<usize, Vec<usize>>,
}

/// See [`super::compact_events`].
pub(super) fn compact(events: &[Event]) -> Result<Compacted, GcError> {
    let mut graph = Graph::of(events)?;
    graph.sweep();
    graph.overrides()?;
    graph.dedup()?;
    graph.collapse();
    Ok(graph.render(prompt::tokens_of(events)))
}

impl<'a> Graph<'a> {
    fn of(events: &'a [Event]) -> Result<Self, GcError> {
        let mut graph = Self::default();
        for event in events {
            // A repeated id keeps its place and loses what it was.
            if let Some(place) = graph.places.get(event.id()) {
                let node = &mut graph.nodes[*place];
                (node.timestamp, node.event) = (event.timestamp(), Some(event));
            } else {
                graph.push(event.id().to_owned(), event.timestamp(), Some(event));
            }
        }
        for event in events {
            let Some(parent) = event.parent() else { continue };
            let Some(from) = graph.places.get(parent).copied() else {
                return Err(GcError::MissingParent { event: event.id().into(), parent: parent.into() });
            };
            let to = graph.places[event.id()];
            graph.join(from, to, Edge::Sequence);
        }
        Ok(graph)
    }

    fn push(&mut self, id: String, timestamp: u64, event: Option<&'a Event>) -> usize {
        let place = self.nodes.len();
        self.places.insert(id.clone(), place);
        self.nodes.push(Node { id, timestamp, event });
        self.leaving.push(Vec::new());
        place
    }

    fn join(&mut self, from: usize, to: usize, kind: Edge) {
        self.leaving[from].push(self.edges.len());
        self.edges.push(Some((from, to, kind)));
    }

    /// Where the sequence goes on from a node.
    fn next(&self, from: usize) -> impl DoubleEndedIterator<Item = usize> {
        self.leaving[from].iter().filter_map(|edge| match self.edges[*edge] {
            Some((_, to, Edge::Sequence)) => Some(to),
            _ => None,
        })
    }

    /// Live events of a kind, in order.
    fn live(&self, kind: Kind) -> Vec<(usize, &'a Event)> {
        let events = self.nodes.iter().enumerate().filter_map(|(place, node)| Some((place, node.event?)));
        events.filter(|(place, event)| event.kind() == kind && !self.pruned.contains(place)).collect()
    }

    fn prune_or_protect(&mut self, place: usize, stage: Stage, reason: String) {
        let node = &self.nodes[place];
        self.prune_reasons.insert(node.id.clone(), reason);
        self.stages.insert(node.id.clone(), stage);
        match node.event.and_then(Event::protection) {
            Some(keeper) => {
                self.protected.insert(place);
                self.protected_reasons.insert(node.id.clone(), keeper);
            }
            None => {
                self.pruned.insert(place);
            }
        }
    }

    /// Stage 1: all that hangs below what an abandon event names.
    fn sweep(&mut self) {
        let mut targets: Vec<&str> = Vec::new();
        let mut by: HashMap<&str, &str> = HashMap::new();
        for event in self.nodes.iter().filter_map(|node| node.event) {
            for target in event.named().filter(|_| event.kind() == Kind::Abandon) {
                if by.insert(target, event.id()).is_none() {
                    targets.push(target);
                }
            }
        }
        let mut seen = vec![false; self.nodes.len()];
        for target in targets {
            let Some(place) = self.places.get(target) else { continue };
            let reason = format!("abandoned by {}", by[target]);
            let mut stack = vec![*place];
            while let Some(place) = stack.pop() {
                if std::mem::replace(&mut seen[place], true) {
                    continue;
                }
                stack.extend(self.next(place).rev());
                let is_abandon = self.nodes[place].event.is_some_and(|event| event.kind() == Kind::Abandon);
                let reason = if is_abandon {
                    "abandon event pruned alongside its own target branch".to_owned()
                } else {
                    reason.clone()
                };
                self.prune_or_protect(place, Stage::Sweep, reason);
            }
        }
    }

    /// Stage 2: of each variable all values but that with the highest timestamp.
    fn overrides(&mut self) -> Result<(), GcError> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut by_key: HashMap<String, usize> = HashMap::new();
        for (place, event) in self.live(Kind::SetVar) {
            let key = event.field("key").unwrap_or(&Value::Null);
            let Some(key) = python_key(key, event, "key")? else { continue };
            let group = *by_key.entry(key).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(place);
        }
        for mut group in groups {
            group.sort_by_key(|place| self.nodes[*place].timestamp);
            let Some(winner) = group.pop() else { continue };
            for older in group {
                self.join(winner, older, Edge::Supersedes);
                let reason = format!("superseded by {}", self.nodes[winner].id);
                self.prune_or_protect(older, Stage::Override, reason);
            }
        }
        Ok(())
    }

    /// Stage 3: of equal calls with equal results all but the first.
    fn dedup(&mut self) -> Result<(), GcError> {
        let mut results: HashMap<String, (usize, &Event)> = HashMap::new();
        for (place, event) in self.live(Kind::ToolResult) {
            let call = event.field("call_id").unwrap_or(&Value::Null);
            if let Some(call) = python_key(call, event, "call_id")? {
                results.insert(call, (place, event));
            }
        }
        let mut groups: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut by_words: HashMap<[String; 3], usize> = HashMap::new();
        for (place, event) in self.live(Kind::ToolCall) {
            let call = Value::Text(event.id().into());
            let Some((result, told)) = python_key(&call, event, "id")?.and_then(|id| results.get(&id)) else {
                continue;
            };
            let words = |event: &Event, name| event.field(name).map(Value::canonical).unwrap_or_default();
            let name = event.field("tool_name").unwrap_or(&Value::Null);
            let name = python_key(name, event, "tool_name")?.unwrap_or_default();
            let same = [name, words(event, "arguments"), words(told, "result")];
            let group = *by_words.entry(same).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push((place, *result));
        }
        for mut group in groups {
            group.sort_by_key(|(call, _)| self.nodes[*call].timestamp);
            let Some(((first, told), others)) = group.split_first() else { continue };
            for (call, result) in others {
                for (kept, other) in [(*first, *call), (*told, *result)] {
                    self.join(kept, other, Edge::Supersedes);
                    let reason = format!("duplicate of {}", self.nodes[kept].id);
                    self.prune_or_protect(other, Stage::Dedup, reason);
                }
            }
        }
        Ok(())
    }

    /// Stage 4: one stub for each circle of the sequence, protection or not.
    fn collapse(&mut self) {
        for mut members in self.cycles() {
            members.sort_by(|a, b| self.nodes[*a].id.cmp(&self.nodes[*b].id));
            let ids: Vec<&str> = members.iter().map(|place| &*self.nodes[*place].id).collect();
            let id = cluster_id(&ids);
            let (timestamp, first) = members
                .iter()
                .map(|place| (self.nodes[*place].timestamp, *place))
                .min_by(|(a, left), (b, right)| {
                    a.cmp(b).then_with(|| self.nodes[*left].id.cmp(&self.nodes[*right].id))
                })
                .unwrap_or_default();
            let inside: BTreeSet<usize> = members.iter().copied().collect();
            for place in &members {
                for edge in &self.leaving[*place] {
                    self.edges[*edge] = self.edges[*edge].filter(|(_, to, _)| !inside.contains(to));
                }
                let id = &self.nodes[*place].id;
                self.prune_reasons.insert(id.clone(), "collapsed into cycle cluster".to_owned());
                self.stages.insert(id.clone(), Stage::Cycle);
                self.pruned.insert(*place);
            }
            let cluster = self.push(id, timestamp, None);
            self.join(cluster, first, Edge::Sequence);
            self.clusters.insert(cluster, members);
        }
    }
}

/// The id of the stub for a cycle of these ids, which are sorted.
pub(super) fn cluster_id(ids: &[&str]) -> String {
    let digest = Sha256::digest(ids.join(","));
    digest.iter().take(6).fold("cluster_".to_owned(), |mut id, byte| {
        write!(id, "{byte:02x}").unwrap_or_default();
        id
    })
}

/// A text that is the same for values which Python takes for the same key; nothing for null. Lists and objects are no
/// keys to Python.
fn python_key(value: &Value, event: &Event, field: &'static str) -> Result<Option<String>, GcError> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(u8::from(*flag).to_string())),
        Value::Real(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Ok(Some(format!("{}", *number as i64)))
        }
        Value::List(_) | Value::Map(_) => Err(GcError::Unhashable { event: event.id().to_owned(), field }),
        other => Ok(Some(other.canonical())),
    }
}
