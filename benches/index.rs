//! The whole index: how fast `pentimento info` reads a log, and the memory it takes.
//!
//! `cargo bench --bench index -- [SIZE | PATH]…`; without arguments a made session of 100 MiB.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

mod support;

use support::process::{BINARY, peak, quiet, time, times};
use support::{Arguments, Log, bytes, median, milliseconds, rate, row, share};

const RUNS: usize = 5;

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    for log in arguments.logs(&["100M"]) {
        measure(&log);
    }
}

fn measure(log: &Log) {
    println!("{}, median of {RUNS} runs, the file in the page cache", log.title());
    // The first reader brings the file into the cache.
    let lines = times(&mut quiet("wc", &["-l"], &log.path), RUNS + 1);
    let all = times(&mut quiet(BINARY, &["info", "--json"], &log.path), RUNS);
    let index = median(&all);
    let (fastest, slowest) = (all.iter().min().unwrap(), all.iter().max().unwrap());
    row(
        "pentimento info --json",
        &format!(
            "{} = {} ({} to {})",
            milliseconds(index),
            rate(log.bytes, index),
            milliseconds(*fastest),
            milliseconds(*slowest)
        ),
    );
    let memory = peak(&mut quiet(BINARY, &["info", "--json"], &log.path));
    row(
        "  its peak memory (VmHWM, asked every 2 ms)",
        &format!("{}, {}", bytes(memory), share(memory, log.bytes)),
    );
    match lines.get(1..) {
        Some(warm @ [_, ..]) => {
            let lines = median(warm);
            row("wc -l", &format!("{} = {}", milliseconds(lines), rate(log.bytes, lines)));
        }
        _ => row("wc -l", "not installed"),
    }
    match time(&mut quiet("jq", &["-c", ".type"], &log.path)) {
        Some(jq) => row("jq -c .type (one run)", &format!("{} = {}", milliseconds(jq), rate(log.bytes, jq))),
        None => row("jq -c .type", "not installed"),
    }
    println!();
}
