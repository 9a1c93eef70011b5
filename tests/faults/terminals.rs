//! Terminals that go away, stop, shrink or take nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use crate::processes::{state, wait, wait_for_end, wait_for_state};
use crate::pty::{self, Screen};
use crate::{demo, support};

const BINARY: &str = env!("CARGO_BIN_EXE_pentimento");

fn opened() -> Screen {
    let mut screen = Screen::start(&[&demo()], 120, 40);
    screen.wait("since g6");
    screen
}

fn is_given_back(screen: &Screen) -> bool {
    !screen.is_alternate() && !screen.captures_mouse() && !screen.hides_cursor()
}

/// What `stty` says of the terminal: raw or not.
fn is_raw(screen: &Screen) -> bool {
    let terminal = std::fs::read_link(format!("/proc/{}/fd/0", screen.process())).unwrap();
    let output = Command::new("stty").arg("-F").arg(terminal).arg("-a").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).contains("-icanon")
}

#[test]
fn every_signal_that_says_go_gives_the_terminal_back() {
    for name in ["TERM", "HUP", "INT", "QUIT"] {
        let mut screen = opened();
        screen.signal(name);
        assert_eq!(screen.ended(), 0, "{name}");
        assert!(is_given_back(&screen), "{name}");
    }
}

#[test]
fn a_stop_gives_the_terminal_back_and_going_on_draws_everything_anew() {
    let mut screen = opened();
    for by_key in [false, true] {
        assert!(is_raw(&screen) && screen.captures_mouse());
        if by_key {
            screen.press("\x1a");
        } else {
            screen.signal("TSTP");
        }
        wait_for_state(screen.process(), 'T');
        wait("terminal given back", || is_given_back(&screen));
        assert!(!is_raw(&screen), "the shell needs its line editing");
        // Somebody else uses the terminal meanwhile, and it gets another size.
        screen.resize(100, 30);
        screen.resize(120, 40);
        screen.signal("CONT");
        screen.wait("since g6");
        screen.wait("? help · q quit");
        assert!(is_raw(&screen) && screen.is_alternate());
        wait("mouse", || screen.captures_mouse());
    }
    screen.press("q");
    assert_eq!(screen.ended(), 0);
    assert!(is_given_back(&screen));
}

#[test]
fn a_stop_that_cannot_be_caught_is_made_up_for_when_it_goes_on() {
    let mut screen = opened();
    screen.signal("STOP");
    wait_for_state(screen.process(), 'T');
    let terminal = std::fs::read_link(format!("/proc/{}/fd/0", screen.process())).unwrap();
    assert!(Command::new("stty").arg("-F").arg(terminal).arg("sane").status().unwrap().success());
    assert!(!is_raw(&screen));
    let before = screen.received().len();
    screen.signal("CONT");
    wait("raw mode", || is_raw(&screen));
    wait("whole frame", || String::from_utf8_lossy(&screen.received()[before..]).contains("since g6"));
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

/// Runs in a process of its own, which the tests below kill: then all ends of its terminal are closed.
#[test]
#[ignore = "a part of other tests"]
fn somebody_else_with_a_terminal() {
    let program = std::env::var("FAULTS_PROGRAM").unwrap();
    let mut screen = Screen::silent("sh", &["-c", &program], 100, 30);
    screen.listen();
    wait("interface", || screen.text().contains("since g6"));
    println!("the interface is there");
    let _ = std::io::stdin().read(&mut [0]);
}

/// Runs the interface on a terminal as `how` says, takes the terminal away, and waits for the end.
fn lose_the_terminal(how: &str) {
    let folder = tempfile::tempdir().unwrap();
    let id = folder.path().join("id");
    let program =
        format!("{how} sh -c 'echo $$ >{}; exec {BINARY} {}' </dev/tty >/dev/tty 2>&1", id.display(), demo());
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "terminals::somebody_else_with_a_terminal", "--ignored", "--nocapture"])
        .env("FAULTS_PROGRAM", program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(other.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("the interface is there")));
    let process = std::fs::read_to_string(id).unwrap().trim().parse().unwrap();
    assert_ne!(state(process), None);
    other.kill().unwrap();
    other.wait().unwrap();
    wait_for_end(process);
}

#[test]
fn a_terminal_that_is_gone_ends_the_interface() {
    lose_the_terminal("");
}

#[test]
fn a_terminal_that_is_gone_ends_the_interface_where_no_signal_says_so() {
    // Another session, so that the terminal does not control the process: it gets no SIGHUP.
    lose_the_terminal("setsid --wait");
}

#[test]
fn a_terminal_that_takes_nothing_does_not_keep_it_from_ending() {
    let mut screen = Screen::silent(BINARY, &[&demo()], 200, 60);
    // Nobody reads: frames fill what the system keeps for the terminal, and the drawing waits.
    for _ in 0..200 {
        screen.press("[]");
    }
    pty::rest();
    screen.signal("TERM");
    wait_for_end(screen.process());
}

#[test]
fn the_smallest_terminals_are_drawn_and_keys_work() {
    for (columns, rows) in [(1, 1), (0, 0), (1, 60), (200, 1), (2, 2), (19, 3)] {
        let mut screen = Screen::start(&[&demo()], columns, rows);
        for keys in ["jjj", "\r", "?", "\x1b", "/a\r", "zz", "]", "\t", "G"] {
            screen.press(keys);
        }
        screen.resize(120, 40);
        screen.wait("356 records");
        screen.press("q");
        assert_eq!(screen.ended(), 0, "{columns}×{rows}");
    }
}

#[test]
fn a_storm_of_sizes_while_typing_and_reading_ends_in_a_whole_screen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let lines = std::fs::read_to_string(demo()).unwrap();
    let mut file = std::fs::File::create(&path).unwrap();
    let mut screen = Screen::start(&["--follow", support::text(&path)], 120, 40);
    let keys = ["j", "k", "\r", "[", "]", "\t", "z", "z", "?", "?", "1", "2", ":t3\r", "/a\r", "\x1b"];
    for (number, line) in lines.split_inclusive('\n').enumerate() {
        file.write_all(line.as_bytes()).unwrap();
        screen.press(keys[number % keys.len()]);
        let size = [(120, 40), (60, 15), (1, 1), (200, 60), (80, 24), (20, 4), (132, 9)][number % 7];
        screen.resize(size.0, size.1);
    }
    screen.resize(120, 40);
    screen.wait("356 records");
    // Out of whatever the keys led into; one Esc at a time, since two in one read are another key.
    for _ in 0..6 {
        screen.press("\x1b");
        pty::rest();
    }
    if !screen.text().contains("● following") {
        screen.press("f");
    }
    screen.wait("● following");
    let text = screen.until("whole frame", |text| text.contains("? help · q quit"));
    assert!(text.lines().filter(|line| line.contains('┌')).count() == 1, "{text}");
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn what_cannot_be_written_is_no_crash() {
    let missing = ["info", "/no/such/log"];
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let status = |arguments: &[&str], out: Stdio, error: Stdio| {
        let mut command = Command::new(BINARY);
        command.args(arguments).stdin(Stdio::null()).stdout(out).stderr(error).status().unwrap().code()
    };
    let demo = demo();
    assert_eq!(status(&missing, Stdio::null(), full()), Some(3), "a message that nobody can be told");
    assert_eq!(status(&[&demo], Stdio::null(), full()), Some(2));
    assert_eq!(status(&["nonsense", "and", "more"], Stdio::null(), full()), Some(2));
    assert_eq!(status(&["--help"], full(), full()), Some(0));
    assert_eq!(status(&["info", &demo], full(), full()), Some(3), "a result that cannot be written");
    let output = Command::new(BINARY).args(["info", &demo]).stdout(full()).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("cannot write the result: No space left"), "{message}");
}
