//! Content blocks: weighed and described while they are read, their texts left in the log.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::formats::facts::{Id, PartFacts, PartKind};
use crate::formats::lenient::{Flag, Link, Text, WeighedAny, Weight, lenient, shrug_at};
use crate::text::tokens;

/// Arguments that name the file a call is about.
pub(super) const PATH_KEYS: [&str; 3] = ["file_path", "notebook_path", "path"];
/// Arguments that say best what a call does, best first.
const TELLING_KEYS: [&str; 9] =
    ["file_path", "notebook_path", "path", "command", "pattern", "query", "url", "description", "prompt"];

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

impl Content {
    fn push(&mut self, kind: PartKind, weight: Weight) -> Option<&mut PartFacts> {
        if !weight.filled && !matches!(kind, PartKind::ToolCall | PartKind::Image) {
            return None;
        }
        self.parts.push(PartFacts {
            kind,
            tool: None,
            path: None,
            bytes: weight.bytes,
            tokens: weight.tokens.saturating_add(weight.images.saturating_mul(tokens::IMAGE)),
            call: None,
            error: false,
            voice: weight.voice,
            preview: weight.preview,
        });
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
            "text" => {
                self.push(PartKind::Text, block.text.0);
            }
            "thinking" => {
                self.push(PartKind::Thinking, block.thinking.0);
            }
            "redacted_thinking" => {}
            "tool_use" | "server_tool_use" | "mcp_tool_use" => self.add_call(*block),
            "image" | "document" => {
                self.push(PartKind::Image, Weight { images: 1, ..Weight::default() });
            }
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

    fn add_call(&mut self, block: Block) {
        let Block { name, id: call, input, .. } = block;
        let mut weight = input.weight;
        weight.tokens = weight.tokens.saturating_add(tokens::estimate(name.as_str()));
        weight.preview = input.telling.unwrap_or_default();
        if let Some(part) = self.push(PartKind::ToolCall, weight) {
            part.tool = name.boxed();
            part.path = input.path;
            part.call = id(call);
        }
    }
}

fn id(link: Link) -> Option<Id> {
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
        "input" => input: Input,
        "tool_use_id" => call_of_result: Link,
        "content" => content: ResultText,
        "is_error" => is_error: Flag,
    }
}

/// The text of a block: a string, or the text blocks of a result.
#[derive(Debug, Default)]
pub(super) struct ResultText(Weight);

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
                let Inner { kind, text: Said(mut weight) } = inner;
                if kind.as_str() == "image" {
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
        "text" => text: Said,
    }
}

/// A string, weighed. Nothing but a string: what could nest in itself would run out of stack.
#[derive(Debug, Default)]
pub(super) struct Said(Weight);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Said;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Said, E> {
                Ok(Said(said(text)))
            }
            shrug_at!(bool, numbers, null, array, object);
        }
        deserializer.deserialize_any(V)
    }
}

fn said(text: &str) -> Weight {
    let mut weight = Weight { voice: super::voice(text).is_some(), ..Weight::default() };
    weight.add(text);
    weight
}

/// A call's arguments.
#[derive(Debug, Default)]
pub(super) struct Input {
    weight: Weight,
    path: Option<Box<str>>,
    telling: Option<String>,
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Input;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Input, A::Error> {
                let mut input = Input::default();
                let mut best = TELLING_KEYS.len();
                while let Some(key) = map.next_key::<Text>()? {
                    let rank = TELLING_KEYS.iter().position(|k| *k == key.as_str());
                    input.weight.tokens += tokens::estimate(key.as_str());
                    if PATH_KEYS.contains(&key.as_str()) {
                        let value: Text = map.next_value()?;
                        input.weight.add(value.as_str());
                        input.path = value.boxed();
                        if rank.is_some_and(|rank| rank < best) {
                            best = rank.unwrap_or(best);
                            input.telling = Some(crate::text::preview::of(value.as_str()));
                        }
                        continue;
                    }
                    let WeighedAny(weight) = map.next_value()?;
                    let rank = rank.unwrap_or(TELLING_KEYS.len());
                    if rank < best || input.telling.is_none() {
                        best = rank;
                        input.telling = Some(weight.preview.clone());
                    }
                    input.weight.merge(weight);
                }
                Ok(input)
            }
            shrug_at!(bool, numbers, null, string, array);
        }
        deserializer.deserialize_any(V)
    }
}
