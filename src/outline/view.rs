//! The views of a session as trees, as of a turn.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::session::later::Soon;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::strategies::fill::Fill;
use crate::text::sections::{self, Section};
use crate::text::sentences::{self, Sentence};

use super::window::{self, InView};
use super::{Group, Label, Node, Outline, OwnTree, ViewKind, parts};

/// What fills a window of fewer nodes than this is counted anew whenever it changes; of a larger one, when it has
/// grown or shrunk by a sixty-fourth.
const SMALL: usize = 4096;

/// A summary's text, cut into sections.
#[derive(Debug, Default)]
pub struct SummaryText {
    /// All of it.
    pub text: String,
    /// Its sections.
    pub sections: Vec<Section>,
    /// Made when first asked for: a summary that nobody opens need not be cut up.
    sentences: OnceCell<Vec<Sentence>>,
    /// Bytes of it that are still being read; the text is empty until then.
    pub pending: Option<u64>,
}

impl SummaryText {
    fn new(text: String) -> Self {
        Self { sections: sections::split(&text), text, ..Self::default() }
    }

    /// Its sentences: `g3.s12` is at place 11.
    pub fn sentences(&self) -> &[Sentence] {
        self.sentences.get_or_init(|| sentences::of(&self.text))
    }

    /// The places of the sentences that begin in a section.
    pub fn sentences_in(&self, section: u16) -> Range<usize> {
        let Some(section) = self.sections.get(usize::from(section)) else { return 0..0 };
        let before = |at: usize| self.sentences().partition_point(|sentence| sentence.range.start < at);
        before(section.range.start)..before(section.range.end)
    }

    /// The section that the sentence at `place` begins in.
    pub fn section_of(&self, place: u32) -> Option<u16> {
        let start = self.sentences().get(place as usize)?.range.start;
        let before = self.sections.partition_point(|section| section.range.start <= start);
        u16::try_from(before.checked_sub(1)?).ok()
    }

    /// A sentence's words.
    pub fn sentence(&self, place: u32) -> Option<&str> {
        self.sentences().get(place as usize).map(|sentence| sentence.text(&self.text))
    }
}

/// One view as of a turn.
///
/// Holds the list of what is in the window (it grows by a push when a turn arrives) and caches of summaries that
/// were looked at. Everything else is asked of the log.
#[derive(Debug)]
pub struct View {
    /// Which tree.
    pub kind: ViewKind,
    /// The number of the main thread's turn it is as of.
    pub as_of: u32,
    pub(super) window: Vec<InView>,
    pub(super) kept: Vec<TurnId>,
    pub(super) summary: Option<u32>,
    pub(super) abandoned: Vec<TurnId>,
    pub(super) earlier: Vec<TurnId>,
    /// What stands under [`Group::Out`].
    pub(super) out: Vec<Node>,
    /// How many turns are in `in_view`, and the tokens of all of them but the newest, which may still grow.
    pub(super) window_turns: u64,
    pub(super) settled_tokens: u64,
    pub(super) fill: RefCell<Option<(usize, Rc<Fill>)>>,
    pub(super) root: Vec<Node>,
    /// The turns that a filter lets through, in file order; the view shows them instead of its tree.
    pub(super) matches: Vec<TurnId>,
    pub(super) filtered: bool,
    /// The view's own tree, where it is not one of the log's.
    pub(super) own: Option<Box<dyn OwnTree>>,
    summaries: RefCell<HashMap<u32, Rc<SummaryText>>>,
}

impl View {
    /// The view `kind` as of turn `as_of`, one of those that show what the log records. Work grows with what is in the
    /// window.
    pub fn new(log: &OpenLog, kind: ViewKind, as_of: u32) -> Self {
        Self::make(log, kind, as_of, None)
    }

    /// The same of a view that has a tree of its own.
    pub fn of_own(log: &OpenLog, kind: ViewKind, as_of: u32, own: Box<dyn OwnTree>) -> Self {
        Self::make(log, kind, as_of, Some(own))
    }

    fn make(log: &OpenLog, kind: ViewKind, as_of: u32, own: Option<Box<dyn OwnTree>>) -> Self {
        let mut view = Self {
            kind,
            as_of,
            window: Vec::new(),
            kept: Vec::new(),
            summary: None,
            abandoned: Vec::new(),
            earlier: Vec::new(),
            out: Vec::new(),
            window_turns: 0,
            settled_tokens: 0,
            fill: RefCell::new(None),
            root: Vec::new(),
            matches: Vec::new(),
            filtered: false,
            own,
            summaries: RefCell::new(HashMap::new()),
        };
        window::build(&mut view, &log.session);
        view.refresh_root(log);
        view
    }

    /// Moves the view to turn `as_of`: by the turns between where they follow one another, anew otherwise.
    pub fn move_to(&mut self, log: &OpenLog, as_of: u32) {
        let session = &log.session;
        let stays = as_of == self.as_of && session.is_steady(as_of, as_of);
        if stays {
            window::refresh_last(self, session);
        } else if !window::advance(self, session, as_of) && !window::retreat(self, session, as_of) {
            self.as_of = as_of;
            window::build(self, session);
            self.fill.replace(None);
        }
        let size = self.window.len();
        let stale = |counted: usize| size < SMALL || size.abs_diff(counted) > size / 64;
        if self.fill.borrow().as_ref().is_some_and(|(counted, _)| stale(*counted)) {
            self.fill.replace(None);
        }
        self.refresh_root(log);
    }

    fn refresh_root(&mut self, log: &OpenLog) {
        if let Some(own) = &mut self.own {
            own.move_to(log, self.as_of);
        }
        self.root = match self.kind {
            _ if self.filtered => vec![Node::Group(Group::Matches)],
            _ if self.own.is_some() => Vec::new(),
            ViewKind::Generations => super::generations::root(self, log),
            _ => window::root(self, log),
        };
    }

    /// Shows only these turns, or the whole tree again.
    pub fn set_matches(&mut self, log: &OpenLog, matches: Option<Vec<TurnId>>) {
        self.filtered = matches.is_some();
        self.matches = matches.unwrap_or_default();
        self.refresh_root(log);
    }

    /// The view's own tree, unless a filter stands in its place.
    pub(super) fn own(&self) -> Option<&dyn OwnTree> {
        self.own.as_deref().filter(|_| !self.filtered)
    }

    /// The own tree, for what it holds: where turns and their parts stand everywhere, the log answers.
    fn own_of(&self, node: Node) -> Option<&dyn OwnTree> {
        self.own().filter(|_| !parts::is_common(node))
    }

    /// Whether a filter is on.
    pub fn is_filtered(&self) -> bool {
        self.filtered
    }

    /// One turn more passes the filter.
    pub fn push_match(&mut self, id: TurnId) {
        self.matches.push(id);
    }

    /// What fills the window. Computed when first asked for.
    pub fn fill(&self, session: &Session) -> Rc<Fill> {
        if let Some((_, fill)) = &*self.fill.borrow() {
            return Rc::clone(fill);
        }
        let seen = crate::strategies::recorded_newest_first(session, self.as_of);
        let fill = Rc::new(crate::strategies::fill::fill(session, seen));
        self.fill.replace(Some((self.window.len(), Rc::clone(&fill))));
        fill
    }

    /// The summary of a generation, read back once; empty where it cannot be read.
    pub fn summary_text(&self, log: &OpenLog, generation: u32) -> Rc<SummaryText> {
        if let Some(summary) = self.summaries.borrow().get(&generation) {
            return Rc::clone(summary);
        }
        let compaction = log.session.generation(generation).filter(|compaction| compaction.is_readable());
        let turn = compaction.and_then(|compaction| compaction.summary);
        let text = match turn.map(|turn| log.texts_soon(turn)) {
            Some(Ok(Soon::Ready(texts))) => crate::session::text::summary(&log.session, &texts),
            Some(Ok(Soon::Later(bytes))) => {
                return Rc::new(SummaryText { pending: Some(bytes), ..SummaryText::default() });
            }
            Some(Err(_)) | None => String::new(),
        };
        let summary = Rc::new(SummaryText::new(text));
        self.summaries.borrow_mut().insert(generation, Rc::clone(&summary));
        summary
    }

    /// Estimated tokens of the turns in view since the summary.
    pub fn tokens_in_view(&self, session: &Session) -> u64 {
        self.settled_tokens
            + window::last_in_view(self).map_or(0, |id| window::shown_tokens(self, session, id))
    }

    /// Whether turn `id` costs far more than the others in view.
    pub(super) fn is_outlier(&self, session: &Session, id: TurnId) -> bool {
        let tokens = window::shown_tokens(self, session, id);
        let kept: u64 = self.kept.iter().map(|id| window::shown_tokens(self, session, *id)).sum();
        let others = (self.tokens_in_view(session) + kept).saturating_sub(tokens);
        crate::strategies::fill::is_outlier(tokens, others, self.window_turns + self.kept.len() as u64)
    }

    /// Whether the model sees turn `id` as of this view's turn.
    pub fn sees(&self, session: &Session, id: TurnId) -> bool {
        session.turn(id).thread == 0
            && (self.kept.binary_search(&id).is_ok()
                || self.position_in_view(Node::Turn(id), session).is_some()
                || self.summary.and_then(|g| session.generation(g)).is_some_and(|c| c.summary == Some(id)))
    }

    /// Where a node stands in the window's list, which is in the order of the file.
    pub(super) fn position_in_view(&self, node: Node, session: &Session) -> Option<usize> {
        let row = match node {
            Node::Turn(id) => session.turn(id).first_row,
            Node::Row(row) => row,
            _ => return None,
        };
        let at = self.window.binary_search_by_key(&row, |shown| shown.row(session)).ok()?;
        (self.window[at].node() == node).then_some(at)
    }
}

impl Outline for View {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        if let Some(own) = self.own_of(node) {
            return own.count(log, node);
        }
        match node {
            Node::Root => self.root.len(),
            Node::Group(Group::Since) => self.window.len(),
            Node::Group(Group::Kept) => self.kept.len(),
            Node::Group(Group::Abandoned) => self.abandoned.len(),
            Node::Group(Group::Earlier) => self.earlier.len(),
            Node::Group(Group::Matches) => self.matches.len(),
            Node::Group(Group::Fill) => {
                let fill = self.fill(&log.session);
                fill.kinds.len() + fill.files.len()
            }
            Node::Group(Group::Out) => self.out.len(),
            Node::Generation(generation) => super::generations::children(self, log, generation).len(),
            Node::Section(generation, section) => {
                self.summary_text(log, generation).sentences_in(section).len()
            }
            _ => super::parts::count(log, node),
        }
    }

    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node> {
        if let Some(own) = self.own_of(node) {
            return own.child(log, node, index);
        }
        match node {
            Node::Root => self.root.get(index).copied(),
            Node::Group(Group::Since) => self.window.get(index).map(|shown| shown.node()),
            Node::Group(Group::Kept) => self.kept.get(index).map(|id| Node::Turn(*id)),
            Node::Group(Group::Abandoned) => self.abandoned.get(index).map(|id| Node::Turn(*id)),
            Node::Group(Group::Earlier) => self.earlier.get(index).map(|id| Node::Turn(*id)),
            Node::Group(Group::Matches) => self.matches.get(index).map(|id| Node::Turn(*id)),
            Node::Group(Group::Fill) => Some(Node::Share(index as u16)),
            Node::Group(Group::Out) => self.out.get(index).copied(),
            Node::Generation(generation) => {
                super::generations::children(self, log, generation).get(index).copied()
            }
            Node::Section(generation, section) => {
                let place = self.summary_text(log, generation).sentences_in(section).nth(index)?;
                Some(Node::Sentence(generation, place as u32))
            }
            _ => super::parts::child(log, node, index),
        }
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        if let Some(own) = self.own_of(node) {
            return own.position(log, node, child);
        }
        match (node, child) {
            (Node::Root, _) => self.root.iter().position(|root| *root == child),
            (Node::Group(Group::Since), _) => self.position_in_view(child, &log.session),
            (Node::Group(Group::Kept), Node::Turn(id)) => self.kept.binary_search(&id).ok(),
            (Node::Group(Group::Abandoned), Node::Turn(id)) => self.abandoned.binary_search(&id).ok(),
            (Node::Group(Group::Earlier), Node::Turn(id)) => self.earlier.binary_search(&id).ok(),
            (Node::Group(Group::Matches), Node::Turn(id)) => self.matches.binary_search(&id).ok(),
            (Node::Group(Group::Fill), Node::Share(index)) => Some(usize::from(index)),
            (Node::Group(Group::Out), _) => self.out.iter().position(|out| *out == child),
            (Node::Generation(generation), _) => {
                super::generations::children(self, log, generation).iter().position(|known| *known == child)
            }
            (Node::Section(generation, section), Node::Sentence(of, place)) if generation == of => {
                let places = self.summary_text(log, generation).sentences_in(section);
                (place as usize).checked_sub(places.start).filter(|position| *position < places.len())
            }
            _ => super::parts::position(log, node, child),
        }
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        if let Some(own) = self.own() {
            return own.label(log, node);
        }
        super::labels::label(self, log, node)
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        if let Some(own) = self.own() {
            return own.sources(log, node);
        }
        super::parts::sources(self, log, node)
    }
}
