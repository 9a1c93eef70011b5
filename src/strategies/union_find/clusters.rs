//! The clusters of the newest state: sums of their vectors, and the products between them.
//!
//! Owns what both rules decide by. A centroid is a sum divided by a size, so it is the exact mean of its members, and a
//! new message costs one sparse product with every cluster. Where the number of clusters is capped, the products between
//! clusters are kept in a table, and every pair costs two lookups; without a cap there is no table, since nobody asks for
//! pairs then.

use foldhash::{HashMap, HashMapExt};

use super::gist::Heaviest;
use super::vectors::Vector;

/// One cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The root of its members.
    pub root: u32,
    /// Its newest member.
    pub latest: u32,
    /// Its oldest member.
    pub oldest: u32,
    /// How many members it has.
    pub size: u32,
    /// The terms that weigh most in it.
    pub heaviest: Heaviest,
    /// The sum of its members' vectors.
    sum: HashMap<u32, f64>,
    /// Its place in the table.
    slot: usize,
    /// The product of the sum with itself.
    square: f64,
    /// The sum of the products with every cluster, itself counted. Kept where there is a cap.
    drawn: f64,
    /// No product of its centroid with that of a later cluster is larger. Kept where there is a cap.
    reach: f64,
}

impl Cluster {
    fn dot(&self, vector: &Vector) -> f64 {
        vector.iter().filter_map(|(term, weight)| Some(self.sum.get(&term)? * weight)).fold(0.0, |a, b| a + b)
    }
}

/// All clusters. Those that stay keep their places, and new ones come last: the order is that of their oldest members
/// for one rule and of their roots for the other, and for both the order of ties.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    list: Vec<Cluster>,
    /// Products of sums, by slot; empty without a cap.
    table: Vec<Vec<f64>>,
    free: Vec<usize>,
    capped: bool,
}

impl Clusters {
    /// None yet.
    pub fn new(capped: bool) -> Self {
        Self { capped, ..Self::default() }
    }

    /// All of them, in order.
    pub fn list(&self) -> &[Cluster] {
        &self.list
    }

    /// A new cluster of one member; gives its place.
    pub fn add(&mut self, root: u32, vector: &Vector) -> usize {
        let row: Vec<(usize, f64)> = if self.capped {
            self.list.iter().map(|cluster| (cluster.slot, cluster.dot(vector))).collect()
        } else {
            Vec::new()
        };
        for (cluster, (_, product)) in self.list.iter_mut().zip(&row) {
            cluster.drawn += product;
            cluster.reach = cluster.reach.max(product / f64::from(cluster.size));
        }
        let mut sum = HashMap::with_capacity(vector.len());
        sum.extend(vector.iter());
        let square = vector.square();
        let slot = if self.capped { self.slot(&row, square) } else { 0 };
        let heaviest = Heaviest::of(vector);
        self.list.push(Cluster {
            root,
            latest: root,
            oldest: root,
            size: 1,
            heaviest,
            sum,
            slot,
            square,
            drawn: square + row.iter().map(|(_, product)| product).sum::<f64>(),
            reach: f64::NEG_INFINITY,
        });
        self.list.len() - 1
    }

    /// A cluster of `size` members whose vectors have this sum.
    pub fn add_whole(&mut self, root: u32, sum: &Vector, size: u32) {
        let place = self.add(root, sum);
        self.list[place].size = size;
    }

    /// A place in the table for a cluster with these products.
    fn slot(&mut self, row: &[(usize, f64)], square: f64) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            let size = self.table.len() + 1;
            self.table.iter_mut().for_each(|row| row.push(0.0));
            self.table.push(vec![0.0; size]);
            size - 1
        });
        for (other, product) in row {
            self.table[slot][*other] = *product;
            self.table[*other][slot] = *product;
        }
        self.table[slot][slot] = square;
        slot
    }

    /// The product of the sums of two clusters, by their places. Without a cap it is worked out.
    pub fn product(&self, a: usize, b: usize) -> f64 {
        let (left, right) = (&self.list[a], &self.list[b]);
        if self.capped {
            return self.table[left.slot][right.slot];
        }
        if a == b {
            return left.square;
        }
        let (small, large) = if left.sum.len() <= right.sum.len() { (left, right) } else { (right, left) };
        // In the order of the terms: a sum of floating numbers depends on it.
        let mut common: Vec<(u32, f64)> = small
            .sum
            .iter()
            .filter_map(|(term, weight)| Some((*term, large.sum.get(term)? * weight)))
            .collect();
        common.sort_unstable_by_key(|(term, _)| *term);
        common.into_iter().fold(0.0, |sum, (_, product)| sum + product)
    }

    /// The cosine between two clusters' centroids; 0 where one says nothing.
    pub fn cosine(&self, a: usize, b: usize) -> f64 {
        let lengths = self.square(a).sqrt() * self.square(b).sqrt();
        if lengths > 0.0 { self.product(a, b) / lengths } else { 0.0 }
    }

    fn square(&self, place: usize) -> f64 {
        self.list[place].square
    }

    /// The cosine between a question and a cluster's centroid.
    pub fn score(&self, place: usize, question: &Vector) -> f64 {
        let lengths = self.square(place).sqrt() * question.square().sqrt();
        if lengths > 0.0 { self.list[place].dot(question) / lengths } else { 0.0 }
    }

    /// The sum of the products of a cluster with every cluster, where there is a cap.
    pub fn drawn(&self, place: usize) -> f64 {
        self.list[place].drawn
    }

    /// No product of a cluster's centroid with that of a later one is larger, where there is a cap.
    pub fn reach(&self, place: usize) -> f64 {
        self.list[place].reach
    }

    /// The largest of those products, worked out.
    pub fn set_reach(&mut self, place: usize, reach: f64) {
        self.list[place].reach = reach;
    }

    /// Unites two clusters at the place of the first, and gives that. `root` is the root of all members from now on.
    pub fn unite(&mut self, keep: usize, gone: usize, root: u32) -> usize {
        let product = self.product(keep, gone);
        let mut lost = self.list.remove(gone);
        let place = if gone < keep { keep - 1 } else { keep };
        let kept = &mut self.list[place];
        if kept.sum.len() < lost.sum.len() {
            std::mem::swap(&mut kept.sum, &mut lost.sum);
            std::mem::swap(&mut kept.heaviest, &mut lost.heaviest);
        }
        for (term, weight) in lost.sum {
            let sum = kept.sum.entry(term).or_insert(0.0);
            *sum += weight;
            kept.heaviest.offer(term, *sum);
        }
        kept.root = root;
        kept.latest = kept.latest.max(lost.latest);
        kept.oldest = kept.oldest.min(lost.oldest);
        kept.size += lost.size;
        kept.square += lost.square + 2.0 * product;
        kept.drawn += lost.drawn;
        // A mean of two products is no larger than the larger one: what the others reach holds.
        kept.reach = f64::INFINITY;
        let (slot, square) = (kept.slot, kept.square);
        if self.capped {
            self.merge_rows(slot, lost.slot, square);
        }
        place
    }

    fn merge_rows(&mut self, slot: usize, gone: usize, square: f64) {
        for other in 0..self.table.len() {
            let sum = self.table[slot][other] + self.table[gone][other];
            self.table[slot][other] = sum;
            self.table[other][slot] = sum;
            self.table[gone][other] = 0.0;
            self.table[other][gone] = 0.0;
        }
        self.table[slot][slot] = square;
        self.free.push(gone);
    }
}
