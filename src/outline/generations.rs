//! The Generations view: each recorded compaction with its summary, what it covered, kept and left behind.

use crate::session::open::OpenLog;
use crate::session::{Compaction, Session};

use super::{Group, Node, View, ViewKind};

/// The children of the whole view: generations and microcompactions in order, then what came since.
pub(super) fn root(view: &View, log: &OpenLog) -> Vec<Node> {
    let session = &log.session;
    let mut root: Vec<(u32, Node)> = Vec::new();
    for compaction in session.compactions() {
        let node = Node::Generation(compaction.generation);
        root.extend(row(session, compaction, view.as_of).map(|row| (row, node)));
    }
    for (place, clearing) in session.clearings().iter().enumerate() {
        if clearing.turn <= view.as_of {
            root.push((clearing.row, Node::Clearing(place as u32)));
        }
    }
    root.sort_by_key(|(row, _)| *row);
    let mut root: Vec<Node> = root.into_iter().map(|(_, node)| node).collect();
    root.push(Node::Group(Group::Since));
    root
}

/// The row of a compaction that is there as of turn `as_of`.
pub(super) fn row(session: &Session, compaction: &Compaction, as_of: u32) -> Option<u32> {
    match (compaction.summary, compaction.boundary_row) {
        (Some(summary), _) => {
            let turn = session.turn(summary);
            (turn.number <= as_of).then_some(turn.first_row)
        }
        (None, Some(row)) => {
            let after = session.anchor(row).map_or(0, |turn| session.turn(turn).number);
            (after <= as_of).then_some(row)
        }
        (None, None) => None,
    }
}

/// What stands under a generation.
pub(super) fn children(view: &View, log: &OpenLog, generation: u32) -> Vec<Node> {
    let Some(compaction) = log.session.generation(generation) else { return Vec::new() };
    let sections = view.summary_text(log, generation).sections.len();
    let mut children: Vec<Node> =
        (0..sections).map(|section| Node::Section(generation, section as u16)).collect();
    if let Some(summary) = compaction.summary.filter(|_| compaction.told_anew > 0) {
        let again = (0..).zip(log.session.parts(summary)).filter(|(_, (_, part))| part.again);
        children.extend(again.map(|(index, _)| Node::Part(summary, index)));
    }
    if view.kind == ViewKind::Window {
        return children;
    }
    for (ranges, group) in [
        (&compaction.covers, Group::Covered(generation)),
        (&compaction.kept, Group::KeptBy(generation)),
        (&compaction.abandoned, Group::AbandonedIn(generation)),
    ] {
        if !ranges.is_empty() {
            children.push(Node::Group(group));
        }
    }
    children
}
