//! All state of the terminal interface.

use std::path::PathBuf;

use ratatui::layout::Rect;

use crate::lineage::tracing::{self, Tracing};
use crate::log::Flow;
use crate::outline::{Group, Node, Outline, View, ViewKind};
use crate::session::later::Job;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};

use super::detail;
use super::document::Document;
use super::filter::Filter;
use super::pager::Place;
use super::prompt::Prompt;
use super::search::Search;
use super::theme::Theme;
use super::trace;
use super::tree::Tree;

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
}

/// The pane that has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The tree.
    Tree,
    /// The detail.
    Detail,
}

/// What is known of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    /// Bytes read and to read while the index is being built.
    pub indexing: Option<(u64, u64)>,
    /// No file is there yet.
    pub waiting: bool,
    /// The file is gone.
    pub gone: bool,
    /// It cannot be read, and why.
    pub problem: Option<String>,
    /// Why what has come so far is no log of a known format.
    pub doubt: Option<String>,
    /// Changes are looked for by polling, since no events arrive.
    pub polled: bool,
    /// All that is there was read.
    pub resting: bool,
    /// The file ends in a line that is no record yet.
    pub pending: bool,
    /// How often the log was read anew.
    pub epochs: u32,
    /// How the log arrives, where it has to be spooled.
    pub flow: Option<Flow>,
}

impl Feed {
    /// The same when all that is there was read, and nothing is wrong.
    pub(super) fn at_rest(&self, polled: bool, pending: bool) -> Self {
        Self {
            polled,
            pending,
            epochs: self.epochs,
            flow: self.flow.clone(),
            resting: true,
            ..Self::default()
        }
    }

    /// Why there is no log to show, if something is wrong with it.
    pub(super) fn nothing(&self) -> Option<&str> {
        self.problem.as_deref().or(self.doubt.as_deref())
    }

    /// Bytes read and to read, while what was there at the start is still being read and their number is known.
    pub fn reading(&self) -> Option<(u64, u64)> {
        let flowing = self.flow.as_ref().filter(|flow| flow.is_file && !flow.ended);
        self.indexing.or_else(|| flowing.map(|flow| (flow.read, flow.whole)))
    }

    /// Whether records that come were there at the start. A stream has sent those when it falls silent.
    pub(super) fn catches_up(&self) -> bool {
        let streams = self.flow.as_ref().is_some_and(|flow| !flow.is_file);
        self.reading().is_some() || (streams && !self.resting)
    }
}

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

/// A place to come back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    pub(super) kind: ViewKind,
    pub(super) as_of: u32,
    pub(super) selected: Vec<Node>,
    pub(super) following: bool,
    /// The trace that was shown: what it was of, the place in it and the chosen link.
    pub(super) trace: Option<(Node, Place, Option<usize>)>,
    /// What a link of that trace led to: while that is selected, one key leads back.
    pub(super) led_to: Option<Node>,
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
    pub trees: [Tree; 2],
    /// The detail pane.
    pub detail: Detail,
    /// What was traced, and what is to be.
    pub tracing: Tracing,
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
            pane: Pane::Tree,
            zoom: false,
            split: 45,
            kind: start.view,
            prompt: None,
            help: None,
            search: None,
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
        &self.trees[self.kind as usize]
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
        let tree = &mut self.trees[self.kind as usize];
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
            trace: match self.detail.shows {
                Shows::Trace(node) => Some((node, self.detail.place, self.detail.document.chosen)),
                _ => None,
            },
            led_to: None,
        }
    }

    /// Keeps a log to draw from.
    pub(super) fn hold(&mut self, mut log: OpenLog) {
        log.defer();
        self.log = Some(log);
        self.forget_nodes();
    }

    /// Nodes name things of one session: with another one they would name others, or nothing.
    pub(super) fn forget_nodes(&mut self) {
        self.view = None;
        self.search = None;
        self.visits.clear();
        self.trees = fresh_trees();
        self.detail.of = None;
        self.detail.shows = Shows::Node;
        self.tracing.forget();
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
            view => *view = Some(View::new(log, self.kind, as_of)),
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

    /// Brings the detail pane up to date with the selection.
    pub(super) fn refresh_detail(&mut self) {
        let Some(node) = self.selected() else { return };
        let of = Some((node, self.as_of));
        if let Shows::Trace(traced) = self.detail.shows
            && traced != node
        {
            // Going from sentence to sentence goes from trace to trace; anything else is shown itself.
            self.detail.shows = match node {
                Node::Sentence(..) => Shows::Trace(node),
                _ => Shows::Node,
            };
            self.detail.of = None;
        }
        let (Some(log), Some(view)) = (&self.log, &self.view) else { return };
        ask(&mut self.tracing, &log.session, node, self.detail.shows);
        if (self.detail.of == of && !self.detail.document.pending) || self.detail.shows == Shows::Difference {
            return;
        }
        let same_node =
            self.detail.of.is_some_and(|(shown, _)| shown == node) && !self.detail.document.pending;
        let chosen = self.detail.document.chosen;
        self.detail.document = match (self.detail.shows, node) {
            (Shows::Trace(_), Node::Sentence(generation, place)) => {
                trace::sentence(view, log, &self.tracing, generation, place)
            }
            (Shows::Trace(_), Node::Turn(id) | Node::Part(id, _)) => {
                trace::turn(view, log, &self.tracing, id)
            }
            _ => detail::document(view, log, &self.tracing, node),
        };
        self.detail.of = of;
        if same_node {
            // A trace grows while it is looked at; the first links stay where they are.
            let document = &mut self.detail.document;
            let holds =
                |chosen: &usize| document.blocks.get(*chosen).is_some_and(|block| block.link.is_some());
            document.chosen = chosen.filter(holds).or(document.chosen);
        } else {
            self.detail.place = Place::default();
            self.show_match();
        }
        if !self.detail.document.pending
            && let Some(words) = self.detail.seek.take()
        {
            self.show_words(&words);
        }
    }

    /// What is on the detail pane may have grown.
    pub(super) fn stale_detail(&mut self) {
        self.detail.of = self.detail.of.map(|(node, _)| (node, u32::MAX));
    }

    /// The turn that the selection is, or belongs to.
    pub(super) fn selected_turn(&self) -> Option<TurnId> {
        match self.selected()? {
            Node::Turn(id) | Node::Part(id, _) | Node::Group(Group::Notes(id)) => Some(id),
            Node::Generation(generation) | Node::Section(generation, _) | Node::Sentence(generation, _) => {
                self.session()?.generation(generation)?.summary
            }
            _ => None,
        }
    }
}

/// Asks for what the document of `node` needs and does not have: every frame anew, so that what is not looked at any
/// more is not asked for. It is made anew when that comes.
fn ask(tracing: &mut Tracing, session: &Session, node: Node, shows: Shows) {
    let wanted = match (shows, node) {
        (Shows::Trace(_), Node::Sentence(generation, _)) => tracing.next_back(session, generation),
        (_, Node::Sentence(generation, _)) => Some(generation),
        (Shows::Trace(_), Node::Turn(id) | Node::Part(id, _)) => {
            tracing.next_on(session, session.turn(id).number)
        }
        _ => None,
    };
    if let Some(generation) = wanted {
        tracing.ask(session, generation);
    }
}

/// A tree for each view, with nothing open but what the model sees.
pub(super) fn fresh_trees() -> [Tree; 2] {
    [(); 2].map(|()| Tree::new(&[Node::Group(Group::Since)]))
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
