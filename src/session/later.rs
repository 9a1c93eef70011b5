//! Texts that take too long to be read between two frames: asked for, read on another thread, kept for a while.
//!
//! A log that defers answers such a question with [`Soon::Later`] and remembers it. Whoever draws takes the question
//! as a [`Job`], lets it run elsewhere, and brings back what it found; from then on the answer is there. Small texts
//! are read at once, as everything is where nobody waits for a frame.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::formats::Format;
use crate::formats::facts::PartText;
use crate::log::{LogError, Source};
use crate::text::numbers;

use super::open::OpenLog;
use super::text::{self, LocatedText};
use super::{Row, Session, TurnId, load};

/// Texts whose lines have more bytes than this are large.
pub const LARGE: u64 = 1 << 20;
/// Large texts are kept up to this many bytes of lines, but never fewer than one.
const KEPT: u64 = 64 << 20;

/// An answer that may take a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Soon<T> {
    /// Here it is.
    Ready(T),
    /// It is being read: so many bytes of it.
    Later(u64),
}

/// What is said meanwhile.
pub fn note(bytes: u64) -> String {
    format!("reading {} …", numbers::bytes(bytes))
}

/// A number that no other log of this process has: a late answer must not reach another one.
pub(super) fn serial() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

/// What is asked for, of the log with a serial number.
type Key = (u64, What);

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// The texts of a turn that has so many rows now.
    Turn(TurnId, usize),
    /// A record that is no turn, as text.
    Record(u32),
    /// The session in a sub-agent's file.
    Agent(PathBuf),
}

/// What is to be read of a log and its sub-agents, and what was.
#[derive(Debug)]
pub(super) struct Later {
    serial: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    wanted: Vec<Job>,
    /// A job is on its way: the next is handed out when it is back.
    busy: bool,
    /// Newest first.
    kept: VecDeque<Done>,
}

/// Something to read on another thread.
#[derive(Debug)]
pub struct Job {
    later: u64,
    key: Key,
    bytes: u64,
    from: From,
}

#[derive(Debug)]
enum From {
    Lines(Source, Format, Vec<Row>),
    File(PathBuf),
}

/// What came of a job.
#[derive(Debug)]
pub struct Done {
    later: u64,
    key: Key,
    bytes: u64,
    found: Result<Found, String>,
}

#[derive(Debug)]
enum Found {
    /// The texts of each row, until they are asked for.
    Lines(Vec<Vec<PartText>>),
    Texts(Arc<Vec<LocatedText>>),
    Record(Arc<str>),
    Session(Option<Box<(Session, Source)>>),
}

impl Job {
    /// Reads. Takes as long as it takes.
    pub fn run(self) -> Done {
        let Self { later, key, bytes, from } = self;
        let found = match from {
            From::File(path) => {
                load::load_with_source(&path).map(|read| Found::Session(Some(Box::new(read))))
            }
            From::Lines(source, format, rows) => {
                let mut lines = rows.iter().map(|row| text::line(&source, row));
                match key.1 {
                    What::Record(_) => lines
                        .next_back()
                        .transpose()
                        .map(|line| Found::Record(text::record(&line.unwrap_or_default()).into())),
                    _ => lines
                        .map(|line| line.map(|line| format.texts(&line)))
                        .collect::<Result<_, _>>()
                        .map(Found::Lines),
                }
            }
        };
        let said = |error: LogError| match key.1 {
            What::Agent(_) => error.of_agent(),
            _ => error.to_string(),
        };
        let found = found.map_err(said);
        Done { later, key, bytes, found }
    }
}

impl Later {
    pub(super) fn new() -> Self {
        Self { serial: serial(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn want(
        &self,
        key: Key,
        bytes: u64,
        from: impl FnOnce() -> Result<From, LogError>,
    ) -> Result<(), String> {
        let mut state = self.state();
        if !state.wanted.iter().any(|job| job.key == key) {
            let from = from().map_err(|error| error.to_string())?;
            state.wanted.push(Job { later: self.serial, key, bytes, from });
        }
        Ok(())
    }

    /// What `with` makes of what was found, if anything was.
    fn found<T>(&self, key: &Key, with: impl FnOnce(&mut Found) -> T) -> Option<Result<T, String>> {
        let mut state = self.state();
        let done = state.kept.iter_mut().find(|done| done.key == *key)?;
        Some(done.found.as_mut().map(with).map_err(|error| error.clone()))
    }

    /// What is to be read now, one job at a time: what was asked for first. The rest is asked for again by the next
    /// frame, if that still shows it.
    pub(super) fn job(&self) -> Option<Job> {
        let mut state = self.state();
        let wanted = std::mem::take(&mut state.wanted);
        if state.busy {
            return None;
        }
        let job = wanted.into_iter().next();
        state.busy = job.is_some();
        job
    }

    /// Takes in what came of a job. What a log asked that is no more is forgotten.
    pub(super) fn take(&self, done: Done) {
        if done.later != self.serial {
            return;
        }
        let mut state = self.state();
        state.busy = false;
        state.kept.retain(|old| old.key != done.key);
        state.kept.push_front(done);
        while state.kept.len() > 1 && state.kept.iter().map(|done| done.bytes).sum::<u64>() > KEPT {
            state.kept.pop_back();
        }
    }
}

impl OpenLog {
    /// The texts of a turn, if they can be had before the next frame. An error says why they cannot be read.
    pub fn texts_soon(&self, id: TurnId) -> Result<Soon<Arc<Vec<LocatedText>>>, String> {
        let size = |(rows, bytes), (_, row): (u32, Row)| (rows + 1, bytes + u64::from(row.length));
        let (rows, bytes) = self.session.rows_of(id).fold((0, 0), size);
        let Some(later) = self.later.as_ref().filter(|_| bytes > LARGE) else {
            return self
                .texts(id)
                .map(|texts| Soon::Ready(Arc::new(texts)))
                .map_err(|error| error.to_string());
        };
        let key = (self.serial, What::Turn(id, rows));
        let place = |found: &mut Found| match found {
            Found::Texts(texts) => Some(Arc::clone(texts)),
            Found::Lines(lines) => {
                let texts = Arc::new(text::located(&self.session, id, std::mem::take(lines)));
                *found = Found::Texts(Arc::clone(&texts));
                Some(texts)
            }
            _ => None,
        };
        if let Some(texts) = later.found(&key, place).transpose()?.flatten() {
            return Ok(Soon::Ready(texts));
        }
        let rows = || self.session.rows_of(id).map(|(_, row)| row).collect();
        later.want(key, bytes, || Ok(From::Lines(self.source.clone(), self.session.format, rows())))?;
        Ok(Soon::Later(bytes))
    }

    /// A record that is no turn as text, if it can be had before the next frame.
    pub fn record_soon(&self, number: u32) -> Result<Soon<Arc<str>>, String> {
        let row = self.session.rows().get(number).ok_or_else(|| String::from("no such record"))?;
        let bytes = u64::from(row.length);
        let Some(later) = self.later.as_ref().filter(|_| bytes > LARGE) else {
            let line = text::line(&self.source, &row).map_err(|error| error.to_string())?;
            return Ok(Soon::Ready(text::record(&line).into()));
        };
        let key = (self.serial, What::Record(number));
        let record = |found: &mut Found| match found {
            Found::Record(text) => Some(Arc::clone(text)),
            _ => None,
        };
        if let Some(text) = later.found(&key, record).transpose()?.flatten() {
            return Ok(Soon::Ready(text));
        }
        later.want(key, bytes, || Ok(From::Lines(self.source.clone(), self.session.format, vec![row])))?;
        Ok(Soon::Later(bytes))
    }

    /// The session in a sub-agent's file, if it can be had before the next frame.
    pub(super) fn agent_soon(&self, path: &Path) -> Result<Soon<Box<(Session, Source)>>, String> {
        let bytes = crate::log::length(path);
        let Some(later) = self.later.as_ref().filter(|_| bytes > LARGE) else {
            return load::load_with_source(path)
                .map(|session| Soon::Ready(Box::new(session)))
                .map_err(|error| error.of_agent());
        };
        let key = (self.serial, What::Agent(path.to_path_buf()));
        let session = |found: &mut Found| match found {
            Found::Session(session) => session.take(),
            _ => None,
        };
        if let Some(session) = later.found(&key, session).transpose()?.flatten() {
            return Ok(Soon::Ready(session));
        }
        later.want(key, bytes, || Ok(From::File(path.to_path_buf())))?;
        Ok(Soon::Later(bytes))
    }
}
