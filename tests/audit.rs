//! The audit through the doors that users take: the commands, the library, and the figures that were published.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

#[path = "support/gold.rs"]
mod gold;
mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use pentimento::audit::auditing::Auditing;
use pentimento::audit::finding::{Class, Verdict};
use pentimento::audit::pass::Pass;
use pentimento::audit::work::Options;
use pentimento::audit::{recorded, ruler};
use pentimento::session::open::OpenLog;
use pentimento::text::{cues, lexicon};
use serde_json::Value;
use support::{data, demo, text};
use tempfile::TempDir;

/// A state folder of its own.
struct State(TempDir);

impl State {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pentimento"));
        command.args(arguments).env("PENTIMENTO_STATE", self.0.path()).output().unwrap()
    }

    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {} {errors}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(arguments)).unwrap()
    }

    /// The audit of the demo.
    fn demo(&self, arguments: &[&str]) -> Value {
        let demo = demo();
        self.json(&[&["audit", text(&demo), "--json"], arguments].concat())
    }
}

fn schema(name: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn check(schema: &jsonschema::Validator, value: &Value) {
    let errors: Vec<String> =
        schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, Vec::<String>::new());
}

fn findings(audit: &Value) -> impl Iterator<Item = &Value> {
    audit["generations"].as_array().unwrap().iter().flat_map(|pass| pass["findings"].as_array().unwrap())
}

#[test]
fn json_is_what_its_schema_says() {
    let (state, audits, traces) = (State::new(), schema("audit.schema.json"), schema("trace.schema.json"));
    let demo = demo();
    for arguments in
        [&[][..], &["--tools", "--fail-on", "unreadable"], &["--strategy", "blocks"], &["--last"]]
    {
        check(&audits, &state.demo(arguments));
    }
    for log in support::all_logs() {
        check(&audits, &state.json(&["audit", text(&log), "--json"]));
    }
    for address in ["g1", "g3", "t2", "t40", "b1"] {
        let lines = state.stdout(&["trace", text(&demo), address, "--json"]);
        assert!(!lines.is_empty());
        for line in lines.lines() {
            check(&traces, &serde_json::from_str(line).unwrap());
        }
    }
    let mut wrong = state.demo(&[]);
    wrong["generations"][0]["findings"][0]["verdict"] = "hallucinated".into();
    assert!(!audits.is_valid(&wrong));
}

#[test]
fn every_count_opens_into_its_findings_and_every_finding_into_its_places() {
    let audit = State::new().demo(&["--tools"]);
    let log = OpenLog::load(&demo()).unwrap();
    let mut seen = BTreeSet::new();
    for pass in audit["generations"].as_array().unwrap() {
        let all = pass["findings"].as_array().unwrap();
        for (class, counts) in pass["counts"].as_object().unwrap() {
            for (verdict, count) in counts.as_object().unwrap() {
                let of =
                    all.iter().filter(|found| found["class"] == **class && found["verdict"] == **verdict);
                assert_eq!(of.count() as u64, count.as_u64().unwrap(), "{class} {verdict}");
            }
        }
        assert_eq!(pass["tools"], serde_json::json!({}), "all is listed");
        for finding in all {
            seen.insert(finding["verdict"].as_str().unwrap().to_owned());
            for place in finding["sources"].as_array().unwrap() {
                let Some(bytes) = place["bytes"].as_array() else { continue };
                let [from, to] = [0, 1].map(|at| bytes[at].as_u64().unwrap() as usize);
                let turn = log.find_turn(None, place["turn"].as_u64().unwrap() as u32).unwrap().turn;
                let part: u32 =
                    place["address"].as_str().unwrap().rsplit('.').next().unwrap().parse().unwrap();
                let texts = log.texts(turn).unwrap();
                let located = texts.iter().find(|located| located.index == part).unwrap();
                // A path may be said by the tool's name and its argument in another case; the letters are the same.
                let there = located.text.text.get(from..to).unwrap().to_lowercase();
                let said = finding["text"].as_str().unwrap().to_lowercase();
                let class = finding["class"].as_str().unwrap();
                assert!(there == said || class == "number" || class == "error", "{there:?} {said:?}");
            }
        }
    }
    assert!(seen.contains("preserved") && seen.contains("dropped"), "{seen:?}");
}

#[test]
fn what_the_demo_loses_is_found() {
    let audit = State::new().demo(&[]);
    let dropped: Vec<(&str, &str)> = findings(&audit)
        .filter(|finding| finding["verdict"] == "dropped" && finding["narrative"].is_string())
        .map(|finding| (finding["class"].as_str().unwrap(), finding["text"].as_str().unwrap()))
        .collect();
    insta::assert_debug_snapshot!("demo_dropped", dropped);
}

#[test]
fn reports_are_the_same_from_run_to_run_with_the_store_and_without_it() {
    let (state, demo) = (State::new(), demo());
    let first = state.stdout(&["audit", text(&demo), "--json"]);
    assert!(state.0.path().join("store.sqlite").exists());
    assert_eq!(state.stdout(&["audit", text(&demo), "--json"]), first, "from the store");
    let nowhere = Command::new(env!("CARGO_BIN_EXE_pentimento"))
        .args(["audit", text(&demo), "--json"])
        .env("PENTIMENTO_STATE", "/proc/no/such/folder")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(nowhere.stdout).unwrap(), first);
    assert!(!nowhere.stderr.is_empty(), "what is not kept is told");
    for arguments in [&["audit", text(&demo)][..], &["audit", text(&demo), "--last", "--brief"]] {
        assert_eq!(state.stdout(arguments), State::new().stdout(arguments));
    }
}

#[test]
fn a_log_that_changed_is_audited_anew_and_a_forgotten_one_leaves_nothing() {
    let (state, folder) = (State::new(), tempfile::tempdir().unwrap());
    let log = folder.path().join("log.jsonl");
    let whole = std::fs::read_to_string(demo()).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    std::fs::write(&log, lines[..103].join("\n") + "\n").unwrap();
    let count =
        |state: &State| state.json(&["audit", text(&log), "--json"])["generations"].as_array().unwrap().len();
    assert_eq!(count(&state), 2);
    std::fs::write(&log, &whole).unwrap();
    assert_eq!(count(&state), 6);
    let forgotten = state.json(&["forget", text(&log), "--json"]);
    assert_eq!(forgotten["audits"], 1, "{forgotten}");
}

/// The reports of a log that was audited as it grew.
fn grown(whole: &str, steps: &[usize]) -> Vec<Pass> {
    let lines: Vec<&str> = whole.lines().collect();
    let mut auditing = Auditing::new(Options::default());
    for step in steps.iter().copied().chain([lines.len()]) {
        let log = support::log_of((lines[..step.min(lines.len())].join("\n") + "\n").as_bytes());
        let open = OpenLog::load(log.path()).unwrap();
        while let Some(job) = auditing.job(&open.session, &open.source) {
            assert!(auditing.job(&open.session, &open.source).is_none(), "one at a time");
            auditing.take(job.run());
        }
        assert!(auditing.failure().is_none() && auditing.is_whole(&open.session));
    }
    auditing.passes().iter().map(|pass| (**pass).clone()).collect()
}

#[test]
fn a_log_that_grows_gives_what_one_that_is_read_at_once_gives() {
    let mut logs = vec![demo()];
    logs.extend(data("claude-code/v2.1.7-three-compactions.jsonl"));
    for log in logs {
        let whole = std::fs::read_to_string(&log).unwrap();
        let (at_once, _) =
            recorded(&OpenLog::load(&log).unwrap(), lexicon::built_in(), Options::default()).unwrap();
        assert!(at_once.len() >= 3);
        assert_eq!(grown(&whole, &[60, 110, 300, 620]), at_once, "{}", log.display());
    }
}

#[test]
fn rules_end_with_status_one() {
    let (state, demo) = (State::new(), demo());
    let path = text(&demo);
    let audit = state.demo(&[]);
    for (rule, class) in
        [("constraint-dropped", "constraint"), ("open-dropped", "open"), ("decision-dropped", "decision")]
    {
        let lost = findings(&audit).any(|found| found["class"] == class && found["verdict"] == "dropped");
        let output = state.run(&["audit", path, "--fail-on", rule]);
        assert_eq!(output.status.code(), Some(i32::from(lost)), "{rule}");
        assert_eq!(String::from_utf8(output.stderr).unwrap().contains("an audit rule failed"), lost);
        assert!(!output.stdout.is_empty(), "the report is printed all the same");
    }
    assert_eq!(state.run(&["audit", path, "--fail-on", "unreadable"]).status.code(), Some(0));
    if let Some(sealed) = data("codex/v0.104-encrypted-compaction.jsonl") {
        assert_eq!(state.run(&["audit", text(&sealed), "--fail-on", "unreadable"]).status.code(), Some(1));
        let told = state.stdout(&["audit", text(&sealed)]);
        assert!(told.contains("encrypted") && told.contains("nothing is said of what it lost"), "{told}");
    }
    let wrong = state.run(&["audit", path, "--fail-on", "everything"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn several_logs_and_folders_are_audited_one_after_another() {
    let (state, folder) = (State::new(), tempfile::tempdir().unwrap());
    let demo = demo();
    for name in ["b.jsonl", "a.jsonl"] {
        std::fs::copy(&demo, folder.path().join(name)).unwrap();
    }
    let lines = state.stdout(&["audit", text(folder.path()), text(&demo), "--json"]);
    let paths: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["path"].as_str().unwrap().to_owned())
        .collect();
    let expected = [folder.path().join("a.jsonl"), folder.path().join("b.jsonl"), demo.clone()];
    assert_eq!(paths, expected.map(|path| path.display().to_string()));
    let output = state.run(&["audit", "/no/such/log.jsonl", text(&demo), "--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "the other one is audited");
    assert!(String::from_utf8(output.stderr).unwrap().contains("/no/such/log.jsonl"));
    assert_eq!(state.run(&["audit", "/no/such/log.jsonl"]).status.code(), Some(3));
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(state.run(&["audit", text(empty.path())]).status.code(), Some(4));
    assert_eq!(state.run(&["audit", text(&demo), "--strategy", "magic"]).status.code(), Some(2));
}

#[test]
fn every_strategy_is_audited_with_the_same_measure() {
    let state = State::new();
    let audits = schema("audit.schema.json");
    let kept = |name: &str, curve: &str| {
        let audit = state.demo(&["--strategy", name]);
        check(&audits, &audit);
        assert_eq!(audit["strategy"], name);
        let last = audit["retention"][curve].as_array().unwrap().last().cloned();
        last.map_or(1.0, |point| point["kept"].as_f64().unwrap())
    };
    for name in pentimento::strategies::NAMES {
        let share = kept(name, "binding");
        assert!((0.0..=1.0).contains(&share), "{name}: {share}");
    }
    // The ledger keeps what binds word for word, and so do turns that stay in view; a cut keeps nothing.
    assert!(kept("blocks", "binding") > 0.99);
    assert!(kept("full", "binding") > 0.99);
    assert!(kept("blocks", "binding") >= kept("recursive", "binding"));
}

#[test]
fn the_note_for_an_agent_names_what_was_dropped() {
    let (state, demo) = (State::new(), demo());
    let note = state.stdout(&["audit", text(&demo), "--last", "--brief"]);
    insta::with_settings!({filters => vec![(r"'[^']*session\.jsonl'", "'LOG'")]}, {
        insta::assert_snapshot!("brief", note);
    });
}

#[test]
fn a_recall_note_quotes_its_pieces_and_masks_secrets() {
    let state = State::new();
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let line = |uuid: &str, parent: &str, said: &str| {
        format!(
            r#"{{"parentUuid":{parent},"type":"user","uuid":"{uuid}","sessionId":"s1","version":"2.1.7","cwd":"/w","message":{{"role":"user","content":"{said}"}}}}"#
        )
    };
    let log = support::log_of(
        [line("u1", "null", &format!("never push with {token} please")), line("u2", "\"u1\"", "go on")]
            .join("\n")
            .as_bytes(),
    );
    let note = state.stdout(&["recall", text(log.path()), "t1", "i1"]);
    assert!(note.contains("## t1 · user") && note.contains("## i1 · t1 · "), "{note}");
    assert!(note.contains("> never push with [masked] please") && !note.contains(&token), "{note}");
    let shown = state.stdout(&["recall", text(log.path()), "t1", "--show-secrets"]);
    assert!(shown.contains(&token));
    let everything = state.stdout(&["recall", text(log.path())]);
    assert!(everything.contains("constraint"), "{everything}");
    let piece = &state.json(&["recall", text(log.path()), "L2", "--json"])["pieces"][0];
    assert_eq!((piece["address"].as_str(), piece["text"].as_str()), (Some("t2"), Some("go on")));
    for (address, status) in [("t9", 4), ("g1", 4), ("i7", 4), ("x1", 2), ("b1", 4)] {
        assert_eq!(
            state.run(&["recall", text(log.path()), address]).status.code(),
            Some(status),
            "{address}"
        );
    }
    let demo = demo();
    let sentence = state.stdout(&["recall", text(&demo), "g2.s3"]);
    assert!(sentence.contains("## g2.s3 · summary"), "{sentence}");
}

/// A session in which somebody says `prompts`, and then a compaction with this summary.
fn compacted(prompts: &[&str], summary: &str) -> tempfile::NamedTempFile {
    let said = |uuid: String, parent: Value, text: &str, is_summary: bool| {
        serde_json::json!({"parentUuid": parent, "type": "user", "uuid": uuid, "sessionId": "s1", "version": "2.1.7", "cwd": "/w",
            "isCompactSummary": is_summary, "message": {"role": "user", "content": text}})
        .to_string()
    };
    let mut lines: Vec<String> = Vec::new();
    for (number, text) in prompts.iter().enumerate() {
        let parent = number.checked_sub(1).map_or(Value::Null, |before| format!("u{before}").into());
        lines.push(said(format!("u{number}"), parent, text, false));
    }
    let last = format!("u{}", prompts.len() - 1);
    lines.push(
        serde_json::json!({"parentUuid": null, "logicalParentUuid": last, "type": "system", "subtype": "compact_boundary",
            "uuid": "b1", "sessionId": "s1", "compactMetadata": {"trigger": "manual", "preTokens": 10}})
        .to_string(),
    );
    lines.push(said("s".to_owned(), "b1".into(), summary, true));
    support::log_of(lines.join("\n").as_bytes())
}

#[test]
fn a_key_is_masked_before_the_note_for_an_agent_cuts_it() {
    let state = State::new();
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    // The cut would fall into the key.
    let rule = format!(
        "Never ever push anything to the mirror of the upstream repository with this key {token} here"
    );
    let log = compacted(&[&rule], "Nothing of it.");
    let note = state.stdout(&["audit", "--last", "--brief", text(log.path())]);
    assert!(note.contains("Never ever push") && !note.contains("ghp_a1B2"), "{note}");
}

#[test]
fn that_somebody_stopped_the_agent_is_no_message_that_a_summary_has_to_list() {
    let state = State::new();
    let prompts = ["Please rename the parser to reader.", "[Request interrupted by user]"];
    let log =
        compacted(&prompts, "Summary:\n6. All user messages:\n   - \"Please rename the parser to reader.\"");
    let audit = state.json(&["audit", "--json", text(log.path())]);
    let messages = &audit["generations"][0]["messages"];
    assert_eq!((messages["typed"].as_u64(), messages["listed"].as_u64()), (Some(1), Some(1)), "{messages}");
}

#[test]
fn a_note_of_a_compaction_that_lost_nothing_recalls_what_was_lost_before() {
    let (state, demo) = (State::new(), demo());
    let note = state.stdout(&["recall", text(&demo), "g6"]);
    assert!(
        note.contains("constraint, dropped at g3") && note.contains("never touch billing_events"),
        "{note}"
    );
    // And an address that has nothing does not cost the others.
    let both = state.run(&["recall", text(&demo), "g1", "t9"]);
    let (note, told) = (String::from_utf8_lossy(&both.stdout), String::from_utf8_lossy(&both.stderr));
    assert!(both.status.success() && note.contains("## t9"), "{told}");
    assert!(told.contains("g1 dropped nothing"), "{told}");
}

#[test]
fn turns_in_view_can_be_counted_where_a_cut_is_audited() {
    let (state, demo) = (State::new(), demo());
    let kept = |arguments: &[&str]| {
        let audit =
            state.json(&[&["audit", text(&demo), "--json", "--strategy", "truncate"], arguments].concat());
        audit["generations"].to_string()
    };
    assert_ne!(kept(&["--hot", "5"]), kept(&["--hot", "40"]));
    let both = state.run(&["audit", text(&demo), "--strategy", "truncate", "--hot", "5", "--budget", "500"]);
    assert!(String::from_utf8_lossy(&both.stderr).contains("two ways to cut"), "{both:?}");
}

#[test]
fn nothing_dangerous_reaches_the_terminal_and_a_log_without_compactions_says_so() {
    let state = State::new();
    let head = r#"{"parentUuid":null,"type":"user","uuid":"u1","sessionId":"s1","version":"2.1.7","cwd":"/w","message":{"role":"user","content":"never use \u001b[31mred\u202e here"}}"#;
    let log = support::log_of(head.as_bytes());
    let path = text(log.path());
    assert!(state.stdout(&["audit", path]).contains("nothing was compacted"));
    assert_eq!(state.json(&["audit", path, "--json"])["generations"], serde_json::json!([]));
    let boundary = r#"{"parentUuid":null,"logicalParentUuid":"u1","type":"system","subtype":"compact_boundary","uuid":"b1","sessionId":"s1","compactMetadata":{"trigger":"manual","preTokens":10}}"#;
    let summary = r#"{"parentUuid":"b1","type":"user","uuid":"u2","sessionId":"s1","version":"2.1.7","isCompactSummary":true,"message":{"role":"user","content":"Nothing."}}"#;
    let log = support::log_of([head, boundary, summary].join("\n").as_bytes());
    for arguments in [
        &["audit", text(log.path())][..],
        &["audit", text(log.path()), "--brief"],
        &["recall", text(log.path())],
    ] {
        let told = state.stdout(arguments);
        assert!(told.contains("here"), "{told}");
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told}");
    }
}

#[test]
fn open_sentences_are_found_as_the_labels_say() {
    let Some(folder) = gold::folder() else { return };
    let rows = gold::lines(&folder, "hedges.jsonl");
    let (mut both, mut found, mut labelled) = (0.0, 0.0, 0.0);
    for row in &rows {
        let is_open = cues::openness(lexicon::built_in(), row["text"].as_str().unwrap()).open;
        let is_labelled = row["open"].as_bool().unwrap();
        both += f64::from(u8::from(is_open && is_labelled));
        found += f64::from(u8::from(is_open));
        labelled += f64::from(u8::from(is_labelled));
    }
    let (precision, recall) = (both / found, both / labelled);
    let f1 = 2.0 * precision * recall / (precision + recall);
    println!("open: {} sentences, P {precision:.3}, R {recall:.3}, F1 {f1:.3}", rows.len());
    assert!(f1 >= 0.95, "P {precision:.3}, R {recall:.3}, F1 {f1:.3}");
}

#[test]
fn the_published_membership_table_is_reproduced() {
    let Some(folder) = data("theory") else { return };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let inputs: Value = serde_json::from_str(&read("membership-seed42.json")).unwrap();
    let run: Value = serde_json::from_str(read("runs-seed42.jsonl").lines().next().unwrap()).unwrap();
    let summary = run["summary"].as_str().unwrap();
    let list = |name: &str| -> BTreeSet<String> {
        inputs[name].as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let conversation = inputs["conversation"].as_array().unwrap();
    let said = conversation.iter().filter_map(|message| message["content"].as_str());
    let items: BTreeSet<&str> = said.max_by_key(|text| text.len()).unwrap().lines().collect();
    let bits = summary.chars().count() as f64 * 8.0;
    let n = inputs["n"].as_f64().unwrap();
    let share = |items: &BTreeSet<String>, holds: bool| {
        items.iter().filter(|item| summary.contains(&***item) == holds).count() as f64 / items.len() as f64
    };
    let literal = 0.5 * (share(&list("member_queries"), false) + share(&list("non_member_queries"), true));
    let each = bits / n;
    println!(
        "seed 42: {:.1} Kbit, literal reader {literal:.3}, Bloom {:.3} predicted, floors {:.3} one-sided and {:.3} two-sided",
        bits / 1000.0,
        ruler::bloom(bits, n),
        ruler::one_sided(each),
        ruler::two_sided(each)
    );
    let is = |value: f64, expected: f64| assert!((value - expected).abs() < 0.000_5, "{value} {expected}");
    assert_eq!(format!("{:.1}", bits / 1000.0), "14.3");
    is(literal, 0.5);
    is(ruler::bloom(bits, n), 0.324);
    is(ruler::one_sided(each), 0.258);
    is(ruler::two_sided(each), 0.223);
    assert_eq!(items.len(), 15_000);
    assert_eq!(items.iter().filter(|item| summary.contains(**item)).count(), 0);
}

#[test]
fn real_logs_are_audited_and_the_known_losses_are_found() {
    let Some(log) = data("claude-code/v2.1.7-three-compactions.jsonl") else { return };
    let open = OpenLog::load(&log).unwrap();
    let (passes, auditor) = recorded(&open, lexicon::built_in(), Options::default()).unwrap();
    // A rejection stands in the list of the first summary and in none after it.
    let hash = |pass: &Pass| {
        let found =
            pass.of_class(Class::Rejection).find(|finding| finding.text.contains("remove this again"));
        found.map(|finding| (finding.verdict, finding.first_lost))
    };
    assert_eq!(hash(&passes[0]), Some((Verdict::Preserved, None)));
    assert_eq!(hash(&passes[1]), Some((Verdict::Dropped, Some(2))));
    assert_eq!(hash(&passes[2]), None);
    assert!(passes[2].already_lost[&Class::Rejection][&2] >= 1);
    assert!(passes.iter().all(|pass| pass.listing.is_some() && pass.complete));
    let open_after_two = auditor.curves().open.into_iter().find(|point| point.passes == 2).unwrap();
    assert!(open_after_two.kept() < 0.5, "{open_after_two:?}");
}

/// Where originals are missing nothing is called dropped; so nobody is told that nothing is missing.
#[test]
fn a_note_for_an_agent_claims_nothing_where_originals_are_missing() {
    let state = State::new();
    for (log, generation) in [("v2.1.29-auto-and-manual", "g2"), ("v1.0.17-resumed-b", "g2")] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../shared/data/claude-code/{log}.jsonl"));
        if !path.exists() {
            println!("skipped: {} is not there", path.display());
            continue;
        }
        let brief = state.stdout(&["audit", "--last", "--brief", text(&path)]);
        assert!(brief.contains(&format!("Compaction {generation}: what it lost cannot be told")), "{brief}");
        assert!(brief.contains("Not found in its summary: ") && !brief.contains("nothing"), "{brief}");
        // What the log does not tell is null here as it is everywhere else.
        let info = state.json(&["info", "--json", text(&path)]);
        let audit = state.json(&["audit", "--json", text(&path)]);
        for (compaction, pass) in
            info["compactions"].as_array().unwrap().iter().zip(audit["generations"].as_array().unwrap())
        {
            assert_eq!(pass["complete"], compaction["complete"], "{log} {}", pass["generation"]);
        }
    }
}

#[test]
fn what_the_ledger_holds_and_a_compaction_dropped_is_recalled_once() {
    let state = State::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/data/claude-code/v1.0.17-seven-compactions.jsonl");
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return;
    }
    let recalled = state.json(&["recall", text(&path), "--json"]);
    let mut texts: Vec<&str> =
        recalled["pieces"].as_array().unwrap().iter().map(|piece| piece["text"].as_str().unwrap()).collect();
    let all = texts.len();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), all);
}
