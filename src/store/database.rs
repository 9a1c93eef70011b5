//! The store: one `SQLite` file in the state folder, shared by every copy that runs.
//!
//! Owns opening it: rights for its owner alone, a write-ahead log so that readers and one writer do not wait for each
//! other, a schema that grows by steps (`schema`). What a change wrote before a crash is whole or not there.
//! Freed pages are overwritten and temporary tables stay in memory, so that what is deleted is gone. A file that
//! cannot be used is left as it is: it is never repaired, emptied or replaced.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::{StoreError, schema};

/// The file's name in the state folder.
pub const FILE: &str = "store.sqlite";
/// How long one waits for another copy that is writing.
const WAIT: Duration = Duration::from_secs(2);
/// How long once one has waited so long in vain, until something can be written again: who has much to keep would
/// wait for each of it.
const SHORT: Duration = Duration::from_millis(50);

/// An open store. It may be used by several threads.
#[derive(Debug)]
pub struct Store {
    file: PathBuf,
    connection: Mutex<Connection>,
}

impl Store {
    /// The one in the state folder.
    pub fn open() -> Result<Self, StoreError> {
        Self::open_in(&super::state_folder()?)
    }

    /// The same for those who have waited for another copy already.
    pub(super) fn open_at_once() -> Result<Self, StoreError> {
        Self::open_waiting(&super::state_folder()?, SHORT)
    }

    /// The one in `folder`; it is made if it is not there.
    pub fn open_in(folder: &Path) -> Result<Self, StoreError> {
        Self::open_waiting(folder, WAIT)
    }

    fn open_waiting(folder: &Path, wait: Duration) -> Result<Self, StoreError> {
        let file = folder.join(FILE);
        own(&file).map_err(|error| StoreError::of_file(&file, &error))?;
        let mut connection = connect(&file, wait).map_err(|error| StoreError::of(&file, &error))?;
        let trouble = |error: &rusqlite::Error| StoreError::of(&file, error);
        let found = schema::version(&connection).map_err(|error| trouble(&error))?;
        if !(0..=schema::KNOWN).contains(&found) {
            return Err(StoreError::Newer { file, found, known: schema::KNOWN });
        }
        prepare(&connection)
            .and_then(|()| schema::migrate(&mut connection))
            .map_err(|error| trouble(&error))?;
        Ok(Self { file, connection: Mutex::new(connection) })
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Asks something.
    pub(super) fn read<T>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        ask(&connection).map_err(|error| StoreError::of(&self.file, &error))
    }

    /// Changes something, as a whole or not at all.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let all = || {
            // At once for writing: one that only begins to write later may find that it has read too early.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let out = change(&transaction)?;
            transaction.commit()?;
            Ok(out)
        };
        let outcome = all().map_err(|error| StoreError::of(&self.file, &error));
        let passes = outcome.as_ref().is_err_and(StoreError::passes);
        // It fails only on a connection that fails everything else too.
        let _ = connection.busy_timeout(if passes { SHORT } else { WAIT });
        outcome
    }

    /// Waits for another copy as long as at first.
    pub(super) fn be_patient(&self) {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = connection.busy_timeout(WAIT);
    }

    /// What is wrong with the content of a row.
    pub(super) fn damaged(&self, what: &str) -> StoreError {
        StoreError::Damaged { file: self.file.clone(), what: what.to_owned() }
    }
}

/// Makes the file if it is not there, for its owner alone. The files that `SQLite` puts beside it get the same rights.
fn own(file: &Path) -> std::io::Result<()> {
    // Opening a pipe would wait for its other end.
    if std::fs::metadata(file).is_ok_and(|meta| !meta.is_file()) {
        return Err(std::io::Error::other("is no regular file"));
    }
    let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(file)?;
    if opened.metadata()?.permissions().mode() & 0o077 != 0 {
        opened.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(())
}

fn connect(file: &Path, wait: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(wait)?;
    Ok(connection)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .execute_batch("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Where the file system cannot share memory, it says another mode, which serves as well.
    let _: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    Ok(())
}

#[cfg(test)]
mod tests;
