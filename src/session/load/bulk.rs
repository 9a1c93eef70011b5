//! A long backlog on every core: batches are read under a lock and parsed side by side, and their records are taken
//! in on one thread in the order of the file.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{channel, sync_channel};

use crate::formats::Format;
use crate::log::Batch;
use crate::log::follow::Tail;

use super::{Feed, Records, Session, parse_all, parse_into};

/// Backlogs are parsed by this many threads at the most: beyond, taking in is what takes the time.
const WORKERS: usize = 4;
/// Parsed batches that may wait to be taken in: this bounds the memory.
const WAITING: usize = 4;
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
    let position = AtomicU64::new(feed.position());
    let stop = AtomicBool::new(false);
    let queue = Mutex::new((0u64, &mut feed.tail));
    let (give_back, emptied) = channel::<Records>();
    let emptied = Mutex::new(emptied);
    let mut stopped = false;
    std::thread::scope(|scope| {
        let (sender, parsed) = sync_channel::<(u64, Records)>(WAITING);
        for _ in 0..workers {
            let (sender, queue, position, stop) = (sender.clone(), &queue, &position, &stop);
            let emptied = &emptied;
            scope.spawn(move || {
                let mut used = None;
                while !stop.load(Ordering::Relaxed) {
                    let Ok(mut turn) = queue.lock() else { return };
                    let Some((number, batch)) = next(&mut turn, position, used.take()) else { return };
                    // Of batches of many megabytes (one line with pictures) only one is in memory at a time.
                    let alone = (batch.len() > LARGE).then_some(turn);
                    let mut parser = format.parser();
                    let mut records = emptied.lock().ok().and_then(|e| e.try_recv().ok()).unwrap_or_default();
                    parse_into(&mut records, &mut parser, batch.lines());
                    used = Some(batch).filter(|_| alone.is_none());
                    drop(alone);
                    if sender.send((number, records)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early: BTreeMap<u64, Records> = BTreeMap::new();
        let mut wanted = 0;
        for (number, records) in parsed {
            early.insert(number, records);
            while let Some(mut records) = early.remove(&wanted) {
                wanted += 1;
                for (line, record) in records.drain(..) {
                    session.push(line, record);
                }
                // Nobody may want it any more.
                let _ = give_back.send(records);
            }
            if !stopped && !go_on(position.load(Ordering::Relaxed)) {
                stopped = true;
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    !stopped
}

/// The next batch and its number, by whoever holds the queue.
fn next(queue: &mut (u64, &mut Tail), position: &AtomicU64, used: Option<Batch>) -> Option<(u64, Batch)> {
    let (number, tail) = queue;
    let batch = tail.next_of_backlog(used)?;
    position.store(tail.position(), Ordering::Relaxed);
    *number += 1;
    Some((*number - 1, batch))
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
