//! The list of sessions: its state.
//!
//! The catalogue says what there is; this says what of it is on the screen. Order and filter are worked out when
//! something changed ([`Picker::settle`]), never while drawing: a frame touches the rows on the screen and no
//! others, however many there are.

mod render;
mod rows;
#[cfg(test)]
mod tests;
mod update;

pub use render::screen;
pub use update::{Effect, update};

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ratatui::layout::Rect;

use crate::discover::{Catalogue, Listed, Look, SessionNo};

use super::prompt::{Kind, Prompt};
use super::theme::Theme;
use rows::{Line, Row, Texts};

/// The state of the list.
#[derive(Debug)]
pub struct Picker {
    /// What there is.
    pub catalogue: Catalogue,
    /// The filter as typed.
    pub filter: Prompt,
    /// The row that is selected, if there is one.
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    /// The help is open, from this line on.
    pub help: Option<u16>,
    /// One line for the person.
    pub message: Option<String>,
    /// Colours.
    pub theme: Theme,
    /// Milliseconds since the epoch, as ages are told.
    pub now: i64,
    /// Where was looked, once everything was.
    pub look: Option<Look>,
    /// Somebody came here from a session, and can go back.
    pub has_session: bool,
    /// The home folder, shown as `~`.
    home: Option<PathBuf>,
    /// Every session in the order of the list.
    lines: Vec<Line>,
    /// Those that are on the list, with the filter and what is folded.
    rows: Vec<Row>,
    texts: Texts,
    open: HashSet<SessionNo>,
    /// Somebody moved: the selection stays with its session.
    moved: bool,
    counts: Totals,
    /// What [`Picker::settle`] has to do.
    stale: Stale,
    /// Rows on the screen when it was drawn last.
    height: usize,
    /// Where the rows were drawn.
    area: Rect,
}

/// How many sessions there are, and of what kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    shown: usize,
    uncounted: usize,
    live: usize,
}

/// What is to be worked out anew.
#[derive(Clone, Copy, Debug, Default)]
struct Stale {
    totals: bool,
    order: bool,
    rows: bool,
}

impl Picker {
    /// An empty list.
    pub fn new(theme: Theme, home: Option<PathBuf>) -> Self {
        Self {
            catalogue: Catalogue::default(),
            filter: Prompt::new(Kind::Sessions),
            cursor: 0,
            top: 0,
            help: None,
            message: None,
            theme,
            now: crate::discover::now(),
            look: None,
            has_session: false,
            home,
            lines: Vec::new(),
            rows: Vec::new(),
            texts: Texts::default(),
            open: HashSet::new(),
            moved: false,
            counts: Totals::default(),
            stale: Stale { totals: true, order: true, rows: true },
            height: 1,
            area: Rect::default(),
        }
    }

    /// The selected session.
    pub fn selected(&self) -> Option<SessionNo> {
        self.rows.get(self.cursor).map(|row| row.no)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many sessions are still to be counted.
    pub fn uncounted(&self) -> usize {
        self.counts.uncounted
    }

    /// Brings order, filter and totals up to date with what changed.
    pub fn settle(&mut self) {
        let stale = std::mem::take(&mut self.stale);
        if stale.totals {
            self.counts = self.totals();
        }
        if stale.order {
            self.lines = rows::lines(&self.catalogue);
        }
        if stale.order || stale.rows {
            let selected = self.selected();
            self.rows = rows::rows(&self.lines, &self.texts, &self.filter.text, &self.open);
            self.find(selected);
        }
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (_, session) in self.catalogue.shown() {
            totals.shown += 1;
            totals.uncounted += usize::from(session.is_uncounted());
            totals.live += usize::from(session.is_live(self.now));
        }
        totals
    }

    /// The rows are other ones: finds the selected session again, or what stands where it stood. Until somebody
    /// moves, the newest is selected.
    fn find(&mut self, selected: Option<SessionNo>) {
        let at = selected.filter(|_| self.moved).and_then(|no| self.rows.iter().position(|row| row.no == no));
        let last = self.rows.len().saturating_sub(1);
        self.cursor = at.unwrap_or(if self.moved { self.cursor.min(last) } else { 0 });
        self.keep_in_sight();
    }

    /// Scrolls as little as shows the selected row.
    fn keep_in_sight(&mut self) {
        let height = self.height.max(1);
        self.top = self.top.clamp((self.cursor + 1).saturating_sub(height), self.cursor);
        self.top = self.top.min(self.rows.len().saturating_sub(height));
    }

    /// The session on a row.
    fn session(&self, row: &Row) -> &Listed {
        self.catalogue.get(row.no)
    }

    /// A path as people write it.
    fn short_path(&self, path: &Path) -> String {
        let home = self.home.as_deref().filter(|home| home.components().count() > 1);
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}
