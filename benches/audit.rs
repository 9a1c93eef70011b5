//! The audit measured over all real logs beside the project, and its speed.
//!
//! `cargo bench --bench audit -- [--findings] [LOG]…`: prints how many exact items survive, by who says them and how often, and
//! what becomes of what was left open, over all complete compactions; then the time that each LOG takes. `--findings` prints
//! instead what is called dropped of each LOG, to be read beside it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a measurement stops at the first surprise"
)]

#[path = "../tests/support/gold.rs"]
mod gold;
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pentimento::audit::finding::{Class, Frequency, Verdict, Voice};
use pentimento::audit::pass::Pass;
use pentimento::audit::recorded;
use pentimento::audit::work::Options;
use pentimento::session::open::OpenLog;
use pentimento::text::lexicon;
use support::Arguments;

/// What the prototype measured on 68 compactions of 63 sessions: headlines and footnotes, in per cent.
const RECORDED: [(Voice, f64, f64); 4] = [
    (Voice::Prompt, 54.0, 13.4),
    (Voice::Text, 50.9, 21.7),
    (Voice::ToolUse, 22.2, 11.8),
    (Voice::ToolResult, 2.9, 1.8),
];

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    let logs: Vec<PathBuf> = arguments.paths();
    if arguments.has("findings") {
        for log in logs {
            findings(&log);
        }
        return;
    }
    if let Some(folder) = gold::folder() {
        let mut passes = Vec::new();
        for log in data(&folder) {
            let Ok(open) = OpenLog::load(&log) else { continue };
            let (found, _) = recorded(&open, lexicon::built_in(), Options::default()).unwrap();
            passes.extend(found);
        }
        survival(&passes);
        retention(&passes);
        rulers(&passes);
    }
    for log in logs {
        time(&log);
    }
}

/// The logs of the data.
fn data(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for name in ["claude-code", "claude-code/projects/-home-user-spotter", "codex", "pi"] {
        let entries = std::fs::read_dir(folder.join(name)).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        out.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")));
    }
    out.sort();
    out
}

/// A sum over rows: kept, kept or shortened, all.
#[derive(Clone, Copy, Default)]
struct Sum(u32, u32, u32);

impl Sum {
    fn shown(self) -> String {
        let share = |n: u32| 100.0 * f64::from(n) / f64::from(self.2.max(1));
        format!("{:>6}/{:<6} {:>5.1}  {:>5.1}", self.0, self.2, share(self.0), share(self.0 + self.1))
    }
}

fn survival(passes: &[Pass]) {
    let complete: Vec<&Pass> = passes.iter().filter(|pass| pass.complete && pass.ample).collect();
    let by_chain = passes.iter().filter(|pass| pass.complete).count();
    println!(
        "Exact items over {} compactions of {} whose range is complete and ample; {by_chain} are complete",
        complete.len(),
        passes.len()
    );
    println!("found letter by letter or in one form, in per cent; and with shorter forms\n");
    let mut sums: BTreeMap<(Voice, Frequency), Sum> = BTreeMap::new();
    let mut kinds: BTreeMap<(String, Voice, Frequency), Sum> = BTreeMap::new();
    for row in complete.iter().flat_map(|pass| &pass.survival) {
        let sum = |sum: &mut Sum| *sum = Sum(sum.0 + row.kept, sum.1 + row.shortened, sum.2 + row.of);
        sum(sums.entry((row.voice, row.frequency)).or_default());
        sum(kinds.entry((row.kind.clone(), row.voice, row.frequency)).or_default());
    }
    println!("  {:<12} {:<28} {:<28} recorded of the prototype", "", "headline", "footnote");
    for (voice, headline, footnote) in RECORDED {
        let of = |frequency| sums.get(&(voice, frequency)).copied().unwrap_or_default().shown();
        println!(
            "  {:<12} {:<28} {:<28} {headline:.1} / {footnote:.1}",
            voice.name(),
            of(Frequency::Headline),
            of(Frequency::Footnote)
        );
    }
    println!("\n  by kind, what the user or the model said\n");
    let names: std::collections::BTreeSet<&String> = kinds.keys().map(|(kind, _, _)| kind).collect();
    for kind in names {
        let of = |frequency| {
            let voices = [Voice::Prompt, Voice::Text].into_iter();
            let sums = voices.filter_map(|voice| kinds.get(&(kind.clone(), voice, frequency)));
            sums.fold(Sum::default(), |a, b| Sum(a.0 + b.0, a.1 + b.1, a.2 + b.2)).shown()
        };
        println!("  {kind:<12} {:<28} {:<28}", of(Frequency::Headline), of(Frequency::Footnote));
    }
}

fn retention(passes: &[Pass]) {
    let complete = passes.iter().filter(|pass| pass.complete && pass.ample);
    let mut readings: [BTreeMap<Verdict, u32>; 3] = Default::default();
    let mut of = 0;
    let (mut listed, mut messages, mut whole, mut lists, mut turned, mut neighbours) = (0, 0, 0, 0, 0, 0);
    for pass in complete {
        of += pass.retention.of;
        let own = [&pass.retention.all, &pass.retention.narrative, &pass.retention.worst];
        for (sum, own) in readings.iter_mut().zip(own) {
            for (verdict, n) in own {
                *sum.entry(*verdict).or_default() += n;
            }
        }
        if let Some(listing) = &pass.listing {
            (listed, messages) = (listed + listing.listed, messages + listing.messages);
            (lists, whole) = (lists + 1, whole + u32::from(listing.is_whole()));
            (turned, neighbours) = (turned + listing.inversions, neighbours + listing.neighbours);
        }
    }
    println!("\nWhat the user left open, at the pass after it: {of}\n");
    print!("  {:<14}", "");
    for verdict in Verdict::ALL {
        print!("{:>13}", verdict.shown());
    }
    println!();
    for (name, sum) in ["all sentences", "narrative", "worst"].iter().zip(&readings) {
        print!("  {name:<14}");
        for verdict in Verdict::ALL {
            let n = sum.get(&verdict).copied().unwrap_or(0);
            print!("{:>12.1}%", 100.0 * f64::from(n) / f64::from(of.max(1)));
        }
        println!();
    }
    println!(
        "  recorded: verbatim 80, kept 1, softened 1, asserted 3, dropped 16; narrative 13, 12, 3, 12, 60"
    );
    println!(
        "\nListed messages: {listed} of {messages}, {whole} of {lists} lists whole, {turned} of {neighbours} neighbours turned round"
    );
    println!("  recorded: 538 of 674, 18 of 68, 34 of 477");
}

fn rulers(passes: &[Pass]) {
    let mut copied: Vec<f64> = Vec::new();
    let mut rows: BTreeMap<String, Vec<(f64, f64, f64, f64)>> = BTreeMap::new();
    for ruler in
        passes.iter().filter(|pass| pass.complete && pass.ample).filter_map(|pass| pass.ruler.as_ref())
    {
        copied.push(ruler.copied.share);
        for family in &ruler.families {
            let row = (f64::from(family.items), family.bits_per_item, family.missed, family.literal);
            rows.entry(family.family.clone()).or_default().push(row);
        }
    }
    println!("\nRuler, medians: share of copied words {:.3}", median(&mut copied));
    for (family, rows) in rows {
        let column =
            |of: fn(&(f64, f64, f64, f64)) -> f64| median(&mut rows.iter().map(of).collect::<Vec<_>>());
        println!(
            "  {family:<12} items {:>6.0}  bits each {:>7.1}  missed {:.3}  literal {:.3}",
            column(|row| row.0),
            column(|row| row.1),
            column(|row| row.2),
            column(|row| row.3)
        );
    }
    println!(
        "  recorded: copied .465; paths 354, 250, .94, .470; identifiers 811, 120, .88, .449; user items 65, -, .41, .22"
    );
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// What is called dropped of a log, with its turn.
fn findings(log: &Path) {
    let open = OpenLog::load(log).unwrap();
    let (passes, _) = recorded(&open, lexicon::built_in(), Options::default()).unwrap();
    println!("\n# {}", log.display());
    for pass in &passes {
        println!(
            "\n## g{} complete {} readable {} counts {:?}",
            pass.about.generation, pass.complete, pass.readable, pass.counts
        );
        for finding in &pass.findings {
            if finding.class <= Class::Commitment {
                println!(
                    "{:<12} {:<12} narrative {:<12} {} {}{} | {}",
                    finding.class.name(),
                    finding.verdict.shown(),
                    finding.narrative.map_or("", Verdict::shown),
                    finding.address(),
                    finding.answered.map_or_else(String::new, |turn| format!("answered t{turn} ")),
                    finding.why.as_ref().map_or_else(String::new, |why| format!("[{}]", why.words())),
                    finding.text
                );
            }
        }
    }
}

fn time(log: &Path) {
    let start = Instant::now();
    let open = OpenLog::load(log).unwrap();
    let loaded = start.elapsed();
    let (passes, _) = recorded(&open, lexicon::built_in(), Options::default()).unwrap();
    let findings: usize = passes.iter().map(|pass| pass.findings.len()).sum();
    println!(
        "\n{}: {} compactions, {findings} findings, read in {loaded:.2?}, all on one thread in {:.2?}",
        log.display(),
        passes.len(),
        start.elapsed()
    );
}
