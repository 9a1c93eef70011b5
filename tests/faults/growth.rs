//! Logs that change while they are looked at: cut, replaced, rewritten, deleted, unreadable, grown by a byte and by a
//! hundred megabytes; and lines of sixty.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::processes::{bytes_read, peak_memory};
use crate::pty::{self, Screen};
use crate::samples::{SAMPLES, Sample};
use crate::support::{json, run, text};

/// A log in a folder of its own, and the interface on it.
struct Bench {
    folder: tempfile::TempDir,
    screen: Screen,
}

impl Bench {
    fn new(log: &str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs::write(&path, log).unwrap();
        let arguments: Vec<&str> = arguments.iter().copied().chain([text(&path)]).collect();
        let screen = Screen::start(&arguments, 120, 30);
        Self { folder, screen }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("session.jsonl")
    }

    fn append(&self) -> File {
        OpenOptions::new().append(true).open(self.path()).unwrap()
    }

    fn quit(mut self) {
        self.screen.press("q");
        assert_eq!(self.screen.ended(), 0);
        assert!(!self.screen.is_alternate());
    }
}

/// A log of `count` prompts that begin with `word`.
fn prompts(sample: &Sample, word: &str, count: usize) -> String {
    sample.prompts((1..=count).map(|number| format!("{word} {number}.")))
}

/// How the log is watched: by events, or by looking again and again.
const WAYS: [&[&str]; 2] = [&["--follow"], &["--follow", "--poll"]];

#[test]
fn a_log_that_is_no_longer_the_one_that_was_read_is_read_anew_and_the_screen_says_why() {
    type Change = fn(&Sample, &Path);
    let changes: [(&str, Change, &str); 5] = [
        ("truncated", |sample, path| fs::write(path, prompts(sample, "short", 2)).unwrap(), "short 2."),
        (
            "replaced",
            |sample, path| {
                let other = path.with_extension("new");
                fs::write(&other, prompts(sample, "other", 9)).unwrap();
                fs::rename(other, path).unwrap();
            },
            "other 9.",
        ),
        (
            // The same size and the same edges: only its middle differs.
            "rewritten",
            |sample, path| {
                let before = fs::read_to_string(path).unwrap();
                let after = before.replace("first 3.", "FIRST 3.");
                assert_eq!(before.len(), after.len(), "{}", sample.format);
                OpenOptions::new().write(true).open(path).unwrap().write_all_at(after.as_bytes(), 0).unwrap();
            },
            "FIRST 3.",
        ),
        (
            "deleted and is back",
            |sample, path| {
                fs::remove_file(path).unwrap();
                fs::write(path, prompts(sample, "again", 4)).unwrap();
            },
            "again 4.",
        ),
        (
            // A link turned to another file is another file.
            "replaced",
            |sample, path| {
                let other = path.with_extension("other");
                fs::write(&other, prompts(sample, "linked", 3)).unwrap();
                fs::remove_file(path).unwrap();
                std::os::unix::fs::symlink(other, path).unwrap();
            },
            "linked 3.",
        ),
    ];
    for sample in &SAMPLES {
        for way in WAYS {
            for (what, change, words) in &changes {
                let mut bench = Bench::new(&prompts(sample, "first", 6), way);
                bench.screen.wait("first 6.");
                bench.screen.wait("● following");
                pty::rest();
                change(sample, &bench.path());
                let deletes = words.starts_with("again") || words.starts_with("linked");
                // What happens in between may be seen, or not.
                let text = bench.screen.until("new epoch", |text| text.contains("read anew"));
                assert!(text.contains(what) || deletes, "{way:?} {what}: {text}");
                bench.screen.wait(words);
                bench.screen.wait("epoch 2");
                bench.quit();
            }
        }
    }
}

#[test]
fn a_deleted_log_stays_on_the_screen_and_comes_back() {
    for sample in &SAMPLES {
        for way in WAYS {
            let mut bench = Bench::new(&prompts(sample, "first", 6), way);
            bench.screen.wait("first 6.");
            fs::remove_file(bench.path()).unwrap();
            bench.screen.wait("✗ file deleted");
            bench.screen.press("k");
            // The detail's title: a key that is taken later would take the message away.
            bench.screen.wait("┌ t5 user");
            fs::write(bench.path(), prompts(sample, "again", 3)).unwrap();
            bench.screen.wait("the log was deleted and is back: read anew");
            bench.screen.wait("again 3.");
            bench.screen.wait_without("file deleted");
            bench.quit();
        }
    }
}

/// Something that can be opened and not be read, even by root.
const UNREADABLE: &str = "/proc/self/mem";

#[test]
fn a_log_that_cannot_be_read_says_so_and_is_read_once_it_can_be() {
    if !Path::new(UNREADABLE).exists() {
        eprintln!("skipped: there is no {UNREADABLE}");
        return;
    }
    for arguments in [&["info"][..], &["turns"], &["context"], &["tree"]] {
        let output = run(&[arguments, &[UNREADABLE]].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {message}");
        assert!(message.contains("cannot read at offset 0: Input/output error"), "{message}");
    }
    let mut screen = Screen::start(&[UNREADABLE], 120, 30);
    screen.wait("cannot read at offset 0");
    assert_eq!(screen.ended(), 3);
    for sample in &SAMPLES {
        let mut bench = Bench::new(&prompts(sample, "first", 6), &["--follow"]);
        bench.screen.wait("first 6.");
        let link = bench.path();
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(UNREADABLE, &link).unwrap();
        bench.screen.wait("✗ cannot be read");
        bench.screen.wait("what was read of it stays");
        bench.screen.wait("Input/output error");
        bench.screen.wait("first 6.");
        let other = link.with_extension("other");
        fs::write(&other, prompts(sample, "healed", 3)).unwrap();
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&other, &link).unwrap();
        bench.screen.wait("healed 3.");
        bench.screen.wait_without("cannot be read");
        bench.quit();
    }
}

#[test]
fn a_log_without_rights_says_so() {
    use std::os::unix::fs::PermissionsExt;
    for sample in &SAMPLES {
        let mut bench = Bench::new(&prompts(sample, "first", 6), &["--follow"]);
        bench.screen.wait("first 6.");
        let hidden = bench.path().with_extension("hidden");
        fs::write(&hidden, prompts(sample, "hidden", 6)).unwrap();
        fs::set_permissions(&hidden, fs::Permissions::from_mode(0o0)).unwrap();
        if File::open(&hidden).is_ok() {
            eprintln!("skipped: whoever runs this test may read everything");
            return;
        }
        fs::rename(&hidden, bench.path()).unwrap();
        bench.screen.wait("✗ cannot be read");
        bench.screen.wait("Permission denied");
        let output = run(&["info", text(&bench.path())]);
        assert_eq!(output.status.code(), Some(3));
        fs::set_permissions(bench.path(), fs::Permissions::from_mode(0o600)).unwrap();
        bench.screen.wait("hidden 6.");
        bench.quit();
    }
}

#[test]
fn something_else_in_place_of_the_log_is_named_and_what_was_read_stays() {
    type Place = fn(&Path);
    let places: [(&str, Place, Place); 3] = [
        ("a folder", |path| fs::create_dir(path).unwrap(), |path| fs::remove_dir(path).unwrap()),
        (
            "a pipe",
            |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            |path| fs::remove_file(path).unwrap(),
        ),
        (
            "a socket",
            |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
            |path| fs::remove_file(path).unwrap(),
        ),
    ];
    for (sample, (what, put, take)) in SAMPLES.iter().cycle().zip(places) {
        let mut bench = Bench::new(&prompts(sample, "first", 6), &["--follow"]);
        bench.screen.wait("first 6.");
        fs::remove_file(bench.path()).unwrap();
        put(&bench.path());
        bench.screen.wait("✗ cannot be read");
        bench.screen.wait("what was read of it stays");
        bench.screen.wait(what);
        bench.screen.press("k");
        bench.screen.wait("┌ t5 user");
        take(&bench.path());
        fs::write(bench.path(), prompts(sample, "again", 3)).unwrap();
        bench.screen.wait("again 3.");
        bench.quit();
    }
}

#[test]
fn a_record_that_comes_a_byte_at_a_time_is_one_record() {
    for sample in &SAMPLES {
        for way in WAYS {
            let mut bench = Bench::new(&prompts(sample, "first", 2), way);
            bench.screen.wait("first 2.");
            let mut file = bench.append();
            let lines = [sample.prompt(3, "byte by byte"), sample.prompt(4, "another")].join("\n") + "\n";
            for (at, byte) in lines.bytes().enumerate() {
                file.write_all(&[byte]).unwrap();
                if at == 40 {
                    bench.screen.wait("1 line unfinished");
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            bench.screen.wait("another");
            bench.screen.wait("turn 4");
            bench.screen.wait_without("unfinished");
            let whole = json(&["info", "--json", text(&bench.path())]);
            assert_eq!((&whole["malformed"], &whole["main_turns"]), (&0.into(), &4.into()));
            bench.quit();
        }
    }
}

/// Bytes that are added at once.
const MUCH: usize = 100 << 20;

#[test]
fn keys_are_answered_while_a_hundred_megabytes_are_read() {
    for sample in &SAMPLES {
        let mut bench = Bench::new(&prompts(sample, "first", 4), &["--follow"]);
        bench.screen.wait("first 4.");
        bench.screen.wait("● following");
        let filler = "many words and more of them, ".repeat(100);
        let line = sample.prompt(5, &filler) + "\n";
        let last = sample.prompt(6, "the last of many") + "\n";
        let more = line.repeat(MUCH / line.len()) + &last;
        bench.append().write_all(more.as_bytes()).unwrap();
        drop(more);
        // The help is opened and closed before the last record is there.
        bench.screen.wait_without("turn 4 ");
        bench.screen.press("?");
        bench.screen.wait("Help");
        bench.screen.press("?");
        bench.screen.wait_without("Help");
        bench.screen.press("1");
        let text = bench.screen.text();
        assert!(!text.contains("the last of many"), "keys waited until all was read:\n{text}");
        bench.screen.wait("the last of many");
        println!("peak memory {} KiB", peak_memory(bench.screen.process()));
        bench.quit();
    }
}

/// Bytes of a long line.
const LONG: usize = 60 << 20;

#[test]
fn a_line_of_sixty_megabytes_is_shown_without_stopping_the_interface() {
    for sample in &SAMPLES {
        let long = "a text of many words ".repeat(LONG / 21);
        let log = sample.prompts(["before it", &long, "after it"]);
        drop(long);
        let mut bench = Bench::new(&log, &[]);
        bench.screen.wait("after it");
        bench.screen.wait("turn 3");
        bench.screen.press("gjj");
        // The turn is selected and its text is being read: keys go on working.
        bench.screen.wait("reading 60.0 MiB …");
        bench.screen.press("?");
        bench.screen.wait("Help");
        bench.screen.press("?");
        bench.screen.wait("── text · 60.0 MiB");
        // From now on it is there: no frame and no key reads it again.
        let before = bytes_read(bench.screen.process());
        for keys in ["l", "j", "\r", "\x1b", "k", "\t", " ", " ", "\r", "G", "g", "\t", ":t2\r", "Y"] {
            bench.screen.press(keys);
        }
        bench.screen.wait("sent the first 96 KiB of");
        let after = bytes_read(bench.screen.process());
        assert!(after - before < 1 << 20, "{} bytes were read again", after - before);
        bench.screen.press("/after it\r");
        bench.screen.wait("/after it · 1 match");
        bench.quit();
        let shown = run(&["expand", text(log_of(&log).path()), "t2"]);
        assert!(shown.stdout.len() > LONG);
    }
}

fn log_of(log: &str) -> tempfile::NamedTempFile {
    crate::support::log_of(log.as_bytes())
}
