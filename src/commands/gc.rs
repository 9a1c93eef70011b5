//! `pentimento gc`: a Context-GC trace, compacted.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};
use similar::TextDiff;

use crate::cli::{GcArguments, Provider};
use crate::log::name::shown;
use crate::log::{LogError, Source};
use crate::message::complain;
use crate::strategies::context_gc::{
    Compacted, Fate, Mode, Stage, Trace, compact_events, full_prompt, line, read,
};

use super::{Failure, SCHEMA};

/// What the reference's adapter asks Anthropic for.
const MAX_TOKENS: u32 = 1024;

/// Prints the compacted prompt of a trace, or what was asked for instead.
pub(super) fn run(arguments: &GcArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let trace = open(&arguments.path)?;
    let compacted = compact(&arguments.path, &trace, arguments.mode)?;
    compacted.oddities.iter().for_each(|oddity| complain(&format!("{}: {oddity}", shown(&arguments.path))));
    if let Some(id) = &arguments.explain {
        return explain(arguments, &trace, &compacted, id, out);
    }
    if let (Some(provider), Some(model), Some(message)) =
        (arguments.body, &arguments.model, &arguments.message)
    {
        writeln!(out, "{:#}", body(provider, &compacted.prompt, model, message))?;
        return Ok(());
    }
    if arguments.diff {
        let full = full_prompt(&trace.events);
        let diff = TextDiff::from_lines(&full, &compacted.prompt);
        write!(out, "{}", diff.unified_diff().context_radius(3).header("original", "compacted"))?;
        return Ok(());
    }
    if arguments.json {
        writeln!(out, "{}", to_json(arguments.mode, &compacted))?;
        return Ok(());
    }
    if !compacted.prompt.is_empty() {
        writeln!(out, "{}", compacted.prompt)?;
    }
    Ok(())
}

/// Reads a trace.
pub(super) fn open(path: &Path) -> Result<Trace, Failure> {
    let source = Source::open(path)?;
    let bytes = source.read_all()?;
    source.notices().iter().for_each(|notice| complain(notice));
    if bytes.trim_ascii().is_empty() {
        let empty = LogError::Empty { path: path.to_path_buf() };
        return Err(empty.explained(source.flow().as_ref()).into());
    }
    read(&bytes).map_err(|error| Failure::Unreadable(format!("{}: {error}", shown(path))))
}

pub(super) fn compact(path: &Path, trace: &Trace, mode: Mode) -> Result<Compacted, Failure> {
    compact_events(&trace.events, mode).map_err(|error| {
        let hint = "`--mode strict` reports this and goes on";
        Failure::Unreadable(format!("{}: {error}. {hint}", shown(path)))
    })
}

pub(super) fn to_json(mode: Mode, compacted: &Compacted) -> Value {
    let receipts: Vec<Value> = compacted
        .receipts
        .iter()
        .map(|receipt| {
            json!({
                "address": format!("r:{}", receipt.id),
                "id": receipt.id,
                "members": receipt.members,
                "visible": receipt.visible,
            })
        })
        .collect();
    let of = |stage: Stage| {
        let ids = compacted.stages.iter().filter(|(_, at)| **at == stage).map(|(id, _)| id);
        let pruned = ids.clone().filter(|id| compacted.pruned_ids.binary_search(id).is_ok());
        json!({"pruned": pruned.count(), "protected": ids.filter(|id| compacted.protected_ids.binary_search(id).is_ok()).count()})
    };
    let stages: Map<String, Value> =
        Stage::ALL.into_iter().map(|stage| (stage.name().to_owned(), of(stage))).collect();
    let oddities: Vec<String> = compacted.oddities.iter().map(ToString::to_string).collect();
    json!({
        "schema": SCHEMA,
        "mode": mode.name(),
        "prompt": compacted.prompt,
        "tokens_before": compacted.tokens_before,
        "tokens_after": compacted.tokens_after,
        "receipt_tokens": compacted.receipt_tokens,
        "pruned_ids": compacted.pruned_ids,
        "protected_ids": compacted.protected_ids,
        "live_ids": compacted.live_ids,
        "receipts": receipts,
        "prune_reasons": compacted.prune_reasons,
        "protected_reasons": compacted.protected_reasons,
        "stages": stages,
        "oddities": oddities,
    })
}

/// An event with what became of it.
fn explain(
    arguments: &GcArguments,
    trace: &Trace,
    compacted: &Compacted,
    id: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let sources = trace.sources(arguments.mode);
    let Some(source) = sources.receipt(id) else {
        let count = trace.events.len();
        return Err(Failure::NotFound(format!("no event \"{id}\" among the {count} of the trace")));
    };
    let fate = compacted.fate(id);
    let (status, stage, reason, keeper) = match &fate {
        Fate::Live => ("live", None, None, None),
        Fate::Protected { stage, reason, keeper } => ("protected", Some(stage), Some(reason), Some(keeper)),
        Fate::Pruned { stage, reason } => ("pruned", Some(stage), Some(reason), None),
    };
    let mut behind =
        compacted.receipts.iter().filter(|receipt| receipt.members.iter().any(|member| member == id));
    let receipt = behind.find(|receipt| receipt.visible);
    let related = reason.and_then(|reason| reason.rsplit(' ').next()).and_then(|other| {
        let event = trace.events.iter().rev().find(|event| event.id() == other)?;
        Some((other, event.kind().name(), line(event)))
    });
    if arguments.json {
        let value = json!({
            "schema": SCHEMA,
            "id": id,
            "status": status,
            "stage": stage.map(|stage| stage.name()),
            "reason": reason,
            "keeper": keeper,
            "receipt": receipt.map(|receipt| format!("r:{}", receipt.id)),
            "related": related.as_ref().map(|(other, kind, text)| json!({"id": other, "type": kind, "text": text})),
            "event": source,
        });
        writeln!(out, "{value}")?;
        return Ok(());
    }
    writeln!(out, "{source}")?;
    let stage = stage.map_or_else(String::new, |stage| format!(" by the stage {stage}"));
    match status {
        "protected" => writeln!(out, "Status: live, protected from being pruned{stage}")?,
        _ => writeln!(out, "Status: {status}{stage}")?,
    }
    if let Some(reason) = reason {
        writeln!(out, "Reason: {reason}")?;
    }
    if let Some(keeper) = keeper {
        writeln!(out, "Protected: {keeper}")?;
    }
    if let Some((other, kind, text)) = related {
        writeln!(out, "Related: {kind} {other}: {text}")?;
    }
    match receipt {
        Some(receipt) => writeln!(out, "Receipt: r:{} in the prompt", receipt.id)?,
        None if status == "pruned" => writeln!(out, "Receipt: none that the prompt shows")?,
        None => {}
    }
    Ok(())
}

/// The body of the request that the reference's adapter would send.
fn body(provider: Provider, prompt: &str, model: &str, message: &str) -> Value {
    let user = json!({"role": "user", "content": message});
    match provider {
        Provider::Anthropic => {
            json!({"model": model, "max_tokens": MAX_TOKENS, "system": prompt, "messages": [user]})
        }
        Provider::Openai => {
            json!({"model": model, "messages": [{"role": "system", "content": prompt}, user]})
        }
    }
}
