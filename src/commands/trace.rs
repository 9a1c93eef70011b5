//! `pentimento trace`: from a summary's sentences to the turns they rest on, and from a turn to what became of it.

mod made;

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::cli::TraceArguments;
use crate::lineage::chain::{Carried, Carrier, Chain, Forward, SentenceId, Traces};
use crate::lineage::contrast::Contrast;
use crate::lineage::prepared::Prepared;
use crate::lineage::range::Texts;
use crate::lineage::support::TOGETHER;
use crate::lineage::told;
use crate::lineage::trace::{SourceLink, Trace, Traced};
use crate::lineage::weights;
use crate::session::address::Address;
use crate::session::open::{Lost, OpenLog};
use crate::session::{Provenance, TurnId};
use crate::strategies::blocks::places::Place;
use crate::text::display::safe;
use crate::text::lexicon::{self, Lexicon};
use crate::text::preview;

use super::{Failure, SCHEMA, own_lexicon};

/// Prints what an address leads to.
pub(super) fn run(log: &OpenLog, arguments: &TraceArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let address: Address = arguments.address.parse()?;
    let own = arguments.lexicon.as_deref().map(own_lexicon).transpose()?;
    let lexicon: &Lexicon = match &own {
        Some(own) => own,
        None => lexicon::built_in(),
    };
    if let Some(place) = Place::of(&address) {
        return made::run(log, &place, arguments, lexicon, out);
    }
    if let Address::Cluster(turn) | Address::ClusterSentence { of: turn, .. } = address {
        let only =
            if let Address::ClusterSentence { sentence, .. } = address { Some(sentence) } else { None };
        return made::cluster(log, turn, only, arguments, lexicon, out);
    }
    let mut tracer = Tracer::new(log, lexicon);
    match address {
        Address::Generation(generation) => tracer.generation(generation, arguments.json, out),
        Address::Sentence { generation, sentence } => {
            tracer.sentence(generation, sentence, arguments.json, out)
        }
        Address::Turn { thread: None, number, part } => {
            let turn = log.find_turn(None, number)?.turn;
            let parts = log.session.part_count(turn);
            if part.is_some_and(|part| part as usize >= parts) {
                return Err(Lost::Part(format!("t{number}"), parts).into());
            }
            // A summary keeps or loses what a turn says, not how it was cut into parts.
            tracer.turn(turn, arguments.json, out)
        }
        Address::Line(line) => {
            let row = log.find_line(line)?;
            let turn = log.session.row(row).turn().ok_or_else(|| {
                Failure::NotFound(format!("line {line} is no part of a turn: nothing became of it"))
            })?;
            tracer.turn(turn, arguments.json, out)
        }
        Address::Block(_)
        | Address::Span(_)
        | Address::MadeSentence { .. }
        | Address::Item(_)
        | Address::Cluster(_)
        | Address::ClusterSentence { .. }
        | Address::Union(_) => Err(Failure::NotFound(format!("{address} is in no log: it is replayed"))),
        Address::Receipt(_) => {
            Err(Failure::NotFound(format!("{address} is a receipt: trace the turn that it stands for")))
        }
        Address::Turn { .. } | Address::Thread(_) => Err(Failure::NotFound(
            "a sub-agent's turns are in no summary of this session: trace the result that reports them"
                .to_owned(),
        )),
    }
}

/// Traces what is asked for, and keeps it for the next question.
pub(super) struct Tracer<'a> {
    log: &'a OpenLog,
    traces: Traces,
    lexicon: &'a Lexicon,
}

fn without_summary(generation: u32) -> Failure {
    Failure::NotFound(format!("generation {generation} is a boundary without a summary"))
}

/// What holds for all sentences of a summary.
struct About<'a> {
    generation: u32,
    provenance: Provenance,
    complete: bool,
    ample: bool,
    previous: Option<u32>,
    lexicon: &'a str,
    text: &'a str,
}

impl<'a> About<'a> {
    fn of(trace: &'a Trace) -> Self {
        let Trace { generation, provenance, complete, ample, previous, .. } = *trace;
        Self { generation, provenance, complete, ample, previous, lexicon: &trace.lexicon, text: &trace.text }
    }

    fn of_range(range: &'a Prepared) -> Self {
        let Prepared { generation, provenance, previous, .. } = *range;
        let Texts { complete, ample, .. } = range.texts;
        let (lexicon, text) = (&range.lexicon, &range.texts.summary);
        Self { generation, provenance, complete, ample, previous, lexicon, text }
    }

    fn head(&self) -> String {
        let mut head = format!("g{} · range {}", self.generation, self.provenance.name());
        if !self.complete {
            head.push_str(" · originals are missing: nothing is called unsupported");
        } else if !self.ample {
            head.push_str(" · the model saw more than the log holds: nothing is called unsupported");
        }
        format!(
            "{head} · lexicon {} · sources: the likeliest first, with the share of the sentence that each holds; \
             likeness is no proof",
            self.lexicon
        )
    }
}

impl<'a> Tracer<'a> {
    /// A tracer of `log`, with what `lexicon` says of words and tools.
    pub(super) fn new(log: &'a OpenLog, lexicon: &'a Lexicon) -> Self {
        Self { log, traces: Traces::default(), lexicon }
    }

    /// Fails where a generation is not there or cannot be read.
    fn check(&self, generation: u32) -> Result<(), Failure> {
        let session = &self.log.session;
        let compaction = session
            .generation(generation)
            .ok_or(Lost::Generation(generation, session.compactions().len()))?;
        match compaction.unreadable() {
            Some(reason) => Err(Failure::NotFound(format!("g{generation} cannot be traced: {reason}"))),
            None => Ok(()),
        }
    }

    /// Traces a generation and those that its chains lead to.
    fn ensure(&mut self, generation: u32) -> Result<Arc<Trace>, Failure> {
        self.check(generation)?;
        let (session, source) = (&self.log.session, &self.log.source);
        let trace = self.traces.ensure(session, source, generation, self.lexicon, weights::built_in())?;
        trace.ok_or_else(|| without_summary(generation))
    }

    fn generation(&mut self, generation: u32, as_json: bool, out: &mut dyn Write) -> Result<(), Failure> {
        let trace = self.ensure(generation)?;
        let about = About::of(&trace);
        if !as_json {
            writeln!(out, "{}", about.head())?;
        }
        if trace.sentences.is_empty() && !as_json {
            writeln!(out, "\nno sentence stands in this summary: nothing can be traced")?;
        }
        for (place, traced) in trace.sentences.iter().enumerate() {
            let id = SentenceId { generation, place };
            self.print(&about, id, traced, as_json, out)?;
        }
        Ok(())
    }

    /// One sentence and its chain; the others of its summary are not traced.
    fn sentence(
        &mut self,
        generation: u32,
        number: u32,
        as_json: bool,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let (range, traced) = self.one(generation, number)?;
        let id = SentenceId { generation, place: number as usize - 1 };
        let about = About::of_range(&range);
        if !as_json {
            writeln!(out, "{}", about.head())?;
        }
        self.print(&about, id, &traced, as_json, out)
    }

    /// Traces a sentence and those that its chain leads to.
    pub(super) fn one(
        &mut self,
        generation: u32,
        number: u32,
    ) -> Result<(Arc<Prepared>, Arc<Traced>), Failure> {
        self.check(generation)?;
        let (session, source) = (&self.log.session, &self.log.source);
        let weights = weights::built_in();
        let range = self.traces.range(session, source, generation, self.lexicon, weights)?;
        let range = range.ok_or_else(|| without_summary(generation))?;
        let lost = || Lost::Sentence(generation, number, range.texts.sentences.len());
        let place = (number as usize).checked_sub(1).ok_or_else(lost)?;
        let id = SentenceId { generation, place };
        let traced = self.traces.sentence(session, source, id, self.lexicon, weights)?;
        let traced = traced.ok_or_else(lost)?;
        Ok((range, traced))
    }

    fn print(
        &self,
        about: &About,
        id: SentenceId,
        traced: &Traced,
        as_json: bool,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if as_json {
            writeln!(out, "{}", self.sentence_json(about, id, traced))?;
            return Ok(());
        }
        self.sentence_text(about, id, traced, out)
    }

    fn sentence_json(&self, about: &About, id: SentenceId, traced: &Traced) -> Value {
        let chain = self.traces.chain(id);
        let mut steps: Vec<String> = chain.sentences.iter().map(|step| step.sentence.to_string()).collect();
        steps.extend(chain.turn.as_ref().map(|turn| format!("t{}", turn.spot.number)));
        let taken_over: Vec<bool> = chain.sentences.iter().map(|step| step.inherited).collect();
        let sources: Vec<Value> =
            traced.sources.iter().take(TOGETHER).map(|source| source_json(source, about.previous)).collect();
        json!({
            "schema": SCHEMA,
            "address": id.to_string(),
            "text": traced.sentence.text(about.text),
            "kind": traced.sentence.kind.name(),
            "section": traced.sentence.heading,
            "generation": id.generation,
            "support": traced.support.name(),
            "coverage": rounded(traced.coverage),
            "verbatim": traced.verbatim,
            "sources": sources,
            "origin": traced.origin.name(),
            "contrasts": contrasts(traced),
            "chain": steps,
            "taken_over": taken_over,
            "depth": chain.depth,
            "paraphrases": chain.paraphrases,
            "provenance": about.provenance.name(),
            "complete": about.complete,
            "ample": about.ample,
            "lexicon": about.lexicon,
        })
    }

    fn sentence_text(
        &self,
        about: &About,
        id: SentenceId,
        traced: &Traced,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let chain = self.traces.chain(id);
        writeln!(out, "\n{id} {}", safe(&preview::on_one_line(traced.sentence.text(about.text))))?;
        standing(traced, about.complete, about.ample, out)?;
        writeln!(out, "  {} · {}", told::whence(traced, about.previous), told::distance(&chain))?;
        let way = way_back(id, &chain);
        if !way.is_empty() {
            writeln!(out, "  {way}")?;
        }
        sources_text(traced, about.previous, out)
    }

    fn turn(&mut self, id: TurnId, as_json: bool, out: &mut dyn Write) -> Result<(), Failure> {
        let log = self.log;
        let readable = log.session.compactions().iter().filter(|c| c.is_readable()).map(|c| c.generation);
        for generation in readable.collect::<Vec<_>>() {
            self.ensure(generation)?;
        }
        let forward = self.traces.forward(&log.session, id, log.session.last());
        if as_json {
            writeln!(out, "{}", self.forward_json(id, &forward))?;
            return Ok(());
        }
        let turn = log.session.turn(id);
        writeln!(
            out,
            "{} {} {}",
            log.session.address(id),
            turn.role.name(),
            safe(&log.session.preview(&turn))
        )?;
        for (generation, fate) in &forward.generations {
            writeln!(
                out,
                "\ng{generation} · {}",
                told::fate(&log.session, self.traces.get(*generation).map(Arc::as_ref), *generation, fate)
            )?;
            for carried in fate.carried() {
                let mark = if carried.carrier == Carrier::Weak { "weak" } else { "carries" };
                writeln!(
                    out,
                    "  {:<9}{mark:<8} {}",
                    carried.sentence.to_string(),
                    safe(&self.words(carried))
                )?;
            }
        }
        let (_, last) = told::last_seen(&log.session, &forward, turn.number);
        writeln!(out, "\n{last}")?;
        Ok(())
    }

    fn words(&self, carried: &Carried) -> String {
        let trace = self.traces.get(carried.sentence.generation);
        let traced = trace.and_then(|trace| Some((trace, trace.sentences.get(carried.sentence.place)?)));
        traced.map_or_else(String::new, |(trace, traced)| {
            preview::on_one_line(traced.sentence.text(&trace.text))
        })
    }

    fn forward_json(&self, id: TurnId, forward: &Forward) -> Value {
        let generations: Vec<Value> = forward
            .generations
            .iter()
            .map(|(generation, fate)| {
                let sentences: Vec<Value> = fate.carried().iter().map(|carried| self.carried_json(carried)).collect();
                let readable =
                    self.log.session.generation(*generation).is_some_and(crate::session::Compaction::is_readable);
                json!({"generation": generation, "fate": fate.name(), "readable": readable, "sentences": sentences})
            })
            .collect();
        json!({
            "schema": SCHEMA,
            "address": self.log.session.address(id).to_string(),
            "generations": generations,
            "last_seen": forward.last_seen.map(|generation| format!("g{generation}")),
            "last_weak": forward.last_weak.map(|generation| format!("g{generation}")),
            "in_view": forward.in_view,
            "lexicon": self.lexicon.id(),
        })
    }

    fn carried_json(&self, carried: &Carried) -> Value {
        let trace = self.traces.get(carried.sentence.generation);
        let text = trace
            .and_then(|trace| Some(trace.sentences.get(carried.sentence.place)?.sentence.text(&trace.text)));
        json!({
            "address": carried.sentence.to_string(),
            "text": text,
            "carrier": if carried.carrier == Carrier::Weak { "weak" } else { "carries" },
            "from": carried.from.map(|from| from.to_string()),
            "rank": carried.source.map(|(rank, _)| rank + 1),
            "part": carried.source.map(|(_, part)| part),
        })
    }
}

/// How far a sentence is supported, and what calls for a look.
fn standing(traced: &Traced, complete: bool, ample: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let held = told::held(traced).map_or_else(String::new, |held| format!(": {held}"));
    writeln!(out, "  {}{held}", told::support(traced, complete, ample))?;
    traced.contrasts.iter().try_for_each(|contrast| writeln!(out, "  ! {}", safe(&contrast.words())))
}

/// What a sentence says otherwise than its sources, in words.
fn contrasts(traced: &Traced) -> Vec<String> {
    traced.contrasts.iter().map(Contrast::words).collect()
}

/// A chain on one line: an arrow where a sentence was taken over, a wave where two only share words.
fn way_back(id: SentenceId, chain: &Chain) -> String {
    let mut way = id.to_string();
    for step in &chain.sentences {
        way.push_str(if step.inherited { " ← " } else { " ~ " });
        way.push_str(&step.sentence.to_string());
    }
    match &chain.turn {
        Some(turn) => format!("{way} ← t{}", turn.spot.number),
        None if chain.sentences.is_empty() => String::new(),
        None => way,
    }
}

/// The sources of a sentence, each on a line.
fn sources_text(traced: &Traced, previous: Option<u32>, out: &mut dyn Write) -> Result<(), Failure> {
    for source in traced.sources.iter().take(TOGETHER) {
        let named = if source.named { "named, " } else { "" };
        let held = format!("{named}{:.0} %", source.coverage * 100.0);
        let snippet = preview::on_one_line(&source.snippet);
        let (address, role) = (source_address(source, previous), source.spot.role.name());
        writeln!(out, "  {address:<9}{role:<10} {held:<5} {}", safe(&snippet))?;
    }
    Ok(())
}

/// The address of a source: a part of a turn, or a sentence of the summary before.
fn source_address(source: &SourceLink, previous: Option<u32>) -> String {
    match (source.spot.sentence, previous) {
        (Some(place), Some(generation)) => SentenceId { generation, place }.to_string(),
        _ => format!("t{}.{}", source.spot.number, source.spot.index),
    }
}

fn source_json(source: &SourceLink, previous: Option<u32>) -> Value {
    let mut value = json!({
        "address": source_address(source, previous),
        "turn": source.spot.number,
        "line": source.spot.line,
        "part": source.spot.part,
        "role": source.spot.role.name(),
        "score": rounded(source.score),
        "coverage": rounded(source.coverage),
        "run": rounded(source.run),
        "snippet": source.snippet,
    });
    if source.named {
        value["named"] = json!(true);
    }
    if source.spot.voice {
        value["voice"] = json!(true);
    }
    if let Some(place) = source.spot.sentence {
        value["sentence"] = json!(place + 1);
    }
    value
}

/// Four digits: more would be noise.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests;
