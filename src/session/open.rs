//! A session with what is needed to look into it: its bytes, and its sub-agents' sessions.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::log::{LogError, Source};
use crate::text::numbers::count;
use crate::text::preview;

use super::address::Address;
use super::later::{self, Done, Job, Later, Soon};
use super::subagents::{self, Subagent};
use super::text::LocatedText;
use super::{Session, TurnId, load, text};

/// How many parts a turn had when they were read, and the first words of each.
type Words = (usize, Vec<Box<str>>);

/// A log opened for looking.
#[derive(Debug)]
pub struct OpenLog {
    /// The path as given.
    pub path: PathBuf,
    /// The model.
    pub session: Session,
    /// The bytes.
    pub source: Source,
    agents: Vec<Agent>,
    /// Set where large texts are read later.
    pub(super) later: Option<Arc<Later>>,
    /// Tells this log from every other of this process.
    pub(super) serial: u64,
    /// The first words of the parts of turns that were looked at, and how many parts that were.
    words: RefCell<HashMap<TurnId, Words>>,
}

/// First words are kept of this many turns at the most.
const WORDS: usize = 4096;

/// A sub-agent of the session, its own session read when first asked for.
#[derive(Debug)]
pub struct Agent {
    /// Its file.
    pub file: Subagent,
    log: OnceCell<Result<Box<OpenLog>, String>>,
}

/// An address that leads nowhere.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// The main thread is shorter.
    #[error("there is no turn {0}: the {1} has {2}")]
    Turn(String, String, u32),
    /// The turn has fewer parts.
    #[error("turn {} has {}, numbered from 0", .0, count(*.1 as u64, "part"))]
    Part(String, usize),
    /// The log has fewer generations.
    #[error("there is no generation {0}: the log has {1}")]
    Generation(u32, usize),
    /// The summary has fewer sentences.
    #[error("g{0} has no sentence {1}: its summary has {2}")]
    Sentence(u32, u32, usize),
    /// No such line, or a blank one.
    #[error("line {0} holds no record: the last one is on line {1}")]
    Line(u32, u32),
    /// No such thread.
    #[error("there is no thread @{}: {}", preview::quoted(.0), .1)]
    Thread(String, String),
    /// The sub-agent's file cannot be read.
    #[error("{0}")]
    Agent(String),
}

/// How many threads a message names.
const NAMED: usize = 8;

/// A place that was found: the log that holds it (the session's own or a sub-agent's) and the turn.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The log.
    pub log: &'a OpenLog,
    /// The turn.
    pub turn: TurnId,
}

impl OpenLog {
    /// Reads the log at `path` to its end.
    pub fn load(path: &Path) -> Result<Self, LogError> {
        let (session, source) = load::load_with_source(path)?;
        Ok(Self::new(session, source))
    }

    /// Wraps a session and the log that it was read from.
    pub fn new(session: Session, source: Source) -> Self {
        let path = source.path().to_path_buf();
        let mut log = Self {
            path,
            session,
            source,
            agents: Vec::new(),
            later: None,
            serial: later::serial(),
            words: RefCell::default(),
        };
        log.refresh_agents();
        log
    }

    /// What the store knows the session as: its id, or its path where the log names none.
    pub fn key(&self) -> String {
        let path = || self.path.to_string_lossy().into_owned();
        self.session.session_ids.first().map_or_else(path, ToString::to_string)
    }

    /// What people have to be told about the log and those of its sub-agents that were read, a sentence each.
    pub fn notices(&self) -> Vec<String> {
        let read = |agent: &Agent| agent.log.get().and_then(|log| Some(log.as_ref().ok()?.notices()));
        let agents = self.agents.iter().filter_map(read).flatten();
        self.source.notices().into_iter().chain(agents).collect()
    }

    /// From now on large texts are read later: somebody waits for frames.
    pub fn defer(&mut self) {
        self.later = Some(Arc::new(Later::new()));
    }

    /// What is to be read on another thread now, if large texts were asked for since the last call.
    pub fn job(&self) -> Option<Job> {
        self.later.as_ref()?.job()
    }

    /// Takes in what came of a job.
    pub fn take(&self, done: Done) {
        if let Some(later) = &self.later {
            later.take(done);
        }
    }

    /// Looks again which sub-agents' files there are. Sessions already read are read anew when next asked for.
    pub fn refresh_agents(&mut self) {
        let files = subagents::list(&self.session, &self.path);
        self.agents = files.into_iter().map(|file| Agent { file, log: OnceCell::new() }).collect();
        subagents::attach(&mut self.session, &self.path);
    }

    /// The sub-agents that have files of their own.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// The session of the sub-agent at `index`.
    pub fn agent_log(&self, index: usize) -> Result<&OpenLog, String> {
        let agent = self.agents.get(index).ok_or_else(|| String::from("no such sub-agent"))?;
        let log = match agent.log.get() {
            Some(log) => log,
            None => {
                let read = match self.agent_soon(&agent.file.path) {
                    Ok(Soon::Later(bytes)) => return Err(later::note(bytes)),
                    Ok(Soon::Ready(read)) => Ok(self.inner(*read)),
                    Err(error) => Err(error),
                };
                agent.log.get_or_init(|| read)
            }
        };
        log.as_ref().map(|log| &**log).map_err(Clone::clone)
    }

    /// The log of a sub-agent, which defers as this one does.
    fn inner(&self, (session, source): (Session, Source)) -> Box<Self> {
        let mut log = Self::new(session, source);
        log.later.clone_from(&self.later);
        Box::new(log)
    }

    /// The first words of a part, read back once for all parts of its turn.
    pub fn first_words(&self, id: TurnId, index: u32) -> Result<Soon<String>, String> {
        let parts = self.session.part_count(id);
        let nth = |words: &[Box<str>]| words.get(index as usize).map(ToString::to_string).unwrap_or_default();
        if let Some((_, words)) = self.words.borrow().get(&id).filter(|(known, _)| *known == parts) {
            return Ok(Soon::Ready(nth(words)));
        }
        let texts = match self.texts_soon(id)? {
            Soon::Ready(texts) => texts,
            Soon::Later(bytes) => return Ok(Soon::Later(bytes)),
        };
        let of = |located: &LocatedText| preview::of(&located.text.text).into_boxed_str();
        let words: Vec<Box<str>> = texts.iter().map(of).collect();
        let answer = nth(&words);
        let mut known = self.words.borrow_mut();
        if known.len() >= WORDS {
            known.clear();
        }
        known.insert(id, (parts, words));
        Ok(Soon::Ready(answer))
    }

    /// The texts of a turn.
    pub fn texts(&self, id: TurnId) -> Result<Vec<LocatedText>, LogError> {
        text::turn(&self.session, &self.source, id)
    }

    /// How many threads there are, sub-agents' files included.
    pub fn thread_count(&self) -> usize {
        self.session.threads().len() + self.agents.len()
    }

    /// Finds the turn `number` of the thread named `thread`.
    pub fn find_turn(&self, thread: Option<&str>, number: u32) -> Result<Found<'_>, Lost> {
        if let Some(index) = self.session.thread_named(thread) {
            let turn = self.session.numbered(index, number).ok_or_else(|| {
                let name = thread.map_or_else(|| "main thread".to_owned(), |name| format!("thread @{name}"));
                Lost::Turn(number.to_string(), name, self.session.threads()[index].turns.len() as u32)
            })?;
            return Ok(Found { log: self, turn });
        }
        let name = thread.unwrap_or_default();
        self.thread_log(name)?.find_turn(None, number).map_err(|lost| match lost {
            Lost::Turn(number, _, count) => Lost::Turn(number, format!("thread @{name}"), count),
            other => other,
        })
    }

    /// The log of the sub-agent named `name`.
    pub fn thread_log(&self, name: &str) -> Result<&OpenLog, Lost> {
        let Some(index) = self.agents.iter().position(|agent| agent.file.name == name) else {
            let names = self.session.threads().iter().skip(1).map(|thread| thread.name.to_string());
            let names: Vec<String> = names
                .chain(self.agents.iter().map(|agent| agent.file.name.clone()))
                .map(|n| format!("@{n}"))
                .collect();
            let known = match names.len() {
                0 => "the session has no sub-agents".to_owned(),
                many @ 1..=NAMED => names[..many].join(", "),
                many => format!("{} and {} more", names[..NAMED].join(", "), many - NAMED),
            };
            return Err(Lost::Thread(name.to_owned(), known));
        };
        self.agent_log(index).map_err(Lost::Agent)
    }

    /// The row that an address means: a line's, or the first of a turn.
    pub fn find_line(&self, line: u32) -> Result<u32, Lost> {
        let last = self.session.rows().last().map_or(0, |row| row.line);
        self.session.row_of_line(line).ok_or(Lost::Line(line, last))
    }

    /// The address of a turn of this log, as seen from the session that owns it: `agent` names this log where it
    /// is a sub-agent's file.
    pub fn address(&self, id: TurnId, agent: Option<&str>) -> Address {
        match (self.session.address(id), agent) {
            (Address::Turn { thread: None, number, part }, Some(agent)) => {
                Address::Turn { thread: Some(agent.to_owned()), number, part }
            }
            (address, _) => address,
        }
    }
}
