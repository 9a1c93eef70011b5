//! `pentimento forget`: deletes what is kept of a session. Never touches the log.
//!
//! A log that can be read says which sessions it holds; of one that is gone, the store knows which it held.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::json;

use super::{Failure, SCHEMA};
use crate::cli::ForgetArguments;
use crate::discover;
use crate::log::LogError;
use crate::message::complain;
use crate::session::load;
use crate::store::{Forgotten, Store, StoreError};
use crate::text::display;

/// Deletes, and says what was deleted.
pub(super) fn run(arguments: &ForgetArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let path = arguments.path.as_path();
    let read = sessions(arguments);
    let is_gone = !path.exists();
    let store = Store::open().map_err(|error| failed(&error))?;
    let mut sessions: BTreeSet<String> =
        store.sessions_at(path).map_err(|error| failed(&error))?.into_iter().collect();
    match read {
        Ok(found) => sessions.extend(found),
        // What the store knows of it can be deleted all the same.
        Err(error) if is_gone || !sessions.is_empty() => {
            if !is_gone {
                complain(&error.to_string());
            }
        }
        Err(error) => return Err(error.into()),
    }
    let forgotten = store.forget(&sessions).map_err(|error| failed(&error))?;
    let mut cache = discover::cache();
    let counts = cache.forget(path).map_err(|error| {
        Failure::Store(format!("what is known of the session's counts could not be deleted: {error}"))
    })?;
    if let Some(trouble) = cache.trouble() {
        complain(&trouble);
    }
    if is_gone && sessions.is_empty() && counts == 0 {
        let shown = path.display();
        return Err(Failure::NotFound(format!("{shown}: no such file, and nothing is kept of it")));
    }
    if arguments.json {
        let report = json!({
            "schema": SCHEMA,
            "path": path.display().to_string(),
            "session_ids": sessions,
            "summaries": forgotten.summaries,
            "pins": forgotten.pins,
            "marks": forgotten.marks,
            "notes": forgotten.notes,
            "audits": forgotten.audits,
            "counts": counts,
        });
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "{}", sentence(&display::safe(&path.display().to_string()), &forgotten, counts))?;
    }
    Ok(())
}

/// The sessions that the log holds.
fn sessions(arguments: &ForgetArguments) -> Result<BTreeSet<String>, LogError> {
    let session = load::load(&arguments.path)?;
    Ok(session.session_ids.iter().map(ToString::to_string).collect())
}

fn failed(error: &StoreError) -> Failure {
    Failure::Store(match error {
        StoreError::Busy { file } => format!(
            "{}: another copy of Pentimento is using it, so that text of the session may be left in the file; \
             end that copy and forget again",
            file.display()
        ),
        error => format!("nothing was deleted: {error}"),
    })
}

fn sentence(path: &str, forgotten: &Forgotten, counts: usize) -> String {
    let all = [
        (forgotten.summaries, "summary", "summaries"),
        (forgotten.pins, "pin", "pins"),
        (forgotten.marks, "mark", "marks"),
        (forgotten.notes, "note", "notes"),
        (forgotten.audits, "audit", "audits"),
        (counts, "entry of the list of sessions", "entries of the list of sessions"),
    ];
    let parts: Vec<String> = all
        .into_iter()
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }))
        .collect();
    if parts.is_empty() {
        format!("{path}: nothing was kept")
    } else {
        format!("{path}: deleted {}", parts.join(", "))
    }
}
