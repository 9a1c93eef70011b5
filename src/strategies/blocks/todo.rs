//! Plans and to-do lists: which result reports that an item is done.
//!
//! A list is written whole each time, so an item is done where it was not in the list before. Lists stand in the calls;
//! they are read only where a block may close behind their result.

use serde_json::Value;

use crate::formats::facts::PartKind;
use crate::log::LogError;
use crate::session::Session;
use crate::session::open::OpenLog;
use crate::text::lexicon::{self, Deed};

/// The newest call that kept a list, by its place among the parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists(Option<u32>);

/// A result of a call that keeps a list: the call, and the one before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Result {
    call: u32,
    before: Option<u32>,
}

impl Lists {
    /// The results in turn `turn` that may report an item done.
    pub(super) fn take(&mut self, session: &Session, turn: u32) -> Vec<Result> {
        let Some(id) = session.numbered(0, turn) else { return Vec::new() };
        let mut out = Vec::new();
        for (_, part) in session.parts(id) {
            let is_result = part.kind == PartKind::ToolResult && !part.error;
            let tool = session.named(part.tool).filter(|_| is_result);
            let keeps = tool.is_some_and(|tool| lexicon::built_in().tools.deed(tool) == Deed::Todo);
            if let Some((call, _)) = session.pair(&part).filter(|_| keeps) {
                out.push(Result { call, before: self.0.replace(call) });
            }
        }
        out
    }
}

/// Whether any of `results` reports an item done that was not done before.
pub(super) fn is_any_done(log: &OpenLog, results: &[Result]) -> std::result::Result<bool, LogError> {
    for result in results {
        let now = done(&arguments(log, result.call)?);
        let before = match result.before {
            Some(before) => done(&arguments(log, before)?),
            None => Done::default(),
        };
        if now.one || now.items.iter().any(|item| !before.items.contains(item)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The arguments of a call, as text.
fn arguments(log: &OpenLog, call: u32) -> std::result::Result<String, LogError> {
    let turn = log.session.turn_of(&log.session.part(call));
    let texts =
        super::reading::texts(log, turn, super::reading::RECORDS, |part| part.kind == PartKind::ToolCall)?;
    let found = texts.into_iter().find(|located| located.place == call);
    Ok(found.map(|located| located.text.text).unwrap_or_default())
}

/// What a call sets to done.
#[derive(Debug, Default, PartialEq, Eq)]
struct Done {
    /// The items of a whole list.
    items: Vec<String>,
    /// A single item.
    one: bool,
}

fn is_done(status: &str) -> bool {
    matches!(status, "completed" | "complete" | "done")
}

/// Reads the arguments of a call that keeps a list: a list of items with a status, or the status of one.
fn done(arguments: &str) -> Done {
    let one = arguments.lines().any(|line| line.strip_prefix("status: ").is_some_and(is_done));
    let items = list(arguments).unwrap_or_default();
    Done { items: items.into_iter().filter(|item| item.done).map(|item| item.name).collect(), one }
}

/// An item of a list.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Item {
    /// What it says.
    pub(in super::super) name: String,
    /// Whether it is done.
    pub(in super::super) done: bool,
}

/// The list that a call writes, where it writes a whole one.
pub(in super::super) fn list(arguments: &str) -> Option<Vec<Item>> {
    let mut starts = ["todos:", "plan:", "items:"].iter().filter_map(|key| {
        let at = arguments.starts_with(key).then_some(0);
        let at = at.or_else(|| arguments.find(&format!("\n{key}")).map(|at| at + 1))?;
        Some(&arguments[at + key.len()..])
    });
    let item = |item: &Value| {
        let keys = ["content", "step", "subject", "title", "text"];
        let name = keys.iter().find_map(|key| item[*key].as_str());
        let name = name.map_or_else(|| item.to_string(), str::to_owned);
        Item { name, done: item["status"].as_str().is_some_and(is_done) }
    };
    starts.find_map(|list| match serde_json::Deserializer::from_str(list).into_iter::<Value>().next() {
        Some(Ok(Value::Array(list))) => Some(list.iter().map(item).collect()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done() {
        let list = "todos:\n[\n {\"content\": \"a\", \"status\": \"completed\"},\n {\"content\": \"b\", \"status\": \"pending\"}\n]";
        assert_eq!(done(list), Done { items: vec!["a".into()], one: false });
        let plan = "explanation: first\nthen\nplan:\n[{\"step\":\"x\",\"status\":\"completed\"}]";
        assert_eq!(done(plan).items, ["x"]);
        assert!(done("taskId: 3\nstatus: completed").one);
        assert!(!done("taskId: 3\nstatus: in_progress").one);
        assert_eq!(done("todos: []"), Done::default());
    }
}
