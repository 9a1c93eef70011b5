//! How long questions to the summaries of a log take, beside reading the same bytes.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pentimento::lineage::chain::SentenceId;
use pentimento::lineage::index::Index;
use pentimento::lineage::prepared::Prepared;
use pentimento::lineage::range::Plan;
use pentimento::lineage::trace::trace;
use pentimento::lineage::weights;
use pentimento::session::open::OpenLog;
use pentimento::text::lexicon;

use crate::support::process::BINARY;
use crate::support::{bytes, median, milliseconds, row};

/// Of a log with many generations, how many sentences of each are asked.
const SAMPLE: usize = 6;
/// A log with more generations than this is sampled, and only its first ones are listed.
const MANY: usize = 8;

/// One kind of question, asked over and over.
struct Times(&'static str, Vec<Duration>);

impl Times {
    fn print(&self) {
        if self.1.is_empty() {
            return;
        }
        let worst = self.1.iter().max().unwrap();
        let figures = format!(
            "median {}, worst {}, n {}",
            milliseconds(median(&self.1)),
            milliseconds(*worst),
            self.1.len()
        );
        row(self.0, &figures);
    }
}

/// Asks the generations of a log.
pub fn time(path: &Path) {
    let log = OpenLog::load(path).unwrap();
    let generations: Vec<u32> = log.session.compactions().iter().map(|c| c.generation).collect();
    println!("\n{}: {} turns, {} generations", path.display(), log.session.last(), generations.len());
    let mut raw = Times("reading and counting the lines of the range", Vec::new());
    let mut read = Times("reading the texts", Vec::new());
    let mut index = Times("indexing them", Vec::new());
    let mut cold = Times("one sentence, reading and index included", Vec::new());
    let mut first = Times("one sentence, index there, nothing asked before", Vec::new());
    let mut next = Times("one sentence, after all others of its summary", Vec::new());
    let mut whole = Times("whole summary, reading and index included", Vec::new());
    let (lexicon, weights) = (lexicon::built_in(), weights::built_in());
    let many = generations.len() > MANY;
    let mut asked = None;
    for generation in generations {
        let Some(plan) = Plan::new(&log.session, generation) else { continue };
        raw.1.push(lines_of(&log, generation));
        let started = Instant::now();
        let texts = plan.read(&log.source, lexicon).unwrap();
        read.1.push(started.elapsed());
        let started = Instant::now();
        drop(Index::new(&texts.blocks));
        index.1.push(started.elapsed());
        let started = Instant::now();
        let trace = trace(&plan, &log.source, lexicon, weights).unwrap();
        whole.1.push(started.elapsed());
        let all = trace.sentences.len();
        if whole.1.len() <= MANY {
            let characters: usize = texts.blocks.iter().map(|block| block.text.len()).sum();
            let what = format!("g{generation}");
            let blocks = texts.blocks.len();
            row(&what, &format!("{blocks} blocks, {} of text, {all} sentences", bytes(characters as u64)));
        }
        let step = if many { (all / SAMPLE).max(1) } else { 1 };
        for place in (0..all).step_by(step) {
            let started = Instant::now();
            let prepared = Prepared::read(&plan, &log.source, lexicon, weights).unwrap();
            let ready = started.elapsed();
            let sentence = prepared.sentence(lexicon, place);
            let done = started.elapsed();
            assert!(sentence.is_some());
            cold.1.push(done);
            first.1.push(done.saturating_sub(ready));
        }
        let prepared = Prepared::read(&plan, &log.source, lexicon, weights).unwrap();
        drop(prepared.trace(lexicon));
        for place in (0..all).step_by(step) {
            let started = Instant::now();
            drop(prepared.sentence(lexicon, place));
            next.1.push(started.elapsed());
        }
        asked = Some(SentenceId { generation, place: all / 2 });
    }
    for times in [raw, read, index, cold, first, next, whole] {
        times.print();
    }
    if let Some(id) = asked {
        command(path, id);
    }
}

/// How long the lines that a generation covers take to be read and counted.
fn lines_of(log: &OpenLog, generation: u32) -> Duration {
    let session = &log.session;
    let compaction = session.generation(generation).unwrap();
    let numbers = compaction.covers.iter().flat_map(|(from, to)| *from..=*to);
    let rows = numbers.filter_map(|number| session.numbered(0, number)).flat_map(|turn| session.parts(turn));
    let mut places: Vec<(u64, u32)> =
        rows.map(|(_, part)| session.row(part.row)).map(|row| (row.offset, row.length)).collect();
    places.dedup();
    let started = Instant::now();
    let mut lines = 0;
    for (offset, length) in places {
        let line = log.source.read(offset, length as usize + 1).unwrap_or_default();
        lines += memchr::memchr_iter(b'\n', &line).count();
    }
    assert!(lines < usize::MAX);
    started.elapsed()
}

/// The command from the start of its process to its end: reading the whole log, and the chain of the sentence included.
fn command(path: &Path, id: SentenceId) {
    let mut times = Times("pentimento trace of a sentence in the last summary", Vec::new());
    let mut info = Times("pentimento info", Vec::new());
    for _ in 0..7 {
        let address = id.to_string();
        for (times, arguments) in [(&mut times, vec!["trace", "--json"]), (&mut info, vec!["info", "--json"])]
        {
            let mut command = Command::new(BINARY);
            command.arg(arguments[0]).arg(path);
            if arguments[0] == "trace" {
                command.arg(&address);
            }
            let started = Instant::now();
            let output = command.args(&arguments[1..]).output().unwrap();
            times.1.push(started.elapsed());
            assert!(output.status.success());
        }
    }
    times.print();
    info.print();
}
