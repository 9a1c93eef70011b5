//! What is looked at: the detail pane, where things were drawn, and where to come back to.

use ratatui::layout::Rect;

use crate::outline::{Node, ViewKind};

use super::super::document::Document;
use super::super::pager::Place;

/// The document on the detail pane.
#[derive(Debug, Default)]
pub struct Detail {
    /// What it shows, as of which turn.
    pub of: Option<(Node, u32)>,
    /// Its text.
    pub document: Document,
    /// The first row on the screen.
    pub place: Place,
    /// The pane's size when it was drawn last.
    pub width: usize,
    /// See `width`.
    pub height: usize,
    /// What of the node it shows.
    pub shows: Shows,
    /// Words to scroll to once they are there.
    pub seek: Option<String>,
}

/// What the detail pane shows of the selected node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shows {
    /// Itself.
    #[default]
    Node,
    /// A difference of summaries.
    Difference,
    /// The note that is made of it.
    Note,
    /// The trace of this sentence or turn; of every other sentence that is selected after it.
    Trace(Node),
}

/// Where things were drawn, for the mouse.
#[derive(Clone, Copy, Debug, Default)]
pub struct Areas {
    /// The tabs of the views.
    pub tabs: Rect,
    /// The rows of the tree.
    pub tree: Rect,
    /// The rows of the detail.
    pub detail: Rect,
    /// The column between the panes.
    pub divider: u16,
    /// Only the pane that has the keys is on the screen.
    pub one_pane: bool,
    /// The line about a compaction.
    pub banner: Rect,
}

/// A document whose lines lead somewhere, as it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub(in crate::tui) shows: Shows,
    pub(in crate::tui) place: Place,
    pub(in crate::tui) chosen: Option<usize>,
}

/// A place to come back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    pub(in crate::tui) kind: ViewKind,
    pub(in crate::tui) as_of: u32,
    pub(in crate::tui) selected: Vec<Node>,
    pub(in crate::tui) following: bool,
    /// What was read there, where its lines lead somewhere.
    pub(in crate::tui) reading: Option<Reading>,
    /// What a link of it led to: while that is selected, one key leads back.
    pub(in crate::tui) led_to: Option<Node>,
}
