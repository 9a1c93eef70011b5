use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::super::{SourcePart, SourceTurn};
use super::*;
use crate::formats::facts::{PartKind, Role};
use crate::text::tokens;

fn part(kind: PartKind, tool: Option<&str>, text: &str) -> SourcePart {
    SourcePart { kind, tool: tool.map(str::to_owned), error: false, text: text.to_owned() }
}

fn turn(number: u32, role: Role, parts: Vec<SourcePart>) -> SourceTurn {
    SourceTurn { turns: (number, number), role, parts }
}

fn said(number: u32, role: Role, text: &str) -> SourceTurn {
    turn(number, role, vec![part(PartKind::Text, None, text)])
}

fn summarise(request: &Request) -> Summary {
    Extractive::default().summarise(request, &AtomicBool::new(false)).unwrap()
}

/// What holds of every summary.
fn check(request: &Request, summary: &Summary) {
    assert!(tokens::estimate(&summary.text) <= request.budget, "over the budget of {}", request.budget);
    let mut seen = HashSet::new();
    let mut end = 0;
    let mut empty_head = false;
    for line in &summary.lines {
        let text = &summary.text[line.range.clone()];
        assert!(line.range.start >= end && !text.contains('\n'));
        end = line.range.end;
        assert!(seen.insert(text), "twice: {text}");
        let is_copied_summary = request.sources.iter().any(|source| source.role == Role::Summary);
        if line.turns.is_empty() && is_copied_summary && text.starts_with("- ") {
            empty_head = false;
            continue;
        }
        if line.turns.is_empty() {
            assert!(text.strip_prefix("## ").and_then(Head::of).is_some(), "no heading: {text}");
            assert!(!empty_head, "nothing under a heading");
            empty_head = true;
            continue;
        }
        empty_head = false;
        let text = text.strip_prefix("- ").unwrap();
        for number in &line.turns {
            let holds = |source: &&SourceTurn| (source.turns.0..=source.turns.1).contains(number);
            let sources: Vec<_> = request.sources.iter().filter(holds).collect();
            let has = |source: &SourceTurn| {
                source.parts.iter().any(|part| {
                    preview::on_one_line(&part.text).to_lowercase().contains(&text.to_lowercase())
                })
            };
            assert!(sources.iter().any(|source| has(source)), "t{number} does not say {text:?}");
        }
        let verbatim = |source: &SourceTurn| {
            let turns = source.turns.0..=source.turns.1;
            line.turns.iter().any(|turn| turns.contains(turn))
                && source.parts.iter().any(|part| preview::on_one_line(&part.text).contains(text))
        };
        assert!(request.sources.iter().any(verbatim), "nobody says {text:?}");
    }
    assert!(!empty_head);
    let plain: Vec<&str> = summary.text.lines().filter(|line| !line.is_empty()).collect();
    let known: Vec<&str> = summary.lines.iter().map(|line| &summary.text[line.range.clone()]).collect();
    assert_eq!(plain, known, "every line is listed");
}

fn session() -> Request {
    let mut call =
        part(PartKind::ToolCall, Some("Edit"), "file_path: /api/src/table.rs\nold_string: a\nnew_string: b");
    call.error = false;
    let mut failure = part(
        PartKind::ToolResult,
        Some("Bash"),
        "compiling\nerror[E0308]: mismatched types in table.rs\nmore\n",
    );
    failure.error = true;
    Request {
        budget: 160,
        sources: vec![
            said(1, Role::User, "Add a column with the commit hash to the table of checkpoints."),
            turn(2, Role::Assistant, vec![part(PartKind::Text, None, "Let me look at the table."), call]),
            turn(3, Role::Tool, vec![failure]),
            said(
                4,
                Role::Assistant,
                "The table renders its columns in src/table.rs, and widths are fixed at 40 characters.\n\n```rust\nlet secret = 1;\n```\nShould the hash be shortened?",
            ),
            said(
                5,
                Role::User,
                "no remove this again, the risk someone assumes it's a stable link is too big. never push to main.",
            ),
            said(
                6,
                Role::Assistant,
                "I removed the commit hash column from the table. The remaining work is the README of v2.1.7.",
            ),
        ],
    }
}

#[test]
fn each_line_stands_where_it_belongs() {
    let request = session();
    let summary = summarise(&request);
    check(&request, &summary);
    insta::assert_snapshot!(summary.text);
    let turns_of = |text: &str| {
        summary
            .lines
            .iter()
            .find(|line| summary.text[line.range.clone()].contains(text))
            .map(|line| line.turns.clone())
    };
    assert_eq!(turns_of("no remove this again"), Some(vec![5]));
    assert_eq!(turns_of("E0308"), Some(vec![3]));
    assert!(!summary.text.contains("secret"), "code is no sentence");
}

#[test]
fn a_line_that_is_said_twice_stands_once_with_both_turns() {
    let request = Request {
        budget: 50,
        sources: vec![
            said(1, Role::User, "Never push to main."),
            said(2, Role::Assistant, "Understood."),
            said(3, Role::User, "never  push to main."),
        ],
    };
    let summary = summarise(&request);
    check(&request, &summary);
    assert_eq!(summary.text.matches("push to main").count(), 1);
    assert_eq!(summary.lines[1].turns, [1, 3]);
}

#[test]
fn what_a_harness_puts_in_is_not_the_users() {
    let request = Request {
        budget: 100,
        sources: vec![said(
            1,
            Role::User,
            "<system-reminder>\nNever mention the reminder.\n</system-reminder>\nRename the flag.",
        )],
    };
    assert_eq!(summarise(&request).text, "## Goal\n- Rename the flag.");
}

#[test]
fn words_without_what_they_are_about_are_no_lines() {
    let sources = vec![
        said(1, Role::User, "right?"),
        said(2, Role::Assistant, "Yes, some ~80 lines of it in `~/notes/plan.md` are wrong."),
    ];
    let summary = summarise(&Request { budget: 100, sources });
    assert!(!summary.text.contains("right?"), "{}", summary.text);
    assert!(!summary.text.lines().any(|line| line == "- ~80"), "{}", summary.text);
}

#[test]
fn a_summary_of_summaries_keeps_its_heads() {
    let part = "## Goal\n- Add a column.\n\n## Open items\n- The README is missing.\n\n## Errors\n- error: it did not link at all";
    let source = SourceTurn { turns: (1, 40), role: Role::Summary, parts: session_parts(part) };
    let request = Request { budget: 100, sources: vec![source] };
    let summary = summarise(&request);
    check(&request, &summary);
    assert_eq!(summary.text, part);
    assert_eq!(summary.lines[1].turns, [0; 0], "which of the forty, only the summary's maker knows");
}

fn session_parts(text: &str) -> Vec<SourcePart> {
    vec![part(PartKind::Text, None, text)]
}

#[test]
fn reasoning_and_pictures_are_no_sources() {
    let parts = vec![
        part(PartKind::Thinking, None, "The secret plan is this one."),
        part(PartKind::Image, None, "x"),
    ];
    let request = Request { budget: 100, sources: vec![turn(1, Role::Assistant, parts)] };
    assert_eq!(summarise(&request), Summary { text: String::new(), lines: vec![] });
}

#[test]
fn it_stops_when_told() {
    let stopped = Extractive::default().summarise(&session(), &AtomicBool::new(true));
    assert_eq!(stopped, Err(Failure::Stopped));
}

#[test]
fn huge_and_odd_lines_are_fine() {
    for text in [
        "word ".repeat(40_000),
        "x".repeat(1 << 17),
        "漢字かな。".repeat(8_000),
        "A. ".repeat(20_000),
        "\"a. B\" ".repeat(8_000),
        "i.e. X ".repeat(8_000),
        "a/b.rs,".repeat(8_000),
        "\u{202e}\u{1b}[31m red \u{0}".repeat(100),
    ] {
        let (user, assistant, tool) = (Role::User, Role::Assistant, Role::Tool);
        for role in [user, assistant, tool] {
            let request = Request { budget: 300, sources: vec![said(7, role, &text)] };
            check(&request, &summarise(&request));
        }
    }
}

/// Texts of every kind: prose, lists, code, several scripts, names, marks.
fn text() -> impl Strategy<Value = String> {
    let sentence = prop_oneof![
        Just("let's go with option B."),
        Just("Never push to main!"),
        Just("should we keep it?"),
        Just("I found that src/store/cache.rs holds 1,024 entries."),
        Just("error: cannot find `Stamp` in this scope"),
        Just("- [ ] write the README"),
        Just("## Findings"),
        Just("```"),
        Just("<note>"),
        Just("</note>"),
        Just("Größe und naïve 漢字。"),
        Just("| a | b | c |"),
        Just("see https://example.org/a?b=1, #12 and v2.1.7."),
        Just("Please continue the conversation from where we left off."),
        Just("Summary:"),
        Just("This is a long line that was wrapped by its writer's editor, and it goes"),
        Just("on with the rest of the same sentence here."),
    ];
    let piece = prop_oneof![4 => sentence.prop_map(str::to_owned), 1 => "\\PC{0,40}", 1 => "[ -~\n\t]{0,60}"];
    let gap = prop_oneof![Just(" "), Just("\n"), Just("\n\n"), Just("\r\n"), Just("")];
    proptest::collection::vec((piece, gap), 0..12)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, gap)| piece + gap).collect())
}

fn source() -> impl Strategy<Value = (Role, Vec<SourcePart>)> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool), Just(Role::Summary)];
    let kind = prop_oneof![
        4 => Just(PartKind::Text),
        1 => Just(PartKind::Thinking),
        1 => Just(PartKind::ToolCall),
        2 => Just(PartKind::ToolResult),
    ];
    let part = (kind, any::<bool>(), text()).prop_map(|(kind, error, text)| SourcePart {
        kind,
        tool: (kind == PartKind::ToolCall).then(|| "Edit".to_owned()),
        error,
        text,
    });
    (role, proptest::collection::vec(part, 0..4))
}

#[test]
fn a_line_of_a_summary_leads_only_to_turns_that_say_it_in_the_same_letters() {
    let of = |summed: &str, typed: &str| {
        let sources = vec![said(1, Role::Summary, summed), said(2, Role::User, typed)];
        let summary = summarise(&Request { sources, budget: 60 });
        summary.lines.iter().flat_map(|line| line.turns.clone()).collect::<HashSet<_>>()
    };
    assert_eq!(of("Keep Table.rs as it is", "keep table.rs as it is"), HashSet::new());
    assert_eq!(of("keep table.rs as it is", "keep table.rs as it is"), [2].into());
}

proptest! {
    #[test]
    fn any_request_gives_copies_within_the_budget(
        sources in proptest::collection::vec(source(), 0..10),
        budget in prop_oneof![0u32..60, 60u32..600, Just(u32::MAX)],
    ) {
        let numbered = sources.into_iter().enumerate();
        let sources = numbered.map(|(at, (role, parts))| turn(at as u32 + 1, role, parts)).collect();
        let request = Request { sources, budget };
        let summary = summarise(&request);
        check(&request, &summary);
        prop_assert_eq!(summarise(&request), summary);
    }
}
