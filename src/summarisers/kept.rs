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
        let owners = std::slice::from_ref(&self.belongs);
        kept_or_made(&self.store, hash, &*self.summariser, request, owners, stop)
    }
}

/// The summary that the store has under `hash`, or else the one that `summariser` writes, which the store then has. It
/// is the owners' from now on.
pub(super) fn kept_or_made(
    store: &OptionalStore,
    hash: InputHash,
    summariser: &dyn Summariser,
    request: &Request,
    owners: &[Belongs],
    stop: &AtomicBool,
) -> Result<Summary, Failure> {
    if let Some(kept) = kept(store, hash, owners) {
        return Ok(kept);
    }
    let made = catch_unwind(AssertUnwindSafe(|| summariser.summarise(request, stop)));
    let summary = made.unwrap_or_else(|_| Err(Failure::Failed("the summariser broke down".to_owned())))?;
    let lines =
        summary.lines.iter().map(|line| KeptLine { range: line.range.clone(), turns: line.turns.clone() });
    let new = KeptSummary {
        name: summariser.name(),
        budget: request.budget,
        text: summary.text.clone(),
        lines: lines.collect(),
    };
    let first = owners.first().map(Belongs::owner);
    store.ask(|store| store.keep(&hash.0, &new, first));
    // What another copy kept first is the summary.
    Ok(kept(store, hash, owners).unwrap_or(summary))
}

/// The summary that the store has; it is the owners' from now on.
fn kept(store: &OptionalStore, hash: InputHash, owners: &[Belongs]) -> Option<Summary> {
    let kept = store.ask(|store| store.summary(&hash.0, owners.first().map(Belongs::owner)))??;
    own(store, hash, owners.get(1..).unwrap_or_default());
    let lines =
        kept.lines.into_iter().map(|line| SummaryLine { range: line.range, turns: line.turns }).collect();
    Some(Summary { text: kept.text, lines })
}

/// The summary that the store has is these owners' too.
pub(super) fn own(store: &OptionalStore, hash: InputHash, owners: &[Belongs]) {
    for belongs in owners {
        store.ask(|store| store.summary(&hash.0, Some(belongs.owner())));
    }
}
