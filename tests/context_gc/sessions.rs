//! Context-GC over sessions of agents, through the command line.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::support::{data, json as json_of, json_lines, log_of, stdout, text};

/// A Claude Code log, line by line.
#[derive(Default)]
struct Log {
    lines: String,
    records: u32,
    last: Option<String>,
}

impl Log {
    fn record(&mut self, kind: &str, content: &Value) -> String {
        self.records += 1;
        let id = format!("u{}", self.records);
        let mut message = json!({"role": kind, "content": content});
        if kind == "assistant" {
            message["id"] = json!(format!("m{}", self.records));
        }
        let record = json!({
            "type": kind, "uuid": id, "parentUuid": self.last, "sessionId": "s", "version": "2.1.0",
            "timestamp": format!("2026-01-01T00:00:{:02}Z", self.records), "message": message,
        });
        writeln!(self.lines, "{record}").unwrap();
        self.last = Some(id.clone());
        id
    }

    fn says(&mut self, words: &str) -> String {
        self.record("user", &json!(words))
    }

    /// A call and its result, two turns; one where the result is empty.
    fn uses(&mut self, tool: &str, input: &Value, result: impl Into<Value>) {
        let result: Value = result.into();
        let call = format!("toolu_{}", self.records);
        self.record("assistant", &json!([{"type": "tool_use", "id": call, "name": tool, "input": input}]));
        self.record("user", &json!([{"type": "tool_result", "tool_use_id": call, "content": result}]));
    }

    fn reads(&mut self) {
        self.uses("Read", &json!({"file_path": "/p/a.rs"}), "fn main() {}");
    }

    fn plans(&mut self, plan: &str) {
        self.uses(
            "TodoWrite",
            &json!({"todos": [{"content": plan, "status": "completed"}]}),
            "Todos were written",
        );
    }
}

/// The receipts of a log: `(address, stage, reason)`.
fn receipts(log: &Log) -> Vec<(String, String, String)> {
    let file = log_of(log.lines.as_bytes());
    let tree = json_of(&["tree", text(file.path()), "--view", "receipts", "--json"]);
    let stages = tree["children"].as_array().unwrap().iter();
    let leaves = stages.flat_map(|stage| stage["children"].as_array().unwrap());
    let word = |leaf: &Value, name: &str| leaf[name].as_str().unwrap().to_owned();
    leaves.map(|leaf| (word(leaf, "address"), word(leaf, "stage"), word(leaf, "reason"))).collect()
}

fn three(address: &str, stage: &str, reason: &str) -> (String, String, String) {
    (address.to_owned(), stage.to_owned(), reason.to_owned())
}

#[test]
fn a_look_that_says_nothing_new_is_a_duplicate_unless_its_file_changed() {
    let mut log = Log::default();
    log.says("go");
    log.reads();
    log.reads();
    let twice = [
        three("r:t4.0", "dedup", "duplicate of t2.0 at t5"),
        three("r:t5.0", "dedup", "duplicate of t3.0 at t5"),
    ];
    assert_eq!(receipts(&log), twice);
    // The file was changed and changed back: what was seen last is what the next edit refers to.
    log.uses("Edit", &json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), "done");
    log.reads();
    assert_eq!(receipts(&log), twice);
}

#[test]
fn a_change_that_says_nothing_is_a_change() {
    let mut log = Log::default();
    log.says("go");
    log.reads();
    log.uses("Edit", &json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), "");
    log.reads();
    assert_eq!(receipts(&log), []);
    // And it has a receipt like any other where its branch was left.
    let mut log = Log::default();
    log.says("go");
    let fork = log.last.clone();
    log.says("this way");
    log.uses("Bash", &json!({"command": "mkdir x"}), "");
    log.last = fork;
    log.says("that way");
    let left: Vec<String> = receipts(&log).into_iter().map(|(address, ..)| address).collect();
    assert_eq!(left, ["r:t2.0", "r:t3.0"]);
}

#[test]
fn local_commands_and_other_conversations_are_no_branches() {
    let mut log = Log::default();
    log.says("go");
    let fork = log.last.clone();
    log.says("<bash-input>git status</bash-input>");
    log.says("<bash-stdout>clean</bash-stdout>");
    log.last = fork;
    log.says("<bash-input>git push</bash-input>");
    let end = log.last.clone();
    log.last = None;
    log.says("something else");
    log.reads();
    log.plans("one");
    log.last = end;
    log.says("and on");
    // What was seen in the other conversation is not in view here.
    log.reads();
    log.plans("two");
    assert_eq!(receipts(&log), []);
}

#[test]
fn pictures_that_look_alike_in_the_log_are_no_duplicates() {
    let mut log = Log::default();
    log.says("go");
    for data in ["AAAA", "BBBB"] {
        let source = json!({"type": "base64", "media_type": "image/png", "data": data});
        let picture = json!([{"type": "image", "source": source}]);
        log.uses("Read", &json!({"file_path": "/p/a.png"}), picture);
    }
    assert_eq!(receipts(&log), []);
}

#[test]
fn a_list_whose_unfinished_items_are_dropped_stays() {
    let mut log = Log::default();
    log.says("go");
    let write = |log: &mut Log, items: &[(&str, &str)]| {
        let items = items.iter().map(|(content, status)| json!({"content": content, "status": status}));
        log.uses("TodoWrite", &json!({"todos": items.collect::<Vec<_>>()}), "Todos were written");
    };
    write(&mut log, &[("one", "completed"), ("two", "pending")]);
    write(&mut log, &[("three", "pending")]);
    assert_eq!(receipts(&log), []);
    // What is done may go.
    write(&mut log, &[("three", "completed")]);
    write(&mut log, &[("four", "pending")]);
    let gone: Vec<String> = receipts(&log).into_iter().map(|(address, ..)| address).collect();
    assert_eq!(gone, ["r:t5.0", "r:t7.0"]);
}

#[test]
fn commands_and_unknown_tools_are_never_duplicates() {
    let mut log = Log::default();
    log.says("go");
    for _ in 0..2 {
        log.uses("Bash", &json!({"command": "cargo test"}), "ok");
        log.uses("Bash", &json!({"command": "git commit -m x"}), "[main 1234567] x");
        log.uses("mcp__thing__act", &json!({"on": 1}), "acted");
        log.uses("Edit", &json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"}), "done");
    }
    assert_eq!(receipts(&log), []);
}

#[test]
fn the_newest_to_do_list_stands_for_all() {
    let mut log = Log::default();
    log.says("go");
    log.plans("one");
    log.plans("two");
    assert_eq!(receipts(&log), [three("r:t3.0", "override", "superseded by t5.0 at t5")]);
    let file = log_of(log.lines.as_bytes());
    let path = text(file.path());
    let context = |as_of: &str| {
        let context = json_of(&["context", path, "--strategy", "context-gc", "--as-of", as_of, "--json"]);
        let entries = context["entries"].as_array().unwrap().clone();
        let kinds = entries.iter().map(|entry| {
            format!("{} {}", entry["kind"].as_str().unwrap(), entry["address"].as_str().unwrap())
        });
        kinds.collect::<Vec<_>>()
    };
    // Before the second list the first is in view: the newest turn never changes what was seen before it.
    assert_eq!(context("t3"), ["turn t1", "turn t2", "turn t3"]);
    assert_eq!(context("t5"), ["turn t1", "receipt r:t3.0", "turn t4", "turn t5"]);
    // The receipt gives back the call and its result, byte for byte.
    let lines: Vec<&str> = log.lines.lines().collect();
    let raw = stdout(&["expand", path, "r:t3.0", "--raw"]);
    assert_eq!(String::from_utf8(raw).unwrap(), format!("{}\n{}\n", lines[1], lines[2]));
}

#[test]
fn a_branch_that_was_left_is_swept_and_its_list_is_in_force_no_more() {
    let mut log = Log::default();
    log.says("go");
    log.plans("one");
    let fork = log.last.clone();
    log.says("do it this way");
    log.plans("two");
    log.last = fork;
    log.says("no, that way");
    let left = receipts(&log);
    let swept = ["r:t4.0", "r:t6.0"].map(|address| three(address, "sweep", "abandoned by t7 at t7"));
    assert_eq!(left, swept);
    log.plans("three");
    assert!(receipts(&log).contains(&three("r:t3.0", "override", "superseded by t9.0 at t9")));
}

/// Every log with fifty calls or more: each receipt has a reason, gives back the bytes of its records, and stands for
/// what another event that is live says too.
#[test]
fn receipts_of_real_logs_hold_what_they_say() {
    let Some(folder) = data("claude-code") else { return };
    let mut logs = 0;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let path = text(&path).to_owned();
        let calls = json_lines(&["turns", &path, "--json"]);
        let is_call = |part: &&Value| part["kind"] == "tool_call";
        let calls = calls
            .iter()
            .flat_map(|turn| turn["parts"].as_array().into_iter().flatten())
            .filter(is_call)
            .count();
        if calls < 50 {
            continue;
        }
        logs += 1;
        let tree = json_of(&["tree", &path, "--view", "receipts", "--json"]);
        let bytes = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for stage in tree["children"].as_array().unwrap() {
            let leaves = stage["children"].as_array().unwrap();
            *seen.entry(stage["label"].as_str().unwrap().to_owned()).or_default() += leaves.len();
            for (place, leaf) in leaves.iter().enumerate() {
                let address = leaf["address"].as_str().unwrap();
                let reason = leaf["reason"].as_str().unwrap();
                assert!(!reason.is_empty() && leaf["turn"].is_u64(), "{path} {address}");
                if place % 5 > 0 {
                    continue;
                }
                let raw = String::from_utf8_lossy(&stdout(&["expand", &path, address, "--raw"])).into_owned();
                assert!(raw.lines().all(|line| bytes.contains(line)), "{path} {address}");
                if leaf["stage"] == "dedup" {
                    let first = reason.split(' ').nth(2).unwrap();
                    let said =
                        |address: &str| json_lines(&["expand", &path, address, "--json"])[0]["text"].clone();
                    assert_eq!(said(address), said(&format!("r:{first}")), "{path} {address}");
                }
            }
        }
    }
    eprintln!("{logs} logs, {seen:?}");
    let kinds: Vec<&str> = seen.keys().map(String::as_str).collect();
    assert_eq!(kinds, ["dedup", "override", "recorded", "sweep"], "{logs} {seen:?}");
    assert!(logs >= 10, "{logs} {seen:?}");
}
