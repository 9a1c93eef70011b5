//! Context-GC: a trace of typed events, four stages that prune what is of no use any more, receipts for the rest.

mod event;
mod line;
mod outcome;
mod python;
mod read;
mod reference;
mod value;

pub use event::{Event, Invalid, Kind};
pub use outcome::{Changes, Compacted, Fate, Oddity, Receipt, Row, Stage};
pub use read::{Trace, Unreadable, read};

/// Whose rules hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Mended.
    #[default]
    Strict,
    /// As version 0.3.0 behaves, defects included.
    Reference,
}

/// Why a trace cannot be compacted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GcError {
    /// `reference` only.
    #[error("Event '{event}' references a non-existent parent_id '{parent}'")]
    MissingParent {
        /// The event.
        event: String,
        /// What it names.
        parent: String,
    },
    /// `reference` only: an event was added before the one that it follows.
    #[error("parent_id '{parent}' not found in graph — events must be added in dependency order")]
    ParentComesLater {
        /// What it names.
        parent: String,
    },
    /// `reference` only: a list or an object where it needs a key.
    #[error("event '{event}': '{field}' is a list or an object, which cannot be a key")]
    Unhashable {
        /// The event.
        event: String,
        /// The field.
        field: &'static str,
    },
}

/// Compacts a finished list of events.
pub fn compact_events(events: &[Event], mode: Mode) -> Result<Compacted, GcError> {
    match mode {
        Mode::Reference => reference::compact(events),
        Mode::Strict => reference::compact(events),
    }
}
