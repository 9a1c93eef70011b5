//! What is known of the selected session, below the list.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};

use crate::discover::{Counts, Listed};
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
    let (inner, text) = (usize::from(area.height) - 1, width.saturating_sub(2).max(1));
    let facts = facts(session);
    // With room to spare each kind of fact has a line of its own; the words of the prompt get what is left.
    let below = if inner >= facts.len() + 3 {
        facts.iter().flat_map(|(what, fact)| wrapped(&format!("{what:<9}{fact}"), text, 2)).collect()
    } else {
        let all: Vec<&str> = facts.iter().map(|(_, fact)| fact.as_str()).collect();
        wrapped(&all.join(" · "), text, (inner / 2).max(1))
    };
    let (words, style) = words(picker, session);
    let mut lines: Vec<Line> = Vec::new();
    for line in wrapped(&words, text, inner.saturating_sub(below.len())) {
        lines.push(Line::styled(format!(" {line}"), style));
    }
    lines.extend(below.into_iter().map(|line| Line::styled(format!(" {line}"), theme.dim)));
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// `text` in at most `most` lines, with an ellipsis where that is not all of it.
fn wrapped(text: &str, width: usize, most: usize) -> Vec<String> {
    let text = safe(text);
    let ranges = if text.is_empty() { Vec::new() } else { wrap(&text, width, 0) };
    let is_cut = ranges.len() > most;
    let last = |number: usize| is_cut && number + 1 == most;
    let line = |(number, range): (usize, Range<usize>)| {
        if last(number) { shorten(&text[range.start..], width) } else { text[range].to_owned() }
    };
    ranges.into_iter().take(most).enumerate().map(line).collect()
}

/// The first prompt, or why there is none to be had.
fn words(picker: &Picker, session: &Listed) -> (String, Style) {
    match (&session.problem, session.prompt()) {
        (Some(problem), _) => (reason(problem, &session.path), picker.theme.warn),
        (None, prompt) => (prompt.unwrap_or_default().to_owned(), picker.theme.user),
    }
}

/// What else is known, by kind.
fn facts(session: &Listed) -> Vec<(&'static str, String)> {
    let glance = session.glance.as_ref();
    let counts = session.counts.as_ref();
    let mut facts = vec![("agent", agent(session))];
    facts.extend(session.project().map(|project| ("project", project)));
    let begun = glance.and_then(|glance| clock(glance.begun?, true)).map(|at| format!("begun {at}"));
    let changed = clock(session.modified(), true).map(|at| format!("written to {at}"));
    let times = [begun, changed, Some(bytes(session.stamp.bytes))];
    facts.push(("file", times.into_iter().flatten().collect::<Vec<_>>().join(" · ")));
    facts.extend(counts.map(|counts| ("counts", self::counts(counts))));
    let id = glance.and_then(|glance| glance.id.as_ref()).map(|id| format!("id {id}"));
    let from =
        glance.and_then(|glance| glance.parent.as_ref()).map(|parent| format!("started from {parent}"));
    let ids: Vec<String> = [id, from].into_iter().flatten().collect();
    facts.extend((!ids.is_empty()).then(|| ("session", ids.join(" · "))));
    facts
}

/// The agent with its version and models.
fn agent(session: &Listed) -> String {
    let glance = session.glance.as_ref();
    let counts = session.counts.as_ref();
    let models = counts.map(|counts| &counts.models).or_else(|| glance.map(|glance| &glance.models));
    let version = counts.and_then(|counts| counts.version.as_ref()).or_else(|| glance?.version.as_ref());
    let agent = session.agent().unwrap_or_default();
    let mut words = vec![version.map_or_else(|| agent.to_owned(), |version| format!("{agent} {version}"))];
    words.extend(models.filter(|models| !models.is_empty()).map(|models| models.join(", ")));
    words.join(" · ")
}

fn counts(counts: &Counts) -> String {
    let mut words = vec![count(counts.turns, "turn")];
    words.extend(counts.tokens.map(|tokens| format!("{} tokens charged", grouped(tokens))));
    words.extend(counts.context.map(|tokens| format!("context {}", short(tokens))));
    words.push(count(counts.compactions, "compaction"));
    if counts.malformed > 0 {
        words.push(count(counts.malformed, "malformed line"));
    }
    words.extend(counts.incomplete.as_ref().map(|why| format!("incomplete: {why}")));
    words.join(" · ")
}
