//! All state of the terminal interface.

mod detail;
mod feed;
mod places;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use crate::audit::auditing;
use crate::lineage::tracing::{self, Tracing};
use crate::outline::audit::Audits;
use crate::outline::{Group, Node, Outline, View, ViewKind};
use crate::session::address::Address;
use crate::session::later::Job;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};

use super::filter::Filter;
use super::forest::Forests;
use super::prompt::Prompt;
use super::pruning::Pruner;
use super::replay::{self, Replay};
use super::search::Search;
use super::theme::Theme;
use super::tree::Tree;
use super::views::{self, Behind, Grown, fresh_trees};

pub use feed::Feed;
pub use places::{Areas, Detail, Reading, Shows, Visit};

/// How the interface starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The log.
    pub path: PathBuf,
    /// Stay at the end while it grows.
    pub follow: bool,
    /// As of this moment, once it can be found.
    pub as_of: Option<String>,
    /// The view to start with.
    pub view: ViewKind,
    /// Colours.
    pub theme: Theme,
    /// Whether the mouse is ours.
    pub mouse: bool,
    /// How the session is replayed.
    pub replay: replay::Setup,
}

/// The pane that has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The tree.
    Tree,
    /// The detail.
    Detail,
}

/// All of it.
#[derive(Debug)]
pub struct Model {
    /// The log's path.
    pub path: PathBuf,
    /// The log, once something of it was read.
    pub log: Option<OpenLog>,
    /// What is known of the file.
    pub feed: Feed,
    /// The turn that everything is shown as of.
    pub as_of: u32,
    /// Stay at the end while the log grows.
    pub following: bool,
    /// The view on the screen.
    pub view: Option<View>,
    /// One tree for each view.
    pub trees: Vec<Tree>,
    /// The detail pane.
    pub detail: Detail,
    /// What was traced, and what is to be.
    pub tracing: Tracing,
    /// The blocks that are replayed.
    pub replay: Replay,
    /// The events that are.
    pub(super) pruner: Pruner,
    /// The cold forest.
    pub forest: Forests,
    /// What was audited.
    pub audits: Rc<RefCell<Audits>>,
    /// An address of what is replayed, to go to once it is there.
    pub(super) awaited: Option<Address>,
    /// The pane that has the keys.
    pub pane: Pane,
    /// One pane on the whole screen.
    pub zoom: bool,
    /// The tree's share of the width, in hundredths.
    pub split: u16,
    /// The view on the screen, or to come.
    pub kind: ViewKind,
    /// A line being typed.
    pub prompt: Option<Prompt>,
    /// The help is open, from this row on.
    pub help: Option<u16>,
    /// The search.
    pub search: Option<Search>,
    /// What was searched for in a log that is replaced, until it is searched for in the one that comes; and whether
    /// the person was taken to a match.
    pub sought: Option<(String, bool)>,
    /// The filter.
    pub filter: Option<Filter>,
    /// One line for the person.
    pub message: Option<String>,
    /// A compaction that arrived and was not looked at yet.
    pub arrived: Option<u32>,
    /// Digits typed before a key.
    pub count: Option<u32>,
    /// Places to come back to.
    pub visits: Vec<Visit>,
    /// Colours.
    pub theme: Theme,
    /// The mouse is ours.
    pub mouse: bool,
    /// Where things were drawn.
    pub areas: Areas,
    /// A moment or address to go to once the numbers are known.
    pub pending: Option<String>,
    pub(super) pending_as_of: Option<String>,
    pub(super) dragging: bool,
    /// The person did something: what is selected was meant.
    pub(super) touched: bool,
    pub(super) searches: u64,
    pub(super) shown_agents: usize,
}

impl Model {
    /// The state before anything was read.
    pub fn new(start: Start) -> Self {
        Self {
            path: start.path,
            log: None,
            feed: Feed::default(),
            as_of: 0,
            following: start.follow,
            view: None,
            trees: fresh_trees(),
            detail: Detail::default(),
            tracing: Tracing::default(),
            forest: Forests::new(&start.replay),
            replay: Replay::new(start.replay),
            pruner: Pruner::default(),
            audits: Rc::default(),
            awaited: None,
            pane: Pane::Tree,
            zoom: false,
            split: 45,
            kind: start.view,
            prompt: None,
            help: None,
            search: None,
            sought: None,
            filter: None,
            message: None,
            arrived: None,
            count: None,
            visits: Vec::new(),
            theme: start.theme,
            mouse: start.mouse,
            areas: Areas::default(),
            pending: None,
            pending_as_of: start.as_of,
            dragging: false,
            touched: false,
            searches: 0,
            shown_agents: 0,
        }
    }

    /// The session, once there is one.
    pub fn session(&self) -> Option<&Session> {
        self.log.as_ref().map(|log| &log.session)
    }

    /// The tree on the screen.
    pub fn tree(&self) -> &Tree {
        &self.trees[self.kind.place()]
    }

    /// The selected node.
    pub fn selected(&self) -> Option<Node> {
        self.tree().node()
    }

    /// Turns that arrived and are not shown because the view is not at the end.
    pub fn waiting_turns(&self) -> u32 {
        self.session().map_or(0, |session| session.last().saturating_sub(self.as_of))
    }

    /// Log, view and tree together, once there are any.
    pub(super) fn parts(&mut self) -> Option<(&OpenLog, &mut View, &mut Tree)> {
        let tree = &mut self.trees[self.kind.place()];
        Some((self.log.as_ref()?, self.view.as_mut()?, tree))
    }

    /// Remembers the present place.
    pub(super) fn remember(&mut self) {
        /// Places beyond this many are forgotten, oldest first.
        const VISITS: usize = 200;
        let visit = self.visit();
        if self.visits.last() != Some(&visit) {
            self.visits.push(visit);
            let surplus = self.visits.len().saturating_sub(VISITS);
            self.visits.drain(..surplus);
        }
    }

    pub(super) fn visit(&self) -> Visit {
        Visit {
            kind: self.kind,
            as_of: self.as_of,
            selected: self.tree().selected.clone(),
            following: self.following,
            reading: self.is_reading().then_some(Reading {
                shows: self.detail.shows,
                place: self.detail.place,
                chosen: self.detail.document.chosen,
            }),
            led_to: None,
        }
    }

    /// Keeps a log to draw from.
    pub(super) fn hold(&mut self, mut log: OpenLog) {
        log.defer();
        self.message.take_if(|message| message == super::update::BEING_READ);
        self.log = Some(log);
        self.forget_nodes();
    }

    /// Nodes name things of one session: with another one they would name others, or nothing.
    pub(super) fn forget_nodes(&mut self) {
        self.view = None;
        let search = self.search.take();
        self.sought = search.map(|search| (search.text.clone(), search.gone)).or_else(|| self.sought.take());
        self.visits.clear();
        self.trees = fresh_trees();
        self.detail.of = None;
        self.detail.shows = Shows::Node;
        self.tracing.forget();
        self.grown().into_iter().for_each(|(grown, _)| grown.forget());
        self.audits.borrow_mut().forget();
        if self.awaited.take().is_some() {
            self.message = None;
        }
    }

    /// All that is replayed, with the log.
    fn grown(&mut self) -> [(&mut dyn Grown, Option<&OpenLog>); 3] {
        let log = self.log.as_ref();
        [(&mut self.replay, log), (&mut self.pruner, log), (&mut self.forest, log)]
    }

    /// Goes on with what is done between frames until `until`, and takes in what others did. The answer is whether there
    /// is more to do at once.
    pub(super) fn work(&mut self, until: Instant) -> bool {
        let as_of = self.as_of;
        let (mut more, mut changed, mut news) = (false, false, None);
        for (grown, log) in self.grown() {
            let Some(log) = log else { return false };
            more |= grown.advance(log, as_of, until);
            changed |= grown.has_changed();
            news = grown.news().or(news);
        }
        if changed {
            self.stale_detail();
            self.keep_selection();
        }
        self.message = news.or(self.message.take());
        if !more && let Some(address) = self.awaited.take() {
            self.message = None;
            super::update::await_address(self, &address);
        }
        more
    }

    /// Works until nothing is left to do, and everything that was asked for is there.
    pub fn settle(&mut self) {
        /// What is written elsewhere is looked for so often.
        const LOOK: std::time::Duration = std::time::Duration::from_millis(2);
        loop {
            let more = self.work(Instant::now() + replay::SLICE);
            while let Some(job) = self.auditing_job() {
                self.audited(job.run());
            }
            if !more && !self.grown().iter().any(|(grown, _)| grown.is_busy()) {
                return;
            }
            if !more {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// What is to be read for the next frame on another thread.
    pub(super) fn job(&self) -> Option<Job> {
        self.log.as_ref()?.job()
    }

    /// What is to be traced for the next frame on another thread.
    pub(super) fn tracing_job(&mut self) -> Option<tracing::Job> {
        let log = self.log.as_ref()?;
        self.tracing.job(&log.session, &log.source)
    }

    /// The compaction that is to be audited next on another thread, once somebody looked.
    pub(super) fn auditing_job(&mut self) -> Option<auditing::Job> {
        let log = self.log.as_ref()?;
        let mut audits = self.audits.borrow_mut();
        if audits.begun { audits.auditing.job(&log.session, &log.source) } else { None }
    }

    /// Takes in what was audited.
    pub(super) fn audited(&mut self, done: auditing::Done) {
        self.audits.borrow_mut().auditing.take(done);
        self.stale_detail();
    }

    /// Shows a log that was read to its end.
    pub fn show(&mut self, log: OpenLog) {
        let last = log.session.last();
        self.hold(log);
        self.move_to(last);
        self.refresh_detail();
    }

    /// Goes to an address or a clock time, as a jump does. False: a message says why not.
    pub fn go_to(&mut self, address: &str) -> bool {
        self.message = None;
        super::update::jump(self, address);
        self.refresh_detail();
        self.message.is_none()
    }

    /// Shows everything as of turn `as_of`.
    pub(super) fn move_to(&mut self, as_of: u32) {
        self.as_of = as_of;
        let Some(log) = &self.log else { return };
        match &mut self.view {
            Some(view) if view.kind == self.kind => view.move_to(log, as_of),
            _ => {
                let Self { replay, pruner, forest, audits, .. } = self;
                let behind = Behind { replay, pruner, forest, audits };
                self.view = Some(views::make(behind, log, self.kind, as_of));
            }
        }
        if let (Some(filter), Some(view)) = (&self.filter, &mut self.view) {
            view.set_matches(log, Some(filter.all(&log.session, as_of)));
        }
        self.keep_selection();
    }

    /// The selected node may stand elsewhere now, or nowhere: finds it again.
    pub(super) fn keep_selection(&mut self) {
        let following = self.following;
        let Some((log, view, tree)) = self.parts() else { return };
        let path = match tree.node() {
            _ if following => view.newest(log),
            Some(node) => {
                let layout = tree.layout(view, log);
                if tree.selected_row(&layout, view, log).is_some() {
                    return;
                }
                let path = view.path_to(log, node);
                if path.is_empty() { view.newest(log) } else { path }
            }
            None if view.kind == ViewKind::Audit && !view.is_filtered() => {
                let newest = view.newest(log);
                tree.reveal_open(&newest);
                return;
            }
            None => view.child(log, Node::Root, 0).map(|node| vec![node]).unwrap_or_default(),
        };
        tree.reveal(&path);
    }

    /// Selects `node` where the view shows it. False: it does not.
    pub(super) fn select(&mut self, node: Node) -> bool {
        let Some((log, view, tree)) = self.parts() else { return false };
        let path = view.path_to(log, node);
        if path.is_empty() {
            return false;
        }
        tree.reveal(&path);
        true
    }

    /// What is on the detail pane may have grown.
    pub(super) fn stale_detail(&mut self) {
        self.detail.of = self.detail.of.map(|(node, _)| (node, u32::MAX));
    }

    /// The turn that the selection is, or belongs to.
    pub(super) fn selected_turn(&self) -> Option<TurnId> {
        match self.selected()? {
            Node::Turn(id) | Node::Part(id, _) | Node::Pinned(id) | Node::Group(Group::Notes(id)) => Some(id),
            Node::Generation(generation) | Node::Section(generation, _) | Node::Sentence(generation, _) => {
                self.session()?.generation(generation)?.summary
            }
            node @ (Node::Receipt(_) | Node::Receipts(_) | Node::Cause(_) | Node::Audited(_)) => {
                self.view.as_ref()?.sources(self.log.as_ref()?, node).first().copied()
            }
            _ => None,
        }
    }
}

/// A time of day, with its date where that is wanted. Nothing where none is logged.
pub fn clock(time: i64, dated: bool) -> Option<String> {
    if time == i64::MIN {
        return None;
    }
    let zoned = jiff::Timestamp::from_millisecond(time).ok()?.to_zoned(jiff::tz::TimeZone::system());
    let format = if dated { "%Y-%m-%d %H:%M:%S" } else { "%H:%M" };
    Some(zoned.strftime(format).to_string())
}
