//! Content blocks of every format: weighed and described while they are read, their texts left in the log.
//!
//! The formats' blocks differ in the names of their kinds and keys, not in what they are; so one reader knows all
//! the names.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::arguments::Arguments;
use super::facts::{Id, PartFacts, PartKind, Role, Said};
use super::lenient::{Flag, Length, Link, Text, Weight, lenient, shrug_at};
use crate::text::{numbers, tokens};

/// A message's content: one string, or blocks.
#[derive(Debug, Default)]
pub struct Content {
    /// The non-empty blocks.
    pub parts: Vec<PartFacts>,
    /// Kinds of blocks that this build does not know.
    pub unknown: Vec<Box<str>>,
    /// Whether a result is among the blocks, even one without text.
    pub has_results: bool,
    /// The calls whose results have no text: no parts, but answers.
    pub silent: Vec<Id>,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Content;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                let mut weight = Weight::default();
                weight.add(text);
                let mut content = Content::default();
                content.push(PartKind::Text, weight);
                Ok(content)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
                let mut content = Content::default();
                while let Some(block) = seq.next_element::<Element>()? {
                    content.add(block);
                }
                Ok(content)
            }
            shrug_at!(bool, numbers, null, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// A part of `kind` and this weight; none where it is empty.
pub(super) fn part(kind: PartKind, weight: Weight) -> Option<PartFacts> {
    if !weight.filled && !matches!(kind, PartKind::ToolCall | PartKind::Image) {
        return None;
    }
    Some(PartFacts {
        bytes: weight.bytes,
        tokens: weight.tokens.saturating_add(weight.images.saturating_mul(tokens::IMAGE)),
        voice: weight.voice,
        digest: weight.digest,
        preview: weight.preview,
        ..PartFacts::bare(kind)
    })
}

/// A call of `tool` with these arguments.
pub(super) fn call(tool: Option<Box<str>>, arguments: Arguments, id: Option<Id>) -> PartFacts {
    let mut weight = arguments.weight;
    weight.tokens = weight.tokens.saturating_add(tokens::estimate(tool.as_deref().unwrap_or_default()));
    weight.preview = arguments.telling.unwrap_or_default();
    let part = part(PartKind::ToolCall, weight).unwrap_or_else(|| PartFacts::bare(PartKind::ToolCall));
    PartFacts { tool, path: arguments.path, call: id, ..part }
}

/// A text of `bytes` bytes that cannot be read.
pub(super) fn encrypted(bytes: u32) -> PartFacts {
    PartFacts { bytes, preview: encrypted_note(bytes), ..PartFacts::bare(PartKind::Encrypted) }
}

/// What stands for a text that cannot be read.
pub(super) fn encrypted_note(bytes: u32) -> String {
    format!("[encrypted: {} that only the model's provider can read]", numbers::bytes(u64::from(bytes)))
}

/// Whether a tool result carries the user's own words: the reason given with a rejection, or answers to the
/// agent's questions.
pub(super) fn voice(text: &str) -> Option<&str> {
    const SAID: &str = "the user said:";
    if text.starts_with("User has answered your questions") {
        return Some(text);
    }
    if !text.starts_with("The user doesn't want to") {
        return None;
    }
    let at = text.find(SAID)? + SAID.len();
    let said = text[at..].trim();
    (!said.is_empty()).then_some(said)
}

impl Content {
    /// What its parts say in `role`.
    pub(super) fn said(&self, role: Role) -> Said {
        Said::of(role, &self.parts)
    }

    /// All of it as the result of one call.
    pub(super) fn into_result(self) -> Weight {
        let mut sum = Weight::default();
        for part in self.parts {
            sum.bytes = sum.bytes.saturating_add(part.bytes);
            sum.tokens = sum.tokens.saturating_add(part.tokens);
            sum.digest = sum.digest.rotate_left(1) ^ part.digest;
            sum.filled = true;
            if sum.preview.is_empty() {
                sum.preview = part.preview;
            }
        }
        sum
    }

    fn push(&mut self, kind: PartKind, weight: Weight) -> Option<&mut PartFacts> {
        self.parts.push(part(kind, weight)?);
        self.parts.last_mut()
    }

    fn add(&mut self, element: Element) {
        let block = match element {
            Element::Text(weight) => {
                self.push(PartKind::Text, weight);
                return;
            }
            Element::Block(block) => block,
        };
        match block.kind.as_str() {
            "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
                self.push(PartKind::Text, block.text.0);
            }
            "thinking" => {
                self.push(PartKind::Thinking, block.thinking.0);
            }
            "redacted_thinking" => {}
            "tool_use" | "server_tool_use" | "mcp_tool_use" | "toolCall" => {
                let Block { name, id: call_id, arguments, .. } = *block;
                self.parts.push(call(name.boxed(), arguments, id(call_id)));
            }
            "image" | "document" | "input_image" => {
                self.push(PartKind::Image, Weight { images: 1, ..Weight::default() });
            }
            "encrypted_content" => self.parts.push(encrypted(block.encrypted.0)),
            kind if kind == "tool_result" || kind.ends_with("_tool_result") => {
                let Block { call_of_result, content, is_error, .. } = *block;
                self.has_results = true;
                match self.push(PartKind::ToolResult, content.0) {
                    Some(part) => {
                        part.error = is_error.0;
                        part.call = id(call_of_result);
                    }
                    None => self.silent.extend(id(call_of_result)),
                }
            }
            kind => {
                self.unknown.push(kind.into());
                let mut weight = block.text.0;
                weight.merge(block.content.0);
                weight.filled = true;
                self.push(PartKind::Other, weight);
            }
        }
    }
}

/// The id of a link, where there is one.
pub(super) fn id(link: Link) -> Option<Id> {
    match link {
        Link::Id(id) => Some(id),
        _ => None,
    }
}

/// One element of a content array: a block, or (in old logs) a bare string.
enum Element<'de> {
    Text(Weight),
    Block(Box<Block<'de>>),
}

impl Default for Element<'_> {
    fn default() -> Self {
        Self::Text(Weight::default())
    }
}

impl<'de> Deserialize<'de> for Element<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Element<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                let mut weight = Weight::default();
                weight.add(text);
                Ok(Element::Text(weight))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let block = Block::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Element::Block(Box::new(block)))
            }
            shrug_at!(bool, numbers, null, array);
        }
        deserializer.deserialize_any(V)
    }
}

lenient! {
    /// A content block of any kind.
    for<'de> struct Block<'de> {
        "type" => kind: Text<'de>,
        "text" => text: ResultText,
        "thinking" => thinking: ResultText,
        "name" => name: Text<'de>,
        "id" => id: Link,
        "input" | "arguments" => arguments: Arguments,
        "tool_use_id" => call_of_result: Link,
        "content" => content: ResultText,
        "is_error" => is_error: Flag,
        "encrypted_content" => encrypted: Length,
    }
}

/// The text of a block: a string, or the text blocks of a result.
#[derive(Debug, Default)]
pub(super) struct ResultText(pub(super) Weight);

impl<'de> Deserialize<'de> for ResultText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = ResultText;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<ResultText, E> {
                let mut weight = Weight { voice: voice(text).is_some(), ..Weight::default() };
                weight.add(text);
                Ok(ResultText(weight))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ResultText, A::Error> {
                let mut sum = Weight::default();
                while let Some(inner) = seq.next_element::<Inner>()? {
                    if matches!(inner.kind.as_str(), "image" | "input_image") {
                        sum.images += 1;
                        sum.filled = true;
                    }
                    sum.merge(inner.text.0);
                }
                Ok(ResultText(sum))
            }
            shrug_at!(bool, numbers, null, object);
        }
        deserializer.deserialize_any(V)
    }
}

lenient! {
    /// A block inside a result.
    for<'de> struct Inner<'de> {
        "type" => kind: Text<'de>,
        "text" => text: ResultText,
    }
}
