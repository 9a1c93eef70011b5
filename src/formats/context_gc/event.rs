//! One event of a trace: its types, what each must carry, and its own bytes.
//!
//! Owns the checks. They run in the order of the reference, and the first that fails is the one reported; a message
//! names the event and the field. An event keeps the text it was read from, so that a receipt gives it back as it was.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::value::{DEPTH, Value};

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A variable has a value from now on.
    SetVar,
    /// A tool is called.
    ToolCall,
    /// What a call gave back.
    ToolResult,
    /// Branches are given up.
    Abandon,
    /// A decision, or anything said.
    Decision,
    /// A file was read.
    FileRead,
    /// A file was changed.
    FileEdit,
    /// A command ended.
    CommandRun,
    /// Tests ended.
    TestRun,
    /// A build ended.
    BuildRun,
    /// A difference was looked at.
    GitDiff,
    /// A commit was made.
    GitCommit,
    /// Something failed.
    Error,
    /// A thing was made.
    ArtifactCreated,
    /// What is asked for.
    Requirement,
    /// What must hold.
    Constraint,
    /// Something was checked.
    Verification,
}

/// What a field must hold.
#[derive(Clone, Copy, Debug)]
enum Check {
    Any,
    /// A string that is not empty.
    Filled,
    /// A string or null.
    MaybeText,
    Texts,
    /// A whole number.
    Whole,
    Flag,
}

impl Check {
    fn holds(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Filled => value.as_text().is_some_and(|text| !text.is_empty()),
            Self::MaybeText => matches!(value, Value::Null | Value::Text(_)),
            Self::Texts => value.as_texts().is_some(),
            Self::Whole => matches!(value, Value::Whole(_)),
            Self::Flag => matches!(value, Value::Bool(_)),
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::Filled => "a non-empty string",
            Self::MaybeText => "a string or null",
            Self::Texts => "a list of strings",
            Self::Whole => "an integer",
            Self::Flag => "a boolean",
        }
    }
}

/// A field that a type must have, and what it must hold.
type Field = (&'static str, Check);

/// Every type: its name and the fields it must have beside `id`, `type` and `timestamp`.
const KINDS: [(Kind, &str, &[Field]); 17] = {
    use Check::{Any, Filled, Flag, MaybeText, Texts, Whole};
    [
        (Kind::SetVar, "set_var", &[("key", Any), ("value", Any)]),
        (Kind::ToolCall, "tool_call", &[("tool_name", Any), ("arguments", Any)]),
        (Kind::ToolResult, "tool_result", &[("call_id", Any), ("result", Any)]),
        (Kind::Abandon, "abandon", &[("ref_to", Texts)]),
        (Kind::Decision, "decision", &[("content", MaybeText)]),
        (Kind::FileRead, "file_read", &[("path", Filled)]),
        (Kind::FileEdit, "file_edit", &[("path", Filled), ("diff_hash", Filled)]),
        (Kind::CommandRun, "command_run", &[("command", Filled), ("exit_code", Whole)]),
        (
            Kind::TestRun,
            "test_run",
            &[("test_names", Texts), ("exit_code", Whole), ("passed_count", Whole), ("failed_count", Whole)],
        ),
        (Kind::BuildRun, "build_run", &[("exit_code", Whole)]),
        (Kind::GitDiff, "git_diff", &[("diff_hash", Filled), ("files_changed", Texts)]),
        (Kind::GitCommit, "git_commit", &[("commit_hash", Filled), ("message", Filled)]),
        (Kind::Error, "error", &[("message", Filled)]),
        (Kind::ArtifactCreated, "artifact_created", &[("artifact_type", Filled), ("path", Filled)]),
        (Kind::Requirement, "requirement", &[("content", Filled)]),
        (Kind::Constraint, "constraint", &[("content", Filled)]),
        (Kind::Verification, "verification", &[("content", Filled), ("passed", Flag)]),
    ]
};

impl Kind {
    /// Its name in a trace.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, name, _)| *name)
    }

    fn named(name: &str) -> Option<(Self, &'static [Field])> {
        KINDS.iter().find(|(_, known, _)| *known == name).map(|(kind, _, fields)| (*kind, *fields))
    }
}

/// What the reference's benchmark files call a record that is no event and changes nothing.
pub(crate) const INJECTION: &str = "edge_injection";

/// Whether a text is such a record.
pub(crate) fn is_injection(json: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed<'a> {
        #[serde(rename = "type")]
        kind: &'a str,
    }
    serde_json::from_str::<Typed>(json).is_ok_and(|record| record.kind == INJECTION)
}

const IMPORTANCES: [&str; 5] = ["critical", "task", "session", "temporary", "debug"];
const RETENTIONS: [&str; 2] = ["task_end", "session_end"];

/// An event that may not be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", event.as_ref().map_or_else(String::new, |id| format!("event \"{id}\": ")))]
pub struct Invalid {
    /// Its id, where it has one.
    pub event: Option<String>,
    /// The field at fault.
    pub field: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// One event of a trace.
///
/// ```
/// use pentimento::strategies::context_gc::Event;
///
/// let event = Event::parse(r#"{"id": "e1", "type": "set_var", "timestamp": 3, "key": "port", "value": 80}"#)?;
/// assert_eq!((event.id(), event.kind().name()), ("e1", "set_var"));
///
/// let wrong = Event::parse(r#"{"id": "e2", "type": "build_run", "timestamp": 4, "exit_code": true}"#);
/// assert_eq!(wrong.unwrap_err().to_string(), "event \"e2\": 'exit_code' must be an integer");
/// # Ok::<(), pentimento::strategies::context_gc::Invalid>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    source: Box<str>,
    id: Box<str>,
    kind: Kind,
    timestamp: u64,
    fields: Vec<(Box<str>, Value)>,
}

impl Event {
    /// Reads an event from the text of a JSON object, which it keeps.
    pub fn parse(json: &str) -> Result<Self, Invalid> {
        let source: &RawValue = serde_json::from_str(json).map_err(|error| Invalid {
            event: None,
            field: None,
            message: format!("not JSON: {error}"),
        })?;
        Self::of_source(source.get())
    }

    /// [`Self::parse`] of what is known to be JSON.
    pub(crate) fn of_source(source: &str) -> Result<Self, Invalid> {
        let plain = |message: String| Invalid { event: None, field: None, message };
        let value = Value::read(source)
            .map_err(|_| plain(format!("an event is nested more than {DEPTH} levels deep")))?;
        let Value::Map(fields) = value else { return Err(plain("Event must be a dict".to_owned())) };
        let draft = Draft { fields };
        let (kind, timestamp) = draft.check()?;
        let id = draft.text("id").unwrap_or_default().into();
        Ok(Self { source: source.into(), id, kind, timestamp, fields: draft.fields })
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it says.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// When it happened, in whatever unit the trace counts.
    pub fn timestamp(&self) -> u64 {
        self.timestamp
    }

    /// The id of the event it follows.
    pub fn parent(&self) -> Option<&str> {
        self.text("parent_id").filter(|id| !id.is_empty())
    }

    /// Its text, as it stood in the trace.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Why it may not be pruned, if it may not.
    pub fn protection(&self) -> Option<String> {
        if self.text("importance") == Some("critical") {
            return Some("importance=critical".to_owned());
        }
        self.text("retain_until").map(|until| format!("retain_until={until}"))
    }

    /// The events that it names in `ref_to`.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.field("ref_to").and_then(Value::as_texts).into_iter().flatten()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        find(&self.fields, name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_text()
    }
}

fn find<'a>(fields: &'a [(Box<str>, Value)], name: &str) -> Option<&'a Value> {
    fields.iter().find(|(key, _)| **key == *name).map(|(_, value)| value)
}

/// An object that may become an event.
struct Draft {
    fields: Vec<(Box<str>, Value)>,
}

impl Draft {
    fn field(&self, name: &str) -> Option<&Value> {
        find(&self.fields, name)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_text()
    }

    fn fail(&self, field: &str, message: String) -> Invalid {
        let event = self.text("id").map(str::to_owned);
        Invalid { event, field: Some(field.to_owned()), message }
    }

    fn must(&self, holds: bool, field: &str, wanted: &str) -> Result<(), Invalid> {
        if holds { Ok(()) } else { Err(self.fail(field, format!("'{field}' must be {wanted}"))) }
    }

    /// Where the field is there, it must hold `check`.
    fn if_there(&self, field: &str, check: Check) -> Result<(), Invalid> {
        self.must(self.field(field).is_none_or(|value| check.holds(value)), field, check.wanted())
    }

    /// Where the field is there, it must be one of `words`.
    fn one_of(&self, field: &str, words: &[&str], or_null: bool) -> Result<(), Invalid> {
        let holds = match self.field(field) {
            None => true,
            Some(Value::Null) => or_null,
            Some(value) => value.as_text().is_some_and(|text| words.contains(&text)),
        };
        let null = if or_null { " or null" } else { "" };
        self.must(holds, field, &format!("one of {}{null}", words.join(", ")))
    }

    fn check(&self) -> Result<(Kind, u64), Invalid> {
        let shown = self.field("type").map_or_else(|| "None".to_owned(), super::prompt::repr);
        let (kind, required) = self
            .text("type")
            .and_then(Kind::named)
            .ok_or_else(|| self.fail("type", format!("Unsupported event type: {shown}")))?;
        let names = ["id", "type", "timestamp"].into_iter().chain(required.iter().map(|(name, _)| *name));
        let missing: Vec<&str> = names.filter(|name| self.field(name).is_none()).collect();
        if let Some(first) = missing.first() {
            let list: Vec<String> = missing.iter().map(|name| format!("'{name}'")).collect();
            let message = format!("Missing required fields for {}: [{}]", kind.name(), list.join(", "));
            return Err(self.fail(first, message));
        }
        self.if_there("id", Check::Filled)?;
        let timestamp = match self.field("timestamp") {
            Some(Value::Whole(digits)) => digits.parse().ok(),
            // Python's booleans are whole numbers, and the reference takes them for such.
            Some(Value::Bool(flag)) => Some(u64::from(*flag)),
            _ => None,
        };
        let timestamp = timestamp.ok_or_else(|| {
            self.fail("timestamp", "'timestamp' must be a non-negative integer below 2^64".to_owned())
        })?;
        self.if_there("parent_id", Check::MaybeText)?;
        self.if_there("ref_to", Check::Texts)?;
        self.if_there("content", Check::MaybeText)?;
        self.one_of("importance", &IMPORTANCES, false)?;
        self.if_there("tags", Check::Texts)?;
        self.one_of("retain_until", &RETENTIONS, true)?;
        for (field, check) in required {
            self.if_there(field, *check)?;
        }
        let related = self.field("related_to").filter(|_| kind == Kind::Error);
        let holds = related.is_none_or(|value| *value == Value::Null || Check::Filled.holds(value));
        self.must(holds, "related_to", "null or a non-empty string")?;
        Ok((kind, timestamp))
    }
}
