//! The first and the last lines of a file, without the rest of it.
//!
//! For lists of many files: what a session is about stands at its ends. Nothing here says how much is enough; whoever
//! asks starts small and asks again.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::input::{begins_packed, open};
use super::{LogError, spool};

/// A file whose ends are looked at.
#[derive(Debug)]
pub struct Peek {
    file: File,
    meta: Metadata,
    /// It is compressed: only its first bytes can be had without the rest.
    packed: bool,
}

/// Some bytes of a file, cut at line ends.
#[derive(Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    /// Nothing of the file lies outside.
    pub whole: bool,
    /// Why what is compressed cannot be read on behind these.
    pub trouble: Option<String>,
}

impl Lines {
    /// The lines that are not blank, without their newlines.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.bytes.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty())
    }
}

impl Peek {
    /// Opens the file at `path`.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let file = open(path)?;
        let failed = |error| LogError::io(path, 0, error);
        let meta = file.metadata().map_err(failed)?;
        let packed = begins_packed(&file).map_err(failed)?;
        Ok(Self { file, meta, packed })
    }

    /// What the system said of the open file.
    pub fn metadata(&self) -> &Metadata {
        &self.meta
    }

    /// The lines that end within the first `bytes` bytes; all of them, the unfinished one included, where the file
    /// is no longer than that.
    pub fn head(&self, bytes: usize) -> io::Result<Lines> {
        let (mut head, trouble) =
            if self.packed { spool::head(&self.file, bytes)? } else { (self.read(0, bytes)?, None) };
        let whole = head.len() < bytes;
        if !whole {
            let end = memchr::memrchr(b'\n', &head).map_or(0, |at| at + 1);
            head.truncate(end);
        }
        Ok(Lines { bytes: head, whole, trouble: trouble.map(|trouble| trouble.cause) })
    }

    /// The lines that begin within the last `bytes` bytes; none of a compressed file.
    pub fn tail(&self, bytes: usize) -> io::Result<Lines> {
        if self.packed {
            return Ok(Lines { bytes: Vec::new(), whole: false, trouble: None });
        }
        let from = self.meta.len().saturating_sub(bytes as u64);
        let mut tail = self.read(from, bytes)?;
        if from > 0 {
            let begin = memchr::memchr(b'\n', &tail).map_or(tail.len(), |at| at + 1);
            tail.drain(..begin);
        }
        Ok(Lines { bytes: tail, whole: from == 0, trouble: None })
    }

    fn read(&self, offset: u64, most: usize) -> io::Result<Vec<u8>> {
        let rest = self.meta.len().saturating_sub(offset);
        // Some file systems give no length for files that can be read all the same; one byte more than the file is
        // long tells that it ends there.
        let wanted = most.min(usize::try_from(rest).unwrap_or(most).saturating_add(1)).max(1);
        let mut bytes = vec![0; wanted];
        let mut filled = 0;
        while filled < wanted {
            match self.file.read_at(&mut bytes[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &Lines) -> Vec<String> {
        lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    #[test]
    fn the_ends_of_a_file_are_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "one\n\ntwo\nthree").unwrap();
        let peek = Peek::open(&path).unwrap();
        let head = peek.head(8).unwrap();
        assert_eq!((texts(&head), head.whole), (vec!["one".to_owned()], false));
        let head = peek.head(100).unwrap();
        assert_eq!((texts(&head).len(), head.whole), (3, true));
        let tail = peek.tail(7).unwrap();
        assert_eq!((texts(&tail), tail.whole), (vec!["three".to_owned()], false));
        assert_eq!(texts(&peek.tail(3).unwrap()), Vec::<String>::new());
        assert!(peek.tail(100).unwrap().whole);
    }

    #[test]
    fn a_file_of_exactly_the_bytes_asked_for_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "one\ntwo").unwrap();
        let head = Peek::open(&path).unwrap().head(8).unwrap();
        assert_eq!((texts(&head).len(), head.whole), (2, true));
        std::fs::write(&path, "").unwrap();
        let head = Peek::open(&path).unwrap().head(8).unwrap();
        assert_eq!((texts(&head).len(), head.whole), (0, true));
    }
}
