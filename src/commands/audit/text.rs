//! The audit for people: of each compaction what was lost, class by class, then what stands beside.

use std::io::Write;

use crate::audit::finding::{Class, Finding, Verdict, Why};
use crate::audit::pass::{Curves, Pass, Point};
use crate::audit::ruler;
use crate::audit::work::Ruler;
use crate::text::display::safe;
use crate::text::numbers::{count, grouped};
use crate::text::preview;

use super::json::sentence;
use super::{Failure, Head, Print};

/// Findings of a class that are shown unless all are wanted.
const SHOWN: usize = 10;
/// Missing messages that are named.
const NAMED: usize = 8;

/// Writes text.
pub(super) struct Text<'a> {
    out: &'a mut dyn Write,
    all: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(out: &'a mut dyn Write, all: bool) -> Self {
        Self { out, all }
    }

    fn class(&mut self, head: &Head, pass: &Pass, class: Class) -> Result<(), Failure> {
        let Some(counts) = pass.counts.get(&class) else { return Ok(()) };
        let told: Vec<String> = counts
            .iter()
            .map(|(verdict, count)| format!("{} {}", grouped(u64::from(*count)), verdict.shown()))
            .collect();
        writeln!(self.out, "  {}: {}", class.plural(), told.join(", "))?;
        let wanted = |finding: &&Finding| self.all || !finding.verdict.is_kept() || finding.compare.is_some();
        let findings: Vec<&Finding> = pass.of_class(class).filter(wanted).collect();
        let shown = if self.all { findings.len() } else { SHOWN };
        for finding in findings.iter().take(shown) {
            writeln!(self.out, "    {}", line(head, pass, finding))?;
        }
        if findings.len() > shown {
            writeln!(self.out, "    {} more: --all", grouped((findings.len() - shown) as u64))?;
        }
        Ok(())
    }

    fn beside(&mut self, pass: &Pass) -> Result<(), Failure> {
        if let Some(listing) = &pass.listing {
            let missing: Vec<String> =
                listing.missing.iter().take(NAMED).map(|place| format!("t{}", place.turn)).collect();
            let more = listing.missing.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let missing = if missing.is_empty() {
                String::new()
            } else {
                format!("; missing {}{more}", missing.join(", "))
            };
            writeln!(
                self.out,
                "  user messages: {} of {} listed, {} of {} neighbours the other way round{missing}",
                listing.listed, listing.messages, listing.inversions, listing.neighbours
            )?;
        }
        if !pass.tools.is_empty() {
            let of = |wanted: fn(Verdict) -> bool| -> u32 {
                let all = pass.tools.values().flatten();
                all.filter(|(verdict, _)| wanted(**verdict)).map(|(_, count)| count).sum()
            };
            let (all, kept) = (of(|_| true), of(Verdict::is_kept));
            writeln!(
                self.out,
                "  said by tools alone: {} of {} items found; --tools lists them",
                grouped(u64::from(kept)),
                grouped(u64::from(all))
            )?;
        }
        let lost: u32 = pass.already_lost.values().flat_map(|of| of.values()).sum();
        if lost > 0 {
            let of = |(class, by): (&Class, &std::collections::BTreeMap<u32, u32>)| {
                class.counted(by.values().sum::<u32>())
            };
            let told: Vec<String> = pass.already_lost.iter().map(of).collect();
            writeln!(self.out, "  already lost before: {}", told.join(", "))?;
        }
        let at_risk = pass.at_risk();
        if at_risk > 0 {
            writeln!(
                self.out,
                "  at risk: {} that only kept turns still say",
                count(at_risk as u64, "item")
            )?;
        }
        if let Some(unsupported) = &pass.unsupported {
            writeln!(self.out, "  sentences that nothing supports: {}", unsupported.len())?;
        }
        pass.ruler.as_ref().map_or(Ok(()), |ruler| self.ruler(ruler))
    }

    fn ruler(&mut self, ruler: &Ruler) -> Result<(), Failure> {
        writeln!(
            self.out,
            "  room: {} bits, {} compressed; {} ({:.0} % of its words are copied in runs)",
            grouped(ruler.bits),
            grouped(ruler.compressed),
            ruler.copied.kind(),
            100.0 * ruler.copied.share
        )?;
        for family in ruler.families.iter().filter(|family| family.items > 0) {
            writeln!(
                self.out,
                "    {}: {} at {:.0} bits each; literal reader {:.3}, Bloom filter {:.3}, floor {:.3} one-sided, {:.3} two-sided",
                family.family,
                grouped(u64::from(family.items)),
                family.bits_per_item,
                family.literal,
                family.bloom,
                family.one_sided,
                family.two_sided
            )?;
        }
        writeln!(self.out, "    {}", ruler::SAYS)?;
        Ok(())
    }
}

impl Print for Text<'_> {
    fn head(&mut self, head: &Head) -> Result<(), Failure> {
        writeln!(
            self.out,
            "{} · {} · {} · {} · lexicon {}",
            safe(&head.path),
            head.format,
            head.strategy,
            count(head.passes as u64, "compaction"),
            head.lexicon
        )?;
        if head.passes == 0 {
            writeln!(self.out, "nothing was compacted: there is nothing to audit")?;
        }
        Ok(())
    }

    fn pass(&mut self, head: &Head, pass: &Pass) -> Result<(), Failure> {
        let about = &pass.about;
        let at = if about.turn > 0 { format!(" t{}", about.turn) } else { String::new() };
        let kept = if about.kept > 0 { format!(", {} kept in view", about.kept) } else { String::new() };
        writeln!(
            self.out,
            "\ng{}{at} · {} covered{kept}",
            about.generation,
            count(u64::from(about.covered), "turn")
        )?;
        if let Some(reason) = &about.unreadable {
            writeln!(self.out, "  {}: nothing is said of what it lost", safe(reason))?;
            return Ok(());
        }
        if let Some(missing) = pass.missing() {
            writeln!(
                self.out,
                "  {missing}: nothing is called dropped; not found, which --json lists: {}",
                count(u64::from(pass.suppressed()), "item")
            )?;
        }
        let lost: Vec<String> =
            pass.losses().into_iter().map(|(class, count)| class.counted(count)).collect();
        writeln!(
            self.out,
            "  dropped: {}",
            if lost.is_empty() { "nothing".to_owned() } else { lost.join(", ") }
        )?;
        for class in Class::ALL {
            self.class(head, pass, class)?;
        }
        self.beside(pass)?;
        // Whoever reads along gets each as it is done.
        self.out.flush()?;
        Ok(())
    }

    fn end(&mut self, head: &Head, curves: &Curves) -> Result<(), Failure> {
        let longest = curves.open.len().max(curves.binding.len()).max(curves.exact.len());
        if longest > 0 {
            writeln!(self.out, "\nstill found after so many compactions ({}):", head.strategy)?;
        }
        for (name, points) in [
            ("open questions", &curves.open),
            ("the same, narrative only", &curves.open_narrative),
            ("what binds", &curves.binding),
            ("exact items of the user's", &curves.exact),
        ] {
            if !points.is_empty() {
                let point = |point: &Point| {
                    format!("{}: {:.0} % of {}", point.passes, 100.0 * point.kept(), point.of)
                };
                let told: Vec<String> = points.iter().take(NAMED).map(point).collect();
                let more = if points.len() > NAMED {
                    format!("  … {} more: --json", points.len() - NAMED)
                } else {
                    String::new()
                };
                writeln!(self.out, "  {name:<26}{}{more}", told.join("  "))?;
            }
        }
        Ok(())
    }
}

/// A finding in one line.
fn line(head: &Head, pass: &Pass, finding: &Finding) -> String {
    let mut notes = Vec::new();
    if finding.at_risk {
        notes.push("at risk: only a kept turn says it".to_owned());
    }
    notes.extend(finding.why.as_ref().map(Why::words));
    if !finding.sentences.is_empty() && finding.verdict != Verdict::Dropped {
        let places: Vec<String> =
            finding.sentences.iter().map(|place| sentence(head, pass, *place)).collect();
        notes.push(places.join(" "));
    }
    notes.extend(finding.compare.map(|place| format!("compare {}", sentence(head, pass, place))));
    notes.extend(finding.answered.map(|turn| format!("answered at t{turn}")));
    if finding.since < pass.about.generation {
        notes.push(format!("since g{}", finding.since));
    }
    if !finding.class.is_statement() {
        notes.push(format!("{} {}", finding.voice.name(), finding.frequency.name()));
    }
    let notes = if notes.is_empty() { String::new() } else { format!("  · {}", notes.join(" · ")) };
    let text = preview::of(&finding.text);
    format!("{:<12} {:<7} {}{}", finding.verdict.shown(), finding.address(), safe(&text), safe(&notes))
}
