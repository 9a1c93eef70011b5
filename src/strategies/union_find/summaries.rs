//! Summaries of clusters: written when somebody looks, for the members that there are then.
//!
//! Owns what was written and for whom. A summary is of the members that one union brought together, and is known by it:
//! where the cluster is another one as of now, it is stale, shown as such, and another is written when that is asked
//! for. Nothing here is ever shown as more than it is.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::log::LogError;
use crate::summarisers::input::InputHash;
use crate::summarisers::{Failure, SourceTurn, Summariser, Summary};
use crate::text::tokens;

use super::super::blocks::levels::{Plan, whole};
use super::super::blocks::originals;
use super::super::blocks::summaries::{Waiting, climb};
use super::forest::Stamp;
use super::reader::Originals;
use super::replay::Replay;

/// Tokens that a cluster's summary may have where nobody says otherwise: the published value.
pub const BUDGET: u32 = 500;

/// Which members a summary is of, and how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Of {
    /// The root of its cluster.
    pub root: u32,
    /// The place of the union that made the cluster; none of a single message.
    pub made: Option<u32>,
    /// Tokens that it may have.
    pub budget: u32,
}

impl Of {
    /// The cluster of a root as of a turn.
    pub fn new(replay: &Replay, root: u32, as_of: Stamp, budget: u32) -> Self {
        Self { root, made: replay.forest().forest().made_by(root, as_of), budget }
    }

    /// The nodes of its members, in order.
    fn members(&self, replay: &Replay) -> Vec<u32> {
        let unions = self.made.map_or(0, |place| place + 1);
        let mut members = replay.forest().forest().members_by(self.root, unions);
        members.sort_unstable();
        members
    }
}

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

/// Who writes them.
#[derive(Clone, Debug)]
pub struct Scribe {
    /// The summariser.
    pub summariser: Arc<dyn Summariser>,
    /// Tokens that it reads at once.
    pub window: u64,
}

/// The summaries of one log's clusters by one summariser.
#[derive(Debug)]
pub struct Summaries {
    scribe: Scribe,
    written: HashMap<Of, Result<Arc<Written>, Failure>>,
    /// The one that was written last for each root and budget.
    last: HashMap<(u32, u32), Arc<Written>>,
    waiting: HashMap<Of, Waiting>,
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
        let scribe = Scribe { summariser, window };
        Self { scribe, written: HashMap::new(), last: HashMap::new(), waiting: HashMap::new() }
    }

    /// Who writes them.
    pub fn scribe(&self) -> &Scribe {
        &self.scribe
    }

    /// What is known of the summary of a root as of a turn.
    pub fn known(&self, replay: &Replay, root: u32, as_of: Stamp, budget: u32) -> Option<Standing> {
        Some(match self.written.get(&Of::new(replay, root, as_of, budget)) {
            Some(Ok(written)) => Standing::Whole(Arc::clone(written)),
            Some(Err(failure)) => Standing::Failed(failure.clone()),
            None => Standing::Stale(Arc::clone(self.last.get(&(root, budget))?)),
        })
    }

    /// Whether it was written, or failed, or is on its way.
    pub fn is_settled(&self, of: Of) -> bool {
        self.written.contains_key(&of) || self.waiting.contains_key(&of)
    }

    /// How it is with one that is not there.
    pub fn waiting(&self, of: Of) -> Option<Waiting> {
        self.waiting.get(&of).copied()
    }

    /// How many wait, and how many are being written.
    pub fn counts(&self) -> (usize, usize) {
        let running = self.waiting.values().filter(|waiting| **waiting == Waiting::Running).count();
        (self.waiting.len() - running, running)
    }

    /// Those that could not be written.
    pub fn failed(&self) -> Vec<Of> {
        self.written.iter().filter(|(_, outcome)| outcome.is_err()).map(|(of, _)| *of).collect()
    }

    /// One is on its way, or no longer.
    pub fn wait(&mut self, of: Of, waiting: Option<Waiting>) {
        match waiting {
            Some(waiting) => drop(self.waiting.insert(of, waiting)),
            None => drop(self.waiting.remove(&of)),
        }
    }

    /// Takes in what was written, or why it was not.
    pub fn take(&mut self, of: Of, outcome: Result<Arc<Written>, Failure>) {
        self.waiting.remove(&of);
        if let Ok(written) = &outcome {
            self.last.insert((of.root, of.budget), Arc::clone(written));
        }
        self.written.insert(of, outcome);
    }

    /// Forgets that one failed.
    pub fn again(&mut self, of: Of) {
        if self.written.get(&of).is_some_and(Result::is_err) {
            self.written.remove(&of);
        }
    }

    /// The summary of all that a root holds as of a turn; written now if there is none.
    pub fn of(
        &mut self,
        replay: &Replay,
        root: u32,
        as_of: Stamp,
        budget: u32,
        stop: &AtomicBool,
    ) -> Result<Result<Arc<Written>, Failure>, LogError> {
        let of = Of::new(replay, root, as_of, budget);
        if let Some(Ok(written)) = self.written.get(&of) {
            return Ok(Ok(Arc::clone(written)));
        }
        let outcome = self.scribe.order(replay, of).write(stop)?.map(Arc::new);
        self.take(of, outcome.clone());
        Ok(outcome)
    }
}

impl Scribe {
    /// What is to be written. Work grows with the members.
    pub fn order(&self, replay: &Replay, of: Of) -> Order {
        let covers = of.members(replay);
        let originals = originals::Originals::joined(covers.iter().map(|node| replay.originals(*node)));
        Order { scribe: self.clone(), budget: of.budget, covers, originals }
    }
}

/// A summary to be written, on any thread.
#[derive(Debug)]
pub struct Order {
    scribe: Scribe,
    budget: u32,
    covers: Vec<u32>,
    originals: Option<originals::Originals>,
}

impl Order {
    /// Writes it. Takes as long as the summariser does.
    pub fn write(self, stop: &AtomicBool) -> Result<Result<Written, Failure>, LogError> {
        let Some(originals) = &self.originals else {
            return Ok(Err(Failure::Failed("there is nothing to sum up".to_owned())));
        };
        let Scribe { summariser, window } = &self.scribe;
        let plan = Plan::new(originals, *window, self.budget)?;
        let climbed = climb(originals, plan, self.budget, &**summariser, stop)?;
        Ok(climbed.map(|climbed| Written {
            covers: self.covers,
            depth: climbed.plan.depth(),
            tokens: tokens::estimate(&climbed.top.text),
            summary: climbed.top,
            input: climbed.input,
            summariser: summariser.name(),
            read: climbed.read,
        }))
    }
}

/// The messages of a session as originals.
#[derive(Debug)]
pub struct OfReplay<'a> {
    /// Its forest.
    pub replay: &'a Replay,
    /// Who sums up.
    pub summaries: &'a mut Summaries,
}

impl Originals for OfReplay<'_> {
    fn sources(&mut self, node: u32) -> Result<Vec<SourceTurn>, LogError> {
        whole(self.replay.originals(node))
    }

    fn summary(&mut self, root: u32, budget: u32) -> Result<Result<Summary, Failure>, LogError> {
        let last = self.replay.begun();
        let written = self.summaries.of(self.replay, root, last, budget, &AtomicBool::new(false))?;
        Ok(written.map(|written| written.summary.clone()))
    }
}
