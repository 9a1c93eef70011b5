//! Compactions read on several threads and judged in order, each handed on as soon as it is done.
//!
//! Workers read ahead by a few compactions, no more: memory does not grow with the log. What comes out is the same whatever
//! their number, since facts know nothing of each other and are taken in order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::log::LogError;
use crate::text::lexicon::Lexicon;

use super::auditor::Auditor;
use super::exact::Finder;
use super::pass::{Curves, Pass};
use super::work::Work;

/// Compactions that a thread may be ahead of the one that is judged.
const AHEAD: usize = 2;

/// What is still to be read.
struct Waiting {
    works: VecDeque<(usize, Work)>,
    /// The first place that is too far ahead.
    limit: usize,
    stop: bool,
}

/// The works that wait for a thread.
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Queue {
    fn new(works: Vec<Work>, limit: usize) -> Self {
        let works = works.into_iter().enumerate().collect();
        Self { waiting: Mutex::new(Waiting { works, limit, stop: false }), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next work, once it is not too far ahead; none where there is none left to do.
    fn next(&self) -> Option<(usize, Work)> {
        let too_far = |waiting: &mut Waiting| {
            !waiting.stop && waiting.works.front().is_some_and(|(place, _)| *place >= waiting.limit)
        };
        let waited = self.changed.wait_while(self.lock(), too_far);
        let mut waiting = waited.unwrap_or_else(PoisonError::into_inner);
        if waiting.stop { None } else { waiting.works.pop_front() }
    }

    /// One more was judged.
    fn judged(&self) {
        self.lock().limit += 1;
        self.changed.notify_all();
    }

    fn stop(&self) {
        self.lock().stop = true;
        self.changed.notify_all();
    }
}

/// Audits `works` in order and hands each report to `take`, until it says to stop. The answer is what was retained; an error
/// ends it where it happened, after everything before it was handed on.
pub fn run(
    works: Vec<Work>,
    lexicon: &Lexicon,
    take: &mut dyn FnMut(Pass) -> bool,
) -> Result<Curves, LogError> {
    let count = works.len();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count).max(1);
    let queue = Queue::new(works, threads * AHEAD);
    let mut auditor = Auditor::default();
    thread::scope(|scope| {
        let (send, receive) = channel();
        for _ in 0..threads {
            let (send, queue) = (send.clone(), &queue);
            scope.spawn(move || {
                let mut finder = Finder::default();
                while let Some((place, work)) = queue.next() {
                    if send.send((place, work.run(lexicon, &mut finder))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut outcome = Ok(());
        for place in 0..count {
            while !early.contains_key(&place) {
                let Ok((read, facts)) = receive.recv() else { break };
                early.insert(read, facts);
            }
            let go_on = match early.remove(&place) {
                Some(Ok(facts)) => take(auditor.take(lexicon, facts)),
                Some(Err(error)) => {
                    outcome = Err(error);
                    false
                }
                None => false,
            };
            if !go_on {
                break;
            }
            queue.judged();
        }
        queue.stop();
        outcome
    })?;
    Ok(auditor.curves())
}
