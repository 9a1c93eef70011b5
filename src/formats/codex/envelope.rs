//! The keys of a Codex line that this build reads.
//!
//! A payload is read as one struct with the keys of all its kinds: its `type` may stand behind them.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::formats::arguments::Arguments;
use crate::formats::blocks::{Content, ResultText};
use crate::formats::facts::Usage;
use crate::formats::lenient::{
    Count, Flag, Length, Link, List, ReadFrom, Resumed, Text, WeighedAny, Weight, lenient, shrug_at,
};

/// One line: an envelope, or (before September 2025) a bare header or item.
#[derive(Debug, Default)]
pub struct Line<'de> {
    pub kind: Text<'de>,
    pub timestamp: Text<'de>,
    pub payload: Enveloped<'de>,
    pub record_type: Text<'de>,
    pub id: Text<'de>,
    pub unknown: Vec<Box<str>>,
}

/// What an envelope holds.
#[derive(Debug, Default)]
pub enum Enveloped<'de> {
    /// There is none.
    #[default]
    None,
    /// Something of this kind that says nothing of the conversation: it was not read.
    Skipped(Text<'de>),
    /// A measurement.
    Measured(Measured<'de>),
    /// Anything else.
    Whole(Box<Payload<'de>>),
}

impl<'de> Deserialize<'de> for Line<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Line<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line<'de>, A::Error> {
                let mut line = Line::default();
                while let Some(key) = map.next_key::<Text>()? {
                    match key.as_str() {
                        "timestamp" => line.timestamp = map.next_value()?,
                        "type" => line.kind = map.next_value()?,
                        // What kind of line it is decides what has to be read, where that stands before.
                        "payload" => line.payload = map.next_value_seed(OfLine(line.kind.as_str()))?,
                        "record_type" => line.record_type = map.next_value()?,
                        "id" => line.id = map.next_value()?,
                        other => {
                            if !is_known_field(other) {
                                line.unknown.push(other.into());
                            }
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(line)
            }
            shrug_at!(bool, numbers, null, string, array);
        }
        deserializer.deserialize_any(V)
    }
}

/// The payload of a line of this kind.
struct OfLine<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for OfLine<'_> {
    type Value = Enveloped<'de>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OfLine<'_> {
    type Value = Enveloped<'de>;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let measured = |map| Measured::deserialize(MapAccessDeserializer::new(map)).map(Enveloped::Measured);
        if self.0 == "turn_context" {
            return measured(Resumed::new(None, map));
        }
        let key = if self.0 == "event_msg" { map.next_key::<Text>()?.and_then(|key| key.0) } else { None };
        let Some(key) = key else { return whole(Resumed::new(None, map)) };
        if key != "type" {
            return whole(Resumed::new(Some((key, None)), map));
        }
        let kind: Text = map.next_value()?;
        match kind.as_str() {
            "token_count" | "task_started" => measured(Resumed::new(Some((key, kind.0)), map)),
            name if super::says_nothing(name) => {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Enveloped::Skipped(kind))
            }
            _ => whole(Resumed::new(Some((key, Some(kind.0.unwrap_or_default()))), map)),
        }
    }
    shrug_at!(bool, numbers, null, string, array);
}

fn whole<'de, A: MapAccess<'de>>(map: Resumed<'de, A>) -> Result<Enveloped<'de>, A::Error> {
    let mut payload = Box::<Payload>::default();
    payload.read_from(map)?;
    Ok(Enveloped::Whole(payload))
}

lenient! {
    /// Token counts, sizes and names beside the conversation.
    for<'de> struct Measured<'de> {
        "type" => kind: Text<'de>,
        "model" => model: Text<'de>,
        "info" => info: TokenInfo,
        "model_context_window" => window: Count,
    }
}

lenient! {
    /// What a line is about.
    for<'de> struct Payload<'de> {
        "type" => kind: Text<'de>,
        "id" => id: Text<'de>,
        "session_id" => session_id: Text<'de>,
        "cli_version" => version: Text<'de>,
        "forked_from_id" => forked_from: Text<'de>,
        "parent_thread_id" => parent: Text<'de>,
        "history_base" => base: HistoryBase<'de>,
        "role" => role: Text<'de>,
        "content" => content: Content,
        "message" => message: ResultText,
        "images" => images: List<WeighedAny>,
        "kind" => event_kind: Text<'de>,
        "summary" => summary: Content,
        "encrypted_content" => encrypted: Length,
        "name" => name: Text<'de>,
        "call_id" => call: Link,
        "arguments" | "input" | "action" => arguments: Arguments,
        "output" | "tools" => output: Output,
        "model" => model: Text<'de>,
        "info" => info: TokenInfo,
        "model_context_window" => window: Count,
        "num_turns" => rolled_back: Count,
        "replacement_history" => history: List<HistoryItem<'de>>,
        "thread_name" => title: Text<'de>,
        "new_thread_id" | "agent_thread_id" => agent: Text<'de>,
    }
}

lenient! {
    /// Where the beginning of a thread is kept, if not in its own file.
    for<'de> struct HistoryBase<'de> {
        "thread_id" => thread: Text<'de>,
    }
}

lenient! {
    /// An item of the history that a compaction put in place of the old one.
    for<'de> struct HistoryItem<'de> {
        "type" => kind: Text<'de>,
        "role" => role: Text<'de>,
        "content" => content: Content,
        "encrypted_content" => encrypted: Length,
    }
}

lenient! {
    /// Token counts: of the session so far, and of the newest answer.
    for<'de> struct TokenInfo {
        "total_token_usage" => total: TokenUsage,
        "last_token_usage" => last: TokenUsage,
        "model_context_window" => window: Count,
    }
}

lenient! {
    /// Tokens charged. What was read from the cache, or written to it, is part of the input.
    for<'de> struct TokenUsage {
        "input_tokens" => input: Count,
        "cached_input_tokens" => cached: Count,
        "cache_write_input_tokens" => written: Count,
        "output_tokens" => output: Count,
    }
}

impl TokenUsage {
    /// The same in the words of all formats; none where nothing was counted.
    pub fn usage(&self) -> Option<Usage> {
        let input = self.input.0.filter(|input| *input > 0)?;
        let (cache_read, cache_write) = (self.cached.0.unwrap_or(0), self.written.0.unwrap_or(0));
        Some(Usage {
            input: input.saturating_sub(cache_read).saturating_sub(cache_write),
            output: self.output.0.unwrap_or(0),
            cache_read,
            cache_write,
        })
    }
}

/// A call's result: a text, a text that is an object with the output in it, blocks, or an object.
#[derive(Debug, Default)]
pub struct Output {
    /// What it weighs.
    pub weight: Weight,
    /// It says that it failed.
    pub failed: bool,
}

lenient! {
    /// An output with what is known of how it came about.
    for<'de> struct Reported {
        "output" => output: ResultText,
        "metadata" => metadata: ReportedExit,
    }
}

lenient! {
    /// How a command ended.
    for<'de> struct ReportedExit {
        "exit_code" => exit: Count,
    }
}

/// How an output begins that older versions wrapped into an object.
pub const WRAPPED: &str = "{\"output\":";

impl<'de> Deserialize<'de> for Output {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Output;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Output, E> {
                let reported = text.starts_with(WRAPPED).then(|| serde_json::from_str::<Reported>(text).ok());
                if let Some(Reported { output, metadata }) = reported.flatten() {
                    return Ok(Output {
                        weight: output.0,
                        failed: metadata.exit.0.is_some_and(|code| code > 0),
                    });
                }
                let mut weight = Weight::default();
                weight.add(text);
                Ok(Output { weight, failed: false })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Output, A::Error> {
                let content = Content::deserialize(serde::de::value::SeqAccessDeserializer::new(seq))?;
                Ok(Output { weight: content.into_result(), failed: false })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Output, A::Error> {
                let mut output = Output::default();
                while let Some(key) = map.next_key::<Text>()? {
                    match key.as_str() {
                        "success" => output.failed |= !map.next_value::<Flag>()?.0,
                        "exit_code" => {
                            let code: Count = map.next_value()?;
                            output.failed |= code.0.is_some_and(|code| code > 0);
                            output.weight.add(&code.0.unwrap_or_default().to_string());
                        }
                        _ => output.weight.merge(map.next_value::<WeighedAny>()?.0),
                    }
                }
                Ok(output)
            }
            shrug_at!(bool, numbers, null);
        }
        deserializer.deserialize_any(V)
    }
}

/// Keys of a line that are known and left alone.
fn is_known_field(key: &str) -> bool {
    matches!(
        key,
        "ordinal"
            | "metadata"
            | "instructions"
            | "git"
            | "role"
            | "content"
            | "summary"
            | "encrypted_content"
            | "name"
            | "call_id"
            | "arguments"
            | "input"
            | "action"
            | "output"
            | "status"
            | "ghost_commit"
    )
}
