#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]
