//! `pentimento tree`: a view's tree as text or nested JSON.

pub mod blocks;
pub mod forest;

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::outline::audit::{AuditTree, Audits};
use crate::outline::blocks::BlocksView;
use crate::outline::{Label, Node, Outline, View, ViewKind, one_line};
use crate::session::open::OpenLog;

use super::replay::Replayed;
use super::{Failure, SCHEMA, as_of, receipts};
use crate::cli::{TreeArguments, ViewName};

/// Prints the tree of a view.
pub(super) fn run(log: &OpenLog, arguments: &TreeArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let as_of = as_of(log, arguments.as_of.as_deref())?;
    let writes = arguments.write.is_some() || arguments.save.is_some();
    if arguments.view != ViewName::Forest && writes {
        return Err(Failure::Usage("--write and --save belong to `--view forest`".to_owned()));
    }
    if arguments.force && !writes {
        return Err(Failure::Usage("--force belongs to --write and --save".to_owned()));
    }
    let (view, whence) = match arguments.view {
        ViewName::Window => (View::new(log, ViewKind::Window, as_of), "recorded"),
        ViewName::Generations => (View::new(log, ViewKind::Generations, as_of), "recorded"),
        ViewName::Blocks => {
            let mut replayed = Replayed::new(log, &arguments.replay)?;
            replayed.write(log, as_of)?;
            let view = BlocksView::new(&replayed.blocks, Some(&replayed.summaries), as_of);
            return blocks::run(log, &view, arguments, out);
        }
        ViewName::Forest => return forest::run(log, as_of, arguments, out),
        ViewName::Receipts => return receipts::tree(log, as_of, arguments, out),
        ViewName::Audit => (audited(log, as_of)?, "audited here"),
    };
    if arguments.json {
        let children = children(log, &view, Node::Root, arguments.depth, &|_, _| {});
        let tree = json!({
            "schema": SCHEMA,
            "view": view.kind.name(),
            "as_of": as_of,
            "children": children,
        });
        writeln!(out, "{tree}")?;
        return Ok(());
    }
    writeln!(out, "{} as of t{as_of} · {whence}", view.kind.name())?;
    print(log, &view, Node::Root, 0, arguments.depth, out)
}

/// The reports of all compactions.
fn audited(log: &OpenLog, as_of: u32) -> Result<View, Failure> {
    let mut audits = Audits::default();
    while let Some(job) = audits.auditing.job(&log.session, &log.source) {
        audits.auditing.take(job.run());
    }
    if let Some(failure) = audits.auditing.failure() {
        return Err(Failure::Unreadable(failure.to_owned()));
    }
    let tree = AuditTree::new(Rc::new(RefCell::new(audits)), as_of);
    Ok(View::of_own(log, ViewKind::Audit, as_of, Box::new(tree)))
}

fn print(
    log: &OpenLog,
    view: &dyn Outline,
    node: Node,
    level: usize,
    depth: u32,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if depth == 0 {
        return Ok(());
    }
    for index in 0..view.count(log, node) {
        let Some(child) = view.child(log, node, index) else { continue };
        let below = view.count(log, child);
        let sign = match (below, depth) {
            (0, _) => "  ",
            (_, 1) => "▸ ",
            _ => "▾ ",
        };
        writeln!(out, "{:indent$}{sign}{}", "", one_line(&view.label(log, child)), indent = level * 2)?;
        print(log, view, child, level + 1, depth - 1, out)?;
    }
    Ok(())
}

fn children(
    log: &OpenLog,
    view: &dyn Outline,
    node: Node,
    depth: u32,
    also: &dyn Fn(Node, &mut Value),
) -> Vec<Value> {
    if depth == 0 {
        return Vec::new();
    }
    (0..view.count(log, node))
        .filter_map(|index| view.child(log, node, index))
        .map(|child| {
            let mut value = to_json(&view.label(log, child));
            also(child, &mut value);
            value["children"] = json!(children(log, view, child, depth - 1, also));
            value
        })
        .collect()
}

fn to_json(label: &Label) -> Value {
    json!({
        "address": label.address.as_ref().map(ToString::to_string),
        "kind": label.kind,
        "label": label.text,
        "who": (!label.who.is_empty()).then_some(label.who),
        "turn": label.turn,
        "tokens": label.tokens,
        "recorded": label.recorded,
        "in_view": !label.out,
        "marks": label.marks.iter().map(crate::outline::Mark::words).collect::<Vec<_>>(),
    })
}
