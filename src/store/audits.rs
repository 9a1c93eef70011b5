//! Audits, by the state of the file that they are of.
//!
//! What was found of a log stays true as long as the file is the same: its device, inode, length and time of change. What it
//! was made with (the lexicon, the options, the rules' version) is part of the key. A newer state takes the older one's place.

use std::path::Path;

use rusqlite::{OptionalExtension, params};

use super::cache::Stamp;
use super::{Store, StoreError};

/// Audits kept at most; beyond, the oldest go.
const MOST: i64 = 500;

impl Store {
    /// The audit of a file in exactly this state, made with this.
    pub fn audit(&self, stamp: &Stamp, made_with: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT report FROM audits WHERE device = ?1 AND inode = ?2 AND made_with = ?3 AND bytes = ?4 \
                       AND modified = ?5";
            let (device, inode) = (stamp.device as i64, stamp.inode as i64);
            let key = params![device, inode, made_with, stamp.bytes as i64, stamp.modified];
            connection.query_row(sql, key, |row| row.get(0)).optional()
        })
    }

    /// Keeps the audit of the session `session`, whose log is at `log` in this state.
    pub fn keep_audit(
        &self,
        session: &str,
        log: &Path,
        stamp: &Stamp,
        made_with: &str,
        report: &[u8],
    ) -> Result<(), StoreError> {
        self.change(|transaction| {
            let (device, inode) = (stamp.device as i64, stamp.inode as i64);
            transaction.execute(
                "INSERT OR REPLACE INTO audits (session, device, inode, bytes, modified, made_with, report) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![session, device, inode, stamp.bytes as i64, stamp.modified, made_with, report],
            )?;
            let last = transaction.last_insert_rowid();
            transaction.execute("DELETE FROM audits WHERE id <= ?1", [last - MOST])?;
            super::summaries::located(transaction, session, log)
        })
    }
}
