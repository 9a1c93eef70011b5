//! What can happen.

use crossterm::event::{KeyEvent, MouseEvent};

use crate::formats::Format;
use crate::log::follow::Epoch;
use crate::session::Session;
use crate::session::later::Done;
use crate::session::load::Records;

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
    Tail(Box<Session>),
    /// Bytes of it read so far, and its length.
    Progress(u64, u64),
    /// The whole log.
    Indexed(Box<Session>),
    /// Records that were appended.
    Records(Format, Records),
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
    /// A large text was read.
    Read(Box<Done>),
    /// The system wants us to stop for now.
    Stop,
    /// It lets us go on; somebody else may have used the terminal.
    Continue,
    /// The terminal or the system wants us to go.
    Quit,
}
