//! The hand labels beside the project: which blocks a summary's sentence rests on, and where it came from.

#![allow(dead_code, reason = "each program uses a part of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pentimento::lineage::range::{Block, Plan, Texts};
use pentimento::session::open::OpenLog;
use pentimento::text::lexicon;
use pentimento::text::sentences::{Kind, Sentence};
use serde_json::Value;

/// One summary with its labels.
pub struct Summary {
    /// The log's path below the folder of data.
    pub log: String,
    /// Its generation.
    pub generation: u32,
    /// What was read of it.
    pub texts: Texts,
    /// Its labels.
    pub labels: Vec<Label>,
    /// Sources that are no blocks of the range, of all its labels.
    pub missing: Vec<String>,
}

/// The label of one sentence.
#[derive(Clone)]
pub struct Label {
    /// The sentence's place.
    pub sentence: usize,
    /// Whether it is a quote.
    pub is_quote: bool,
    /// Which file it comes from.
    pub set: Set,
    /// Whether the label names any source, in the range or not.
    pub is_sourced: bool,
    /// The blocks that support it.
    pub sources: Vec<usize>,
    /// Those that a second reader added.
    pub more: Vec<usize>,
    /// Blocks that support a part of it.
    pub partly: Vec<usize>,
}

/// The files of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// `alignment`.
    Original,
    /// `alignment-extra`.
    Extra,
}

/// The folder of data, where it is there.
pub fn folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if path.join("gold").exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.join("gold").display());
    None
}

/// The lines of a file of labels.
pub fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("gold").join(name)).expect("the labels can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("a label a line")).collect()
}

/// All labelled summaries, in order of their logs.
pub fn summaries(folder: &Path) -> Vec<Summary> {
    let mut rows: BTreeMap<(String, u32), Vec<(Set, Value)>> = BTreeMap::new();
    for (set, name) in [(Set::Original, "alignment.jsonl"), (Set::Extra, "alignment-extra.jsonl")] {
        for row in lines(folder, name) {
            rows.entry(key(&row)).or_default().push((set, row));
        }
    }
    let mut more: BTreeMap<(String, u32, String), Vec<Value>> = BTreeMap::new();
    for row in lines(folder, "alignment-more.jsonl") {
        let (log, generation) = key(&row);
        more.entry((log, generation, string(&row["text"]))).or_default().push(row["also"].clone());
    }
    rows.into_iter().map(|(key, rows)| summary(folder, key, &rows, &more)).collect()
}

fn summary(
    folder: &Path,
    (log, generation): (String, u32),
    rows: &[(Set, Value)],
    more: &BTreeMap<(String, u32, String), Vec<Value>>,
) -> Summary {
    let open = OpenLog::load(&folder.join(&log)).expect("a labelled log can be read");
    let texts = texts(&open, generation);
    let mut missing = Vec::new();
    let mut labels = Vec::new();
    for (set, row) in rows {
        let text = string(&row["text"]);
        let Some(sentence) = place(&texts.summary, &texts.sentences, &text) else {
            missing.push(format!("sentence: {text}"));
            continue;
        };
        let mut blocks = |list: &Value| -> Vec<usize> {
            let mut out = Vec::new();
            for source in list.as_array().into_iter().flatten() {
                let found = places(&open, &texts.blocks, source);
                if found.is_empty() {
                    missing.push(format!("{source} of {text}"));
                }
                out.extend(found);
            }
            out
        };
        let sources = blocks(&row["sources"]);
        let added = more.get(&(log.clone(), generation, text.clone())).cloned().unwrap_or_default();
        let more = blocks(&Value::Array(added));
        let partly = blocks(&row["partly"]);
        let is_quote = texts.sentences[sentence].kind == Kind::Quote;
        let is_sourced = row["sources"].as_array().is_some_and(|all| !all.is_empty());
        labels.push(Label { sentence, is_quote, is_sourced, set: *set, sources, more, partly });
    }
    Summary { log, generation, texts, labels, missing }
}

/// The texts of a generation.
pub fn texts(log: &OpenLog, generation: u32) -> Texts {
    let plan = Plan::new(&log.session, generation).expect("a labelled generation is there");
    plan.read(&log.source, lexicon::built_in()).expect("its texts can be read")
}

fn key(row: &Value) -> (String, u32) {
    (string(&row["log"]), row["generation"].as_u64().expect("a generation") as u32)
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The place of the sentence with this text.
pub fn place(summary: &str, sentences: &[Sentence], text: &str) -> Option<usize> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = plain(text);
    sentences.iter().position(|sentence| plain(sentence.text(summary)) == wanted)
}

/// The blocks that a label's line and part name.
fn places(log: &OpenLog, blocks: &[Block], source: &Value) -> Vec<usize> {
    let line = source["line"].as_u64().expect("a line") as u32;
    let voice = source["part"] == "u";
    let part = source["part"].as_u64();
    let all = blocks.iter().enumerate();
    let found: Vec<usize> = all
        .filter(|(_, block)| {
            let same_part =
                block.spot.sentence.is_some() || part.is_none_or(|part| u64::from(block.spot.part) == part);
            block.spot.line == line && block.spot.voice == voice && same_part
        })
        .map(|(place, _)| place)
        .collect();
    if !found.is_empty() {
        return found;
    }
    // A queued prompt is a turn where it was queued, and an echo where it was delivered.
    let Some(row) = log.session.row_of_line(line) else { return Vec::new() };
    let Some(of) = log.session.echo_of(row) else { return Vec::new() };
    let all = blocks.iter().enumerate();
    all.filter(|(_, block)| block.spot.turn == of).map(|(place, _)| place).collect()
}

/// The labels of where sentences came from, by generation of one log: the sentence's place and the label's word.
pub fn origins(folder: &Path) -> BTreeMap<(String, u32), Vec<(String, String)>> {
    let mut out: BTreeMap<(String, u32), Vec<(String, String)>> = BTreeMap::new();
    for row in lines(folder, "depth.jsonl") {
        out.entry(key(&row)).or_default().push((string(&row["text"]), string(&row["origin"])));
    }
    out
}
