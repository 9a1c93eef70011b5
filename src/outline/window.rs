//! The Window view: the model's view as of a turn, what fills it, and what fell out of it.

use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::strategies::{Entry, recorded_newest_first};

use super::{Group, Node, View};

/// A turn in view, or a malformed line behind one: in four bytes, since all the turns of a session that was never
/// compacted are in view. Of more than two billion rows or turns it tells the wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InView(u32);

impl InView {
    const MALFORMED: u32 = 1 << 31;

    fn turn(id: TurnId) -> Self {
        Self(id.0 & !Self::MALFORMED)
    }

    fn malformed(row: u32) -> Self {
        Self(row | Self::MALFORMED)
    }

    /// The node of the tree.
    pub(super) fn node(self) -> Node {
        self.as_turn().map_or(Node::Row(self.0 & !Self::MALFORMED), Node::Turn)
    }

    /// The turn, if it is one.
    pub(super) fn as_turn(self) -> Option<TurnId> {
        (self.0 & Self::MALFORMED == 0).then_some(TurnId(self.0))
    }

    /// The row it begins at.
    pub(super) fn row(self, session: &Session) -> u32 {
        self.as_turn().map_or(self.0 & !Self::MALFORMED, |id| session.turn(id).first_row)
    }
}

/// Works out what is in the window.
pub(super) fn build(view: &mut View, session: &Session) {
    view.window.clear();
    view.kept.clear();
    view.summary = None;
    (view.window_turns, view.settled_tokens) = (0, 0);
    let (mut seen, mut summary_turn) = (Vec::new(), None);
    for entry in recorded_newest_first(session, view.as_of) {
        match entry {
            Entry::Summary { turn, generation } => {
                (summary_turn, view.summary) = (Some(turn), Some(generation));
            }
            Entry::Turn(id) | Entry::Receipt { target: id } => seen.push(id),
            _ => {}
        }
    }
    view.window.reserve_exact(seen.len());
    for id in seen.into_iter().rev() {
        if summary_turn.is_some_and(|summary| id < summary) {
            view.kept.push(id);
        } else {
            push(view, session, id);
        }
    }
    set_aside(view, session);
    view.out = out(view, session);
}

/// Adds a turn of the path, and the malformed lines that follow it.
fn push(view: &mut View, session: &Session, id: TurnId) {
    // The turn before is closed now: its tokens are settled.
    view.settled_tokens = view.tokens_in_view(session);
    view.window_turns += 1;
    view.window.push(InView::turn(id));
    push_malformed(view, session, id);
}

/// The newest turn in view.
pub(super) fn last_in_view(view: &View) -> Option<TurnId> {
    view.window.iter().rev().find_map(|shown| shown.as_turn())
}

/// Estimated tokens of a turn as the model sees it: of a stub, once its results were cleared.
pub(super) fn shown_tokens(view: &View, session: &Session, id: TurnId) -> u64 {
    match session.cleared_at(id) {
        Some(at) if at <= view.as_of => Entry::Receipt { target: id }.tokens(session),
        _ => u64::from(session.turn(id).tokens),
    }
}

fn push_malformed(view: &mut View, session: &Session, id: TurnId) {
    let rows = session.rows_after(id);
    let from = session.malformed().partition_point(|(row, _)| *row < rows.start);
    for (row, _) in session.malformed()[from..].iter().take_while(|(row, _)| *row < rows.end) {
        let line = InView::malformed(*row);
        if view.window.last() != Some(&line) {
            view.window.push(line);
        }
    }
}

/// What is neither in view nor covered: turns on other branches since the summary, and earlier conversations.
fn set_aside(view: &mut View, session: &Session) {
    view.abandoned.clear();
    view.earlier.clear();
    let first = view.window.iter().find_map(|shown| shown.as_turn());
    let begins = view.summary.and_then(|g| session.generation(g)).and_then(|c| c.summary).or(first);
    // Nothing is in view where all of it was rewound.
    let (from, to) = (begins.map_or(1, |begins| session.turn(begins).number), view.as_of);
    // Both are in the order of the file: a search for each turn would take longer than reading the log.
    let mut seen = view.window.iter().filter_map(|shown| shown.as_turn()).peekable();
    for id in (from..=to).filter_map(|number| session.numbered(0, number)) {
        while seen.next_if(|seen| *seen < id).is_some() {}
        if seen.peek() != Some(&id) && Some(id) != begins {
            view.abandoned.push(id);
        }
    }
    // Without a summary the window begins at a root: what stands before it is another conversation.
    if view.summary.is_none() {
        let mut covers: Vec<_> = session.compactions().iter().flat_map(|c| &c.covers).copied().collect();
        covers.sort_unstable();
        let mut covers = covers.into_iter().peekable();
        let before = (1..from).filter(|number| {
            while covers.next_if(|(_, to)| to < number).is_some() {}
            covers.peek().is_none_or(|(from, _)| number < from)
        });
        let before = before.filter_map(|number| session.numbered(0, number));
        // Where the first prompt was put in other words, that conversation was left for this one.
        let (left, earlier): (Vec<_>, Vec<_>) = before.partition(|id| session.is_abandoned(*id, to));
        view.abandoned.splice(..0, left);
        view.earlier = earlier;
    }
}

/// Moves on to `as_of` by pushes, where every new turn goes on from the one before it. False: build anew.
pub(super) fn advance(view: &mut View, session: &Session, as_of: u32) -> bool {
    if !goes_on(session, view.as_of, as_of) {
        return false;
    }
    refresh_last(view, session);
    for number in view.as_of + 1..=as_of {
        if let Some(id) = session.numbered(0, number) {
            push(view, session, id);
        }
    }
    view.as_of = as_of;
    true
}

/// Moves back to `as_of` by taking turns off the end, where [`advance`] would lead here again. False: build anew.
pub(super) fn retreat(view: &mut View, session: &Session, as_of: u32) -> bool {
    let Some(target) = session.numbered(0, as_of) else { return false };
    if !goes_on(session, as_of, view.as_of) {
        return false;
    }
    while let Some(shown) = view.window.pop() {
        let Some(id) = shown.as_turn() else { continue };
        if id == target {
            view.window.push(shown);
            push_malformed(view, session, id);
            view.as_of = as_of;
            return true;
        }
        view.window_turns -= 1;
        let newest = last_in_view(view).map_or(0, |id| shown_tokens(view, session, id));
        view.settled_tokens -= newest;
    }
    false
}

/// Whether every turn after `from` up to `to` goes on from the one before it and nothing else changed on the way.
fn goes_on(session: &Session, from: u32, to: u32) -> bool {
    let Some(mut last) = session.numbered(0, from).filter(|_| from < to) else { return false };
    for number in from + 1..=to {
        let Some(id) = session.numbered(0, number) else { return false };
        let turn = session.turn(id);
        if turn.is_summary() || turn.is_root() || session.before(id) != Some(last) {
            return false;
        }
        last = id;
    }
    session.is_steady(from, to)
}

/// Malformed lines may have arrived behind the newest turn.
pub(super) fn refresh_last(view: &mut View, session: &Session) {
    if let Some(id) = session.numbered(0, view.as_of)
        && last_in_view(view) == Some(id)
    {
        while view.window.last().is_some_and(|shown| shown.as_turn().is_none()) {
            view.window.pop();
        }
        push_malformed(view, session, id);
    }
}

/// The children of the whole view.
pub(super) fn root(view: &View, log: &OpenLog) -> Vec<Node> {
    let mut root = Vec::new();
    root.extend(view.summary.map(Node::Generation));
    if !view.kept.is_empty() {
        let first = view.summary.and_then(|g| log.session.generation(g)).is_some_and(|c| c.kept_first);
        root.insert(if first { 0 } else { root.len() }, Node::Group(Group::Kept));
    }
    root.push(Node::Group(Group::Since));
    root.push(Node::Group(Group::Fill));
    if !view.out.is_empty() {
        root.push(Node::Group(Group::Out));
    }
    if log.thread_count() > 1 {
        root.push(Node::Group(Group::Threads));
    }
    root
}

/// What the model no longer sees, newest first. Changes only where the window is built anew.
fn out(view: &View, session: &Session) -> Vec<Node> {
    let mut out = Vec::new();
    if !view.abandoned.is_empty() {
        out.push(Node::Group(Group::Abandoned));
    }
    for compaction in session.compactions().iter().rev() {
        let Some(summary) = compaction.summary else { continue };
        if session.turn(summary).number > view.as_of {
            continue;
        }
        if !compaction.covers.is_empty() {
            out.push(Node::Group(Group::Covered(compaction.generation)));
        }
        if !compaction.abandoned.is_empty() {
            out.push(Node::Group(Group::AbandonedIn(compaction.generation)));
        }
    }
    if !view.earlier.is_empty() {
        out.push(Node::Group(Group::Earlier));
    }
    out
}
