//! What is known of the selected session, below the list.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};

use crate::discover::Listed;
use crate::text::columns::{shorten, shorten_start};
use crate::text::display::safe;
use crate::text::numbers::{bytes, count, grouped, short};

use super::super::super::model::clock;
use super::super::super::pager::wrap;
use super::super::Picker;
use super::columns::reason;

/// How many lines it takes on a screen of `height` lines, the one above it included.
pub(super) fn height(height: u16) -> u16 {
    match height {
        ..12 => 0,
        12..20 => 3,
        20..45 => 5,
        _ => 9,
    }
}

/// Draws it.
pub(super) fn render(frame: &mut Frame, area: Rect, picker: &Picker) {
    let Some(no) = picker.selected().filter(|_| area.height > 1) else { return };
    let session = picker.catalogue.get(no);
    let theme = &picker.theme;
    let width = usize::from(area.width);
    let path = safe(&picker.short_path(&session.path)).into_owned();
    let title = format!(" {} ", shorten_start(&path, width.saturating_sub(4)));
    let block = Block::new()
        .borders(Borders::TOP)
        .border_style(theme.border)
        .title(Span::styled(title, theme.address));
    let inner = usize::from(area.height) - 1;
    let facts = facts(session);
    // The facts get the last lines, what was asked gets the others.
    let mut below: Vec<Line> = Vec::new();
    for range in wrap(&facts, width.saturating_sub(2).max(1), 0).into_iter().take((inner / 2).max(1)) {
        below.push(Line::styled(format!(" {}", &facts[range]), theme.dim));
    }
    let mut lines = words(picker, session, width, inner.saturating_sub(below.len()));
    lines.extend(below);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// The first prompt, or why there is none to be had, in at most `most` lines.
fn words(picker: &Picker, session: &Listed, width: usize, most: usize) -> Vec<Line<'static>> {
    let theme = &picker.theme;
    let (text, style) = match (&session.problem, session.prompt()) {
        (Some(problem), _) => (reason(problem, &session.path), theme.warn),
        (None, Some(prompt)) => (prompt.to_owned(), theme.user),
        (None, None) => return Vec::new(),
    };
    let text = safe(&text).into_owned();
    let ranges = wrap(&text, width.saturating_sub(2).max(1), 0);
    let cut = ranges.len() > most;
    let mut lines: Vec<String> = ranges.into_iter().take(most).map(|range| text[range].to_owned()).collect();
    if let Some(last) = lines.last_mut().filter(|_| cut) {
        *last = format!("{}…", shorten(last.trim_end(), width.saturating_sub(3)));
    }
    lines.into_iter().map(|line| Line::styled(format!(" {line}"), style)).collect()
}

/// What else is known, in one line of text.
fn facts(session: &Listed) -> String {
    let glance = session.glance.as_ref();
    let counts = session.counts.as_ref();
    let models = counts.map(|counts| &counts.models).or_else(|| glance.map(|glance| &glance.models));
    let version = counts.and_then(|counts| counts.version.as_ref()).or_else(|| glance?.version.as_ref());
    let agent = session.agent().unwrap_or_default();
    let mut facts = vec![version.map_or_else(|| agent.to_owned(), |version| format!("{agent} {version}"))];
    facts.extend(models.filter(|models| !models.is_empty()).map(|models| models.join(", ")));
    facts.extend(
        glance
            .and_then(|glance| glance.begun)
            .and_then(|begun| clock(begun, true))
            .map(|at| format!("begun {at}")),
    );
    facts.push(bytes(session.stamp.bytes));
    if let Some(counts) = counts {
        facts.push(count(counts.turns, "turn"));
        facts.extend(counts.tokens.map(|tokens| format!("{} tokens charged", grouped(tokens))));
        facts.extend(counts.context.map(|tokens| format!("context {}", short(tokens))));
        facts.push(count(counts.compactions, "compaction"));
        if counts.malformed > 0 {
            facts.push(count(counts.malformed, "malformed line"));
        }
    }
    facts.extend(glance.and_then(|glance| glance.id.as_ref().map(|id| format!("id {id}"))));
    facts.extend(glance.and_then(|glance| glance.parent.as_ref()).map(|parent| format!("from {parent}")));
    safe(&facts.join(" · ")).into_owned()
}
