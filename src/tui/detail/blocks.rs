//! What the detail pane shows of the block hierarchy: summaries line by line, each leading to its turn.

use crate::outline::blocks::Hierarchy;
use crate::outline::{Group, Node};
use crate::session::open::OpenLog;
use crate::strategies::blocks::carry::Kind;
use crate::strategies::blocks::summaries::{Waiting, Written};
use crate::strategies::blocks::{Made, Retention, State};
use crate::text::numbers::{count, short};
use crate::text::preview;

use super::super::document::{Block, Body, Document, Runs, Tone};
use super::made::{lines, named, said};

/// The document of a node that only the hierarchy has.
pub fn document(hierarchy: &Hierarchy, log: &OpenLog, as_of: u32, node: Node) -> Option<Document> {
    Some(match node {
        Node::Made(made) | Node::Group(Group::Lines(made)) => summary(hierarchy, log, made),
        Node::MadeSentence(made, place) => sentence(hierarchy, log, made, place),
        Node::Piece(made, level, index) => piece(hierarchy, made, level, index),
        Node::Item(number) => item(hierarchy, log, as_of, number),
        _ => return None,
    })
}

/// What a heading of the view means.
pub fn explain(node: Node) -> Option<&'static str> {
    Some(match node {
        Node::Group(Group::Ledger) => {
            "What binds, word for word: part of every context, never summarised. p pins and unpins, C gives another class."
        }
        Node::Group(Group::Open) => "Turns in no block yet: the model would see them whole.",
        _ => return None,
    })
}

/// What was written, and how it stands with it.
fn standing(hierarchy: &Hierarchy, made: Made) -> (Tone, String) {
    let Hierarchy { blocks, summaries, .. } = hierarchy;
    let frozen = is_frozen(hierarchy);
    match (summaries.known(blocks, made), summaries.waiting(blocks, made)) {
        (Some(Ok(written)), _) => {
            let carries = &written.carries;
            let share = |what: &str, carried: u32, of: u32| format!("{carried} of {of} {what}");
            let words = [
                format!("written by {}", preview::of(&written.summariser)),
                format!("~{} tokens", short(u64::from(written.tokens))),
                format!("depth {}", written.plan.depth()),
                format!(
                    "carries {}, {}, {}",
                    share("exact items", carries.exact.carried, carries.exact.of),
                    share("open questions", carries.open.carried, carries.open.of),
                    share("binding words", carries.binding.carried, carries.binding.of),
                ),
            ];
            (Tone::Dim, words.join(" · "))
        }
        (Some(Err(failure)), _) => (Tone::Warn, format!("no summary: {failure} · R tries again")),
        (None, Some(Waiting::Running)) => (Tone::Dim, "its summary is being written …".into()),
        (None, Some(Waiting::Queued)) => (Tone::Dim, "its summary waits to be written".into()),
        (None, None) if frozen => (Tone::Warn, "no summary, originals not retained".into()),
        (None, None) => (Tone::Dim, "its summary is not written · R writes it".into()),
    }
}

/// Whether the originals of closed blocks are not kept.
pub fn is_frozen(hierarchy: &Hierarchy) -> bool {
    hierarchy.blocks.settings().retention == Retention::CurrentBlock
}

/// Whether its summary is on its way: what is shown of it is to be made anew.
fn is_awaited(hierarchy: &Hierarchy, made: Made) -> bool {
    hierarchy.summaries.waiting(&hierarchy.blocks, made).is_some()
}

/// What is known of a block or span at a glance.
fn facts(hierarchy: &Hierarchy, made: Made) -> Vec<(Tone, String)> {
    let blocks = &hierarchy.blocks;
    let Some((from, to)) = blocks.range(made) else { return Vec::new() };
    let mut words = vec!["replayed".to_owned(), count(u64::from(to - from + 1), "turn")];
    match made {
        Made::Block(number) => words.extend(blocks.block(number).map(|block| {
            let (why, at) = (block.closed_by.name(), block.closed_at);
            format!("~{} tokens of originals · closed by {why} at t{at}", short(block.originals))
        })),
        Made::Span(number) => words.extend(blocks.span(number).map(|span| {
            let ahead = span.prepared_at.map_or_else(String::new, |at| format!(", prepared at t{at}"));
            format!(
                "~{} tokens of originals · {} · made at t{}{ahead}",
                short(span.originals),
                count(u64::from(span.blocks), "block"),
                span.made_at
            )
        })),
        Made::Fold(_) => {}
    }
    vec![(Tone::Dim, words.join(" · ")), standing(hierarchy, made)]
}

fn summary(hierarchy: &Hierarchy, log: &OpenLog, made: Made) -> Document {
    let range = hierarchy.blocks.range(made);
    let range = range.map_or_else(String::new, |(from, to)| format!("t{from}–t{to}"));
    let title = format!("{} summary of {range}", made.address());
    let pending = is_awaited(hierarchy, made);
    let mut document = Document { title, facts: facts(hierarchy, made), pending, ..Document::default() };
    let known = hierarchy.summaries.known(&hierarchy.blocks, made);
    if let Some(Ok(written)) = known {
        document.blocks = of_made(log, made, written);
        if is_frozen(hierarchy) {
            // The turns are named, and lead nowhere.
            document.blocks.iter_mut().for_each(|block| block.link = None);
        } else {
            document.blocks.extend(not_carried(log, written));
        }
        document.chosen = document.links().first().map(|(block, _)| *block);
    }
    document
}

/// A summary line by line, each line a sentence with an address of its own.
fn of_made(log: &OpenLog, made: Made, written: &Written) -> Vec<Block> {
    let being = |place| Some(Node::MadeSentence(made, place));
    lines(log, &written.summary, &written.sentences, &being)
}

/// What a summary does not carry of what its originals say, each leading to the turn that says it first.
fn not_carried(log: &OpenLog, written: &Written) -> Vec<Block> {
    let missing = &written.carries.missing;
    if missing.is_empty() {
        return Vec::new();
    }
    let what = format!("── not carried: {}", count(missing.len() as u64, "item"));
    let lines = missing.iter().map(|missing| {
        let kind = match missing.kind {
            Kind::Exact => "",
            Kind::Open => "open: ",
            Kind::Binding => "binds: ",
        };
        let words = preview::on_one_line(&missing.text);
        let heading = format!("t{} {kind}{words}", missing.turn);
        let block = Block::new(heading, Tone::Text, Body::Runs(Vec::new())).close();
        match log.session.numbered(0, missing.turn) {
            Some(id) => block.leading_to(Node::Turn(id)).at(&missing.text),
            None => block,
        }
    });
    std::iter::once(Block::runs(what, Vec::new())).chain(lines).collect()
}

fn sentence(hierarchy: &Hierarchy, log: &OpenLog, made: Made, place: u32) -> Document {
    let title = made.sentence(place + 1).to_string();
    let known = hierarchy.summaries.known(&hierarchy.blocks, made);
    let Some(Ok(written)) = known else {
        let pending = is_awaited(hierarchy, made);
        return Document { title, facts: vec![standing(hierarchy, made)], pending, ..Document::default() };
    };
    let text = written.sentence(place).unwrap_or_default();
    let turns = written.turns_of(place);
    let frozen = is_frozen(hierarchy);
    let whence = if frozen {
        (Tone::Warn, format!("originals not retained{}", named(&turns, "")))
    } else if turns.is_empty() {
        (Tone::Dim, "its maker names no turn of its range · t ranks those that it may rest on".to_owned())
    } else {
        (
            Tone::Assistant,
            format!("its maker names {} · t shows what they say of it", count(turns.len() as u64, "turn")),
        )
    };
    let facts = vec![whence, (Tone::Dim, format!("replayed · in the summary of {}", made.address()))];
    let mut blocks = vec![Block::whole(String::new(), Tone::Summary, text.to_owned())];
    let session = &log.session;
    for id in turns.iter().filter(|_| !frozen).filter_map(|number| session.numbered(0, *number)) {
        let turn = session.turn(id);
        let heading = format!("{} {}", session.address(id), turn.role.name());
        let first: Runs = vec![(Tone::Dim, format!("    {}", session.preview(&turn)))];
        let body = Body::Runs(vec![first]);
        let block = Block::new(heading, super::tone_of(turn.role), body).leading_to(Node::Turn(id));
        let block = block.at(said(text));
        blocks.push(if blocks.len() == 1 { block } else { block.close() });
    }
    let mut document = Document { title, facts, blocks, ..Document::default() };
    document.chosen = document.links().first().map(|(block, _)| *block);
    document
}

fn piece(hierarchy: &Hierarchy, made: Made, level: u16, index: u16) -> Document {
    let title = format!("{} level {level}", made.address());
    let known = hierarchy.summaries.known(&hierarchy.blocks, made);
    let Some(Ok(written)) = known else {
        return Document { title, facts: vec![standing(hierarchy, made)], ..Document::default() };
    };
    let (at, place) = (usize::from(level), usize::from(index));
    let (from, to) = written.plan.turns(at, place);
    let of = if level == 1 { "originals" } else { "summaries of originals" };
    let facts = vec![(Tone::Dim, format!("replayed · a summary of {of}, t{from}–t{to} · depth {level}"))];
    let below = written.below.get(at.saturating_sub(1)).and_then(|level| level.get(place));
    let text = below.map(|summary| summary.text.clone()).unwrap_or_default();
    let blocks = vec![Block::whole(String::new(), Tone::Summary, text)];
    Document { title, facts, blocks, ..Document::default() }
}

fn item(hierarchy: &Hierarchy, log: &OpenLog, as_of: u32, number: u32) -> Document {
    let Some(item) = hierarchy.blocks.ledger().item(number) else { return Document::default() };
    let session = &log.session;
    let state = item.state(&log.session, as_of);
    let mut words = vec![item.kinds().join(" and ")];
    if item.hand.class.is_some() {
        words[0].push_str(" (by hand)");
    }
    words.extend((state != State::Open).then(|| state.words()));
    words.push(format!("~{} tokens", short(u64::from(item.tokens))));
    let standing = if item.is_unpinned() {
        (Tone::Warn, "unpinned by hand: not part of the context · p pins it again".to_owned())
    } else if item.is_gone(session, as_of) {
        (Tone::Warn, "its turn was left behind: not part of the context".to_owned())
    } else {
        let marked = if state == State::Open { "" } else { ", marked as such" };
        let words =
            format!("part of every context, word for word{marked} · p unpins it, C gives another class");
        (Tone::Assistant, words)
    };
    let said = if item.voice { "said in the result of a tool" } else { "said" };
    let heading = format!("{} {said}", session.address(item.turn));
    let link = Block::new(heading, Tone::User, Body::Runs(Vec::new()));
    let mut blocks = vec![
        Block::whole(String::new(), Tone::User, item.text.clone()),
        link.leading_to(Node::Turn(item.turn)).at(&item.text),
    ];
    let became = match state {
        State::Open => None,
        State::Answered(turn) => session
            .numbered(0, turn)
            .map(|id| (format!("t{turn} answered: {}", session.preview(&session.turn(id))), Node::Turn(id))),
        State::Superseded(by) => hierarchy.blocks.ledger().item(by).map(|newer| {
            (format!("i{by} superseded it: {}", preview::on_one_line(&newer.text)), Node::Item(by))
        }),
    };
    blocks.extend(became.map(|(heading, node)| {
        Block::new(heading, Tone::Text, Body::Runs(Vec::new())).leading_to(node).close()
    }));
    let facts = vec![(Tone::Dim, words.join(" · ")), standing];
    Document {
        title: format!("i{number} of the ledger"),
        facts,
        blocks,
        chosen: Some(1),
        ..Document::default()
    }
}

/// What a node that only the hierarchy has copies; nothing of a summary that is not written.
pub fn plain(hierarchy: &Hierarchy, node: Node) -> Option<String> {
    let written = |made| hierarchy.summaries.known(&hierarchy.blocks, made)?.as_ref().ok();
    match node {
        Node::Made(made) | Node::Group(Group::Lines(made)) => {
            Some(written(made).map_or_else(String::new, |written| written.summary.text.clone()))
        }
        Node::MadeSentence(made, place) => Some(written(made)?.sentence(place)?.to_owned()),
        Node::Piece(made, level, index) => {
            let level = written(made)?.below.get(usize::from(level).saturating_sub(1))?;
            Some(level.get(usize::from(index))?.text.clone())
        }
        Node::Item(number) => Some(hierarchy.blocks.ledger().item(number)?.text.clone()),
        _ => None,
    }
}
