//! `pentimento expand`: the turns under an address, word for word, or the log's own bytes.

mod forest;
mod made;

use std::io::Write;

use serde_json::json;

use crate::formats::facts::{PartKind, PartText};
use crate::lineage::support::TOGETHER;
use crate::session::address::Address;
use crate::session::open::{Lost, OpenLog};
use crate::session::text::{line, shown};
use crate::session::{RowKind, Session, TurnId};
use crate::text::{display, lexicon};

use super::trace::Tracer;
use super::{Failure, iso, receipts};
use crate::cli::ExpandArguments;

/// Bytes copied at a time.
const CHUNK: u64 = 1 << 20;

/// Prints what lies under an address.
pub(super) fn run(log: &OpenLog, arguments: &ExpandArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let address: Address = arguments.address.parse()?;
    if let Some(made) = crate::strategies::blocks::places::Place::of(&address) {
        return made::run(log, &made, arguments, out);
    }
    if matches!(address, Address::Cluster(_) | Address::ClusterSentence { .. } | Address::Union(_)) {
        return forest::run(log, &address, arguments, out);
    }
    if let Address::Receipt(id) = &address {
        return receipts::expand(log, id, arguments, out);
    }
    at(log, &address, arguments, out)
}

/// Prints what lies under an address that the log itself has.
pub(super) fn at(
    log: &OpenLog,
    address: &Address,
    arguments: &ExpandArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if arguments.summary && !has_summary(log, address) {
        return Err(Failure::NotFound(format!("{address} has no summary of its own")));
    }
    let place = find(log, address, arguments.summary)?;
    if arguments.raw {
        let (first, last) = place.rows;
        return copy(place.log, first, last, out);
    }
    match place.what.clone() {
        What::Turns(turns) => {
            for id in turns {
                print_turn(&place, id, None, arguments.json, out)?;
            }
        }
        What::Part(id, part) => print_turn(&place, id, Some(part), arguments.json, out)?,
        What::Row(row) => print_row(place.log, row, arguments.json, out)?,
    }
    Ok(())
}

/// Prints some parts, one after another.
pub(super) fn parts(
    log: &OpenLog,
    parts: &[(TurnId, u32)],
    arguments: &ExpandArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    parts.iter().try_for_each(|(turn, part)| {
        let place = place_turn(log, None, *turn, Some(*part))?;
        let (first, last) = place.rows;
        if arguments.raw {
            return copy(log, first, last, out);
        }
        print_turn(&place, *turn, Some(*part), arguments.json, out)
    })
}

/// Whether a summary stands at an address: a generation, or the turn of its summary.
fn has_summary(log: &OpenLog, address: &Address) -> bool {
    match address {
        Address::Generation(_) => true,
        Address::Turn { thread: None, number, .. } => {
            log.session.numbered(0, *number).is_some_and(|id| log.session.turn(id).is_summary())
        }
        _ => false,
    }
}

struct Place<'a> {
    log: &'a OpenLog,
    agent: Option<&'a str>,
    what: What,
    /// First and last row, for the log's own bytes.
    rows: (u32, u32),
}

#[derive(Clone)]
enum What {
    Turns(Vec<TurnId>),
    Part(TurnId, u32),
    Row(u32),
}

fn find<'a>(log: &'a OpenLog, address: &'a Address, summary: bool) -> Result<Place<'a>, Failure> {
    match address {
        Address::Turn { thread, number, part } => {
            let found = log.find_turn(thread.as_deref(), *number)?;
            let agent = thread.as_deref().filter(|_| !std::ptr::eq(found.log, log));
            place_turn(found.log, agent, found.turn, *part)
        }
        Address::Generation(generation) => find_generation(log, *generation, summary),
        Address::Sentence { generation, sentence } => find_sentence(log, *generation, *sentence),
        Address::Block(_)
        | Address::Span(_)
        | Address::MadeSentence { .. }
        | Address::Item(_)
        | Address::Cluster(_)
        | Address::ClusterSentence { .. }
        | Address::Union(_)
        | Address::Receipt(_) => Err(Failure::NotFound(format!("{address} is in no log: it is replayed"))),
        Address::Line(number) => {
            let row = log.find_line(*number)?;
            let what = match log.session.row(row).turn() {
                Some(id) => What::Turns(vec![id]),
                None => What::Row(row),
            };
            Ok(Place { log, agent: None, what, rows: (row, row) })
        }
        Address::Thread(name) => {
            let (inner, thread, agent) = match log.session.thread_named(Some(name)) {
                Some(thread) => (log, thread, None),
                None => (log.thread_log(name)?, 0, Some(name.as_str())),
            };
            let turns: Vec<_> = inner.session.threads()[thread].turns.iter().collect();
            let first = turns.first().map_or(0, |id| inner.session.turn(*id).first_row);
            let last = turns.last().map_or(0, |id| inner.session.turn(*id).last_row);
            Ok(Place { log: inner, agent, what: What::Turns(turns), rows: (first, last) })
        }
    }
}

fn place_turn<'a>(
    log: &'a OpenLog,
    agent: Option<&'a str>,
    id: TurnId,
    part: Option<u32>,
) -> Result<Place<'a>, Failure> {
    let turn = log.session.turn(id);
    let Some(index) = part else {
        let rows = (turn.first_row, turn.last_row);
        return Ok(Place { log, agent, what: What::Turns(vec![id]), rows });
    };
    let parts: Vec<_> = log.session.parts(id).map(|(_, part)| part.row).collect();
    let row = *parts
        .get(index as usize)
        .ok_or_else(|| Lost::Part(log.address(id, agent).to_string(), parts.len()))?;
    Ok(Place { log, agent, what: What::Part(id, index), rows: (row, row) })
}

/// A sentence lies over the turns of its first sources.
fn find_sentence(log: &OpenLog, generation: u32, sentence: u32) -> Result<Place<'_>, Failure> {
    let mut tracer = Tracer::new(log, lexicon::built_in());
    let (_, traced) = tracer.one(generation, sentence)?;
    let mut turns: Vec<TurnId> = Vec::new();
    for source in traced.sources.iter().take(TOGETHER) {
        if !turns.contains(&source.spot.turn) {
            turns.push(source.spot.turn);
        }
    }
    let rows = turns.iter().map(|id| log.session.turn(*id)).map(|turn| (turn.first_row, turn.last_row));
    let rows = rows.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).ok_or_else(|| {
        Failure::NotFound(format!(
            "nothing in the range of g{generation} says anything of sentence {sentence}"
        ))
    })?;
    Ok(Place { log, agent: None, what: What::Turns(turns), rows })
}

fn find_generation(log: &OpenLog, generation: u32, summary: bool) -> Result<Place<'_>, Failure> {
    let session = &log.session;
    let compaction =
        session.generation(generation).ok_or(Lost::Generation(generation, session.compactions().len()))?;
    if summary {
        let id = compaction.summary.ok_or_else(|| {
            Failure::NotFound(format!("generation {generation} is a boundary without a summary"))
        })?;
        return place_turn(log, None, id, None);
    }
    let rows = compaction.rows.filter(|_| !compaction.covers.is_empty()).ok_or_else(|| {
        let hint =
            if compaction.summary.is_some() { "`--summary` prints its text" } else { "it has no summary" };
        Failure::NotFound(format!("generation {generation} covers no turn of this file; {hint}"))
    })?;
    let ids = |ranges: &[(u32, u32)]| -> Vec<TurnId> {
        let numbers = ranges.iter().flat_map(|(from, to)| *from..=*to);
        numbers.filter_map(|number| session.numbered(0, number)).collect()
    };
    let turns = ids(&compaction.covers);
    let rows = covered_rows(session, &turns, rows);
    Ok(Place { log, agent: None, what: What::Turns(turns), rows })
}

/// First and last row of the covered turns: what stands behind the last of them, kept turns and lines that are no
/// records among it, was not replaced. The first may be one that the compaction before had kept.
fn covered_rows(session: &Session, covered: &[TurnId], range: (u32, u32)) -> (u32, u32) {
    let first = covered.first().map_or(range.0, |id| session.turn(*id).first_row);
    let last = covered.last().map_or(range.1, |id| session.turn(*id).last_row);
    (first, last)
}

/// Copies the physical lines of rows `first` to `last`, blank lines between them included, a newline behind each.
fn copy(log: &OpenLog, first: u32, last: u32, out: &mut dyn Write) -> Result<(), Failure> {
    let rows = log.session.rows();
    let (Some(first), Some(last)) = (rows.get(first), rows.get(last)) else {
        return Ok(());
    };
    let end = last.offset + u64::from(last.length);
    let mut at = first.offset;
    while at < end {
        let length = (end - at).min(CHUNK);
        out.write_all(&log.source.read(at, length as usize)?)?;
        at += length;
    }
    out.write_all(b"\n")?;
    Ok(())
}

fn print_turn(
    place: &Place,
    id: TurnId,
    part: Option<u32>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let session = &place.log.session;
    let turn = session.turn(id);
    let first = session.row(turn.first_row).line;
    let texts: Vec<_> = place
        .log
        .texts(id)?
        .into_iter()
        .filter(|located| part.is_none_or(|part| located.index == part))
        .collect();
    let address = match place.log.address(id, place.agent) {
        Address::Turn { thread, number, .. } => Address::Turn { thread, number, part },
        other => other,
    };
    let text: Vec<String> = texts.iter().map(|located| shown(&located.text)).collect();
    let text = text.join("\n");
    if as_json {
        let line = texts.first().map_or(first, |located| located.line);
        let parts: Vec<_> = texts
            .iter()
            .map(|located| {
                let PartText { kind, tool, text } = &located.text;
                json!({"kind": kind.name(), "tool": tool, "line": located.line, "part": located.part, "text": text})
            })
            .collect();
        let value = json!({
            "address": address.to_string(),
            "role": turn.role.name(),
            "line": line,
            "text": text,
            "parts": parts,
        });
        writeln!(out, "{value}")?;
        return Ok(());
    }
    let time = iso(turn.time).map_or_else(String::new, |time| format!(" · {time}"));
    writeln!(out, "── {address} {} · L{first}{time}", turn.role.name())?;
    for located in &texts {
        let kind = located.text.kind;
        if kind != PartKind::Text && !(kind == PartKind::ToolResult && texts.len() == 1) {
            writeln!(out, "─ {}", kind.name().replace('_', " "))?;
        }
        for line in shown(&located.text).lines() {
            writeln!(out, "{}", display::safe(line))?;
        }
    }
    writeln!(out)?;
    Ok(())
}

fn print_row(log: &OpenLog, row: u32, as_json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let record = log.session.row(row);
    let bytes = line(&log.source, &record)?;
    let text = String::from_utf8_lossy(&bytes);
    let role = match record.kind {
        RowKind::Malformed => "malformed",
        RowKind::Echo => "echo",
        _ => "note",
    };
    let address = Address::Line(record.line);
    if as_json {
        writeln!(
            out,
            "{}",
            json!({"address": address.to_string(), "role": role, "line": record.line, "text": text})
        )?;
    } else {
        let reason =
            log.session.malformed_reason(row).map_or_else(String::new, |reason| format!(" · {reason}"));
        writeln!(
            out,
            "── {address} {role} · {}{}",
            display::safe(log.session.label(&record)),
            display::safe(&reason)
        )?;
        for line in text.lines() {
            writeln!(out, "{}", display::safe(line))?;
        }
    }
    Ok(())
}
