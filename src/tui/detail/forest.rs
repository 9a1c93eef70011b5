//! What the detail pane shows of the cold forest: its health, summaries line by line, what a reader would get.

use crate::outline::forest::{Asked, ForestView, bar};
use crate::outline::{Group, Node};
use crate::session::open::OpenLog;
use crate::strategies::blocks::summaries::Waiting;
use crate::strategies::union_find::forest::Cause;
use crate::strategies::union_find::reader::{Given, NOTHING_ALIKE, Reading};
use crate::strategies::union_find::rules::SHARE;
use crate::strategies::union_find::settings::Preset;
use crate::strategies::union_find::summaries::{BUDGET, Of, Standing};
use crate::text::numbers::{count, grouped, short};
use crate::text::{preview, sentences};

use super::super::document::{Block, Body, Document, Runs, Tone};
use super::super::model::clock;
use super::made::lines;

/// Turns of a union that are listed.
const LISTED: usize = 200;

/// The document of a node that only the forest has.
pub fn document(view: &ForestView, log: &OpenLog, asked: Option<&Asked>, node: Node) -> Option<Document> {
    Some(match node {
        Node::Group(Group::Health) => health(view),
        Node::Group(Group::Asked) => question(view, log, asked?),
        Node::Cluster(root) => cluster(view, log, root),
        Node::Union(place) => union(view, log, place),
        _ => return None,
    })
}

/// What a heading of the view means.
pub fn explain(node: Node) -> Option<&'static str> {
    Some(match node {
        Node::Group(Group::Hot) => {
            "The newest messages: the model would see them whole. The oldest turns cold next."
        }
        Node::Group(Group::Now) => "What this turn changed: , and . step from turn to turn.",
        _ => return None,
    })
}

fn health(view: &ForestView) -> Document {
    let health = view.health();
    let settings = view.replay.forest().settings();
    let percent = |part: f64| (part * 100.0).round();
    let few = |tone: bool| if tone { Tone::Warn } else { Tone::Dim };
    let largest = health.largest_share();
    let bound = match settings.preset {
        Preset::Balanced => format!(", of {} % that it may hold", percent(SHARE)),
        Preset::Reference => String::new(),
    };
    let facts = vec![
        (Tone::Heading, health.line()),
        (Tone::Dim, format!("replayed · {}", settings.words())),
        (
            few(health.is_lopsided()),
            format!(
                "largest: {} of {} are in one cluster, {} %{bound}",
                grouped(health.largest.into()),
                count(health.cold.into(), "cold message"),
                percent(largest)
            ),
        ),
        (
            Tone::Dim,
            format!(
                "single: {} of {} hold one message",
                health.singletons,
                count(health.clusters.into(), "cluster")
            ),
        ),
        (
            Tone::Dim,
            format!(
                "forced: {} of {} because there were more clusters than the cap allows{}",
                grouped(health.forced.unwrap_or_default().into()),
                count(health.unions.into(), "union"),
                if settings.preset == Preset::Balanced { ", as this rule unites" } else { "" }
            ),
        ),
        (
            few(health.not_numbers > 0),
            match health.not_numbers {
                0 => "NaN: every number in the vectors is one".to_owned(),
                odd => format!("NaN: {odd} numbers in the vectors are none: similarities mean nothing"),
            },
        ),
    ];
    let row = |(root, size): (u32, u32)| -> Runs {
        let share = f64::from(size) / f64::from(health.cold.max(1));
        vec![
            (Tone::Assistant, format!("{} ", bar(size, health.largest))),
            (Tone::Heading, format!("{:<7}", view.address(root).to_string())),
            (Tone::Text, format!("{:>5} %  {}", percent(share), count(size.into(), "message"))),
            (Tone::Dim, format!(" · {}", view.top_terms(root).join(", "))),
        ]
    };
    let mut sizes = view.sizes();
    sizes.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let rows = Block::runs("clusters by size".to_owned(), sizes.into_iter().take(LISTED).map(row).collect());
    Document { title: "health".to_owned(), facts, blocks: vec![rows], ..Document::default() }
}

fn cluster(view: &ForestView, log: &OpenLog, root: u32) -> Document {
    let forest = view.replay.forest().forest();
    let size = forest.size(root, view.as_of);
    let cold = forest.len_as_of(view.as_of).max(1);
    let (from, to) = view.replay.span(root, view.as_of);
    let time = |number| log.session.numbered(0, number).and_then(|id| clock(log.session.turn(id).time, true));
    let times = match (time(from), time(to)) {
        (Some(from), Some(to)) if from != to => format!(" · {from} to {to}"),
        (Some(at), _) => format!(" · {at}"),
        _ => String::new(),
    };
    let mut facts = vec![(
        Tone::Dim,
        format!(
            "replayed · {} of {}, {} % · t{from}–t{to}{times} · ~{} tokens",
            grouped(size.into()),
            count(cold.into(), "cold message"),
            (f64::from(size) * 100.0 / f64::from(cold)).round(),
            short(view.replay.tokens(root, view.as_of))
        ),
    )];
    let terms = view.top_terms(root).join(", ");
    facts.extend((!terms.is_empty()).then(|| (Tone::Dim, format!("heaviest terms: {terms}"))));
    if let Some(union) = forest.last_won(root, view.as_of) {
        let last = format!("last union at t{}: {} + {}", union.at, union.sizes.0, union.sizes.1);
        facts.push((
            Tone::Dim,
            format!("{last} · similarity {:.2} · {}", union.similarity, union.cause.name()),
        ));
    }
    let left = view.abandoned(root);
    if left > 0 {
        facts
            .push((Tone::Warn, format!("{} on branches that were left since", count(left as u64, "member"))));
    }
    facts.extend(summary_facts(view, root, size));
    let title = format!("{} cluster", view.address(root));
    let mut document = Document { title, facts, ..Document::default() };
    if let Some(Standing::Whole(written) | Standing::Stale(written)) = view.standing(root) {
        document.blocks = lines(log, &written.summary, &sentences::of(&written.summary.text), &|_| None);
        document.chosen = document.links().first().map(|(block, _)| *block);
    }
    document
}

/// What was written of a cluster, and how it stands with it.
fn summary_facts(view: &ForestView, root: u32, size: u32) -> Vec<(Tone, String)> {
    let of = Of::new(view.replay, root, view.as_of, BUDGET);
    let waiting = view.summaries.and_then(|summaries| summaries.waiting(of));
    let (known, coming) = match waiting {
        Some(Waiting::Running) => ("its summary is being written …", "another is being written …"),
        Some(Waiting::Queued) => ("its summary waits to be written", "another waits to be written"),
        None => ("its summary is not written · R writes it", "R writes another"),
    };
    match view.standing(root) {
        _ if size == 1 => {
            vec![(Tone::Dim, "a single message: it stands for itself, o goes to it".to_owned())]
        }
        Some(Standing::Whole(written)) => vec![(
            Tone::Dim,
            format!(
                "written by {} · ~{} tokens · depth {} · of all {} · Tab, then Enter goes to a line's turn",
                preview::of(&written.summariser),
                short(u64::from(written.tokens)),
                written.depth,
                count(written.covers.len() as u64, "message")
            ),
        )],
        Some(Standing::Stale(written)) => vec![(
            Tone::Warn,
            format!(
                "stale: this summary is of {}, not of these {size} · {coming}",
                count(written.covers.len() as u64, "message")
            ),
        )],
        Some(Standing::Failed(failure)) => {
            vec![(Tone::Warn, format!("no summary: {failure} · R tries again"))]
        }
        None => vec![(Tone::Dim, known.to_owned())],
    }
}

fn union(view: &ForestView, log: &OpenLog, place: u32) -> Document {
    let forest = view.replay.forest().forest();
    let Some(union) = forest.union_numbered(place + 1) else { return Document::default() };
    let before = |root| view.replay.name_before(root, place);
    let why = match union.cause {
        Cause::Chosen => "chosen: as similar as the threshold asks",
        Cause::Forced => {
            "forced: there were more clusters than the cap allows, and these two were the best to unite"
        }
        Cause::Empty => "empty: the message has no term of weight, and went where the one before it is",
    };
    let facts = vec![
        (
            Tone::Dim,
            format!(
                "replayed · at t{} c{} of {} took in c{} of {}",
                union.at,
                before(union.winner),
                count(union.sizes.0.into(), "message"),
                before(union.loser),
                count(union.sizes.1.into(), "message"),
            ),
        ),
        (Tone::Dim, format!("similarity of the two centroids {:.3}", union.similarity)),
        (Tone::Dim, why.to_owned()),
    ];
    let turns = view.joined(log, place);
    let session = &log.session;
    let mut blocks: Vec<Block> = Vec::new();
    for id in turns.iter().take(LISTED) {
        let turn = session.turn(*id);
        let heading = format!("{} {}", session.address(*id), turn.role.name());
        let first: Runs = vec![(Tone::Dim, format!("    {}", session.preview(&turn)))];
        let block = Block::new(heading, super::tone_of(turn.role), Body::Runs(vec![first]));
        let block = block.leading_to(Node::Turn(*id));
        blocks.push(if blocks.is_empty() { block } else { block.close() });
    }
    if let Some(more) = turns.len().checked_sub(LISTED).filter(|more| *more > 0) {
        blocks.push(Block::runs(format!("and {} in the tree", count(more as u64, "more turn")), Vec::new()));
    }
    let title = format!("u{} what it brought", place + 1);
    let mut document = Document { title, facts, blocks, ..Document::default() };
    document.chosen = document.links().first().map(|(block, _)| *block);
    document
}

fn question(view: &ForestView, log: &OpenLog, asked: &Asked) -> Document {
    let mut document = asking(asked, || coming(view, asked.as_of));
    let Some(reading) = asked.reading() else { return document };
    let facts = &mut document.facts;
    facts.push((
        Tone::Dim,
        format!(
            "replayed as of t{} · ~{} of {} tokens, beside ~{} in the hot window",
            asked.as_of,
            grouped(reading.tokens),
            grouped(asked.budget),
            short(view.at(asked.as_of).hot_tokens(log))
        ),
    ));
    if reading.is_in_vain() {
        facts.push((Tone::Warn, format!("! {NOTHING_ALIKE}")));
    }
    if asked.as_of != view.as_of {
        let now = view.as_of;
        facts.push((Tone::Warn, format!("asked at another turn: a and Enter ask again as of t{now}")));
    }
    document.blocks = vec![scores(view, asked.as_of, reading)];
    document.blocks.extend(given(view, log, asked.as_of, reading));
    document.chosen = document.links().first().map(|(block, _)| *block);
    document
}

/// The question, and why there is no answer where there is none; `coming` says what it waits for.
pub(super) fn asking(asked: &Asked, coming: impl Fn() -> String) -> Document {
    let mut facts = vec![(Tone::User, preview::on_one_line(&asked.question))];
    match &asked.reading {
        Some(Ok(_)) => {}
        Some(Err(failure)) => facts.push((Tone::Warn, format!("no answer: {failure} · a asks again"))),
        None => facts.push((Tone::Dim, coming())),
    }
    Document { title: "what a reader would get".to_owned(), facts, ..Document::default() }
}

/// What an answer waits for that is being written.
pub(super) const WRITTEN: &str = "what fits is chosen, and summaries are written for it … X stops that";

/// What an answer waits for.
fn coming(view: &ForestView, as_of: u32) -> String {
    match view.replay.begun() {
        begun if begun < as_of => format!("as of t{as_of}: waits for the forest, which is at t{begun} …"),
        _ => format!("as of t{as_of}: {WRITTEN}"),
    }
}

/// Every cluster with its similarity to the question.
fn scores(view: &ForestView, as_of: u32, reading: &Reading) -> Block {
    let then = view.at(as_of);
    let forest = view.replay.forest().forest();
    let row = |(root, score): &(u32, f64)| -> Runs {
        let read = reading.clusters.iter().find(|read| read.root == *root);
        let what = read.map_or_else(String::new, |read| {
            let left_over = if read.chosen { "" } else { ", left over" };
            format!(" · {}, ~{} tokens{left_over}", read.told(), read.tokens)
        });
        vec![
            (Tone::Heading, format!("{:<7}", then.address(*root).to_string())),
            (Tone::Text, format!("{score:>6.3} ")),
            (Tone::Dim, count(u64::from(forest.size(*root, as_of)), "message")),
            (Tone::Assistant, what),
        ]
    };
    let heading = "clusters by similarity to the question".to_owned();
    Block::runs(heading, reading.scores.iter().take(LISTED).map(row).collect())
}

/// What is given, text by text, each leading to where it stands.
fn given(view: &ForestView, log: &OpenLog, as_of: u32, reading: &Reading) -> Vec<Block> {
    let mut blocks = Vec::new();
    if reading.whole {
        blocks.push(Block::runs("the cold zone fits: all of it, oldest first".to_owned(), Vec::new()));
    }
    for raw in &reading.raw {
        let score = if reading.whole { String::new() } else { format!(" · {:.3}", raw.score) };
        let cut = if raw.cut { " · cut at its end" } else { "" };
        let heading =
            format!("{} word for word{score} · ~{} tokens{cut}", view.turns_of(raw.node), raw.tokens);
        let block = Block::whole(heading, Tone::User, raw.text.clone());
        blocks.push(match view.first_turn(log, raw.node) {
            Some(id) => block.leading_to(Node::Turn(id)),
            None => block,
        });
    }
    for read in &reading.clusters {
        let text = match &read.given {
            Given::Whole(text) => text,
            Given::Summary(summary) => &summary.text,
            Given::Failed(_) => continue,
        };
        let how = read.heading();
        let address = view.at(as_of).address(read.root);
        let heading = format!("{address} {how} · {:.3} · ~{} tokens", read.score, read.tokens);
        let block = Block::whole(heading, Tone::Summary, text.clone());
        let now = view.replay.forest().forest().root(read.root, view.as_of);
        blocks.push(block.leading_to(Node::Cluster(now)));
    }
    blocks
}
