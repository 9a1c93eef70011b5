//! What the block hierarchy's own keys do, and where its own addresses lead.

use std::time::{Duration, Instant};

use crate::outline::{Group, Node, Outline, ViewKind};
use crate::session::TurnId;
use crate::session::address::Address;
use crate::strategies::blocks::Blocks;
use crate::strategies::blocks::hand::{self, Class, Mark};
use crate::strategies::blocks::places::Place;

use super::super::Action;
use super::super::model::{Model, Shows};
use super::super::views::Grown;

/// How long a jump into what is not replayed yet may take before it waits.
const JUMP: Duration = Duration::from_millis(50);

/// Said while the turns have no numbers yet.
pub(in super::super) const BEING_READ: &str = "the log is still being read";
/// Said where there are none.
const NOTHING: &str = "there is nothing in the log yet";

/// Said of a line that leads nowhere.
pub(super) const NAMES_NONE: &str = "its maker names no turn of its range: t ranks those that it may rest on";

/// Does what a key means for the hierarchy.
pub(super) fn act(model: &mut Model, action: Action) {
    match &model.log {
        None if model.feed.resting => {
            model.message = Some(NOTHING.to_owned());
            return;
        }
        Some(log) if !log.session.partial => {}
        _ => {
            model.message = Some(BEING_READ.to_owned());
            return;
        }
    }
    match action {
        Action::Pin => pin(model),
        Action::Class => class(model),
        Action::Again => again(model),
        Action::Halt => {
            model.message = Some(stopped(model.replay.halt()));
        }
        _ => {}
    }
    model.stale_detail();
}

/// What is said when the writing was stopped.
pub(super) fn stopped(count: usize) -> String {
    match count {
        0 => "no summary is being written; none will be before R".to_owned(),
        _ => format!("{count} not written: R goes on"),
    }
}

/// What a mark is made on: an item of the ledger, or a whole turn.
enum On {
    Item(u32),
    Turn(TurnId),
}

fn on(node: Node) -> Option<On> {
    match node {
        Node::Item(number) => Some(On::Item(number)),
        Node::Turn(id) | Node::Part(id, _) | Node::Pinned(id) => Some(On::Turn(id)),
        _ => None,
    }
}

fn pin(model: &mut Model) {
    let Some(on) = model.selected().and_then(on) else {
        model.message = Some("choose an item of the ledger, or a turn: p pins and unpins it".to_owned());
        return;
    };
    let Some(log) = &model.log else { return };
    let hierarchy = model.replay.hierarchy(log);
    let marked = {
        let shared = hierarchy.borrow();
        let ledger = shared.blocks.ledger();
        match on {
            On::Item(number) => ledger.item(number).map(|item| {
                let pinned = if item.is_unpinned() { None } else { Some(false) };
                let what = if pinned.is_none() { "is in the ledger again" } else { "is unpinned" };
                (item.key.clone(), Mark { pinned, ..item.hand }, format!("i{number} {what}"))
            }),
            On::Turn(id) => {
                let turn = log.session.turn(id);
                let address = log.session.address(id);
                if turn.thread != 0 {
                    model.message = Some("a sub-agent's turn is in no context of this session".to_owned());
                    return;
                }
                if log.session.preview(&turn).is_empty() {
                    model.message = Some(format!("{address} says nothing that could be pinned yet"));
                    return;
                }
                let key = hand::of_turn(&log.session, id);
                let now = ledger.marks().get(&key);
                let pinned = if now.pinned.is_some() { None } else { Some(true) };
                let what = if pinned.is_some() { "is pinned" } else { "is not pinned any more" };
                Some((key, Mark { pinned, ..now }, format!("{address} {what}")))
            }
        }
    };
    if let Some((key, mark, said)) = marked {
        model.replay.mark(log, &key, mark);
        model.message = Some(said);
        // What is pinned no more has no row: the next key is not to meet some other turn.
        let gone = model.selected().filter(|node| matches!(node, Node::Pinned(_)));
        let gone = gone.filter(|node| !model.select(*node));
        if gone.is_some() && !model.select(Node::Group(Group::Ledger)) {
            let first = model.log.as_ref().zip(model.view.as_ref());
            let first = first.and_then(|(log, view)| view.child(log, Node::Root, 0));
            first.map(|node| model.select(node));
        }
        model.keep_selection();
    }
}

fn class(model: &mut Model) {
    let (Some(log), Some(Node::Item(number))) = (&model.log, model.selected()) else {
        model.message = Some("choose an item of the ledger: C gives it another class".to_owned());
        return;
    };
    let hierarchy = model.replay.hierarchy(log);
    let marked = hierarchy.borrow().blocks.ledger().item(number).map(|item| {
        let class = match item.hand.class {
            None => Class::ALL.first().copied(),
            Some(class) => Class::ALL.into_iter().skip_while(|known| *known != class).nth(1),
        };
        (item.key.clone(), Mark { class, ..item.hand })
    });
    let Some((key, mark)) = marked else { return };
    model.replay.mark(log, &key, mark);
    let name = mark.class.map_or("as the rules have it", Class::name);
    model.message = Some(format!("i{number}: {name}"));
}

fn again(model: &mut Model) {
    let made = match model.selected() {
        Some(Node::Made(made) | Node::MadeSentence(made, _) | Node::Group(Group::Lines(made))) => Some(made),
        _ => None,
    };
    let tried = model.replay.again(made);
    if let (Some(log), Some(made)) = (&model.log, made) {
        model.replay.ask(log, made);
    }
    model.message = Some(match tried {
        0 => "summaries are written as they are needed".to_owned(),
        _ => format!("{tried} tried again"),
    });
}

/// To the turn that a node of the hierarchy begins with, or that a line was taken from.
pub(super) fn original(model: &mut Model, node: Node) {
    let (Some(log), Some(view)) = (&model.log, &model.view) else { return };
    match view.sources(log, node).first() {
        Some(id) => {
            let node = Node::Turn(*id);
            super::find::to_node(model, node);
        }
        None => {
            model.message = Some(NAMES_NONE.to_owned());
        }
    }
}

/// Goes to an address of the hierarchy. What is not there yet is waited for.
pub(super) fn to_address(model: &mut Model, address: &Address) {
    let Some(log) = &model.log else { return };
    let hierarchy = model.replay.hierarchy(log);
    model.replay.advance(log, model.as_of, Instant::now() + JUMP);
    if !model.replay.is_settled(log) && model.replay.failure().is_none() {
        model.awaited = Some(address.clone());
        model.message = Some(format!("{address}: waits until the blocks are replayed"));
        return;
    }
    let found = node(&hierarchy.borrow().blocks, address);
    let (node, since) = match found {
        Ok(found) => found,
        Err(why) => {
            model.message = Some(why);
            return;
        }
    };
    if let Node::MadeSentence(made, place) = node {
        model.replay.ask(log, made);
        let shared = hierarchy.borrow();
        match shared.summaries.known(&shared.blocks, made) {
            None if model.replay.is_halted() => {
                model.message = Some(format!("{address}: writing is stopped: R goes on"));
                return;
            }
            None => {
                model.awaited = Some(address.clone());
                model.message = Some(format!("{address}: waits until its summary is written"));
                return;
            }
            Some(Err(failure)) => {
                model.message = Some(format!("no summary: {failure} · R tries again"));
                return;
            }
            Some(Ok(written)) => {
                if let Err(absent) = made.sentence(place + 1).place_in(written.sentences.len()) {
                    model.message = Some(absent.to_string());
                    return;
                }
            }
        }
    }
    model.remember();
    model.following = false;
    model.detail.shows = Shows::Node;
    model.kind = ViewKind::Blocks;
    let as_of = model.as_of.max(since);
    model.move_to(as_of);
    if !model.select(node) {
        model.message = Some("a filter hides it: Esc ends it".to_owned());
    }
}

/// The node that an address of the hierarchy means, and since which turn it is there.
fn node(blocks: &Blocks, address: &Address) -> Result<(Node, u32), String> {
    let found = match Place::of(address) {
        Some(Place::Whole(made)) => blocks.find(made).map(|(_, since)| (Node::Made(made), since)),
        Some(Place::Sentence(_, 0)) => return Err("sentences are numbered from 1".to_owned()),
        Some(Place::Sentence(made, number)) => {
            blocks.find(made).map(|(_, since)| (Node::MadeSentence(made, number - 1), since))
        }
        Some(Place::Item(number)) => blocks.find_item(number).map(|item| (Node::Item(number), item.at)),
        None => return Err(format!("{address} is no address of the block hierarchy")),
    };
    found.map_err(|absent| absent.to_string())
}
