//! The lines of a prompt, in order: which there are, and which is the n-th.
//!
//! Owns the order and the counting, and knows no session. A turn has a line where it says something, and its receipts
//! have one unless they stand right behind others, with which they share theirs. Turns come, go and move anywhere; each
//! such change and each question cost the logarithm of their number.

use crate::session::TurnId;

use super::super::Place;

/// Turns of a chunk, at most.
const FULL: usize = 256;

/// A turn that has lines, or receipts that share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where it stands.
    pub(super) place: Place,
    /// Which it is.
    pub(super) turn: TurnId,
    /// It has a line of its own.
    pub(super) live: bool,
    /// How many receipts stand behind that line, or for it.
    pub(super) receipts: u32,
    /// Tokens of what they stand for.
    pub(super) tokens: u64,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// A turn's own.
    Turn(TurnId),
    /// Receipts that stand together.
    Receipts(Run),
}

/// Receipts that stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The number of the first among all, from 0.
    pub(super) first: usize,
    /// How many.
    pub(super) count: usize,
    /// Tokens of what they stand for.
    pub(super) tokens: u64,
}

/// So many lines and receipts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) rows: usize,
    pub(super) receipts: usize,
    pub(super) tokens: u64,
}

impl Counts {
    fn add(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            receipts: self.receipts + other.receipts,
            tokens: self.tokens + other.tokens,
        }
    }
}

/// Where in the list: chunk, and place in it.
type At = (usize, usize);

#[derive(Debug, Default)]
struct Chunk {
    entries: Vec<Entry>,
    counts: Counts,
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct Rows {
    chunks: Vec<Chunk>,
    /// Sums over runs of chunks: the entry at `i` covers as many chunks up to it as the lowest bit of `i + 1` says.
    sums: Vec<Counts>,
}

impl Rows {
    /// How many lines and receipts there are.
    pub(super) fn len(&self) -> Counts {
        self.before_chunk(self.chunks.len())
    }

    /// Puts a turn where its place says; one that stands there is replaced.
    pub(super) fn put(&mut self, entry: Entry) {
        let (chunk, index) = match self.find(entry.place) {
            Ok(at) => {
                self.chunks[at.0].entries[at.1] = entry;
                at
            }
            Err((chunk, index)) => {
                if self.chunks.is_empty() {
                    self.chunks.push(Chunk::default());
                    self.sums.push(Counts::default());
                }
                self.chunks[chunk].entries.insert(index, entry);
                self.split(chunk);
                self.find(entry.place).unwrap_or((chunk, index))
            }
        };
        self.recount(chunk);
        if index + 1 == self.chunks[chunk].entries.len() {
            self.recount(chunk + 1);
        }
    }

    /// Takes away the turn at a place.
    pub(super) fn take(&mut self, place: Place) {
        let Ok((chunk, index)) = self.find(place) else { return };
        self.chunks[chunk].entries.remove(index);
        if self.chunks[chunk].entries.is_empty() {
            self.chunks.remove(chunk);
            self.rebuild();
            self.recount(chunk);
            return;
        }
        self.recount(chunk);
        self.recount(chunk + 1);
    }

    fn split(&mut self, chunk: usize) {
        let entries = &mut self.chunks[chunk].entries;
        if entries.len() <= FULL {
            return;
        }
        // A list that grows at its end leaves full chunks behind.
        let at = if chunk + 1 == self.chunks.len() { FULL } else { FULL / 2 };
        let entries = self.chunks[chunk].entries.split_off(at);
        self.chunks.insert(chunk + 1, Chunk { entries, counts: Counts::default() });
        self.chunks[chunk].counts = self.counted(chunk);
        self.chunks[chunk + 1].counts = self.counted(chunk + 1);
        self.rebuild();
    }

    fn counted(&self, chunk: usize) -> Counts {
        let mut before = self.last_of(chunk);
        let mut counts = Counts::default();
        for entry in &self.chunks[chunk].entries {
            counts = counts.add(own(*entry, before));
            before = Some(*entry);
        }
        counts
    }

    fn last_of(&self, before_chunk: usize) -> Option<Entry> {
        self.chunks[before_chunk.checked_sub(1)?].entries.last().copied()
    }

    /// Counts a chunk anew, where there is one.
    fn recount(&mut self, chunk: usize) {
        if chunk >= self.chunks.len() {
            return;
        }
        let (old, new) = (self.chunks[chunk].counts, self.counted(chunk));
        self.chunks[chunk].counts = new;
        let mut at = chunk;
        while at < self.sums.len() {
            let sum = &mut self.sums[at];
            sum.rows = sum.rows + new.rows - old.rows;
            sum.receipts = sum.receipts + new.receipts - old.receipts;
            sum.tokens = sum.tokens + new.tokens - old.tokens;
            at |= at + 1;
        }
    }

    fn rebuild(&mut self) {
        self.sums = self.chunks.iter().map(|chunk| chunk.counts).collect();
        for at in 0..self.sums.len() {
            let above = at | (at + 1);
            if above < self.sums.len() {
                self.sums[above] = self.sums[above].add(self.sums[at]);
            }
        }
    }

    /// What stands before a chunk.
    fn before_chunk(&self, chunk: usize) -> Counts {
        let mut sum = Counts::default();
        let mut at = chunk;
        while at > 0 {
            sum = sum.add(self.sums[at - 1]);
            at &= at - 1;
        }
        sum
    }

    /// The chunk that holds the `nth` of what `of` counts, and what stands before it.
    fn chunk_of(&self, nth: usize, of: impl Fn(Counts) -> usize) -> Option<(usize, Counts)> {
        let (mut at, mut before) = (0, Counts::default());
        let mut step = self.sums.len().checked_next_power_of_two().unwrap_or(1);
        while step > 0 {
            if let Some(sum) = self.sums.get(at + step - 1)
                && of(before.add(*sum)) <= nth
            {
                at += step;
                before = before.add(*sum);
            }
            step /= 2;
        }
        (at < self.chunks.len()).then_some((at, before))
    }

    fn find(&self, place: Place) -> Result<At, At> {
        let behind = |chunk: &Chunk| chunk.entries.first().is_some_and(|first| first.place <= place);
        let chunk = self.chunks.partition_point(behind).saturating_sub(1);
        let entries = self.chunks.get(chunk).map(|chunk| &*chunk.entries).unwrap_or_default();
        match entries.binary_search_by_key(&place, |entry| entry.place) {
            Ok(index) => Ok((chunk, index)),
            Err(index) => Err((chunk, index)),
        }
    }

    /// What stands before a place, whether a turn stands there or not.
    pub(super) fn before(&self, place: Place) -> Counts {
        let (Ok((chunk, index)) | Err((chunk, index))) = self.find(place);
        self.before_at(chunk, index)
    }

    fn before_at(&self, chunk: usize, index: usize) -> Counts {
        let Some(known) = self.chunks.get(chunk) else { return self.len() };
        let mut before = self.last_of(chunk);
        let mut counts = self.before_chunk(chunk);
        for entry in &known.entries[..index] {
            counts = counts.add(own(*entry, before));
            before = Some(*entry);
        }
        counts
    }

    /// Lines of the turn at a place and of the one behind it.
    pub(super) fn rows_around(&self, place: Place) -> usize {
        let (here, (chunk, index)) = match self.find(place) {
            Ok((chunk, index)) => (1, (chunk, index)),
            Err(at) => (0, at),
        };
        let before = self.before_at(chunk, index).rows;
        let (mut chunk, mut index) = (chunk, index + here + 1);
        while let Some(known) = self.chunks.get(chunk).filter(|known| index > known.entries.len()) {
            index -= known.entries.len();
            chunk += 1;
        }
        self.before_at(chunk, index).rows - before
    }

    /// The line at `nth`.
    pub(super) fn row(&self, nth: usize) -> Option<Row> {
        let (chunk, mut counts) = self.chunk_of(nth, |counts| counts.rows)?;
        let mut before = self.last_of(chunk);
        for entry in &self.chunks[chunk].entries {
            let own = own(*entry, before);
            if nth < counts.rows + own.rows {
                if entry.live && nth == counts.rows {
                    return Some(Row::Turn(entry.turn));
                }
                let end = self.before_row(nth + 1);
                let (first, count) = (counts.receipts, end.receipts - counts.receipts);
                return Some(Row::Receipts(Run { first, count, tokens: end.tokens - counts.tokens }));
            }
            counts = counts.add(own);
            before = Some(*entry);
        }
        None
    }

    /// What stands before the turn of line `nth`.
    fn before_row(&self, nth: usize) -> Counts {
        let Some((chunk, mut counts)) = self.chunk_of(nth, |counts| counts.rows) else {
            return self.len();
        };
        let mut before = self.last_of(chunk);
        for entry in &self.chunks[chunk].entries {
            let own = own(*entry, before);
            if nth < counts.rows + own.rows {
                break;
            }
            counts = counts.add(own);
            before = Some(*entry);
        }
        counts
    }

    /// The turn that has the receipt `nth` among all, and which of its receipts that is.
    pub(super) fn receipt(&self, nth: usize) -> Option<(TurnId, usize)> {
        let (chunk, counts) = self.chunk_of(nth, |counts| counts.receipts)?;
        let mut left = nth - counts.receipts;
        for entry in &self.chunks[chunk].entries {
            if left < entry.receipts as usize {
                return Some((entry.turn, left));
            }
            left -= entry.receipts as usize;
        }
        None
    }
}

/// What a turn adds, given the one before it.
fn own(entry: Entry, before: Option<Entry>) -> Counts {
    let joins = !entry.live && before.is_some_and(|before| before.receipts > 0);
    let receipts = entry.receipts as usize;
    let rows = usize::from(entry.live) + usize::from(receipts > 0 && !joins);
    Counts { rows, receipts, tokens: entry.tokens }
}

#[cfg(test)]
mod tests {
    use super::super::super::{ContextGc, Event, Mode};
    use super::*;

    /// So many places, in order.
    fn places(count: usize) -> Vec<Place> {
        let mut gc = ContextGc::new(Mode::Strict);
        let place = |number: usize| {
            let event = format!(r#"{{"id": "e{number}", "type": "decision", "timestamp": {number}}}"#);
            let event = Event::parse(&event.replace('}', r#", "content": "x"}"#)).unwrap();
            gc.add_event(event).unwrap();
            gc.place(&format!("e{number}")).unwrap()
        };
        (0..count).map(place).collect()
    }

    /// The lines, counted the long way.
    fn listed(entries: &[Option<Entry>]) -> Vec<Row> {
        let (mut rows, mut receipts) = (Vec::new(), 0);
        for entry in entries.iter().flatten() {
            if entry.live {
                rows.push(Row::Turn(entry.turn));
            }
            for _ in 0..entry.receipts {
                match rows.last_mut() {
                    Some(Row::Receipts(run)) => (run.count, run.tokens) = (run.count + 1, run.tokens + 10),
                    _ => rows.push(Row::Receipts(Run { first: receipts, count: 1, tokens: 10 })),
                }
                receipts += 1;
            }
        }
        rows
    }

    #[test]
    fn lines_are_those_that_are_counted_the_long_way() {
        const MANY: usize = 1500;
        let places = places(MANY);
        let (mut rows, mut known) = (Rows::default(), vec![None; MANY]);
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for round in 0..12_000 {
            let at = random(MANY as u64) as usize;
            let (live, receipts) = (random(2) == 0, random(3) as u32);
            if random(4) == 0 || (!live && receipts == 0) {
                rows.take(places[at]);
                known[at] = None;
            } else {
                let entry = Entry {
                    place: places[at],
                    turn: TurnId(at as u32),
                    live,
                    receipts,
                    tokens: 10 * u64::from(receipts),
                };
                rows.put(entry);
                known[at] = Some(entry);
            }
            if round % 500 != 0 {
                continue;
            }
            let listed = listed(&known);
            assert_eq!(rows.len().rows, listed.len());
            for (nth, row) in listed.iter().enumerate() {
                assert_eq!(rows.row(nth), Some(*row), "line {nth} in round {round}");
            }
            assert_eq!(rows.row(listed.len()), None);
            let owners = known.iter().flatten();
            let owners = owners.flat_map(|entry| (0..entry.receipts as usize).map(|nth| (entry.turn, nth)));
            for (nth, owner) in owners.enumerate() {
                assert_eq!(rows.receipt(nth), Some(owner));
            }
        }
    }
}
