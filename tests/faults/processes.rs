//! What the system knows of a process that a test has started.

use std::time::{Duration, Instant};

use crate::pty::PATIENCE;

/// The state of process `id` as one letter: `T` is stopped, `Z` has ended and nobody asked how. None: it is gone.
pub fn state(id: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Waits until process `id` is in `state`.
pub fn wait_for_state(id: u32, state: char) {
    wait(&format!("process {id} in state {state}"), || self::state(id) == Some(state));
}

/// Waits until process `id` has ended.
pub fn wait_for_end(id: u32) {
    wait(&format!("end of process {id}"), || matches!(state(id), None | Some('Z' | 'X')));
}

/// Waits until `done`.
pub fn wait(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Bytes that process `id` has read so far, from files and everything else.
pub fn bytes_read(id: u32) -> u64 {
    number(&format!("/proc/{id}/io"), "rchar:")
}

/// The most memory that process `id` has held, in KiB.
pub fn peak_memory(id: u32) -> u64 {
    number(&format!("/proc/{id}/status"), "VmHWM:")
}

fn number(path: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
