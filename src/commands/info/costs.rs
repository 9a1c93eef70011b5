//! `pentimento info --costs`: what the summaries of a session cost under each strategy, beside the published example.

use std::io::Write;

use serde_json::{Value, json};

use crate::cli::CostOptions;
use crate::session::open::OpenLog;
use crate::strategies::costs::{Cost, PUBLISHED, Rates, of_blocks, of_recorded, of_recursive};
use crate::strategies::recursive::Recursive;
use crate::text::numbers::grouped;

use super::super::Failure;
use super::super::replay::{Replayed, settings};

/// The costs of a session.
pub(super) struct Costs {
    rates: Option<Rates>,
    rows: Vec<Cost>,
}

impl Costs {
    /// Those of `log`, where the options ask for them.
    pub(super) fn of(log: &OpenLog, options: &CostOptions) -> Result<Option<Self>, Failure> {
        let rates = options.rates.as_deref().map(rates).transpose()?;
        if !options.costs {
            return Ok(None);
        }
        let last = log.session.last();
        let replayed = Replayed::new(log, &options.replay)?;
        let recursive = Recursive::of(&log.session, settings(&options.replay)?);
        let rows = vec![
            of_recorded(&log.session, last),
            of_recursive(&recursive, last),
            of_blocks(log, &replayed.blocks, last)?,
        ];
        Ok(Some(Self { rates, rows }))
    }

    pub(super) fn json(&self) -> Value {
        let price = |input: u64, output: u64| self.rates.map(|rates| rates.price(input, output));
        let row = |cost: &Cost| {
            json!({
                "strategy": cost.strategy,
                "calls": cost.calls,
                "input": cost.input,
                "output": cost.output,
                "critical": cost.critical,
                "price": price(cost.input, cost.output),
            })
        };
        let (blocks, spans) = PUBLISHED.block_totals();
        json!({
            "rates": self.rates.map(|rates| json!({"input": rates.input, "output": rates.output})),
            "session": self.rows.iter().map(row).collect::<Vec<_>>(),
            "published": {
                "recursive": PUBLISHED.recursive_total(),
                "blocks": blocks,
                "spans": spans,
                "hierarchical": PUBLISHED.blocks_total(),
                "caveats": PUBLISHED.caveats(),
                "prices": {
                    "recursive": price(PUBLISHED.recursive_total(), 0),
                    "hierarchical": price(PUBLISHED.blocks_total(), 0),
                },
                "query": {
                    "input": PUBLISHED.query.0,
                    "output": PUBLISHED.query.1,
                    "published_rates": PUBLISHED.query_rates,
                    "published_price": PUBLISHED.query_price(),
                    "tokens_a_second": PUBLISHED.speed,
                    "minutes": PUBLISHED.query_minutes(),
                    "price": price(PUBLISHED.query.0, PUBLISHED.query.1),
                },
            },
        })
    }

    pub(super) fn text(&self, out: &mut dyn Write) -> Result<(), Failure> {
        writeln!(
            out,
            "\nsummaries, in tokens: recorded ones as logged (the whole context, with what the log does not hold),\n\
             replayed ones estimated from the texts alone, so that the two do not compare"
        )?;
        let price = |input: u64, output: u64| {
            self.rates.map_or_else(String::new, |rates| format!("{:.2}", rates.price(input, output)))
        };
        writeln!(
            out,
            "  {:<12}{:>7}{:>13}{:>11}{:>13}{:>10}",
            "",
            "calls",
            "read",
            "written",
            "waited for",
            self.rates.map_or("", |_| "price")
        )?;
        for cost in &self.rows {
            writeln!(
                out,
                "  {:<12}{:>7}{:>13}{:>11}{:>13}{:>10}",
                cost.strategy,
                cost.calls,
                grouped(cost.input),
                grouped(cost.output),
                grouped(cost.critical),
                price(cost.input, cost.output)
            )?;
        }
        if self.rates.is_none() {
            writeln!(out, "  no price: give the rates of a million tokens read and written, --rates 5,25")?;
        }
        let (blocks, spans) = PUBLISHED.block_totals();
        writeln!(
            out,
            "published for {} turns: recursive {}; hierarchical {} + {} = {}",
            PUBLISHED.turns,
            grouped(PUBLISHED.recursive_total()),
            grouped(blocks),
            grouped(spans),
            grouped(PUBLISHED.blocks_total())
        )?;
        for caveat in PUBLISHED.caveats() {
            writeln!(out, "  but {caveat}")?;
        }
        writeln!(
            out,
            "reading the whole history again for one query: {} in, {} out: ${:.0} at the paper's {} and {} a million, {:.0} minutes at {} tokens a second",
            grouped(PUBLISHED.query.0),
            grouped(PUBLISHED.query.1),
            PUBLISHED.query_price(),
            PUBLISHED.query_rates.0,
            PUBLISHED.query_rates.1,
            PUBLISHED.query_minutes(),
            PUBLISHED.speed
        )?;
        Ok(())
    }
}

/// The highest price of a million tokens that is taken for one, in any currency: beyond it sums are no numbers any more.
const DEAREST: f64 = 1e12;

/// `IN,OUT`: prices of a million tokens.
fn rates(text: &str) -> Result<Rates, Failure> {
    let price = |text: &str| text.trim().parse::<f64>().ok().filter(|price| (0.0..=DEAREST).contains(price));
    let both = text.split_once(',').and_then(|(input, output)| Some((price(input)?, price(output)?)));
    let (input, output) = both.ok_or_else(|| {
        Failure::Usage(format!("\"{text}\" are no rates: write the prices of a million tokens, IN,OUT"))
    })?;
    Ok(Rates { input, output })
}
