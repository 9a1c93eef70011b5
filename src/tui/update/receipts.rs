//! Where the receipts' own keys and addresses lead.

use std::time::{Duration, Instant};

use crate::outline::{Node, Outline, ViewKind};
use crate::session::address::Address;

use super::super::model::{Model, Shows};
use super::super::views::Grown;
use super::find;

/// How long a jump into what is not replayed yet may take before it waits.
const JUMP: Duration = Duration::from_millis(50);

/// From a receipt to its original turn, which the Window shows among all; from what superseded it, to that.
pub(super) fn original(model: &mut Model, node: Node) {
    let (Some(log), Some(view)) = (&model.log, &model.view) else { return };
    let Some(id) = view.sources(log, node).first().copied() else {
        model.message = Some("no turn is behind it".to_owned());
        return;
    };
    if let Node::Cause(_) = node {
        find::to_node(model, Node::Turn(id));
        return;
    }
    model.remember();
    model.following = false;
    model.detail.shows = Shows::Node;
    model.kind = ViewKind::Window;
    let as_of = model.as_of;
    model.move_to(as_of);
    if !model.select(Node::Turn(id)) {
        model.message = Some(find::NOT_SHOWN.to_owned());
    }
}

/// From a receipt to what superseded its event.
pub(super) fn superseder(model: &mut Model, item: u32) {
    let cause = model.pruner.known().and_then(|shared| {
        let replay = &shared.borrow().replay;
        replay.origin(replay.stub(item, model.as_of)?.by?)
    });
    match cause {
        Some((turn, Some(part))) => find::to_node(model, Node::Part(turn, part)),
        Some((turn, None)) => find::to_node(model, Node::Turn(turn)),
        None => model.message = Some("nothing superseded it".to_owned()),
    }
}

/// Goes to a receipt, or to the event where it is live. What is not replayed yet is waited for.
pub(in super::super) fn to_address(model: &mut Model, address: &Address) {
    let (Some(log), Address::Receipt(name)) = (&model.log, address) else { return };
    let shared = model.pruner.begin();
    model.pruner.advance(log, model.as_of, Instant::now() + JUMP);
    if !model.pruner.is_settled(log) && model.pruner.failure().is_none() {
        model.awaited = Some(address.clone());
        model.message = Some(format!("{address}: waits until the events are replayed"));
        return;
    }
    let Some((node, needed)) = place(model, name) else {
        model.message = Some(format!("there is no receipt {address} here"));
        return;
    };
    drop(shared);
    model.remember();
    model.following = false;
    model.detail.shows = Shows::Node;
    model.kind = ViewKind::Receipts;
    let as_of = model.as_of.max(needed);
    model.move_to(as_of);
    // Of an event that is live now the turn is shown.
    let live = match node {
        Node::Receipt(item) => model.pruner.known().and_then(|shared| shared.borrow().replay.origin(item)),
        _ => None,
    };
    let shown = model.select(node) || live.is_some_and(|(turn, _)| model.select(Node::Turn(turn)));
    if !shown {
        model.message = Some(find::NOT_SHOWN.to_owned());
    } else if model.selected() != Some(node) {
        model.message = Some(format!("{address} is no receipt as of t{as_of}: it is in the prompt"));
    }
}

/// The receipt of that name, and the turn since which it is one; of an event that never was one, its turn.
fn place(model: &Model, name: &str) -> Option<(Node, u32)> {
    let log = model.log.as_ref()?;
    let session = &log.session;
    let replay = &model.pruner.known()?.borrow().replay;
    let last = session.last();
    let found = replay.find(name).filter(|_| session.format.is_trace());
    let item = match (found, name.parse::<Address>()) {
        (Some(item), _) => item,
        (None, Ok(Address::Turn { thread: None, number, part })) => {
            let turn = session.numbered(0, number)?;
            let now = replay.pruned_at(turn, part, model.as_of).next();
            match now.or_else(|| replay.pruned_at(turn, part, last).next()) {
                Some(item) => item,
                None => return Some((part.map_or(Node::Turn(turn), |part| Node::Part(turn, part)), number)),
            }
        }
        _ => return None,
    };
    let (turn, _) = replay.origin(item)?;
    let stands = replay.stub(item, model.as_of).map(|_| 0);
    let since = stands.or_else(|| replay.pruned_since(item)).unwrap_or(session.turn(turn).number);
    Some((Node::Receipt(item), since))
}
