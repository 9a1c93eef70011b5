//! Bytes of a log by offset, for texts that somebody looks at.

use std::path::{Path, PathBuf};

use super::input::Input;
use super::spool::Flow;
use super::{LogError, name};

/// Bytes read at a time where all are wanted.
const CHUNK: usize = 1 << 20;

/// A log opened for reading back. Its copies share what was opened.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    input: Input,
}

impl Source {
    /// Opens `path` read-only.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Ok(Self::of(path, Input::open(path)?))
    }

    pub(super) fn of(path: &Path, input: Input) -> Self {
        Self { path: path.to_path_buf(), input }
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Exactly `length` bytes from `offset`; an error where the log does not hold them, or no longer.
    pub fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, LogError> {
        let mut bytes = vec![0; length];
        match self.input.read_at(&mut bytes, offset) {
            Ok(count) if count == length => Ok(bytes),
            Ok(_) => Err(LogError::Short { path: self.path.clone(), offset, wanted: length }),
            Err(error) => Err(LogError::io(&self.path, offset, error)),
        }
    }

    /// All of its bytes, once they have come.
    pub fn read_all(&self) -> Result<Vec<u8>, LogError> {
        let mut bytes = Vec::new();
        loop {
            let is_whole = self.input.is_whole();
            let start = bytes.len();
            bytes.resize(start + CHUNK, 0);
            let outcome = self.input.read_at(&mut bytes[start..], start as u64);
            let count = outcome.map_err(|error| LogError::io(&self.path, start as u64, error))?;
            bytes.truncate(start + count);
            if count < CHUNK {
                if is_whole {
                    return Ok(bytes);
                }
                self.input.wait_beyond(bytes.len() as u64);
            }
        }
    }

    /// Whether nothing of it is still coming.
    pub fn is_whole(&self) -> bool {
        self.input.is_whole()
    }

    /// How it arrives, where it has to be spooled.
    pub fn flow(&self) -> Option<Flow> {
        self.input.spool().map(|spool| spool.flow())
    }

    /// What people have to be told about it, a sentence each.
    pub fn notices(&self) -> Vec<String> {
        let notices = self.flow().map(|flow| flow.notices()).unwrap_or_default();
        notices.into_iter().map(|notice| format!("{}: {notice}", name::shown(&self.path))).collect()
    }
}
