//! What a frame costs, by counting: the same at a thousand rows and at a hundred thousand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::fmt::Write;
use std::path::PathBuf;

use pentimento::outline::ViewKind;
use pentimento::session::open::OpenLog;
use pentimento::tui::{Model, Start, Theme, render};
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

/// Allocations of one frame with the list in its middle, once the first frames have filled the caches.
fn allocations(turns: usize) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = log(folder.path(), turns);
    let log = OpenLog::load(&path).unwrap();
    assert_eq!(log.session.turns().len(), turns);
    let start = Start {
        path: path.clone(),
        follow: false,
        as_of: None,
        view: ViewKind::Window,
        theme: Theme::named("ansi").unwrap(),
        mouse: true,
    };
    let mut model = Model::new(start);
    model.show(log);
    let middle = format!("t{}", turns / 2);
    assert!(model.go_to(&middle), "{middle} is there");
    let mut terminal = Terminal::new(TestBackend::new(120, 46)).unwrap();
    let mut draw = || terminal.draw(|frame| render::screen(frame, &mut model)).map(drop).unwrap();
    for _ in 0..3 {
        draw();
    }
    let counted = allocation_counter::measure(&mut draw);
    let screen = terminal.backend().to_string();
    assert!(screen.contains(&format!("prompt number {:08}", turns / 2)), "{screen}");
    counted.count_total
}

#[test]
fn a_frame_allocates_the_same_at_a_thousand_rows_and_at_a_hundred_thousand() {
    let (few, many) = (allocations(1_000), allocations(100_000));
    eprintln!("allocations a frame: {few} at 1,000 rows, {many} at 100,000");
    assert_eq!(few, many);
    assert!(few < 4_000, "{few} allocations for one frame");
}
