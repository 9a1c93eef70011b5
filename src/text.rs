//! Pure functions over text: token estimates, previews, display text; sentences, words and identifiers of summaries.
//!
//! Owns everything that can be said about a string without knowing where it came from. Refuses to know formats,
//! sessions or the terminal.

pub mod binding;
pub mod columns;
pub mod cues;
pub mod display;
pub mod harness;
pub mod identifiers;
pub mod lexicon;
pub mod numbers;
pub mod preview;
pub mod secrets;
pub mod sections;
pub mod sentences;
pub mod spans;
pub mod terms;
pub mod tokens;
pub mod words;
