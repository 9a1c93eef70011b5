use super::*;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::super::follow::{Tail, Update};

fn zstd(text: &str) -> Vec<u8> {
    ::zstd::encode_all(text.as_bytes(), 1).unwrap()
}

/// A log in a folder and its follower; its spools lie in memory.
struct Bench {
    folder: tempfile::TempDir,
    tail: Tail,
}

impl Bench {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("log"), bytes).unwrap();
        let tail = Tail::new(&folder.path().join("log"));
        Self { folder, tail }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Puts another file in place of the log.
    fn replace(&self, bytes: &[u8]) {
        let new = self.folder.path().join("new");
        std::fs::write(&new, bytes).unwrap();
        std::fs::rename(new, self.path()).unwrap();
    }

    /// What polls bring until `end` is among it, in words.
    fn until(&mut self, end: &str) -> Vec<String> {
        let (begun, mut seen) = (Instant::now(), Vec::new());
        loop {
            assert!(begun.elapsed() < Duration::from_secs(20), "no {end:?} in {seen:?}");
            let done = seen.iter().any(|line| line == end);
            match self.tail.poll() {
                Update::Nothing | Update::Gone if done => return seen,
                Update::Nothing => std::thread::sleep(Duration::from_millis(1)),
                Update::Lines(batch) => {
                    seen.extend(batch.lines().map(|l| String::from_utf8_lossy(l.bytes).into_owned()));
                }
                Update::Epoch(epoch) => seen.push(format!("{epoch:?}!")),
                Update::Gone => seen.push("gone".to_owned()),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Polls until the spool has ended, and what is wrong with it.
    fn trouble(&mut self) -> Option<String> {
        loop {
            let flow = self.tail.flow().unwrap();
            if flow.ended {
                return flow.trouble.map(|trouble| trouble.to_string());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn a_compressed_file_is_followed_like_a_plain_one() {
    let mut b = Bench::new(&zstd("a\nb\n"));
    assert_eq!(b.until("b"), ["a", "b"]);
    b.replace(&zstd("c\nd\n"));
    assert_eq!(b.until("d"), ["Replaced!", "c", "d"]);
    std::fs::remove_file(b.path()).unwrap();
    assert_eq!(b.until("gone"), ["gone"]);
    std::fs::write(b.path(), zstd("e\n")).unwrap();
    assert_eq!(b.until("e"), ["Recreated!", "e"]);
}

#[test]
fn a_plain_file_may_become_a_compressed_one_and_the_other_way() {
    let mut b = Bench::new(b"a\n");
    assert_eq!(b.until("a"), ["a"]);
    b.replace(&zstd("a\nb\n"));
    assert_eq!(b.until("b"), ["Replaced!", "a", "b"]);
    b.replace(b"c\n");
    assert_eq!(b.until("c"), ["Replaced!", "c"]);
    // In place, longer than before.
    std::fs::write(b.path(), zstd("d\n")).unwrap();
    let seen = b.until("d");
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen[0].ends_with('!'), "{seen:?}");
}

#[test]
fn a_file_that_is_still_too_short_to_tell_may_turn_out_to_be_compressed() {
    for count in 0..6 {
        let packed = zstd("a\n");
        let mut b = Bench::new(&packed[..count]);
        for _ in 0..3 {
            assert!(matches!(b.tail.poll(), Update::Nothing), "{count}");
        }
        std::fs::write(b.path(), &packed).unwrap();
        assert_eq!(b.until("a"), ["a"], "{count}");
    }
}

#[test]
fn frames_that_are_appended_are_read_on() {
    let (first, second) = (zstd("a\nb"), zstd("c\nd\n"));
    let mut b = Bench::new(&first);
    assert_eq!(b.until("a"), ["a"]);
    assert_eq!(b.trouble(), None);
    assert_eq!(b.tail.open_line().unwrap().bytes, b"b");
    let mut file = std::fs::OpenOptions::new().append(true).open(b.path()).unwrap();
    let (half, rest) = second.split_at(second.len() / 2);
    file.write_all(half).unwrap();
    while b.trouble().is_none() {
        b.tail.poll();
    }
    assert!(b.trouble().unwrap().contains("cut off"));
    file.write_all(rest).unwrap();
    assert_eq!(b.until("d"), ["bc", "d"]);
    assert_eq!(b.trouble(), None);
}

#[test]
fn a_damaged_file_is_read_anew_when_it_is_mended() {
    let mut packed = zstd(&"a line\n".repeat(1_000));
    let whole = packed.clone();
    packed.truncate(whole.len() - 4);
    packed.extend([0xFF; 40]);
    let mut b = Bench::new(&packed);
    let trouble = b.trouble();
    for _ in 0..3 {
        b.tail.poll();
    }
    assert!(trouble.is_some());
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(b.path(), [&whole[..], &zstd("end\n")].concat()).unwrap();
    let seen = b.until("end");
    assert!(seen.iter().any(|line| line.ends_with('!')), "{:?}", &seen[..3]);
    assert_eq!(b.trouble(), None);
}

#[test]
fn a_stream_is_there_as_soon_as_it_comes_and_can_be_read_back() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let mut b = Bench::new(b"");
    b.tail = Tail::of_stream(Path::new("-"), reader, Err("a test".to_owned())).unwrap();
    writer.write_all(b"one\ntw").unwrap();
    assert_eq!(b.until("one"), ["one"]);
    assert!(!b.tail.flow().unwrap().ended);
    writer.write_all(b"o\n").unwrap();
    assert_eq!(b.until("two"), ["two"]);
    drop(writer);
    assert_eq!(b.trouble(), None);
    let source = b.tail.source().unwrap();
    assert_eq!(source.read(2, 4).unwrap(), b"e\ntw");
    assert!(source.read(2, 40).is_err());
    assert!(b.tail.flow().unwrap().in_memory.unwrap().contains("a test"));
}

#[test]
fn whoever_waits_is_told_when_something_comes() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let spool = Spool::of_stream(reader, Err("a test".to_owned())).unwrap();
    let (sender, waited) = channel();
    let waiting = Arc::clone(&spool);
    std::thread::spawn(move || {
        for offset in [0, 3, 3] {
            waiting.wait_beyond(offset);
            sender.send(waiting.state().length).unwrap();
        }
    });
    writer.write_all(b"abc").unwrap();
    let patience = Duration::from_secs(20);
    // What cannot be the beginning of a compressed log yet is passed on byte by byte.
    assert!((1..=3).contains(&waited.recv_timeout(patience).unwrap()));
    drop(writer);
    assert_eq!(waited.recv_timeout(patience).unwrap(), 3);
    assert_eq!(waited.recv_timeout(patience).unwrap(), 3);
}

/// A reader that goes on for ever and tells when it is dropped.
struct Endless(std::sync::mpsc::Sender<()>);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        std::thread::sleep(Duration::from_millis(1));
        buffer[..2].copy_from_slice(b"a\n");
        Ok(2)
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// A reader with a fault.
struct Faulty;

impl Read for Faulty {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("on purpose")
    }
}

#[test]
fn a_fault_ends_the_waiting_and_is_said() {
    let spool = Spool::of_stream(Faulty, Err("a test".to_owned())).unwrap();
    spool.wait_beyond(0);
    assert!(spool.flow().ended);
    assert!(spool.flow().trouble.unwrap().cause.contains("fault"));
}

#[test]
fn nothing_is_read_for_a_spool_that_nobody_has_any_more() {
    let (sender, dropped) = channel();
    let spool = Spool::of_stream(Endless(sender), Err("a test".to_owned())).unwrap();
    spool.wait_beyond(0);
    drop(spool);
    dropped.recv_timeout(Duration::from_secs(20)).expect("the thread ends");
}
