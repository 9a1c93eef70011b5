//! The trace of a sentence of a summary that was made here: the turns that its maker took it from.

use crate::lineage::range::Plan;
use crate::lineage::told;
use crate::lineage::tracing::Tracing;
use crate::outline::blocks::Hierarchy;
use crate::session::open::OpenLog;
use crate::strategies::blocks::Made;
use crate::strategies::blocks::summaries::Covers;
use crate::text::preview;

use super::super::document::{Document, Tone};
use super::super::signs;
use super::{contrasts, short, sources};

/// The number under which the summary of a block or span is traced.
pub fn number(covers: Covers) -> u64 {
    u64::from(covers.span) << 32 | u64::from(covers.to)
}

/// What is to be read to trace it; nothing where it is not written.
pub fn plan(hierarchy: &Hierarchy, log: &OpenLog, made: Made) -> Option<Plan> {
    let Hierarchy { blocks, summaries, .. } = hierarchy;
    let written = summaries.known(blocks, made)?.as_ref().ok()?;
    Plan::of_summary(&log.session, &written.summary, &blocks.inputs(&log.session, made))
}

/// The trace of a sentence.
pub fn sentence(hierarchy: &Hierarchy, tracing: &Tracing, made: Made, place: u32) -> Document {
    let Hierarchy { blocks, summaries, .. } = hierarchy;
    let title = format!("{} trace", made.sentence(place + 1));
    let written = summaries.known(blocks, made).and_then(|known| known.as_ref().ok());
    let text = written.and_then(|written| written.sentence(place)).unwrap_or_default();
    let mut facts = vec![(Tone::Summary, preview::on_one_line(&short(text)))];
    let known = blocks.covers(made).and_then(|covers| tracing.made(number(covers)));
    let trace = match known {
        Some(Ok(trace)) => trace,
        Some(Err(error)) => {
            facts.push((Tone::Warn, format!("{} cannot be traced: {error}", signs::FAILED.mark)));
            return Document { title, facts, ..Document::default() };
        }
        None => {
            facts.push((Tone::Dim, format!("{} tracing {} …", signs::PENDING.mark, made.address())));
            return Document { title, facts, ..Document::default() };
        }
    };
    let Some(traced) = trace.sentences.get(place as usize) else {
        return Document { title, facts, ..Document::default() };
    };
    let exact = traced.sources.iter().any(|source| source.exact);
    let whence =
        if exact { "exact: its maker names its turns" } else { "its maker names no turn: these are likely" };
    let held = told::held(traced).map_or_else(String::new, |held| format!(", {held}"));
    let words = if traced.is_word_for_word() { ", word for word" } else { "" };
    facts.push((if exact { Tone::Assistant } else { Tone::Dim }, format!("{whence}{words}{held}")));
    facts.extend(contrasts(traced));
    let mut document = Document { title, facts, blocks: sources(trace, traced), ..Document::default() };
    document.chosen = document.links().first().map(|(block, _)| *block);
    document
}
