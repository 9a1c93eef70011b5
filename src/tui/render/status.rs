//! The last lines: what is being typed, what just happened, or which keys there are; and a compaction that arrived.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::outline::ViewKind;
use crate::text::columns::shorten;
use crate::text::display::safe;
use crate::text::numbers::{count, grouped, short};

use super::super::Action;
use super::super::keys::{Binding, Context, bindings};
use super::super::model::Model;
use super::super::pager::wrap;
use super::super::theme::Theme;
use super::{LEAST, fit, spread};

/// Draws the last line.
pub(super) fn render(frame: &mut Frame, area: Rect, model: &Model, small: bool) {
    let width = usize::from(area.width);
    if let Some(prompt) = &model.prompt {
        let theme = &model.theme;
        let sign = format!(" {}", prompt.kind.sign());
        let (text, column) = prompt.window(width.saturating_sub(sign.width()));
        let mut spans = vec![Span::styled(sign.clone(), theme.focus), Span::raw(text)];
        if prompt.text.is_empty() {
            spans.push(Span::styled(format!(" {}", prompt.kind.hint()), theme.dim));
        }
        frame.render_widget(Paragraph::new(Line::from(fit(spans, width))), area);
        let before = sign.width() + column;
        let x = area.x + (before as u16).min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position::new(x, area.y));
        return;
    }
    let rows = message(model).map(|message| told(message, width, usize::from(area.height)));
    if let Some(rows) = rows.filter(|rows| rows.len() > 1) {
        let line = |text: String| Line::styled(format!(" {text}"), model.theme.warn);
        frame.render_widget(Paragraph::new(rows.into_iter().map(line).collect::<Vec<_>>()), area);
        return;
    }
    frame.render_widget(Paragraph::new(line(model, width, small)), area);
}

/// What a person has to be told now. Why there is no log stands where the log would.
fn message(model: &Model) -> Option<&String> {
    let problem = model.feed.problem.as_ref().filter(|_| model.log.is_some());
    model.message.as_ref().or(problem)
}

/// How many lines it takes.
pub(super) fn height(model: &Model, area: Rect) -> u16 {
    let message = message(model).filter(|_| model.prompt.is_none());
    message
        .map_or(1, |message| told(message, usize::from(area.width), told_at_most(area)).len().max(1) as u16)
}

/// How many lines of the screen a message may take.
pub(in crate::tui) fn told_at_most(screen: Rect) -> usize {
    if screen.height < LEAST.1 { 1 } else { usize::from(screen.height / 4 + 1).min(8) }
}

/// A message in rows of `width` columns less one, `most` of them at the most, with an ellipsis where that is not all.
pub(in crate::tui) fn told(message: &str, width: usize, most: usize) -> Vec<String> {
    let width = width.saturating_sub(2).max(1);
    let mut rows: Vec<String> = Vec::new();
    for line in message.lines() {
        let line = safe(line);
        rows.extend(wrap(&line, width, 0).into_iter().map(|range| line[range].trim_end().to_owned()));
    }
    if rows.len() > most {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            *last = if last.width() < width {
                format!("{last}…")
            } else {
                shorten(&format!("{last}…"), width)
            };
        }
    }
    rows
}

fn line(model: &Model, width: usize, small: bool) -> Line<'static> {
    let theme = &model.theme;
    let mut right = address(model);
    if let Some(typed) = model.count {
        right.insert(0, Span::styled(format!("{typed} "), theme.focus));
    }
    if let Some(message) = message(model) {
        let text = safe(message.lines().next().unwrap_or_default()).into_owned();
        // All of the message before the address.
        let taken: usize = right.iter().map(|span| span.content.width()).sum();
        right.truncate(if text.width() + 2 + taken > width { 0 } else { right.len() });
        return spread(vec![Span::styled(format!(" {text}"), theme.warn)], right, width);
    }
    if small {
        let text = format!(" made for {}×{} and more", LEAST.0, LEAST.1);
        return spread(vec![Span::styled(text, theme.warn)], right, width);
    }
    if let Some(search) = &model.search
        && model.forest.file().is_some()
    {
        let at = search.messages.iter().position(|node| model.selected() == Some(*node));
        let place = at.map_or(String::new(), |at| format!("{} of ", at + 1));
        let text = format!(
            " /{} · {} · {place}{}",
            safe(&search.text),
            count(search.matches, "match").replace("matchs", "matches"),
            count(search.messages.len() as u64, "message")
        );
        let hints = Span::styled(" · n next · N before · Esc ends".to_owned(), theme.dim);
        return spread(vec![Span::styled(text, theme.summary), hints], right, width);
    }
    if let Some(search) = &model.search {
        let at = model.selected_turn().and_then(|id| search.hits.binary_search(&id).ok()).map(|at| at + 1);
        let place = at.map_or(String::new(), |at| format!("{at} of "));
        let mut text = format!(
            " /{} · {} · {place}{}",
            safe(&search.text),
            count(search.matches, "match").replace("matchs", "matches"),
            count(search.hits.len() as u64, "turn")
        );
        if !search.is_done() {
            let percent = (search.searched * 100).checked_div(search.records).unwrap_or(0);
            text = format!("{text} · {percent} % searched");
        }
        let hints = Span::styled(" · n next · N before · Esc ends".to_owned(), theme.dim);
        return spread(vec![Span::styled(text, theme.summary), hints], right, width);
    }
    let room = width.saturating_sub(right.iter().map(|span| span.content.width() + 1).sum());
    // In a trace its own keys come first.
    let (contexts, own): (&[Context], _) = if model.is_in_trace() {
        (&[Context::Trace, Context::Inspector], &[][..])
    } else {
        (&[Context::Inspector], own(model.kind))
    };
    spread(hints_of(&model.theme, contexts, own, room), right, width)
}

/// What a view is looked at for, beside what every view is.
fn own(kind: ViewKind) -> &'static [Action] {
    match kind {
        ViewKind::Blocks => &[Action::Pin],
        ViewKind::Forest => &[Action::Ask],
        ViewKind::Audit => &[Action::Recall],
        _ => &[],
    }
}

/// As many hints as fit whole; help and quit are never left out.
pub(in crate::tui) fn hints(theme: &Theme, contexts: &[Context], room: usize) -> Vec<Span<'static>> {
    hints_of(theme, contexts, &[], room)
}

/// The same, with these actions before the others. What means something in one view only is no hint in others.
fn hints_of(theme: &Theme, contexts: &[Context], own: &[Action], room: usize) -> Vec<Span<'static>> {
    let (mut first, rest): (Vec<&Binding>, Vec<&Binding>) = bindings(contexts)
        .partition(|binding| binding.context == Context::Trace || own.contains(&binding.action));
    // In a trace its own keys go before the others' meanings of them.
    let hidden: Vec<&str> = first.iter().map(|binding| binding.keys[0]).collect();
    first.extend(rest.into_iter().filter(|binding| !hidden.contains(&binding.keys[0])));
    let elsewhere = |action| matches!(action, Action::Pin | Action::Ask) && !own.contains(&action);
    first.retain(|binding| !binding.hint.is_empty() && !elsewhere(binding.action));
    // In the table these two stand among others of their kind.
    first.sort_by_key(|binding| matches!(binding.action, Action::Help | Action::Quit));
    let hints: Vec<(String, &str)> = first
        .into_iter()
        .map(|binding| match binding.hint {
            "turn" => (", .".to_owned(), binding.hint),
            "generation" => ("[ ]".to_owned(), binding.hint),
            hint => (binding.keys[0].to_owned(), hint),
        })
        .collect();
    let width = |(keys, hint): &(String, &str)| keys.width() + hint.width() + 4;
    let (first, last) = hints.split_at(hints.len().saturating_sub(2));
    let mut left = room.saturating_sub(last.iter().map(width).sum());
    let fits = first.iter().take_while(|hint| {
        let fits = width(hint) <= left;
        left = left.saturating_sub(width(hint));
        fits
    });
    let mut spans = Vec::new();
    for (keys, hint) in fits.chain(last) {
        spans.push(Span::styled(if spans.is_empty() { " " } else { " · " }, theme.dim));
        spans.push(Span::styled(keys.clone(), theme.heading));
        spans.push(Span::styled(format!(" {hint}"), theme.dim));
    }
    spans
}

/// The address of the selection, for the right edge.
fn address(model: &Model) -> Vec<Span<'static>> {
    let (Some(log), Some(view), Some(node)) = (&model.log, &model.view, model.pointed()) else {
        return Vec::new();
    };
    if log.session.partial {
        return Vec::new();
    }
    let label = crate::outline::Outline::label(view, log, node);
    label.address.map_or_else(Vec::new, |address| {
        vec![Span::styled(format!("{} ", safe(&address.to_string())), model.theme.address)]
    })
}

/// Draws the line about a compaction that arrived.
pub(super) fn banner(frame: &mut Frame, area: Rect, model: &Model) {
    let theme = &model.theme;
    let compaction = model.arrived.and_then(|generation| model.session()?.generation(generation));
    let Some(compaction) = compaction else { return };
    let turn = compaction.summary.and_then(|id| Some(model.session()?.turn(id).number)).unwrap_or(0);
    let before = compaction.before(short).map_or(String::new(), |before| format!(" at {before}"));
    let turns = count(u64::from(compaction.covered()), "turn");
    let what = format!(
        " compaction g{}{before}: t{} replaces {turns}",
        compaction.generation,
        grouped(u64::from(turn))
    );
    let keys = " · 6 shows what it lost · c what it covered";
    // The keys are what it is for.
    let text = match usize::from(area.width) {
        width if what.width() + keys.width() <= width => format!("{what}{keys}"),
        width => {
            let keys = " · 6 lost · c covered";
            let what = format!(" compaction g{}: {turns}", compaction.generation);
            format!("{}{keys}", shorten(&what, width.saturating_sub(keys.width())))
        }
    };
    let spans = fit(vec![Span::styled(text, theme.summary)], usize::from(area.width));
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}
