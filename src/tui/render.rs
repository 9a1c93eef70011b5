//! The screen, a function a pane.
//!
//! ```text
//!  pentimento  title · claude-code 2.1.7 · main        ● following · 893 records · turn 489   header
//!  context ▁▂▃┊▂▃▄┊▃▄▅ 142k of 200k · about 34 turns left (~)        as of t489 · 14:02
//!  1 Window  2 Generations                                                                    tabs
//! ┌ Window: what the model sees ──────┐┌ t457 tool ─────────────────────────────────────────┐
//! │▾ since g3 · 34 turns         ~96k ││ L890 · 14:01:58 · ~1,204 tokens                     │ tree
//! │ ▸ t457 tool Bash exit 101    ~1.2k││ …                                                   │ detail
//! └───────────────────────────────────┘└─────────────────────────────────────────────────────┘
//!  compaction g4 arrived at t489 …                                                            banner
//!  Enter open · Tab pane · , turn · [ generation · / search · ? help · q quit                 status
//! ```

mod detail;
mod header;
pub(super) mod help;
mod status;
mod tree;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};
use unicode_width::UnicodeWidthStr;

use crate::text::columns::cut;
use crate::text::display::safe;

pub(super) use status::{hints, told, told_at_most};

use super::document::Tone;
use super::keys::Context;
use super::model::{Areas, Model, Pane};
use super::pager;
use super::theme::Theme;

/// The smallest screen that everything fits on.
pub const LEAST: (u16, u16) = (60, 15);
/// Below this width panes are shown one at a time.
const SIDE_BY_SIDE: u16 = 72;
/// Below this there is no room for anything but a word.
pub(super) const TINY: (u16, u16) = (20, 4);

/// Draws everything.
pub fn screen(frame: &mut Frame, model: &mut Model) {
    let area = frame.area();
    model.refresh_detail();
    model.areas = Areas::default();
    if area.width < TINY.0 || area.height < TINY.1 {
        frame.render_widget(Paragraph::new("too small"), area);
        return;
    }
    let banner = u16::from(model.arrived.is_some());
    let small = area.width < LEAST.0 || area.height < LEAST.1;
    let header = if area.height < 8 { 1 } else { 3 };
    let [top, panes, line, bottom] = Layout::vertical([
        Constraint::Length(header),
        Constraint::Min(1),
        Constraint::Length(banner),
        Constraint::Length(status::height(model, area)),
    ])
    .areas(area);
    header::render(frame, top, model);
    self::panes(frame, panes, model);
    if banner > 0 {
        model.areas.banner = line;
        status::banner(frame, line, model);
    }
    status::render(frame, bottom, model, small);
    if let Some(top) = model.help {
        model.help =
            Some(help::render(frame, area, &model.theme, &[Context::Inspector, Context::Trace], top));
    }
}

/// What is said where there is nothing else to show, all of it: why there is no log.
fn nothing(frame: &mut Frame, area: Rect, model: &Model) {
    let theme = &model.theme;
    let block = Block::new().borders(Borders::ALL).border_style(theme.border);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let mut lines = Vec::new();
    let width = usize::from(inner.width).saturating_sub(2);
    let more = "It is watched: what comes next may still be one.";
    let hope = model.feed.doubt.as_ref().map(|_| format!("\n\n{more}"));
    for line in [model.feed.nothing().unwrap_or_default(), &hope.unwrap_or_default()].concat().lines() {
        let text = safe(line);
        let rows = pager::wrap(&text, width, 2).into_iter().enumerate();
        let row = |(number, range): (usize, std::ops::Range<usize>)| {
            let indent = if number == 0 { " " } else { "   " };
            Line::styled(format!("{indent}{}", &text[range]), theme.warn)
        };
        lines.extend(rows.map(row));
    }
    let room = usize::from(inner.height);
    if lines.len() > room {
        lines.truncate(room.saturating_sub(1));
        lines.push(Line::styled("   …", theme.warn));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

fn panes(frame: &mut Frame, area: Rect, model: &mut Model) {
    if model.log.is_none() && model.feed.nothing().is_some() {
        nothing(frame, area, model);
        return;
    }
    // Two panes side by side need some width each; a narrow screen shows the one that has the keys.
    let one = model.zoom || area.width < SIDE_BY_SIDE;
    model.areas.one_pane = one;
    if one {
        match model.pane {
            Pane::Tree => tree::render(frame, area, model),
            Pane::Detail => detail::render(frame, area, model),
        }
        return;
    }
    let [left, right] = if area.width < 100 && area.height >= 30 {
        Layout::vertical([Constraint::Percentage(50), Constraint::Min(3)]).areas(area)
    } else {
        let tree = Constraint::Percentage(model.split);
        Layout::horizontal([tree, Constraint::Min(10)]).areas(area)
    };
    tree::render(frame, left, model);
    detail::render(frame, right, model);
    model.areas.divider = right.x;
}

/// How a tone is drawn.
fn style(theme: &Theme, tone: Tone) -> Style {
    match tone {
        Tone::Text => theme.text,
        Tone::Dim => theme.dim,
        Tone::Heading => theme.heading,
        Tone::User => theme.user,
        Tone::Assistant => theme.assistant,
        Tone::Tool => theme.tool,
        Tone::Summary => theme.summary,
        Tone::Warn => theme.warn,
        Tone::Added => theme.added,
        Tone::Removed => theme.removed,
        Tone::Shared => theme.shared,
        Tone::Chosen => theme.selected,
    }
}

/// The spans of `left` and, at the right edge of `width` columns, those of `right`; `left` gives way.
pub(super) fn spread<'a>(left: Vec<Span<'a>>, right: Vec<Span<'a>>, width: usize) -> Line<'a> {
    let columns = |spans: &[Span]| spans.iter().map(|span| span.content.width()).sum::<usize>();
    let right_width = columns(&right);
    let room = width.saturating_sub(right_width + usize::from(right_width > 0));
    let mut spans = fit(left, room);
    let gap = width.saturating_sub(columns(&spans) + right_width);
    spans.push(Span::raw(" ".repeat(gap)));
    spans.extend(right);
    Line::from(spans)
}

/// As much of `spans` as fits into `width` columns, with an ellipsis where something is cut.
pub(super) fn fit(spans: Vec<Span<'_>>, width: usize) -> Vec<Span<'_>> {
    let whole: usize = spans.iter().map(|span| span.content.width()).sum();
    if whole <= width {
        return spans;
    }
    let mut left = width.saturating_sub(1);
    let mut out = Vec::new();
    for span in spans {
        let wide = span.content.width();
        if wide <= left {
            left -= wide;
            out.push(span);
            continue;
        }
        let mut text = cut(&span.content, left).to_owned();
        if width > 0 {
            text.push('…');
        }
        out.push(Span::styled(text, span.style));
        break;
    }
    out
}
