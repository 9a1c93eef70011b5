//! What Context-GC prunes, as a tree, an expansion and a context: of a session's main thread, or of a trace.
//!
//! A trace is answered by its events and their ids, as it asks to be; a session by turns and parts.

use std::io::Write;

use serde_json::{Value, json};

use crate::cli::{ExpandArguments, TreeArguments};
use crate::message::complain;
use crate::outline::receipts::Pruning;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::context_gc::session::{Replay, Stub, trace};
use crate::strategies::context_gc::{Compacted, Event, Fate, Mode, Stage, Trace, line, prompt_tokens};
use crate::text::display::safe;
use crate::text::numbers::{count, grouped};
use crate::text::preview;

use super::{Failure, SCHEMA, expand, gc};

/// `pentimento tree --view receipts`.
pub(super) fn tree(
    log: &OpenLog,
    as_of: u32,
    arguments: &TreeArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match trace(log)? {
        Some(trace) if arguments.as_of.is_none() => of_trace(log, &trace, arguments, out),
        _ => of_session(log, as_of, arguments, out),
    }
}

/// `pentimento expand r:…`.
pub(super) fn expand(
    log: &OpenLog,
    id: &str,
    arguments: &ExpandArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if let Some(trace) = trace(log)? {
        return expand_of_trace(log, &trace, id, arguments, out);
    }
    let replay = Replay::of(log)?;
    // An event without parts stands for its turn as a whole.
    if let Some(parts) = replay.parts(id).filter(|parts| !parts.is_empty()) {
        // A call with its result, where one event is both.
        return expand::parts(log, parts, arguments, out);
    }
    let turn: Option<Address> = id.parse().ok().filter(|address| matches!(address, Address::Turn { .. }));
    let turn = turn.ok_or_else(|| {
        Failure::NotFound(format!("r:{id} is no receipt of a session: write r:t88 or r:t88.2"))
    })?;
    expand::at(log, &turn, arguments, out)
}

/// All that a receipt stands for, or of any other event the event, as they stand in the trace.
fn expand_of_trace(
    log: &OpenLog,
    trace: &Trace,
    id: &str,
    arguments: &ExpandArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let compacted = gc::compact(&log.path, trace, Mode::Strict)?;
    let receipt = compacted.receipts.iter().find(|receipt| receipt.id == id);
    let members = match receipt {
        Some(receipt) => receipt.members.clone(),
        None => of_cycle(&compacted, id).unwrap_or_else(|| vec![id.to_owned()]),
    };
    let sources = trace.sources(Mode::Strict);
    for id in members {
        let source = sources.receipt(&id).ok_or_else(|| {
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

/// The events of a cycle by the name that their reasons give it.
fn of_cycle(compacted: &Compacted, name: &str) -> Option<Vec<String>> {
    let ids = compacted.pruned_ids.iter().chain(&compacted.protected_ids);
    let of_it = ids.filter(|id| match compacted.fate(id) {
        Fate::Pruned { stage: Stage::Cycle, reason }
        | Fate::Protected { stage: Stage::Cycle, reason, .. } => {
            reason.split_whitespace().last() == Some(name)
        }
        _ => false,
    });
    let mut members: Vec<String> = of_it.cloned().collect();
    members.sort();
    (!members.is_empty()).then_some(members)
}

/// `pentimento context --strategy context-gc` of a trace as a whole: its prompt.
pub(super) fn context(log: &OpenLog, trace: &Trace, out: &mut dyn Write) -> Result<(), Failure> {
    let compacted = gc::compact(&log.path, trace, Mode::Strict)?;
    say_left_out(log);
    writeln!(out, "context-gc (replayed) · {}", totals(&compacted))?;
    writeln!(out, "{}", compacted.prompt)?;
    Ok(())
}

/// Says which events cannot be read: they are in none of the figures, and `gc` takes such a trace for broken.
fn say_left_out(log: &OpenLog) {
    let malformed = log.session.malformed();
    if let Some((row, reason)) = malformed.first().filter(|_| log.session.format.is_trace()) {
        complain(&format!(
            "{} left out, as they cannot be read: the first in line {}: {reason}",
            count(malformed.len() as u64, "event"),
            log.session.row(*row).line
        ));
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
    /// None where the log itself records it.
    stage: Option<Stage>,
    status: &'static str,
    reason: String,
    label: String,
    turn: Option<u32>,
    tokens: u64,
}

fn of_trace(
    log: &OpenLog,
    trace: &Trace,
    arguments: &TreeArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let compacted = gc::compact(&log.path, trace, Mode::Strict)?;
    say_left_out(log);
    let sources = trace.sources(Mode::Strict);
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
            let event = sources.receipt(id).and_then(|source| Event::parse(source).ok());
            let label = event.as_ref().map(line).unwrap_or_default();
            let tokens = prompt_tokens(label.chars().count());
            Some(Leaf {
                address: format!("r:{id}"),
                stage: Some(stage),
                status,
                reason,
                label,
                turn: None,
                tokens,
            })
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
fn of_session(
    log: &OpenLog,
    as_of: u32,
    arguments: &TreeArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut pruning = Pruning { replay: Replay::of(log)?, ..Pruning::default() };
    say_left_out(log);
    pruning.move_to(log, as_of);
    let Pruning { replay, prompt } = pruning;
    let known = prompt.totals();
    let leaves: Vec<Leaf> = replay.receipts(as_of).map(|stub| leaf(log, &replay, &stub)).collect();
    let kept = if known.kept > 0 { format!(" {} protected,", known.kept) } else { String::new() };
    let head = format!(
        "receipts as of t{as_of} · replayed · ~{} tokens before, ~{} after, ~{} of them receipts · {} pruned,{kept} {} cleared by the agent",
        grouped(known.before),
        grouped(known.after),
        grouped(known.receipts),
        leaves.iter().filter(|leaf| leaf.stage.is_some()).count(),
        leaves.iter().filter(|leaf| leaf.stage.is_none()).count(),
    );
    let totals = json!({
        "tokens_before": known.before,
        "tokens_after": known.after,
        "receipt_tokens": known.receipts,
    });
    print(&head, &totals, Some(as_of), &leaves, arguments, out)
}

fn leaf(log: &OpenLog, replay: &Replay, stub: &Stub) -> Leaf {
    let session = &log.session;
    let tokens = replay.find(&stub.id).map_or(0, |item| replay.tokens(session, item));
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
        status: if stub.stage.is_some() { "pruned" } else { "cleared" },
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
    let stages = Stage::ALL.into_iter().map(Some).chain([None]).map(|stage| {
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
        let tokens = tokens_of(&leaves);
        let kept = leaves.iter().filter(|leaf| leaf.status == "protected").count();
        let events = match kept {
            0 => count(leaves.len() as u64, "event"),
            _ => format!("{} pruned, {kept} protected", leaves.len() - kept),
        };
        let name = group(stage);
        writeln!(out, "{sign} {name} · {events} · ~{} tokens", grouped(tokens))?;
        for leaf in leaves.iter().filter(|_| arguments.depth > 1) {
            let Leaf { address, status, reason, label, .. } = leaf;
            let address = preview::on_one_line(address);
            writeln!(
                out,
                "    {}  {}  ({status}: {})",
                safe(&address),
                first_line(label),
                first_line(reason)
            )?;
        }
    }
    Ok(())
}

/// Tokens of what a stage took out of the prompt: what is protected stays in it.
fn tokens_of(leaves: &[&Leaf]) -> u64 {
    leaves.iter().filter(|leaf| leaf.status != "protected").map(|leaf| leaf.tokens).sum()
}

/// The name of what pruned.
fn group(stage: Option<Stage>) -> &'static str {
    stage.map_or("recorded", Stage::name)
}

fn node(stage: Option<Stage>, leaves: &[&Leaf], depth: u32) -> Value {
    let tokens = tokens_of(leaves);
    let children: Vec<Value> = leaves
        .iter()
        .filter(|_| depth > 1)
        .map(|leaf| {
            json!({
                "address": leaf.address,
                "kind": "receipt",
                "label": leaf.label,
                "status": leaf.status,
                "stage": stage.map(Stage::name),
                "reason": leaf.reason,
                "turn": leaf.turn,
                "tokens": leaf.tokens,
                "recorded": stage.is_none(),
                "children": [],
            })
        })
        .collect();
    json!({
        "kind": "stage",
        "label": group(stage),
        "tokens": tokens,
        "recorded": stage.is_none(),
        "children": children,
    })
}

/// Characters of a label or a reason in the text.
const WIDTH: usize = 120;

fn first_line(text: &str) -> String {
    safe(&crate::text::preview::first(text, WIDTH)).into_owned()
}
