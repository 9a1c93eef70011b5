//! Ten thousand sub-agents beside one session: listed, not read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::processes::{bytes_read, peak_memory};
use crate::pty::Screen;
use crate::support::{json, stdout, text};

const AGENTS: usize = 10_000;
/// Every so many sub-agents wrote a lot.
const EVERY: usize = 100;
/// That much.
const LARGE: usize = 4 << 20;

/// A session whose folder holds the sub-agents' files, and no other file of that size.
fn crowded(folder: &Path) -> PathBuf {
    let log = folder.join("session.jsonl");
    let mut main = String::from(
        r#"{"parentUuid":null,"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"start them all"}}"#,
    );
    main.push('\n');
    fs::write(&log, main).unwrap();
    let agents = folder.join("session/subagents");
    fs::create_dir_all(&agents).unwrap();
    let long = "long ".repeat(LARGE / 5);
    for number in 0..AGENTS {
        let mut file = fs::File::create(agents.join(format!("agent-a{number:05}.jsonl"))).unwrap();
        let text = if number % EVERY == EVERY - 1 { &long } else { "short" };
        writeln!(
            file,
            r#"{{"parentUuid":null,"type":"user","uuid":"z1","isSidechain":true,"agentId":"a{number:05}","sessionId":"s1","message":{{"role":"user","content":"task {number} {text}"}}}}"#
        )
        .unwrap();
    }
    log
}

#[test]
fn ten_thousand_sub_agents_are_listed_and_only_those_on_the_screen_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let log = crowded(folder.path());
    let mut screen = Screen::start(&[text(&log)], 120, 40);
    screen.wait("sub-agents of the whole session · 10,000 threads");
    let id = screen.process();
    assert!(bytes_read(id) < 1 << 20, "{} bytes were read for the first screen", bytes_read(id));

    // Forty rows that hold no large file.
    screen.press(":@a05045\r");
    screen.wait("task 5045 short");
    assert!(bytes_read(id) < 2 << 20, "{} bytes were read for forty sub-agents", bytes_read(id));
    for _ in 0..30 {
        screen.press("j");
    }
    screen.wait("task 5075 short");

    // The large ones are read beside the drawing, and only those that came by.
    for _ in 0..4 {
        screen.press("\x1b[6~");
    }
    screen.wait("task 5200 short");
    screen.wait("@a05199 1 turn · task 5199 long");
    let read = bytes_read(id);
    assert!(read < 20 << 20, "{read} bytes were read for two large sub-agents and two hundred small ones");
    screen.press(":@a09999/t1\r");
    screen.wait("@a09999");
    screen.press("gG?");
    screen.wait("Help");
    screen.press("?");
    println!("{AGENTS} sub-agents: {} bytes read, at most {} KiB of memory", bytes_read(id), peak_memory(id));
    assert!(peak_memory(id) < 256 << 10, "{} KiB", peak_memory(id));
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn commands_on_a_crowded_session_read_what_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let log = crowded(folder.path());
    let info = json(&["info", "--json", text(&log)]);
    assert_eq!(info["threads"], AGENTS + 1);
    assert_eq!(info["subagents"].as_array().unwrap().len(), AGENTS);
    let turns = String::from_utf8(stdout(&["turns", text(&log), "--thread", "@a00007"])).unwrap();
    assert!(turns.contains("task 7 short"), "{turns}");
    let shown = stdout(&["expand", text(&log), "@a00199/t1"]);
    assert!(shown.len() > LARGE);
}
