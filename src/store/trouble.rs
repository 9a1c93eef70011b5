//! Why the store cannot be used, in a sentence that says where; and what happens instead, for those who go on without.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::NoState;

/// What goes on without the store.
const INSTEAD: &str = "summaries are made anew and marks are not kept";

/// The store cannot be used, or did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no state folder.
    #[error("{0}")]
    NoFolder(#[from] NoState),
    /// A newer build wrote it.
    #[error("{}: written by a newer Pentimento (schema {found}, this one knows {known})", .file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// The schema it has.
        found: i64,
        /// The newest that this build knows.
        known: i64,
    },
    /// It is no database, or a broken one.
    #[error("{}: damaged ({what}); move the file away to start a new one", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// Another copy holds it for longer than one waits.
    #[error("{}: another copy of Pentimento is writing", .file.display())]
    Busy {
        /// The file.
        file: PathBuf,
    },
    /// The disk is full.
    #[error("{}: the disk is full", .file.display())]
    Full {
        /// The file.
        file: PathBuf,
    },
    /// It may not be written.
    #[error("{}: may not be written", .file.display())]
    ReadOnly {
        /// The file.
        file: PathBuf,
    },
    /// Anything else.
    #[error("{}: {what}", .file.display())]
    Failed {
        /// The file.
        file: PathBuf,
        /// What was said.
        what: String,
    },
}

impl StoreError {
    /// What an error of the database's means for the file.
    pub(super) fn of(file: &Path, error: &rusqlite::Error) -> Self {
        let file = file.to_path_buf();
        let code = error.sqlite_error_code();
        match code {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { file, what: error.to_string() }
            }
            // A table or column that is not there, under a version that says it is.
            Some(ErrorCode::Unknown) | None => Self::Damaged { file, what: error.to_string() },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { file },
            Some(ErrorCode::DiskFull) => Self::Full { file },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { file },
            Some(_) => Self::Failed { file, what: error.to_string() },
        }
    }

    /// The same of an error of the file's.
    pub(super) fn of_file(file: &Path, error: &std::io::Error) -> Self {
        let file = file.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { file }
            }
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full { file },
            _ => Self::Failed { file, what: error.to_string() },
        }
    }

    /// The same with what goes on without the store.
    pub fn and_instead(&self) -> String {
        format!("{self}; {INSTEAD}{}", if self.passes() { " for now" } else { "" })
    }

    /// Whether the same may work a moment later.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }
}
