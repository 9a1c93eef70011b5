//! Context-GC traces.
#![no_main]
#![allow(dead_code, reason = "each target uses a part of what they share")]

#[path = "../../support/gc_oracle.rs"]
mod gc_oracle;
#[path = "../../support/random_trace.rs"]
mod random_trace;
#[path = "../../support/traces.rs"]
mod traces;

libfuzzer_sys::fuzz_target!(|data: &[u8]| traces::traces(data));
