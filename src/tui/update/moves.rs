//! Moving: through rows, panes, turns, generations and views.

use crate::outline::{Group, Node, Outline, ViewKind};
use crate::session::TurnId;

use super::super::Action;
use super::super::model::{Model, Pane, Shows};
use super::super::pager::{Place, bottom, moved};
use super::find::NOT_SHOWN;
use super::trace;

/// Does what moves something, `times` times; `count` is what was typed before the key, if anything was.
pub(super) fn act(model: &mut Model, action: Action, times: u32, count: Option<u32>) {
    let leaves = matches!(model.detail.shows, Shows::Trace(_)) && leads_away(action);
    if leaves {
        model.remember();
    }
    move_by(model, action, times, count);
    if leaves && matches!(model.detail.shows, Shows::Trace(_)) {
        model.visits.pop();
    } else if leaves {
        trace::led(model);
    }
}

/// Whether an action shows another moment or another text: a trace that is left so is one key away.
fn leads_away(action: Action) -> bool {
    matches!(
        action,
        Action::TurnBack
            | Action::TurnOn
            | Action::TenBack
            | Action::TenOn
            | Action::GenerationBack
            | Action::GenerationOn
            | Action::Follow
            | Action::Difference
    )
}

fn move_by(model: &mut Model, action: Action, times: u32, count: Option<u32>) {
    match action {
        Action::TurnBack => step_turn(model, -i64::from(times)),
        Action::TurnOn => step_turn(model, i64::from(times)),
        Action::TenBack => step_turn(model, -10 * i64::from(times)),
        Action::TenOn => step_turn(model, 10 * i64::from(times)),
        Action::GenerationBack => step_generation(model, false),
        Action::GenerationOn => step_generation(model, true),
        Action::Follow => follow(model, !model.following),
        Action::Compaction => to_compaction(model),
        Action::View(kind) => to_view(model, kind),
        Action::Difference => difference(model),
        Action::Original => original(model),
        Action::Trace => trace::start(model),
        Action::Back => back(model),
        _ if model.is_in_trace() => trace::act(model, action, times, count),
        _ if model.pane == Pane::Detail => in_detail(model, action, times, count),
        _ => in_tree(model, action, times, count),
    }
}

fn in_tree(model: &mut Model, action: Action, times: u32, count: Option<u32>) {
    if matches!(model.detail.shows, Shows::Difference | Shows::Note) {
        (model.detail.shows, model.detail.of) = (Shows::Node, None);
    }
    let page = model.tree().height.max(2) as isize - 1;
    let following_ends = !matches!(action, Action::Last | Action::Open);
    let Some((log, view, tree)) = model.parts() else { return };
    let times = times as isize;
    match action {
        Action::Down => tree.step(times, view, log),
        Action::Up => tree.step(-times, view, log),
        Action::PageDown => tree.step(page * times, view, log),
        Action::PageUp => tree.step(-page * times, view, log),
        Action::First | Action::Last => {
            let layout = tree.layout(view, log);
            let row = match (action, count) {
                (_, Some(count)) => count as usize - 1,
                (Action::First, None) => 0,
                _ => usize::MAX,
            };
            tree.select_row(row, &layout, view, log);
            if action == Action::Last && count.is_none() {
                let newest = view.newest(log);
                tree.reveal(&newest);
                if model.waiting_turns() == 0 && model.filter.is_none() {
                    model.following = true;
                }
            }
        }
        Action::Toggle => {
            if tree.is_open() {
                tree.step(1, view, log);
            } else {
                tree.open(view, log);
            }
        }
        Action::Close => tree.close_or_leave(),
        Action::OpenAll if !tree.open_all(view, log) => {
            model.message = Some("opened the first 2,000 rows under it".to_owned());
        }
        Action::Open => {
            let leaf = tree.node().is_none_or(|node| view.count(log, node) == 0);
            if leaf {
                model.pane = Pane::Detail;
            } else {
                tree.toggle(view, log);
            }
        }
        _ => {}
    }
    if following_ends {
        model.following = false;
    }
}

pub(super) fn in_detail(model: &mut Model, action: Action, times: u32, count: Option<u32>) {
    // Who reads does not want the text to change under the eyes.
    model.following = false;
    let (width, height) = (model.detail.width, model.detail.height);
    let document = &mut model.detail.document;
    let last = bottom(document, width, height);
    let by = |by: isize| by.saturating_mul(times as isize);
    let page = height.max(2) as isize - 1;
    let place = model.detail.place;
    let moved = |by: isize| moved(document, place, by, width).min(last.max(place));
    model.detail.place = match action {
        Action::Down => moved(by(1)),
        Action::Up => moved(by(-1)),
        Action::PageDown => moved(by(page)),
        Action::PageUp => moved(by(-page)),
        Action::First | Action::Last if count.is_some() => {
            let line = (count.unwrap_or(1).max(1) as usize - 1).min(document.len().saturating_sub(1));
            Place { line, row: 0 }.min(last)
        }
        Action::First => Place::default(),
        Action::Last => last,
        Action::Open | Action::Toggle => {
            if !document.toggle_fold(place.line) && action == Action::Open {
                model.message = Some("nothing is folded here".to_owned());
            }
            place
        }
        Action::Close => {
            model.pane = Pane::Tree;
            place
        }
        _ => place,
    };
}

fn follow(model: &mut Model, follow: bool) {
    model.following = follow;
    if follow {
        model.visits.clear();
        let last = model.session().map_or(0, crate::session::Session::last);
        model.move_to(last);
    }
}

fn step_turn(model: &mut Model, by: i64) {
    let Some(last) = model.session().map(crate::session::Session::last) else { return };
    let to = (i64::from(model.as_of) + by).clamp(0, i64::from(last)) as u32;
    if to == model.as_of {
        model.message = Some(if by < 0 { "before the first turn" } else { "at the newest turn" }.to_owned());
        return;
    }
    model.following = false;
    model.detail.shows = Shows::Node;
    model.move_to(to);
    show_newest(model);
}

/// Selects what the step of time was about: the newest turn as of now.
fn show_newest(model: &mut Model) {
    let Some((log, view, tree)) = model.parts() else { return };
    // What a step does to a forest is told in one row, and whoever watches a cluster goes on watching it.
    if view.kind == ViewKind::Forest {
        if matches!(tree.node(), None | Some(Node::Turn(_) | Node::Part(..))) {
            tree.reveal(&[Node::Group(Group::Now)]);
        }
        return;
    }
    let node = log.session.head(view.as_of).map(Node::Turn);
    let path = node.map(|node| view.path_to(log, node)).filter(|path| !path.is_empty());
    let path = path.unwrap_or_else(|| view.newest(log));
    tree.reveal(&path);
}

fn step_generation(model: &mut Model, on: bool) {
    let Some(session) = model.session() else { return };
    let turns =
        session.compactions().iter().filter_map(|c| Some((c.generation, session.turn(c.summary?).number)));
    let as_of = model.as_of;
    let target = if on {
        turns.clone().find(|(_, turn)| *turn > as_of)
    } else {
        turns.clone().rfind(|(_, turn)| *turn < as_of)
    };
    match target {
        Some((generation, turn)) => {
            model.following = false;
            model.detail.shows = Shows::Node;
            model.move_to(turn);
            model.select(Node::Generation(generation));
        }
        None if on && as_of < session.last() => {
            let last = session.last();
            model.move_to(last);
            show_newest(model);
        }
        None => {
            let what = if on { "no later generation" } else { "no earlier generation" };
            model.message = Some(what.to_owned());
        }
    }
}

fn to_view(model: &mut Model, kind: ViewKind) {
    if model.forest.file().is_some() && kind != ViewKind::Forest {
        let name = kind.name();
        model.message = Some(format!("this is a forest's file: without turns there is no view of {name}"));
        return;
    }
    if model.kind == kind {
        if kind == ViewKind::Audit && model.arrived.is_some() {
            model.remember();
            super::audit::enter(model, None, false);
        }
        return;
    }
    model.remember();
    let turn = model.selected();
    model.kind = kind;
    model.detail.shows = Shows::Node;
    let unset = model.tree().selected.is_empty();
    let as_of = model.as_of;
    model.move_to(as_of);
    if kind == ViewKind::Audit {
        super::audit::enter(model, turn, unset);
        return;
    }
    if let Some(node @ (Node::Turn(_) | Node::Generation(_))) = turn
        && unset
        && model.select(node)
    {
        return;
    }
    let newest =
        model.session().and_then(|session| session.compaction_before(model.as_of)).map(|c| c.generation);
    if let (Some(generation), true, ViewKind::Generations) = (newest, unset, kind) {
        model.select(Node::Generation(generation));
    }
}

fn to_compaction(model: &mut Model) {
    let newest = model.session().and_then(|session| {
        session.compactions().iter().rfind(|c| c.summary.is_some()).map(|c| (c.generation, c.summary))
    });
    let Some((generation, Some(summary))) = model.arrived.take().map_or(newest, |generation| {
        let session = model.session()?;
        session.generation(generation).map(|c| (generation, c.summary))
    }) else {
        model.message = Some("no compaction so far".to_owned());
        return;
    };
    model.remember();
    model.following = false;
    model.kind = ViewKind::Generations;
    model.detail.shows = Shows::Node;
    let number = model.session().map_or(0, |session| session.turn(summary).number);
    let as_of = model.as_of.max(number);
    model.move_to(as_of);
    if model.select(Node::Generation(generation)) {
        let Some((log, view, tree)) = model.parts() else { return };
        tree.open(view, log);
        let covered = Node::Group(Group::Covered(generation));
        if view.position(log, Node::Generation(generation), covered).is_some() {
            tree.reveal(&[Node::Generation(generation), covered]);
            tree.open(view, log);
            tree.reveal(&[Node::Generation(generation)]);
        }
    }
}

fn difference(model: &mut Model) {
    if !matches!(model.kind, ViewKind::Window | ViewKind::Generations) {
        model.message = Some("d compares recorded summaries: 2 shows them".to_owned());
        return;
    }
    if model.detail.shows == Shows::Difference {
        model.detail.shows = Shows::Node;
        model.detail.of = None;
        if model.areas.one_pane {
            model.pane = Pane::Tree;
        }
        return;
    }
    let generation = match model.selected() {
        Some(Node::Generation(generation) | Node::Section(generation, _) | Node::Sentence(generation, _)) => {
            Some(generation)
        }
        Some(Node::Turn(id)) if model.session().is_some_and(|session| session.turn(id).is_summary()) => model
            .session()
            .and_then(|session| session.compaction_of(id))
            .map(|compaction| compaction.generation),
        _ => model
            .session()
            .and_then(|session| session.compaction_before(model.as_of))
            .map(|compaction| compaction.generation),
    };
    let (Some(generation), Some(log), Some(view)) = (generation, &model.log, &model.view) else {
        model.message = Some("no summary here to compare".to_owned());
        return;
    };
    match super::super::difference::document(view, log, generation) {
        Ok(document) => {
            model.detail.document = document;
            model.detail.place = Place::default();
            model.detail.shows = Shows::Difference;
            if model.areas.one_pane {
                model.pane = Pane::Detail;
            }
        }
        Err(error) => model.message = Some(error),
    }
}

fn original(model: &mut Model) {
    let Some(node) = model.selected() else { return };
    let Some(session) = model.session() else { return };
    let of_agent = |agent: u16, id: TurnId, part: Option<u32>| {
        let log = model.log.as_ref()?.agent_log(usize::from(agent)).ok()?;
        Some(Node::AgentTurn(agent, pair_of(&log.session, id, part)?))
    };
    let target = match node {
        Node::Generation(_) | Node::Audited(_) if model.kind == ViewKind::Audit => {
            return super::audit::original(model, node);
        }
        Node::Generation(generation) | Node::Section(generation, _) => {
            session.first_covered(generation).map(Node::Turn)
        }
        Node::Sentence(generation, place) => return trace::to_original(model, generation, place),
        Node::Turn(id) => pair_of(session, id, None).map(Node::Turn),
        Node::Part(id, part) => pair_of(session, id, Some(part)).map(Node::Turn),
        Node::AgentTurn(agent, id) => of_agent(agent, id, None),
        Node::AgentPart(agent, id, part) => of_agent(agent, id, Some(part)),
        Node::Made(_) | Node::MadeSentence(..) | Node::Piece(..) | Node::Item(_) | Node::Pinned(_) => {
            return super::blocks::original(model, node);
        }
        Node::Cluster(_) | Node::Union(_) => return super::forest::original(model, node),
        Node::Receipt(_) | Node::Receipts(_) | Node::Cause(_) | Node::Stage(_) => {
            return super::receipts::original(model, node);
        }
        _ => None,
    };
    match target {
        Some(node) => {
            model.remember();
            model.following = false;
            model.detail.shows = Shows::Node;
            model.detail.of = None;
            if !model.select(node) {
                model.message = Some(NOT_SHOWN.to_owned());
            }
        }
        None => model.message = Some("nothing to go to from here".to_owned()),
    }
}

fn pair_of(session: &crate::session::Session, id: TurnId, part: Option<u32>) -> Option<TurnId> {
    let mut parts =
        session.parts(id).enumerate().filter(|(index, _)| part.is_none_or(|part| part as usize == *index));
    parts.find_map(|(_, (_, part))| session.pair(&part)).map(|(_, pair)| session.turn_of(&pair))
}

fn back(model: &mut Model) {
    if matches!(model.detail.shows, Shows::Difference | Shows::Note) && !trace::is_led(model) {
        if model.detail.shows == Shows::Note {
            model.pane = Pane::Tree;
        }
        model.detail.shows = Shows::Node;
        model.detail.of = None;
    } else if model.search.is_some() {
        model.search = None;
    } else if model.filter.is_some() {
        model.filter = None;
        let Some(log) = &model.log else { return };
        if let Some(view) = &mut model.view {
            view.set_matches(log, None);
        }
        model.keep_selection();
    } else if trace::is_led(model) {
        go_back(model);
    } else if matches!(model.detail.shows, Shows::Trace(_)) {
        model.detail.shows = Shows::Node;
        model.detail.of = None;
        model.pane = Pane::Tree;
    } else if model.pane == Pane::Detail {
        model.pane = Pane::Tree;
    } else {
        go_back(model);
    }
}

/// To the newest place to come back to.
fn go_back(model: &mut Model) {
    let Some(visit) = model.visits.pop() else { return };
    model.kind = visit.kind;
    model.following = visit.following;
    model.move_to(visit.as_of);
    if let Some((_, _, tree)) = model.parts() {
        tree.reveal(&visit.selected);
    }
    model.keep_selection();
    if let Some(reading) = visit.reading {
        trace::restore(model, reading);
    }
}
