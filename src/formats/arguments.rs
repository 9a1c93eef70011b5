//! A call's arguments: what they weigh, and which of them tell best what the call does.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::text::{preview, tokens};

use super::lenient::{Text, WeighedAny, Weight, shrug_at};

/// Arguments that name the file a call is about.
const PATH_KEYS: [&str; 3] = ["file_path", "notebook_path", "path"];
/// Arguments that say best what a call does, best first.
const TELLING_KEYS: [&str; 10] = [
    "file_path",
    "notebook_path",
    "path",
    "command",
    "cmd",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
];
/// How a patch names the files that it changes.
const PATCHED: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// A call's arguments: an object, or the text of one, or any other text.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The words it keeps are those of what tells best.
    pub(super) weight: Weight,
    /// The file that the call is about.
    pub(super) path: Option<Box<str>>,
}

impl Arguments {
    /// Arguments as one text: an object's, where it is one.
    fn of_text(text: &str) -> Self {
        let object = text.trim_start().starts_with('{').then(|| told(text)).flatten();
        let Self { path, weight: told } = object.unwrap_or_default();
        let path = path.or_else(|| patched(text).map(Into::into));
        let mut weight = Weight { preview: told.preview, ..Weight::default() };
        if weight.preview.is_empty() {
            weight.preview = path.as_deref().map(preview::of).unwrap_or_default();
        }
        weight.add(text);
        Self { weight, path }
    }
}

/// What the text of an object tells. It is weighed as a text, so that its values need not be.
fn told(text: &str) -> Option<Arguments> {
    let mut object = serde_json::Deserializer::from_str(text);
    let arguments = Object { weigh: false }.deserialize(&mut object).ok()?;
    object.end().ok().map(|()| arguments)
}

/// The first file that a patch changes.
fn patched(text: &str) -> Option<&str> {
    text.starts_with("*** Begin Patch").then_some(())?;
    let mut lines = text.lines().take(64);
    lines.find_map(|line| PATCHED.iter().find_map(|mark| line.strip_prefix(mark))).map(str::trim)
}

/// A command: one text, or its words.
#[derive(Default)]
struct Command(Weight);

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Command;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Command, E> {
                let mut weight = Weight::default();
                weight.add(text);
                Ok(Command(weight))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Command, A::Error> {
                let mut sum = Weight::default();
                let mut words: Vec<String> = Vec::new();
                while let Some(WeighedAny(weight)) = seq.next_element()? {
                    words.push(weight.preview.clone());
                    sum.merge(weight);
                }
                // What a shell is told to run says more than the shell.
                let told = match &words[..] {
                    [shell, flag, told] if shell.ends_with("sh") && flag.starts_with('-') => told.clone(),
                    words => words.join(" "),
                };
                sum.preview = preview::of(&told);
                Ok(Command(sum))
            }
            shrug_at!(bool, numbers, null, object);
        }
        deserializer.deserialize_any(V)
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Object { weigh: true }.deserialize(deserializer)
    }
}

/// Reads arguments.
struct Object {
    /// Whether an object is weighed, or only asked what it tells.
    weigh: bool,
}

impl<'de> DeserializeSeed<'de> for Object {
    type Value = Arguments;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Arguments, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object {
    type Value = Arguments;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_str<E>(self, text: &str) -> Result<Arguments, E> {
        Ok(Arguments::of_text(text))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arguments, A::Error> {
        let mut arguments = Arguments::default();
        let mut best = None;
        while let Some(key) = map.next_key::<Text>()? {
            let rank = TELLING_KEYS.iter().position(|k| *k == key.as_str()).unwrap_or(TELLING_KEYS.len());
            let tells = best.is_none_or(|best| rank < best);
            arguments.weight.tokens += tokens::estimate(key.as_str());
            let mut weight = if PATH_KEYS.contains(&key.as_str()) {
                let value: Text = map.next_value()?;
                let mut weight = Weight::default();
                weight.add(value.as_str());
                arguments.path = value.boxed();
                weight
            } else if !tells && !self.weigh {
                map.next_value::<IgnoredAny>()?;
                continue;
            } else if key.as_str() == "command" {
                map.next_value::<Command>()?.0
            } else {
                map.next_value::<WeighedAny>()?.0
            };
            if tells {
                best = Some(rank);
                arguments.weight.preview = std::mem::take(&mut weight.preview);
            }
            let words = std::mem::take(&mut arguments.weight.preview);
            arguments.weight.merge(weight);
            arguments.weight.preview = words;
        }
        Ok(arguments)
    }
    shrug_at!(bool, numbers, null, array);
}
