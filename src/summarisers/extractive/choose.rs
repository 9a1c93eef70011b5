//! Which lines stand in the summary: greedily those that tell most that is new for their tokens.
//!
//! What a line tells is the weight of its terms, most of all of those that no chosen line holds, so a second line on the same subject gives
//! way to one on another. Values only fall as lines are chosen, so the best of a heap is the best of all once its value
//! has been worked out anew. Every head has a share of the budget; what the shares leave over goes to the best of the rest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::AtomicBool;

use crate::text::lexicon::{HedgeClass, Lexicon};
use crate::text::{cues, preview, sentences, tokens};

use super::super::Failure;
use super::super::heads::Head;
use super::candidates::{Candidate, Candidates};
use super::go_on;

/// The share of the budget that a head gets before the rest is given away, in hundredths.
fn share(head: Head) -> u32 {
    match head {
        Head::Goal => 20,
        Head::Decisions => 30,
        Head::Findings => 35,
        Head::Open | Head::Files | Head::Errors => 15,
    }
}

/// How strongly a line's length counts against it: between not at all (0) and by the token (1).
const LENGTH: f64 = 0.7;
/// What a word still weighs once a chosen line holds it: an outcome is told in the words of what was asked for. A name
/// need not stand alone once it stands in a sentence.
const AGAIN: f64 = 0.2;
/// How often a line's value is worked out anew before it stands.
const LOOKS: u8 = 8;
/// What the shortest line costs.
const LEAST: u32 = 2;
/// An assistant's line about what is left, under *Open items*; of its decisions, under *Decisions*.
const REMAINS: [&str; 10] = [
    "todo",
    "to do:",
    "remaining",
    "not yet",
    "still need",
    "still to",
    "next step",
    "pending",
    "follow-up",
    "follow up",
];

/// A line in the heap: the best first, of equal ones the earliest.
type Entry = (u64, Reverse<u32>, u8);

/// Chooses lines within the budget, headings included. They are listed with the heads they stand under.
pub fn choose(
    found: &Candidates,
    lexicon: &Lexicon,
    budget: u32,
    stop: &AtomicBool,
) -> Result<Vec<(Head, u32)>, Failure> {
    let mut choice = Choice {
        found,
        lexicon,
        covered: vec![false; found.weights.len()],
        read: vec![None; found.all.len()],
        spent: [0; Head::ALL.len()],
        budget,
        chosen: Vec::new(),
    };
    let heap = (0..found.all.len() as u32).filter_map(|number| choice.entry(number, 0)).collect();
    let left = choice.take(heap, true, stop)?;
    let rest = left.into_iter().filter_map(|number| choice.entry(number, 0)).collect();
    choice.take(rest, false, stop)?;
    Ok(choice.chosen)
}

struct Choice<'a> {
    found: &'a Candidates<'a>,
    lexicon: &'a Lexicon,
    covered: Vec<bool>,
    /// The head of an assistant's line, once it was looked at.
    read: Vec<Option<Head>>,
    /// Tokens under each head, heading included.
    spent: [u32; Head::ALL.len()],
    budget: u32,
    chosen: Vec<(Head, u32)>,
}

impl Choice<'_> {
    /// A line with its value as of now; nothing if it tells nothing new.
    fn entry(&self, number: u32, looks: u8) -> Option<Entry> {
        let candidate = &self.found.all[number as usize];
        let again = if candidate.is_name { 0.0 } else { AGAIN };
        let new: f64 = self.found.terms[candidate.terms.clone()]
            .iter()
            .map(|term| {
                self.found.weights[*term as usize] * if self.covered[*term as usize] { again } else { 1.0 }
            })
            .sum();
        let value = candidate.prior * new / f64::from(candidate.tokens).powf(LENGTH);
        // Positive numbers are in the order of their bits.
        (value > 0.0).then(|| (value.to_bits(), Reverse(number), looks))
    }

    /// Takes lines until nothing fits; within their heads' shares, if told. Gives back what did not fit its share.
    fn take(
        &mut self,
        mut heap: BinaryHeap<Entry>,
        shared: bool,
        stop: &AtomicBool,
    ) -> Result<Vec<u32>, Failure> {
        let mut left = Vec::new();
        let mut steps = 0u32;
        while let Some((value, Reverse(number), looks)) = heap.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1024) {
                go_on(stop)?;
            }
            if self.total() + LEAST > self.budget {
                break;
            }
            let candidate = &self.found.all[number as usize];
            if self.total() + candidate.tokens > self.budget {
                continue;
            }
            if looks < LOOKS {
                let Some(entry) = self.entry(number, looks + 1) else { continue };
                if entry.0 < value && heap.peek().is_some_and(|best| best.0 > entry.0) {
                    heap.push(entry);
                    continue;
                }
            }
            self.consider(number, shared, &mut left);
        }
        Ok(left)
    }

    fn consider(&mut self, number: u32, shared: bool, left: &mut Vec<u32>) {
        let candidate = &self.found.all[number as usize];
        let Some(head) = self.head(number, candidate) else { return };
        let spent = self.spent[head as usize];
        let heading = if spent == 0 { tokens::estimate(&head.line()) } else { 0 };
        let cost = candidate.tokens + heading;
        if self.total() + cost > self.budget {
            return;
        }
        if shared && spent + cost > self.budget.saturating_mul(share(head)) / 100 {
            left.push(number);
            return;
        }
        self.spent[head as usize] += cost;
        for term in &self.found.terms[candidate.terms.clone()] {
            self.covered[*term as usize] = true;
        }
        self.chosen.push((head, number));
    }

    fn total(&self) -> u32 {
        self.spent.iter().sum()
    }

    /// Where a line stands; nothing if a reader of the summary would not take it for a sentence.
    fn head(&mut self, number: u32, candidate: &Candidate) -> Option<Head> {
        if let Some(head) = self.read[number as usize] {
            return Some(head);
        }
        let text = candidate.text(self.found.request);
        let line = format!("- {}", preview::on_one_line(text));
        if sentences::of(&line).is_empty() {
            return None;
        }
        let head = if candidate.unread { self.told(text) } else { candidate.head };
        self.read[number as usize] = Some(head);
        Some(head)
    }

    /// The head of an assistant's line.
    fn told(&self, line: &str) -> Head {
        let open = cues::openness(self.lexicon, line);
        let unsure = open.hedges.iter().any(|hedge| hedge.class == HedgeClass::Unsure);
        let lower = line.to_lowercase();
        if open.question || open.proposal || unsure || REMAINS.iter().any(|cue| lower.contains(cue)) {
            return Head::Open;
        }
        let masked = cues::masked(line, true);
        let decided = self.lexicon.decision.iter().any(|rule| rule.holds(&masked));
        if decided { Head::Decisions } else { Head::Findings }
    }
}
