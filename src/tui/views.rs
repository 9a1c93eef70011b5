//! The views on the screen, in one place: with what each opens, and who makes its rows.
//!
//! A view is a row of [`ViewKind`] (name, digit, title), a tree (an [`crate::outline::OwnTree`] where it does not show
//! what the log records) and an arm in each function here. What its own nodes show, where its own addresses lead and what
//! its own keys do stands in a module of the view's name here, in `detail/` and in `update/`.

use crate::outline::{Group, Node, View, ViewKind};
use crate::session::open::OpenLog;

use super::model::Model;
use super::tree::Tree;

/// A tree for each view, as it is before anybody opened anything.
pub(super) fn fresh_trees() -> Vec<Tree> {
    ViewKind::ALL.into_iter().map(|kind| Tree::new(opened(kind))).collect()
}

/// What is open at first.
fn opened(kind: ViewKind) -> &'static [Node] {
    match kind {
        ViewKind::Window | ViewKind::Generations => &[Node::Group(Group::Since)],
    }
}

/// The view as of turn `as_of`.
pub(super) fn make(_model: &Model, log: &OpenLog, kind: ViewKind, as_of: u32) -> View {
    match kind {
        ViewKind::Window | ViewKind::Generations => View::new(log, kind, as_of),
    }
}
