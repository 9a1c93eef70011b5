//! The strategies that can be audited: a row each, from a turn to the context there and the text that stands for turns in it.

use std::sync::atomic::AtomicBool;

use crate::audit::replayed::{Replaying, points};
use crate::audit::work::{Options, Work};
use crate::cli::AuditArguments;
use crate::commands::forests::Cold;
use crate::commands::replay::{Replayed, Writer, settings};
use crate::session::open::OpenLog;
use crate::session::text;
use crate::strategies::context_gc::session::Replay;
use crate::strategies::recursive::{Folding, Recursive};
use crate::strategies::{
    BLOCKS, CONTEXT_GC, Context, Entry, Limit, RECURSIVE, Strategy, UNION_FIND, context,
};

use super::Failure;

/// What a model sees as of a turn, and what all that stands for turns in it says.
type Seen = (Context, String);

/// A strategy that is being replayed: asked turn by turn, in order.
type Replayer<'a> = Box<dyn FnMut(u32) -> Result<Seen, Failure> + 'a>;

/// How a strategy is made ready.
type Ready = for<'a> fn(&'a OpenLog, &'a AuditArguments) -> Result<Replayer<'a>, Failure>;

/// The strategies that are replayed, by name; any other is one that the session alone tells of.
const REPLAYED: [(&str, Ready); 4] =
    [(BLOCKS, blocks), (RECURSIVE, recursive), (UNION_FIND, union_find), (CONTEXT_GC, context_gc)];

/// What is to be read, compaction by compaction.
pub(super) fn works(
    log: &OpenLog,
    arguments: &AuditArguments,
    options: Options,
) -> Result<Vec<Work>, Failure> {
    if arguments.strategy == "recorded" {
        let generations = log.session.compactions().iter().map(|compaction| compaction.generation);
        let work = |generation| Work::of(&log.session, &log.source, generation, options);
        return Ok(generations.filter_map(work).collect());
    }
    let ready = REPLAYED
        .iter()
        .find(|(name, _)| *name == arguments.strategy)
        .map_or(plain as Ready, |(_, ready)| *ready);
    let mut strategy = ready(log, arguments)?;
    let mut replaying = Replaying::new(&log.session, &log.source, options);
    let mut works = Vec::new();
    for point in points(&log.session, settings(&arguments.replay)?) {
        let (context, text) = strategy(point)?;
        works.extend(replaying.pass(&context, text));
    }
    Ok(works)
}

/// What a strategy that the session alone tells of leaves: no word of its own.
fn plain<'a>(log: &'a OpenLog, arguments: &'a AuditArguments) -> Result<Replayer<'a>, Failure> {
    let mut strategy: Strategy = arguments.strategy.parse().map_err(Failure::Usage)?;
    if let Strategy::Truncate(limit) = &mut strategy {
        *limit = match (arguments.forest.hot, arguments.replay.budget) {
            (Some(_), Some(_)) => {
                return Err(Failure::Usage(
                    "--hot and --budget are two ways to cut: give one of them".to_owned(),
                ));
            }
            (Some(turns), None) => Limit::Turns(turns),
            (None, Some(tokens)) => Limit::Tokens(tokens),
            (None, None) => *limit,
        };
    }
    Ok(Box::new(move |as_of| Ok((context(&log.session, strategy, as_of), String::new()))))
}

/// Summaries of blocks and spans, and the ledger.
fn blocks<'a>(log: &'a OpenLog, arguments: &'a AuditArguments) -> Result<Replayer<'a>, Failure> {
    let mut replayed = Replayed::new(log, &arguments.replay)?;
    Ok(Box::new(move |as_of| {
        let context = replayed.blocks.context(&log.session, as_of);
        let mut texts = Vec::new();
        for entry in &context.entries {
            match entry {
                Entry::Made(entry) => {
                    let stop = AtomicBool::new(false);
                    texts.push(
                        replayed.summaries.of(log, &replayed.blocks, entry.made, &stop)?.summary.text.clone(),
                    );
                }
                Entry::Ledger(entry) => {
                    let ledger = replayed.blocks.ledger();
                    texts.extend(
                        entry.items.iter().filter_map(|number| Some(ledger.item(*number)?.text.clone())),
                    );
                    for turn in &entry.pinned {
                        texts.push(text::whole(&log.texts(*turn)?));
                    }
                }
                _ => {}
            }
        }
        Ok((context, texts.join("\n\n")))
    }))
}

/// The newest summary, made from the one before.
fn recursive<'a>(log: &'a OpenLog, arguments: &'a AuditArguments) -> Result<Replayer<'a>, Failure> {
    let recursive = Recursive::of(&log.session, settings(&arguments.replay)?);
    let writer = Writer::of(log, &arguments.replay.summaries)?;
    let mut folding = Folding::default();
    Ok(Box::new(move |as_of| {
        let context = recursive.context(&log.session, as_of);
        let number = recursive.folds(as_of).len() as u32;
        let written = folding.up_to(log, &recursive, number, &*writer.summariser, &AtomicBool::new(false))?;
        let folded = written.map_err(|failure| Failure::NotFound(failure.to_string()))?;
        let text = folded.last().map(|folded| folded.summary.text.clone()).unwrap_or_default();
        Ok((context, text))
    }))
}

/// Summaries of clusters.
fn union_find<'a>(log: &'a OpenLog, arguments: &'a AuditArguments) -> Result<Replayer<'a>, Failure> {
    let last = log.session.last();
    let mut cold = Cold::new(log, &arguments.forest, last, &arguments.replay.summaries)?;
    Ok(Box::new(move |as_of| {
        let context = cold.replay.context(&log.session, as_of);
        let mut texts = Vec::new();
        for entry in &context.entries {
            if let Entry::Cluster(cluster) = entry {
                texts.push(cold.summary_as_of(cluster.root, as_of)?.summary.text.clone());
            }
        }
        Ok((context, texts.join("\n\n")))
    }))
}

/// Receipts: they name what was pruned and say nothing of it.
fn context_gc<'a>(log: &'a OpenLog, _: &'a AuditArguments) -> Result<Replayer<'a>, Failure> {
    let replay = Replay::of(log)?;
    Ok(Box::new(move |as_of| Ok((replay.context(&log.session, as_of), String::new()))))
}
