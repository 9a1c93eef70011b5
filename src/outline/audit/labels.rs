//! What stands in a row of the reports.

use crate::audit::finding::{Class, Finding, Verdict};
use crate::audit::pass::{Counts, Pass};
use crate::session::Compaction;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::text::numbers::{count, grouped, short};
use crate::text::preview;

use super::super::{Label, Mark, Node};
use super::{Audited, Audits, Beside, Sheaf, Shown, Sorted};

/// Characters of a finding's words that a row may need.
const WORDS: usize = 200;

/// So many of a class, in words.
pub fn counted(class: Class, count: u32) -> String {
    let name = match class {
        Class::Open => "open question",
        _ => class.name(),
    };
    let what = if count == 1 { name } else { class.plural() };
    format!("{} {what}", grouped(u64::from(count)))
}

/// What was lost or changed, verdict by verdict.
pub fn changes(sorted: &Sorted) -> Vec<String> {
    let of = |(verdict, classes): (Verdict, Vec<(Class, u32)>)| {
        let counts: Vec<String> = classes.into_iter().map(|(class, n)| counted(class, n)).collect();
        format!("{} {}", verdict.shown(), counts.join(", "))
    };
    sorted.changes().into_iter().map(of).collect()
}

/// What a node is called.
pub(super) fn label(audits: &Audits, log: &OpenLog, as_of: u32, node: Node) -> Label {
    match node {
        Node::Generation(generation) => {
            let compaction = log.session.generation(generation);
            compaction.map_or_else(Label::default, |compaction| of_generation(audits, log, compaction))
        }
        Node::Audited(audited) => of(audits, log, as_of, audited).unwrap_or_default(),
        _ => Label { kind: "root", ..Label::default() },
    }
}

fn of_generation(audits: &Audits, log: &OpenLog, compaction: &Compaction) -> Label {
    let generation = compaction.generation;
    let mut label = Label {
        kind: "summary",
        address: Some(Address::Generation(generation)),
        turn: compaction.summary.map(|summary| log.session.turn(summary).number),
        ..Label::default()
    };
    let Some(pass) = audits.pass(generation) else {
        label.text = match audits.auditing.passes().len() as u32 + 1 {
            next if next == generation && audits.auditing.failure().is_some() => "cannot be read".to_owned(),
            next if next == generation => "being audited …".to_owned(),
            _ => "waits to be audited".to_owned(),
        };
        return label;
    };
    if let Some(reason) = &pass.about.unreadable {
        label.marks.push(Mark::Unreadable);
        label.text.clone_from(reason);
        return label;
    }
    if !pass.complete {
        label.marks.push(if compaction.complete == Some(false) { Mark::Incomplete } else { Mark::Untold });
    }
    let sorted = audits.sorted(generation);
    let mut words = sorted.map(|sorted| changes(&sorted)).unwrap_or_default();
    let not_found: u32 = pass.suppressed.values().sum();
    if not_found > 0 {
        words.push(format!("{} not found", grouped(u64::from(not_found))));
    }
    label.text = if words.is_empty() { nothing(pass, audits.shown()).to_owned() } else { words.join(" · ") };
    label
}

/// What is said where nothing is to be looked at.
fn nothing(pass: &Pass, shown: Shown) -> &'static str {
    match shown {
        _ if pass.findings.is_empty() => "nothing to audit in it",
        Shown::Said => "nothing that you said was dropped or changed",
        Shown::All | Shown::Lost => "nothing dropped or changed",
    }
}

fn of(audits: &Audits, log: &OpenLog, as_of: u32, audited: Audited) -> Option<Label> {
    let row = |kind, text| Some(Label { kind, text, ..Label::default() });
    match audited {
        Audited::Nothing => row(
            "nothing",
            if log.session.compactions().is_empty() {
                "nothing was compacted so far: there is nothing to audit".to_owned()
            } else {
                format!("no compaction as of t{as_of}; ] goes to the next")
            },
        ),
        Audited::Class(generation, class) => row("group", of_class(audits.sorted(generation)?.class(class)?)),
        Audited::Kept(generation, class) => {
            let sorted = audits.sorted(generation)?;
            let kept = sorted.class(class)?.kept.len();
            row("kept", format!("{} kept, each with where it is now", grouped(kept as u64)))
        }
        Audited::Missing(generation, class) => {
            let sorted = audits.sorted(generation)?;
            let missing = sorted.class(class)?.missing.len();
            row("missing", format!("{} not found, where originals are missing", grouped(missing as u64)))
        }
        Audited::Finding(generation, place) => {
            audits.finding(generation, place).map(|finding| of_finding(generation, finding))
        }
        Audited::Beside(generation, beside) => row("beside", beside_of(audits.pass(generation)?, beside)),
        Audited::Retention => row("beside", "still found after so many compactions".to_owned()),
    }
}

fn of_class(sheaf: &Sheaf) -> String {
    let order = [
        Verdict::Dropped,
        Verdict::Mutated,
        Verdict::Weakened,
        Verdict::Unverifiable,
        Verdict::Paraphrased,
        Verdict::Preserved,
    ];
    let mut words = vec![sheaf.class.plural().to_owned()];
    let told = |verdict| {
        let count = sheaf.counts.get(&verdict)?;
        let what = if verdict == Verdict::Unverifiable { "to compare" } else { verdict.shown() };
        Some(format!("{} {what}", grouped(u64::from(*count))))
    };
    words.extend(order.into_iter().filter_map(told));
    if !sheaf.missing.is_empty() {
        words.push(format!("{} not found", grouped(sheaf.missing.len() as u64)));
    }
    words.join(" · ")
}

fn of_finding(generation: u32, finding: &Finding) -> Label {
    let mut marks = Vec::new();
    if finding.at_risk {
        marks.push(Mark::AtRisk);
    }
    if let Some(turn) = finding.answered {
        marks.push(Mark::Beside(format!("answered at t{turn}")));
    }
    if let Some(place) = finding.compare {
        marks.push(Mark::Beside(format!("compare g{generation}.s{}", place + 1)));
    }
    if finding.since < generation {
        marks.push(Mark::Beside(format!("since g{}", finding.since)));
    }
    if !finding.class.is_statement() {
        marks.push(Mark::Beside(finding.frequency.name().to_owned()));
    }
    let place = finding.sources.first();
    let address =
        place.map(|place| Address::Turn { thread: None, number: place.turn, part: Some(place.index) });
    Label {
        kind: "finding",
        address,
        who: finding.verdict.shown(),
        text: preview::first(&finding.text, WORDS),
        turn: place.map(|place| place.turn),
        marks,
        ..Label::default()
    }
}

fn beside_of(pass: &Pass, beside: Beside) -> String {
    match beside {
        Beside::AtRisk => {
            format!("at risk: {} that only kept turns still say", count(pass.at_risk() as u64, "item"))
        }
        Beside::Listing => pass.listing.as_ref().map_or_else(String::new, |listing| {
            format!("user messages: {} of {} listed", listing.listed, listing.messages)
        }),
        Beside::Support => "sentences by support".to_owned(),
        Beside::Before => {
            let lost: u32 = pass.already_lost.values().flat_map(|of| of.values()).sum();
            format!("lost before, and not said again: {}", grouped(u64::from(lost)))
        }
        Beside::Tools => {
            let (kept, all) = kept_of(&pass.tools);
            let (kept, all) = (grouped(u64::from(kept)), grouped(u64::from(all)));
            format!("said by tools alone: {kept} of {all} items found")
        }
        Beside::Room => pass.ruler.as_ref().map_or_else(String::new, |ruler| {
            format!("room: {} bits · {}", short(ruler.bits), ruler.copied.kind())
        }),
    }
}

/// How many are found, and how many there are.
fn kept_of(counts: &Counts) -> (u32, u32) {
    let all = counts.values().flatten();
    all.fold((0, 0), |(kept, all), (verdict, count)| {
        (kept + if verdict.is_kept() { *count } else { 0 }, all + count)
    })
}
