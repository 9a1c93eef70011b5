//! Traces through the command line, and as sessions that are opened and followed.

use std::fmt::Write as _;
use std::io::Write as _;

use pentimento::formats::Format;
use pentimento::session::load::{Feed, News};
use serde_json::{Value, json};

use crate::parity::files;
use crate::support::{fixture, json as json_of, json_lines, log_of, run, stdout, text};

/// A trace of five events; the first line of the second event's text ends in its middle.
const EVENTS: [&str; 5] = [
    r#"{"id": "e1", "type": "requirement", "timestamp": 1, "content": "must be small"}"#,
    "{\"id\": \"e2\", \"type\": \"set_var\",\n \"timestamp\": 2, \"key\": \"port\", \"value\": 80}",
    r#"{"id": "e3", "type": "tool_call", "timestamp": 3, "tool_name": "look", "arguments": {"path": "a.rs"}}"#,
    r#"{"id": "e4", "type": "tool_result", "timestamp": 4, "call_id": "e3", "result": "seen"}"#,
    r#"{"id": "e5", "type": "set_var", "timestamp": 5, "key": "port", "value": 443}"#,
];

fn array() -> String {
    format!("[\n  {}\n]\n", EVENTS.join(",\n  "))
}

fn lines() -> String {
    EVENTS.map(|event| event.replace('\n', "")).join("\n")
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(stdout(arguments)).unwrap()
}

#[test]
fn gc_prints_the_prompt_and_what_became_of_an_event() {
    let file = log_of(array().as_bytes());
    let path = text(file.path());
    let prompt =
        "REQUIREMENT: must be small\n[RECEIPT e2]\nCALL look({'path': 'a.rs'})\nRESULT seen\nport = 443\n";
    assert_eq!(printed(&["gc", path]), prompt);
    let value = json_of(&["gc", path, "--json"]);
    assert_eq!(value["prompt"], prompt.trim_end());
    assert_eq!(value["pruned_ids"], json!(["e2"]));
    assert_eq!(value["receipts"][0]["address"], "r:e2");
    let explained = json_of(&["gc", path, "--explain", "e2", "--json"]);
    assert_eq!((&explained["reason"], &explained["receipt"]), (&json!("superseded by e5"), &json!("r:e2")));
    assert_eq!(explained["event"], EVENTS[1]);
    assert!(printed(&["gc", path, "--diff"]).contains("-port = 80\n+[RECEIPT e2]\n"));
    assert_eq!(run(&["gc", path, "--explain", "none"]).status.code(), Some(4));
}

#[test]
fn a_request_is_printed_and_sent_nowhere() {
    let file = log_of(array().as_bytes());
    let body = |provider: &str| {
        json_of(&["gc", text(file.path()), "--as", provider, "--model", "m-1", "--message", "go on"])
    };
    let prompt = json_of(&["gc", text(file.path()), "--json"])["prompt"].clone();
    let user = json!({"role": "user", "content": "go on"});
    assert_eq!(
        body("anthropic"),
        json!({"model": "m-1", "max_tokens": 1024, "system": prompt, "messages": [user]})
    );
    let system = json!({"role": "system", "content": prompt});
    assert_eq!(body("openai"), json!({"model": "m-1", "messages": [system, user]}));
    assert_eq!(run(&["gc", text(file.path()), "--as", "openai"]).status.code(), Some(2));
}

/// However a trace is written, it opens as a session of an event a turn, and its bytes are found again.
#[test]
fn a_trace_opens_as_a_session() {
    let wrapped = format!("{{\"probes\": {{\"a\": [1]}}, \"events\": {}}}", array().trim_end());
    for trace in [array(), lines(), wrapped, format!("[{}]", lines().replace('\n', ","))] {
        let file = log_of(trace.as_bytes());
        let path = text(file.path());
        let info = json_of(&["info", path, "--json"]);
        assert_eq!(
            (&info["format"], &info["turns"], &info["malformed"]),
            (&json!("context-gc"), &json!(5), &json!(0)),
            "{trace}"
        );
        let turns = json_lines(&["turns", path, "--json"]);
        for (turn, event) in turns.iter().zip(EVENTS) {
            let offset = turn["offset"].as_u64().unwrap() as usize;
            let event = if trace.contains(EVENTS[1]) { event.to_owned() } else { event.replace('\n', "") };
            assert!(trace[offset..].starts_with(&event), "{turn}");
            let raw = printed(&["expand", path, turn["address"].as_str().unwrap(), "--raw"]);
            assert_eq!(raw, format!("{event}\n"));
            let line = turn["line"].as_u64().unwrap() as usize;
            assert_eq!(line, 1 + trace[..offset].matches('\n').count(), "{trace}");
        }
        assert_eq!(json_lines(&["expand", path, "t4", "--json"])[0]["text"], "seen");
        assert!(printed(&["tree", path]).contains("must be small"));
        // The call and its result know each other.
        assert!(
            printed(&["tree", path, "--view", "receipts"])
                .contains("r:e2  port = 80  (pruned: superseded by e5)")
        );
        let context = json_of(&["context", path, "--strategy", "context-gc", "--as-of", "t4", "--json"]);
        assert!(context["entries"].as_array().unwrap().iter().all(|entry| entry["kind"] == "turn"));
        let context = json_of(&["context", path, "--strategy", "context-gc", "--as-of", "t5", "--json"]);
        assert_eq!(context["entries"][1]["address"], "r:e2", "{context}");
        let told = printed(&["context", path, "--strategy", "context-gc"]);
        let after = format!("{} after", context["tokens"]);
        assert!(told.contains(&after), "{told} {context}");
        // Programs get the same entries whether or not they name the last turn.
        let whole = json_of(&["context", path, "--strategy", "context-gc", "--json"]);
        assert_eq!(whole, context);
        let event = printed(&["expand", path, "r:e2"]);
        assert!(trace.contains(event.trim_end()), "{event}");
    }
}

/// A cycle is called by a name in the reasons of its events: that name leads to them. What a stage took is the same sum
/// for the trace as a whole and as of its last turn.
#[test]
fn the_name_of_a_cycle_leads_to_its_events() {
    let event = |id: &str, parent: &str, importance: &str| {
        format!(
            r#"{{"id": "{id}", "type": "decision", "timestamp": 1, "parent_id": "{parent}"{importance}, "content": "say {id} in more words than a name has"}}"#
        ) + "\n"
    };
    let trace =
        event("c1", "c3", r#", "importance": "critical""#) + &event("c2", "c1", "") + &event("c3", "c2", "");
    let file = log_of(trace.as_bytes());
    let path = text(file.path());
    let tree = json_of(&["tree", path, "--view", "receipts", "--json"]);
    let reason = tree["children"][0]["children"][0]["reason"].as_str().unwrap();
    let name = reason.split(' ').find(|word| word.starts_with("cluster_")).unwrap().trim_end_matches(';');
    let events = printed(&["expand", path, &format!("r:{name}")]);
    assert_eq!(events.lines().count(), 3, "{events}");
    let then = json_of(&["tree", path, "--view", "receipts", "--as-of", "t3", "--json"]);
    assert_eq!(tree["children"][0]["tokens"], then["children"][0]["tokens"]);
    assert!(tree["children"][0]["tokens"].as_u64().unwrap() > 0);
    let told = printed(&["tree", path, "--view", "receipts"]);
    assert!(told.contains("2 pruned, 1 protected"), "{told}");
}

#[test]
fn what_is_no_event_is_a_row_with_its_reason() {
    let trace =
        format!("{}\n{{\"id\": \"x\", \"type\": \"build_run\", \"timestamp\": 6}}\n{{\"id\"", lines());
    let file = log_of(trace.as_bytes());
    let info = json_of(&["info", text(file.path()), "--json"]);
    assert_eq!((&info["turns"], &info["malformed"]), (&json!(5), &json!(2)));
    let reasons = info["malformed_lines"].to_string();
    assert!(reasons.contains("Missing required fields for build_run: ['exit_code']"), "{reasons}");
    // What is in no figure is said.
    let tree = run(&["tree", text(file.path()), "--view", "receipts"]);
    let told = String::from_utf8_lossy(&tree.stderr);
    assert!(tree.status.success() && told.contains("2 events left out"), "{told}");
}

/// A trace that grows gives at every step what is there, and in the end what is there when it is read at once.
#[test]
fn a_trace_is_followed() {
    for trace in [lines(), array()] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let mut feed = Feed::new(&path);
        let mut file = std::fs::File::create(&path).unwrap();
        let (mut turns, mut seen) = (0, Vec::new());
        for bytes in trace.as_bytes().chunks(7) {
            file.write_all(bytes).unwrap();
            for _ in 0..4 {
                match feed.next(&path) {
                    News::Records(format, records) => {
                        assert_eq!(format, Format::ContextGc);
                        turns += records.len();
                        seen.extend(records.into_iter().map(|(line, _)| line.offset));
                    }
                    News::Epoch(_) => (turns, seen) = (0, Vec::new()),
                    News::Unreadable(error) => panic!("{error}"),
                    _ => {}
                }
            }
        }
        let offsets: Vec<u64> = json_lines(&["turns", text(&path), "--json"])
            .iter()
            .map(|turn| turn["offset"].as_u64().unwrap())
            .collect();
        assert_eq!((turns, seen), (5, offsets));
    }
}

/// A writer of arrays writes over the closing bracket: the events before it are not lost and not doubled.
#[test]
fn an_array_that_is_written_again_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let mut feed = Feed::new(&path);
    let mut count = 0;
    for known in 1..=EVENTS.len() {
        std::fs::write(&path, format!("[{}]", EVENTS[..known].join(","))).unwrap();
        for _ in 0..6 {
            match feed.next(&path) {
                News::Records(_, records) => count += records.len(),
                News::Epoch(_) => count = 0,
                _ => {}
            }
        }
        assert_eq!(count, known);
    }
}

/// Every recorded trace opens, with each event in it, and its receipts give back the bytes of the file.
#[test]
fn recorded_traces_open() {
    for path in ["traces", "benchmark", "edge"].iter().flat_map(|folder| files(folder)) {
        let bytes = std::fs::read_to_string(&path).unwrap();
        let events = crate::parity::events(&path);
        if events.is_empty() {
            continue;
        }
        let path = text(&path);
        assert_eq!(json_of(&["info", path, "--json"])["turns"], json!(events.len()), "{path}");
        let tree = json_of(&["tree", path, "--view", "receipts", "--json"]);
        let stages = tree["children"].as_array().unwrap();
        for leaf in stages.iter().flat_map(|stage| stage["children"].as_array().unwrap()).take(5) {
            let address = leaf["address"].as_str().unwrap();
            for line in json_lines(&["expand", path, address, "--json"]) {
                assert!(bytes.contains(line["text"].as_str().unwrap()), "{path} {address}");
            }
        }
    }
}

/// What the agent itself took out of view is a receipt that the log records.
#[test]
fn microcompactions_are_recorded_receipts() {
    let log = fixture("microcompaction.jsonl");
    let path = text(&log);
    let tree = json_of(&["tree", path, "--view", "receipts", "--json"]);
    let recorded: Vec<&Value> =
        tree["children"].as_array().unwrap().iter().filter(|stage| stage["recorded"] == true).collect();
    assert_eq!(recorded.len(), 1, "{tree}");
    let leaves = recorded[0]["children"].as_array().unwrap();
    let info = json_of(&["info", path, "--json"]);
    let cleared: usize = info["microcompactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|clearing| clearing["cleared"].as_array().unwrap().len())
        .sum();
    assert!(cleared > 0 && leaves.len() >= cleared, "{tree} {info}");
    let mut told = String::new();
    for leaf in leaves {
        assert!(leaf["reason"].as_str().unwrap().starts_with("cleared by the agent (L"), "{leaf}");
        write!(told, "{}", printed(&["expand", path, leaf["address"].as_str().unwrap()])).unwrap();
    }
    assert!(!told.is_empty());
}
