//! The help, made from the key table.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

use super::super::keys::{Context, bindings, topics};
use super::super::pager::wrap;
use super::super::signs;
use super::super::theme::Theme;

/// Columns for the keys.
const KEYS: usize = 20;
/// The widest the help gets.
const WIDTH: u16 = 100;

/// Draws the help on the keys of `contexts` over the screen, from line `top` on. The line that it begins with.
pub(in crate::tui) fn render(
    frame: &mut Frame,
    area: Rect,
    theme: &Theme,
    contexts: &[Context],
    top: u16,
) -> u16 {
    let width = if area.width <= WIDTH + 4 { area.width } else { WIDTH };
    let lines = lines(theme, contexts, usize::from(width.saturating_sub(2)));
    let height = (lines.len() as u16 + 2).min(area.height.saturating_sub(2));
    let place =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    let most = (lines.len() as u16 + 2).saturating_sub(height);
    let top = top.min(most);
    let more = if most > 0 {
        let last = (top + height).saturating_sub(2).min(lines.len() as u16);
        format!(" Help, lines {} to {last} of {}: Down and Up scroll, others close ", top + 1, lines.len())
    } else {
        " Help: any key closes ".to_owned()
    };
    let block = Block::new().borders(Borders::ALL).border_style(theme.focus).title(more);
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).scroll((top, 0)).block(block), place);
    top
}

fn lines(theme: &Theme, contexts: &[Context], width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for topic in topics(contexts) {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(Span::styled(format!(" {topic}"), theme.heading)));
        for binding in bindings(contexts).filter(|binding| binding.topic == topic) {
            lines.extend(entry(theme, &binding.keys.join(" "), binding.doc, width));
        }
    }
    if contexts.contains(&Context::Inspector) {
        lines.push(Line::default());
        lines.push(Line::from(Span::styled(" Signs before a summary's sentences", theme.heading)));
        for known in signs::ALL {
            lines.extend(entry(theme, known.mark, known.doc, width));
        }
        lines.push(Line::default());
        lines.push(Line::from(Span::styled(" Signs before an audit's items", theme.heading)));
        for known in signs::VERDICTS {
            lines.extend(entry(theme, &format!("{} {}", known.mark, known.name), known.doc, width));
        }
    }
    lines
}

/// What stands on the left, and what it means on as many lines as that takes.
fn entry(theme: &Theme, left: &str, doc: &'static str, width: usize) -> Vec<Line<'static>> {
    let line = |(number, range): (usize, std::ops::Range<usize>)| {
        let left = if number == 0 { left } else { "" };
        Line::from(vec![
            Span::styled(format!("   {left:<KEYS$}"), theme.address),
            Span::styled(&doc[range], theme.text),
        ])
    };
    wrap(doc, width.saturating_sub(KEYS + 3), 0).into_iter().enumerate().map(line).collect()
}
