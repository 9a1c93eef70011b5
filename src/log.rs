//! Files to lines: where each one begins, what was appended, and when the file is no longer the one that was read.
//!
//! Owns every read of a log. Files are opened read-only, never locked and never mapped into memory (a mapping dies
//! with SIGBUS when somebody truncates the file). What cannot be read by offset, standard input and compressed files,
//! is spooled, and read from there like a file. Knows nothing of what a line means.

mod elements;
mod error;
mod fingerprint;
pub mod follow;
mod input;
mod lines;
pub mod name;
mod peek;
mod source;
mod spool;
mod wake;

pub use error::LogError;
pub use input::length;
pub use lines::{Batch, LineReader, MAX_LINE, RawLine};
pub use peek::{Lines, Peek};
pub use source::Source;
pub use spool::{Flow, Shortfall, is_packed};
pub use wake::{Wake, Waker};
