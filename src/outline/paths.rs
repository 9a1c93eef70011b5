//! Where in a view a node stands: the way from the root down to it.

use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};

use super::{Group, Node, Outline, View, ViewKind};

impl View {
    /// The nodes from the root's child down to `node` itself. Empty where this view does not show it.
    pub fn path_to(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        let session = &log.session;
        if let Some(own) = self.own() {
            return own.path_to(log, node);
        }
        match node {
            Node::Turn(id) => self.path_to_turn(session, id),
            Node::Part(id, _) => extended(self.path_to_turn(session, id), node),
            Node::Row(row) => self.path_to_row(session, row),
            Node::Section(generation, _) => extended(self.path_to(log, Node::Generation(generation)), node),
            Node::Sentence(generation, place) => {
                let section = self.summary_text(log, generation).section_of(place);
                let section = section.map(|section| Node::Section(generation, section));
                section.map_or_else(Vec::new, |section| extended(self.path_to(log, section), node))
            }
            Node::Thread(_) | Node::Agent(_) if self.root.contains(&Node::Group(Group::Threads)) => {
                vec![Node::Group(Group::Threads), node]
            }
            Node::AgentTurn(agent, _) => extended(self.path_to(log, Node::Agent(agent)), node),
            Node::AgentPart(agent, id, _) => extended(self.path_to(log, Node::AgentTurn(agent, id)), node),
            _ if self.root.contains(&node) => vec![node],
            _ => Vec::new(),
        }
    }

    fn path_to_turn(&self, session: &Session, id: TurnId) -> Vec<Node> {
        let node = Node::Turn(id);
        let turn = session.turn(id);
        if self.root.contains(&Node::Group(Group::Matches)) {
            return match self.matches.binary_search(&id) {
                Ok(_) => vec![Node::Group(Group::Matches), node],
                Err(_) => Vec::new(),
            };
        }
        if turn.thread > 0 {
            return match self.kind {
                ViewKind::Window => vec![Node::Group(Group::Threads), Node::Thread(turn.thread), node],
                _ => Vec::new(),
            };
        }
        if self.position_in_view(node, session).is_some() {
            return vec![Node::Group(Group::Since), node];
        }
        if self.kind == ViewKind::Window && self.kept.binary_search(&id).is_ok() {
            return vec![Node::Group(Group::Kept), node];
        }
        if let Some(compaction) = session.compaction_of(id)
            && self.root.contains(&Node::Generation(compaction.generation))
        {
            return vec![Node::Generation(compaction.generation)];
        }
        self.path_out(session, id)
    }

    /// A turn that is not in view stands under what took it away.
    fn path_out(&self, session: &Session, id: TurnId) -> Vec<Node> {
        let node = Node::Turn(id);
        let number = session.turn(id).number;
        for compaction in session.compactions() {
            let Some(summary) = compaction.summary else { continue };
            if session.turn(summary).number > self.as_of {
                break;
            }
            let generation = compaction.generation;
            let holds =
                |ranges: &[(u32, u32)]| ranges.iter().any(|(from, to)| (*from..=*to).contains(&number));
            let group = if holds(&compaction.covers) {
                Group::Covered(generation)
            } else if holds(&compaction.abandoned) {
                Group::AbandonedIn(generation)
            } else if self.kind == ViewKind::Generations && holds(&compaction.kept) {
                Group::KeptBy(generation)
            } else {
                continue;
            };
            let above = match self.kind {
                ViewKind::Generations => Node::Generation(generation),
                _ => Node::Group(Group::Out),
            };
            return vec![above, Node::Group(group), node];
        }
        if self.kind == ViewKind::Generations {
            return Vec::new();
        }
        for (group, turns) in [(Group::Abandoned, &self.abandoned), (Group::Earlier, &self.earlier)] {
            if turns.binary_search(&id).is_ok() {
                return vec![Node::Group(Group::Out), Node::Group(group), node];
            }
        }
        Vec::new()
    }

    fn path_to_row(&self, session: &Session, row: u32) -> Vec<Node> {
        let node = Node::Row(row);
        if self.position_in_view(node, session).is_some() {
            return vec![Node::Group(Group::Since), node];
        }
        // A note stands behind the newest turn of the main thread before it.
        let before = session.main().turns.partition_point(|id| session.turn(id).first_row < row);
        let Some(turn) = before.checked_sub(1).and_then(|at| session.main().turns.get(at)) else {
            return Vec::new();
        };
        let mut path = self.path_to_turn(session, turn);
        if path.last() == Some(&Node::Turn(turn)) {
            path.extend([Node::Group(Group::Notes(turn)), node]);
        }
        path
    }

    /// The node to select where nothing else is: the newest thing in view.
    pub fn newest(&self, log: &OpenLog) -> Vec<Node> {
        if let Some(own) = self.own() {
            return own.newest(log);
        }
        let group =
            if self.root.contains(&Node::Group(Group::Matches)) { Group::Matches } else { Group::Since };
        let group = Node::Group(group);
        match self.count(log, group).checked_sub(1).and_then(|last| self.child(log, group, last)) {
            Some(node) => vec![group, node],
            None => self.root.first().map(|node| vec![*node]).unwrap_or_default(),
        }
    }
}

fn extended(mut path: Vec<Node>, node: Node) -> Vec<Node> {
    if !path.is_empty() {
        path.push(node);
    }
    path
}
