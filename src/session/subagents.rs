//! Files beside a session: sub-agents' conversations, and the calls that wrote its summaries.

use std::path::{Path, PathBuf};

use crate::formats::Format;
use crate::formats::facts::{Body, Id, Parent, Role};
use crate::log::LineReader;
use crate::text::display;

use super::{Session, TurnId};

mod rollouts;

/// How the file of a compaction's own call begins.
const COMPACTION_CALL: &str = "acompact-";

/// A sub-agent's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subagent {
    /// Its id, as in addresses.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

/// The sub-agents' files that belong to the session at `path`, by name. Files of compaction calls are not among
/// them. For Codex they are found by their threads; else looks in the session's own folder, and beside the session for the older layout, where a file counts only
/// if a result of this session names its agent.
pub fn list(session: &Session, path: &Path) -> Vec<Subagent> {
    if session.format == Format::Codex {
        return rollouts::list(session, path);
    }
    let mut found: Vec<Subagent> = agent_files(&own_folder(path)).collect();
    if let Some(parent) = path.parent() {
        let named = |agent: &Subagent| session.agents().iter().any(|(name, _)| **name == *agent.name);
        found.extend(agent_files(parent).filter(|agent| agent.path != path && named(agent)));
    }
    found.retain(|agent| !agent.name.starts_with(COMPACTION_CALL));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.name == b.name);
    found
}

/// The turn whose result names the sub-agent `name`.
pub fn reported_by(session: &Session, name: &str) -> Option<TurnId> {
    session.agents().iter().find(|(agent, _)| **agent == *name).map(|(_, turn)| *turn)
}

/// Tells `session` which records the compaction calls beside `path` say were summarised last.
pub fn attach(session: &mut Session, path: &Path) {
    let calls: Vec<_> = agent_files(&own_folder(path))
        .filter(|agent| agent.name.starts_with(COMPACTION_CALL))
        .filter_map(|agent| Some((last_summarised(session, &agent.path)?, agent.name.into_boxed_str())))
        .collect();
    session.set_compaction_calls(calls);
}

/// Why the session's folder of sub-agents cannot be read, if it is there and cannot.
pub fn trouble(path: &Path) -> Option<String> {
    let folder = own_folder(path);
    match std::fs::read_dir(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Some(format!("{}: sub-agents cannot be listed: {error}", folder.display()))
        }
        _ => None,
    }
}

fn own_folder(path: &Path) -> PathBuf {
    path.with_extension("").join("subagents")
}

fn agent_files(folder: &Path) -> impl Iterator<Item = Subagent> + use<> {
    let entries = std::fs::read_dir(folder).ok().into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let file = entry.file_name();
        let id = file.to_str()?.strip_prefix("agent-")?.strip_suffix(".jsonl")?;
        Some(Subagent { name: display::name(id)?.into(), path: entry.path() })
    })
}

/// The record that the prompt of a compaction call hangs on: its file's last prompt that the harness did not inject.
fn last_summarised(session: &Session, path: &Path) -> Option<Id> {
    let mut reader = LineReader::open(path).ok()?;
    let mut parser = session.format.parser();
    let mut end = None;
    while let Ok(Some(batch)) = reader.next_batch() {
        for line in batch.lines() {
            let record = parser.parse(line.bytes);
            if let (Body::Turn(facts), Parent::Of(parent)) = (&record.body, record.parent)
                && facts.role == Role::User
                && !facts.injected
            {
                end = Some(parent);
            }
        }
    }
    end
}
