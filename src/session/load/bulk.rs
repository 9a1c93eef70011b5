//! A long backlog on every core: batches are read under a lock and parsed side by side, and their records are taken
//! in in the order of the file, each time by whichever thread has one ready while nobody else takes in. So no thread
//! waits for another but where one lags far behind.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::formats::Format;
use crate::log::follow::Tail;

use super::{Feed, Records, Session, parse_all, parse_into};

/// Backlogs are parsed by this many threads at the most: beyond, taking in is what takes the time.
const WORKERS: usize = 4;
/// Batches read before other threads are started: of a short log that would take longer than reading it.
const FIRST: usize = 2;
/// Batches of more bytes than this are parsed alone.
const LARGE: usize = 2 << 20;

/// Reads to the end of what is there. False: `go_on` said stop; the session then ends at a batch's end.
pub(super) fn read(
    feed: &mut Feed,
    format: Format,
    session: &mut Session,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> bool {
    match read_alone(feed, session, FIRST, go_on) {
        Alone::Ended => return true,
        Alone::Stopped => return false,
        Alone::GoesOn => {}
    }
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS);
    if workers == 1 {
        return read_alone(feed, session, usize::MAX, go_on) != Alone::Stopped;
    }
    let position = feed.position();
    let shared = Shared {
        tail: Mutex::new(&mut feed.tail),
        position: AtomicU64::new(position),
        ahead: workers as u64 + 1,
        stop: AtomicBool::new(false),
        line: Mutex::default(),
        moved: Condvar::new(),
        session: Mutex::new(session),
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|| shared.work(format, &mut |_| true));
        }
        shared.work(format, go_on);
    });
    !shared.stop.load(Ordering::Relaxed)
}

/// What those who parse have in common.
struct Shared<'a> {
    tail: Mutex<&'a mut Tail>,
    position: AtomicU64,
    /// Batches that may be read and not taken in yet: this bounds the memory, also where one thread lags behind.
    ahead: u64,
    stop: AtomicBool,
    line: Mutex<Waiting>,
    /// Told whenever a batch was taken in.
    moved: Condvar,
    session: Mutex<&'a mut Session>,
}

/// Batches on their way, numbered in the order of the file.
#[derive(Default)]
struct Waiting {
    /// How many were read.
    read: u64,
    /// How many were taken in.
    taken: u64,
    /// Those that were parsed, and not taken in.
    parsed: BTreeMap<u64, Parsed>,
}

/// The records of a batch, and where they go when they were taken in: whoever parsed them frees what they hold and
/// uses their memory again.
struct Parsed {
    records: Records,
    back: Sender<Records>,
}

impl Shared<'_> {
    /// Parses batches until there are no more, and takes in what nobody else does.
    fn work(&self, format: Format, go_on: &mut dyn FnMut(u64) -> bool) {
        let _alarm = Alarm(&self.stop);
        let (back, taken_in) = channel::<Records>();
        let mut used = None;
        while self.may_read() {
            let Ok(mut tail) = self.tail.lock() else { return };
            let Some(batch) = tail.next_of_backlog(used.take()) else { return };
            let Some(number) = self.count_read() else { return };
            self.position.store(tail.position(), Ordering::Relaxed);
            // Of batches of many megabytes (one line with pictures) only one is in memory at a time.
            let alone = (batch.len() > LARGE).then_some(tail);
            let mut records = taken_in.try_recv().unwrap_or_default();
            records.clear();
            parse_into(&mut records, &mut format.parser(), batch.lines());
            used = Some(batch).filter(|_| alone.is_none());
            drop(alone);
            if let Ok(mut line) = self.line.lock() {
                line.parsed.insert(number, Parsed { records, back: back.clone() });
            }
            self.take_in();
            if !go_on(self.position.load(Ordering::Relaxed)) {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Waits until not too many batches were read ahead. False: somebody said stop.
    fn may_read(&self) -> bool {
        /// How long a call to stop may go unheard.
        const DEAF: Duration = Duration::from_millis(20);
        let Ok(mut line) = self.line.lock() else { return false };
        while !self.stop.load(Ordering::Relaxed) {
            if line.read < line.taken + self.ahead {
                return true;
            }
            let Ok((woken, _)) = self.moved.wait_timeout(line, DEAF) else { return false };
            line = woken;
        }
        false
    }

    /// The number of the batch just read.
    fn count_read(&self) -> Option<u64> {
        let mut line = self.line.lock().ok()?;
        line.read += 1;
        Some(line.read - 1)
    }

    /// Takes in the batches whose turn it is, unless another thread is about it: that one looks again before it ends.
    fn take_in(&self) {
        while self.is_next_there() {
            let Ok(mut session) = self.session.try_lock() else { return };
            while let Some(mut batch) = self.next_parsed() {
                for (line, record) in &mut batch.records {
                    session.take(*line, record);
                }
                if let Ok(mut line) = self.line.lock() {
                    line.taken += 1;
                }
                self.moved.notify_all();
                // Nobody may want it any more.
                let _ = batch.back.send(batch.records);
            }
        }
    }

    fn is_next_there(&self) -> bool {
        self.line.lock().is_ok_and(|line| line.parsed.contains_key(&line.taken))
    }

    fn next_parsed(&self) -> Option<Parsed> {
        let mut line = self.line.lock().ok()?;
        let next = line.taken;
        line.parsed.remove(&next)
    }
}

/// Stops the others when one of them ends before its time: they would wait for its batch.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// How reading on one thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alone {
    /// There is no more.
    Ended,
    /// There may be more.
    GoesOn,
    /// Somebody said stop.
    Stopped,
}

/// Reads up to `most` batches.
fn read_alone(
    feed: &mut Feed,
    session: &mut Session,
    most: usize,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Alone {
    let Some(parser) = feed.reader.parser.as_mut() else { return Alone::Ended };
    let mut used = None;
    for _ in 0..most {
        let Some(batch) = feed.tail.next_of_backlog(used.take()) else { return Alone::Ended };
        for (line, record) in parse_all(parser, batch.lines()) {
            session.push(line, record);
        }
        used = Some(batch);
        if !go_on(feed.tail.position()) {
            return Alone::Stopped;
        }
    }
    Alone::GoesOn
}
