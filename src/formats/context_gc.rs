//! Context-GC's traces: one typed event a record.
//!
//! Owns what an event is ([`Event`]), the line that it is in a prompt, and how it looks among turns: each event is a
//! turn of one part, in the order of the trace. Which events hang on which, and what becomes of them, is the strategy's:
//! ids may repeat and parents may go round, so a trace has one branch here.

pub(crate) mod event;
pub(crate) mod prompt;
mod python;
pub(crate) mod value;

use super::facts::{Body, Id, PartFacts, PartKind, PartText, Record, Role, TurnFacts};
use super::lenient::Weight;
use super::{Evidence, blocks};
use event::INJECTION;
use value::Value;

pub use event::{Event, Invalid, Kind};
pub use prompt::{full_prompt, line};

/// Reads events.
#[derive(Debug, Default)]
pub struct Parser;

impl Parser {
    /// See [`super::Parser::parse`].
    pub fn parse(&mut self, line: &[u8]) -> Record {
        let event = match read(line) {
            Ok(event) => event,
            Err(None) => return Record::bare(INJECTION, Body::Note),
            Err(Some(reason)) => return Record::bare("malformed", Body::Malformed(reason.into())),
        };
        let mut record = Record::bare(event.kind().name(), Body::turn(facts(&event)));
        record.time = milliseconds(event.timestamp());
        record.short_id = event.id().into();
        record
    }
}

/// The event on a line; no reason where it is the record that benchmarks have beside events.
fn read(line: &[u8]) -> Result<Event, Option<String>> {
    let text = std::str::from_utf8(line)
        .map_err(|error| Some(format!("not UTF-8 at byte {}", error.valid_up_to() + 1)))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Event::parse(text).map_err(|invalid| (!event::is_injection(text)).then(|| invalid.to_string()))
}

/// See [`super::Format::texts`].
pub fn texts(line: &[u8]) -> Vec<PartText> {
    read(line).map(|event| vec![part(&event)]).unwrap_or_default()
}

/// What one line says about whether its file is a trace.
pub(super) fn weigh(line: &[u8]) -> Evidence {
    match read(line) {
        Ok(_) => Evidence::Decides,
        Err(_) => Evidence::Nothing,
    }
}

/// A time of day, where the trace counts in seconds or milliseconds since the epoch. Others count in steps.
fn milliseconds(timestamp: u64) -> Option<i64> {
    let time = i64::try_from(timestamp).ok()?;
    match time {
        1_000_000_000..100_000_000_000 => Some(time * 1000),
        1_000_000_000_000..100_000_000_000_000 => Some(time),
        _ => None,
    }
}

/// What an event says: its line of the prompt. Those that say nothing there are told by their type.
fn part(event: &Event) -> PartText {
    let named = || event.named().collect::<Vec<_>>().join(", ");
    let text = match event.kind() {
        Kind::ToolCall => event.field("arguments").map(prompt::repr).unwrap_or_default(),
        Kind::ToolResult => line(event).strip_prefix("RESULT ").unwrap_or_default().to_owned(),
        Kind::Abandon => format!("[abandon] {}", named()),
        _ => Some(line(event))
            .filter(|line| !line.trim().is_empty())
            .unwrap_or_else(|| format!("[{} without words]", event.kind().name())),
    };
    let tool = event.field("tool_name").filter(|_| event.kind() == Kind::ToolCall);
    PartText { kind: kind(event, &text), tool: tool.map(prompt::shown), text }
}

fn kind(event: &Event, text: &str) -> PartKind {
    match event.kind() {
        Kind::ToolCall => PartKind::ToolCall,
        // A part without words would be none.
        Kind::ToolResult if !text.trim().is_empty() => PartKind::ToolResult,
        Kind::ToolResult => PartKind::Other,
        _ => PartKind::Text,
    }
}

fn facts(event: &Event) -> TurnFacts {
    let PartText { kind, tool, text } = part(event);
    let mut weight = Weight::default();
    weight.add(&text);
    weight.filled = true;
    let known = blocks::part(kind, weight).unwrap_or_else(|| PartFacts::bare(kind));
    let path = event.text("path").or_else(|| argument(event, "path"));
    let call = match event.kind() {
        Kind::ToolCall => Some(Id::of(event.id())),
        Kind::ToolResult => event.text("call_id").map(Id::of),
        _ => None,
    };
    let part = PartFacts {
        tool: tool.map(Into::into),
        path: path.map(Into::into),
        call,
        error: failed(event),
        ..known
    };
    TurnFacts::new(role(event.kind()), vec![part])
}

/// The string that a call's arguments have under `name`.
fn argument<'a>(event: &'a Event, name: &str) -> Option<&'a str> {
    match event.field("arguments")? {
        Value::Map(fields) => fields.iter().find(|(key, _)| **key == *name)?.1.as_text(),
        _ => None,
    }
}

/// Whether an event tells of a failure.
fn failed(event: &Event) -> bool {
    let code = event.field("exit_code");
    event.kind() == Kind::Error
        || code.is_some_and(|code| *code != Value::Whole("0".into()))
        || event.field("passed") == Some(&Value::Bool(false))
}

/// Who speaks: what is asked for and must hold is the user's, what was thought and done the model's, what came of it
/// the tools'.
fn role(kind: Kind) -> Role {
    match kind {
        Kind::Requirement | Kind::Constraint => Role::User,
        Kind::SetVar | Kind::ToolCall | Kind::Abandon | Kind::Decision => Role::Assistant,
        _ => Role::Tool,
    }
}
