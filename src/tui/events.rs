//! What can happen.

use std::path::PathBuf;
use std::sync::mpsc::SyncSender;

use crossterm::event::{KeyEvent, MouseEvent};

use crate::audit::auditing;
use crate::discover::News;
use crate::lineage::tracing;
use crate::log::Flow;
use crate::log::follow::Epoch;
use crate::session::later::Done;
use crate::session::load::Records;
use crate::session::open::OpenLog;
use crate::strategies::union_find::opened::Opened;

use super::search::Found;

/// Something happened.
#[derive(Debug)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// No key followed a digit for a moment.
    Pause,
    /// The terminal has another size.
    Resize,
    /// The end of a long log, read first.
    Tail(Box<OpenLog>),
    /// Bytes of it read so far, and its length.
    Progress(u64, u64),
    /// The whole log.
    Indexed(Box<OpenLog>),
    /// A log that has no record yet: they follow one by one.
    Begun(Box<OpenLog>),
    /// The file is a forest's: there is no session in it.
    Forest(Box<Opened>, Box<OpenLog>),
    /// Records that were appended.
    Records(Records),
    /// How far a log is that has to be spooled.
    Flow(Flow),
    /// The log is another one now.
    Epoch(Epoch),
    /// There is no file yet.
    Waiting,
    /// The file is gone.
    Gone,
    /// It is there and at rest; whether changes are found by polling only.
    Resting {
        /// Changes are looked for by polling.
        polled: bool,
        /// The file ends in a line that is no record yet.
        pending: bool,
    },
    /// It cannot be read.
    Unreadable(String),
    /// A search reports.
    Found(Found),
    /// News of the sessions there are.
    Sessions(News),
    /// What has come so far is no log of a known format, and why; what comes next may still make it one.
    Undecided(String),
    /// A newer session of the same directory came to be.
    Newer(PathBuf),
    /// A large text was read.
    Read(Box<Done>),
    /// A generation was traced.
    Traced(Box<tracing::Done>),
    /// A compaction was audited.
    Audited(Box<auditing::Done>),
    /// Something was written for the block hierarchy, or kept.
    Replayed,
    /// The system wants us to stop for now.
    Stop,
    /// It lets us go on; somebody else may have used the terminal.
    Continue,
    /// The terminal or the system wants us to go.
    Quit,
}

/// Whom an event is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// Whatever is on the screen.
    Shown,
    /// The list of sessions.
    List,
    /// The session that was opened as the so-manieth.
    Session(u64),
}

/// Where events go, each marked with whom it is for.
#[derive(Clone, Debug)]
pub(super) struct Outlet {
    pub(super) sender: SyncSender<(For, Event)>,
    pub(super) whom: For,
}

/// Nobody listens any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed;

impl Outlet {
    /// Sends, unless so many events wait that there will be another look at everything anyway: who says only that there is
    /// something new must not wait for who is to end it.
    pub(super) fn nudge(&self, event: Event) {
        let _ = self.sender.try_send((self.whom, event));
    }

    /// Sends; fails when nobody listens any more.
    pub(super) fn send(&self, event: Event) -> Result<(), Closed> {
        self.sender.send((self.whom, event)).map_err(|_| Closed)
    }
}
