//! Whole texts of a pi entry. Numbers its parts as its facts do: a test holds the two together.

use serde_json::Value;

use crate::formats::facts::{PartKind, PartText};
use crate::formats::whole::{blocks, flat, part, read};

/// See [`crate::formats::Format::texts`].
pub fn texts(line: &[u8]) -> Vec<PartText> {
    read(line, |text| {
        let entry: Value = serde_json::from_str(text)?;
        Ok(match entry["type"].as_str().unwrap_or_default() {
            "message" => message(&entry["message"]),
            "compaction" | "branch_summary" => one(PartKind::Text, flat(&entry["summary"])),
            "custom_message" => blocks(&entry["content"]),
            _ => Vec::new(),
        })
    })
}

fn one(kind: PartKind, text: String) -> Vec<PartText> {
    part(kind, None, text).into_iter().collect()
}

fn message(message: &Value) -> Vec<PartText> {
    let content = || blocks(&message["content"]);
    match message["role"].as_str().unwrap_or_default() {
        "user" | "custom" | "hookMessage" => content(),
        "assistant" => {
            let mut texts = content();
            let error = flat(&message["errorMessage"]);
            if !error.trim().is_empty() {
                texts.extend(part(PartKind::Other, None, error));
            }
            texts
        }
        "toolResult" => {
            let texts: Vec<String> = content().into_iter().map(|part| part.text).collect();
            one(PartKind::ToolResult, texts.join("\n"))
        }
        "bashExecution" => {
            let texts = [flat(&message["command"]), flat(&message["output"])];
            one(PartKind::Text, texts.join("\n"))
        }
        "branchSummary" | "compactionSummary" => one(PartKind::Text, flat(&message["summary"])),
        _ => Vec::new(),
    }
}
