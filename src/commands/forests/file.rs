//! Forest files on the command line: the published versions 3 and 4, and the own one.
//!
//! A file of somebody else names no terms for its vectors, so a question is held against vectors made here from its
//! messages, in the clusters that the file says; and its breaches are told before anything else is believed of it.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::cli::{AskArguments, ExpandArguments, TreeArguments};
use crate::formats::facts::{PartKind, Role};
use crate::log::{LogError, Source};
use crate::session::address::Address;
use crate::strategies::union_find::ColdForest;
use crate::strategies::union_find::check::{Breach, breaches, not_numbers};
use crate::strategies::union_find::exchange::Content;
use crate::strategies::union_find::file::{self, ForestFile, NotAForest};
use crate::strategies::union_find::forest::Stamp;
use crate::strategies::union_find::health::Health;
use crate::strategies::union_find::reader::{Given, Originals, read};
use crate::strategies::union_find::saved::{self, NotSaved};
use crate::summarisers::{Failure as NoSummary, Request, SourcePart, SourceTurn, Summariser, Summary};
use crate::text::display::safe;
use crate::text::numbers::count;
use crate::text::preview;

use super::super::tree::forest::{health as health_json, words};
use super::super::{Failure, SCHEMA};
use super::settings;

/// A forest file, opened.
pub(in crate::commands) struct ForestLog {
    forest: ColdForest,
    cold: Vec<Content>,
    hot: usize,
    /// The ids of the nodes, in the file's words.
    ids: Vec<i64>,
    /// Where each id is among them.
    places: HashMap<i64, usize>,
    /// What it says itself, where it is not our own.
    foreign: Option<(ForestFile, Vec<Breach>)>,
}

/// The forest file at `path`, if it is one: what `open` says is why it is no log.
pub(in crate::commands) fn open(path: &Path, no_log: LogError) -> Result<ForestLog, Failure> {
    if crate::log::name::is_standard_input(path) || crate::log::length(path) > crate::log::MAX_LINE as u64 {
        return Err(no_log.into());
    }
    let bytes = Source::open(path)?.read_all()?;
    let broken = |what: String| Failure::Unreadable(format!("{}: {what}", crate::log::name::shown(path)));
    match saved::read(&bytes) {
        Ok(saved) => {
            let ids: Vec<i64> =
                (0..saved.cold.len() as u32).map(|node| i64::from(saved.forest.message(node))).collect();
            return Ok(ForestLog {
                forest: saved.forest,
                cold: saved.cold,
                hot: saved.hot.len(),
                places: places(&ids),
                ids,
                foreign: None,
            });
        }
        Err(NotSaved::Other) => {}
        Err(error) => return Err(broken(error.to_string())),
    }
    match file::read(&bytes) {
        Ok(file) => Ok(ForestLog::foreign(file)),
        Err(NotAForest::Other) => Err(no_log.into()),
        Err(error) => Err(broken(error.to_string())),
    }
}

impl ForestLog {
    fn foreign(file: ForestFile) -> Self {
        let ids: Vec<i64> = file.nodes.iter().map(|node| node.id).collect();
        let places = places(&ids);
        let place = |id: &i64| places.get(id).map(|place| *place as u32);
        // A node that is listed twice stays where it is listed first; the breach is told.
        let mut taken = vec![false; ids.len()];
        let clusters = file.children.iter().map(|(_, members)| {
            let members = members.iter().filter_map(place);
            let fresh = members.filter(|place| !std::mem::replace(&mut taken[*place as usize], true));
            fresh.collect::<Vec<u32>>()
        });
        let clusters: Vec<Vec<u32>> = clusters.filter(|members| !members.is_empty()).collect();
        let texts: Vec<String> = file.nodes.iter().map(|node| node.content.clone()).collect();
        let forest = ColdForest::of_clusters(settings_of_reader(), &texts, &clusters);
        let content =
            |node: &file::FileNode| Content { text: node.content.clone(), time: node.timestamp.clone() };
        let cold = file.nodes.iter().map(content).collect();
        let breaches = breaches(&file);
        Self { forest, cold, hot: 0, ids, places, foreign: Some((file, breaches)) }
    }

    /// What holds for all: in words.
    fn head(&self) -> String {
        match &self.foreign {
            Some((file, _)) => {
                format!("forest file · version {} · {}", file.version, count(self.ids.len() as u64, "node"))
            }
            None => format!(
                "saved forest · {} · {} and {} hot · the next is {}",
                words(self.forest.settings()),
                count(self.ids.len() as u64, "cold message"),
                self.hot,
                self.forest.next()
            ),
        }
    }

    fn health(&self) -> Health {
        match &self.foreign {
            None => Health::of(&self.forest, Stamp::MAX),
            // What forced its unions a file does not say.
            Some((file, _)) => {
                Health::of_sizes(file.children.iter().map(|(_, members)| members.len() as u32))
                    .with_not_numbers(not_numbers(file))
            }
        }
    }

    fn breaches(&self) -> &[Breach] {
        self.foreign.as_ref().map_or(&[], |(_, breaches)| breaches)
    }

    /// Clusters in the file's order: the root's id, and its members' ids.
    fn clusters(&self) -> Vec<(i64, Vec<i64>)> {
        match &self.foreign {
            Some((file, _)) => file.children.clone(),
            None => {
                let inner = self.forest.forest();
                let members = |root: u32| {
                    inner.members(root, Stamp::MAX).into_iter().map(|node| self.id(node)).collect()
                };
                inner.roots(Stamp::MAX).into_iter().map(|root| (self.id(root), members(root))).collect()
            }
        }
    }

    fn id(&self, node: u32) -> i64 {
        self.ids.get(node as usize).copied().unwrap_or_default()
    }

    fn content(&self, id: i64) -> Option<&Content> {
        self.cold.get(*self.places.get(&id)?)
    }

    fn summary(&self, root: i64) -> Option<&str> {
        let (file, _) = self.foreign.as_ref()?;
        file.summaries.iter().find(|(id, _)| *id == root).map(|(_, text)| text.as_str())
    }

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
            let share = members.len() as f64 * 100.0 / self.ids.len().max(1) as f64;
            let summary =
                self.summary(root).map_or("", |_| " · summary, of which members the file does not say");
            writeln!(
                out,
                "▾ c{root} {} ({} %){summary}",
                count(members.len() as u64, "message"),
                share.round()
            )?;
            let members = if arguments.depth > 1 { members } else { Vec::new() };
            for member in members {
                let text =
                    self.content(member).map_or("is no node".into(), |content| preview::of(&content.text));
                writeln!(out, "    t{member} {}", safe(&text))?;
            }
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
            "version": self.foreign.as_ref().map(|(file, _)| file.version),
            "health": health_json(&health),
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
    pub(in crate::commands) fn ask(
        &self,
        arguments: &AskArguments,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if arguments.as_of.is_some() {
            return Err(Failure::Usage("--as-of needs a log: this is a forest's file".to_owned()));
        }
        let mut forest = self.forest.clone();
        // A saved forest is read as it was made.
        if self.foreign.is_some() {
            forest.read_as(&settings(&arguments.forest)?);
        }
        let writer = arguments.summaries.writer().map_err(Failure::Usage)?;
        let mut originals = OfFile { of: self, summariser: writer.bare() };
        let reading = read(&forest, &arguments.question, arguments.budget, &mut originals)?;
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
                "breaches": self.breaches().iter().map(|breach| &breach.text).collect::<Vec<_>>(),
                "scores": reading.scores.iter().map(|(root, score)| json!({"address": format!("c{}", self.id(*root)), "score": score})).collect::<Vec<_>>(),
                "messages": reading.raw.iter().map(|raw| json!({"address": format!("t{}", self.id(raw.node)), "score": raw.score, "tokens": raw.tokens, "cut": raw.cut, "text": raw.text})).collect::<Vec<_>>(),
                "clusters": reading.clusters.iter().map(|read| json!({"address": format!("c{}", self.id(read.root)), "score": read.score, "given": given(&read.given).0, "tokens": read.tokens, "text": given(&read.given).1})).collect::<Vec<_>>(),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "{} · ~{} of {} tokens · scored by vectors made here",
            self.head(),
            reading.tokens,
            arguments.budget
        )?;
        for breach in self.breaches() {
            writeln!(out, "  ! {}: {}", breach.kind, safe(&breach.text))?;
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
            let (how, text) = given(&cluster.given);
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

fn places(ids: &[i64]) -> HashMap<i64, usize> {
    ids.iter().enumerate().map(|(place, id)| (*id, place)).collect()
}

/// What a foreign file is read with: it names no settings.
fn settings_of_reader() -> crate::strategies::union_find::settings::Settings {
    crate::strategies::union_find::settings::Settings::default()
}

/// The messages of a file as originals. Summaries are made anew from all members: what the file's own cover it does not
/// say.
struct OfFile<'a> {
    of: &'a ForestLog,
    summariser: &'a dyn Summariser,
}

impl Originals for OfFile<'_> {
    fn sources(&mut self, node: u32) -> Result<Vec<SourceTurn>, LogError> {
        let text = self.of.cold.get(node as usize).map(|content| content.text.clone()).unwrap_or_default();
        let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text };
        Ok(vec![SourceTurn { turns: (node, node), role: Role::User, parts: vec![part] }])
    }

    fn summary(&mut self, root: u32, budget: u32) -> Result<Result<Summary, NoSummary>, LogError> {
        let mut members = self.of.forest.forest().members(root, Stamp::MAX);
        members.sort_unstable();
        let mut sources = Vec::new();
        for member in members {
            sources.extend(self.sources(member)?);
        }
        Ok(self.summariser.summarise(&Request { sources, budget }, &AtomicBool::new(false)))
    }
}
