//! `pentimento tree --view blocks`: the block hierarchy, replayed.

use std::io::Write;

use serde_json::{Value, json};

use crate::cli::TreeArguments;
use crate::outline::blocks::{BlocksView, NAME};
use crate::outline::{Group, Node};
use crate::session::open::OpenLog;
use crate::strategies::blocks::Made;
use crate::strategies::blocks::summaries::Summaries;
use crate::text::numbers::grouped;

use super::super::replay::carries;
use super::super::{Failure, SCHEMA};
use super::{children, print};

/// Prints the tree.
pub(super) fn run(
    log: &OpenLog,
    view: &BlocksView,
    arguments: &TreeArguments,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if arguments.json {
        writeln!(out, "{}", to_json(log, view, arguments.depth))?;
        return Ok(());
    }
    let tokens = view.blocks.context(&log.session, view.as_of).tokens;
    let budget = view.blocks.settings().budget;
    let over = if tokens > budget { " · over it" } else { "" };
    writeln!(
        out,
        "blocks as of t{} · replayed · ~{} of {} tokens{over}",
        view.as_of,
        grouped(tokens),
        grouped(budget)
    )?;
    print(log, view, Node::Root, 0, arguments.depth, out)
}

/// The tree of a block hierarchy, as `tree --view blocks --json` prints it.
pub fn to_json(log: &OpenLog, view: &BlocksView, depth: u32) -> Value {
    let tokens = view.blocks.context(&log.session, view.as_of).tokens;
    let budget = view.blocks.settings().budget;
    json!({
        "schema": SCHEMA,
        "view": NAME,
        "as_of": view.as_of,
        "tokens": tokens,
        "budget": budget,
        "over_budget": tokens > budget,
        "summariser": view.summaries.map(Summaries::summariser),
        "children": children(log, view, Node::Root, depth, &|node, value| of_blocks(log, view, node, value)),
    })
}

/// What JSON says of a block, span or item beside its label.
fn of_blocks(log: &OpenLog, view: &BlocksView, node: Node, value: &mut Value) {
    let mut set = |name: &str, field: Value| value[name] = field;
    match node {
        Node::Made(made) => {
            let written = view.written(made);
            set("turns", json!(view.blocks.range(made)));
            set("depth", json!(view.plan(log, made).map(|plan| plan.depth())));
            set("summary", json!(written.map(|written| &written.summary.text)));
            set("written_tokens", json!(written.map(|written| written.tokens)));
            set("input", json!(written.map(|written| written.input.to_string())));
            set("carries", written.map_or(Value::Null, |written| carries(written)));
            if let Some(Err(failure)) =
                view.summaries.and_then(|summaries| summaries.known(view.blocks, made))
            {
                set("failure", json!(failure.to_string()));
            }
            match made {
                Made::Block(number) => {
                    let Some(block) = view.blocks.block(number) else { return };
                    set("closed_by", json!(block.closed_by.name()));
                    set("closed_at", json!(block.closed_at));
                    set("original_tokens", json!(block.originals));
                    set("abandoned", json!(view.abandoned(log, block)));
                    set("retained", json!(!view.is_frozen()));
                }
                Made::Span(number) => {
                    let Some(span) = view.blocks.span(number) else { return };
                    set("blocks", json!(span.blocks));
                    set("made_at", json!(span.made_at));
                    set("prepared_at", json!(span.prepared_at));
                    set("original_tokens", json!(span.originals));
                    set("levels", json!(view.plan(log, made).map(|plan| plan.joins.len() + 1)));
                }
                Made::Fold(_) => {}
            }
        }
        Node::Piece(made, level, index) => {
            let plan = view.plan(log, made);
            set("turns", json!(plan.map(|plan| plan.turns(usize::from(level), usize::from(index)))));
            set("level", json!(level));
            set("depth", json!(level));
        }
        Node::Item(number) => {
            let Some(item) = view.blocks.ledger().item(number) else { return };
            set("label", json!(item.text));
            set("kinds", json!(item.kinds()));
            set("state", json!(item.state(&log.session, view.as_of).words()));
            set("voice", json!(item.voice));
        }
        Node::Group(Group::Open) => {
            let (from, to) = view.blocks.open_range(view.as_of);
            set("turns", if from <= to { json!([from, to]) } else { Value::Null });
        }
        _ => {}
    }
}
