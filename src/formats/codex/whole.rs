//! Whole texts of a Codex record. Numbers its parts as its facts do: a test holds the two together.

use serde_json::Value;

use crate::formats::facts::{PartKind, PartText};
use crate::formats::whole::{arguments, blocks, encrypted, flat, part, pretty, read};

use super::compacted::{Clue, PREFIX, Summary, find, is_compaction};
use super::envelope::WRAPPED;

/// See [`crate::formats::Format::texts`].
pub fn texts(line: &[u8]) -> Vec<PartText> {
    read(line, |text| {
        let line: Value = serde_json::from_str(text)?;
        Ok(match (line["type"].as_str().unwrap_or_default(), &line["payload"]) {
            ("response_item", payload @ Value::Object(_)) => item(payload),
            ("event_msg", payload) => told(payload),
            ("compacted", payload) => compacted(payload),
            (_, Value::Object(_)) => Vec::new(),
            _ => item(&line),
        })
    })
}

fn item(item: &Value) -> Vec<PartText> {
    let kind = item["type"].as_str().unwrap_or_default();
    match kind {
        "message" | "agent_message" => blocks(&item["content"]),
        "reasoning" => {
            let mut texts: Vec<PartText> = blocks(&item["summary"]);
            texts.extend(blocks(&item["content"]));
            for text in &mut texts {
                text.kind = PartKind::Thinking;
            }
            match item["encrypted_content"].as_str() {
                Some(sealed) if texts.is_empty() && !sealed.is_empty() => vec![encrypted(sealed.len())],
                _ => texts,
            }
        }
        _ if super::labels::SILENT_ITEMS.contains(&kind) => Vec::new(),
        _ if kind.ends_with("_call") => {
            let name = item["name"].as_str().unwrap_or_else(|| kind.trim_end_matches("_call"));
            let given = ["arguments", "input", "action"].into_iter().find_map(|key| item.get(key));
            let given = given.map(arguments).unwrap_or_default();
            part(PartKind::ToolCall, Some(name.to_owned()), given).into_iter().collect()
        }
        _ if kind.ends_with("_output") => {
            let output = item.get("output").or_else(|| item.get("tools")).unwrap_or(&Value::Null);
            part(PartKind::ToolResult, None, output_text(output)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn output_text(output: &Value) -> String {
    match output {
        Value::String(text) if text.starts_with(WRAPPED) => match serde_json::from_str::<Value>(text) {
            Ok(reported) => flat(&reported["output"]),
            Err(_) => text.clone(),
        },
        Value::Array(_) => blocks(output).into_iter().map(|part| part.text).collect::<Vec<_>>().join("\n"),
        Value::Object(_) => pretty(output),
        _ => flat(output),
    }
}

fn told(event: &Value) -> Vec<PartText> {
    if !matches!(event["type"].as_str(), Some("user_message" | "agent_message")) {
        return Vec::new();
    }
    let mut texts: Vec<PartText> = part(PartKind::Text, None, flat(&event["message"])).into_iter().collect();
    let images = event["images"].as_array().map_or(0, Vec::len);
    texts.extend((0..images).filter_map(|_| part(PartKind::Image, None, "[image]".to_owned())));
    texts
}

fn compacted(payload: &Value) -> Vec<PartText> {
    let empty = Vec::new();
    let items = payload["replacement_history"].as_array().unwrap_or(&empty);
    let contents: Vec<Vec<PartText>> = items.iter().map(|item| blocks(&item["content"])).collect();
    let clues: Vec<Clue> = items.iter().zip(&contents).map(|(item, content)| clue(item, content)).collect();
    let message = flat(&payload["message"]);
    let summary = match find(!message.trim().is_empty(), &clues) {
        Summary::Message => part(PartKind::Text, None, message),
        Summary::Item(at) => contents[at].first().cloned(),
        Summary::Encrypted(bytes) => Some(encrypted(bytes as usize)),
        Summary::None => None,
    };
    let unread = || PartText { kind: PartKind::Other, tool: None, text: String::new() };
    std::iter::once(summary.unwrap_or_else(unread)).chain(contents.into_iter().flatten()).collect()
}

fn clue(item: &Value, content: &[PartText]) -> Clue {
    Clue {
        is_compaction: is_compaction(item["type"].as_str().unwrap_or_default()),
        begins_so: content.first().is_some_and(|part| part.text.trim_start().starts_with(PREFIX)),
        encrypted: item["encrypted_content"].as_str().map_or(0, |sealed| sealed.len() as u32),
    }
}
