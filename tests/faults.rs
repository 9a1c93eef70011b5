//! Logs and terminals that misbehave, through the real binary: what the screen shows, what the commands say, with
//! which status.
//!
//! | fault | on the screen | in the commands |
//! |---|---|---|
//! | terminal told to go (TERM, HUP, INT, QUIT) | `faults/terminals.rs` | |
//! | stopped and going on (TSTP, `Ctrl-z`, STOP, CONT) | `faults/terminals.rs` | |
//! | terminal gone (its other end closed), with and without SIGHUP | `faults/terminals.rs` | |
//! | terminal that takes nothing | `faults/terminals.rs` | |
//! | 1×1, 0×0, resize storms while typing and reading | `faults/terminals.rs` | |
//! | closed pipe, full device, no terminal | `terminal.rs` | `cli.rs`, `faults/terminals.rs` |
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;
#[path = "support/samples.rs"]
mod samples;
mod support;

#[path = "faults/processes.rs"]
mod processes;
#[path = "faults/terminals.rs"]
mod terminals;

/// The bundled session.
fn demo() -> String {
    format!("{}/assets/demo/session.jsonl", env!("CARGO_MANIFEST_DIR"))
}
