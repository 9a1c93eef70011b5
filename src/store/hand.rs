//! What a person marked by hand: pins of the ledger, marks, and the recall note.
//!
//! An item is a record or a text, by its id or its hash. Pinning and classing change one field each, so that two copies
//! that change the same item at once lose nothing of each other.

use rusqlite::{Row, params};

use super::{Store, StoreError};

/// What is marked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// The record with this id.
    Record(String),
    /// The text with this hash.
    Content(String),
}

impl Item {
    fn kind(&self) -> &'static str {
        match self {
            Self::Record(_) => "record",
            Self::Content(_) => "content",
        }
    }

    fn id(&self) -> &str {
        match self {
            Self::Record(id) | Self::Content(id) => id,
        }
    }

    /// From the first two columns.
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (kind, id): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(if kind == "record" { Self::Record(id) } else { Self::Content(id) })
    }
}

/// What a person said of an item of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The item.
    pub item: Item,
    /// Pinned or unpinned; nothing: as the rules have it.
    pub pinned: Option<bool>,
    /// Its class, where it was changed.
    pub class: Option<String>,
}

/// One entry of a recall note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its number; later ones have higher numbers.
    pub id: i64,
    /// What it is about.
    pub item: Item,
    /// Its text.
    pub text: String,
}

impl Store {
    /// Pins or unpins an item; with nothing, it is as the rules have it again.
    pub fn pin(&self, session: &str, item: &Item, pinned: Option<bool>) -> Result<(), StoreError> {
        self.change(|transaction| {
            transaction.execute(
                "INSERT INTO pins (session, kind, item, pinned) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT DO UPDATE SET pinned = excluded.pinned",
                params![session, item.kind(), item.id(), pinned],
            )?;
            settle(transaction, session, item)
        })
    }

    /// Gives an item another class; with nothing, the one that the rules give it.
    pub fn class(&self, session: &str, item: &Item, class: Option<&str>) -> Result<(), StoreError> {
        self.change(|transaction| {
            transaction.execute(
                "INSERT INTO pins (session, kind, item, class) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT DO UPDATE SET class = excluded.class",
                params![session, item.kind(), item.id(), class],
            )?;
            settle(transaction, session, item)
        })
    }

    /// Everything said of a session's items, by item.
    pub fn pins(&self, session: &str) -> Result<Vec<Pin>, StoreError> {
        self.list(
            "SELECT kind, item, pinned, class FROM pins WHERE session = ?1 ORDER BY kind, item",
            session,
            |row| Ok(Pin { item: Item::of(row)?, pinned: row.get(2)?, class: row.get(3)? }),
        )
    }

    /// Marks an item under a label, or takes its mark away.
    pub fn mark(&self, session: &str, item: &Item, label: Option<&str>) -> Result<(), StoreError> {
        let key = params![session, item.kind(), item.id(), label];
        self.change(|transaction| {
            let sql = match label {
                Some(_) => {
                    "INSERT INTO marks (session, kind, item, label) VALUES (?1, ?2, ?3, ?4) \
                     ON CONFLICT DO UPDATE SET label = excluded.label"
                }
                None => "DELETE FROM marks WHERE session = ?1 AND kind = ?2 AND item = ?3 AND ?4 IS NULL",
            };
            transaction.execute(sql, key).map(drop)
        })
    }

    /// A session's marks, by item.
    pub fn marks(&self, session: &str) -> Result<Vec<(Item, String)>, StoreError> {
        self.list(
            "SELECT kind, item, label FROM marks WHERE session = ?1 ORDER BY kind, item",
            session,
            |row| Ok((Item::of(row)?, row.get(2)?)),
        )
    }

    /// Adds an entry to a session's recall note. The answer is its number.
    pub fn note(&self, session: &str, item: &Item, text: &str) -> Result<i64, StoreError> {
        self.change(|transaction| {
            let sql = "INSERT INTO notes (session, kind, item, text) VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(sql, params![session, item.kind(), item.id(), text])?;
            Ok(transaction.last_insert_rowid())
        })
    }

    /// Takes an entry out of a session's recall note. The answer is whether it was there.
    pub fn drop_note(&self, session: &str, id: i64) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let sql = "DELETE FROM notes WHERE session = ?1 AND id = ?2";
            Ok(transaction.execute(sql, params![session, id])? > 0)
        })
    }

    /// A session's recall note, in the order in which it was written.
    pub fn notes(&self, session: &str) -> Result<Vec<Note>, StoreError> {
        self.list("SELECT kind, item, id, text FROM notes WHERE session = ?1 ORDER BY id", session, |row| {
            Ok(Note { item: Item::of(row)?, id: row.get(2)?, text: row.get(3)? })
        })
    }

    fn list<T>(
        &self,
        sql: &str,
        session: &str,
        one: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(|connection| connection.prepare(sql)?.query_map([session], one)?.collect())
    }
}

/// An item of which nothing is said any more needs no row.
fn settle(connection: &rusqlite::Connection, session: &str, item: &Item) -> rusqlite::Result<()> {
    let sql = "DELETE FROM pins WHERE session = ?1 AND kind = ?2 AND item = ?3 AND pinned IS NULL AND class IS NULL";
    connection.execute(sql, params![session, item.kind(), item.id()]).map(drop)
}
