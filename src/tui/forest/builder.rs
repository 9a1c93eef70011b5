//! The thread that reads messages and lets the forest grow by them, in order.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::log::LogError;
use crate::strategies::union_find::ColdForest;
use crate::strategies::union_find::cut::Arrival;
use crate::strategies::union_find::grove::Grove;
use crate::strategies::union_find::replay::Replay;

use super::Wake;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(40);
/// After so long a message that could not be read is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Messages to take in.
#[derive(Debug)]
pub(super) struct Order {
    /// The messages.
    pub(super) arrivals: Vec<Arrival>,
    /// All turns up to this one were looked at with them.
    pub(super) begun: u32,
    /// They are all there are, and the weights of words are taken from them.
    pub(super) fits: bool,
}

/// What both sides know.
#[derive(Default)]
struct State {
    stop: AtomicBool,
    taken: AtomicU32,
    /// Orders carried out.
    done: AtomicU64,
    failure: Mutex<Option<String>>,
}

/// The thread.
pub(super) struct Builder {
    orders: Option<Sender<Order>>,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
    sent: u64,
    /// Messages and orders when it was looked last.
    seen: (u32, u64),
}

struct Worker {
    grove: Arc<Grove>,
    state: Arc<State>,
    wake: Wake,
    told: Instant,
    looks: u64,
}

impl Builder {
    /// Starts it.
    pub(super) fn start(grove: Arc<Grove>, wake: Wake) -> Self {
        let (orders, receive) = channel();
        let state: Arc<State> = Arc::default();
        let worker = Worker { grove, state: Arc::clone(&state), wake, told: Instant::now(), looks: 0 };
        // An answer of nothing means that it was stopped.
        let thread = Some(thread::spawn(move || worker.run(&receive).unwrap_or_default()));
        Self { orders: Some(orders), state, thread, sent: 0, seen: (0, 0) }
    }

    /// Has messages taken in.
    pub(super) fn send(&mut self, order: Order) {
        self.sent += 1;
        if let Some(orders) = &self.orders {
            // Nobody listens only where the thread broke down; then nothing grows any more.
            let _ = orders.send(order);
        }
    }

    /// Messages taken in.
    pub(super) fn taken(&self) -> u32 {
        self.state.taken.load(Ordering::Relaxed)
    }

    /// Whether the forest has grown since the last call.
    pub(super) fn has_grown(&mut self) -> bool {
        let now = (self.taken(), self.state.done.load(Ordering::Acquire));
        std::mem::replace(&mut self.seen, now) != now
    }

    /// Whether it still has something to do.
    pub(super) fn is_busy(&self) -> bool {
        let runs = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        runs && self.state.done.load(Ordering::Acquire) < self.sent
    }

    /// Why it does not go on.
    pub(super) fn failure(&self) -> Option<String> {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            return Some("the forest broke down: leave and open it again".to_owned());
        }
        self.state.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tries at once what could not be read.
    pub(super) fn again(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Relaxed);
        self.orders = None;
        self.again();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Worker {
    /// Carries out orders; an answer of nothing means that it was stopped.
    fn run(mut self, orders: &Receiver<Order>) -> Option<()> {
        while let Ok(order) = orders.recv() {
            if order.fits {
                let texts: Vec<String> =
                    order.arrivals.iter().map(|arrival| self.text(arrival)).collect::<Option<_>>()?;
                let settings = self.grove.look(|replay| *replay.forest().settings());
                let fitted = ColdForest::fitted(settings, texts.iter().map(String::as_str));
                self.grove.grow(|replay| *replay = Replay::new(fitted));
            }
            for arrival in order.arrivals {
                let text = self.text(&arrival)?;
                self.grove.step_aside(&mut self.looks);
                self.grove.grow(|replay| replay.take(arrival, &text));
                self.state.taken.fetch_add(1, Ordering::Relaxed);
                if self.told.elapsed() >= TELL {
                    self.tell();
                }
            }
            self.grove.grow(|replay| replay.reach(order.begun));
            self.state.done.fetch_add(1, Ordering::Release);
            self.tell();
        }
        Some(())
    }

    /// What is counted of a message; waits until it can be read.
    fn text(&mut self, arrival: &Arrival) -> Option<String> {
        loop {
            if self.state.stop.load(Ordering::Relaxed) {
                return None;
            }
            match arrival.text() {
                Ok(text) => {
                    self.fail(None);
                    return Some(text);
                }
                Err(error) => {
                    self.fail(Some(&error));
                    thread::park_timeout(AGAIN);
                }
            }
        }
    }

    fn fail(&mut self, error: Option<&LogError>) {
        let said = error.map(|error| format!("{error} · R tries again"));
        let mut failure = self.state.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if *failure != said {
            *failure = said;
            drop(failure);
            self.tell();
        }
    }

    fn tell(&mut self) {
        self.told = Instant::now();
        (self.wake)();
    }
}
