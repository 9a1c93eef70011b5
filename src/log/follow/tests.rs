use super::*;
use std::fs::{self, OpenOptions};
use std::io::Write;

struct Bench {
    folder: tempfile::TempDir,
    tail: Tail,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tail = Tail::new(&folder.path().join("log"));
        Self { folder, tail }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.path()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Everything up to the next poll that finds nothing more, in words.
    fn drain(&mut self) -> Vec<String> {
        let mut seen = Vec::new();
        for _ in 0..100 {
            match self.tail.poll() {
                Update::Nothing => return seen,
                Update::Lines(batch) => {
                    seen.extend(batch.lines().map(|l| String::from_utf8_lossy(l.bytes).into_owned()));
                }
                Update::Epoch(epoch) => seen.push(format!("{epoch:?}!")),
                Update::Waiting => return [seen, vec!["waiting".into()]].concat(),
                Update::Gone => return [seen, vec!["gone".into()]].concat(),
                Update::Displaced(error) => return [seen, vec![format!("displaced: {error}")]].concat(),
                Update::Unreadable(error) => return [seen, vec![error.to_string()]].concat(),
            }
        }
        unreachable!("a tail must come to rest")
    }
}

/// Makes sure that a write gets another modification time than the one before.
fn let_the_clock_tick() {
    std::thread::sleep(std::time::Duration::from_millis(20));
}

#[test]
fn a_file_that_does_not_exist_yet_is_waited_for() {
    let mut b = Bench::new();
    assert_eq!(b.drain(), ["waiting"]);
    b.append("a\n");
    assert_eq!(b.drain(), ["a"]);
}

#[test]
fn appended_lines_come_once_and_torn_ones_when_they_are_whole() {
    let mut b = Bench::new();
    b.append("a\nb");
    assert_eq!(b.drain(), ["a"]);
    assert_eq!(b.tail.open_line().unwrap().bytes, b"b");
    b.append("c\nd\n");
    assert_eq!(b.drain(), ["bc", "d"]);
    assert_eq!(b.drain(), [""; 0]);
}

#[test]
fn a_truncated_file_starts_a_new_epoch() {
    let mut b = Bench::new();
    b.append("aaaa\nbbbb\n");
    b.drain();
    fs::write(b.path(), "c\n").unwrap();
    assert_eq!(b.drain(), ["Truncated!", "c"]);
}

#[test]
fn a_replaced_file_starts_a_new_epoch_after_the_rest_of_the_old_one() {
    let mut b = Bench::new();
    b.append("a\n");
    b.drain();
    b.append("b\n");
    fs::rename(b.path(), b.folder.path().join("old")).unwrap();
    b.append("c\n");
    assert_eq!(b.drain(), ["b", "Replaced!", "c"]);
}

#[test]
fn a_rewrite_of_the_same_size_is_noticed_even_in_the_middle() {
    let mut b = Bench::new();
    let long = "x".repeat(20_000);
    b.append(&format!("{long}\n{long}\nend\n"));
    b.drain();
    let_the_clock_tick();
    let mut bytes = fs::read(b.path()).unwrap();
    bytes[10_000] = b'y';
    fs::write(b.path(), bytes).unwrap();
    let seen = b.drain();
    assert!(seen[0] == "Rewritten!" || seen[0] == "Truncated!", "{:?}", seen[0]);
    assert_eq!(seen.len(), 4);
}

#[test]
fn a_rewrite_that_grows_is_noticed_at_its_head() {
    let mut b = Bench::new();
    b.append("session one\n");
    b.drain();
    let file = OpenOptions::new().write(true).open(b.path()).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"session two, longer\n", 0).unwrap();
    assert_eq!(b.drain(), ["Rewritten!", "session two, longer"]);
}

#[test]
fn a_touch_changes_nothing() {
    let mut b = Bench::new();
    b.append("a\n");
    b.drain();
    let_the_clock_tick();
    let bytes = fs::read(b.path()).unwrap();
    let file = OpenOptions::new().write(true).open(b.path()).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &bytes, 0).unwrap();
    assert_eq!(b.drain(), [""; 0]);
}

#[test]
fn a_deleted_file_is_said_to_be_gone_and_comes_back_as_a_new_epoch() {
    let mut b = Bench::new();
    b.append("a\n");
    b.drain();
    fs::remove_file(b.path()).unwrap();
    assert_eq!(b.drain(), ["gone"]);
    b.append("b\n");
    assert_eq!(b.drain(), ["Recreated!", "b"]);
}

#[test]
fn a_folder_cannot_be_read_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut tail = Tail::new(folder.path());
    let Update::Unreadable(error) = tail.poll() else { unreachable!("a folder is no log") };
    assert!(error.to_string().contains("folder"), "{error}");
}
