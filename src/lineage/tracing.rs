//! Generations traced on another thread: asked for, traced elsewhere, kept.
//!
//! Whoever draws asks for what is on the screen, every frame anew, the most wanted first; one [`Job`] at a time is
//! handed out and brings back what it found. A question that is no longer asked is forgotten, so the newest one goes
//! next. What was traced stays; [`Tracing::forget`] drops it when the log is another one, and late answers with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::log::Source;
use crate::session::Session;
use crate::text::lexicon;

use super::chain::Traces;
use super::range::Plan;
use super::trace::{Trace, trace};
use super::weights;

/// What was traced of a log, and what is to be.
#[derive(Debug, Default)]
pub struct Tracing {
    traces: Traces,
    wanted: Vec<u32>,
    /// The generation that is being traced.
    busy: Option<u32>,
    failed: BTreeMap<u32, String>,
    epoch: u64,
}

/// A generation to trace on another thread.
#[derive(Debug)]
pub struct Job {
    epoch: u64,
    plan: Plan,
    source: Source,
}

/// What came of a job.
#[derive(Debug)]
pub struct Done {
    epoch: u64,
    generation: u32,
    found: Result<Trace, String>,
}

impl Job {
    /// Traces. Takes as long as it takes.
    pub fn run(self) -> Done {
        let Self { epoch, plan, source } = self;
        let found = trace(&plan, &source, lexicon::built_in(), weights::built_in());
        Done { epoch, generation: plan.generation, found: found.map_err(|error| error.to_string()) }
    }
}

impl Tracing {
    /// What was traced.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// A generation, where it was traced.
    pub fn get(&self, generation: u32) -> Option<&Arc<Trace>> {
        self.traces.get(generation)
    }

    /// Why a generation could not be traced.
    pub fn failure(&self, generation: u32) -> Option<&str> {
        self.failed.get(&generation).map(String::as_str)
    }

    /// Asks for a generation, behind what was asked for before. Nothing happens where it was traced, or cannot be.
    pub fn ask(&mut self, session: &Session, generation: u32) {
        if !self.wanted.contains(&generation) && self.is_open(session, generation) {
            self.wanted.push(generation);
        }
    }

    /// Whether a generation is still to be traced. The generations of a log of which only the end was read have no
    /// numbers yet.
    fn is_open(&self, session: &Session, generation: u32) -> bool {
        !session.partial
            && self.get(generation).is_none()
            && self.failure(generation).is_none()
            && session.generation(generation).is_some_and(crate::session::Compaction::is_readable)
    }

    /// The next generation that is to be traced before the chains of `generation` are whole. None: they are, as far
    /// as the log can tell.
    pub fn next_back(&self, session: &Session, generation: u32) -> Option<u32> {
        let mut at = generation;
        while let Some(trace) = self.get(at) {
            at = trace.previous?;
        }
        self.is_open(session, at).then_some(at)
    }

    /// The first generation that is to be traced before it is known what became of turn `number`.
    pub fn next_on(&self, session: &Session, number: u32) -> Option<u32> {
        let covering =
            session.compactions().iter().position(|compaction| compaction.covers_number(number))?;
        let since = session.compactions()[covering..].iter().map(|compaction| compaction.generation);
        since.into_iter().find(|generation| self.is_open(session, *generation))
    }

    /// What is to be traced now, one job at a time: what was asked for first. The rest is asked for again by the next
    /// frame, if that still shows it.
    pub fn job(&mut self, session: &Session, source: &Source) -> Option<Job> {
        let wanted = std::mem::take(&mut self.wanted);
        if self.busy.is_some() {
            return None;
        }
        let plan = wanted.into_iter().find_map(|generation| Plan::new(session, generation))?;
        self.busy = Some(plan.generation);
        Some(Job { epoch: self.epoch, plan, source: source.clone() })
    }

    /// Takes in what came of a job. What a log asked that is no more is forgotten.
    pub fn take(&mut self, done: Done) {
        if done.epoch != self.epoch {
            return;
        }
        self.busy = None;
        match done.found {
            Ok(trace) => self.traces.insert(Arc::new(trace)),
            Err(error) => {
                self.failed.insert(done.generation, error);
            }
        }
    }

    /// Generations that could not be traced may be asked for once more.
    pub fn retry(&mut self) {
        self.failed.clear();
    }

    /// The log is another one.
    pub fn forget(&mut self) {
        *self = Self { epoch: self.epoch + 1, ..Self::default() };
    }
}
