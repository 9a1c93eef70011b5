//! pi's session files, versions 1 (a row of entries) to 3 (a tree of them).
//!
//! One JSON object a line, the first one a header. Owns the meaning of its entries and of the roles of its messages.
//! A compaction is one entry that says where the part begins that stayed in view, by id or, in version 1, by number.

mod whole;

use std::borrow::Cow;

use super::Evidence;
use super::blocks::{Content, ResultText, id, part};
use super::facts::{
    Body, Boundary, Header, Id, KeptFrom, Meter, Parent, PartFacts, PartKind, Record, Role, TurnFacts, Usage,
};
use super::lenient::{Count, Flag, Link, Text, Weight, lenient};
use super::line;
pub use whole::texts;

lenient! {
    /// One line.
    for<'de> struct Entry<'de> {
        "type" => kind: Text<'de>,
        "id" => id: Text<'de>,
        "parentId" => parent: Link,
        "timestamp" => timestamp: Text<'de>,
        "cwd" => cwd: Text<'de>,
        "branchedFrom" | "parentSession" => forked_from: Text<'de>,
        "message" => message: Message<'de>,
        "summary" => summary: ResultText,
        "firstKeptEntryId" => first_kept: Link,
        "firstKeptEntryIndex" => first_kept_index: Count,
        "tokensBefore" => tokens_before: Count,
        "fromHook" => from_hook: Flag,
        "fromId" => from: Link,
        "content" => content: Content,
        "name" => name: Text<'de>,
        "modelId" => model: Text<'de>,
    }
    else unknown unless is_known_field
}

lenient! {
    /// The message of an entry.
    for<'de> struct Message<'de> {
        "role" => role: Text<'de>,
        "content" => content: Content,
        "model" => model: Text<'de>,
        "usage" => usage: UsageFields,
        "toolCallId" => call: Link,
        "isError" => is_error: Flag,
        "errorMessage" => error: ResultText,
        "command" => command: ResultText,
        "output" => output: ResultText,
        "summary" => summary: ResultText,
    }
}

lenient! {
    /// Tokens charged.
    for<'de> struct UsageFields {
        "input" => input: Count,
        "output" => output: Count,
        "cacheRead" => cache_read: Count,
        "cacheWrite" => cache_write: Count,
    }
}

/// Keys that are known and left alone.
fn is_known_field(key: &str) -> bool {
    matches!(
        key,
        "version"
            | "provider"
            | "thinkingLevel"
            | "customType"
            | "data"
            | "details"
            | "display"
            | "targetId"
            | "label"
    )
}

/// Entries beside the conversation.
const NOTES: [&str; 3] = ["thinking_level_change", "label", "custom"];

/// Reads pi lines.
#[derive(Debug, Default)]
pub struct Parser {
    session: String,
    project: String,
}

impl Parser {
    /// See [`super::Parser::parse`].
    pub fn parse(&mut self, line: &[u8]) -> Record {
        line::read(line, |text| serde_json::from_str::<Entry>(text).map(|entry| self.record(entry)))
    }

    fn record(&mut self, entry: Entry) -> Record {
        let kind = entry.kind.as_str();
        let mut record = Record::bare("note", Body::Note);
        record.time = entry.timestamp.0.as_deref().and_then(line::milliseconds);
        record.label = label(kind, &entry);
        if kind == "session" {
            // The header's id is the session's, not an entry's.
            record.session = line::changed(&mut self.session, entry.id.as_str());
            record.project = line::changed(&mut self.project, entry.cwd.as_str());
        } else {
            record.id = entry.id.0.as_deref().filter(|id| !id.is_empty()).map(Id::of);
            record.parent = match entry.parent {
                Link::None => Parent::Absent,
                Link::Null => Parent::Root,
                Link::Id(id) => Parent::Of(id),
            };
        }
        record.unknown = unknown_names(kind, &entry);
        record.body = body(entry);
        record
    }
}

fn label(kind: &str, entry: &Entry) -> Cow<'static, str> {
    match (kind, entry.message.role.as_str()) {
        ("", _) => "no type".into(),
        ("message", role @ ("user" | "assistant" | "toolResult" | "bashExecution")) => role.to_owned().into(),
        ("message", role) if !role.is_empty() => format!("message/{role}").into(),
        ("compaction", _) if entry.from_hook.0 => "compaction/hook".into(),
        (kind, _) => kind.to_owned().into(),
    }
}

fn unknown_names(kind: &str, entry: &Entry) -> Vec<Box<str>> {
    let mut names: Vec<Box<str>> =
        entry.unknown.iter().map(|field| format!("{kind}.{field}").into()).collect();
    let blocks = entry.message.content.unknown.iter().chain(&entry.content.unknown);
    names.extend(blocks.map(|block| format!("block:{block}").into()));
    let known = NOTES.contains(&kind)
        || matches!(
            kind,
            "session"
                | "message"
                | "compaction"
                | "branch_summary"
                | "custom_message"
                | "session_info"
                | "model_change"
        );
    if !known {
        names.clear();
        names.push(if kind.is_empty() { "no type".into() } else { kind.into() });
    }
    let role = entry.message.role.as_str();
    if kind == "message" && !is_known_role(role) {
        names.push(if role.is_empty() {
            "message without a role".into()
        } else {
            format!("message/{role}").into()
        });
    }
    names
}

fn is_known_role(role: &str) -> bool {
    matches!(
        role,
        "user"
            | "assistant"
            | "toolResult"
            | "bashExecution"
            | "custom"
            | "hookMessage"
            | "branchSummary"
            | "compactionSummary"
    )
}

fn body(entry: Entry) -> Body {
    match entry.kind.as_str() {
        "session" => Body::Header(Box::new(Header {
            forked_from: entry.forked_from.boxed().filter(|from| !from.is_empty()),
            ..Header::default()
        })),
        "message" => message(entry.message),
        "compaction" => compaction(&entry),
        "branch_summary" => {
            let parts = part(PartKind::Text, entry.summary.0).into_iter().collect();
            Body::turn(TurnFacts {
                injected: true,
                branch: id(entry.from),
                ..TurnFacts::new(Role::User, parts)
            })
        }
        "custom_message" => {
            Body::turn(TurnFacts { injected: true, ..TurnFacts::new(Role::User, entry.content.parts) })
        }
        "session_info" => entry.name.boxed().map_or(Body::Note, Body::Title),
        "model_change" => Body::Meter(Box::new(Meter { model: entry.model.boxed(), ..Meter::default() })),
        _ => Body::Note,
    }
}

fn message(message: Message) -> Body {
    let mut parts = message.content.parts;
    match message.role.as_str() {
        "user" => Body::turn(TurnFacts::new(Role::User, parts)),
        "assistant" => {
            // What went wrong stands beside the content: nothing that the model sees, but what a reader looks for.
            if let Some(error) = part(PartKind::Other, message.error.0) {
                parts.push(PartFacts { error: true, tokens: 0, ..error });
            }
            let usage = Usage {
                input: message.usage.input.0.unwrap_or(0),
                output: message.usage.output.0.unwrap_or(0),
                cache_read: message.usage.cache_read.0.unwrap_or(0),
                cache_write: message.usage.cache_write.0.unwrap_or(0),
            };
            Body::turn(TurnFacts {
                usage: (usage != Usage::default()).then_some(usage),
                model: message.model.boxed(),
                ..TurnFacts::new(Role::Assistant, parts)
            })
        }
        "toolResult" => result(id(message.call), message.is_error.0, parts),
        "bashExecution" => {
            let mut weight = message.command.0;
            weight.merge(message.output.0);
            injected(part(PartKind::Text, weight).into_iter().collect())
        }
        "branchSummary" | "compactionSummary" => {
            injected(part(PartKind::Text, message.summary.0).into_iter().collect())
        }
        "custom" | "hookMessage" => injected(parts),
        _ => Body::Note,
    }
}

fn injected(parts: Vec<PartFacts>) -> Body {
    Body::turn(TurnFacts { injected: true, ..TurnFacts::new(Role::User, parts) })
}

/// The blocks of a result are one part: what one call gave back.
fn result(call: Option<Id>, error: bool, blocks: Vec<PartFacts>) -> Body {
    let weight: Weight = Content { parts: blocks, ..Content::default() }.into_result();
    match part(PartKind::ToolResult, weight) {
        Some(part) => Body::turn(TurnFacts::new(Role::Tool, vec![PartFacts { call, error, ..part }])),
        None => Body::turn(TurnFacts {
            silent: call.into_iter().collect(),
            ..TurnFacts::new(Role::Tool, Vec::new())
        }),
    }
}

fn compaction(entry: &Entry) -> Body {
    let by_index = entry.first_kept_index.0.map(KeptFrom::Entry);
    let boundary = Boundary {
        trigger: entry.from_hook.0.then(|| "extension".into()),
        tokens_before: entry.tokens_before.0,
        kept_from: id(entry.first_kept).map(KeptFrom::Record).or(by_index),
        ..Boundary::default()
    };
    let parts = part(PartKind::Text, entry.summary.0.clone()).into_iter().collect();
    Body::Compacted(Box::new((boundary, TurnFacts::new(Role::Summary, parts))))
}

/// What one line says about whether its file is pi's.
pub(super) fn weigh(line: &[u8]) -> Evidence {
    let mended = super::repair::mend(line);
    let Ok(entry) = serde_json::from_str::<Entry>(&mended) else { return Evidence::Nothing };
    let timed = entry.timestamp.0.is_some();
    match entry.kind.as_str() {
        "session" if !entry.cwd.as_str().is_empty() => Evidence::Fits,
        // Another agent's files begin with the same header; their entries have types with a slash.
        kind if kind.contains('/') => Evidence::Refutes,
        // Nor has this agent a header of that name.
        "session_start" => Evidence::Refutes,
        "message" if timed && !entry.message.role.as_str().is_empty() => Evidence::Decides,
        "compaction" | "branch_summary" if timed && !entry.summary.0.preview.is_empty() => Evidence::Decides,
        "model_change" | "thinking_level_change" | "session_info" | "custom_message" if timed => {
            Evidence::Fits
        }
        _ => Evidence::Nothing,
    }
}
