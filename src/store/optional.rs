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
    store: Option<std::sync::Arc<Store>>,
    trouble: Option<String>,
    told: bool,
}

impl OptionalStore {
    /// The store in the state folder, if it can be used.
    pub fn open() -> Self {
        Self::of(Store::open())
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

    /// Asks the store; nothing where it cannot answer.
    pub fn ask<T>(&self, ask: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        let store = self.state().store.clone()?;
        match ask(&store) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.note(&error);
                None
            }
        }
    }

    /// What is wrong, told once.
    pub fn trouble(&self) -> Option<String> {
        self.state().trouble.take()
    }
}
