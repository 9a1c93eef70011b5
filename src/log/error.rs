//! What can go wrong with a log file, where, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

/// A log that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Nothing is there.
    #[error("{}: no such file. Give the path of a session log; `pentimento --follow PATH` waits for one", .path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// It is a folder.
    #[error("{}: this is a folder. Give the path of a session log; `pentimento sessions` with the folder lists those in it", .path.display())]
    Folder {
        /// The path as given.
        path: PathBuf,
    },
    /// It is no file that can be read by offset.
    #[error("{}: this is {kind}, not a file. Save it to a file first", .path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// It changes faster than it can be read.
    #[error("{}: the file was replaced or truncated again and again while it was read. Try again, or follow it", .path.display())]
    Restless {
        /// The path as given.
        path: PathBuf,
    },
    /// The file ends before the bytes that the model knows of.
    #[error("{}: {wanted} bytes at offset {offset} are no longer there: the log was truncated or replaced since it was read", .path.display())]
    Short {
        /// The path as given.
        path: PathBuf,
        /// Where the read began.
        offset: u64,
        /// How many bytes were asked for.
        wanted: usize,
    },
    /// The system refused.
    #[error("{}: cannot read at offset {offset}: {error}", .path.display())]
    Io {
        /// The path as given.
        path: PathBuf,
        /// Where the read began.
        offset: u64,
        /// What the system said.
        error: io::Error,
    },
    /// It is no log that this build knows.
    #[error("{}: {message}", .path.display())]
    Unknown {
        /// The path as given.
        path: PathBuf,
        /// What was looked for and what was found.
        message: String,
    },
    /// It holds nothing.
    #[error("{}: the file is empty. `pentimento --follow PATH` waits for its first records", .path.display())]
    Empty {
        /// The path as given.
        path: PathBuf,
    },
}

impl LogError {
    /// The error for a failed read of `path` at `offset`.
    pub fn io(path: &Path, offset: u64, error: io::Error) -> Self {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            io::ErrorKind::IsADirectory => Self::Folder { path },
            _ => Self::Io { path, offset, error },
        }
    }
}
