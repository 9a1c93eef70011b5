//! What each compaction lost: statements that bind or were left open, and what has to be kept letter by letter.
//!
//! A layer above [`crate::lineage`] with no terminal in it. A [`work::Work`] reads one compaction on any thread; an
//! [`auditor::Auditor`] takes the facts in order, follows items from one compaction to the next and gives a [`pass::Pass`]
//! each: findings in the order of a report, counts that open into them, and for each finding its places. Everything is found by
//! words and names alone, without a model, and the same log gives the same report.
//!
//! Refuses to claim more than that: verdicts are the six of [`finding::Verdict`], nothing is called dropped where originals are
//! missing from the log or a part of the words stands together somewhere, opposites are never claimed, and there is no single
//! score. What cannot be told is to be compared.

pub mod auditing;
pub mod auditor;
mod curves;
pub mod exact;
pub mod fate;
pub mod finding;
pub mod listing;
mod normal;
mod order;
pub mod pass;
pub mod replayed;
pub mod ruler;
pub mod running;
pub mod said;
pub mod statements;
pub mod work;

use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::text::lexicon::Lexicon;

use auditor::Auditor;
use exact::Finder;
use pass::Pass;
use work::{Options, Work};

/// Audits the recorded compactions of a log, one after another.
pub fn recorded(
    log: &OpenLog,
    lexicon: &Lexicon,
    options: Options,
) -> Result<(Vec<Pass>, Auditor), LogError> {
    let mut auditor = Auditor::default();
    let mut finder = Finder::default();
    let mut passes = Vec::new();
    for compaction in log.session.compactions() {
        if let Some(work) = Work::of(&log.session, &log.source, compaction.generation, options) {
            passes.push(auditor.take(lexicon, work.run(lexicon, &mut finder)?));
        }
    }
    Ok((passes, auditor))
}

#[cfg(test)]
pub(crate) mod tests;
