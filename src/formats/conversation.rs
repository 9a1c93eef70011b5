//! Conversations: one JSON document with `messages`, strings or objects with who spoke and what was said.
//!
//! Owns what makes a document a conversation, and what each message says. The only format here that is no log of lines:
//! a record is a message, wherever it stands in the document, and is read back by its own bytes. `timestamps`, where the
//! document has as many as messages, are theirs; whatever else it holds is left alone.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::blocks::Content;
use super::facts::{Body, Id, PartText, Record, Role, TurnFacts};
use super::lenient::{Text, Whole, lenient};
use super::line::milliseconds;
use super::whole;

lenient! {
    /// A message that is an object.
    for<'de> struct Message<'de> {
        "role" => role: Text<'de>,
        "author" => author: Text<'de>,
        "content" => content: Content,
        "body" => body: Content,
        "created_at" | "timestamp" => time: Text<'de>,
    }
}

/// The document, its messages not yet read.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    timestamps: Option<&'a RawValue>,
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
}

/// What an object has to have to be a message.
#[derive(Deserialize)]
struct Shape<'a> {
    #[serde(borrow, default)]
    role: Option<&'a RawValue>,
    #[serde(borrow, default)]
    author: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    body: Option<&'a RawValue>,
}

/// A record of a document.
#[derive(Debug)]
pub struct Placed {
    /// Where its bytes begin.
    pub offset: usize,
    /// How many they are.
    pub length: usize,
    /// The line on which they begin, from 1.
    pub line: u32,
    /// What it says.
    pub record: Record,
}

/// The records of a document, in order; nothing where it is no conversation.
pub fn read(bytes: &[u8]) -> Option<Vec<Placed>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let document: Document = serde_json::from_str(text).ok()?;
    if document.messages.is_empty() || !document.messages.iter().all(|raw| is_message(raw)) {
        return None;
    }
    let times: Vec<Option<i64>> = document
        .timestamps
        .and_then(|raw| serde_json::from_str::<Vec<Text>>(raw.get()).ok())
        .filter(|times| times.len() == document.messages.len())
        .map(|times| times.iter().map(|time| milliseconds(time.as_str())).collect())
        .unwrap_or_default();
    let numbered = document.messages.iter().enumerate();
    let mut records: Vec<(&RawValue, Record)> = numbered
        .map(|(number, raw)| {
            let mut record = message(raw.get(), number);
            record.time = record.time.or(times.get(number).copied().flatten());
            (*raw, record)
        })
        .collect();
    let title = document.title.and_then(|raw| Some((raw, serde_json::from_str::<String>(raw.get()).ok()?)));
    records.extend(title.map(|(raw, title)| (raw, Record::bare("title", Body::Title(title.into())))));
    let offset = |raw: &RawValue| raw.get().as_ptr() as usize - text.as_ptr() as usize;
    records.sort_by_key(|(raw, _)| offset(raw));
    let (mut line, mut counted) = (1, 0);
    let place = |(raw, record): (&RawValue, Record)| {
        let offset = offset(raw);
        line += memchr::memchr_iter(b'\n', &bytes[counted..offset]).count() as u32;
        counted = offset;
        Placed { offset, length: raw.get().len(), line, record }
    };
    Some(records.into_iter().map(place).collect())
}

fn is_message(raw: &RawValue) -> bool {
    if raw.get().starts_with('"') {
        return true;
    }
    serde_json::from_str::<Shape>(raw.get()).is_ok_and(|shape| {
        (shape.role.is_some() || shape.author.is_some()) && (shape.content.is_some() || shape.body.is_some())
    })
}

fn message(raw: &str, number: usize) -> Record {
    let (role, label, time, content) = if raw.starts_with('"') {
        (Role::User, Cow::Borrowed("message"), None, serde_json::from_str::<Content>(raw).unwrap_or_default())
    } else {
        let message: Message = serde_json::from_str(raw).unwrap_or_default();
        let (role, label) = speaker(&message);
        let content = if message.content.parts.is_empty() { message.body } else { message.content };
        (role, label, message.time.0.as_deref().and_then(milliseconds), content)
    };
    let mut record = Record::bare("message", Body::Note);
    record.label = label;
    record.time = time;
    record.unknown = content.unknown.iter().map(|block| format!("block:{block}").into()).collect();
    if !content.parts.is_empty() {
        // Every message is a turn of its own.
        let message = (role == Role::Assistant).then(|| Id::of(&format!("message {number}")));
        record.body = Body::Turn(Box::new(TurnFacts { message, ..TurnFacts::new(role, content.parts) }));
    }
    record
}

/// Who speaks, and what the record is called: by its author's name, where there is one.
fn speaker(message: &Message) -> (Role, Cow<'static, str>) {
    let role = match message.role.as_str() {
        "assistant" | "model" | "ai" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::User,
    };
    let name = message.author.boxed().or_else(|| message.role.boxed()).filter(|name| !name.is_empty());
    (role, name.map_or(Cow::Borrowed("message"), |name| Cow::Owned(name.into())))
}

/// See [`crate::formats::Format::texts`]: `message` are the bytes of one.
pub fn texts(message: &[u8]) -> Vec<PartText> {
    whole::read(message, |text| {
        let Whole(value) = serde_json::from_str(text)?;
        let content =
            if value.is_string() { whole::blocks(&value) } else { whole::blocks(&value["content"]) };
        Ok(if content.is_empty() { whole::blocks(&value["body"]) } else { content })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(document: &str) -> Option<Vec<(Role, u32, String)>> {
        let records = read(document.as_bytes())?;
        let turns = records.into_iter().filter_map(|placed| match placed.record.body {
            Body::Turn(facts) => {
                let bytes = &document.as_bytes()[placed.offset..placed.offset + placed.length];
                let texts = texts(bytes);
                assert_eq!(texts.len(), facts.parts.len());
                Some((facts.role, placed.line, texts[0].text.clone()))
            }
            _ => None,
        });
        Some(turns.collect())
    }

    #[test]
    fn strings_and_objects_are_messages() {
        let document = "{\"title\":\"T\",\n \"messages\":[\"one\",\n{\"role\":\"assistant\",\"content\":\"two\"},\
                        {\"author\":\"ann\",\"body\":\"thr\\u0065e\"}, \"\"],\"timestamps\":[]}";
        let found = spoken(document).unwrap();
        let expected = [(Role::User, 2, "one"), (Role::Assistant, 3, "two"), (Role::User, 3, "three")];
        assert_eq!(found, expected.map(|(role, line, text)| (role, line, text.to_owned())));
    }

    #[test]
    fn other_documents_are_no_conversations() {
        for document in [
            r#"{"messages":[]}"#,
            r#"{"messages":[1]}"#,
            r#"{"messages":[{"role":"user"}]}"#,
            r#"{"messages":["a"]"#,
            r#"["a"]"#,
            r#"{"nodes":{},"children":{},"centroids":{}}"#,
        ] {
            assert!(read(document.as_bytes()).is_none(), "{document}");
        }
    }
}
