//! `pentimento trace` of what is replayed: the sentences of a block's or span's summary, with the turns that its maker
//! says they were taken from. Nothing is guessed there; an item of the ledger is traced as its turn.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use crate::cli::TraceArguments;
use crate::lineage::exact::Line;
use crate::lineage::range::Plan;
use crate::lineage::support::TOGETHER;
use crate::lineage::trace::{Trace, Traced, trace};
use crate::lineage::weights;
use crate::session::TurnId;
use crate::session::open::OpenLog;
use crate::summarisers::Summary;
use crate::text::display::safe;
use crate::text::lexicon::Lexicon;
use crate::text::preview;

use super::super::forests::Cold;
use super::super::replay::{Place, Replayed};
use super::super::{Failure, SCHEMA};
use super::{Tracer, contrasts, rounded, source_json, sources_text, standing};

/// Prints what a place of the hierarchy rests on.
pub(super) fn run(
    log: &OpenLog,
    place: &Place,
    arguments: &TraceArguments,
    lexicon: &Lexicon,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut replayed = Replayed::new(log, &arguments.replay)?;
    let (made, only) = match *place {
        Place::Whole(made) => (made, None),
        Place::Sentence(made, sentence) => (made, Some(sentence)),
        Place::Item(number) => {
            let turn = replayed.item(log, number)?.turn;
            return Tracer::new(log, lexicon).turn(turn, arguments.json, out);
        }
    };
    replayed.range(made)?;
    let written = replayed.summaries.of(log, &replayed.blocks, made, &AtomicBool::new(false))?;
    let text = Text {
        address: Place::Whole(made).to_string(),
        summary: &written.summary,
        depth: written.plan.depth(),
        summariser: &written.summariser,
        inputs: replayed.blocks.inputs(&log.session, made),
    };
    sentences(log, &text, only, arguments, lexicon, out)
}

/// Prints what the summary of the cluster that holds a turn rests on.
pub(super) fn cluster(
    log: &OpenLog,
    turn: u32,
    only: Option<u32>,
    arguments: &TraceArguments,
    lexicon: &Lexicon,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let last = log.session.last();
    let mut cold = Cold::new(log, &arguments.forest, last, &arguments.replay.summaries)?;
    let root = cold.root(log, turn)?;
    let written = cold.summary(log, root)?;
    let text = Text {
        address: cold.view(last).address(root).to_string(),
        summary: &written.summary,
        depth: written.depth,
        summariser: &written.summariser,
        inputs: cold.replay.turns(&log.session, root, last),
    };
    sentences(log, &text, only, arguments, lexicon, out)
}

/// A summary that was made here.
struct Text<'a> {
    address: String,
    summary: &'a Summary,
    depth: u32,
    summariser: &'a str,
    /// The turns that it was made from.
    inputs: Vec<TurnId>,
}

fn sentences(
    log: &OpenLog,
    of: &Text,
    only: Option<u32>,
    arguments: &TraceArguments,
    lexicon: &Lexicon,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Text { address, summary, depth, summariser, inputs } = of;
    let lines: Vec<Line> = summary.lines.iter().map(|line| exact(log, line)).collect();
    let stands = inputs.last().copied().ok_or_else(|| Failure::NotFound(format!("{address} is empty")))?;
    let plan = Plan::made(&log.session, 0, stands, summary.text.clone(), lines, inputs);
    let traced = trace(&plan, &log.source, lexicon, weights::built_in())?;
    let all = traced.sentences.len();
    let places = match only {
        None => 0..all,
        Some(sentence) => match (sentence as usize).checked_sub(1).filter(|place| *place < all) {
            Some(place) => place..place + 1,
            None => {
                return Err(Failure::NotFound(format!(
                    "there is no sentence {address}.s{sentence}: the summary has {all}"
                )));
            }
        },
    };
    if !arguments.json {
        writeln!(out, "{address} · by {} · depth {depth} · lexicon {}", safe(summariser), traced.lexicon)?;
    }
    for place in places {
        let name = format!("{address}.s{}", place + 1);
        print(&name, of, &traced, &traced.sentences[place], arguments.json, out)?;
    }
    Ok(())
}

fn exact(log: &OpenLog, line: &crate::summarisers::SummaryLine) -> Line {
    let turns = line.turns.iter().filter_map(|number| log.session.numbered(0, *number));
    Line { range: line.range.clone(), turns: turns.collect() }
}

fn print(
    name: &str,
    of: &Text,
    trace: &Trace,
    traced: &Traced,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let text = traced.sentence.text(&trace.text);
    let sources = traced.sources.iter().take(TOGETHER);
    if as_json {
        let value = json!({
            "schema": SCHEMA,
            "address": name,
            "text": text,
            "kind": traced.sentence.kind.name(),
            "section": traced.sentence.heading,
            "support": traced.support.name(),
            "coverage": rounded(traced.coverage),
            "verbatim": traced.verbatim,
            "contrasts": contrasts(traced),
            "sources": sources.map(|source| source_json(source, None)).collect::<Vec<_>>(),
            "origin": traced.origin.name(),
            "depth": of.depth,
            "summariser": of.summariser,
            "lexicon": trace.lexicon,
        });
        writeln!(out, "{value}")?;
        return Ok(());
    }
    writeln!(out, "\n{name} {}", safe(&preview::on_one_line(text)))?;
    standing(traced, true, out)?;
    sources_text(traced, None, out)
}
