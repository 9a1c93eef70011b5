//! Counting the sessions asked for, and telling of each.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};

use crate::discover::{Catalogue, Counter, Counts, Known, Listed, SessionNo, now};
use crate::store::cache::{Cache, Stamp};

use super::super::{Failure, iso};
use super::table;

/// The sessions asked for.
pub(super) struct Listing {
    pub(super) catalogue: Catalogue,
    /// In order, each with how many of its parents stand before it.
    pub(super) chosen: Vec<(SessionNo, usize)>,
    pub(super) now: i64,
    cache: Mutex<Cache<Known>>,
}

/// Counts of a session, or why it cannot be read.
pub(super) type Counted = Result<Counts, String>;

impl Listing {
    pub(super) fn new(catalogue: Catalogue, chosen: Vec<(SessionNo, usize)>, cache: Cache<Known>) -> Self {
        Self { catalogue, chosen, now: now(), cache: Mutex::new(cache) }
    }

    /// The cache with what was found out.
    pub(super) fn into_cache(self) -> Cache<Known> {
        self.cache.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// One object a line, in order, each as soon as it and those before it are counted.
    pub(super) fn print_json(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let counted: Vec<OnceLock<Counted>> = self.chosen.iter().map(|_| OnceLock::new()).collect();
        let mut printed = 0;
        self.count(&counted, &mut || {
            while let Some(counts) = counted.get(printed).and_then(OnceLock::get) {
                writeln!(out, "{}", self.json(self.chosen[printed].0, counts))?;
                printed += 1;
            }
            Ok(())
        })
    }

    /// A table.
    pub(super) fn print_table(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let counted: Vec<OnceLock<Counted>> = self.chosen.iter().map(|_| OnceLock::new()).collect();
        self.count(&counted, &mut || Ok(()))?;
        let counts: Vec<&Counted> = counted.iter().filter_map(OnceLock::get).collect();
        table::print(self, &counts, out)
    }

    /// Counts every session on all cores, the newest first. `report` is called after each; its error ends it.
    fn count(
        &self,
        counted: &[OnceLock<Counted>],
        report: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let (sender, reports) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..workers.min(counted.len()) {
                let (next, stop, sender) = (&next, &stop, sender.clone());
                scope.spawn(move || {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let (Some(slot), Some((no, _))) = (counted.get(at), self.chosen.get(at)) else {
                            return;
                        };
                        let Some(counts) = self.counts(*no, stop) else { return };
                        let _ = slot.set(counts);
                        if sender.send(()).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let outcome = reports.iter().try_for_each(|()| report());
            stop.store(true, Ordering::Relaxed);
            outcome
        })
    }

    /// The counts of one session, from the cache if they are there. Nothing once `stop` is set.
    fn counts(&self, no: SessionNo, stop: &AtomicBool) -> Option<Counted> {
        let session = self.catalogue.get(no);
        if let Some(counts) = &session.counts {
            return Some(Ok(counts.clone()));
        }
        if let Some(problem) = &session.problem {
            return Some(Err(problem.clone()));
        }
        let state = || std::fs::metadata(&session.path).ok().map(|meta| Stamp::of(&meta));
        let before = state();
        let counted = Counter::count(&session.path, &|| !stop.load(Ordering::Relaxed))?;
        if let (Ok(counts), Some(stamp), Some(glance)) = (&counted, before, &session.glance)
            && state() == before
        {
            let known = Known { glance: glance.clone(), counts: Some(counts.clone()) };
            self.cache.lock().unwrap_or_else(PoisonError::into_inner).put(&session.path, stamp, known);
        }
        Some(counted)
    }

    fn json(&self, no: SessionNo, counted: &Counted) -> Value {
        let session = self.catalogue.get(no);
        let glance = session.glance.as_ref();
        let counts = counted.as_ref().ok();
        let mut value = json!({
            "agent": session.agent(),
            "project": session.project(),
            "title": title(session, counted),
            "path": session.path.to_string_lossy(),
            "turns": counts.map(|counts| counts.turns),
            "tokens": counts.and_then(|counts| counts.tokens),
            "compactions": counts.map(|counts| counts.compactions),
            "modified": iso(session.modified()),
            "live": session.is_live(self.now),
            "bytes": session.stamp.bytes,
            "context_tokens": counts.and_then(|counts| counts.context),
            "id": glance.and_then(|glance| glance.id.as_deref()),
        });
        if let Some(parent) = session.parent {
            value["parent"] = json!(self.catalogue.get(parent).path.to_string_lossy());
            value["fork"] = json!(glance.is_some_and(|glance| glance.fork));
        }
        let problem = match counted {
            Ok(counts) => counts.incomplete.as_ref(),
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            value["problem"] = json!(problem);
        }
        value
    }
}

/// The title as the whole log says it, else as the quick look found it.
pub(super) fn title<'a>(session: &'a Listed, counted: &'a Counted) -> Option<&'a str> {
    let counted = counted.as_ref().ok().and_then(|counts| counts.title.as_deref());
    counted.or_else(|| session.title())
}
