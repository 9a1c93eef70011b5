//! Claude Code's session files, versions 0.2 to 2.1.
//!
//! One JSON object a line. Owns the meaning of its record types: which are turns, which only notes, where user
//! words hide (prompts, queued prompts, rejections of tool calls), how compactions old and new are marked. Unknown
//! types and fields are counted by name, never refused. How turns hang together is the session model's work.

mod envelope;
#[cfg(test)]
mod tests;
mod whole;

use std::borrow::Cow;

use envelope::{Attachment, Envelope};

use super::Evidence;
use super::blocks::Content;
use super::facts::{
    Body, Boundary, Clearing, Id, Parent, PartFacts, Queue, Record, Role, Strand, TurnFacts, Usage,
};
use super::lenient::Link;
use super::line;
use crate::text::display;
pub use whole::texts;

/// How an old version's summary begins: it set no flag and left no boundary.
const CONTINUATION: &str =
    "This session is being continued from a previous conversation that ran out of context.";

/// Record types that hang in the reply chain.
const CHAIN: [&str; 5] = ["user", "assistant", "system", "attachment", "progress"];

/// Reads Claude Code lines.
#[derive(Debug, Default)]
pub struct Parser {
    session: String,
    version: String,
    project: String,
}

impl Parser {
    /// See [`super::Parser::parse`].
    pub fn parse(&mut self, line: &[u8]) -> Record {
        line::read(line, |text| serde_json::from_str::<Envelope>(text).map(|envelope| self.record(envelope)))
    }

    fn record(&mut self, mut envelope: Envelope) -> Record {
        let kind = envelope.kind.as_str();
        let mut record = Record::bare("note", Body::Note);
        record.id = envelope.id();
        record.parent = match envelope.parent {
            Link::None => Parent::Absent,
            Link::Null => Parent::Root,
            Link::Id(id) => Parent::Of(id),
        };
        if envelope.is_sidechain.0 {
            record.strand = Strand::Side(display::name(envelope.agent_id.as_str()));
            record.short_id = envelope.short_id();
        }
        record.time = envelope.timestamp.0.as_deref().and_then(line::milliseconds);
        record.session = line::changed(&mut self.session, envelope.session_id.as_str());
        record.version = line::changed(&mut self.version, envelope.version.as_str());
        record.project = line::changed(&mut self.project, envelope.cwd.as_str());
        record.unknown = unknown_names(&envelope);
        record.label = label(kind, &envelope);
        record.body = body(&mut envelope);
        record
    }
}

fn label(kind: &str, envelope: &Envelope) -> Cow<'static, str> {
    let detail = match kind {
        "system" => envelope.subtype.as_str(),
        "attachment" => envelope.attachment.kind.as_str(),
        "progress" => envelope.data.kind.as_str(),
        "queue-operation" => envelope.operation.as_str(),
        _ => "",
    };
    match (kind, detail) {
        ("", _) => "no type".into(),
        ("user", _) => "user".into(),
        ("assistant", _) => "assistant".into(),
        (_, "") => kind.to_owned().into(),
        _ => format!("{kind}/{detail}").into(),
    }
}

fn unknown_names(envelope: &Envelope) -> Vec<Box<str>> {
    let kind = envelope.kind.as_str();
    let mut names = Vec::new();
    if !envelope::is_known_type(kind) {
        names.push(if kind.is_empty() { "no type".into() } else { kind.into() });
        return names;
    }
    names.extend(envelope.unknown.iter().map(|field| format!("{kind}.{field}").into()));
    names.extend(envelope.message.content.unknown.iter().map(|block| format!("block:{block}").into()));
    names
}

fn body(envelope: &mut Envelope) -> Body {
    match (envelope.kind.as_str(), envelope.subtype.as_str()) {
        ("user" | "assistant", _) => turn(envelope),
        ("system", "compact_boundary") => Body::boundary(boundary(envelope)),
        ("system", "microcompact_boundary") => Body::Clearing(Clearing {
            tokens_saved: envelope.microcompaction.tokens_saved.0,
            calls: std::mem::take(&mut envelope.microcompaction.calls.0),
        }),
        ("content-replacement", _) => Body::Clearing(Clearing {
            tokens_saved: None,
            calls: envelope.replacements.0.iter().filter_map(|one| super::blocks::id(one.call)).collect(),
        }),
        ("queue-operation", _) => queue(envelope),
        ("attachment", _) => match std::mem::take(&mut envelope.attachment) {
            Attachment { kind, prompt, .. } if kind.as_str() == "queued_command" => {
                Body::Queue(Queue::Delivered(prompt.parts))
            }
            _ => Body::Note,
        },
        ("summary" | "ai-title" | "custom-title", _) => {
            envelope.title.boxed().map_or(Body::Note, Body::Title)
        }
        _ => Body::Note,
    }
}

fn turn(envelope: &mut Envelope) -> Body {
    let message = std::mem::take(&mut envelope.message);
    let content: Content = message.content;
    // A command that printed nothing still answers its call: its record is no prompt.
    let results = content.has_results;
    let role = if envelope.kind.as_str() == "assistant" {
        Role::Assistant
    } else if envelope.is_compact_summary.0 || (!results && is_old_summary(envelope, &content.parts)) {
        Role::Summary
    } else if results {
        Role::Tool
    } else {
        Role::User
    };
    let usage = (role == Role::Assistant && message.usage.is_some()).then(|| Usage {
        input: message.usage.input.0.unwrap_or(0),
        output: message.usage.output.0.unwrap_or(0),
        cache_read: message.usage.cache_read.0.unwrap_or(0),
        cache_write: message.usage.cache_write.0.unwrap_or(0),
    });
    Body::turn(TurnFacts {
        message: if role == Role::Assistant { message.id.0.as_deref().map(Id::of) } else { None },
        silent: content.silent,
        usage,
        injected: envelope.is_meta.0,
        model: message.model.boxed().filter(|model| &**model != "<synthetic>"),
        agent: display::name(envelope.tool_use_result.agent_id.as_str()),
        ..TurnFacts::new(role, content.parts)
    })
}

/// Versions up to 1.0 wrote a summary as a plain prompt: no parent, no flag, a fixed opening sentence.
fn is_old_summary(envelope: &Envelope, parts: &[PartFacts]) -> bool {
    envelope.parent == Link::Null
        && !envelope.is_meta.0
        && parts.first().is_some_and(|part| part.preview.starts_with(CONTINUATION))
}

fn boundary(envelope: &mut Envelope) -> Boundary {
    let meta = std::mem::take(&mut envelope.compaction);
    Boundary {
        trigger: meta.trigger.boxed(),
        tokens_before: meta.pre_tokens.0,
        tokens_after: meta.post_tokens.0,
        logical_parent: match envelope.logical_parent {
            Link::Id(id) => Some(id),
            _ => None,
        },
        kept: meta.preserved.uuids.0,
        kept_segment: match (meta.segment.head, meta.segment.tail) {
            (Link::Id(head), Link::Id(tail)) => Some((head, tail)),
            _ => None,
        },
        ..Boundary::default()
    }
}

fn queue(envelope: &mut Envelope) -> Body {
    let parts = std::mem::take(&mut envelope.content.parts);
    match envelope.operation.as_str() {
        "enqueue" if !parts.is_empty() => Body::Queue(Queue::Enqueue(parts)),
        "dequeue" => Body::Queue(Queue::Dequeue),
        "remove" => Body::Queue(Queue::Remove(parts)),
        "popAll" => Body::Queue(Queue::Withdraw),
        _ => Body::Note,
    }
}

/// What one line says about whether its file is Claude Code's.
pub(super) fn weigh(line: &[u8]) -> Evidence {
    let mended = super::repair::mend(line);
    let Ok(envelope) = serde_json::from_str::<Envelope>(&mended) else {
        return Evidence::Nothing;
    };
    let kind = envelope.kind.as_str();
    let has_session = !envelope.session_id.as_str().is_empty();
    let has_id = envelope.id().is_some();
    // Other agents' lines look like these: one's messages have parts, another's calls are lines of their own.
    if envelope.message.has_parts.0 || matches!(kind, "tool_call" | "tool_result" | "completion") {
        return Evidence::Refutes;
    }
    let in_chain = CHAIN.contains(&kind) && has_session;
    let speaks = matches!(kind, "user" | "assistant") && !envelope.message.role.as_str().is_empty();
    let linked = in_chain && has_id && envelope.parent != Link::None;
    if (linked && matches!(kind, "user" | "assistant")) || (in_chain && speaks) {
        Evidence::Decides
    } else if envelope::opens_a_file(kind) || (in_chain && has_id) {
        Evidence::Fits
    } else {
        Evidence::Nothing
    }
}
