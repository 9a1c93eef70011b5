//! Union-find compaction: a hot window of messages word for word, and a cold forest of clusters behind it.
//!
//! Owns how messages turn cold and are united, what was with what as of any turn, and what a reader gets. Every union
//! is stamped, so that the forest as of a turn is found without replaying and is the forest that those messages alone
//! would have made (but not with fitted vectors, which see the future by design). [`ColdForest`] knows messages by
//! numbers and texts alone; [`replay`] feeds it from a session. What is written of a cluster is [`summaries`]' part.

pub mod check;
pub mod clusters;
pub mod cut;
pub mod exchange;
pub mod file;
pub mod forest;
pub mod gist;
pub mod grove;
pub mod health;
pub mod opened;
pub mod question;
pub mod reader;
pub mod replay;
pub mod rules;
pub mod saved;
pub mod settings;
pub mod summaries;
pub mod vectors;

use std::collections::VecDeque;

use clusters::Clusters;
use forest::{Forest, Stamp};
use gist::{Gist, Heaviest};
use rules::Scene;
use settings::{Cap, Preset, Settings, Vectors};
use vectors::{Counts, Vector, Vocabulary};

/// A message in the hot window.
#[derive(Clone, Debug, PartialEq)]
pub struct Hot {
    /// Its number.
    pub message: u32,
    /// Its terms.
    pub counts: Counts,
    /// Its vector, where that was made when it came.
    pub vector: Option<Vector>,
}

/// A hot window and a cold forest.
#[derive(Clone, Debug)]
pub struct ColdForest {
    settings: Settings,
    vocabulary: Vocabulary,
    hot: VecDeque<Hot>,
    next: u32,
    forest: Forest,
    /// The message of each node.
    messages: Vec<u32>,
    vectors: Vec<Vector>,
    /// Nodes whose vectors hold what is no number, each with how many of those there were up to it.
    not_numbers: Vec<(u32, u32)>,
    clusters: Clusters,
    /// What each union made, by its place.
    gists: Vec<Gist>,
}

impl ColdForest {
    /// No message yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            vocabulary: Vocabulary::new(&settings),
            clusters: Clusters::new(settings.cap != Cap::None),
            settings,
            hot: VecDeque::new(),
            next: 0,
            forest: Forest::default(),
            messages: Vec::new(),
            vectors: Vec::new(),
            not_numbers: Vec::new(),
            gists: Vec::new(),
        }
    }

    /// With a vocabulary fitted on `texts`, where the settings ask for that.
    pub fn fitted<'a>(settings: Settings, texts: impl Iterator<Item = &'a str>) -> Self {
        let mut forest = Self::new(settings);
        if settings.vectors == Vectors::Fitted {
            forest.vocabulary.fit(texts);
        }
        forest
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A reader gets what these settings say from now on: how many clusters, from which similarity, by whose way.
    pub fn read_as(&mut self, settings: &Settings) {
        let Settings { preset, nearest, min_sim, .. } = *settings;
        self.settings = Settings { preset, nearest, min_sim, ..self.settings };
    }

    /// The terms.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The hot window, oldest first.
    pub fn hot(&self) -> &VecDeque<Hot> {
        &self.hot
    }

    /// The number of the next message.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// The forest.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The newest clusters.
    pub fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    /// The message of a node.
    pub fn message(&self, node: u32) -> u32 {
        self.messages[node as usize]
    }

    /// The node of a message that is cold.
    pub fn node(&self, message: u32) -> Option<u32> {
        self.messages.binary_search(&message).ok().map(|node| node as u32)
    }

    /// A node's vector.
    pub fn vector(&self, node: u32) -> &Vector {
        &self.vectors[node as usize]
    }

    /// Takes in the next message; gives its number and the nodes of those that turned cold.
    pub fn append(&mut self, text: &str, at: Stamp) -> (u32, Vec<u32>) {
        let counts = self.vocabulary.count(text);
        if self.settings.vectors == Vectors::Incremental {
            self.vocabulary.add(&counts);
        }
        // The published way weighs a message when it comes, the other when it turns cold and its neighbours are known.
        let early = self.settings.preset == Preset::Reference;
        let vector = early.then(|| self.vocabulary.weigh(&counts));
        let message = self.next;
        self.next += 1;
        self.hot.push_back(Hot { message, counts, vector });
        let mut cold = Vec::new();
        while self.hot.len() > self.settings.hot as usize {
            cold.extend(self.hot.pop_front().map(|hot| self.graduate(hot, at)));
        }
        (message, cold)
    }

    /// A forest of these texts in the clusters that somebody else made: each a list of texts, its root first. Vectors are
    /// this program's. It is for reading; nothing is to be appended.
    pub fn of_clusters(settings: Settings, texts: &[String], clusters: &[Vec<u32>]) -> Self {
        let mut forest = Self::new(Settings { cap: Cap::None, ..settings });
        let counts: Vec<Counts> = texts.iter().map(|text| forest.vocabulary.count(text)).collect();
        for counts in &counts {
            forest.vocabulary.add(counts);
        }
        for (message, counts) in (0..).zip(&counts) {
            let vector = forest.vocabulary.weigh(counts);
            forest.forest.add(message);
            forest.keep(message, vector);
        }
        for members in clusters {
            forest.gather(members);
        }
        for root in forest.forest.roots(Stamp::MAX) {
            let members = forest.forest.members(root, Stamp::MAX);
            forest.clusters.add_whole(root, &forest.sum(&members), members.len() as u32);
        }
        forest.next = texts.len() as u32;
        forest
    }

    /// Unites the first of these nodes, each alone until now, with the others.
    fn gather(&mut self, members: &[u32]) {
        let known = self.vectors.len() as u32;
        let Some((root, others)) = members.split_first().filter(|(root, _)| **root < known) else { return };
        let mut sum: std::collections::HashMap<u32, f64> = self.vector(*root).iter().collect();
        let mut heaviest = Heaviest::of(self.vector(*root));
        let (mut oldest, mut newest) = (*root, *root);
        for member in others.iter().filter(|member| **member < known) {
            if self.forest.unite(*root, *member, known, 0.0, forest::Cause::Chosen).is_none() {
                continue;
            }
            for (term, weight) in self.vectors[*member as usize].iter() {
                let sum = sum.entry(term).or_insert(0.0);
                *sum += weight;
                heaviest.offer(term, *sum);
            }
            (oldest, newest) = (oldest.min(*member), newest.max(*member));
            self.gists.push(Gist { heaviest, oldest, newest, forced: 0 });
        }
    }

    /// Drops the hot messages that `gone` says are no longer on the path; gives their numbers.
    pub fn drop_hot(&mut self, mut gone: impl FnMut(u32) -> bool) -> Vec<u32> {
        let mut dropped = Vec::new();
        self.hot.retain(|hot| {
            let stays = !gone(hot.message);
            if !stays {
                dropped.push(hot.message);
            }
            stays
        });
        dropped
    }

    fn graduate(&mut self, hot: Hot, at: Stamp) -> u32 {
        let vector = hot.vector.unwrap_or_else(|| self.vocabulary.weigh(&hot.counts));
        let Self { settings, forest, clusters, gists, .. } = self;
        let node = Scene { settings, forest, clusters, gists }.graduate(&vector, at);
        self.keep(hot.message, vector);
        node
    }

    /// Keeps the message and the vector of the node that came last.
    fn keep(&mut self, message: u32, vector: Vector) {
        let odd = vector.iter().filter(|(_, weight)| !weight.is_finite()).count() as u32;
        if odd > 0 {
            let before = self.not_numbers.last().map_or(0, |(_, count)| *count);
            self.not_numbers.push((self.vectors.len() as u32, before + odd));
        }
        self.messages.push(message);
        self.vectors.push(vector);
    }

    /// How many numbers in the vectors were none as of a moment.
    pub fn not_numbers(&self, at: Stamp) -> u32 {
        let nodes = self.forest.len_as_of(at);
        let before = self.not_numbers.partition_point(|(node, _)| *node < nodes);
        before.checked_sub(1).map_or(0, |last| self.not_numbers[last].1)
    }

    /// How many unions the cap had forced as of a moment.
    pub fn forced(&self, at: Stamp) -> u32 {
        let unions = self.forest.unions_as_of(at).len();
        unions.checked_sub(1).and_then(|last| self.gists.get(last)).map_or(0, |gist| gist.forced)
    }

    /// What the union made that made a root's cluster what it was as of a moment; nothing of a single message.
    fn gist(&self, root: u32, at: Stamp) -> Option<&Gist> {
        self.gists.get(self.forest.made_by(root, at)? as usize)
    }

    /// The oldest and the newest member of a root's cluster as of a moment.
    pub fn ends(&self, root: u32, at: Stamp) -> (u32, u32) {
        self.gist(root, at).map_or((root, root), |gist| (gist.oldest, gist.newest))
    }

    /// The oldest member of a root's cluster before there was the union at a place.
    pub fn oldest_before(&self, root: u32, place: u32) -> u32 {
        let won = self.forest.won(root, Stamp::MAX);
        let made = won[..won.partition_point(|won| *won < place)].last();
        made.and_then(|made| self.gists.get(*made as usize)).map_or(root, |gist| gist.oldest)
    }

    /// The terms that weighed most in a root's cluster as of a moment, heaviest first.
    pub fn top_terms(&self, root: u32, at: Stamp) -> Vec<&str> {
        let own = || Heaviest::of(self.vector(root));
        let heaviest = self.gist(root, at).map_or_else(own, |gist| gist.heaviest);
        heaviest.terms().map(|term| self.vocabulary.name(term)).collect()
    }

    /// The sum of the vectors of these nodes: terms in ascending order. Divided by their number it is the centroid.
    pub fn sum(&self, nodes: &[u32]) -> Vector {
        let mut sum: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
        for node in nodes {
            for (term, weight) in self.vector(*node).iter() {
                *sum.entry(term).or_insert(0.0) += weight;
            }
        }
        let (terms, weights) = sum.into_iter().unzip();
        Vector::new(terms, weights)
    }
}
