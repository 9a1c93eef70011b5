//! The help, made from the key table.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

use super::super::keys::{TABLE, TOPICS};
use super::super::model::Model;
use super::super::theme::Theme;

/// Columns for the keys.
const KEYS: usize = 20;
/// The widest the help gets.
const WIDTH: u16 = 100;

/// Draws the help over the screen.
pub(super) fn render(frame: &mut Frame, area: Rect, model: &mut Model) {
    let lines = lines(&model.theme);
    let width = area.width.saturating_sub(2).min(WIDTH);
    let height = (lines.len() as u16 + 2).min(area.height.saturating_sub(2));
    let place =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    let most = (lines.len() as u16 + 2).saturating_sub(height);
    let top = model.help.unwrap_or(0).min(most);
    model.help = Some(top);
    let more =
        if most > 0 { " Help: j and k scroll, any other key closes " } else { " Help: any key closes " };
    let block = Block::new().borders(Borders::ALL).border_style(model.theme.focus).title(more);
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).scroll((top, 0)).block(block), place);
}

fn lines(theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for topic in TOPICS {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(Span::styled(format!(" {topic}"), theme.heading)));
        for binding in TABLE.iter().filter(|binding| binding.topic == topic) {
            let keys = binding.keys.join(" ");
            lines.push(Line::from(vec![
                Span::styled(format!("   {keys:<KEYS$}"), theme.address),
                Span::styled(binding.doc, theme.text),
            ]));
        }
    }
    lines
}
