//! What stands beside the findings of a report, and what is still found after so many compactions.

use crate::audit::finding::Verdict;
use crate::audit::listing::Listing;
use crate::audit::pass::{Pass, Point};
use crate::audit::ruler;
use crate::audit::work::Ruler;
use crate::lineage::support::Support;
use crate::lineage::tracing::Tracing;
use crate::outline::audit::{Audited, Audits, Beside, counted};
use crate::outline::{Node, View};
use crate::session::open::OpenLog;
use crate::text::numbers::{count, grouped};
use crate::text::preview;

use super::super::super::document::{Block, Body, Document, Runs, Tone};
use super::super::super::signs;
use super::{heading, said};

/// What it is called in a report.
pub(super) fn title(pass: &Pass, beside: Beside) -> String {
    match beside {
        Beside::AtRisk => format!("at risk: {}", count(pass.at_risk() as u64, "item")),
        Beside::Listing => pass.listing.as_ref().map_or_else(String::new, |listing| {
            format!("user messages: {} of {} listed", listing.listed, listing.messages)
        }),
        Beside::Support => "sentences by support".to_owned(),
        Beside::Before => "lost before, and not said again".to_owned(),
        Beside::Tools => "said by tools alone".to_owned(),
        Beside::Room => "the room that the summary had".to_owned(),
    }
}

/// The document of it.
pub(super) fn document(
    audits: &Audits,
    view: &View,
    log: &OpenLog,
    tracing: &Tracing,
    generation: u32,
    beside: Beside,
) -> Option<Document> {
    let pass = audits.pass(generation)?;
    let (facts, blocks) = match beside {
        Beside::AtRisk => at_risk(audits, generation),
        Beside::Listing => listing(log, pass.listing.as_ref()?),
        Beside::Support => support(view, log, tracing, generation),
        Beside::Before => before(pass),
        Beside::Tools => tools(audits, generation, pass),
        Beside::Room => room(pass.ruler.as_ref()?),
    };
    let title = format!("g{generation} {}", title(pass, beside));
    Some(Document { title, facts, blocks, ..Document::default() })
}

type Told = (Vec<(Tone, String)>, Vec<Block>);

/// Rows under a heading; nothing where there are none.
fn under(name: &str, rows: impl Iterator<Item = Block>) -> Vec<Block> {
    let mut blocks: Vec<Block> = rows.collect();
    if !blocks.is_empty() {
        blocks.insert(0, heading(name.to_owned(), Tone::Dim));
    }
    blocks
}

fn at_risk(audits: &Audits, generation: u32) -> Told {
    let what = "In no summary: only turns that were kept word for word still say it. The next compaction may lose it.";
    let places = audits.sorted(generation).map(|sorted| sorted.at_risk.clone()).unwrap_or_default();
    let row = |place: u32| {
        let finding = audits.finding(generation, place)?;
        let row = heading(format!("{} {}", finding.address(), preview::of(&finding.text)), Tone::Warn);
        Some(row.leading_to(Node::Audited(Audited::Finding(generation, place))).close())
    };
    (vec![(Tone::Dim, what.to_owned())], under("── its items", places.into_iter().filter_map(row)))
}

fn listing(log: &OpenLog, listing: &Listing) -> Told {
    let mut facts = vec![(
        Tone::Dim,
        "The summary has a section that lists what the user said, declared complete.".to_owned(),
    )];
    let missing = listing.missing.len();
    facts.push(if listing.is_whole() {
        (Tone::Assistant, format!("all {} are listed", count(u64::from(listing.messages), "message")))
    } else {
        (
            Tone::Warn,
            format!("{} of {} not found in it", missing, count(u64::from(listing.messages), "message")),
        )
    });
    facts.push((
        Tone::Dim,
        format!("{} of {} neighbours stand the other way round", listing.inversions, listing.neighbours),
    ));
    (facts, under("── not listed", listing.missing.iter().map(|place| said(log, place, ""))))
}

fn support(view: &View, log: &OpenLog, tracing: &Tracing, generation: u32) -> Told {
    let Some(trace) = tracing.get(generation) else {
        let fact = match tracing.failure(generation) {
            Some(error) => (Tone::Warn, format!("g{generation} cannot be traced: {error}")),
            None => (Tone::Dim, format!("{} tracing g{generation} …", signs::PENDING.mark)),
        };
        return (vec![fact], Vec::new());
    };
    let mut facts = vec![(
        Tone::Dim,
        "How much of each sentence's words stands in its three best sources: words that are held, no proof."
            .to_owned(),
    )];
    let of = |support| trace.sentences.iter().filter(|traced| traced.support == support).count();
    for (sign, support) in [
        (signs::SUPPORTED, Support::Supported),
        (signs::WEAK, Support::Weak),
        (signs::UNSUPPORTED, Support::Unsupported),
        (signs::ABSENCE, Support::Absence),
        (signs::UNKNOWN, Support::Unknown),
    ] {
        let n = of(support);
        if n > 0 {
            facts.push((sign.tone, format!("{} {} {}", sign.mark, grouped(n as u64), sign.name)));
        }
    }
    let summary = view.summary_text(log, generation);
    let listed = [(signs::UNSUPPORTED, Support::Unsupported), (signs::WEAK, Support::Weak)];
    let mut blocks = Vec::new();
    for (sign, support) in listed {
        let all = (0..).zip(&trace.sentences).filter(|(_, traced)| traced.support == support);
        for (number, (place, _)) in all.enumerate() {
            if number == 0 {
                blocks.push(heading(format!("── {} {}", sign.mark, sign.name), sign.tone));
            }
            let words = summary.sentence(place).map(preview::on_one_line).unwrap_or_default();
            let body = Body::Runs(vec![vec![(Tone::Text, format!("    {words}"))]]);
            let row = Block::new(format!("g{generation}.s{}", place + 1), Tone::Summary, body);
            blocks.push(row.leading_to(Node::Sentence(generation, place)).close());
        }
    }
    (facts, blocks)
}

fn before(pass: &Pass) -> Told {
    let what =
        "Charged to the compaction that lost it, once, and counted here as long as nobody says it again.";
    let by_generation =
        pass.already_lost.iter().flat_map(|(class, of)| of.iter().map(move |(g, n)| (*g, *class, *n)));
    let mut all: Vec<_> = by_generation.collect();
    all.sort_unstable_by_key(|(generation, class, _)| (*generation, *class));
    let row = |(generation, class, n)| {
        let row = heading(format!("g{generation} lost {}", counted(class, n)), Tone::Text);
        row.leading_to(Node::Audited(Audited::Class(generation, class))).close()
    };
    (vec![(Tone::Dim, what.to_owned())], under("── where", all.into_iter().map(row)))
}

fn tools(audits: &Audits, generation: u32, pass: &Pass) -> Told {
    let mut facts = vec![(
        Tone::Dim,
        "Said in calls and results alone, neither by you nor by the agent. Its row in the tree opens into the items."
            .to_owned(),
    )];
    if let Some(failure) = audits.auditing.tools_failure(generation) {
        facts.push((Tone::Warn, format!("the items could not be read: {failure} · R tries again")));
    } else if audits.auditing.of_tools(generation).is_none() {
        facts.push((Tone::Dim, format!("{} reading the items …", signs::PENDING.mark)));
    }
    let line = |(class, counts): (
        &crate::audit::finding::Class,
        &std::collections::BTreeMap<Verdict, u32>,
    )|
     -> Runs {
        let all: u32 = counts.values().sum();
        let kept: u32 = counts.iter().filter(|(verdict, _)| verdict.is_kept()).map(|(_, n)| n).sum();
        vec![
            (Tone::Heading, format!("{:<14}", class.plural())),
            (Tone::Text, format!("{} of {} found", grouped(u64::from(kept)), grouped(u64::from(all)))),
        ]
    };
    (facts, vec![Block::runs(String::new(), pass.tools.iter().map(line).collect())])
}

fn room(ruler: &Ruler) -> Told {
    let facts = vec![
        (Tone::Text, format!("{} bits, {} compressed", grouped(ruler.bits), grouped(ruler.compressed))),
        (
            Tone::Text,
            format!(
                "{}: {:.0} % of its words are copied in runs of five and more",
                ruler.copied.kind(),
                100.0 * ruler.copied.share
            ),
        ),
        (Tone::Dim, ruler::SAYS.to_owned()),
    ];
    let mut blocks = Vec::new();
    for family in ruler.families.iter().filter(|family| family.items > 0) {
        let head = format!(
            "── {} {} at {:.0} bits each: error of who asks \"was it among them?\"",
            grouped(u64::from(family.items)),
            family.family,
            family.bits_per_item
        );
        let line = |what: &str, error: f64| -> Runs {
            let columns = (error * 60.0).round().clamp(0.0, 30.0) as usize;
            vec![(Tone::Text, format!("{what:<22}{error:.3} ")), (Tone::Tool, "█".repeat(columns))]
        };
        let lines = vec![
            line("literal reader", family.literal),
            line("Bloom filter", family.bloom),
            line("floor, one-sided", family.one_sided),
            line("floor, two-sided", family.two_sided),
        ];
        blocks.push(Block::runs(head, lines));
    }
    (facts, blocks)
}

/// Points of a curve that are drawn.
const POINTS: usize = 12;

/// What is still found after so many compactions.
pub(super) fn retention(audits: &Audits) -> Document {
    let curves = audits.auditing.curves();
    let facts = vec![(
        Tone::Dim,
        "Items of each range, followed through every compaction after it: the share that is still found."
            .to_owned(),
    )];
    let mut blocks = Vec::new();
    for (name, points) in [
        ("what was left open", &curves.open),
        ("the same without the list of what the user said", &curves.open_narrative),
        ("what binds", &curves.binding),
        ("exact items of the user's", &curves.exact),
    ] {
        if points.is_empty() {
            continue;
        }
        let mut lines: Vec<Runs> = points.iter().take(POINTS).map(point).collect();
        if points.len() > POINTS {
            lines.push(vec![(Tone::Dim, format!("and {} more points", points.len() - POINTS))]);
        }
        blocks.push(Block::runs(format!("── {name}"), lines));
    }
    Document {
        title: "still found after so many compactions".to_owned(),
        facts,
        blocks,
        ..Document::default()
    }
}

fn point(point: &Point) -> Runs {
    let share = point.kept();
    vec![
        (Tone::Text, format!("after {:<10}", point.passes)),
        (Tone::Text, format!("{:>3.0} % of {:<8}", 100.0 * share, grouped(u64::from(point.of)))),
        (Tone::Tool, "█".repeat((share * 20.0).round() as usize)),
    ]
}
