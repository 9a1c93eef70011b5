//! The mouse: click, wheel, and the divider that is dragged.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::super::Action;
use super::super::model::{Model, Pane, Shows};
use super::super::views;
use super::{Effect, act};

/// Rows that one notch of the wheel moves.
const NOTCH: u32 = 3;

/// Takes in what the mouse did.
pub(super) fn on_mouse(model: &mut Model, mouse: MouseEvent) -> Vec<Effect> {
    let at = Position::new(mouse.column, mouse.row);
    match mouse.kind {
        MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
            model.refresh_detail();
            let pane = model.pane;
            model.pane = if model.areas.detail.contains(at) { Pane::Detail } else { Pane::Tree };
            model.count = Some(NOTCH);
            let down = mouse.kind == MouseEventKind::ScrollDown;
            let effects = act(model, if down { Action::Down } else { Action::Up });
            model.pane = pane;
            return effects;
        }
        MouseEventKind::Down(MouseButton::Left) => return click(model, at),
        MouseEventKind::Drag(MouseButton::Left) if model.dragging => {
            let whole = model.areas.tree.width + model.areas.detail.width + 4;
            if whole > 0 {
                let share = u32::from(mouse.column) * 100 / u32::from(whole);
                model.split = (share as u16).clamp(20, 80);
            }
        }
        MouseEventKind::Up(_) => model.dragging = false,
        _ => {}
    }
    Vec::new()
}

fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    model.message = None;
    if model.help.take().is_some() {
        return Vec::new();
    }
    let areas = model.areas;
    if areas.banner.contains(at) {
        return act(model, Action::Compaction);
    }
    if at.x.abs_diff(areas.divider) <= 1
        && rows(areas.tree, at)
        && areas.detail.width > 0
        && areas.tree.width > 0
    {
        model.dragging = true;
        return Vec::new();
    }
    if areas.tabs.contains(at) {
        let mut left = areas.tabs.x + 1;
        for (kind, text) in views::tabs(model.kind, areas.tabs.width) {
            let width = text.len() as u16;
            if (left..left + width).contains(&at.x) {
                return act(model, Action::View(kind));
            }
            left += width;
        }
    }
    if areas.detail.contains(at) {
        model.pane = Pane::Detail;
        super::trace::click(model, usize::from(at.y - areas.detail.y));
    } else if areas.tree.contains(at) {
        model.pane = Pane::Tree;
        if matches!(model.detail.shows, Shows::Difference | Shows::Note) {
            model.detail.shows = Shows::Node;
        }
        let before = model.tree().selected.clone();
        let Some((log, view, tree)) = model.parts() else { return Vec::new() };
        let layout = tree.layout(view, log);
        let row = tree.top + usize::from(at.y - areas.tree.y);
        if row < layout.len() {
            tree.select_row(row, &layout, view, log);
            if tree.selected == before {
                tree.toggle(view, log);
            }
            model.following = false;
        }
    }
    Vec::new()
}

fn rows(area: Rect, at: Position) -> bool {
    (area.y..area.bottom()).contains(&at.y)
}
