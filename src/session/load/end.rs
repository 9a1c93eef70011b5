//! The end of a long log, before the rest of it is read.

use std::path::Path;

use crate::log::{LineReader, Source};

use super::{Read, Reader, Session, take_in};

/// How much of the end is read: a line may be of megabytes (pictures, the record of a compaction), and then little is seen
/// in the first of these.
const TAILS: [u64; 3] = [512 << 10, 4 << 20, 16 << 20];
/// Turns that fill a screen.
const ENOUGH: usize = 48;

/// What the end of a log of `length` bytes shows: as much of it as fills a screen, if that is to be had cheaply.
pub fn load_end(path: &Path, length: u64) -> Option<(Session, Source)> {
    let mut found = None;
    for tail in TAILS.into_iter().filter(|tail| *tail < length) {
        found = load_tail(path, length - tail).or(found);
        if found.as_ref().is_some_and(|(session, _)| session.turns().len() >= ENOUGH) {
            break;
        }
    }
    found
}

/// What the end of a long log shows, from `offset` on: a partial session, in which no number is known. Nothing where
/// the end alone does not tell the format.
pub fn load_tail(path: &Path, offset: u64) -> Option<(Session, Source)> {
    let mut lines = LineReader::open_tail(path, offset).ok()?;
    let mut reader = Reader::default();
    let mut session = None;
    while let Ok(Some(batch)) = lines.next_batch() {
        match reader.read(&batch) {
            Read::Records(format, records) => take_in(&mut session, format, records),
            Read::Undecided => {}
            Read::Unknown(_) => return None,
        }
    }
    let mut session: Session = session?;
    session.partial = true;
    Some((session, lines.source(path)))
}
