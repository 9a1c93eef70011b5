//! What reaches us from outside, each on a thread of its own: keys and mouse, signals, the end of the terminal.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::process;
use std::thread;
use std::time::Duration;

use crossterm::event::{Event as Input, MouseEventKind};
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use super::super::events::{Event, Outlet};

/// How long the drawing may take to end after a signal that says so.
const GRACE: Duration = Duration::from_secs(3);

/// Reads keys and mouse.
pub(super) fn keys(outlet: Outlet) {
    thread::spawn(move || {
        loop {
            let event = match crossterm::event::read() {
                Ok(Input::Key(key)) => Event::Key(key),
                // Capturing the mouse reports every motion: most of it is nothing to us.
                Ok(Input::Mouse(mouse)) if mouse.kind == MouseEventKind::Moved => continue,
                Ok(Input::Mouse(mouse)) => Event::Mouse(mouse),
                Ok(Input::Paste(text)) => Event::Paste(text),
                Ok(Input::Resize(..)) => Event::Resize,
                Ok(_) => continue,
                Err(_) => Event::Quit,
            };
            let last = matches!(event, Event::Quit);
            if outlet.send(event).is_err() || last {
                return;
            }
        }
    });
}

/// Being told to go, to stop and to go on are events like any other.
pub(super) fn signals(outlet: Outlet) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGTSTP => Event::Stop,
                SIGCONT => Event::Continue,
                _ => {
                    insist();
                    Event::Quit
                }
            };
            if outlet.send(event).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Who was told to go goes: a terminal that takes nothing, as behind a stalled connection, would keep the drawing
/// waiting for ever.
fn insist() {
    thread::spawn(|| {
        thread::sleep(GRACE);
        let _ = crossterm::terminal::disable_raw_mode();
        process::exit(3);
    });
}

/// Says when the terminal is gone. The thread that reads keys would not: the library under it tries a dead terminal
/// again and again. SIGHUP reaches only processes that the terminal controls.
pub(super) fn hangup(outlet: Outlet) {
    thread::spawn(move || {
        let Ok(keyboard) = keyboard() else { return };
        let gone = PollFlags::HUP | PollFlags::ERR;
        loop {
            // Asked for nothing, it answers only when the other end is closed.
            let mut watched = [PollFd::new(&keyboard, PollFlags::empty())];
            match poll(&mut watched, None) {
                Ok(_) if watched[0].revents().intersects(gone) => {
                    insist();
                    let _ = outlet.send(Event::Quit);
                    return;
                }
                Err(rustix::io::Errno::INTR) => {}
                // Some systems cannot watch a terminal: SIGHUP is all there is then.
                _ => return,
            }
        }
    });
}

/// Where keys are read from: standard input where that is the terminal.
fn keyboard() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return stdin.as_fd().try_clone_to_owned();
    }
    File::open("/dev/tty").map(OwnedFd::from)
}
