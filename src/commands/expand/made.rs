//! `pentimento expand` of what is replayed: blocks, spans, sentences of their summaries, items of the ledger.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use crate::cli::ExpandArguments;
use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::blocks::places::Place;
use crate::strategies::blocks::summaries::Written;
use crate::strategies::blocks::{Item, Retention};
use crate::summarisers::Summary;
use crate::text::{display, sentences};

use super::super::replay::{Replayed, carries};
use super::{Failure, What, copy, print_turn};

/// Prints what lies under a place.
pub(super) fn run(
    log: &OpenLog,
    place: &Place,
    arguments: &ExpandArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut replayed = Replayed::new(log, &arguments.replay)?;
    let (made, sentence) = match *place {
        Place::Whole(made) => (made, None),
        Place::Sentence(made, sentence) => (made, Some(sentence)),
        Place::Item(number) => return item(log, replayed.blocks.find_item(number)?, arguments, out),
    };
    let address = &arguments.address;
    let ((from, to), _) = replayed.blocks.find(made)?;
    let frozen = replayed.blocks.settings().retention == Retention::CurrentBlock;
    if frozen && arguments.raw {
        return Err(Failure::NotFound(format!("{address}: originals not retained")));
    }
    if arguments.summary && sentence.is_some() {
        return Err(Failure::NotFound(format!(
            "{address} has no summary of its own: it is a sentence of one"
        )));
    }
    if arguments.summary || frozen {
        let written = replayed.summaries.of(log, &replayed.blocks, made, &AtomicBool::new(false));
        if frozen && !arguments.json {
            writeln!(out, "{address}: originals not retained; this is what is known of t{from}–t{to}")?;
        }
        let written = written?;
        return summary(address, (from, to), &written, frozen, arguments.json, out);
    }
    let ids = match sentence {
        None => (from..=to).filter_map(|number| log.session.numbered(0, number)).collect(),
        Some(sentence) => {
            let written = replayed.summaries.of(log, &replayed.blocks, made, &AtomicBool::new(false))?;
            rests_on(log, &written.summary, &made.sentence(sentence))?
        }
    };
    turns(log, ids, arguments, out)
}

/// An item of the ledger, and the turn that says it.
fn item(log: &OpenLog, item: &Item, arguments: &ExpandArguments, out: &mut dyn Write) -> Result<(), Failure> {
    if !arguments.raw {
        let state = item.state(&log.session, log.session.last());
        if arguments.json {
            let value = json!({
                "address": arguments.address,
                "role": "item",
                "turn": item.at,
                "classes": item.kinds(),
                "state": state.words(),
                "unpinned": item.is_unpinned(),
                "text": item.text,
            });
            writeln!(out, "{value}")?;
        } else {
            let words = display::safe(&item.text);
            let kinds = item.kinds().join("+");
            writeln!(out, "── {} of the ledger · {kinds} · {}", arguments.address, state.words())?;
            writeln!(out, "{words}\n")?;
        }
    }
    turns(log, vec![item.turn], arguments, out)
}

/// The turns that a sentence of a summary is taken from, by what its maker says.
pub(super) fn rests_on(log: &OpenLog, summary: &Summary, address: &Address) -> Result<Vec<TurnId>, Failure> {
    let all = sentences::of(&summary.text);
    let place = address.clone().place_in(all.len())?;
    let mut numbers = all.get(place as usize).map(|of| summary.turns_of(&of.range)).unwrap_or_default();
    if numbers.is_empty() {
        return Err(Failure::NotFound(format!(
            "whoever wrote {address} does not say which turns it rests on"
        )));
    }
    numbers.sort_unstable();
    Ok(numbers.into_iter().filter_map(|number| log.session.numbered(0, number)).collect())
}

pub(super) fn turns(
    log: &OpenLog,
    ids: Vec<TurnId>,
    arguments: &ExpandArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if arguments.raw {
        let rows = ids.iter().map(|id| log.session.turn(*id)).map(|turn| (turn.first_row, turn.last_row));
        return match rows.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))) {
            Some((first, last)) => copy(log, first, last, out),
            None => Ok(()),
        };
    }
    let place = super::Place { log, agent: None, what: What::Turns(ids.clone()), rows: (0, 0) };
    ids.into_iter().try_for_each(|id| print_turn(&place, id, None, arguments.json, out))
}

fn summary(
    address: &str,
    turns: (u32, u32),
    written: &Written,
    frozen: bool,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let depth = written.plan.depth();
    if as_json {
        let lines: Vec<_> = written
            .summary
            .lines
            .iter()
            .map(|line| json!({"text": written.summary.text.get(line.range.clone()), "turns": line.turns}))
            .collect();
        let missing = written.carries.missing.iter().filter(|_| !frozen);
        let missing = missing.map(|it| json!({"kind": it.kind.name(), "text": it.text, "turn": it.turn}));
        let value = json!({
            "address": address,
            "role": "summary",
            "turns": turns,
            "depth": depth,
            "summariser": written.summariser,
            "input": written.input.to_string(),
            "tokens": written.tokens,
            "carries": carries(written),
            "not_carried": missing.collect::<Vec<_>>(),
            "text": written.summary.text,
            "lines": lines,
        });
        writeln!(out, "{value}")?;
        return Ok(());
    }
    writeln!(
        out,
        "── {address} summary · t{}–t{} · depth {depth} · {} · ~{} tokens",
        turns.0,
        turns.1,
        display::safe(&written.summariser),
        written.tokens
    )?;
    for line in written.summary.text.lines() {
        writeln!(out, "{}", display::safe(line))?;
    }
    writeln!(out)?;
    Ok(())
}
