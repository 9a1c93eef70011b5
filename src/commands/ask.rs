//! `pentimento ask`: what a reader would get of the cold forest for a question, beside the hot window.

use std::io::Write;

use serde_json::{Value, json};

use crate::cli::AskArguments;
use crate::outline::forest::ForestView;
use crate::session::open::OpenLog;
use crate::strategies::union_find::reader::{Given, NOTHING_ALIKE, Read, Reading, read};
use crate::strategies::union_find::replay::Replay;
use crate::strategies::union_find::settings::Preset;
use crate::text::display::safe;
use crate::text::numbers::{count, grouped};

use super::forests::Cold;
use super::tree::forest::{health, settings};
use super::{Failure, SCHEMA, as_of};

/// Prints the reading.
pub(super) fn run(log: &OpenLog, arguments: &AskArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let as_of = as_of(log, arguments.as_of.as_deref())?;
    worded(arguments)?;
    // As of a turn the question knows no more than was known then: the forest is read up to there.
    let mut cold = Cold::new(log, &arguments.forest, as_of, &arguments.summaries)?;
    let forest = cold.replay.forest().clone();
    let reading = read(&forest, &arguments.question, arguments.budget, &mut cold.originals())?;
    let view = cold.view(log, as_of);
    let page = Page { log, cold: &cold, view, reading: &reading, as_of, arguments };
    if arguments.json {
        writeln!(out, "{}", page.to_json())?;
        return Ok(());
    }
    page.print(out)
}

/// Refuses a question without a word.
pub(super) fn worded(arguments: &AskArguments) -> Result<(), Failure> {
    if arguments.question.trim().is_empty() {
        return Err(Failure::Usage(
            "the question is empty: ask in words that the messages may hold".to_owned(),
        ));
    }
    Ok(())
}

struct Page<'a> {
    log: &'a OpenLog,
    cold: &'a Cold,
    view: ForestView<'a>,
    reading: &'a Reading,
    as_of: u32,
    arguments: &'a AskArguments,
}

impl Page<'_> {
    fn replay(&self) -> &Replay {
        &self.cold.replay
    }

    fn address(&self, root: u32) -> String {
        self.view.address(root).to_string()
    }

    fn to_json(&self) -> Value {
        let forest = self.replay().forest().forest();
        let score = |(root, score): &(u32, f64)| json!({"address": self.address(*root), "score": score, "size": forest.size(*root, u32::MAX)});
        let raw = self.reading.raw.iter().map(|raw| {
            json!({
                "turns": self.replay().message(raw.node).turns,
                "score": (!self.reading.whole).then_some(raw.score),
                "tokens": raw.tokens,
                "cut": raw.cut,
                "text": raw.text,
            })
        });
        json!({
            "schema": SCHEMA,
            "as_of": self.as_of,
            "question": self.arguments.question,
            "settings": settings(self.replay().forest().settings()),
            "health": health(&self.view.health()),
            "budget": self.arguments.budget,
            "tokens": self.reading.tokens,
            "hot_tokens": self.view.hot_tokens(self.log),
            "whole": self.reading.whole,
            "alike": self.reading.is_alike(),
            "scores": self.reading.scores.iter().map(score).collect::<Vec<_>>(),
            "messages": raw.collect::<Vec<_>>(),
            "clusters": self.reading.clusters.iter().map(|read| self.cluster(read)).collect::<Vec<_>>(),
        })
    }

    fn cluster(&self, read: &Read) -> Value {
        let turns = self.replay().turns(&self.log.session, read.root, u32::MAX);
        let (kind, text) = match &read.given {
            Given::Whole(text) => ("whole", json!(text)),
            Given::Summary(summary) => ("summary", json!(summary.text)),
            Given::Failed(failure) => ("failed", json!(failure.to_string())),
        };
        json!({
            "address": self.address(read.root),
            "score": read.score,
            "nearest": read.chosen,
            "given": kind,
            "rest": read.rest,
            "covers": turns.into_iter().map(|id| self.log.session.turn(id).number).collect::<Vec<_>>(),
            "tokens": read.tokens,
            "text": text,
        })
    }

    fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let Reading { whole, raw, clusters, scores, tokens } = self.reading;
        writeln!(
            out,
            "as of t{} · {} · ~{} of {} tokens beside ~{} in the hot window",
            self.as_of,
            self.replay().forest().settings().words(),
            grouped(*tokens),
            grouped(self.arguments.budget),
            grouped(self.view.hot_tokens(self.log)),
        )?;
        writeln!(out, "{}", self.view.health().line())?;
        if self.reading.is_in_vain() {
            writeln!(out, "! {NOTHING_ALIKE}")?;
        }
        let forest = self.replay().forest().forest();
        for (root, score) in scores {
            let given = clusters.iter().find(|read| read.root == *root).map_or(String::new(), |read| {
                let how = read.told();
                let why = if read.chosen { "" } else { ", left over" };
                format!(" · {how}, ~{} tokens{why}", read.tokens)
            });
            let size = count(u64::from(forest.size(*root, u32::MAX)), "message");
            writeln!(out, "  {:<7}{score:>6.3} · {size}{}", self.address(*root), safe(&given))?;
        }
        if *whole {
            writeln!(out, "\nthe cold zone fits: all of it, oldest first")?;
        }
        for message in raw {
            let score = if *whole { String::new() } else { format!(" · {:.3}", message.score) };
            let cut = if message.cut { " · cut: `expand` gives the rest" } else { "" };
            let turns = self.view.turns_of(message.node);
            writeln!(out, "\n── {turns}{score} · ~{} tokens{cut}", message.tokens)?;
            text(&message.text, out)?;
        }
        for cluster in clusters {
            let words = match &cluster.given {
                Given::Whole(text) => text.as_str(),
                Given::Summary(summary) => summary.text.as_str(),
                Given::Failed(_) => continue,
            };
            let how = cluster.heading();
            let address = self.address(cluster.root);
            writeln!(out, "\n── {address} · {how} · {:.3} · ~{} tokens", cluster.score, cluster.tokens)?;
            text(words, out)?;
        }
        if self.replay().forest().settings().preset == Preset::Reference && clusters.is_empty() {
            writeln!(out, "\nno cluster is at or above the least similarity")?;
        }
        Ok(())
    }
}

fn text(text: &str, out: &mut dyn Write) -> Result<(), Failure> {
    for line in text.lines() {
        writeln!(out, "{}", safe(line))?;
    }
    Ok(())
}
