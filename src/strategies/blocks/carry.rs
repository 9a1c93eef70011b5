//! What a summary carries of its originals, counted on the block alone.
//!
//! Structure limits how often an error is repeated; whether the first pass was any good is another question, and this
//! is its count: names and numbers that somebody said, what was left open, what binds.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::text::{identifiers, words};

use super::Item;
use super::originals::Originals;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Those that the summary carries.
    pub carried: u32,
    /// All of them.
    pub of: u32,
}

/// What kind of thing a summary may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or number, letter by letter.
    Exact,
    /// What the user left open.
    Open,
    /// A decision, rejection, constraint or commitment.
    Binding,
}

impl Kind {
    /// The word on the screen and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Open => "open",
            Self::Binding => "binding",
        }
    }
}

/// Something that a summary does not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it is.
    pub kind: Kind,
    /// Its words.
    pub text: Box<str>,
    /// The number of the turn that says it first.
    pub turn: u32,
}

/// What a summary carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carries {
    /// Exact items in prompts and in the assistant's prose: files, names, numbers with a unit, errors.
    pub exact: Share,
    /// What the user left open.
    pub open: Share,
    /// Decisions, rejections, constraints and commitments of the user.
    pub binding: Share,
    /// What it does not carry of all these, what binds first.
    pub missing: Vec<Missing>,
}

/// A line carries a statement of whose words it says this share.
const SAYS: f64 = 0.5;

/// Counts what `summary` carries of `originals` and of the ledger's items in them; once `stop` is set, no more of it.
pub fn count<'a>(
    originals: &Originals,
    items: impl Iterator<Item = &'a Item>,
    summary: &str,
    stop: &AtomicBool,
) -> Result<Carries, LogError> {
    let mut carries = Carries::default();
    let lines: Vec<BTreeSet<String>> =
        summary.lines().map(|line| words::stems(line).into_iter().collect()).collect();
    for item in items {
        let carried = says(&lines, summary, &item.text);
        let binding = item.binding;
        let binds = binding.decision || binding.rejection || binding.constraint || binding.commitment;
        if binding.open {
            carries.open.add(carried);
        }
        if binds {
            carries.binding.add(carried);
        }
        if !carried {
            let kind = if binds { Kind::Binding } else { Kind::Open };
            carries.missing.push(Missing { kind, text: item.text.as_str().into(), turn: item.at });
        }
    }
    carries.missing.sort_by_key(|missing| missing.kind != Kind::Binding);
    exact(originals, summary, &mut carries, stop)?;
    Ok(carries)
}

impl Share {
    fn add(&mut self, carried: bool) {
        self.of += 1;
        self.carried += u32::from(carried);
    }
}

/// Whether a statement is in the text, word for word or by half of its words in one line.
fn says(lines: &[BTreeSet<String>], text: &str, statement: &str) -> bool {
    if text.contains(statement.trim()) {
        return true;
    }
    let stems: BTreeSet<String> = words::stems(statement).into_iter().collect();
    let enough = |shared: usize| shared >= 2 && shared as f64 >= SAYS * stems.len() as f64;
    lines.iter().any(|line| enough(stems.intersection(line).count()))
}

fn exact(
    originals: &Originals,
    summary: &str,
    carries: &mut Carries,
    stop: &AtomicBool,
) -> Result<(), LogError> {
    let lower = summary.to_lowercase();
    let known: BTreeSet<String> = identifiers::find(summary).into_iter().map(|found| found.normal).collect();
    let mut said = BTreeSet::new();
    for (place, turn) in originals.turns().iter().enumerate() {
        if !matches!(turn.role, Role::User | Role::Assistant) {
            continue;
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        for part in originals.read(place)?.iter().filter(|part| part.kind == PartKind::Text) {
            for found in identifiers::find(&part.text) {
                if said.contains(&found.normal) {
                    continue;
                }
                let carried = known.contains(&found.normal) || lower.contains(&found.normal);
                carries.exact.add(carried);
                if !carried {
                    let text = part.text.get(found.range).unwrap_or(&found.normal).into();
                    carries.missing.push(Missing { kind: Kind::Exact, text, turn: turn.number });
                }
                said.insert(found.normal);
            }
        }
    }
    Ok(())
}
