//! Lineage measured on the hand labels beside the project, and its speed.
//!
//! `cargo bench --bench lineage -- [--fit] [LOG]…`: prints how often the right block comes first, each summary ranked
//! with weights that did not see its log; `--fit` also fits the weights on all labels and prints the file that holds
//! them. Then the time that the largest log of the data and each LOG take.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "a measurement stops at the first surprise")]

#[path = "../tests/support/gold.rs"]
mod gold;
#[path = "support/crossval.rs"]
mod crossval;
#[path = "support/fit.rs"]
mod fit;
mod support;

use gold::{Set, Summary};
use pentimento::lineage::rank::Ranked;
use support::Arguments;
use crossval::{Fitter, Prepared, is_right};

/// What is recorded of the first version and of the experiment that this follows: labels, P@1, hit@3.
const RECORDED: &[(&str, &str)] = &[
    ("first version, original labels", ".680  .876"),
    ("the recipe, original labels", ".73–.74  .92"),
    ("the recipe, with the second reader's blocks", ".82  .96"),
];

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    if let Some(folder) = gold::folder() {
        let summaries = gold::summaries(&folder);
        if !arguments.has("depth") { measure(&summaries, arguments.has("fit")); }
        depth(&folder);
    }
}

fn measure(summaries: &[Summary], fit: bool) {
    let prepared: Vec<Prepared> = summaries.iter().map(Prepared::new).collect();
    let mut fitter = Fitter::new(&prepared);
    let rankings = fitter.rankings();
    let with_neighbours: Vec<&Vec<Vec<Ranked>>> = rankings.iter().map(|[together, _]| together).collect();
    let alone: Vec<&Vec<Vec<Ranked>>> = rankings.iter().map(|[_, alone]| alone).collect();
    println!("Sources, each summary ranked with weights that did not see its log\n");
    println!("  {:<62}{:>5}  {:>5}  {:>5}  {:>5}", "labels", "n", "P@1", "hit@3", "MRR");
    for (name, rankings) in [("", &with_neighbours), ("each sentence alone: ", &alone)] {
        let sets: [(&str, bool, &dyn Fn(&gold::Label) -> bool); 4] = [
            ("original sentences", false, &|l| l.set == Set::Original && !l.is_quote),
            ("original sentences, second reader's blocks too", true, &|l| l.set == Set::Original && !l.is_quote),
            ("original quotes", false, &|l| l.set == Set::Original && l.is_quote),
            ("further sentences", false, &|l| l.set == Set::Extra),
        ];
        for (set, more, wanted) in sets {
            let ranks = summaries.iter().zip(rankings).flat_map(|(s, r)| ranks(s, r, more, wanted));
            print(&format!("{name}{set}"), &ranks.collect::<Vec<_>>());
        }
    }
    println!();
    for (summary, rankings) in summaries.iter().zip(&with_neighbours) {
        let name = summary.log.rsplit('/').next().unwrap_or_default();
        print(&format!("{name} g{}", summary.generation), &ranks(summary, rankings, true, &|_| true));
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
fn ranks(
    summary: &Summary,
    rankings: &[Vec<Ranked>],
    more: bool,
    wanted: &dyn Fn(&gold::Label) -> bool,
) -> Vec<Option<usize>> {
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

fn depth(folder: &std::path::Path) {
    use pentimento::lineage::{index::Index, origin, rank::Field, support::Weighed, weights};
    for ((log, generation), labels) in gold::origins(folder) {
        let open = pentimento::session::open::OpenLog::load(&folder.join(&log)).unwrap();
        let texts = gold::texts(&open, generation);
        let index = Index::new(&texts.blocks);
        let lexicon = pentimento::text::lexicon::built_in();
        let r = Field::new(&texts, &index, lexicon).rank(weights::built_in());
        for (text, label) in labels {
            let place = gold::place(&texts, &text).unwrap();
            let weighed = Weighed::new(&index, lexicon, &text);
            let (o, parent) = origin::of(&texts, &index, &weighed, &r[place]);
            let is_old = |x: &&Ranked| texts.blocks[x.block].sentence.is_some();
            let a = r[place].iter().find(|x| !is_old(x)); let b = r[place].iter().find(is_old);
            let f = |x: Option<&Ranked>| x.map_or((0.0,0.0,0.0), |x| (x.matched, weighed.coverage(&index, &texts.blocks, std::slice::from_ref(x)), x.score));
            let (a, b) = (f(a), f(b));
            let am = r[place].iter().filter(|x| !is_old(x)).map(|x| x.matched).fold(0.0, f64::max);
            let bm = r[place].iter().filter(is_old).map(|x| x.matched).fold(0.0, f64::max);
            println!("O {label} {} {parent:?} A {:.1} {:.2} {:.3} B {:.1} {:.2} {:.3} max {am:.1} {bm:.1} {}", o.name(), a.0, a.1, a.2, b.0, b.1, b.2, text.chars().take(70).collect::<String>());
        }
    }
}
