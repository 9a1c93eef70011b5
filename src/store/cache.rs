//! What is known of files, kept until the files change.
//!
//! One file of JSON lines in the state folder, with rights for its owner alone. An entry holds for one state of one
//! file: its device, inode, length and modification time. Several running copies share the file: each writes a whole
//! new one beside it and renames it, after taking over what the others wrote meanwhile. Two that do so at the same
//! moment may lose entries, which costs reading those files again and nothing else. A cache that cannot be read or
//! written is done without, and the person is told once.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Entries kept at the most; beyond, those of the files that changed longest ago go.
const MOST: usize = 100_000;

/// One state of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its length.
    pub bytes: u64,
    /// When it changed last, in nanoseconds since the epoch.
    pub modified: i64,
}

impl Stamp {
    /// The state that `meta` tells of.
    pub fn of(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            bytes: meta.len(),
            modified: meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec()),
        }
    }

    /// The file, in whatever state.
    pub fn file(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

/// The first line of the file: entries of another version are not read.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    cache: String,
    version: String,
}

/// One more line.
#[derive(Debug, Serialize, Deserialize)]
struct Entry<T> {
    path: Name,
    #[serde(flatten)]
    stamp: Stamp,
    value: T,
    /// Asked for, or new, since the file was read.
    #[serde(skip)]
    used: bool,
}

/// Entries by the file they are about.
type Entries<T> = HashMap<(u64, u64), Entry<T>>;

/// A path in JSON: text, or bytes where it is no text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

impl Name {
    fn of(path: &Path) -> Self {
        // The next run may be started elsewhere.
        let path = &*std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_bytes().to_vec()),
        }
    }

    fn path(&self) -> PathBuf {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes.clone()).into(),
        }
    }
}

/// Values kept by the state of the file they are about.
#[derive(Debug)]
pub struct Cache<T> {
    /// Nothing where there is no state folder: entries live as long as the run.
    file: Option<PathBuf>,
    header: Header,
    entries: Entries<T>,
    /// Something is to be written.
    changed: bool,
    trouble: Option<String>,
}

impl<T: Serialize + DeserializeOwned> Cache<T> {
    /// The cache called `name` in the state folder; `version` is that of the values' meaning.
    pub fn open(name: &str, version: &str) -> Self {
        match super::state_folder() {
            Ok(folder) => Self::open_in(&folder, name, version),
            Err(error) => {
                let mut cache = Self::empty(None, name, version);
                cache.trouble = Some(format!("nothing is kept for the next start: {error}"));
                cache
            }
        }
    }

    /// The same in the folder `folder`.
    pub fn open_in(folder: &Path, name: &str, version: &str) -> Self {
        let mut cache = Self::empty(Some(folder.join(format!("{name}.jsonl"))), name, version);
        match cache.read() {
            Ok((entries, damaged)) => {
                cache.entries = entries;
                if damaged > 0 {
                    cache.changed = true;
                    cache.note(&format!("{damaged} damaged lines are left out"));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => cache.note(&format!("not used: {error}")),
        }
        cache
    }

    fn empty(file: Option<PathBuf>, name: &str, version: &str) -> Self {
        let header = Header { cache: name.to_owned(), version: version.to_owned() };
        Self { file, header, entries: HashMap::new(), changed: false, trouble: None }
    }

    /// What is kept of the file in exactly this state.
    pub fn get(&mut self, stamp: &Stamp) -> Option<&T> {
        let entry = self.entries.get_mut(&stamp.file()).filter(|entry| entry.stamp == *stamp)?;
        entry.used = true;
        Some(&entry.value)
    }

    /// Keeps `value` of the file at `path` in this state, in place of what was kept of it in any other.
    pub fn put(&mut self, path: &Path, stamp: Stamp, value: T) {
        let entry = Entry { path: Name::of(path), stamp, value, used: true };
        self.entries.insert(stamp.file(), entry);
        self.changed = true;
    }

    /// Deletes what is kept of the file at `path`, in whatever state, and writes the rest at once. The answer is how
    /// many entries went. A copy that runs and lists that file may write it again.
    pub fn forget(&mut self, path: &Path) -> io::Result<usize> {
        self.take_over();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let file = std::fs::metadata(&path).map(|meta| Stamp::of(&meta).file()).ok();
        let before = self.entries.len();
        self.entries.retain(|other, entry| Some(*other) != file && entry.path.path() != path);
        let gone = before - self.entries.len();
        match &self.file {
            Some(file) if gone > 0 => self.write(file).map(|()| gone),
            _ => Ok(gone),
        }
    }

    /// What is wrong with the file, told once.
    pub fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// Writes the file anew if something changed. Entries whose file is gone are dropped.
    pub fn save(&mut self) {
        let Some(file) = self.file.clone().filter(|_| self.changed) else { return };
        self.changed = false;
        self.take_over();
        self.entries.retain(|_, entry| entry.used || is_there(&entry.path.path()));
        self.bound();
        if let Err(error) = self.write(&file) {
            // What cannot be written now is not tried again and again.
            self.file = None;
            self.note_of(&file, &format!("cannot be written: {error}"));
        }
    }

    /// What other copies wrote since, where this run knows no better.
    fn take_over(&mut self) {
        let Ok((theirs, _)) = self.read() else { return };
        for (file, entry) in theirs {
            let ours = self.entries.get(&file);
            if ours.is_none_or(|ours| !ours.used) {
                self.entries.insert(file, entry);
            }
        }
    }

    fn bound(&mut self) {
        let Some(surplus) = self.entries.len().checked_sub(MOST).filter(|surplus| *surplus > 0) else {
            return;
        };
        let mut by_age: Vec<((u64, u64), i64)> =
            self.entries.iter().map(|(file, entry)| (*file, entry.stamp.modified)).collect();
        by_age.sort_unstable_by_key(|(_, modified)| *modified);
        for (file, _) in &by_age[..surplus] {
            self.entries.remove(file);
        }
    }

    /// The entries in the file, and how many of its lines are damaged.
    fn read(&self) -> io::Result<(Entries<T>, usize)> {
        let Some(file) = &self.file else { return Ok((HashMap::new(), 0)) };
        let mut lines = BufReader::new(std::fs::File::open(file)?).split(b'\n');
        let first = lines.next().transpose()?.unwrap_or_default();
        match serde_json::from_slice::<Header>(&first) {
            Ok(header) if header == self.header => {}
            // Another version's: no damage, but nothing to us.
            Ok(_) => return Ok((HashMap::new(), 0)),
            Err(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, "its first line is damaged")),
        }
        let (mut entries, mut damaged) = (HashMap::new(), 0);
        for line in lines {
            match serde_json::from_slice::<Entry<T>>(&line?) {
                Ok(entry) => drop(entries.insert(entry.stamp.file(), entry)),
                Err(_) => damaged += 1,
            }
        }
        Ok((entries, damaged))
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let beside = file.with_extension(format!("{}.new", std::process::id()));
        let written = self.write_to(&beside).and_then(|()| std::fs::rename(&beside, file));
        if written.is_err() {
            // The first error is the one to tell of.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        // A leftover of a process that had this number and died.
        let _ = std::fs::remove_file(path);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let mut out = BufWriter::new(file);
        let mut line = |value: &[u8]| out.write_all(value).and_then(|()| out.write_all(b"\n"));
        line(&serde_json::to_vec(&self.header)?)?;
        for entry in self.entries.values() {
            line(&serde_json::to_vec(entry)?)?;
        }
        out.flush()
    }

    fn note(&mut self, what: &str) {
        if let Some(file) = self.file.clone() {
            self.note_of(&file, what);
        }
    }

    fn note_of(&mut self, file: &Path, what: &str) {
        self.trouble = Some(format!("{}: {what}; logs are read again instead", file.display()));
    }
}

/// Whether a file is still there, as far as that can be told.
fn is_there(path: &Path) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests;
