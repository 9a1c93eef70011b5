//! What a person said of the ledger by hand: pinned, unpinned, another class.
//!
//! Marks lie over what the rules found: they change what the ledger shows and what is part of the context, and never
//! where a block closes or a span begins, which the log alone decides. What is marked is known by its words, or, of a
//! whole turn, by who said what when: a log that is read again, or rewritten, finds its marks again.

use std::collections::BTreeMap;

use crate::session::{Session, TurnId};
use crate::store;

/// How an item binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Something was decided.
    Decision,
    /// Something was turned down.
    Rejection,
    /// Something must hold.
    Constraint,
    /// Somebody will do something.
    Commitment,
    /// Something is left open.
    Open,
}

impl Class {
    /// All of them, in the order in which a key goes through them.
    pub const ALL: [Self; 5] =
        [Self::Decision, Self::Rejection, Self::Constraint, Self::Commitment, Self::Open];

    /// The word on the screen, in JSON and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Rejection => "rejection",
            Self::Constraint => "constraint",
            Self::Commitment => "commitment",
            Self::Open => "open",
        }
    }

    /// The class called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// What was said of one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Pinned or unpinned; nothing: as the rules have it.
    pub pinned: Option<bool>,
    /// Its class, where it was changed.
    pub class: Option<Class>,
}

/// All that was said of a session's ledger, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(BTreeMap<String, Mark>);

/// Before the keys of whole turns.
const TURN: &str = "turn-";
/// Before the keys of the ledger's items.
const WORDS: &str = "words-";

impl Marks {
    /// What the store keeps. Classes of a newer build are left to the rules.
    pub fn of(pins: &[store::Pin]) -> Self {
        let mark = |pin: &store::Pin| {
            let store::Item::Content(key) = &pin.item else { return None };
            let class = pin.class.as_deref().and_then(Class::named);
            Some((key.clone(), Mark { pinned: pin.pinned, class }))
        };
        Self(pins.iter().filter_map(mark).collect())
    }

    /// What was said under `key`.
    pub fn get(&self, key: &str) -> Mark {
        self.0.get(key).copied().unwrap_or_default()
    }

    /// Says something under `key`, in place of what was said before.
    pub fn set(&mut self, key: &str, mark: Mark) {
        if mark == Mark::default() {
            self.0.remove(key);
        } else {
            self.0.insert(key.to_owned(), mark);
        }
    }

    /// Whether any whole turn is pinned.
    pub(super) fn has_turns(&self) -> bool {
        self.0.range(TURN.to_owned()..).next().is_some_and(|(key, _)| key.starts_with(TURN))
    }
}

/// What the store knows a key as.
pub fn item(key: &str) -> store::Item {
    store::Item::Content(key.to_owned())
}

/// The key of an item that says `words`, the `nth` that says just that, from 0.
pub(super) fn of_words(words: &str, nth: u32) -> String {
    key(WORDS, &[words, &nth.to_string()])
}

/// The key of a whole turn: who speaks, when, and the first words.
pub fn of_turn(session: &Session, id: TurnId) -> String {
    let turn = session.turn(id);
    key(TURN, &[turn.role.name(), &turn.time.to_string(), &session.preview(&turn)])
}

fn key(kind: &str, texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    format!("{kind}{}", &hasher.finalize().to_hex()[..32])
}
