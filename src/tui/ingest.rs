//! The thread that reads the log: the end of a long one first, then all of it, then what is appended.
//!
//! What has to be spooled has no end that could be shown first, and standard input none that could be waited for: its
//! records are handed on as they come.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::formats::Format;
use crate::log::{Flow, LogError, Source, Wake, Waker};
use crate::session::Session;
use crate::session::load::{End, Feed, News, Records, load_end};
use crate::session::open::OpenLog;
use crate::strategies::union_find::opened;

use super::events::{Event, Outlet};

/// Logs longer than this show their end before they are read; shorter ones are read as soon as it is shown.
const LONG: u64 = 16 << 20;
/// How often progress is reported.
const REPORT: Duration = Duration::from_millis(40);
/// A stream that says nothing for so long has said what it had.
const QUIET: Duration = Duration::from_millis(100);

/// Starts the thread. The answer ends it.
pub(super) fn start(path: &Path, poll: bool, events: Outlet) -> Waker {
    let wake = Wake::new(path, poll);
    let waker = wake.waker();
    let path = path.to_path_buf();
    std::thread::spawn(move || {
        let mut feed = Feed::new(&path);
        feed.wake(wake.waker());
        let mut ingest = Ingest { path, wake, events, begun: false, told: None, forest: None };
        // An answer of nothing means that nobody listens any more, or that nothing can come.
        let _ = ingest.run(&mut feed);
    });
    waker
}

struct Ingest {
    path: PathBuf,
    wake: Wake,
    events: Outlet,
    /// There is a log on the other side for records to be added to.
    begun: bool,
    /// What was said of a spool, and when.
    told: Option<(Flow, Instant)>,
    /// Whether the file held a forest when it was so long and so old.
    forest: Option<((u64, Option<SystemTime>), bool)>,
}

impl Ingest {
    fn run(&mut self, feed: &mut Feed) -> Option<()> {
        if feed.flow().is_none() {
            self.show_tail()?;
            self.index(feed)?;
        }
        loop {
            // Asked before reading: once it has ended and nothing is read, nothing is left.
            let flow = feed.flow();
            match feed.next(&self.path) {
                News::Records(format, records) => {
                    let flow = flow.map(|flow| Flow { ended: false, trouble: None, ..flow });
                    self.tell(flow.as_ref())?;
                    self.hand_on(feed, format, records)?;
                }
                News::Epoch(epoch) => {
                    (self.begun, self.told) = (false, None);
                    self.send(Event::Epoch(epoch))?;
                    if feed.flow().is_none() {
                        self.index(feed)?;
                    }
                }
                News::Nothing => self.rest(feed, flow.as_ref())?,
                News::Waiting => {
                    self.send(Event::Waiting)?;
                    self.wait()?;
                }
                News::Gone => {
                    self.send(Event::Gone)?;
                    self.wait()?;
                }
                News::Displaced(error) => {
                    self.unreadable(error, None)?;
                    self.wait()?;
                }
                News::Unreadable(error) => {
                    self.unreadable(error, flow.as_ref())?;
                    if flow.is_some_and(|flow| !flow.is_file) {
                        // A stream becomes no log any more: whoever writes it need not go on.
                        return None;
                    }
                    self.wait()?;
                }
            }
        }
    }

    /// There is nothing more at present.
    fn rest(&mut self, feed: &mut Feed, flow: Option<&Flow>) -> Option<()> {
        self.tell(flow)?;
        let streams = flow.is_some_and(|flow| !flow.is_file);
        match flow {
            Some(flow) if streams && flow.ended => return self.finish(feed, flow),
            Some(_) if streams && self.wake.changes_within(QUIET)? => return Some(()),
            // In the midst of a compressed file.
            Some(flow) if !streams && !flow.ended => return self.wait(),
            _ => {}
        }
        if !self.begun && flow.is_none() && self.shows_forest()? {
            return self.wait();
        }
        match feed.doubt(&self.path) {
            Some(error) => self.send(Event::Undecided(error.explained(flow).to_string()))?,
            None => {
                let polled = !self.wake.is_watching();
                self.send(Event::Resting { polled, pending: feed.is_pending() })?;
            }
        }
        self.wait()
    }

    /// A stream has ended: its last line counts as it is, and nothing happens any more.
    fn finish(&mut self, feed: &mut Feed, flow: &Flow) -> Option<()> {
        match feed.finish(&self.path) {
            News::Records(format, records) if !records.is_empty() => self.hand_on(feed, format, records)?,
            News::Unreadable(error) => {
                self.unreadable(error, Some(flow))?;
                return None;
            }
            _ => {}
        }
        self.send(Event::Resting { polled: false, pending: false })?;
        None
    }

    /// Reads all that is there and hands it over as one session.
    fn index(&mut self, feed: &mut Feed) -> Option<()> {
        let mut session = None;
        let mut last = Instant::now();
        let length = |path: &Path| crate::log::length(path);
        let mut whole = length(&self.path);
        let mut alive = true;
        loop {
            let mut go_on = |position| {
                if last.elapsed() >= REPORT {
                    last = Instant::now();
                    whole = whole.max(position);
                    alive = self.events.send(Event::Progress(position, whole)).is_ok();
                }
                alive
            };
            match feed.read_to_end(&self.path, &mut session, &mut go_on) {
                End::Reached => break,
                End::Stopped => return None,
                End::Epoch(epoch) => {
                    self.send(Event::Epoch(epoch))?;
                    whole = length(&self.path);
                }
                End::Waiting => {
                    self.send(Event::Waiting)?;
                    self.wait()?;
                }
                End::Unreadable(error) => {
                    self.unreadable(error, None)?;
                    self.wait()?;
                }
            }
        }
        if let Some((mut session, source)) = session.zip(feed.source()) {
            session.bytes = feed.position();
            self.begun = true;
            self.send(Event::Indexed(Box::new(OpenLog::new(session, source))))?;
        }
        Some(())
    }

    fn show_tail(&self) -> Option<()> {
        let length = crate::log::length(&self.path);
        if length > LONG
            && let Some((session, source)) = load_end(&self.path, length)
        {
            self.send(Event::Tail(Box::new(OpenLog::new(session, source))))?;
        }
        Some(())
    }

    fn hand_on(&mut self, feed: &Feed, format: Format, records: Records) -> Option<()> {
        if !std::mem::replace(&mut self.begun, true) {
            let log = OpenLog::new(Session::new(format), feed.source()?);
            self.send(Event::Begun(Box::new(log)))?;
        }
        self.send(Event::Records(records))
    }

    /// Says how far a spool is: at once where it ended or something is wrong, else now and then.
    fn tell(&mut self, flow: Option<&Flow>) -> Option<()> {
        let Some(flow) = flow else { return Some(()) };
        let due = self.told.as_ref().is_none_or(|(told, when)| {
            let far = when.elapsed() >= REPORT && told.read != flow.read;
            far || (told.ended, &told.trouble) != (flow.ended, &flow.trouble)
        });
        if due {
            self.told = Some((flow.clone(), Instant::now()));
            self.send(Event::Flow(flow.clone()))?;
        }
        Some(())
    }

    /// What is no log may be a forest's file: shows it, once for every state of the file.
    fn shows_forest(&mut self) -> Option<bool> {
        let state = std::fs::metadata(&self.path).ok().map(|known| (known.len(), known.modified().ok()));
        if let Some((looked_at, holds)) = &self.forest
            && Some(looked_at) == state.as_ref()
        {
            return Some(*holds);
        }
        let opened = opened::open(&self.path).ok().zip(Source::open(&self.path).ok());
        self.forest = state.map(|state| (state, opened.is_some()));
        let Some((file, source)) = opened else { return Some(false) };
        let log = OpenLog::new(Session::new(Format::Conversation), source);
        self.send(Event::Forest(Box::new(file), Box::new(log)))?;
        Some(true)
    }

    fn unreadable(&mut self, error: LogError, flow: Option<&Flow>) -> Option<()> {
        if matches!(error, LogError::Unknown { .. }) && self.shows_forest()? {
            return Some(());
        }
        self.send(Event::Unreadable(error.explained(flow).to_string()))
    }

    fn wait(&self) -> Option<()> {
        self.wake.wait().then_some(())
    }

    fn send(&self, event: Event) -> Option<()> {
        self.events.send(event).ok()
    }
}
