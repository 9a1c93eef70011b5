//! Lineage measured on the hand labels beside the project, and its speed.
//!
//! `cargo bench --bench lineage -- [--fit | --times] [LOG]…`: prints how often the right block comes first, each summary ranked
//! with weights that did not see its log; `--fit` also fits the weights on all labels and prints the file that holds
//! them. Then the time that the largest log of the data and each LOG take.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a measurement stops at the first surprise"
)]

#[path = "support/crossval.rs"]
mod crossval;
#[path = "support/fit.rs"]
mod fit;
#[path = "../tests/support/gold.rs"]
mod gold;
mod support;
#[path = "support/tracing.rs"]
mod tracing;

use gold::{Set, Summary};
use std::collections::BTreeMap;
use std::path::Path;

use crossval::{Fitter, Prepared, is_right};
use pentimento::lineage::index::Index;
use pentimento::lineage::range::{Plan, Texts};
use pentimento::lineage::rank::{Field, Ranked};
use pentimento::lineage::support::{TOGETHER, Weighed};
use pentimento::lineage::trace::{Trace, trace};
use pentimento::lineage::weights;
use pentimento::session::open::OpenLog;
use pentimento::text::lexicon;
use pentimento::text::sentences::Sentence;
use support::Arguments;

/// What is recorded of the first version and of the experiment that this follows: labels, P@1, hit@3.
const RECORDED: &[(&str, &str)] = &[
    ("first version, original labels", ".680  .876"),
    ("the recipe, original labels", ".73–.74  .92"),
    ("the recipe, with the second reader's blocks", ".82  .96"),
];

/// The largest log of the data.
const LARGEST: &str = "claude-code/v2.1.17-two-compactions.jsonl";

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    if let Some(folder) = gold::folder() {
        let summaries = gold::summaries(&folder);
        if !arguments.has("times") {
            let prepared: Vec<Prepared> = summaries.iter().map(Prepared::new).collect();
            measure(&summaries, &prepared, arguments.has("fit"));
            measure_origins(&folder);
            measure_support(&prepared);
        }
        tracing::time(&folder.join(LARGEST));
    }
    for log in arguments.paths() {
        tracing::time(&log);
    }
}

/// Which labels are counted.
type Wanted = fn(&gold::Label) -> bool;

fn measure(summaries: &[Summary], prepared: &[Prepared], fit: bool) {
    let mut fitter = Fitter::new(prepared);
    let rankings = fitter.rankings();
    let with_neighbours: Vec<&Vec<Vec<Ranked>>> = rankings.iter().map(|[together, _]| together).collect();
    let alone: Vec<&Vec<Vec<Ranked>>> = rankings.iter().map(|[_, alone]| alone).collect();
    println!("Sources, each summary ranked with weights that did not see its log\n");
    println!("  {:<62}{:>5}  {:>5}  {:>5}  {:>5}", "labels", "n", "P@1", "hit@3", "MRR");
    for (name, rankings) in [("", &with_neighbours), ("each sentence alone: ", &alone)] {
        let sets: [(&str, bool, Wanted); 4] = [
            ("original sentences", false, |l| l.set == Set::Original && !l.is_quote),
            ("original sentences, second reader's blocks too", true, |l| {
                l.set == Set::Original && !l.is_quote
            }),
            ("original quotes", false, |l| l.set == Set::Original && l.is_quote),
            ("further sentences", false, |l| l.set == Set::Extra),
        ];
        for (set, more, wanted) in sets {
            let ranks = summaries.iter().zip(rankings).flat_map(|(s, r)| ranks(s, r, more, wanted));
            print(&format!("{name}{set}"), &ranks.collect::<Vec<_>>());
        }
    }
    println!();
    for (summary, rankings) in summaries.iter().zip(&with_neighbours) {
        let name = summary.log.rsplit('/').next().unwrap_or_default();
        print(&format!("{name} g{}", summary.generation), &ranks(summary, rankings, true, |_| true));
    }
    println!();
    for (what, figures) in RECORDED {
        println!("  recorded: {what:<57}{figures}");
    }
    for missing in summaries.iter().flat_map(|summary| &summary.missing) {
        println!("  not among the blocks: {}", missing.chars().take(100).collect::<String>());
    }
    if fit {
        println!("\n{}", fitter.weights(&[]).write());
    }
}

/// The rank of the first right block of each wanted label that names any source; none where it was not found.
fn ranks(summary: &Summary, rankings: &[Vec<Ranked>], more: bool, wanted: Wanted) -> Vec<Option<usize>> {
    let labels = summary.labels.iter().filter(|label| wanted(label) && label.is_sourced);
    labels.map(|label| rankings[label.sentence].iter().position(|r| is_right(label, r.block, more))).collect()
}

fn print(name: &str, ranks: &[Option<usize>]) {
    let count = ranks.len();
    let share = |best: usize| {
        ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < best)).count() as f64 / count.max(1) as f64
    };
    let reciprocal: f64 = ranks.iter().flatten().map(|rank| 1.0 / (*rank + 1) as f64).sum();
    let reciprocal = reciprocal / count.max(1) as f64;
    println!("  {name:<62}{count:>5}  {:>5.3}  {:>5.3}  {reciprocal:>5.3}", share(1), share(3));
}

/// Where sentences came from, against the labels.
fn measure_origins(folder: &Path) {
    println!("\nOrigins, with the weights that the binary embeds\n");
    for ((log, generation), labels) in gold::origins(folder) {
        let open = OpenLog::load(&folder.join(&log)).unwrap();
        let trace = traced(&open, generation);
        let mut table: BTreeMap<(String, &str), usize> = BTreeMap::new();
        for (text, label) in &labels {
            let place = gold::place(&trace.text, &trace_sentences(&trace), text).unwrap();
            *table.entry((label.clone(), trace.sentences[place].origin.name())).or_default() += 1;
        }
        for ((label, found), count) in &table {
            println!("  labelled {label:<12} found {found:<12} {count:>4}");
        }
        let count = |wanted: &dyn Fn(&str, &str) -> bool| -> f64 {
            table.iter().filter(|((label, found), _)| wanted(label, found)).map(|(_, n)| *n as f64).sum()
        };
        let right = count(&|label, found| (label == "inherited") == (found == "inherited"));
        let exact = count(&|label, found| label == found);
        let both = count(&|label, found| label == "inherited" && found == "inherited");
        let f1 =
            2.0 * both / (count(&|label, _| label == "inherited") + count(&|_, found| found == "inherited"));
        let all = labels.len() as f64;
        println!(
            "  {log} g{generation}: n {all}, inherited or not {:.3}, the same word {:.3}, F1 of inherited {f1:.3}",
            right / all,
            exact / all
        );
        println!("  recorded: first version .92, F1 .68");
    }
}

fn trace_sentences(trace: &Trace) -> Vec<Sentence> {
    trace.sentences.iter().map(|traced| traced.sentence.clone()).collect()
}

fn traced(log: &OpenLog, generation: u32) -> Trace {
    let plan = Plan::new(&log.session, generation).unwrap();
    trace(&plan, &log.source, lexicon::built_in(), weights::built_in()).unwrap()
}

/// Support of labelled sentences, and of the same summaries held against another session's range.
fn measure_support(prepared: &[Prepared]) {
    println!(
        "\nSupport: sentences whose sources are labelled, and the same sentences held against another log's range\n"
    );
    println!("  {:<40}{:>6}{:>12}{:>8}{:>14}", "", "n", "supported", "weak", "unsupported");
    let mut own: BTreeMap<&str, usize> = BTreeMap::new();
    let mut other: BTreeMap<&str, usize> = BTreeMap::new();
    let lexicon = lexicon::built_in();
    for (at, here) in prepared.iter().enumerate() {
        let there = &prepared[(at + 1) % prepared.len()].summary.texts;
        let strange = Texts {
            blocks: there.blocks.clone(),
            repeats: there.repeats.clone(),
            summary: here.summary.texts.summary.clone(),
            sentences: here.summary.texts.sentences.clone(),
            previous: String::new(),
            previous_sentences: Vec::new(),
            complete: true,
            ample: true,
        };
        let index = Index::new(&strange.blocks);
        let strangers = Field::new(&strange, &index, lexicon).rank(weights::built_in());
        let rankings = here.field.rank(weights::built_in());
        for label in here.summary.labels.iter().filter(|label| label.is_sourced) {
            for (texts, index, rankings, table) in [
                (&here.summary.texts, &here.index, &rankings, &mut own),
                (&strange, &index, &strangers, &mut other),
            ] {
                let sentence = &texts.sentences[label.sentence];
                let text = sentence.text(&texts.summary);
                let ranked = &rankings[label.sentence];
                let weighed = Weighed::new(index, lexicon, text);
                let coverage = weighed.coverage(index, &texts.blocks, &ranked[..ranked.len().min(TOGETHER)]);
                let support = weighed.support(lexicon, sentence, text, coverage, true);
                *table.entry(support.name().unwrap_or_default()).or_default() += 1;
            }
        }
    }
    for (name, table) in [("their own range", own), ("another log's range", other)] {
        let all: usize = table.values().sum();
        let share = |word: &str| table.get(word).copied().unwrap_or(0) as f64 / all as f64;
        println!(
            "  {name:<40}{all:>6}{:>12.3}{:>8.3}{:>14.3}",
            share("supported"),
            share("weak"),
            share("unsupported")
        );
    }
    println!("  recorded: .055 of supported sentences unsupported, .375 of another session's");
}
