//! The cold forest through the doors people use: files and their breaches, sessions, settings, saving and going on.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pentimento::session::open::OpenLog;
use pentimento::strategies::union_find::ColdForest;
use pentimento::strategies::union_find::check::breaches;
use pentimento::strategies::union_find::exchange::Content;
use pentimento::strategies::union_find::file;
use pentimento::strategies::union_find::forest::Stamp;
use pentimento::strategies::union_find::health::Health;
use pentimento::strategies::union_find::replay::Replay;
use pentimento::strategies::union_find::saved;
use pentimento::strategies::union_find::settings::{Cap, Preset, Settings, Vectors};
use proptest::prelude::*;
use serde_json::Value;

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn pentimento(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pentimento"))
        .args(arguments)
        .env("PENTIMENTO_STATE", std::env::temp_dir().join("pentimento-forests"))
        .output()
        .unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = pentimento(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A healthy file, written by hand.
const LEGAL: &str = r#"{"nodes": {"4": {"content": "port 5432", "embedding": [1.0, 0.0], "timestamp": null, "parent": 9, "rank": 0}, "9": {"content": "port 5433", "embedding": [0.8, 0.6], "timestamp": null, "parent": null, "rank": 1}, "11": {"content": "lunch", "embedding": [0.0, 1.0], "timestamp": null, "parent": null, "rank": 0}}, "summaries": {"9": "ports", "4": "stale"}, "children": {"9": [9, 4], "11": [11]}, "centroids": {"9": [0.9, 0.3], "11": [0.0, 1.0]}}"#;

fn kinds(text: &str) -> Vec<(&'static str, Vec<i64>)> {
    breaches(&file::read(text.as_bytes()).unwrap()).into_iter().map(|b| (b.kind, b.ids)).collect()
}

#[test]
fn each_defect_is_one_breach_with_its_ids() {
    assert_eq!(kinds(LEGAL), []);
    for (from, to, kind, ids) in [
        ("\"parent\": 9", "\"parent\": 77", "parent-missing", vec![4, 77]),
        ("\"parent\": null, \"rank\": 1", "\"parent\": 4, \"rank\": 1", "parent-cycle", vec![4, 9]),
        ("\"11\": [11]", "\"11\": [11, 4]", "member-in-two", vec![4, 9, 11]),
        ("[9, 4]", "[9]", "in-no-cluster", vec![4, 9]),
        ("[9, 4]", "[9, 4, 5]", "member-missing", vec![5, 9]),
        ("[0.9, 0.3]", "[0.5, 0.3]", "centroid-off", vec![9]),
        ("[0.9, 0.3]", "[0.9, NaN]", "not-a-number", vec![9]),
        ("[0.9, 0.3]", "[0.9]", "centroid-off", vec![9]),
        ("\"9\": \"ports\", ", "", "summary-missing", vec![9]),
        ("\"rank\": 1", "\"rank\": 2", "rank", vec![9]),
        (", \"11\": [0.0, 1.0]}", "}", "centroid-missing", vec![11]),
        ("\"11\": [0.0, 1.0]}", "\"11\": [0.0, 1.0], \"4\": [1.0, 0.0]}", "centroid-of-none", vec![4]),
    ] {
        let broken = LEGAL.replacen(from, to, 1);
        assert_ne!(broken, LEGAL, "{kind}");
        assert_eq!(kinds(&broken), [(kind, ids)], "{from} -> {to}");
    }
}

#[test]
fn every_broken_file_has_its_one_defect_named() {
    for (name, kind, ids) in [
        ("centroid_mismatch", "centroid-off", vec![1]),
        ("dangling_parent", "parent-missing", vec![0, 77]),
        ("member_in_two_clusters", "member-in-two", vec![0, 1, 2]),
        ("member_missing_from_children", "in-no-cluster", vec![0, 1]),
        ("member_node_missing", "member-missing", vec![0, 1]),
        ("merged_cluster_without_summary", "summary-missing", vec![1]),
        ("nan_literal", "not-a-number", vec![0]),
        ("parent_cycle", "parent-cycle", vec![2, 3]),
    ] {
        let Some(path) = data(&format!("forests/broken/{name}.json")) else { return };
        let tree = json(&["tree", path.to_str().unwrap(), "--json"]);
        let found: Vec<(&str, Value)> = tree["breaches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|breach| (breach["kind"].as_str().unwrap(), breach["ids"].clone()))
            .collect();
        assert_eq!(found, [(kind, serde_json::json!(ids))], "{name}");
        let plain = pentimento(&["tree", path.to_str().unwrap(), "--view", "forest"]);
        assert!(String::from_utf8_lossy(&plain.stdout).contains(&format!("! {kind}: ")));
        assert!(pentimento(&["ask", path.to_str().unwrap(), "which port?"]).status.success());
    }
    for name in [
        "broken/stale_summary_non_root",
        "forest_v3_tiny",
        "forest_v3_long200_t0.15_cap10",
        "forest_v3_short50_t0.15_cap10_no_timestamps",
    ] {
        let Some(path) = data(&format!("forests/{name}.json")) else { return };
        let tree = json(&["tree", path.to_str().unwrap(), "--view", "forest", "--json"]);
        assert_eq!(tree["breaches"], serde_json::json!([]), "{name}");
        assert_eq!(tree["health"]["nan"], 0);
    }
}

#[test]
fn a_forest_file_expands_by_its_own_ids() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.json");
    std::fs::write(&path, LEGAL).unwrap();
    let path = path.to_str().unwrap();
    let expand = |address: &str| String::from_utf8(pentimento(&["expand", path, address]).stdout).unwrap();
    assert_eq!(expand("c4"), "── t9\nport 5433\n\n── t4\nport 5432\n\n");
    assert_eq!(expand("t11"), "── t11\nlunch\n\n");
    assert_eq!(pentimento(&["expand", path, "c5"]).status.code(), Some(4));
    assert_eq!(pentimento(&["tree", path, "--as-of", "3"]).status.code(), Some(2));
}

fn sentences() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "port",
        "database",
        "lunch",
        "deploy",
        "src/main.rs",
        "parseConfig",
        "the",
        "and",
        "5432",
        "login",
        "token",
    ]);
    let sentence = prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "));
    prop::collection::vec(sentence, 1..90)
}

fn presets() -> impl Strategy<Value = Settings> {
    let cap = prop::sample::select(vec![Cap::Fixed(3), Cap::Fixed(10), Cap::Root]);
    (any::<bool>(), 1..12_u32, cap).prop_map(|(balanced, hot, cap)| Settings {
        hot,
        cap,
        ..Settings::of(if balanced { Preset::Balanced } else { Preset::Reference })
    })
}

fn build(settings: Settings, texts: &[String]) -> ColdForest {
    let mut forest = ColdForest::new(settings);
    for (at, text) in (1..).zip(texts) {
        forest.append(text, at);
    }
    forest
}

fn shape(forest: &ColdForest, at: Stamp) -> Vec<Vec<u32>> {
    let inner = forest.forest();
    inner.roots(at).into_iter().map(|root| inner.members(root, at)).collect()
}

proptest! {
    #[test]
    fn as_of_a_message_is_the_forest_of_those_messages(
        texts in sentences(), settings in presets(), n in 0..90_usize,
    ) {
        let n = n.min(texts.len());
        let whole = build(settings, &texts);
        let early = build(settings, &texts[..n]);
        prop_assert_eq!(shape(&whole, n as u32), shape(&early, Stamp::MAX));
        let members: Vec<u32> = shape(&whole, n as u32).concat();
        let mut sorted = members.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..early.forest().len() as u32).collect::<Vec<_>>());
        prop_assert_eq!(&whole.forest().unions()[..early.forest().unions().len()], early.forest().unions());
    }

    #[test]
    fn saved_and_gone_on_is_never_saved(texts in sentences(), settings in presets(), n in 0..90_usize) {
        let n = n.min(texts.len());
        let straight = build(settings, &texts);
        let first = build(settings, &texts[..n]);
        let content = |text: &String| Content { text: text.clone(), time: None };
        let cold: Vec<Content> = texts[..first.forest().len()].iter().map(content).collect();
        let hot: Vec<Content> = texts[first.forest().len()..n].iter().map(content).collect();
        let bytes = saved::write(&first, &cold, &hot).unwrap();
        let read = saved::read(&bytes).unwrap();
        prop_assert_eq!(saved::write(&read.forest, &read.cold, &read.hot).unwrap(), bytes);
        let mut gone_on = read.forest;
        for (at, text) in (n as u32 + 1..).zip(&texts[n..]) {
            gone_on.append(text, at);
        }
        // Similarities are held to the last bit: sums are made in the same order.
        prop_assert_eq!(gone_on.forest().unions(), straight.forest().unions());
        prop_assert_eq!(shape(&gone_on, Stamp::MAX), shape(&straight, Stamp::MAX));
        prop_assert_eq!(gone_on.next(), straight.next());
    }

    #[test]
    fn no_file_makes_it_panic(at in 0..LEGAL.len(), with in "[\\[\\]{},:\"0-9a-zN-]{0,6}", cut in 0..12_usize) {
        let mut text = LEGAL.to_owned();
        let end = (at + cut).min(text.len());
        text.replace_range(at..end, &with);
        if let Ok(file) = file::read(text.as_bytes()) {
            breaches(&file);
        }
        let _ = saved::read(text.as_bytes());
    }
}

#[test]
fn the_balanced_rule_keeps_its_bound_whatever_comes() {
    let same: Vec<String> = vec!["+1".to_owned(); 300];
    let empty: Vec<String> = vec![String::new(); 300];
    let apart: Vec<String> = (0..300).map(|n| format!("word{n}")).collect();
    for texts in [same, empty, apart] {
        let forest = build(Settings::default(), &texts);
        for at in 1..=300 {
            let health = Health::of(&forest, at);
            let bound = (0.35 * f64::from(health.cold)) as u32;
            assert!(health.largest <= bound.max(4), "{health:?} at {at}");
        }
    }
}

#[test]
fn balanced_forests_of_real_conversations_are_balanced() {
    let Some(folder) = data("threads") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let log = OpenLog::load(&path).unwrap();
        let replay = Replay::of(&log, Settings::default(), log.session.last()).unwrap();
        let mut ever: f64 = 0.0;
        for at in 1..=log.session.last() {
            let health = Health::of(replay.forest(), at);
            if health.cold >= 30 {
                ever = ever.max(health.largest_share());
            }
        }
        let last = Health::of(replay.forest(), Stamp::MAX);
        println!(
            "{}: {} cold, at the end {:.3}, ever {ever:.3}",
            path.display(),
            last.cold,
            last.largest_share()
        );
        assert!(ever <= 0.35, "{}: {ever}", path.display());
        assert!(last.largest_share() <= 0.25, "{}: {}", path.display(), last.largest_share());
        assert!(last.clusters <= 10);
        seen += 1;
    }
    assert!(seen >= 8);
}

#[test]
fn a_session_as_of_a_turn_is_the_session_up_to_there() {
    let Some(path) = data("claude-code/v2.1.17-two-compactions.jsonl") else { return };
    let log = OpenLog::load(&path).unwrap();
    for settings in [Settings::default(), Settings::of(Preset::Reference)] {
        let whole = Replay::of(&log, settings, log.session.last()).unwrap();
        for turn in [1, 40, 133, 300, log.session.last()] {
            let early = Replay::of(&log, settings, turn).unwrap();
            assert_eq!(shape(whole.forest(), turn), shape(early.forest(), Stamp::MAX), "t{turn}");
            assert_eq!(whole.context(&log.session, turn), early.context(&log.session, turn), "t{turn}");
            let hot = |replay: &Replay| replay.hot(turn).iter().map(|m| m.turns).collect::<Vec<_>>();
            assert_eq!(hot(&whole), hot(&early));
        }
        // Nothing is in two places, and nothing of the path is lost.
        let mut seen: Vec<u32> = Vec::new();
        for root in whole.forest().forest().roots(Stamp::MAX) {
            seen.extend(
                whole.turns(&log.session, root, Stamp::MAX).iter().map(|id| log.session.turn(*id).number),
            );
        }
        seen.extend(whole.hot(Stamp::MAX).iter().flat_map(|m| m.turns.0..=m.turns.1));
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count, "a turn is in one place");
    }
}

#[test]
fn a_call_and_its_results_are_one_message() {
    let Some(path) = data("claude-code/v2.1.17-two-compactions.jsonl") else { return };
    let log = OpenLog::load(&path).unwrap();
    let replay = Replay::of(&log, Settings::default(), log.session.last()).unwrap();
    let role = |number| log.session.turn(log.session.numbered(0, number).unwrap()).role.name();
    let pairs = replay.messages().iter().filter(|m| m.turns.0 < m.turns.1).count();
    assert!(pairs > 100, "{pairs}");
    for message in replay.messages() {
        let (from, to) = message.turns;
        assert!((from + 1..=to).all(|number| matches!(role(number), "tool" | "assistant")), "{message:?}");
        assert!((from..=to).all(|number| role(number) != "summary"));
    }
}

#[test]
fn no_file_is_replaced_that_is_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (0..30).map(|n| format!("message {n} speaks of port {}", n % 5)).collect();
    let log = conversation(folder.path(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "my notes").unwrap();
    let path = file.to_str().unwrap();
    let tree = |more: &[&str]| {
        let arguments = [&["tree", &log, "--view", "forest"], more].concat();
        let output = pentimento(&arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for option in ["--write", "--save"] {
        let (status, said) = tree(&[option, path]);
        assert!(status == Some(2) && said.contains("--force replaces it"), "{said}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "my notes");
        // Logs are only read, and folders are no files, whatever is said.
        let before = std::fs::read(&log).unwrap();
        let (status, said) = tree(&[option, &log, "--force"]);
        assert!(status == Some(2) && said.contains("is the log itself"), "{said}");
        assert_eq!(std::fs::read(&log).unwrap(), before);
        let (status, said) = tree(&[option, folder.path().to_str().unwrap(), "--force"]);
        assert!(status == Some(2) && said.contains("is no file"), "{said}");
    }
    assert_eq!(tree(&["--save", path, "--force"]).0, Some(0));
    assert!(saved::is_one(&std::fs::read(&file).unwrap()));
    // What --save wrote it replaces; --write does not.
    assert_eq!(tree(&["--save", path]).0, Some(0));
    assert_eq!(tree(&["--write", path]).0, Some(2));
    assert_eq!(tree(&["--write", path, "--force"]).0, Some(0));
    assert_eq!(tree(&["--save", path]).0, Some(2), "a forest of the published format may be somebody else's");
    assert_eq!(tree(&["--force"]).0, Some(2));
}

fn conversation(folder: &Path, messages: &[&str]) -> String {
    let path = folder.join("conversation.json");
    std::fs::write(&path, serde_json::json!({"title": "Ports", "messages": messages}).to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn written_and_saved_forests_open_again() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> =
        (0..40).map(|n| format!("message {n} speaks of port {} and host h{}", n % 5, n % 3)).collect();
    let log = conversation(folder.path(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (v3, own) = (folder.path().join("v3.json"), folder.path().join("own.json"));
    let (v3, own) = (v3.to_str().unwrap(), own.to_str().unwrap());
    let tree = json(&["tree", &log, "--view", "forest", "--json", "--write", v3, "--save", own]);
    let sizes = |tree: &Value| {
        let children = tree["children"].as_array().unwrap().iter();
        let clusters = children.filter(|child| child["kind"] == "cluster");
        clusters.map(|child| child["size"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(tree["health"]["cold"], 30);
    let foreign = json(&["tree", v3, "--json"]);
    assert_eq!(foreign["breaches"], serde_json::json!([]), "what is written is healthy");
    assert_eq!((sizes(&foreign), &foreign["version"]), (sizes(&tree), &serde_json::json!(3)));
    let saved = json(&["tree", own, "--json"]);
    assert_eq!(sizes(&saved), sizes(&tree));
    assert_eq!(saved["health"], tree["health"]);
    for path in [log.as_str(), own] {
        let asked = json(&["ask", path, "what of message 7?", "--budget", "120", "--json"]);
        assert!(asked["tokens"].as_u64().unwrap() <= 130, "{asked}");
        assert!(asked["messages"][0]["text"].as_str().unwrap().starts_with("message 7 "), "{asked}");
    }
    let whole = json(&["ask", &log, "what of message 7?", "--json"]);
    assert_eq!((&whole["whole"], whole["messages"].as_array().unwrap().len()), (&Value::Bool(true), 30));
}

#[test]
fn two_files_are_not_written_under_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let log = conversation(folder.path(), &["one thing", "another thing"]);
    let target = folder.path().join("forest.json");
    let dotted = folder.path().join(".").join("forest.json");
    for save in [&target, &dotted] {
        let output = pentimento(&[
            "tree",
            &log,
            "--view",
            "forest",
            "--write",
            target.to_str().unwrap(),
            "--save",
            save.to_str().unwrap(),
        ]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(!target.exists());
    }
}

/// A chain of parents of this length, of which each node hangs on the next.
fn chain(length: usize) -> Value {
    let node = |place: usize| {
        let parent = (place + 1 < length).then_some(place + 1);
        let node = serde_json::json!({"content": format!("m{place}"), "embedding": [1.0], "timestamp": "2026-03-14T09:00:00Z",
            "parent": parent, "rank": 0});
        (place.to_string(), node)
    };
    let root = (length - 1).to_string();
    let of_root = |value: Value| Value::Object([(root.clone(), value)].into_iter().collect());
    serde_json::json!({
        "nodes": (0..length).map(node).collect::<serde_json::Map<_, _>>(),
        "summaries": of_root("all".into()),
        "children": of_root((0..length).collect()),
        "centroids": of_root(serde_json::json!([1.0])),
    })
}

/// Following the parents of every node to the end would take five billion steps here.
#[test]
fn a_long_chain_of_parents_is_followed_once() {
    let file = file::read(chain(100_000).to_string().as_bytes()).unwrap();
    assert_eq!(breaches(&file), []);
}

#[test]
fn what_forced_the_unions_of_a_foreign_file_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.json");
    std::fs::write(&path, chain(4).to_string()).unwrap();
    let path = path.to_str().unwrap();
    let tree = json(&["tree", path, "--json"]);
    assert_eq!((&tree["health"]["unions"], &tree["health"]["forced"]), (&3.into(), &Value::Null), "{tree}");
    let told = pentimento(&["tree", path]);
    assert!(String::from_utf8_lossy(&told.stdout).contains("forced –/3"), "{told:?}");
}

#[test]
fn a_recorded_summary_is_neither_hot_nor_a_turn_that_is_not_closed() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl");
    let demo = demo.to_str().unwrap();
    // t156 is a summary, behind two hot messages.
    let hot = json(&["ask", demo, "enum", "--json"])["hot_tokens"].as_u64().unwrap();
    let turns = pentimento(&["turns", demo, "--json"]);
    let turns = String::from_utf8(turns.stdout).unwrap();
    let tokens = |turn: &Value| turn["tokens"].as_u64().unwrap();
    let after: u64 = turns
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|turn| {
            (154..=175).any(|number| turn["address"] == format!("t{number}")) && turn["address"] != "t156"
        })
        .map(|turn| tokens(&turn))
        .sum();
    assert_eq!(hot, after);
    let tree = pentimento(&["tree", demo, "--view", "forest", "--as-of", "t156", "--depth", "2"]);
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert!(!tree.contains("not closed"), "{tree}");
}

#[test]
fn a_question_that_nothing_is_like_is_said_to_be_in_vain() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl");
    let demo = demo.to_str().unwrap();
    let alike = |question: &str| json(&["ask", demo, question, "--json"])["alike"].as_bool().unwrap();
    assert!(alike("the enum of the status column") && !alike("xylophone"));
    let told = pentimento(&["ask", demo, "xylophone"]);
    assert!(String::from_utf8_lossy(&told.stdout).contains("no word of the question tells anything here"));
    assert_eq!(pentimento(&["ask", demo, "  "]).status.code(), Some(2));
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = conversation(folder.path(), &["a", "b"]);
    for arguments in [
        vec!["tree", &log, "--view", "forest", "--threshold", "0.3"],
        vec!["tree", &log, "--view", "forest", "--cap", "none"],
        vec!["tree", &log, "--view", "forest", "--cap", "0"],
        vec!["tree", &log, "--view", "forest", "--preset", "reference", "--threshold", "7"],
        vec!["tree", &log, "--write", "x.json"],
        vec!["context", &log, "--hot", "3"],
        vec!["context", &log, "--strategy", "truncate", "--hot", "3", "--budget", "9"],
    ] {
        assert_eq!(pentimento(&arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(pentimento(&["expand", &log, "c1"]).status.code(), Some(4));
}

#[test]
fn the_command_line_gives_the_published_sizes() {
    let Some(path) = data("threads/conversation_long_200.json") else { return };
    let path = path.to_str().unwrap();
    let base = ["tree", path, "--view", "forest", "--json", "--preset", "reference", "--vectors", "fitted"];
    let sizes = |more: &[&str]| {
        let tree = json(&[&base[..], more].concat());
        let children = tree["children"].as_array().unwrap().iter();
        let mut sizes: Vec<u64> =
            children.filter(|c| c["kind"] == "cluster").map(|c| c["size"].as_u64().unwrap()).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    };
    assert_eq!(sizes(&[]), [168, 8, 4, 2, 2, 2, 1, 1, 1, 1]);
    assert_eq!(sizes(&["--threshold", "0.3", "--cap", "none"]).len(), 66);
}

#[test]
fn a_cluster_expands_sums_up_and_traces() {
    let Some(path) = data("claude-code/v2.1.17-two-compactions.jsonl") else { return };
    let path = path.to_str().unwrap();
    let tree = json(&["tree", path, "--view", "forest", "--json", "--depth", "2"]);
    let cluster = tree["children"].as_array().unwrap().iter().find(|c| c["kind"] == "cluster").unwrap();
    let address = cluster["address"].as_str().unwrap();
    let members: Vec<u64> =
        cluster["members"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let lines = |arguments: &[&str]| -> Vec<Value> {
        let output = pentimento(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let expanded = lines(&["expand", path, address, "--json"]);
    let turns: Vec<String> =
        expanded.iter().map(|line| line["address"].as_str().unwrap().to_owned()).collect();
    assert_eq!(turns, members.iter().map(|n| format!("t{n}")).collect::<Vec<_>>());
    let summary = lines(&["expand", path, address, "--summary", "--json"]).remove(0);
    let within = |turn: &Value| members.contains(&turn.as_u64().unwrap());
    let rests =
        summary["lines"].as_array().unwrap().iter().flat_map(|line| line["turns"].as_array().unwrap());
    assert!(rests.clone().count() > 0 && rests.clone().all(within), "{summary}");
    let traced = lines(&["trace", path, address, "--json"]);
    assert!(traced.iter().any(|line| !line["sources"].as_array().unwrap().is_empty()));
    let one = lines(&["trace", path, &format!("{address}.s1"), "--json"]);
    assert_eq!(one.len(), 1);
}

#[test]
fn fitted_vectors_leave_out_what_was_not_fitted() {
    let settings = Settings { vectors: Vectors::Fitted, hot: 1, ..Settings::of(Preset::Reference) };
    let mut forest = ColdForest::fitted(settings, ["one two"].into_iter());
    forest.append("one three", 1);
    forest.append("four", 2);
    forest.append("five", 3);
    assert_eq!((forest.vector(0).len(), forest.vector(1).len()), (1, 0));
}

#[test]
fn a_message_that_is_given_is_not_given_again_with_its_cluster() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved.json");
    let (demo, saved) = (demo.to_str().unwrap(), saved.to_str().unwrap());
    assert!(pentimento(&["tree", demo, "--view", "forest", "--save", saved]).status.success());
    let mut rests = 0;
    for path in [demo, saved] {
        for budget in ["1000", "4000", "8000", "12000"] {
            let reading = json(&["ask", path, "why is the listing slow?", "--budget", budget, "--json"]);
            assert!(!reading["whole"].as_bool().unwrap());
            let messages = reading["messages"].as_array().unwrap().iter();
            let given: Vec<&str> = messages
                .filter(|message| !message["cut"].as_bool().unwrap())
                .filter_map(|message| message["text"].as_str().filter(|text| text.len() > 60))
                .collect();
            for cluster in reading["clusters"].as_array().unwrap() {
                rests += u32::from(cluster["rest"].as_bool().unwrap() && cluster["given"] == "whole");
                let text = cluster["text"].as_str().unwrap();
                let again = given.iter().find(|said| cluster["given"] == "whole" && text.contains(**said));
                assert_eq!(again, None, "{budget}");
            }
        }
    }
    assert!(rests > 0, "no cluster was given but for what was given before");
}

#[test]
fn the_hot_window_of_a_saved_forest_is_there() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved.json");
    let path = saved.to_str().unwrap();
    assert!(
        pentimento(&["tree", demo.to_str().unwrap(), "--view", "forest", "--save", path]).status.success()
    );
    let hot = json(&["tree", path, "--json"])["hot"].as_array().unwrap().clone();
    assert_eq!(hot.len(), 10);
    let told = String::from_utf8(pentimento(&["tree", path]).stdout).unwrap();
    assert!(told.contains("hot · 10 messages"), "{told}");
    let refused = pentimento(&["context", path]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("this is a forest's file"));
    for number in hot {
        let message = json(&["expand", path, &format!("t{number}"), "--json"]);
        assert!(!message["text"].as_str().unwrap().is_empty(), "{message}");
    }
}
