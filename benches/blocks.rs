//! The Blocks view live: a session that grows by 50 turns a second, and a summariser that takes two seconds.
//!
//! `cargo bench --bench blocks -- [--turns=N]`; 2,400 turns without. Prints how long the screen was behind at the longest,
//! and for every span whether its summary was there when the span came into view.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

mod support;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use support::pty::Interface;
use support::{Arguments, median, milliseconds, percentile, row};

/// Between two turns.
const EVERY: Duration = Duration::from_millis(20);
const SUMMARISER: &str = "cat > /dev/null; sleep 2; echo '- The work goes on (t1)'";

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    let turns = arguments.number("turns", 2_400) as u32;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, line(1)).unwrap();
    let settings = ["--view", "blocks", "--follow", "--block-turns", "30", "--budget", "60000"];
    let mut options: Vec<&OsStr> = settings.iter().map(OsStr::new).collect();
    options.extend([OsStr::new("--summariser"), OsStr::new(SUMMARISER), path.as_os_str()]);
    let state = folder.path().join("state");
    let mut interface = Interface::start_with(&options, |command| command.env("PENTIMENTO_STATE", state));
    interface.wait_for("first turn", |screen| shown(screen) >= 1);
    println!(
        "50 turns a second, {turns} of them; a summariser of 2 s; blocks of 30 turns, a budget of 60,000"
    );
    let (times, spans) = feed(&mut interface, &mut File::options().append(true).open(&path).unwrap(), turns);
    let figures = format!(
        "median {}, p99 {}, longest {}",
        milliseconds(median(&times)),
        milliseconds(percentile(&times, 99)),
        milliseconds(percentile(&times, 100))
    );
    row("appended turn to its frame", &figures);
    for (span, ready) in &spans {
        let how = if *ready { "summary there when it came into view" } else { "WITHOUT its summary" };
        row(span, how);
    }
    interface.quit();
    if spans.is_empty() || spans.iter().any(|(_, ready)| !ready) {
        eprintln!("not every span was ready");
        std::process::exit(1);
    }
}

/// Appends turns, and looks at every frame meanwhile.
fn feed(interface: &mut Interface, file: &mut File, turns: u32) -> (Vec<Duration>, Vec<(String, bool)>) {
    let (mut times, mut spans, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut behind: VecDeque<(u32, Instant)> = VecDeque::new();
    let begun = Instant::now();
    for number in 2..=turns {
        let due = begun + EVERY * (number - 1);
        loop {
            let left = due.saturating_duration_since(Instant::now());
            let Some(came) = interface.until(left, |_| true) else { break };
            let screen = interface.screen();
            let last = shown(screen);
            while behind.front().is_some_and(|(number, _)| *number <= last) {
                times.extend(behind.pop_front().map(|(_, written)| came - written));
            }
            if let Some((span, ready)) = span(screen)
                && seen.insert(span.clone())
            {
                spans.push((span, ready));
            }
        }
        let written = Instant::now();
        file.write_all(line(number).as_bytes()).unwrap();
        behind.push_back((number, written));
    }
    (times, spans)
}

/// The number of turns that the header tells.
fn shown(screen: &vt100::Screen) -> u32 {
    let header = screen.rows(0, 120).next().unwrap_or_default();
    let number = header.rsplit_once("turn ").map_or("", |(_, number)| number.trim());
    number.replace(',', "").parse().unwrap_or(0)
}

/// The span in view, and whether its summary is there.
fn span(screen: &vt100::Screen) -> Option<(String, bool)> {
    let first = screen.rows(0, 54).nth(4)?;
    let label = first.trim_start_matches(['│', ' ', '▾', '▸']);
    let name = label.split(' ').next().filter(|name| name.starts_with('p'))?;
    let ready = !["writing", "waits", "no summary"].iter().any(|word| label.contains(word));
    Some((name.to_owned(), ready))
}

fn line(number: u32) -> String {
    let parent = if number == 1 { "null".to_owned() } else { format!("\"u{}\"", number - 1) };
    let words = "the listing is read page by page and every page is shown as it comes ".repeat(8);
    format!(
        r#"{{"type":"user","uuid":"u{number}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"turn {number}: {words}"}}}}"#
    ) + "\n"
}
