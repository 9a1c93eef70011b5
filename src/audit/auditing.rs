//! The recorded compactions of a log audited behind a screen: one at a time on another thread, in order, each once.
//!
//! Whoever draws asks for a [`Job`] as long as one is to be had, and gives back what came of it. What was audited stays, and
//! a log that grows adds to it. [`Auditing::forget`] drops everything when the log is another one, and late answers with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::log::Source;
use crate::session::Session;
use crate::text::lexicon;

use super::auditor::{Auditor, of_tools};
use super::exact::Finder;
use super::finding::Finding;
use super::pass::{Curves, Pass};
use super::work::{Facts, Options, Work};

/// What was audited of a log, and what is to be.
#[derive(Debug, Default)]
pub struct Auditing {
    passes: Vec<Arc<Pass>>,
    /// What only tools said, of the generations of which that was asked.
    of_tools: BTreeMap<u32, Result<Vec<Finding>, String>>,
    /// The generation of which it was asked last.
    tools_asked: Option<u32>,
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
    /// The generation, where only what tools said is asked for.
    tools: Option<u32>,
    finder: Finder,
}

/// What came of a job.
#[derive(Debug)]
pub struct Done {
    epoch: u64,
    what: What,
    finder: Finder,
}

#[derive(Debug)]
enum What {
    /// Everything of the next generation.
    Facts(Result<Box<Facts>, String>),
    /// What only tools said at this one.
    OfTools(u32, Result<Vec<Finding>, String>),
}

impl Job {
    /// Reads. Takes as long as it takes.
    pub fn run(self) -> Done {
        let Self { epoch, work, tools, mut finder } = self;
        let facts = work.run(lexicon::built_in(), &mut finder).map_err(|error| error.to_string());
        let what = match tools {
            Some(generation) => {
                What::OfTools(generation, facts.map(|facts| of_tools(lexicon::built_in(), facts)))
            }
            None => What::Facts(facts.map(Box::new)),
        };
        Done { epoch, what, finder }
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

    /// What became of what only tools said at a generation, in the order of a report; none before it was asked for.
    pub fn of_tools(&self, generation: u32) -> Option<&[Finding]> {
        self.of_tools.get(&generation)?.as_deref().ok()
    }

    /// Asks for it: it is read in its turn, unless another generation is asked for before.
    pub fn ask_tools(&mut self, generation: u32) {
        self.tools_asked = Some(generation).filter(|generation| !self.of_tools.contains_key(generation));
    }

    /// Why it could not be read.
    pub fn tools_failure(&self, generation: u32) -> Option<&str> {
        self.of_tools.get(&generation)?.as_ref().err().map(String::as_str)
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
        if self.busy || session.partial {
            return None;
        }
        if let Some(generation) = self.tools_asked.take()
            && self.get(generation).is_some()
            && !self.of_tools.contains_key(&generation)
        {
            let work = Work::of(session, source, generation, self.options)?;
            return Some(self.start(work, Some(generation)));
        }
        if self.failed.is_some() {
            return None;
        }
        let generation = self.passes.len() as u32 + 1;
        let compaction = session.generation(generation)?;
        if compaction.summary.is_none() && session.generation(generation + 1).is_none() {
            return None;
        }
        let work = Work::of(session, source, generation, self.options)?;
        Some(self.start(work, None))
    }

    fn start(&mut self, work: Work, tools: Option<u32>) -> Job {
        self.busy = true;
        Job { epoch: self.epoch, work, tools, finder: self.finder.take().unwrap_or_default() }
    }

    /// Takes in what came of a job. What a log asked that is no more is forgotten.
    pub fn take(&mut self, done: Done) {
        if done.epoch != self.epoch {
            return;
        }
        self.busy = false;
        self.finder = Some(done.finder);
        match done.what {
            What::Facts(Ok(facts)) => {
                self.passes.push(Arc::new(self.auditor.take(lexicon::built_in(), *facts)));
            }
            What::Facts(Err(error)) => self.failed = Some(error),
            What::OfTools(generation, outcome) => {
                self.of_tools.insert(generation, outcome);
            }
        }
    }

    /// A generation that could not be read may be asked for once more.
    pub fn retry(&mut self) {
        self.failed = None;
        self.of_tools.retain(|_, outcome| outcome.is_ok());
    }

    /// The log is another one.
    pub fn forget(&mut self) {
        *self = Self { epoch: self.epoch + 1, options: self.options, ..Self::default() };
    }
}
