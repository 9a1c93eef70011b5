//! A file's lines into a session: once for a command, or on and on for a follower.
//!
//! Owns the decision which format a file has, and the one about a last line without a newline: one that parses is
//! a record at once and is read again if bytes follow; one that does not is pending, or malformed once nobody
//! waits for more. A long backlog is read and parsed on several threads and taken in, in order, on one (`load/bulk.rs`).

mod bulk;
mod document;
mod end;

use std::io;
use std::path::{Path, PathBuf};

use crate::formats::facts::{Body, Record};
use crate::formats::{DETECT_LINES, Detection, Format, Parser, detect};
use crate::log::follow::{Epoch, Tail, Update};
use crate::log::{Batch, Flow, LineReader, LogError, MAX_LINE, RawLine, Source, Waker, is_packed};

use super::Session;
use super::grow::Line;

pub use end::{load_end, load_tail};

/// What is said of a log that was compressed twice.
const STILL_PACKED: &str = "decompressed once, it is still compressed: take off one layer with `zstd -d` or `gzip -d`, \
then open what comes out";

/// Records read and not yet taken in, in file order.
pub type Records = Vec<(Line, Record)>;

/// Decides the format of a growing file and parses its lines.
#[derive(Debug, Default)]
pub struct Reader {
    format: Option<Format>,
    parser: Option<Parser>,
    /// Lines read while the format was still open.
    undecided: Vec<(Line, Vec<u8>)>,
    /// Why no line that comes can make it a known one any more.
    unknown: Option<String>,
}

/// What a reader made of some lines.
#[derive(Debug)]
pub enum Read {
    /// Records of a file of this format.
    Records(Format, Records),
    /// Not enough lines to tell the format.
    Undecided,
    /// It is no known format, and why.
    Unknown(String),
}

impl Reader {
    /// Reads the lines of `batch`.
    pub fn read(&mut self, batch: &Batch) -> Read {
        let Some(format) = self.format else {
            if let Some(message) = &self.unknown {
                return Read::Unknown(message.clone());
            }
            for raw in batch.lines().filter(|raw| !is_blank(raw)) {
                self.undecided.push((line(&raw), raw.bytes.to_vec()));
            }
            let read = self.decide(true);
            if let Read::Unknown(message) = &read {
                self.unknown = Some(message.clone());
            }
            return read;
        };
        Read::Records(format, self.parse(format, batch))
    }

    /// Reads one line, whole or not: what [`Tail::open_line`] holds.
    pub fn read_line(&mut self, raw: &RawLine) -> Record {
        match &mut self.parser {
            Some(parser) => parse_line(parser, raw),
            None => Record::bare("undecided", Body::Note),
        }
    }

    /// No line comes any more for now: with what came, decides if it can be decided.
    pub fn settle(&mut self, last: Option<&RawLine>) -> Read {
        if let (None, Some(raw)) = (self.format, last) {
            self.undecided.push((line(raw), raw.bytes.to_vec()));
        }
        self.decide(false)
    }

    /// Decides by an unfinished line, if that is a whole record which leaves no doubt.
    fn decide_with(&mut self, raw: &RawLine) -> Option<(Format, Records)> {
        let mut lines: Vec<&[u8]> = self.undecided.iter().map(|(_, bytes)| &bytes[..]).collect();
        lines.push(raw.bytes);
        let Detection::Known(format) = detect(&lines, true) else { return None };
        if matches!(parse_line(&mut format.parser(), raw).body, Body::Malformed(_)) {
            return None;
        }
        self.undecided.push((line(raw), raw.bytes.to_vec()));
        match self.decide(true) {
            Read::Records(format, records) => Some((format, records)),
            _ => None,
        }
    }

    fn decide(&mut self, more: bool) -> Read {
        let lines: Vec<&[u8]> =
            self.undecided.iter().take(DETECT_LINES).map(|(_, bytes)| &bytes[..]).collect();
        let format = match format_of(&lines, more) {
            Ok(Some(format)) => format,
            Ok(None) => return Read::Undecided,
            Err(message) => return Read::Unknown(message),
        };
        self.format = Some(format);
        let mut parser = format.parser();
        let records = std::mem::take(&mut self.undecided)
            .into_iter()
            .map(|(at, bytes)| {
                let raw = RawLine {
                    offset: at.offset,
                    number: at.number,
                    bytes: &bytes,
                    length: u64::from(at.length),
                };
                (at, parse_line(&mut parser, &raw))
            })
            .collect();
        self.parser = Some(parser);
        Read::Records(format, records)
    }

    fn parse(&mut self, format: Format, batch: &Batch) -> Records {
        let parser = self.parser.get_or_insert_with(|| format.parser());
        parse_all(parser, batch.lines())
    }
}

/// The format of a file with these first lines, if they decide it; why it is none that is known.
fn format_of(lines: &[&[u8]], more: bool) -> Result<Option<Format>, String> {
    match detect(lines, more) {
        Detection::Known(format) => Ok(Some(format)),
        Detection::Undecided(format) => Ok(format.filter(|_| !more)),
        // What is compressed is read as it is, so this came out of something compressed.
        Detection::Unknown(_) if lines.first().is_some_and(|first| is_packed(first)) => {
            Err(STILL_PACKED.to_owned())
        }
        Detection::Unknown(message) => Err(message),
    }
}

fn parse_all<'a>(parser: &mut Parser, lines: impl Iterator<Item = RawLine<'a>>) -> Records {
    let mut records = Records::new();
    parse_into(&mut records, parser, lines);
    records
}

fn parse_into<'a>(records: &mut Records, parser: &mut Parser, lines: impl Iterator<Item = RawLine<'a>>) {
    records.extend(lines.filter(|raw| !is_blank(raw)).map(|raw| (line(&raw), parse_line(parser, &raw))));
}

fn parse_line(parser: &mut Parser, raw: &RawLine) -> Record {
    if raw.length > MAX_LINE as u64 {
        let reason = format!("{} bytes long: lines over {MAX_LINE} bytes are not read", raw.length);
        return Record::bare("malformed", Body::Malformed(reason.into()));
    }
    parser.parse(raw.bytes)
}

fn line(raw: &RawLine) -> Line {
    Line::new(raw.offset, raw.number, raw.length)
}

fn is_blank(raw: &RawLine) -> bool {
    raw.length == raw.bytes.len() as u64 && raw.bytes.iter().all(u8::is_ascii_whitespace)
}

/// Follows a file and keeps records coming.
#[derive(Debug)]
pub struct Feed {
    tail: Tail,
    reader: Reader,
    /// The unfinished last line that was handed out as a record: where it begins and how long it was.
    open: Option<(u64, usize)>,
    /// How far the file was read when it was last found to be no document.
    no_document: Option<u64>,
}

/// What a feed has to say.
#[derive(Debug)]
pub enum News {
    /// Nothing now.
    Nothing,
    /// Records, in order, of a file of this format.
    Records(Format, Records),
    /// Everything said before is void; the records of the new epoch follow.
    Epoch(Epoch),
    /// No file at the path yet.
    Waiting,
    /// The file is gone; what was read stays.
    Gone,
    /// Its path names something that cannot be read; what was read stays.
    Displaced(LogError),
    /// It cannot be read or is no log.
    Unreadable(LogError),
}

impl Feed {
    /// A feed of the log at `path`.
    pub fn new(path: &Path) -> Self {
        Self::of(Tail::new(path))
    }

    /// A feed of a stream that stands for `path`, spooled in `folder`, or in memory for the reason given.
    pub fn of_stream(
        path: &Path,
        stream: impl io::Read + Send + 'static,
        folder: Result<PathBuf, String>,
    ) -> io::Result<Self> {
        Tail::of_stream(path, stream, folder).map(Self::of)
    }

    fn of(tail: Tail) -> Self {
        Self { tail, reader: Reader::default(), open: None, no_document: None }
    }

    /// `waker` is told from now on when more has come of what is spooled.
    pub fn wake(&mut self, waker: Waker) {
        self.tail.wake(waker);
    }

    /// What is read, for reading it back; nothing before it was opened.
    pub fn source(&self) -> Option<Source> {
        self.tail.source()
    }

    /// How the log arrives, where it has to be spooled. Opens it, if it is not open.
    pub fn flow(&mut self) -> Option<Flow> {
        self.tail.flow()
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.tail.position()
    }

    /// Whether the file ends in a line that is no record yet.
    pub fn is_pending(&self) -> bool {
        self.open.is_none() && !self.is_document() && self.tail.open_line().is_some_and(|raw| !is_blank(&raw))
    }

    /// Why what has come so far is no log of a known format, although what comes next may still make it one.
    pub fn doubt(&self, path: &Path) -> Option<LogError> {
        if self.reader.format.is_some() {
            return None;
        }
        // An unfinished record may be one of a known format.
        let open = |raw: &RawLine| !is_blank(raw) && !raw.bytes.trim_ascii_start().starts_with(b"{");
        let open = self.tail.open_line().filter(open);
        let mut lines: Vec<&[u8]> =
            self.reader.undecided.iter().take(DETECT_LINES).map(|(_, bytes)| &bytes[..]).collect();
        lines.extend(open.map(|raw| raw.bytes));
        let message = if lines.is_empty() { None } else { format_of(&lines, false).err() };
        message.map(|message| LogError::Unknown { path: path.to_path_buf(), message })
    }

    /// What happened since the last call.
    pub fn next(&mut self, path: &Path) -> News {
        match self.tail.poll() {
            // What stands on the lines of a document was read with its first.
            Update::Lines(_) if self.is_document() => News::Nothing,
            Update::Lines(batch) => {
                if let Some(news) = self.check_open(&batch) {
                    return news;
                }
                match self.skip_open(&batch) {
                    Read::Records(format, records) => News::Records(format, records),
                    Read::Undecided => News::Nothing,
                    Read::Unknown(message) => self.document(path).unwrap_or_else(|| unknown(path, message)),
                }
            }
            Update::Epoch(epoch) => self.epoch(epoch),
            // Where a compressed file is cut into pieces says nothing of its lines.
            Update::Nothing if self.tail.is_flowing() => News::Nothing,
            Update::Nothing if self.is_document() => News::Nothing,
            Update::Nothing
                if self.reader.format.is_none() && self.source().is_some_and(|s| s.is_whole()) =>
            {
                self.document(path).unwrap_or_else(|| self.open_record())
            }
            Update::Nothing => self.open_record(),
            Update::Waiting => News::Waiting,
            Update::Gone => News::Gone,
            Update::Displaced(error) => News::Displaced(error),
            Update::Unreadable(error) => News::Unreadable(error),
        }
    }

    fn epoch(&mut self, epoch: Epoch) -> News {
        self.reader = Reader::default();
        self.open = None;
        self.no_document = None;
        News::Epoch(epoch)
    }

    /// A record was handed out for a line without an end: if the line went on, everything is read anew.
    fn check_open(&mut self, batch: &Batch) -> Option<News> {
        let (offset, length) = self.open?;
        let first = batch.lines().next()?;
        // Even a blank: the line is longer than the row says.
        let goes_on = first.offset == offset && first.bytes.len() > length;
        goes_on.then(|| {
            self.tail.restart(Epoch::Reopened);
            self.epoch(Epoch::Reopened)
        })
    }

    /// Reads `batch` without its first line where that was handed out already.
    fn skip_open(&mut self, batch: &Batch) -> Read {
        let Some((offset, _)) = self.open.take() else { return self.reader.read(batch) };
        match self.reader.read(batch) {
            Read::Records(format, mut records) => {
                if records.first().is_some_and(|(line, _)| line.offset == offset) {
                    records.remove(0);
                }
                Read::Records(format, records)
            }
            other => other,
        }
    }

    /// At the end of the file: an unfinished line that is a whole record counts at once.
    fn open_record(&mut self) -> News {
        let Some(raw) = self.tail.open_line() else { return News::Nothing };
        let (Some(format), Some(parser)) = (self.reader.format, &mut self.reader.parser) else {
            let at = (raw.offset, raw.bytes.len());
            let Some((format, records)) = self.reader.decide_with(&raw) else { return News::Nothing };
            self.open = Some(at);
            return News::Records(format, records);
        };
        if let Some((offset, length)) = self.open
            && offset == raw.offset
        {
            if raw.bytes.len() > length {
                self.tail.restart(Epoch::Reopened);
                return self.epoch(Epoch::Reopened);
            }
            return News::Nothing;
        }
        if !raw.bytes.trim_ascii_start().starts_with(b"{") || !raw.bytes.trim_ascii_end().ends_with(b"}") {
            return News::Nothing;
        }
        let record = parse_line(parser, &raw);
        if matches!(record.body, Body::Malformed(_)) {
            return News::Nothing;
        }
        let at = line(&raw);
        self.open = Some((raw.offset, raw.bytes.len()));
        News::Records(format, vec![(at, record)])
    }

    /// Nobody waits for more: the format is decided, and what is left of the last line counts as it is.
    pub fn finish(&mut self, path: &Path) -> News {
        if self.reader.format.is_none()
            && let Some(news) = self.document(path)
        {
            return news;
        }
        let open = self.open;
        let raw =
            self.tail.open_line().filter(|raw| !is_blank(raw) && open.is_none_or(|(at, _)| at != raw.offset));
        match self.reader.format {
            Some(format) => {
                let records = match raw.filter(|_| !format.is_document()) {
                    Some(raw) => vec![(line(&raw), self.reader.read_line(&raw))],
                    None => Vec::new(),
                };
                News::Records(format, records)
            }
            None => match self.reader.settle(raw.as_ref()) {
                Read::Records(format, records) => News::Records(format, records),
                Read::Unknown(message) if !self.reader.undecided.is_empty() => unknown(path, message),
                Read::Unknown(_) | Read::Undecided => {
                    News::Unreadable(LogError::Empty { path: path.to_path_buf() })
                }
            },
        }
    }
}

fn unknown(path: &Path, message: String) -> News {
    News::Unreadable(LogError::Unknown { path: path.to_path_buf(), message })
}

/// How often a file may change under a command before the command gives up.
const EPOCHS: u32 = 8;

/// Checks that the file at `path` is a log of a known format, by its first lines.
pub fn check(path: &Path) -> Result<(), LogError> {
    let mut lines = LineReader::open(path)?;
    begins_well(path, &mut lines).map_err(|error| error.explained(lines.flow().as_ref()))
}

fn begins_well(path: &Path, lines: &mut LineReader) -> Result<(), LogError> {
    let mut reader = Reader::default();
    loop {
        let batch = lines.next_batch().map_err(|error| LogError::io(path, lines.position(), error))?;
        let read = match &batch {
            Some(batch) => reader.read(batch),
            None => reader.settle(lines.open_line().as_ref().filter(|raw| !is_blank(raw))),
        };
        match (read, batch) {
            (Read::Records(..), _) => return Ok(()),
            (Read::Unknown(message), _) if !reader.undecided.is_empty() => {
                if document::read(path, &lines.source(path), &reader).is_some() {
                    return Ok(());
                }
                return Err(LogError::Unknown { path: path.to_path_buf(), message });
            }
            (_, Some(_)) => {}
            (_, None) => return Err(LogError::Empty { path: path.to_path_buf() }),
        }
    }
}

/// Reads the log at `path` to its end.
pub fn load(path: &Path) -> Result<Session, LogError> {
    load_with_source(path).map(|(session, _)| session)
}

/// The same, with somebody who is told the bytes read so far now and then, and ends it by answering false: then
/// there is no session.
pub fn load_while(
    path: &Path,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<(Session, Source)>, LogError> {
    let mut feed = Feed::of(Tail::patient(path));
    read_whole(&mut feed, path, go_on).map_err(|error| error.explained(feed.flow().as_ref()))
}

/// Reads the log at `path` to its end, and gives what was read for reading it back: it may not be read twice.
pub fn load_with_source(path: &Path) -> Result<(Session, Source), LogError> {
    let read = load_while(path, &mut |_| true)?;
    read.ok_or_else(|| LogError::Empty { path: path.to_path_buf() })
}

fn read_whole(
    feed: &mut Feed,
    path: &Path,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<(Session, Source)>, LogError> {
    let mut session = None;
    let mut epochs = 0;
    loop {
        match feed.read_to_end(path, &mut session, go_on) {
            End::Reached => break,
            End::Epoch(_) if epochs >= EPOCHS => return Err(LogError::Restless { path: path.to_path_buf() }),
            End::Epoch(_) => epochs += 1,
            End::Stopped => return Ok(None),
            End::Waiting => return Err(LogError::Missing { path: path.to_path_buf() }),
            End::Unreadable(error) => return Err(error),
        }
    }
    match feed.finish(path) {
        News::Records(format, records) => take_in(&mut session, format, records),
        News::Unreadable(error) => return Err(error),
        _ => {}
    }
    let empty = || LogError::Empty { path: path.to_path_buf() };
    let (mut session, source) = session.zip(feed.source()).ok_or_else(empty)?;
    session.bytes = feed.position();
    super::subagents::attach(&mut session, path);
    Ok(Some((session, source)))
}

/// Why reading a backlog ended.
#[derive(Debug)]
pub enum End {
    /// The file ends here for now.
    Reached,
    /// Everything is read anew: what was built is void and was dropped.
    Epoch(Epoch),
    /// There is no file yet.
    Waiting,
    /// The reader was told to stop.
    Stopped,
    /// It cannot be read or is no log.
    Unreadable(LogError),
}

impl Feed {
    /// Reads everything that is there into `session`, which comes to be with the first record. `go_on` is told the
    /// bytes read so far now and then, and ends the reading by answering false.
    pub fn read_to_end(
        &mut self,
        path: &Path,
        session: &mut Option<Session>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> End {
        loop {
            if !go_on(self.position()) {
                return End::Stopped;
            }
            let before = self.position();
            match self.next(path) {
                News::Records(format, records) => take_in(session, format, records),
                News::Epoch(epoch) => {
                    *session = None;
                    return End::Epoch(epoch);
                }
                News::Nothing if self.position() > before => {}
                News::Nothing | News::Gone | News::Displaced(_) => return End::Reached,
                News::Waiting => return End::Waiting,
                News::Unreadable(error) => return End::Unreadable(error),
            }
            if let (Some(format), Some(session)) = (self.reader.format, session.as_mut())
                && self.open.is_none()
                && !format.is_document()
                && !bulk::read(self, format, session, go_on)
            {
                return End::Stopped;
            }
        }
    }
}

fn take_in(session: &mut Option<Session>, format: Format, records: Records) {
    let session = session.get_or_insert_with(|| Session::new(format));
    for (line, record) in records {
        session.push(line, record);
    }
}
