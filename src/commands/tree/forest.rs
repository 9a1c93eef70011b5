//! `pentimento tree --view forest`: the cold forest, replayed.

use std::io::Write;

use serde_json::{Value, json};

use crate::cli::TreeArguments;
use crate::outline::forest::{ForestView, NAME};
use crate::outline::{Node, Outline};
use crate::session::open::OpenLog;
use crate::strategies::union_find::health::Health;
use crate::strategies::union_find::settings::{Preset, Settings};
use crate::strategies::union_find::summaries::Standing;

use super::super::forests::{Cold, write};
use super::super::{Failure, SCHEMA};
use super::{children, print};

/// Prints the tree.
pub(super) fn run(
    log: &OpenLog,
    as_of: u32,
    arguments: &TreeArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut cold = Cold::new(log, &arguments.forest, as_of, &arguments.replay.summaries)?;
    if arguments.write.is_some() || arguments.save.is_some() {
        write::run(log, &mut cold, arguments)?;
    }
    let view = cold.view(log, as_of);
    if arguments.json {
        writeln!(out, "{}", to_json(log, &view, arguments.depth))?;
        return Ok(());
    }
    let settings = cold.replay.forest().settings();
    writeln!(out, "forest as of t{as_of} · replayed · {}", settings.words())?;
    print(log, &view, Node::Root, 0, arguments.depth, out)
}

/// Health as JSON.
pub fn health(health: &Health) -> Value {
    json!({
        "cold": health.cold,
        "clusters": health.clusters,
        "largest": health.largest,
        "largest_share": health.largest_share(),
        "singletons": health.singletons,
        "unions": health.unions,
        "forced": health.forced,
        "nan": health.not_numbers,
    })
}

/// The settings as JSON.
pub fn settings(settings: &Settings) -> Value {
    json!({
        "preset": settings.preset.name(),
        "vectors": settings.vectors.name(),
        "embedder": settings.embedder(),
        "hot": settings.hot,
        "cap": settings.cap.to_string(),
        "threshold": (settings.preset == Preset::Reference).then_some(settings.threshold),
        "nearest": settings.nearest,
        "min_sim": (settings.preset == Preset::Reference).then_some(settings.min_sim),
    })
}

/// The tree of a cold forest, as `tree --view forest --json` prints it.
pub fn to_json(log: &OpenLog, view: &ForestView, depth: u32) -> Value {
    json!({
        "schema": SCHEMA,
        "view": NAME,
        "as_of": view.as_of,
        "settings": settings(view.replay.forest().settings()),
        "health": health(&view.health()),
        "children": children(log, view, Node::Root, depth, &|node, value| of_forest(log, view, node, value)),
    })
}

/// What JSON says of a cluster or union beside its label.
fn of_forest(log: &OpenLog, view: &ForestView, node: Node, value: &mut Value) {
    let forest = view.replay.forest().forest();
    let numbers = |node| {
        let turns = view.sources(log, node);
        turns.into_iter().map(|id| log.session.turn(id).number).collect::<Vec<_>>()
    };
    let mut set = |name: &str, field: Value| value[name] = field;
    match node {
        Node::Cluster(root) => {
            let union = forest.last_won(root, view.as_of);
            set("size", json!(forest.size(root, view.as_of)));
            set("members", json!(numbers(node)));
            set("terms", json!(view.top_terms(root)));
            set("similarity", json!(union.map(|union| union.similarity)));
            set(
                "forced",
                json!(union.map(|union| union.cause == crate::strategies::union_find::forest::Cause::Forced)),
            );
            set("abandoned", json!(view.abandoned(root)));
            if let Some(Standing::Whole(written)) = view.standing(root) {
                set("summary", json!(written.summary.text));
                set("covers", json!(numbers(node)));
            }
        }
        Node::Union(place) => {
            let Some(union) = forest.union_numbered(place + 1) else { return };
            set("sizes", json!(union.sizes));
            set("members", json!(numbers(node)));
            set("similarity", json!(union.similarity));
            set("cause", json!(union.cause.name()));
            set("forced", json!(union.cause == crate::strategies::union_find::forest::Cause::Forced));
        }
        _ => {}
    }
}
