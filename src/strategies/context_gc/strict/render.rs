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
        let cause = self.cause_of(id, stage).map_or("", |cause| &*self.node(cause).label);
        match stage {
            Stage::Sweep => format!("abandoned by {cause}"),
            Stage::Override => format!("superseded by {cause}"),
            Stage::Dedup => format!("duplicate of {cause}"),
            Stage::Cycle => {
                let ring = self.node(id).ring.map_or("", |ring| &*self.rings[ring as usize].id);
                format!("collapsed into cycle {ring}")
            }
        }
    }

    /// The event that stands behind a stage's verdict; a circle has none that does.
    fn cause_of(&self, id: NodeId, stage: Stage) -> Option<NodeId> {
        let node = self.node(id);
        match stage {
            Stage::Sweep => {
                let nearest = self.lists.targets(node.swept).next();
                nearest.and_then(|target| self.node(target).abandoned_by)
            }
            Stage::Override => self.superseded_by(id),
            Stage::Dedup => {
                let first = self.duplicate_of(node.call.unwrap_or(id));
                let Some(call) = node.call else { return first };
                let nth = self.node(call).results.iter().position(|result| *result == id)?;
                self.node(first?).results.get(nth).copied()
            }
            Stage::Cycle => None,
        }
    }

    /// The event that pruned the one kept under a label, or would have.
    pub(in super::super) fn cause(&mut self, label: &str) -> Option<&str> {
        self.settle();
        let id = *self.labels.get(label)?;
        let (State::Pruned(stage) | State::Protected(stage, _)) = self.node(id).state else { return None };
        self.cause_of(id, stage).map(|cause| &*self.node(cause).label)
    }
}

/// Writes a receipt for the events that are missing here, if any are.
fn hand_out(run: &mut Vec<String>, compacted: &mut Compacted) {
    let Some(id) = run.first().cloned() else { return };
    let text = receipt_line(&id, run.len() - 1);
    compacted.rows.push(Row::Receipt { receipt: compacted.receipts.len(), text });
    compacted.receipts.push(Receipt { id, members: std::mem::take(run), visible: true });
}

/// The line of a receipt that stands for an event and so many more.
pub(in super::super) fn receipt_line(id: &str, more: usize) -> String {
    if more == 0 { format!("[RECEIPT {id}]") } else { format!("[RECEIPT {id} +{more}]") }
}
