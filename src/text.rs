//! Pure functions over text: token estimates, one-line previews, display text.
//!
//! Owns everything that can be said about a string without knowing where it came from. Refuses to know formats,
//! sessions or the terminal.

pub mod columns;
pub mod display;
pub mod numbers;
pub mod preview;
pub mod sections;
pub mod tokens;
