//! Summaries of clusters: written when somebody looks, for the members that there are then.
//!
//! Owns what was written and for whom. A summary names the messages it covers; where the cluster has grown since, it is
//! known as stale, shown as such, and written anew when next asked for. Nothing here is ever shown as more than it is.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::summarisers::input::InputHash;
use crate::summarisers::{Failure, SourceTurn, Summariser, Summary};
use crate::text::tokens;

use super::super::blocks::levels::{Plan, whole};
use super::super::blocks::originals;
use super::super::blocks::summaries::climb;
use super::forest::Stamp;
use super::reader::Originals;
use super::replay::{Replay, turns};

/// Tokens that a cluster's summary may have where nobody says otherwise: the published value.
pub const BUDGET: u32 = 500;

/// A summary that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The nodes of the messages that it covers, in order.
    pub covers: Vec<u32>,
    /// It.
    pub summary: Summary,
    /// How many summaries stand between it and originals, itself counted.
    pub depth: u32,
    /// The hash of who wrote it and what from.
    pub input: InputHash,
    /// Who wrote it.
    pub summariser: String,
    /// Tokens read for it.
    pub read: u64,
    /// Estimated tokens of its text.
    pub tokens: u32,
}

/// The summaries of one log's clusters by one summariser.
#[derive(Debug)]
pub struct Summaries {
    summariser: Arc<dyn Summariser>,
    /// Tokens that the summariser reads at once.
    window: u64,
    /// By root and budget.
    written: HashMap<(u32, u32), Result<Arc<Written>, Failure>>,
}

/// What is known of a cluster's summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It covers all members.
    Whole(Arc<Written>),
    /// It covers so many of the members only, or others too: it is not the summary of what the cluster is.
    Stale(Arc<Written>),
    /// It could not be written.
    Failed(Failure),
}

impl Summaries {
    /// Nothing written yet.
    pub fn new(summariser: Arc<dyn Summariser>, window: u64) -> Self {
        Self { summariser, window, written: HashMap::new() }
    }

    /// Who writes them.
    pub fn summariser(&self) -> String {
        self.summariser.name()
    }

    /// What is known of the summary of a root as of a turn.
    pub fn known(&self, replay: &Replay, root: u32, as_of: Stamp, budget: u32) -> Option<Standing> {
        Some(match self.written.get(&(root, budget))? {
            Ok(written) if written.covers == members(replay, root, as_of) => Standing::Whole(written.clone()),
            Ok(written) => Standing::Stale(written.clone()),
            Err(failure) => Standing::Failed(failure.clone()),
        })
    }

    /// The summary of all that a root holds as of a turn; written now if there is none, or a stale one.
    pub fn of(
        &mut self,
        log: &OpenLog,
        replay: &Replay,
        root: u32,
        as_of: Stamp,
        budget: u32,
        stop: &AtomicBool,
    ) -> Result<Result<Arc<Written>, Failure>, LogError> {
        if let Some(Standing::Whole(written)) = self.known(replay, root, as_of, budget) {
            return Ok(Ok(written));
        }
        let inputs = replay.turns(&log.session, root, as_of);
        let originals = originals::Originals::of(log, &inputs);
        let plan = Plan::new(&originals, self.window, budget)?;
        let outcome = climb(&originals, plan, budget, &*self.summariser, stop)?.map(|climbed| {
            Arc::new(Written {
                covers: members(replay, root, as_of),
                depth: climbed.plan.depth(),
                tokens: tokens::estimate(&climbed.top.text),
                summary: climbed.top,
                input: climbed.input,
                summariser: self.summariser.name(),
                read: climbed.read,
            })
        });
        self.written.insert((root, budget), outcome.clone());
        Ok(outcome)
    }
}

fn members(replay: &Replay, root: u32, as_of: Stamp) -> Vec<u32> {
    let mut members = replay.forest().forest().members(root, as_of);
    members.sort_unstable();
    members
}

/// The messages of a session as originals.
#[derive(Debug)]
pub struct OfLog<'a> {
    /// The log.
    pub log: &'a OpenLog,
    /// Its forest.
    pub replay: &'a Replay,
    /// Who sums up.
    pub summaries: &'a mut Summaries,
}

impl Originals for OfLog<'_> {
    fn sources(&mut self, node: u32) -> Result<Vec<SourceTurn>, LogError> {
        let ids: Vec<_> = turns(&self.log.session, self.replay.message(node)).collect();
        whole(&originals::Originals::of(self.log, &ids))
    }

    fn summary(&mut self, root: u32, budget: u32) -> Result<Result<Summary, Failure>, LogError> {
        let written = self.summaries.of(
            self.log,
            self.replay,
            root,
            self.replay.begun(),
            budget,
            &AtomicBool::new(false),
        )?;
        Ok(written.map(|written| written.summary.clone()))
    }
}
