//! What the detail pane shows of a forest's file: what is wrong with it, its summaries, its messages word for word.

use crate::outline::forest::{Asked, FileShown, HOT};
use crate::outline::{Group, Node};
use crate::strategies::union_find::opened::Opened;
use crate::strategies::union_find::reader::{Given, NOTHING_ALIKE, Reading};
use crate::text::numbers::{count, grouped};

use super::super::document::{Block, Document, Tone};
use super::forest::{WRITTEN, asking};

/// The document of a node of a file.
pub fn document(shown: &FileShown, node: Node) -> Document {
    let file = &*shown.file;
    match node {
        Node::Group(Group::Asked) => match &*shown.asked.borrow() {
            Some(asked) => question(shown, asked),
            None => Document::default(),
        },
        Node::Breach(number) => breach(file, number),
        Node::Cluster(place) => cluster(shown, place),
        Node::Member(place, at) => member(shown, place, at),
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

fn cluster(shown: &FileShown, place: u32) -> Document {
    let file = &*shown.file;
    let Some((root, members)) = shown.cluster(place) else { return Document::default() };
    let mut facts = vec![(Tone::Dim, count(members.len() as u64, "message"))];
    if *root == HOT {
        facts.push((Tone::Dim, "The newest messages: a model would see them whole.".to_owned()));
        return Document { title: "hot window".to_owned(), facts, ..Document::default() };
    }
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

fn member(shown: &FileShown, place: u32, at: u32) -> Document {
    let file = &*shown.file;
    let Some((root, members)) = shown.cluster(place) else { return Document::default() };
    let Some(id) = members.get(at as usize) else { return Document::default() };
    let title = if *root == HOT { format!("t{id} hot") } else { format!("t{id} of c{root}") };
    let Some(content) = file.content(*id) else {
        let facts = vec![(Tone::Warn, "the cluster names it, and the file has no such node".to_owned())];
        return Document { title, facts, ..Document::default() };
    };
    let facts = content.time.iter().map(|time| (Tone::Dim, time.clone())).collect();
    let blocks = vec![Block::text(String::new(), Tone::User, content.text.clone())];
    Document { title, facts, blocks, ..Document::default() }
}

/// The node that an id means, as `c4` or as `t4`.
pub fn node(shown: &FileShown, id: i64, as_cluster: bool) -> Option<Node> {
    let (place, at) = shown.find(id)?;
    Some(if as_cluster { Node::Cluster(place) } else { Node::Member(place, at) })
}

fn question(shown: &FileShown, asked: &Asked) -> Document {
    let file = &*shown.file;
    let mut document = asking(asked, || WRITTEN.to_owned());
    let Some(reading) = asked.reading() else { return document };
    let (tokens, budget) = (grouped(reading.tokens), grouped(asked.budget));
    let facts = &mut document.facts;
    facts.push((Tone::Dim, format!("~{tokens} of {budget} tokens · scored by vectors made here")));
    if reading.is_in_vain() {
        facts.push((Tone::Warn, format!("! {NOTHING_ALIKE}")));
    }
    let row = |(root, score): &(u32, f64)| {
        let id = file.id(*root);
        let members = shown.find(id).and_then(|(place, _)| shown.cluster(place));
        let size = members.map_or(0, |(_, members)| members.len() as u64);
        vec![
            (Tone::Heading, format!("c{id:<6}")),
            (Tone::Text, format!("{score:>6.3} ")),
            (Tone::Dim, count(size, "message")),
        ]
    };
    let scores = reading.scores.iter().map(row).collect();
    document.blocks = vec![Block::runs("clusters by similarity to the question".to_owned(), scores)];
    document.blocks.extend(given(shown, reading));
    document.chosen = document.links().first().map(|(block, _)| *block);
    document
}

/// What is given, text by text, each leading to where it stands.
fn given(shown: &FileShown, reading: &Reading) -> Vec<Block> {
    let leading = |block: Block, id, as_cluster| match node(shown, id, as_cluster) {
        Some(node) => block.leading_to(node),
        None => block,
    };
    let mut blocks = Vec::new();
    if reading.whole {
        blocks.push(Block::runs("the file fits: all of it, oldest first".to_owned(), Vec::new()));
    }
    for raw in &reading.raw {
        let id = shown.file.id(raw.node);
        let score = if reading.whole { String::new() } else { format!(" · {:.3}", raw.score) };
        let cut = if raw.cut { " · cut at its end" } else { "" };
        let heading = format!("t{id} word for word{score} · ~{} tokens{cut}", raw.tokens);
        blocks.push(leading(Block::whole(heading, Tone::User, raw.text.clone()), id, false));
    }
    for read in &reading.clusters {
        let id = shown.file.id(read.root);
        let text = match &read.given {
            Given::Whole(text) => text.clone(),
            Given::Summary(summary) => summary.text.clone(),
            Given::Failed(_) => String::new(),
        };
        let heading = format!("c{id} {} · {:.3} · ~{} tokens", read.heading(), read.score, read.tokens);
        blocks.push(leading(Block::whole(heading, Tone::Summary, text), id, true));
    }
    blocks
}
