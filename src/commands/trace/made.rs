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
use crate::session::open::OpenLog;
use crate::strategies::blocks::Retention;
use crate::strategies::blocks::places::{self, Place};
use crate::strategies::blocks::summaries::Written;
use crate::text::display::safe;
use crate::text::lexicon::{self, Lexicon};
use crate::text::preview;

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
    let address = made.address();
    let inputs = replayed.blocks.inputs(&log.session, made);
    let plan = Plan::of_summary(&log.session, &written.summary, &inputs);
    let plan = plan.ok_or_else(|| Failure::NotFound(format!("{address} is empty")))?;
    let traced = trace(&plan, &log.source, lexicon, weights::built_in())?;
    let all = traced.sentences.len();
    let places = match only {
        None => 0..all,
        Some(sentence) => {
            let place = places::sentence_of(made, sentence, all)? as usize;
            place..place + 1
        }
    };
    if !arguments.json {
        let depth = written.plan.depth();
        writeln!(
            out,
            "{address} · by {} · depth {depth} · lexicon {}",
            safe(&written.summariser),
            traced.lexicon
        )?;
    }
    for place in places {
        let name = made.sentence(place as u32 + 1).to_string();
        print(&name, &written, &traced, &traced.sentences[place], arguments.json, out)?;
    }
    Ok(())
}

fn print(
    name: &str,
    written: &Written,
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
            "depth": written.plan.depth(),
            "summariser": written.summariser,
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
