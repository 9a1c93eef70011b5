//! `reference` gives what 0.3.0 was recorded to give.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pentimento::strategies::context_gc::{Compacted, Event, Mode, compact_events, read};
use serde_json::Value;

use crate::support::data;

/// The files of a folder of the data, sorted.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let Some(folder) = data(&format!("context-gc/{folder}")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

pub fn events(path: &Path) -> Vec<Event> {
    read(&std::fs::read(path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display())).events
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn map(value: &Value) -> BTreeMap<String, String> {
    value.as_object().unwrap().iter().map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned())).collect()
}

/// Compares with a record, which may leave some things out.
fn agree(name: &str, compacted: &Compacted, recorded: &Value) {
    assert_eq!(compacted.prompt, recorded["prompt"].as_str().unwrap(), "{name}");
    assert_eq!(compacted.tokens_before, recorded["tokens_before"].as_u64().unwrap(), "{name}");
    assert_eq!(compacted.tokens_after, recorded["tokens_after"].as_u64().unwrap(), "{name}");
    assert_eq!(compacted.pruned_ids, texts(&recorded["pruned_ids"]), "{name}");
    assert_eq!(compacted.protected_ids, texts(&recorded["protected_ids"]), "{name}");
    assert_eq!(compacted.live_ids, texts(&recorded["live_ids"]), "{name}");
    assert_eq!(compacted.prune_reasons, map(&recorded["prune_reasons"]), "{name}");
    if recorded["protected_reasons"].is_object() {
        assert_eq!(compacted.protected_reasons, map(&recorded["protected_reasons"]), "{name}");
    }
    if let Some(receipts) = recorded["receipts"].as_array() {
        let stubs: Vec<&str> = receipts.iter().map(|stub| stub["target_id"].as_str().unwrap()).collect();
        let single = compacted.receipts.iter().filter(|receipt| receipt.members == [receipt.id.clone()]);
        assert_eq!(single.map(|receipt| &*receipt.id).collect::<Vec<_>>(), stubs, "{name}");
    }
}

#[test]
fn recorded_traces_and_benchmarks() {
    let mut compared = 0;
    for path in files("golden") {
        let recorded: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let inputs = ["traces", "benchmark"].map(|folder| path.with_file_name(format!("../{folder}/{name}")));
        let inputs = inputs.map(|input| {
            path.parent()
                .unwrap()
                .parent()
                .unwrap()
                .join(input.strip_prefix(path.parent().unwrap()).unwrap().strip_prefix("..").unwrap())
        });
        let input = inputs.iter().find(|input| input.exists()).expect("an input");
        agree(name, &compact_events(&events(input), Mode::Reference).unwrap(), &recorded);
        compared += 1;
    }
    assert!(compared == 10 || data("context-gc").is_none(), "{compared} compared");
}

#[test]
fn recorded_edge_cases() {
    let mut compared = 0;
    for path in files("edge") {
        let file: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let recorded = &file["observed_upstream_0_3_0"];
        let name = path.file_name().unwrap().to_str().unwrap();
        match compact_events(&events(&path), Mode::Reference) {
            Ok(compacted) => agree(name, &compacted, recorded),
            Err(error) => assert_eq!(format!("ValueError: {error}"), recorded["error"].as_str().unwrap()),
        }
        compared += 1;
    }
    assert!(compared == 12 || data("context-gc").is_none(), "{compared} compared");
}

/// The means over the benchmark files that are there, as sums and counts: 74.5, 296.0 and 1071.5.
#[test]
fn benchmark_means() {
    let mut tokens: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for path in files("benchmark") {
        let after = compact_events(&events(&path), Mode::Reference).unwrap().tokens_after;
        let length = ["short", "medium", "long"]
            .into_iter()
            .find(|length| path.file_stem().unwrap().to_str().unwrap().ends_with(length));
        tokens.entry(length.unwrap()).or_default().push(after);
    }
    let mean = |length: &str| {
        let all = &tokens[length];
        (all.iter().sum::<u64>(), all.len())
    };
    if !tokens.is_empty() {
        assert_eq!([mean("short"), mean("medium"), mean("long")], [(149, 2), (592, 2), (2143, 2)]);
    }
}
