//! A forest's file, opened: the published versions 3 and 4, and the own one.
//!
//! A file of somebody else names no terms for its vectors, so a question is held against vectors made here from its
//! messages, in the clusters that the file says; and its breaches are told before anything else is believed of it. The
//! numbers in its addresses are its own ids.

mod ask;

use std::collections::HashMap;
use std::path::Path;

use crate::log::{LogError, MAX_LINE, Source, length, name};
use crate::text::numbers::count;

use super::ColdForest;
use super::check::{Breach, breaches, not_numbers};
use super::exchange::Content;
use super::file::{self, ForestFile, NotAForest};
use super::forest::Stamp;
use super::health::Health;
use super::saved::{self, NotSaved};
use super::settings::Settings;

/// A forest's file, opened.
#[derive(Debug)]
pub struct Opened {
    forest: ColdForest,
    /// What messages say: the cold ones, then the hot ones.
    said: Vec<Content>,
    /// The numbers of the hot ones.
    hot: Vec<i64>,
    /// The ids of the nodes, in the file's words.
    ids: Vec<i64>,
    /// Where each id is among them.
    places: HashMap<i64, usize>,
    /// What it says itself, where it is not our own.
    foreign: Option<(ForestFile, Vec<Breach>)>,
}

/// Why there is no forest in a file.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// It is no forest.
    #[error("no forest")]
    Other,
    /// It cannot be read at all.
    #[error(transparent)]
    Log(#[from] LogError),
    /// It is one, but cannot be used.
    #[error("{0}")]
    Broken(String),
}

/// The forest in the file at `path`.
pub fn open(path: &Path) -> Result<Opened, NotOpened> {
    if name::is_standard_input(path) || length(path) > MAX_LINE as u64 {
        return Err(NotOpened::Other);
    }
    let bytes = Source::open(path)?.read_all()?;
    let broken = |what: String| NotOpened::Broken(format!("{}: {what}", name::shown(path)));
    match saved::read(&bytes) {
        Ok(saved) => {
            let ids: Vec<i64> =
                (0..saved.cold.len() as u32).map(|node| i64::from(saved.forest.message(node))).collect();
            let hot: Vec<i64> = saved.forest.hot().iter().map(|hot| i64::from(hot.message)).collect();
            let all: Vec<i64> = ids.iter().chain(&hot).copied().collect();
            return Ok(Opened {
                forest: saved.forest,
                said: saved.cold.into_iter().chain(saved.hot).collect(),
                hot,
                places: places(&all),
                ids,
                foreign: None,
            });
        }
        Err(NotSaved::Other) => {}
        Err(error) => return Err(broken(error.to_string())),
    }
    match file::read(&bytes) {
        Ok(file) => Ok(Opened::foreign(file)),
        Err(NotAForest::Other) => Err(NotOpened::Other),
        Err(error) => Err(broken(error.to_string())),
    }
}

impl Opened {
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
        let forest = ColdForest::of_clusters(Settings::default(), &texts, &clusters);
        let content =
            |node: &file::FileNode| Content { text: node.content.clone(), time: node.timestamp.clone() };
        let said = file.nodes.iter().map(content).collect();
        let breaches = breaches(&file);
        Self { forest, said, hot: Vec::new(), ids, places, foreign: Some((file, breaches)) }
    }

    /// What holds for all: in words.
    pub fn head(&self) -> String {
        match &self.foreign {
            Some((file, _)) => {
                format!("forest file · version {} · {}", file.version, count(self.ids.len() as u64, "node"))
            }
            None => format!(
                "saved forest · {} · {} and {} hot · the next is {}",
                self.forest.settings().words(),
                count(self.ids.len() as u64, "cold message"),
                self.hot.len(),
                self.forest.next()
            ),
        }
    }

    /// How balanced it is.
    pub fn health(&self) -> Health {
        match &self.foreign {
            None => Health::of(&self.forest, Stamp::MAX),
            // Each node that hangs on another was united with it once; what forced that a file does not say.
            Some((file, _)) => {
                let sizes = file.children.iter().map(|(_, members)| members.len() as u32);
                let unions = file.nodes.iter().filter(|node| node.parent.is_some()).count() as u32;
                Health { unions, ..Health::of_sizes(sizes).with_not_numbers(not_numbers(file)) }
            }
        }
    }

    /// What is wrong with it.
    pub fn breaches(&self) -> &[Breach] {
        self.foreign.as_ref().map_or(&[], |(_, breaches)| breaches)
    }

    /// Clusters in the file's order: the root's id, and its members' ids.
    pub fn clusters(&self) -> Vec<(i64, Vec<i64>)> {
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

    /// The numbers of the messages in the hot window of a saved forest, oldest first.
    pub fn hot(&self) -> &[i64] {
        &self.hot
    }

    /// The file's id of a node.
    pub fn id(&self, node: u32) -> i64 {
        self.ids.get(node as usize).copied().unwrap_or_default()
    }

    /// What the message with an id says.
    pub fn content(&self, id: i64) -> Option<&Content> {
        self.said.get(*self.places.get(&id)?)
    }

    /// The summary of a root, where the file has one; of which members it does not say.
    pub fn summary(&self, root: i64) -> Option<&str> {
        let (file, _) = self.foreign.as_ref()?;
        file.summaries.iter().find(|(id, _)| *id == root).map(|(_, text)| text.as_str())
    }

    /// Its forest.
    pub fn forest(&self) -> &ColdForest {
        &self.forest
    }

    /// How many nodes it has.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether somebody else wrote it.
    pub fn is_foreign(&self) -> bool {
        self.foreign.is_some()
    }

    /// The version of the published format that it is in.
    pub fn version(&self) -> Option<u32> {
        self.foreign.as_ref().map(|(file, _)| file.version)
    }

    /// What the message of a node says.
    pub fn said(&self, node: u32) -> &str {
        self.said.get(node as usize).map_or("", |content| &content.text)
    }
}

fn places(ids: &[i64]) -> HashMap<i64, usize> {
    ids.iter().enumerate().map(|(place, id)| (*id, place)).collect()
}
