//! What happened, taken in: the only place where the model changes.

mod arrive;
mod audit;
mod blocks;
mod find;
mod forest;
mod mouse;
mod moves;
mod receipts;
mod trace;

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::outline::{Node, ViewKind};
use crate::session::later::Soon;

use super::Action;
use super::events::Event;
use super::keys;
use super::model::{Model, Pane, Shows};
use super::prompt::{Kind, Outcome, Prompt};

pub(super) use blocks::BEING_READ;
pub(super) use find::{jump, to_address as await_address};

/// Work asked of somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Put this on the clipboard.
    Copy(String),
    /// Take the mouse, or give it back.
    Mouse(bool),
    /// Search for this; whether the person was taken to a match of it before.
    Search(String, bool),
    /// Show the list of sessions.
    Sessions,
    /// The agent started anew: show this session instead.
    Newer(PathBuf),
    /// Give the terminal back and stop until told to go on.
    Stop,
    /// Take the terminal again after somebody else had it.
    Retake,
    /// Draw everything anew.
    Redraw,
    /// End.
    Quit,
}

/// Takes in one event.
pub fn update(model: &mut Model, event: Event) -> Vec<Effect> {
    model.touched |= matches!(event, Event::Key(_) | Event::Mouse(_) | Event::Paste(_));
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => Vec::new(),
        Event::Key(key) => on_key(model, key),
        Event::Mouse(mouse) => mouse::on_mouse(model, mouse),
        Event::Paste(text) => {
            if let Some(prompt) = &mut model.prompt {
                prompt.paste(&text);
            }
            Vec::new()
        }
        Event::Quit => vec![Effect::Quit],
        Event::Newer(path) => vec![Effect::Newer(path)],
        Event::Found(found) => {
            find::take(model, found);
            Vec::new()
        }
        Event::Pause => {
            pause(model);
            Vec::new()
        }
        Event::Read(done) => {
            if let Some(log) = &model.log {
                log.take(*done);
            }
            model.stale_detail();
            Vec::new()
        }
        Event::Traced(done) => {
            model.tracing.take(*done);
            model.stale_detail();
            Vec::new()
        }
        Event::Audited(done) => {
            model.audited(*done);
            Vec::new()
        }
        Event::Replayed => Vec::new(),
        Event::Resize => vec![Effect::Redraw],
        Event::Stop => vec![Effect::Stop],
        Event::Continue => vec![Effect::Retake],
        arrived => {
            arrive::take(model, arrived);
            // What was searched for in the end of a log, or in what it was before, is searched for in all of it.
            let anew = model.sought.take_if(|_| model.log.is_some());
            anew.map(|(text, gone)| Effect::Search(text, gone)).into_iter().collect()
        }
    }
}

fn on_key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    model.message = None;
    model.awaited = None;
    if let Some(prompt) = &mut model.prompt {
        return match prompt.key(key) {
            Outcome::Typing => Vec::new(),
            Outcome::Cancelled => {
                model.prompt = None;
                Vec::new()
            }
            Outcome::Done => {
                let prompt = model.prompt.take().unwrap_or_else(|| Prompt::new(Kind::Search));
                find::answer(model, &prompt)
            }
        };
    }
    if let KeyCode::Char(digit @ '0'..='9') = key.code
        && !key.modifiers.contains(KeyModifiers::CONTROL)
        && counts(model, digit)
    {
        return Vec::new();
    }
    let in_trace = keys::action(&[keys::Context::Trace], key).filter(|_| model.is_in_trace());
    let Some(action) = in_trace.or_else(|| keys::action(&[keys::Context::Inspector], key)) else {
        (model.count, model.help) = (None, None);
        return Vec::new();
    };
    if model.help.is_some() {
        return on_help(model, action);
    }
    if model.pane == Pane::Detail {
        // What is read back for it is read when it is needed: to be moved through, or drawn.
        model.refresh_detail();
    }
    act(model, action)
}

/// Whether a digit begins or goes on with a count. A digit that is a view's key chooses the view once nothing
/// follows it for a moment ([`Event::Pause`]): so `12j` moves twelve rows in every view.
fn counts(model: &mut Model, digit: char) -> bool {
    let value = digit.to_digit(10).unwrap_or(0);
    if model.count.is_none() && value == 0 {
        return false;
    }
    model.count = Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(value).min(1_000_000));
    true
}

/// Nothing followed a digit.
fn pause(model: &mut Model) {
    let typed = model.count.map(|count| count.to_string());
    let Some(kind) = ViewKind::ALL.into_iter().find(|kind| typed.as_deref() == Some(kind.digit())) else {
        return;
    };
    model.count = None;
    moves::act(model, Action::View(kind), 1, None);
}

fn on_help(model: &mut Model, action: Action) -> Vec<Effect> {
    let top = model.help.unwrap_or(0);
    model.help = match action {
        Action::Down => Some(top.saturating_add(1)),
        Action::Up => Some(top.saturating_sub(1)),
        Action::PageDown => Some(top.saturating_add(10)),
        Action::PageUp => Some(top.saturating_sub(10)),
        Action::First => Some(0),
        _ => None,
    };
    Vec::new()
}

/// Does what is meant.
fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let count = model.count.take();
    let times = count.unwrap_or(1);
    match action {
        Action::Quit => return vec![Effect::Quit],
        Action::Sessions => return vec![Effect::Sessions],
        Action::Stop => return vec![Effect::Stop],
        Action::Help => model.help = Some(0),
        Action::Search => model.prompt = Some(Prompt::new(Kind::Search)),
        Action::Jump => model.prompt = Some(Prompt::new(Kind::Jump)),
        Action::Filter => model.prompt = Some(Prompt::new(Kind::Filter)),
        Action::NextMatch => find::next(model, true),
        Action::PreviousMatch => find::next(model, false),
        Action::NextPane => {
            model.pane = if model.pane == Pane::Tree { Pane::Detail } else { Pane::Tree };
        }
        Action::Zoom => model.zoom = !model.zoom,
        Action::Narrower => model.split = model.split.saturating_sub(5).max(20),
        Action::Wider => model.split = (model.split + 5).min(80),
        Action::Mouse => {
            model.mouse = !model.mouse;
            let whose = if model.mouse {
                "the mouse moves here"
            } else {
                "the mouse is the terminal's: select text with it"
            };
            model.message = Some(whose.to_owned());
            return vec![Effect::Mouse(model.mouse)];
        }
        Action::Pin | Action::Class | Action::Again | Action::Halt if model.kind == ViewKind::Forest => {
            forest::act(model, action);
        }
        Action::Recall | Action::Shown => return audit::act(model, action),
        Action::Again if model.kind == ViewKind::Audit => return audit::act(model, action),
        Action::Open | Action::CopyText
            if model.detail.shows == Shows::Note
                && (model.pane == Pane::Detail || action == Action::CopyText) =>
        {
            return audit::copy(model);
        }
        Action::Pin | Action::Class | Action::Again | Action::Halt => blocks::act(model, action),
        Action::Ask => forest::prompt(model),
        Action::CopyAddress | Action::CopyText => return copy(model, action),
        _ => moves::act(model, action, times, count),
    }
    Vec::new()
}

fn copy(model: &mut Model, action: Action) -> Vec<Effect> {
    let (Some(log), Some(view), Some(node)) = (&model.log, &model.view, model.pointed()) else {
        return Vec::new();
    };
    let own = || {
        let shared = model.replay.known()?.borrow();
        super::detail::blocks::plain(&shared, node)
    };
    let line = forest::chosen_line(model);
    let text = match action {
        Action::CopyAddress if let Some((address, _)) = &line => Some(address.to_string()),
        Action::CopyText if let Some((_, said)) = line => Some(said),
        // A section of a summary or a group has none: what it stands under does.
        Action::CopyAddress => {
            let address = |node: &Node| crate::outline::Outline::label(view, log, *node).address;
            let above = || view.path_to(log, node).iter().rev().find_map(address);
            address(&node).or_else(above).map(|address| address.to_string())
        }
        _ if matches!(node, Node::Audited(_)) => super::detail::audit::plain(&model.audits.borrow(), node)
            .or_else(|| Some(model.detail.document.plain())),
        _ if let Some(text) = own() => Some(text),
        _ => match super::detail::plain(view, log, node) {
            Soon::Ready(text) => Some(text),
            Soon::Later(_) => {
                model.message = Some("the text is still being read: copy it once it is shown".to_owned());
                return Vec::new();
            }
        },
    };
    match text.filter(|text| !text.is_empty()) {
        Some(text) => vec![Effect::Copy(text)],
        None => {
            model.message = Some("nothing to copy here".to_owned());
            Vec::new()
        }
    }
}
