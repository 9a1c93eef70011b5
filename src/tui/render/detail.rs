//! The detail pane: the rows of a document that are on the screen, with what a search found marked.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Scrollbar, ScrollbarOrientation, ScrollbarState};
use regex::Regex;

use crate::text::display::safe;

use super::super::document::Tone;
use super::super::model::{Model, Pane};
use super::super::pager;
use super::super::theme::Theme;
use super::{fit, style};

/// Draws the pane.
pub(super) fn render(frame: &mut Frame, area: Rect, model: &mut Model) {
    let focused = model.pane == Pane::Detail;
    let border = if focused { model.theme.focus } else { model.theme.border };
    let partial = model.session().is_some_and(|session| session.partial);
    let name =
        if partial { unnumbered(&model.detail.document.title) } else { model.detail.document.title.clone() };
    let mut title = vec![Span::styled(format!(" {} ", safe(&name)), border)];
    if name.is_empty() {
        title.clear();
    }
    let title = Line::from(fit(title, usize::from(area.width).saturating_sub(2)));
    let block = Block::new().borders(Borders::ALL).border_style(border).title(title);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    model.areas.detail = inner;
    if inner.width < 3 || inner.height == 0 {
        return;
    }
    let text = Rect { x: inner.x + 1, width: inner.width - 2, ..inner };
    (model.detail.width, model.detail.height) = (usize::from(text.width), usize::from(text.height));
    let detail = &model.detail;
    let pattern = model.search.as_ref().map(|search| &search.pattern);
    let rows = pager::visible(&detail.document, detail.place, detail.width, detail.height);
    // A bar beside the line that somebody came for.
    let sought = detail.document.sought.filter(|_| pattern.is_none());
    for (y, (at, _)) in (text.y..).zip(&rows) {
        if sought == Some(*at) {
            frame.buffer_mut().set_string(inner.x, y, "▎", model.theme.focus);
        }
    }
    let lines: Vec<Line> = rows.into_iter().map(|(_, row)| line(row.runs, pattern, &model.theme)).collect();
    frame.render_widget(Paragraph::new(lines), text);
    scrollbar(frame, area, model);
}

/// A title without the number that is not known yet.
fn unnumbered(title: &str) -> String {
    let rest = title.split_once(' ').map_or("", |(_, rest)| rest);
    format!("t… {rest}")
}

fn line(runs: Vec<(Tone, String)>, pattern: Option<&Regex>, theme: &Theme) -> Line<'static> {
    let Some(pattern) = pattern else {
        return runs.into_iter().map(|(tone, text)| Span::styled(text, style(theme, tone))).collect();
    };
    runs.into_iter()
        .flat_map(|(tone, text)| marked(&text, pattern, style(theme, tone), theme.found))
        .collect()
}

fn marked(text: &str, pattern: &Regex, plain: Style, found: Style) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut at = 0;
    for hit in pattern.find_iter(text).filter(|hit| !hit.is_empty()) {
        spans.push(Span::styled(text[at..hit.start()].to_owned(), plain));
        spans.push(Span::styled(hit.as_str().to_owned(), found));
        at = hit.end();
    }
    spans.push(Span::styled(text[at..].to_owned(), plain));
    spans
}

fn scrollbar(frame: &mut Frame, area: Rect, model: &Model) {
    let detail = &model.detail;
    let lines = detail.document.len();
    if lines <= detail.height || area.height < 4 {
        return;
    }
    let mut state = ScrollbarState::new(lines - detail.height).position(detail.place.line);
    let inside = Rect { y: area.y + 1, height: area.height - 2, ..area };
    let bar = Scrollbar::new(ScrollbarOrientation::VerticalRight)
        .begin_symbol(None)
        .end_symbol(None)
        .thumb_symbol("┃")
        .track_symbol(None)
        .thumb_style(model.theme.dim);
    frame.render_stateful_widget(bar, inside, &mut state);
}
