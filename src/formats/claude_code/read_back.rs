//! Whole texts of a record, read again when somebody looks at them.
//!
//! Numbers its parts as [`super::blocks`] does: a test holds the two together over every record.

use std::fmt::Write;

use serde_json::Value;

use crate::formats::facts::{PartKind, PartText};
use crate::formats::lenient::{Text, Whole, lenient, shrug_at};

/// See [`crate::formats::Format::texts`].
pub fn texts(line: &[u8]) -> Vec<PartText> {
    let mended;
    let line = match serde_json::from_slice::<Line>(line) {
        Ok(line) => line,
        Err(_) => {
            mended = crate::formats::repair::mend(line);
            let Ok(line) = serde_json::from_str::<Line>(&mended) else { return Vec::new() };
            line
        }
    };
    let content = match (line.kind.as_str(), line.operation.as_str()) {
        ("user" | "assistant", _) => line.message.content,
        ("queue-operation", "enqueue" | "remove") => line.content,
        ("attachment", _) if line.attachment.kind.as_str() == "queued_command" => line.attachment.prompt,
        _ => return Vec::new(),
    };
    match content.0 {
        Value::String(text) => part(PartKind::Text, None, text).into_iter().collect(),
        Value::Array(blocks) => blocks.iter().filter_map(block).collect(),
        _ => Vec::new(),
    }
}

lenient! {
    /// Where the texts of a line stand. The rest of the record is skipped, however deep it is nested.
    for<'de> struct Line<'de> {
        "type" => kind: Text<'de>,
        "operation" => operation: Text<'de>,
        "content" => content: Whole,
        "message" => message: Message,
        "attachment" => attachment: Attachment<'de>,
    }
}

lenient! {
    /// The API message inside a record.
    for<'de> struct Message {
        "content" => content: Whole,
    }
}

lenient! {
    /// An attachment that shows a queued prompt being delivered.
    for<'de> struct Attachment<'de> {
        "type" => kind: Text<'de>,
        "prompt" => prompt: Whole,
    }
}

fn part(kind: PartKind, tool: Option<String>, text: String) -> Option<PartText> {
    let filled =
        !text.trim().is_empty() || matches!(kind, PartKind::ToolCall | PartKind::Image | PartKind::Other);
    filled.then_some(PartText { kind, tool, text })
}

fn block(block: &Value) -> Option<PartText> {
    let text = |key: &str| flat(&block[key]);
    match block["type"].as_str().unwrap_or_default() {
        _ if block.is_string() => part(PartKind::Text, None, flat(block)),
        _ if !block.is_object() => None,
        "text" => part(PartKind::Text, None, text("text")),
        "thinking" => part(PartKind::Thinking, None, text("thinking")),
        "redacted_thinking" => None,
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let name = block["name"].as_str().map(str::to_owned);
            part(PartKind::ToolCall, name, arguments(&block["input"]))
        }
        kind @ ("image" | "document") => part(PartKind::Image, None, image(kind, block)),
        kind if kind == "tool_result" || kind.ends_with("_tool_result") => {
            part(PartKind::ToolResult, None, text("content"))
        }
        _ => part(PartKind::Other, None, pretty(block)),
    }
}

fn image(kind: &str, block: &Value) -> String {
    let media = block["source"]["media_type"].as_str().unwrap_or("unknown type");
    let bytes = block["source"]["data"].as_str().map_or(0, |data| data.len() / 4 * 3);
    format!("[{kind}: {media}, {}]", crate::text::numbers::bytes(bytes as u64))
}

/// A string, or the texts of a result's blocks one after another.
fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks
                .iter()
                .filter_map(|inner| match inner {
                    Value::String(text) => Some(text.clone()),
                    Value::Object(_) if inner["type"] == "image" => Some(image("image", inner)),
                    Value::Object(_) => inner["text"].as_str().map(str::to_owned),
                    _ => None,
                })
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// A call's arguments as a person reads them: `key: value`, texts of several lines as they are.
fn arguments(input: &Value) -> String {
    let Value::Object(fields) = input else {
        return if input.is_null() { String::new() } else { pretty(input) };
    };
    let mut out = String::new();
    for (key, value) in fields {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Array(_) | Value::Object(_) => pretty(value),
            _ => value.to_string(),
        };
        let gap = if value.contains('\n') { "\n" } else { " " };
        let _ = writeln!(out, "{key}:{gap}{value}");
    }
    out.pop();
    out
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
