//! Hits, misses, damage, and copies that share the file.

use std::os::unix::fs::PermissionsExt;

use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn cache(&self) -> Cache<u32> {
        Cache::open_in(self.0.path(), "counts", "1")
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("counts.jsonl")
    }

    fn log(&self, name: &str, text: &str) -> (PathBuf, Stamp) {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        let stamp = Stamp::of(&std::fs::metadata(&path).unwrap());
        (path, stamp)
    }
}

#[test]
fn a_file_in_the_same_state_is_known_and_in_another_is_not() {
    let folder = Folder::new();
    let (path, before) = folder.log("a", "one");
    let mut cache = folder.cache();
    assert_eq!(cache.get(&before), None);
    cache.put(&path, before, 7);
    cache.save();

    let mut again = folder.cache();
    assert_eq!(again.get(&before), Some(&7));
    let (_, grown) = folder.log("a", "one more");
    assert_eq!(again.get(&grown), None);
    for other in [
        Stamp { device: before.device + 1, ..before },
        Stamp { inode: before.inode + 1, ..before },
        Stamp { bytes: before.bytes + 1, ..before },
        Stamp { modified: before.modified + 1, ..before },
    ] {
        assert_eq!(again.get(&other), None, "{other:?}");
    }
    again.put(&path, grown, 8);
    assert_eq!(again.get(&grown), Some(&8));
    assert_eq!(again.get(&before), None);
}

#[test]
fn only_its_owner_can_read_it_and_nothing_else_is_left_in_the_folder() {
    let folder = Folder::new();
    let (path, stamp) = folder.log("a", "");
    let mut cache = folder.cache();
    cache.put(&path, stamp, 1);
    cache.save();
    assert_eq!(std::fs::metadata(folder.file()).unwrap().permissions().mode() & 0o777, 0o600);
    let mut names: Vec<_> =
        std::fs::read_dir(folder.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a", "counts.jsonl"]);
    assert_eq!(cache.trouble(), None);
}

#[test]
fn copies_that_run_at_the_same_time_keep_each_others_entries() {
    let folder = Folder::new();
    let (a, stamp_a) = folder.log("a", "a");
    let (b, stamp_b) = folder.log("b", "b");
    let (mut one, mut two) = (folder.cache(), folder.cache());
    one.put(&a, stamp_a, 1);
    two.put(&b, stamp_b, 2);
    one.save();
    two.save();
    let mut third = folder.cache();
    assert_eq!(third.get(&stamp_a), Some(&1));
    assert_eq!(third.get(&stamp_b), Some(&2));
    // What a copy read long ago does not overwrite what another found out since.
    let mut stale = folder.cache();
    let newer = Stamp { modified: stamp_a.modified + 5, ..stamp_a };
    third.put(&a, newer, 3);
    third.save();
    stale.put(&b, stamp_b, 4);
    stale.save();
    let mut last = folder.cache();
    assert_eq!(last.get(&newer), Some(&3));
    assert_eq!(last.get(&stamp_b), Some(&4));
}

#[test]
fn entries_of_files_that_are_gone_are_dropped() {
    let folder = Folder::new();
    let (a, stamp_a) = folder.log("a", "a");
    let (b, stamp_b) = folder.log("b", "b");
    let mut cache = folder.cache();
    cache.put(&a, stamp_a, 1);
    cache.put(&b, stamp_b, 2);
    cache.save();
    std::fs::remove_file(&a).unwrap();
    let mut next = folder.cache();
    next.put(&b, stamp_b, 3);
    next.save();
    let text = std::fs::read_to_string(folder.file()).unwrap();
    assert_eq!(text.lines().count(), 2, "a header and one entry: {text}");
}

#[test]
fn a_damaged_cache_is_ignored_as_far_as_it_is_damaged_and_said_once() {
    let folder = Folder::new();
    let (a, stamp_a) = folder.log("a", "a");
    let mut cache = folder.cache();
    cache.put(&a, stamp_a, 1);
    cache.save();
    let mut text = std::fs::read_to_string(folder.file()).unwrap();
    text.push_str("{\"path\":\"/x\",\"devi");
    std::fs::write(folder.file(), &text).unwrap();
    let mut torn = folder.cache();
    assert_eq!(torn.get(&stamp_a), Some(&1));
    let trouble = torn.trouble().unwrap();
    assert!(trouble.contains("1 damaged") && trouble.contains("counts.jsonl"), "{trouble}");
    assert_eq!(torn.trouble(), None);

    std::fs::write(folder.file(), b"\xff\xfe\n").unwrap();
    let mut ruined = folder.cache();
    assert_eq!(ruined.get(&stamp_a), None);
    assert!(ruined.trouble().unwrap().contains("first line is damaged"));
    ruined.put(&a, stamp_a, 9);
    ruined.save();
    assert_eq!(folder.cache().get(&stamp_a), Some(&9), "it is whole again");
}

#[test]
fn another_versions_values_are_not_read() {
    let folder = Folder::new();
    let (a, stamp_a) = folder.log("a", "a");
    let mut cache = folder.cache();
    cache.put(&a, stamp_a, 1);
    cache.save();
    let mut newer = Cache::<u32>::open_in(folder.0.path(), "counts", "2");
    assert_eq!(newer.get(&stamp_a), None);
    assert_eq!(newer.trouble(), None);
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let folder = Folder::new();
    let (a, stamp_a) = folder.log("a", "a");
    let missing = folder.0.path().join("nowhere");
    let mut cache = Cache::<u32>::open_in(&missing, "counts", "1");
    cache.put(&a, stamp_a, 1);
    cache.save();
    assert!(cache.trouble().unwrap().contains("cannot be written"));
    assert_eq!(cache.get(&stamp_a), Some(&1), "it still serves this run");
    cache.put(&a, stamp_a, 2);
    cache.save();
    assert_eq!(cache.trouble(), None, "said once");
}

#[test]
fn paths_that_are_no_text_are_kept() {
    let folder = Folder::new();
    let path = folder.0.path().join(OsString::from_vec(b"od\xffd".to_vec()));
    std::fs::write(&path, "x").unwrap();
    let stamp = Stamp::of(&std::fs::metadata(&path).unwrap());
    let mut cache = folder.cache();
    cache.put(&path, stamp, 5);
    cache.save();
    let mut again = folder.cache();
    assert_eq!(again.get(&stamp), Some(&5));
    // Not used by this run, it stays because its file is there.
    let (b, stamp_b) = folder.log("b", "b");
    again = folder.cache();
    again.put(&b, stamp_b, 6);
    again.save();
    assert_eq!(folder.cache().get(&stamp), Some(&5));
}
