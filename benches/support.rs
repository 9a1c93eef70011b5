//! What the benchmark programs share: their arguments, logs to measure on, and figures as text.
//!
//! Each program prints figures beside a comparison of the same run and never asserts on a time: a busy machine
//! makes all of them slower, and the comparison shows it.

#![allow(dead_code, reason = "each program uses a part of this")]

pub mod generate;
pub mod process;
pub mod pty;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

/// A log to measure on.
pub struct Log {
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Removed with the value.
    folder: Option<TempDir>,
}

impl Log {
    /// A made session of about `bytes` bytes in a folder of its own.
    pub fn made(bytes: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        generate::session(&path, generate::Until::Bytes(bytes), generate::USUAL);
        Self { bytes: length(&path), path, folder: Some(folder) }
    }

    /// The log at `path` as it is.
    pub fn existing(path: &Path) -> Self {
        Self { path: path.to_path_buf(), bytes: length(path), folder: None }
    }

    /// A copy that may be appended to.
    pub fn copy_of(path: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("session.jsonl");
        std::fs::copy(path, &copy).unwrap();
        Self { bytes: length(&copy), path: copy, folder: Some(folder) }
    }

    /// What to call it in a heading.
    pub fn title(&self) -> String {
        let whose = if self.folder.is_some() { "a made session" } else { "the given log" };
        format!("{whose} of {}", bytes(self.bytes))
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or_else(
        |error| {
            eprintln!("{}: {error}", path.display());
            std::process::exit(2)
        },
        |meta| meta.len(),
    )
}

/// What was given after `cargo bench --bench NAME --`.
pub struct Arguments {
    given: Vec<String>,
}

impl Arguments {
    /// Nothing where the program was not started by `cargo bench`: `cargo test --all-targets` starts it too, and a
    /// measurement is no test.
    pub fn read() -> Option<Self> {
        let (flags, given): (Vec<String>, Vec<String>) =
            std::env::args().skip(1).partition(|argument| argument == "--bench");
        if flags.is_empty() {
            println!("not measured: start it with cargo bench");
            return None;
        }
        println!("{}\n", machine());
        Some(Self { given })
    }

    /// Whether `--NAME` was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|argument| argument.strip_prefix("--") == Some(name))
    }

    /// The paths given.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.given.iter().filter(|argument| !argument.starts_with("--")).map(PathBuf::from).collect()
    }

    /// The value of `--NAME=VALUE`, a number.
    pub fn number(&self, name: &str, otherwise: u64) -> u64 {
        let prefix = format!("--{name}=");
        let given = self.given.iter().find_map(|argument| argument.strip_prefix(&prefix));
        given.and_then(|value| value.parse().ok()).unwrap_or(otherwise)
    }

    /// The logs asked for: every argument is a size (`100M`, `1G`) of a session to make, or a path.
    pub fn logs(&self, otherwise: &[&str]) -> Vec<Log> {
        let named = self.given.iter().map(String::as_str).filter(|argument| !argument.starts_with("--"));
        let mut wanted: Vec<&str> = named.collect();
        if wanted.is_empty() {
            wanted = otherwise.to_vec();
        }
        let log = |name: &str| size(name).map_or_else(|| Log::existing(Path::new(name)), Log::made);
        wanted.into_iter().map(log).collect()
    }
}

/// `100M` and the like, in powers of 1,024.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let unit = match &text[digits.len()..] {
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok().map(|count| count * unit)
}

/// The machine, for whoever reads the figures later.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", name.map_or("unknown processor", |(_, name)| name))
}

/// The middle one of some measurements.
pub fn median<T: Ord + Copy>(values: &[T]) -> T {
    percentile(values, 50)
}

/// The measurement that `share` in a hundred do not exceed.
pub fn percentile<T: Ord + Copy>(values: &[T], share: usize) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() * share).div_ceil(100).clamp(1, sorted.len()) - 1]
}

/// Megabytes of a million bytes, as disks and rates are counted.
pub fn bytes(count: u64) -> String {
    format!("{:.1} MB", count as f64 / 1e6)
}

/// `1,234,567`, as the interface writes it.
pub fn grouped(count: u64) -> String {
    pentimento::text::numbers::grouped(count)
}

/// A rate.
pub fn rate(bytes: u64, time: Duration) -> String {
    format!("{:.0} MB/s", bytes as f64 / 1e6 / time.as_secs_f64())
}

/// Milliseconds.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A share of the log's length.
pub fn share(part: u64, whole: u64) -> String {
    format!("{:.1} % of the file", part as f64 * 100.0 / whole as f64)
}

/// One figure on a line.
pub fn row(what: &str, figures: &str) {
    println!("  {what:<54}{figures}");
}
