//! Programs started and watched: how long they run, what memory and processor time they take.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The binary that is measured, as `cargo bench` built it.
pub const BINARY: &str = env!("CARGO_BIN_EXE_pentimento");

/// A command whose output nobody reads.
pub fn quiet(program: &str, arguments: &[&str], path: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Wall time of one run; nothing where the program is not installed.
pub fn time(command: &mut Command) -> Option<Duration> {
    let begun = Instant::now();
    let status = command.status().ok()?;
    assert!(status.success(), "{command:?} failed: {status}");
    Some(begun.elapsed())
}

/// Wall times of `times` runs, none where the program is not installed.
pub fn times(command: &mut Command, times: usize) -> Vec<Duration> {
    (0..times).filter_map(|_| time(command)).collect()
}

/// Peak memory of one run in bytes, by asking the system every two milliseconds for the highest so far. Runs of its
/// own, since the asking takes time.
pub fn peak(command: &mut Command) -> u64 {
    let mut child: Child = command.spawn().unwrap();
    let mut highest = 0;
    while child.try_wait().unwrap().is_none() {
        highest = highest.max(peak_of(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    highest
}

/// The most memory that the running process `id` ever held: `VmHWM` of `/proc/ID/status`, in bytes.
pub fn peak_of(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// Processor time that the running process `id` used, user and system: its threads' run times where the kernel
/// counts them in nanoseconds (`schedstat`), else the clock ticks of `/proc/ID/stat`, a hundred a second.
pub fn cpu_of(id: u32) -> Option<Duration> {
    let exact = || -> Option<Duration> {
        let mut nanoseconds = 0;
        for thread in std::fs::read_dir(format!("/proc/{id}/task")).ok()? {
            let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            nanoseconds += text.split(' ').next()?.parse::<u64>().ok()?;
        }
        Some(Duration::from_nanos(nanoseconds))
    };
    let ticks = || -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // Counted from behind the name, which may hold blanks: the 12th and 13th field are the times.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 10))
    };
    exact().or_else(ticks)
}
