//! Marks by hand, kept: written to the store on a thread of its own, in the order in which they were made.
//!
//! The disk may take its time, and another copy may be writing; no key waits for that. Who leaves waits until the last
//! mark is kept, or is told why it is not.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::store::{OptionalStore, Store, StoreError};
use crate::strategies::blocks::hand::{self, Mark, Marks};

use super::Wake;

/// How often a mark is tried while another copy holds the store; each try waits for that copy.
const TRIES: usize = 5;

/// What the store answered.
#[derive(Debug)]
pub(super) struct Answer {
    /// The number of the last mark that this takes into account.
    pub(super) after: u64,
    /// All marks that are kept; nothing where they cannot be told.
    pub(super) marks: Option<Marks>,
    /// Why the store cannot be used, told once.
    pub(super) trouble: Option<String>,
    /// A mark was not kept.
    pub(super) lost: bool,
}

/// Keeps the marks of one session.
#[derive(Debug)]
pub(super) struct Keeper {
    orders: Option<Sender<(u64, String, Mark)>>,
    answers: Arc<Mutex<Vec<Answer>>>,
    thread: Option<JoinHandle<()>>,
    /// The number of the last mark that was sent.
    pub(super) sent: u64,
    answered: Option<u64>,
}

struct Worker {
    store: Arc<OptionalStore>,
    session: String,
    log: PathBuf,
    answers: Arc<Mutex<Vec<Answer>>>,
    wake: Wake,
}

impl Keeper {
    /// Starts the thread, which first tells what is kept of the session.
    pub(super) fn start(store: Arc<OptionalStore>, session: String, log: PathBuf, wake: Wake) -> Self {
        let (orders, receive) = channel();
        let answers = Arc::default();
        let worker = Worker { store, session, log, answers: Arc::clone(&answers), wake };
        let thread = Some(thread::spawn(move || worker.run(&receive)));
        Self { orders: Some(orders), answers, thread, sent: 0, answered: None }
    }

    /// Keeps a mark.
    pub(super) fn keep(&mut self, key: &str, mark: Mark) {
        self.sent += 1;
        if let Some(orders) = &self.orders {
            // Nobody listens only where the thread broke down; then nothing comes back either.
            let _ = orders.send((self.sent, key.to_owned(), mark));
        }
    }

    /// What the store answered since the last call.
    pub(super) fn answers(&mut self) -> Vec<Answer> {
        let answers = std::mem::take(&mut *self.answers.lock().unwrap_or_else(PoisonError::into_inner));
        self.answered = answers.last().map_or(self.answered, |answer| Some(answer.after));
        answers
    }

    /// Whether an answer is still to come.
    pub(super) fn is_busy(&self) -> bool {
        self.answered != Some(self.sent)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Worker {
    fn run(&self, orders: &Receiver<(u64, String, Mark)>) {
        self.tell(0, false);
        while let Ok((number, key, mark)) = orders.recv() {
            let kept = self.with_patience(|store| self.write(store, &key, mark)).is_some();
            self.tell(number, !kept);
        }
    }

    fn write(&self, store: &Store, key: &str, mark: Mark) -> Result<(), StoreError> {
        let item = hand::item(key);
        store.locate(&self.session, &self.log)?;
        store.pin(&self.session, &item, mark.pinned)?;
        store.class(&self.session, &item, mark.class.map(hand::Class::name))
    }

    fn with_patience<T>(&self, ask: impl Fn(&Store) -> Result<T, StoreError>) -> Option<T> {
        (0..TRIES).find_map(|_| self.store.is_there().then(|| self.store.ask(&ask)).flatten())
    }

    fn tell(&self, after: u64, lost: bool) {
        let pins = self.with_patience(|store| store.pins(&self.session));
        let marks = pins.map(|pins| Marks::of(&pins));
        let answer = Answer { after, marks, trouble: self.store.trouble(), lost };
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
        (self.wake)();
    }
}
