//! The terminal itself: taken, drawn on, and always given back.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, MouseEventKind,
};
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::Frame;

use crate::cli::{ColorWhen, Interface, LastArguments, Screen};
use crate::discover::agents::{self, Agent, Place};
use crate::discover::newest::{Directory, newest};
use crate::log::LogError;
use crate::log::name::is_standard_input;
use crate::outline::ViewKind;
use crate::session::address::Moment;

use super::events::{Event, Outlet};
use super::model::Start;
use super::screens::{First, Screens};
use super::theme::Theme;

/// The terminal that is drawn on.
pub(super) type Terminal = ratatui::DefaultTerminal;

/// Longest text that goes to the clipboard: many terminals take no more.
const CLIPBOARD: usize = 96 << 10;

/// Opens the interface on a log or on the list of sessions, and stays until the person leaves.
pub fn run(arguments: &Interface) -> ExitCode {
    answer(prepare(arguments).and_then(|(first, start)| interact(first, start, &arguments.screen)))
}

/// Opens the interface on the newest session of the current directory, and on every one that comes to be there.
pub fn run_last(arguments: &LastArguments) -> ExitCode {
    answer(
        find_newest(arguments)
            .and_then(|first| interact(first, start(&arguments.screen, false)?, &arguments.screen)),
    )
}

/// Why the interface does not open, or ended: what is said, and the exit status.
type Refusal = (String, u8);

fn answer(outcome: Result<(), Refusal>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err((message, status)) => {
            let lines: Vec<_> = message.lines().map(crate::text::display::safe).collect();
            eprintln!("pentimento: {}", lines.join("\n"));
            ExitCode::from(status)
        }
    }
}

/// Checks what can be checked before the terminal is taken.
fn prepare(arguments: &Interface) -> Result<(First, Start), Refusal> {
    let streamed = arguments.path.as_deref().is_some_and(is_standard_input);
    if streamed && io::stdin().is_terminal() {
        return Err((LogError::Terminal.to_string(), 2));
    }
    let first = match &arguments.path {
        Some(path) if streamed => First::Session(path.clone()),
        Some(path) if path.is_dir() => First::List(vec![Place::given(path)]),
        Some(path) => {
            if !arguments.follow
                && let Err(error) = crate::session::load::check(path)
            {
                return Err((error.to_string(), 3));
            }
            First::Session(path.clone())
        }
        None => First::List(agents::places(None)),
    };
    if matches!(first, First::List(_)) && arguments.as_of.is_some() {
        return Err(("--as-of is a moment of one session: give its path".to_owned(), 2));
    }
    if let Some(moment) = &arguments.as_of {
        moment.parse::<Moment>().map_err(|error| (error.to_string(), 2))?;
    }
    let start = start(&arguments.screen, streamed)?;
    if streamed && let Err(error) = std::fs::File::open("/dev/tty") {
        return Err((
            format!("the log comes from standard input, and there is no terminal for the keys: {error}"),
            2,
        ));
    }
    Ok((first, Start { follow: arguments.follow || streamed, as_of: arguments.as_of.clone(), ..start }))
}

fn find_newest(arguments: &LastArguments) -> Result<First, Refusal> {
    let directory = Directory::current()
        .map_err(|error| (format!("the current directory cannot be told: {error}"), 3))?;
    let places = agents::places(arguments.agent.as_deref().and_then(Agent::named));
    let mut cache = crate::discover::cache();
    let found = newest(&places, &directory, &mut cache);
    cache.save();
    match found {
        Ok(newest) => Ok(First::Newest(places, directory, newest)),
        Err(look) => {
            let name = directory.name().display();
            let places = look.places_line();
            let message = format!("no session of {name} or of a directory above it. Looked in {places}");
            let lines: Vec<String> = std::iter::once(message).chain(look.troubles).collect();
            Err((lines.join("\n"), 4))
        }
    }
}

/// How sessions start; of one that is `streamed` the keys do not come from standard input.
fn start(screen: &Screen, streamed: bool) -> Result<Start, Refusal> {
    if !io::stdout().is_terminal() || !(streamed || io::stdin().is_terminal()) {
        let commands =
            "`pentimento sessions`, `info`, `turns`, `context`, `tree` and `expand` print to a pipe or file";
        return Err((format!("the interface needs a terminal; {commands}"), 2));
    }
    let theme = theme(screen).map_err(|error| (error, 2))?;
    Ok(Start {
        path: PathBuf::new(),
        follow: false,
        as_of: None,
        view: screen.view.map_or(ViewKind::Window, ViewKind::from),
        theme,
        mouse: !screen.no_mouse,
    })
}

fn theme(screen: &Screen) -> Result<Theme, String> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colors = match screen.color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => !no_color,
    };
    // The theme decides alone: left to itself, the terminal library answers NO_COLOR with sequences that also reset
    // weight and reverse, and the selected row would vanish.
    crossterm::style::force_color_output(true);
    let theme = Theme::named(&screen.theme)?;
    if colors { Ok(theme) } else { Theme::named("mono") }
}

fn interact(first: First, start: Start, screen: &Screen) -> Result<(), Refusal> {
    let mouse = start.mouse;
    let mut screens = Screens::new(first, start, screen.poll);
    show(&mut screens, mouse).map_err(|error| (format!("the terminal failed: {error}"), 3))
}

fn show(screens: &mut Screens, mouse: bool) -> io::Result<()> {
    signals(screens.outlet())?;
    let guard = Guard::take(mouse)?;
    let mut terminal = ratatui::try_init()?;
    keys(screens.outlet());
    let outcome = screens.run(&mut terminal);
    drop(guard);
    ratatui::restore();
    outcome
}

/// What ratatui does not undo itself, undone whatever happens.
struct Guard;

impl Guard {
    fn take(mouse: bool) -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            Self::undo();
            before(info);
        }));
        execute!(io::stdout(), EnableBracketedPaste)?;
        if mouse {
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        Ok(Self)
    }

    fn undo() {
        // A terminal that is gone cannot be restored.
        let _ = execute!(io::stdout(), EndSynchronizedUpdate, DisableMouseCapture, DisableBracketedPaste);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        Self::undo();
    }
}

/// Being told to go, by the system or a terminal that closes, is an event like any other.
fn signals(outlet: Outlet) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if outlet.send(Event::Quit).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Reads keys and mouse on a thread of its own.
fn keys(outlet: Outlet) {
    use crossterm::event::Event as Input;
    std::thread::spawn(move || {
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

/// One frame, shown at once by terminals that can.
pub(super) fn draw(terminal: &mut Terminal, screen: impl FnOnce(&mut Frame)) -> io::Result<()> {
    queue!(io::stdout(), BeginSynchronizedUpdate)?;
    let outcome = terminal.draw(screen).map(drop);
    execute!(io::stdout(), EndSynchronizedUpdate)?;
    outcome
}

/// Takes the mouse, or gives it back.
pub(super) fn set_mouse(ours: bool) -> io::Result<()> {
    if ours {
        execute!(io::stdout(), EnableMouseCapture)
    } else {
        execute!(io::stdout(), DisableMouseCapture)
    }
}

/// Puts `text` on the clipboard. The answer says what was sent.
pub(super) fn copy(text: &str) -> io::Result<String> {
    let part = crate::text::preview::floor(text, CLIPBOARD);
    execute!(io::stdout(), CopyToClipboard::to_clipboard_from(part))?;
    Ok(if part.len() < text.len() {
        format!(
            "sent the first 96 KiB of {} to the clipboard",
            crate::text::numbers::bytes(text.len() as u64)
        )
    } else {
        format!("sent to the clipboard: {}", crate::text::preview::of(part))
    })
}
