//! Which clusters are united when a message turns cold: the two presets' rules.
//!
//! **Reference** (the published variant PY-v3). The message joins the nearest root at or above the threshold; then, while
//! there are more clusters than the cap, the closest pair is forced together. Ties: the nearest is the lowest root, but
//! where the message is nearest to itself the best of the others is the highest root; the closest pair is the earliest.
//! Since a mixed cluster's centroid is a little similar to everything, nearly all messages end in one.
//!
//! **Balanced.** No threshold. While there are more clusters than the cap, the pair with the largest covariance with the
//! whole is united: `(c_a − μ)·(c_b − μ) − λ·(n_a + n_b)/n`, among pairs whose united size has room. A mixed cluster's
//! centroid is near the mean μ, so it attracts nothing. Room is a share of all cold messages, a bound that holds at
//! every moment because n only grows. What the rule does not do is find topics: on conversations whose topics share no
//! words its clusters are balanced and no more.

use super::clusters::Clusters;
use super::forest::{Cause, Forest, Stamp};
use super::gist::Gist;
use super::settings::{Preset, Settings};
use super::vectors::Vector;

/// How much a pair's share of all messages counts against it.
const LAMBDA: f64 = 0.03;
/// The largest share of the cold messages that a cluster may have.
pub const SHARE: f64 = 0.35;
/// A cluster of so few members has room whatever its share.
pub const FLOOR: u32 = 4;

/// What rounding may make of a gain, and far more.
const ROUNDING: f64 = 1e-9;

/// What a rule works on.
pub(super) struct Scene<'a> {
    pub settings: &'a Settings,
    pub forest: &'a mut Forest,
    pub clusters: &'a mut Clusters,
    /// What each union made, by its place.
    pub gists: &'a mut Vec<Gist>,
}

impl Scene<'_> {
    /// Takes in a message that turns cold; gives its node.
    pub fn graduate(&mut self, vector: &Vector, at: Stamp) -> u32 {
        let node = self.forest.add(at);
        let place = self.clusters.add(node, vector);
        match self.settings.preset {
            Preset::Balanced => self.balance(place, vector.is_empty(), at),
            Preset::Reference => self.join_nearest(place, at),
        }
        node
    }

    /// Takes in a node as it was taken in once, with the unions that followed; false where they cannot have.
    pub fn restore(&mut self, vector: &Vector, at: Stamp, unions: &[(u32, u32, Stamp, Cause)]) -> bool {
        let node = self.forest.add(at);
        self.clusters.add(node, vector);
        unions.iter().all(|(winner, loser, at, cause)| {
            let place = |root: u32| self.clusters.list().iter().position(|cluster| cluster.root == root);
            let (Some(first), Some(second)) = (place(*winner), place(*loser)) else { return false };
            self.unite(first, second, *at, *cause);
            self.forest.unions().last().is_some_and(|union| union.winner == *winner && union.loser == *loser)
        })
    }

    fn unite(&mut self, first: usize, second: usize, at: Stamp, cause: Cause) {
        let similarity = self.clusters.cosine(first, second);
        let list = self.clusters.list();
        let (a, b) = (list[first].root, list[second].root);
        let Some(union) = self.forest.unite(a, b, at, similarity, cause) else { return };
        // Roots keep their order in the one rule, oldest members in the other.
        let (keep, gone) = match self.settings.preset {
            Preset::Balanced => (first.min(second), first.max(second)),
            Preset::Reference if union.winner == a => (first, second),
            Preset::Reference => (second, first),
        };
        let place = self.clusters.unite(keep, gone, union.winner);
        let made = &self.clusters.list()[place];
        let forced = self.gists.last().map_or(0, |last| last.forced) + u32::from(cause == Cause::Forced);
        let (heaviest, oldest, newest) = (made.heaviest, made.oldest, made.latest);
        self.gists.push(Gist { heaviest, oldest, newest, forced });
    }

    fn cap(&self) -> Option<usize> {
        self.settings.cap.of(self.forest.len() as u32).map(|cap| cap as usize)
    }

    fn join_nearest(&mut self, place: usize, at: Stamp) {
        if self.clusters.list().len() <= 1 {
            return;
        }
        let Some((nearest, similarity)) = self.nearest(place) else { return };
        if similarity >= self.settings.threshold {
            self.unite(place, nearest, at, Cause::Chosen);
        }
        while self.cap().is_some_and(|cap| self.clusters.list().len() > cap) {
            let Some((a, b)) = self.closest() else { return };
            self.unite(a, b, at, Cause::Forced);
        }
    }

    /// The cluster nearest to the new one at `place`, which is the last, and their similarity.
    fn nearest(&self, place: usize) -> Option<(usize, f64)> {
        let similarities: Vec<f64> = (0..=place).map(|other| self.clusters.cosine(place, other)).collect();
        let mut best = (None, -1.0);
        for (other, similarity) in similarities.iter().enumerate() {
            if *similarity > best.1 {
                best = (Some(other), *similarity);
            }
        }
        if best.0 != Some(place) {
            return best.0.map(|other| (other, best.1));
        }
        let others = similarities.into_iter().enumerate().take(place);
        others.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// The closest pair of clusters.
    fn closest(&self) -> Option<(usize, usize)> {
        let count = self.clusters.list().len();
        let mut best = ((count > 1).then_some((0, 1)), -1.0);
        for a in 0..count {
            for b in a + 1..count {
                let similarity = self.clusters.cosine(a, b);
                if similarity > best.1 {
                    best = (Some((a, b)), similarity);
                }
            }
        }
        best.0
    }

    fn balance(&mut self, place: usize, empty: bool, at: Stamp) {
        let cold = self.forest.len() as u32;
        let room = FLOOR.max((SHARE * f64::from(cold)) as u32);
        if empty && let Some(to) = self.latest_with_room(place, room) {
            self.unite(to, place, at, Cause::Empty);
            return;
        }
        while self.cap().is_some_and(|cap| self.clusters.list().len() > cap) {
            let Some((a, b)) = self.best_pair(cold, room).or_else(|| self.smallest_pair()) else { return };
            self.unite(a, b, at, Cause::Forced);
        }
    }

    /// The cluster beside the one at `place` whose newest member is the newest, of those with room for one more.
    fn latest_with_room(&self, place: usize, room: u32) -> Option<usize> {
        let others = self.clusters.list().iter().enumerate().filter(|(other, _)| *other != place);
        let roomy = others.filter(|(_, cluster)| cluster.size < room);
        roomy.max_by_key(|(_, cluster)| cluster.latest).map(|(other, _)| other)
    }

    /// The pair that gains the most by being united, of those that have room.
    ///
    /// A row of pairs is passed over where no product in it is large enough to gain more than the best so far; a row
    /// that is gone through leaves behind the largest that it holds. So most messages cost a look at each row and at a
    /// few pairs, not at all pairs.
    fn best_pair(&mut self, cold: u32, room: u32) -> Option<(usize, usize)> {
        let n = f64::from(cold);
        let list = self.clusters.list();
        let sizes: Vec<f64> = list.iter().map(|cluster| f64::from(cluster.size)).collect();
        let drawn: Vec<f64> =
            (0..list.len()).map(|place| self.clusters.drawn(place) / (sizes[place] * n)).collect();
        let against = |place: usize| drawn[place] + LAMBDA * sizes[place] / n;
        // The least that speaks against any cluster from a place on.
        let mut least = vec![f64::INFINITY; list.len() + 1];
        for place in (0..list.len()).rev() {
            least[place] = least[place + 1].min(against(place));
        }
        let mut best = (None, f64::NEG_INFINITY);
        for a in 0..sizes.len() {
            if self.clusters.reach(a) - against(a) - least[a + 1] + ROUNDING < best.1 {
                continue;
            }
            let mut reach = f64::NEG_INFINITY;
            for b in a + 1..sizes.len() {
                let product = self.clusters.product(a, b) / (sizes[a] * sizes[b]);
                reach = reach.max(product);
                let gain = product - drawn[a] - drawn[b] - LAMBDA * (sizes[a] + sizes[b]) / n;
                if gain > best.1 && self.has_room(a, b, room) {
                    best = (Some((a, b)), gain);
                }
            }
            self.clusters.set_reach(a, reach);
        }
        best.0
    }

    fn has_room(&self, a: usize, b: usize, room: u32) -> bool {
        let list = self.clusters.list();
        list[a].size + list[b].size <= room
    }

    /// The two smallest clusters, the older first.
    fn smallest_pair(&self) -> Option<(usize, usize)> {
        let mut places: Vec<usize> = (0..self.clusters.list().len()).collect();
        places.sort_by_key(|place| self.clusters.list()[*place].size);
        let (a, b) = (*places.first()?, *places.get(1)?);
        Some((a.min(b), a.max(b)))
    }
}
