//! Context-GC against what version 0.3.0 was recorded to return, and what `strict` mends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]

#[path = "context_gc/commands.rs"]
mod commands;
#[path = "support/gc_oracle.rs"]
mod gc_oracle;
#[path = "context_gc/parity.rs"]
mod parity;
#[path = "context_gc/prompts.rs"]
mod prompts;
#[path = "context_gc/properties.rs"]
mod properties;
#[path = "support/random_trace.rs"]
mod random_trace;
#[path = "context_gc/sessions.rs"]
mod sessions;
#[path = "context_gc/strict.rs"]
mod strict;
mod support;
#[path = "support/traces.rs"]
mod traces;
