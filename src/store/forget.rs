//! Deleting what is kept of a session, so that no byte of its text is left in the store's files.
//!
//! Freed pages are overwritten as they are freed, the write-ahead log is emptied, and the file is packed. What the file
//! system or the disk keeps of blocks that were written before is beyond any program's reach.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;

use super::summaries::path_bytes;
use super::{Store, StoreError};

/// What was deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Summaries.
    pub summaries: usize,
    /// Pins of the ledger.
    pub pins: usize,
    /// Marks.
    pub marks: usize,
    /// Entries of recall notes.
    pub notes: usize,
    /// Audits.
    pub audits: usize,
}

impl Forgotten {
    /// Whether there was nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Store {
    /// The sessions whose log is known to have been at `log`.
    pub fn sessions_at(&self, log: &Path) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut rows =
                connection.prepare("SELECT session FROM sessions WHERE path = ?1 ORDER BY session")?;
            rows.query_map([path_bytes(log)], |row| row.get(0))?.collect()
        })
    }

    /// Deletes everything that is kept of these sessions. A summary that another session owns too goes with them.
    pub fn forget(&self, sessions: &BTreeSet<String>) -> Result<Forgotten, StoreError> {
        let forgotten = self.change(|transaction| {
            let mut forgotten = Forgotten::default();
            for session in sessions {
                let delete = |sql: &str| transaction.execute(sql, [session]);
                forgotten.summaries += delete(
                    "DELETE FROM summaries WHERE hash IN (SELECT hash FROM owners WHERE session = ?1)",
                )?;
                forgotten.pins += delete("DELETE FROM pins WHERE session = ?1")?;
                forgotten.marks += delete("DELETE FROM marks WHERE session = ?1")?;
                forgotten.notes += delete("DELETE FROM notes WHERE session = ?1")?;
                forgotten.audits += delete("DELETE FROM audits WHERE session = ?1")?;
                delete("DELETE FROM sessions WHERE session = ?1")?;
            }
            Ok(forgotten)
        })?;
        // Also where nothing was there: an earlier run may have been ended between the two steps.
        let emptied = self
            .read(|connection| Ok(empty_log(connection)? && pack(connection)? && empty_log(connection)?))?;
        if emptied { Ok(forgotten) } else { Err(StoreError::Busy { file: self.file().to_path_buf() }) }
    }
}

fn pack(connection: &Connection) -> rusqlite::Result<bool> {
    connection.execute_batch("VACUUM").map(|()| true)
}

/// Moves the write-ahead log into the file and cuts it to nothing. Not while another copy reads an older state.
fn empty_log(connection: &Connection) -> rusqlite::Result<bool> {
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}
