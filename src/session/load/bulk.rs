//! A long backlog on every core: batches are read under a lock and parsed side by side, and their records are taken
//! in on one thread in the order of the file.

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
/// Batches that may be read and not taken in yet: this bounds the memory, also where one thread lags behind.
const AHEAD: u64 = 6;
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
        queue: Mutex::new((0, &mut feed.tail)),
        position: AtomicU64::new(position),
        stop: AtomicBool::new(false),
        taken: Taken::default(),
    };
    std::thread::scope(|scope| {
        let (sender, parsed) = channel::<Parsed>();
        for _ in 0..workers {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || shared.work(format, &sender));
        }
        drop(sender);
        let mut early: BTreeMap<u64, Parsed> = BTreeMap::new();
        let mut wanted = 0;
        for batch in parsed {
            early.insert(batch.number, batch);
            while let Some(mut batch) = early.remove(&wanted) {
                for (line, record) in &mut batch.records {
                    session.take(*line, record);
                }
                wanted += 1;
                shared.taken.set(wanted);
                // Nobody may want it any more.
                let _ = batch.back.send(batch.records);
            }
            let stopped = shared.stop.load(Ordering::Relaxed);
            if !stopped && !go_on(shared.position.load(Ordering::Relaxed)) {
                shared.stop.store(true, Ordering::Relaxed);
            }
        }
    });
    !shared.stop.load(Ordering::Relaxed)
}

/// What those who parse have in common.
struct Shared<'a> {
    /// The number of the next batch, and where it comes from.
    queue: Mutex<(u64, &'a mut Tail)>,
    position: AtomicU64,
    stop: AtomicBool,
    taken: Taken,
}

/// The records of a batch, and where they go when they were taken in: whoever parsed them frees what they hold and
/// uses their memory again.
struct Parsed {
    number: u64,
    records: Records,
    back: Sender<Records>,
}

impl Shared<'_> {
    /// Parses batches until there are no more.
    fn work(&self, format: Format, sender: &Sender<Parsed>) {
        let _alarm = Alarm(&self.stop);
        let (back, taken_in) = channel::<Records>();
        let mut used = None;
        while !self.stop.load(Ordering::Relaxed) {
            let Ok(mut queue) = self.queue.lock() else { return };
            let number = queue.0;
            if !self.taken.is_near(number) {
                drop(queue);
                self.taken.wait_for(number, &self.stop);
                continue;
            }
            let Some(batch) = queue.1.next_of_backlog(used.take()) else { return };
            queue.0 += 1;
            self.position.store(queue.1.position(), Ordering::Relaxed);
            // Of batches of many megabytes (one line with pictures) only one is in memory at a time.
            let alone = (batch.len() > LARGE).then_some(queue);
            let mut records = taken_in.try_recv().unwrap_or_default();
            records.clear();
            parse_into(&mut records, &mut format.parser(), batch.lines());
            used = Some(batch).filter(|_| alone.is_none());
            drop(alone);
            if sender.send(Parsed { number, records, back: back.clone() }).is_err() {
                return;
            }
        }
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

/// How many batches were taken in.
#[derive(Default)]
struct Taken {
    count: Mutex<u64>,
    moved: Condvar,
}

impl Taken {
    fn set(&self, count: u64) {
        if let Ok(mut taken) = self.count.lock() {
            *taken = count;
        }
        self.moved.notify_all();
    }

    /// Whether batch `number` may be read now.
    fn is_near(&self, number: u64) -> bool {
        self.count.lock().is_ok_and(|taken| number < *taken + AHEAD)
    }

    /// Returns when batch `number` may be read, or soon after somebody said stop.
    fn wait_for(&self, number: u64, stop: &AtomicBool) {
        /// How long a call to stop may go unheard.
        const DEAF: Duration = Duration::from_millis(20);
        let Ok(mut taken) = self.count.lock() else { return };
        while number >= *taken + AHEAD && !stop.load(Ordering::Relaxed) {
            let Ok((woken, _)) = self.moved.wait_timeout(taken, DEAF) else { return };
            taken = woken;
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
