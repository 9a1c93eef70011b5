//! A file that changes while it is read: what was appended, and when it is another file.
//!
//! Each [`Tail::poll`] compares what the path names now with what was read so far. Events of the file system are
//! only a reason to poll soon ([`super::Wake`]); what `stat` says is the truth. Where the file was truncated,
//! replaced or rewritten, the tail starts over from its first byte and says why: a new epoch.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::source::open;
use super::{Batch, LineReader, LogError, RawLine};

/// Why everything is read anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Epoch {
    /// The file became shorter than what was read.
    Truncated,
    /// The path names another file.
    Replaced,
    /// The same file holds other bytes.
    Rewritten,
    /// The file was gone and is back.
    Recreated,
    /// A record that stood without a newline turned out to go on.
    Reopened,
}

impl Epoch {
    /// What the screen says.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Truncated => "the log was truncated",
            Self::Replaced => "the log was replaced by another file",
            Self::Rewritten => "the log was rewritten in place",
            Self::Recreated => "the log was deleted and is back",
            Self::Reopened => "the last record was still being written",
        }
    }
}

/// What a poll found.
#[derive(Debug)]
pub enum Update {
    /// Nothing new.
    Nothing,
    /// Whole lines; poll again, there may be more.
    Lines(Batch),
    /// The file is another one now: forget what was read. Its lines come with the next polls.
    Epoch(Epoch),
    /// There is no file at the path, and there was none before.
    Waiting,
    /// The file that was read is gone; what was read stays.
    Gone,
    /// The file cannot be read at present.
    Unreadable(LogError),
}

/// Follows one path.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    reader: Option<LineReader>,
    /// Modification time when the end of the file was last reached.
    modified: Option<SystemTime>,
    at_end: bool,
    gone: bool,
    /// A reader was open before: a file that appears now is a new epoch.
    had_file: bool,
}

impl Tail {
    /// Follows `path`, which need not exist yet.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            reader: None,
            modified: None,
            at_end: false,
            gone: false,
            had_file: false,
        }
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.reader.as_ref().map_or(0, LineReader::position)
    }

    /// The unfinished line at the end, if there is one.
    pub fn open_line(&self) -> Option<RawLine<'_>> {
        self.reader.as_ref().and_then(LineReader::open_line)
    }

    /// The next lines of a backlog, without asking what the path names now; nothing at the end of the file or where
    /// it cannot be read, and then [`Tail::poll`] tells more.
    /// `used` is a batch whose memory may be used again.
    pub fn next_of_backlog(&mut self, used: Option<Batch>) -> Option<Batch> {
        if self.at_end {
            return None;
        }
        let reader = self.reader.as_mut()?;
        if let Some(used) = used {
            reader.recycle(used);
        }
        reader.next_batch().ok().flatten()
    }

    /// What changed since the last call. Never blocks for longer than reading one batch takes, or, when the file
    /// was touched without growing, comparing it whole.
    pub fn poll(&mut self) -> Update {
        match self.step() {
            Ok(update) => update,
            Err(error) => Update::Unreadable(LogError::io(&self.path, self.position(), error)),
        }
    }

    /// Starts over from the first byte, for `epoch`.
    pub fn restart(&mut self, epoch: Epoch) -> Update {
        self.reader = None;
        self.at_end = false;
        self.modified = None;
        self.gone = false;
        Update::Epoch(epoch)
    }

    fn step(&mut self) -> io::Result<Update> {
        let Some(reader) = &mut self.reader else { return Ok(self.first_open()) };
        if !self.at_end {
            match reader.next_batch() {
                Ok(Some(batch)) => return Ok(Update::Lines(batch)),
                Ok(None) => {}
                // What cannot be read any more may have given its name to a file that can.
                Err(_) if is_elsewhere(reader, &self.path) => return Ok(self.restart(Epoch::Replaced)),
                Err(error) => return Err(error),
            }
            self.at_end = true;
            self.modified = reader.file().metadata()?.modified().ok();
        }
        self.compare()
    }

    fn first_open(&mut self) -> Update {
        match open(&self.path) {
            Ok(file) => {
                self.reader = Some(LineReader::new(file));
                self.at_end = false;
                if std::mem::replace(&mut self.had_file, true) && self.gone {
                    self.gone = false;
                    return Update::Epoch(Epoch::Recreated);
                }
                match self.step() {
                    Ok(update) => update,
                    Err(error) => Update::Unreadable(LogError::io(&self.path, 0, error)),
                }
            }
            Err(LogError::Missing { .. }) if self.had_file => Update::Gone,
            Err(LogError::Missing { .. }) => Update::Waiting,
            Err(error) => Update::Unreadable(error),
        }
    }

    /// At the end of what was read: what does the path name now?
    fn compare(&mut self) -> io::Result<Update> {
        let Some(reader) = &mut self.reader else { return Ok(Update::Nothing) };
        let open_file = reader.file().metadata()?;
        let named = match std::fs::metadata(&self.path) {
            Ok(named) => named,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Bytes written between the last read and the unlink still belong to this epoch.
                if let Some(batch) = reader.next_batch()? {
                    return Ok(Update::Lines(batch));
                }
                self.gone = true;
                return Ok(Update::Gone);
            }
            Err(error) => return Err(error),
        };
        if !same_file(&open_file, &named) {
            if let Some(batch) = reader.next_batch()? {
                return Ok(Update::Lines(batch));
            }
            let epoch = if self.gone { Epoch::Recreated } else { Epoch::Replaced };
            return Ok(self.restart(epoch));
        }
        self.gone = false;
        let (length, read) = (named.len(), reader.position());
        let touched = self.modified != named.modified().ok();
        if length < read {
            // Some file systems give no length for files that can be read all the same.
            if reader.still_holds_its_end()? {
                return Ok(Update::Nothing);
            }
            return Ok(self.restart(Epoch::Truncated));
        }
        if length > read {
            if !reader.fingerprint().same_edges(reader.file())? {
                return Ok(self.restart(Epoch::Rewritten));
            }
            self.at_end = false;
            return match reader.next_batch()? {
                Some(batch) => Ok(Update::Lines(batch)),
                None => Ok(Update::Nothing),
            };
        }
        if touched && !reader.fingerprint().same_bytes(reader.file())? {
            return Ok(self.restart(Epoch::Rewritten));
        }
        self.modified = named.modified().ok();
        Ok(Update::Nothing)
    }
}

/// Whether `path` names another file than the one that is open.
fn is_elsewhere(reader: &LineReader, path: &Path) -> bool {
    match (reader.file().metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => !same_file(&open, &named),
        _ => false,
    }
}

fn same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(test)]
mod tests;
