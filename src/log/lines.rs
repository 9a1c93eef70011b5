//! Whole lines in batches, read front to back, and the unfinished line at the end.
//!
//! What was read is not read again: the bytes of an unfinished line wait here until the rest arrives. In a file that is
//! one JSON value the elements of its array are the lines (`elements.rs`).

use std::io;
use std::path::Path;

use super::elements::{Begin, Element, Scanner, begin};
use super::fingerprint::Fingerprint;
use super::input::Input;
use super::spool::Flow;
use super::{LogError, Source};

/// A line longer than this is not read: it becomes a malformed row that says so.
pub const MAX_LINE: usize = 256 << 20;
/// Bytes asked of the system at a time: they stay in the second-level cache, and few of them wait in memory.
const CHUNK: usize = 32 << 10;

/// One physical line, without its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawLine<'a> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its number, from 1.
    pub number: u32,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its length; more than `bytes` where the line is over [`MAX_LINE`] and was skipped.
    pub length: u64,
}

/// Some whole lines that follow one another.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    start: u64,
    first_line: u32,
    /// Set where the batch is one line over [`MAX_LINE`]: its length.
    overlong: Option<u64>,
    /// Its lines, where they are the elements of an array.
    elements: Option<Vec<Element>>,
}

impl Batch {
    /// Where its first line begins in the file.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Its lines in order.
    pub fn lines(&self) -> impl Iterator<Item = RawLine<'_>> {
        let element = |element: &Element| {
            let begin = element.offset.checked_sub(self.start).map_or(usize::MAX, |at| at as usize);
            let bytes = self.bytes.get(begin..begin.saturating_add(element.length)).unwrap_or_default();
            RawLine { offset: element.offset, number: element.line, bytes, length: element.length as u64 }
        };
        let elements = self.elements.iter().flatten().map(element);
        elements.chain(self.physical_lines().filter(|_| self.elements.is_none()))
    }

    fn physical_lines(&self) -> impl Iterator<Item = RawLine<'_>> {
        let mut at = 0;
        let mut number = self.first_line;
        let whole = std::iter::from_fn(move || {
            let rest = self.bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = RawLine {
                offset: self.start + at as u64,
                number,
                bytes: &rest[..length],
                length: length as u64,
            };
            at += length + 1;
            number += 1;
            Some(line)
        });
        whole.chain(self.overlong.map(|length| RawLine {
            offset: self.start,
            number: self.first_line,
            bytes: &[],
            length,
        }))
    }

    /// Bytes in it.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.overlong.is_none()
    }
}

/// What counts as a line.
#[derive(Debug)]
enum Shape {
    /// The first bytes have not come.
    Open,
    /// What ends in a newline.
    Lines,
    /// The elements of an array.
    Elements(Scanner),
}

/// Reads a file's lines front to back, and goes on where it stopped when the file grows.
#[derive(Debug)]
pub struct LineReader {
    input: Input,
    /// Where the input is still coming, wait for it.
    patient: bool,
    /// Everything before this offset was read.
    read: u64,
    /// The unfinished line: bytes from `read - carry.len()` on.
    carry: Vec<u8>,
    /// Set while a line over [`MAX_LINE`] is being skipped: where it began.
    skipping: Option<u64>,
    next_line: u32,
    shape: Shape,
    /// Whole lines wait among the unfinished one: they were behind an array.
    unlooked: bool,
    fingerprint: Fingerprint,
    /// A batch's memory to use again: fresh memory for each would cost as much as reading it.
    spare: Vec<Vec<u8>>,
}

impl LineReader {
    /// A reader of `input` from its first byte.
    pub(super) fn new(input: Input, patient: bool) -> Self {
        Self {
            input,
            patient,
            read: 0,
            carry: Vec::new(),
            skipping: None,
            next_line: 1,
            shape: Shape::Open,
            unlooked: false,
            fingerprint: Fingerprint::default(),
            spare: Vec::new(),
        }
    }

    /// A reader that starts at the first line that begins at or after `offset`; line numbers start at 1 there,
    /// since nobody knows better without reading what comes before.
    fn from_tail(input: Input, offset: u64) -> io::Result<Self> {
        let mut reader = Self::new(input, true);
        if offset == 0 {
            return Ok(reader);
        }
        reader.read = offset - 1;
        reader.shape = Shape::Lines;
        let mut bytes = vec![0; 64 << 10];
        loop {
            let count = reader.some(&mut bytes)?;
            let found = memchr::memchr(b'\n', &bytes[..count]);
            reader.read += found.map_or(count, |at| at + 1) as u64;
            if found.is_some() || count == 0 {
                return Ok(reader);
            }
        }
    }

    /// What comes next; nothing where the input ends, or has nothing more at present.
    fn some(&self, into: &mut [u8]) -> io::Result<usize> {
        if self.patient {
            self.input.wait_beyond(self.read);
        }
        self.input.read_at(into, self.read)
    }

    /// Everything before this offset was read.
    pub fn position(&self) -> u64 {
        self.read
    }

    /// What the bytes read so far looked like.
    pub(super) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// What it reads.
    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    /// The next whole lines, or nothing where the file ends for now.
    pub fn next_batch(&mut self) -> io::Result<Option<Batch>> {
        if std::mem::take(&mut self.unlooked)
            && let Some(last) = memchr::memrchr(b'\n', &self.carry)
        {
            let buffer = std::mem::take(&mut self.carry);
            return Ok(Some(self.cut(buffer, last + 1)));
        }
        let mut buffer = self.spare.pop().unwrap_or_default();
        let mut filled = self.carry.len();
        // What a used buffer holds is written over, not cleared: that would cost as much as reading.
        buffer.resize(buffer.len().max(filled), 0);
        buffer[..filled].copy_from_slice(&self.carry);
        self.carry.clear();
        loop {
            // A line of many megabytes grows by a quarter at a time, not by its double.
            if buffer.capacity() < filled + CHUNK {
                buffer.reserve_exact((filled + CHUNK.max(filled / 4)).saturating_sub(buffer.len()));
            }
            buffer.resize(filled + CHUNK, 0);
            let outcome = self.some(&mut buffer[filled..]);
            let count = *outcome.as_ref().unwrap_or(&0);
            buffer.truncate(filled + count);
            if self.input.spool().is_none() {
                self.fingerprint.add(&buffer[filled..]);
            }
            self.read += count as u64;
            if count == 0 {
                self.carry.append(&mut buffer);
                self.carry.shrink_to(CHUNK);
                return outcome.map(|_| None);
            }
            if let Some(batch) = self.elements(&mut buffer, &mut filled) {
                return Ok(Some(batch));
            }
            if !matches!(self.shape, Shape::Lines) && buffer.len() <= MAX_LINE {
                filled = buffer.len();
                continue;
            }
            self.shape = Shape::Lines;
            if let Some(last) = memchr::memrchr(b'\n', &buffer[filled..]) {
                return Ok(Some(self.cut(buffer, filled + last + 1)));
            }
            if self.skipping.is_some() || buffer.len() > MAX_LINE {
                self.skipping.get_or_insert(self.read - buffer.len() as u64);
                buffer.clear();
            }
            filled = buffer.len();
        }
    }

    /// Where elements are lines: hands out those that end in `buffer`, of which `filled` bytes were looked at before, and
    /// keeps the rest. Leaves `buffer` to whoever looks for newlines from `filled` on, where they are not.
    fn elements(&mut self, buffer: &mut Vec<u8>, filled: &mut usize) -> Option<Batch> {
        let start = self.read - buffer.len() as u64;
        if matches!(self.shape, Shape::Open) {
            match begin(buffer) {
                Begin::More => return None,
                Begin::Lines => (self.shape, *filled) = (Shape::Lines, 0),
                Begin::Array { at, inside } => {
                    let line = self.next_line + memchr::memchr_iter(b'\n', &buffer[..at]).count() as u32;
                    self.shape = Shape::Elements(Scanner::new(start + at as u64, line, inside));
                    *filled = at;
                }
            }
        }
        let Shape::Elements(scanner) = &mut self.shape else { return None };
        scanner.feed(&buffer[*filled..]);
        let elements = std::mem::take(&mut scanner.found);
        let open = scanner.ended.or(scanner.open);
        let keep = open.map_or(buffer.len(), |(at, _)| (at - start) as usize);
        let first_line = elements.first().map_or(self.next_line, |element| element.line);
        if let Some((_, line)) = scanner.ended {
            (self.shape, self.next_line) = (Shape::Lines, line);
        }
        if elements.is_empty() {
            // What parts elements is not kept.
            buffer.drain(..keep);
            *filled = 0;
            return None;
        }
        self.unlooked = matches!(self.shape, Shape::Lines);
        self.carry.extend_from_slice(&buffer[keep..]);
        buffer.truncate(keep);
        let bytes = std::mem::take(buffer);
        Some(Batch { bytes, start, first_line, elements: Some(elements), overlong: None })
    }

    /// Hands out `buffer` up to `cut` and keeps the rest.
    fn cut(&mut self, mut buffer: Vec<u8>, cut: usize) -> Batch {
        let start = self.read - buffer.len() as u64;
        if let Some(began) = self.skipping.take() {
            let end = memchr::memchr(b'\n', &buffer).map_or(buffer.len(), |n| n + 1);
            self.read -= (buffer.len() - end) as u64;
            self.fingerprint.forget(buffer.len() - end);
            let batch = Batch {
                start: began,
                first_line: self.next_line,
                overlong: Some(start + end as u64 - 1 - began),
                ..Batch::default()
            };
            self.next_line += 1;
            return batch;
        }
        self.carry.extend_from_slice(&buffer[cut..]);
        buffer.truncate(cut);
        let batch = Batch { bytes: buffer, start, first_line: self.next_line, ..Batch::default() };
        self.next_line += memchr::memchr_iter(b'\n', &batch.bytes).count() as u32;
        batch
    }

    /// A reader of the log at `path` from its first byte, which waits for what is still coming.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Ok(Self::new(Input::open(path)?, true))
    }

    /// A reader of the log at `path` from the first line that begins at or after `offset`.
    pub fn open_tail(path: &Path, offset: u64) -> Result<Self, LogError> {
        Self::from_tail(Input::open(path)?, offset).map_err(|error| LogError::io(path, offset, error))
    }

    /// What is read, for reading it back: the log at `path`.
    pub fn source(&self, path: &Path) -> Source {
        Source::of(path, self.input.clone())
    }

    /// How the log arrives, where it has to be spooled.
    pub fn flow(&self) -> Option<Flow> {
        self.input.spool().map(|spool| spool.flow())
    }

    /// Takes back a batch that was read, to use its memory again.
    pub fn recycle(&mut self, batch: Batch) {
        /// Batches kept for that at the most.
        const SPARE: usize = 4;
        if self.spare.len() < SPARE && batch.bytes.capacity() <= 4 * CHUNK {
            self.spare.push(batch.bytes);
        }
    }

    /// The unfinished line at the end, if there is one.
    pub fn open_line(&self) -> Option<RawLine<'_>> {
        if let Some(began) = self.skipping {
            let length = self.read - began;
            return Some(RawLine { offset: began, number: self.next_line, bytes: &[], length });
        }
        let offset = self.read - self.carry.len() as u64;
        let (offset, number, bytes) = match &self.shape {
            Shape::Elements(scanner) => {
                let (open, line) = scanner.open?;
                (open, line, self.carry.get((open - offset) as usize..)?)
            }
            Shape::Open | Shape::Lines => (offset, self.next_line, &self.carry[..]),
        };
        (!bytes.is_empty()).then_some(RawLine { offset, number, bytes, length: bytes.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;
    use std::sync::Arc;

    fn input(file: &File) -> Input {
        Input::File(Arc::new(file.try_clone().unwrap()))
    }

    fn reader(bytes: &[u8]) -> (LineReader, File) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        (LineReader::new(input(&file), false), file)
    }

    fn all(reader: &mut LineReader) -> Vec<(u64, u32, String)> {
        let mut out = Vec::new();
        while let Some(batch) = reader.next_batch().unwrap() {
            out.extend(
                batch.lines().map(|l| (l.offset, l.number, String::from_utf8_lossy(l.bytes).into_owned())),
            );
        }
        out
    }

    #[test]
    fn lines_have_offsets_and_numbers_blank_ones_included() {
        let (mut reader, _) = reader(b"one\n\nthree\nfo");
        assert_eq!(
            all(&mut reader),
            [(0, 1, "one".to_owned()), (4, 2, String::new()), (5, 3, "three".to_owned())]
        );
        let open = reader.open_line().unwrap();
        assert_eq!((open.offset, open.number, open.bytes), (11, 4, &b"fo"[..]));
    }

    #[test]
    fn an_unfinished_line_waits_for_its_rest() {
        let (mut reader, mut file) = reader(b"a\nbc");
        assert_eq!(all(&mut reader).len(), 1);
        file.write_all(b"d\ne\n").unwrap();
        assert_eq!(all(&mut reader), [(2, 2, "bcd".to_owned()), (6, 3, "e".to_owned())]);
        assert!(reader.open_line().is_none());
    }

    #[test]
    fn a_line_longer_than_a_chunk_is_one_line() {
        let long = "x".repeat(CHUNK * 2 + 17);
        let (mut reader, _) = reader(format!("a\n{long}\nb\n").as_bytes());
        let lines = all(&mut reader);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1].2.len(), long.len());
        assert_eq!(lines[2], (long.len() as u64 + 3, 3, "b".to_owned()));
    }

    #[test]
    fn a_reader_from_the_tail_begins_with_a_whole_line() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\ntwo\nthree\n").unwrap();
        for (offset, first) in [(0, "one"), (4, "two"), (5, "three"), (7, "three")] {
            let mut reader = LineReader::from_tail(input(&file), offset).unwrap();
            assert_eq!(all(&mut reader)[0].2, first, "from {offset}");
        }
    }
}
