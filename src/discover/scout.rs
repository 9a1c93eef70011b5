//! Two threads that fill the list of sessions and keep it true.
//!
//! The scout walks the folders, tells what is there, what is new, changed and gone, and looks at the ends of what it
//! does not know, newest first. The counter behind it reads whole sessions, newest first. What either finds out goes
//! into the cache, so that the next start tells everything at once. A session that keeps growing is counted again
//! and again, but never for more than a small part of the time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::store::cache::{Cache, Stamp};

use super::agents::{Agent, Place, Role, may_hold_sessions};
use super::walk::{Found, Look, walk};
use super::watch::{Bell, Watch, Woken};
use super::{Counter, Counts, Glance, Known};

/// Sessions that are looked at before anything else is done: as many as a large screen shows.
const FIRST: usize = 64;
/// Sessions told of together.
const BATCH: usize = 256;
/// Quick looks are told of at least this often.
const REPORT: Duration = Duration::from_millis(30);
/// A growing session is counted again after this long at the earliest.
const RECOUNT: Duration = Duration::from_secs(1);
/// And after this many times what the last count took.
const PATIENCE: u32 = 20;
/// The cache is written this often at the most while counting goes on.
const SAVE: Duration = Duration::from_secs(10);

/// What the threads tell.
#[derive(Debug)]
pub enum News {
    /// Sessions that are new or changed, with what is known of them in this state.
    Found(Vec<(Found, Option<Known>)>),
    /// Sessions that are gone.
    Gone(Vec<Arc<Path>>),
    /// Quick looks at sessions in these states.
    Glanced(Vec<(Arc<Path>, Stamp, Glance)>),
    /// The counts of a session in this state, or why it cannot be read.
    Counted(Arc<Path>, Stamp, Result<Counts, String>),
    /// Every place was looked at.
    Looked(Look),
    /// Something a person should know.
    Trouble(String),
}

type Send = dyn Fn(News) -> bool + std::marker::Send + Sync;

/// The two threads.
pub struct Scout {
    shared: Arc<Shared>,
    bell: Bell,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    send: Box<Send>,
    cache: Mutex<Cache<Known>>,
    jobs: Mutex<Jobs>,
    ready: Condvar,
    stopped: AtomicBool,
    paused: AtomicBool,
}

/// Sessions to be counted, newest first.
#[derive(Default)]
struct Jobs {
    waiting: BTreeMap<(Reverse<i64>, Arc<Path>), Stamp>,
    /// Growing ones that were counted a moment ago.
    later: Vec<(Instant, Arc<Path>, Stamp)>,
    /// When each may be counted again.
    rests: HashMap<Arc<Path>, Instant>,
}

impl Scout {
    /// Starts looking at `places`. `send` answers false when nobody listens any more. With `poll` no folder is
    /// watched; without `counting` nothing is read whole.
    pub fn start(
        places: Vec<Place>,
        poll: bool,
        counting: bool,
        mut cache: Cache<Known>,
        send: impl Fn(News) -> bool + std::marker::Send + Sync + 'static,
    ) -> Self {
        if let Some(trouble) = cache.trouble() {
            send(News::Trouble(trouble));
        }
        let shared = Arc::new(Shared {
            send: Box::new(send),
            cache: Mutex::new(cache),
            jobs: Mutex::default(),
            ready: Condvar::new(),
            stopped: AtomicBool::new(false),
            paused: AtomicBool::new(false),
        });
        let (watch, bell) = Watch::new(poll);
        let scouting =
            Scouting { shared: Arc::clone(&shared), places, watch, seen: HashMap::new(), round: 0 };
        let mut threads = vec![std::thread::spawn(move || scouting.run())];
        if counting {
            let counting = Counting {
                shared: Arc::clone(&shared),
                counter: Counter::default(),
                counted: HashSet::new(),
            };
            threads.push(std::thread::spawn(move || counting.run()));
        }
        Self { shared, bell, threads }
    }

    /// Lets both rest: somebody looks at something else.
    pub fn pause(&self) {
        self.shared.paused.store(true, Ordering::Relaxed);
    }

    /// Goes on, beginning with a look at everything.
    pub fn resume(&self) {
        self.shared.paused.store(false, Ordering::Relaxed);
        drop(self.shared.jobs());
        self.shared.ready.notify_all();
        self.bell.again();
    }
}

impl Drop for Scout {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        drop(self.shared.jobs());
        self.shared.ready.notify_all();
        self.bell.stop();
        for thread in self.threads.drain(..) {
            // A thread that panicked has told of it; what it found out is saved all the same.
            let _ = thread.join();
        }
        self.shared.cache().save();
    }
}

impl Shared {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cache(&self) -> MutexGuard<'_, Cache<Known>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// Tells; nothing when nobody listens.
    fn tell(&self, news: News) -> Option<()> {
        let heard = !self.is_stopped() && (self.send)(news);
        if !heard {
            self.stopped.store(true, Ordering::Relaxed);
            self.ready.notify_all();
        }
        heard.then_some(())
    }
}

struct Scouting {
    shared: Arc<Shared>,
    places: Vec<Place>,
    watch: Watch,
    seen: HashMap<Arc<Path>, Seen>,
    round: u64,
}

struct Seen {
    place: Option<&'static Agent>,
    role: Role,
    stamp: Stamp,
    round: u64,
}

impl Scouting {
    fn run(mut self) {
        // An answer of nothing means that nobody listens any more.
        let _ = self.rounds();
    }

    fn rounds(&mut self) -> Option<()> {
        self.look()?;
        loop {
            match self.watch.wait() {
                Woken::Stop => return None,
                // Whoever pauses looks at everything when they come back.
                _ if self.shared.is_paused() => {
                    if !self.watch.sleep() {
                        return None;
                    }
                    self.look()?;
                }
                Woken::Again => self.look()?,
                Woken::Changed(paths) => self.changed(paths)?,
            }
        }
    }

    /// Looks at everything.
    fn look(&mut self) -> Option<()> {
        self.round += 1;
        let begun = Instant::now();
        let places = std::mem::take(&mut self.places);
        let (mut fresh, mut unknown, mut alive) = (Vec::new(), Vec::new(), true);
        let look = walk(&places, &mut |found| {
            if self.is_fresh(&found) {
                fresh.push(found);
            }
            if fresh.len() >= BATCH {
                alive = self.tell(std::mem::take(&mut fresh), &mut unknown).is_some();
            }
            alive && !self.shared.is_stopped()
        });
        self.places = places;
        if !alive || self.shared.is_stopped() {
            return None;
        }
        let taken = begun.elapsed();
        self.tell(fresh, &mut unknown)?;
        self.forget()?;
        unknown.sort_by_key(|found| Reverse(found.stamp.modified));
        let rest = unknown.split_off(unknown.len().min(FIRST));
        self.glance(unknown)?;
        // Only now: watching many folders takes its time, and the first screen is to be there.
        self.watch.looked(taken, &look.folders);
        self.shared.tell(News::Looked(look))?;
        self.glance(rest)
    }

    /// Whether a file is new or changed.
    fn is_fresh(&mut self, found: &Found) -> bool {
        let seen = Seen { place: found.agent, role: found.role, stamp: found.stamp, round: self.round };
        let before = self.seen.insert(Arc::clone(&found.path), seen);
        before.is_none_or(|before| before.stamp != found.stamp)
    }

    /// Tells of sessions with what is known of them; what is not goes to `unknown`.
    fn tell(&self, fresh: Vec<Found>, unknown: &mut Vec<Found>) -> Option<()> {
        if fresh.is_empty() {
            return Some(());
        }
        let mut told = Vec::with_capacity(fresh.len());
        for found in fresh {
            let known = self.shared.cache().get(&found.stamp).cloned();
            match &known {
                None => unknown.push(found.clone()),
                Some(Known { counts: None, .. }) => self.enqueue(&found.path, found.stamp),
                Some(_) => {}
            }
            told.push((found, known));
        }
        self.shared.tell(News::Found(told))
    }

    /// Tells of the sessions that this round did not find.
    fn forget(&mut self) -> Option<()> {
        let round = self.round;
        let gone: Vec<Arc<Path>> =
            self.seen.extract_if(|_, seen| seen.round != round).map(|(path, _)| path).collect();
        if gone.is_empty() { Some(()) } else { self.shared.tell(News::Gone(gone)) }
    }

    /// Looks at the ends of sessions, in this order.
    fn glance(&self, unknown: Vec<Found>) -> Option<()> {
        let mut told = Instant::now();
        let mut glances = Vec::new();
        for found in unknown {
            let glance = Glance::of(&found.path, found.role);
            if glance.problem.is_none() {
                if glance.format.is_some() {
                    let known = Known { glance: glance.clone(), counts: None };
                    self.shared.cache().put(&found.path, found.stamp, known);
                }
                // A file that somebody's folder does not vouch for is read only if its records do.
                if glance.format.is_some() || found.agent.is_some() {
                    self.enqueue(&found.path, found.stamp);
                }
            }
            glances.push((found.path, found.stamp, glance));
            if told.elapsed() >= REPORT {
                told = Instant::now();
                self.shared.tell(News::Glanced(std::mem::take(&mut glances)))?;
            }
            if self.shared.is_stopped() {
                return None;
            }
        }
        if glances.is_empty() { Some(()) } else { self.shared.tell(News::Glanced(glances)) }
    }

    fn enqueue(&self, path: &Arc<Path>, stamp: Stamp) {
        self.shared.jobs().push(path, stamp);
        self.shared.ready.notify_all();
    }

    /// Something happened to these files: looks at those that are known, and at everything where one may be new.
    fn changed(&mut self, paths: Vec<PathBuf>) -> Option<()> {
        let (mut fresh, mut gone, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let Some((path, seen)) = self.seen.get_key_value(path.as_path()) else {
                if may_hold_sessions(&self.places, &path) {
                    return self.look();
                }
                continue;
            };
            match std::fs::metadata(path) {
                Ok(meta) if Stamp::of(&meta) != seen.stamp => fresh.push(Found {
                    path: Arc::clone(path),
                    agent: seen.place,
                    role: seen.role,
                    stamp: Stamp::of(&meta),
                }),
                Ok(_) => {}
                Err(_) => gone.push(Arc::clone(path)),
            }
        }
        for path in &gone {
            self.seen.remove(path);
        }
        if !gone.is_empty() {
            self.shared.tell(News::Gone(gone))?;
        }
        for found in &fresh {
            self.is_fresh(found);
        }
        self.tell(fresh, &mut unknown)?;
        self.glance(unknown)
    }
}

impl Jobs {
    fn push(&mut self, path: &Arc<Path>, stamp: Stamp) {
        match self.rests.get(path) {
            Some(until) if *until > Instant::now() => {
                self.later.retain(|(_, other, _)| other != path);
                self.later.push((*until, Arc::clone(path), stamp));
            }
            _ => drop(self.waiting.insert((Reverse(stamp.modified), Arc::clone(path)), stamp)),
        }
    }

    /// The next session to count; otherwise how long to wait for one.
    fn next(&mut self) -> Result<(Arc<Path>, Stamp), Duration> {
        /// Nothing is to be done: somebody will say when there is.
        const LONG: Duration = Duration::from_hours(1);
        let now = Instant::now();
        for (_, path, stamp) in self.later.extract_if(.., |(until, ..)| *until <= now) {
            self.waiting.insert((Reverse(stamp.modified), path), stamp);
        }
        if let Some(((_, path), stamp)) = self.waiting.pop_first() {
            return Ok((path, stamp));
        }
        let soonest = self.later.iter().map(|(until, ..)| *until - now).min();
        Err(soonest.unwrap_or(LONG))
    }
}

struct Counting {
    shared: Arc<Shared>,
    counter: Counter,
    /// Counted before in this run: they are read on.
    counted: HashSet<Arc<Path>>,
}

impl Counting {
    fn run(mut self) {
        let mut saved = Instant::now();
        while let Some((path, stamp)) = self.next() {
            if self.count(&path, stamp).is_none() {
                return;
            }
            if saved.elapsed() >= SAVE {
                saved = Instant::now();
                let mut cache = self.shared.cache();
                cache.save();
                let trouble = cache.trouble();
                drop(cache);
                if let Some(trouble) = trouble {
                    self.shared.tell(News::Trouble(trouble));
                }
            }
        }
    }

    /// Waits for the next session to count. Nothing: to stop.
    fn next(&self) -> Option<(Arc<Path>, Stamp)> {
        let mut jobs = self.shared.jobs();
        loop {
            if self.shared.is_stopped() {
                return None;
            }
            let wait = if self.shared.is_paused() {
                Duration::from_hours(1)
            } else {
                match jobs.next() {
                    Ok(job) => return Some(job),
                    Err(wait) => wait,
                }
            };
            let waited = self.shared.ready.wait_timeout(jobs, wait);
            jobs = waited.map_or_else(|error| error.into_inner().0, |(jobs, _)| jobs);
        }
    }

    fn count(&mut self, path: &Arc<Path>, stamp: Stamp) -> Option<()> {
        let state = || std::fs::metadata(path).ok().map(|meta| Stamp::of(&meta));
        let (begun, before) = (Instant::now(), state());
        let Some(before) = before else { return Some(()) };
        let go_on = || !self.shared.is_stopped() && !self.shared.is_paused();
        let outcome = if self.counted.contains(path) {
            self.counter.recount(path, &go_on)
        } else {
            Counter::count(path, &go_on)
        };
        let Some(outcome) = outcome else {
            // Stopped in the middle: it is counted once counting goes on.
            self.shared.jobs().push(path, stamp);
            return Some(());
        };
        self.counted.insert(Arc::clone(path));
        if let Ok(counts) = &outcome
            && state() == Some(before)
        {
            let mut cache = self.shared.cache();
            if let Some(known) = cache.get(&before).cloned() {
                cache.put(path, before, Known { counts: Some(counts.clone()), ..known });
            }
        }
        let rest = RECOUNT.max(begun.elapsed() * PATIENCE);
        self.shared.jobs().rests.insert(Arc::clone(path), Instant::now() + rest);
        self.shared.tell(News::Counted(Arc::clone(path), before, outcome))
    }
}

#[cfg(test)]
mod tests;
