//! What a path names, opened: a file that is read by offset, or a spool of what cannot be.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::LogError;
use super::name::is_standard_input;
use super::spool::{Spool, is_packed};

/// An opened log. Its copies share what was opened.
#[derive(Clone, Debug)]
pub(super) enum Input {
    File(Arc<File>),
    Spool(Arc<Spool>),
}

impl Input {
    /// Opens `path` for reading. What is compressed is known by its first bytes, not by its name.
    pub(super) fn open(path: &Path) -> Result<Self, LogError> {
        if is_standard_input(path) {
            return standard_input();
        }
        let file = open(path)?;
        let failed = |error| LogError::io(path, 0, error);
        if !begins_packed(&file).map_err(failed)? {
            return Ok(Self::File(Arc::new(file)));
        }
        Spool::of_file(file, folder()).map(Self::Spool).map_err(failed)
    }

    /// Reads what is there from `offset` on: less than `into` holds where it ends, for now or for ever.
    pub(super) fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            let at = offset + filled as u64;
            let outcome = match self {
                Self::File(file) => file.read_at(&mut into[filled..], at),
                Self::Spool(spool) => spool.read_at(&mut into[filled..], at),
            };
            match outcome {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if filled == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(filled)
    }

    /// Waits until there are bytes behind `offset`, or until none can be waited for.
    pub(super) fn wait_beyond(&self, offset: u64) {
        if let Self::Spool(spool) = self {
            spool.wait_beyond(offset);
        }
    }

    /// Whether all of it is there that was there when it was opened.
    pub(super) fn is_whole(&self) -> bool {
        self.spool().is_none_or(|spool| spool.has_ended())
    }

    /// The spool, if it is one.
    pub(super) fn spool(&self) -> Option<&Arc<Spool>> {
        match self {
            Self::File(_) => None,
            Self::Spool(spool) => Some(spool),
        }
    }
}

/// Where spools are put.
fn folder() -> Result<std::path::PathBuf, String> {
    crate::store::state_folder().map_err(|error| error.to_string())
}

fn standard_input() -> Result<Input, LogError> {
    /// Its bytes come only once.
    static TAKEN: AtomicBool = AtomicBool::new(false);
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(LogError::Terminal);
    }
    let failed = |error| LogError::io(Path::new("-"), 0, error);
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Err(failed(io::Error::other("it was read already, and its bytes come only once")));
    }
    let file = File::from(stdin.as_fd().try_clone_to_owned().map_err(failed)?);
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    Spool::of_stream(file, folder()).map(Input::Spool).map_err(failed)
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

/// Whether what `path` names can be read at all.
pub(super) fn can_be_read(path: &Path) -> Result<(), LogError> {
    let file = open(path)?;
    begins_packed(&file).map(drop).map_err(|error| LogError::io(path, 0, error))
}

/// Whether a file begins as a compressed one does.
pub(super) fn begins_packed(file: &File) -> io::Result<bool> {
    let mut first = [0; 4];
    let count = file.read_at(&mut first, 0)?;
    Ok(is_packed(&first[..count]))
}

/// How long the file at `path` is; 0 where there is none, and where only reading it tells: standard input, and
/// compressed files.
pub fn length(path: &Path) -> u64 {
    if is_standard_input(path) {
        return 0;
    }
    match open(path) {
        Ok(file) if !begins_packed(&file).unwrap_or(true) => file.metadata().map_or(0, |meta| meta.len()),
        _ => 0,
    }
}
