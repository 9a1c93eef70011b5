//! The list of sessions and `pentimento last` in a real pseudo-terminal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;
mod support;

use std::path::Path;
use std::time::Duration;

use pty::Screen;
use support::home::{Home, claude, exchange};

/// The binary in a home of its own.
fn start(home: &Home, arguments: &[&str], folder: &Path, columns: u16, rows: u16) -> Screen {
    Screen::start_with(arguments, columns, rows, |command| {
        for (name, value) in home.variables() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            }
        }
        command.cwd(folder);
    })
}

fn open(home: &Home, columns: u16, rows: u16) -> Screen {
    start(home, &[], home.path(), columns, rows)
}

/// Whether the row with `title` ends with `counts`.
fn counted<'a>(title: &'a str, counts: &'a str) -> impl Fn(&str) -> bool + 'a {
    move |screen| screen.lines().any(|line| line.contains(title) && line.trim_end().ends_with(counts))
}

#[test]
fn sessions_are_found_filtered_opened_and_come_back_to() {
    let home = Home::furnished();
    let mut screen = open(&home, 120, 40);
    screen.wait("10 sessions");
    screen.wait("Login with umlauts");
    assert!(screen.is_alternate() && screen.captures_mouse());
    // The counts fill in behind.
    screen.until("its counts", counted("Login with umlauts", "claude-code       4    6.9k     1"));

    screen.press("shop slow");
    screen.wait("1 of 10 sessions");
    assert!(!screen.text().contains("umlauts"));
    screen.press("\r");
    screen.wait("turn 2");
    screen.wait("Window: what the model sees");

    screen.press("S");
    screen.wait("1 of 10 sessions");
    screen.press("\x1b");
    screen.wait("10 sessions");
    screen.wait("Login with umlauts");
    screen.press("\x1b");
    screen.wait("Window: what the model sees");
    screen.press("S");
    screen.wait("type to filter");
    screen.press("\x1b[H\r");
    screen.wait("g1 summary");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
    assert!(!screen.is_alternate() && !screen.captures_mouse() && !screen.hides_cursor());
}

#[test]
fn the_list_is_left_by_escape_and_by_control_c() {
    let home = Home::furnished();
    for key in ["\x1b", "\x03"] {
        let mut screen = open(&home, 120, 40);
        screen.wait("10 sessions");
        screen.press(key);
        assert_eq!(screen.ended(), 0);
        assert!(!screen.is_alternate());
    }
    assert!(home.at("state/sessions.jsonl").exists(), "what was found out is kept");
}

#[test]
fn new_sessions_and_growth_show_up_by_themselves() {
    let home = Home::furnished();
    for poll in [&[][..], &["--poll"]] {
        let mut screen = start(&home, poll, home.path(), 120, 40);
        screen.wait("Login with umlauts");
        screen.wait("6.9k");
        let name = format!(".claude/projects/-work-new{}/fresh.jsonl", poll.len());
        home.write(&name, &exchange("fresh", "/work/new", "A new session"), Duration::ZERO);
        screen.wait("A new session");
        screen.wait("● ");
        screen.until("its counts", counted("A new session", "2    3.4k"));
        home.append(&name, &claude(2, "fresh", "/work/new", "assistant", "More."));
        screen.until("its growth", counted("A new session", "3    6.9k"));
        std::fs::remove_file(home.at(&name)).unwrap();
        screen.until("end of what is gone", |screen| !screen.contains("A new session"));
        screen.press("\x1b");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn a_folder_opens_the_list_of_what_is_in_it() {
    let home = Home::furnished();
    home.write("logs/deep/one.jsonl", &exchange("one", "/p", "Only this one"), Duration::from_secs(90));
    home.write("logs/diary.jsonl", &["Dear diary".to_owned()], Duration::from_secs(90));
    let mut screen = start(&home, &["logs"], home.path(), 100, 30);
    screen.wait("Only this one");
    screen.until("one session", |screen| {
        screen.lines().next().unwrap_or("").trim_end().ends_with(" 1 session")
    });
    screen.press("\r");
    screen.wait("turn 2");
    screen.press("S");
    screen.wait("Only this one");
    screen.press("\x03");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn a_session_that_cannot_be_read_says_why_and_stays_closed() {
    let home = Home::furnished();
    let mut screen = open(&home, 120, 40);
    screen.wait("✗ it is empty");
    screen.press("-work-old\r");
    screen.wait("it is empty");
    pty::rest();
    assert!(screen.text().contains("1 of 10 sessions"), "{}", screen.text());
    screen.press("\x03");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn an_empty_home_says_where_it_looked() {
    let home = Home::new();
    let mut screen = open(&home, 100, 30);
    screen.wait("There are no sessions here");
    screen.wait("~/.claude/projects (not there)");
    screen.wait("pentimento --help");
    screen.press("\x1b");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn every_size_shows_the_list() {
    let home = Home::furnished();
    for (columns, rows) in [(60, 15), (120, 40), (200, 60)] {
        let mut screen = open(&home, columns, rows);
        screen.wait("10 sessions");
        screen.wait("✗ it is empty");
        // Nothing is left to count but what cannot be read.
        screen.until("end of counting", |screen| !screen.contains("to count"));
        // The last frame may still be on its way; what was drawn over leaves blanks at the ends of lines.
        pty::rest();
        let lines: Vec<String> = screen.text().lines().map(|line| line.trim_end().to_owned()).collect();
        let text = lines.join("\n");
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"written to [0-9-]{10} [0-9:]{8}", "written to YYYY-MM-DD HH:MM:SS");
        settings.bind(|| insta::assert_snapshot!(format!("list_{columns}x{rows}"), text));
        screen.press("\x1b");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn as_of_needs_a_session() {
    let home = Home::furnished();
    let output = home.run(&["--as-of", "g2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--as-of"));
}

/// A home with sessions of a directory that exists, of one above it and of another.
fn worked_in() -> (Home, String) {
    let home = Home::new();
    std::fs::create_dir_all(home.at("work/api/src")).unwrap();
    let real = home.at("work/api").canonicalize().unwrap().to_str().unwrap().to_owned();
    let write = |name: &str, project: &str, prompt: &str, age: u64| {
        let session = exchange(name, project, prompt);
        home.write(&format!(".claude/projects/x/{name}.jsonl"), &session, Duration::from_secs(age));
    };
    write("old", &real, "The older one", 900);
    write("new", &real, "The newer one", 600);
    write("above", Path::new(&real).parent().unwrap().to_str().unwrap(), "Of the directory above", 60);
    write("other", "/elsewhere", "Of another directory", 10);
    (home, real)
}

#[test]
fn last_opens_the_newest_session_of_the_directory_or_of_the_nearest_above() {
    let (home, real) = worked_in();
    for (folder, expected) in [
        (real.clone(), "The newer one"),
        (format!("{real}/src"), "The newer one"),
        (format!("{real}/.."), "Of the directory above"),
    ] {
        let mut screen = start(&home, &["last"], Path::new(&folder), 120, 30);
        screen.wait(expected);
        screen.wait("● following");
        screen.press("q");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn last_changes_to_the_new_session_when_the_agent_starts_anew() {
    let (home, real) = worked_in();
    for poll in [&["last"][..], &["last", "--poll"]] {
        let mut screen = start(&home, poll, Path::new(&real), 120, 30);
        screen.wait("● following");
        // One of another directory, and a sub-agent's, are none of its business.
        home.write(".claude/projects/y/z.jsonl", &exchange("z", "/other", "Not here"), Duration::ZERO);
        let agent = exchange("new", &real, "A sub-agent").join("\n");
        let name = format!(".claude/projects/x/new/subagents/agent-{}.jsonl", poll.len());
        home.write(&name, &[agent.replace(r#""type":"#, r#""isSidechain":true,"type":"#)], Duration::ZERO);
        pty::rest();
        assert!(!screen.text().contains("anew"), "{}", screen.text());

        let name = format!("fresh-{}", poll.len());
        let prompt = format!("Fresh start {}", poll.len());
        home.write(
            &format!(".claude/projects/x/{name}.jsonl"),
            &exchange(&name, &real, &prompt),
            Duration::ZERO,
        );
        screen.wait("started anew");
        screen.wait(&prompt);
        screen.wait("● following");
        screen.press("q");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn last_without_a_session_is_status_4_and_says_where_it_looked() {
    let (home, _) = worked_in();
    let fails = |arguments: &[&str], words: &[&str]| {
        let output = home.command(arguments).current_dir("/").output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{message}");
        for word in words {
            assert!(message.contains(word), "no {word:?} in {message:?}");
        }
    };
    fails(&["last"], &["no session of /", ".claude/projects", ".codex/sessions (not there)"]);
    fails(&["last", "--agent", "pi"], &[".pi/agent/sessions"]);
}
