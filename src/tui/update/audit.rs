//! What the audit's own keys do, and where its rows lead.

use crate::outline::audit::{Audited, Shown};
use crate::outline::{Node, Outline, ViewKind};
use crate::text::preview;

use super::super::Action;
use super::super::model::{Model, Pane, Shows};
use super::{Effect, find, trace};

/// Does what a key means for the audit.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Recall => return recall(model),
        Action::Shown => show_others(model),
        Action::Again => {
            model.audits.borrow_mut().auditing.retry();
            model.message = Some("reads again what could not be read".to_owned());
        }
        _ => {}
    }
    model.stale_detail();
    Vec::new()
}

/// The note of what is selected; where it is shown already, it is copied.
fn recall(model: &mut Model) -> Vec<Effect> {
    if model.detail.shows == Shows::Note {
        return copy(model);
    }
    let target = model.selected().map(|node| match (node, model.session()) {
        (Node::Turn(id) | Node::Part(id, _), Some(session)) => {
            session.compaction_of(id).map_or(node, |compaction| Node::Generation(compaction.generation))
        }
        _ => node,
    });
    let partial = model.session().is_none_or(|session| session.partial);
    match target {
        _ if partial => model.message = Some("the log is still being read".to_owned()),
        Some(Node::Audited(Audited::Nothing | Audited::Retention)) => {
            model.message = Some("choose a compaction, a class or an item: r collects it".to_owned());
        }
        Some(
            Node::Turn(_)
            | Node::Part(..)
            | Node::Sentence(..)
            | Node::Generation(_)
            | Node::Section(..)
            | Node::Audited(_),
        ) => {
            let was_trace = matches!(model.detail.shows, Shows::Trace(_));
            if was_trace {
                model.remember();
            }
            model.following = false;
            model.audits.borrow_mut().begun = true;
            (model.detail.shows, model.detail.of) = (Shows::Note, None);
            model.pane = Pane::Detail;
            if was_trace {
                trace::led(model);
            }
        }
        _ => {
            model.message =
                Some("choose a compaction, a turn or a sentence: r makes a note of it".to_owned());
        }
    }
    Vec::new()
}

/// Copies the note that is shown.
pub(super) fn copy(model: &mut Model) -> Vec<Effect> {
    model.refresh_detail();
    if model.detail.document.pending {
        model.message = Some("the note is not ready yet".to_owned());
        return Vec::new();
    }
    match model.detail.document.plain() {
        text if text.is_empty() => {
            model.message = Some("there is nothing to copy".to_owned());
            Vec::new()
        }
        text => vec![Effect::Copy(text)],
    }
}

/// Shows all findings, or those that were lost, or those of them that the user said.
fn show_others(model: &mut Model) {
    if model.kind != ViewKind::Audit {
        model.message = Some("v chooses what the Audit view shows: 6 is that view".to_owned());
        return;
    }
    let shown = model.audits.borrow().shown().next();
    let selected = model.selected();
    model.audits.borrow_mut().show(shown);
    model.message = Some(format!("shows {}", shown.words()));
    // What is hidden now gives way to what it stood under.
    let Some((log, view, tree)) = model.parts() else { return };
    let layout = tree.layout(view, log);
    if tree.selected_row(&layout, view, log).is_some() {
        return;
    }
    let path = selected.map(|node| view.path_to(log, node)).filter(|path| !path.is_empty());
    let path = path.unwrap_or_else(|| {
        let mut above = tree.selected.clone();
        while above.len() > 1 {
            above.pop();
            let parent = above.iter().rev().nth(1).copied().unwrap_or(Node::Root);
            if above.last().is_some_and(|last| view.position(log, parent, *last).is_some()) {
                break;
            }
        }
        above
    });
    tree.reveal(&path);
}

/// The view is on the screen now: the compaction that just arrived, that whose summary was looked at, or the newest.
pub(super) fn enter(model: &mut Model, looked_at: Option<Node>, unset: bool) {
    let arrived = model.arrived.take();
    if let Some(turn) = arrived.and_then(|generation| {
        let session = model.session()?;
        Some(session.turn(session.generation(generation)?.summary?).number)
    }) && turn > model.as_of
    {
        model.following = false;
        model.move_to(turn);
    }
    let looked_at = match looked_at {
        Some(Node::Generation(generation) | Node::Section(generation, _) | Node::Sentence(generation, _)) => {
            Some(generation)
        }
        _ => None,
    };
    let Some((log, view, tree)) = model.parts() else { return };
    let wanted = arrived.or(looked_at).map(Node::Generation);
    let path = wanted.map(|node| view.path_to(log, node)).filter(|path| !path.is_empty());
    match path {
        Some(path) => tree.reveal_open(&path),
        None if unset => {
            let newest = view.newest(log);
            tree.reveal_open(&newest);
        }
        None => {}
    }
}

/// Selects what this view does not show in the one that does: reports list no turns, and nothing else lists reports.
pub(super) fn elsewhere(model: &mut Model, node: Node) -> bool {
    if model.filter.is_some() {
        return false;
    }
    if matches!(node, Node::Audited(_)) {
        return reveal(model, node);
    }
    if model.kind != ViewKind::Audit {
        return false;
    }
    model.kind = ViewKind::Window;
    model.move_to(model.as_of);
    model.select(node)
}

/// Selects a row of the reports that is not on the screen: in this view, with everything shown.
fn reveal(model: &mut Model, node: Node) -> bool {
    if !matches!(node, Node::Audited(_)) {
        return false;
    }
    if model.kind != ViewKind::Audit {
        model.kind = ViewKind::Audit;
        model.move_to(model.as_of);
    }
    if model.select(node) {
        return true;
    }
    model.audits.borrow_mut().show(Shown::All);
    if model.select(node) {
        model.message = Some(format!("shows {}", Shown::All.words()));
        return true;
    }
    let Node::Audited(
        Audited::Class(generation, _)
        | Audited::Kept(generation, _)
        | Audited::Missing(generation, _)
        | Audited::Finding(generation, _)
        | Audited::Beside(generation, _),
    ) = node
    else {
        return false;
    };
    // It may be one of a later time.
    let turn = model
        .session()
        .and_then(|session| Some(session.turn(session.generation(generation)?.summary?).number));
    match turn.filter(|turn| *turn > model.as_of) {
        Some(turn) => {
            model.move_to(turn);
            model.select(node)
        }
        None => false,
    }
}

/// From a finding to the first place that says it, with its words in sight; from a compaction to what it covers first.
pub(super) fn original(model: &mut Model, node: Node) {
    match place_of(model, node) {
        Some((part, words)) => {
            find::to_node(model, part);
            if model.selected() == Some(part) {
                model.detail.seek = Some(words);
            }
        }
        None => {
            let covered = match node {
                Node::Generation(generation) => {
                    model.session().and_then(|session| session.first_covered(generation))
                }
                _ => None,
            };
            match covered {
                Some(id) => find::to_node(model, Node::Turn(id)),
                None => model.message = Some("choose an item: o goes to the turn that says it".to_owned()),
            }
        }
    }
}

/// The part in which a finding is said first, and its words.
fn place_of(model: &Model, node: Node) -> Option<(Node, String)> {
    let Node::Audited(Audited::Finding(generation, place)) = node else { return None };
    let audits = model.audits.borrow();
    let finding = audits.finding(generation, place)?;
    let first = finding.sources.first()?;
    let id = model.session()?.numbered(0, first.turn)?;
    Some((Node::Part(id, first.index), finding.text.clone()))
}

/// The next finding whose words match the search, or the one before. False: none does.
pub(super) fn next_found(model: &mut Model, on: bool) -> bool {
    let Some(pattern) = model.search.as_ref().map(|search| search.pattern.clone()) else { return false };
    if model.kind != ViewKind::Audit || model.filter.is_some() {
        return false;
    }
    let matches: Vec<(u32, u32)> = {
        let audits = model.audits.borrow();
        let passes = audits.auditing.passes().iter().filter(|pass| pass.about.turn <= model.as_of);
        let found = passes.flat_map(|pass| {
            let generation = pass.about.generation;
            let hits = (0..).zip(&pass.findings).filter(|(_, finding)| pattern.is_match(&finding.text));
            hits.map(move |(place, _)| (generation, place)).collect::<Vec<_>>()
        });
        found.collect()
    };
    let shown: Vec<(u32, u32)> = matches
        .into_iter()
        .filter(|(generation, place)| {
            let node = Node::Audited(Audited::Finding(*generation, *place));
            let (Some(log), Some(view)) = (&model.log, &model.view) else { return false };
            !view.path_to(log, node).is_empty()
        })
        .collect();
    // A generation and its classes stand before their findings.
    let after = |found: &(u32, u32), at: (u32, Option<u32>)| (found.0, Some(found.1)) > at;
    let at = match model.selected() {
        Some(Node::Audited(Audited::Finding(generation, place))) => Some((generation, Some(place))),
        Some(
            Node::Generation(generation)
            | Node::Audited(
                Audited::Class(generation, _)
                | Audited::Kept(generation, _)
                | Audited::Missing(generation, _)
                | Audited::Beside(generation, _),
            ),
        ) => Some((generation, None)),
        _ => None,
    };
    let next = if on {
        shown.iter().find(|found| at.is_none_or(|at| after(found, at))).or(shown.first())
    } else {
        let before = |found: &(u32, u32)| at.is_none_or(|at| (found.0, Some(found.1)) < at);
        shown.iter().rfind(|found| before(found)).or(shown.last())
    };
    let Some((generation, place)) = next.copied() else { return false };
    model.following = false;
    model.detail.shows = Shows::Node;
    let number = shown.partition_point(|found| *found < (generation, place)) + 1;
    let text =
        model.search.as_ref().map(|search| preview::quoted(&search.text).into_owned()).unwrap_or_default();
    model.message =
        Some(format!("/{text}: item {number} of {} of the audit · Esc ends the search", shown.len()));
    model.select(Node::Audited(Audited::Finding(generation, place)))
}
