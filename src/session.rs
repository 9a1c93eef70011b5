//! The append-only model of one log.
//!
//! Owns turns, threads, branches and compactions, each stamped with the turn at which it came to be, so that the
//! state as of any turn is found from stamps and links and nothing is ever replayed. Keeps offsets, sizes, ids and
//! short previews: texts stay in the log ([`text`]). Knows no strategy: what a model sees is computed elsewhere.

pub mod address;
mod branches;
mod compactions;
mod covered;
mod grow;
pub mod later;
pub mod load;
mod model;
mod names;
mod notes;
pub mod open;
mod packed;
mod previews;
mod queue;
pub mod rows;
mod sizes;
pub mod subagents;
mod table;
#[cfg(test)]
mod tests;
pub mod text;
mod turns;
mod twins;
mod usage;

pub use compactions::{Clearing, Compaction, Provenance, SizeFrom};
pub use model::Session;
pub use names::{NO_NAME, Name};
pub use notes::Notes;
pub use packed::Turns;
pub use turns::{Echo, NEVER, Part, Row, RowKind, Thread, Turn, TurnId};
