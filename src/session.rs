//! The append-only model of one log.
//!
//! Owns turns, threads, branches and compactions, each stamped with the turn at which it came to be, so that the
//! state as of any turn is found from stamps and links and nothing is ever replayed. Keeps offsets, sizes, ids and
//! short previews: texts stay in the log ([`text`]). Knows no strategy: what a model sees is computed elsewhere.

pub mod address;
mod branches;
mod compactions;
mod grow;
pub mod later;
pub mod load;
mod model;
mod names;
pub mod open;
mod queue;
pub mod subagents;
#[cfg(test)]
mod tests;
pub mod text;

pub use compactions::{Clearing, Compaction, Provenance};
pub use model::{Echo, NEVER, Part, Row, RowKind, Session, Thread, Turn, TurnId};
pub use names::{NO_NAME, Name};
