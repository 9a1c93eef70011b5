//! Whole texts of content blocks, read again when somebody looks at them.
//!
//! Owns how a block of any format reads as text. Numbers blocks as [`super::blocks`] does.

use std::fmt::Write;

use serde_json::Value;

use super::facts::{PartKind, PartText};

/// The texts that `parse` finds in `line`, mended where it cannot be read as it is; none of a line that is no record.
pub(super) fn read(line: &[u8], parse: impl Fn(&str) -> serde_json::Result<Vec<PartText>>) -> Vec<PartText> {
    let text = std::str::from_utf8(line).ok().and_then(|text| parse(text).ok());
    text.or_else(|| parse(&super::repair::mend(line)).ok()).unwrap_or_default()
}

/// The texts of a message's content: one string, or blocks.
pub(super) fn blocks(content: &Value) -> Vec<PartText> {
    match content {
        Value::String(text) => part(PartKind::Text, None, text.clone()).into_iter().collect(),
        Value::Array(blocks) => blocks.iter().filter_map(block).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn part(kind: PartKind, tool: Option<String>, text: String) -> Option<PartText> {
    let filled =
        !text.trim().is_empty() || matches!(kind, PartKind::ToolCall | PartKind::Image | PartKind::Other);
    filled.then_some(PartText { kind, tool, text })
}

fn block(block: &Value) -> Option<PartText> {
    let text = |key: &str| flat(&block[key]);
    match block["type"].as_str().unwrap_or_default() {
        _ if block.is_string() => part(PartKind::Text, None, flat(block)),
        _ if !block.is_object() => None,
        "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
            part(PartKind::Text, None, text("text"))
        }
        "thinking" => part(PartKind::Thinking, None, text("thinking")),
        "redacted_thinking" => None,
        "tool_use" | "server_tool_use" | "mcp_tool_use" | "toolCall" => {
            let name = block["name"].as_str().map(str::to_owned);
            let given = block.get("input").or_else(|| block.get("arguments")).unwrap_or(&Value::Null);
            part(PartKind::ToolCall, name, arguments(given))
        }
        "encrypted_content" => Some(encrypted(block["encrypted_content"].as_str().map_or(0, str::len))),
        kind @ ("image" | "document" | "input_image") => part(PartKind::Image, None, image(kind, block)),
        kind if kind == "tool_result" || kind.ends_with("_tool_result") => {
            part(PartKind::ToolResult, None, text("content"))
        }
        _ => part(PartKind::Other, None, pretty(block)),
    }
}

/// What stands for a text of `bytes` bytes that cannot be read.
pub(super) fn encrypted(bytes: usize) -> PartText {
    PartText { kind: PartKind::Encrypted, tool: None, text: super::blocks::encrypted_note(bytes as u32) }
}

fn image(kind: &str, block: &Value) -> String {
    let kind = kind.strip_prefix("input_").unwrap_or(kind);
    let url = block["image_url"].as_str().unwrap_or_default();
    let (head, inline) =
        url.strip_prefix("data:").and_then(|url| url.split_once(";base64,")).unwrap_or_default();
    let media = block["source"]["media_type"].as_str().or_else(|| block["mimeType"].as_str());
    let media = media.or_else(|| (!head.is_empty()).then_some(head)).unwrap_or("unknown type");
    let data = block["source"]["data"].as_str().or_else(|| block["data"].as_str()).unwrap_or(inline);
    format!("[{kind}: {media}, {}]", crate::text::numbers::bytes((data.len() / 4 * 3) as u64))
}

/// A string, or the texts of a result's blocks one after another.
pub(super) fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks
                .iter()
                .filter_map(|inner| match inner {
                    Value::String(text) => Some(text.clone()),
                    Value::Object(_) if inner["type"] == "image" || inner["type"] == "input_image" => {
                        Some(image("image", inner))
                    }
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
pub(super) fn arguments(input: &Value) -> String {
    let fields = match input {
        Value::Object(fields) => fields,
        Value::Null => return String::new(),
        Value::String(text) => return arguments_as_text(text),
        _ => return pretty(input),
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

/// Arguments as one text: an object's are read as such.
fn arguments_as_text(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(object @ Value::Object(_)) => arguments(&object),
        _ => text.to_owned(),
    }
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
