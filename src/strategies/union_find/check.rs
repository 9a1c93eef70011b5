//! What every healthy forest file holds to, and each breach of it by name.
//!
//! One defect is to be one breach: what follows from it is not told again. So a node whose way to a root is broken is
//! asked nothing further, and a cluster's mean is held against the members that its list names and against those whose
//! parents lead to it; either may be the damaged side. Not breaches: summaries of roots that are none any more
//! (version 3 leaves them), members out of order, clusters of one without a summary.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::file::{FileNode, ForestFile};

/// A centroid is the mean of its members to this distance in every dimension.
const EXACT: f64 = 1e-9;

/// Something that no healthy file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// What it is, for programs.
    pub kind: &'static str,
    /// The nodes that it is about.
    pub ids: Vec<i64>,
    /// It in words, with the ids.
    pub text: String,
}

/// All breaches of a file, in a fixed order.
pub fn breaches(file: &ForestFile) -> Vec<Breach> {
    let mut check = Check::new(file);
    check.vectors();
    check.parents();
    check.members();
    check.roots();
    check.centroids();
    check.clusters();
    check.found
}

/// Numbers in the file's vectors and centroids that are none.
pub fn not_numbers(file: &ForestFile) -> usize {
    let vectors = file.nodes.iter().map(|node| &node.embedding);
    let all = vectors.chain(file.centroids.iter().map(|(_, centroid)| centroid)).flatten();
    all.filter(|number| !number.is_finite()).count()
}

struct Check<'a> {
    file: &'a ForestFile,
    nodes: BTreeMap<i64, &'a FileNode>,
    /// The root of each node, as parents say; none where they lead nowhere.
    roots: HashMap<i64, Option<i64>>,
    /// The nodes whose parents lead to each root, in order.
    led: HashMap<i64, Vec<i64>>,
    /// Circles of parents, by their smallest id.
    cycles: HashMap<i64, Vec<i64>>,
    /// The clusters whose lists name a node.
    listed: BTreeMap<i64, Vec<i64>>,
    found: Vec<Breach>,
}

fn list(ids: &[i64]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl<'a> Check<'a> {
    fn new(file: &'a ForestFile) -> Self {
        let nodes: BTreeMap<i64, &FileNode> = file.nodes.iter().map(|node| (node.id, node)).collect();
        let (roots, cycles) = roots(&nodes);
        let mut led: HashMap<i64, Vec<i64>> = HashMap::new();
        for (id, root) in nodes.keys().filter_map(|id| Some((*id, roots.get(id).copied().flatten()?))) {
            led.entry(root).or_default().push(id);
        }
        let mut listed: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (cluster, members) in &file.children {
            for member in members {
                listed.entry(*member).or_default().push(*cluster);
            }
        }
        Self { file, nodes, roots, led, cycles, listed, found: Vec::new() }
    }

    fn breach(&mut self, kind: &'static str, ids: Vec<i64>, text: String) {
        self.found.push(Breach { kind, ids, text });
    }

    fn root(&self, node: i64) -> Option<i64> {
        self.roots.get(&node).copied().flatten()
    }

    fn is_lost(&self, node: i64) -> bool {
        self.nodes.contains_key(&node) && self.root(node).is_none()
    }

    fn vectors(&mut self) {
        let broken = |numbers: &[f64]| numbers.iter().any(|number| !number.is_finite());
        let nodes: Vec<i64> =
            self.file.nodes.iter().filter(|node| broken(&node.embedding)).map(|node| node.id).collect();
        let centroids: Vec<i64> =
            self.file.centroids.iter().filter(|(_, centroid)| broken(centroid)).map(|(id, _)| *id).collect();
        if !nodes.is_empty() || !centroids.is_empty() {
            let text = match (nodes.is_empty(), centroids.is_empty()) {
                (false, false) => format!(
                    "NaN in the vectors of {} and the centroids of {}",
                    list(&nodes),
                    list(&centroids)
                ),
                (false, true) => format!("NaN in the vectors of {}", list(&nodes)),
                _ => format!("NaN in the centroids of {}", list(&centroids)),
            };
            let ids: BTreeSet<i64> = nodes.into_iter().chain(centroids).collect();
            self.breach("not-a-number", ids.into_iter().collect(), text);
        }
    }

    fn parents(&mut self) {
        let nodes: Vec<(i64, Option<i64>)> = self.nodes.values().map(|node| (node.id, node.parent)).collect();
        for (id, parent) in nodes {
            if let Some(parent) = parent.filter(|parent| !self.nodes.contains_key(parent)) {
                self.breach(
                    "parent-missing",
                    vec![id, parent],
                    format!("{id} hangs on {parent}, which is no node"),
                );
            }
            if let Some(cycle) = self.cycles.remove(&id) {
                let text = format!("{} hang on one another in a circle", list(&cycle));
                self.breach("parent-cycle", cycle, text);
            }
        }
    }

    fn members(&mut self) {
        for (member, clusters) in self.listed.clone() {
            if !self.nodes.contains_key(&member) {
                let text = format!("{member} is listed in {}, but is no node", list(&clusters));
                self.breach("member-missing", [vec![member], clusters].concat(), text);
            } else if clusters.len() > 1 {
                let text =
                    format!("{member} is a member of {} clusters: {}", clusters.len(), list(&clusters));
                self.breach("member-in-two", [vec![member], clusters].concat(), text);
            } else if let Some(root) = self.root(member).filter(|root| *root != clusters[0]) {
                let text = format!("{member} is listed in {}, but its parents lead to {root}", clusters[0]);
                self.breach("wrong-root", vec![member, clusters[0], root], text);
            }
        }
    }

    fn roots(&mut self) {
        let keys: BTreeSet<i64> = self.file.children.iter().map(|(id, _)| *id).collect();
        for id in self.nodes.keys().copied().collect::<Vec<_>>() {
            let is_root = self.root(id) == Some(id);
            if is_root && !keys.contains(&id) {
                self.breach(
                    "cluster-missing",
                    vec![id],
                    format!("{id} is a root, but has no list of members"),
                );
            } else if !self.is_lost(id) && !self.listed.contains_key(&id) {
                let root = self.root(id).unwrap_or(id);
                if keys.contains(&root) {
                    let text = format!("{id} is in no cluster; its parents lead to {root}");
                    self.breach("in-no-cluster", vec![id, root], text);
                }
            }
        }
        for key in keys {
            match self.nodes.get(&key) {
                None => self.breach("no-root", vec![key], format!("{key} has members, but is no node")),
                Some(_) if self.is_lost(key) || self.root(key) == Some(key) => {}
                Some(_) => self.breach("no-root", vec![key], format!("{key} has members, but is no root")),
            }
        }
    }

    fn centroids(&mut self) {
        let centroids: HashMap<i64, &Vec<f64>> =
            self.file.centroids.iter().map(|(id, centroid)| (*id, centroid)).collect();
        let keys: BTreeSet<i64> = self.file.children.iter().map(|(id, _)| *id).collect();
        for (id, _) in &self.file.centroids {
            if !keys.contains(id) && !self.is_lost(*id) && self.root(*id) != Some(*id) {
                self.breach("centroid-of-none", vec![*id], format!("{id} has a centroid, but is no root"));
            }
        }
        for (id, members) in &self.file.children {
            let Some(centroid) = centroids.get(id) else {
                self.breach("centroid-missing", vec![*id], format!("{id} has no centroid"));
                continue;
            };
            // Of a list that names what is no node the mean is not known.
            if members.iter().any(|member| !self.nodes.contains_key(member)) {
                continue;
            }
            let none = Vec::new();
            let off = [members, self.led.get(id).unwrap_or(&none)]
                .map(|nodes| self.distance(nodes, centroid))
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            if off > EXACT {
                let what = if off.is_finite() {
                    format!("off by {off:.2e}")
                } else {
                    "of another length".to_owned()
                };
                let text = format!("the centroid of {id} is not the mean of its members: {what}");
                self.breach("centroid-off", vec![*id], text);
            }
        }
    }

    /// How far a centroid is from the mean of nodes, in the dimension where it is furthest; 0 where a number is none.
    fn distance(&self, nodes: &[i64], centroid: &[f64]) -> f64 {
        let vectors: Vec<&[f64]> =
            nodes.iter().filter_map(|id| self.nodes.get(id)).map(|node| &node.embedding[..]).collect();
        if vectors.is_empty() || vectors.iter().any(|vector| vector.len() != centroid.len()) {
            return f64::INFINITY;
        }
        let mut most: f64 = 0.0;
        for (dimension, value) in centroid.iter().enumerate() {
            let mean = vectors.iter().map(|vector| vector[dimension]).sum::<f64>() / vectors.len() as f64;
            // NaN is a breach of its own; max leaves it out.
            most = most.max((mean - value).abs());
        }
        most
    }

    fn clusters(&mut self) {
        let summed: BTreeSet<i64> = self.file.summaries.iter().map(|(id, _)| *id).collect();
        for (id, members) in &self.file.children {
            // Whom the list alone takes in is a breach of its own.
            let led = self.led.get(id).map_or(0, Vec::len);
            if led > 1 && !summed.contains(id) {
                let text = format!("{id} has {led} members and no summary");
                self.breach("summary-missing", vec![*id], text);
            }
            let Some(node) = self.nodes.get(id) else { continue };
            let size = led.max(members.len()).max(1);
            if node.rank < 0 || node.rank > i64::from(size.ilog2()) {
                let text = format!("{id} has rank {}, too much for {size} members", node.rank);
                self.breach("rank", vec![*id], text);
            }
        }
    }
}

/// The root that each node's parents lead to, none where they lead nowhere; and the circles of parents, each from its
/// smallest id and under it. Every parent is followed once, however long a way is.
fn roots(nodes: &BTreeMap<i64, &FileNode>) -> (HashMap<i64, Option<i64>>, HashMap<i64, Vec<i64>>) {
    let mut roots: HashMap<i64, Option<i64>> = HashMap::with_capacity(nodes.len());
    let mut cycles = HashMap::new();
    for start in nodes.keys() {
        let mut way: Vec<i64> = Vec::new();
        let mut places: HashMap<i64, usize> = HashMap::new();
        let mut at = *start;
        let root = loop {
            if let Some(known) = roots.get(&at) {
                break *known;
            }
            if let Some(from) = places.get(&at) {
                let mut cycle = way[*from..].to_vec();
                let least = (0..cycle.len()).min_by_key(|place| cycle[*place]).unwrap_or(0);
                cycle.rotate_left(least);
                cycles.insert(cycle[0], cycle);
                break None;
            }
            let Some(node) = nodes.get(&at) else { break None };
            places.insert(at, way.len());
            way.push(at);
            match node.parent {
                Some(parent) => at = parent,
                None => break Some(at),
            }
        };
        roots.extend(way.into_iter().map(|id| (id, root)));
    }
    (roots, cycles)
}
