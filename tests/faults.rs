//! Logs and terminals that misbehave, through the real binary: what the screen shows, what the commands say, with
//! which status.
//!
//! | fault | on the screen | in the commands |
//! |---|---|---|
//! | truncated, replaced, rewritten in place, deleted and back, linked elsewhere | `faults/growth.rs` | `log/follow/tests.rs` (the reader alone) |
//! | unreadable (an error of the device, no rights, a folder) | `faults/growth.rs` | `faults/growth.rs`, `cli.rs` |
//! | grown by a byte at a time, by 100 MB at once | `faults/growth.rs` | `appends.rs` (any cut, compared with the whole) |
//! | a line of 60 MB | `faults/growth.rs` | `faults/growth.rs` |
//! | any value in any field (nested 100,000 deep, keys twice, half a surrogate pair, no numbers) | `faults/contents.rs` | `faults/contents.rs` |
//! | invalid UTF-8, zero bytes, junk, torn lines, no final newline | `faults/contents.rs` | `faults/contents.rs` |
//! | empty, one byte, no log at all | `faults/contents.rs` | `faults/contents.rs`, `cli.rs` |
//! | ten thousand sub-agents | `faults/agents.rs` | `faults/agents.rs` |
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

#[path = "faults/agents.rs"]
mod agents;
#[path = "faults/contents.rs"]
mod contents;
#[path = "faults/growth.rs"]
mod growth;
#[path = "faults/processes.rs"]
mod processes;
#[path = "faults/terminals.rs"]
mod terminals;

/// The bundled session.
fn demo() -> String {
    format!("{}/assets/demo/session.jsonl", env!("CARGO_MANIFEST_DIR"))
}
