//! `pentimento context`: what the model sees.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::outline::blocks::BlocksView;
use crate::outline::forest::ForestView;
use crate::outline::{Group, Label, Node, Outline, View, ViewKind, one_line};
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::strategies::blocks::Made;
use crate::strategies::context_gc::Stage;
use crate::strategies::context_gc::session::{Replay, Stub, trace};
use crate::strategies::recursive::{Folded, Folding, Recursive};
use crate::strategies::union_find::summaries::Standing;
use crate::strategies::{
    BLOCKS, CONTEXT_GC, Context, Entry, Limit, MadeEntry, RECURSIVE, Strategy, StubsEntry, UNION_FIND,
    context,
};
use crate::summarisers::SummaryLine;
use crate::text::display::safe;
use crate::text::numbers::{count, grouped, short};

use super::forests::Cold;
use super::replay::{Replayed, Writer, settings};
use super::{Failure, SCHEMA, as_of, receipts};
use crate::cli::ContextArguments;

/// Prints the context as of a moment under a strategy.
pub(super) fn run(log: &OpenLog, arguments: &ContextArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let budget = arguments.replay.budget;
    let misplaced = |option: &str, of: &str| Err(Failure::Usage(format!("{option} belongs to {of}")));
    let hot = arguments.forest.hot;
    if hot.is_some() && !matches!(arguments.strategy.as_str(), "truncate" | UNION_FIND) {
        return misplaced("--hot", "the strategies truncate and union-find");
    }
    if hot.is_some() && budget.is_some() {
        return Err(Failure::Usage("--hot and --budget are two ways to cut: give one of them".to_owned()));
    }
    if budget.is_some()
        && matches!(arguments.strategy.as_str(), "recorded" | "full" | UNION_FIND | CONTEXT_GC)
    {
        return misplaced("--budget", "the strategies truncate, blocks and recursive");
    }
    let as_of = as_of(log, arguments.as_of.as_deref())?;
    // People want the prompt itself; programs ask every strategy for the same entries.
    if let (CONTEXT_GC, None, false, Some(trace)) =
        (&*arguments.strategy, &arguments.as_of, arguments.json, trace(log)?)
    {
        return receipts::context(log, &trace, out);
    }
    let mut replayed = None;
    let mut folds = None;
    let mut cold = None;
    let mut gc = None;
    let context = match arguments.strategy.as_str() {
        BLOCKS => {
            let replay = replayed.insert(Replayed::new(log, &arguments.replay)?);
            replay.write(log, as_of)?;
            replay.blocks.context(&log.session, as_of)
        }
        RECURSIVE => {
            let recursive = Recursive::of(&log.session, settings(&arguments.replay)?);
            let context = recursive.context(&log.session, as_of);
            folds = Some(folded(log, &recursive, as_of, arguments)?);
            context
        }
        UNION_FIND => {
            let cold = cold.insert(Cold::new(log, &arguments.forest, as_of, &arguments.replay.summaries)?);
            cold.write(as_of)?;
            cold.replay.context(&log.session, as_of)
        }
        CONTEXT_GC => gc.insert(Replay::of(log)?).context(&log.session, as_of),
        name => {
            let mut strategy: Strategy = name.parse().map_err(Failure::Usage)?;
            if let Strategy::Truncate(limit) = &mut strategy {
                *limit = match (hot, budget) {
                    (Some(turns), _) => Limit::Turns(turns),
                    (None, Some(tokens)) => Limit::Tokens(tokens),
                    (None, None) => *limit,
                };
            }
            context(&log.session, strategy, as_of)
        }
    };
    let shown = Shown {
        log,
        view: View::new(log, ViewKind::Window, as_of),
        blocks: replayed
            .as_ref()
            .map(|replay| BlocksView::new(&replay.blocks, Some(&replay.summaries), as_of)),
        forest: cold.as_ref().map(|cold| ForestView::new(log, &cold.replay, Some(&cold.summaries), as_of)),
        folds,
        gc,
    };
    if arguments.json {
        writeln!(out, "{}", shown.to_json(&context))?;
        return Ok(());
    }
    let sealed = context.entries.iter().filter_map(|entry| sealed(&log.session, entry)).count();
    let planned = context.entries.iter().any(|entry| matches!(entry, Entry::Made(_) | Entry::Cluster(_)));
    let origin = if context.strategy == "recorded" { "from the log" } else { "replayed" };
    writeln!(
        out,
        "as of t{as_of} · {} ({origin}) · {} · ~{} tokens{}",
        context.strategy,
        count(context.entries.len() as u64, "entry").replace("entrys", "entries"),
        grouped(context.tokens),
        if sealed > 0 {
            ", the encrypted summary's not counted"
        } else if planned {
            ", summaries by their planned size"
        } else {
            ""
        },
    )?;
    for entry in &context.entries {
        let line = one_line(&shown.label(entry));
        match entry {
            Entry::Stubs(entry) => {
                let stubs = shown.stubs(entry, as_of);
                let mut reasons: Vec<&str> = stubs.iter().map(|stub| &*stub.reason).collect();
                reasons.dedup();
                let what = count(stubs.len() as u64, "receipt");
                let what = what.strip_prefix("1 ").unwrap_or(&what);
                writeln!(out, "[{what}: {}] {line}", reasons.join(", "))?;
            }
            Entry::Made(entry) => {
                writeln!(out, "{line}")?;
                if let Made::Fold(number) = entry.made {
                    shown.fold_lines(number, out)?;
                }
            }
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// The summaries of the recursive baseline as of a turn, or why the newest could not be written.
fn folded(
    log: &OpenLog,
    recursive: &Recursive,
    as_of: u32,
    arguments: &ContextArguments,
) -> Result<Result<Vec<Folded>, String>, Failure> {
    let writer = Writer::of(log, &arguments.replay.summaries)?;
    let number = recursive.folds(as_of).len() as u32;
    let mut folding = Folding::default();
    let written = folding.up_to(log, recursive, number, &*writer.summariser, &AtomicBool::new(false))?;
    Ok(written.map(<[Folded]>::to_vec).map_err(|failure| failure.to_string()))
}

/// What is needed to say what an entry is.
struct Shown<'a> {
    log: &'a OpenLog,
    view: View,
    blocks: Option<BlocksView<'a>>,
    forest: Option<ForestView<'a>>,
    folds: Option<Result<Vec<Folded>, String>>,
    gc: Option<Replay>,
}

impl Shown<'_> {
    /// The lines of a summary of the recursive baseline, each with how many summaries stand between it and originals.
    fn fold_lines(&self, number: u32, out: &mut dyn Write) -> Result<(), Failure> {
        let Some(Ok(folds)) = &self.folds else { return Ok(()) };
        let Some(folded) = number.checked_sub(1).and_then(|at| folds.get(at as usize)) else { return Ok(()) };
        for (line, depth) in folded.summary.lines.iter().zip(&folded.depths) {
            let depth = if *depth == 0 { String::new() } else { format!("depth {depth}") };
            let text = folded.summary.text.get(line.range.clone()).unwrap_or_default();
            writeln!(out, "  {depth:<9}{}", safe(text))?;
        }
        Ok(())
    }

    fn label(&self, entry: &Entry) -> Label {
        let of = |node| self.view.label(self.log, node);
        let label = match (entry, &self.blocks) {
            (Entry::Turn(id), Some(blocks)) => blocks.label(self.log, Node::Turn(*id)),
            (Entry::Turn(id) | Entry::Said { turn: id, .. } | Entry::Receipt { target: id }, _) => {
                of(Node::Turn(*id))
            }
            (Entry::Stubs(entry), _) => of(Node::Turn(entry.turn)),
            (Entry::Summary { generation, .. }, _) => of(Node::Generation(*generation)),
            (Entry::Made(entry), blocks) => match (entry.made, blocks) {
                (Made::Fold(number), _) => self.fold_label(number, entry.covers),
                (made, Some(blocks)) => blocks.label(self.log, Node::Made(made)),
                (_, None) => Label::default(),
            },
            (Entry::Ledger(_), Some(blocks)) => blocks.label(self.log, Node::Group(Group::Ledger)),
            (Entry::Cluster(entry), _) => match &self.forest {
                Some(forest) => forest.label(self.log, Node::Cluster(entry.root)),
                None => Label::default(),
            },
            (Entry::Ledger(_), None) => Label::default(),
        };
        Label { tokens: Some(entry.tokens(&self.log.session)), ..label }
    }

    /// What stands behind a line of receipts.
    fn stubs(&self, entry: &StubsEntry, as_of: u32) -> Vec<Stub> {
        let Some(gc) = &self.gc else { return Vec::new() };
        entry.items.iter().filter_map(|item| gc.stub(*item, as_of)).collect()
    }

    fn fold(&self, number: u32) -> Option<&Folded> {
        self.folds.as_ref()?.as_ref().ok()?.get(number.checked_sub(1)? as usize)
    }

    fn fold_label(&self, number: u32, (from, to): (u32, u32)) -> Label {
        let written = match (self.fold(number), &self.folds) {
            (Some(fold), _) => {
                let tokens = crate::text::tokens::estimate(&fold.summary.text);
                format!("depth {} · written ~{}", fold.depth(), short(u64::from(tokens)))
            }
            (None, Some(Err(error))) => format!("no summary: {error}"),
            _ => String::new(),
        };
        Label {
            kind: "summary",
            who: "summary",
            text: format!("t{from}–t{to} · folded {} · {written}", count(u64::from(number), "time")),
            ..Label::default()
        }
    }

    fn to_json(&self, context: &Context) -> Value {
        let session = &self.log.session;
        json!({
            "schema": SCHEMA,
            "as_of": context.as_of,
            "strategy": context.strategy,
            "recorded": context.strategy == "recorded",
            "tokens": context.tokens,
            "logged_tokens": session.context_size(context.as_of).map(|(tokens, _)| tokens),
            "entries": context.entries.iter().map(|entry| self.entry(entry, context.as_of)).collect::<Vec<_>>(),
        })
    }

    fn entry(&self, entry: &Entry, as_of: u32) -> Value {
        let session = &self.log.session;
        let mut value = json!({
            "kind": entry.kind(),
            "address": entry.turn().map(|turn| session.address(turn).to_string()),
            "covers": Value::Null,
            "depth": 0,
            "tokens": entry.tokens(session),
        });
        match entry {
            Entry::Summary { generation, turn } => {
                let compaction = session.generation(*generation);
                value["address"] = json!(Address::Generation(*generation).to_string());
                value["turn"] = json!(session.turn(*turn).number);
                value["covers"] = json!(compaction.map(|compaction| &compaction.covers));
                value["depth"] = json!(compaction.map(|compaction| compaction.depth));
                if let Some(bytes) = sealed(session, entry) {
                    value["encrypted_bytes"] = json!(bytes);
                }
            }
            Entry::Made(entry) => self.made(entry, &mut value),
            Entry::Cluster(entry) => {
                let Some(forest) = &self.forest else { return value };
                value["address"] = json!(forest.address(entry.root).to_string());
                value["covers"] = json!(entry.covers);
                value["planned"] = json!(true);
                if let Some(Standing::Whole(written)) = forest.standing(entry.root) {
                    value["depth"] = json!(written.depth);
                    value["text"] = json!(written.summary.text);
                    value["written_tokens"] = json!(written.tokens);
                }
            }
            Entry::Ledger(entry) => {
                let of = |item: &u32| Address::Item(*item).to_string();
                value["items"] = json!(entry.items.iter().map(of).collect::<Vec<_>>());
                let of = |id: &TurnId| session.address(*id).to_string();
                value["pinned"] = json!(entry.pinned.iter().map(of).collect::<Vec<_>>());
            }
            Entry::Stubs(entry) => {
                let stubs = self.stubs(entry, as_of);
                let addresses: Vec<String> = stubs.iter().map(|stub| format!("r:{}", stub.id)).collect();
                value["address"] = json!(addresses.first());
                value["receipts"] = json!(addresses);
                value["stages"] =
                    json!(stubs.iter().map(|stub| stub.stage.map(Stage::name)).collect::<Vec<_>>());
                value["reasons"] = json!(stubs.iter().map(|stub| &stub.reason).collect::<Vec<_>>());
            }
            Entry::Turn(_) | Entry::Said { .. } | Entry::Receipt { .. } => {}
        }
        value
    }
}

impl Shown<'_> {
    /// What is told of a summary that was made here.
    fn made(&self, entry: &MadeEntry, value: &mut Value) {
        value["covers"] = json!([entry.covers]);
        value["planned"] = json!(true);
        let Made::Fold(number) = entry.made else {
            let blocks = self.blocks.as_ref();
            let written = blocks.and_then(|blocks| blocks.written(entry.made));
            let label = blocks.map(|blocks| blocks.label(self.log, Node::Made(entry.made)));
            let plan = blocks.and_then(|blocks| blocks.plan(self.log, entry.made));
            value["address"] =
                json!(label.and_then(|label| label.address).map(|address| address.to_string()));
            value["depth"] = json!(plan.map(|plan| plan.depth()));
            value["text"] = json!(written.map(|written| &written.summary.text));
            value["written_tokens"] = json!(written.map(|written| written.tokens));
            return;
        };
        let fold = self.fold(number);
        value["depth"] = json!(fold.map(Folded::depth));
        value["text"] = json!(fold.map(|fold| &fold.summary.text));
        value["lines"] = json!(fold.map(|fold| {
            let lines = fold.summary.lines.iter().zip(&fold.depths);
            let line = |(line, depth): (&SummaryLine, &u32)| {
                json!({"text": fold.summary.text.get(line.range.clone()), "turns": line.turns, "depth": depth})
            };
            lines.map(line).collect::<Vec<_>>()
        }));
    }
}

/// The bytes of a summary that nobody here can read: what it costs in tokens is not known.
fn sealed(session: &Session, entry: &Entry) -> Option<u32> {
    match entry {
        Entry::Summary { turn, .. } => session.compaction_of(*turn)?.encrypted,
        _ => None,
    }
}
