//! Whole texts of a record, read again when somebody looks at them.
//!
//! Numbers its parts as [`crate::formats::blocks`] does: a test holds the two together over every record.

use serde_json::Value;

use crate::formats::facts::PartText;
use crate::formats::lenient::{Text, lenient};
use crate::formats::whole;

/// See [`crate::formats::Format::texts`].
pub fn texts(line: &[u8]) -> Vec<PartText> {
    whole::read(line, |text| serde_json::from_str::<Line>(text).map(parts))
}

fn parts(line: Line) -> Vec<PartText> {
    let content = match line.kind.as_str() {
        "queue-operation" => line.content,
        "attachment" => line.attachment.prompt,
        _ => line.message.content,
    };
    whole::blocks(&content)
}

lenient! {
    /// Where the texts of a line stand. The rest of the record is skipped, however deep it is nested.
    for<'de> struct Line<'de> {
        "type" => kind: Text<'de>,
        "content" => content: Value,
        "message" => message: Message,
        "attachment" => attachment: Attachment,
    }
}

lenient! {
    /// The API message inside a record.
    for<'de> struct Message {
        "content" => content: Value,
    }
}

lenient! {
    /// An attachment that shows a queued prompt being delivered.
    for<'de> struct Attachment {
        "prompt" => prompt: Value,
    }
}
