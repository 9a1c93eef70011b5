//! Compactions read on several threads and judged in order, each handed on as soon as it is done.
//!
//! Workers read ahead by as many compactions as there are workers, no more: memory does not grow with the log. What comes out
//! is the same whatever their number, since facts know nothing of each other and are taken in order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::log::LogError;
use crate::text::lexicon::Lexicon;

use super::auditor::Auditor;
use super::exact::Finder;
use super::pass::{Curves, Pass};
use super::work::Work;

/// Threads that read.
fn workers(works: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(works).max(1)
}

/// Audits `works` in order and hands each report to `take`, until it says to stop. The answer is what was retained; an error
/// ends it where it happened, after everything before it was handed on.
pub fn run(
    works: Vec<Work>,
    lexicon: &Lexicon,
    take: &mut dyn FnMut(Pass) -> bool,
) -> Result<Curves, LogError> {
    let count = works.len();
    let threads = workers(count);
    let waiting: Mutex<VecDeque<(usize, Work)>> = Mutex::new(works.into_iter().enumerate().collect());
    let stop = AtomicBool::new(false);
    let mut auditor = Auditor::default();
    let outcome = thread::scope(|scope| {
        // Between the facts that wait for their turn and those that wait to be taken.
        let (send, receive) = sync_channel(threads);
        for _ in 0..threads {
            let (send, waiting, stop) = (send.clone(), &waiting, &stop);
            scope.spawn(move || {
                let mut finder = Finder::default();
                while !stop.load(Ordering::Relaxed) {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((place, work)) = next else { break };
                    if send.send((place, work.run(lexicon, &mut finder))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut next = 0;
        while next < count {
            let Some(facts) = early.remove(&next) else {
                let Ok((place, facts)) = receive.recv() else { break };
                early.insert(place, facts);
                continue;
            };
            next += 1;
            let go_on = match facts {
                Ok(facts) => take(auditor.take(lexicon, facts)),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            };
            if !go_on {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        Ok(())
    });
    outcome.map(|()| auditor.curves())
}
