//! The cold forest: what a reader gets, and what a message costs.
//!
//! `cargo bench --bench forest -- [--facts | --cost] [CONVERSATION]…`; without paths the two written conversations beside
//! the project. A conversation needs `facts`, each with a question, its answer and the message that holds it.
//!
//! A fact counts as got where its answer stands in what the reader is given; whether a model would find it there is not
//! measured. Facts whose message is still hot are left out: every way gives those. `McNemar` is the exact two-sided
//! test on the facts that only one of two ways gives.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

mod support;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use pentimento::formats::facts::{PartKind, Role};
use pentimento::log::LogError;
use pentimento::session::open::OpenLog;
use pentimento::strategies::union_find::ColdForest;
use pentimento::strategies::union_find::forest::Stamp;
use pentimento::strategies::union_find::health::Health;
use pentimento::strategies::union_find::reader::{Originals, read};
use pentimento::strategies::union_find::replay::Replay;
use pentimento::strategies::union_find::settings::{Cap, Preset, Settings, Vectors};
use pentimento::summarisers::extractive::Extractive;
use pentimento::summarisers::{Failure, Request, SourcePart, SourceTurn, Summariser, Summary};
use serde_json::Value;
use support::{Arguments, generate, median, row};

const BUDGETS: [u64; 3] = [500, 1000, 2000];
/// Clusters of the two ways that do not look at what was said.
const PARTS: u32 = 10;

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    let paths = arguments.paths();
    if !arguments.has("cost") {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/threads");
        let usual =
            ["conversation_long_200.json", "conversation_short_50.json"].map(|name| beside.join(name));
        for path in if paths.is_empty() { usual.to_vec() } else { paths } {
            if path.exists() {
                facts(&path);
            } else {
                println!("skipped: {} is not there", path.display());
            }
        }
    }
    if !arguments.has("facts") {
        cost();
        whole_log();
    }
}

/// What is asked of a conversation.
struct Fact {
    question: String,
    answer: String,
}

/// A way to read the cold zone: its name and its forest; without one, a single summary of everything.
struct Way {
    name: &'static str,
    forest: Option<ColdForest>,
}

fn facts(path: &Path) {
    let value: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let texts: Vec<String> =
        value["messages"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    let cold = texts.len() - Settings::default().hot as usize;
    let facts: Vec<Fact> = value["facts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fact| (fact["msg_index"].as_u64().unwrap() as usize) < cold)
        .map(|fact| Fact {
            question: fact["question"].as_str().unwrap().to_owned(),
            answer: fact["answer"].as_str().unwrap().to_owned(),
        })
        .collect();
    let all = texts[..cold].join("\n");
    let held = facts.iter().filter(|fact| holds(&all, &fact.answer)).count();
    let tokens: u32 = texts[..cold].iter().map(|text| pentimento::text::tokens::estimate(text)).sum();
    println!(
        "{}: {cold} cold messages of {tokens} tokens; {} facts, {held} of them word for word in the cold zone\n",
        path.file_name().unwrap().to_string_lossy(),
        facts.len()
    );
    println!("| way | largest | {} | McNemar against balanced |", BUDGETS.map(|b| b.to_string()).join(" | "));
    println!("|---|---|{}---|", "---|".repeat(BUDGETS.len()));
    let mut first: Option<Vec<Vec<bool>>> = None;
    for way in ways(&texts, cold) {
        let got: Vec<Vec<bool>> =
            BUDGETS.iter().map(|budget| got(&way, &texts[..cold], &facts, *budget)).collect();
        let counts: Vec<String> =
            got.iter().map(|got| got.iter().filter(|got| **got).count().to_string()).collect();
        let against = first.as_ref().map_or_else(String::new, |first| {
            let of = |(a, b): (&Vec<bool>, &Vec<bool>)| mcnemar(a, b);
            first.iter().zip(&got).map(of).collect::<Vec<_>>().join("; ")
        });
        let largest = way.forest.as_ref().map_or_else(
            || "–".to_owned(),
            |forest| format!("{:.0} %", Health::of(forest, Stamp::MAX).largest_share() * 100.0),
        );
        println!("| {} | {largest} | {} | {against} |", way.name, counts.join(" | "));
        first.get_or_insert(got);
    }
    println!();
}

fn ways(texts: &[String], cold: usize) -> Vec<Way> {
    let build = |settings: Settings| {
        let mut forest = ColdForest::fitted(settings, texts.iter().map(String::as_str));
        for (at, text) in (1..).zip(texts) {
            forest.append(text, at);
        }
        forest
    };
    let balanced = Settings::default();
    // Summaries of the nearest clusters alone, in equal shares.
    let summaries = Settings { preset: Preset::Reference, min_sim: -1.0, ..balanced };
    let only_summaries = |mut forest: ColdForest| {
        forest.read_as(&summaries);
        forest
    };
    let reference = Settings { vectors: Vectors::Fitted, ..Settings::of(Preset::Reference) };
    let given = |clusters: &[Vec<u32>]| ColdForest::of_clusters(balanced, &texts[..cold], clusters);
    let (blocks, random) = (given(&time_blocks(cold)), given(&random_split(cold)));
    let way = |name, forest| Way { name, forest: Some(forest) };
    vec![
        way("**balanced**, cap 10", build(balanced)),
        way("balanced, cap √n", build(Settings { cap: Cap::Root, ..balanced })),
        way("10 equal time blocks, the same reader", blocks.clone()),
        way("random split into 10, the same reader", random.clone()),
        Way { name: "flat extractive summary", forest: None },
        way("reference", build(reference)),
        way("balanced, summaries of 3 clusters only", only_summaries(build(balanced))),
        way("10 equal time blocks, summaries of 3 only", only_summaries(blocks)),
        way("random split into 10, summaries of 3 only", only_summaries(random)),
    ]
}

fn time_blocks(cold: usize) -> Vec<Vec<u32>> {
    let cold = cold as u32;
    (0..PARTS).map(|part| (part * cold / PARTS..(part + 1) * cold / PARTS).collect()).collect()
}

/// Every message into one of ten parts of equal size, by a fixed shuffle.
fn random_split(cold: usize) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..cold as u32).collect();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for at in (1..order.len()).rev() {
        state = next(state);
        order.swap(at, (state >> 33) as usize % (at + 1));
    }
    let mut parts = vec![Vec::new(); PARTS as usize];
    for (at, message) in order.into_iter().enumerate() {
        parts[at % PARTS as usize].push(message);
    }
    for part in &mut parts {
        part.sort_unstable();
    }
    parts
}

fn next(state: u64) -> u64 {
    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

fn got(way: &Way, cold: &[String], facts: &[Fact], budget: u64) -> Vec<bool> {
    let Some(forest) = &way.forest else {
        let sources = (0..).zip(cold).map(|(node, text)| source(node, text)).collect();
        let text = summarise(sources, budget as u32).unwrap().text;
        return facts.iter().map(|fact| holds(&text, &fact.answer)).collect();
    };
    let mut originals = Texts { forest, cold };
    let of = |fact: &Fact| {
        let reading = read(forest, &fact.question, budget, &mut originals).unwrap();
        let text = reading.texts().collect::<Vec<_>>().join("\n");
        holds(&text, &fact.answer)
    };
    facts.iter().map(of).collect()
}

fn holds(text: &str, answer: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    plain(text).contains(&plain(answer))
}

struct Texts<'a> {
    forest: &'a ColdForest,
    cold: &'a [String],
}

fn source(node: u32, text: &str) -> SourceTurn {
    let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text: text.to_owned() };
    SourceTurn { turns: (node, node), role: Role::User, parts: vec![part] }
}

fn summarise(sources: Vec<SourceTurn>, budget: u32) -> Result<Summary, Failure> {
    Extractive::default().summarise(&Request { sources, budget }, &AtomicBool::new(false))
}

impl Originals for Texts<'_> {
    fn sources(&mut self, node: u32) -> Result<Vec<SourceTurn>, LogError> {
        Ok(vec![source(node, &self.cold[node as usize])])
    }

    fn summary(&mut self, root: u32, budget: u32) -> Result<Result<Summary, Failure>, LogError> {
        let mut members = self.forest.forest().members(root, Stamp::MAX);
        members.sort_unstable();
        let sources = members.into_iter().map(|node| source(node, &self.cold[node as usize])).collect();
        Ok(summarise(sources, budget))
    }
}

/// Facts that only the first and only the second way gives, and how likely that is where both are equally good.
fn mcnemar(first: &[bool], second: &[bool]) -> String {
    let pairs = || first.iter().zip(second);
    let only_first = pairs().filter(|(a, b)| **a && !**b).count();
    let only_second = pairs().filter(|(a, b)| !**a && **b).count();
    let n = only_first + only_second;
    let mut term = 0.5_f64.powi(n as i32);
    let mut tail = 0.0;
    for k in 0..=only_first.min(only_second) {
        tail += term;
        term *= (n - k) as f64 / (k + 1) as f64;
    }
    format!("{only_first}:{only_second} p {:.3}", (2.0 * tail).min(1.0))
}

/// A made message of forty words: a few common ones and, rarely, one that nobody said before.
fn message(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut word = || {
        state = next(state);
        let chance = (state >> 40) as f64 / f64::from(1 << 24);
        format!("w{}", (30_000.0 * chance.powi(4)) as u32)
    };
    (0..40).map(|_| word()).collect::<Vec<_>>().join(" ")
}

fn cost() {
    println!("One message more, forty words, hot 10; median of the 401 around it");
    for (name, settings) in [
        ("balanced, cap 10", Settings::default()),
        ("balanced, cap √n", Settings { cap: Cap::Root, ..Settings::default() }),
        ("reference, cap 10, incremental", Settings::of(Preset::Reference)),
    ] {
        let mut forest = ColdForest::new(settings);
        let mut times: Vec<Duration> = Vec::new();
        for number in 0..100_200_u32 {
            let text = message(u64::from(number));
            let begin = Instant::now();
            forest.append(&text, number);
            times.push(begin.elapsed());
        }
        let around = |at: usize| median(&times[at - 200..=at + 199]);
        let largest = Health::of(&forest, Stamp::MAX).largest_share() * 100.0;
        row(
            name,
            &format!(
                "1,000th {:.1} µs, 100,000th {:.1} µs; largest cluster {largest:.0} %",
                micros(around(1000)),
                micros(around(100_000))
            ),
        );
    }
    println!();
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn whole_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    // A message is a turn or a call with its results.
    generate::session(&path, generate::Until::Turns(180_000), generate::USUAL);
    let bytes = std::fs::metadata(&path).unwrap().len();
    let begin = Instant::now();
    let log = OpenLog::load(&path).unwrap();
    let index = begin.elapsed();
    let begin = Instant::now();
    let replay = Replay::of(&log, Settings::default(), log.session.last()).unwrap();
    let forest = begin.elapsed();
    row(
        &format!("a made log of {}", support::bytes(bytes)),
        &format!(
            "{} turns, {} messages: index {:.2} s, forest {:.2} s",
            log.session.last(),
            replay.messages().len(),
            index.as_secs_f64(),
            forest.as_secs_f64()
        ),
    );
}
