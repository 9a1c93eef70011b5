//! Traces from their bytes: a JSON array, an object with `events`, or JSON Lines.
//!
//! Owns the choice between the three and where in the file an event stands. A byte order mark and blank space before
//! the first byte change nothing. Records of the benchmark's type `edge_injection` are no events and are left out.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::event::{Event, Invalid, is_injection};
use super::trace::{ContextGc, Mode};

/// A trace.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Its events, in order.
    pub events: Vec<Event>,
    /// How many records were left out because they are no events by the benchmark's own word.
    pub injections: usize,
}

impl Trace {
    /// The trace with every event added, for asking what stands behind an id: in `reference` the last event that has it,
    /// in `strict` each has a name of its own.
    pub fn sources(&self, mode: Mode) -> ContextGc {
        let mut gc = ContextGc::new(mode);
        for event in &self.events {
            // What `reference` refuses it keeps all the same.
            let _ = gc.add_event(event.clone());
        }
        gc
    }
}

/// Why a text is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Not JSON, or not a list of events.
    #[error(
        "line {line}, byte {offset}: {message}. A trace is a JSON array of events, an object with \"events\", or one event a line"
    )]
    NoTrace {
        /// The physical line, from 1.
        line: usize,
        /// The byte, from 0.
        offset: usize,
        /// What is wrong.
        message: String,
    },
    /// An event may not be what it is.
    #[error("line {line}, byte {offset}, event number {number}: {invalid}")]
    Event {
        /// The physical line on which it begins, from 1.
        line: usize,
        /// Its first byte, from 0.
        offset: usize,
        /// Its number among the events, from 1.
        number: usize,
        /// What is wrong.
        invalid: Invalid,
    },
}

#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

/// Reads a trace.
///
/// ```
/// let trace = pentimento::strategies::context_gc::read(br#"
///   {"events": [{"id": "a", "type": "decision", "timestamp": 1, "content": "go"}]}"#)?;
/// assert_eq!(trace.events[0].id(), "a");
/// # Ok::<(), pentimento::strategies::context_gc::Unreadable>(())
/// ```
pub fn read(bytes: &[u8]) -> Result<Trace, Unreadable> {
    let whole = std::str::from_utf8(bytes)
        .map_err(|error| place(bytes, error.valid_up_to(), "not UTF-8".to_owned()))?;
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole).trim_start();
    let wrapped = text.starts_with('{') && !is_event(text);
    let records: Vec<&str> = if text.starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| at(whole, text, &error))?;
        list.into_iter().map(RawValue::get).collect()
    } else if wrapped {
        let list: Wrapped = serde_json::from_str(text).map_err(|error| at(whole, text, &error))?;
        list.events.into_iter().map(RawValue::get).collect()
    } else {
        let lines = text.split('\n').map(str::trim).filter(|line| !line.is_empty());
        let raw = lines.map(|line| {
            let value: Result<&RawValue, _> = serde_json::from_str(line);
            value.map(RawValue::get).map_err(|error| at(whole, line, &error))
        });
        raw.collect::<Result<_, _>>()?
    };
    let mut trace = Trace::default();
    for (index, record) in records.into_iter().enumerate() {
        match Event::of_source(record) {
            Ok(event) => trace.events.push(event),
            Err(_) if is_injection(record) => trace.injections += 1,
            Err(invalid) => {
                let offset = offset_in(whole, record);
                let line = line_of(bytes, offset);
                return Err(Unreadable::Event { line, offset, number: index + 1, invalid });
            }
        }
    }
    Ok(trace)
}

/// Whether the first JSON value of `text` is a whole event or a line of its own, not an object around events.
fn is_event(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Either<'a> {
        #[serde(borrow)]
        events: Option<&'a RawValue>,
        #[serde(borrow)]
        id: Option<&'a RawValue>,
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Either>();
    match values.next() {
        Some(Ok(either)) => either.events.is_none() || either.id.is_some(),
        // Broken further on: a first line that is whole speaks for JSON Lines.
        _ => text.lines().next().is_some_and(|line| serde_json::from_str::<&RawValue>(line).is_ok()),
    }
}

/// The byte of `whole` at which `part` of it begins.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

fn line_of(bytes: &[u8], offset: usize) -> usize {
    memchr::memchr_iter(b'\n', &bytes[..offset.min(bytes.len())]).count() + 1
}

fn place(bytes: &[u8], offset: usize, message: String) -> Unreadable {
    Unreadable::NoTrace { line: line_of(bytes, offset), offset, message }
}

/// An error of `serde_json` in `part`, placed in `whole`.
fn at(whole: &str, part: &str, error: &serde_json::Error) -> Unreadable {
    let lines_before = part.split_inclusive('\n').take(error.line().saturating_sub(1));
    let within = lines_before.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let offset = (offset_in(whole, part) + within).min(whole.len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    place(whole.as_bytes(), offset, message)
}
