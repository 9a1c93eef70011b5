//! What only the whole of a session tells: its turns, tokens and compactions.
//!
//! Counted by the session model, as every other answer is. A session that grows while somebody looks is read on
//! from where it ended.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::log::Source;
use crate::session::Session;
use crate::session::load::{self, End, Feed};

/// Counts of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Its format's name.
    pub format: String,
    /// Turns of all threads in its file.
    pub turns: u64,
    /// Tokens charged: input, output, and what was read from and written to the cache. Nothing where none are logged.
    pub tokens: Option<u64>,
    /// The logged size of the context at its end.
    pub context: Option<u64>,
    /// Recorded compactions.
    pub compactions: u64,
    /// Lines that are no records.
    pub malformed: u64,
    /// The directory the agent worked in.
    pub project: Option<String>,
    /// The last title.
    pub title: Option<String>,
    /// Models in order of appearance.
    pub models: Vec<String>,
    /// The agent's version in the last record that names one.
    pub version: Option<String>,
    /// Why these are not the counts of the whole log.
    pub incomplete: Option<String>,
}

impl Counts {
    /// The counts of `session`, which was read from `source`.
    pub fn of(session: &Session, source: Option<&Source>) -> Self {
        let usage = session.usage;
        let charged = usage.input + usage.output + usage.cache_read + usage.cache_write;
        Self {
            format: session.format.name().to_owned(),
            turns: session.turns().len() as u64,
            tokens: (charged > 0).then_some(charged),
            context: session.context_size(session.last()).map(|(tokens, _)| u64::from(tokens)),
            compactions: session.compactions().len() as u64,
            malformed: session.malformed().len() as u64,
            project: session.project.as_deref().map(str::to_owned),
            title: session.title.as_deref().map(crate::text::preview::of),
            models: session.models.iter().map(ToString::to_string).collect(),
            version: session.version.as_deref().map(str::to_owned),
            incomplete: source.and_then(Source::flow).and_then(|flow| flow.trouble).map(|why| why.cause),
        }
    }
}

/// Growing sessions that are kept in memory, to be read on.
const GROWING: usize = 3;

/// Counts sessions one after another.
#[derive(Debug, Default)]
pub struct Counter {
    growing: Vec<Growing>,
}

#[derive(Debug)]
struct Growing {
    path: Arc<Path>,
    feed: Feed,
    session: Option<Session>,
}

impl Counter {
    /// Counts the session at `path`; the reason where it cannot be read. Nothing where `go_on` said stop.
    pub fn count(path: &Path, go_on: &dyn Fn() -> bool) -> Option<Result<Counts, String>> {
        match load::load_while(path, &mut |_| go_on()) {
            Ok(read) => read.map(|(session, source)| Ok(Counts::of(&session, Some(&source)))),
            Err(error) => Some(Err(error.to_string())),
        }
    }

    /// Counts a session that was counted before and has grown since. Nothing where `go_on` said stop.
    pub fn recount(&mut self, path: &Arc<Path>, go_on: &dyn Fn() -> bool) -> Option<Result<Counts, String>> {
        /// How often a file may start anew under one count.
        const EPOCHS: usize = 4;
        if path.extension().is_some_and(|ending| ending == "zst" || ending == "gz") {
            // What is compressed is written as a whole.
            return Self::count(path, go_on);
        }
        let mut growing = match self.growing.iter().position(|growing| growing.path == *path) {
            Some(at) => self.growing.remove(at),
            None => Growing { path: Arc::clone(path), feed: Feed::new(path), session: None },
        };
        let mut outcome = None;
        for _ in 0..EPOCHS {
            match growing.feed.read_to_end(path, &mut growing.session, &mut |_| go_on()) {
                End::Epoch(_) => {}
                End::Stopped => break,
                End::Reached => {
                    let source = growing.feed.source();
                    outcome =
                        growing.session.as_ref().map(|session| Ok(Counts::of(session, source.as_ref())));
                    break;
                }
                End::Waiting => return Self::count(path, go_on),
                End::Unreadable(error) => return Some(Err(error.to_string())),
            }
        }
        if self.growing.len() >= GROWING {
            self.growing.remove(0);
        }
        self.growing.push(growing);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn prompt(number: u32) -> String {
        format!(
            r#"{{"type":"user","uuid":"u{number}","parentUuid":null,"sessionId":"s","message":{{"role":"user","content":"{number}"}}}}"#
        )
    }

    fn count(path: &Path) -> Counts {
        Counter::count(path, &|| true).unwrap().unwrap()
    }

    #[test]
    fn a_growing_session_is_read_on() {
        let folder = tempfile::tempdir().unwrap();
        let path: Arc<Path> = folder.path().join("log.jsonl").into();
        let mut file = std::fs::File::create(&path).unwrap();
        writeln!(file, "{}", prompt(1)).unwrap();
        assert_eq!(count(&path).turns, 1);
        let mut counter = Counter::default();
        for number in 2..5 {
            writeln!(file, "{}", prompt(number)).unwrap();
            let counts = counter.recount(&path, &|| true).unwrap().unwrap();
            assert_eq!(counts, count(&path));
            assert_eq!(counts.turns, u64::from(number));
        }
        assert_eq!(counter.growing.len(), 1);
        assert_eq!(counter.growing[0].feed.position(), std::fs::metadata(&path).unwrap().len());
        assert!(counter.recount(&path, &|| false).is_none(), "it can be stopped");
        // Written anew, it is counted anew.
        std::fs::write(&path, prompt(9) + "\n").unwrap();
        assert_eq!(counter.recount(&path, &|| true).unwrap().unwrap().turns, 1);
    }

    #[test]
    fn few_sessions_are_kept_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut counter = Counter::default();
        for number in 0..10 {
            let path: Arc<Path> = folder.path().join(number.to_string()).into();
            std::fs::write(&path, prompt(number) + "\n").unwrap();
            counter.recount(&path, &|| true).unwrap().unwrap();
        }
        assert_eq!(counter.growing.len(), GROWING);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let outcome = Counter::count(Path::new("/nowhere/at-all"), &|| true);
        assert!(outcome.unwrap().unwrap_err().contains("no such file"));
    }
}
