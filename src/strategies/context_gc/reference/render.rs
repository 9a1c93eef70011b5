//! The prompt of `reference`: events in order of their sequence, stubs only beside a live neighbour.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::super::outcome::{Compacted, Receipt, Row};
use super::super::prompt;
use super::Graph;

impl Graph<'_> {
    /// What is left, and what it costs.
    pub(super) fn render(self, tokens_before: u64) -> Compacted {
        let receipts = self.receipts();
        let places: BTreeMap<&str, usize> =
            receipts.iter().enumerate().map(|(place, receipt)| (&*receipt.id, place)).collect();
        let members: BTreeSet<usize> = self.clusters.values().flatten().copied().collect();
        let mut shown: BTreeSet<usize> = BTreeSet::new();
        let mut rows = Vec::new();
        let mut live_ids = Vec::new();
        let stub = |id: &str| Row::Receipt {
            receipt: places.get(id).copied().unwrap_or_default(),
            text: format!("[RECEIPT {id}]"),
        };
        for place in self.order().into_iter().filter(|place| !self.pruned.contains(place)) {
            let node = &self.nodes[place];
            live_ids.push(node.id.clone());
            match node.event.map(prompt::line) {
                None => rows.push(stub(&node.id)),
                Some(text) if text.is_empty() => {}
                Some(text) => rows.push(Row::Event { id: node.id.clone(), text }),
            }
            for (_, to, _) in self.leaving[place].iter().filter_map(|edge| self.edges[*edge]) {
                if self.pruned.contains(&to) && !members.contains(&to) && shown.insert(to) {
                    rows.push(stub(&self.nodes[to].id));
                }
            }
        }
        let ids = |places: &BTreeSet<usize>| {
            let mut ids: Vec<String> = places.iter().map(|place| self.nodes[*place].id.clone()).collect();
            ids.sort();
            ids
        };
        let mut compacted = Compacted {
            tokens_before,
            pruned_ids: ids(&self.pruned),
            protected_ids: ids(&self.protected),
            live_ids,
            rows,
            prune_reasons: self.prune_reasons.clone(),
            protected_reasons: self.protected_reasons.clone(),
            stages: self.stages.clone(),
            ..Compacted::default()
        };
        compacted.receipts = receipts;
        let visible: BTreeSet<usize> = compacted
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Receipt { receipt, .. } => Some(*receipt),
                Row::Event { .. } => None,
            })
            .collect();
        for place in visible {
            if let Some(receipt) = compacted.receipts.get_mut(place) {
                receipt.visible = true;
            }
        }
        compacted.total();
        compacted
    }

    /// A stub for each pruned event and each collapsed cycle, sorted.
    fn receipts(&self) -> Vec<Receipt> {
        let single = self.pruned.iter().map(|place| {
            let id = self.nodes[*place].id.clone();
            Receipt { members: vec![id.clone()], id, visible: false }
        });
        let clusters = self.clusters.iter().map(|(cluster, members)| Receipt {
            id: self.nodes[*cluster].id.clone(),
            members: members.iter().map(|place| self.nodes[*place].id.clone()).collect(),
            visible: false,
        });
        let mut receipts: Vec<Receipt> = single.chain(clusters).collect();
        receipts.sort_by(|a, b| a.id.cmp(&b.id));
        receipts
    }

    /// Every node after those it follows, else by timestamp, then id. A node that follows itself never comes, and what
    /// hangs on it neither.
    fn order(&self) -> Vec<usize> {
        let mut waits = vec![0usize; self.nodes.len()];
        for place in 0..self.nodes.len() {
            self.next(place).for_each(|to| waits[to] += 1);
        }
        let key = |place: usize| Reverse((self.nodes[place].timestamp, &*self.nodes[place].id, place));
        let mut ready: BinaryHeap<_> =
            (0..self.nodes.len()).filter(|place| waits[*place] == 0).map(key).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(Reverse((_, _, place))) = ready.pop() {
            order.push(place);
            for to in self.next(place) {
                waits[to] -= 1;
                if waits[to] == 0 {
                    ready.push(key(to));
                }
            }
        }
        order
    }
}
