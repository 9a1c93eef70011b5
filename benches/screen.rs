//! The first useful screen and the whole index, in a terminal.
//!
//! `cargo bench --bench screen -- [SIZE | PATH]…`; without arguments a made session of 100 MiB. Useful is a screen
//! whose tree shows ten turns.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

mod support;

use std::time::Duration;

use support::process::{peak_of, quiet, times};
use support::pty::{Interface, is_useful, is_whole};
use support::{Arguments, Log, bytes, median, milliseconds, rate, row, share};

const RUNS: usize = 5;

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    for log in arguments.logs(&["100M"]) {
        measure(&log);
    }
}

struct Run {
    useful: Duration,
    whole: Duration,
    memory: u64,
}

fn measure(log: &Log) {
    println!("{}, median of {RUNS} runs, 120×40, the file in the page cache", log.title());
    let lines = times(&mut quiet("wc", &["-l"], &log.path), RUNS + 1);
    let runs: Vec<Run> = (0..RUNS).map(|_| run(log)).collect();
    let of = |pick: fn(&Run) -> Duration| {
        let all: Vec<Duration> = runs.iter().map(pick).collect();
        (median(&all), *all.iter().max().unwrap())
    };
    let (useful, worst) = of(|run| run.useful);
    row("start to first useful screen", &format!("{} (worst {})", milliseconds(useful), milliseconds(worst)));
    let (whole, worst) = of(|run| run.whole);
    row(
        "start to whole index",
        &format!("{} = {} (worst {})", milliseconds(whole), rate(log.bytes, whole), milliseconds(worst)),
    );
    let memory = median(&runs.iter().map(|run| run.memory).collect::<Vec<_>>());
    row("peak memory (VmHWM)", &format!("{}, {}", bytes(memory), share(memory, log.bytes)));
    match lines.get(1..) {
        Some(warm @ [_, ..]) => row("wc -l", &milliseconds(median(warm))),
        _ => row("wc -l", "not installed"),
    }
    println!();
}

fn run(log: &Log) -> Run {
    let mut interface = Interface::start(&[log.path.as_os_str()]);
    let begun = interface.begun;
    let useful = interface.wait_for("turns in the tree", is_useful) - begun;
    // A short log is whole at once: then the same piece of output may have shown both.
    let whole = if interface.shows(is_whole) {
        useful
    } else {
        interface.wait_for("end of reading", is_whole) - begun
    };
    let memory = peak_of(interface.id()).unwrap();
    interface.quit();
    Run { useful, whole, memory }
}
