//! The terminal itself: taken, drawn on, and always given back.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, MouseEventKind,
};
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::DefaultTerminal;

use crate::cli::{ColorWhen, Interface};
use crate::log::LogError;
use crate::log::name::is_standard_input;
use crate::outline::ViewKind;
use crate::session::address::Moment;

use super::events::Event;
use super::ingest;
use super::model::{Model, Start};
use super::render;
use super::search::{Search, compile};
use super::theme::Theme;
use super::update::{Effect, update};

/// Draws are at least this far apart.
const FRAME: Duration = Duration::from_millis(16);
/// How long the first draw waits for something to show.
const FIRST: Duration = Duration::from_millis(60);
/// How long a digit waits for what follows it.
const DIGIT: Duration = Duration::from_millis(250);
/// Longest text that goes to the clipboard: many terminals take no more.
const CLIPBOARD: usize = 96 << 10;

/// Opens the interface on a log, and stays until the person leaves.
pub fn run(arguments: &Interface) -> ExitCode {
    match prepare(arguments) {
        Ok(start) => match interact(start, arguments) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("pentimento: the terminal failed: {error}");
                ExitCode::from(3)
            }
        },
        Err((message, status)) => {
            eprintln!("pentimento: {message}");
            ExitCode::from(status)
        }
    }
}

/// Checks what can be checked before the terminal is taken.
fn prepare(arguments: &Interface) -> Result<Start, (String, u8)> {
    let Some(path) = &arguments.path else {
        return Err(("give the path of a session log; `pentimento --help` says more".to_owned(), 2));
    };
    let streamed = is_standard_input(path);
    if streamed && io::stdin().is_terminal() {
        return Err((LogError::Terminal.to_string(), 2));
    }
    if !streamed && path.is_dir() {
        return Err((
            format!("{}: this is a folder. Give the path of a session log in it", path.display()),
            3,
        ));
    }
    if !arguments.follow
        && !streamed
        && let Err(error) = crate::session::load::check(path)
    {
        return Err((error.to_string(), 3));
    }
    if !io::stdout().is_terminal() || !(streamed || io::stdin().is_terminal()) {
        let commands = "`pentimento info`, `turns`, `context`, `tree` and `expand` print to a pipe or file";
        return Err((format!("the interface needs a terminal; {commands}"), 2));
    }
    if streamed && let Err(error) = std::fs::File::open("/dev/tty") {
        return Err((
            format!("the log comes from standard input, and there is no terminal for the keys: {error}"),
            2,
        ));
    }
    if let Some(moment) = &arguments.as_of {
        moment.parse::<Moment>().map_err(|error| (error.to_string(), 2))?;
    }
    let theme = theme(arguments).map_err(|error| (error, 2))?;
    Ok(Start {
        path: path.clone(),
        follow: arguments.follow || streamed,
        as_of: arguments.as_of.clone(),
        view: arguments.view.map_or(ViewKind::Window, ViewKind::from),
        theme,
        mouse: !arguments.no_mouse,
    })
}

fn theme(arguments: &Interface) -> Result<Theme, String> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colors = match arguments.color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => !no_color,
    };
    // The theme decides alone: left to itself, the terminal library answers NO_COLOR with sequences that also reset
    // weight and reverse, and the selected row would vanish.
    crossterm::style::force_color_output(true);
    let theme = Theme::named(&arguments.theme)?;
    if colors { Ok(theme) } else { Theme::named("mono") }
}

fn interact(start: Start, arguments: &Interface) -> io::Result<()> {
    let (sender, events) = channel();
    signals(sender.clone())?;
    let waker = ingest::start(&start.path, arguments.poll, sender.clone());
    let mouse = start.mouse;
    let mut model = Model::new(start);
    let guard = Guard::take(mouse)?;
    let mut terminal = ratatui::try_init()?;
    keys(sender.clone());
    let outcome = main_loop(&mut terminal, &mut model, &events, &sender);
    waker.stop();
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
fn signals(sender: Sender<Event>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if sender.send(Event::Quit).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Reads keys and mouse on a thread of its own.
fn keys(sender: Sender<Event>) {
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
            if sender.send(event).is_err() || last {
                return;
            }
        }
    });
}

fn main_loop(
    terminal: &mut DefaultTerminal,
    model: &mut Model,
    events: &Receiver<Event>,
    sender: &Sender<Event>,
) -> io::Result<()> {
    let begun = Instant::now();
    let mut drawn: Option<Instant> = None;
    let mut dirty = true;
    loop {
        let wait = match drawn {
            _ if !dirty && model.count.is_some() => DIGIT,
            None if model.log.is_none() => FIRST.saturating_sub(begun.elapsed()),
            Some(drawn) if dirty => FRAME.saturating_sub(drawn.elapsed()),
            None => Duration::ZERO,
            Some(_) => Duration::from_hours(1),
        };
        let event = match events.recv_timeout(wait) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) if !dirty && model.count.is_some() => Some(Event::Pause),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // Everything that waits is taken in before one draw, but no longer than a frame.
        let until = Instant::now() + FRAME;
        let mut next = event;
        while let Some(event) = next {
            dirty |= changes(model, &event);
            for effect in update(model, event) {
                if effect == Effect::Quit {
                    return Ok(());
                }
                perform(model, effect, sender)?;
            }
            next = if Instant::now() < until { events.try_recv().ok() } else { None };
        }
        let due = drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME);
        let something = model.log.is_some() || begun.elapsed() >= FIRST || model.feed.problem.is_some();
        if dirty && due && something {
            draw(terminal, model)?;
            drawn = Some(Instant::now());
            dirty = false;
        }
    }
}

/// Whether an event can change what is on the screen: an idle log says every second that it is at rest.
fn changes(model: &Model, event: &Event) -> bool {
    match event {
        Event::Resting { polled, pending } => model.feed != model.feed.at_rest(*polled, *pending),
        Event::Gone => !model.feed.gone,
        Event::Waiting => !model.feed.waiting,
        Event::Unreadable(problem) => model.feed.problem.as_ref() != Some(problem),
        _ => true,
    }
}

/// One frame, shown at once by terminals that can.
fn draw(terminal: &mut DefaultTerminal, model: &mut Model) -> io::Result<()> {
    queue!(io::stdout(), BeginSynchronizedUpdate)?;
    let outcome = terminal.draw(|frame| render::screen(frame, model)).map(drop);
    execute!(io::stdout(), EndSynchronizedUpdate)?;
    outcome
}

fn perform(model: &mut Model, effect: Effect, sender: &Sender<Event>) -> io::Result<()> {
    match effect {
        Effect::Copy(text) => {
            let part = crate::text::preview::floor(&text, CLIPBOARD);
            execute!(io::stdout(), CopyToClipboard::to_clipboard_from(part))?;
            let shown = crate::text::preview::of(part);
            model.message = Some(if part.len() < text.len() {
                format!(
                    "sent the first 96 KiB of {} to the clipboard",
                    crate::text::numbers::bytes(text.len() as u64)
                )
            } else {
                format!("sent to the clipboard: {shown}")
            });
        }
        Effect::Mouse(true) => execute!(io::stdout(), EnableMouseCapture)?,
        Effect::Mouse(false) => execute!(io::stdout(), DisableMouseCapture)?,
        Effect::Search(text) => start_search(model, &text, sender),
        Effect::Quit => {}
    }
    io::stdout().flush()
}

fn start_search(model: &mut Model, text: &str, sender: &Sender<Event>) {
    let (Some(log), Ok(pattern)) = (&model.log, compile(text)) else { return };
    model.searches += 1;
    let sender = sender.clone();
    let report = move |found| sender.send(Event::Found(found)).is_ok();
    let source = log.source.clone();
    model.search = Some(Search::start(model.searches, text, pattern, &log.session, source, report));
}
