//! Searching the texts of all turns, beside the drawing.
//!
//! A thread of its own reads the log again beside the screen, in file order, and reports as it goes. Turns
//! that arrive later are handed to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use regex::{Regex, RegexBuilder};

use crate::formats::Format;
use crate::log::Source;
use crate::outline::Node;
use crate::outline::forest::FileShown;
use crate::session::{Session, TurnId};

/// A record to search: its turn, where it is, how long.
pub type Record = (TurnId, u64, u32);

/// What a search reports.
#[derive(Debug)]
pub struct Found {
    /// The search that reports.
    pub number: u64,
    /// Turns with matches and how many, in file order.
    pub hits: Vec<(TurnId, u32)>,
    /// Records searched so far.
    pub searched: usize,
}

/// A search and what it has found so far.
#[derive(Debug)]
pub struct Search {
    /// Tells its reports from those of an earlier search.
    pub number: u64,
    /// As typed.
    pub text: String,
    /// Compiled.
    pub pattern: Regex,
    /// Turns with matches, in file order.
    pub hits: Vec<TurnId>,
    /// Messages of a forest's file with matches, in the order of its tree: it has no turns.
    pub messages: Vec<Node>,
    /// Matches in all of them.
    pub matches: u64,
    /// The person was taken to a match.
    pub gone: bool,
    /// Records searched, and to be searched.
    pub searched: usize,
    /// See `searched`.
    pub records: usize,
    queue: Option<Sender<Vec<Record>>>,
    stop: Arc<AtomicBool>,
}

/// Compiles what was typed: a regular expression, without regard to case unless it holds a capital letter.
pub fn compile(text: &str) -> Result<Regex, String> {
    let exact = text.chars().any(char::is_uppercase);
    RegexBuilder::new(text).case_insensitive(!exact).build().map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default().trim();
        format!("not a regular expression: {}", reason.trim_start_matches("error: "))
    })
}

/// How many records are searched between reports.
const REPORT: usize = 512;

impl Search {
    /// Begins a search; `report` is called from its thread.
    pub fn start(
        number: u64,
        text: &str,
        pattern: Regex,
        session: &Session,
        source: Source,
        report: impl Fn(Found) -> bool + Send + 'static,
    ) -> Self {
        let records = records_from(session, 0);
        let count = records.len();
        let (queue, waiting) = channel::<Vec<Record>>();
        let stop = Arc::new(AtomicBool::new(false));
        let (format, finder, stopped) = (session.format, pattern.clone(), Arc::clone(&stop));
        std::thread::spawn(move || {
            let mut searched = 0;
            for records in waiting {
                for chunk in records.chunks(REPORT) {
                    if stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    searched += chunk.len();
                    let hits = search(&source, format, &finder, chunk);
                    if !report(Found { number, hits, searched }) {
                        return;
                    }
                }
            }
        });
        // The thread is there: it ends only when this side is gone, or with nothing to read.
        let _ = queue.send(records);
        Self {
            number,
            text: text.to_owned(),
            pattern,
            hits: Vec::new(),
            messages: Vec::new(),
            matches: 0,
            gone: false,
            searched: 0,
            records: count,
            queue: Some(queue),
            stop,
        }
    }

    /// A search that is over: of the messages of a forest's file, which are in memory.
    pub fn of_file(text: &str, pattern: Regex, file: &FileShown) -> Self {
        let (mut messages, mut matches) = (Vec::new(), 0);
        for (node, said) in file.messages() {
            let found = pattern.find_iter(said).count() as u64;
            matches += found;
            messages.extend((found > 0).then_some(node));
        }
        Self {
            number: 0,
            text: text.to_owned(),
            pattern,
            hits: Vec::new(),
            messages,
            matches,
            gone: true,
            searched: 0,
            records: 0,
            queue: None,
            stop: Arc::default(),
        }
    }

    /// Hands over records that arrived since.
    pub fn extend(&mut self, records: Vec<Record>) {
        self.records += records.len();
        if let Some(queue) = &self.queue {
            let _ = queue.send(records);
        }
    }

    /// Takes in a report.
    pub fn take(&mut self, found: Found) {
        self.searched = found.searched;
        for (id, count) in found.hits {
            self.matches += u64::from(count);
            if self.hits.last() != Some(&id) {
                let at = self.hits.partition_point(|hit| *hit < id);
                if self.hits.get(at) != Some(&id) {
                    self.hits.insert(at, id);
                }
            }
        }
    }

    /// Whether everything was searched.
    pub fn is_done(&self) -> bool {
        self.searched >= self.records
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.queue = None;
    }
}

/// The records of turns from row `row` on.
pub fn records_from(session: &Session, row: usize) -> Vec<Record> {
    let rows = session.rows().from(row as u32);
    rows.filter_map(|row| Some((row.turn()?, row.offset, row.length))).collect()
}

fn search(source: &Source, format: Format, pattern: &Regex, records: &[Record]) -> Vec<(TurnId, u32)> {
    let mut hits: Vec<(TurnId, u32)> = Vec::new();
    for (id, offset, length) in records {
        let Ok(line) = source.read(*offset, *length as usize) else { continue };
        let texts = format.texts(&line);
        let mut count = 0;
        for text in &texts {
            count += pattern.find_iter(&text.text).count() as u32;
            if let Some(tool) = &text.tool {
                count += u32::from(pattern.is_match(tool));
            }
        }
        match hits.last_mut() {
            _ if count == 0 => {}
            Some((last, sum)) if last == id => *sum += count,
            _ => hits.push((*id, count)),
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_make_a_search_exact() {
        assert!(compile("error").unwrap().is_match("An ERROR"));
        assert!(!compile("Error").unwrap().is_match("an error"));
        assert!(compile("a(").unwrap_err().contains("regular expression"));
    }
}
