//! What stands under turns, threads and groups.

use crate::session::open::OpenLog;
use crate::session::{Compaction, Session, TurnId};

use super::{Group, Node, View};

/// The runs of turns that a group of a generation stands for.
pub(super) fn ranges<'a>(log: &'a OpenLog, group: Group) -> &'a [(u32, u32)] {
    let of = |generation: u32, pick: fn(&'a Compaction) -> &'a Vec<(u32, u32)>| {
        log.session.generation(generation).map_or(&[][..], |compaction| pick(compaction))
    };
    match group {
        Group::Covered(generation) => of(generation, |c| &c.covers),
        Group::KeptBy(generation) => of(generation, |c| &c.kept),
        Group::AbandonedIn(generation) => of(generation, |c| &c.abandoned),
        _ => &[],
    }
}

/// How many turns are in them.
pub(super) fn size(ranges: &[(u32, u32)]) -> usize {
    ranges.iter().map(|(from, to)| (to - from + 1) as usize).sum()
}

fn nth(ranges: &[(u32, u32)], mut index: usize) -> Option<u32> {
    for (from, to) in ranges {
        let here = (to - from + 1) as usize;
        if index < here {
            return Some(from + index as u32);
        }
        index -= here;
    }
    None
}

fn turn_count(session: &Session, id: TurnId) -> usize {
    session.part_count(id) + usize::from(!session.notes_after(id).is_empty())
}

/// Whether a node has the same under it in every view.
pub(super) fn is_common(node: Node) -> bool {
    matches!(
        node,
        Node::Turn(_) | Node::Part(..) | Node::Row(_) | Node::Group(Group::Notes(_)) | Node::AgentTurn(..)
    )
}

/// How many children a node has.
pub(super) fn count(log: &OpenLog, node: Node) -> usize {
    let session = &log.session;
    match node {
        Node::Group(Group::Notes(id)) => session.notes_after(id).len(),
        Node::Group(Group::Threads) => log.thread_count() - 1,
        Node::Group(group) => size(ranges(log, group)),
        Node::Turn(id) => turn_count(session, id),
        Node::Clearing(place) => session.clearings().get(place as usize).map_or(0, |c| c.turns.len()),
        Node::Thread(thread) => session.threads().get(usize::from(thread)).map_or(0, |t| t.turns.len()),
        Node::Agent(agent) => {
            log.agent_log(usize::from(agent)).map_or(0, |log| log.session.main().turns.len())
        }
        Node::AgentTurn(agent, id) => {
            log.agent_log(usize::from(agent)).map_or(0, |log| log.session.part_count(id))
        }
        _ => 0,
    }
}

/// The child at `index`.
pub(super) fn child(log: &OpenLog, node: Node, index: usize) -> Option<Node> {
    let session = &log.session;
    match node {
        Node::Group(Group::Notes(id)) => session.notes_after(id).get(index).map(Node::Row),
        Node::Group(Group::Threads) => {
            let inline = session.threads().len() - 1;
            Some(if index < inline {
                Node::Thread(index as u16 + 1)
            } else {
                Node::Agent((index - inline) as u16)
            })
        }
        Node::Group(group) => {
            nth(ranges(log, group), index).and_then(|number| session.numbered(0, number)).map(Node::Turn)
        }
        Node::Turn(id) => {
            let parts = session.part_count(id);
            if index < parts {
                return Some(Node::Part(id, index as u32));
            }
            (index == parts && turn_count(session, id) > parts).then_some(Node::Group(Group::Notes(id)))
        }
        Node::Clearing(place) => {
            session.clearings().get(place as usize)?.turns.get(index).map(|id| Node::Turn(*id))
        }
        Node::Thread(thread) => {
            session.threads().get(usize::from(thread))?.turns.get(index as u32).map(Node::Turn)
        }
        Node::Agent(agent) => {
            let log = log.agent_log(usize::from(agent)).ok()?;
            log.session.main().turns.get(index as u32).map(|id| Node::AgentTurn(agent, id))
        }
        Node::AgentTurn(agent, id) => Some(Node::AgentPart(agent, id, index as u32)),
        _ => None,
    }
}

/// Where `child` stands under `node`.
pub(super) fn position(log: &OpenLog, node: Node, child: Node) -> Option<usize> {
    let session = &log.session;
    match (node, child) {
        (Node::Group(Group::Notes(id)), Node::Row(row)) => session.notes_after(id).position(row),
        (Node::Group(Group::Threads), Node::Thread(thread)) => usize::from(thread).checked_sub(1),
        (Node::Group(Group::Threads), Node::Agent(agent)) => {
            Some(session.threads().len() - 1 + usize::from(agent))
        }
        (Node::Group(group), Node::Turn(id)) => {
            let number = session.turn(id).number;
            let mut before = 0;
            for (from, to) in ranges(log, group) {
                if (*from..=*to).contains(&number) {
                    return Some(before + (number - from) as usize);
                }
                before += (to - from + 1) as usize;
            }
            None
        }
        (Node::Turn(id), Node::Part(of, index)) if id == of => Some(index as usize),
        (Node::Turn(id), Node::Group(Group::Notes(of))) if id == of => Some(session.part_count(id)),
        (Node::Clearing(place), Node::Turn(id)) => {
            session.clearings().get(place as usize)?.turns.binary_search(&id).ok()
        }
        (Node::Thread(_), Node::Turn(id)) => Some(session.turn(id).number as usize - 1),
        (Node::Agent(agent), Node::AgentTurn(of, id)) if agent == of => {
            let log = log.agent_log(usize::from(agent)).ok()?;
            Some(log.session.turn(id).number as usize - 1)
        }
        (Node::AgentTurn(agent, id), Node::AgentPart(of, turn, index)) if (agent, id) == (of, turn) => {
            Some(index as usize)
        }
        _ => None,
    }
}

/// The turns a node rests on.
pub(super) fn sources(view: &View, log: &OpenLog, node: Node) -> Vec<TurnId> {
    let session = &log.session;
    let of_ranges = |ranges: &[(u32, u32)]| {
        ranges
            .iter()
            .flat_map(|(from, to)| *from..=*to)
            .filter_map(|number| session.numbered(0, number))
            .collect()
    };
    match node {
        Node::Generation(generation) | Node::Section(generation, _) | Node::Sentence(generation, _) => {
            session.generation(generation).map_or_else(Vec::new, |compaction| of_ranges(&compaction.covers))
        }
        Node::Turn(id) | Node::Part(id, _) => vec![id],
        Node::Row(row) => session.anchor(row).into_iter().collect(),
        Node::Clearing(place) => {
            session.clearings().get(place as usize).map_or_else(Vec::new, |c| c.turns.clone())
        }
        Node::Thread(thread) => {
            session.threads().get(usize::from(thread)).map_or_else(Vec::new, |t| t.turns.iter().collect())
        }
        Node::Group(Group::Since) => {
            let mut turns = Vec::with_capacity(view.window.len());
            turns.extend(view.window.iter().filter_map(|shown| shown.as_turn()));
            turns
        }
        Node::Group(Group::Kept) => view.kept.clone(),
        Node::Group(Group::Abandoned) => view.abandoned.clone(),
        Node::Group(Group::Earlier) => view.earlier.clone(),
        Node::Group(Group::Matches) => view.matches.clone(),
        Node::Group(group) => of_ranges(ranges(log, group)),
        _ => Vec::new(),
    }
}
