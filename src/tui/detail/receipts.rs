//! What the detail pane shows of a receipt: the original whole, the stage and the reason, and what superseded it.

use crate::outline::receipts::{Pruning, stage_at, stage_name, stage_words};
use crate::outline::{Group, Node};
use crate::session::NEVER;
use crate::session::open::OpenLog;
use crate::strategies::context_gc::session::Stub;
use crate::text::numbers::{count, grouped, short};

use super::super::document::{Block, Body, Document, Tone};

/// The document of a node that only the compacted prompt has. `original` makes that of a part.
pub fn document(
    pruning: &Pruning,
    log: &OpenLog,
    as_of: u32,
    node: Node,
    original: impl Fn(Node) -> Document,
) -> Option<Document> {
    match node {
        Node::Receipt(item) => {
            pruning.replay.stub(item, as_of).map(|stub| receipt(pruning, log, as_of, item, &stub, original))
        }
        Node::Cause(item) => {
            let (turn, part) = cause(pruning, &pruning.replay.stub(item, as_of)?)?;
            let mut document = original(part.map_or(Node::Turn(turn), |part| Node::Part(turn, part)));
            let name = pruning.replay.name(item);
            document.facts.insert(0, (Tone::Heading, format!("superseded r:{name} · o goes to it")));
            Some(document)
        }
        Node::Turn(id) => {
            let kept = pruning.replay.kept(id, as_of);
            let mut document = Some(node).filter(|_| !kept.is_empty()).map(original)?;
            let told = kept.into_iter().map(|kept| {
                let stage = stage_name(kept.stage);
                (
                    Tone::Heading,
                    format!("kept: {}, though {stage} would prune it: {}", kept.keeper, kept.reason),
                )
            });
            document.facts.splice(0..0, told);
            Some(document)
        }
        Node::Receipts(first) => Some(together(pruning, as_of, first)),
        Node::Stage(_) | Node::Group(Group::Pruned | Group::Prompt | Group::Beside) => {
            Some(heading(pruning, log, node))
        }
        _ => None,
    }
}

/// The part or turn that superseded an event.
pub fn cause(pruning: &Pruning, stub: &Stub) -> Option<(crate::session::TurnId, Option<u32>)> {
    pruning.replay.origin(stub.by?)
}

/// Who pruned it: this replay, or the agent itself.
fn who(log: &OpenLog, stub: &Stub) -> (Tone, String) {
    match stub.stage {
        None => (Tone::Assistant, "recorded: the agent itself took it out of view".to_owned()),
        Some(_) if log.session.format.is_trace() => {
            (Tone::Dim, "replayed: the trace holds the event, Context-GC prunes it".to_owned())
        }
        Some(_) if is_left(log, stub) => (
            Tone::Dim,
            "replayed; the log left this branch too, and its model did not see it after that".to_owned(),
        ),
        Some(_) => (
            Tone::Dim,
            "replayed: a rule of Context-GC, which this agent did not use; its model saw the whole"
                .to_owned(),
        ),
    }
}

/// Whether the log itself left the branch that a receipt's turn is on.
fn is_left(log: &OpenLog, stub: &Stub) -> bool {
    stub.parts.first().is_some_and(|(turn, _)| log.session.turn(*turn).abandoned_at != NEVER)
}

fn receipt(
    pruning: &Pruning,
    log: &OpenLog,
    as_of: u32,
    item: u32,
    stub: &Stub,
    original: impl Fn(Node) -> Document,
) -> Document {
    let tokens = pruning.replay.tokens(&log.session, item);
    let sign = if log.session.format.is_trace() { "" } else { "~" };
    let facts = vec![
        (Tone::Heading, format!("{} · {}", stage_name(stub.stage), stub.reason)),
        (
            Tone::Dim,
            format!(
                "{} · out since t{} · {sign}{} tokens",
                stage_words(stub.stage),
                stub.at,
                grouped(tokens)
            ),
        ),
        who(log, stub),
    ];
    let mut blocks = Vec::new();
    if let Some((turn, part)) = cause(pruning, stub) {
        let node = part.map_or(Node::Turn(turn), |part| Node::Part(turn, part));
        // Of a call with its result, what was asked for says more.
        let asked =
            stub.by.and_then(|by| pruning.replay.parts_of(by).first()).map_or(turn, |(turn, _)| *turn);
        let words = log.session.preview(&log.session.turn(asked));
        let name = stub.by.map_or("", |by| pruning.replay.name(by)).trim_end_matches(".left");
        let at = if log.session.format.is_trace() {
            format!("{name} at t{}", log.session.turn(turn).number)
        } else {
            name.to_owned()
        };
        let became = chain(pruning, as_of, stub.by);
        let body = Body::Runs(vec![vec![(Tone::Dim, format!("    {words}"))]]);
        blocks.push(
            Block::new(format!("{}: {at}{became}", because(stub)), Tone::Summary, body).leading_to(node),
        );
    }
    let mut pending = false;
    for (turn, part) in &stub.parts {
        let document = original(Node::Part(*turn, *part));
        pending |= document.pending;
        let where_from = format!("── original {} · o goes to it", part_name(log, *turn, *part));
        blocks.push(Block::new(where_from, Tone::Heading, Body::Runs(Vec::new())));
        blocks.extend(document.blocks.into_iter().map(Block::close));
        // What cannot be read says so.
        let trouble = document.facts.into_iter().filter(|(tone, _)| *tone == Tone::Warn && pending);
        blocks.extend(trouble.map(|(tone, text)| Block::new(text, tone, Body::Runs(Vec::new())).close()));
    }
    let chosen = blocks.iter().position(|block| block.link.is_some());
    Document {
        title: format!("r:{} receipt", stub.id),
        facts,
        blocks,
        pending,
        chosen,
        ..Document::default()
    }
}

fn part_name(log: &OpenLog, turn: crate::session::TurnId, part: u32) -> String {
    if log.session.format.is_trace() {
        return log.session.address(turn).to_string();
    }
    format!("{}.{part}", log.session.address(turn))
}

fn because(stub: &Stub) -> &'static str {
    use crate::strategies::context_gc::Stage;
    match stub.stage {
        Some(Stage::Override) => "superseded by",
        Some(Stage::Dedup) => "the same was said first in",
        _ => "given up at",
    }
}

/// What became of what superseded it, until something is live.
fn chain(pruning: &Pruning, as_of: u32, mut at: Option<u32>) -> String {
    let mut links = 0;
    while let Some(stub) = at.and_then(|at| pruning.replay.stub(at, as_of)) {
        // A circle of causes has no end.
        if links > 10_000 {
            return String::new();
        }
        links += 1;
        at = stub.by;
    }
    match (links, at) {
        (0, _) | (_, None) => String::new(),
        (_, Some(live)) => {
            format!(" · in force now: {}", pruning.replay.name(live).trim_end_matches(".left"))
        }
    }
}

/// Receipts that stand together.
fn together(pruning: &Pruning, as_of: u32, first: u32) -> Document {
    /// More are opened in the tree.
    const LISTED: usize = 60;
    let Pruning { replay, prompt } = pruning;
    let receipts = prompt.run_len(replay, first);
    let line = |item: u32| {
        let stub = replay.stub(item, as_of)?;
        Some(vec![
            (Tone::Heading, format!("r:{} ", stub.id)),
            (Tone::Summary, format!("{} ", stage_name(stub.stage))),
            (Tone::Text, stub.reason),
        ])
    };
    let lines = (0..receipts.min(LISTED)).filter_map(|at| prompt.in_run(replay, first, at)).filter_map(line);
    let mut lines: Vec<_> = lines.collect();
    if receipts > LISTED {
        let more = format!("… {} more: → opens all in the tree", grouped((receipts - LISTED) as u64));
        lines.push(vec![(Tone::Dim, more)]);
    }
    let facts = vec![
        (
            Tone::Heading,
            format!("{} that stand together, one line of the prompt", count(receipts as u64, "receipt")),
        ),
        (
            Tone::Dim,
            format!(
                "for ~{} tokens · → opens it, each receipt opens into its original",
                short(prompt.run_tokens(replay, first))
            ),
        ),
    ];
    Document {
        title: format!("r:{} +{}", replay.name(first), receipts.saturating_sub(1)),
        facts,
        blocks: vec![Block::runs(String::new(), lines)],
        ..Document::default()
    }
}

/// What a heading means, with what each stage pruned.
fn heading(pruning: &Pruning, log: &OpenLog, node: Node) -> Document {
    let is_trace = log.session.format.is_trace();
    let sign = if is_trace { "" } else { "~" };
    let explained = match node {
        Node::Stage(place) => format!("Out of the prompt: {}.", stage_words(stage_at(place))),
        Node::Group(Group::Pruned) => "What is in the prompt as a receipt only, by stage. Every original is a key away.".to_owned(),
        Node::Group(Group::Beside) if is_trace => "Events that say nothing in a prompt, such as the giving up of a branch. Not pruned.".to_owned(),
        Node::Group(Group::Beside) => "Turns of other branches and conversations that no rule pruned, and recorded summaries: a replay starts from what was said.".to_owned(),
        _ => "The prompt as Context-GC would have it: what is live in its place, and one line where receipts stand together.".to_owned(),
    };
    let mut facts = vec![(Tone::Dim, explained)];
    if !is_trace {
        let note = "Replayed here: rules of Context-GC over an agent that did not use them. What is called recorded the agent itself took out of view.";
        facts.push((Tone::Text, note.to_owned()));
    }
    let totals = pruning.prompt.totals();
    let mut lines = vec![
        vec![
            (Tone::Dim, format!("{sign}{:<9}", grouped(totals.before))),
            (Tone::Text, "tokens, all that was said".to_owned()),
        ],
        vec![
            (Tone::Dim, format!("{sign}{:<9}", grouped(totals.after))),
            (Tone::Text, "tokens of the prompt".to_owned()),
        ],
        vec![
            (Tone::Dim, format!("{sign}{:<9}", grouped(totals.receipts))),
            (Tone::Text, "of them receipts".to_owned()),
        ],
    ];
    for place in 0..crate::strategies::context_gc::session::STAGES {
        let receipts = pruning.prompt.of_stage(place).len() as u64;
        if receipts == 0 {
            continue;
        }
        let stage = stage_at(place as u8);
        lines.push(vec![
            (Tone::Dim, format!("{sign}{:<9}", grouped(pruning.prompt.stage_tokens(place)))),
            (Tone::Summary, format!("{:<9}", stage_name(stage))),
            (Tone::Text, format!("{} {}", count(receipts, "event"), stage_words(stage))),
        ]);
    }
    if totals.kept > 0 {
        lines.push(vec![
            (Tone::Dim, format!("{:<10}", "")),
            (
                Tone::Text,
                format!("{} kept although a stage would have pruned them", count(totals.kept, "event")),
            ),
        ]);
    }
    let blocks = vec![Block::runs("what it saves".to_owned(), lines)];
    Document { facts, blocks, ..Document::default() }
}
