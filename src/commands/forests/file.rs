//! Forest files on the command line: their trees, messages, and what a reader would get.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::cli::{AskArguments, ExpandArguments, TreeArguments};
use crate::session::address::Address;
use crate::strategies::union_find::opened::Opened;
use crate::strategies::union_find::reader::{Given, NOTHING_ALIKE};
use crate::text::display::safe;
use crate::text::numbers::{count, grouped};
use crate::text::preview;

use super::super::tree::forest::health as health_json;
use super::super::{Failure, SCHEMA};
use super::settings;

impl Opened {
    /// Prints its tree: whatever view is asked for, it has no other.
    pub(in crate::commands) fn tree(
        &self,
        arguments: &TreeArguments,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let without = [
            ("--as-of", arguments.as_of.is_some()),
            ("--write", arguments.write.is_some()),
            ("--save", arguments.save.is_some()),
        ];
        if let Some((name, _)) = without.into_iter().find(|(_, given)| *given) {
            return Err(Failure::Usage(format!("{name} needs a log: this is a forest's file")));
        }
        if arguments.json {
            writeln!(out, "{}", self.to_json(arguments.depth))?;
            return Ok(());
        }
        writeln!(out, "{}", self.head())?;
        writeln!(out, "  {}", self.health().line())?;
        for breach in self.breaches() {
            writeln!(out, "  ! {}: {}", breach.kind, safe(&breach.text))?;
        }
        for (root, members) in self.clusters() {
            let share = members.len() as f64 * 100.0 / f64::from(self.health().cold.max(1));
            let summary =
                self.summary(root).map_or("", |_| " · summary, of which members the file does not say");
            writeln!(
                out,
                "{} c{root} {} ({} %){summary}",
                if arguments.depth > 1 { "▾" } else { "▸" },
                count(members.len() as u64, "message"),
                share.round()
            )?;
            let members = if arguments.depth > 1 { members } else { Vec::new() };
            self.messages(&members, out)?;
        }
        if !self.hot().is_empty() {
            let sign = if arguments.depth > 1 { "▾" } else { "▸" };
            writeln!(out, "{sign} hot · {}", count(self.hot().len() as u64, "message"))?;
            self.messages(if arguments.depth > 1 { self.hot() } else { &[] }, out)?;
        }
        Ok(())
    }

    fn messages(&self, ids: &[i64], out: &mut dyn Write) -> Result<(), Failure> {
        for id in ids {
            let text = self.content(*id).map_or("is no node".into(), |content| preview::of(&content.text));
            writeln!(out, "    t{id} {}", safe(&text))?;
        }
        Ok(())
    }

    fn to_json(&self, depth: u32) -> Value {
        let health = self.health();
        let cluster = |(root, members): (i64, Vec<i64>)| {
            let nodes = members.iter().take(if depth > 1 { usize::MAX } else { 0 }).map(|member| {
                let content = self.content(*member);
                json!({
                    "address": format!("t{member}"),
                    "kind": "message",
                    "label": content.map(|content| preview::of(&content.text)),
                    "time": content.and_then(|content| content.time.clone()),
                })
            });
            json!({
                "address": format!("c{root}"),
                "kind": "cluster",
                "size": members.len(),
                "members": members,
                "summary": self.summary(root),
                "children": nodes.collect::<Vec<_>>(),
            })
        };
        json!({
            "schema": SCHEMA,
            "view": "forest",
            "version": self.version(),
            "health": health_json(&health),
            "hot": self.hot(),
            "breaches": self.breaches().iter().map(|breach| json!({"kind": breach.kind, "ids": breach.ids, "text": breach.text})).collect::<Vec<_>>(),
            "children": self.clusters().into_iter().map(cluster).collect::<Vec<_>>(),
        })
    }

    /// Prints the messages of a cluster (`c7`) or one of them (`t7`), by the file's ids.
    pub(in crate::commands) fn expand(
        &self,
        arguments: &ExpandArguments,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let address: Address = arguments.address.parse()?;
        let missing = || Failure::NotFound(format!("there is no {address} in this forest's file"));
        let ids = match address {
            Address::Cluster(id) => {
                let holds = |(root, members): &(i64, Vec<i64>)| {
                    *root == i64::from(id) || members.contains(&i64::from(id))
                };
                let (root, members) = self.clusters().into_iter().find(holds).ok_or_else(missing)?;
                if arguments.summary {
                    let text = self
                        .summary(root)
                        .ok_or_else(|| Failure::NotFound(format!("c{root} has no summary in this file")))?;
                    if arguments.json {
                        writeln!(
                            out,
                            "{}",
                            json!({"address": format!("c{root}"), "role": "summary", "covers": Value::Null, "text": text})
                        )?;
                    } else {
                        writeln!(out, "── c{root} summary · of which members the file does not say")?;
                        text.lines().try_for_each(|line| writeln!(out, "{}", safe(line)))?;
                    }
                    return Ok(());
                }
                members
            }
            Address::Turn { thread: None, number, part: None } => vec![i64::from(number)],
            _ => return Err(missing()),
        };
        for id in ids {
            let content = self.content(id).ok_or_else(missing)?;
            if arguments.json {
                writeln!(
                    out,
                    "{}",
                    json!({"address": format!("t{id}"), "time": content.time, "text": content.text})
                )?;
                continue;
            }
            let time = content.time.as_deref().map_or(String::new(), |time| format!(" · {time}"));
            writeln!(out, "── t{id}{}", safe(&time))?;
            content.text.lines().try_for_each(|line| writeln!(out, "{}", safe(line)))?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Prints what a reader would get.
    pub(in crate::commands) fn print_reading(
        &self,
        arguments: &AskArguments,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if arguments.as_of.is_some() {
            return Err(Failure::Usage("--as-of needs a log: this is a forest's file".to_owned()));
        }
        super::super::ask::worded(arguments)?;
        let writer = arguments.summaries.writer().map_err(Failure::Usage)?;
        let reading = self.ask(
            &arguments.question,
            arguments.budget,
            &settings(&arguments.forest)?,
            writer.bare(),
            &AtomicBool::new(false),
        )?;
        let given = |given: &Given| match given {
            Given::Whole(text) => ("whole", text.clone()),
            Given::Summary(summary) => ("summary", summary.text.clone()),
            Given::Failed(failure) => ("failed", failure.to_string()),
        };
        if arguments.json {
            let value = json!({
                "schema": SCHEMA,
                "question": arguments.question,
                "budget": arguments.budget,
                "tokens": reading.tokens,
                "whole": reading.whole,
                "alike": reading.is_alike(),
                "breaches": self.breaches().iter().map(|breach| &breach.text).collect::<Vec<_>>(),
                "scores": reading.scores.iter().map(|(root, score)| json!({"address": format!("c{}", self.id(*root)), "score": score})).collect::<Vec<_>>(),
                "messages": reading.raw.iter().map(|raw| json!({"address": format!("t{}", self.id(raw.node)), "score": raw.score, "tokens": raw.tokens, "cut": raw.cut, "text": raw.text})).collect::<Vec<_>>(),
                "clusters": reading.clusters.iter().map(|read| json!({"address": format!("c{}", self.id(read.root)), "score": read.score, "given": given(&read.given).0, "rest": read.rest, "tokens": read.tokens, "text": given(&read.given).1})).collect::<Vec<_>>(),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{} · ~{} of {} tokens · scored by vectors made here",
            self.head(),
            grouped(reading.tokens),
            grouped(arguments.budget)
        )?;
        for breach in self.breaches() {
            writeln!(out, "  ! {}: {}", breach.kind, safe(&breach.text))?;
        }
        if reading.is_in_vain() {
            writeln!(out, "! {NOTHING_ALIKE}")?;
        }
        for (root, score) in &reading.scores {
            writeln!(out, "  c{:<6}{score:>6.3}", self.id(*root))?;
        }
        for raw in &reading.raw {
            writeln!(
                out,
                "\n── t{} · {:.3} · ~{} tokens{}",
                self.id(raw.node),
                raw.score,
                raw.tokens,
                if raw.cut { " · cut" } else { "" }
            )?;
            raw.text.lines().try_for_each(|line| writeln!(out, "{}", safe(line)))?;
        }
        for cluster in &reading.clusters {
            let (how, text) = (cluster.heading(), given(&cluster.given).1);
            writeln!(
                out,
                "\n── c{} · {how} · {:.3} · ~{} tokens",
                self.id(cluster.root),
                cluster.score,
                cluster.tokens
            )?;
            text.lines().try_for_each(|line| writeln!(out, "{}", safe(line)))?;
        }
        Ok(())
    }
}
