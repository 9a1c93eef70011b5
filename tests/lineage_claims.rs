//! What a trace claims, held against logs in which the claim would be false: through the library and the command.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use std::path::Path;

use pentimento::lineage::chain::{SentenceId, Traces};
use pentimento::lineage::weights;
use pentimento::session::open::OpenLog;
use pentimento::text::lexicon;
use serde_json::{Value, json};

/// A Claude Code log of prompts, each with an answer, and after them a summary; and so on for each group.
fn log_of(groups: &[(&[&str], &str)]) -> tempfile::NamedTempFile {
    let mut lines: Vec<Value> = Vec::new();
    let mut parent: Option<String> = None;
    let mut record = |kind: &str, more: Value| {
        let id = format!("u{}", lines.len());
        let mut value = json!({
            "parentUuid": parent, "isSidechain": false, "uuid": id, "sessionId": "5e55", "version": "2.1.30",
            "timestamp": format!("2026-03-01T10:{:02}:00.000Z", lines.len()), "type": kind,
        });
        let fields = more.as_object().unwrap().clone();
        value.as_object_mut().unwrap().extend(fields);
        if kind == "system" {
            value["logicalParentUuid"] = json!(parent);
            value["parentUuid"] = Value::Null;
        }
        parent = Some(id);
        lines.push(value);
    };
    for (prompts, summary) in groups {
        for prompt in *prompts {
            record("user", json!({"message": {"role": "user", "content": prompt}}));
            let said = json!([{"type": "text", "text": "Understood, going on."}]);
            record("assistant", json!({"message": {"role": "assistant", "content": said}}));
        }
        let metadata = json!({"trigger": "auto", "preTokens": 10});
        record("system", json!({"subtype": "compact_boundary", "compactMetadata": metadata}));
        let message = json!({"role": "user", "content": summary});
        record("user", json!({"isCompactSummary": true, "message": message}));
    }
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    support::log_of(text.join("\n").as_bytes())
}

fn rows(path: &Path, address: &str) -> Vec<Value> {
    let out = support::stdout(&["trace", support::text(path), address, "--json"]);
    std::str::from_utf8(&out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(path: &Path, address: &str) -> String {
    String::from_utf8(support::stdout(&["trace", support::text(path), address])).unwrap()
}

const RULE: &str = "Never deploy to production on Fridays without asking me first about the release window.";

#[test]
fn a_word_left_out_or_turned_round_is_not_word_for_word() {
    let summary = "Never deploy to production on Fridays without asking me first about the release window.\n\
                   Always deploy to production on Fridays without asking me first about the release window.\n\
                   Deploy to production on Fridays when asking me first about the release window.";
    let log = log_of(&[(&[RULE, "Read the deploy script."], summary)]);
    let shown = text(log.path(), "g1");
    let said: Vec<&str> = shown.lines().filter(|line| line.starts_with("  supported")).collect();
    assert!(said[0].starts_with("  supported, word for word"), "{shown}");
    assert!(said[1].starts_with("  supported, nearly word for word"), "{shown}");
    let rows = rows(log.path(), "g1");
    assert_eq!(rows[0]["contrasts"], json!([]));
    assert_eq!(rows[2]["contrasts"][0], "its closest source says \"without\", it does not: compare");
}

#[test]
fn another_number_is_pointed_out() {
    let prompt = "The gateway timeout must be 30 seconds for every retried payment request.";
    let summary = "The gateway timeout must be 60 seconds for every retried payment request.";
    let log = log_of(&[(&[prompt], summary)]);
    let row = &rows(log.path(), "g1")[0];
    assert_eq!(row["contrasts"], json!(["60 is in none of its best sources: compare"]));
    assert!(text(log.path(), "g1.s1").contains("! 60 is in none"));
}

#[test]
fn a_sentence_that_shares_nothing_is_not_weakly_supported() {
    let log = log_of(&[(&["Tidy the attic."], "Done soon.\n…")]);
    for row in rows(log.path(), "g1") {
        if row["sources"].as_array().unwrap().is_empty() {
            assert_eq!(row["support"], Value::Null, "{row}");
        }
        let coverage = row["coverage"].to_string();
        assert!(!coverage.starts_with('-'), "{coverage}");
    }
}

#[test]
fn every_turn_with_the_same_text_is_found() {
    let log = log_of(&[(&[RULE, RULE, RULE, RULE, RULE], RULE)]);
    for turn in [1, 3, 5, 7, 9] {
        let shown = text(log.path(), &format!("t{turn}"));
        assert!(shown.contains("g1.s1"), "{shown}");
        assert!(shown.ends_with("last seen in g1\n"), "{shown}");
    }
}

#[test]
fn what_became_of_a_summary_is_what_became_of_its_sentences() {
    let log = log_of(&[(&[RULE], RULE), (&["Read the deploy script."], RULE)]);
    let rows = rows(log.path(), "t3");
    assert_eq!(rows[0]["generations"][0]["sentences"][0]["address"], "g2.s1", "{}", rows[0]);
}

#[test]
fn sources_have_addresses_that_lead_to_them() {
    let log = support::demo();
    for row in rows(&log, "g1") {
        for source in row["sources"].as_array().unwrap() {
            let address = source["address"].as_str().unwrap();
            let found = support::stdout(&["expand", support::text(&log), address]);
            let snippet = source["snippet"].as_str().unwrap().split_whitespace().next().unwrap();
            assert!(String::from_utf8(found).unwrap().contains(snippet), "{address}: {snippet}");
        }
    }
}

/// Both directions follow the same ties: the turn in which a sentence's chain ends lists the sentence.
fn leads_back_and_forth(path: &Path) -> usize {
    let log = OpenLog::load(path).unwrap();
    let (session, source) = (&log.session, &log.source);
    let mut traces = Traces::default();
    let mut count = 0;
    let generations: Vec<u32> = session.compactions().iter().map(|c| c.generation).collect();
    for generation in &generations {
        traces.ensure(session, source, *generation, lexicon::built_in(), weights::built_in()).unwrap();
    }
    for generation in generations {
        let places = traces.get(generation).map_or(0, |trace| trace.sentences.len());
        for id in (0..places).map(|place| SentenceId { generation, place }) {
            let Some(end) = traces.chain(id).turn else { continue };
            let forward = traces.forward(session, end.spot.turn, session.last());
            let listed = forward
                .generations
                .iter()
                .flat_map(|(_, fate)| fate.carried())
                .any(|carried| carried.sentence == id);
            assert!(listed, "{}: {id} is not listed with t{}", path.display(), end.spot.number);
            count += 1;
        }
    }
    count
}

#[test]
fn a_turn_lists_the_sentences_whose_chains_end_in_it() {
    let data = ["claude-code/v2.1.7-three-compactions.jsonl", "pi/v1-two-compactions.jsonl"];
    let real = data.into_iter().filter_map(support::data);
    let logs = real.chain([support::demo(), support::fixture("lineage.jsonl")]);
    let count: usize = logs.map(|path| leads_back_and_forth(&path)).sum();
    assert!(count > 100, "{count}");
}
