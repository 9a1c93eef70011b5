//! Forest files of the published implementation, versions 3 and 4, read as they are.
//!
//! Owns their syntax: one JSON object of nodes, summaries, children and centroids, with the bare tokens `NaN`,
//! `Infinity` and `-Infinity` that its writer leaves where a number is none. Whether what is read makes sense is
//! [`super::check`]'s part. Version 4 adds `meta`, which says when clusters were last used; it is counted, not read.

use serde_json::{Map, Value};

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct FileNode {
    /// Its id.
    pub id: i64,
    /// The message.
    pub content: String,
    /// Its vector.
    pub embedding: Vec<f64>,
    /// When it was said, as written.
    pub timestamp: Option<String>,
    /// The node it hangs on.
    pub parent: Option<i64>,
    /// Its rank.
    pub rank: i64,
}

/// A forest file, in the order of its entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForestFile {
    /// 3, or 4 where it has `meta`.
    pub version: u32,
    /// Its nodes.
    pub nodes: Vec<FileNode>,
    /// Summaries by root; version 3 keeps some of roots that are none any more.
    pub summaries: Vec<(i64, String)>,
    /// Members by root.
    pub children: Vec<(i64, Vec<i64>)>,
    /// Centroids by root.
    pub centroids: Vec<(i64, Vec<f64>)>,
}

/// Why a file is no forest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAForest {
    /// It is something else.
    #[error("no forest: a forest file is one JSON object with \"nodes\", \"children\" and \"centroids\"")]
    Other,
    /// It is one, but cannot be read.
    #[error("a forest file that cannot be read: {0}")]
    Broken(String),
}

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<ForestFile, NotAForest> {
    let text = std::str::from_utf8(bytes).map_err(|_| NotAForest::Other)?;
    if !text.trim_start().starts_with('{') {
        return Err(NotAForest::Other);
    }
    let value: Value = serde_json::from_str(&quote_numbers(text)).map_err(|error| {
        // What does not parse at all may be anything; with these words in it, it was to be a forest.
        let looks = ["\"nodes\"", "\"children\"", "\"centroids\""].iter().all(|key| text.contains(key));
        if looks { NotAForest::Broken(error.to_string()) } else { NotAForest::Other }
    })?;
    let part = |key: &str| value.get(key).and_then(Value::as_object).ok_or(NotAForest::Other);
    let (nodes, children, centroids) = (part("nodes")?, part("children")?, part("centroids")?);
    let empty = Map::new();
    let summaries = value.get("summaries").and_then(Value::as_object).unwrap_or(&empty);
    Ok(ForestFile {
        version: if value.get("meta").is_some() { 4 } else { 3 },
        nodes: entries(nodes, "nodes", node)?,
        summaries: entries(summaries, "summaries", |id, value| Some((id, value.as_str()?.to_owned())))?,
        children: entries(children, "children", |id, value| Some((id, ids(value)?)))?,
        centroids: entries(centroids, "centroids", |id, value| Some((id, numbers(value)?)))?,
    })
}

fn entries<T>(
    map: &Map<String, Value>,
    name: &str,
    read: impl Fn(i64, &Value) -> Option<T>,
) -> Result<Vec<T>, NotAForest> {
    let entry = |(key, value): (&String, &Value)| {
        let found = key.parse().ok().and_then(|id| read(id, value));
        found.ok_or_else(|| {
            let key = crate::text::preview::quoted(key);
            NotAForest::Broken(format!("\"{name}\": the entry \"{key}\" is not of its kind"))
        })
    };
    map.iter().map(entry).collect()
}

fn node(id: i64, value: &Value) -> Option<FileNode> {
    let optional = |key: &str| value.get(key).filter(|value| !value.is_null());
    Some(FileNode {
        id,
        content: value.get("content")?.as_str()?.to_owned(),
        embedding: numbers(value.get("embedding")?)?,
        timestamp: optional("timestamp").map(|time| time.as_str().map(str::to_owned)).unwrap_or_default(),
        parent: optional("parent").map_or(Some(None), |parent| parent.as_i64().map(Some))?,
        rank: optional("rank").map_or(Some(0), Value::as_i64)?,
    })
}

fn ids(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

fn numbers(value: &Value) -> Option<Vec<f64>> {
    let number = |value: &Value| match value {
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        other => other.as_f64(),
    };
    value.as_array()?.iter().map(number).collect()
}

/// The text with quotes around the bare tokens that are no JSON. Strings stay as they are.
fn quote_numbers(text: &str) -> String {
    const TOKENS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(token) = TOKENS.iter().find(|token| rest.starts_with(**token)) {
            out.push('"');
            out.push_str(token);
            out.push('"');
            rest = &rest[token.len()..];
            continue;
        }
        let length = if rest.starts_with('"') { string_length(rest) } else { 1 };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The length of the string that begins `text`, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_tokens_are_numbers_and_words_in_strings_are_not() {
        assert_eq!(
            quote_numbers(r#"{"a NaN \" NaN":[NaN,-Infinity,-1,Infinity]}"#),
            r#"{"a NaN \" NaN":["NaN","-Infinity",-1,"Infinity"]}"#
        );
        assert_eq!(quote_numbers("\"open NaN"), "\"open NaN");
    }

    #[test]
    fn what_is_no_forest_says_so() {
        assert_eq!(read(b"[1]"), Err(NotAForest::Other));
        assert_eq!(read(br#"{"messages":["a"]}"#), Err(NotAForest::Other));
        let broken = read(br#"{"nodes":{"x":{}},"children":{},"centroids":{}}"#);
        assert!(matches!(broken, Err(NotAForest::Broken(why)) if why.contains("\"x\"")));
    }
}
