//! Marks by hand, kept: written to the store on a thread of its own.
//!
//! The disk may take its time, and another copy may be writing; no key waits for that. A mark that is not kept yet lies
//! over what the store says and is tried again until it is. Who leaves waits a moment for the rest, and is told what
//! was not kept.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::store::{OptionalStore, Store, StoreError};
use crate::strategies::blocks::hand::{self, Mark, Marks};

use super::Wake;

/// How long after a vain try the next one comes.
const AGAIN: Duration = Duration::from_millis(500);
/// The same while somebody wants to leave.
const AGAIN_AT_END: Duration = Duration::from_millis(50);

/// What the store answered.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// All marks as of now: those that are kept, and over them those that are not yet. Nothing where the store could not
    /// tell: then they are as they were.
    pub(super) marks: Option<Marks>,
    /// Why the store cannot be used, told once.
    pub(super) trouble: Option<String>,
    /// A mark was tried in vain, and is not kept yet.
    pub(super) unkept: bool,
    /// The store cannot be used.
    pub(super) broken: bool,
}

/// Keeps the marks of one session. Dropped, it goes on alone as long as the process lives.
#[derive(Debug)]
pub(in super::super) struct Keeper {
    desk: Arc<Desk>,
    store: Arc<OptionalStore>,
}

/// Where both sides meet.
#[derive(Debug, Default)]
struct Desk {
    papers: Mutex<Papers>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Papers {
    /// Marks that are not kept yet, by key, each with its number.
    unkept: BTreeMap<String, (u64, Mark)>,
    /// The numbers of the newest mark that was made, and of the newest that was tried.
    made: u64,
    tried: u64,
    /// What is kept of the session was asked for.
    asked: bool,
    answer: Option<Answer>,
    /// The store had something to say against its being used.
    broken: bool,
    /// No mark comes any more.
    closed: bool,
    /// Nothing is done any more.
    ended: bool,
}

struct Worker {
    store: Arc<OptionalStore>,
    session: String,
    log: PathBuf,
    desk: Arc<Desk>,
    wake: Wake,
}

impl Keeper {
    /// Starts the thread, which first tells what is kept of the session.
    pub(super) fn start(store: Arc<OptionalStore>, session: String, log: PathBuf, wake: Wake) -> Self {
        let desk = Arc::<Desk>::default();
        let worker = Worker { store: Arc::clone(&store), session, log, desk: Arc::clone(&desk), wake };
        thread::spawn(move || {
            let _end = Ends(Arc::clone(&worker.desk));
            worker.run();
        });
        Self { desk, store }
    }

    /// Keeps a mark.
    pub(super) fn keep(&mut self, key: &str, mark: Mark) {
        let mut papers = self.desk.papers();
        papers.made += 1;
        let number = papers.made;
        papers.unkept.insert(key.to_owned(), (number, mark));
        self.desk.changed.notify_all();
    }

    /// What the store answered since the last call.
    pub(super) fn answer(&mut self) -> Option<Answer> {
        let mut papers = self.desk.papers();
        let mut answer = papers.answer.take()?;
        if let Some(marks) = &mut answer.marks {
            papers.unkept.iter().for_each(|(key, (_, mark))| marks.set(key, *mark));
        }
        Some(answer)
    }

    /// Whether an answer is still to come. What was tried in vain is tried again, but nobody waits for that.
    pub(super) fn is_busy(&self) -> bool {
        let papers = self.desk.papers();
        papers.answer.is_some() || !papers.ended && (!papers.asked || papers.tried < papers.made)
    }

    /// No mark comes any more.
    pub(in super::super) fn close(&self) {
        self.desk.papers().closed = true;
        self.desk.changed.notify_all();
    }

    /// Waits until everything is kept that can be, `until` at most. The answer is whether there is nothing left to do.
    pub(in super::super) fn wait(&self, until: Instant) -> bool {
        let mut papers = self.desk.papers();
        while !papers.ended {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.desk.changed.wait_timeout(papers, left);
            papers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// How many marks are not kept, and what the store says of it.
    pub(in super::super) fn unkept(&self) -> (usize, Option<String>) {
        (self.desk.papers().unkept.len(), self.store.last_error())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.close();
    }
}

impl Desk {
    fn papers(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that the thread ended, however it did.
struct Ends(Arc<Desk>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.papers().ended = true;
        self.0.changed.notify_all();
    }
}

impl Worker {
    fn run(&self) {
        self.tell(&[]);
        while let Some(due) = self.next() {
            let kept: Vec<_> = due
                .iter()
                // Who cannot write one can write none; each would wait in vain.
                .take_while(|(key, (_, mark))| {
                    self.store.ask(|store| self.write(store, key, *mark)).is_some()
                })
                .collect();
            if kept.len() == due.len() {
                self.store.keep_rest();
            }
            self.tell(&kept);
        }
    }

    /// The marks to be tried next, once there are any; nothing when all is done that can be.
    fn next(&self) -> Option<Vec<(String, (u64, Mark))>> {
        let mut rested = false;
        loop {
            // Asked with nothing held: the store may be opening, and keys wait for the papers.
            let (put_by, hopes) = (self.store.put_by() > 0, self.store.is_there());
            let mut papers = self.desk.papers();
            // What others put by waits for the next mark, or for the end.
            let waits = hopes && (!papers.unkept.is_empty() || papers.closed && put_by);
            if papers.tried < papers.made || waits && rested {
                papers.tried = papers.made;
                return Some(papers.unkept.iter().map(|(key, mark)| (key.clone(), *mark)).collect());
            }
            if papers.closed && !waits {
                return None;
            }
            if waits {
                let pause = if papers.closed { AGAIN_AT_END } else { AGAIN };
                let waited = self.desk.changed.wait_timeout(papers, pause);
                rested = waited.unwrap_or_else(PoisonError::into_inner).1.timed_out();
            } else {
                drop(self.desk.changed.wait(papers).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    fn write(&self, store: &Store, key: &str, mark: Mark) -> Result<(), StoreError> {
        let item = hand::item(key);
        store.locate(&self.session, &self.log)?;
        store.pin(&self.session, &item, mark.pinned)?;
        store.class(&self.session, &item, mark.class.map(hand::Class::name))
    }

    /// Tells what is kept, now that `kept` is.
    fn tell(&self, kept: &[&(String, (u64, Mark))]) {
        let pins = self.store.ask(|store| store.pins(&self.session));
        let (trouble, is_there) = (self.store.trouble(), self.store.is_there());
        {
            let mut papers = self.desk.papers();
            // Only now: until the store was asked again, they lay over what it said before.
            for (key, (number, _)) in kept {
                if papers.unkept.get(key).is_some_and(|(newest, _)| newest == number) {
                    papers.unkept.remove(key);
                }
            }
            papers.asked = true;
            let before = papers.answer.take().unwrap_or_default();
            let tried = papers.unkept.values().any(|(number, _)| *number <= papers.tried);
            papers.broken |= trouble.is_some() && !is_there;
            papers.answer = Some(Answer {
                marks: pins.map(|pins| Marks::of(&pins)).or(before.marks),
                trouble: before.trouble.or(trouble),
                unkept: tried,
                broken: papers.broken,
            });
        }
        (self.wake)();
    }
}
