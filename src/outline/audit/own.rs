//! The tree of the reports as of a turn, for somebody who keeps it while the log grows: the screen.

use std::cell::RefCell;
use std::rc::Rc;

use crate::audit::finding::Class;
use crate::session::TurnId;
use crate::session::open::OpenLog;

use super::super::{Label, Node, Outline, OwnTree, generations};
use super::{Audited, Audits, Beside, Sheaf};

/// The tree of reports that others audit.
#[derive(Debug)]
pub struct AuditTree {
    shared: Rc<RefCell<Audits>>,
    as_of: u32,
    /// How many generations there are as of then.
    generations: usize,
}

impl AuditTree {
    /// The tree as of turn `as_of`.
    pub fn new(shared: Rc<RefCell<Audits>>, as_of: u32) -> Self {
        Self { shared, as_of, generations: 0 }
    }

    /// What stands under the generations: what is still found after so many of them.
    fn below(&self) -> usize {
        let audited = self.generations > 0 && !self.shared.borrow().auditing.passes().is_empty();
        usize::from(audited)
    }

    fn sheaf<T>(&self, audited: Audited, ask: impl FnOnce(&Sheaf) -> T) -> Option<T> {
        let (Audited::Class(generation, class)
        | Audited::Kept(generation, class)
        | Audited::Missing(generation, class)) = audited
        else {
            return None;
        };
        self.shared.borrow().sorted(generation)?.class(class).map(ask)
    }

    fn count_under(&self, audited: Audited) -> usize {
        match audited {
            Audited::Class(generation, class) => {
                self.sheaf(audited, |sheaf| sheaf.lost.len() + apart(sheaf, generation, class).count())
            }
            Audited::Kept(..) => self.sheaf(audited, |sheaf| sheaf.kept.len()),
            Audited::Missing(..) => self.sheaf(audited, |sheaf| sheaf.missing.len()),
            Audited::Beside(generation, Beside::Tools) => {
                Some(self.shared.borrow().of_tools(generation).len())
            }
            Audited::Beside(generation, Beside::AtRisk) => {
                self.shared.borrow().sorted(generation).map(|sorted| sorted.at_risk.len())
            }
            _ => None,
        }
        .unwrap_or(0)
    }

    fn child_under(&self, audited: Audited, index: usize) -> Option<Audited> {
        match audited {
            Audited::Class(generation, class) => {
                self.sheaf(audited, |sheaf| match sheaf.lost.get(index) {
                    Some(place) => Some(Audited::Finding(generation, *place)),
                    None => apart(sheaf, generation, class).nth(index - sheaf.lost.len()),
                })?
            }
            Audited::Missing(generation, _) => self
                .sheaf(audited, |sheaf| sheaf.missing.get(index).copied())?
                .map(|place| Audited::Finding(generation, place)),
            Audited::Beside(generation, Beside::Tools) => {
                let mut places = self.shared.borrow().of_tools(generation);
                places.nth(index).map(|place| Audited::Finding(generation, place))
            }
            Audited::Kept(generation, _) => self
                .sheaf(audited, |sheaf| sheaf.kept.get(index).copied())?
                .map(|place| Audited::Finding(generation, place)),
            Audited::Beside(generation, Beside::AtRisk) => {
                let sorted = self.shared.borrow().sorted(generation)?;
                sorted.at_risk.get(index).map(|place| Audited::Finding(generation, *place))
            }
            _ => None,
        }
    }

    fn position_under(&self, audited: Audited, child: Audited) -> Option<usize> {
        match (audited, child) {
            (Audited::Class(of, _), Audited::Finding(generation, place)) if of == generation => {
                self.sheaf(audited, |sheaf| sheaf.lost.binary_search(&place).ok())?
            }
            (Audited::Class(of, class), Audited::Kept(..) | Audited::Missing(..)) => {
                self.sheaf(audited, |sheaf| {
                    let place = apart(sheaf, of, class).position(|row| row == child)?;
                    Some(sheaf.lost.len() + place)
                })?
            }
            (Audited::Missing(of, _), Audited::Finding(generation, place)) if of == generation => {
                self.sheaf(audited, |sheaf| sheaf.missing.binary_search(&place).ok())?
            }
            (Audited::Beside(of, Beside::Tools), Audited::Finding(generation, place)) if of == generation => {
                let places = self.shared.borrow().of_tools(generation);
                places.contains(&place).then(|| (place - places.start) as usize)
            }
            (Audited::Kept(of, _), Audited::Finding(generation, place)) if of == generation => {
                self.sheaf(audited, |sheaf| sheaf.kept.binary_search(&place).ok())?
            }
            (Audited::Beside(of, Beside::AtRisk), Audited::Finding(generation, place))
                if of == generation =>
            {
                self.shared.borrow().sorted(generation)?.at_risk.binary_search(&place).ok()
            }
            _ => None,
        }
    }

    /// The way down to a row, where it is shown.
    fn path(&self, audited: Audited) -> Vec<Audited> {
        let shared = self.shared.borrow();
        match audited {
            Audited::Finding(generation, place) => {
                let found = shared.finding(generation, place).zip(shared.sorted(generation));
                let Some((finding, sorted)) = found else { return Vec::new() };
                let class = finding.class;
                if shared.of_tools(generation).contains(&place) {
                    return vec![Audited::Beside(generation, Beside::Tools), audited];
                }
                match sorted.class(class) {
                    Some(sheaf) if sheaf.lost.binary_search(&place).is_ok() => {
                        vec![Audited::Class(generation, class), audited]
                    }
                    Some(sheaf) if sheaf.kept.binary_search(&place).is_ok() => {
                        vec![Audited::Class(generation, class), Audited::Kept(generation, class), audited]
                    }
                    Some(sheaf) if sheaf.missing.binary_search(&place).is_ok() => {
                        vec![Audited::Class(generation, class), Audited::Missing(generation, class), audited]
                    }
                    _ => Vec::new(),
                }
            }
            Audited::Kept(generation, class) | Audited::Missing(generation, class) => {
                vec![Audited::Class(generation, class), audited]
            }
            Audited::Class(..) | Audited::Beside(..) => vec![audited],
            Audited::Nothing | Audited::Retention => Vec::new(),
        }
    }
}

/// The rows of a class behind those to look at: what is set apart.
fn apart(sheaf: &Sheaf, generation: u32, class: Class) -> impl Iterator<Item = Audited> {
    let kept = (!sheaf.kept.is_empty()).then_some(Audited::Kept(generation, class));
    let missing = (!sheaf.missing.is_empty()).then_some(Audited::Missing(generation, class));
    kept.into_iter().chain(missing)
}

impl OwnTree for AuditTree {
    fn move_to(&mut self, log: &OpenLog, as_of: u32) {
        self.as_of = as_of;
        let session = &log.session;
        self.generations = session
            .compactions()
            .partition_point(|compaction| generations::row(session, compaction, as_of).is_some());
    }

    fn path_to(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        let generation = match node {
            Node::Generation(generation)
            | Node::Audited(
                Audited::Class(generation, _)
                | Audited::Kept(generation, _)
                | Audited::Missing(generation, _)
                | Audited::Finding(generation, _)
                | Audited::Beside(generation, _),
            ) => Some(generation),
            Node::Turn(id) => log.session.compaction_of(id).map(|compaction| compaction.generation),
            Node::Audited(Audited::Nothing | Audited::Retention) => {
                return self.position(log, Node::Root, node).map(|_| node).into_iter().collect();
            }
            _ => None,
        };
        let Some(generation) = generation.filter(|generation| *generation as usize <= self.generations)
        else {
            return Vec::new();
        };
        let mut path = vec![Node::Generation(generation)];
        if let Node::Audited(audited) = node {
            let down = self.path(audited);
            if down.is_empty() {
                return Vec::new();
            }
            path.extend(down.into_iter().map(Node::Audited));
        }
        path
    }

    fn newest(&self, _: &OpenLog) -> Vec<Node> {
        match self.generations {
            0 => vec![Node::Audited(Audited::Nothing)],
            newest => vec![Node::Generation(newest as u32)],
        }
    }
}

impl Outline for AuditTree {
    fn count(&self, _: &OpenLog, node: Node) -> usize {
        match node {
            Node::Root => (self.generations + self.below()).max(1),
            Node::Generation(generation) => {
                let sorted = self.shared.borrow().sorted(generation);
                sorted.map_or(0, |sorted| sorted.classes.len() + sorted.beside.len())
            }
            Node::Audited(audited) => self.count_under(audited),
            _ => 0,
        }
    }

    fn child(&self, _: &OpenLog, node: Node, index: usize) -> Option<Node> {
        match node {
            Node::Root if self.generations == 0 => (index == 0).then_some(Node::Audited(Audited::Nothing)),
            Node::Root if index < self.generations => Some(Node::Generation(index as u32 + 1)),
            Node::Root => {
                (index < self.generations + self.below()).then_some(Node::Audited(Audited::Retention))
            }
            Node::Generation(generation) => {
                let sorted = self.shared.borrow().sorted(generation)?;
                let class = sorted.classes.get(index).map(|sheaf| Audited::Class(generation, sheaf.class));
                let beside = || {
                    let beside = sorted.beside.get(index - sorted.classes.len())?;
                    Some(Audited::Beside(generation, *beside))
                };
                class.or_else(beside).map(Node::Audited)
            }
            Node::Audited(audited) => self.child_under(audited, index).map(Node::Audited),
            _ => None,
        }
    }

    fn position(&self, _: &OpenLog, node: Node, child: Node) -> Option<usize> {
        match (node, child) {
            (Node::Root, Node::Generation(generation)) => {
                (generation as usize).checked_sub(1).filter(|place| *place < self.generations)
            }
            (Node::Root, Node::Audited(Audited::Nothing)) => (self.generations == 0).then_some(0),
            (Node::Root, Node::Audited(Audited::Retention)) => (self.below() > 0).then_some(self.generations),
            (Node::Generation(of), Node::Audited(Audited::Class(generation, class))) if of == generation => {
                let sorted = self.shared.borrow().sorted(generation)?;
                sorted.classes.iter().position(|sheaf| sheaf.class == class)
            }
            (Node::Generation(of), Node::Audited(Audited::Beside(generation, beside)))
                if of == generation =>
            {
                let sorted = self.shared.borrow().sorted(generation)?;
                let place = sorted.beside.iter().position(|known| *known == beside)?;
                Some(sorted.classes.len() + place)
            }
            (Node::Audited(audited), Node::Audited(child)) => self.position_under(audited, child),
            _ => None,
        }
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        super::labels::label(&self.shared.borrow(), log, self.as_of, node)
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        let Node::Audited(Audited::Finding(generation, place)) = node else { return Vec::new() };
        let shared = self.shared.borrow();
        let places = shared.finding(generation, place).map(|finding| &finding.sources[..]);
        let turns = places.unwrap_or_default().iter();
        turns.filter_map(|place| log.session.numbered(0, place.turn)).collect()
    }
}
