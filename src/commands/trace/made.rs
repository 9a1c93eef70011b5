//! `pentimento trace` of what is replayed: the sentences of a block's or span's summary, with the turns that its maker
//! says they were taken from. Nothing is guessed there; an item of the ledger is traced as its turn.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use crate::cli::TraceArguments;
use crate::lineage::range::Plan;
use crate::lineage::support::TOGETHER;
use crate::lineage::trace::{Trace, Traced, trace};
use crate::lineage::{told, weights, wording};
use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::blocks::Retention;
use crate::strategies::blocks::places::Place;
use crate::summarisers::Summary;
use crate::text::display::safe;
use crate::text::lexicon::{self, Lexicon};
use crate::text::preview;

use super::super::forests::Cold;
use super::super::replay::Replayed;
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
    if replayed.blocks.settings().retention == Retention::CurrentBlock && !matches!(place, Place::Item(_)) {
        let address = &arguments.address;
        return Err(Failure::NotFound(format!(
            "{address}: originals not retained, so nothing can be traced"
        )));
    }
    let (made, only) = match *place {
        Place::Whole(made) => (made, None),
        Place::Sentence(made, sentence) => (made, Some(sentence)),
        Place::Item(number) => {
            let turn = replayed.blocks.find_item(number)?.turn;
            return Tracer::new(log, lexicon).turn(turn, arguments.json, out);
        }
    };
    replayed.blocks.find(made)?;
    let written = replayed.summaries.of(log, &replayed.blocks, made, &AtomicBool::new(false))?;
    let text = Text {
        address: made.address(),
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
    let written = cold.summary(root)?;
    let text = Text {
        address: cold.view(log, last).address(root),
        summary: &written.summary,
        depth: written.depth,
        summariser: &written.summariser,
        inputs: cold.replay.turns(&log.session, root, last),
    };
    sentences(log, &text, only, arguments, lexicon, out)
}

/// A summary that was made here.
struct Text<'a> {
    address: Address,
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
    let plan = Plan::of_summary(&log.session, summary, inputs);
    let plan = plan.ok_or_else(|| Failure::NotFound(format!("{address} is empty")))?;
    let traced = trace(&plan, &log.source, lexicon, weights::built_in())?;
    let all = traced.sentences.len();
    let places = match only {
        None => 0..all,
        Some(sentence) => {
            let place = address.clone().sentence(sentence).place_in(all)? as usize;
            place..place + 1
        }
    };
    if !arguments.json {
        writeln!(out, "{address} · by {} · depth {depth} · lexicon {}", safe(summariser), traced.lexicon)?;
    }
    for place in places {
        let name = address.clone().sentence(place as u32 + 1).to_string();
        print(&name, of, &traced, &traced.sentences[place], arguments.json, out)?;
    }
    Ok(())
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
    let since = |source| Some((source, wording::loss_since(lexicon::built_in(), source, text)?));
    let lost: Vec<_> = sources.clone().filter_map(since).collect();
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
            "hedges_lost": lost.iter().map(|(source, words)| json!({"turn": source.spot.number, "words": words})).collect::<Vec<_>>(),
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
    standing(traced, trace.complete, trace.ample, out)?;
    for (source, words) in lost {
        let (turn, hedge) = (source.spot.number, told::hedge(&words));
        writeln!(out, "  ! the hedge is lost: t{turn} said {}, it does not: compare", safe(&hedge))?;
    }
    sources_text(traced, None, out)
}
