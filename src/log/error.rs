//! What can go wrong with a log file, where, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

use super::name;
use super::spool::Flow;

/// A log that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Nothing is there.
    #[error("{}: no such file. Give the path of a session log; `pentimento --follow PATH` waits for one", name::shown(.path))]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// It is a folder.
    #[error("{}: this is a folder. Give the path of a session log; `pentimento sessions` with the folder lists those in it", name::shown(.path))]
    Folder {
        /// The path as given.
        path: PathBuf,
    },
    /// It is no file that can be read by offset.
    #[error("{}: this is {kind}, not a file. Save it to a file first, or send it to standard input: `pentimento -`", name::shown(.path))]
    NotAFile {
        /// The path as given.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// It changes faster than it can be read.
    #[error("{}: the file was replaced or truncated again and again while it was read. Try again, or follow it", name::shown(.path))]
    Restless {
        /// The path as given.
        path: PathBuf,
    },
    /// The file ends before the bytes that the model knows of.
    #[error("{}: {wanted} bytes at offset {offset} are no longer there: the log was truncated or replaced since it was read", name::shown(.path))]
    Short {
        /// The path as given.
        path: PathBuf,
        /// Where the read began.
        offset: u64,
        /// How many bytes were asked for.
        wanted: usize,
    },
    /// The system refused.
    #[error("{}: cannot read at offset {offset}: {error}", name::shown(.path))]
    Io {
        /// The path as given.
        path: PathBuf,
        /// Where the read began.
        offset: u64,
        /// What the system said.
        error: io::Error,
    },
    /// It is no log that this build knows.
    #[error("{}: {message}", name::shown(.path))]
    Unknown {
        /// The path as given.
        path: PathBuf,
        /// What was looked for and what was found.
        message: String,
    },
    /// It holds nothing.
    #[error("{}", empty(.path))]
    Empty {
        /// The path as given.
        path: PathBuf,
    },
    /// Nothing of it could be brought here.
    #[error("{}: {reason}", name::shown(.path))]
    Spooled {
        /// The path as given.
        path: PathBuf,
        /// What kept it from coming.
        reason: String,
    },
    /// Its path names something else now, which is no log.
    #[error("the log was replaced, and what was read of it stays. {error}")]
    Displaced {
        /// Why that cannot be read.
        error: Box<LogError>,
    },
    /// Standard input is what the keys come from.
    #[error(
        "standard input is a terminal, not a log. Send one through a pipe: `ssh -n HOST tail -n +1 -F LOG | pentimento -`"
    )]
    Terminal,
}

fn empty(path: &Path) -> String {
    if name::is_standard_input(path) {
        return "standard input ended before the first record".to_owned();
    }
    format!(
        "{}: the file is empty. `pentimento --follow PATH` waits for its first records",
        name::shown(path)
    )
}

impl LogError {
    /// The error of a log that came as `flow` says: what kept its bytes from coming explains why there is no record.
    #[must_use]
    pub fn explained(self, flow: Option<&Flow>) -> Self {
        let Some(trouble) = flow.and_then(|flow| flow.trouble.as_ref()) else { return self };
        let what = match self {
            Self::Empty { .. } => "no whole record could be read",
            Self::Unknown { .. } => "no record of a known format could be read",
            error => return error,
        };
        let (Self::Empty { path } | Self::Unknown { path, .. }) = self else { return self };
        let waits = trouble.cut_off && !name::is_standard_input(&path);
        let hint = if waits { ". `pentimento --follow PATH` waits for the rest" } else { "" };
        Self::Spooled { path, reason: format!("{what}: {}{hint}", trouble.cause) }
    }

    /// The same of a sub-agent's log, found in its session's folder: nobody gave its path, and nobody follows it.
    #[must_use]
    pub fn of_agent(&self) -> String {
        match self {
            Self::Missing { path } => {
                format!("{}: the sub-agent's log is no longer there", name::shown(path))
            }
            Self::Empty { path } => format!("{}: the sub-agent's log is empty so far", name::shown(path)),
            Self::Folder { path } => {
                format!("{}: this is a folder, not a sub-agent's log", name::shown(path))
            }
            Self::NotAFile { path, kind } => {
                format!("{}: this is {kind}, not a sub-agent's log", name::shown(path))
            }
            other => other.to_string(),
        }
    }

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
