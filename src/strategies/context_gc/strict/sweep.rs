//! Dead branches: which abandoned targets an event hangs below.
//!
//! A target sweeps what hangs on it up to the abandon events that name it: what follows those is the work that went on
//! after the branch was given up, not the branch. Each event has the list of the targets that sweep it. Lists share
//! their ends, so an ordinary event has its parent's list and costs nothing; naming a target walks what it sweeps.

use super::{Engine, NodeId, Order};

/// A list in [`Lists`]; the default is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct List(u32);

impl List {
    /// Whether nothing sweeps.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// All lists: a target, and the list behind it.
#[derive(Debug, Default)]
pub(super) struct Lists(Vec<(NodeId, List)>);

impl Lists {
    fn split(&self, list: List) -> Option<(NodeId, List)> {
        self.0.get(list.0.checked_sub(1)? as usize).copied()
    }

    /// The targets of a list, nearest first.
    pub(super) fn targets(&self, list: List) -> impl Iterator<Item = NodeId> {
        let mut rest = list;
        std::iter::from_fn(move || {
            let (target, behind) = self.split(rest)?;
            rest = behind;
            Some(target)
        })
    }

    fn with(&mut self, target: NodeId, list: List) -> List {
        self.0.push((target, list));
        List(self.0.len() as u32)
    }

    fn without(&mut self, list: List, targets: &[NodeId]) -> List {
        let last = self.targets(list).enumerate().filter(|(_, target)| targets.contains(target)).last();
        let Some((last, _)) = last else { return list };
        let kept: Vec<NodeId> =
            self.targets(list).take(last).filter(|target| !targets.contains(target)).collect();
        let mut rest = list;
        for _ in 0..=last {
            rest = self.split(rest).map_or(List::default(), |(_, behind)| behind);
        }
        kept.into_iter().rev().fold(rest, |list, target| self.with(target, list))
    }

    fn same(&self, mut a: List, mut b: List) -> bool {
        while a != b {
            match (self.split(a), self.split(b)) {
                (Some((left, behind_a)), Some((right, behind_b))) if left == right => {
                    (a, b) = (behind_a, behind_b);
                }
                _ => return false,
            }
        }
        true
    }
}

impl Engine {
    /// An abandon event names a target. Says whether it is the first to do so.
    pub(super) fn name_target(&mut self, abandon: NodeId, target: NodeId) -> bool {
        let targets = &mut self.node_mut(abandon).targets;
        if !targets.contains(&target) {
            targets.push(target);
        }
        let node = self.node_mut(target);
        let first = node.abandoned_by.is_none();
        node.abandoned_by = node.abandoned_by.max(Some(abandon));
        first
    }

    /// What sweeps an event, given what sweeps its parent.
    fn step(&mut self, above: List, id: NodeId) -> List {
        let node = &self.nodes[id as usize];
        let list = if node.targets.is_empty() { above } else { self.lists.without(above, &node.targets) };
        if node.abandoned_by.is_none() {
            return list;
        }
        // In a circle it may have come round.
        let list = self.lists.without(list, &[id]);
        self.lists.with(id, list)
    }

    /// An event's facts are to be found anew before somebody asks for them.
    pub(super) fn mark_stale(&mut self, id: NodeId) {
        if !std::mem::replace(&mut self.node_mut(id).stale, true) {
            self.stale.push(id);
        }
    }

    /// Finds the facts of stale events anew: from the topmost of those that hang on one another, so that a chain that
    /// came all at once is walked once, whichever way it came.
    pub(super) fn freshen(&mut self) {
        let stale = std::mem::take(&mut self.stale);
        let mut rings = std::collections::BTreeSet::new();
        for id in stale {
            let mut path = Vec::new();
            let mut at = Some(id);
            while let Some(id) = at.filter(|id| self.node(*id).stale) {
                self.node_mut(id).stale = false;
                path.push(id);
                at = self.node(id).parent;
            }
            for id in path.into_iter().rev() {
                // A circle hangs on nothing: once is enough.
                if self.node(id).ring.is_none_or(|ring| rings.insert(ring)) {
                    self.refresh(id);
                }
            }
        }
    }

    /// Brings the facts that an event has from its parent up to date, and those of all below that change with it.
    fn refresh(&mut self, id: NodeId) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if let Some(ring) = self.node(id).ring {
                self.refresh_ring(ring, &mut stack);
                continue;
            }
            let order = self.order_of(id);
            let above = self.node(id).parent.map_or(List::default(), |parent| self.node(parent).swept);
            let swept = self.step(above, id);
            if self.update(id, order, swept) {
                self.touched.push(id);
                stack.extend(&self.node(id).children);
            }
        }
    }

    /// The same for a circle as a whole, which has no first event: all are as late as the latest, and what sweeps goes
    /// round. In the second round every list holds what came round in the first.
    fn refresh_ring(&mut self, ring: u32, stack: &mut Vec<NodeId>) {
        let members = self.rings[ring as usize].members.clone();
        let time = members.iter().map(|id| self.node(*id).event.timestamp()).max().unwrap_or(0);
        let place = members.iter().copied().max().unwrap_or(0);
        let mut list = List::default();
        for id in &members {
            list = self.step(list, *id);
        }
        for id in &members {
            list = self.step(list, *id);
            let own_time = self.node(*id).event.timestamp();
            let order = Order { time, place, depth: 0, own_time, own_place: *id };
            if self.update(*id, order, list) {
                self.touched.push(*id);
                let outside = |child: &&NodeId| self.node(**child).ring.is_none();
                stack.extend(self.node(*id).children.iter().filter(outside));
            }
        }
    }

    fn update(&mut self, id: NodeId, order: Order, swept: List) -> bool {
        let node = &mut self.nodes[id as usize];
        if node.order == order && self.lists.same(node.swept, swept) {
            return false;
        }
        if node.order != order && (id as usize) < self.seen {
            self.moved.push(id);
        }
        (node.order, node.swept) = (order, swept);
        true
    }
}
