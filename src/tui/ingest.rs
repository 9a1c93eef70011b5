//! The thread that reads the log: the end of a long one first, then all of it, then what is appended.

use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::log::{Wake, Waker};
use crate::session::load::{End, Feed, News, load_tail};
use crate::session::subagents;

use super::events::Event;

/// Logs longer than this show their end before they are read.
const LONG: u64 = 4 << 20;
/// How much of the end is read first.
const TAIL: u64 = 512 << 10;
/// How often progress is reported.
const REPORT: Duration = Duration::from_millis(40);

/// Starts the thread. The answer ends it.
pub fn start(path: &Path, poll: bool, events: SyncSender<Event>) -> Waker {
    let wake = Wake::new(path, poll);
    let waker = wake.waker();
    let path = path.to_path_buf();
    std::thread::spawn(move || {
        let ingest = Ingest { path, wake, events };
        // An answer of nothing means that nobody listens any more.
        let _ = ingest.run();
    });
    waker
}

struct Ingest {
    path: PathBuf,
    wake: Wake,
    events: SyncSender<Event>,
}

impl Ingest {
    fn run(&self) -> Option<()> {
        let mut feed = Feed::new(&self.path);
        self.show_tail()?;
        self.index(&mut feed)?;
        loop {
            match feed.next(&self.path) {
                News::Records(format, records) => self.send(Event::Records(format, records))?,
                News::Epoch(epoch) => {
                    self.send(Event::Epoch(epoch))?;
                    self.index(&mut feed)?;
                }
                News::Nothing => {
                    self.send(Event::Resting {
                        polled: !self.wake.is_watching(),
                        pending: feed.is_pending(),
                    })?;
                    self.wait()?;
                }
                News::Waiting => {
                    self.send(Event::Waiting)?;
                    self.wait()?;
                }
                News::Gone => {
                    self.send(Event::Gone)?;
                    self.wait()?;
                }
                News::Unreadable(error) => {
                    self.send(Event::Unreadable(error.to_string()))?;
                    self.wait()?;
                }
            }
        }
    }

    /// Reads all that is there and hands it over as one session.
    fn index(&self, feed: &mut Feed) -> Option<()> {
        let mut session = None;
        let mut last = Instant::now();
        let length = || crate::log::length(&self.path);
        let mut whole = length();
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
                    whole = length();
                }
                End::Waiting => {
                    self.send(Event::Waiting)?;
                    self.wait()?;
                }
                End::Unreadable(error) => {
                    self.send(Event::Unreadable(error.to_string()))?;
                    self.wait()?;
                }
            }
        }
        if let Some(mut session) = session {
            session.bytes = feed.position();
            subagents::attach(&mut session, &self.path);
            self.send(Event::Indexed(Box::new(session)))?;
        }
        Some(())
    }

    fn show_tail(&self) -> Option<()> {
        let length = crate::log::length(&self.path);
        if length > LONG
            && let Some(session) = load_tail(&self.path, length - TAIL)
        {
            self.send(Event::Tail(Box::new(session)))?;
        }
        Some(())
    }

    fn wait(&self) -> Option<()> {
        self.wake.wait().then_some(())
    }

    fn send(&self, event: Event) -> Option<()> {
        self.events.send(event).ok()
    }
}
