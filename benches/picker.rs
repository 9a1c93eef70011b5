//! The list of sessions over thousands of files: its first screen, a letter into the filter, and what it costs at
//! rest.
//!
//! `cargo bench --bench picker -- [--sessions=N] [--bytes=N] [--seconds=N]`; without arguments 5,000 sessions of
//! 20 kB and a minute of rest.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use support::generate::{self, USUAL, Until};
use support::process::{cpu_of, peak_of};
use support::pty::Interface;
use support::{Arguments, bytes, median, milliseconds, percentile, row};

/// Projects that the sessions belong to.
const PROJECTS: u64 = 100;
/// Starts that each first screen is measured by.
const RUNS: usize = 5;
/// Letters typed into the filter.
const LETTERS: usize = 40;

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    let sessions = arguments.number("sessions", 5_000);
    let each = arguments.number("bytes", 20_000);
    let rest = Duration::from_secs(arguments.number("seconds", 60));
    let home = tempfile::tempdir().unwrap();
    let total = make(home.path(), sessions, each);
    println!("{sessions} sessions of {} together, 120×40, the files in the page cache", bytes(total));
    starts(home.path(), sessions);
    at_work(home.path(), sessions, rest);
    comparisons(home.path());
}

/// Sessions in folders of projects, one a minute older than the one before. Their bytes.
fn make(home: &Path, sessions: u64, each: u64) -> u64 {
    let now = SystemTime::now();
    let mut total = 0;
    for number in 0..sessions {
        let folder = home.join(format!(".claude/projects/-home-someone-project-{:03}", number % PROJECTS));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("5e551000-0000-4000-8000-{number:012}.jsonl"));
        generate::session(&path, Until::Bytes(each), USUAL);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(now - Duration::from_secs(120 + number * 60)).unwrap();
        total += file.metadata().unwrap().len();
    }
    total
}

fn start(home: &Path) -> Interface {
    Interface::start_with(&[], |command| {
        command.env("HOME", home);
        command.env("PENTIMENTO_STATE", home.join("state"));
        for name in [
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "PI_CODING_AGENT_DIR",
            "PI_CODING_AGENT_SESSION_DIR",
            "XDG_CONFIG_HOME",
        ] {
            command.env_remove(name);
        }
    })
}

/// Whether the first screen is full of sessions with their titles.
fn is_useful(screen: &vt100::Screen) -> bool {
    screen.rows(0, 120).filter(|row| row.contains("claude-code") && row.contains("someone/project")).count()
        >= 20
}

/// Whether everything was found and counted.
fn is_settled(sessions: u64) -> impl Fn(&vt100::Screen) -> bool {
    let all = support::grouped(sessions);
    move |screen| {
        let header = screen.rows(0, 120).next().unwrap_or_default();
        header.contains(&format!("{all} sessions"))
            && !header.contains("to count")
            && !header.contains("looking")
    }
}

fn starts(home: &Path, sessions: u64) {
    let (mut useful, mut settled) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let _ = std::fs::remove_dir_all(home.join("state"));
        let mut interface = start(home);
        useful.push(interface.wait_for("sessions", is_useful) - interface.begun);
        settled.push(interface.wait_for("end of counting", is_settled(sessions)) - interface.begun);
        interface.quit_by("\x1b");
    }
    figures("start to first useful screen, nothing known", &useful);
    figures("start to everything counted, nothing known", &settled);
    let (mut useful, mut settled) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let mut interface = start(home);
        useful.push(interface.wait_for("sessions", is_useful) - interface.begun);
        let whole = |screen: &vt100::Screen| is_settled(sessions)(screen);
        let at = if interface.shows(whole) {
            *useful.last().unwrap()
        } else {
            interface.wait_for("all", whole) - interface.begun
        };
        settled.push(at);
        interface.quit_by("\x1b");
    }
    figures("start to first useful screen, all known", &useful);
    figures("start to everything listed, all known", &settled);
}

/// Letters into the filter, and then nothing.
fn at_work(home: &Path, sessions: u64, rest: Duration) {
    let mut interface = start(home);
    if !interface.shows(is_settled(sessions)) {
        interface.wait_for("all sessions", is_settled(sessions));
    }
    let mut taken = Vec::new();
    for letter in 0..LETTERS {
        // Most sessions match the first letter, some the second, few the third; then anew.
        let typed = &"994"[..=letter % 3];
        let shown = format!("> {typed}");
        let pressed = interface.press(&typed[typed.len() - 1..]);
        let is_filtered = |screen: &vt100::Screen| {
            let mut rows = screen.rows(0, 120);
            let header = rows.next().unwrap_or_default();
            header.contains(" of ") && rows.next().is_some_and(|row| row.trim() == shown)
        };
        taken.push(interface.wait_for("filter", is_filtered) - pressed);
        interface.rest(Duration::from_millis(37 + 13 * (letter as u64 % 5)));
        if letter % 3 == 2 {
            interface.press("\x1b");
            interface.wait_for("the whole list", |screen| screen.contents().contains("type to filter"));
            interface.rest(Duration::from_millis(50));
        }
    }
    let worst = percentile(&taken, 100);
    let figure = format!(
        "{} (p95 {}, worst {})",
        milliseconds(median(&taken)),
        milliseconds(percentile(&taken, 95)),
        milliseconds(worst)
    );
    row("a letter into the filter to its screen", &figure);
    interface.press("\x1b");
    interface.rest(Duration::from_secs(2));
    let (begun, before) = (Instant::now(), cpu_of(interface.id()).unwrap());
    interface.rest(rest);
    let used = cpu_of(interface.id()).unwrap().saturating_sub(before);
    let share = used.as_secs_f64() * 100.0 / begun.elapsed().as_secs_f64();
    row("at rest", &format!("{share:.3} % of a core over {} s", rest.as_secs()));
    row("peak memory (VmHWM)", &bytes(peak_of(interface.id()).unwrap()));
    interface.quit_by("\x03");
}

fn comparisons(home: &Path) {
    let shell = |script: &str| {
        let taken: Vec<Duration> = (0..=RUNS)
            .filter_map(|_| {
                let begun = Instant::now();
                let mut command = Command::new("sh");
                command.args(["-c", script]).current_dir(home).stdout(Stdio::null()).stderr(Stdio::null());
                command.status().ok().filter(std::process::ExitStatus::success).map(|_| begun.elapsed())
            })
            .collect();
        match taken.get(1..) {
            Some(warm @ [_, ..]) => row(script, &milliseconds(median(warm))),
            _ => row(script, "not installed"),
        }
    };
    shell("find .claude -name '*.jsonl' | wc -l");
    shell("ls -lt .claude/projects/*/*.jsonl");
    shell("find .claude -name '*.jsonl' -exec cat {} + | wc -l");
}

fn figures(what: &str, taken: &[Duration]) {
    let worst = taken.iter().max().unwrap();
    row(what, &format!("{} (worst {})", milliseconds(median(taken)), milliseconds(*worst)));
}
