//! What must hold whatever the bytes are: the checks of the fuzz targets, and of the kept corpus in `cargo test`.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use pentimento::formats::facts::{Body, PartFacts, Record};
use pentimento::formats::{Detection, Format, detect};
use pentimento::session::Session;
use pentimento::session::address::{Address, Moment};
use pentimento::session::load::{Feed, News, load};
use pentimento::text::{display, preview, tokens};

use crate::digest::{difference, digest, rest};
use crate::random_log::Seed;
use crate::{random_codex, random_log, random_pi};

/// A target's name, its check, and whether its inputs are texts.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 4] =
    [("appends", appends), ("formats", formats), ("display", display_text), ("addresses", addresses)];

/// How many steps a schedule may have.
const STEPS: usize = 12;

/// A log that is appended to, cut in the middle of lines, truncated, rewritten and replaced while it is followed is in
/// the end the log as it is then. The first byte chooses how the bytes of the log are made, the next twelve are the
/// schedule, the rest is the log: seeds of a random one, or its bytes.
pub fn appends(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let (schedule, data) = data.split_at(data.len().min(STEPS));
    let seeds: Vec<Seed> = data.as_chunks().0.iter().take(48).copied().collect();
    let bytes = match kind % 4 {
        0 => random_log::build(&seeds),
        1 => random_codex::build(&seeds),
        2 => random_pi::build(&seeds),
        _ => data.to_vec(),
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("log.jsonl");
    let mut live = Live { path: &path, written: 0, clock: SystemTime::now(), bytes: &bytes };
    let mut feed = Feed::new(&path);
    let mut session = None;
    live.append(0);
    for step in schedule {
        live.step(*step);
        let _ = rest(&mut feed, &path, &mut session);
    }
    live.append(bytes.len());
    let _ = rest(&mut feed, &path, &mut session);
    let followed = match feed.finish(&path) {
        News::Records(format, records) => {
            let session = session.get_or_insert_with(|| Session::new(format));
            for (line, record) in records {
                session.push(line, record);
            }
            Ok(digest(session))
        }
        News::Unreadable(error) => Err(error.to_string()),
        other => Err(format!("{other:?}")),
    };
    let whole = load(&path).map(|session| digest(&session)).map_err(|error| error.to_string());
    match (followed, whole) {
        (Ok(followed), Ok(whole)) => assert_eq!(difference(&followed, &whole), None),
        (followed, whole) => assert_eq!(followed.map(|_| ()), whole.map(|_| ())),
    }
}

/// A log that somebody writes.
struct Live<'a> {
    path: &'a Path,
    written: usize,
    /// Each change is a second later: the clock of a file system is too coarse for a fuzzer.
    clock: SystemTime,
    bytes: &'a [u8],
}

impl Live<'_> {
    fn step(&mut self, step: u8) {
        let part = usize::from(step % 32) + 1;
        match step / 32 {
            0..=3 => self.append(self.written + (self.bytes.len() - self.written) * part / 32),
            4 => self.truncate(self.written * part / 33),
            5 => self.flip(part),
            6 => self.replace(),
            _ => self.append((self.written + part).min(self.bytes.len())),
        }
    }

    fn touch(&mut self, file: &File) {
        self.clock += Duration::from_secs(1);
        file.set_modified(self.clock).expect("its time can be set");
    }

    /// Writes the log on, up to `to`.
    fn append(&mut self, to: usize) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.path).expect("it opens");
        file.write_all(&self.bytes[self.written..to.max(self.written)]).expect("it can be written");
        self.written = self.written.max(to);
        self.touch(&file);
    }

    fn truncate(&mut self, to: usize) {
        let file = OpenOptions::new().write(true).open(self.path).expect("it opens");
        file.set_len(to as u64).expect("it can be cut");
        self.written = to;
        self.touch(&file);
    }

    /// Other bytes at the same size; the next append goes on behind them.
    fn flip(&mut self, part: usize) {
        let at = self.written * part / 33;
        let mut file = OpenOptions::new().write(true).open(self.path).expect("it opens");
        if at < self.written {
            file.seek(SeekFrom::Start(at as u64)).expect("it can be sought");
            file.write_all(&[self.bytes[at] ^ 1]).expect("it can be written");
        }
        self.touch(&file);
    }

    /// Another file under the same name, with what was written so far.
    fn replace(&mut self) {
        let beside = self.path.with_extension("new");
        std::fs::write(&beside, &self.bytes[..self.written]).expect("it can be written");
        std::fs::rename(&beside, self.path).expect("it can be renamed");
        let file = OpenOptions::new().write(true).open(self.path).expect("it opens");
        self.touch(&file);
    }
}

/// Lines of every format: each is a record, its parts are numbered as its texts are, and a session takes them all. The
/// first byte chooses the format.
pub fn formats(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let format = [Format::ClaudeCode, Format::Codex, Format::Pi, Format::ContextGc][usize::from(kind % 4)];
    let lines: Vec<&[u8]> = data.split(|b| *b == b'\n').collect();
    if let Detection::Unknown(message) = detect(&lines, false) {
        assert!(message.lines().all(display::is_safe), "{message:?}");
    }
    let mut parser = format.parser();
    for line in &lines {
        let record = parser.parse(line);
        let texts = format.texts(line);
        match &record.body {
            Body::Malformed(reason) => assert!(!reason.is_empty()),
            Body::Compacted(compaction) => {
                let (boundary, facts) = &**compaction;
                let again =
                    boundary.again.iter().map(|again| usize::from(again.first) + again.parts.len()).max();
                assert!(texts.len() >= again.unwrap_or(0).max(facts.parts.len()), "{texts:?}");
                same_kinds(&facts.parts, &texts[..facts.parts.len()]);
            }
            _ => {
                if let Some(parts) = parts(&record) {
                    assert_eq!(texts.len(), parts.len(), "{parts:?} {texts:?}");
                    same_kinds(parts, &texts);
                }
            }
        }
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), data).expect("it can be written");
    if let Ok(session) = load(file.path()) {
        // Elements of an array are lines of their own, and what is broken in one may be a line for each of its bytes.
        assert!(session.rows().len() <= lines.len().max(data.len()));
        let _ = digest(&session);
    }
}

fn parts(record: &Record) -> Option<&[PartFacts]> {
    match &record.body {
        Body::Turn(facts) => Some(&facts.parts),
        _ => None,
    }
}

fn same_kinds(parts: &[PartFacts], texts: &[pentimento::formats::facts::PartText]) {
    for (part, text) in parts.iter().zip(texts) {
        assert_eq!(part.kind, text.kind, "{part:?} {text:?}");
    }
}

/// Display text: nothing in it acts on a terminal, nothing hides, no cluster grows without end, and it stays as it is
/// when it is made safe once more.
pub fn display_text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let shown = display::safe(&text);
    assert!(display::is_safe(&shown), "{shown:?}");
    assert_eq!(display::safe(&shown), shown, "safe text changes");
    let mut marks = 0;
    for c in shown.chars() {
        let is_mark = unicode_width::UnicodeWidthChar::width(c) == Some(0) && c as u32 >= 0x300;
        marks = if is_mark { marks + 1 } else { 0 };
        assert!(marks <= 8, "{marks} marks in a row in {shown:?}");
    }
    if let Some(name) = display::name(&text) {
        assert!(name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_'), "{name:?}");
    }
    let preview = preview::of(&text);
    assert!(preview.chars().count() <= preview::LENGTH, "{preview:?}");
    assert!(tokens::estimate(&text) as usize <= text.len());
}

/// An address or moment that can be read is written as it was read.
pub fn addresses(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(address) = text.parse::<Address>() {
        let written = address.to_string();
        assert_eq!(written.parse::<Address>().as_ref(), Ok(&address), "{text:?} was written {written:?}");
    }
    let _ = text.parse::<Moment>();
}
