//! What the cold forest's own keys do, where its addresses lead, and how it is asked.

use std::rc::Rc;
use std::time::{Duration, Instant};

use regex::Regex;

use crate::outline::forest::FileShown;
use crate::outline::{Group, Node, Outline, ViewKind};
use crate::session::address::Address;
use crate::strategies::union_find::summaries::{BUDGET, Standing};
use crate::text::sentences;

use super::super::Action;
use super::super::detail::forest_file::node;
use super::super::detail::made::block_of;
use super::super::model::{Model, Pane, Shows};
use super::super::prompt::{Kind, Prompt};
use super::super::search::Search;
use super::super::views::Grown;
use super::blocks::stopped;

/// How long a jump into what is not replayed yet may take before it waits.
const JUMP: Duration = Duration::from_millis(50);

/// Does what a key means for the forest.
pub(super) fn act(model: &mut Model, action: Action) {
    if model.log.as_ref().is_none_or(|log| log.session.partial) {
        model.message = Some("the log is still being read".to_owned());
        return;
    }
    match action {
        Action::Again => again(model),
        Action::Halt => model.message = Some(stopped(model.forest.halt())),
        Action::Pin | Action::Class => {
            model.message = Some("marks belong to the ledger: 3 is the Blocks view".to_owned());
        }
        _ => {}
    }
    model.stale_detail();
}

fn again(model: &mut Model) {
    let tried = model.forest.again();
    if let Some(Node::Cluster(root)) = model.selected() {
        model.forest.ask(root, model.as_of);
    }
    model.message = Some(match tried {
        0 => "a summary is written for every cluster that is looked at".to_owned(),
        _ => format!("{tried} tried again"),
    });
}

/// A line for a question; the last one is there to be asked again.
pub(super) fn prompt(model: &mut Model) {
    let of_file = model.forest.file().map(|shown| &shown.asked);
    let asked = of_file.or_else(|| model.forest.known().map(|shown| &shown.asked));
    let last = asked.and_then(|asked| Some(asked.borrow().as_ref()?.question.clone()));
    let mut prompt = Prompt::new(Kind::Question);
    prompt.paste(&last.unwrap_or_default());
    model.prompt = Some(prompt);
}

/// Asks, and shows what a reader would get.
pub(super) fn ask(model: &mut Model, text: &str) {
    let Some(log) = &model.log else { return };
    if text.is_empty() {
        return;
    }
    if log.session.partial {
        model.message = Some("the log is still being read: ask once its turns have numbers".to_owned());
        return;
    }
    model.forest.question(log, text, model.as_of);
    let asked = Node::Group(Group::Asked);
    let there = model.kind == ViewKind::Forest && model.selected() == Some(asked);
    if !there {
        go(model, asked, model.as_of);
    }
    model.stale_detail();
    if model.areas.one_pane {
        model.pane = Pane::Detail;
    }
}

/// Searches the messages of the file that is shown, and goes to the first at or after the selection.
pub(super) fn search(model: &mut Model, text: &str, pattern: Regex) {
    let Some(file) = model.forest.file() else { return };
    let search = Search::of_file(text, pattern, file);
    let selected = model.selected();
    let at = search.messages.iter().copied().find(|node| place(Some(*node)) >= place(selected));
    let first = at.or_else(|| search.messages.first().copied());
    model.search = Some(search);
    model.detail.of = None;
    match first {
        Some(node) => super::find::to_node(model, node),
        None => model.message = Some("nothing found in any message".to_owned()),
    }
}

/// To the next message with a match, or the one before. False: no file is searched.
pub(super) fn next_found(model: &mut Model, on: bool) -> bool {
    let Some(search) = model.search.as_ref().filter(|_| model.forest.file().is_some()) else { return false };
    let at = place(model.selected());
    let mut ahead = search.messages.iter().copied().filter(|node| place(Some(*node)) > at);
    let mut behind = search.messages.iter().copied().filter(|node| place(Some(*node)) < at);
    let next = if on { ahead.next() } else { behind.next_back() };
    let (first, last) = (search.messages.first().copied(), search.messages.last().copied());
    let (end, other) = if on { ("top", first) } else { ("bottom", last) };
    match next.or(other) {
        Some(node) => super::find::to_node(model, node),
        None => model.message = Some("nothing found in any message".to_owned()),
    }
    if next.is_none() && other.is_some() {
        model.message = Some(format!("search goes on at the {end}"));
    }
    true
}

/// Where a node of a file stands: what is above all clusters first, each cluster before its messages.
fn place(node: Option<Node>) -> (u32, u32) {
    match node {
        Some(Node::Cluster(place)) => (place + 1, 0),
        Some(Node::Member(place, at)) => (place + 1, at + 1),
        _ => (0, 0),
    }
}

/// To the first turn of what a node of the forest stands for.
pub(super) fn original(model: &mut Model, node: Node) {
    let (Some(log), Some(view)) = (&model.log, &model.view) else { return };
    match view.sources(log, node).first() {
        Some(id) => super::find::to_node(model, Node::Turn(*id)),
        None => model.message = Some("nothing to go to from here".to_owned()),
    }
}

/// Goes to an address of the forest. What is not there yet is waited for.
pub(super) fn to_address(model: &mut Model, address: &Address) {
    if let Some(file) = model.forest.file().cloned() {
        return in_file(model, &file, address);
    }
    let Some(log) = &model.log else { return };
    let shown = model.forest.shown(log);
    let until = Instant::now() + JUMP;
    while model.forest.advance(log, model.as_of, until) && Instant::now() < until {}
    while !model.forest.is_settled(log) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    let gives_up = model.forest.standing(log).is_some_and(|standing| standing.failure.is_some());
    if !model.forest.is_settled(log) && !gives_up {
        model.awaited = Some(address.clone());
        model.message = Some(format!("{address}: waits until the forest is replayed"));
        return;
    }
    let as_of = model.as_of;
    let found = shown.with(log, as_of, |view| match address {
        Address::Cluster(turn) | Address::ClusterSentence { of: turn, .. } => {
            match view.root_of_turn(*turn) {
                Some(root) => Ok((Node::Cluster(root), as_of)),
                None => Err(match log.session.numbered(0, *turn) {
                    None => {
                        format!(
                            "there is no cluster c{turn}: the main thread has {} turns",
                            log.session.last()
                        )
                    }
                    Some(id) if log.session.turn(id).is_summary() => {
                        format!("t{turn} is in no cluster: recorded summaries are left out")
                    }
                    Some(_) => format!("t{turn} is in no cluster as of t{as_of}: it is not cold"),
                }),
            }
        }
        Address::Union(number) => {
            let forest = view.replay.forest().forest();
            match forest.union_numbered(*number) {
                Some(union) => Ok((Node::Union(number - 1), as_of.max(union.at))),
                None => Err(format!("there is no union u{number}: there were {}", forest.unions().len())),
            }
        }
        _ => Err(format!("{address} is no address of the forest")),
    });
    match found {
        Ok((node, as_of)) => {
            go(model, node, as_of);
            if let (Address::ClusterSentence { .. }, Node::Cluster(root)) = (address, node) {
                to_line(model, address, root);
            }
        }
        Err(why) => model.message = Some(why),
    }
}

/// The same in a forest's file, by its own ids.
pub(super) fn in_file(model: &mut Model, file: &Rc<FileShown>, address: &Address) {
    let node = match address {
        Address::Cluster(id) => node(file, i64::from(*id), true),
        Address::Turn { thread: None, number, part: None } => node(file, i64::from(*number), false),
        _ => None,
    };
    match node {
        Some(node) => go(model, node, 0),
        None => model.message = Some(format!("there is no {address} in this forest's file")),
    }
}

/// To a line of the summary of a cluster; waits until it is written.
fn to_line(model: &mut Model, address: &Address, root: u32) {
    model.forest.ask(root, model.as_of);
    let (Some(log), Some(shown)) = (&model.log, model.forest.known()) else { return };
    let standing = shown.with(log, model.as_of, |view| {
        view.summaries.and_then(|summaries| summaries.known(view.replay, root, model.as_of, BUDGET))
    });
    match standing {
        Some(Standing::Whole(written)) => {
            let known = sentences::of(&written.summary.text);
            match address.clone().place_in(known.len()) {
                Ok(place) => {
                    model.pane = Pane::Detail;
                    model.detail.of = None;
                    model.refresh_detail();
                    let line = block_of(&known, place as usize);
                    let leads = model.detail.document.links().iter().any(|(block, _)| *block == line);
                    let document = &mut model.detail.document;
                    document.chosen = if leads { Some(line) } else { document.chosen };
                }
                Err(absent) => model.message = Some(absent.to_string()),
            }
        }
        Some(Standing::Failed(failure)) => {
            model.message = Some(format!("no summary: {failure} · R tries again"));
        }
        Some(Standing::Stale(_)) | None => {
            model.awaited = Some(address.clone());
            model.message = Some(format!("{address}: waits until its summary is written"));
        }
    }
}

/// The line of a cluster's summary that is chosen: its address, and what it says.
pub(super) fn chosen_line(model: &Model) -> Option<(Address, String)> {
    let Node::Cluster(root) = model.selected().filter(|_| model.is_in_trace())? else { return None };
    let chosen = model.detail.document.chosen?;
    let (log, shown) = (model.log.as_ref()?, model.forest.known()?);
    shown.with(log, model.as_of, |view| {
        let Some(Standing::Whole(written) | Standing::Stale(written)) = view.standing(root) else {
            return None;
        };
        let known = sentences::of(&written.summary.text);
        let place = (0..known.len()).find(|place| block_of(&known, *place) == chosen)?;
        let Address::Cluster(of) = view.address(root) else { return None };
        let said = known[place].text(&written.summary.text).to_owned();
        Some((Address::ClusterSentence { of, sentence: place as u32 + 1 }, said))
    })
}

fn go(model: &mut Model, node: Node, as_of: u32) {
    model.remember();
    model.following = false;
    model.detail.shows = Shows::Node;
    model.kind = ViewKind::Forest;
    model.move_to(as_of);
    if !model.select(node) {
        model.message = Some("a filter hides it: Esc ends it".to_owned());
    }
}
