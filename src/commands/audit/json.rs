//! The audit as JSON: one object for each log, its generations written one after another as they are done.

use std::io::Write;

use serde_json::{Value, json};

use crate::audit::finding::{Finding, Place};
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
        write!(self.out, "{}", of_pass(head, pass))?;
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

/// A report.
fn of_pass(head: &Head, pass: &Pass) -> Value {
    let findings: Vec<Value> = pass.findings.iter().map(|finding| of_finding(head, pass, finding)).collect();
    let sentence = |place: &usize| sentence(head, pass, *place);
    json!({
        "generation": pass.about.generation,
        "turn": (pass.about.turn > 0).then_some(pass.about.turn),
        "complete": pass.complete,
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
        "findings": findings,
    })
}

/// A finding.
fn of_finding(head: &Head, pass: &Pass, finding: &Finding) -> Value {
    let mut value = json!({
        "address": finding.address(),
        "class": finding.class,
        "verdict": finding.verdict,
        "text": finding.text,
        "voice": finding.voice,
        "frequency": finding.frequency,
        "units": finding.units,
        "since": finding.since,
        "first_lost": finding.first_lost,
        "sources": finding.sources.iter().map(of_place).collect::<Vec<_>>(),
        "sentences": finding.sentences.iter().map(|place| sentence(head, pass, *place)).collect::<Vec<_>>(),
    });
    let mut put = |name: &str, more: Option<Value>| {
        if let (Some(more), Value::Object(fields)) = (more, &mut value) {
            fields.insert(name.to_owned(), more);
        }
    };
    put("at_risk", finding.at_risk.then_some(true.into()));
    put("why", finding.why.as_ref().map(|why| why.words().into()));
    put("narrative", finding.narrative.map(|verdict| verdict.name().into()));
    put("worst", finding.worst.map(|verdict| verdict.name().into()));
    put("compare", finding.compare.map(|place| sentence(head, pass, place).into()));
    put("answered", finding.answered.map(|turn| format!("t{turn}").into()));
    value
}

fn of_place(place: &Place) -> Value {
    let mut value =
        json!({"address": place.address(), "turn": place.turn, "line": place.line, "part": place.part});
    if let Value::Object(fields) = &mut value {
        if place.voice {
            fields.insert("voice".to_owned(), true.into());
        }
        if let Some((from, to)) = place.bytes {
            fields.insert("bytes".to_owned(), json!([from, to]));
        }
    }
    value
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
