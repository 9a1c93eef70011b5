//! The tree pane: `tui-tree-widget`, given only the rows around the screen.
//!
//! The widget walks everything it is given, so it is given the visible rows and the open nodes above the first of
//! them, which are then scrolled out. It draws into a buffer of its own: its indentation can run over the pane's
//! edge, and a neighbour must not be painted over.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Scrollbar, ScrollbarOrientation, ScrollbarState, StatefulWidget};
use tui_tree_widget::{Tree as TreeWidget, TreeItem, TreeState};

use crate::outline::audit::{Audited, Beside};
use crate::outline::{Label, Node, Outline};
use crate::session::address::Address;
use crate::text::display::safe;
use crate::text::numbers::short;

use super::super::model::{Model, Pane};
use super::super::signs::{self, Sign};
use super::super::theme::Theme;
use super::super::tree::Row;
use super::super::views;
use super::{fit, spread, style};

/// Signs before a row: open, closed, nothing under it.
const SIGNS: (&str, &str, &str) = ("▾ ", "▸ ", "  ");
/// Columns the signs take.
const SIGN: usize = 2;
/// Columns one level is set in by.
const LEVEL: usize = 2;

/// Draws the pane.
pub(super) fn render(frame: &mut Frame, area: Rect, model: &mut Model) {
    let focused = model.pane == Pane::Tree;
    let border = if focused { model.theme.focus } else { model.theme.border };
    let what = model.kind.title();
    let title = Line::from(fit(
        vec![Span::styled(format!(" {what} "), border)],
        usize::from(area.width).saturating_sub(2),
    ));
    let mut block = Block::new().borders(Borders::ALL).border_style(border).title(title);
    if let Some((words, watch)) = views::standing(model) {
        let style = if watch { model.theme.warn } else { model.theme.dim };
        let words = vec![Span::styled(format!(" {} ", safe(&words)), style)];
        let line = Line::from(fit(words, usize::from(area.width).saturating_sub(2)));
        block = block.title_bottom(line.right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    model.areas.tree = inner;
    if inner.width < 4 || inner.height == 0 {
        return;
    }
    let rows = visible(model, inner);
    draw(frame, inner, model, &rows, focused);
    scrollbar(frame, area, model, rows.total);
}

/// The rows on the screen, and the open nodes above the first of them.
struct Visible {
    above: Vec<Node>,
    rows: Vec<Row>,
    labels: Vec<Label>,
    /// What is known of the lineage of each row.
    signs: Vec<Vec<(Sign, usize)>>,
    selected: Option<usize>,
    total: usize,
}

fn visible(model: &mut Model, inner: Rect) -> Visible {
    let nothing = Visible {
        above: Vec::new(),
        rows: Vec::new(),
        labels: Vec::new(),
        signs: Vec::new(),
        selected: None,
        total: 0,
    };
    let Some((log, view, tree)) = model.parts() else { return nothing };
    let view: &dyn Outline = view;
    let layout = tree.layout(view, log);
    tree.height = usize::from(inner.height);
    tree.scroll_to_selected(&layout, view, log);
    let selected = tree.selected_row(&layout, view, log);
    let range = tree.top..layout.len().min(tree.top + tree.height);
    let rows: Vec<Row> = range.clone().filter_map(|index| layout.row(view, log, index)).collect();
    let above = rows.first().map(|row| layout.ancestors(row)).unwrap_or_default();
    let labels = rows.iter().map(|row| view.label(log, row.node)).collect();
    let selected = selected.filter(|row| range.contains(row)).map(|row| row - range.start);
    let total = layout.len();
    let signs = signs(model, &rows);
    Visible { above, rows, labels, signs, selected, total }
}

/// The signs of the rows, and questions for those that are not traced yet.
fn signs(model: &mut Model, rows: &[Row]) -> Vec<Vec<(Sign, usize)>> {
    let (Some(log), Some(view)) = (&model.log, &model.view) else { return Vec::new() };
    let tracing = &mut model.tracing;
    let of = |row: &Row| match row.node {
        Node::Sentence(generation, place) => {
            tracing.ask(&log.session, generation);
            vec![(signs::of(tracing, generation, place), 0)]
        }
        Node::Audited(Audited::Finding(generation, place)) => {
            let audits = model.audits.borrow();
            let sign = audits.finding(generation, place).map(|finding| signs::of_verdict(finding.verdict));
            sign.map(|sign| (sign, 0)).into_iter().collect()
        }
        Node::Audited(Audited::Beside(generation, Beside::Support)) => {
            tracing.ask(&log.session, generation);
            let all = tracing.get(generation).map(|trace| trace.sentences.len());
            match all {
                Some(all) => signs::of_section(tracing, generation, 0..all),
                None => vec![(signs::PENDING, 0)],
            }
        }
        Node::Section(generation, section) if tracing.get(generation).is_some() => {
            let places = view.summary_text(log, generation).sentences_in(section);
            signs::of_section(tracing, generation, places)
        }
        _ => Vec::new(),
    };
    rows.iter().map(of).collect()
}

fn draw(frame: &mut Frame, inner: Rect, model: &Model, visible: &Visible, focused: bool) {
    let width = usize::from(inner.width);
    let partial = model.session().is_some_and(|session| session.partial);
    let texts: Vec<Line<'static>> = visible
        .rows
        .iter()
        .zip(visible.labels.iter().zip(&visible.signs))
        .map(|(row, (label, signs))| {
            line(label, signs, width.saturating_sub(row.depth * LEVEL + SIGN), &model.theme, partial)
        })
        .collect();
    let mut state: TreeState<usize> = TreeState::default();
    let mut builder = Builder { visible, texts, state: &mut state, next: 0, path: Vec::new() };
    let items = builder.under_ancestors(0);
    let Ok(widget) = TreeWidget::new(&items) else { return };
    let highlight = if focused { model.theme.selected } else { model.theme.selected_away };
    let widget = widget
        .node_open_symbol(SIGNS.0)
        .node_closed_symbol(SIGNS.1)
        .node_no_children_symbol(SIGNS.2)
        .highlight_style(highlight);
    let mut scratch = Buffer::empty(inner);
    if !visible.above.is_empty() {
        // The widget clamps its offset to what it drew last: draw once, then scroll the nodes above out.
        StatefulWidget::render(widget.clone(), inner, &mut scratch, &mut state);
        state.scroll_down(visible.above.len());
        scratch = Buffer::empty(inner);
    }
    StatefulWidget::render(widget, inner, &mut scratch, &mut state);
    frame.buffer_mut().merge(&scratch);
}

/// Nests rows as items, and tells the widget's state what is open and selected.
struct Builder<'a> {
    visible: &'a Visible,
    texts: Vec<Line<'static>>,
    state: &'a mut TreeState<usize>,
    next: usize,
    path: Vec<usize>,
}

impl Builder<'_> {
    /// The open nodes above the first row, each the only one at its level until its rows are done.
    fn under_ancestors(&mut self, depth: usize) -> Vec<TreeItem<'static, usize>> {
        if depth == self.visible.above.len() {
            return self.rows(depth);
        }
        // Ids above the rows' own numbers, so that no two are the same.
        let id = usize::MAX - 1 - depth;
        self.path.push(id);
        self.state.open(self.path.clone());
        let children = self.under_ancestors(depth + 1);
        self.path.pop();
        let mut items: Vec<_> = TreeItem::new(id, "", children).into_iter().collect();
        items.extend(self.rows(depth));
        items
    }

    fn rows(&mut self, depth: usize) -> Vec<TreeItem<'static, usize>> {
        let mut items = Vec::new();
        while let Some(row) = self.visible.rows.get(self.next).filter(|row| row.depth == depth) {
            let id = self.next;
            self.next += 1;
            let text = std::mem::take(&mut self.texts[id]);
            self.path.push(id);
            if self.visible.selected == Some(id) {
                self.state.select(self.path.clone());
            }
            let children = if row.open {
                self.state.open(self.path.clone());
                let mut children = self.rows(depth + 1);
                if children.is_empty() && row.children > 0 {
                    // Its children are below the screen; the sign must still be the open one.
                    children.push(TreeItem::new_leaf(usize::MAX, ""));
                }
                children
            } else if row.children > 0 {
                vec![TreeItem::new_leaf(usize::MAX, "")]
            } else {
                Vec::new()
            };
            self.path.pop();
            items.extend(TreeItem::new(id, text, children));
        }
        items
    }
}

/// Columns of text that are worth showing before marks.
const LEAST_TEXT: usize = 12;

/// A label as one line of `width` columns.
fn line(label: &Label, signs: &[(Sign, usize)], width: usize, theme: &Theme, partial: bool) -> Line<'static> {
    let dim = |style: Style| if label.out { theme.dim } else { style };
    let mut left: Vec<Span> = Vec::new();
    if let Some(address) = &label.address {
        let text = match address {
            Address::Turn { .. } if partial => "t…".to_owned(),
            Address::Line(_) if partial => "L…".to_owned(),
            Address::Generation(_) | Address::Sentence { .. } if partial => "g…".to_owned(),
            address => safe(&address.to_string()).into_owned(),
        };
        let style = if label.kind == "summary" { theme.summary } else { theme.address };
        left.push(Span::styled(format!("{text} "), dim(style)));
    }
    let sign = |sign: &Sign| Span::styled(format!("{} ", sign.mark), style(theme, sign.tone));
    left.extend(signs.iter().filter(|(_, count)| *count == 0).map(|(known, _)| sign(known)));
    if !label.who.is_empty() {
        left.push(Span::styled(format!("{} ", label.who), dim(who(label, theme))));
    }
    let words = match label.kind {
        "summary" if label.who.is_empty() => theme.summary,
        "group" | "root" => theme.heading,
        _ => theme.text,
    };
    for mark in label.marks.iter().filter(|mark| mark.warns()) {
        left.push(Span::styled(format!("{} ", mark.words()), theme.warn));
    }
    let marks = label.marks.iter().filter(|mark| !mark.warns());
    let marks: Vec<Span> =
        marks.map(|mark| Span::styled(format!(" · {}", mark.words()), theme.dim)).collect();
    let mut right = Vec::new();
    for (known, count) in signs.iter().filter(|(_, count)| *count > 0 && width >= 24) {
        right.push(sign(known));
        right.push(Span::styled(format!("{count}  "), style(theme, known.tone)));
    }
    if let Some(tokens) = label.tokens.filter(|_| width >= 24) {
        right.push(Span::styled(format!("~{}", short(tokens)), theme.dim));
    }
    let wide = |spans: &[Span]| spans.iter().map(Span::width).sum::<usize>();
    let text = Span::styled(safe(&label.text).into_owned(), dim(words));
    let room = width.saturating_sub(wide(&left) + wide(&right) + wide(&marks) + 1);
    // What marks say is not lost to a long text, unless there is no room for both.
    if room >= LEAST_TEXT && !marks.is_empty() {
        left.extend(fit(vec![text], room));
    } else {
        left.push(text);
    }
    left.extend(marks);
    spread(left, right, width)
}

fn who(label: &Label, theme: &Theme) -> Style {
    match label.who {
        "user" | "recorded" => theme.user,
        "assistant" | "text" => theme.assistant,
        "tool" | "call" | "result" => theme.tool,
        "malformed" | "dropped" | "mutated" => theme.warn,
        "sweep" | "override" | "dedup" | "cycle" | "weakened" => theme.summary,
        "compare" => theme.heading,
        _ => theme.dim,
    }
}

fn scrollbar(frame: &mut Frame, area: Rect, model: &Model, total: usize) {
    let tree = model.tree();
    if total <= tree.height || area.height < 4 {
        return;
    }
    let mut state = ScrollbarState::new(total - tree.height).position(tree.top);
    let inside = Rect { y: area.y + 1, height: area.height - 2, ..area };
    Scrollbar::new(ScrollbarOrientation::VerticalRight)
        .begin_symbol(None)
        .end_symbol(None)
        .thumb_symbol("┃")
        .track_symbol(None)
        .thumb_style(model.theme.dim)
        .render(inside, frame.buffer_mut(), &mut state);
}
