//! Follows items from one compaction to the next and charges each loss where it happened.
//!
//! Takes facts in order and gives a report of each. An item that was found goes on to the next compaction; one that was not
//! is a finding there, once, and from then on only counted as already lost. Where a summary cannot be read nothing is known of
//! what went in, so nothing is followed through it; where originals are missing, what is not found is counted and not called
//! dropped. Memory grows with what is still alive.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::text::identifiers::Class as Name;
use crate::text::lexicon::Lexicon;

use super::curves::{Cohorts, Kind};
use super::exact::Exact;
use super::fate::{self, Judged};
use super::finding::{Class, Finding, Frequency, Verdict, Voice, Why};
use super::order;
use super::pass::{Curves, Pass, Retention, Survival};
use super::said::{How, Said};
use super::statements::Statement;
use super::work::{Facts, Options};

/// Something that was found at the last compaction.
#[derive(Clone, Debug)]
enum Alive {
    Statement(Statement),
    Exact(Exact),
}

/// An item on its way.
#[derive(Clone, Debug)]
struct Followed {
    item: Alive,
    since: u32,
}

/// What a compaction left, to be asked.
struct Left<'a> {
    lexicon: &'a Lexicon,
    said: &'a Said,
    kept: &'a Said,
    options: Options,
}

impl Left<'_> {
    /// What became of an item; of a statement also how that was judged.
    fn verdict(&self, item: &Alive) -> (Finding, Option<Judged>) {
        let (mut finding, judged) = match item {
            Alive::Statement(statement) => {
                let judged = fate::of(self.lexicon, statement, self.said);
                (of_statement(statement, &judged), Some(judged))
            }
            Alive::Exact(exact) => (of_exact(exact, self.said), None),
        };
        if finding.verdict == Verdict::Dropped && is_in(self.lexicon, item, self.kept) {
            (finding.verdict, finding.at_risk) = (Verdict::Preserved, true);
        }
        (finding, judged)
    }
}

/// What an item is known by.
type Key = (Class, Box<str>);

/// Follows the items of one log.
#[derive(Debug, Default)]
pub struct Auditor {
    alive: Vec<Followed>,
    /// Where items were lost that were not said again.
    lost: HashMap<Key, u32>,
    cohorts: Cohorts,
    taken: u32,
}

impl Alive {
    fn key(&self) -> Key {
        match self {
            Self::Statement(statement) => (statement.class, statement.key.as_str().into()),
            Self::Exact(exact) => (exact.class, exact.normal.clone()),
        }
    }

    /// The curve that it is part of.
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Statement(statement) if statement.class == Class::Open => Some(Kind::Open),
            Self::Statement(_) => Some(Kind::Binding),
            Self::Exact(exact) => (exact.voice == Voice::Prompt).then_some(Kind::Exact),
        }
    }
}

impl Auditor {
    /// How many compactions were taken in.
    pub fn taken(&self) -> u32 {
        self.taken
    }

    /// What is still found after so many passes.
    pub fn curves(&self) -> Curves {
        self.cohorts.curves()
    }

    /// Takes in the next compaction.
    pub fn take(&mut self, lexicon: &Lexicon, facts: Facts) -> Pass {
        self.taken += 1;
        let Facts {
            about,
            complete,
            ample,
            said,
            kept,
            items,
            statements,
            listing,
            ruler,
            unsupported,
            options,
        } = facts;
        let readable = about.unreadable.is_none();
        let generation = about.generation;
        let mut pass =
            Pass { about, complete, ample, readable, listing, ruler, unsupported, ..Pass::default() };
        if readable {
            let fresh =
                statements.into_iter().map(Alive::Statement).chain(items.all.into_iter().map(Alive::Exact));
            let items = self.items(fresh.map(|item| Followed { item, since: generation }).collect());
            self.cohorts.begin(generation);
            let left = Left { lexicon, said: &said, kept: &kept, options };
            for followed in items {
                self.judge(&left, followed, &mut pass);
            }
            order::sort(&mut pass.findings);
            order::sort(&mut pass.not_found);
        } else if pass.about.turn > 0 {
            // Behind a summary that nobody can read, nobody can tell what is left; a boundary without one changes nothing.
            self.alive.clear();
            self.cohorts.forget();
        }
        pass.already_lost = self.already_lost();
        self.lost.extend(pass.findings.iter().filter_map(lost_key).map(|key| (key, generation)));
        pass
    }

    /// The items of a compaction: those of its own range, and those still alive that it does not say again.
    fn items(&mut self, mut items: Vec<Followed>) -> Vec<Followed> {
        let said: HashSet<Key> = items.iter().map(|followed| followed.item.key()).collect();
        for key in &said {
            self.lost.remove(key);
        }
        // What is said again is followed from there.
        let before = std::mem::take(&mut self.alive).into_iter();
        items.extend(before.filter(|followed| !said.contains(&followed.item.key())));
        items
    }

    fn judge(&mut self, left: &Left<'_>, followed: Followed, pass: &mut Pass) {
        let is_new = followed.since == pass.about.generation;
        let (mut finding, judged) = left.verdict(&followed.item);
        finding.since = followed.since;
        if let Some(judged) = judged.filter(|_| is_new && finding.class == Class::Open && pass.complete) {
            retain(&mut pass.retention, &judged, finding.verdict);
        }
        // The summary of the range in which a question was answered or a wish carried out may tell the outcome instead.
        let soft = matches!(&followed.item, Alive::Statement(statement) if statement.soft);
        if is_new && soft && finding.verdict == Verdict::Dropped {
            (finding.verdict, finding.why) = (Verdict::Unverifiable, Some(Why::Outcome));
        }
        if is_new && let Alive::Exact(exact) = &followed.item {
            survive(&mut pass.survival, exact, &finding);
        }
        let listed = !finding.voice.is_tool() || left.options.tools;
        let is_lost = finding.verdict == Verdict::Dropped;
        if is_lost && !pass.complete {
            untell(&mut finding);
            if listed {
                *pass.suppressed.entry(finding.class).or_default() += 1;
                pass.not_found.push(finding);
            } else {
                *pass.tools.entry(finding.class).or_default().entry(finding.verdict).or_default() += 1;
            }
            return;
        }
        let narrative = finding.narrative.unwrap_or(finding.verdict);
        self.cohorts.take(followed.since, followed.item.kind(), finding.verdict, narrative);
        let counts = if listed { &mut pass.counts } else { &mut pass.tools };
        *counts.entry(finding.class).or_default().entry(finding.verdict).or_default() += 1;
        if is_lost {
            finding.first_lost = Some(pass.about.generation);
        } else if listed && !is_untold(&finding) {
            self.alive.push(followed);
        }
        if listed {
            pass.findings.push(finding);
        }
    }

    fn already_lost(&self) -> BTreeMap<Class, BTreeMap<u32, u32>> {
        let mut out: BTreeMap<Class, BTreeMap<u32, u32>> = BTreeMap::new();
        for ((class, _), place) in &self.lost {
            *out.entry(*class).or_default().entry(*place).or_default() += 1;
        }
        out
    }
}

/// What became of what only tools said, in the order of a report: of one compaction alone, as none of it is followed any
/// further. As many as its report counts.
pub(super) fn of_tools(lexicon: &Lexicon, facts: Facts) -> Vec<Finding> {
    let Facts { about, complete, said, kept, items, options, .. } = facts;
    let left = Left { lexicon, said: &said, kept: &kept, options };
    let of = |exact: Exact| {
        let (mut finding, _) = left.verdict(&Alive::Exact(exact));
        finding.since = about.generation;
        match finding.verdict {
            Verdict::Dropped if complete => finding.first_lost = Some(about.generation),
            Verdict::Dropped => untell(&mut finding),
            _ => {}
        }
        finding
    };
    let mut findings: Vec<Finding> =
        items.all.into_iter().filter(|exact| exact.voice.is_tool()).map(of).collect();
    order::sort(&mut findings);
    findings
}

/// Where originals are missing, what is not found is not called dropped.
fn untell(finding: &mut Finding) {
    (finding.verdict, finding.why) = (Verdict::Unverifiable, Some(Why::Incomplete));
}

/// Whether nobody can tell whether it is still there: then nobody can tell where it is lost later.
fn is_untold(finding: &Finding) -> bool {
    matches!(finding.why, Some(Why::Partly | Why::Short | Why::Outcome | Why::TakenBack(_)))
}

/// What a finding that is lost is known by.
fn lost_key(finding: &Finding) -> Option<Key> {
    finding.first_lost?;
    Some((finding.class, finding.key.as_str().into()))
}

/// Whether an item stands in turns that stayed in view.
fn is_in(lexicon: &Lexicon, item: &Alive, kept: &Said) -> bool {
    if kept.text().is_empty() {
        return false;
    }
    match item {
        Alive::Statement(statement) => fate::of(lexicon, statement, kept).verdict == Verdict::Preserved,
        Alive::Exact(exact) => matches!(found(exact, kept), Some((How::Exact | How::Normal, _))),
    }
}

fn found(exact: &Exact, said: &Said) -> Option<(How, Option<usize>)> {
    said.finds(exact.class, exact.name, &exact.text, &exact.normal)
}

fn of_statement(statement: &Statement, judged: &Judged) -> Finding {
    Finding {
        class: statement.class,
        verdict: judged.verdict,
        text: statement.text.clone(),
        voice: Voice::Prompt,
        frequency: Frequency::of(statement.units),
        units: statement.units,
        since: 0,
        first_lost: None,
        at_risk: false,
        sources: statement.places.clone(),
        sentences: judged.sentences.clone(),
        why: judged.why.clone(),
        narrative: Some(judged.narrative),
        worst: Some(judged.worst),
        compare: judged.compare,
        answered: statement.answered,
        key: statement.key.clone(),
        weight: statement.stems.iter().map(|(_, weight)| weight).sum(),
    }
}

fn of_exact(exact: &Exact, said: &Said) -> Finding {
    let (verdict, why, sentence) = match found(exact, said) {
        Some((How::Exact, sentence)) => (Verdict::Preserved, None, sentence),
        Some((How::Normal, sentence)) => (Verdict::Preserved, Some(Why::OtherForm), sentence),
        Some((How::Shortened, sentence)) => (Verdict::Paraphrased, Some(Why::OtherForm), sentence),
        None => (Verdict::Dropped, None, None),
    };
    Finding {
        class: exact.class,
        verdict,
        text: exact.text.to_string(),
        voice: exact.voice,
        frequency: Frequency::of(exact.units),
        units: exact.units,
        since: 0,
        first_lost: None,
        at_risk: false,
        sources: exact.places.clone(),
        sentences: sentence.into_iter().collect(),
        why,
        narrative: None,
        worst: None,
        compare: None,
        answered: None,
        key: exact.normal.to_string(),
        weight: f64::from(exact.units),
    }
}

/// Counts an exact item of the range itself.
fn survive(rows: &mut Vec<Survival>, exact: &Exact, finding: &Finding) {
    let kind = exact.name.map_or(exact.class.name(), kind_of);
    let (voice, frequency) = (finding.voice, finding.frequency);
    let is_row = |row: &Survival| row.kind == kind && row.voice == voice && row.frequency == frequency;
    let at = rows.iter().position(is_row).unwrap_or_else(|| {
        rows.push(Survival { kind: kind.to_owned(), voice, frequency, kept: 0, shortened: 0, of: 0 });
        rows.len() - 1
    });
    rows[at].of += 1;
    match finding.verdict {
        Verdict::Preserved if !finding.at_risk => rows[at].kept += 1,
        Verdict::Paraphrased => rows[at].shortened += 1,
        _ => {}
    }
}

/// The word for a kind of name.
pub(super) fn kind_of(name: Name) -> &'static str {
    match name {
        Name::Url => "url",
        Name::Path => "path",
        Name::File => "file",
        Name::Version => "version",
        Name::Ticket => "ticket",
        Name::Uuid => "uuid",
        Name::Hash => "hash",
        Name::Flag => "flag",
        Name::Variable => "variable",
        Name::Snake => "snake_case",
        Name::Dotted => "dotted",
        Name::Camel => "CamelCase",
        Name::Number => "number",
    }
}

fn retain(retention: &mut Retention, judged: &Judged, verdict: Verdict) {
    retention.of += 1;
    *retention.all.entry(verdict).or_default() += 1;
    *retention.narrative.entry(judged.narrative).or_default() += 1;
    *retention.worst.entry(judged.worst).or_default() += 1;
}
