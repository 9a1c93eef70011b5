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
    /// What was traced of summaries that were made here.
    made: BTreeMap<u64, Arc<Trace>>,
    wanted: Vec<Wanted>,
    /// What is being traced.
    busy: Option<Of>,
    failed: BTreeMap<Of, String>,
    epoch: u64,
}

/// What is traced: a generation, or a summary that was made here, by a number that whoever asks gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Generation(u32),
    Made(u64),
}

/// What is to be traced: a generation is planned when its turn comes.
#[derive(Debug)]
enum Wanted {
    Generation(u32),
    Made(u64, Box<Plan>),
}

/// A generation to trace on another thread.
#[derive(Debug)]
pub struct Job {
    epoch: u64,
    of: Of,
    plan: Plan,
    source: Source,
}

/// What came of a job.
#[derive(Debug)]
pub struct Done {
    epoch: u64,
    of: Of,
    found: Result<Trace, String>,
}

impl Job {
    /// Traces. Takes as long as it takes.
    pub fn run(self) -> Done {
        let Self { epoch, of, plan, source } = self;
        let found = trace(&plan, &source, lexicon::built_in(), weights::built_in());
        Done { epoch, of, found: found.map_err(|error| error.to_string()) }
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
        self.failed.get(&Of::Generation(generation)).map(String::as_str)
    }

    /// A summary that was made here, where it was traced; or why it could not be.
    pub fn made(&self, number: u64) -> Option<Result<&Arc<Trace>, &str>> {
        let failed = || self.failed.get(&Of::Made(number)).map(|error| Err(error.as_str()));
        self.made.get(&number).map(Ok).or_else(failed)
    }

    /// Asks for a summary that was made here; `plan` is asked what is to be read where it is still to be traced.
    pub fn ask_made(&mut self, number: u64, plan: impl FnOnce() -> Option<Plan>) {
        let asked = |wanted: &Wanted| matches!(wanted, Wanted::Made(known, _) if *known == number);
        let known = self.made(number).is_some() || self.busy == Some(Of::Made(number));
        if !known && !self.wanted.iter().any(asked) {
            self.wanted.extend(plan().map(|plan| Wanted::Made(number, Box::new(plan))));
        }
    }

    /// Asks for a generation, behind what was asked for before. Nothing happens where it was traced, or cannot be.
    pub fn ask(&mut self, session: &Session, generation: u32) {
        let asked = |wanted: &Wanted| matches!(wanted, Wanted::Generation(known) if *known == generation);
        if !self.wanted.iter().any(asked) && self.is_open(session, generation) {
            self.wanted.push(Wanted::Generation(generation));
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
        let planned = |wanted| match wanted {
            Wanted::Generation(generation) => {
                Some((Of::Generation(generation), Plan::new(session, generation)?))
            }
            Wanted::Made(number, plan) => Some((Of::Made(number), *plan)),
        };
        let (of, plan) = wanted.into_iter().find_map(planned)?;
        self.busy = Some(of);
        Some(Job { epoch: self.epoch, of, plan, source: source.clone() })
    }

    /// Takes in what came of a job. What a log asked that is no more is forgotten.
    pub fn take(&mut self, done: Done) {
        if done.epoch != self.epoch {
            return;
        }
        self.busy = None;
        match (done.found, done.of) {
            (Ok(trace), Of::Generation(_)) => self.traces.insert(Arc::new(trace)),
            (Ok(trace), Of::Made(number)) => {
                self.made.insert(number, Arc::new(trace));
            }
            (Err(error), of) => {
                self.failed.insert(of, error);
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
