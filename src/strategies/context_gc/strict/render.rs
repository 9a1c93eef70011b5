//! The prompt of `strict`: every event in order, and a receipt wherever events are missing.
//!
//! Pruned events with nothing between them that is said share one receipt, which names the first of them and how many
//! more there are. So every pruned event has a visible receipt.

use super::super::outcome::{Compacted, Fate, Receipt, Row, Stage};
use super::super::prompt;
use super::{Engine, NodeId, State};

impl Engine {
    /// The state as a whole. Work grows with the trace.
    pub(in super::super) fn compacted(&mut self) -> Compacted {
        self.settle();
        let mut order: Vec<NodeId> = (0..self.nodes.len() as NodeId).collect();
        order.sort_by_key(|id| self.node(*id).order);
        let mut compacted =
            Compacted { tokens_before: prompt::tokens_of(self.events()), ..Compacted::default() };
        let mut run: Vec<String> = Vec::new();
        for id in order {
            let node = self.node(id);
            let label = node.label.to_string();
            match node.state {
                State::Pruned(stage) => {
                    self.explain(id, stage, &mut compacted);
                    compacted.pruned_ids.push(label.clone());
                    run.push(label);
                    continue;
                }
                State::Protected(stage, with) => {
                    self.explain(id, stage, &mut compacted);
                    let keeper = self.keeper(id, with);
                    compacted.protected_reasons.insert(label.clone(), keeper);
                    compacted.protected_ids.push(label.clone());
                }
                State::Live => {}
            }
            compacted.live_ids.push(label.clone());
            let text = prompt::line(&node.event);
            if !text.is_empty() {
                hand_out(&mut run, &mut compacted);
                compacted.rows.push(Row::Event { id: label, text });
            }
        }
        hand_out(&mut run, &mut compacted);
        compacted.pruned_ids.sort();
        compacted.protected_ids.sort();
        compacted.oddities = self.oddities();
        compacted.total();
        compacted
    }

    /// What became of the event kept under a label.
    pub(in super::super) fn fate(&mut self, label: &str) -> Fate {
        self.settle();
        let Some(id) = self.labels.get(label).copied() else { return Fate::Live };
        match self.node(id).state {
            State::Live => Fate::Live,
            State::Pruned(stage) => Fate::Pruned { stage, reason: self.reason(id, stage) },
            State::Protected(stage, with) => {
                Fate::Protected { stage, reason: self.reason(id, stage), keeper: self.keeper(id, with) }
            }
        }
    }

    /// What keeps a protected event.
    fn keeper(&self, id: NodeId, with: Option<NodeId>) -> String {
        match with {
            Some(other) => format!("kept together with {}", self.node(other).label),
            None => self.node(id).event.protection().unwrap_or_default(),
        }
    }

    fn explain(&self, id: NodeId, stage: Stage, compacted: &mut Compacted) {
        let label = self.node(id).label.to_string();
        compacted.prune_reasons.insert(label.clone(), self.reason(id, stage));
        compacted.stages.insert(label, stage);
    }

    /// Why a stage would prune an event.
    fn reason(&self, id: NodeId, stage: Stage) -> String {
        let node = self.node(id);
        let name = |other: Option<NodeId>| other.map_or("", |other| &*self.node(other).label);
        match stage {
            Stage::Sweep => {
                let nearest = self.lists.targets(node.swept).next();
                format!("abandoned by {}", name(nearest.and_then(|target| self.node(target).abandoned_by)))
            }
            Stage::Override => format!("superseded by {}", name(self.superseded_by(id))),
            Stage::Dedup => {
                let first = self.duplicate_of(node.call.unwrap_or(id));
                let nth = node.call.and_then(|call| self.node(call).results.iter().position(|r| *r == id));
                let result =
                    first.zip(nth).and_then(|(first, nth)| self.node(first).results.get(nth).copied());
                format!("duplicate of {}", name(if node.call.is_some() { result } else { first }))
            }
            Stage::Cycle => {
                let ring = node.ring.map_or("", |ring| &*self.rings[ring as usize].id);
                format!("collapsed into cycle {ring}")
            }
        }
    }
}

/// Writes a receipt for the events that are missing here, if any are.
fn hand_out(run: &mut Vec<String>, compacted: &mut Compacted) {
    let Some(id) = run.first().cloned() else { return };
    let more = run.len() - 1;
    let text = if more == 0 { format!("[RECEIPT {id}]") } else { format!("[RECEIPT {id} +{more}]") };
    compacted.rows.push(Row::Receipt { receipt: compacted.receipts.len(), text });
    compacted.receipts.push(Receipt { id, members: std::mem::take(run), visible: true });
}
