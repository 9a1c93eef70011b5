//! The exact names of a request: files, addresses, versions, identifiers, and how much each matters.
//!
//! A name matters by who says it, in how many turns, and what it is: what the user typed most, what a tool printed
//! once least. Numbers are no names: without their sentence they say nothing.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::identifiers::{self, Class};

use super::terms::{Fixed, Term, Terms};

/// Who says a name, the least telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Voice {
    /// A tool's output.
    Result,
    /// A call that looks at something.
    Call,
    /// A call that changes a file.
    Change,
    /// The assistant's prose.
    Prose,
    /// What the user typed.
    Prompt,
}

impl Voice {
    fn weight(self) -> f64 {
        match self {
            Self::Result => 0.3,
            Self::Call => 0.8,
            Self::Prose => 1.2,
            Self::Change => 2.0,
            Self::Prompt => 2.5,
        }
    }
}

/// Where a text stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its source.
    pub source: u32,
    /// Its part in that.
    pub part: u32,
    /// Its first byte there.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

/// An exact name.
#[derive(Debug)]
pub struct Item {
    /// Its number among the terms.
    pub term: Term,
    class: Class,
    voice: Voice,
    /// Where it stands first.
    pub place: Place,
    /// In how many sources it stands; prose and tools are counted apart.
    units: u32,
    last: u32,
    /// The further sources that hold it, the first few of them.
    pub also: Vec<u32>,
}

/// How many further sources a name's line tells of.
const ALSO: usize = 7;
/// Longest word in which names are looked for, in bytes; shortest that can be one.
const WORD: std::ops::RangeInclusive<usize> = 3..=240;

/// The names found so far.
#[derive(Debug, Default)]
pub struct Items<'a> {
    /// In the order in which they first occur.
    pub all: Vec<Item>,
    by_name: HashMap<Box<str>, u32, Fixed>,
    /// The names in each word.
    by_word: HashMap<&'a str, Vec<u32>, Fixed>,
}

impl<'a> Items<'a> {
    /// Finds the names in a text of a source. Prose comes first: it decides which names count at all.
    pub fn read(
        &mut self,
        (text, range): (&'a str, Range<usize>),
        (source, part): (u32, u32),
        voice: Voice,
        terms: &mut Terms,
    ) {
        for (word, at) in words(&text[range.clone()]) {
            let at = range.start + at;
            let place = Place { source, part, start: at as u32, end: (at + word.len()) as u32 };
            if !self.by_word.contains_key(word) {
                let found = self.find(word, place, voice, terms);
                self.by_word.insert(word, found);
            }
            let Some(found) = self.by_word.get(word) else { continue };
            for item in found {
                self.all[*item as usize].seen(source, voice);
            }
        }
    }

    /// Appends the names in a text that was read to `into`.
    pub fn terms(&self, text: &str, into: &mut Vec<Term>) {
        for (word, _) in words(text) {
            for item in self.by_word.get(word).into_iter().flatten() {
                into.push(self.all[*item as usize].term);
            }
        }
    }

    fn find(&mut self, word: &str, at: Place, voice: Voice, terms: &mut Terms) -> Vec<u32> {
        let mut out = Vec::new();
        for found in identifiers::find(word) {
            // "~80" is about eighty.
            let about = found.normal.strip_prefix('~').is_some_and(|rest| !rest.starts_with('/'));
            if about || !is_telling(found.class, voice) {
                continue;
            }
            let number = match self.by_name.get(found.normal.as_str()) {
                Some(number) => *number,
                None => {
                    let shown = word[found.range.clone()].trim_end_matches(['.', ',', ';', ':']);
                    let start = at.start + found.range.start as u32;
                    let place = Place { start, end: start + shown.len() as u32, ..at };
                    let term = terms.fresh();
                    self.all.push(Item {
                        term,
                        class: found.class,
                        voice,
                        place,
                        units: 0,
                        last: u32::MAX,
                        also: vec![],
                    });
                    let number = self.all.len() as u32 - 1;
                    self.by_name.insert(found.normal.into(), number);
                    number
                }
            };
            out.push(number);
        }
        out
    }
}

impl Item {
    fn seen(&mut self, source: u32, voice: Voice) {
        self.voice = self.voice.max(voice);
        if self.last == source {
            return;
        }
        if self.units > 0 && self.also.len() < ALSO {
            self.also.push(source);
        }
        self.last = source;
        self.units += 1;
    }

    /// What it weighs, in units of a word that occurs once in one of two sources.
    pub fn weight(&self) -> f64 {
        let class = match self.class {
            Class::File | Class::Path | Class::Url | Class::Ticket => 1.5,
            Class::Version | Class::Uuid | Class::Hash | Class::Flag | Class::Variable => 1.0,
            Class::Snake | Class::Dotted | Class::Camel => 0.6,
            Class::Number => 0.0,
        };
        class * self.voice.weight() * (1.0 + f64::from(self.units).ln())
    }
}

/// Code that a tool prints is full of identifiers; of them only those count that somebody else says too.
fn is_telling(class: Class, voice: Voice) -> bool {
    match class {
        Class::Number => false,
        Class::Snake | Class::Dotted | Class::Camel => voice >= Voice::Prose,
        _ => true,
    }
}

/// The words of a text that may hold a name, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let apart = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | ',' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | '\\'
            )
    };
    let start = text.as_ptr() as usize;
    let words = text.split(apart).map(move |word| (word, word.as_ptr() as usize - start));
    words.filter(|(word, at)| {
        // A closing tag is no path.
        let tag = word.starts_with('/') && text[..*at].ends_with('<');
        WORD.contains(&word.len()) && !tag && may_hold(word)
    })
}

/// Whether a word has a mark inside, or digits, or a capital after a small letter. Most have not.
fn may_hold(word: &str) -> bool {
    let bytes = word.as_bytes();
    let inner = &bytes[..bytes.len() - 1];
    let marked = inner.iter().any(|b| matches!(b, b'/' | b'.' | b'_' | b':' | b'-' | b'#' | b'$' | b'~'));
    marked
        || bytes.iter().any(u8::is_ascii_digit)
        || bytes.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase())
}
