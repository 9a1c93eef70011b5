//! Lines of every format.
#![no_main]
#![allow(dead_code, reason = "each target uses a part of what they share")]

#[path = "../../support/checks.rs"]
mod checks;
#[path = "../../support/digest.rs"]
mod digest;
#[path = "../../support/random_codex.rs"]
mod random_codex;
#[path = "../../support/random_log.rs"]
mod random_log;
#[path = "../../support/random_pi.rs"]
mod random_pi;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::formats(data));
