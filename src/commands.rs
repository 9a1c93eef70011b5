//! The same answers as the screen's, as text and JSON.
//!
//! Owns the command line's contract: what each command prints, and the exit status. Standard output carries only
//! the result; messages go to standard error. Computes nothing itself: it asks the session, the strategies and the
//! outline.

mod ask;
mod audit;
mod context;
mod expand;
mod forests;
mod forget;
mod gc;
mod guarded;
mod info;
mod recall;
mod receipts;
mod replay;
mod sessions;
mod trace;
pub mod tree;
mod turns;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::log::LogError;
use crate::message::complain;
use crate::session::address::{Address, Moment, NoSuchMoment, NotAnAddress};
use crate::session::open::{Lost, OpenLog};
use crate::strategies::union_find::opened::{self, NotOpened, Opened};
use crate::text::lexicon::Lexicon;

use guarded::Guarded;

use crate::cli::{Arguments, Command};

/// Version of the JSON that commands print.
pub const SCHEMA: u32 = 1;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An audit rule failed: 1.
    #[error("{0}")]
    Rule(String),
    /// Wrong usage: exit status 2.
    #[error("{0}")]
    Usage(String),
    /// The log could not be read: 3.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A sub-agent's file could not be read: 3.
    #[error("{0}")]
    Unreadable(String),
    /// What is kept could not be deleted: 3.
    #[error("{0}")]
    Store(String),
    /// Nothing is at that address: 4.
    #[error("{0}")]
    NotFound(String),
    /// The result could not be written. A closed pipe is no failure.
    #[error("cannot write the result: {0}")]
    Write(#[from] io::Error),
}

impl Failure {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Self::Rule(_) => 1,
            Self::Usage(_) | Self::Log(LogError::Terminal) => 2,
            Self::Log(_) | Self::Unreadable(_) | Self::Store(_) | Self::Write(_) => 3,
            Self::NotFound(_) => 4,
        }
    }
}

impl From<NotAnAddress> for Failure {
    fn from(error: NotAnAddress) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<Lost> for Failure {
    fn from(error: Lost) -> Self {
        match error {
            Lost::Agent(message) => Self::Unreadable(message),
            error => Self::NotFound(error.to_string()),
        }
    }
}

impl From<NoSuchMoment> for Failure {
    fn from(error: NoSuchMoment) -> Self {
        if error.is_usage() { Self::Usage(error.to_string()) } else { Self::NotFound(error.to_string()) }
    }
}

/// Runs `command` and says how it ended.
pub fn run(command: &Command) -> ExitCode {
    let stdout = io::stdout();
    let on_terminal = stdout.is_terminal();
    let mut out = io::BufWriter::new(Guarded::new(stdout.lock(), on_terminal));
    let outcome = dispatch(command, &mut out).and_then(|()| out.flush().map_err(Failure::from));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = out.flush();
            complain(&failure.to_string());
            ExitCode::from(failure.status())
        }
    }
}

fn dispatch(command: &Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Info { path, json, costs } => on(path, |log| info::run(log, *json, costs, out)),
        Command::Turns(arguments) => on(&arguments.path, |log| turns::run(log, arguments, out)),
        Command::Context(arguments) => on(&arguments.path, |log| context::run(log, arguments, out)),
        Command::Tree(arguments) => on_either(&arguments.path, |open| match open {
            Open::Log(log) => tree::run(log, arguments, out),
            Open::Forest(forest) => forest.tree(arguments, out),
        }),
        Command::Expand(arguments) => on_either(&arguments.path, |open| match open {
            Open::Log(log) => expand::run(log, arguments, out),
            Open::Forest(forest) => forest.expand(arguments, out),
        }),
        Command::Ask(arguments) => on_either(&arguments.path, |open| match open {
            Open::Log(log) => ask::run(log, arguments, out),
            Open::Forest(forest) => forest.print_reading(arguments, out),
        }),
        Command::Gc(arguments) => gc::run(arguments, out),
        Command::Trace(arguments) => on(&arguments.path, |log| trace::run(log, arguments, out)),
        Command::Audit(arguments) => audit::run(arguments, out),
        Command::Recall(arguments) => on(&arguments.path, |log| recall::run(log, arguments, out)),
        Command::Forget(arguments) => forget::run(arguments, out),
        Command::Sessions(arguments) => sessions::run(arguments, out),
        // It has a screen of its own; `main` sends it there.
        Command::Last(_) => Ok(()),
        Command::Completions { shell } => {
            let mut command = <Arguments as clap::CommandFactory>::command();
            // Into memory first: it panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command, "pentimento", &mut script);
            out.write_all(&script)?;
            Ok(())
        }
        Command::Man => {
            let page = manual()?;
            out.write_all(&page)?;
            Ok(())
        }
    }
}

/// Runs `command` on the log at `path`, and says what people have to know of how it was read. A forest's file is none.
fn on(path: &Path, command: impl FnOnce(&OpenLog) -> Result<(), Failure>) -> Result<(), Failure> {
    on_either(path, |open| match open {
        Open::Log(log) => command(log),
        Open::Forest(_) => Err(Failure::Usage(format!(
            "{}: this is a forest's file, which has no turns: `tree`, `ask` and `expand` read it",
            path.display()
        ))),
    })
}

/// What a path may name.
enum Open<'a> {
    /// A log.
    Log(&'a OpenLog),
    /// A forest's file.
    Forest(&'a Opened),
}

/// Runs `command` on the log at `path`, or on the forest that is in a file there.
fn on_either(path: &Path, command: impl FnOnce(Open) -> Result<(), Failure>) -> Result<(), Failure> {
    let log = match OpenLog::load(path) {
        Ok(log) => log,
        Err(error @ LogError::Unknown { .. }) => {
            return match opened::open(path) {
                Ok(forest) => command(Open::Forest(&forest)),
                Err(NotOpened::Other) => Err(error.into()),
                Err(NotOpened::Log(error)) => Err(error.into()),
                Err(NotOpened::Broken(why)) => Err(Failure::Unreadable(why)),
            };
        }
        Err(error) => return Err(error.into()),
    };
    let outcome = command(Open::Log(&log));
    log.notices().iter().for_each(|notice| complain(notice));
    outcome
}

/// One manual page: the program, then each command under a heading of its own.
fn manual() -> io::Result<Vec<u8>> {
    let mut command = <Arguments as clap::CommandFactory>::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let mut section = Vec::new();
        let man = clap_mangen::Man::new(inner.clone());
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        page.extend(
            format!(".SH \"PENTIMENTO {}\"\n{section}", inner.get_name().to_uppercase()).into_bytes(),
        );
    }
    Ok(page)
}

/// A cue lexicon of the user's.
fn own_lexicon(path: &Path) -> Result<Lexicon, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("{}: cannot read the lexicon: {error}", path.display())))?;
    Lexicon::parse(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// The turn number that `--as-of` means; the newest turn without it.
fn as_of(log: &OpenLog, moment: Option<&str>) -> Result<u32, Failure> {
    match moment {
        None => Ok(log.session.last()),
        Some(text) => Ok(log.session.resolve(&text.parse::<Moment>()?)?),
    }
}

/// Milliseconds since the epoch as ISO 8601 in UTC.
fn iso(time: i64) -> Option<String> {
    jiff::Timestamp::from_millisecond(time).ok().filter(|_| time != i64::MIN).map(|t| t.to_string())
}

/// The address of the thread at `index`, `main` for the main one.
fn thread_name(log: &OpenLog, index: usize) -> String {
    match &*log.session.threads()[index].name {
        "" => "main".to_owned(),
        name => Address::Thread(name.to_owned()).to_string(),
    }
}
