//! From a node to the document that shows it.

pub mod audit;
pub mod blocks;
pub mod forest;
pub mod forest_file;
pub mod made;
pub mod receipts;

use std::sync::Arc;

use crate::formats::facts::{PartKind, Role};
use crate::lineage::tracing::Tracing;
use crate::outline::{Group, Mark, Node, Outline, View, ViewKind};
use crate::session::later::{self, Soon};
use crate::session::open::OpenLog;
use crate::session::text::whole;
use crate::session::{Compaction, Session, TurnId};
use crate::text::numbers::{bytes, count, grouped, short};

use super::document::{Block, Document, Tone, Words};
use super::model::clock;

/// The document of `node`.
pub fn document(view: &View, log: &OpenLog, tracing: &Tracing, node: Node) -> Document {
    match node {
        Node::Turn(id) | Node::Pinned(id) => turn(view, log, id, None, None),
        Node::Part(id, part) => turn(view, log, id, Some(part), None),
        Node::AgentTurn(agent, id) => {
            of_agent(log, agent, |inner, name| turn(view, inner, id, None, Some(name)))
        }
        Node::AgentPart(agent, id, part) => {
            of_agent(log, agent, |inner, name| turn(view, inner, id, Some(part), Some(name)))
        }
        Node::Generation(generation) => summary(view, log, generation),
        Node::Section(generation, section) => one_section(view, log, generation, section),
        Node::Sentence(generation, place) => one_sentence(view, log, tracing, generation, place),
        Node::Row(row) => record(log, row),
        _ => heading(view, log, node),
    }
}

fn of_agent(log: &OpenLog, agent: u16, make: impl FnOnce(&OpenLog, &str) -> Document) -> Document {
    match log.agent_log(usize::from(agent)) {
        Ok(inner) => make(inner, &log.agents()[usize::from(agent)].file.name),
        // A large file is being read; or it cannot be, and asking again costs nothing.
        Err(error) => Document { pending: true, ..problem(error) },
    }
}

fn problem(error: String) -> Document {
    Document { facts: vec![(Tone::Warn, error)], ..Document::default() }
}

/// What is shown while `bytes` of a text are being read.
fn pending(title: String, mut facts: Vec<(Tone, String)>, bytes: u64) -> Document {
    facts.push((Tone::Warn, later::note(bytes)));
    Document { title, facts, pending: true, ..Document::default() }
}

/// How a role is drawn.
pub fn tone_of(role: Role) -> Tone {
    match role {
        Role::User => Tone::User,
        Role::Assistant => Tone::Assistant,
        Role::Tool => Tone::Tool,
        Role::Summary => Tone::Summary,
    }
}

fn turn(view: &View, log: &OpenLog, id: TurnId, part: Option<u32>, agent: Option<&str>) -> Document {
    let session = &log.session;
    let it = session.turn(id);
    let address = log.address(id, agent);
    let title = match part {
        Some(part) => format!("{address}.{part} {}", it.role.name()),
        None => format!("{address} {}", it.role.name()),
    };
    let mut facts = vec![(Tone::Dim, turn_facts(session, id))];
    if agent.is_none() && it.thread == 0 {
        facts.push(standing(view, session, id));
    }
    let texts = match log.texts_soon(id) {
        Ok(Soon::Ready(texts)) => texts,
        Ok(Soon::Later(bytes)) => return pending(title, facts, bytes),
        Err(error) => return Document { title, ..problem(error) },
    };
    let wanted =
        texts.iter().enumerate().filter(|(_, located)| part.is_none_or(|part| located.index == part));
    let blocks = wanted
        .map(|(place, located)| {
            let kept = session.part(located.place);
            let tool = session.named(kept.tool).unwrap_or_default();
            let (tone, mut heading) = match located.text.kind {
                PartKind::Text => (tone_of(it.role), "text".to_owned()),
                PartKind::Thinking => (Tone::Dim, "thinking".to_owned()),
                PartKind::ToolCall => (Tone::Tool, format!("call {tool}")),
                PartKind::ToolResult => (Tone::Tool, format!("result {tool}")),
                PartKind::Image => (Tone::Dim, "image".to_owned()),
                PartKind::Encrypted => (Tone::Warn, "encrypted".to_owned()),
                PartKind::Other => (Tone::Dim, "other".to_owned()),
            };
            if kept.voice {
                heading.push_str(" · the user's own words are in it");
            } else if kept.error {
                heading.push_str(" · ✗ error");
            } else if kept.again {
                heading.push_str(" · told to the model again, beside the summary");
            }
            if let Some((_, pair)) = session.pair(&kept) {
                let other = if kept.kind == PartKind::ToolCall { "result" } else { "call" };
                heading = format!("{heading} · {other} at {}", log.address(session.turn_of(&pair), agent));
            }
            let size = format!("{} · ~{}", bytes(u64::from(kept.bytes)), short(u64::from(kept.tokens)));
            Block::text(format!("── {heading} · {size}"), tone, Words::OfTurn(Arc::clone(&texts), place))
        })
        .collect();
    Document { title, facts, blocks, ..Document::default() }
}

fn turn_facts(session: &Session, id: TurnId) -> String {
    let turn = session.turn(id);
    let lines: Vec<u32> = session.rows_of(id).map(|(_, row)| row.line).collect();
    let place = match (lines.first(), lines.last()) {
        _ if session.partial => "L…".to_owned(),
        (Some(first), Some(last)) if first != last => format!("L{first}–L{last}"),
        (Some(first), _) => format!("L{first}"),
        _ => String::new(),
    };
    let mut facts = vec![place];
    facts.extend(clock(turn.time, true));
    facts.push(size(session, id));
    if turn.context > 0 {
        facts.push(format!("context {}", grouped(u64::from(turn.context))));
    }
    facts.join(" · ")
}

/// The size of a turn; of an encrypted summary only what stands beside it is known.
fn size(session: &Session, id: TurnId) -> String {
    let tokens = session.turn(id).tokens;
    let sealed = session.compaction_of(id).is_some_and(|compaction| compaction.encrypted.is_some());
    match (sealed, tokens) {
        (true, 0) => "size in tokens unknown".to_owned(),
        (true, _) => format!("size in tokens unknown, ~{} beside it", grouped(u64::from(tokens))),
        (false, _) => format!("~{} tokens", grouped(u64::from(tokens))),
    }
}

/// Whether the model sees a turn, and what became of it if not. In a view of what is replayed that is said of the log.
fn standing(view: &View, session: &Session, id: TurnId) -> (Tone, String) {
    let (tone, words) = recorded_standing(view, session, id);
    match view.kind {
        ViewKind::Window | ViewKind::Generations => (tone, words),
        _ => (Tone::Dim, format!("recorded: {words}")),
    }
}

fn recorded_standing(view: &View, session: &Session, id: TurnId) -> (Tone, String) {
    let number = session.turn(id).number;
    if number > view.as_of {
        return (Tone::Warn, format!("later than t{}: the view is as of then", view.as_of));
    }
    if let Some(at) = session.cleared_at(id).filter(|at| *at <= view.as_of)
        && view.sees(session, id)
    {
        return (Tone::Warn, format!("in view as a stub: its results were cleared after t{at}"));
    }
    if view.sees(session, id) {
        return (Tone::Assistant, format!("in view as of t{}", view.as_of));
    }
    if session.withdrawn_at(id).is_some_and(|at| at <= view.as_of) {
        return (Tone::Warn, "taken back from the queue: the model never saw it".to_owned());
    }
    if session.is_abandoned(id, view.as_of) {
        return (
            Tone::Warn,
            format!("abandoned at t{}: a later prompt forks past it", session.turn(id).abandoned_at),
        );
    }
    let covering = session.compactions().iter().find(|compaction| {
        compaction.covers_number(number)
            && compaction.summary.is_some_and(|summary| session.turn(summary).number <= view.as_of)
    });
    match covering {
        Some(compaction) => (Tone::Warn, format!("out of view: covered by g{}", compaction.generation)),
        None => (Tone::Warn, "out of view: another conversation of the same file".to_owned()),
    }
}

fn summary_facts(session: &Session, compaction: &Compaction) -> Vec<(Tone, String)> {
    let mut facts = Vec::new();
    let Some(id) = compaction.summary else {
        let text = "a boundary without a summary: the log breaks off here or was trimmed; no context changed";
        return vec![(Tone::Warn, text.to_owned())];
    };
    let mut first = vec!["recorded".to_owned()];
    first.extend(compaction.trigger.as_deref().map(str::to_owned));
    first.push(format!("depth {}", compaction.depth));
    let after = session.size_after(compaction);
    let after = after.map(|(tokens, from)| format!("{}{}", from.sign(), grouped(tokens)));
    let before = compaction.before(grouped);
    if let Some(before) = before {
        first.push(format!("context {before} → {}", after.unwrap_or_else(|| "not logged".to_owned())));
    }
    facts.push((Tone::Dim, first.join(" · ")));
    facts.push((Tone::Dim, turn_facts(session, id)));
    if let Some(reason) = compaction.unreadable() {
        facts.push((Tone::Warn, format!("! {reason}")));
    }
    if compaction.told_anew > 0 {
        let messages = count(u64::from(compaction.told_anew), "message");
        facts.push((
            Tone::Dim,
            format!("{messages} beside the summary in the same record, which no earlier turn holds"),
        ));
    }
    if compaction.covers.is_empty() && compaction.kept.is_empty() {
        facts.push((Tone::Warn, "covers no turn of this file: its originals are elsewhere".to_owned()));
        return facts;
    }
    let provenance = session.provenance(compaction).name();
    let mut covers = format!("covers {} · {provenance}", count(u64::from(compaction.covered()), "turn"));
    for (name, ranges) in [("kept", &compaction.kept), ("on other branches", &compaction.abandoned)] {
        let turns: u32 = ranges.iter().map(|(from, to)| to - from + 1).sum();
        if turns > 0 {
            covers = format!("{covers} · {turns} {name}");
        }
    }
    facts.push((Tone::Dim, covers));
    match compaction.complete {
        Some(true) => {}
        Some(false) => {
            facts.push((Tone::Warn, "not complete: originals are missing from the log".to_owned()));
        }
        None => facts.push((
            Tone::Warn,
            "whether it is complete cannot be told: the chain of records breaks".to_owned(),
        )),
    }
    facts
}

fn summary(view: &View, log: &OpenLog, generation: u32) -> Document {
    let Some(compaction) = log.session.generation(generation) else { return Document::default() };
    let title =
        format!("g{generation} {}", if compaction.summary.is_some() { "summary" } else { "boundary" });
    let facts = summary_facts(&log.session, compaction);
    let summary = view.summary_text(log, generation);
    if let Some(bytes) = summary.pending {
        return pending(title, facts, bytes);
    }
    let text = summary.text.clone();
    let blocks =
        if text.is_empty() { Vec::new() } else { vec![Block::whole(String::new(), Tone::Summary, text)] };
    Document { title, facts, blocks, ..Document::default() }
}

fn one_section(view: &View, log: &OpenLog, generation: u32, section: u16) -> Document {
    let summary = view.summary_text(log, generation);
    let Some(section) = summary.sections.get(usize::from(section)) else { return Document::default() };
    let text = summary.text[section.range.clone()].to_owned();
    let facts = vec![(Tone::Dim, format!("recorded · in the summary of g{generation}"))];
    let heading = if section.heading.is_empty() { "opening" } else { &section.heading };
    let title = format!("g{generation} {heading}");
    Document {
        title,
        facts,
        blocks: vec![Block::whole(String::new(), Tone::Summary, text)],
        ..Document::default()
    }
}

fn one_sentence(view: &View, log: &OpenLog, tracing: &Tracing, generation: u32, place: u32) -> Document {
    let summary = view.summary_text(log, generation);
    let Some(sentence) = summary.sentences().get(place as usize) else { return Document::default() };
    let title = format!("g{generation}.s{} {}", place + 1, sentence.kind.name());
    let facts = vec![
        super::trace::standing(log, tracing, generation, place),
        (Tone::Dim, format!("recorded · in the summary of g{generation} · t shows what it rests on")),
    ];
    let mut blocks =
        vec![Block::whole(String::new(), Tone::Summary, sentence.text(&summary.text).to_owned())];
    if let Some(section) = summary.section_of(place).and_then(|at| summary.sections.get(usize::from(at))) {
        let text = summary.text[section.range.clone()].to_owned();
        let name = if section.heading.is_empty() { "opening" } else { &section.heading };
        blocks.push(Block::whole(format!("── its section: {name}"), Tone::Dim, text));
    }
    Document { title, facts, blocks, ..Document::default() }
}

fn record(log: &OpenLog, row: u32) -> Document {
    let session = &log.session;
    let Some(record) = session.rows().get(row) else { return Document::default() };
    let title = if session.partial { "L…".to_owned() } else { format!("L{}", record.line) };
    let reason = session.malformed_reason(row);
    let mut facts = vec![(
        Tone::Dim,
        format!(
            "{} · {} at offset {}",
            session.label(&record),
            bytes(u64::from(record.length)),
            grouped(record.offset)
        ),
    )];
    facts.extend(reason.map(|reason| (Tone::Warn, format!("malformed: {reason}"))));
    if record.is_repaired() {
        facts.push((Tone::Warn, "repaired: bytes that are no text were replaced by �".to_owned()));
    }
    match log.record_soon(row) {
        Ok(Soon::Ready(text)) => {
            let blocks = vec![Block::text(String::new(), Tone::Text, Words::OfRecord(text))];
            Document { title, facts, blocks, ..Document::default() }
        }
        Ok(Soon::Later(bytes)) => pending(title, facts, bytes),
        Err(error) => Document { title, ..problem(error) },
    }
}

/// A heading of the tree: what it means and what is largest under it.
fn heading(view: &View, log: &OpenLog, node: Node) -> Document {
    let label = view.label(log, node);
    let mut facts = vec![(Tone::Heading, label.text.trim().to_owned())];
    if let Some(explained) = explain(view, node) {
        facts.push((Tone::Dim, explained));
    }
    let mut blocks = Vec::new();
    if matches!(node, Node::Group(Group::Since | Group::Fill))
        && view.kind == crate::outline::ViewKind::Window
    {
        blocks.push(fill(view, log));
    }
    let turns = match node {
        Node::Share(share) => share_turns(view, log, usize::from(share)),
        _ => view.sources(log, node),
    };
    if !turns.is_empty() && node != Node::Group(Group::Ledger) {
        blocks.push(largest(log, turns));
    }
    let title = match node {
        Node::Group(_) | Node::Share(_) => String::new(),
        _ => label.address.map_or_else(String::new, |address| address.to_string()),
    };
    Document { title, facts, blocks, ..Document::default() }
}

fn explain(view: &View, node: Node) -> Option<String> {
    let as_of = view.as_of;
    Some(match node {
        Node::Group(Group::Since) => format!("Turns that the model sees whole as of t{as_of}."),
        Node::Group(Group::Kept) => "Turns from before the summary that stayed in view word for word.".into(),
        Node::Group(Group::Fill) => "Estimated tokens (~) of what the model sees: by kind and tool, then by file. The two cuts overlap.".into(),
        Node::Group(Group::Out) => "What the model no longer sees. Everything is still in the log.".into(),
        Node::Group(Group::Covered(generation)) => format!("Replaced by the summary of g{generation}."),
        Node::Group(Group::KeptBy(generation)) => format!("In the range of g{generation}, but kept in view word for word."),
        Node::Group(Group::AbandonedIn(generation)) => {
            format!("In the range of g{generation}, but on branches that were left before: not summarised.")
        }
        Node::Group(Group::Abandoned) => "On branches that a later prompt left, or taken back from the queue.".into(),
        Node::Group(Group::Earlier) => "The file holds several conversations one after another; the model sees the newest.".into(),
        Node::Group(Group::Threads) => "Conversations of sub-agents. The model sees only what their calls returned.".into(),
        Node::Group(Group::Matches) => "Turns of the whole log that the filter lets through; those out of view are dimmed.".into(),
        Node::Clearing(_) => "A microcompaction: these results were blanked for the model; they are whole in the log.".into(),
        _ => return blocks::explain(node).or_else(|| forest::explain(node)).map(str::to_owned),
    })
}

fn share_turns(view: &View, log: &OpenLog, index: usize) -> Vec<TurnId> {
    let session = &log.session;
    let fill = view.fill(session);
    let Some(share) = fill.kinds.iter().chain(&fill.files).nth(index) else { return Vec::new() };
    let in_view = view
        .sources(log, Node::Group(Group::Kept))
        .into_iter()
        .chain(view.sources(log, Node::Group(Group::Since)));
    let holds = |id: &TurnId| {
        session.parts(*id).any(|(_, part)| match share.what.split_once(':') {
            Some(("tool", tool)) => session.named(part.tool) == Some(tool),
            Some(("file", path)) => session.named(part.path) == Some(path),
            _ => match share.what.as_str() {
                "thinking" => part.kind == PartKind::Thinking,
                "images" => part.kind == PartKind::Image,
                "prompts" => session.turn(*id).role == Role::User,
                "text" => part.kind == PartKind::Text && session.turn(*id).role != Role::User,
                _ => false,
            },
        })
    };
    in_view.filter(holds).collect()
}

/// How many of the largest are listed.
const LARGEST: usize = 12;

fn largest(log: &OpenLog, turns: Vec<TurnId>) -> Block {
    let session = &log.session;
    let mut most: Vec<(u32, TurnId)> = Vec::new();
    for id in turns {
        let tokens = session.turn(id).tokens;
        let at = most.partition_point(|(more, _)| *more >= tokens);
        if at < LARGEST {
            most.truncate(LARGEST - 1);
            most.insert(at, (tokens, id));
        }
    }
    let lines = most.iter().map(|(_, id)| {
        let turn = session.turn(*id);
        vec![
            (Tone::Dim, format!("~{:<6}", short(u64::from(turn.tokens)))),
            (Tone::Heading, format!("{} ", session.address(*id))),
            (tone_of(turn.role), format!("{} ", turn.role.name())),
            (Tone::Text, session.preview(&turn)),
        ]
    });
    Block::runs("largest turns".to_owned(), lines.collect())
}

fn fill(view: &View, log: &OpenLog) -> Block {
    let fill = view.fill(&log.session);
    let whole: u64 = fill.kinds.iter().map(|share| share.tokens).sum::<u64>().max(1);
    let bar = |tokens: u64| "█".repeat((tokens * 20).div_ceil(whole) as usize);
    let mut lines: Vec<Vec<(Tone, String)>> = Vec::new();
    for share in fill.kinds.iter().take(10) {
        lines.push(vec![
            (Tone::Dim, format!("~{:<6}", short(share.tokens))),
            (Tone::Text, format!("{:<16} ", share.what)),
            (Tone::Tool, bar(share.tokens)),
        ]);
    }
    if let Some((logged, _)) = log.session.context_size(view.as_of)
        && u64::from(logged) > whole
    {
        let rest = u64::from(logged) - whole;
        let note = "not in the log: system prompt, tools, what the estimate misses";
        lines.push(vec![(Tone::Dim, format!("~{:<6}{note}", short(rest)))]);
    }
    if !fill.outliers.is_empty() {
        let named: Vec<String> =
            fill.outliers.iter().map(|id| log.session.address(*id).to_string()).collect();
        lines.push(vec![(
            Tone::Warn,
            format!("{} cost far more than the rest: {}", Mark::Outlier.words(), named.join(", ")),
        )]);
    }
    Block::runs("what fills the window (~ estimated)".to_owned(), lines)
}

/// The text a document copies, once it is read.
pub fn plain(view: &View, log: &OpenLog, node: Node) -> Soon<String> {
    if let Node::Turn(id) = node {
        return match log.texts_soon(id) {
            Ok(Soon::Ready(texts)) => Soon::Ready(whole(&texts)),
            Ok(Soon::Later(bytes)) => Soon::Later(bytes),
            Err(_) => Soon::Ready(String::new()),
        };
    }
    if let Node::Sentence(generation, place) = node {
        let summary = view.summary_text(log, generation);
        return Soon::Ready(summary.sentence(place).unwrap_or_default().to_owned());
    }
    match document(view, log, &Tracing::default(), node) {
        document if document.pending => Soon::Later(0),
        document => Soon::Ready(document.plain()),
    }
}
