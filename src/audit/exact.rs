//! Exact items of a range: what a summary has to keep letter by letter, who says each and how often.
//!
//! Items are the identifiers of [`crate::text::identifiers`], what failures are known by, commands, quotations, and numbers
//! that say something alone. A text is looked through word by word and what a word holds is remembered, as ranges repeat
//! their words; only a number and its unit, and the code of a failure, span two. An item counts once in each part. What only
//! tools said is as much as all else together ten times over, so it is counted and listed only where somebody asks.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use crate::lineage::range::{Block, Class as BlockClass};
use crate::text::identifiers::{self, Class as Name};
use crate::text::spans::{self, Marks};

use super::finding::{Class, Place, Voice};
use super::normal;

/// Places kept of an item.
pub(super) const PLACES: usize = 3;
/// Words longer than this hold data, not names.
const LONGEST: usize = 240;
/// What words hold is remembered of so many words at the most.
const REMEMBERED: usize = 200_000;
/// Commands longer than this are scripts.
const COMMAND: usize = 80;

/// Quotation marks and back-ticks.
const QUOTES: [Marks; 3] = [
    Marks { open: &['"'], close: &['"'], least: 4, most: 80 },
    Marks { open: &['“'], close: &['”'], least: 4, most: 80 },
    Marks { open: &['`'], close: &['`'], least: 4, most: 80 },
];

/// One item of a range.
#[derive(Clone, Debug)]
pub struct Exact {
    /// What it is.
    pub class: Class,
    /// What kind of name, where it is one.
    pub name: Option<Name>,
    /// As it was first said.
    pub text: Box<str>,
    /// As it is compared.
    pub normal: Box<str>,
    /// The most telling voice that says it.
    pub voice: Voice,
    /// The parts that say it.
    pub units: u32,
    /// The first of them, by their most telling voice.
    pub places: Vec<Place>,
    last: usize,
}

/// The items of one range.
#[derive(Debug, Default)]
pub struct Items {
    /// In the order in which they first occur.
    pub all: Vec<Exact>,
    by_key: HashMap<(Class, Box<str>), usize, FixedState>,
}

/// An item in a word: its class, kind of name, comparable form and bytes.
type Found = (Class, Option<Name>, Box<str>, Range<usize>);

/// Finds items in texts, and remembers what words hold.
#[derive(Debug, Default)]
pub struct Finder {
    words: HashMap<Box<str>, Box<[Found]>, FixedState>,
}

/// Who speaks in a block; none where the harness does, or a summary.
pub(super) fn voice(block: &Block) -> Option<Voice> {
    match block.spot.class {
        BlockClass::Prompt => Some(Voice::Prompt),
        BlockClass::Text => Some(Voice::Text),
        BlockClass::Meta | BlockClass::Summary => None,
        _ if block.spot.role == crate::formats::facts::Role::Tool || block.call.is_some() => {
            Some(Voice::ToolResult)
        }
        _ => Some(Voice::ToolUse),
    }
}

/// Where bytes of a block stand in the log.
pub(super) fn place(block: &Block, range: &Range<usize>) -> Place {
    let at = |byte: usize| u64::try_from(byte as i64 + block.shift?).ok();
    Place {
        turn: block.spot.number,
        index: block.spot.index,
        line: block.spot.line,
        part: block.spot.part,
        voice: block.spot.voice,
        bytes: at(range.start).zip(at(range.end)),
    }
}

impl Items {
    /// Takes the items of a block, which is the range's `number`th.
    pub fn take(&mut self, finder: &mut Finder, number: usize, block: &Block) {
        let Some(voice) = voice(block) else { return };
        finder.each(block, voice, &mut |(class, name, normal, range)| {
            self.add((*class, *name, normal), voice, number, &block.text[range.clone()], || {
                place(block, range)
            });
        });
    }

    fn add(
        &mut self,
        (class, name, normal): (Class, Option<Name>, &str),
        voice: Voice,
        block: usize,
        text: &str,
        place: impl FnOnce() -> Place,
    ) {
        let found = self.by_key.get(&(class, normal.into())).copied();
        let Some(at) = found else {
            self.by_key.insert((class, normal.into()), self.all.len());
            let (text, normal) = (text.trim().into(), normal.into());
            let places = vec![place()];
            self.all.push(Exact { class, name, text, normal, voice, units: 1, places, last: block });
            return;
        };
        let item = &mut self.all[at];
        if item.last == block {
            return;
        }
        (item.last, item.units) = (block, item.units + 1);
        if voice > item.voice {
            item.voice = voice;
            item.places.insert(0, place());
            item.places.truncate(PLACES);
        } else if item.places.len() < PLACES {
            item.places.push(place());
        }
    }

    /// Whether the range says an item.
    pub fn holds(&self, class: Class, normal: &str) -> bool {
        self.by_key.contains_key(&(class, normal.into()))
    }
}

impl Finder {
    /// Calls `take` with each item of a block, some of them more than once.
    fn each(&mut self, block: &Block, voice: Voice, take: &mut dyn FnMut(&Found)) {
        let text = &block.text;
        let mut before: [&str; 2] = ["", ""];
        let mut number: Option<Range<usize>> = None;
        for range in words(text) {
            let word = &text[range.clone()];
            if let Some(number) = number.take()
                && let Some(unit) = unit(word)
            {
                let range = number.start..range.start + unit;
                let normal = normal::number(&text[range.clone()]);
                take(&(Class::Number, Some(Name::Number), normal.into(), range));
            } else {
                self.of_word(word, range.start, take);
            }
            if let Some(found) = failure(before, word, range.start) {
                take(&found);
            }
            if word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.')) {
                number = Some(range);
            }
            before = [before[1], word];
        }
        if !voice.is_tool() {
            quotations(text, take);
        }
        if block.spot.class == BlockClass::RunCall && voice == Voice::ToolUse {
            commands(text, take);
        }
    }

    fn of_word(&mut self, word: &str, start: usize, take: &mut dyn FnMut(&Found)) {
        let lead = word.len() - word.trim_start_matches(MARKS).len();
        let word = word.trim_matches(MARKS);
        if word.len() < 2 || word.len() > LONGEST || !may_hold(word) {
            return;
        }
        if !self.words.contains_key(word) {
            if self.words.len() >= REMEMBERED {
                self.words.clear();
            }
            self.words.insert(word.into(), names(word));
        }
        let start = start + lead;
        for (class, name, normal, range) in self.words.get(word).into_iter().flatten() {
            take(&(*class, *name, normal.clone(), start + range.start..start + range.end));
        }
    }
}

/// What may stand around a name.
const MARKS: [char; 18] =
    ['"', '\'', '`', ',', ';', '(', ')', '[', ']', '{', '}', '<', '>', '“', '”', '!', '?', '|'];

/// The words of a text, between white space.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_space = |b: &u8| b.is_ascii_whitespace();
        at += bytes[at..].iter().position(|b| !is_space(b))?;
        let from = at;
        at = bytes[at..].iter().position(is_space).map_or(bytes.len(), |length| at + length);
        Some(from..at)
    })
}

/// Whether a word may hold a name: plain words do not.
fn may_hold(word: &str) -> bool {
    let bytes = word.as_bytes();
    let telling =
        |b: &u8| b.is_ascii_digit() || matches!(b, b'/' | b'_' | b'.' | b':' | b'#' | b'$' | b'~' | b'-');
    let last = bytes.len() - 1;
    bytes.iter().take(last).any(telling)
        || bytes[last].is_ascii_digit()
        || bytes.iter().skip(1).any(u8::is_ascii_uppercase)
}

/// The items in one word.
fn names(word: &str) -> Box<[Found]> {
    let mut out: Vec<Found> = Vec::new();
    for found in identifiers::find(word) {
        if found.class == Name::Number && !tells(&found.normal) {
            continue;
        }
        let class = match found.class {
            Name::Path | Name::File => Class::Path,
            Name::Flag => Class::Command,
            Name::Number => Class::Number,
            _ => Class::Identifier,
        };
        if is_none(found.class, &found.normal) {
            continue;
        }
        out.push((class, Some(found.class), found.normal.into(), found.range));
    }
    let is_code = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() >= 4 && bytes[0] == b'E' && bytes.iter().all(u8::is_ascii_uppercase) && is_errno(word)
    };
    if out.is_empty() && is_code(word) {
        out.push((Class::Error, None, word.to_lowercase().into(), 0..word.len()));
    }
    out.into()
}

/// What has the form of a name and is none: a list's number, `e.g`, `~500`.
fn is_none(class: Name, normal: &str) -> bool {
    match class {
        Name::Ticket => normal.len() < 3,
        Name::Dotted => normal.split(['.', ':']).all(|part| part.len() <= 1),
        Name::Path => {
            normal.strip_prefix('~').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        }
        _ => false,
    }
}

/// The names that systems give their errors begin so; other words in capitals do too.
fn is_errno(word: &str) -> bool {
    const KNOWN: [&str; 30] = [
        "EACCES",
        "EADDRINUSE",
        "EAGAIN",
        "EBADF",
        "EBUSY",
        "ECHILD",
        "ECONNABORTED",
        "ECONNREFUSED",
        "ECONNRESET",
        "EEXIST",
        "EFAULT",
        "EHOSTUNREACH",
        "EINTR",
        "EINVAL",
        "EIO",
        "EISDIR",
        "ELOOP",
        "EMFILE",
        "ENAMETOOLONG",
        "ENETUNREACH",
        "ENOENT",
        "ENOMEM",
        "ENOSPC",
        "ENOTDIR",
        "ENOTEMPTY",
        "ENOTFOUND",
        "EPERM",
        "EPIPE",
        "ERESOLVE",
        "ETIMEDOUT",
    ];
    KNOWN.binary_search(&word).is_ok()
}

/// Whether a number says something without its sentence.
fn tells(normal: &str) -> bool {
    let digits = normal.bytes().filter(u8::is_ascii_digit).count();
    digits >= 3 || normal.ends_with(|c: char| c == '%' || c.is_ascii_alphabetic())
}

/// How many bytes of a word are a unit.
fn unit(word: &str) -> Option<usize> {
    let end = word.find(|c: char| !(c.is_ascii_alphabetic() || c == '%')).unwrap_or(word.len());
    normal::is_unit(&word[..end]).then_some(end)
}

/// What a failure is known by: `exit code 1`, `HTTP 404`, `error[E0502]`.
fn failure(before: [&str; 2], word: &str, start: usize) -> Option<Found> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let same = |text: &str, name: &str| text.trim_matches(MARKS).eq_ignore_ascii_case(name);
    let ends_free = !word[digits..].starts_with(|c: char| c.is_alphanumeric());
    let digits = Some(digits).filter(|digits| (1..=3).contains(digits) && ends_free);
    let is_exit = same(before[0], "exit") && (same(before[1], "code") || same(before[1], "status"));
    if let Some(digits) = digits.filter(|_| is_exit || same(before[1], "http")) {
        let what = if is_exit { "exit code" } else { "http" };
        let normal = format!("{what} {}", &word[..digits]);
        let reach: usize = if is_exit { before[0].len() + before[1].len() + 2 } else { before[1].len() + 1 };
        // White space between the words may be longer: then the item begins where the last word does.
        return Some((Class::Error, None, normal.into(), start.saturating_sub(reach)..start + digits));
    }
    let at = word.find("error[E")?;
    let code = word[at + 6..].find(']').map(|end| at + 6..at + 6 + end)?;
    let plain = word[code.clone()].bytes().all(|b| b.is_ascii_alphanumeric());
    plain.then(|| {
        (Class::Error, None, word[code.clone()].to_lowercase().into(), start + code.start..start + code.end)
    })
}

/// Quotations of several words, and commands in back-ticks.
fn quotations(text: &str, take: &mut dyn FnMut(&Found)) {
    for span in spans::find(text, &QUOTES) {
        let inside = spans::inside(&text[span.clone()]);
        let start = span.start + text[span.clone()].chars().next().map_or(0, char::len_utf8);
        let range = start..start + inside.len();
        let is_code = text[span.clone()].starts_with('`');
        let class = if is_code && is_command(inside) { Class::Command } else { Class::Quotation };
        let has_words = inside.trim().contains(char::is_whitespace) && inside.contains(char::is_alphabetic);
        if has_words && (!is_code || class == Class::Command) {
            take(&(class, None, normal::of(inside).into(), range));
        }
    }
}

/// Whether code reads like a command: a program's name, then something.
fn is_command(code: &str) -> bool {
    let mut words = code.split_whitespace();
    let is_name = |word: &str| {
        word.len() >= 2
            && word.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/'))
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'))
    };
    let keyword = [
        "if", "for", "let", "func", "fn", "return", "type", "var", "const", "import", "use", "package", "pub",
    ];
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let goes_on =
        second.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '-' | '.' | '/' | '~' | '$'));
    is_name(first) && !keyword.contains(&first) && goes_on && !code.contains(['(', '{', '='])
}

/// Programs that only look, or go somewhere.
const LOOKING: [&str; 22] = [
    "[", "awk", "basename", "cat", "cd", "cut", "date", "dirname", "echo", "find", "grep", "head", "ls",
    "printf", "pwd", "rg", "sed", "sort", "tail", "test", "true", "wc",
];

/// The commands of a call that runs some.
fn commands(text: &str, take: &mut dyn FnMut(&Found)) {
    const ARGUMENT: &str = "\ncommand: ";
    let Some(from) = text.find(ARGUMENT).map(|at| at + ARGUMENT.len()) else { return };
    let line = text[from..].lines().next().unwrap_or_default();
    let mut at = from;
    for piece in line.split(['&', '|', ';']) {
        let command = piece.split(" 2>").next().unwrap_or_default().trim();
        let start = at + (piece.len() - piece.trim_start().len());
        at += piece.len() + 1;
        let program = command.split_whitespace().next().unwrap_or_default();
        let counts =
            command.len() <= COMMAND && is_command(command) && LOOKING.binary_search(&program).is_err();
        if counts {
            take(&(Class::Command, None, normal::of(command).into(), start..start + command.len()));
        }
    }
}

#[cfg(test)]
mod tests;
