//! Summaries that are written once: the store is asked before the summariser, and gets what the summariser wrote.
//!
//! Where another copy of the program was first, its text stands. Owns what the store is told of whose a summary is, and
//! nothing of when summaries are made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::store::{KeptLine, KeptSummary, OptionalStore, Owner};

use super::input::InputHash;
use super::{Failure, Request, Summariser, Summary, SummaryLine};

/// Whose a summary is, in the store's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Belongs {
    /// The session's id.
    pub session: String,
    /// Its log.
    pub log: Option<PathBuf>,
    /// What of the session it sums up, or for which strategy: ids of records or a name, never numbers of turns.
    pub place: String,
}

impl Belongs {
    fn owner(&self) -> Owner<'_> {
        Owner { session: &self.session, log: self.log.as_deref(), place: &self.place }
    }
}

/// A summariser whose summaries are kept, all as one owner's.
#[derive(Debug)]
pub struct Kept {
    store: Arc<OptionalStore>,
    summariser: Arc<dyn Summariser>,
    belongs: Belongs,
}

impl Kept {
    /// What `summariser` writes is kept in `store` as `belongs` says.
    pub fn new(store: Arc<OptionalStore>, summariser: Arc<dyn Summariser>, belongs: Belongs) -> Self {
        Self { store, summariser, belongs }
    }
}

impl Summariser for Kept {
    fn name(&self) -> String {
        self.summariser.name()
    }

    fn summarise(&self, request: &Request, stop: &AtomicBool) -> Result<Summary, Failure> {
        let hash = InputHash::of(&self.name(), request);
        if let Some(kept) = self.kept(hash) {
            return Ok(kept);
        }
        let made = catch_unwind(AssertUnwindSafe(|| self.summariser.summarise(request, stop)));
        let broken = || Err(Failure::Failed("the summariser broke down".to_owned()));
        let summary = made.unwrap_or_else(|_| broken())?;
        let lines = summary
            .lines
            .iter()
            .map(|line| KeptLine { range: line.range.clone(), turns: line.turns.clone() });
        let new = KeptSummary {
            name: self.name(),
            budget: request.budget,
            text: summary.text.clone(),
            lines: lines.collect(),
        };
        let belongs = self.belongs.clone();
        self.store.keep(move |store| store.keep(&hash.0, &new, Some(belongs.owner())));
        // What another copy kept first is the summary.
        Ok(self.kept(hash).unwrap_or(summary))
    }
}

impl Kept {
    /// The summary that the store has; it is the owner's from now on.
    fn kept(&self, hash: InputHash) -> Option<Summary> {
        let kept = self.store.ask(|store| store.summary(&hash.0, None))??;
        let belongs = self.belongs.clone();
        self.store.keep(move |store| store.owned(&hash.0, belongs.owner()));
        let lines = kept.lines.into_iter();
        let lines = lines.map(|line| SummaryLine { range: line.range, turns: line.turns }).collect();
        Some(Summary { text: kept.text, lines })
    }
}

#[cfg(test)]
mod tests;
