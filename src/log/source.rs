//! Bytes of a log by offset, for texts that somebody looks at.

use std::fs::File;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};

use super::LogError;

/// A log opened for reading back.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    file: File,
}

impl Source {
    /// Opens `path` read-only.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let file = open(path)?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// The same bytes through a handle of its own, for another thread.
    pub fn again(&self) -> Result<Self, LogError> {
        let file = self.file.try_clone().map_err(|error| LogError::io(&self.path, 0, error))?;
        Ok(Self { path: self.path.clone(), file })
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Exactly `length` bytes from `offset`; an error where the file no longer holds them.
    pub fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, LogError> {
        let mut bytes = vec![0; length];
        match self.file.read_exact_at(&mut bytes, offset) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(LogError::Short { path: self.path.clone(), offset, wanted: length })
            }
            Err(error) => Err(LogError::io(&self.path, offset, error)),
        }
    }
}

/// Opens a regular file read-only. Looks before it opens: opening a pipe that nobody writes to waits for ever.
pub(super) fn open(path: &Path) -> Result<File, LogError> {
    let meta = std::fs::metadata(path).map_err(|error| LogError::io(path, 0, error))?;
    let kind = meta.file_type();
    if kind.is_file() {
        return File::open(path).map_err(|error| LogError::io(path, 0, error));
    }
    let path = path.to_path_buf();
    Err(match kind {
        _ if kind.is_dir() => LogError::Folder { path },
        _ if kind.is_fifo() => LogError::NotAFile { path, kind: "a pipe" },
        _ if kind.is_socket() => LogError::NotAFile { path, kind: "a socket" },
        _ => LogError::NotAFile { path, kind: "a device" },
    })
}

/// How long the file at `path` is; 0 where there is none.
pub fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |meta| meta.len())
}
