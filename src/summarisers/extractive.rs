//! Summaries that are copies: original sentences and exact items under the heads, each with the turns it stands in.
//!
//! Three steps. `candidates` reads every text once into lines that could stand in a summary, `items` finds the exact
//! names, `choose` takes the lines that tell most for their tokens: words weigh by how often the request has them and
//! in how few of its turns, and a word that a chosen line holds weighs nothing in the next. Nothing outside the request
//! counts, so the same request gives the same bytes. A line is a copy after white space is folded; what is too long for
//! one is cut between words and stands as pieces. Reasoning is no source, as for lineage: agents do not give it to
//! their summarisers either.

mod candidates;
mod choose;
mod items;
mod lines;
mod terms;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::formats::facts::Role;
use crate::text::lexicon::{self, Lexicon};
use crate::text::preview;

use super::heads::Head;
use super::{Failure, Request, SourceTurn, Summariser, Summary, SummaryLine};

use candidates::{Candidate, Candidates};

/// Changes with every change of what comes out.
const VERSION: u32 = 3;

/// The default summariser: deterministic, without a network.
#[derive(Clone, Debug, Default)]
pub struct Extractive {
    /// A cue lexicon of the user's own.
    lexicon: Option<Arc<Lexicon>>,
}

impl Extractive {
    /// With a cue lexicon instead of the built-in one.
    pub fn with_lexicon(lexicon: Arc<Lexicon>) -> Self {
        Self { lexicon: Some(lexicon) }
    }

    fn lexicon(&self) -> &Lexicon {
        match &self.lexicon {
            Some(lexicon) => lexicon,
            None => lexicon::built_in(),
        }
    }
}

impl Summariser for Extractive {
    fn name(&self) -> String {
        format!("extractive/{VERSION} lexicon/{}", self.lexicon().id())
    }

    fn summarise(&self, request: &Request, stop: &AtomicBool) -> Result<Summary, Failure> {
        let found = candidates::read(request, self.lexicon(), stop)?;
        let mut chosen = choose::choose(&found, self.lexicon(), request.budget, stop)?;
        chosen.sort_unstable();
        Ok(write(request, &found, &chosen))
    }
}

/// Whether somebody said stop.
fn go_on(stop: &AtomicBool) -> Result<(), Failure> {
    if stop.load(Ordering::Relaxed) { Err(Failure::Stopped) } else { Ok(()) }
}

/// The chosen lines as a summary: by head, then in the order of the turns.
fn write(request: &Request, found: &Candidates, chosen: &[(Head, u32)]) -> Summary {
    let mut text = String::new();
    let mut lines = Vec::new();
    let mut push = |text: &mut String, line: &str, turns: Vec<u32>| {
        let from = text.len();
        text.push_str(line);
        lines.push(SummaryLine { range: from..text.len(), turns });
    };
    let mut under = None;
    for (head, number) in chosen {
        let candidate = &found.all[*number as usize];
        if under != Some(*head) {
            if under.is_some() {
                text.push_str("\n\n");
            }
            push(&mut text, &head.line(), Vec::new());
            under = Some(*head);
        }
        text.push('\n');
        let line = format!("- {}", preview::on_one_line(candidate.text(request)));
        push(&mut text, &line, turns(request, candidate));
    }
    Summary { text, lines }
}

/// The turns that a line stands in. Of a line of a summary nobody says so here: whoever made that summary may know. Where a
/// turn says it too, it does so in these letters, as small and large ones count as the same while lines are gathered.
fn turns(request: &Request, candidate: &Candidate) -> Vec<u32> {
    let sources = std::iter::once(&candidate.source).chain(&candidate.also);
    let sources = sources.map(|source| &request.sources[*source as usize]);
    let is_of_summary = request.sources[candidate.source as usize].role == Role::Summary;
    let line = preview::on_one_line(candidate.text(request));
    let says = |source: &SourceTurn| {
        source.parts.iter().any(|part| preview::on_one_line(&part.text).contains(&line))
    };
    let originals = sources.filter(|source| source.role != Role::Summary && (!is_of_summary || says(source)));
    let mut turns: Vec<u32> = originals.flat_map(|source| source.turns.0..=source.turns.1).collect();
    turns.sort_unstable();
    turns.dedup();
    turns
}

#[cfg(test)]
mod tests;
