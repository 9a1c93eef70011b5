//! Real logs, against what an independent script counted in them and against plain walks through their JSON.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use pentimento::formats::facts::{PartKind, Role};
use pentimento::session::open::OpenLog;
use pentimento::session::{RowKind, text};
use serde_json::Value;
use support::{
    Expected, all_logs, claude_code_logs, claude_code_table, data, json, json_lines, physical_lines, stdout,
};

#[test]
fn counts_agree_with_the_table_of_the_data() {
    for expected in claude_code_table() {
        let info = json(&["info", "--json", support::text(&expected.path)]);
        let lines = physical_lines(&expected.path);
        let blank = lines.iter().filter(|line| line.iter().all(u8::is_ascii_whitespace)).count() as u64;
        let compactions = info["compactions"].as_array().unwrap();
        let with = |boundary: bool, summary: bool| {
            let holds =
                |c: &&Value| c["boundary_line"].is_number() == boundary && c["turn"].is_number() == summary;
            compactions.iter().filter(holds).count() as u64
        };
        let found = (
            info["records"].as_u64().unwrap() + blank,
            info["malformed"].as_u64().unwrap(),
            with(true, true) + with(true, false),
            with(true, true),
            with(false, true),
        );
        let Expected { lines, malformed, boundaries, flagged, unflagged, .. } = &expected;
        assert_eq!(found, (*lines, *malformed, *boundaries, *flagged, *unflagged), "{}", expected.name);
        let covers_nothing = |c: &&Value| c["turn"].is_number() && c["covers"].as_array().unwrap().is_empty();
        let opening: Vec<&Value> = compactions.iter().filter(covers_nothing).collect();
        assert_eq!(opening.len() as u64, expected.first, "{}: summaries that cover nothing", expected.name);
        for summary in opening {
            assert_eq!(
                (&summary["turn"], &summary["complete"]),
                (&1.into(), &false.into()),
                "{}",
                expected.name
            );
        }
    }
}

/// The table "Codex and pi": the log, its lines, its malformed lines, its compactions.
fn codex_and_pi_table() -> Vec<(std::path::PathBuf, u64, u64, usize)> {
    let Some(readme) = data("README.md") else { return Vec::new() };
    let text = std::fs::read_to_string(&readme).unwrap();
    let (_, section) = text.split_once("## Codex and pi").expect("the section is there");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &["", name, lines, malformed, compactions, ""] = &cells[..] else { return None };
        let compactions = compactions.split(' ').next()?.parse().ok()?;
        Some((readme.with_file_name(name), lines.parse().ok()?, malformed.parse().ok()?, compactions))
    };
    let rows: Vec<_> = section.lines().filter_map(row).collect();
    assert!(rows.len() > 8, "only {} rows of the table were read", rows.len());
    rows
}

#[test]
fn codex_and_pi_logs_agree_with_the_table_of_the_data() {
    for (path, lines, malformed, compactions) in codex_and_pi_table() {
        let info = json(&["info", "--json", support::text(&path)]);
        let blank =
            physical_lines(&path).iter().filter(|line| line.iter().all(u8::is_ascii_whitespace)).count();
        assert_eq!(info["records"].as_u64().unwrap() + blank as u64, lines, "{}", path.display());
        assert_eq!(info["malformed"], malformed, "{}", path.display());
        let found = info["compactions"].as_array().unwrap();
        assert_eq!(found.len(), compactions, "{}", path.display());
        assert!(found.iter().all(|compaction| compaction["turn"].is_number()), "{}", path.display());
        let folder = path.parent().and_then(Path::file_name).unwrap();
        assert_eq!(info["format"], folder.to_str().unwrap());
    }
}

#[test]
fn an_encrypted_summary_is_said_to_be_unreadable_with_its_size_and_the_messages_kept() {
    let Some(path) = data("codex/v0.104-encrypted-compaction.jsonl") else { return };
    let info = json(&["info", "--json", support::text(&path)]);
    let compaction = &info["compactions"][0];
    assert_eq!((&compaction["readable"], &compaction["summary_tokens"]), (&false.into(), &Value::Null));
    assert!(compaction["unreadable"].as_str().unwrap().contains("encrypted"), "{compaction}");
    assert_eq!(compaction["encrypted_bytes"], 51);
    // The new history holds 39 messages, and one of them was said by nobody before.
    assert_eq!((numbers(&compaction["kept"]).len(), &compaction["told_anew"]), (38, &1.into()));
    assert_eq!(
        (&compaction["tokens_before"], &compaction["tokens_before_from"]),
        (&209_950.into(), &"usage".into())
    );
}

#[test]
fn ranges_of_pi_follow_one_another_from_the_first_kept_entry() {
    let Some(path) = data("pi/v1-two-compactions.jsonl") else { return };
    let info = json(&["info", "--json", support::text(&path)]);
    let compactions = info["compactions"].as_array().unwrap();
    let lines: std::collections::BTreeMap<u64, u64> = json_lines(&["turns", "--json", support::text(&path)])
        .iter()
        .map(|turn| (turn["address"].as_str().unwrap()[1..].parse().unwrap(), turn["line"].as_u64().unwrap()))
        .collect();
    // The log names the entries 293 and 551, counted from the header's 0.
    for (compaction, line, kept_from) in [(&compactions[0], 360, 294), (&compactions[1], 629, 552)] {
        assert_eq!((&compaction["line"], &compaction["provenance"]), (&line.into(), &"exact".into()));
        let kept = numbers(&compaction["kept"]);
        assert_eq!(lines[kept.first().unwrap()], kept_from);
        assert_eq!(lines[kept.last().unwrap()], line - 1);
    }
    let (first, second) = (numbers(&compactions[0]["covers"]), numbers(&compactions[1]["covers"]));
    assert!(first.is_disjoint(&second));
    assert_eq!(*first.last().unwrap() + 1, *second.first().unwrap(), "they update one another");
}

/// The records of `lines` (from 1, both ends in it) that speak in the main conversation.
fn speaking(lines: &[Vec<u8>], from: u64, to: u64) -> BTreeSet<u64> {
    let speaks = |number: &u64| {
        let Ok(value) = serde_json::from_slice::<Value>(&lines[*number as usize - 1]) else { return false };
        matches!(value["type"].as_str(), Some("user" | "assistant")) && value["isSidechain"] != true
    };
    (from..=to).filter(speaks).collect()
}

#[test]
fn covered_ranges_are_the_lines_that_were_summarised() {
    for (name, summary, from, to) in [
        ("v1.0.17-resumed-a.jsonl", 832, 455, 831),
        ("v1.0.17-three-session-ids.jsonl", 2125, 1856, 2124),
        ("v1.0.17-corrupt-lines.jsonl", 426, 48, 425),
    ] {
        let Some(path) = data(&format!("claude-code/{name}")) else { return };
        let info = json(&["info", "--json", support::text(&path)]);
        let compactions = info["compactions"].as_array().unwrap();
        let found = compactions.iter().find(|c| c["line"] == summary).unwrap();
        let in_ranges = |key: &str, number: u64| {
            let ranges = found[key].as_array().unwrap().iter();
            ranges
                .map(|r| (r[0].as_u64().unwrap(), r[1].as_u64().unwrap()))
                .any(|(a, b)| (a..=b).contains(&number))
        };
        let (mut covered, mut abandoned) = (BTreeSet::new(), BTreeSet::new());
        for turn in json_lines(&["turns", "--json", "--thread", "main", support::text(&path)]) {
            let Some(lines) = turn["lines"].as_array() else { continue };
            let lines = lines.iter().map(|line| line.as_u64().unwrap());
            let number: u64 = turn["address"].as_str().unwrap()[1..].parse().unwrap();
            match (in_ranges("covers", number), in_ranges("abandoned", number)) {
                (true, false) => covered.extend(lines),
                (false, true) => abandoned.extend(lines),
                (false, false) => {}
                (true, true) => panic!("{name}: t{number} is both covered and abandoned"),
            }
        }
        assert_eq!(covered.first(), Some(&from), "{name}");
        let speaking = speaking(&physical_lines(&path), from, to);
        assert_eq!(covered.last(), speaking.last(), "{name}");
        let all: BTreeSet<u64> = covered.union(&abandoned).copied().collect();
        assert_eq!(all, speaking, "{name}");
    }
}

/// Numbers in the ranges of a compaction.
fn numbers(ranges: &Value) -> BTreeSet<u64> {
    let ranges = ranges.as_array().unwrap().iter();
    ranges.flat_map(|range| range[0].as_u64().unwrap()..=range[1].as_u64().unwrap()).collect()
}

/// The numbers of the turns that a context shows, stubs and the summary's own turn among them.
fn shown(context: &Value) -> BTreeSet<u64> {
    let entries = context["entries"].as_array().unwrap().iter();
    let number = |entry: &Value| match entry["turn"].as_u64() {
        Some(summary) => summary,
        None => entry["address"].as_str().unwrap()[1..].parse().unwrap(),
    };
    entries.map(number).collect()
}

#[test]
fn just_after_a_compaction_the_covered_turns_are_out_of_view_and_just_before_all_are_in() {
    let mut seen = 0u64;
    for path in claude_code_logs() {
        let path = support::text(&path);
        let info = json(&["info", "--json", path]);
        for compaction in info["compactions"].as_array().unwrap().iter().filter(|c| c["turn"].is_number()) {
            seen += 1;
            let name = format!("g{}", compaction["generation"]);
            let covers = numbers(&compaction["covers"]);
            let after = json(&["context", "--json", "--as-of", &name, path]);
            assert_eq!(after["as_of"], compaction["turn"], "{path} {name}");
            assert_eq!(after["entries"][0]["kind"], "summary", "{path} {name}");
            assert_eq!(after["entries"][0]["address"], *name, "{path} {name}");
            assert_eq!(after["entries"][0]["covers"], compaction["covers"], "{path} {name}");
            let mut in_view = shown(&after);
            assert!(in_view.is_disjoint(&covers), "{path} {name}: covered turns in view");
            in_view.remove(&compaction["turn"].as_u64().unwrap());
            assert_eq!(
                in_view,
                numbers(&compaction["kept"]),
                "{path} {name}: what is in view beside the summary"
            );
            let before = json(&["context", "--json", "--as-of", &format!("{name}-"), path]);
            let missing: Vec<_> = covers.difference(&shown(&before)).copied().collect();
            assert!(missing.is_empty(), "{path} {name}: {missing:?} were not in view before");
        }
    }
    let summaries: u64 = claude_code_table().iter().map(|row| row.flagged + row.unflagged).sum();
    assert_eq!(seen, summaries, "compactions with a summary in all logs");
}

#[test]
fn raw_lines_of_a_generation_are_the_bytes_of_the_log() {
    let Some(path) = data("claude-code/v2.1.7-three-compactions.jsonl") else { return };
    let mut expected = physical_lines(&path)[230..516].join(&b'\n');
    expected.push(b'\n');
    let raw = stdout(&["expand", "--raw", support::text(&path), "g2"]);
    assert!(raw == expected, "{} bytes instead of {}", raw.len(), expected.len());
}

#[test]
fn texts_are_numbered_as_the_parts_of_the_model() {
    for path in all_logs() {
        let log = OpenLog::load(&path).unwrap();
        let session = &log.session;
        for index in 0..session.turns().len() as u32 {
            let id = pentimento::session::TurnId(index);
            let parts: Vec<(u32, PartKind, u32, u32)> = session
                .parts(id)
                .map(|(place, part)| (place, part.kind, session.row(part.row).line, part.index))
                .collect();
            let texts: Vec<(u32, PartKind, u32, u32)> =
                log.texts(id).unwrap().iter().map(|t| (t.place, t.text.kind, t.line, t.part)).collect();
            assert_eq!(texts, parts, "{} {}", path.display(), session.address(id));
            for (row_number, row) in session.rows_of(id) {
                let line = text::line(&log.source, &row).unwrap();
                let count = session.parts(id).filter(|(_, part)| part.row == row_number).count();
                let texts = session.format.texts(&line).len();
                // A compaction's record also holds copies of messages that are turns of their own.
                let same = if session.turn(id).is_summary() { texts >= count } else { texts == count };
                assert!(same, "{} L{}: {texts} texts of {count} parts", path.display(), row.line);
            }
        }
    }
}

/// Words of the user in a log, counted by walking its JSON.
#[derive(Debug, Default, PartialEq, Eq)]
struct Words {
    prompts: usize,
    queued: usize,
    withdrawn: bool,
    voices: usize,
}

fn walk(path: &Path) -> Words {
    let mut words = Words::default();
    for line in physical_lines(path) {
        let Ok(value) = serde_json::from_slice::<Value>(&line) else { continue };
        match value["type"].as_str() {
            Some("queue-operation") => {
                let says = value["content"].as_str().is_some_and(|text| !text.trim().is_empty());
                words.queued += usize::from(value["operation"] == "enqueue" && says);
                words.withdrawn |= value["operation"] == "popAll";
            }
            Some("user") => {
                let empty = Vec::new();
                let blocks = value["message"]["content"].as_array().unwrap_or(&empty);
                let results: Vec<&Value> = blocks.iter().filter(|b| b["type"] == "tool_result").collect();
                words.voices += results.iter().filter(|result| holds_words(&result["content"])).count();
                words.prompts += usize::from(results.is_empty() && !is_summary(&value));
            }
            _ => {}
        }
    }
    words
}

fn is_summary(value: &Value) -> bool {
    let content = &value["message"]["content"];
    let opening = content.as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default();
    value["isCompactSummary"] == true
        || (value["parentUuid"].is_null()
            && opening.starts_with("This session is being continued from a previous conversation"))
}

fn holds_words(content: &Value) -> bool {
    let texts: Vec<&str> = match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => Vec::new(),
    };
    texts.iter().any(|text| {
        let rejected = text.starts_with("The user doesn't want to");
        let said = text.split_once("the user said:").is_some_and(|(_, words)| !words.trim().is_empty());
        (rejected && said) || text.starts_with("User has answered your questions")
    })
}

#[test]
fn the_users_words_are_found_wherever_they_stand() {
    let mut all = Words::default();
    for path in claude_code_logs() {
        let log = OpenLog::load(&path).unwrap();
        let session = &log.session;
        let echoed_prompts = session.echoes().filter(|echo| {
            let row = session.row(echo.row);
            row.kind == RowKind::Echo
                && session.label(&row) == "user"
                && session.turn(echo.of).role == Role::User
        });
        let of_role = |role: Role| session.turns().iter().filter(move |turn| turn.role == role);
        let found = Words {
            prompts: of_role(Role::User).filter(|turn| !turn.is_queued()).count() + echoed_prompts.count(),
            queued: of_role(Role::User).filter(pentimento::session::Turn::is_queued).count(),
            withdrawn: session.turns().iter().any(|turn| turn.is_withdrawn()),
            voices: (0..session.turns().len() as u32)
                .flat_map(|index| session.parts(pentimento::session::TurnId(index)))
                .filter(|(_, part)| part.voice && part.kind == PartKind::ToolResult)
                .count(),
        };
        assert_eq!(found, walk(&path), "{}", path.display());
        all.prompts += found.prompts;
        all.queued += found.queued;
        all.voices += found.voices;
        all.withdrawn |= found.withdrawn;
    }
    if data("claude-code").is_some() {
        assert!(all.prompts > 0 && all.queued > 0 && all.voices > 0 && all.withdrawn, "{all:?}");
    }
}
