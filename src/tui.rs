//! The terminal interface: state, update, view.
//!
//! Three words: an *event* is what happened (a key, a record, a resize), an *action* is what is meant (one table,
//! [`keys`]), an *effect* is work asked of somebody else (a thread, the terminal). The model changes only in
//! [`update()`]; drawing reads it and changes nothing but what it remembers for the mouse. Only this module knows
//! the terminal.

mod action;
mod detail;
mod difference;
mod document;
mod events;
mod filter;
mod forest;
mod ingest;
pub mod keys;
mod model;
mod pager;
pub mod picker;
mod prompt;
mod pruning;
pub mod render;
mod replay;
mod screens;
mod search;
mod signs;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod trace;
mod tree;
mod update;
mod views;

pub use action::Action;
pub use events::Event;
pub use model::{Feed, Model, Pane, Start};
pub use replay::Setup;
pub use terminal::{run, run_last};
pub use theme::Theme;
pub use update::{Effect, update};
