//! Codex rollouts: envelopes since September 2025, and the bare items before.
//!
//! One JSON object a line. Owns the meaning of its items and events. Messages have no ids: what one answer of the
//! model is made of follows in a row, and a message that the interface was told as an event is written a second time
//! as an item. A compaction is one record that holds the whole new history; its summary may be encrypted.

mod compacted;
mod envelope;
mod labels;
mod whole;

use envelope::{Enveloped, Line, Payload, TokenInfo};

use super::Evidence;
use super::blocks::{call, encrypted, id, part};
use super::facts::{Body, Header, Meter, PartFacts, PartKind, Record, Role, Said, TurnFacts, Twin, Usage};
use super::lenient::{Count, Text, Weight};
use super::line;
use crate::text::display;
pub use whole::texts;

/// How messages begin that the agent's harness puts in as the user's.
const INJECTED: [&str; 10] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<skill>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<hook_prompt",
];

/// Reads Codex lines.
#[derive(Debug, Default)]
pub struct Parser {
    session: String,
    version: String,
    project: String,
    model: String,
}

impl Parser {
    /// See [`super::Parser::parse`].
    pub fn parse(&mut self, line: &[u8]) -> Record {
        line::read(line, |text| {
            let mut line = serde_json::from_str::<Line>(text)?;
            let payload = std::mem::take(&mut line.payload);
            if matches!(payload, Enveloped::None) && is_bare(&line) {
                let item = Enveloped::Whole(Box::new(serde_json::from_str::<Payload>(text)?));
                return Ok(self.record("response_item", &line, item));
            }
            Ok(self.record(line.kind.as_str(), &line, payload))
        })
    }

    fn record(&mut self, kind: &str, line: &Line, payload: Enveloped) -> Record {
        let mut record = Record::bare("note", Body::Note);
        record.time = line.timestamp.0.as_deref().and_then(line::milliseconds);
        record.unknown = line.unknown.iter().map(|field| format!("line.{field}").into()).collect();
        let payload = match payload {
            Enveloped::Whole(payload) => payload,
            Enveloped::None => Box::default(),
            Enveloped::Skipped(name) => {
                record.label = labels::of(kind, name.as_str());
                return record;
            }
            Enveloped::Measured(measured) => {
                record.label = labels::of(kind, measured.kind.as_str());
                record.project = line::changed(&mut self.project, measured.cwd.as_str());
                record.body = self.meter(&measured.info, measured.window, &measured.model);
                return record;
            }
        };
        record.label = match line {
            _ if !kind.is_empty() => labels::of(kind, payload.kind.as_str()),
            line if !line.id.as_str().is_empty() => "header".into(),
            line if !line.record_type.as_str().is_empty() => "state".into(),
            _ => "no type".into(),
        };
        match kind {
            "session_meta" => {
                record.session = line::changed(&mut self.session, payload.id.as_str());
                record.version = line::changed(&mut self.version, payload.version.as_str());
                record.project = line::changed(&mut self.project, payload.cwd.as_str());
                record.body = Body::Header(Box::new(Header {
                    forked_from: filled(payload.forked_from.as_str()),
                    parent: filled(payload.parent.as_str()),
                    begins_elsewhere: !payload.base.thread.as_str().is_empty(),
                }));
            }
            "response_item" => record.body = item(payload, &mut record.unknown),
            "event_msg" => record.body = self.event(&payload, &mut record.unknown),
            "compacted" => record.body = compacted::body(*payload),
            "" if !line.id.as_str().is_empty() => {
                record.session = line::changed(&mut self.session, line.id.as_str());
            }
            "" if line.record_type.as_str() == "state" => {}
            "turn_context" => record.body = self.meter(&payload.info, payload.window, &payload.model),
            kind if labels::NOTES.contains(&kind) => {}
            "" => record.unknown.push("no type".into()),
            kind => record.unknown.push(kind.into()),
        }
        record
    }

    /// What is measured, if anything is that the record before did not say already.
    fn meter(&mut self, info: &TokenInfo, window: Count, model: &Text) -> Body {
        let meter = Meter {
            total: info.total.usage(),
            context: info.last.usage().map(Usage::context),
            window: info.window.0.or(window.0).filter(|window| *window > 0),
            model: line::changed(&mut self.model, model.as_str()),
        };
        if meter == Meter::default() { Body::Note } else { Body::Meter(Box::new(meter)) }
    }

    fn event(&mut self, payload: &Payload, unknown: &mut Vec<Box<str>>) -> Body {
        let kind = payload.kind.as_str();
        match kind {
            "user_message" => told(Role::User, payload),
            "agent_message" => told(Role::Assistant, payload),
            "thread_rolled_back" => match payload.rolled_back.0 {
                Some(turns) => Body::Rewind(u32::try_from(turns).unwrap_or(u32::MAX)),
                None => {
                    unknown.push("event_msg/thread_rolled_back without num_turns".into());
                    Body::Note
                }
            },
            "token_count" | "task_started" => self.meter(&payload.info, payload.window, &payload.model),
            "thread_name_updated" => payload.title.boxed().map_or(Body::Note, Body::Title),
            "collab_agent_spawn_end" | "sub_agent_activity" => display::name(payload.agent.as_str())
                .map_or(Body::Note, |agent| Body::Agent(agent, id(payload.call))),
            _ if says_nothing(kind) => Body::Note,
            _ => {
                unknown.push(format!("event_msg/{kind}").into());
                Body::Note
            }
        }
    }
}

/// Whether an event of this kind says nothing of the conversation that an item does not say.
fn says_nothing(kind: &str) -> bool {
    labels::silent_event(kind).is_some()
}

/// A text, where it is not empty.
fn filled(text: &str) -> Option<Box<str>> {
    (!text.is_empty()).then(|| text.into())
}

/// Whether a line without an envelope is an item of its own.
fn is_bare(line: &Line) -> bool {
    let kind = line.kind.as_str();
    kind == "message" || kind == "reasoning" || kind.ends_with("_call") || kind.ends_with("_output")
}

fn item(payload: Box<Payload>, unknown: &mut Vec<Box<str>>) -> Body {
    unknown.extend(payload.content.unknown.iter().map(|block| format!("block:{block}").into()));
    let kind = payload.kind.as_str();
    match kind {
        "message" if is_known_role(payload.role.as_str()) => message(payload),
        "message" => {
            let role = Some(payload.role.as_str()).filter(|role| !role.is_empty());
            unknown
                .push(role.map_or("message without a role".into(), |role| format!("message/{role}").into()));
            Body::Note
        }
        "reasoning" => {
            let mut parts = payload.summary.parts;
            parts.extend(payload.content.parts);
            for part in &mut parts {
                part.kind = PartKind::Thinking;
            }
            if parts.is_empty() && payload.encrypted.0 > 0 {
                parts.push(encrypted(payload.encrypted.0));
            }
            Body::turn(TurnFacts { joins: true, ..TurnFacts::new(Role::Assistant, parts) })
        }
        "agent_message" => {
            Body::turn(TurnFacts { injected: true, ..TurnFacts::new(Role::User, payload.content.parts) })
        }
        _ if labels::SILENT_ITEMS.contains(&kind) => Body::Note,
        _ if kind.ends_with("_call") => {
            let tool = payload.name.boxed().unwrap_or_else(|| kind.trim_end_matches("_call").into());
            let parts = vec![call(Some(tool), payload.arguments, id(payload.call))];
            Body::turn(TurnFacts { joins: true, ..TurnFacts::new(Role::Assistant, parts) })
        }
        _ if kind.ends_with("_output") => result(payload),
        _ => {
            unknown.push(format!("response_item/{kind}").into());
            Body::Note
        }
    }
}

fn is_known_role(role: &str) -> bool {
    matches!(role, "user" | "assistant" | "developer" | "system")
}

fn message(payload: Box<Payload>) -> Body {
    let role = if payload.role.as_str() == "assistant" { Role::Assistant } else { Role::User };
    let said = payload.content.said(role);
    let parts = payload.content.parts;
    let typed = payload.role.as_str() == "user" && !is_injected(&parts);
    Body::turn(TurnFacts {
        injected: role == Role::User && !typed,
        joins: role == Role::Assistant,
        twin: (typed || role == Role::Assistant).then_some(Twin::Item),
        said: Some(said),
        ..TurnFacts::new(role, parts)
    })
}

fn is_injected(parts: &[PartFacts]) -> bool {
    let first = parts.first().map_or("", |part| part.preview.as_str());
    INJECTED.iter().any(|mark| first.starts_with(mark))
}

fn result(payload: Box<Payload>) -> Body {
    let call = id(payload.call);
    let failed = payload.output.failed;
    match part(PartKind::ToolResult, payload.output.weight) {
        Some(part) => {
            let parts = vec![PartFacts { call, error: failed, ..part }];
            Body::turn(TurnFacts::new(Role::Tool, parts))
        }
        None => Body::turn(TurnFacts {
            silent: call.into_iter().collect(),
            ..TurnFacts::new(Role::Tool, Vec::new())
        }),
    }
}

/// A message as the interface was told.
fn told(role: Role, payload: &Payload) -> Body {
    let images = payload.images.0.iter().map(|_| Weight { images: 1, ..Weight::default() });
    let parts: Vec<PartFacts> = part(PartKind::Text, payload.message.0.clone())
        .into_iter()
        .chain(images.filter_map(|weight| part(PartKind::Image, weight)))
        .collect();
    if parts.is_empty() {
        return Body::Note;
    }
    let typed = matches!(payload.event_kind.as_str(), "" | "plain") && !is_injected(&parts);
    Body::turn(TurnFacts {
        injected: role == Role::User && !typed,
        joins: role == Role::Assistant,
        twin: Some(Twin::Event),
        said: Some(Said::of(role, &parts)),
        ..TurnFacts::new(role, parts)
    })
}

/// What one line says about whether its file is Codex's.
pub(super) fn weigh(line: &[u8]) -> Evidence {
    let mended = super::repair::mend(line);
    let Ok(line) = serde_json::from_str::<Line>(&mended) else { return Evidence::Nothing };
    let kind = line.kind.as_str();
    match &line.payload {
        Enveloped::Whole(payload) if kind == "session_meta" && !payload.id.as_str().is_empty() => {
            Evidence::Decides
        }
        Enveloped::None if line.record_type.as_str() == "state" => Evidence::Decides,
        Enveloped::None if is_bare(&line) => bare_item(&mended),
        Enveloped::None => {
            let header = kind.is_empty() && !line.id.as_str().is_empty() && line.timestamp.0.is_some();
            if header { Evidence::Fits } else { Evidence::Nothing }
        }
        _ => match kind {
            "response_item" | "event_msg" | "turn_context" | "compacted" => Evidence::Decides,
            "session_meta" => Evidence::Fits,
            kind if labels::NOTES.contains(&kind) => Evidence::Fits,
            _ => Evidence::Nothing,
        },
    }
}

/// An item without an envelope is told from others' by what only this agent's items hold.
fn bare_item(text: &str) -> Evidence {
    let Ok(payload) = serde_json::from_str::<Payload>(text) else { return Evidence::Nothing };
    let speaks = payload.kind.as_str() == "message"
        && !payload.role.as_str().is_empty()
        && !payload.content.parts.is_empty();
    let calls = id(payload.call).is_some();
    if speaks || calls { Evidence::Decides } else { Evidence::Nothing }
}
