//! The detail pane follows what is selected.

use crate::lineage::tracing::Tracing;
use crate::outline::audit::{Audited, Beside};
use crate::outline::blocks::Hierarchy;
use crate::outline::{Group, Node, ViewKind};
use crate::session::Session;
use crate::session::open::OpenLog;
use crate::strategies::blocks::Made;

use super::super::document::Document;
use super::super::forest::Forests;
use super::super::pager::Place;
use super::super::{detail, trace};
use super::{Model, Shows};

impl Model {
    /// Brings the detail pane up to date with the selection.
    pub(in crate::tui) fn refresh_detail(&mut self) {
        let Some(node) = self.selected() else { return };
        let of = Some((node, self.as_of));
        if let Shows::Trace(traced) = self.detail.shows
            && traced != node
        {
            // Going from sentence to sentence goes from trace to trace; anything else is shown itself.
            self.detail.shows = match node {
                Node::Sentence(..) | Node::MadeSentence(..) => Shows::Trace(node),
                _ => Shows::Node,
            };
            self.detail.of = None;
        }
        let (Some(log), Some(view)) = (&self.log, &self.view) else { return };
        ask(&mut self.tracing, &log.session, node, self.detail.shows);
        if let Node::Audited(Audited::Beside(generation, Beside::Tools)) = node {
            self.audits.borrow_mut().auditing.ask_tools(generation);
        }
        if let Node::Made(made) | Node::MadeSentence(made, _) | Node::Group(Group::Lines(made)) = node {
            self.replay.ask(log, made);
            if let (Shows::Trace(_), Some(shared)) = (self.detail.shows, self.replay.known()) {
                ask_made(&mut self.tracing, &shared.borrow(), log, made);
            }
        }
        if let Some(file) = self.forest.file() {
            if self.detail.of != of {
                self.detail.document = detail::forest_file::document(file, node);
                (self.detail.of, self.detail.place) = (of, Place::default());
                self.show_match();
            }
            return;
        }
        if let Node::Cluster(root) = node {
            self.forest.ask(root, self.as_of);
        }
        if (self.detail.of == of && !self.detail.document.pending) || self.detail.shows == Shows::Difference {
            return;
        }
        let same_node =
            self.detail.of.is_some_and(|(shown, _)| shown == node) && !self.detail.document.pending;
        let chosen = self.detail.document.chosen;
        self.detail.document = match (self.detail.shows, node) {
            (Shows::Trace(_), Node::Sentence(generation, place)) => {
                trace::sentence(view, log, &self.tracing, generation, place)
            }
            (Shows::Trace(_), Node::MadeSentence(made, place)) if self.replay.is_open() => {
                let shared = self.replay.known().map(|shared| shared.borrow());
                let of = |shared: &Hierarchy| trace::made::sentence(shared, &self.tracing, made, place);
                shared.map(|shared| of(&shared)).unwrap_or_default()
            }
            (Shows::Trace(_), Node::Turn(id) | Node::Part(id, _)) => {
                let mut document = trace::turn(view, log, &self.tracing, id);
                if let (ViewKind::Blocks, Some(shared)) = (self.kind, self.replay.known()) {
                    let number = log.session.turn(id).number;
                    document.blocks.extend(trace::made::naming(&shared.borrow(), self.as_of, number));
                    document.chosen = document.links().first().map(|(block, _)| *block);
                }
                document
            }
            (Shows::Note, node) => detail::audit::note(&self.audits.borrow(), view, log, node),
            _ => {
                let audits = self.audits.borrow();
                let audited = (view.kind == ViewKind::Audit)
                    .then(|| detail::audit::document(&audits, view, log, &self.tracing, node))
                    .flatten();
                let shared = self.replay.known().map(|shared| shared.borrow());
                let own = shared.and_then(|shared| detail::blocks::document(&shared, log, self.as_of, node));
                let shown = self.pruner.known().filter(|_| view.kind == ViewKind::Receipts);
                let pruned = shown.map(|shared| shared.borrow());
                let pruned = pruned.and_then(|pruning| {
                    let original = |node| detail::document(view, log, &self.tracing, node);
                    detail::receipts::document(&pruning, log, self.as_of, node, original)
                });
                let own = audited.or(own).or(pruned);
                own.or_else(|| of_forest(&self.forest, log, self.as_of, node))
                    .unwrap_or_else(|| detail::document(view, log, &self.tracing, node))
            }
        };
        self.detail.of = of;
        if same_node {
            // A trace grows while it is looked at; the first links stay where they are.
            let document = &mut self.detail.document;
            let holds =
                |chosen: &usize| document.blocks.get(*chosen).is_some_and(|block| block.link.is_some());
            document.chosen = chosen.filter(holds).or(document.chosen);
        } else {
            self.detail.place = Place::default();
            self.show_match();
        }
        if !self.detail.document.pending
            && let Some(words) = self.detail.seek.take()
        {
            self.show_words(&words);
        }
    }
}

/// The document of a node that only the forest has.
fn of_forest(forest: &Forests, log: &OpenLog, as_of: u32, node: Node) -> Option<Document> {
    let shown = forest.known()?;
    let asked = shown.asked.borrow().clone();
    shown.with(log, as_of, |view| detail::forest::document(view, log, asked.as_ref(), node))
}

/// Asks for what the document of `node` needs and does not have: every frame anew, so that what is not looked at any
/// more is not asked for. It is made anew when that comes.
fn ask(tracing: &mut Tracing, session: &Session, node: Node, shows: Shows) {
    let wanted = match (shows, node) {
        (Shows::Trace(_), Node::Sentence(generation, _)) => tracing.next_back(session, generation),
        (_, Node::Sentence(generation, _) | Node::Audited(Audited::Beside(generation, Beside::Support))) => {
            Some(generation)
        }
        (Shows::Trace(_), Node::Turn(id) | Node::Part(id, _)) => {
            tracing.next_on(session, session.turn(id).number)
        }
        _ => None,
    };
    if let Some(generation) = wanted {
        tracing.ask(session, generation);
    }
}

/// The same of a summary that was made here.
fn ask_made(tracing: &mut Tracing, hierarchy: &Hierarchy, log: &OpenLog, made: Made) {
    if let Some(covers) = hierarchy.blocks.covers(made) {
        tracing.ask_made(trace::made::number(covers), || trace::made::plan(hierarchy, log, made));
    }
}
