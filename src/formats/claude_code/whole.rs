//! Whole texts of a record, read again when somebody looks at them.
//!
//! Numbers its parts as [`crate::formats::blocks`] does: a test holds the two together over every record.

use crate::formats::facts::PartText;
use crate::formats::lenient::{Text, Whole, lenient};
use crate::formats::whole;

/// See [`crate::formats::Format::texts`].
pub fn texts(line: &[u8]) -> Vec<PartText> {
    whole::read(line, |text| serde_json::from_str::<Line>(text).map(parts))
}

fn parts(line: Line) -> Vec<PartText> {
    let content = match (line.kind.as_str(), line.operation.as_str()) {
        ("user" | "assistant", _) => line.message.content,
        ("queue-operation", "enqueue" | "remove") => line.content,
        ("attachment", _) if line.attachment.kind.as_str() == "queued_command" => line.attachment.prompt,
        _ => return Vec::new(),
    };
    whole::blocks(&content.0)
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
