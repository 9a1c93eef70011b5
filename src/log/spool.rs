//! Logs that cannot be read back by offset: standard input, and compressed files.
//!
//! Their bytes, decompressed, are put on a shelf ([`shelf`]) that every reader of the log shares, and stay there as
//! long as one of them does. A thread fills it ([`pump`]); readers wait for it or come back later, as they like. What
//! it could not bring is said ([`trouble`]), and takes nothing away from what it brought.

mod pump;
mod shelf;
mod trouble;
mod unpack;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Waker;
use pump::{Origin, Pump};
use shelf::Shelf;
use trouble::Trouble;

pub use unpack::is_packed;

/// The bytes of a log as far as they came.
pub struct Spool {
    shelf: Shelf,
    /// It is a compressed file, not a stream.
    is_file: bool,
    state: Mutex<State>,
    grown: Condvar,
    /// What fills the spool, while it is at rest.
    parked: Mutex<Option<Pump>>,
}

#[derive(Default)]
struct State {
    length: u64,
    /// Bytes that came in, and how many there were to come when it was last asked.
    read: u64,
    whole: u64,
    ended: bool,
    trouble: Option<Trouble>,
    waker: Option<Waker>,
}

/// How far a spool is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// It is a compressed file, not a stream.
    pub is_file: bool,
    /// Bytes of the compressed file that were read.
    pub read: u64,
    /// Its length.
    pub whole: u64,
    /// All that is there has come. Of a stream: it is closed.
    pub ended: bool,
    /// Why the bytes are kept in memory, if they are.
    pub in_memory: Option<String>,
    /// Why not all of it came.
    pub trouble: Option<Shortfall>,
}

/// Why a spool does not hold all of its log, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// What is wrong.
    pub cause: String,
    /// What became of the rest, to be put behind that.
    pub rest: &'static str,
    /// It ends within compressed data: whoever writes it may not be done.
    pub cut_off: bool,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.cause, self.rest)
    }
}

impl From<&Trouble> for Shortfall {
    fn from(trouble: &Trouble) -> Self {
        let cut_off = matches!(trouble, Trouble::CutOff { .. });
        Self { cause: trouble.to_string(), rest: trouble.rest(), cut_off }
    }
}

impl Flow {
    /// Whether a compressed file ends before its data does: whoever writes it may not be done.
    pub fn is_cut_off(&self) -> bool {
        self.is_file && self.trouble.as_ref().is_some_and(|trouble| trouble.cut_off)
    }

    /// What people have to be told, a sentence each.
    pub fn notices(&self) -> Vec<String> {
        let memory = self
            .in_memory
            .as_ref()
            .map(|why| format!("the log is kept in memory, for want of a file: {why}"));
        memory.into_iter().chain(self.trouble.as_ref().map(ToString::to_string)).collect()
    }
}

/// The first `most` bytes of what a compressed file holds; fewer where it ends or cannot be read on, and why that is.
pub(super) fn head(file: &File, most: usize) -> io::Result<(Vec<u8>, Option<Shortfall>)> {
    let mut unpacker = unpack::Unpacker::new();
    let (mut out, mut at) = (Vec::new(), 0);
    let mut buffer = vec![0; 16 << 10];
    while out.len() < most {
        let count = file.read_at(&mut buffer, at)?;
        at += count as u64;
        let mut sink = |bytes: &[u8]| {
            out.extend_from_slice(&bytes[..bytes.len().min(most - out.len())]);
            Ok(())
        };
        let outcome =
            if count == 0 { unpacker.end(&mut sink) } else { unpacker.push(&buffer[..count], &mut sink) };
        if count == 0 || outcome.is_err() {
            return Ok((out, outcome.as_ref().err().map(Shortfall::from)));
        }
    }
    Ok((out, None))
}

impl Spool {
    /// A spool of a stream, in `folder` or for want of one in memory.
    pub(super) fn of_stream(
        stream: impl Read + Send + 'static,
        folder: Result<PathBuf, String>,
    ) -> io::Result<Arc<Self>> {
        Self::start(Pump::new(Origin::Stream(Box::new(stream))), folder)
    }

    /// A spool of a compressed file.
    pub(super) fn of_file(file: File, folder: Result<PathBuf, String>) -> io::Result<Arc<Self>> {
        Self::start(Pump::new(Origin::File(file)), folder)
    }

    fn start(pump: Pump, folder: Result<PathBuf, String>) -> io::Result<Arc<Self>> {
        let spool = Arc::new(Self {
            shelf: Shelf::new(folder),
            is_file: pump.file().is_some(),
            state: Mutex::default(),
            grown: Condvar::new(),
            parked: Mutex::new(None),
        });
        pump.start(&spool)?;
        Ok(spool)
    }

    /// Reads what is there from `offset` on, as far as `into` reaches.
    pub(super) fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.shelf.read_at(into, offset)
    }

    /// Waits until there are bytes behind `offset`, or until none come any more.
    pub(super) fn wait_beyond(&self, offset: u64) {
        let mut state = self.state();
        while state.length <= offset && !state.ended {
            state = self.grown.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether all that is there has come.
    pub(super) fn has_ended(&self) -> bool {
        self.state().ended
    }

    /// Whether it is of a compressed file.
    pub(super) fn is_file(&self) -> bool {
        self.is_file
    }

    /// Is told from now on when there is more.
    pub(super) fn wake(&self, waker: Waker) {
        self.state().waker = Some(waker);
    }

    /// How far it is.
    pub(super) fn flow(&self) -> Flow {
        let state = self.state();
        Flow {
            is_file: self.is_file,
            read: state.read,
            whole: state.whole,
            ended: state.ended,
            in_memory: self.shelf.in_memory().map(str::to_owned),
            trouble: state.trouble.as_ref().map(Shortfall::from),
        }
    }

    /// What fills a spool that has ended; only one of a compressed file goes on when that grows.
    pub(super) fn parked(&self) -> MutexGuard<'_, Option<Pump>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it reads on when its file grows: it cannot where it had to stop.
    pub(super) fn can_go_on(&self) -> bool {
        matches!(self.state().trouble, None | Some(Trouble::CutOff { .. }))
    }

    /// Reads on where it ended, if its file has grown since. False: it has not.
    pub(super) fn go_on(self: &Arc<Self>) -> io::Result<bool> {
        let mut parked = self.parked();
        let Some(pump) = parked.take_if(|pump| self.can_go_on() && pump.has_more()) else { return Ok(false) };
        drop(parked);
        self.change(|state| (state.ended, state.trouble) = (false, None));
        let started = pump.start(self);
        if started.is_err() {
            self.change(|state| state.ended = true);
        }
        started.map(|()| true)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts `bytes` behind what is there.
    fn append(&self, bytes: &[u8]) -> Result<(), Trouble> {
        let length = self.state().length;
        let (written, outcome) = self.shelf.append(bytes, length);
        let length = length + written as u64;
        self.change(|state| state.length = length);
        outcome.map_err(|reason| Trouble::Full { length, reason })
    }

    /// Takes note of how much came in.
    fn advance(&self, read: u64, whole: u64) {
        let mut state = self.state();
        (state.read, state.whole) = (read, whole.max(read));
    }

    /// Nothing comes any more, for now or for ever.
    fn end(&self, pump: Pump, trouble: Option<Trouble>) {
        *self.parked() = Some(pump);
        self.change(|state| (state.ended, state.trouble) = (true, trouble));
    }

    /// What filled it is no more.
    fn broke(&self) {
        self.change(|state| {
            state.trouble = Some(Trouble::Broken { offset: state.read });
            state.ended = true;
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let waker = state.waker.clone();
        drop(state);
        self.grown.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl fmt::Debug for Spool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spool")
            .field("shelf", &self.shelf)
            .field("flow", &self.flow())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
