//! What an event says in a prompt, and what that costs.
//!
//! Owns one line for each type, in the reference's words. A line of an event is not always a line of the prompt:
//! contents may hold newlines. Tokens are a fourth of the characters, as the reference counts them.

use super::event::{Event, Kind};
use super::python;
use super::value::Value;

/// How many tests a line names.
const NAMED: usize = 3;
/// How many characters of a hash a line shows.
const SHORT: usize = 8;

/// Estimated tokens of a text with so many characters.
pub(crate) fn tokens(characters: usize) -> u64 {
    characters as u64 / 4
}

/// `str(value)`.
pub(crate) fn shown(value: &Value) -> String {
    let mut out = String::new();
    python::str(value, &mut out);
    out
}

/// `repr(value)`.
pub(crate) fn repr(value: &Value) -> String {
    let mut out = String::new();
    python::repr(value, &mut out);
    out
}

/// What an event says in a prompt: a line, or more where its texts have more; empty where it says nothing.
pub fn line(event: &Event) -> String {
    let shown = |name: &str| shown(event.field(name).unwrap_or(&Value::Null));
    let short = |name: &str| shown(name).chars().take(SHORT).collect::<String>();
    let list = |name: &str| -> Vec<String> {
        let texts = event.field(name).and_then(Value::as_texts);
        texts.into_iter().flatten().map(str::to_owned).collect()
    };
    match event.kind() {
        Kind::SetVar => format!("{} = {}", shown("key"), shown("value")),
        Kind::ToolCall => format!("CALL {}({})", shown("tool_name"), shown("arguments")),
        Kind::ToolResult => format!("RESULT {}", shown("result")),
        Kind::Abandon => String::new(),
        Kind::Decision => event.text("content").unwrap_or_default().to_owned(),
        Kind::FileRead => format!("READ {}", shown("path")),
        Kind::FileEdit => format!("EDIT {} (diff {})", shown("path"), short("diff_hash")),
        Kind::CommandRun => format!("RUN {} -> exit {}", shown("command"), shown("exit_code")),
        Kind::TestRun => {
            let mut names = list("test_names");
            let more = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            if more > 0 {
                names.push(format!("+{more} more"));
            }
            let (passed, failed) = (shown("passed_count"), shown("failed_count"));
            format!("TEST {} — {passed} passed, {failed} failed", names.join(", "))
        }
        Kind::BuildRun => format!("BUILD -> exit {}", shown("exit_code")),
        Kind::GitDiff => {
            format!("DIFF (diff {}) on {}", short("diff_hash"), list("files_changed").join(", "))
        }
        Kind::GitCommit => format!("COMMIT {}: {}", short("commit_hash"), shown("message")),
        Kind::Error => {
            let related = event.text("related_to").map(|id| format!(" (related to {id})"));
            format!("ERROR: {}{}", shown("message"), related.unwrap_or_default())
        }
        Kind::ArtifactCreated => format!("ARTIFACT {} created at {}", shown("artifact_type"), shown("path")),
        Kind::Requirement => format!("REQUIREMENT: {}", shown("content")),
        Kind::Constraint => format!("CONSTRAINT: {}", shown("content")),
        Kind::Verification => {
            let passed = event.field("passed") == Some(&Value::Bool(true));
            format!("VERIFICATION: {} — {}", shown("content"), if passed { "passed" } else { "failed" })
        }
    }
}

/// The prompt of a list of events when nothing is pruned: their lines in the order of the list.
pub fn full_prompt(events: &[Event]) -> String {
    let lines: Vec<String> = events.iter().map(line).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// What a list of events costs when nothing is pruned: their lines in the order of the list.
pub(crate) fn tokens_of<'a>(events: impl IntoIterator<Item = &'a Event>) -> u64 {
    let lengths = events.into_iter().map(|event| line(event).chars().count()).filter(|length| *length > 0);
    let (lines, characters) = lengths.fold((0usize, 0), |(lines, sum), length| (lines + 1, sum + length));
    tokens(characters + lines.saturating_sub(1))
}
