//! What the detail pane shows of a forest's file: what is wrong with it, its summaries, its messages word for word.

use std::rc::Rc;

use crate::outline::forest::FileTree;
use crate::outline::{Group, Node};
use crate::strategies::union_find::opened::Opened;
use crate::text::numbers::count;

use super::super::document::{Block, Document, Tone};

/// The document of a node of a file.
pub fn document(file: &Opened, node: Node) -> Document {
    match node {
        Node::Breach(number) => breach(file, number),
        Node::Cluster(place) => cluster(file, place),
        Node::Member(place, at) => member(file, place, at),
        Node::Group(Group::Health) => health(file),
        _ => Document::default(),
    }
}

fn health(file: &Opened) -> Document {
    let breaches = file.breaches();
    let mut facts = vec![(Tone::Heading, file.head()), (Tone::Text, file.health().line())];
    facts.push(match breaches.len() {
        0 if file.is_foreign() => {
            (Tone::Assistant, "nothing of what holds in healthy files is breached".to_owned())
        }
        0 => (Tone::Dim, "saved here, whole".to_owned()),
        many => {
            (Tone::Warn, format!("{}: believe nothing else of it before these", count(many as u64, "defect")))
        }
    });
    facts.extend(breaches.iter().map(|breach| (Tone::Warn, format!("! {}: {}", breach.kind, breach.text))));
    facts.push((
        Tone::Dim,
        if file.is_foreign() {
            "Addresses are the file's own ids. What forced its unions a file does not say."
        } else {
            "Addresses are the numbers of its messages, from 0."
        }
        .to_owned(),
    ));
    Document { title: "forest file".to_owned(), facts, ..Document::default() }
}

fn breach(file: &Opened, number: u32) -> Document {
    let Some(breach) = file.breaches().get(number as usize) else { return Document::default() };
    let ids: Vec<String> = breach.ids.iter().map(ToString::to_string).collect();
    let facts = vec![
        (Tone::Warn, format!("! {}", breach.kind)),
        (Tone::Text, breach.text.clone()),
        (Tone::Dim, format!("nodes: {}", ids.join(", "))),
    ];
    let blocks = breach.ids.iter().filter_map(|id| {
        let content = file.content(*id)?;
        Some(Block::text(format!("t{id}"), Tone::User, content.text.clone()))
    });
    Document { title: "defect".to_owned(), facts, blocks: blocks.collect(), ..Document::default() }
}

fn cluster(file: &Opened, place: u32) -> Document {
    let clusters = file.clusters();
    let Some((root, members)) = clusters.get(place as usize) else { return Document::default() };
    let mut facts = vec![(Tone::Dim, count(members.len() as u64, "message"))];
    let mut blocks = Vec::new();
    match file.summary(*root) {
        Some(text) => {
            facts.push((Tone::Warn, "its summary: of which members the file does not say".to_owned()));
            blocks.push(Block::whole(String::new(), Tone::Summary, text.to_owned()));
        }
        None => facts.push((Tone::Dim, "the file has no summary of it".to_owned())),
    }
    Document { title: format!("c{root} cluster"), facts, blocks, ..Document::default() }
}

fn member(file: &Opened, place: u32, at: u32) -> Document {
    let clusters = file.clusters();
    let id = clusters.get(place as usize).and_then(|(_, members)| members.get(at as usize));
    let Some((id, root)) = id.zip(clusters.get(place as usize).map(|(root, _)| root)) else {
        return Document::default();
    };
    let title = format!("t{id} of c{root}");
    let Some(content) = file.content(*id) else {
        let facts = vec![(Tone::Warn, "the cluster names it, and the file has no such node".to_owned())];
        return Document { title, facts, ..Document::default() };
    };
    let facts = content.time.iter().map(|time| (Tone::Dim, time.clone())).collect();
    let blocks = vec![Block::text(String::new(), Tone::User, content.text.clone())];
    Document { title, facts, blocks, ..Document::default() }
}

/// The node that an id means, as `c4` or as `t4`.
pub fn node(file: &Rc<Opened>, id: u32, as_cluster: bool) -> Option<Node> {
    let (place, at) = FileTree::new(Rc::clone(file)).find(i64::from(id))?;
    Some(if as_cluster { Node::Cluster(place) } else { Node::Member(place, at) })
}
