//! What summaries cost: calls, tokens read and written, and what the agent has to wait for.
//!
//! Owns the counts of a session under each strategy, the published example, and the price at rates that somebody
//! gives: none is built in.

use crate::log::LogError;
use crate::session::Session;
use crate::session::open::OpenLog;

use super::blocks::levels::{Plan, Sizes};
use super::blocks::originals::Originals;
use super::blocks::{Blocks, planned};
use super::recursive::Recursive;

/// What the summaries of a strategy cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The strategy's name.
    pub strategy: &'static str,
    /// How often a summariser is asked.
    pub calls: u64,
    /// Tokens read.
    pub input: u64,
    /// Tokens written, planned.
    pub output: u64,
    /// Tokens read while the agent waits.
    pub critical: u64,
}

/// Prices of a million tokens, in any currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
}

impl Rates {
    /// The price of so many tokens.
    pub fn price(self, input: u64, output: u64) -> f64 {
        (input as f64 * self.input + output as f64 * self.output) / 1e6
    }
}

impl Cost {
    fn add(&mut self, calls: u32, input: u64, output: u64, waits: bool) {
        self.calls += u64::from(calls);
        self.input += input;
        self.output += output;
        self.critical += if waits { input } else { 0 };
    }
}

/// The block hierarchy up to turn `as_of`. A block's summary is written while its turns are still in view, so nothing
/// waits for it; a span is waited for where it was not prepared. What was prepared and never used is paid for too.
pub fn of_blocks(log: &OpenLog, blocks: &Blocks, as_of: u32) -> Result<Cost, LogError> {
    let mut cost = Cost { strategy: super::BLOCKS, ..Cost::default() };
    let settings = blocks.settings();
    let closed = blocks.closed(as_of);
    let mut sizes = Sizes::default();
    for block in closed {
        let inputs = blocks.inputs(&log.session, super::blocks::Made::Block(block.number));
        let (calls, input, output) =
            one(log, &inputs, block.originals, (settings.window, settings.block_budget), &mut sizes)?;
        cost.add(calls, input, output, false);
    }
    let spans = blocks.spans(as_of);
    let made = spans.iter().map(|span| (span.blocks, span.prepared_at.is_none()));
    let is_used = |of: u32| spans.iter().any(|span| span.blocks == of);
    let unused = blocks.prepared(as_of).iter().filter(|(_, of)| !is_used(*of)).map(|(_, of)| (*of, false));
    for (of, waits) in made.chain(unused) {
        let of = &closed[..of as usize];
        let inputs: Vec<_> = of
            .iter()
            .flat_map(|block| blocks.inputs(&log.session, super::blocks::Made::Block(block.number)))
            .collect();
        let originals = of.iter().map(|block| block.originals).sum();
        let (calls, input, output) =
            one(log, &inputs, originals, (settings.window, settings.span_budget), &mut sizes)?;
        cost.add(calls, input, output, waits);
    }
    Ok(cost)
}

/// Calls, tokens read and tokens written for one summary, levels included.
fn one(
    log: &OpenLog,
    inputs: &[crate::session::TurnId],
    originals: u64,
    (window, budget): (u64, u32),
    sizes: &mut Sizes,
) -> Result<(u32, u64, u64), LogError> {
    let plan = Plan::measured(&Originals::of(log, inputs), window, budget, sizes)?;
    let below = u64::from(plan.calls() - 1) * u64::from(budget);
    Ok((plan.calls(), originals + below, below + u64::from(planned(budget, originals))))
}

/// The recursive baseline up to turn `as_of`: the agent waits for every summary.
pub fn of_recursive(recursive: &Recursive, as_of: u32) -> Cost {
    let mut cost = Cost { strategy: super::RECURSIVE, ..Cost::default() };
    for fold in recursive.folds(as_of) {
        cost.add(1, recursive.read(fold), u64::from(fold.planned), true);
    }
    cost
}

/// The agent's own compactions up to turn `as_of`, by the sizes that its log gives.
pub fn of_recorded(session: &Session, as_of: u32) -> Cost {
    let mut cost = Cost { strategy: super::Strategy::Recorded.name(), ..Cost::default() };
    for compaction in session.compactions() {
        let Some(summary) = compaction.summary.filter(|id| session.turn(*id).number <= as_of) else {
            continue;
        };
        let written = compaction.summary_tokens.unwrap_or_else(|| session.turn(summary).tokens);
        cost.add(1, compaction.tokens_before.unwrap_or(0), u64::from(written), true);
    }
    cost
}

/// The published example of both designs: a session of 300 turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Compactions of the recursive design, and the tokens that each is said to read.
    pub recursive: (u64, u64),
    /// Blocks of the hierarchical one, and the tokens of each.
    pub blocks: (u64, u64),
    /// Rebuilt spans, and the tokens of each.
    pub rebuilt: (u64, u64),
    /// What one query reads and writes that reads the whole history again.
    pub query: (u64, u64),
    /// Tokens written in a second.
    pub speed: u64,
    /// The price of a million tokens read and written, as published for that query.
    pub query_rates: (u64, u64),
    /// Turns of the session.
    pub turns: u64,
    /// Tokens that a recursive summary has.
    pub summary: u64,
}

/// As it was published.
pub const PUBLISHED: Published = Published {
    recursive: (12, 13_000),
    blocks: (7, 48_000),
    rebuilt: (2, 360_000),
    query: (800_000, 100_000),
    speed: 65,
    query_rates: (10, 50),
    turns: 300,
    summary: 2_000,
};

impl Published {
    /// Tokens read by the recursive design, as published.
    pub fn recursive_total(&self) -> u64 {
        self.recursive.0 * self.recursive.1
    }

    /// Tokens read for blocks and for spans.
    pub fn block_totals(&self) -> (u64, u64) {
        (self.blocks.0 * self.blocks.1, self.rebuilt.0 * self.rebuilt.1)
    }

    /// Tokens read by the hierarchical design.
    pub fn blocks_total(&self) -> u64 {
        let (blocks, spans) = self.block_totals();
        blocks + spans
    }

    /// Tokens of the session: a block of 40 turns tells how many a turn has.
    pub fn session(&self) -> u64 {
        self.blocks.1 / 40 * self.turns
    }

    /// What the recursive design has to read at least: every original once, and each summary but the last again.
    pub fn recursive_at_least(&self) -> u64 {
        self.session() + (self.recursive.0 - 1) * self.summary
    }

    /// What both rebuilds read where the printed code makes them: of the turns up to the end of the last block but one.
    pub fn rebuilt_as_coded(&self, turns: [u64; 2]) -> u64 {
        self.blocks.0 * self.blocks.1 + turns.iter().map(|turns| turns * (self.blocks.1 / 40)).sum::<u64>()
    }

    /// The price of the query at the rates published for it.
    pub fn query_price(&self) -> f64 {
        let rates = Rates { input: self.query_rates.0 as f64, output: self.query_rates.1 as f64 };
        rates.price(self.query.0, self.query.1)
    }

    /// How many minutes it takes to write the answer.
    pub fn query_minutes(&self) -> f64 {
        self.query.1 as f64 / self.speed as f64 / 60.0
    }

    /// The two caveats, in words.
    pub fn caveats(&self) -> [String; 2] {
        let grouped = crate::text::numbers::grouped;
        let least = self.recursive_at_least();
        [
            format!(
                "a recursive loop reads every original once: {} + {} x {} = {}, not {}; the ratio is {:.2}, not {:.2}",
                grouped(self.session()),
                self.recursive.0 - 1,
                grouped(self.summary),
                grouped(least),
                grouped(self.recursive_total()),
                self.blocks_total() as f64 / least as f64,
                self.blocks_total() as f64 / self.recursive_total() as f64,
            ),
            format!(
                "the printed code rebuilds the turns up to the last block but one, not all: at turns 160 and 280 that is {}, not {}",
                grouped(self.rebuilt_as_coded([160, 280])),
                grouped(self.blocks_total()),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_example_is_reproduced() {
        assert_eq!(PUBLISHED.recursive_total(), 156_000);
        assert_eq!(PUBLISHED.block_totals(), (336_000, 720_000));
        assert_eq!(PUBLISHED.blocks_total(), 1_056_000);
        assert_eq!(PUBLISHED.session(), 360_000);
        assert_eq!(PUBLISHED.recursive_at_least(), 382_000);
        assert_eq!(PUBLISHED.rebuilt_as_coded([160, 280]), 864_000);
        assert!((PUBLISHED.query_price() - 13.0).abs() < 1e-9);
        assert!((PUBLISHED.query_minutes() - 25.6).abs() < 0.1);
        let rates = Rates { input: 0.4, output: 0.0 };
        assert!((rates.price(PUBLISHED.recursive_total(), 0) - 0.0624).abs() < 1e-9);
        assert!((rates.price(PUBLISHED.blocks_total(), 0) - 0.4224).abs() < 1e-9);
        assert!(PUBLISHED.caveats()[0].contains("the ratio is 2.76, not 6.77"));
    }
}
