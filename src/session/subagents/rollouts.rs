//! Codex's sub-agents: each has a rollout of its own, named by its thread, in the folder of the day it began.

use std::path::{Path, PathBuf};

use super::{Session, Subagent};

/// How many folders of days are looked into, the session's own first: an agent starts no sub-agent later than that.
const DAYS: usize = 32;

/// The rollouts of the sub-agents that `session` names and that can be found: beside it, and where it lies in a
/// folder `YYYY/MM/DD`, in those of the days that followed.
pub(super) fn list(session: &Session, path: &Path) -> Vec<Subagent> {
    let mut wanted: Vec<&str> = session.agents().iter().map(|(name, _)| &**name).collect();
    let mut found = Vec::new();
    for day in days(path).into_iter().take(DAYS) {
        if wanted.is_empty() {
            break;
        }
        for entry in std::fs::read_dir(day).ok().into_iter().flatten().flatten() {
            let file = entry.file_name();
            let Some(thread) = file.to_str().and_then(thread_of) else { continue };
            if let Some(at) = wanted.iter().position(|name| thread.ends_with(name)) {
                found.push(Subagent { name: wanted.swap_remove(at).to_owned(), path: entry.path() });
            }
        }
    }
    found.retain(|agent| agent.path != path);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The part of a rollout's name that ends with its thread.
fn thread_of(file: &str) -> Option<&str> {
    let stem = file.strip_suffix(".zst").unwrap_or(file);
    stem.strip_prefix("rollout-")?.strip_suffix(".jsonl")
}

/// The session's own folder, and where it is a day's, those of the later days in order.
fn days(path: &Path) -> Vec<PathBuf> {
    let Some(own) = path.parent() else { return Vec::new() };
    let is_number = |folder: &Path| {
        folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.parse::<u16>().is_ok())
    };
    let mut up = own.ancestors().take_while(|folder| is_number(folder));
    let (Some(_), Some(_), Some(year)) = (up.next(), up.next(), up.next()) else {
        return vec![own.to_path_buf()];
    };
    let Some(root) = year.parent() else { return vec![own.to_path_buf()] };
    let inside = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).ok().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| is_number(path) && path.is_dir())
    };
    let mut days: Vec<PathBuf> = inside(root.to_path_buf())
        .filter(|other| other.as_path() >= year)
        .flat_map(inside)
        .filter(|month| own.parent().is_none_or(|own| month.as_path() >= own))
        .flat_map(inside)
        .filter(|day| day.as_path() >= own)
        .collect();
    days.sort();
    days
}
