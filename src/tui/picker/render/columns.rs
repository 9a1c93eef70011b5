//! The columns of the list: as many as there is room for, the most telling first.

use std::path::Path;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::discover::Listed;
use crate::text::columns::{left, right, shorten, shorten_start};
use crate::text::display::safe;
use crate::text::numbers::{age, short};

use super::super::super::theme::Theme;
use super::super::{Picker, rows::Row};

/// What a column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Age,
    Project,
    Title,
    Agent,
    Turns,
    Tokens,
    Compactions,
    Path,
}

/// The title is never narrower, whatever else there is.
const TITLE: usize = 22;
/// Columns for the mark of a session that is being written, and the gap before it.
const MARK: usize = 3;

/// The columns of a list of some width.
pub(super) struct Columns(Vec<(Column, usize)>);

impl Columns {
    /// The columns that fit into `width`.
    pub(super) fn fitting(width: usize) -> Self {
        let project = (width / 6).clamp(12, 36);
        // In the order of what they tell; a further one only where the title keeps its room.
        let wanted = [
            (Column::Age, 4),
            (Column::Project, project),
            (Column::Turns, 6),
            (Column::Compactions, 4),
            (Column::Tokens, 6),
            (Column::Agent, 11),
            (Column::Path, width / 4),
        ];
        let mut room = width.saturating_sub(MARK);
        let mut chosen = Vec::new();
        for (column, wide) in wanted {
            let least = if column == Column::Path { 2 * TITLE } else { TITLE };
            if room >= wide + 2 + least {
                room -= wide + 2;
                chosen.push((column, wide));
            }
        }
        chosen.push((Column::Title, room.saturating_sub(1)));
        let place = |column: Column| {
            use Column::{Age, Agent, Compactions, Path, Project, Title, Tokens, Turns};
            [Age, Project, Title, Agent, Turns, Tokens, Compactions, Path].iter().position(|c| *c == column)
        };
        chosen.sort_by_key(|(column, _)| place(*column));
        Self(chosen)
    }

    /// The line above the rows.
    pub(super) fn headings(&self, theme: &Theme) -> Line<'static> {
        let mut text = " ".repeat(MARK);
        for (column, width) in &self.0 {
            text.push_str(&match column {
                Column::Age => right("age", *width),
                Column::Project => left("project", *width),
                Column::Title => left("title", *width),
                Column::Agent => left("agent", *width),
                Column::Turns => right("turns", *width),
                Column::Tokens => right("tokens", *width),
                Column::Compactions => right("comp", *width),
                Column::Path => left("path", *width),
            });
            text.push_str("  ");
        }
        Line::styled(text.trim_end().to_owned(), theme.dim)
    }

    /// One session.
    pub(super) fn row(&self, picker: &Picker, row: &Row) -> Line<'static> {
        let theme = &picker.theme;
        let session = picker.session(row);
        let live = session.is_live(picker.now);
        let mut spans = vec![Span::styled(if live { " ● " } else { "   " }, theme.assistant)];
        for (column, width) in &self.0 {
            let (text, style) = match column {
                Column::Title => {
                    spans.extend(title(theme, session, row, *width));
                    spans.push(Span::raw("  "));
                    continue;
                }
                Column::Age => {
                    let seconds = (picker.now - session.modified()).max(0) / 1000;
                    (right(&age(seconds as u64), *width), if live { theme.assistant } else { theme.dim })
                }
                Column::Project => {
                    let project = session.project().unwrap_or_default();
                    let project = picker.short_path(Path::new(&project));
                    (left(&shorten_start(&safe(&project), *width), *width), theme.address)
                }
                Column::Agent => (left(&safe(session.agent().unwrap_or_default()), *width), theme.dim),
                Column::Path => {
                    let path = picker.short_path(&session.path);
                    (left(&shorten_start(&safe(&path), *width), *width), theme.dim)
                }
                Column::Turns | Column::Tokens | Column::Compactions => {
                    number(*column, theme, session, *width)
                }
            };
            let style = if row.bystander { theme.dim } else { style };
            spans.push(Span::styled(text, style));
            spans.push(Span::raw("  "));
        }
        Line::from(spans)
    }
}

/// A count: dimmed while the session has grown since, dots while it is still to come.
fn number(column: Column, theme: &Theme, session: &Listed, width: usize) -> (String, Style) {
    let Some(counts) = &session.counts else {
        let text = if session.is_uncounted() && column == Column::Turns { "…" } else { "" };
        return (right(text, width), theme.dim);
    };
    let (text, style) = match column {
        Column::Turns => (short(counts.turns), theme.text),
        Column::Tokens => (counts.tokens.map_or_else(String::new, short), theme.text),
        _ if counts.compactions == 0 => (String::new(), theme.text),
        _ => (short(counts.compactions), theme.summary),
    };
    (right(&text, width), if session.stale { theme.dim } else { style })
}

/// The title with what stands before and behind it, in exactly `width` columns.
fn title(theme: &Theme, session: &Listed, row: &Row, width: usize) -> Vec<Span<'static>> {
    let fold = match (row.below, row.open) {
        (0, _) => "",
        (_, true) => "▾ ",
        (_, false) => "▸ ",
    };
    let kin = match (row.depth, &session.glance) {
        (0, _) => String::new(),
        (_, Some(glance)) if glance.fork => "fork: ".to_owned(),
        _ => "agent: ".to_owned(),
    };
    let incomplete = session.counts.as_ref().is_some_and(|counts| counts.incomplete.is_some());
    let mark = if incomplete && session.problem.is_none() { "✗ incomplete: " } else { "" };
    let before = format!("{}{fold}{kin}{mark}", "  ".repeat(usize::from(row.depth).min(8)));
    let behind = if row.below > 0 { format!("  +{}", row.below) } else { String::new() };
    let room = width.saturating_sub(before.width() + behind.width());
    let (text, style) = match (&session.problem, session.title()) {
        (Some(problem), _) => {
            let reason = reason(problem, &session.path);
            (shorten(&safe(&reason), room), theme.dim)
        }
        (None, Some(title)) => (shorten(&safe(title), room), theme.text),
        (None, None) => (shorten(&safe(&session.name()), room), theme.dim),
    };
    let style = if row.bystander { theme.dim } else { style };
    let filled = width.saturating_sub(before.width() + text.width() + behind.width());
    vec![
        Span::styled(shorten(&before, width), theme.dim),
        Span::styled(text, style),
        Span::styled(behind, theme.dim),
        Span::raw(" ".repeat(filled)),
    ]
}

/// Why a session cannot be read, without its path: that stands elsewhere.
pub(super) fn reason(problem: &str, path: &Path) -> String {
    let first = problem.lines().next().unwrap_or_default();
    let reason = first.strip_prefix(&*path.to_string_lossy()).and_then(|rest| rest.strip_prefix(": "));
    format!("✗ {}", reason.unwrap_or(first))
}
