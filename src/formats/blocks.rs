//! Content blocks of every format: weighed and described while they are read, their texts left in the log.
//!
//! The formats' blocks differ in the names of their kinds and keys, not in what they are; so one reader knows all
//! the names.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::arguments::Arguments;
use super::facts::{Id, PartFacts, PartKind, Role, Said};
use super::lenient::{Flag, Length, Link, ReadFrom, Text, Weight, lenient, shrug_at};
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
                while seq.next_element_seed(ElementOf(&mut content))?.is_some() {}
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
        let part = part(kind, weight)?;
        if self.parts.is_empty() {
            // Most messages have one part, and lists are given room for four.
            self.parts.reserve_exact(1);
        }
        self.parts.push(part);
        self.parts.last_mut()
    }

    fn add(&mut self, block: Block) {
        match block.kind.as_str() {
            "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
                self.push(PartKind::Text, block.text.0);
            }
            "thinking" => {
                self.push(PartKind::Thinking, block.thinking.0);
            }
            "redacted_thinking" => {}
            "tool_use" | "server_tool_use" | "mcp_tool_use" | "toolCall" => {
                let Block { name, id: call_id, arguments, .. } = block;
                self.parts.push(call(name.boxed(), arguments, id(call_id)));
            }
            "image" | "document" | "input_image" => {
                self.push(PartKind::Image, Weight { images: 1, ..Weight::default() });
            }
            "encrypted_content" => self.parts.push(encrypted(block.encrypted.0)),
            kind if kind == "tool_result" || kind.ends_with("_tool_result") => {
                let Block { call_of_result, content, is_error, .. } = block;
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

/// Takes one element of a content array in: a block, or (in old logs) a bare string.
struct ElementOf<'c>(&'c mut Content);

impl<'de> DeserializeSeed<'de> for ElementOf<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ElementOf<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        let mut weight = Weight::default();
        weight.add(text);
        self.0.push(PartKind::Text, weight);
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let mut block = Block::default();
        block.read_from(map)?;
        self.0.add(block);
        Ok(())
    }
    shrug_at!(bool, numbers, null, array);
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
                Ok(ResultText(said(text)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ResultText, A::Error> {
                let mut sum = Weight::default();
                while let Some(Piece(weight)) = seq.next_element()? {
                    sum.merge(weight);
                }
                Ok(ResultText(sum))
            }
            shrug_at!(bool, numbers, null, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// One piece of a result: a bare string, or a block with a text or an image.
#[derive(Default)]
struct Piece(Weight);

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Piece;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Piece, E> {
                Ok(Piece(said(text)))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Piece, A::Error> {
                let inner = Inner::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                let Inner { kind, text: Plain(mut weight) } = inner;
                if matches!(kind.as_str(), "image" | "input_image") {
                    weight = Weight { images: 1, filled: true, ..Weight::default() };
                }
                Ok(Piece(weight))
            }
            shrug_at!(bool, numbers, null, array);
        }
        deserializer.deserialize_any(V)
    }
}

lenient! {
    /// A block inside a result.
    for<'de> struct Inner<'de> {
        "type" => kind: Text<'de>,
        "text" => text: Plain,
    }
}

/// A string, weighed. Nothing but a string: what could nest in itself would run out of stack.
#[derive(Debug, Default)]
pub(super) struct Plain(Weight);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Plain;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Plain, E> {
                Ok(Plain(said(text)))
            }
            shrug_at!(bool, numbers, null, array, object);
        }
        deserializer.deserialize_any(V)
    }
}

fn said(text: &str) -> Weight {
    let mut weight = Weight { voice: voice(text).is_some(), ..Weight::default() };
    weight.add(text);
    weight
}
