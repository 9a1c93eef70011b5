//! What a frame costs, by counting: the same at a thousand rows and at a hundred thousand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::fmt::Write;
use std::path::PathBuf;

use crossterm::event::KeyCode;
use pentimento::outline::ViewKind;
use pentimento::session::open::OpenLog;
use pentimento::tui::{Event, Model, Start, Theme, render};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// A log of `turns` prompts of the same length, so that every frame shows the same amount.
fn log(folder: &std::path::Path, turns: usize) -> PathBuf {
    let mut text = String::new();
    let mut parent = "null".to_owned();
    for turn in 0..turns {
        writeln!(
            text,
            r#"{{"type":"user","uuid":"u{turn:08}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"prompt number {turn:08} of many"}}}}"#
        )
        .unwrap();
        parent = format!("\"u{turn:08}\"");
    }
    let path = folder.join(format!("{turns}.jsonl"));
    std::fs::write(&path, text).unwrap();
    path
}

/// A log with a summary of so many sentences.
fn summary(folder: &std::path::Path, sentences: usize) -> PathBuf {
    let mut text = String::new();
    for sentence in 0..sentences {
        write!(text, "- The sentence number {sentence:08} says something.\\n").unwrap();
    }
    let lines = [
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"a prompt"}}"#.to_owned(),
        r#"{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:01Z","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":1}}"#.to_owned(),
        format!(
            r##"{{"type":"user","isCompactSummary":true,"uuid":"u2","parentUuid":"b1","sessionId":"s","timestamp":"2026-01-01T00:00:02Z","message":{{"role":"user","content":"# Everything\n{text}"}}}}"##
        ),
    ];
    let path = folder.join(format!("summary-{sentences}.jsonl"));
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

/// A log with a prompt that binds for each of `statements`, none of which its summary holds.
fn losses(folder: &std::path::Path, statements: usize) -> PathBuf {
    let mut text = String::new();
    let mut parent = "null".to_owned();
    for number in 0..statements {
        writeln!(
            text,
            r#"{{"type":"user","uuid":"u{number:08}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"Never touch the valve of tank {number:08} again."}}}}"#
        )
        .unwrap();
        parent = format!("\"u{number:08}\"");
    }
    let boundary = format!(
        r#"{{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:01Z","content":"Conversation compacted","compactMetadata":{{"trigger":"auto","preTokens":1}}}}"#
    );
    let summary = r#"{"type":"user","isCompactSummary":true,"uuid":"s1","parentUuid":"b1","sessionId":"s","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":"The pipes were painted green."}}"#;
    writeln!(text, "{boundary}\n{summary}").unwrap();
    let path = folder.join(format!("losses-{statements}.jsonl"));
    std::fs::write(&path, text).unwrap();
    path
}

/// Allocations of one frame with the list in its middle, once the first frames have filled the caches.
fn allocations(turns: usize) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = log(folder.path(), turns);
    let middle = turns / 2;
    of_frame(&path, &format!("t{middle}"), &format!("prompt number {middle:08}"))
}

/// Allocations of one frame with what stands at `address` selected, which shows `words`.
fn of_frame(path: &std::path::Path, address: &str, words: &str) -> u64 {
    of_frame_in(path, ViewKind::Window, address, "", words)
}

/// The same in a view, after these keys. Nothing is written in Blocks: what summaries cost is not a frame's.
fn of_frame_in(path: &std::path::Path, view: ViewKind, address: &str, keys: &str, words: &str) -> u64 {
    let log = OpenLog::load(path).unwrap();
    let mut replay = pentimento::tui::Setup::default();
    // No spans: the rows around the selected one are the same then.
    replay.settings.budget = u64::MAX / 8;
    let start = Start {
        path: path.to_path_buf(),
        follow: false,
        as_of: None,
        view,
        theme: Theme::named("ansi").unwrap(),
        mouse: true,
        replay,
    };
    let mut model = Model::new(start);
    model.show(log);
    pentimento::tui::update(&mut model, Event::Key(KeyCode::Char('X').into()));
    model.settle();
    assert!(model.go_to(address), "{address} is there");
    for key in keys.chars() {
        pentimento::tui::update(&mut model, Event::Key(KeyCode::Char(key).into()));
    }
    let mut terminal = Terminal::new(TestBackend::new(120, 46)).unwrap();
    let mut draw = || terminal.draw(|frame| render::screen(frame, &mut model)).map(drop).unwrap();
    for _ in 0..3 {
        draw();
    }
    let counted = allocation_counter::measure(&mut draw);
    let screen = terminal.backend().to_string();
    assert!(screen.contains(words), "{screen}");
    counted.count_total
}

#[test]
fn a_frame_of_sentences_allocates_the_same_whatever_the_summary_holds() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |sentences: usize| {
        let path = summary(folder.path(), sentences);
        let words = format!("sentence number {:08}", sentences / 2 - 1);
        of_frame(&path, &format!("g1.s{}", sentences / 2), &words)
    };
    // Addresses of the same length: four digits.
    let (few, many) = (cost(4_000), cost(18_000));
    eprintln!("allocations a frame: {few} of 4,000 sentences, {many} of 18,000");
    assert_eq!(few, many);
    assert!(few < 4_000, "{few} allocations for one frame");
}

#[test]
fn a_frame_allocates_the_same_at_a_thousand_rows_and_at_a_hundred_thousand() {
    let (few, many) = (allocations(1_000), allocations(100_000));
    eprintln!("allocations a frame: {few} at 1,000 rows, {many} at 100,000");
    assert_eq!(few, many);
    assert!(few < 4_000, "{few} allocations for one frame");
}

#[test]
fn a_frame_of_blocks_allocates_the_same_at_a_thousand_rows_and_at_a_hundred_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |turns: usize| {
        let path = log(folder.path(), turns);
        // In the midst of a block of 40 turns.
        let middle = turns * 3 / 4 / 40 * 40 + 20;
        let words = format!("prompt number {:08}", middle - 1);
        of_frame_in(&path, ViewKind::Blocks, &format!("t{middle}"), "", &words)
    };
    let (few, many) = (cost(1_000), cost(100_000));
    eprintln!("allocations a frame of Blocks: {few} at 1,000 rows, {many} at 100,000");
    // The numbers of blocks and turns are longer: a text may grow once more while it is written.
    assert!(many.abs_diff(few) <= 4, "{few} and {many}");
    assert!(few < 4_000, "{few} allocations for one frame");
}

#[test]
fn a_frame_of_the_audit_allocates_the_same_at_two_thousand_findings_and_at_eighteen_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |statements: usize| {
        let path = losses(folder.path(), statements);
        // Into the class, and down to its middle.
        let middle = statements / 2;
        let words = format!("tank {:08}", middle - 1);
        of_frame_in(&path, ViewKind::Audit, "g1", &format!("jl{middle}j"), &words)
    };
    let (few, many) = (cost(2_000), cost(18_000));
    eprintln!("allocations a frame of Audit: {few} of 2,000 findings, {many} of 18,000");
    // Addresses are of the same length: four digits.
    assert!(many.abs_diff(few) <= 4, "{few} and {many}");
    assert!(few < 4_000, "{few} allocations for one frame");
}

/// A log of `turns` turns in which every second look repeats the one before, so that receipts are everywhere.
fn looks(folder: &std::path::Path, turns: usize) -> PathBuf {
    let mut text = String::new();
    let mut parent = "null".to_owned();
    for turn in 0..turns {
        let (kind, content) = match turn % 4 {
            0 => ("user", format!(r#""prompt number {turn:08} of many""#)),
            1 => (
                "assistant",
                format!(
                    r#"[{{"type":"tool_use","id":"c{turn:08}","name":"Read","input":{{"file_path":"/p/a.rs"}}}}]"#
                ),
            ),
            2 => (
                "user",
                format!(
                    r#"[{{"type":"tool_result","tool_use_id":"c{:08}","content":"fn main() {{}}"}}]"#,
                    turn - 1
                ),
            ),
            _ => ("assistant", format!(r#"[{{"type":"text","text":"answer number {turn:08} of many"}}]"#)),
        };
        writeln!(
            text,
            r#"{{"type":"{kind}","uuid":"u{turn:08}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{{"id":"m{turn:08}","role":"{kind}","content":{content}}}}}"#
        )
        .unwrap();
        parent = format!("\"u{turn:08}\"");
    }
    let path = folder.join(format!("looks-{turns}.jsonl"));
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_frame_of_receipts_allocates_the_same_at_a_thousand_rows_and_at_a_hundred_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |turns: usize| {
        let path = looks(folder.path(), turns);
        let middle = turns / 2 / 4 * 4;
        let words = format!("answer number {:08}", middle - 1);
        of_frame_in(&path, ViewKind::Receipts, &format!("t{middle}"), "", &words)
    };
    let (few, many) = (cost(1_000), cost(100_000));
    eprintln!("allocations a frame of Receipts: {few} at 1,000 rows, {many} at 100,000");
    // Numbers are longer: a text may grow once more while it is written.
    assert!(many.abs_diff(few) <= few / 20, "{few} and {many}");
    assert!(few < 6_000, "{few} allocations for one frame");
}

#[test]
fn a_frame_of_the_forest_allocates_the_same_at_a_thousand_rows_and_at_a_hundred_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |turns: usize| {
        let path = log(folder.path(), turns);
        // Among the hot messages at the end, the clusters above them.
        of_frame_in(&path, ViewKind::Forest, &format!("t{}", turns - 3), "", "single ")
    };
    let (few, many) = (cost(1_000), cost(100_000));
    eprintln!("allocations a frame of the Forest: {few} at 1,000 rows, {many} at 100,000");
    assert!(many.abs_diff(few) <= 16, "{few} and {many}");
    assert!(few < 8_000, "{few} allocations for one frame");
}
