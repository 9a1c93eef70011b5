//! The first three lines: what is open, how full the window was over time, which views there are.

use std::path::Path;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::log::{Flow, name};
use crate::session::Session;
use crate::strategies::fill::turns_left;
use crate::text::display::safe;
use crate::text::numbers::{grouped, short};

use super::super::model::{Model, clock};
use super::super::views;
use super::{fit, spread};

/// Draws as many of the lines as there is room for.
pub(super) fn render(frame: &mut Frame, area: Rect, model: &mut Model) {
    let width = usize::from(area.width);
    let mut lines = vec![title(model, width)];
    if area.height > 1 {
        lines.push(gauge(model, width));
        lines.push(tabs(model, area.width));
        model.areas.tabs = Rect { y: area.y + 2, height: 1, ..area };
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn title(model: &Model, width: usize) -> Line<'static> {
    let theme = &model.theme;
    let mut left = vec![Span::styled(" pentimento ", theme.heading)];
    if model.forest.file().is_some() {
        // It has no turns and no agent, and is read once.
        left.push(Span::styled(format!(" {}", safe(&name::shown(&model.path))), theme.text));
        return spread(left, vec![Span::styled("forest file ", theme.dim)], width);
    }
    if let Some(session) = model.session() {
        let name = session.title.clone().map_or_else(|| file_name(&model.path), String::from);
        left.push(Span::styled(format!(" {}", safe(&name)), theme.text));
        let version = session.version.as_ref().map_or(String::new(), |version| format!(" {version}"));
        left.push(Span::styled(
            safe(&format!(" · {}{version} · main", session.format.name())).into_owned(),
            theme.dim,
        ));
    } else {
        left.push(Span::raw(format!(" {}", safe(&name::shown(&model.path)))));
    }
    let mut right = state(model);
    if let Some(session) = model.session() {
        let counts = if session.partial {
            " · the end of the log".to_owned()
        } else if width < 90 {
            format!(" · turn {}", grouped(u64::from(session.last())))
        } else {
            format!(
                " · {} records · turn {}",
                grouped(session.rows().len() as u64),
                grouped(u64::from(session.last()))
            )
        };
        right.push(Span::styled(counts, theme.dim));
    }
    right.push(Span::raw(" "));
    spread(left, right, width)
}

/// What a log without a title is called.
fn file_name(path: &Path) -> String {
    if name::is_standard_input(path) {
        return name::shown(path).into_owned();
    }
    let name = name::unpacked(path);
    name.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn state(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let feed = &model.feed;
    let (incomplete, ended) = feed
        .flow
        .as_ref()
        .map_or((false, false), |flow| (flow.trouble.is_some(), !flow.is_file && flow.ended));
    if feed.problem.is_some() {
        return vec![Span::styled("✗ cannot be read", theme.warn)];
    }
    if let Some((read, whole)) = feed.reading() {
        let percent = (read * 100).checked_div(whole).unwrap_or(0).min(100);
        return vec![Span::styled(format!("◌ reading {percent} %{}", remarks(model)), theme.warn)];
    }
    if feed.waiting && model.log.is_none() {
        return vec![Span::styled("◌ waiting for the file", theme.warn)];
    }
    if feed.gone {
        return vec![Span::styled("✗ file deleted", theme.warn)];
    }
    if model.following && feed.flow.as_ref().is_some_and(Flow::is_cut_off) {
        return vec![Span::styled(format!("◌ waiting for the rest{}", remarks(model)), theme.warn)];
    }
    if incomplete && model.waiting_turns() == 0 {
        return vec![Span::styled(format!("✗ incomplete{}", remarks(model)), theme.warn)];
    }
    if model.log.is_none() {
        let text = match feed.resting {
            _ if feed.doubt.is_some() => "◌ no known format yet",
            _ if ended => "■ input ended",
            true => "◌ waiting for the first records",
            false => "◌ reading",
        };
        return vec![Span::styled(text, theme.warn)];
    }
    match model.waiting_turns() {
        0 if ended => vec![Span::styled(format!("■ input ended{}", remarks(model)), theme.dim)],
        _ if model.following => vec![Span::styled(format!("● following{}", remarks(model)), theme.assistant)],
        0 => vec![Span::styled(format!("○ at the end{}", remarks(model)), theme.dim)],
        turns => {
            let more = crate::text::numbers::count(u64::from(turns), "turn");
            let remark = match (incomplete, ended) {
                (true, _) => ", incomplete",
                (false, true) => ", input ended",
                (false, false) => "",
            };
            vec![Span::styled(format!("○ {more} later (f follows){remark}"), theme.summary)]
        }
    }
}

/// What else there is to know of how the log is read.
fn remarks(model: &Model) -> String {
    let feed = &model.feed;
    let in_memory = feed.flow.as_ref().is_some_and(|flow| flow.in_memory.is_some());
    let mut remarks = String::new();
    for (remark, holds) in
        [("polling", feed.polled), ("1 line unfinished", feed.pending), ("in memory", in_memory)]
    {
        if holds {
            remarks = format!("{remarks}, {remark}");
        }
    }
    if feed.epochs > 0 {
        remarks = format!("{remarks}, epoch {}", feed.epochs + 1);
    }
    remarks
}

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The context size over the turns, a column for some turns, with a mark where a compaction was.
fn gauge(model: &Model, width: usize) -> Line<'static> {
    let theme = &model.theme;
    let Some(session) = model.session() else { return Line::default() };
    if let Some(shown) = model.forest.file() {
        let text = format!(" {}", safe(&shown.file.head()));
        return Line::from(fit(vec![Span::styled(text, theme.dim)], width));
    }
    let (window, logged) = session.window();
    let mut spans = vec![Span::styled(" context ", theme.dim)];
    let columns = if width < 80 { width / 5 } else { width / 3 }.clamp(8, 60);
    spans.extend(curve(model, session, columns, window));
    let now = session.context_size(model.as_of);
    let size = now.map_or("not logged yet".to_owned(), |(tokens, _)| short(u64::from(tokens)));
    spans.push(Span::styled(format!(" {size}"), theme.heading));
    let as_of = if session.partial { "as of t…".to_owned() } else { format!("as of t{}", model.as_of) };
    let time = session.numbered(0, model.as_of).and_then(|id| clock(session.turn(id).time, false));
    let mut right = vec![
        Span::styled(as_of, theme.heading),
        Span::styled(time.map_or(" ".to_owned(), |time| format!(" · {time} ")), theme.dim),
    ];
    // What else there is room for, whole or not at all, most wanted first.
    let taken = |spans: &[Span]| spans.iter().map(|span| span.content.width()).sum::<usize>();
    let mut room = width.saturating_sub(taken(&spans) + taken(&right) + 1);
    let mut fits = |text: &str| {
        let fits = text.width() <= room;
        room = if fits { room - text.width() } else { room };
        fits
    };
    let about = if logged { "" } else { "~" };
    let of = format!(" of {about}{}", short(u64::from(window)));
    if now.is_some() && fits(&of) {
        spans.push(Span::styled(of, theme.dim));
    }
    if let Some(compaction) = session.compaction_before(model.as_of).filter(|_| !session.partial) {
        let text = format!("g{} of {} · ", compaction.generation, session.compactions().len());
        if fits(&text) {
            right.insert(0, Span::styled(text, theme.summary));
        }
    }
    if let Some(left) = turns_left(session, model.as_of).filter(|_| !session.partial) {
        let text = format!(" · ~{left} turns left");
        if fits(&text) {
            spans.push(Span::styled(text, theme.dim));
        }
    }
    spread(spans, right, width)
}

fn curve(model: &Model, session: &Session, columns: usize, window: u32) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let turns = u64::from(session.last());
    if turns == 0 {
        return vec![Span::raw(" ".repeat(columns))];
    }
    let columns = columns as u64;
    let mut marks = vec![false; columns as usize];
    for summary in session.compactions().iter().filter_map(|compaction| compaction.summary) {
        let column = (u64::from(session.turn(summary).number) - 1) * columns / turns;
        if let Some(mark) = marks.get_mut(column as usize) {
            *mark = true;
        }
    }
    let here = (u64::from(model.as_of).max(1) - 1) * columns / turns;
    let mut spans = Vec::new();
    for column in 0..columns {
        let number = ((column + 1) * turns).div_ceil(columns).clamp(1, turns) as u32;
        let (glyph, mut style) = if marks[column as usize] {
            ('┊', theme.summary)
        } else {
            let height = session
                .context_size(number)
                .map_or(0, |(tokens, _)| u64::from(tokens) * 8 / u64::from(window.max(1)));
            (BARS[height.min(7) as usize], theme.gauge)
        };
        if column == here {
            style = style.add_modifier(Modifier::REVERSED);
        }
        spans.push(Span::styled(glyph.to_string(), style));
    }
    spans
}

fn tabs(model: &Model, width: u16) -> Line<'static> {
    let theme = &model.theme;
    let mut spans = vec![Span::raw(" ")];
    for (kind, text) in views::tabs(model.kind, width) {
        let style = if kind == model.kind { theme.selected } else { theme.dim };
        spans.push(Span::styled(text, style));
    }
    if let Some(filter) = &model.filter {
        spans.push(Span::styled(format!("  filter: {} (Esc ends it)", safe(&filter.text)), theme.summary));
    }
    Line::from(spans)
}
