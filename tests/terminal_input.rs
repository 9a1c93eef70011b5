//! The interface on a pipe and on compressed logs, in a pseudo-terminal: the log from one side, the keys from the other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use pty::{Screen, demo};

fn demo_lines() -> Vec<String> {
    std::fs::read_to_string(demo()).unwrap().lines().map(str::to_owned).collect()
}

/// The interface, the writing end of its standard input, and its state folder.
struct Piped {
    screen: Screen,
    pipe: File,
    folder: tempfile::TempDir,
}

impl Piped {
    fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let state = folder.path().join("state");
        let screen = Screen::start_on(&path, &state, arguments, 120, 30);
        let pipe = File::options().write(true).open(&path).unwrap();
        Self { screen, pipe, folder }
    }

    fn send(&mut self, lines: &[String]) {
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        self.pipe.write_all(text.as_bytes()).unwrap();
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }
}

#[test]
fn a_log_comes_through_a_pipe_while_the_keys_come_from_the_terminal() {
    let lines = demo_lines();
    let mut piped = Piped::start(&["-"]);
    piped.screen.wait("standard input");
    piped.send(&lines[..20]);
    piped.screen.wait("● following");

    // A line that half arrived waits, and is shown when the rest arrives.
    let (half, rest) = lines[20].split_at(lines[20].len() / 2);
    piped.pipe.write_all(half.as_bytes()).unwrap();
    piped.screen.wait("1 line unfinished");
    assert!(!piped.screen.text().contains("should become an enum"));
    piped.send(&[rest.to_owned()]);
    piped.screen.wait("should become an enum");

    piped.screen.press(":t1\r");
    piped.screen.wait("┌ t1 user");
    piped.screen.press("f");
    piped.screen.wait("● following");

    piped.send(&lines[21..]);
    piped.screen.wait("356 records");
    // The records of the last prompt before a pause are no news, those after it are.
    piped.screen.wait("c what it covered");
    piped.screen.press("/two minds\r");
    piped.screen.wait("┌ t48 ");
    piped.screen.press("\x1bG");

    drop(piped.pipe);
    piped.screen.wait("■ input ended");
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
    assert!(!piped.screen.is_alternate());
}

#[test]
fn a_last_line_without_an_end_counts_when_the_input_ends() {
    let mut piped = Piped::start(&["-", "--follow"]);
    piped.send(&demo_lines()[..20]);
    piped.pipe.write_all(br#"{"type":"user","uuid":"#).unwrap();
    piped.screen.wait("1 line unfinished");
    piped.screen.wait("20 records");
    drop(piped.pipe);
    piped.screen.wait("21 records");
    assert!(!piped.screen.text().contains("unfinished"));
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
}

#[test]
fn what_is_no_log_is_said_and_stays_said() {
    for text in [&b"Dear diary,\n"[..], &b"Dear diary,\n".repeat(200)] {
        let mut piped = Piped::start(&["-"]);
        piped.pipe.write_all(text).unwrap();
        drop(piped.pipe);
        piped.screen.wait("✗ cannot be read");
        pty::rest();
        assert!(piped.screen.text().contains("✗ cannot be read"), "{}", piped.screen.text());
        piped.screen.press("q");
        assert_eq!(piped.screen.ended(), 0);
    }
    let mut piped = Piped::start(&["-"]);
    drop(piped.pipe);
    piped.screen.wait("standard input ended before the first record");
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
}

#[test]
fn a_moment_is_found_once_it_has_come() {
    let lines = demo_lines();
    let mut piped = Piped::start(&["-", "--as-of", "g2"]);
    piped.send(&lines);
    piped.screen.wait("g2 of 6");
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
}

#[test]
fn whoever_writes_for_ever_holds_nobody_and_is_told_that_nobody_reads() {
    for key in ["q", "\x03"] {
        let lines = demo_lines();
        let Piped { mut screen, mut pipe, folder: _folder } = Piped::start(&["-"]);
        let (sender, stopped) = channel();
        std::thread::spawn(move || {
            let text = lines[..100].join("\n") + "\n";
            let error = loop {
                if let Err(error) = pipe.write_all(text.as_bytes()) {
                    break error;
                }
            };
            sender.send(error.kind()).unwrap();
        });
        screen.wait("● following");
        screen.press(key);
        assert_eq!(screen.ended(), 0);
        let kind = stopped.recv_timeout(Duration::from_secs(20)).expect("the writer is told");
        assert_eq!(kind, std::io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn a_pipe_that_says_nothing_does_not_hold_the_exit() {
    let mut piped = Piped::start(&["-"]);
    piped.screen.wait("waiting for the first records");
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
    assert!(!piped.screen.is_alternate());
}

#[test]
fn while_it_is_suspended_the_pipe_fills_and_then_it_goes_on() {
    let lines = demo_lines();
    let mut piped = Piped::start(&["-"]);
    piped.send(&lines[..20]);
    piped.screen.wait("20 records");
    // Ctrl-Z's own signal does not stop what no shell could wake up again.
    piped.screen.signal("STOP");
    // Each of its threads stops when it gets round to it.
    pty::rest();
    let mut pipe = piped.pipe.try_clone().unwrap();
    let text = lines[20..].join("\n") + "\n";
    assert!(text.len() > 200_000, "more than a pipe holds");
    let (sender, written) = channel();
    std::thread::spawn(move || {
        pipe.write_all(text.as_bytes()).unwrap();
        sender.send(()).unwrap();
    });
    written.recv_timeout(Duration::from_millis(500)).expect_err("nobody reads, so the writer waits");
    piped.screen.signal("CONT");
    written.recv_timeout(Duration::from_secs(20)).expect("the writer goes on");
    piped.screen.wait("356 records");
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn the_spool_has_no_name_and_is_its_owners_alone() {
    use std::os::unix::fs::MetadataExt;
    let mut piped = Piped::start(&["-"]);
    piped.send(&demo_lines());
    piped.screen.wait("356 records");
    assert_eq!(std::fs::read_dir(piped.state()).unwrap().count(), 0, "no file in the state folder");
    assert_eq!(std::fs::metadata(piped.state()).unwrap().mode() & 0o777, 0o700);
    let open = std::fs::read_dir(format!("/proc/{}/fd", piped.screen.process())).unwrap();
    let spools: Vec<_> = open
        .map(|entry| entry.unwrap().path())
        .filter(|path| std::fs::read_link(path).is_ok_and(|target| target.starts_with(piped.state())))
        .map(|path| std::fs::metadata(path).unwrap())
        .collect();
    assert_eq!(spools.len(), 1, "one spool is open");
    assert_eq!((spools[0].mode() & 0o777, spools[0].nlink()), (0o600, 0));
    assert_eq!(spools[0].len(), std::fs::metadata(demo()).unwrap().len());
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
}

#[test]
fn a_log_that_is_kept_in_memory_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (path, blocked) = (folder.path().join("pipe"), folder.path().join("file"));
    std::fs::write(&blocked, "no folder").unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let mut screen = Screen::start_on(&path, &blocked, &["-"], 160, 30);
    let mut pipe = File::options().write(true).open(&path).unwrap();
    pipe.write_all(&std::fs::read(demo()).unwrap()).unwrap();
    screen.wait("● following, in memory");
    screen.wait("the log is kept in memory");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn a_terminal_is_no_log() {
    let mut screen = Screen::start(&["-"], 160, 24);
    screen.wait("standard input is a terminal, not a log");
    assert_eq!(screen.ended(), 2);
    let mut screen = Screen::start(&["info", "-"], 160, 24);
    screen.wait("pentimento -");
    assert_eq!(screen.ended(), 2);
}

#[test]
fn a_compressed_log_opens_at_its_end_and_is_read_anew_when_it_is_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl.zst");
    let lines = demo_lines();
    let pack = |count: usize| zstd::encode_all((lines[..count].join("\n") + "\n").as_bytes(), 1).unwrap();
    std::fs::write(&path, pack(356)).unwrap();
    let beside = folder.path().join("log/subagents");
    std::fs::create_dir_all(&beside).unwrap();
    for entry in std::fs::read_dir(demo().with_extension("").join("subagents")).unwrap() {
        let agent = entry.unwrap().path();
        std::fs::copy(&agent, beside.join(agent.file_name().unwrap())).unwrap();
    }
    let mut screen = Screen::start(&[path.to_str().unwrap()], 120, 30);
    screen.wait("○ at the end");
    // As a plain one does: nothing of it is news, and the same is selected.
    let mut plain = Screen::start(&[demo().to_str().unwrap()], 120, 30);
    plain.wait("○ at the end");
    pty::rest();
    assert_eq!(screen.text(), plain.text());
    let new = folder.path().join("new");
    std::fs::write(&new, pack(50)).unwrap();
    std::fs::rename(&new, &path).unwrap();
    screen.wait("read anew");
    screen.wait("50 records");
    // And a plain one at the same place.
    std::fs::write(&new, lines[..21].join("\n") + "\n").unwrap();
    std::fs::rename(&new, &path).unwrap();
    screen.wait("21 records");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn a_log_that_is_cut_off_is_shown_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let packed = zstd::encode_all(&std::fs::read(demo()).unwrap()[..], 1).unwrap();
    std::fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let mut screen = Screen::start(&[path.to_str().unwrap()], 160, 30);
    screen.wait("✗ incomplete");
    screen.wait("the zstd data is cut off at offset");
    screen.press("g");
    screen.wait("? help · q quit");
    // The rest arrives: a file that was still being copied.
    let mut file = File::options().append(true).open(&path).unwrap();
    file.write_all(&packed[packed.len() / 2..]).unwrap();
    screen.wait("356 records");
    screen.press("G");
    screen.wait("● following");
    assert!(screen.text().contains("as of t175"), "{}", screen.text());
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

/// The interface on a log of these bytes, named `name`.
fn on(name: &str, bytes: &[u8], arguments: &[&str], columns: u16, rows: u16) -> (Screen, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let arguments: Vec<&str> = arguments.iter().copied().chain([path.to_str().unwrap()]).collect();
    (Screen::start(&arguments, columns, rows), folder)
}

#[test]
fn a_path_that_is_not_there_ends_it_unless_it_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.jsonl");
    let path = path.to_str().unwrap();
    for arguments in [&[path][..], &["--as-of", "t2", path]] {
        let mut screen = Screen::start(arguments, 200, 20);
        assert_eq!(screen.ended(), 3);
        let text = screen.text();
        assert!(text.contains("none.jsonl: no such file") && text.contains("--follow PATH` waits"), "{text}");
    }
    let mut screen = Screen::start(&["--follow", path], 120, 20);
    screen.wait("◌ waiting for the file");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn a_compressed_log_whose_writer_is_not_done_is_waited_for() {
    let lines = demo_lines();
    let pack = |lines: &[String]| zstd::encode_all((lines.join("\n") + "\n").as_bytes(), 3).unwrap();
    let (one, two) = (pack(&lines[..30]), pack(&lines[30..60]));
    for (arguments, follows) in [(&["--follow"][..], true), (&[], false)] {
        let (mut screen, folder) = on("g.zst", &one, arguments, 120, 30);
        screen.wait("30 records");
        let mut log = File::options().append(true).open(folder.path().join("g.zst")).unwrap();
        log.write_all(&two[..two.len() / 2]).unwrap();
        if follows {
            screen.wait("◌ waiting for the rest");
            assert!(!screen.text().contains("cut off"), "{}", screen.text());
        } else {
            screen.wait("✗ incomplete");
            screen.wait("the zstd data is cut off at offset");
        }
        log.write_all(&two[two.len() / 2..]).unwrap();
        screen.wait("60 records");
        screen.wait_without("cut off");
        screen.wait_without("◌ waiting");
        screen.wait_without("incomplete");
        screen.press("q");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn a_log_that_becomes_something_unknown_says_what_it_holds_until_it_is_one_again() {
    let lines = demo_lines();
    let log = lines[..20].join("\n") + "\n";
    let (mut screen, folder) = on("log.jsonl", log.as_bytes(), &["--follow"], 120, 30);
    screen.wait("20 records");
    let path = folder.path().join("log.jsonl");
    let new = folder.path().join("new");
    std::fs::write(&new, b"\x01\x02 junk of some kind\nmore junk").unwrap();
    std::fs::rename(&new, &path).unwrap();
    screen.wait("◌ no known format yet");
    screen.wait("Looked for: Claude Code");
    screen.wait("junk of some kind");
    // All of it, to its end.
    screen.wait("more junk");
    screen.wait("It is watched: what comes next may still be one.");
    File::options().append(true).open(&path).unwrap().write_all(format!("\n{log}").as_bytes()).unwrap();
    screen.wait("22 records");
    screen.wait_without("no known format");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn a_message_is_shown_whole() {
    // Nothing else is there to see.
    let mut piped = Piped::start(&["-"]);
    piped.pipe.write_all(&b"Dear diary,\n".repeat(90)).unwrap();
    drop(piped.pipe);
    for words in ["Looked for: Claude Code", "Codex (JSON", "\"message\" entries", "Dear diary,"] {
        piped.screen.wait(words);
    }
    piped.screen.press("q");
    assert_eq!(piped.screen.ended(), 0);
    // Beside a log.
    for (columns, rows) in [(60, 15), (120, 40), (200, 60)] {
        let (mut screen, _folder) = on("log.jsonl", &std::fs::read(demo()).unwrap(), &[], columns, rows);
        screen.wait("○ at the end");
        screen.press(&format!(":{}\r", "x".repeat(300)));
        screen.wait("is no address here");
        let text = screen.until("what to do", |text| text.contains("g3 for a generation"));
        assert!(text.contains("pentimento"), "{text}");
        screen.press("k");
        screen.wait_without("is no address");
        screen.wait("q quit");
        screen.press("q");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn what_is_typed_stays_in_sight() {
    for keys in [":", "/", "F"] {
        let (mut screen, _folder) = on("log.jsonl", &std::fs::read(demo()).unwrap(), &[], 60, 15);
        screen.wait("○ at the end");
        screen.press(keys);
        screen.press(&format!("first{}last", "-".repeat(100)));
        let text = screen.until("the end of the line", |text| text.contains("-last"));
        assert!(!text.contains("first-"), "{text}");
        // Home.
        screen.press("\x1b[H");
        screen.wait("first-");
        screen.wait_without("-last");
        screen.press("\x03q");
        assert_eq!(screen.ended(), 0);
    }
}
