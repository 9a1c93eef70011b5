//! `pentimento expand` of what is in the cold forest: clusters, what a union brought, sentences of a summary.

use std::io::Write;

use serde_json::json;

use crate::cli::ExpandArguments;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::union_find::summaries::Written;
use crate::text::display;
use crate::text::numbers::runs;

use super::super::forests::Cold;
use super::made::{rests_on, turns};
use super::{Failure, find};

/// Prints what lies under an address of the forest.
pub(super) fn run(
    log: &OpenLog,
    address: &Address,
    arguments: &ExpandArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let last = log.session.last();
    let mut cold = Cold::new(log, &arguments.forest, last, &arguments.replay.summaries)?;
    match *address {
        Address::Cluster(turn) => {
            let root = cold.root(log, turn)?;
            if arguments.summary {
                let written = cold.summary(root)?;
                return summary(log, &cold, root, &written, arguments.json, out);
            }
            turns(log, cold.replay.turns(&log.session, root, last), arguments, out)
        }
        Address::ClusterSentence { of, .. } => {
            let root = cold.root(log, of)?;
            let written = cold.summary(root)?;
            turns(log, rests_on(log, &written.summary, address)?, arguments, out)
        }
        Address::Union(_) if arguments.summary => {
            Err(Failure::NotFound(format!("{address} has no summary of its own")))
        }
        Address::Union(number) => {
            let unions = cold.replay.forest().forest().unions().len() as u32;
            if !(1..=unions).contains(&number) {
                return Err(Failure::NotFound(format!("there is no union u{number}: there were {unions}")));
            }
            turns(log, cold.view(log, last).joined(log, number - 1), arguments, out)
        }
        _ => find(log, address, false).map(|_| ()),
    }
}

fn summary(
    log: &OpenLog,
    cold: &Cold,
    root: u32,
    written: &Written,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let last = cold.replay.begun();
    let address = cold.view(log, last).address(root);
    let ids = cold.replay.turns(&log.session, root, last);
    let covers = runs(ids.iter().map(|id| log.session.turn(*id).number));
    if as_json {
        let line = |line: &crate::summarisers::SummaryLine| json!({"text": written.summary.text.get(line.range.clone()), "turns": line.turns});
        let value = json!({
            "address": address.to_string(),
            "role": "summary",
            "covers": covers,
            "depth": written.depth,
            "summariser": written.summariser,
            "input": written.input.to_string(),
            "tokens": written.tokens,
            "text": written.summary.text,
            "lines": written.summary.lines.iter().map(line).collect::<Vec<_>>(),
        });
        writeln!(out, "{value}")?;
        return Ok(());
    }
    writeln!(
        out,
        "── {address} summary · covers all {} messages · depth {} · {} · ~{} tokens",
        written.covers.len(),
        written.depth,
        display::safe(&written.summariser),
        written.tokens
    )?;
    for line in written.summary.text.lines() {
        writeln!(out, "{}", display::safe(line))?;
    }
    writeln!(out)?;
    Ok(())
}
