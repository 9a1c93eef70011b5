//! The store for those who can do without it: what is wrong is told once, and the work goes on.
//!
//! What cannot be kept because another copy is writing is put by and kept with what comes next, or at the end.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Store, StoreError};

/// A store that may not be there.
#[derive(Debug)]
pub struct OptionalStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// It is opened by the first who asks.
    unopened: bool,
    store: Option<Arc<Store>>,
    /// Another copy held it when it was to be opened.
    waited: bool,
    trouble: Option<String>,
    told: bool,
    /// The newest error.
    last: Option<String>,
    put_by: Vec<PutBy>,
}

/// Something that is to be kept later.
struct PutBy(Box<Put>);

type Put = dyn Fn(&Store) -> Result<(), StoreError> + Send;

impl fmt::Debug for PutBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PutBy").finish_non_exhaustive()
    }
}

impl OptionalStore {
    /// The store in the state folder, if it can be used.
    pub fn open() -> Self {
        let optional = Self::later();
        optional.opened();
        optional
    }

    /// The same, opened by the first who asks: who holds it may have no time to wait for it.
    pub fn later() -> Self {
        Self { state: Mutex::new(State { unopened: true, ..State::default() }) }
    }

    /// The store in the state folder if there is one already: for those who only look.
    pub fn existing() -> Self {
        let is_there = super::place(|name| std::env::var_os(name))
            .is_some_and(|folder| folder.join(super::database::FILE).exists());
        if is_there { Self::open() } else { Self::none() }
    }

    /// The same in `folder`.
    pub fn open_in(folder: &Path) -> Self {
        Self::of(Store::open_in(folder))
    }

    /// A store, or why there is none.
    pub fn of(store: Result<Store, StoreError>) -> Self {
        let optional = Self { state: Mutex::default() };
        match store {
            Ok(store) => optional.state().store = Some(store.into()),
            Err(error) => optional.state().note(&error),
        }
        optional
    }

    /// None, and nothing to tell: for those who were asked to keep nothing.
    pub fn none() -> Self {
        Self { state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it may answer: it can be used, as far as anybody knows.
    pub fn is_there(&self) -> bool {
        let state = self.state();
        state.unopened || state.store.is_some()
    }

    /// Asks the store; nothing where it cannot answer.
    pub fn ask<T>(&self, ask: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        let store = self.opened()?;
        ask(&store).inspect_err(|error| self.state().note(error)).ok()
    }

    /// Keeps something; later, where another copy is writing for longer than one waits.
    pub fn keep(&self, keep: impl Fn(&Store) -> Result<(), StoreError> + Send + 'static) {
        let Some(store) = self.opened() else { return };
        match keep(&store) {
            Ok(()) => self.keep_put_by(&store),
            Err(error) => {
                let mut state = self.state();
                state.note(&error);
                if error.passes() {
                    state.put_by.push(PutBy(Box::new(keep)));
                }
            }
        }
    }

    /// Keeps what was put by, as far as that is possible now; another copy is waited for once. The answer is how much is
    /// left. With nothing left, that something had to wait is no trouble that anybody has to be told.
    pub fn keep_rest(&self) -> usize {
        if self.put_by() > 0
            && let Some(store) = self.opened()
        {
            store.be_patient();
            self.keep_put_by(&store);
        }
        self.put_by()
    }

    /// How much was put by.
    pub fn put_by(&self) -> usize {
        self.state().put_by.len()
    }

    fn keep_put_by(&self, store: &Store) {
        let mut all = std::mem::take(&mut self.state().put_by).into_iter();
        while let Some(one) = all.next() {
            if let Err(error) = (one.0)(store) {
                let mut state = self.state();
                state.note(&error);
                if error.passes() {
                    state.put_by.extend(std::iter::once(one).chain(all));
                }
                return;
            }
            if all.len() == 0 {
                self.state().trouble = None;
            }
        }
    }

    fn opened(&self) -> Option<Arc<Store>> {
        let mut state = self.state();
        if std::mem::take(&mut state.unopened) {
            match if state.waited { Store::open_at_once() } else { Store::open() } {
                Ok(store) => state.store = Some(store.into()),
                Err(error) => {
                    // Held by another copy only now.
                    (state.unopened, state.waited) = (error.passes(), error.passes());
                    state.note(&error);
                }
            }
        }
        state.store.clone()
    }

    /// What is wrong, told once.
    pub fn trouble(&self) -> Option<String> {
        self.state().trouble.take()
    }

    /// What went wrong last, in short.
    pub fn last_error(&self) -> Option<String> {
        self.state().last.clone()
    }
}

impl State {
    fn note(&mut self, error: &StoreError) {
        if !error.passes() {
            // It would say the same again, and perhaps take its time.
            self.store = None;
        }
        self.last = Some(error.to_string());
        if !std::mem::replace(&mut self.told, true) {
            self.trouble = Some(error.and_instead());
        }
    }
}
