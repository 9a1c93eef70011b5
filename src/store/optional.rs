//! The store for those who can do without it: what is wrong is told once, and the work goes on.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    store: Option<std::sync::Arc<Store>>,
    trouble: Option<String>,
    told: bool,
}

impl OptionalStore {
    /// The store in the state folder, if it can be used.
    pub fn open() -> Self {
        Self::of(Store::open())
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
            Err(error) => optional.note(&error),
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

    fn note(&self, error: &StoreError) {
        let mut state = self.state();
        if !error.passes() {
            // It would say the same again, and perhaps take its time.
            state.store = None;
        }
        if !std::mem::replace(&mut state.told, true) {
            state.trouble = Some(error.to_string());
        }
    }

    /// Whether it may answer: it can be used, as far as anybody knows.
    pub fn is_there(&self) -> bool {
        let state = self.state();
        state.unopened || state.store.is_some()
    }

    /// Asks the store; nothing where it cannot answer.
    pub fn ask<T>(&self, ask: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        let store = self.opened()?;
        match ask(&store) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.note(&error);
                None
            }
        }
    }

    fn opened(&self) -> Option<std::sync::Arc<Store>> {
        let mut state = self.state();
        if std::mem::take(&mut state.unopened) {
            match Store::open() {
                Ok(store) => state.store = Some(store.into()),
                Err(error) => {
                    drop(state);
                    self.note(&error);
                    return None;
                }
            }
        }
        state.store.clone()
    }

    /// What is wrong, told once.
    pub fn trouble(&self) -> Option<String> {
        self.state().trouble.take()
    }
}
