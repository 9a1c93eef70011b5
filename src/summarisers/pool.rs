//! Summaries made off the calling thread, few at once, none twice.
//!
//! Who wants a summary asks; the answer is the hash under which its progress can be looked up. What is made is kept
//! ([`super::kept`]). A pool that is dropped stops what runs and waits for it, so nothing is left behind.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::store::OptionalStore;

use super::input::InputHash;
use super::kept::{Belongs, kept_or_made, own};
use super::{Failure, Request, Summariser, Summary};

/// Summaries that are made at once.
const AT_ONCE: usize = 2;

/// How far a summary is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It waits for its turn.
    Queued,
    /// It is being made.
    Running,
    /// Here it is.
    Done(Arc<Summary>),
    /// There is none. It is not tried again before [`Pool::again`].
    Failed(Failure),
}

/// How many summaries are how far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Waiting.
    pub queued: usize,
    /// Being made.
    pub running: usize,
    /// There.
    pub done: usize,
    /// Not to be had.
    pub failed: usize,
}

/// Makes summaries.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    state: Mutex<State>,
    /// Something was queued, or ended.
    changed: Condvar,
    store: Arc<OptionalStore>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    tasks: HashMap<InputHash, Task>,
    queue: VecDeque<InputHash>,
    closed: bool,
}

struct Task {
    progress: Progress,
    /// What is still to be done: the summary to be made, or only owners to be told to the store.
    work: Option<(Arc<dyn Summariser>, Request)>,
    owners: Vec<Belongs>,
    stop: Arc<AtomicBool>,
}

/// What a worker takes on.
struct Job {
    hash: InputHash,
    work: Option<(Arc<dyn Summariser>, Request)>,
    owners: Vec<Belongs>,
    done: Option<Arc<Summary>>,
    stop: Arc<AtomicBool>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool before a store. `wake` is called from other threads whenever a summary's progress changes.
    pub fn new(store: Arc<OptionalStore>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { state, changed, store, wake: Box::new(wake) });
        Self { shared, workers: Mutex::default() }
    }

    /// Asks for a summary; one that was asked for already is not made again.
    pub fn ask(
        &self,
        summariser: &Arc<dyn Summariser>,
        request: Request,
        belongs: Option<Belongs>,
    ) -> InputHash {
        let hash = InputHash::of(&summariser.name(), &request);
        {
            let mut state = self.shared.state();
            let State { tasks, queue, .. } = &mut *state;
            match tasks.get_mut(&hash) {
                None => {
                    let work = Some((Arc::clone(summariser), request));
                    let (owners, stop) = (belongs.into_iter().collect(), Arc::default());
                    tasks.insert(hash, Task { progress: Progress::Queued, work, owners, stop });
                    queue.push_back(hash);
                }
                Some(task) => {
                    let is_done = matches!(task.progress, Progress::Done(_));
                    let fresh = belongs.filter(|belongs| !task.owners.contains(belongs));
                    if fresh.is_some() && is_done {
                        queue.push_back(hash);
                    }
                    task.owners.extend(fresh);
                }
            }
        }
        self.work();
        self.shared.changed.notify_all();
        hash
    }

    /// How far a summary is; nothing if it was not asked for, or was cancelled.
    pub fn progress(&self, hash: InputHash) -> Option<Progress> {
        self.shared.state().tasks.get(&hash).map(|task| task.progress.clone())
    }

    /// Waits for a summary that was asked for.
    pub fn wait(&self, hash: InputHash) -> Result<Arc<Summary>, Failure> {
        let mut state = self.shared.state();
        loop {
            match state.tasks.get(&hash).map(|task| &task.progress) {
                None => return Err(Failure::Stopped),
                Some(Progress::Done(summary)) => return Ok(Arc::clone(summary)),
                Some(Progress::Failed(failure)) => return Err(failure.clone()),
                Some(Progress::Queued | Progress::Running) => {}
            }
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nobody wants the summary any more, unless it is there. What runs for it is stopped.
    pub fn cancel(&self, hash: InputHash) {
        {
            let mut state = self.shared.state();
            match state.tasks.get(&hash).map(|task| &task.progress) {
                Some(Progress::Queued | Progress::Running) => {}
                _ => return,
            }
            if let Some(task) = state.tasks.remove(&hash) {
                task.stop.store(true, Ordering::Relaxed);
            }
            state.queue.retain(|queued| *queued != hash);
        }
        self.shared.tell();
    }

    /// Forgets that a summary failed: the next who asks for it has it tried again.
    pub fn again(&self, hash: InputHash) {
        let mut state = self.shared.state();
        if matches!(state.tasks.get(&hash).map(|task| &task.progress), Some(Progress::Failed(_))) {
            state.tasks.remove(&hash);
        }
    }

    /// How many are how far.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for task in self.shared.state().tasks.values() {
            *match task.progress {
                Progress::Queued => &mut counts.queued,
                Progress::Running => &mut counts.running,
                Progress::Done(_) => &mut counts.done,
                Progress::Failed(_) => &mut counts.failed,
            } += 1;
        }
        counts
    }

    /// Starts the threads with the first question.
    fn work(&self) {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        while workers.len() < AT_ONCE {
            let shared = Arc::clone(&self.shared);
            workers.push(thread::spawn(move || {
                while let Some(job) = shared.next() {
                    shared.run(job);
                }
            }));
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state();
            state.closed = true;
            state.tasks.values().for_each(|task| task.stop.store(true, Ordering::Relaxed));
        }
        self.shared.changed.notify_all();
        for worker in self.workers.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.changed.notify_all();
        (self.wake)();
    }

    /// The next job; nothing once the pool is closed.
    fn next(&self) -> Option<Job> {
        let mut state = self.state();
        let job = loop {
            if state.closed {
                return None;
            }
            let State { tasks, queue, .. } = &mut *state;
            if let Some(hash) = queue.pop_front() {
                let Some(task) = tasks.get_mut(&hash) else { continue };
                let done = match &task.progress {
                    Progress::Done(summary) => Some(Arc::clone(summary)),
                    _ => None,
                };
                if done.is_none() {
                    task.progress = Progress::Running;
                }
                let stop = Arc::clone(&task.stop);
                break Job { hash, work: task.work.take(), owners: task.owners.clone(), done, stop };
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        self.tell();
        Some(job)
    }

    fn run(&self, job: Job) {
        let Job { hash, work, owners, done, stop } = job;
        let outcome = match (done, work) {
            (Some(summary), _) => {
                own(&self.store, hash, &owners);
                Ok(summary)
            }
            (None, Some((summariser, request))) => {
                kept_or_made(&self.store, hash, &*summariser, &request, &owners, &stop).map(Arc::new)
            }
            (None, None) => return,
        };
        let mut state = self.state();
        let State { tasks, queue, .. } = &mut *state;
        // Cancelled meanwhile, and perhaps asked for again: that is another task.
        let Some(task) = tasks.get_mut(&hash).filter(|task| Arc::ptr_eq(&task.stop, &stop)) else { return };
        task.progress = match outcome {
            Ok(summary) => {
                if task.owners.len() > owners.len() {
                    queue.push_back(hash);
                }
                Progress::Done(summary)
            }
            Err(failure) => Progress::Failed(failure),
        };
        drop(state);
        self.tell();
    }
}

#[cfg(test)]
mod tests;
