//! What Context-GC prunes, as a tree, an expansion and a context: of a session's main thread, or of a trace.
//!
//! A file that is no session of any agent may be a trace; which of the two it is, is asked only where a trace has an
//! answer.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{ContextArguments, ExpandArguments, TreeArguments, TreeName};
use crate::log::{LogError, Source};
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::context_gc::session::{Replay, Stub};
use crate::strategies::context_gc::{Compacted, Fate, Mode, Stage, Trace, line, read};
use crate::strategies::{Strategy, context as context_of};
use crate::text::display::safe;
use crate::text::numbers::{count, grouped};

use super::{Failure, SCHEMA, context, expand, gc, on, tree};

/// `pentimento tree`.
pub(super) fn tree(arguments: &TreeArguments, out: &mut dyn Write) -> Result<(), Failure> {
    match trace_at(&arguments.path, arguments.view == TreeName::Receipts) {
        Some(trace) => of_trace(&trace, arguments, out),
        None => on(&arguments.path, |log| tree::run(log, arguments, out)),
    }
}

/// `pentimento expand`.
pub(super) fn expand(arguments: &ExpandArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let id = match arguments.address.parse() {
        Ok(Address::Receipt(id)) => Some(id),
        _ => None,
    };
    let Some(id) = id else { return on(&arguments.path, |log| expand::run(log, arguments, out)) };
    let Some(trace) = trace_at(&arguments.path, true) else {
        return on(&arguments.path, |log| expand_of_session(log, arguments, &id, out));
    };
    let compacted = gc::compact(&arguments.path, &trace, Mode::Strict)?;
    let receipt = compacted.receipts.iter().find(|receipt| receipt.id == id);
    // A receipt gives back all that it stands for; any other event, itself.
    let members = receipt.map_or_else(|| vec![id], |receipt| receipt.members.clone());
    for id in members {
        let source = trace.source(&id, Mode::Strict).ok_or_else(|| {
            Failure::NotFound(format!("no event \"{id}\" among the {} of the trace", trace.events.len()))
        })?;
        if arguments.json {
            writeln!(out, "{}", json!({"schema": SCHEMA, "address": format!("r:{id}"), "text": source}))?;
        } else {
            writeln!(out, "{source}")?;
        }
    }
    Ok(())
}

/// Every part that an event of a session stands for: a call with its result, where one event is both. Of a turn as a
/// whole, the turn.
fn expand_of_session(
    log: &OpenLog,
    arguments: &ExpandArguments,
    id: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let replay = Replay::of(log)?;
    let parts = replay.parts(id).filter(|parts| parts.len() > 1).unwrap_or_default();
    if parts.is_empty() {
        return expand::run(log, arguments, out);
    }
    for (turn, part) in parts {
        let address = format!("{}.{part}", log.session.address(*turn));
        let (path, raw, summary, json) =
            (arguments.path.clone(), arguments.raw, arguments.summary, arguments.json);
        expand::run(log, &ExpandArguments { path, address, raw, summary, json }, out)?;
    }
    Ok(())
}

/// `pentimento context`.
pub(super) fn context(arguments: &ContextArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let wanted = arguments.strategy == Strategy::ContextGc.name() && arguments.as_of.is_none();
    let Some(trace) = trace_at(&arguments.path, wanted) else {
        return on(&arguments.path, |log| context::run(log, arguments, out));
    };
    let compacted = gc::compact(&arguments.path, &trace, Mode::Strict)?;
    if arguments.json {
        writeln!(out, "{}", gc::to_json(Mode::Strict, &compacted))?;
        return Ok(());
    }
    writeln!(out, "context-gc (replayed) · {}", totals(&compacted))?;
    writeln!(out, "{}", compacted.prompt)?;
    Ok(())
}

/// The trace at `path`, where one is `wanted` and it is no session.
fn trace_at(path: &Path, wanted: bool) -> Option<Trace> {
    // The bytes of a stream come only once, and a session has the first right to them.
    if !wanted || crate::log::name::is_standard_input(path) {
        return None;
    }
    match OpenLog::load(path) {
        Err(LogError::Unknown { .. }) => {
            let bytes = Source::open(path).ok()?.read_all().ok()?;
            read(&bytes).ok().filter(|trace| !trace.events.is_empty())
        }
        _ => None,
    }
}

fn totals(compacted: &Compacted) -> String {
    format!(
        "{} before, {} after, {} of them receipts · {} pruned, {} protected",
        count(compacted.tokens_before, "token"),
        grouped(compacted.tokens_after),
        grouped(compacted.receipt_tokens),
        compacted.pruned_ids.len(),
        compacted.protected_ids.len(),
    )
}

/// A receipt or a protected event in the tree.
struct Leaf {
    address: String,
    stage: Stage,
    status: &'static str,
    reason: String,
    label: String,
    turn: Option<u32>,
    tokens: u64,
}

fn of_trace(trace: &Trace, arguments: &TreeArguments, out: &mut dyn Write) -> Result<(), Failure> {
    if arguments.as_of.is_some() {
        return Err(Failure::Usage("a Context-GC trace has no turns: leave --as-of out".to_owned()));
    }
    let compacted = gc::compact(&arguments.path, trace, Mode::Strict)?;
    let ids = compacted.pruned_ids.iter().chain(&compacted.protected_ids);
    let leaves: Vec<Leaf> = ids
        .filter_map(|id| {
            let (status, stage, reason) = match compacted.fate(id) {
                Fate::Pruned { stage, reason } => ("pruned", stage, reason),
                Fate::Protected { stage, reason, keeper } => {
                    ("protected", stage, format!("{reason}; {keeper}"))
                }
                Fate::Live => return None,
            };
            let label = trace.events.iter().find(|event| event.id() == id).map(line).unwrap_or_default();
            let tokens = label.chars().count() as u64 / 4;
            Some(Leaf { address: format!("r:{id}"), stage, status, reason, label, turn: None, tokens })
        })
        .collect();
    let head = format!("receipts · replayed · {}", totals(&compacted));
    let totals = json!({
        "tokens_before": compacted.tokens_before,
        "tokens_after": compacted.tokens_after,
        "receipt_tokens": compacted.receipt_tokens,
    });
    print(&head, &totals, None, &leaves, arguments, out)
}

/// The receipts of a session's main thread.
pub(super) fn of_session(
    log: &OpenLog,
    as_of: u32,
    arguments: &TreeArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let session = &log.session;
    let replay = Replay::of(log)?;
    let before = context_of(session, Strategy::Full, as_of).tokens;
    let after = replay.context(session, as_of).tokens;
    let leaves: Vec<Leaf> = replay.receipts(as_of).map(|stub| leaf(log, &stub)).collect();
    let head = format!(
        "receipts as of t{as_of} · replayed · ~{} tokens before, ~{} after · {} pruned",
        grouped(before),
        grouped(after),
        leaves.len(),
    );
    let totals = json!({"tokens_before": before, "tokens_after": after});
    print(&head, &totals, Some(as_of), &leaves, arguments, out)
}

fn leaf(log: &OpenLog, stub: &Stub) -> Leaf {
    let session = &log.session;
    let parts = stub.parts.iter().filter_map(|(turn, part)| session.nth_part(*turn, *part as usize));
    let tokens = parts.map(|(_, part)| u64::from(part.tokens)).sum();
    let words = stub.parts.first().and_then(|(turn, part)| {
        let (_, known) = session.nth_part(*turn, *part as usize)?;
        let tool = session.named(known.tool).map(|tool| format!("{tool} ")).unwrap_or_default();
        let texts = log.texts(*turn).ok()?;
        let text = texts.iter().find(|text| text.index == *part)?;
        Some(format!("{tool}{}", crate::text::preview::of(&text.text.text)))
    });
    Leaf {
        address: format!("r:{}", stub.id),
        stage: stub.stage,
        status: "pruned",
        reason: format!("{} at t{}", stub.reason, stub.at),
        label: words.unwrap_or_default(),
        turn: Some(stub.at),
        tokens,
    }
}

fn print(
    head: &str,
    totals: &Value,
    as_of: Option<u32>,
    leaves: &[Leaf],
    arguments: &TreeArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let stages = Stage::ALL.into_iter().map(|stage| {
        let of_stage: Vec<&Leaf> = leaves.iter().filter(|leaf| leaf.stage == stage).collect();
        (stage, of_stage)
    });
    let stages: Vec<_> = stages.filter(|(_, leaves)| !leaves.is_empty() && arguments.depth > 0).collect();
    if arguments.json {
        let children: Vec<Value> =
            stages.iter().map(|(stage, leaves)| node(*stage, leaves, arguments.depth)).collect();
        let mut value = json!({"schema": SCHEMA, "view": "receipts", "as_of": as_of, "children": children});
        if let (Some(value), Some(totals)) = (value.as_object_mut(), totals.as_object()) {
            value.extend(totals.clone());
        }
        writeln!(out, "{value}")?;
        return Ok(());
    }
    writeln!(out, "{head}")?;
    for (stage, leaves) in stages {
        let sign = if arguments.depth > 1 { "▾" } else { "▸" };
        let tokens: u64 = leaves.iter().map(|leaf| leaf.tokens).sum();
        let events = count(leaves.len() as u64, "event");
        writeln!(out, "{sign} {stage} · {events} · ~{} tokens", grouped(tokens))?;
        for leaf in leaves.iter().filter(|_| arguments.depth > 1) {
            let Leaf { address, status, reason, label, .. } = leaf;
            writeln!(out, "    {address}  {}  ({status}: {})", first_line(label), first_line(reason))?;
        }
    }
    Ok(())
}

fn node(stage: Stage, leaves: &[&Leaf], depth: u32) -> Value {
    let tokens: u64 = leaves.iter().map(|leaf| leaf.tokens).sum();
    let children: Vec<Value> = leaves
        .iter()
        .filter(|_| depth > 1)
        .map(|leaf| {
            json!({
                "address": leaf.address,
                "kind": "receipt",
                "label": leaf.label,
                "status": leaf.status,
                "stage": stage.name(),
                "reason": leaf.reason,
                "turn": leaf.turn,
                "tokens": leaf.tokens,
                "recorded": false,
                "children": [],
            })
        })
        .collect();
    json!({"kind": "stage", "label": stage.name(), "tokens": tokens, "recorded": false, "children": children})
}

/// Characters of a label or a reason in the text.
const WIDTH: usize = 120;

fn first_line(text: &str) -> String {
    safe(&crate::text::preview::first(text, WIDTH)).into_owned()
}
