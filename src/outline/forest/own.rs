//! The same tree for somebody who keeps it while the log grows: the screen.
//!
//! Shares the forest with the thread that lets it grow. What a frame asks costs the rows on the screen; what belongs to a
//! turn and not to a row is worked out when the forest or the turn is another one.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::session::TurnId;
use crate::session::open::OpenLog;
use crate::strategies::union_find::grove::Grove;
use crate::strategies::union_find::reader::Reading;
use crate::strategies::union_find::replay::Replay;
use crate::strategies::union_find::summaries::Summaries;
use crate::summarisers::Failure;
use crate::text::numbers::grouped;
use crate::text::preview;

use super::super::{Group, Label, Node, Outline, OwnTree};
use super::{ForestView, Moment};

/// A question, and what a reader would get for it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The question.
    pub question: String,
    /// The turn that it was asked as of.
    pub as_of: u32,
    /// Tokens that the reader may get.
    pub budget: u64,
    /// What it gets, once that is known.
    pub reading: Option<Result<Arc<Reading>, Failure>>,
}

impl Asked {
    /// What it gets, if that is known.
    pub fn reading(&self) -> Option<&Reading> {
        self.reading.as_ref()?.as_deref().ok()
    }

    fn line(&self) -> String {
        format!("asked at t{}: {}", self.as_of, self.told())
    }

    /// The question, and what is known of the answer.
    pub(super) fn told(&self) -> String {
        let question = preview::of(&self.question);
        let how = match &self.reading {
            None => "being read …".to_owned(),
            Some(Err(failure)) => format!("! {failure}"),
            Some(Ok(reading)) => format!("~{} of {} tokens", grouped(reading.tokens), grouped(self.budget)),
        };
        format!("{question} · {how}")
    }
}

/// A forest, its summaries, and what somebody asked.
#[derive(Debug)]
pub struct Shown {
    /// The forest.
    pub grove: Arc<Grove>,
    /// What was written of it.
    pub summaries: RefCell<Summaries>,
    /// What somebody asked last.
    pub asked: RefCell<Option<Asked>>,
    moment: RefCell<Rc<Moment>>,
    /// What the moment is of.
    of: Cell<State>,
}

/// As of which turn; how many nodes, unions and turns left behind there were.
type State = (u32, usize, usize, usize);

impl Shown {
    /// Nothing asked yet.
    pub fn new(grove: Arc<Grove>, summaries: Summaries) -> Self {
        Self {
            grove,
            summaries: RefCell::new(summaries),
            asked: RefCell::default(),
            moment: RefCell::default(),
            of: Cell::new((u32::MAX, 0, 0, 0)),
        }
    }

    /// Asks the tree as of turn `as_of`.
    pub fn with<T>(&self, log: &OpenLog, as_of: u32, ask: impl FnOnce(&ForestView) -> T) -> T {
        self.grove.look(|replay| {
            let moment = self.moment(log, replay, as_of);
            let summaries = self.summaries.borrow();
            let asked = self.asked.borrow();
            ask(&ForestView {
                replay,
                summaries: Some(&summaries),
                reading: asked.as_ref().filter(|asked| asked.as_of == as_of).and_then(Asked::reading),
                asked: asked.as_ref().map(Asked::line),
                as_of,
                moment,
            })
        })
    }

    fn moment(&self, log: &OpenLog, replay: &Replay, as_of: u32) -> Rc<Moment> {
        let forest = replay.forest().forest();
        let state = (as_of, forest.len(), forest.unions().len(), log.session.left().len());
        if self.of.replace(state) != state {
            *self.moment.borrow_mut() = Rc::new(Moment::of(&log.session, replay, as_of));
        }
        Rc::clone(&self.moment.borrow())
    }
}

/// The tree of a forest that others let grow.
#[derive(Debug)]
pub struct ForestTree {
    shown: Rc<Shown>,
    as_of: u32,
}

impl ForestTree {
    /// The tree as of turn `as_of`.
    pub fn new(shown: Rc<Shown>, as_of: u32) -> Self {
        Self { shown, as_of }
    }

    fn with<T>(&self, log: &OpenLog, ask: impl FnOnce(&ForestView) -> T) -> T {
        self.shown.with(log, self.as_of, ask)
    }
}

impl OwnTree for ForestTree {
    fn move_to(&mut self, _: &OpenLog, as_of: u32) {
        self.as_of = as_of;
    }

    fn path_to(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        self.with(log, |view| view.path(log, node))
    }

    fn newest(&self, log: &OpenLog) -> Vec<Node> {
        self.with(log, |view| {
            let last = |group: Group| {
                let group = Node::Group(group);
                let last = view.count(log, group).checked_sub(1)?;
                Some(vec![group, view.child(log, group, last)?])
            };
            last(Group::Open).or_else(|| last(Group::Hot)).unwrap_or_else(|| vec![Node::Group(Group::Health)])
        })
    }
}

impl Outline for ForestTree {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        self.with(log, |view| view.count(log, node))
    }

    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node> {
        self.with(log, |view| view.child(log, node, index))
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        self.with(log, |view| view.position(log, node, child))
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        self.with(log, |view| view.label(log, node))
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        self.with(log, |view| view.sources(log, node))
    }
}
