//! The values that events carry, with numbers as they were written.
//!
//! Owns what JSON values are to this strategy: whole numbers of any length stay exact and `1`, `1.0` and `true` stay
//! three things, because events are told apart and printed by them. Reads only text that `serde_json` has already
//! found to be JSON, and keeps a stack of its own, so depth costs no call stack; [`DEPTH`] is the limit.

use std::fmt::Write;

/// How deep values may be nested.
pub(crate) const DEPTH: usize = 500;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, in digits.
    Whole(Box<str>),
    /// Any other number.
    Real(f64),
    /// A string.
    Text(Box<str>),
    /// An array.
    List(Vec<Self>),
    /// An object: each key once, at its first place and with its last value.
    Map(Vec<(Box<str>, Self)>),
}

/// A value that is nested too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooDeep;

/// An array or object whose end has not come.
enum Open {
    List(Vec<Value>),
    Map(Vec<(Box<str>, Value)>, Option<Box<str>>),
}

impl Value {
    /// Reads `json`, which is known to be JSON.
    pub(crate) fn read(json: &str) -> Result<Self, TooDeep> {
        let mut rest = json;
        let mut open: Vec<Open> = Vec::new();
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ':']);
            let Some(first) = rest.chars().next() else { return Ok(Self::Null) };
            let done = match first {
                '[' | '{' if open.len() == DEPTH => return Err(TooDeep),
                '[' => {
                    open.push(Open::List(Vec::new()));
                    rest = &rest[1..];
                    continue;
                }
                '{' => {
                    open.push(Open::Map(Vec::new(), None));
                    rest = &rest[1..];
                    continue;
                }
                ']' | '}' => {
                    rest = &rest[1..];
                    match open.pop() {
                        Some(Open::List(items)) => Self::List(items),
                        Some(Open::Map(fields, _)) => Self::Map(unique(fields)),
                        None => return Ok(Self::Null),
                    }
                }
                '"' => {
                    let (text, length) = string(rest);
                    rest = &rest[length..];
                    if let Some(Open::Map(_, key @ None)) = open.last_mut() {
                        *key = Some(text);
                        continue;
                    }
                    Self::Text(text)
                }
                _ => {
                    let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
                    let (word, behind) = rest.split_at(end);
                    rest = behind;
                    scalar(word)
                }
            };
            match open.last_mut() {
                None => return Ok(done),
                Some(Open::List(items)) => items.push(done),
                Some(Open::Map(fields, key)) => fields.push((key.take().unwrap_or_default(), done)),
            }
        }
    }

    /// Its text, if it is a string.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its strings, if it is an array of strings.
    pub(crate) fn as_texts(&self) -> Option<impl Iterator<Item = &str>> {
        match self {
            Self::List(items) if items.iter().all(|item| item.as_text().is_some()) => {
                Some(items.iter().filter_map(Self::as_text))
            }
            _ => None,
        }
    }

    /// Writes it so that equal values give equal texts and others do not, whatever the order of their keys.
    pub(crate) fn write_canonical(&self, out: &mut String) {
        let mut stack = vec![Step::Value(self)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Text(text) => out.push_str(text),
                Step::Key(key) => quote(key, out),
                Step::Value(value) => match value {
                    Self::Null => out.push_str("null"),
                    Self::Bool(true) => out.push_str("true"),
                    Self::Bool(false) => out.push_str("false"),
                    Self::Whole(digits) => out.push_str(digits),
                    // Rust writes 1.0 with its fraction, so it is not taken for 1.
                    Self::Real(number) => write!(out, "{number:?}").unwrap_or_default(),
                    Self::Text(text) => quote(text, out),
                    Self::List(items) => {
                        stack.push(Step::Text("]"));
                        for item in items.iter().rev() {
                            stack.push(Step::Text(","));
                            stack.push(Step::Value(item));
                        }
                        stack.push(Step::Text("["));
                    }
                    Self::Map(fields) => {
                        let mut sorted: Vec<_> = fields.iter().collect();
                        sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
                        stack.push(Step::Text("}"));
                        for (key, field) in sorted.into_iter().rev() {
                            stack.push(Step::Text(","));
                            stack.push(Step::Value(field));
                            stack.push(Step::Text(":"));
                            stack.push(Step::Key(key));
                        }
                        stack.push(Step::Text("{"));
                    }
                },
            }
        }
    }

    /// See [`Self::write_canonical`].
    pub(crate) fn canonical(&self) -> String {
        let mut out = String::new();
        self.write_canonical(&mut out);
        out
    }
}

/// What is left to write, last first.
enum Step<'a> {
    Text(&'static str),
    Key(&'a str),
    Value(&'a Value),
}

/// Keeps each key once: the first place, the last value.
fn unique(fields: Vec<(Box<str>, Value)>) -> Vec<(Box<str>, Value)> {
    let mut places = std::collections::HashMap::with_capacity(fields.len());
    let mut out: Vec<(Box<str>, Value)> = Vec::with_capacity(fields.len());
    for (key, value) in fields {
        if let Some(place) = places.get(&key) {
            let place: usize = *place;
            out[place].1 = value;
        } else {
            places.insert(key.clone(), out.len());
            out.push((key, value));
        }
    }
    out
}

/// A number or a word.
fn scalar(word: &str) -> Value {
    match word {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "-0" => Value::Whole("0".into()),
        _ if word.contains(['.', 'e', 'E']) => Value::Real(word.parse().unwrap_or(f64::NAN)),
        _ => Value::Whole(word.into()),
    }
}

/// The string at the start of `json`, and how many bytes it takes there. Half a surrogate pair, which no Rust string
/// can hold, becomes the replacement character.
fn string(json: &str) -> (Box<str>, usize) {
    let bytes = json.as_bytes();
    let mut end = 1;
    while end < bytes.len() && bytes[end] != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    let inner = json.get(1..end).unwrap_or_default();
    let length = (end + 1).min(json.len());
    if !inner.contains('\\') {
        return (inner.into(), length);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escape) = rest.chars().next() else { break };
        rest = &rest[escape.len_utf8()..];
        match escape {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => rest = unicode(rest, &mut out),
            other => out.push(other),
        }
    }
    out.push_str(rest);
    (out.into(), length)
}

/// Takes four hexadecimal digits, and the second half of a pair behind them; gives back what follows.
fn unicode<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let unit = |text: &str| text.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let (Some(first), Some(behind)) = (unit(rest), rest.get(4..)) else { return rest };
    let second = behind.strip_prefix("\\u").and_then(unit);
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (pair, char::from_u32(u32::from(first))) {
        (_, Some(character)) => out.push(character),
        (Some(character), None) => {
            out.push(character);
            return &behind[6..];
        }
        (None, None) => out.push(char::REPLACEMENT_CHARACTER),
    }
    behind
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('"');
}
