//! What the log brings.

use crate::log::Flow;
use crate::log::follow::Epoch;
use crate::outline::{Node, ViewKind};
use crate::session::Session;
use crate::session::address::Moment;
use crate::session::load::Records;
use crate::session::open::OpenLog;

use super::super::events::Event;
use super::super::model::Model;
use super::super::search;
use super::find;

/// Takes in what the ingest thread says.
pub(super) fn take(model: &mut Model, event: Event) {
    match event {
        Event::Tail(log) => replace(model, *log),
        Event::Progress(read, whole) => model.feed.indexing = Some((read, whole)),
        Event::Indexed(log) => {
            model.feed.indexing = None;
            replace(model, *log);
            settle(model);
        }
        Event::Begun(log) => {
            model.log = Some(*log);
            model.message.take_if(|message| message == super::blocks::BEING_READ);
            model.view = None;
            model.feed.waiting = false;
        }
        Event::Forest(file, log) => {
            model.feed = model.feed.at_rest(false, false);
            model.kind = ViewKind::Forest;
            model.hold(*log);
            model.forest.show(*file);
            model.move_to(0);
            model.refresh_detail();
        }
        Event::Records(records) => take_in(model, records),
        Event::Flow(flow) => flows(model, flow),
        Event::Epoch(epoch) => new_epoch(model, epoch),
        Event::Waiting => (model.feed.waiting, model.feed.indexing) = (true, None),
        Event::Gone => (model.feed.gone, model.feed.problem) = (true, None),
        Event::Undecided(doubt) => {
            model.feed = model.feed.at_rest(model.feed.polled, false);
            model.feed.doubt = Some(doubt);
        }
        Event::Resting { polled, pending } => {
            model.feed = model.feed.at_rest(polled, pending);
            if model.log.is_some() {
                settle(model);
            }
        }
        Event::Unreadable(problem) => {
            // The newest news is shown; a reason for a new epoch is old by now.
            model.message = None;
            (model.feed.problem, model.feed.gone) = (Some(problem), false);
        }
        _ => {}
    }
}

/// A session in place of what was there: keeps the place in the log that was looked at.
fn replace(model: &mut Model, log: OpenLog) {
    let looked_at = model.selected_turn().and_then(|id| {
        let session = model.session()?;
        session.rows().get(session.turn(id).first_row).map(|row| row.offset)
    });
    let at_end = model.following || model.waiting_turns() == 0;
    let place = model.detail.place;
    model.hold(log);
    model.feed.problem = None;
    model.feed.waiting = false;
    let last = model.session().map_or(0, Session::last);
    let as_of = if at_end { last } else { model.as_of.min(last) };
    model.move_to(as_of);
    if let Some(offset) = looked_at
        && let Some(node) = model.session().and_then(|session| {
            let row = session.row_at(offset).filter(|row| session.row(*row).offset == offset)?;
            session.anchor(row).map(Node::Turn)
        })
    {
        model.select(node);
        model.refresh_detail();
        model.detail.place = place;
    }
}

/// The numbers are known: what was asked for by number can be done.
fn settle(model: &mut Model) {
    if let Some(text) = model.pending_as_of.take() {
        let found = text.parse::<Moment>().and_then(|moment| match model.session() {
            Some(session) => session.resolve(&moment),
            None => Ok(0),
        });
        match found {
            Ok(as_of) => {
                model.following = false;
                model.move_to(as_of);
            }
            Err(error) => model.message = Some(error.to_string()),
        }
    }
    if let Some(address) = model.pending.take() {
        find::jump(model, &address);
    }
}

/// Says what a person has to know of how the log arrives, once.
fn flows(model: &mut Model, flow: Flow) {
    let known = model.feed.flow.as_ref().map(Flow::notices).unwrap_or_default();
    let now = flow.notices();
    let is_over = |message: &String| known.iter().any(|old| !now.contains(old) && message.contains(old));
    model.message.take_if(|message| is_over(message));
    // Who follows a log that ends within compressed data waits for the rest: that is no trouble.
    let waits = model.following && flow.is_cut_off();
    let news: Vec<String> = now.into_iter().filter(|notice| !waits && !known.contains(notice)).collect();
    if !news.is_empty() {
        model.message = Some(news.join("; "));
    }
    model.feed.flow = Some(flow);
}

fn take_in(model: &mut Model, records: Records) {
    let Some(log) = &mut model.log else { return };
    let (rows, turns, newest_turn) =
        (log.session.rows().len(), log.session.turns().len(), log.session.last());
    // What was there at the start is no news, and whoever is at its end stays there.
    let catches_up = model.feed.catches_up();
    let compactions = log.session.compactions().iter().filter(|c| c.summary.is_some()).count();
    for (line, record) in records {
        log.session.push(line, record);
    }
    if log.session.agents().len() != model.shown_agents {
        model.shown_agents = log.session.agents().len();
        log.refresh_agents();
    }
    let session = &log.session;
    let newest = session.compactions().iter().rfind(|c| c.summary.is_some()).map(|c| c.generation);
    if session.compactions().iter().filter(|c| c.summary.is_some()).count() > compactions {
        // Whoever follows the reports sees it come.
        let is_seen = model.following && model.kind == ViewKind::Audit;
        model.arrived = newest.filter(|_| !catches_up && !is_seen);
        log.refresh_agents();
    }
    let session = &log.session;
    if let Some(search) = &mut model.search {
        search.extend(search::records_from(session, rows));
    }
    if let (Some(filter), Some(view)) = (&model.filter, &mut model.view) {
        let last = session.last();
        for id in (turns as u32..session.turns().len() as u32).map(crate::session::TurnId) {
            if (model.following || last == model.as_of) && filter.passes(session, id) {
                view.push_match(id);
            }
        }
    }
    let last = session.last();
    let was_at_start = model.as_of == 0;
    let anew = model.feed.epochs > 0 && !model.touched;
    let was_at_end = (catches_up || anew) && model.as_of == newest_turn;
    if model.following || was_at_start || was_at_end {
        if catches_up && !model.touched {
            // As if the log were opened now.
            model.trees = super::super::views::fresh_trees();
        }
        let filter = model.filter.take();
        model.move_to(last);
        model.filter = filter;
    } else if model.as_of == last || turns == session.turns().len() {
        // The newest turn grew, or notes and malformed lines came behind it.
        let as_of = model.as_of;
        if let (Some(log), Some(view)) = (&model.log, &mut model.view) {
            view.move_to(log, as_of);
        }
    }
    model.stale_detail();
}

fn new_epoch(model: &mut Model, epoch: Epoch) {
    // Whoever was at the end is at the new end, in however many pieces it comes, until a key is pressed.
    model.touched &= !(model.following || model.waiting_turns() == 0);
    model.log = None;
    model.forget_nodes();
    model.arrived = None;
    model.detail = super::super::model::Detail::default();
    model.as_of = 0;
    model.feed.epochs += 1;
    model.feed.gone = false;
    (model.feed.flow, model.feed.resting) = (None, false);
    // What was said before was said of another log.
    model.message = (epoch != Epoch::Reopened)
        .then(|| format!("{}: read anew, turns are numbered from 1 again", epoch.reason()));
}
