//! The terminal itself: taken, drawn on, and always given back.

mod held;
mod inputs;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;

use crate::cli::{ColorWhen, Interface};
use crate::message::complain;
use crate::outline::ViewKind;
use crate::session::address::Moment;
use crate::session::later::Job;

use super::events::Event;
use super::ingest;
use super::model::{Feed, Model, Start};
use super::search::{Search, compile};
use super::theme::Theme;
use super::update::{Effect, update};
use held::Held;

/// Events that may wait to be taken in. Who has more to say waits: a log that grows by a hundred megabytes at once
/// must not stand between a key and its answer, nor fill the memory.
const WAITING: usize = 16;
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
                complain(&format!("the terminal failed: {error}"));
                ExitCode::from(3)
            }
        },
        Err((message, status)) => {
            complain(&message);
            ExitCode::from(status)
        }
    }
}

/// Checks what can be checked before the terminal is taken.
fn prepare(arguments: &Interface) -> Result<Start, (String, u8)> {
    let Some(path) = &arguments.path else {
        return Err(("give the path of a session log; `pentimento --help` says more".to_owned(), 2));
    };
    if path.is_dir() {
        return Err((
            format!("{}: this is a folder. Give the path of a session log in it", path.display()),
            3,
        ));
    }
    if !arguments.follow
        && let Err(error) = crate::session::load::check(path)
    {
        return Err((error.to_string(), 3));
    }
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let commands = "`pentimento info`, `turns`, `context`, `tree` and `expand` print to a pipe or file";
        return Err((format!("the interface needs a terminal; {commands}"), 2));
    }
    if let Some(moment) = &arguments.as_of {
        moment.parse::<Moment>().map_err(|error| (error.to_string(), 2))?;
    }
    let theme = theme(arguments).map_err(|error| (error, 2))?;
    Ok(Start {
        path: path.clone(),
        follow: arguments.follow,
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
    let (sender, events) = sync_channel(WAITING);
    inputs::signals(sender.clone())?;
    let waker = ingest::start(&start.path, arguments.poll, sender.clone());
    let mouse = start.mouse;
    let mut model = Model::new(start);
    let mut terminal = Held::take(mouse)?;
    inputs::hangup(sender.clone());
    inputs::keys(sender.clone());
    let outcome = main_loop(&mut terminal, &mut model, &events, &sender);
    waker.stop();
    outcome
}

fn main_loop(
    terminal: &mut Held,
    model: &mut Model,
    events: &Receiver<Event>,
    sender: &SyncSender<Event>,
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
                perform(terminal, model, effect, sender)?;
            }
            next = if Instant::now() < until { events.try_recv().ok() } else { None };
        }
        let due = drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME);
        let something = model.log.is_some() || begun.elapsed() >= FIRST || model.feed.problem.is_some();
        if dirty && due && something {
            terminal.draw(model)?;
            if let Some(job) = model.job() {
                read(job, sender.clone());
            }
            drawn = Some(Instant::now());
            dirty = false;
        }
    }
}

/// Whether an event can change what is on the screen: an idle log says every second that it is at rest.
fn changes(model: &Model, event: &Event) -> bool {
    match event {
        Event::Resting { polled, pending } => model.feed != Feed::calm(*polled, *pending, model.feed.epochs),
        Event::Gone => !model.feed.gone,
        Event::Waiting => !model.feed.waiting,
        Event::Unreadable(problem) => model.feed.problem.as_ref() != Some(problem),
        _ => true,
    }
}

fn perform(
    terminal: &mut Held,
    model: &mut Model,
    effect: Effect,
    sender: &SyncSender<Event>,
) -> io::Result<()> {
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
        Effect::Mouse(ours) => held::set_mouse(ours)?,
        Effect::Stop => terminal.suspend(model.mouse)?,
        Effect::Retake => terminal.retake(model.mouse)?,
        Effect::Redraw => terminal.forget()?,
        Effect::Search(text) => start_search(model, &text, sender),
        Effect::Quit => {}
    }
    io::stdout().flush()
}

/// Reads a large text on a thread of its own. There is only one at a time.
fn read(job: Job, sender: SyncSender<Event>) {
    std::thread::spawn(move || sender.send(Event::Read(Box::new(job.run()))));
}

fn start_search(model: &mut Model, text: &str, sender: &SyncSender<Event>) {
    let (Some(log), Ok(pattern)) = (&model.log, compile(text)) else { return };
    model.searches += 1;
    let sender = sender.clone();
    let report = move |found| sender.send(Event::Found(found)).is_ok();
    let path = Path::new(&model.path).to_path_buf();
    model.search = Some(Search::start(model.searches, text, pattern, &log.session, path, report));
}
