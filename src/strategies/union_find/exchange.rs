//! Writing a forest for others: version 3 of the published format.
//!
//! It holds dense vectors, so it grows with the messages times the terms, and is refused above a bound. Not part of it:
//! the hot window, settings, the vocabulary. [`super::saved`] is what this program goes on from.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::ColdForest;
use super::forest::Stamp;

/// Numbers in a file at the most: about half a gigabyte.
const MOST: u64 = 50_000_000;

/// What a file says of a message beside its vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// What it says.
    pub text: String,
    /// When it was said.
    pub time: Option<String>,
}

/// A file that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "version 3 holds every vector with all {terms} terms: {messages} messages would be {} numbers. \
     --save writes the same forest sparse",
    u64::from(*messages) * u64::from(*terms)
)]
pub struct TooLarge {
    messages: u32,
    terms: u32,
}

/// Whether a forest fits the format.
pub fn fits(forest: &ColdForest) -> Result<(), TooLarge> {
    let (messages, terms) = (forest.forest().len() as u32, forest.vocabulary().len() as u32);
    if u64::from(messages) * u64::from(terms) > MOST { Err(TooLarge { messages, terms }) } else { Ok(()) }
}

/// Writes the newest state; ids are the numbers of messages. `contents` are the nodes', in order, and `summaries` those
/// of roots.
pub fn write(
    forest: &ColdForest,
    contents: &[Content],
    summaries: &[(u32, String)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let inner = forest.forest();
    let terms = forest.vocabulary().len();
    let dense = |entries: &mut dyn Iterator<Item = (u32, f64)>| {
        let mut all = vec![0.0; terms];
        entries.for_each(|(term, weight)| all[term as usize] = weight);
        all
    };
    out.write_all(b"{\"nodes\": {")?;
    for (node, content) in (0..inner.len() as u32).zip(contents) {
        let value = json!({
            "content": content.text,
            "embedding": dense(&mut forest.vector(node).iter()),
            "timestamp": content.time,
            "parent": inner.parent(node).map(|parent| forest.message(parent)),
            "rank": inner.rank(node),
        });
        let comma = if node > 0 { ", " } else { "" };
        write!(out, "{comma}\"{}\": {value}", forest.message(node))?;
    }
    let key = |node: u32| forest.message(node).to_string();
    let of: Map<String, Value> = summaries.iter().map(|(root, text)| (key(*root), json!(text))).collect();
    let roots = inner.roots(Stamp::MAX);
    let members = |root: &u32| {
        let members = inner.members(*root, Stamp::MAX);
        (key(*root), json!(members.into_iter().map(|node| forest.message(node)).collect::<Vec<_>>()))
    };
    let children: Map<String, Value> = roots.iter().map(members).collect();
    write!(
        out,
        "}}, \"summaries\": {}, \"children\": {}, \"centroids\": {{",
        Value::Object(of),
        Value::Object(children)
    )?;
    for (place, root) in roots.iter().enumerate() {
        let members = inner.members(*root, Stamp::MAX);
        let size = members.len() as f64;
        let sum = forest.sum(&members);
        let centroid = dense(&mut sum.iter().map(|(term, weight)| (term, weight / size)));
        let comma = if place > 0 { ", " } else { "" };
        write!(out, "{comma}\"{}\": {}", key(*root), json!(centroid))?;
    }
    out.write_all(b"}}\n")
}
