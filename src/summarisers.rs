//! Who writes summaries: one interface, whatever stands behind it.
//!
//! Owns what a summary is made from and what it is. Knows no strategy: who asks says which turns, in which order, within
//! how many tokens. Never reads the log itself, never keeps anything: the same request gives the same input text, and its
//! hash is what a summary is stored under.

pub mod command;
pub mod extractive;
pub mod heads;
pub mod input;
pub mod kept;
pub mod pool;
pub mod prompts;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crate::formats::facts::{PartKind, Role};

/// A part of a turn that a summary is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePart {
    /// What it is.
    pub kind: PartKind,
    /// The tool's name, on calls and results.
    pub tool: Option<String>,
    /// A result that reports a failure.
    pub error: bool,
    /// Its text, whole.
    pub text: String,
}

/// Something that a summary is made from: an original turn, or (above the summariser's window) a summary of turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTurn {
    /// The first and last number of the turns it is; the same of an original turn.
    pub turns: (u32, u32),
    /// Who speaks; [`Role::Summary`] where it is a summary.
    pub role: Role,
    /// What it holds.
    pub parts: Vec<SourcePart>,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What stands in it, in order.
    pub sources: Vec<SourceTurn>,
    /// Tokens that the summary may have, estimated ([`crate::text::tokens`]).
    pub budget: u32,
}

/// A line of a summary, and the turns that it is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryLine {
    /// Its bytes in the summary's text, without the newline.
    pub range: Range<usize>,
    /// The numbers of the turns it rests on; empty where nobody can say (a model wrote it) or it is a heading.
    pub turns: Vec<u32>,
}

/// A summary that the product made, or let make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its text.
    pub text: String,
    /// Its lines, where they know their turns.
    pub lines: Vec<SummaryLine>,
}

impl Summary {
    /// The numbers of the turns that its maker took the bytes `range` of its text from, each once; empty where nobody says.
    pub fn turns_of(&self, range: &Range<usize>) -> Vec<u32> {
        let mut out = Vec::new();
        for line in &self.lines {
            if line.range.start < range.end && range.start < line.range.end {
                let fresh: Vec<u32> = line.turns.iter().copied().filter(|turn| !out.contains(turn)).collect();
                out.extend(fresh);
            }
        }
        out
    }
}

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Somebody said stop.
    #[error("stopped")]
    Stopped,
    /// It did not work, and why; asking again may help.
    #[error("{0}")]
    Failed(String),
}

/// Somebody who writes summaries.
pub trait Summariser: fmt::Debug + Send + Sync {
    /// What it is called, with its version or command: summaries of two names are two summaries.
    fn name(&self) -> String;
    /// Writes the summary; ends early with [`Failure::Stopped`] once `stop` is set.
    fn summarise(&self, request: &Request, stop: &AtomicBool) -> Result<Summary, Failure>;
}
