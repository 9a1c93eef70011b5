//! The tables, and how an older file gets them.
//!
//! `user_version` is the number of steps that a file has been through. Steps are only ever added; the one that a release
//! has shipped is never changed. Everything is keyed by session id with a record's id or a content hash, never by a
//! turn's number: a log that is rewritten numbers its turns anew.

use rusqlite::{Connection, TransactionBehavior};

/// The steps, in order.
pub(super) const STEPS: [&str; 3] = [
    // Summaries by the hash of what they are made by and from. One may belong to several sessions: forks share turns.
    "CREATE TABLE summaries (
        hash BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL,
        budget INTEGER NOT NULL,
        text TEXT NOT NULL,
        lines TEXT NOT NULL
     ) STRICT;
     CREATE TABLE owners (
        hash BLOB NOT NULL REFERENCES summaries (hash) ON DELETE CASCADE,
        session TEXT NOT NULL,
        place TEXT NOT NULL,
        PRIMARY KEY (session, place, hash)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX owners_by_hash ON owners (hash);
     CREATE TABLE sessions (
        session TEXT NOT NULL,
        path BLOB NOT NULL,
        PRIMARY KEY (session, path)
     ) STRICT, WITHOUT ROWID;",
    // What a person says of an item of a session.
    // `kind` says whether `item` is a record's id or the hash of a text.
    "CREATE TABLE pins (
        session TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('record', 'content')),
        item TEXT NOT NULL,
        pinned INTEGER,
        class TEXT,
        PRIMARY KEY (session, kind, item)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE marks (
        session TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('record', 'content')),
        item TEXT NOT NULL,
        label TEXT NOT NULL,
        PRIMARY KEY (session, kind, item)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE notes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('record', 'content')),
        item TEXT NOT NULL,
        text TEXT NOT NULL
     ) STRICT;
     CREATE INDEX notes_by_session ON notes (session);",
    // Audits by the state of the file that they are of, and by what they were made with.
    "CREATE TABLE audits (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        device INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        made_with TEXT NOT NULL,
        report BLOB NOT NULL,
        UNIQUE (device, inode, made_with)
     ) STRICT;
     CREATE INDEX audits_by_session ON audits (session);",
];

/// The newest schema that this build knows.
pub(super) const KNOWN: i64 = STEPS.len() as i64;

/// The schema that a file has.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Takes an older file through the steps that it lacks, all of them or none. Another copy may be doing the same.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    if version(connection)? == KNOWN {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = usize::try_from(version(&transaction)?).unwrap_or(0);
    for step in STEPS.iter().skip(found) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", KNOWN)?;
    transaction.commit()
}
