//! When to look again at folders of sessions: what changed in them, or a while.
//!
//! Events are only hints, as for one log ([`crate::log::Wake`]): what `stat` says is the truth, and everything is
//! looked at again after a while. The while is short where not every folder could be watched.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecursiveMode, Watcher};

/// Folders watched at the most, those that changed last: each takes kernel memory, and there is a limit for all
/// programs together.
const MOST: usize = 4_000;
/// After the first event, how long others are waited for.
const LINGER: Duration = Duration::from_millis(150);
/// The least time between two looks at everything while folders are watched.
const WATCHED: Duration = Duration::from_secs(20);
/// The same while one cannot be, and after the first look: what happened before it was watched made no event.
const POLLED: Duration = Duration::from_secs(1);

/// Waits for reasons to look at folders again.
pub(super) struct Watch {
    reasons: Receiver<Reason>,
    watcher: Option<notify::RecommendedWatcher>,
    watched: HashSet<PathBuf>,
    /// Some folder that should be is not watched.
    partly: bool,
    /// Some folder is watched only now.
    soon: bool,
    /// When everything was looked at last, and how long that took.
    looked: Instant,
    cost: Duration,
}

/// Why to look.
enum Reason {
    Changed(Vec<PathBuf>),
    Again,
    Stop,
}

/// What a wait ended with.
pub(super) enum Woken {
    /// Something happened to these files or folders.
    Changed(Vec<PathBuf>),
    /// It is time to look at everything.
    Again,
    /// There is nothing to look for any more.
    Stop,
}

/// Wakes or ends a wait from another thread.
#[derive(Clone, Debug)]
pub struct Bell(Sender<Reason>);

impl Bell {
    /// Ends the wait for good.
    pub fn stop(&self) {
        // The other side is gone only when it has stopped already.
        let _ = self.0.send(Reason::Stop);
    }

    /// Ends the wait, to look at everything.
    pub fn again(&self) {
        let _ = self.0.send(Reason::Again);
    }
}

impl Watch {
    /// A wait that watches nothing yet, and never will if `poll` is set.
    pub(super) fn new(poll: bool) -> (Self, Bell) {
        let (sender, reasons) = channel();
        let events = sender.clone();
        let watcher = if poll {
            None
        } else {
            notify::recommended_watcher(move |event: notify::Result<Event>| {
                let _ = match event {
                    // Reading makes access events of our own.
                    Ok(event) if matches!(event.kind, EventKind::Access(_)) => Ok(()),
                    Ok(event) => events.send(Reason::Changed(event.paths)),
                    Err(_) => events.send(Reason::Again),
                };
            })
            .ok()
        };
        let watch = Self {
            reasons,
            partly: watcher.is_none(),
            soon: false,
            watcher,
            watched: HashSet::new(),
            looked: Instant::now(),
            cost: Duration::ZERO,
        };
        (watch, Bell(sender))
    }

    /// Everything was looked at, which took `cost`, and sessions stand in `folders`.
    pub(super) fn looked(&mut self, cost: Duration, folders: &[PathBuf]) {
        (self.looked, self.cost) = (Instant::now(), cost);
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: HashSet<&PathBuf> = folders.iter().take(MOST).collect();
        (self.partly, self.soon) = (false, false);
        let watched = &mut self.watched;
        watched.retain(|folder| {
            let stays = wanted.contains(folder);
            if !stays {
                // A folder that is gone has no watch any more.
                let _ = watcher.unwatch(folder);
            }
            stays
        });
        for folder in wanted {
            if !watched.contains(folder) {
                match watcher.watch(folder, RecursiveMode::NonRecursive) {
                    Ok(()) => {
                        watched.insert(folder.clone());
                        self.soon = true;
                    }
                    Err(_) => self.partly = true,
                }
            }
        }
    }

    /// Waits for a reason to look.
    pub(super) fn wait(&mut self) -> Woken {
        // However large the tree, looking takes a hundredth of the time at the most.
        let least = if self.soon || self.partly { POLLED } else { WATCHED };
        let due = self.looked + least.max(self.cost * 100);
        let mut changed = Vec::new();
        let mut until = due;
        loop {
            match self.reasons.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Reason::Changed(paths)) => {
                    if changed.is_empty() {
                        until = due.min(Instant::now() + LINGER);
                    }
                    changed.extend(paths);
                }
                Err(RecvTimeoutError::Timeout) if !changed.is_empty() => {
                    changed.sort_unstable();
                    changed.dedup();
                    return Woken::Changed(changed);
                }
                Ok(Reason::Again) | Err(RecvTimeoutError::Timeout) => return Woken::Again,
                Ok(Reason::Stop) | Err(RecvTimeoutError::Disconnected) => return Woken::Stop,
            }
        }
    }

    /// Waits until somebody rings. False: to stop.
    pub(super) fn sleep(&self) -> bool {
        loop {
            match self.reasons.recv() {
                Ok(Reason::Again) => return true,
                Ok(Reason::Changed(_)) => {}
                Ok(Reason::Stop) | Err(_) => return false,
            }
        }
    }
}
