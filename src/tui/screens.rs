//! The two screens, a session and the list of sessions, on one terminal.
//!
//! One loop takes in everything that happens, whomever it is for, and draws what is shown. What is not shown keeps
//! its state: the list while a session is open, the session while somebody looks through the list.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::audit::auditing;
use crate::discover::agents::{self, Place};
use crate::discover::newest::{self, Directory, Newest};
use crate::discover::watch::Bell;
use crate::discover::{Scout, cache};
use crate::lineage::tracing;
use crate::log::Waker;
use crate::session::later::Job;
use crate::session::load;

use super::Action;
use super::events::{Event, For, Outlet};
use super::ingest;
use super::keys;
use super::model::{Model, Start};
use super::picker::{self, Picker};
use super::replay::{Keeper, SLICE, Wake};
use super::search::{Search, compile};
use super::terminal::{self, Held};
use super::update::{Effect, update};

/// Events that may wait to be taken in. Who has more to say waits: a log that grows by a hundred megabytes at once
/// must not stand between a key and its answer, nor fill the memory.
const WAITING: usize = 16;
/// Draws are at least this far apart.
const FRAME: Duration = Duration::from_millis(16);
/// How long the first draw waits for something to show.
const FIRST: Duration = Duration::from_millis(60);
/// How long a digit waits for what follows it.
const DIGIT: Duration = Duration::from_millis(250);
/// How often the ages on the list are told anew.
const TICK: Duration = Duration::from_secs(10);
/// How long who leaves waits for what is to be kept; less than a signal gives.
const LEAVE: Duration = Duration::from_millis(2500);
/// How long that takes without a word.
const SILENT: Duration = Duration::from_millis(150);
/// How long nothing is to happen by itself.
const IDLE: Duration = Duration::from_hours(1);

/// What the interface begins with.
#[derive(Debug)]
pub(super) enum First {
    /// A session.
    Session(PathBuf),
    /// The newest session of a directory, and after it the ones that come to be there.
    Newest(Vec<Place>, Directory, Newest),
    /// The list of the sessions in these places.
    List(Vec<Place>),
}

/// Both screens and what is behind them.
pub(super) struct Screens {
    /// How a session starts.
    start: Start,
    poll: bool,
    sender: SyncSender<(For, Event)>,
    events: Receiver<(For, Event)>,
    /// Where the list looks.
    places: Vec<Place>,
    session: Option<Opened>,
    list: Option<List>,
    shows_list: bool,
    /// Sessions opened so far.
    opened: u64,
    newer: Option<Bell>,
    /// A newer session that came while the list was shown.
    waiting: Option<PathBuf>,
    /// They keep marks of sessions that are not open any more.
    keepers: Vec<Keeper>,
    begun: Instant,
    drawn: Option<Instant>,
    dirty: bool,
}

/// A session that is open.
struct Opened {
    number: u64,
    model: Model,
    waker: Waker,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.waker.stop();
    }
}

/// The list, and who fills it.
struct List {
    picker: Picker,
    scout: Scout,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoOn,
    Quit,
    /// Give the terminal back and stop until told to go on.
    Stop,
    /// Take the terminal again after somebody else had it.
    Retake,
    /// Draw everything anew.
    Redraw,
}

impl Screens {
    /// The screens as they begin; `start` says how every session starts.
    pub(super) fn new(first: First, start: Start, poll: bool) -> Self {
        let (sender, events) = sync_channel(WAITING);
        let mut screens = Self {
            start,
            poll,
            sender,
            events,
            places: Vec::new(),
            session: None,
            list: None,
            shows_list: false,
            opened: 0,
            newer: None,
            waiting: None,
            keepers: Vec::new(),
            begun: Instant::now(),
            drawn: None,
            dirty: true,
        };
        match first {
            First::Session(path) => screens.open(path, screens.start.follow),
            First::Newest(places, directory, newest) => {
                screens.open(newest.path.to_path_buf(), true);
                let sender = screens.sender.clone();
                let send = move |path: std::sync::Arc<Path>| {
                    sender.send((For::Shown, Event::Newer(path.to_path_buf()))).is_ok()
                };
                screens.newer = Some(newest::await_newer(places, directory, newest, poll, send));
            }
            First::List(places) => {
                screens.places = places;
                screens.show_list();
            }
        }
        screens
    }

    /// Where keys and signals go.
    pub(super) fn outlet(&self) -> Outlet {
        self.outlet_for(For::Shown)
    }

    fn outlet_for(&self, whom: For) -> Outlet {
        Outlet { sender: self.sender.clone(), whom }
    }

    /// Opens a session in place of the one that is open.
    fn open(&mut self, path: PathBuf, follow: bool) {
        self.opened += 1;
        let outlet = self.outlet_for(For::Session(self.opened));
        let outlet_again = outlet.clone();
        let waker = ingest::start(&path, self.poll, outlet);
        let mut model = Model::new(Start { path, follow, ..self.start.clone() });
        let woken = outlet_again;
        let wake: Wake = Arc::new(move || woken.nudge(Event::Replayed));
        model.replay.wake(Arc::clone(&wake));
        model.forest.wake(wake);
        // A moment asked for on the command line is one of the first session.
        self.start.as_of = None;
        self.close();
        self.session = Some(Opened { number: self.opened, model, waker });
        if let Some(list) = &self.list {
            list.scout.pause();
        }
        self.shows_list = false;
        self.dirty = true;
        (self.begun, self.drawn) = (Instant::now(), None);
    }

    /// Closes the session that is open; what it has to keep is kept behind the screen.
    fn close(&mut self) {
        self.keepers.retain(|keeper| !keeper.wait(Instant::now()) || keeper.unkept().0 > 0);
        if let Some(session) = &mut self.session {
            self.keepers.extend(session.model.replay.leave());
        }
    }

    /// The person leaves: what is to be kept gets a moment, and the screen says so.
    fn leave(&mut self, terminal: &mut Held) {
        let begun = Instant::now();
        self.keepers().for_each(Keeper::close);
        if self.keepers().all(|keeper| keeper.wait(begun + SILENT)) {
            return;
        }
        let message = Some("keeping your marks …".to_owned());
        match (&mut self.session, &mut self.list) {
            (_, Some(list)) if self.shows_list => list.picker.message = message,
            (Some(session), _) => session.model.message = message,
            _ => {}
        }
        // A terminal that is gone is no reason to lose them.
        let _ = self.draw(terminal);
        self.keepers().for_each(|keeper| {
            keeper.wait(begun + LEAVE);
        });
    }

    fn keepers(&self) -> impl Iterator<Item = &Keeper> {
        let open = self.session.iter().flat_map(|session| session.model.replay.keepers());
        self.keepers.iter().chain(open)
    }

    /// What was lost when the person left, in words.
    pub(super) fn lost(&self) -> Option<String> {
        let unkept: Vec<_> = self.keepers().map(Keeper::unkept).filter(|(count, _)| *count > 0).collect();
        let count: usize = unkept.iter().map(|(count, _)| count).sum();
        let why = unkept.into_iter().find_map(|(_, why)| why);
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        match count {
            0 => None,
            1 => Some(format!("1 mark was not kept{why}")),
            _ => Some(format!("{count} marks were not kept{why}")),
        }
    }

    fn show_list(&mut self) {
        if self.places.is_empty() {
            self.places = agents::places(None);
        }
        match &self.list {
            Some(list) => list.scout.resume(),
            None => {
                let outlet = self.outlet_for(For::List);
                let send = move |news| outlet.send(Event::Sessions(news)).is_ok();
                let scout = Scout::start(self.places.clone(), self.poll, true, cache(), send);
                let picker = Picker::new(self.start.theme.clone(), std::env::home_dir());
                self.list = Some(List { picker, scout });
                (self.begun, self.drawn) = (Instant::now(), None);
            }
        }
        if let Some(list) = &mut self.list {
            list.picker.has_session = self.session.is_some();
        }
        self.shows_list = true;
        self.dirty = true;
    }

    /// Runs until the person leaves.
    pub(super) fn run(&mut self, terminal: &mut Held) -> io::Result<()> {
        loop {
            let event = match self.events.recv_timeout(self.wait()) {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) if !self.dirty => Some((For::Shown, Event::Pause)),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            // Everything that waits is taken in before one draw, but no longer than a frame.
            let until = Instant::now() + FRAME;
            let mut next = event;
            while let Some((whom, event)) = next {
                let then = match self.of_terminal(&event) {
                    Some(then) => then,
                    None => self.take(whom, event)?,
                };
                match then {
                    Then::GoOn => {}
                    Then::Quit => {
                        self.leave(terminal);
                        return Ok(());
                    }
                    Then::Stop => terminal.suspend(self.has_mouse())?,
                    Then::Retake => terminal.retake(self.has_mouse())?,
                    Then::Redraw => terminal.forget()?,
                }
                self.dirty |= then != Then::GoOn;
                next = if Instant::now() < until { self.events.try_recv().ok() } else { None };
            }
            let due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME);
            if self.dirty && due && self.has_something() {
                self.dirty = self.draw(terminal)?;
                self.drawn = Some(Instant::now());
            }
        }
    }

    /// How long to wait for something to happen.
    fn wait(&self) -> Duration {
        let counting = self.shown_session().is_some_and(|session| session.model.count.is_some());
        match self.drawn {
            _ if !self.dirty && counting => DIGIT,
            None if !self.has_something() => FIRST.saturating_sub(self.begun.elapsed()),
            Some(drawn) if self.dirty => FRAME.saturating_sub(drawn.elapsed()),
            None => Duration::ZERO,
            Some(_) if self.shows_list => TICK,
            Some(_) => IDLE,
        }
    }

    fn shown_session(&self) -> Option<&Opened> {
        self.session.as_ref().filter(|_| !self.shows_list)
    }

    /// Whether there is something to show, or nobody should wait for it any longer.
    fn has_something(&self) -> bool {
        let there = match (self.shown_session(), &self.list) {
            (Some(session), _) => session.model.log.is_some() || session.model.feed.problem.is_some(),
            (None, Some(list)) => !list.picker.catalogue.is_empty() || list.picker.look.is_some(),
            (None, None) => true,
        };
        there || self.begun.elapsed() >= FIRST
    }

    /// Draws what is shown. The answer is whether there is more to do at once.
    fn draw(&mut self, terminal: &mut Held) -> io::Result<bool> {
        match (&mut self.session, &mut self.list) {
            (_, Some(list)) if self.shows_list => {
                list.picker.settle();
                terminal.draw(|frame| picker::screen(frame, &mut list.picker))?;
                Ok(false)
            }
            (Some(session), _) => {
                let more = session.model.work(Instant::now() + SLICE);
                terminal.draw(|frame| super::render::screen(frame, &mut session.model))?;
                let outlet = Outlet { sender: self.sender.clone(), whom: For::Session(session.number) };
                if let Some(job) = session.model.job() {
                    read(job, outlet.clone());
                }
                if let Some(job) = session.model.tracing_job() {
                    trace(job, outlet.clone());
                }
                if let Some(job) = session.model.auditing_job() {
                    audit(job, outlet);
                }
                Ok(more)
            }
            _ => Ok(false),
        }
    }

    /// What an event means that is about the terminal, whatever is on it.
    fn of_terminal(&self, event: &Event) -> Option<Then> {
        match event {
            Event::Stop => Some(Then::Stop),
            Event::Continue => Some(Then::Retake),
            Event::Resize => Some(Then::Redraw),
            Event::Key(key)
                if self.shows_list
                    && keys::action(&[keys::Context::Inspector], *key) == Some(Action::Stop) =>
            {
                Some(Then::Stop)
            }
            _ => None,
        }
    }

    fn has_mouse(&self) -> bool {
        self.shown_session().map_or(self.start.mouse, |session| session.model.mouse)
    }

    fn take(&mut self, whom: For, event: Event) -> io::Result<Then> {
        match whom {
            // Nobody is taken away from the list: it is shown after it.
            For::Shown if self.shows_list && matches!(event, Event::Newer(_)) => {
                if let Event::Newer(path) = event {
                    self.waiting = Some(path);
                }
                Ok(Then::GoOn)
            }
            For::Shown if self.shows_list => self.take_in_list(event),
            For::List => self.take_in_list(event),
            For::Shown => self.take_in_session(event),
            For::Session(number) if self.session.as_ref().is_some_and(|session| session.number == number) => {
                self.take_in_session(event)
            }
            // Of a session that was closed.
            For::Session(_) => Ok(Then::GoOn),
        }
    }

    fn take_in_list(&mut self, event: Event) -> io::Result<Then> {
        let Some(list) = &mut self.list else { return Ok(Then::GoOn) };
        self.dirty |= self.shows_list;
        let Some(effect) = picker::update(&mut list.picker, event) else { return Ok(Then::GoOn) };
        match effect {
            picker::Effect::Open(path, live) => match load::check(&path) {
                Ok(()) => {
                    // Whoever chooses another session does not wait for the newest any more.
                    self.stop_waiting();
                    self.open(path, self.start.follow || live);
                }
                Err(error) => list.picker.message = Some(error.to_string()),
            },
            picker::Effect::Copy(text) => list.picker.message = Some(terminal::copy(&text)?),
            picker::Effect::Back => {
                list.scout.pause();
                self.shows_list = false;
                if let Some(path) = self.waiting.take() {
                    self.change_to(path);
                }
            }
            picker::Effect::Quit => return Ok(Then::Quit),
        }
        Ok(Then::GoOn)
    }

    fn take_in_session(&mut self, event: Event) -> io::Result<Then> {
        let Some(session) = &mut self.session else { return Ok(Then::GoOn) };
        self.dirty |= !self.shows_list && changes(&session.model, &event);
        for effect in update(&mut session.model, event) {
            match effect {
                Effect::Quit => return Ok(Then::Quit),
                Effect::Sessions => {
                    self.show_list();
                    return Ok(Then::GoOn);
                }
                Effect::Newer(path) => {
                    self.change_to(path);
                    return Ok(Then::GoOn);
                }
                Effect::Stop => return Ok(Then::Stop),
                Effect::Retake => return Ok(Then::Retake),
                Effect::Redraw => return Ok(Then::Redraw),
                Effect::Copy(text) => session.model.message = Some(terminal::copy(&text)?),
                Effect::Mouse(ours) => {
                    self.start.mouse = ours;
                    terminal::set_mouse(ours)?;
                }
                Effect::Search(text, gone) => {
                    let whom = For::Session(session.number);
                    let outlet = Outlet { sender: self.sender.clone(), whom };
                    start_search(&mut session.model, &text, gone, outlet);
                }
            }
        }
        Ok(Then::GoOn)
    }

    /// The agent started anew: shows its new session.
    fn change_to(&mut self, path: PathBuf) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.open(path, true);
        if let Some(session) = &mut self.session {
            session.model.message = Some(format!("the agent started anew: this is its new session, {name}"));
        }
    }

    fn stop_waiting(&mut self) {
        self.waiting = None;
        if let Some(bell) = self.newer.take() {
            bell.stop();
        }
    }
}

impl Drop for Screens {
    fn drop(&mut self) {
        self.stop_waiting();
    }
}

/// Whether an event can change what is on the screen: an idle log says every second that it is at rest.
fn changes(model: &Model, event: &Event) -> bool {
    match event {
        Event::Resting { polled, pending } => model.feed != model.feed.at_rest(*polled, *pending),
        Event::Gone => !model.feed.gone || model.feed.problem.is_some(),
        Event::Undecided(doubt) => model.feed.doubt.as_ref() != Some(doubt),
        Event::Waiting => !model.feed.waiting,
        Event::Unreadable(problem) => model.feed.problem.as_ref() != Some(problem),
        Event::Pause => model.count.is_some(),
        _ => true,
    }
}

/// Reads a large text on a thread of its own. There is only one at a time.
fn read(job: Job, outlet: Outlet) {
    std::thread::spawn(move || outlet.send(Event::Read(Box::new(job.run()))));
}

/// Traces a generation on a thread of its own. There is only one at a time.
fn trace(job: tracing::Job, outlet: Outlet) {
    std::thread::spawn(move || outlet.send(Event::Traced(Box::new(job.run()))));
}

/// Audits a compaction on a thread of its own. There is only one at a time.
fn audit(job: auditing::Job, outlet: Outlet) {
    std::thread::spawn(move || outlet.send(Event::Audited(Box::new(job.run()))));
}

fn start_search(model: &mut Model, text: &str, gone: bool, outlet: Outlet) {
    let (Some(log), Ok(pattern)) = (&model.log, compile(text)) else { return };
    model.searches += 1;
    let report = move |found| outlet.send(Event::Found(found)).is_ok();
    let source = log.source.clone();
    let mut search = Search::start(model.searches, text, pattern, &log.session, source, report);
    search.gone = gone;
    model.search = Some(search);
}
