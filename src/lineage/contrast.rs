//! What a sentence says otherwise than the sources that it is close to: another number, a "not" more or less.
//!
//! Shared words cannot tell "always" from "never" or 30 from 60. So where a source holds most of a sentence, its numbers
//! and negations are held against the sentence's. A difference is a reason to compare the two, no verdict: the number may
//! have been counted, and another turn may have said it.

use std::collections::BTreeSet;

use crate::text::identifiers::{self, Class};
use crate::text::words;

/// From this share of a sentence on, held by one source, the two are close enough to be compared.
const CLOSE: f64 = 0.65;
/// The same of a run of words.
const CLOSE_RUN: f64 = 0.5;
/// Words that turn a statement into its contrary.
const NEGATIONS: [&str; 9] = ["cannot", "neither", "never", "no", "none", "nor", "not", "nothing", "without"];

/// A difference that calls for a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contrast {
    /// A number of the sentence that none of its sources holds, though they hold others.
    Number(String),
    /// One of both denies: the word, and whether it is the sentence's.
    Negation {
        /// The word that denies.
        word: String,
        /// Whether it stands in the sentence; otherwise in its source.
        in_sentence: bool,
    },
}

impl Contrast {
    /// What is different, in words.
    pub fn words(&self) -> String {
        match self {
            Self::Number(number) => format!("{number} is in none of its best sources: compare"),
            Self::Negation { word, in_sentence: true } => {
                format!("it says \"{word}\", its closest source does not: compare")
            }
            Self::Negation { word, in_sentence: false } => {
                format!("its closest source says \"{word}\", it does not: compare")
            }
        }
    }
}

/// A source as the sentence is held against it.
pub(super) struct Close<'a> {
    /// The passage that was matched.
    pub(super) passage: &'a str,
    /// The stretch of it that matches best.
    pub(super) snippet: &'a str,
    /// The share of the sentence's weight that it holds.
    pub(super) coverage: f64,
    /// The longest common run of words, as a share of the sentence.
    pub(super) run: f64,
}

/// What `text` says otherwise than its first three sources.
pub(super) fn of(text: &str, sources: &[Close]) -> Vec<Contrast> {
    let mut out = Vec::new();
    if sources.iter().any(|source| source.coverage >= CLOSE) {
        let held: BTreeSet<String> = sources.iter().flat_map(|source| numbers(source.passage)).collect();
        let missing = numbers(text).into_iter().filter(|number| !held.contains(number));
        if !held.is_empty() {
            out.extend(missing.map(Contrast::Number));
        }
    }
    let closest =
        sources.iter().max_by(|a, b| a.run.total_cmp(&b.run)).filter(|source| source.run >= CLOSE_RUN);
    out.extend(closest.and_then(|source| negation(text, source.snippet)));
    out
}

/// The numbers of a text, without their units.
fn numbers(text: &str) -> BTreeSet<String> {
    let found = identifiers::find(text).into_iter().filter(|found| found.class == Class::Number);
    let bare =
        |normal: &str| normal.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect::<String>();
    found.map(|found| bare(&found.normal)).filter(|number| !number.is_empty()).collect()
}

/// How many words before and behind the common run a negation may stand to bear on it.
const BEFORE: usize = 2;
const BEHIND: usize = 2;

/// The negation that only one of both has at their longest common run.
fn negation(text: &str, source: &str) -> Option<Contrast> {
    let (ours, theirs) = (words::spoken(text), words::spoken(source));
    let (length, our_start, their_start) = words::longest_run(&ours, &theirs);
    let near = |words: &[String], start: usize| {
        let end = (start + length + BEHIND).min(words.len());
        words[start.saturating_sub(BEFORE)..end].iter().find(|word| denies(word)).cloned()
    };
    match (near(&ours, our_start), near(&theirs, their_start)) {
        (Some(word), None) => Some(Contrast::Negation { word, in_sentence: true }),
        (None, Some(word)) => Some(Contrast::Negation { word, in_sentence: false }),
        _ => None,
    }
}

/// Whether a word denies what stands beside it.
pub(crate) fn denies(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(text: &str, source: &str) -> Vec<String> {
        let close = Close { passage: source, snippet: source, coverage: 0.9, run: 0.9 };
        of(text, &[close]).iter().map(Contrast::words).collect()
    }

    #[test]
    fn a_denial_more_or_less_is_told() {
        let source = "Ask first. Never deploy to production on Fridays without asking.";
        assert_eq!(
            against("Always deploy to production on Fridays when somebody was asking.", source),
            ["its closest source says \"never\", it does not: compare"]
        );
        assert_eq!(against("Never deploy to production on Fridays.", source), Vec::<String>::new());
        assert_eq!(
            against("The port must not be 8080.", "The port must be 8080."),
            ["it says \"not\", its closest source does not: compare"]
        );
        assert_eq!(against("It doesn't wait.", "It does not wait."), Vec::<String>::new());
        // What is denied is something else.
        let open = "Not answered yet by the user: whether the status becomes an enum.";
        assert_eq!(against(open, "I wonder whether the status becomes an enum."), Vec::<String>::new());
    }

    #[test]
    fn another_number_is_told_and_the_same_with_another_unit_is_not() {
        let source = "The timeout is 30 seconds.";
        assert_eq!(
            against("The timeout is 60 seconds.", source),
            ["60 is in none of its best sources: compare"]
        );
        assert_eq!(against("The timeout is 30s.", source), Vec::<String>::new());
        assert_eq!(against("It has 12 tests.", "It has tests."), Vec::<String>::new());
    }
}
