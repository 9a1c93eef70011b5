//! Summaries, by the hash of what they are made by and from.
//!
//! A summary is written once. Who asks for it again owns it too, so that forgetting any of its sessions deletes it.

use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rusqlite::{OptionalExtension, params};

use crate::text::numbers::runs;

use super::{Store, StoreError};

/// Summaries kept at most; beyond, the oldest go.
const MOST: i64 = 50_000;

/// Turns of a line at most: more than any session has.
const MOST_TURNS: u64 = 10_000_000;

/// A line of a kept summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLine {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The turns it rests on, in order.
    pub turns: Vec<u32>,
}

/// A summary as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSummary {
    /// Who wrote it.
    pub name: String,
    /// Tokens it was allowed.
    pub budget: u32,
    /// Its text.
    pub text: String,
    /// Its lines.
    pub lines: Vec<KeptLine>,
}

/// Whose summary it is.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The session's id.
    pub session: &'a str,
    /// Its log, so that the session can be forgotten when the log is gone.
    pub log: Option<&'a Path>,
    /// What of the session it sums up, in the words of who asks: ids of records, never numbers of turns.
    pub place: &'a str,
}

impl Store {
    /// The summary with this hash. It is `owner`'s too from now on.
    pub fn summary(
        &self,
        hash: &[u8; 32],
        owner: Option<Owner<'_>>,
    ) -> Result<Option<KeptSummary>, StoreError> {
        let found = self.read(|connection| {
            let sql = "SELECT name, budget, text, lines FROM summaries WHERE hash = ?1";
            let row = connection
                .query_row(sql, [hash], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
            row.optional()
        })?;
        let Some((name, budget, text, lines)): Option<(String, u32, String, String)> = found else {
            return Ok(None);
        };
        let lines = decode(&lines, &text).ok_or_else(|| self.damaged("a summary's lines cannot be read"))?;
        if let Some(owner) = owner {
            self.owned(hash, owner)?;
        }
        Ok(Some(KeptSummary { name, budget, text, lines }))
    }

    /// Keeps a summary under its hash; one that is there already stays.
    pub fn keep(
        &self,
        hash: &[u8; 32],
        summary: &KeptSummary,
        owner: Option<Owner<'_>>,
    ) -> Result<(), StoreError> {
        let KeptSummary { name, budget, text, lines } = summary;
        self.change(|transaction| {
            let added = transaction.execute(
                "INSERT INTO summaries (hash, name, budget, text, lines) VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT DO NOTHING",
                params![hash, name, budget, text, encode(lines)],
            )?;
            if added > 0 {
                let last = transaction.last_insert_rowid();
                transaction.execute("DELETE FROM summaries WHERE rowid <= ?1", [last - MOST])?;
            }
            owner.map_or(Ok(()), |owner| own(transaction, hash, owner))
        })
    }

    /// Remembers where a session's log is, so that the session can be forgotten when the log is gone.
    pub fn locate(&self, session: &str, log: &Path) -> Result<(), StoreError> {
        self.change(|transaction| located(transaction, session, log))
    }

    /// The hashes and places of a session's summaries, by place.
    pub fn summaries_of(&self, session: &str) -> Result<Vec<(String, [u8; 32])>, StoreError> {
        self.read(|connection| {
            let mut rows = connection
                .prepare("SELECT place, hash FROM owners WHERE session = ?1 ORDER BY place, hash")?;
            rows.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// The summary with this hash, if there is one, is `owner`'s too from now on.
    pub fn owned(&self, hash: &[u8; 32], owner: Owner<'_>) -> Result<(), StoreError> {
        let known = self.read(|connection| {
            let sql = "SELECT 1 FROM owners WHERE hash = ?1 AND session = ?2 AND place = ?3";
            connection.query_row(sql, params![hash, owner.session, owner.place], |_| Ok(())).optional()
        })?;
        if known.is_some() {
            return Ok(());
        }
        self.change(|transaction| own(transaction, hash, owner))
    }
}

fn own(connection: &rusqlite::Connection, hash: &[u8; 32], owner: Owner<'_>) -> rusqlite::Result<()> {
    let Owner { session, log, place } = owner;
    // Somebody may have forgotten the summary since it was read.
    let sql = "INSERT INTO owners (hash, session, place) SELECT hash, ?2, ?3 FROM summaries WHERE hash = ?1 \
               ON CONFLICT DO NOTHING";
    connection.execute(sql, params![hash, session, place])?;
    log.map_or(Ok(()), |log| located(connection, session, log))
}

/// Remembers where a session's log is.
pub(super) fn located(connection: &rusqlite::Connection, session: &str, log: &Path) -> rusqlite::Result<()> {
    let sql = "INSERT INTO sessions (session, path) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    connection.execute(sql, params![session, path_bytes(log)]).map(drop)
}

/// A log's path as it is kept: the next run may be started elsewhere.
pub(super) fn path_bytes(log: &Path) -> Vec<u8> {
    let absolute = std::path::absolute(log);
    absolute.as_deref().unwrap_or(log).as_os_str().as_bytes().to_vec()
}

/// A line in JSON.
type Encoded = (usize, usize, Vec<(u32, u32)>);

/// Lines as JSON: `[start, end, [[first, last], …]]` each.
fn encode(lines: &[KeptLine]) -> String {
    let rows: Vec<Encoded> = lines
        .iter()
        .map(|line| (line.range.start, line.range.end, runs(line.turns.iter().copied())))
        .collect();
    serde_json::to_string(&rows).unwrap_or_default()
}

fn decode(lines: &str, text: &str) -> Option<Vec<KeptLine>> {
    let rows: Vec<Encoded> = serde_json::from_str(lines).ok()?;
    rows.into_iter()
        .map(|(start, end, runs)| {
            text.get(start..end)?;
            let count: u64 =
                runs.iter().map(|(first, last)| u64::from(last.saturating_sub(*first)) + 1).sum();
            if count > MOST_TURNS {
                return None;
            }
            let turns = runs.into_iter().flat_map(|(first, last)| first..=last).collect();
            Some(KeptLine { range: start..end, turns })
        })
        .collect()
}
