//! Files to lines: where each one begins, what was appended, and when the file is no longer the one that was read.
//!
//! Owns every read of a log. Files are opened read-only, never locked and never mapped into memory (a mapping dies
//! with SIGBUS when somebody truncates the file). Knows nothing of what a line means.

mod error;
mod fingerprint;
pub mod follow;
mod lines;
mod peek;
mod source;
mod wake;

pub use error::LogError;
pub use lines::{Batch, LineReader, MAX_LINE, RawLine};
pub use peek::{Lines, Peek};
pub use source::{Source, length};
pub use wake::{Wake, Waker};
