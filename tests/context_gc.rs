//! Context-GC against what version 0.3.0 was recorded to return, and what `strict` mends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]

#[path = "context_gc/parity.rs"]
mod parity;
mod support;
