//! What the integration tests share: running the binary, finding the data beside the project, writing small logs.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod home;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A run of the binary.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pentimento")).args(arguments).output().expect("the binary runs")
}

/// Its standard output, where it succeeds.
pub fn stdout(arguments: &[&str]) -> Vec<u8> {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {} {errors}", output.status);
    output.stdout
}

/// Its standard output as one JSON object.
pub fn json(arguments: &[&str]) -> Value {
    serde_json::from_slice(&stdout(arguments)).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

/// Its standard output as one JSON object a line.
pub fn json_lines(arguments: &[&str]) -> Vec<Value> {
    let output = stdout(arguments);
    let lines = output.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("a JSON object a line")).collect()
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are UTF-8")
}

/// A file or folder of the data beside the project. Where there is none, says that the test is skipped.
pub fn data(below: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(below);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

/// A log written by hand for these tests.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The bundled demo session.
pub fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl")
}

/// A log with these bytes; it is deleted when dropped.
pub fn log_of(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().expect("a temporary file");
    file.write_all(bytes).expect("it can be written");
    file
}

/// A row of the table "What the Claude Code logs hold".
#[derive(Clone, Debug)]
pub struct Expected {
    /// The log's path below the folder of Claude Code logs.
    pub name: String,
    /// The log.
    pub path: PathBuf,
    /// Physical lines.
    pub lines: u64,
    /// Those that are no JSON.
    pub malformed: u64,
    /// Boundaries.
    pub boundaries: u64,
    /// Summaries that say what they are.
    pub flagged: u64,
    /// Summaries of old versions.
    pub unflagged: u64,
    /// Whether the log begins with a summary.
    pub first: u64,
}

/// The table "What the Claude Code logs hold"; empty where there is no data.
pub fn claude_code_table() -> Vec<Expected> {
    let Some(readme) = data("README.md") else { return Vec::new() };
    let folder = readme.with_file_name("claude-code");
    let readme = std::fs::read_to_string(readme).expect("the table can be read");
    let (_, section) = readme.split_once("## What the Claude Code logs hold").expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows: Vec<Expected> = section.lines().filter_map(|line| row(line, &folder)).collect();
    assert!(rows.len() > 20, "only {} rows of the table were read", rows.len());
    rows
}

fn row(line: &str, folder: &Path) -> Option<Expected> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let &["", name, lines, malformed, boundaries, flagged, unflagged, first, ""] = &cells[..] else {
        return None;
    };
    Some(Expected {
        name: name.to_owned(),
        path: folder.join(name),
        lines: lines.parse().ok()?,
        malformed: malformed.parse().ok()?,
        boundaries: boundaries.parse().ok()?,
        flagged: flagged.parse().ok()?,
        unflagged: unflagged.parse().ok()?,
        first: first.parse().ok()?,
    })
}

/// Every Claude Code log of the table, or nothing where there is no data.
pub fn claude_code_logs() -> Vec<PathBuf> {
    claude_code_table().into_iter().map(|row| row.path).collect()
}

/// Every log of the formats that this build reads, or nothing where there is no data.
pub fn all_logs() -> Vec<PathBuf> {
    let mut logs = claude_code_logs();
    for folder in ["codex", "pi"] {
        let Some(folder) = data(folder) else { continue };
        let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("the folder can be read")
            .map(|entry| entry.expect("its entries too").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .collect();
        found.sort();
        logs.extend(found);
    }
    logs
}

/// The physical lines of a file, without their newlines.
pub fn physical_lines(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).expect("the log can be read");
    let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}
