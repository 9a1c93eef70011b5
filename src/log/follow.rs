//! A file that changes while it is read: what was appended, and when it is another file.
//!
//! Each [`Tail::poll`] compares what the path names now with what was read so far. Events of the file system are
//! only a reason to poll soon ([`super::Wake`]); what `stat` says is the truth. Where the file was truncated,
//! replaced or rewritten, the tail starts over from its first byte and says why: a new epoch. A compressed file is
//! compared as it is on the disk, once all of it was decompressed; standard input cannot change, only go on.

mod change;

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::input::{Input, can_be_read};
use super::spool::{Flow, Spool};
use super::{Batch, LineReader, LogError, RawLine, Source, Waker};
use change::{Change, Seen};

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
    /// Its path names something that cannot be read as a log; what was read stays.
    Displaced(LogError),
    /// The file cannot be read at present.
    Unreadable(LogError),
}

/// A file with fewer bytes may turn out to be compressed.
const LEAST: u64 = 4;

/// Follows one path.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    /// Wait for what is still coming, instead of saying that there is nothing now.
    patient: bool,
    /// Who is told when more has come.
    waker: Option<Waker>,
    reader: Option<LineReader>,
    /// Modification time when the end of the file was last reached.
    modified: Option<SystemTime>,
    at_end: bool,
    gone: bool,
    /// There was a file: where there is none now, it is gone and not yet to come.
    had_file: bool,
}

impl Tail {
    /// Follows `path`, which need not exist yet.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            patient: false,
            waker: None,
            reader: None,
            modified: None,
            at_end: false,
            gone: false,
            had_file: false,
        }
    }

    /// Reads `path` to its end, waiting for what is still coming.
    pub fn patient(path: &Path) -> Self {
        Self { patient: true, ..Self::new(path) }
    }

    /// Follows a stream, spooled in `folder`, or in memory for the reason given.
    pub fn of_stream(
        path: &Path,
        stream: impl io::Read + Send + 'static,
        folder: Result<PathBuf, String>,
    ) -> io::Result<Self> {
        let input = Input::Spool(Spool::of_stream(stream, folder)?);
        Ok(Self { reader: Some(LineReader::new(input, false)), had_file: true, ..Self::new(path) })
    }

    /// `waker` is told from now on when more has come of what is spooled.
    pub fn wake(&mut self, waker: Waker) {
        if let Some(spool) = self.spool() {
            spool.wake(waker.clone());
        }
        self.waker = Some(waker);
    }

    /// What is read, for reading it back.
    pub fn source(&self) -> Option<Source> {
        self.reader.as_ref().map(|reader| Source::of(&self.path, reader.input().clone()))
    }

    /// How the log arrives, where it has to be spooled. Opens it, if it is not open.
    pub fn flow(&mut self) -> Option<Flow> {
        if self.reader.is_none() {
            self.open().ok()?;
        }
        self.spool().map(|spool| spool.flow())
    }

    /// Whether a compressed file is still being decompressed.
    pub fn is_flowing(&self) -> bool {
        self.spool().is_some_and(|spool| spool.is_file() && !spool.has_ended())
    }

    fn spool(&self) -> Option<&std::sync::Arc<Spool>> {
        self.reader.as_ref()?.input().spool()
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
        // What was spooled is read again from there: standard input can be read in no other way.
        let spooled = self.reader.take().map(|reader| reader.input().clone());
        let spooled = spooled.filter(|input| epoch == Epoch::Reopened && input.spool().is_some());
        self.reader = spooled.map(|input| LineReader::new(input, self.patient));
        self.at_end = false;
        self.modified = None;
        self.gone = false;
        Update::Epoch(epoch)
    }

    fn step(&mut self) -> io::Result<Update> {
        let Some(reader) = &mut self.reader else { return Ok(self.first_open()) };
        if !self.at_end {
            // Asked before reading: what comes between the two is for the next poll.
            let whole = reader.input().is_whole();
            match reader.next_batch() {
                Ok(Some(batch)) => return Ok(Update::Lines(batch)),
                Ok(None) => {}
                // What cannot be read any more may have given its name to a file that can.
                Err(_) if self.is_elsewhere() => return Ok(self.restart(Epoch::Replaced)),
                Err(error) => return Err(error),
            }
            if !whole {
                return Ok(Update::Nothing);
            }
            self.at_end = true;
            self.modified = self.looked_at(|seen| Ok(seen.file.metadata()?.modified().ok()))?.flatten();
        }
        self.compare()
    }

    /// Whether the path names another file than the one that is open, and it can be opened.
    fn is_elsewhere(&self) -> bool {
        let open = self.looked_at(|seen| seen.file.metadata()).ok().flatten();
        match (open, std::fs::metadata(&self.path)) {
            (Some(open), Ok(named)) => !change::same_file(&open, &named) && can_be_read(&self.path).is_ok(),
            _ => false,
        }
    }

    fn open(&mut self) -> Result<(), LogError> {
        let input = Input::open(&self.path)?;
        if let (Some(spool), Some(waker)) = (input.spool(), &self.waker) {
            spool.wake(waker.clone());
        }
        self.reader = Some(LineReader::new(input, self.patient));
        (self.at_end, self.had_file) = (false, true);
        Ok(())
    }

    fn first_open(&mut self) -> Update {
        match self.open() {
            Ok(()) => match self.step() {
                Ok(update) => update,
                Err(error) => Update::Unreadable(LogError::io(&self.path, 0, error)),
            },
            Err(LogError::Missing { .. }) if self.had_file => Update::Gone,
            Err(LogError::Missing { .. }) => Update::Waiting,
            Err(error) => Update::Unreadable(error),
        }
    }

    /// Lets `look` at the file on the disk and at what was read of it; nothing where there is no file.
    fn looked_at<T>(&self, look: impl FnOnce(&Seen) -> io::Result<T>) -> io::Result<Option<T>> {
        let Some(reader) = &self.reader else { return Ok(None) };
        match reader.input() {
            Input::File(file) => {
                let (read, fingerprint) = (reader.position(), reader.fingerprint());
                look(&Seen { file, read, fingerprint, goes_on: true }).map(Some)
            }
            Input::Spool(spool) => {
                let parked = spool.parked();
                let goes_on = spool.can_go_on();
                let seen = parked.as_ref().and_then(|pump| {
                    let (read, fingerprint) = (pump.read(), pump.fingerprint());
                    Some(Seen { file: pump.file()?, read, fingerprint, goes_on })
                });
                seen.map(|seen| look(&seen)).transpose()
            }
        }
    }

    /// At the end of what was read: what does the path name now?
    fn compare(&mut self) -> io::Result<Update> {
        let modified = self.modified;
        let Some((change, named)) = self.looked_at(|seen| change::since(seen, &self.path, modified))? else {
            return Ok(Update::Nothing);
        };
        if matches!(change, Change::Gone | Change::Replaced) {
            // Bytes written between the last read and that still belong to this epoch.
            if let Some(update) = self.grown()? {
                return Ok(update);
            }
        }
        if change == Change::Replaced
            && let Err(error) = can_be_read(&self.path)
        {
            self.gone = true;
            return Ok(match error {
                LogError::Missing { .. } => Update::Gone,
                error => Update::Displaced(LogError::Displaced { error: Box::new(error) }),
            });
        }
        let gone = std::mem::replace(&mut self.gone, change == Change::Gone);
        Ok(match change {
            Change::Gone => Update::Gone,
            Change::Replaced if gone => self.restart(Epoch::Recreated),
            Change::Replaced => self.restart(Epoch::Replaced),
            Change::Truncated => self.restart(Epoch::Truncated),
            Change::Rewritten => self.restart(Epoch::Rewritten),
            Change::Grown => self.grown()?.unwrap_or(Update::Nothing),
            Change::Nothing => {
                self.modified = named;
                Update::Nothing
            }
        })
    }

    /// What was appended to the open file, if there is any.
    fn grown(&mut self) -> io::Result<Option<Update>> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        if let Some(spool) = reader.input().spool() {
            if !spool.go_on()? {
                return Ok(None);
            }
            self.at_end = false;
            return Ok(Some(Update::Nothing));
        }
        let before = reader.position();
        if before < LEAST && reader.open_line().map_or(0, |line| line.length) == before {
            // Too short, until now, to tell a compressed file by its first bytes.
            self.reader = None;
            return self.step().map(Some);
        }
        let batch = reader.next_batch()?;
        // A half line may have come, and the rest be on its way.
        self.at_end &= reader.position() == before;
        Ok(batch.map(Update::Lines))
    }
}

#[cfg(test)]
mod tests;
