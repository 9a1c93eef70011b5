//! A forest's file as a tree: what is wrong with it first, then its clusters as the file has them.
//!
//! There is no session behind it: nothing is as of a turn, and the numbers are the file's own ids.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::union_find::opened::Opened;
use crate::text::numbers::count;
use crate::text::preview;

use super::super::{Group, Label, Mark, Node, Outline, OwnTree};
use super::labels::bar;
use super::own::Asked;

/// The root of the hot window, which has none.
pub const HOT: i64 = i64::MIN;

/// A forest's file, and what somebody asked of it.
#[derive(Debug)]
pub struct FileShown {
    /// The file.
    pub file: Arc<Opened>,
    /// What somebody asked last.
    pub asked: RefCell<Option<Asked>>,
    clusters: Vec<(i64, Vec<i64>)>,
    largest: usize,
}

impl FileShown {
    /// Nothing asked yet.
    pub fn new(file: Opened) -> Self {
        let mut clusters = file.clusters();
        let largest = clusters.iter().map(|(_, members)| members.len()).max().unwrap_or(0);
        // The hot window stands behind the clusters like one of them, and has no root.
        clusters.extend((!file.hot().is_empty()).then(|| (HOT, file.hot().to_vec())));
        Self { file: Arc::new(file), asked: RefCell::default(), clusters, largest }
    }

    /// The root's id and the members' ids of the cluster at a place.
    pub fn cluster(&self, place: u32) -> Option<&(i64, Vec<i64>)> {
        self.clusters.get(place as usize)
    }

    /// All messages in the order of the tree, each with what it says.
    pub fn messages(&self) -> impl Iterator<Item = (Node, &str)> {
        (0..).zip(&self.clusters).flat_map(move |(place, (_, members))| {
            (0..).zip(members).filter_map(move |(at, id)| {
                let content = self.file.content(*id)?;
                Some((Node::Member(place, at), content.text.as_str()))
            })
        })
    }

    /// The cluster that has an id among its members, or for its root; and where in it the id stands.
    pub fn find(&self, id: i64) -> Option<(u32, u32)> {
        (0..).zip(&self.clusters).find_map(|(place, (root, members))| {
            let at = members.iter().position(|member| *member == id);
            at.or((*root == id).then_some(0)).map(|at| (place, at as u32))
        })
    }
}

/// The tree of a forest's file.
#[derive(Debug)]
pub struct FileTree {
    shown: Rc<FileShown>,
}

impl FileTree {
    /// The tree of a file.
    pub fn new(shown: Rc<FileShown>) -> Self {
        Self { shown }
    }

    fn asks(&self) -> bool {
        self.shown.asked.borrow().is_some()
    }

    /// How many rows stand above the clusters.
    fn head(&self) -> usize {
        1 + usize::from(self.asks()) + self.shown.file.breaches().len()
    }

    fn cluster_label(&self, place: u32) -> Label {
        let Some((root, members)) = self.shown.cluster(place) else { return Label::default() };
        if *root == HOT {
            let text = format!("hot · {}", count(members.len() as u64, "message"));
            return Label { kind: "group", text, ..Label::default() };
        }
        let bar = bar(members.len() as u32, self.shown.largest as u32);
        let mut words = vec![format!("{bar} {}", count(members.len() as u64, "message"))];
        words.extend(self.shown.file.summary(*root).map(|_| "summary".to_owned()));
        // A message of it is the quickest way to tell what it is about.
        let first = members.iter().find_map(|member| self.shown.file.content(*member));
        words.extend(first.map(|content| preview::of(&content.text)));
        Label {
            kind: "cluster",
            address: address(*root, Address::Cluster),
            text: words.join(" · "),
            ..Label::default()
        }
    }

    fn member_label(&self, place: u32, at: u32) -> Label {
        let Some(id) = self.shown.cluster(place).and_then(|(_, members)| members.get(at as usize)) else {
            return Label::default();
        };
        let content = self.shown.file.content(*id);
        let turn = |number| Address::Turn { thread: None, number, part: None };
        Label {
            kind: "message",
            address: address(*id, turn),
            text: content
                .map_or_else(|| "is no node of this file".to_owned(), |content| preview::of(&content.text)),
            marks: if content.is_none() { vec![Mark::Incomplete] } else { Vec::new() },
            ..Label::default()
        }
    }
}

/// An id as the number of an address, where it is one.
fn address(id: i64, of: impl FnOnce(u32) -> Address) -> Option<Address> {
    u32::try_from(id).ok().map(of)
}

impl Outline for FileTree {
    fn count(&self, _: &OpenLog, node: Node) -> usize {
        match node {
            Node::Root => self.head() + self.shown.clusters.len(),
            Node::Cluster(place) => self.shown.cluster(place).map_or(0, |(_, members)| members.len()),
            _ => 0,
        }
    }

    fn child(&self, _: &OpenLog, node: Node, index: usize) -> Option<Node> {
        match node {
            Node::Root if index == 0 => Some(Node::Group(Group::Health)),
            Node::Root if index == 1 && self.asks() => Some(Node::Group(Group::Asked)),
            Node::Root if index < self.head() => {
                Some(Node::Breach((index - 1 - usize::from(self.asks())) as u32))
            }
            Node::Root => {
                let place = index - self.head();
                (place < self.shown.clusters.len()).then_some(Node::Cluster(place as u32))
            }
            Node::Cluster(place) => {
                let members = &self.shown.cluster(place)?.1;
                (index < members.len()).then_some(Node::Member(place, index as u32))
            }
            _ => None,
        }
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        let at = match (node, child) {
            (Node::Root, Node::Group(Group::Health)) => 0,
            (Node::Root, Node::Group(Group::Asked)) if self.asks() => 1,
            (Node::Root, Node::Breach(number)) => 1 + usize::from(self.asks()) + number as usize,
            (Node::Root, Node::Cluster(place)) => self.head() + place as usize,
            (Node::Cluster(place), Node::Member(of, at)) if place == of => at as usize,
            _ => return None,
        };
        (self.child(log, node, at) == Some(child)).then_some(at)
    }

    fn label(&self, _: &OpenLog, node: Node) -> Label {
        match node {
            Node::Group(Group::Health) => {
                Label { kind: "health", text: self.shown.file.health().line(), ..Label::default() }
            }
            Node::Group(Group::Asked) => {
                let asked = self.shown.asked.borrow();
                let text = asked.as_ref().map(|asked| format!("asked: {}", asked.told()));
                Label { kind: "asked", text: text.unwrap_or_default(), ..Label::default() }
            }
            Node::Breach(number) => match self.shown.file.breaches().get(number as usize) {
                Some(breach) => Label {
                    kind: "breach",
                    text: format!("! {}: {}", breach.kind, breach.text),
                    ..Label::default()
                },
                None => Label::default(),
            },
            Node::Cluster(place) => self.cluster_label(place),
            Node::Member(place, at) => self.member_label(place, at),
            _ => Label { kind: "root", ..Label::default() },
        }
    }

    fn sources(&self, _: &OpenLog, _: Node) -> Vec<TurnId> {
        Vec::new()
    }
}

impl OwnTree for FileTree {
    fn move_to(&mut self, _: &OpenLog, _: u32) {}

    fn path_to(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        let above = match node {
            Node::Member(place, _) => Some(Node::Cluster(place)),
            _ => None,
        };
        let there = self.position(log, above.unwrap_or(Node::Root), node).is_some();
        if there { above.into_iter().chain([node]).collect() } else { Vec::new() }
    }

    fn newest(&self, _: &OpenLog) -> Vec<Node> {
        vec![Node::Group(Group::Health)]
    }
}
