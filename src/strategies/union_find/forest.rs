//! Union by rank, with every link stamped: who was with whom as of any moment, without replaying.
//!
//! Nodes are numbered from 0 in the order in which they came. A link is never undone and never shortened: compressing
//! paths would lose when they came to be, so that is done in a second row of parents, for the newest state alone. Ranks
//! keep the stamped paths below the logarithm of the nodes. The members of a root are its links in order, each with
//! what the linked root held by then, which is the order in which lists of members would be joined.

/// A moment: a turn's number, or what else grows with time.
pub type Stamp = u32;

/// Why two clusters were united.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// They were as similar as the threshold asks.
    Chosen,
    /// There were more clusters than the cap allows, and these two were the best to unite.
    Forced,
    /// The message has no term of weight: it went where the message before it is.
    Empty,
}

impl Cause {
    /// The word in files and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Forced => "forced",
            Self::Empty => "empty",
        }
    }

    /// The cause called `name`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Chosen, Self::Forced, Self::Empty].into_iter().find(|cause| cause.name() == name)
    }
}

/// One union.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Union {
    /// The root that stays one.
    pub winner: u32,
    /// The root that hangs on it from now on.
    pub loser: u32,
    /// When.
    pub at: Stamp,
    /// The cosine between the two centroids.
    pub similarity: f64,
    /// Why.
    pub cause: Cause,
    /// How many members the winner and the loser had.
    pub sizes: (u32, u32),
    /// The winner's rank from now on.
    pub rank: u8,
    /// How many nodes there were.
    pub nodes: u32,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Node {
    added: Stamp,
    /// The union that ended its time as a root.
    ended: u32,
    rank: u8,
    /// The unions that it won, in order.
    won: Vec<u32>,
}

/// Which nodes were roots when the first `nodes` nodes and `unions` unions were there.
#[derive(Clone, Debug)]
struct Noted {
    nodes: u32,
    unions: u32,
    roots: Vec<u32>,
}

/// Nodes, and how they were united.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    nodes: Vec<Node>,
    unions: Vec<Union>,
    /// Parents of the newest state, with shortened paths.
    shortcuts: Vec<u32>,
    /// Noted now and then, so that the roots of any moment are found from the nearest.
    noted: Vec<Noted>,
}

/// Roots are noted after this many nodes at the least.
const NOTED_AFTER: usize = 64;

impl Forest {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All unions, in order.
    pub fn unions(&self) -> &[Union] {
        &self.unions
    }

    /// The union with this number, from 1.
    pub fn union_numbered(&self, number: u32) -> Option<&Union> {
        self.unions.get(number.checked_sub(1)? as usize)
    }

    /// Those that there were as of a moment.
    pub fn unions_as_of(&self, at: Stamp) -> &[Union] {
        &self.unions[..self.unions.partition_point(|union| union.at <= at)]
    }

    /// How many nodes there were as of a moment.
    pub fn len_as_of(&self, at: Stamp) -> u32 {
        self.nodes.partition_point(|node| node.added <= at) as u32
    }

    /// When a node came.
    pub fn added(&self, node: u32) -> Stamp {
        self.nodes[node as usize].added
    }

    /// A node's rank.
    pub fn rank(&self, node: u32) -> u8 {
        self.nodes[node as usize].rank
    }

    /// The node that a node hangs on, as the unions left it.
    pub fn parent(&self, node: u32) -> Option<u32> {
        self.ended(node).map(|union| union.winner)
    }

    fn ended(&self, node: u32) -> Option<&Union> {
        self.unions.get(self.nodes[node as usize].ended as usize)
    }

    /// The place of the union that ended a node's time as a root, if it had as of a moment.
    pub fn ended_by(&self, node: u32, at: Stamp) -> Option<u32> {
        let place = self.nodes[node as usize].ended;
        self.unions.get(place as usize).filter(|union| union.at <= at).map(|_| place)
    }

    /// A new node, a root.
    pub fn add(&mut self, at: Stamp) -> u32 {
        self.note_roots();
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { added: at, ended: NONE, rank: 0, won: Vec::new() });
        self.shortcuts.push(node);
        node
    }

    fn note_roots(&mut self) {
        let last = self.noted.last();
        let (nodes, roots) = last.map_or((0, 0), |noted| (noted.nodes as usize, noted.roots.len()));
        if self.nodes.len() < nodes + NOTED_AFTER.max(roots) {
            return;
        }
        let roots = self.roots_from(last, self.nodes.len() as u32, self.unions.len() as u32);
        let (nodes, unions) = (self.nodes.len() as u32, self.unions.len() as u32);
        self.noted.push(Noted { nodes, unions, roots });
    }

    /// The roots once there were `nodes` nodes and `unions` unions, from those noted before.
    fn roots_from(&self, noted: Option<&Noted>, nodes: u32, unions: u32) -> Vec<u32> {
        let (known, from) = noted.map_or((&[][..], 0), |noted| (&noted.roots[..], noted.nodes));
        let is_root = |node: &u32| self.nodes[*node as usize].ended >= unions;
        known.iter().copied().chain(from..nodes).filter(is_root).collect()
    }

    /// The roots as of a moment, oldest first.
    pub fn roots(&self, at: Stamp) -> Vec<u32> {
        let (nodes, unions) = (self.len_as_of(at), self.unions_as_of(at).len() as u32);
        let before = self.noted.partition_point(|noted| noted.nodes <= nodes && noted.unions <= unions);
        self.roots_from(before.checked_sub(1).and_then(|place| self.noted.get(place)), nodes, unions)
    }

    /// The root of a node's cluster as of a moment.
    pub fn root(&self, mut node: u32, at: Stamp) -> u32 {
        while let Some(union) = self.ended(node).filter(|union| union.at <= at) {
            node = union.winner;
        }
        node
    }

    /// The root of a node's cluster now; the way there is shorter the next time.
    pub fn find(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.shortcuts[root as usize] != root {
            root = self.shortcuts[root as usize];
        }
        let mut at = node;
        while at != root {
            at = std::mem::replace(&mut self.shortcuts[at as usize], root);
        }
        root
    }

    /// How many members a root had as of a moment.
    pub fn size(&self, root: u32, at: Stamp) -> u32 {
        self.last_won(root, at).map_or(1, |union| union.sizes.0 + union.sizes.1)
    }

    /// The unions that a node had won as of a moment, in order: their places from 0.
    pub fn won(&self, node: u32, at: Stamp) -> &[u32] {
        let won = &self.nodes[node as usize].won;
        &won[..won.partition_point(|union| self.unions[*union as usize].at <= at)]
    }

    /// The place of the last of them: of the union that made the cluster what it was. Together with the root it names
    /// these members and no others.
    pub fn made_by(&self, root: u32, at: Stamp) -> Option<u32> {
        self.won(root, at).last().copied()
    }

    /// That union.
    pub fn last_won(&self, root: u32, at: Stamp) -> Option<&Union> {
        self.made_by(root, at).map(|union| &self.unions[union as usize])
    }

    /// The members of a root as of a moment, in the order in which unions brought them together.
    pub fn members(&self, root: u32, at: Stamp) -> Vec<u32> {
        self.members_by(root, self.unions_as_of(at).len() as u32)
    }

    /// The members of a root once there were so many unions, in the same order.
    pub fn members_by(&self, root: u32, unions: u32) -> Vec<u32> {
        let mut members = Vec::new();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            members.push(node);
            let won = &self.nodes[node as usize].won;
            let won = &won[..won.partition_point(|union| *union < unions)];
            open.extend(won.iter().rev().map(|union| self.unions[*union as usize].loser));
        }
        members
    }

    /// The members of a root as of a moment, oldest first.
    pub fn sorted_members(&self, root: u32, at: Stamp) -> Vec<u32> {
        let mut members = self.members(root, at);
        members.sort_unstable();
        members
    }

    /// Unites the clusters of `a` and `b`. Of equal ranks the root of `a` stays one. Nothing where they are one already.
    pub fn unite(&mut self, a: u32, b: u32, at: Stamp, similarity: f64, cause: Cause) -> Option<Union> {
        let (mut winner, mut loser) = (self.find(a), self.find(b));
        if winner == loser {
            return None;
        }
        if self.rank(winner) < self.rank(loser) {
            std::mem::swap(&mut winner, &mut loser);
        }
        if self.rank(winner) == self.rank(loser) {
            self.nodes[winner as usize].rank += 1;
        }
        let sizes = (self.size(winner, Stamp::MAX), self.size(loser, Stamp::MAX));
        let rank = self.rank(winner);
        let nodes = self.nodes.len() as u32;
        let union = Union { winner, loser, at, similarity, cause, sizes, rank, nodes };
        self.link(union);
        Some(union)
    }

    fn link(&mut self, union: Union) {
        let number = self.unions.len() as u32;
        self.nodes[union.loser as usize].ended = number;
        self.nodes[union.winner as usize].won.push(number);
        self.shortcuts[union.loser as usize] = union.winner;
        self.unions.push(union);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_of_equals_stays_a_root_and_members_are_in_the_order_of_unions() {
        let mut forest = Forest::default();
        for at in 1..=5 {
            forest.add(at);
        }
        forest.unite(1, 0, 6, 0.5, Cause::Chosen);
        forest.unite(3, 2, 7, 0.5, Cause::Chosen);
        forest.unite(4, 1, 8, 0.5, Cause::Forced);
        let last = forest.unite(0, 2, 9, 0.5, Cause::Forced).unwrap();
        assert_eq!((last.winner, last.loser, last.sizes, last.rank), (1, 3, (3, 2), 2));
        assert_eq!(forest.members(1, Stamp::MAX), [1, 0, 4, 3, 2]);
        assert_eq!(forest.members(1, 8), [1, 0, 4]);
        assert_eq!((forest.roots(5).len(), forest.roots(8), forest.roots(9)), (5, vec![1, 3], vec![1]));
        assert!(forest.unite(0, 4, 10, 0.5, Cause::Forced).is_none());
    }

    proptest! {
        #[test]
        fn any_moment_is_what_a_forest_of_that_moment_is(
            steps in prop::collection::vec((any::<bool>(), any::<u32>(), any::<u32>()), 0..600),
            moment in 0..600_u32,
        ) {
            let (mut whole, mut early) = (Forest::default(), Forest::default());
            for (at, (adds, a, b)) in (0..).zip(steps) {
                for forest in [Some(&mut whole), (at <= moment).then_some(&mut early)].into_iter().flatten() {
                    let nodes = forest.len() as u32;
                    if adds || nodes == 0 {
                        forest.add(at);
                    } else {
                        forest.unite(a % nodes, b % nodes, at, 0.0, Cause::Chosen);
                    }
                }
            }
            let nodes = whole.len_as_of(moment);
            prop_assert_eq!(nodes as usize, early.len());
            let roots = whole.roots(moment);
            prop_assert_eq!(&roots, &early.roots(Stamp::MAX));
            let mut members: Vec<u32> = Vec::new();
            for root in roots {
                let here = whole.members(root, moment);
                prop_assert_eq!(&here, &early.members(root, Stamp::MAX));
                prop_assert_eq!(here.len() as u32, whole.size(root, moment));
                prop_assert!(here.iter().all(|node| whole.root(*node, moment) == root));
                prop_assert!(here.iter().all(|node| early.find(*node) == root));
                prop_assert!(u32::from(early.rank(root)) <= (here.len() as u32).ilog2());
                members.extend(here);
            }
            members.sort_unstable();
            prop_assert_eq!(members, (0..nodes).collect::<Vec<_>>());
        }
    }
}
