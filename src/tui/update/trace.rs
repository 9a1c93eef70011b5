//! Traces: how they are asked for, walked through, followed and left.

use crate::outline::{Group, Node, Outline};
use crate::session::open::Lost;
use crate::session::{Compaction, subagents};

use super::super::Action;
use super::super::model::{Model, Pane, Reading, Shows};
use super::super::pager;
use super::super::{detail, trace};
use super::{blocks, find, moves};

impl Model {
    /// Whether the keys go to a trace, or to a summary whose lines lead to their turns.
    pub(in super::super) fn is_in_trace(&self) -> bool {
        self.pane == Pane::Detail && self.is_reading()
    }

    /// Whether a trace is shown, or a document whose lines lead somewhere.
    pub(in super::super) fn is_reading(&self) -> bool {
        match self.detail.shows {
            Shows::Trace(_) => true,
            Shows::Node => self.pane == Pane::Detail && self.detail.document.chosen.is_some(),
            Shows::Difference | Shows::Note => false,
        }
    }

    /// What keys are about: the chosen line of a summary where one is read line by line, else what is selected.
    pub(in super::super) fn pointed(&self) -> Option<Node> {
        let line = if self.is_in_trace() { self.detail.document.chosen_line() } else { None };
        line.or_else(|| self.selected())
    }
}

/// Shows the trace of what is selected, or leaves it.
pub(super) fn start(model: &mut Model) {
    if model.is_in_trace() && matches!(model.detail.shows, Shows::Trace(_)) {
        (model.detail.shows, model.detail.of) = (Shows::Node, None);
        return;
    }
    let Some(node) = model.pointed() else { return };
    if let Node::Receipt(item) | Node::Cause(item) = node {
        return super::receipts::superseder(model, item);
    }
    match traceable(model, node) {
        Ok((node, message)) => {
            let is_elsewhere = model.selected() != Some(node);
            let from_a_line = is_elsewhere && model.is_in_trace();
            if from_a_line {
                model.remember();
            }
            // A view that does not show it leads to one that does, and Esc back.
            let leads = is_elsewhere && !model.select(node);
            if leads && !lead(model, node) {
                return;
            }
            show(model, node);
            if from_a_line || leads {
                led(model);
            }
            model.message = message;
        }
        Err(why) => model.message = Some(why),
    }
}

/// Selects what is traced in a view that shows it.
fn lead(model: &mut Model, node: Node) -> bool {
    match node {
        Node::Sentence(generation, place) => go_to_sentence(model, generation, place),
        node => {
            find::to_node(model, node);
            model.selected() == Some(node)
        }
    }
}

fn show(model: &mut Model, node: Node) {
    model.following = false;
    model.tracing.retry();
    model.detail.shows = Shows::Trace(node);
    model.detail.of = None;
    model.pane = Pane::Detail;
}

/// What is traced where `node` is selected, and what a person has to be told of it; or why nothing is.
fn traceable(model: &Model, node: Node) -> Result<(Node, Option<String>), String> {
    let (Some(log), Some(view)) = (&model.log, &model.view) else {
        return Err("nothing is read yet".to_owned());
    };
    let session = &log.session;
    if session.partial {
        return Err("the log is still being read: its sentences have no numbers yet".to_owned());
    }
    let first = |generation: u32, section: Option<u16>| {
        let compaction = session.generation(generation);
        if let Some(reason) = compaction.and_then(Compaction::unreadable) {
            return Err(format!("g{generation} cannot be traced: {reason}"));
        }
        let summary = view.summary_text(log, generation);
        if summary.pending.is_some() {
            return Err(format!("the summary of g{generation} is still being read"));
        }
        let places = section.map_or(0..summary.sentences().len(), |section| summary.sentences_in(section));
        let Some(place) = places.clone().next() else {
            return Err("no sentence stands here: Enter opens the summary, ↓ goes to one".to_owned());
        };
        let of = if section.is_some() { "its section" } else { "its summary" };
        let message =
            format!("g{generation}.s{} is the first of {} sentences of {of}", place + 1, places.len());
        Ok((Node::Sentence(generation, place as u32), Some(message)))
    };
    match node {
        Node::MadeSentence(..) | Node::Made(_) | Node::Group(Group::Lines(_)) if is_frozen(model) => {
            Err("originals not retained: what it rests on cannot be looked up".to_owned())
        }
        Node::Sentence(..) | Node::MadeSentence(..) => Ok((node, None)),
        Node::Made(made) | Node::Group(Group::Lines(made)) => {
            let line = Node::MadeSentence(made, 0);
            if view.path_to(log, line).is_empty() {
                Err("its summary is not written: R writes it".to_owned())
            } else {
                Ok((line, Some("the first line of its summary".to_owned())))
            }
        }
        Node::Item(_) | Node::Pinned(_) | Node::Audited(_) => match view.sources(log, node).first() {
            Some(id) => Ok((Node::Turn(*id), Some("the turn that says it".to_owned()))),
            None if matches!(node, Node::Audited(_)) => {
                Err("choose an item: t traces what became of its turn".to_owned())
            }
            None => Err("no turn is behind it".to_owned()),
        },
        Node::Cluster(_) => Err(match super::forest::chosen_line(model) {
            Some((line, _)) => {
                format!(
                    "Enter goes to the turn it was taken from; `pentimento trace LOG {line}` ranks all it may rest on"
                )
            }
            None => "Tab goes to its summary: each line leads to its turn".to_owned(),
        }),
        Node::Section(generation, section) => first(generation, Some(section)),
        Node::Generation(generation) => match session.generation(generation).and_then(|c| c.summary) {
            Some(_) => first(generation, None),
            None => Err(format!("g{generation} is a boundary without a summary")),
        },
        Node::Turn(id) | Node::Part(id, _) => match session.compaction_of(id) {
            Some(compaction) => first(compaction.generation, None),
            None if session.turn(id).thread != 0 => Err(in_no_summary(None)),
            None => Ok((node, None)),
        },
        Node::AgentTurn(agent, _) | Node::AgentPart(agent, ..) => {
            let name = log.agents().get(usize::from(agent)).map(|agent| agent.file.name.as_str());
            let reported = name.and_then(|name| subagents::reported_by(session, name));
            Err(in_no_summary(reported.map(|id| session.address(id).to_string())))
        }
        _ => Err("choose a sentence of a summary, or a turn: t traces it".to_owned()),
    }
}

/// Whether the originals of the hierarchy's closed blocks are not kept.
fn is_frozen(model: &Model) -> bool {
    model.replay.known().is_some_and(|shared| detail::blocks::is_frozen(&shared.borrow()))
}

fn in_no_summary(reported: Option<String>) -> String {
    let what = reported
        .map_or_else(|| "the result that reports them".to_owned(), |at| format!("{at}, which reports them"));
    format!("a sub-agent's turns are in no summary of this session: trace {what}")
}

/// Does what a key means in a trace.
pub(super) fn act(model: &mut Model, action: Action, times: u32, count: Option<u32>) {
    match action {
        Action::Open => follow(model),
        Action::Down | Action::Up => {
            let moves = (0..times).take_while(|_| step(model, action == Action::Down));
            moves.for_each(drop);
        }
        _ => {
            moves::in_detail(model, action, times, count);
            let links = model.detail.document.links();
            let end = match action {
                Action::First => links.first(),
                Action::Last => links.last(),
                _ => None,
            };
            if let Some((block, _)) = end {
                model.detail.document.chosen = Some(*block);
            }
            if model.is_in_trace() {
                keep_in_sight(model);
            }
        }
    }
}

/// The lines on the screen, first and last.
fn in_sight(model: &Model) -> (usize, usize) {
    let detail = &model.detail;
    let rows = pager::visible(&detail.document, detail.place, detail.width, detail.height);
    let last = rows.last().map_or(detail.place.line, |(line, _)| *line);
    (detail.place.line, last)
}

/// Chooses the next link, or the one before; scrolls where none is in sight. False: nothing is left in that direction.
fn step(model: &mut Model, on: bool) -> bool {
    let before = (model.detail.document.chosen, model.detail.place);
    let (first, last) = in_sight(model);
    let links = model.detail.document.links();
    let chosen = model.detail.document.chosen;
    let at = links.iter().position(|(block, _)| Some(*block) == chosen);
    let next = match (at, on) {
        (Some(at), true) => links.get(at + 1),
        (Some(at), false) => at.checked_sub(1).and_then(|at| links.get(at)),
        (None, _) => links.first(),
    };
    match next.filter(|(_, line)| (first..=last).contains(line)) {
        Some((block, line)) => {
            model.detail.document.chosen = Some(*block);
            // What stands below a heading is what it is chosen for.
            let below = line + 1;
            if on && below >= last {
                scroll(model, 2);
            } else if !on && *line <= first + 1 {
                scroll(model, -2);
            }
        }
        None => {
            scroll(model, if on { 1 } else { -1 });
            keep_in_sight(model);
        }
    }
    before != (model.detail.document.chosen, model.detail.place)
}

fn scroll(model: &mut Model, by: isize) {
    let detail = &mut model.detail;
    let last = pager::bottom(&detail.document, detail.width, detail.height);
    detail.place = pager::moved(&detail.document, detail.place, by, detail.width).min(last.max(detail.place));
}

/// A link that scrolled away is chosen no longer where another one is in sight.
fn keep_in_sight(model: &mut Model) {
    let (first, last) = in_sight(model);
    let seen: Vec<(usize, usize)> =
        model.detail.document.links().into_iter().filter(|(_, line)| (first..=last).contains(line)).collect();
    let chosen = model.detail.document.chosen;
    let (Some(top), Some(end)) = (seen.first(), seen.last()) else { return };
    if !seen.iter().any(|(block, _)| Some(*block) == chosen) {
        let came_from_above = chosen.is_some_and(|chosen| chosen < top.0);
        model.detail.document.chosen = Some(if came_from_above { top.0 } else { end.0 });
    }
}

/// Goes where the chosen link leads.
fn follow(model: &mut Model) {
    let Some((target, words)) = model.detail.document.target() else {
        let line = model.detail.document.chosen_line();
        let why = line.map_or("nothing here leads anywhere", |_| blocks::NAMES_NONE);
        model.message = Some(why.to_owned());
        return;
    };
    match target {
        Node::Sentence(generation, place) => {
            if go_to_sentence(model, generation, place) {
                show(model, target);
            }
        }
        target => find::to_node(model, target),
    }
    if model.selected() == Some(target)
        && let Some(visit) = model.visits.last_mut()
    {
        visit.led_to = Some(target);
        model.detail.seek = words;
    }
    model.pane = Pane::Detail;
}

/// What is selected now is what the trace that was remembered last led to.
pub(super) fn led(model: &mut Model) {
    let selected = model.selected();
    if let Some(visit) = model.visits.last_mut() {
        visit.led_to = selected;
    }
}

/// Whether what is selected is what a link of the last trace led to.
pub(super) fn is_led(model: &Model) -> bool {
    let led = model.visits.last().and_then(|visit| visit.led_to);
    led.is_some() && led == model.selected()
}

/// Shows a trace, or a summary whose lines lead to their turns, again as it was left.
pub(super) fn restore(model: &mut Model, Reading { shows, place, chosen }: Reading) {
    if let Shows::Trace(node) = shows {
        show(model, node);
    } else {
        (model.detail.shows, model.detail.of) = (shows, None);
        model.pane = Pane::Detail;
    }
    model.refresh_detail();
    model.detail.place = place;
    model.detail.document.chosen = chosen;
}

/// Selects a sentence by its number.
pub(super) fn to_sentence(model: &mut Model, generation: u32, sentence: u32) {
    let (Some(log), Some(view)) = (&model.log, &model.view) else { return };
    let session = &log.session;
    let lost = match session.generation(generation) {
        None => Some(Lost::Generation(generation, session.compactions().len()).to_string()),
        Some(compaction) => match (compaction.summary, compaction.unreadable()) {
            (None, _) => Some(format!("g{generation} is a boundary without a summary")),
            (_, Some(reason)) => Some(format!("g{generation} has no sentences: {reason}")),
            (Some(_), None) => {
                let summary = view.summary_text(log, generation);
                let known = summary.sentences().len();
                match summary.pending {
                    Some(_) => Some(format!("the summary of g{generation} is still being read: try again")),
                    None if sentence == 0 || sentence as usize > known => {
                        Some(Lost::Sentence(generation, sentence, known).to_string())
                    }
                    None => None,
                }
            }
        },
    };
    match lost {
        Some(lost) => model.message = Some(lost),
        None => {
            go_to_sentence(model, generation, sentence - 1);
        }
    }
}

/// Selects a sentence: here where its summary is shown, else among the generations, at its time at the earliest.
fn go_to_sentence(model: &mut Model, generation: u32, place: u32) -> bool {
    let number = model.session().and_then(|session| {
        let summary = session.generation(generation)?.summary?;
        Some(session.turn(summary).number)
    });
    let Some(number) = number else { return false };
    model.remember();
    model.following = false;
    model.detail.shows = Shows::Node;
    if model.as_of < number {
        model.move_to(number);
    }
    let node = Node::Sentence(generation, place);
    if model.select(node) {
        return true;
    }
    model.kind = crate::outline::ViewKind::Generations;
    model.move_to(model.as_of);
    let found = model.select(node);
    if !found {
        model.message = Some("a filter hides it: Esc ends it".to_owned());
    }
    found
}

/// From a sentence to the turn behind its oldest wording.
pub(super) fn to_original(model: &mut Model, generation: u32, place: u32) {
    let Some(session) = model.session() else { return };
    let id = crate::lineage::chain::SentenceId { generation, place: place as usize };
    if model.tracing.next_back(session, generation).is_some() {
        show(model, trace::node(id));
        model.message = Some("the chain is being traced: it ends in the turn behind it".to_owned());
        return;
    }
    match model.tracing.traces().chain(id).turn {
        Some(source) => find::to_node(model, Node::Turn(source.spot.turn)),
        None => model.message = Some("no turn of this log is behind it".to_owned()),
    }
}

/// A click on row `row` of the pane: chooses the link there, or follows it where it is chosen.
pub(super) fn click(model: &mut Model, row: usize) {
    if !model.is_in_trace() {
        return;
    }
    let detail = &model.detail;
    let rows = pager::visible(&detail.document, detail.place, detail.width, detail.height);
    let block = rows.get(row).and_then(|(line, _)| detail.document.line(*line)).and_then(|(_, block)| block);
    let Some(block) = block.filter(|block| detail.document.blocks[*block].link.is_some()) else { return };
    if detail.document.chosen == Some(block) {
        follow(model);
    } else {
        model.detail.document.chosen = Some(block);
    }
}
