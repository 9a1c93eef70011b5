//! The recorded compactions of a log audited behind a screen: one at a time on another thread, in order, each once.
//!
//! Whoever draws asks for a [`Job`] as long as one is to be had, and gives back what came of it. What was audited stays, and
//! a log that grows adds to it. [`Auditing::forget`] drops everything when the log is another one, and late answers with it.

use std::sync::Arc;

use crate::log::Source;
use crate::session::Session;
use crate::text::lexicon;

use super::auditor::Auditor;
use super::exact::Finder;
use super::pass::{Curves, Pass};
use super::work::{Facts, Options, Work};

/// What was audited of a log, and what is to be.
#[derive(Debug, Default)]
pub struct Auditing {
    passes: Vec<Arc<Pass>>,
    auditor: Auditor,
    finder: Option<Finder>,
    busy: bool,
    failed: Option<String>,
    epoch: u64,
    options: Options,
}

/// A compaction to be read on another thread.
#[derive(Debug)]
pub struct Job {
    epoch: u64,
    work: Work,
    finder: Finder,
}

/// What came of a job.
#[derive(Debug)]
pub struct Done {
    epoch: u64,
    facts: Result<Facts, String>,
    finder: Finder,
}

impl Job {
    /// Reads. Takes as long as it takes.
    pub fn run(self) -> Done {
        let Self { epoch, work, mut finder } = self;
        let facts = work.run(lexicon::built_in(), &mut finder).map_err(|error| error.to_string());
        Done { epoch, facts, finder }
    }
}

impl Auditing {
    /// Nothing audited yet.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// What was audited so far: the report of generation n at place n − 1.
    pub fn passes(&self) -> &[Arc<Pass>] {
        &self.passes
    }

    /// The report of a generation, where it was audited.
    pub fn get(&self, generation: u32) -> Option<&Arc<Pass>> {
        self.passes.get(generation.checked_sub(1)? as usize)
    }

    /// What is still found after so many passes.
    pub fn curves(&self) -> Curves {
        self.auditor.curves()
    }

    /// Why the next generation could not be read.
    pub fn failure(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Whether every recorded compaction was audited.
    pub fn is_whole(&self, session: &Session) -> bool {
        !session.partial && self.passes.len() >= session.compactions().len()
    }

    /// The next generation that is to be audited, if none is being read. The generations of a log of which only the end was
    /// read have no numbers yet; a boundary whose summary may still come waits until something follows it.
    pub fn job(&mut self, session: &Session, source: &Source) -> Option<Job> {
        if self.busy || self.failed.is_some() || session.partial {
            return None;
        }
        let generation = self.passes.len() as u32 + 1;
        let compaction = session.generation(generation)?;
        if compaction.summary.is_none() && session.generation(generation + 1).is_none() {
            return None;
        }
        let work = Work::of(session, source, generation, self.options)?;
        self.busy = true;
        Some(Job { epoch: self.epoch, work, finder: self.finder.take().unwrap_or_default() })
    }

    /// Takes in what came of a job. What a log asked that is no more is forgotten.
    pub fn take(&mut self, done: Done) {
        if done.epoch != self.epoch {
            return;
        }
        self.busy = false;
        self.finder = Some(done.finder);
        match done.facts {
            Ok(facts) => self.passes.push(Arc::new(self.auditor.take(lexicon::built_in(), facts))),
            Err(error) => self.failed = Some(error),
        }
    }

    /// A generation that could not be read may be asked for once more.
    pub fn retry(&mut self) {
        self.failed = None;
    }

    /// The log is another one.
    pub fn forget(&mut self) {
        *self = Self { epoch: self.epoch + 1, options: self.options, ..Self::default() };
    }
}
