//! Compressed bytes, pushed in as they come, to the bytes they stand for.
//!
//! Zstd frames and gzip members are known by their first bytes and may follow one another in any order. Everything
//! that stands before a damaged place comes out. Memory is bounded: a zstd frame that asks for more than the 128 MiB
//! which zstd itself allows is refused.

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::trouble::Trouble;

/// How zstd frames begin.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// How zstd's skippable frames begin, but for the low half of the first byte; some files open with one.
const SKIPPABLE: [u8; 4] = [0x50, 0x2A, 0x4D, 0x18];
/// How gzip members begin.
const GZIP: [u8; 2] = [0x1F, 0x8B];
/// The largest window, as a power of two.
const WINDOW: u32 = 27;
/// What a zstd block takes at the most, and its header.
const BLOCK: usize = 128 << 10;
const BLOCK_HEADER: usize = 3;
/// Decompressed bytes that are handed on at a time.
const OUT: usize = 256 << 10;

/// Whether `first`, the first bytes of a file or of what came out of one, begin compressed data.
pub fn is_packed(first: &[u8]) -> bool {
    matches!(recognise(first), Start::Zstd | Start::Gzip)
}

#[derive(PartialEq)]
enum Start {
    Zstd,
    Gzip,
    Plain,
    /// More bytes have to tell.
    Open,
}

fn recognise(first: &[u8]) -> Start {
    let zstd = |magic: [u8; 4], mask: u8| {
        first.iter().zip(magic).enumerate().all(|(at, (byte, wanted))| {
            let byte = if at == 0 { byte & mask } else { *byte };
            byte == wanted
        })
    };
    if zstd(ZSTD, 0xFF) || zstd(SKIPPABLE, 0xF0) {
        return if first.len() < ZSTD.len() { Start::Open } else { Start::Zstd };
    }
    match first.len().cmp(&GZIP.len()) {
        _ if !first.iter().zip(GZIP).all(|(byte, wanted)| *byte == wanted) => Start::Plain,
        std::cmp::Ordering::Less => Start::Open,
        _ => Start::Gzip,
    }
}

/// Who gets the bytes.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), Trouble>;

/// Takes what comes in, in pieces of any size.
pub(super) struct Unpacker {
    state: State,
    /// Bytes taken.
    read: u64,
    /// Compressed data has come to its end before.
    again: bool,
    /// That was a gzip member: zero bytes may follow, which fill up blocks.
    padded: bool,
    out: Out,
}

enum State {
    /// At the start, or behind compressed data: bytes that do not tell yet what follows.
    Start(Vec<u8>),
    /// Nothing is compressed.
    Plain,
    Zstd(Zstd),
    Gzip(Gzip),
}

struct Zstd {
    decoder: Decoder<'static>,
    /// How many bytes the decoder wants next, and those of them that came.
    wanted: usize,
    waiting: Vec<u8>,
    /// Where the frame begins.
    began: u64,
}

struct Gzip {
    inflate: Box<Decompress>,
    /// Where the member begins.
    began: u64,
}

/// Decompressed bytes on their way.
struct Out {
    bytes: Vec<u8>,
    filled: usize,
}

impl Out {
    fn flush(&mut self, sink: Sink) -> Result<(), Trouble> {
        let filled = std::mem::take(&mut self.filled);
        if filled == 0 { Ok(()) } else { sink(&self.bytes[..filled]) }
    }

    fn is_full(&self) -> bool {
        self.filled == self.bytes.len()
    }
}

impl Unpacker {
    pub(super) fn new() -> Self {
        let out = Out { bytes: vec![0; OUT], filled: 0 };
        Self { state: State::Start(Vec::new()), read: 0, again: false, padded: false, out }
    }

    /// Takes `bytes`. What comes out of them, or of those before a damaged place, is handed on before this returns.
    pub(super) fn push(&mut self, bytes: &[u8], sink: Sink) -> Result<(), Trouble> {
        let outcome = self.take(bytes, sink);
        self.out.flush(sink)?;
        outcome
    }

    /// The input ends here for now: says what is missing.
    pub(super) fn end(&mut self, sink: Sink) -> Result<(), Trouble> {
        let kind = match &self.state {
            State::Start(first) if self.again && !first.is_empty() => "compressed",
            State::Start(first) => {
                sink(first)?;
                self.state = if first.is_empty() { State::Start(Vec::new()) } else { State::Plain };
                return Ok(());
            }
            State::Plain => return Ok(()),
            State::Zstd(_) => "zstd",
            State::Gzip(_) => "gzip",
        };
        Err(Trouble::CutOff { kind, offset: self.read })
    }

    fn take(&mut self, mut bytes: &[u8], sink: Sink) -> Result<(), Trouble> {
        while let Some(first) = bytes.first() {
            let (used, ended) = match &mut self.state {
                State::Start(known) if self.padded && known.is_empty() && *first == 0 => {
                    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
                    self.read += zeros as u64;
                    bytes = &bytes[zeros..];
                    continue;
                }
                State::Start(known) => {
                    known.push(*first);
                    self.read += 1;
                    bytes = &bytes[1..];
                    self.start(sink)?;
                    continue;
                }
                State::Plain => {
                    sink(bytes)?;
                    (bytes.len(), false)
                }
                State::Zstd(zstd) => zstd.step(bytes, self.read, &mut self.out, sink)?,
                State::Gzip(gzip) => gzip.step(bytes, self.read, &mut self.out, sink)?,
            };
            self.read += used as u64;
            bytes = &bytes[used..];
            if ended {
                self.padded = matches!(self.state, State::Gzip(_));
                self.state = State::Start(Vec::new());
                self.again = true;
            }
        }
        Ok(())
    }

    /// One more byte is known of what follows.
    fn start(&mut self, sink: Sink) -> Result<(), Trouble> {
        let State::Start(known) = &mut self.state else { return Ok(()) };
        let began = self.read - known.len() as u64;
        let next = match recognise(known) {
            Start::Open => return Ok(()),
            Start::Plain if self.again => return Err(Trouble::Trailing { offset: began }),
            Start::Plain => State::Plain,
            Start::Zstd => State::Zstd(Zstd::new(began)?),
            Start::Gzip => State::Gzip(Gzip { inflate: Box::new(Decompress::new_gzip(15)), began }),
        };
        let known = std::mem::take(known);
        self.state = next;
        self.read = began;
        self.take(&known, sink)
    }
}

impl Zstd {
    fn new(began: u64) -> Result<Self, Trouble> {
        let damaged = |error: std::io::Error| Trouble::Damaged {
            kind: "zstd",
            offset: began,
            reason: error.to_string(),
        };
        let mut decoder = Decoder::new().map_err(damaged)?;
        let window = zstd::stream::raw::DParameter::WindowLogMax(WINDOW);
        decoder.set_parameter(window).map_err(damaged)?;
        Ok(Self { decoder, wanted: ZSTD.len(), waiting: Vec::new(), began })
    }

    /// Takes some of `bytes`, no more than what is wanted for one block; answers how many, and whether the frame
    /// ended. The decoder is given whole blocks, one by one: it forgets what it put out when a later block of the same
    /// step is damaged, and so a damaged place is named alike, however the bytes came.
    fn step(&mut self, bytes: &[u8], at: u64, out: &mut Out, sink: Sink) -> Result<(usize, bool), Trouble> {
        let block = self.wanted.checked_sub(BLOCK_HEADER).filter(|rest| *rest > 0).unwrap_or(self.wanted);
        let missing = block.clamp(1, BLOCK) - self.waiting.len();
        if bytes.len() < missing {
            self.waiting.extend_from_slice(bytes);
            return Ok((bytes.len(), false));
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        let began = at - waiting.len() as u64;
        let block = if waiting.is_empty() {
            &bytes[..missing]
        } else {
            waiting.extend_from_slice(&bytes[..missing]);
            &waiting
        };
        Ok((missing, self.decode(block, began, out, sink)?))
    }

    fn decode(&mut self, block: &[u8], at: u64, out: &mut Out, sink: Sink) -> Result<bool, Trouble> {
        let mut input = InBuffer::around(block);
        loop {
            let mut output = OutBuffer::around_pos(&mut out.bytes[..], out.filled);
            let outcome = self.decoder.run(&mut input, &mut output);
            out.filled = output.pos();
            self.wanted = outcome.map_err(|error| self.trouble(at, &error))?;
            let more = out.is_full();
            if more {
                out.flush(sink)?;
            }
            if self.wanted == 0 || (!more && input.pos() == block.len()) {
                return Ok(self.wanted == 0);
            }
        }
    }

    fn trouble(&self, offset: u64, error: &std::io::Error) -> Trouble {
        let (kind, began, reason) = ("zstd", self.began, error.to_string());
        if reason.contains("too much memory") {
            return Trouble::Window { offset: began };
        }
        if reason.contains("checksum") {
            return Trouble::Checksum { kind, began, offset };
        }
        Trouble::Damaged { kind, offset, reason }
    }
}

impl Gzip {
    /// Takes `bytes` up to the end of the member. Answers how many, and whether the member ended.
    fn step(&mut self, bytes: &[u8], at: u64, out: &mut Out, sink: Sink) -> Result<(usize, bool), Trouble> {
        let before = self.inflate.total_in();
        let mut used = 0;
        loop {
            let written = self.inflate.total_out();
            let room = &mut out.bytes[out.filled..];
            let outcome = self.inflate.decompress(&bytes[used..], room, FlushDecompress::None);
            out.filled += (self.inflate.total_out() - written) as usize;
            used = (self.inflate.total_in() - before) as usize;
            let offset = at + used as u64;
            let status = outcome.map_err(|error| self.trouble(offset, error.message()))?;
            let more = out.is_full();
            if more {
                out.flush(sink)?;
            }
            if status == Status::StreamEnd || (!more && used == bytes.len()) {
                return Ok((used, status == Status::StreamEnd));
            }
            if !more && status == Status::BufError {
                return Err(self.trouble(offset, None));
            }
        }
    }

    fn trouble(&self, offset: u64, reason: Option<&str>) -> Trouble {
        let (kind, began) = ("gzip", self.began);
        match reason {
            Some("incorrect data check" | "incorrect length check") => {
                Trouble::Checksum { kind, began, offset }
            }
            reason => Trouble::Damaged { kind, offset, reason: reason.unwrap_or("damaged data").to_owned() },
        }
    }
}

#[cfg(test)]
mod tests;
