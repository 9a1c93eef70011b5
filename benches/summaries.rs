//! How long the extractive summariser takes.
//!
//! `cargo bench --bench summaries -- [--show] [PATH]…`: of each log the first turns that have 200,000 estimated tokens together
//! (with `--show` its summary too), and made requests of the same size that are one kind of text through and through.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a measurement stops at the first surprise"
)]

mod support;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use pentimento::formats::facts::{PartKind, Role};
use pentimento::session::open::OpenLog;
use pentimento::summarisers::extractive::Extractive;
use pentimento::summarisers::{Request, SourcePart, SourceTurn, Summariser};
use pentimento::text::tokens;
use support::{Arguments, median, milliseconds, row};

/// Tokens of a request: the default window of a summariser.
const WINDOW: u32 = 200_000;
/// Tokens of its summary: a span's.
const BUDGET: u32 = 3_000;

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    for (name, role, line) in [
        ("made, what a user typed", Role::User, "no, let's keep the {} in src/{}.rs, should we drop it? "),
        ("made, an assistant's prose", Role::Assistant, "I found that module_{} reads src/part{}.rs twice. "),
        ("made, a tool's output", Role::Tool, "src/part{}.rs:{}: error: cannot find value `x{}`\n"),
    ] {
        measure(name, &made(role, line));
    }
    for path in arguments.paths() {
        let request = first_turns(&path);
        measure(&path.display().to_string(), &request);
        if arguments.has("show") {
            let summary =
                Extractive::default().summarise(&request, &AtomicBool::new(false)).expect("it is made");
            println!("{}", summary.text);
        }
    }
}

fn measure(name: &str, request: &Request) {
    let parts = request.sources.iter().flat_map(|source| &source.parts);
    let size: u32 = parts.map(|part| tokens::estimate(&part.text)).sum();
    let mut times = Vec::new();
    let mut length = 0;
    for _ in 0..5 {
        let start = Instant::now();
        let summary = Extractive::default().summarise(request, &AtomicBool::new(false)).expect("it is made");
        times.push(start.elapsed());
        length = tokens::estimate(&summary.text);
    }
    let worst = times.iter().max().copied().unwrap_or_default();
    let what = format!("{name}: {} turns, {size} tokens", request.sources.len());
    let (median, worst) = (milliseconds(median(&times)), milliseconds(worst));
    row(&what, &format!("{median} ({worst}), {length} tokens out"));
}

fn made(role: Role, line: &str) -> Request {
    let kind = if role == Role::Tool { PartKind::ToolResult } else { PartKind::Text };
    let mut sources = Vec::new();
    let (mut number, mut size) = (0u32, 0);
    while size < WINDOW {
        let mut text = String::new();
        for _ in 0..15 {
            number += 1;
            text.push_str(&line.replace("{}", &number.to_string()));
        }
        size += tokens::estimate(&text);
        let turn = sources.len() as u32 + 1;
        let part = SourcePart { kind, tool: None, error: false, text };
        sources.push(SourceTurn { turns: (turn, turn), role, parts: vec![part] });
    }
    Request { sources, budget: BUDGET }
}

fn first_turns(path: &Path) -> Request {
    let log = OpenLog::load(path).expect("the log can be read");
    let mut sources = Vec::new();
    let mut size = 0;
    for number in 1..=log.session.last() {
        let Some(id) = log.session.numbered(0, number) else { continue };
        let turn = log.session.turn(id);
        if turn.role == Role::Summary {
            continue;
        }
        let texts = log.texts(id).expect("its texts can be read");
        size += texts.iter().map(|text| tokens::estimate(&text.text.text)).sum::<u32>();
        let parts = texts
            .into_iter()
            .map(|text| SourcePart {
                kind: text.text.kind,
                tool: text.text.tool,
                error: false,
                text: text.text.text,
            })
            .collect();
        sources.push(SourceTurn { turns: (number, number), role: turn.role, parts });
        if size >= WINDOW {
            break;
        }
    }
    Request { sources, budget: BUDGET }
}
