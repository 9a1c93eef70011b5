//! What a reader gets of the cold zone for a question, beside the hot window.
//!
//! Owns the choice and the budget. **Balanced**: where the cold zone fits the budget it is given whole. Else half the
//! budget goes to the messages nearest to the question, word for word, and half to summaries of the nearest clusters,
//! `nearest` of them in equal shares; a cluster that is smaller than its share is given whole and leaves the rest to the
//! others, and what is left over in the end goes to the next clusters. No least similarity: measured against long mixed
//! centroids it keeps the right cluster out. **Reference**: the `nearest` clusters at or above the least similarity,
//! summed up in equal shares. A message that does not fit is cut at its end and says so.

use std::collections::HashMap;

use crate::log::LogError;
use crate::summarisers::{Failure, SourceTurn, Summary};
use crate::text::preview::floor;
use crate::text::tokens::estimate;

use super::ColdForest;
use super::forest::Stamp;
use super::settings::Preset;

/// Tokens that a reader gets where nobody says otherwise.
pub const BUDGET: u64 = 2_000;
/// Less than this is not worth a summary, or the beginning of a message.
const LEAST: u64 = 40;

/// Where originals and summaries come from.
pub trait Originals {
    /// What the message of a node says.
    fn sources(&mut self, node: u32) -> Result<Vec<SourceTurn>, LogError>;
    /// The summary of a root's cluster, within a budget.
    fn summary(&mut self, root: u32, budget: u32) -> Result<Result<Summary, Failure>, LogError>;
}

/// A message given word for word.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw {
    /// Its node.
    pub node: u32,
    /// Its similarity to the question.
    pub score: f64,
    /// What is given of it.
    pub text: String,
    /// Estimated tokens of that.
    pub tokens: u64,
    /// There is more of it.
    pub cut: bool,
}

/// What is given of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// All its members, word for word.
    Whole(String),
    /// A summary.
    Summary(Summary),
    /// Nothing: it could not be summed up.
    Failed(Failure),
}

/// A cluster, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its root.
    pub root: u32,
    /// The similarity of its centroid to the question.
    pub score: f64,
    /// What is given of it.
    pub given: Given,
    /// Estimated tokens of that.
    pub tokens: u64,
    /// It is one of the nearest, rather than one that what was left over went to.
    pub chosen: bool,
    /// Messages of it are given by themselves, and word for word it is without them.
    pub rest: bool,
}

impl Read {
    /// How it is given, in words; why not, where it is not.
    pub fn told(&self) -> String {
        match &self.given {
            Given::Whole(_) if self.rest => "the rest word for word".to_owned(),
            Given::Whole(_) => "word for word".to_owned(),
            Given::Summary(_) => "summary".to_owned(),
            Given::Failed(failure) => format!("no summary: {failure}"),
        }
    }

    /// The same over what is given.
    pub fn heading(&self) -> String {
        match &self.given {
            Given::Summary(_) => "summary of all its messages".to_owned(),
            _ => self.told(),
        }
    }
}

/// What a reader gets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The cold zone fits: it is all here, oldest first.
    pub whole: bool,
    /// Messages word for word, nearest first.
    pub raw: Vec<Raw>,
    /// Clusters, nearest first.
    pub clusters: Vec<Read>,
    /// Every cluster's root with its similarity to the question, nearest first.
    pub scores: Vec<(u32, f64)>,
    /// Estimated tokens of all that is given.
    pub tokens: u64,
}

/// What is said where no word of a question tells one message from another.
pub const NOTHING_ALIKE: &str = "no word of the question tells anything here: each is in no cold message, or in too many of them. \
What follows is what fits, oldest first";

impl Reading {
    /// Whether anything cold is like the question. Where nothing is, what is given was not chosen by it.
    pub fn is_alike(&self) -> bool {
        self.scores.iter().any(|(_, score)| *score > 0.0) || self.raw.iter().any(|raw| raw.score > 0.0)
    }

    /// Whether the question chose among cold messages and found none.
    pub fn is_in_vain(&self) -> bool {
        !self.whole && !self.scores.is_empty() && !self.is_alike()
    }

    /// All that is given, one text after another.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let clusters = self.clusters.iter().filter_map(|read| match &read.given {
            Given::Whole(text) => Some(text.as_str()),
            Given::Summary(summary) => Some(summary.text.as_str()),
            Given::Failed(_) => None,
        });
        self.raw.iter().map(|raw| raw.text.as_str()).chain(clusters)
    }
}

/// What a reader of a question gets of the newest state of a forest: chosen, and nothing of it read yet. It needs the
/// forest no more, which may grow on.
#[derive(Clone, Debug)]
pub struct Choice {
    preset: Preset,
    nearest: usize,
    least: f64,
    /// Cold messages.
    cold: u32,
    /// Every cluster's root with its similarity to the question, nearest first.
    scores: Vec<(u32, f64)>,
    /// The members of each, oldest first.
    members: HashMap<u32, Vec<u32>>,
    /// Messages that share a term with the question, nearest first.
    raw: Vec<(u32, f64)>,
}

impl Choice {
    /// Of a forest, for a question.
    pub fn of(forest: &ColdForest, question: &str) -> Self {
        let scores = scores(forest, question);
        let members = |(root, _): &(u32, f64)| (*root, forest.forest().sorted_members(*root, Stamp::MAX));
        let settings = forest.settings();
        let cold = forest.forest().len() as u32;
        let question = forest.vocabulary().question(question);
        let mut raw: Vec<(u32, f64)> =
            (0..cold).map(|node| (node, forest.vector(node).dot(&question))).collect();
        raw.retain(|(_, score)| *score > 0.0);
        raw.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Self {
            preset: settings.preset,
            nearest: settings.nearest as usize,
            least: settings.min_sim,
            cold,
            members: scores.iter().map(members).collect(),
            scores,
            raw,
        }
    }

    /// The members of a root's cluster, oldest first.
    pub fn members(&self, root: u32) -> &[u32] {
        self.members.get(&root).map_or(&[], Vec::as_slice)
    }

    /// Reads it, within so many tokens.
    pub fn read(&self, budget: u64, originals: &mut dyn Originals) -> Result<Reading, LogError> {
        let reading = Reading { scores: self.scores.clone(), ..Reading::default() };
        let mut desk = Desk { choice: self, originals, reading, left: budget };
        match self.preset {
            Preset::Reference => {
                let scores = self.scores.iter().filter(|(_, score)| *score >= self.least);
                let chosen: Vec<(u32, f64)> = scores.take(self.nearest).copied().collect();
                desk.clusters(&chosen, budget, true)?;
            }
            Preset::Balanced => {
                if desk.all()? {
                    return Ok(desk.reading);
                }
                desk.raw(budget / 2)?;
                // What says nothing of the question still tells more than nothing, but only where there is room.
                let near = self.scores.iter().take_while(|(_, score)| *score > 0.0);
                let (near, rest) = self.scores.split_at(near.take(self.nearest).count());
                desk.clusters(near, desk.left, true)?;
                let share = budget / 2 / self.nearest.max(1) as u64;
                for next in rest {
                    let room = desk.left.min(share);
                    desk.clusters(std::slice::from_ref(next), room, false)?;
                }
            }
        }
        Ok(desk.reading)
    }
}

/// Reads the newest state of a forest for a question, within so many tokens.
pub fn read(
    forest: &ColdForest,
    question: &str,
    budget: u64,
    originals: &mut dyn Originals,
) -> Result<Reading, LogError> {
    Choice::of(forest, question).read(budget, originals)
}

/// Every cluster's root with its similarity to a question, nearest first; of equals the older first.
pub fn scores(forest: &ColdForest, question: &str) -> Vec<(u32, f64)> {
    let question = forest.vocabulary().question(question);
    let clusters = forest.clusters();
    let scored = clusters.list().iter().enumerate();
    let mut scores: Vec<(u32, f64)> =
        scored.map(|(place, cluster)| (cluster.root, clusters.score(place, &question))).collect();
    scores.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scores
}

/// A reading that is being made.
struct Desk<'a> {
    choice: &'a Choice,
    originals: &'a mut dyn Originals,
    reading: Reading,
    left: u64,
}

impl Desk<'_> {
    fn text(&mut self, node: u32) -> Result<String, LogError> {
        let sources = self.originals.sources(node)?;
        let parts = sources.iter().flat_map(|source| &source.parts);
        let shown = parts.map(|part| match &part.tool {
            Some(tool) => format!("[{tool}] {}", part.text),
            None => part.text.clone(),
        });
        Ok(shown.collect::<Vec<_>>().join("\n"))
    }

    fn spend(&mut self, tokens: u64) {
        self.left = self.left.saturating_sub(tokens);
        self.reading.tokens += tokens;
    }

    /// Gives the whole cold zone, if it fits.
    fn all(&mut self) -> Result<bool, LogError> {
        let mut raw = Vec::new();
        let mut sum = 0;
        for node in 0..self.choice.cold {
            let text = self.text(node)?;
            let tokens = u64::from(estimate(&text));
            sum += tokens;
            if sum > self.left {
                return Ok(false);
            }
            raw.push(Raw { node, score: 0.0, text, tokens, cut: false });
        }
        self.reading.whole = true;
        self.reading.raw = raw;
        self.spend(sum);
        Ok(true)
    }

    /// Gives the messages nearest to the question, within so many tokens.
    fn raw(&mut self, mut room: u64) -> Result<(), LogError> {
        for &(node, score) in &self.choice.raw {
            if room < LEAST {
                break;
            }
            let mut text = self.text(node)?;
            let cut = cut(&mut text, room);
            let tokens = u64::from(estimate(&text));
            room -= tokens.min(room);
            self.spend(tokens);
            self.reading.raw.push(Raw { node, score, text, tokens, cut });
        }
        Ok(())
    }

    /// Gives these clusters in equal shares of so many tokens; what one does not need goes to the others.
    fn clusters(&mut self, chosen: &[(u32, f64)], mut room: u64, near: bool) -> Result<(), LogError> {
        let mut reads = Vec::new();
        let mut needs = Vec::new();
        for (root, score) in chosen {
            needs.push((self.whole(*root, room)?, *root, *score));
        }
        let size = |whole: &Option<String>| whole.as_ref().map_or(u64::MAX, |text| u64::from(estimate(text)));
        needs.sort_by_key(|(whole, _, _)| size(whole));
        let mut waiting = needs.len() as u64;
        for (whole, root, score) in needs {
            let share = room / waiting.max(1);
            waiting -= 1;
            let need = size(&whole);
            let given = match whole {
                // All of it is given, message by message.
                Some(text) if text.is_empty() => continue,
                Some(text) if need <= share => Given::Whole(text),
                _ if share < LEAST => continue,
                _ => match self.originals.summary(root, share as u32)? {
                    Ok(summary) => Given::Summary(summary),
                    Err(failure) => Given::Failed(failure),
                },
            };
            let tokens = match &given {
                Given::Whole(text) => u64::from(estimate(text)),
                Given::Summary(summary) => u64::from(estimate(&summary.text)),
                Given::Failed(_) => 0,
            };
            room = room.saturating_sub(tokens);
            self.spend(tokens);
            let is_given = |node: &u32| self.reading.raw.iter().any(|raw| raw.node == *node && !raw.cut);
            let rest = self.choice.members(root).iter().any(is_given);
            reads.push(Read { root, score, given, tokens, chosen: near, rest });
        }
        reads.sort_by(|a, b| b.score.total_cmp(&a.score));
        self.reading.clusters.extend(reads);
        Ok(())
    }

    /// A cluster word for word, unless that is more than so many tokens; what is given already is left out.
    fn whole(&mut self, root: u32, room: u64) -> Result<Option<String>, LogError> {
        let mut out = String::new();
        for node in self.choice.members(root) {
            if self.reading.raw.iter().any(|raw| raw.node == *node && !raw.cut) {
                continue;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&self.text(*node)?);
            if u64::from(estimate(&out)) > room {
                return Ok(None);
            }
        }
        Ok(Some(out))
    }
}

/// Cuts a text to so many tokens, at a word's end; whether there was more of it.
fn cut(text: &mut String, room: u64) -> bool {
    if u64::from(estimate(text)) <= room {
        return false;
    }
    // A token is a byte at the least: halved in from there.
    let (mut fits, mut over) = (0, text.len());
    while over - fits > 1 {
        let middle = floor(text, fits.midpoint(over)).len();
        if middle <= fits {
            break;
        }
        if u64::from(estimate(&text[..middle])) < room { fits = middle } else { over = middle }
    }
    let end = text[..fits].rfind(char::is_whitespace).unwrap_or(fits);
    text.truncate(end);
    text.push('…');
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits() {
        for room in [1, 5, 40] {
            let mut text = "some words of a text, and 12345 é ".repeat(20);
            assert!(cut(&mut text, room));
            assert!(u64::from(estimate(&text)) <= room + 1, "{text}");
        }
        let mut text = "short".to_owned();
        assert!(!cut(&mut text, 10));
    }
}
