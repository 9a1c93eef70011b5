//! Summaries made off the calling thread, few at once, none twice.
//!
//! Who wants one asks with a key; its progress can be looked up under it. Knows nothing of how it is made, nor where it is
//! kept ([`super::kept`]). A pool that is dropped stops what runs and waits a moment for it. What takes longer to notice goes
//! on alone and its outcome is dropped; a program that was started ends with this process, if not before.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::Failure;

/// Summaries that are made at once.
const AT_ONCE: usize = 2;

/// How far a summary is.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// It waits for its turn.
    Queued,
    /// It is being made.
    Running,
    /// Here it is.
    Done(Arc<T>),
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

/// How long a pool that is dropped waits for what runs: a program has ended by then.
const MOMENT: Duration = Duration::from_millis(100);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(2);

/// What makes one. It ends early once it is told to stop.
type Work<T> = Box<dyn FnOnce(&AtomicBool) -> Result<T, Failure> + Send>;

/// Makes summaries.
pub struct Pool<K, T> {
    shared: Arc<Shared<K, T>>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared<K, T> {
    state: Mutex<State<K, T>>,
    /// Something was queued, or ended.
    changed: Condvar,
    wake: Box<dyn Fn() + Send + Sync>,
}

struct State<K, T> {
    tasks: HashMap<K, Task<T>>,
    queue: VecDeque<K>,
    closed: bool,
}

struct Task<T> {
    progress: Progress<T>,
    work: Option<Work<T>>,
    stop: Arc<AtomicBool>,
}

/// What a worker takes on.
struct Job<K, T> {
    key: K,
    work: Work<T>,
    stop: Arc<AtomicBool>,
}

impl<K, T> std::fmt::Debug for Pool<K, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

impl<K: Copy + Eq + Hash + Send + 'static, T: Send + Sync + 'static> Pool<K, T> {
    /// A pool. `wake` is called from other threads whenever a summary's progress changes.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let state = State { tasks: HashMap::new(), queue: VecDeque::new(), closed: false };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Self { shared: Arc::new(Shared { state, changed, wake: Box::new(wake) }), workers: Mutex::default() }
    }

    /// Asks for a summary; one that was asked for already is not made again. What is urgent goes before all that waits.
    pub fn ask(
        &self,
        key: K,
        urgent: bool,
        work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send + 'static,
    ) {
        {
            let mut state = self.shared.state();
            if state.tasks.contains_key(&key) {
                return;
            }
            let work: Work<T> = Box::new(work);
            let task = Task { progress: Progress::Queued, work: Some(work), stop: Arc::default() };
            state.tasks.insert(key, task);
            if urgent { state.queue.push_front(key) } else { state.queue.push_back(key) }
        }
        self.work();
        self.shared.changed.notify_all();
    }

    /// How far a summary is; nothing if it was not asked for, or was cancelled.
    pub fn progress(&self, key: K) -> Option<Progress<T>> {
        self.shared.state().tasks.get(&key).map(|task| task.progress.share())
    }

    /// Waits for a summary that was asked for.
    pub fn wait(&self, key: K) -> Result<Arc<T>, Failure> {
        let mut state = self.shared.state();
        loop {
            match state.tasks.get(&key).map(|task| &task.progress) {
                None => return Err(Failure::Stopped),
                Some(Progress::Done(summary)) => return Ok(Arc::clone(summary)),
                Some(Progress::Failed(failure)) => return Err(failure.clone()),
                Some(Progress::Queued | Progress::Running) => {}
            }
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nobody wants the summary any more, unless it is there. What runs for it is stopped.
    pub fn cancel(&self, key: K) {
        {
            let mut state = self.shared.state();
            match state.tasks.get(&key).map(|task| &task.progress) {
                Some(Progress::Queued | Progress::Running) => {}
                _ => return,
            }
            if let Some(task) = state.tasks.remove(&key) {
                task.stop.store(true, Ordering::Relaxed);
            }
            state.queue.retain(|queued| *queued != key);
        }
        self.shared.tell();
    }

    /// Forgets that a summary failed: the next who asks for it has it tried again.
    pub fn again(&self, key: K) {
        let mut state = self.shared.state();
        if matches!(state.tasks.get(&key).map(|task| &task.progress), Some(Progress::Failed(_))) {
            state.tasks.remove(&key);
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

impl<K, T> Drop for Pool<K, T> {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state();
            state.closed = true;
            state.tasks.values().for_each(|task| task.stop.store(true, Ordering::Relaxed));
        }
        self.shared.changed.notify_all();
        let until = Instant::now() + MOMENT;
        for worker in self.workers.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            while !worker.is_finished() && Instant::now() < until {
                thread::sleep(LOOK);
            }
        }
    }
}

impl<T> Progress<T> {
    fn share(&self) -> Self {
        match self {
            Self::Queued => Self::Queued,
            Self::Running => Self::Running,
            Self::Done(summary) => Self::Done(Arc::clone(summary)),
            Self::Failed(failure) => Self::Failed(failure.clone()),
        }
    }
}

impl<K, T> Shared<K, T> {
    fn state(&self) -> MutexGuard<'_, State<K, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash, T> Shared<K, T> {
    fn tell(&self) {
        self.changed.notify_all();
        (self.wake)();
    }

    /// The next job; nothing once the pool is closed.
    fn next(&self) -> Option<Job<K, T>> {
        let mut state = self.state();
        let job = loop {
            if state.closed {
                return None;
            }
            let State { tasks, queue, .. } = &mut *state;
            if let Some(key) = queue.pop_front() {
                let Some(task) = tasks.get_mut(&key) else { continue };
                let Some(work) = task.work.take() else { continue };
                task.progress = Progress::Running;
                break Job { key, work, stop: Arc::clone(&task.stop) };
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        self.tell();
        Some(job)
    }

    fn run(&self, job: Job<K, T>) {
        let Job { key, work, stop } = job;
        let made = catch_unwind(AssertUnwindSafe(|| work(&stop)));
        let outcome = made.unwrap_or_else(|_| Err(Failure::Failed("the summariser broke down".to_owned())));
        let mut state = self.state();
        // Cancelled meanwhile, and perhaps asked for again: that is another task.
        let Some(task) = state.tasks.get_mut(&key).filter(|task| Arc::ptr_eq(&task.stop, &stop)) else {
            return;
        };
        task.progress = match outcome {
            Ok(summary) => Progress::Done(Arc::new(summary)),
            Err(failure) => Progress::Failed(failure),
        };
        drop(state);
        self.tell();
    }
}

#[cfg(test)]
mod tests;
