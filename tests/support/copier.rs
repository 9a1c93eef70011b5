//! A small summariser for tests: the first words of every part, in order, as long as the budget lasts.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use pentimento::formats::facts::Role;
use pentimento::summarisers::{Failure, Request, Summariser, Summary, SummaryLine};
use pentimento::text::tokens::estimate;

/// Of a request: whether each source is a summary, its turns, and the tokens of all.
pub type Asked = (Vec<(bool, (u32, u32))>, u64);

/// Copies first words, and remembers what it was given.
#[derive(Debug, Default)]
pub struct Copier {
    /// The requests so far.
    pub asked: Mutex<Vec<Asked>>,
    /// It fails instead.
    pub fails: AtomicBool,
}

impl Summariser for Copier {
    fn name(&self) -> String {
        "copier".into()
    }

    fn summarise(&self, request: &Request, _: &AtomicBool) -> Result<Summary, Failure> {
        let parts = || request.sources.iter().flat_map(|source| &source.parts);
        let tokens = parts().map(|part| u64::from(estimate(&part.text))).sum();
        let kinds = request.sources.iter().map(|source| (source.role == Role::Summary, source.turns));
        self.asked.lock().unwrap().push((kinds.collect(), tokens));
        if self.fails.load(Ordering::Relaxed) {
            return Err(Failure::Failed("told to".into()));
        }
        let (mut text, mut lines) = (String::new(), Vec::new());
        for source in &request.sources {
            for line in source.parts.iter().flat_map(|part| part.text.lines()) {
                let line: String = line.chars().take(60).collect();
                if line.trim().is_empty() || estimate(&text) + estimate(&line) > request.budget {
                    continue;
                }
                let from = text.len();
                text.push_str(&line);
                lines.push(SummaryLine {
                    range: from..text.len(),
                    turns: (source.turns.0..=source.turns.1).collect(),
                });
                text.push('\n');
            }
        }
        Ok(Summary { text, lines })
    }
}
