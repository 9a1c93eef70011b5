//! The audit as JSON: one object for each log, its generations written one after another as they are done.

use std::io::Write;

use serde::Serialize;
use serde_json::{Value, json};

use crate::audit::finding::{Class, Finding, Frequency, Place, Verdict, Voice, Why};
use crate::audit::pass::{Curves, Pass, Point};
use crate::audit::ruler;
use crate::commands::SCHEMA;

use super::{Failure, Head, Print};

/// Writes JSON.
pub(super) struct Json<'a> {
    out: &'a mut dyn Write,
    written: usize,
}

impl<'a> Json<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, written: 0 }
    }
}

impl Print for Json<'_> {
    fn head(&mut self, head: &Head) -> Result<(), Failure> {
        let text = |text: &str| Value::from(text).to_string();
        write!(
            self.out,
            "{{\"schema\":{SCHEMA},\"path\":{},\"format\":{},\"strategy\":{},\"lexicon\":{},\"generations\":[",
            text(&head.path),
            text(&head.format),
            text(&head.strategy),
            text(&head.lexicon)
        )?;
        Ok(())
    }

    fn pass(&mut self, head: &Head, pass: &Pass) -> Result<(), Failure> {
        if self.written > 0 {
            write!(self.out, ",")?;
        }
        self.written += 1;
        serde_json::to_writer(&mut self.out, &Written::of(head, pass)).map_err(std::io::Error::from)?;
        // Whoever reads along gets each as it is done.
        self.out.flush()?;
        Ok(())
    }

    fn end(&mut self, _: &Head, curves: &Curves) -> Result<(), Failure> {
        let points = |points: &[Point]| -> Vec<Value> {
            let point = |point: &Point| json!({"passes": point.passes, "of": point.of, "verdicts": point.verdicts, "kept": digits(point.kept())});
            points.iter().map(point).collect()
        };
        let curves = json!({
            "open": points(&curves.open),
            "open_narrative": points(&curves.open_narrative),
            "binding": points(&curves.binding),
            "exact": points(&curves.exact),
        });
        writeln!(self.out, "],\"retention\":{curves}}}")?;
        Ok(())
    }
}

/// A report as it is written: findings, of which there are many, without a tree of values in between.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    about: Value,
    findings: Vec<Found<'a>>,
    not_found: Vec<Found<'a>>,
}

impl<'a> Written<'a> {
    fn of(head: &Head, pass: &'a Pass) -> Self {
        let found = |of: &'a [Finding]| of.iter().map(|finding| Found::of(head, pass, finding)).collect();
        Self { about: about(head, pass), findings: found(&pass.findings), not_found: found(&pass.not_found) }
    }
}

/// All of a report but its findings.
fn about(head: &Head, pass: &Pass) -> Value {
    let sentence = |place: &usize| sentence(head, pass, *place);
    json!({
        "generation": pass.about.generation,
        "turn": (pass.about.turn > 0).then_some(pass.about.turn),
        "complete": if pass.complete { Some(true) } else { pass.about.told_complete.filter(|told| !told) },
        "ample": pass.ample,
        "readable": pass.readable,
        "unreadable": pass.about.unreadable,
        "covered": pass.about.covered,
        "kept": pass.about.kept,
        "counts": pass.counts,
        "tools": pass.tools,
        "already_lost": pass.already_lost,
        "suppressed": pass.suppressed,
        "survival": pass.survival,
        "open_retention": pass.retention,
        "messages": pass.listing.as_ref().map(|listing| json!({
            "typed": listing.messages,
            "listed": listing.listed,
            "inversions": listing.inversions,
            "neighbours": listing.neighbours,
            "missing": listing.missing.iter().map(Place::address).collect::<Vec<_>>(),
        })),
        "ruler": pass.ruler.as_ref().map(|ruler| json!({
            "bits": ruler.bits,
            "compressed_bits": ruler.compressed,
            "copied": digits(ruler.copied.share),
            "density": digits(ruler.copied.density),
            "kind": ruler.copied.kind(),
            "says": ruler::SAYS,
            "families": ruler.families.iter().map(|family| json!({
                "family": family.family,
                "items": family.items,
                "bits_per_item": digits(family.bits_per_item),
                "missed": digits(family.missed),
                "taken": digits(family.taken),
                "literal_error": digits(family.literal),
                "bloom_error": digits(family.bloom),
                "floor_one_sided": digits(family.one_sided),
                "floor_two_sided": digits(family.two_sided),
                "selection_error": digits(family.selection),
                "target_error": ruler::TARGET,
                "bloom_bits": digits(family.bits_for.0),
                "floor_bits": digits(family.bits_for.1),
            })).collect::<Vec<_>>(),
        })),
        "unsupported": pass.unsupported.as_ref().map(|places| places.iter().map(sentence).collect::<Vec<_>>()),
    })
}

/// A finding as it is written.
#[derive(Serialize)]
struct Found<'a> {
    address: String,
    class: Class,
    verdict: Verdict,
    text: &'a str,
    voice: Voice,
    frequency: Frequency,
    units: u32,
    since: u32,
    first_lost: Option<u32>,
    sources: Vec<Stands>,
    sentences: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    at_risk: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    narrative: Option<Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<String>,
}

impl<'a> Found<'a> {
    fn of(head: &Head, pass: &Pass, finding: &'a Finding) -> Self {
        let sentence = |place: &usize| sentence(head, pass, *place);
        Self {
            address: finding.address(),
            class: finding.class,
            verdict: finding.verdict,
            text: &finding.text,
            voice: finding.voice,
            frequency: finding.frequency,
            units: finding.units,
            since: finding.since,
            first_lost: finding.first_lost,
            sources: finding.sources.iter().map(Stands::of).collect(),
            sentences: finding.sentences.iter().map(sentence).collect(),
            at_risk: finding.at_risk,
            why: finding.why.as_ref().map(Why::words),
            narrative: finding.narrative,
            worst: finding.worst,
            compare: finding.compare.as_ref().map(sentence),
            answered: finding.answered.map(|turn| format!("t{turn}")),
        }
    }
}

/// A place as it is written.
#[derive(Serialize)]
struct Stands {
    address: String,
    turn: u32,
    line: u32,
    part: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    voice: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<(u64, u64)>,
}

impl Stands {
    fn of(place: &Place) -> Self {
        let Place { turn, line, part, voice, bytes, .. } = *place;
        Self { address: place.address(), turn, line, part, voice, bytes }
    }
}

/// The address of a sentence. What is replayed has no summary of its own in the log: its sentences are only numbered.
pub(super) fn sentence(head: &Head, pass: &Pass, place: usize) -> String {
    if head.strategy == "recorded" {
        format!("g{}.s{}", pass.about.generation, place + 1)
    } else {
        format!("s{}", place + 1)
    }
}

/// Three digits, the same on every machine.
fn digits(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
