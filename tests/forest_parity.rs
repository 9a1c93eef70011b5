//! The cold forest beside what the published implementation wrote, and its rules on conversations.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

use std::path::{Path, PathBuf};

use pentimento::strategies::union_find::ColdForest;
use pentimento::strategies::union_find::forest::Stamp;
use pentimento::strategies::union_find::settings::{Cap, Preset, Settings, Vectors};
use serde_json::Value;

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn json(name: &str) -> Option<Value> {
    Some(serde_json::from_str(&std::fs::read_to_string(data(name)?).unwrap()).unwrap())
}

fn messages(name: &str) -> Option<Vec<String>> {
    let value = json(name)?;
    let of = |message: &Value| message.as_str().or(message["body"].as_str()).unwrap().to_owned();
    Some(value["messages"].as_array().unwrap().iter().map(of).collect())
}

fn reference(threshold: f64, cap: Cap, messages: &[String]) -> ColdForest {
    let settings = Settings { vectors: Vectors::Fitted, threshold, cap, ..Settings::of(Preset::Reference) };
    let mut forest = ColdForest::fitted(settings, messages.iter().map(String::as_str));
    for (at, message) in (1..).zip(messages) {
        forest.append(message, at);
    }
    forest
}

fn sizes(forest: &ColdForest) -> Vec<u32> {
    let inner = forest.forest();
    let mut sizes: Vec<u32> =
        inner.roots(Stamp::MAX).iter().map(|root| inner.size(*root, Stamp::MAX)).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

#[test]
fn the_reference_gives_the_published_sizes() {
    let Some(long) = messages("threads/conversation_long_200.json") else { return };
    let Some(short) = messages("threads/conversation_short_50.json") else { return };
    assert_eq!(sizes(&reference(0.15, Cap::Fixed(10), &long)), [168, 8, 4, 2, 2, 2, 1, 1, 1, 1]);
    assert_eq!(sizes(&reference(0.15, Cap::Fixed(10), &short)), [30, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(sizes(&reference(0.3, Cap::None, &long)).len(), 66);
    let uncapped = sizes(&reference(0.15, Cap::None, &long));
    assert_eq!((uncapped.len(), uncapped[0]), (38, 56));
}

#[test]
fn the_reference_reproduces_the_published_forest() {
    let Some(long) = messages("threads/conversation_long_200.json") else { return };
    let Some(file) = json("forests/forest_v3_long200_t0.15_cap10.json") else { return };
    let built = reference(0.15, Cap::Fixed(10), &long);
    let forest = built.forest();
    let nodes = file["nodes"].as_object().unwrap();
    assert_eq!(nodes.len(), forest.len());
    for (id, node) in nodes {
        let id: u32 = id.parse().unwrap();
        assert_eq!(built.message(id), id);
        assert_eq!(node["parent"].as_u64().map(|id| id as u32), forest.parent(id), "parent of {id}");
        assert_eq!(node["rank"].as_u64().unwrap(), u64::from(forest.rank(id)), "rank of {id}");
        assert_eq!(node["content"].as_str().unwrap(), long[id as usize]);
    }
    let children = file["children"].as_object().unwrap();
    let roots: Vec<u32> = children.keys().map(|id| id.parse().unwrap()).collect();
    assert_eq!(roots, forest.roots(Stamp::MAX), "in the file's order");
    for (root, members) in children {
        let members: Vec<u32> =
            members.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect();
        assert_eq!(members, forest.members(root.parse().unwrap(), Stamp::MAX));
    }
    // The file does not name its terms, so what can be compared is what no order of terms changes.
    let theirs: Vec<Vec<f64>> = roots
        .iter()
        .map(|root| {
            let centroid = file["centroids"][root.to_string()].as_array().unwrap();
            centroid.iter().map(|value| value.as_f64().unwrap()).collect()
        })
        .collect();
    for (a, left) in theirs.iter().enumerate() {
        for (b, right) in theirs.iter().enumerate() {
            let product: f64 = left.iter().zip(right).map(|(x, y)| x * y).sum();
            let list = built.clusters().list();
            let own = built.clusters().product(a, b) / f64::from(list[a].size) / f64::from(list[b].size);
            assert!((product - own).abs() < 1e-9, "{} {}: {product} {own}", roots[a], roots[b]);
        }
    }
}
