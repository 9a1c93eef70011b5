//! The list of sessions on the screen.
//!
//! ```text
//!  pentimento  sessions                             ● 2 live · 5,012 sessions · 132 to count   header
//!  > type to filter by title, project, agent and path                                          filter
//!     age  project         title                                    agent        turns tokens comp
//!  ●  now  ~/work/api      ▸ Fix the login  +3                      claude-code    489    23M    3
//!      5m  ~/work/shop     Why is the build slow?                   codex           12   1.2M
//! ─ ~/.claude/projects/-home-me-work-api/0cf3db51.jsonl ───────────────────────────────────────
//!  "Fix the login: it fails when the …"                                                        detail
//!  claude-opus-4-5 · 2.1.7 · 0cf3db51-… · 2026-03-03 14:02 · 4.2 MiB
//!  Enter open · Right sub-agents · ? help · Ctrl-c quit                                         status
//! ```

mod columns;
mod detail;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::text::columns::shorten;
use crate::text::display::safe;
use crate::text::numbers::{count, grouped};

use super::super::keys;
use super::super::render::{LEAST, TINY, fit, help, hints, spread, told, told_at_most};
use super::Picker;
use columns::Columns;

/// Draws everything.
pub fn screen(frame: &mut Frame, picker: &mut Picker) {
    let area = frame.area();
    if area.width < TINY.0 || area.height < TINY.1 {
        frame.render_widget(Paragraph::new("too small"), area);
        return;
    }
    let [header, filter, list, detail, status] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(detail::height(area.height)),
        Constraint::Length(status_height(picker, area)),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(title(picker, usize::from(header.width))), header);
    self::filter(frame, filter, picker);
    self::list(frame, list, picker);
    detail::render(frame, detail, picker);
    self::status(frame, status, picker, area.width < LEAST.0 || area.height < LEAST.1);
    if let Some(top) = picker.help {
        picker.help = Some(help::render(frame, area, &picker.theme, &keys::PICKER, top));
    }
}

fn title(picker: &Picker, width: usize) -> Line<'static> {
    let theme = &picker.theme;
    let left = vec![Span::styled(" pentimento ", theme.heading), Span::styled(" sessions", theme.text)];
    let totals = picker.counts;
    let mut right = Vec::new();
    if totals.live > 0 {
        right.push(Span::styled(format!("● {} live · ", totals.live), theme.assistant));
    }
    if picker.look.is_none() {
        right.push(Span::styled("◌ looking · ", theme.warn));
    }
    let noun = count(totals.shown as u64, "session");
    let filtered = !picker.filter.text.trim().is_empty();
    let shown = if filtered { format!("{} of {noun}", grouped(picker.len() as u64)) } else { noun };
    right.push(Span::styled(shown, theme.text));
    if totals.uncounted > 0 {
        right.push(Span::styled(format!(" · {} to count", grouped(totals.uncounted as u64)), theme.dim));
    }
    right.push(Span::raw(" "));
    spread(left, right, width)
}

fn filter(frame: &mut Frame, area: Rect, picker: &Picker) {
    let theme = &picker.theme;
    let prompt = &picker.filter;
    let sign = format!(" {}", prompt.kind.sign());
    let (text, column) = prompt.window(usize::from(area.width).saturating_sub(sign.width()));
    let x = area.x + ((sign.width() + column) as u16).min(area.width.saturating_sub(1));
    let mut spans = vec![Span::styled(sign, theme.focus), Span::raw(text)];
    if prompt.text.is_empty() {
        spans.push(Span::styled(prompt.kind.hint(), theme.dim));
    }
    frame.render_widget(Paragraph::new(Line::from(fit(spans, usize::from(area.width)))), area);
    if picker.help.is_none() {
        frame.set_cursor_position(Position::new(x, area.y));
    }
}

fn list(frame: &mut Frame, area: Rect, picker: &mut Picker) {
    let [headings, area] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    picker.height = usize::from(area.height);
    picker.area = area;
    picker.keep_in_sight();
    let columns = Columns::fitting(usize::from(area.width));
    if picker.rows.is_empty() {
        frame.render_widget(Paragraph::new(nothing(picker, usize::from(area.width))), area);
        return;
    }
    frame.render_widget(Paragraph::new(columns.headings(&picker.theme)), headings);
    let shown = picker.rows.iter().enumerate().skip(picker.top).take(picker.height);
    let lines: Vec<Line> = shown
        .map(|(at, row)| {
            let line = columns.row(picker, row);
            if at == picker.cursor { marked(line, picker.theme.selected) } else { line }
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// A line that is selected: one colour for all of it.
fn marked(line: Line<'static>, style: Style) -> Line<'static> {
    let spans: Vec<Span> = line.spans.into_iter().map(|span| Span::styled(span.content, style)).collect();
    Line::from(spans).style(style)
}

/// What stands there instead of a list.
fn nothing(picker: &Picker, width: usize) -> Vec<Line<'static>> {
    let theme = &picker.theme;
    let mut lines = vec![Line::default()];
    let mut say = |text: &str, style: Style| {
        let rows = super::super::pager::wrap(text, width.saturating_sub(4).max(1), 0);
        lines.extend(rows.into_iter().map(|range| Line::styled(format!("  {}", &text[range]), style)));
    };
    if picker.counts.shown > 0 {
        say("No session matches. Esc empties the filter.", theme.text);
        return lines;
    }
    let Some(look) = &picker.look else {
        say("Looking for sessions …", theme.dim);
        return lines;
    };
    say("There are no sessions here. Looked in:", theme.text);
    for (place, there) in &look.places {
        let mark = if *there { "" } else { " (not there)" };
        say(&format!("  {}{mark}", safe(&picker.short_path(place))), theme.dim);
    }
    for trouble in &look.troubles {
        say(&safe(trouble), theme.warn);
    }
    say("", theme.text);
    say("`pentimento PATH` opens a log, or lists those in a folder;", theme.text);
    say("`pentimento assets/demo/session.jsonl` is the demo session in the sources;", theme.text);
    say("`pentimento --help` says more.", theme.text);
    lines
}

/// How many lines the message takes, if there is one.
fn status_height(picker: &Picker, area: Rect) -> u16 {
    let most = told_at_most(area);
    picker
        .message
        .as_ref()
        .map_or(1, |message| told(message, usize::from(area.width), most).len().max(1) as u16)
}

fn status(frame: &mut Frame, area: Rect, picker: &Picker, small: bool) {
    let theme = &picker.theme;
    let width = usize::from(area.width);
    let troubles = picker.look.as_ref().map_or(0, |look| look.troubles.len());
    if let Some(message) = &picker.message {
        let rows = told(message, width, usize::from(area.height));
        let line = |text: String| Line::styled(format!(" {text}"), theme.warn);
        frame.render_widget(Paragraph::new(rows.into_iter().map(line).collect::<Vec<_>>()), area);
        return;
    }
    let line = if small {
        let text = format!(" made for {}×{} and more", LEAST.0, LEAST.1);
        spread(vec![Span::styled(text, theme.warn)], Vec::new(), width)
    } else {
        let right = match picker.look.as_ref().and_then(|look| look.troubles.first()) {
            Some(first) => {
                let more = if troubles > 1 { format!(" +{}", troubles - 1) } else { String::new() };
                let first = shorten(&safe(first), width / 2);
                vec![Span::styled(format!("{first}{more} "), theme.warn)]
            }
            None => Vec::new(),
        };
        let room = width.saturating_sub(right.iter().map(|span| span.content.width() + 1).sum());
        spread(hints(theme, &keys::PICKER, room), right, width)
    };
    frame.render_widget(Paragraph::new(line), area);
}
