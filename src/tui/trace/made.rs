//! The trace of a sentence of a summary that was made here: the turns that its maker took it from.

use crate::lineage::range::Plan;
use crate::lineage::support::TOGETHER;
use crate::lineage::trace::Traced;
use crate::lineage::tracing::Tracing;
use crate::lineage::{told, wording};
use crate::outline::Node;
use crate::outline::blocks::Hierarchy;
use crate::session::open::OpenLog;
use crate::strategies::blocks::Made;
use crate::strategies::blocks::summaries::Covers;
use crate::text::{lexicon, preview};

use super::super::document::{Block, Body, Document, Tone};
use super::super::signs;
use super::{address, contrasts, short, sources, told_of};

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
    facts.push(told_of(trace, traced));
    if !traced.is_named() {
        facts.push((Tone::Dim, "its maker names no turn of its range: these are likely".to_owned()));
    }
    facts.extend(contrasts(traced));
    facts.extend(lost(traced, text));
    let mut document = Document { title, facts, blocks: sources(trace, traced), ..Document::default() };
    document.chosen = document.links().first().map(|(block, _)| *block);
    document
}

/// The lines of written summaries of the hierarchy that name a turn, each leading there.
pub fn naming(hierarchy: &Hierarchy, as_of: u32, number: u32) -> Vec<Block> {
    let Hierarchy { blocks, summaries, .. } = hierarchy;
    let lines = summaries.naming(blocks, as_of, number);
    let what = match lines.len() {
        0 => "── blocks, replayed · no line of a summary that is written names it".to_owned(),
        some => format!("── blocks, replayed · {} its maker took from it", counted(some)),
    };
    let line = |(made, place): (Made, u32)| {
        let written = summaries.known(blocks, made).and_then(|known| known.as_ref().ok());
        let text = written.and_then(|written| written.sentence(place)).unwrap_or_default();
        let body =
            Body::Runs(vec![vec![(Tone::Text, format!("    {}", preview::on_one_line(&short(text))))]]);
        let heading = made.sentence(place + 1).to_string();
        Block::new(heading, Tone::Summary, body).leading_to(Node::MadeSentence(made, place)).close()
    };
    std::iter::once(Block::runs(what, Vec::new())).chain(lines.into_iter().map(line)).collect()
}

fn counted(lines: usize) -> String {
    if lines == 1 { "a line that".to_owned() } else { format!("{lines} lines that") }
}

/// What a sentence leaves settled that its turns leave open.
fn lost(traced: &Traced, text: &str) -> Option<(Tone, String)> {
    let mut sources = traced.sources.iter().take(TOGETHER);
    let (source, words) = sources.find_map(|source| {
        wording::loss_since(lexicon::built_in(), source, text).map(|words| (source, words))
    })?;
    let hedge = told::hedge(&words);
    let text = format!("! the hedge is lost: {} said {hedge}, it does not: compare", address(source, None));
    Some((Tone::Warn, text))
}
