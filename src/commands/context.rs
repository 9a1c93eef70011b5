//! `pentimento context`: what the model sees.

use std::io::Write;

use serde_json::{Value, json};

use crate::outline::{Label, Node, Outline, View, ViewKind, one_line};
use crate::session::Session;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::context_gc::session::Replay;
use crate::strategies::{Context, Entry, Limit, Strategy, context};
use crate::text::numbers::{count, grouped};

use super::{Failure, SCHEMA, as_of};
use crate::cli::ContextArguments;

/// Prints the context as of a moment under a strategy.
pub(super) fn run(log: &OpenLog, arguments: &ContextArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let mut strategy: Strategy = arguments.strategy.parse().map_err(Failure::Usage)?;
    if let Strategy::Truncate(limit) = &mut strategy {
        *limit = match (arguments.hot, arguments.budget) {
            (Some(turns), _) => Limit::Turns(turns),
            (None, Some(tokens)) => Limit::Tokens(tokens),
            (None, None) => *limit,
        };
    }
    if !matches!(strategy, Strategy::Truncate(_)) && (arguments.hot.is_some() || arguments.budget.is_some()) {
        let message = "--hot and --budget belong to `--strategy truncate`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let as_of = as_of(log, arguments.as_of.as_deref())?;
    let replay = match strategy {
        Strategy::ContextGc => Some(Replay::of(log)?),
        _ => None,
    };
    let context = match &replay {
        Some(replay) => replay.context(&log.session, as_of),
        None => context(&log.session, strategy, as_of),
    };
    if arguments.json {
        writeln!(out, "{}", to_json(log, &context, replay.as_ref()))?;
        return Ok(());
    }
    let sealed = context.entries.iter().filter_map(|entry| sealed(&log.session, entry)).count();
    let origin = if strategy == Strategy::Recorded { "from the log" } else { "replayed" };
    writeln!(
        out,
        "as of t{as_of} · {strategy} ({origin}) · {} · ~{} tokens{}",
        count(context.entries.len() as u64, "entry").replace("entrys", "entries"),
        grouped(context.tokens),
        if sealed > 0 { ", the encrypted summary's not counted" } else { "" },
    )?;
    let view = View::new(log, ViewKind::Window, as_of);
    for entry in &context.entries {
        let line = one_line(&label(log, &view, entry));
        match (entry, &replay) {
            (Entry::Receipt { target }, Some(replay)) => {
                let stubs = replay.receipts_of(&log.session, *target, as_of);
                let reasons: Vec<&str> = stubs.iter().map(|stub| &*stub.reason).collect();
                writeln!(out, "[receipt: {}] {line}", reasons.join(", "))?;
            }
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

fn label(log: &OpenLog, view: &View, entry: &Entry) -> Label {
    let node = match entry {
        Entry::Turn(id) | Entry::Receipt { target: id } => Node::Turn(*id),
        Entry::Summary { generation, .. } => Node::Generation(*generation),
    };
    Label { tokens: Some(entry.tokens(&log.session)), ..view.label(log, node) }
}

/// The bytes of a summary that nobody here can read: what it costs in tokens is not known.
fn sealed(session: &Session, entry: &Entry) -> Option<u32> {
    match entry {
        Entry::Summary { turn, .. } => session.compaction_of(*turn)?.encrypted,
        _ => None,
    }
}

fn to_json(log: &OpenLog, context: &Context, replay: Option<&Replay>) -> Value {
    let session = &log.session;
    let entries: Vec<Value> = context
        .entries
        .iter()
        .map(|entry| {
            let mut value = json!({
                "kind": entry.kind(),
                "address": session.address(entry.turn()).to_string(),
                "covers": Value::Null,
                "depth": 0,
                "tokens": entry.tokens(session),
            });
            if let (Entry::Receipt { target }, Some(replay)) = (entry, replay) {
                let stubs = replay.receipts_of(session, *target, context.as_of);
                value["address"] = json!(format!("r:{}", session.address(*target)));
                value["stages"] = json!(stubs.iter().map(|stub| stub.stage.name()).collect::<Vec<_>>());
                value["reasons"] = json!(stubs.iter().map(|stub| &stub.reason).collect::<Vec<_>>());
            }
            if let Entry::Summary { generation, covers, depth, turn } = entry {
                value["address"] = json!(Address::Generation(*generation).to_string());
                value["turn"] = json!(session.turn(*turn).number);
                value["covers"] = json!(covers);
                value["depth"] = json!(depth);
                if let Some(bytes) = sealed(session, entry) {
                    value["encrypted_bytes"] = json!(bytes);
                }
            }
            value
        })
        .collect();
    json!({
        "schema": SCHEMA,
        "as_of": context.as_of,
        "strategy": context.strategy.name(),
        "recorded": context.strategy == Strategy::Recorded,
        "tokens": context.tokens,
        "logged_tokens": session.context_size(context.as_of).map(|(tokens, _)| tokens),
        "entries": entries,
    })
}
