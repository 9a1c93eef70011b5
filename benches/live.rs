//! A log that grows: how long an appended line takes to the screen, and what following costs while nothing comes.
//!
//! `cargo bench --bench live -- [SIZE | PATH]… [--seconds=N]`; without arguments made sessions of 1 and 100 MiB, and
//! 60 seconds at rest. A given log is copied first.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

mod support;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use support::process::cpu_of;
use support::pty::{Interface, is_whole};
use support::{Arguments, Log, generate, median, milliseconds, percentile, row};

const APPENDS: u64 = 50;

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    let rest = Duration::from_secs(arguments.number("seconds", 60));
    for log in arguments.logs(&["1M", "100M"]) {
        println!("{}, followed in 120×40", log.title());
        for (name, flags) in [("events of the file system", &[][..]), ("--poll", &["--poll"])] {
            let log = Log::copy_of(&log.path);
            let mut interface = follow(&log, flags);
            row(&format!("appended line to screen, {name}"), &appends(&log, &mut interface));
            row(&format!("at rest for {} s, {name}", rest.as_secs()), &at_rest(&mut interface, rest));
            interface.quit();
        }
        row("tail -f: appended line to its output", &tail(&Log::copy_of(&log.path)));
        println!();
    }
}

fn follow(log: &Log, flags: &[&str]) -> Interface {
    let mut arguments = vec![OsStr::new("--follow")];
    arguments.extend(flags.iter().map(OsStr::new));
    arguments.push(log.path.as_os_str());
    let mut interface = Interface::start(&arguments);
    interface.wait_for("end of reading", is_whole);
    interface.rest(Duration::from_millis(500));
    interface
}

fn appends(log: &Log, interface: &mut Interface) -> String {
    let mut file = File::options().append(true).open(&log.path).unwrap();
    let mut parent = generate::last_id(&log.path);
    let mut times = Vec::new();
    for number in 0..APPENDS {
        let word = format!("quagga{number:04}");
        let (id, line) = generate::prompt(number, parent.as_deref(), &word);
        parent = Some(id);
        let written = Instant::now();
        file.write_all(line.as_bytes()).unwrap();
        let shown = interface.wait_for("appended prompt", |screen| screen.contents().contains(&word));
        times.push(shown - written);
        // Uneven pauses, so that no timer of the program keeps step.
        interface.rest(Duration::from_millis(60 + number * 37 % 100));
    }
    figures(&times)
}

fn figures(times: &[Duration]) -> String {
    format!(
        "median {}, p95 {}, worst {}",
        milliseconds(median(times)),
        milliseconds(percentile(times, 95)),
        milliseconds(percentile(times, 100))
    )
}

fn at_rest(interface: &mut Interface, time: Duration) -> String {
    interface.rest(Duration::from_secs(2));
    let (begun, before) = (Instant::now(), cpu_of(interface.id()).unwrap());
    interface.rest(time);
    let used = cpu_of(interface.id()).unwrap().saturating_sub(before);
    let share = used.as_secs_f64() / begun.elapsed().as_secs_f64() * 100.0;
    format!("{} of processor time = {share:.4} % of a core", milliseconds(used))
}

/// The same for `tail -f`, which shows a line as it is.
fn tail(log: &Log) -> String {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let child = Command::new("tail").args(["-n", "0", "-f"]).arg(&log.path).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else { return "not installed".to_owned() };
    let mut output = BufReader::new(child.stdout.take().unwrap());
    std::thread::sleep(Duration::from_millis(500));
    let mut file = File::options().append(true).open(&log.path).unwrap();
    let mut times = Vec::new();
    for number in 0..APPENDS {
        let (_, line) = generate::prompt(number, None, "quagga");
        let mut shown = String::new();
        let written = Instant::now();
        file.write_all(line.as_bytes()).unwrap();
        output.read_line(&mut shown).unwrap();
        times.push(written.elapsed());
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    figures(&times)
}
