//! `pentimento turns`: the timeline.

use std::collections::HashMap;
use std::io::Write;

use serde_json::{Map, Value, json};

use crate::outline::{Node, Outline, View, ViewKind, one_line};
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::session::{NEVER, Session, TurnId};
use crate::text::preview;

use super::{Failure, iso, thread_name};
use crate::cli::TurnsArguments;

/// Prints the turns of the threads asked for.
pub(super) fn run(log: &OpenLog, arguments: &TurnsArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let range = arguments.range.as_deref().map(parse_range).transpose()?;
    match arguments.thread.as_deref() {
        None if range.is_some() => print(log, 0, None, range, arguments.json, out),
        None => {
            for thread in 0..log.session.threads().len() {
                print(log, thread, None, None, arguments.json, out)?;
            }
            Ok(())
        }
        Some("main") => print(log, 0, None, range, arguments.json, out),
        Some(name) => {
            let name = name.strip_prefix('@').unwrap_or(name);
            match log.session.thread_named(Some(name)) {
                Some(thread) => print(log, thread, None, range, arguments.json, out),
                None => print(log.thread_log(name)?, 0, Some(name), range, arguments.json, out),
            }
        }
    }
}

/// `A..B`, either end open; `t` before a number is allowed.
fn parse_range(text: &str) -> Result<(u32, u32), Failure> {
    let fail = || Failure::Usage(format!("\"{text}\" is no range of turns: write A..B, A.. or ..B"));
    let (from, to) = text.split_once("..").ok_or_else(fail)?;
    let number = |text: &str, open: u32| {
        let digits = text.strip_prefix('t').unwrap_or(text);
        if text.is_empty() { Ok(open) } else { digits.parse().map_err(|_| fail()) }
    };
    let range = (number(from, 1)?, number(to, u32::MAX)?);
    if range.0 == 0 || range.0 > range.1 {
        return Err(Failure::Usage(format!(
            "\"{text}\" is no range: turns are numbered from 1, the smaller first"
        )));
    }
    Ok(range)
}

fn print(
    log: &OpenLog,
    thread: usize,
    agent: Option<&str>,
    range: Option<(u32, u32)>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let session = &log.session;
    let (from, to) = range.unwrap_or((1, u32::MAX));
    let last = session.threads()[thread].turns.len() as u32;
    if range.is_some() && from > last {
        return Err(Failure::NotFound(format!("there is no turn {from}: the thread has {last}")));
    }
    let in_range = |id: &TurnId| (from..=to).contains(&session.turn(*id).number);
    let view = View::new(log, ViewKind::Window, session.last());
    let mut echoes: HashMap<TurnId, Vec<u32>> = HashMap::new();
    for echo in session.echoes() {
        // An echo is listed where it stands: after the newest turn of its thread before it.
        let turns = &session.threads()[thread].turns;
        let before = turns.partition_point(|id| session.turn(id).first_row < echo.row);
        let at = before.checked_sub(1).and_then(|at| turns.get(at));
        if usize::from(session.turn(echo.of).thread) == thread {
            echoes.entry(at.unwrap_or(echo.of)).or_default().push(echo.row);
        }
    }
    for id in session.threads()[thread].turns.iter().filter(in_range) {
        if as_json {
            writeln!(out, "{}", turn(log, agent, id))?;
            for row in echoes.get(&id).into_iter().flatten() {
                writeln!(out, "{}", echo(session, *row))?;
            }
        } else {
            let mut label = view.label(log, Node::Turn(id));
            label.address = Some(log.address(id, agent));
            writeln!(out, "{}", one_line(&label))?;
        }
    }
    Ok(())
}

fn turn(log: &OpenLog, agent: Option<&str>, id: TurnId) -> Value {
    let session = &log.session;
    let turn = session.turn(id);
    let rows: Vec<_> = session.rows_of(id).map(|(_, row)| row).collect();
    let parts: Vec<Value> = session
        .parts(id)
        .map(|(_, part)| {
            let mut fields = Map::new();
            fields.insert("kind".into(), json!(part.kind.name()));
            fields.insert("tool".into(), json!(session.named(part.tool)));
            fields.insert("path".into(), json!(session.named(part.path)));
            fields.insert("bytes".into(), json!(part.bytes));
            if part.voice {
                fields.insert("voice".into(), json!(true));
            }
            if part.error {
                fields.insert("error".into(), json!(true));
            }
            Value::Object(fields)
        })
        .collect();
    let thread = agent.map_or_else(|| thread_name(log, turn.thread.into()), |name| format!("@{name}"));
    let mut value = json!({
        "address": log.address(id, agent).to_string(),
        "thread": thread,
        "branch": turn.branch,
        "role": turn.role.name(),
        "line": rows.first().map(|row| row.line),
        "lines": rows.iter().map(|row| row.line).collect::<Vec<_>>(),
        "offset": rows.first().map(|row| row.offset),
        "bytes": rows.iter().map(|row| u64::from(row.length)).sum::<u64>(),
        "time": iso(turn.time),
        "tokens": turn.tokens,
        "parts": parts,
        "preview": session.preview(&turn),
    });
    let mut also = |name: &str, field: Value| {
        value[name] = field;
    };
    if let Some(before) = session.continues(id) {
        also("continues", json!(log.address(before, agent).to_string()));
    }
    if turn.abandoned_at != NEVER {
        also("abandoned_at", json!(turn.abandoned_at));
    }
    if turn.context > 0 {
        also("context_tokens", json!(turn.context));
    }
    for (name, holds) in [
        ("queued", turn.is_queued()),
        ("withdrawn", turn.is_withdrawn()),
        ("injected", turn.is_injected()),
        ("dangling", turn.is_dangling()),
    ] {
        if holds {
            also(name, json!(true));
        }
    }
    if let Some(at) = session.cleared_at(id) {
        also("cleared_at", json!(at));
    }
    value
}

fn echo(session: &Session, row: u32) -> Value {
    let record = session.row(row);
    let of = session.echo_of(row).map(|of| session.address(of).to_string());
    json!({
        "address": Address::Line(record.line).to_string(),
        "echo_of": of,
        "line": record.line,
        "offset": record.offset,
        "bytes": record.length,
        "preview": preview::of(session.label(&record)),
    })
}
