//! Where a spool's bytes lie: a file without a name, or memory.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Bytes kept in memory at the most.
const MEMORY: u64 = 1 << 30;
/// Bytes under one allocation of memory.
const PIECE: usize = 1 << 20;

/// Bytes that only grow and are read by offset.
#[derive(Debug)]
pub(super) enum Shelf {
    /// A file that no folder lists any more.
    File {
        /// The file.
        file: File,
        /// The folder it was made in, for messages.
        folder: PathBuf,
    },
    /// Memory.
    Memory {
        /// All of [`PIECE`] bytes, but the last.
        pieces: RwLock<Vec<Vec<u8>>>,
        /// Why there is no file.
        why: String,
        /// See [`MEMORY`].
        limit: u64,
    },
}

impl Shelf {
    /// A shelf in `folder`, or in memory where that cannot be written.
    pub(super) fn new(folder: Result<PathBuf, String>) -> Self {
        let made = folder.and_then(|folder| match nameless(&folder) {
            Ok(file) => Ok(Self::File { file, folder }),
            Err(error) => Err(format!("{}: {error}", folder.display())),
        });
        made.unwrap_or_else(|why| Self::memory(why, MEMORY))
    }

    fn memory(why: String, limit: u64) -> Self {
        Self::Memory { pieces: RwLock::default(), why, limit }
    }

    /// Why the bytes are kept in memory, if they are.
    pub(super) fn in_memory(&self) -> Option<&str> {
        match self {
            Self::File { .. } => None,
            Self::Memory { why, .. } => Some(why),
        }
    }

    /// Puts `bytes` behind the `length` there are. The answer is how many of them, and why not all.
    pub(super) fn append(&self, bytes: &[u8], length: u64) -> (usize, Result<(), String>) {
        match self {
            Self::File { file, folder } => {
                let (written, outcome) = write(file, bytes, length);
                (written, outcome.map_err(|error| format!("{}: {error}", folder.display())))
            }
            Self::Memory { pieces, why, limit } => {
                let room = limit.saturating_sub(length).min(bytes.len() as u64) as usize;
                push(&mut pieces.write().unwrap_or_else(PoisonError::into_inner), &bytes[..room]);
                let full = || format!("memory holds no more than {limit} bytes of a log, and {why}");
                (room, if room == bytes.len() { Ok(()) } else { Err(full()) })
            }
        }
    }

    /// Reads what is there from `offset` on, as far as `into` reaches.
    pub(super) fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::File { file, .. } => file.read_at(into, offset),
            Self::Memory { pieces, .. } => {
                let pieces = pieces.read().unwrap_or_else(PoisonError::into_inner);
                let piece = usize::try_from(offset / PIECE as u64).ok().and_then(|at| pieces.get(at));
                let rest = piece.and_then(|piece| piece.get((offset % PIECE as u64) as usize..));
                let rest = rest.unwrap_or_default();
                let count = rest.len().min(into.len());
                into[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
        }
    }
}

/// A new file in `folder` that is its owner's alone, and that no folder lists by the time this returns.
fn nameless(folder: &Path) -> io::Result<File> {
    let mut number = 0;
    loop {
        let path = folder.join(format!("spool-{}-{number}", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            // Somebody else's, or another thread's that is about to lose its name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
        }
    }
}

/// As `write_all_at`, but tells how much was written before it failed.
fn write(file: &File, bytes: &[u8], offset: u64) -> (usize, io::Result<()>) {
    let mut written = 0;
    while written < bytes.len() {
        match file.write_at(&bytes[written..], offset + written as u64) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

fn push(pieces: &mut Vec<Vec<u8>>, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        if pieces.last().is_none_or(|last| last.len() == PIECE) {
            pieces.push(Vec::new());
        }
        let Some(last) = pieces.last_mut() else { return };
        let (now, rest) = bytes.split_at(bytes.len().min(PIECE - last.len()));
        last.extend_from_slice(now);
        bytes = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn all(shelf: &Shelf) -> Vec<u8> {
        let (mut out, mut some) = (Vec::new(), vec![0; 700_001]);
        loop {
            let count = shelf.read_at(&mut some, out.len() as u64).unwrap();
            if count == 0 {
                return out;
            }
            out.extend_from_slice(&some[..count]);
        }
    }

    #[test]
    fn a_file_and_memory_hold_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
        for shelf in [Shelf::new(Ok(folder.path().to_owned())), Shelf::new(Err("no folder".to_owned()))] {
            let mut length = 0;
            for part in bytes.chunks(400_007) {
                assert_eq!(shelf.append(part, length), (part.len(), Ok(())));
                length += part.len() as u64;
            }
            assert!(all(&shelf) == bytes, "{shelf:?}");
            assert_eq!(shelf.read_at(&mut [0; 9], length).unwrap(), 0);
        }
    }

    #[test]
    fn the_file_has_no_name_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (nameless(folder.path()).unwrap(), nameless(folder.path()).unwrap());
        for file in [one, two] {
            let meta = file.metadata().unwrap();
            assert_eq!((meta.mode() & 0o777, meta.nlink()), (0o600, 0));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn memory_that_is_full_keeps_what_went_in() {
        let shelf = Shelf::memory("no folder".to_owned(), 10);
        assert_eq!(shelf.append(b"1234567", 0), (7, Ok(())));
        let (written, outcome) = shelf.append(b"89012", 7);
        assert_eq!(written, 3);
        assert!(outcome.unwrap_err().contains("no more than 10 bytes"));
        assert_eq!(all(&shelf), b"1234567890");
    }

    #[test]
    fn without_a_folder_it_is_memory_and_says_why() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let shelf = Shelf::new(Ok(file.path().to_owned()));
        assert!(shelf.in_memory().unwrap().contains(file.path().to_str().unwrap()), "{shelf:?}");
    }
}
