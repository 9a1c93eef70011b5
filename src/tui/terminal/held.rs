//! The terminal while it is ours: taken, drawn on, lent to the shell while the process is stopped, and given back
//! whatever happens.

use std::io;
use std::mem::ManuallyDrop;

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{DefaultTerminal, Frame, Terminal};
use signal_hook::consts::SIGTSTP;

/// A terminal that was taken.
pub struct Held {
    /// Never dropped: its own clean-up writes to standard error where it fails, and panics where that fails too, as
    /// both do on a terminal that is gone. What it would do is done here.
    terminal: ManuallyDrop<DefaultTerminal>,
}

impl Held {
    /// Takes the terminal, and the mouse with it if `mouse` is set.
    pub fn take(mouse: bool) -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
        let taken = enter(mouse).and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match taken {
            Ok(terminal) => Ok(Self { terminal: ManuallyDrop::new(terminal) }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// One frame, shown at once by terminals that can.
    pub fn draw(&mut self, screen: impl FnOnce(&mut Frame)) -> io::Result<()> {
        queue!(io::stdout(), BeginSynchronizedUpdate)?;
        let outcome = self.terminal.draw(screen).map(drop);
        execute!(io::stdout(), EndSynchronizedUpdate)?;
        outcome
    }

    /// The next frame is drawn whole: what is on the screen is not known any more. A terminal that was made small
    /// and large again between two frames has the size it had, and not the text.
    pub fn forget(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((ratatui::layout::Position::ORIGIN, size)))
    }

    /// Gives the terminal back, stops this process as the shell expects, and takes the terminal again when the
    /// process goes on.
    pub fn suspend(&mut self, mouse: bool) -> io::Result<()> {
        give_back();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        self.retake(mouse)
    }

    /// Takes the terminal again after somebody else had it.
    pub fn retake(&mut self, mouse: bool) -> io::Result<()> {
        // Left on, raw mode would be taken for set, although the shell has undone it.
        disable_raw_mode()?;
        enter(mouse)?;
        self.forget()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        give_back();
    }
}

/// Takes the mouse, or gives it back.
pub fn set_mouse(ours: bool) -> io::Result<()> {
    if ours {
        execute!(io::stdout(), EnableMouseCapture)
    } else {
        execute!(io::stdout(), DisableMouseCapture)
    }
}

fn enter(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
    if mouse { set_mouse(true) } else { Ok(()) }
}

/// A terminal that is gone cannot be given back: failures are no news.
fn give_back() {
    let _ = disable_raw_mode();
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        Show,
        LeaveAlternateScreen
    );
}
