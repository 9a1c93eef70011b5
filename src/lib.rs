//! Pentimento: what an AI agent's session log still shows of the turns its summaries painted over.
//!
//! Data flows one way: [`log`] turns a file into lines, [`formats`] lines into facts, [`session`] facts into an
//! append-only model, [`strategies`] the model into what a model sees at a turn, [`outline`] all of it into trees,
//! and the terminal interface and the [`commands`] show them. Nothing imports what comes after it.

pub mod audit;
pub mod cli;
pub mod commands;
pub mod discover;
pub mod export;
pub mod formats;
pub mod lineage;
pub mod log;
pub mod message;
pub mod outline;
pub mod recall;
pub mod session;
pub mod store;
pub mod strategies;
pub mod summarisers;
pub mod text;
pub mod tui;

/// The random logs of the tests, shared with those in `tests/`.
#[cfg(test)]
#[path = "../tests/support/random_log.rs"]
mod random_log;
