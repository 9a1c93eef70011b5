use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use super::super::{Item, KeptLine, KeptSummary, OptionalStore, Owner};
use super::*;

fn summary(text: &str) -> KeptSummary {
    KeptSummary {
        name: "test/1".to_owned(),
        budget: 100,
        text: text.to_owned(),
        lines: vec![KeptLine { range: 0..text.len(), turns: vec![1, 2, 3, 7] }],
    }
}

fn owner<'a>(session: &'a str, log: Option<&'a Path>) -> Owner<'a> {
    Owner { session, log, place: "u1..u9" }
}

#[test]
fn a_summary_comes_back_as_it_was_and_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_in(folder.path()).unwrap();
    let (hash, first) = ([7; 32], summary("- the first"));
    assert_eq!(store.summary(&hash, None).unwrap(), None);
    store.keep(&hash, &first, Some(owner("a", None))).unwrap();
    store.keep(&hash, &summary("- another"), None).unwrap();
    assert_eq!(store.summary(&hash, Some(owner("b", None))).unwrap(), Some(first));
    assert_eq!(store.summaries_of("b").unwrap(), [("u1..u9".to_owned(), hash)]);
}

#[test]
fn pins_marks_and_notes_outlive_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (record, content) = (Item::Record("u1".into()), Item::Content("u1".into()));
    {
        let store = Store::open_in(folder.path()).unwrap();
        store.pin("a", &record, Some(true)).unwrap();
        store.class("a", &record, Some("decision")).unwrap();
        store.pin("a", &content, Some(false)).unwrap();
        store.pin("a", &content, None).unwrap();
        store.mark("a", &record, Some("here")).unwrap();
        store.mark("a", &content, Some("there")).unwrap();
        store.mark("a", &content, None).unwrap();
        let dropped = store.note("a", &record, "not this").unwrap();
        store.note("a", &content, "this").unwrap();
        assert!(store.drop_note("a", dropped).unwrap());
    }
    let store = Store::open_in(folder.path()).unwrap();
    let pins = store.pins("a").unwrap();
    assert_eq!(pins.len(), 1);
    assert_eq!((pins[0].pinned, pins[0].class.as_deref()), (Some(true), Some("decision")));
    assert_eq!(store.marks("a").unwrap(), [(record, "here".to_owned())]);
    let notes: Vec<_> = store.notes("a").unwrap().into_iter().map(|note| (note.item, note.text)).collect();
    assert_eq!(notes, [(content, "this".to_owned())]);
    assert_eq!(store.pins("b").unwrap(), []);
}

#[test]
fn its_files_are_for_their_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), "").unwrap();
    std::fs::set_permissions(folder.path().join(FILE), Permissions::from_mode(0o666)).unwrap();
    let store = Store::open_in(folder.path()).unwrap();
    store.pin("a", &Item::Record("u1".into()), Some(true)).unwrap();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().mode() & 0o777, 0o600, "{:?}", entry.path());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"]);
}

#[test]
fn an_older_file_gets_what_it_lacks_and_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let old = Connection::open(folder.path().join(FILE)).unwrap();
    old.execute_batch(schema::STEPS[0]).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute("INSERT INTO summaries VALUES (?1, 'n', 5, 'text', '[[0,4,[[1,2]]]]')", [[1u8; 32]]).unwrap();
    drop(old);
    let store = Store::open_in(folder.path()).unwrap();
    assert_eq!(store.summary(&[1; 32], None).unwrap().unwrap().lines[0].turns, [1, 2]);
    store.pin("a", &Item::Record("u1".into()), Some(true)).unwrap();
    assert_eq!(store.read(schema::version).unwrap(), schema::KNOWN);
}

#[test]
fn a_newer_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    let new = Connection::open(&file).unwrap();
    new.pragma_update(None, "user_version", schema::KNOWN + 1).unwrap();
    drop(new);
    let before = std::fs::read(&file).unwrap();
    let optional = OptionalStore::open_in(folder.path());
    assert_eq!(optional.ask(|store| store.pins("a")), None);
    let trouble = optional.trouble().unwrap();
    assert!(trouble.contains("newer") && trouble.contains("store.sqlite"), "{trouble}");
    assert_eq!(optional.trouble(), None, "it is told once");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn what_cannot_be_used_is_told_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    std::fs::write(&file, "this is no database, whatever it is called").unwrap();
    assert!(matches!(Store::open_in(folder.path()), Err(StoreError::Damaged { .. })));
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("this is no"));
    assert!(matches!(Store::open_in(Path::new("/nowhere/at-all")), Err(StoreError::Failed { .. })));
    assert!(Store::open_in(Path::new("/proc")).is_err());
}

#[test]
fn damage_in_the_middle_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    let store = Store::open_in(folder.path()).unwrap();
    for number in 0..200u8 {
        store.keep(&[number; 32], &summary(&"a long text ".repeat(200)), Some(owner("a", None))).unwrap();
    }
    drop(store);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    let optional = OptionalStore::open_in(folder.path());
    assert_eq!(optional.ask(|store| store.summary(&[3; 32], None)), None);
    let trouble = optional.trouble().unwrap();
    assert!(trouble.contains("damaged"), "{trouble}");
}

#[test]
fn a_locked_file_is_told_and_works_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let optional = OptionalStore::open_in(folder.path());
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let item = Item::Record("u1".into());
    assert_eq!(optional.ask(|store| store.pin("a", &item, Some(true))), None);
    let trouble = optional.trouble().unwrap();
    assert!(trouble.contains("another copy"), "{trouble}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(optional.ask(|store| store.pin("a", &item, Some(true))), Some(()));
    assert_eq!(optional.trouble(), None);
}

/// Every file below a folder, with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn what_is_forgotten_is_in_no_file() {
    const SECRET: &str = "the launch code is 7391";
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_in(folder.path()).unwrap();
    let log = Path::new("/gone/log.jsonl");
    let item = Item::Record(SECRET.replace(' ', "-"));
    // Much of it, replaced and moved about, so that it stands in freed pages and in the log of writes too.
    for number in 0..60u8 {
        let text = format!("{SECRET} {number} ").repeat(usize::from(number) * 10 + 1);
        store.keep(&[number; 32], &summary(&text), Some(owner("a", Some(log)))).unwrap();
        store.keep(&[number + 100; 32], &summary("what stays"), Some(owner("b", None))).unwrap();
        store.note("a", &item, &text).unwrap();
        store.mark("a", &item, Some(&text)).unwrap();
        store.class("a", &item, Some(&text)).unwrap();
    }
    assert!(store.summary(&[5; 32], Some(owner("b", None))).unwrap().is_some());
    let holds = |needle: &str| {
        let holds =
            |(_, bytes): &(PathBuf, Vec<u8>)| memchr::memmem::find(bytes, needle.as_bytes()).is_some();
        files(folder.path()).iter().filter(|file| holds(file)).count()
    };
    assert!(holds(SECRET) > 0);
    assert_eq!(store.sessions_at(log).unwrap(), ["a"]);
    let forgotten = store.forget(&BTreeSet::from(["a".to_owned()])).unwrap();
    assert_eq!((forgotten.summaries, forgotten.pins, forgotten.marks, forgotten.notes), (60, 1, 1, 60));
    for needle in [SECRET, "the-launch-code", "gone.jsonl"] {
        assert_eq!(holds(needle), 0, "{needle}");
    }
    assert_eq!(store.summary(&[105; 32], None).unwrap().unwrap().text, "what stays");
    assert_eq!(store.sessions_at(log).unwrap(), Vec::<String>::new());
}

#[test]
fn forgetting_while_another_copy_reads_says_that_it_is_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_in(folder.path()).unwrap();
    store.keep(&[1; 32], &summary("text"), Some(owner("a", None))).unwrap();
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    other.execute_batch("BEGIN; SELECT count(*) FROM summaries").unwrap();
    let sessions = BTreeSet::from(["a".to_owned()]);
    assert!(matches!(store.forget(&sessions), Err(StoreError::Busy { .. })));
    other.execute_batch("ROLLBACK").unwrap();
    assert!(store.forget(&sessions).unwrap().is_empty(), "the rows are gone; now their bytes are too");
}

#[test]
fn copies_that_open_a_new_file_at_once_lose_no_pin() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::thread::scope(|scope| {
        for copy in 0..4 {
            scope.spawn(move || {
                let store = Store::open_in(at).unwrap();
                for number in 0..25 {
                    store.pin("a", &Item::Record(format!("{copy}-{number}")), Some(true)).unwrap();
                }
            });
        }
    });
    assert_eq!(Store::open_in(at).unwrap().pins("a").unwrap().len(), 100);
}

#[test]
#[ignore = "a part of the next test, in a process of its own"]
fn writer_that_is_killed() {
    let Some(folder) = std::env::var_os("STORE_UNDER_TEST") else { return };
    let store = Store::open_in(Path::new(&folder)).unwrap();
    for number in 0u32.. {
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_le_bytes());
        let kept = store.keep(&hash, &summary(&format!("{number} ").repeat(2_000)), Some(owner("a", None)));
        let pinned = store.pin("a", &Item::Record(number.to_string()), Some(true));
        if let Err(error) = kept.and(pinned) {
            println!("trouble {error}");
            return;
        }
        println!("pinned {number}");
    }
}

/// The test above as a process, after the shell commands `first`.
fn writer(folder: &Path, first: &str) -> Command {
    let mut command = Command::new("sh");
    let test = "store::database::tests::writer_that_is_killed";
    let program = std::env::current_exe().unwrap();
    let script = format!("{first} exec \"$0\" --ignored --exact --nocapture {test}");
    command.arg("-c").arg(script).arg(program).env("STORE_UNDER_TEST", folder);
    command
}

/// The highest number that a writer said it had pinned.
fn said(output: &str) -> Option<u32> {
    output.lines().filter_map(|line| line.split("pinned ").nth(1)?.trim().parse().ok()).max()
}

/// All that a writer said it had pinned is there, and every summary is whole.
fn check(folder: &Path, last: u32) {
    let store = Store::open_in(folder).unwrap();
    let pins = store.pins("a").unwrap();
    for number in 0..=last {
        assert!(pins.iter().any(|pin| pin.item == Item::Record(number.to_string())), "pin {number} is lost");
    }
    for (_, hash) in store.summaries_of("a").unwrap() {
        let number = u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]);
        let kept = store.summary(&hash, None).unwrap().unwrap();
        assert_eq!(kept.text, format!("{number} ").repeat(2_000));
    }
}

#[test]
fn a_killed_writer_loses_no_pin_and_leaves_no_half_summary() {
    use std::io::{BufRead, BufReader};
    for stop_at in [3u32, 17, 40] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = writer(folder.path(), "").stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut last = None;
        while last < Some(stop_at) {
            last = said(&lines.next().unwrap().unwrap()).or(last);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let rest: Vec<String> = lines.map_while(Result::ok).collect();
        check(folder.path(), said(&rest.join("\n")).or(last).unwrap());
    }
}

#[test]
fn a_full_disk_is_told_and_what_was_kept_stays() {
    let folder = tempfile::tempdir().unwrap();
    let output = writer(folder.path(), "trap '' XFSZ; ulimit -f 400;").output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let trouble = output.lines().find(|line| line.contains("trouble ")).expect("it says what happened");
    assert!(trouble.contains("store.sqlite"), "{trouble}");
    check(folder.path(), said(&output).expect("some was kept before"));
}

#[test]
fn a_store_that_is_held_is_waited_for_once_and_gets_the_rest_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open_in(folder.path()).unwrap());
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = OptionalStore::open_in(folder.path());
    let begun = std::time::Instant::now();
    for number in 0..9 {
        store.keep(move |store| store.keep(&[number; 32], &summary("- text"), Some(owner("a", None))));
        assert!(store.ask(|store| store.summary(&[number; 32], None)).unwrap().is_none(), "reading goes on");
    }
    let waited = begun.elapsed();
    assert!((WAIT..WAIT * 2).contains(&waited), "{waited:?}");
    assert_eq!(store.keep_rest(), 9);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.keep_rest(), 0);
    assert_eq!(store.trouble(), None, "nothing is missing");
    let kept = Store::open_in(folder.path()).unwrap();
    assert_eq!(kept.summaries_of("a").unwrap().len(), 9);
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join(FILE);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = Store::open_in(folder.path()).unwrap_err().to_string();
    assert!(refused.ends_with("store.sqlite: is no regular file"), "{refused}");
}
