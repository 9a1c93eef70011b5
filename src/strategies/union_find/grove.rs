//! A cold forest that one thread lets grow while others look at it.
//!
//! Growing waits for those who look: whoever draws a frame asks many small questions one after another, and none of them
//! is to wait for more than one message that is being taken in. What is asked must not ask again from within.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use super::replay::Replay;

/// Who looked within this time is about to look again.
const ASIDE: Duration = Duration::from_micros(300);

/// The forest.
#[derive(Debug)]
pub struct Grove {
    replay: RwLock<Replay>,
    looks: AtomicU64,
}

impl Grove {
    /// A forest to be grown.
    pub fn new(replay: Replay) -> Self {
        Self { replay: RwLock::new(replay), looks: AtomicU64::new(0) }
    }

    /// Looks at it as it is now.
    pub fn look<T>(&self, ask: impl FnOnce(&Replay) -> T) -> T {
        self.looks.fetch_add(1, Ordering::Relaxed);
        ask(&self.replay.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets it grow, once nobody looks any more.
    pub fn grow(&self, take: impl FnOnce(&mut Replay)) {
        take(&mut self.replay.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits while somebody looks again and again. `seen` is what the last call left there.
    pub fn step_aside(&self, seen: &mut u64) {
        loop {
            let looks = self.looks.load(Ordering::Relaxed);
            if std::mem::replace(seen, looks) == looks {
                return;
            }
            std::thread::sleep(ASIDE);
        }
    }
}
