//! `pentimento expand` of what is replayed: blocks, spans, sentences of their summaries, items of the ledger.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use crate::cli::ExpandArguments;
use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::blocks::Retention;
use crate::strategies::blocks::places::Place;
use crate::strategies::blocks::summaries::Written;
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
        Place::Item(number) => {
            return turns(log, vec![replayed.blocks.find_item(number)?.turn], arguments, out);
        }
    };
    let address = &arguments.address;
    let ((from, to), _) = replayed.blocks.find(made)?;
    let frozen = replayed.blocks.settings().retention == Retention::CurrentBlock;
    if arguments.summary || frozen {
        let written = replayed.summaries.of(log, &replayed.blocks, made, &AtomicBool::new(false));
        if frozen && !arguments.json {
            writeln!(out, "{address}: originals not retained; this is what is known of t{from}–t{to}")?;
        }
        let written = written?;
        return summary(address, (from, to), &written, arguments.json, out);
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
        let value = json!({
            "address": address,
            "role": "summary",
            "turns": turns,
            "depth": depth,
            "summariser": written.summariser,
            "input": written.input.to_string(),
            "tokens": written.tokens,
            "carries": carries(written),
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
