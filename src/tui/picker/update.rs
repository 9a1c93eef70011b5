//! What happened, taken in: the only place where the list changes.

use std::path::PathBuf;

use crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::discover::News;

use super::super::Action;
use super::super::events::Event;
use super::super::keys::{self, Context};
use super::super::prompt::{Kind, Outcome, Prompt};
use super::Picker;

/// Rows that one notch of the wheel moves.
const NOTCH: usize = 3;

/// Work asked of somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Open this session; it is being written.
    Open(PathBuf, bool),
    /// Put this on the clipboard.
    Copy(String),
    /// Back to the session that was open.
    Back,
    /// End.
    Quit,
}

/// Takes in one event.
pub fn update(picker: &mut Picker, event: Event) -> Option<Effect> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => on_key(picker, key),
        Event::Mouse(mouse) => on_mouse(picker, mouse),
        Event::Paste(text) => {
            picker.filter.paste(&text);
            filtered(picker);
            None
        }
        Event::Quit => Some(Effect::Quit),
        Event::Sessions(news) => {
            take(picker, news);
            None
        }
        // Nobody did anything for a while: time went on.
        Event::Pause => {
            picker.now = crate::discover::now();
            picker.stale.totals = true;
            None
        }
        _ => None,
    }
}

fn take(picker: &mut Picker, news: News) {
    picker.now = crate::discover::now();
    picker.stale.totals = true;
    match news {
        News::Looked(look) => {
            picker.look = Some(look);
            return;
        }
        News::Trouble(trouble) => {
            picker.message = Some(trouble);
            return;
        }
        // Counts change neither order nor kin; the title may be another one.
        News::Counted(..) => {}
        News::Found(_) | News::Gone(_) | News::Glanced(_) => picker.stale.order = true,
    }
    for no in picker.catalogue.take(news, picker.now) {
        let changed = picker.texts.set(no, picker.catalogue.get(no));
        picker.stale.rows |= changed && !picker.filter.text.is_empty();
    }
}

fn on_key(picker: &mut Picker, key: KeyEvent) -> Option<Effect> {
    picker.message = None;
    picker.settle();
    let empty = picker.filter.text.is_empty();
    let contexts: &[Context] = if empty { &keys::PICKER } else { &[Context::Picker] };
    let action = keys::action(contexts, key);
    if let Some(top) = picker.help {
        picker.help = match action {
            Some(Action::Down) => Some(top.saturating_add(1)),
            Some(Action::Up) => Some(top.saturating_sub(1)),
            Some(Action::PageDown) => Some(top.saturating_add(10)),
            Some(Action::PageUp) => Some(top.saturating_sub(10)),
            Some(Action::Quit) => return Some(Effect::Quit),
            _ => None,
        };
        return None;
    }
    match action {
        Some(action) => act(picker, action),
        None => {
            if picker.filter.key(key) == Outcome::Typing {
                filtered(picker);
            }
            None
        }
    }
}

/// The filter is another one: the best that is left is the newest.
fn filtered(picker: &mut Picker) {
    picker.stale.rows = true;
    picker.moved = false;
    picker.settle();
}

fn act(picker: &mut Picker, action: Action) -> Option<Effect> {
    let page = picker.height.saturating_sub(1).max(1);
    let last = picker.rows.len().saturating_sub(1);
    match action {
        Action::Down => go_to(picker, picker.cursor + 1),
        Action::Up => go_to(picker, picker.cursor.saturating_sub(1)),
        Action::PageDown => go_to(picker, picker.cursor + page),
        Action::PageUp => go_to(picker, picker.cursor.saturating_sub(page)),
        Action::First => go_to(picker, 0),
        Action::Last => go_to(picker, last),
        Action::Toggle => unfold(picker, true),
        Action::Close => unfold(picker, false),
        Action::Fold => {
            let open = picker.rows.get(picker.cursor).is_some_and(|row| row.open);
            unfold(picker, !open);
        }
        Action::Help => picker.help = Some(0),
        Action::CopyAddress => {
            let session = picker.catalogue.get(picker.selected()?);
            return Some(Effect::Copy(session.path.to_string_lossy().into_owned()));
        }
        Action::Open => return open(picker),
        Action::Back if !picker.filter.text.is_empty() => {
            picker.filter = Prompt::new(Kind::Sessions);
            picker.stale.rows = true;
            // Whoever found something by filtering keeps it.
            picker.moved = true;
            picker.settle();
        }
        Action::Back if picker.has_session => return Some(Effect::Back),
        Action::Back | Action::Quit => return Some(Effect::Quit),
        _ => {}
    }
    None
}

fn open(picker: &mut Picker) -> Option<Effect> {
    let session = picker.catalogue.get(picker.selected()?);
    if let Some(problem) = &session.problem {
        picker.message = Some(problem.clone());
        return None;
    }
    Some(Effect::Open(session.path.to_path_buf(), session.is_live(picker.now)))
}

fn go_to(picker: &mut Picker, row: usize) {
    picker.cursor = row.min(picker.rows.len().saturating_sub(1));
    picker.moved = true;
    picker.keep_in_sight();
}

/// Shows or hides what stands under the selected session. Hiding from below goes to the session it stands under.
fn unfold(picker: &mut Picker, open: bool) {
    let Some(row) = picker.rows.get(picker.cursor).copied() else { return };
    picker.moved = true;
    if open {
        if row.below > 0 && !row.open {
            picker.open.insert(row.no);
            picker.stale.rows = true;
        }
    } else if picker.open.remove(&row.no) {
        picker.stale.rows = true;
    } else if row.depth > 0 {
        let above = picker.rows[..picker.cursor].iter().rposition(|other| other.depth < row.depth);
        go_to(picker, above.unwrap_or(0));
    }
    picker.settle();
}

fn on_mouse(picker: &mut Picker, mouse: MouseEvent) -> Option<Effect> {
    picker.settle();
    match mouse.kind {
        MouseEventKind::ScrollDown => go_to(picker, picker.cursor + NOTCH),
        MouseEventKind::ScrollUp => go_to(picker, picker.cursor.saturating_sub(NOTCH)),
        MouseEventKind::Down(MouseButton::Left) => {
            picker.message = None;
            if picker.help.take().is_some() {
                return None;
            }
            let at = Position::new(mouse.column, mouse.row);
            let row = picker.top + usize::from(at.y.saturating_sub(picker.area.y));
            if picker.area.contains(at) && row < picker.rows.len() {
                let again = picker.moved && picker.cursor == row;
                go_to(picker, row);
                if again {
                    return open(picker);
                }
            }
        }
        _ => {}
    }
    None
}
