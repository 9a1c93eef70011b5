//! The terminal itself: taken, drawn on, and always given back.

mod held;
mod inputs;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;

use crate::cli::{ColorWhen, Interface, LastArguments, Screen};
use crate::discover::agents::{self, Agent, Place};
use crate::discover::newest::{Directory, newest};
use crate::log::LogError;
use crate::log::name::is_standard_input;
use crate::message::complain;
use crate::outline::ViewKind;
use crate::session::address::Moment;
use crate::strategies::union_find::opened::{self, NotOpened};

use super::model::Start;
use super::replay::Setup;
use super::screens::{First, Screens};
use super::theme::Theme;

pub(super) use held::{Held, set_mouse};

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
            complain(&message);
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
                check_forest(path, &error)?;
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

/// What is no log may be a forest's file.
fn check_forest(path: &Path, no_log: &LogError) -> Result<(), Refusal> {
    let why = match (no_log, opened::open(path)) {
        (LogError::Unknown { .. }, Ok(_)) => return Ok(()),
        (LogError::Unknown { .. }, Err(NotOpened::Broken(why))) => why,
        _ => no_log.to_string(),
    };
    Err((why, 3))
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
        replay: Setup {
            settings: screen.replay.settings().map_err(|error| (error, 2))?,
            forest: screen.forest.settings().map_err(|error| (error, 2))?,
            writer: screen.replay.summaries.writer().map_err(|error| (error, 2))?,
            keeps: true,
        },
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
    let outcome = show(&mut screens, mouse);
    if let Some(lost) = screens.lost() {
        complain(&lost);
    }
    outcome.map_err(|error| (format!("the terminal failed: {error}"), 3))
}

fn show(screens: &mut Screens, mouse: bool) -> io::Result<()> {
    inputs::signals(screens.outlet())?;
    let mut terminal = Held::take(mouse)?;
    inputs::hangup(screens.outlet());
    inputs::keys(screens.outlet());
    screens.run(&mut terminal)
}

/// Puts `text` on the clipboard. The answer says what was sent.
pub(super) fn copy(text: &str) -> io::Result<String> {
    let part = crate::text::preview::floor(text, CLIPBOARD);
    execute!(io::stdout(), CopyToClipboard::to_clipboard_from(part))?;
    io::stdout().flush()?;
    // tmux keeps it to itself unless it is told otherwise, and nobody hears of that.
    let within = std::env::var_os("TMUX").is_some();
    let to = if within { "tmux, for the clipboard where its set-clipboard is on" } else { "the clipboard" };
    Ok(if part.len() < text.len() {
        format!("sent the first 96 KiB of {} to {to}", crate::text::numbers::bytes(text.len() as u64))
    } else {
        format!("sent to {to}: {}", crate::text::preview::of(part))
    })
}
