//! The cold forest as a tree: its health first, then clusters with the unions that made them, the hot window, what is no
//! message yet.
//!
//! All of it but the turns is replayed. A cluster opens into its root's message and the unions the root won, in order;
//! a union into what it brought: the message that was a root until then, and what that had won before.

use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::union_find::forest::Union;
use crate::strategies::union_find::health::Health;
use crate::strategies::union_find::replay::{Message, Replay, turns};
use crate::strategies::union_find::summaries::{BUDGET, Standing, Summaries};
use crate::text::numbers::{count, short};

use super::labels::{bare_part_label, bare_turn_label, row_label};
use super::{Group, Label, Mark, Node, Outline, parts};

/// The tree of a cold forest as of a turn.
#[derive(Debug)]
pub struct ForestView<'a> {
    /// The forest.
    pub replay: &'a Replay,
    /// What was written of it, if anything.
    pub summaries: Option<&'a Summaries>,
    /// The number of the main thread's turn it is as of.
    pub as_of: u32,
}

/// The name of the view on the command line.
pub const NAME: &str = "forest";
/// Terms that a cluster's label names.
const TERMS: usize = 5;

impl<'a> ForestView<'a> {
    /// The tree as of turn `as_of`.
    pub fn new(replay: &'a Replay, summaries: Option<&'a Summaries>, as_of: u32) -> Self {
        Self { replay, summaries, as_of }
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
        let forest = self.replay.forest();
        let sum = forest.sum(&forest.forest().members(root, self.as_of));
        let mut weights: Vec<(u32, f64)> = sum.iter().collect();
        weights.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        weights.into_iter().take(TERMS).map(|(term, _)| forest.vocabulary().name(term)).collect()
    }

    /// What is known of its summary.
    pub fn standing(&self, root: u32) -> Option<Standing> {
        self.summaries?.known(self.replay, root, self.as_of, BUDGET)
    }

    /// The members of a cluster whose branch was left.
    pub fn abandoned(&self, log: &OpenLog, root: u32) -> usize {
        let members = self.replay.forest().forest().members(root, self.as_of);
        members.iter().filter(|node| self.replay.is_abandoned(&log.session, **node, self.as_of)).count()
    }

    fn union(&self, place: u32) -> Option<&Union> {
        self.replay.forest().forest().union_numbered(place + 1)
    }

    fn open(&self) -> (u32, u32) {
        (self.replay.first_open(self.as_of), self.as_of)
    }

    /// A node's message, and the unions it won.
    fn below(&self, log: &OpenLog, node: u32) -> Vec<Node> {
        let own = turns(&log.session, self.replay.message(node)).map(Node::Turn);
        let won = self.replay.forest().forest().won(node, self.as_of);
        own.chain(won.iter().map(|place| Node::Union(*place))).collect()
    }

    fn children(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        match node {
            Node::Root => {
                let mut root = vec![Node::Group(Group::Health)];
                root.extend(self.replay.forest().forest().roots(self.as_of).into_iter().map(Node::Cluster));
                root.push(Node::Group(Group::Hot));
                let (from, to) = self.open();
                root.extend((from <= to).then_some(Node::Group(Group::Open)));
                root
            }
            Node::Cluster(root) => self.below(log, root),
            Node::Union(place) => {
                self.union(place).map_or_else(Vec::new, |union| self.below(log, union.loser))
            }
            Node::Group(Group::Hot) => of_messages(log, &self.replay.hot(self.as_of)),
            Node::Group(Group::Open) => {
                let (from, to) = self.open();
                (from..=to).filter_map(|number| log.session.numbered(0, number)).map(Node::Turn).collect()
            }
            _ => Vec::new(),
        }
    }

    fn cluster_label(&self, log: &OpenLog, root: u32) -> Label {
        let forest = self.replay.forest().forest();
        let members = self.replay.members(root, self.as_of);
        let (Some(first), Some(last)) = (members.first(), members.last()) else { return Label::default() };
        let size = members.len() as u64;
        let share = size as f64 * 100.0 / f64::from(forest.len_as_of(self.as_of).max(1));
        let mut words = vec![
            format!("{} ({} %)", count(size, "message"), share.round()),
            if first.turns.0 == last.turns.1 {
                format!("t{}", first.turns.0)
            } else {
                format!("t{}–t{}", first.turns.0, last.turns.1)
            },
        ];
        let terms = self.top_terms(root).join(", ");
        words.extend((!terms.is_empty()).then_some(terms));
        if let Some(union) = forest.last_won(root, self.as_of) {
            words.push(format!("last union {:.2} {}", union.similarity, union.cause.name()));
        }
        let left = self.abandoned(log, root);
        words.extend((left > 0).then(|| format!("{left} abandoned since")));
        words.extend(self.standing(root).map(|standing| match standing {
            Standing::Whole(written) => format!("summary ~{} of all", short(u64::from(written.tokens))),
            Standing::Stale(written) => {
                format!("! stale summary: covers {} of {}", written.covers.len(), members.len())
            }
            Standing::Failed(failure) => format!("no summary: {failure}"),
        }));
        let ids = self.replay.turns(&log.session, root, self.as_of);
        Label {
            kind: "cluster",
            address: Some(self.address(root)),
            text: words.join(" · "),
            tokens: Some(ids.iter().map(|id| u64::from(log.session.turn(*id).tokens)).sum()),
            turn: Some(first.turns.0),
            ..Label::default()
        }
    }

    fn union_label(&self, place: u32) -> Label {
        let Some(union) = self.union(place) else { return Label::default() };
        Label {
            kind: "union",
            address: Some(Address::Union(place + 1)),
            text: format!(
                "{} + {} at t{} · similarity {:.2} · {}",
                union.sizes.0,
                count(u64::from(union.sizes.1), "message"),
                union.at,
                union.similarity,
                union.cause.name()
            ),
            turn: Some(union.at),
            ..Label::default()
        }
    }

    fn group_label(&self, log: &OpenLog, group: Group) -> Label {
        let (kind, text) = match group {
            Group::Health => ("health", self.health().line()),
            Group::Hot => {
                ("group", format!("hot · {}", count(self.replay.hot(self.as_of).len() as u64, "message")))
            }
            Group::Open => {
                let (from, to) = self.open();
                ("group", format!("not closed · {}", count(u64::from(to + 1 - from), "turn")))
            }
            Group::Notes(id) => ("group", count(log.session.notes_after(id).len() as u64, "note")),
            _ => return Label::default(),
        };
        let turns = self.sources(log, Node::Group(group));
        let tokens = turns.iter().map(|id| u64::from(log.session.turn(*id).tokens)).sum();
        Label { kind, text, tokens: (!turns.is_empty()).then_some(tokens), ..Label::default() }
    }

    fn turn_label(&self, log: &OpenLog, id: TurnId) -> Label {
        let session = &log.session;
        let turn = session.turn(id);
        let mut label = bare_turn_label(session, id);
        let left = session.is_abandoned(id, self.as_of);
        let node = self.replay.node_of_turn(turn.number);
        let cold = node.is_some_and(|node| self.replay.forest().forest().added(node) <= self.as_of);
        label.out = left || turn.is_summary() || cold;
        if left && !turn.is_withdrawn() {
            label.marks.push(Mark::Abandoned(turn.abandoned_at));
        }
        label
    }
}

fn of_messages(log: &OpenLog, messages: &[&Message]) -> Vec<Node> {
    messages.iter().flat_map(|message| turns(&log.session, message)).map(Node::Turn).collect()
}

impl Outline for ForestView<'_> {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        match node {
            Node::Turn(_) | Node::Part(..) | Node::Group(Group::Notes(_)) | Node::Row(_) => {
                parts::count(log, node)
            }
            _ => self.children(log, node).len(),
        }
    }

    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node> {
        match node {
            Node::Turn(_) | Node::Group(Group::Notes(_)) => parts::child(log, node, index),
            _ => self.children(log, node).get(index).copied(),
        }
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        match node {
            Node::Turn(_) | Node::Group(Group::Notes(_)) => parts::position(log, node, child),
            _ => self.children(log, node).iter().position(|known| *known == child),
        }
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        match node {
            Node::Cluster(root) => self.cluster_label(log, root),
            Node::Union(place) => self.union_label(place),
            Node::Group(group) => self.group_label(log, group),
            Node::Turn(id) => self.turn_label(log, id),
            Node::Part(id, index) => match log.session.nth_part(id, index as usize) {
                Some((_, part)) => bare_part_label(log, id, index, part),
                None => Label::default(),
            },
            Node::Row(row) => row_label(&log.session, row),
            _ => Label { kind: "root", ..Label::default() },
        }
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        match node {
            Node::Cluster(root) => self.replay.turns(&log.session, root, self.as_of),
            Node::Union(place) => self.joined(log, place),
            Node::Group(Group::Hot | Group::Open) => {
                let turn = |node| if let Node::Turn(id) = node { Some(id) } else { None };
                self.children(log, node).into_iter().filter_map(turn).collect()
            }
            Node::Turn(id) | Node::Part(id, _) => vec![id],
            _ => Vec::new(),
        }
    }
}

impl ForestView<'_> {
    /// The turns that a union brought, oldest first.
    pub fn joined(&self, log: &OpenLog, place: u32) -> Vec<TurnId> {
        let Some(union) = self.union(place) else { return Vec::new() };
        // What hangs below the loser has not changed since it was linked.
        let mut nodes = self.replay.forest().forest().members(union.loser, self.as_of);
        nodes.sort_unstable();
        nodes.into_iter().flat_map(|node| turns(&log.session, self.replay.message(node))).collect()
    }
}
