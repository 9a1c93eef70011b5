//! The report of one compaction: findings in order, counts that open into them, and what stands beside.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::finding::{Class, Finding, Frequency, Verdict, Voice};
use super::listing::Listing;
use super::work::{About, Ruler};

/// How many items met which verdict, by class.
pub type Counts = BTreeMap<Class, BTreeMap<Verdict, u32>>;

/// How many of a kind of name are found, by who says it and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survival {
    /// The class, or for names the kind of name.
    pub kind: String,
    /// Who says it.
    pub voice: Voice,
    /// How often.
    pub frequency: Frequency,
    /// Those that are found letter by letter, or in a form that means the same.
    pub kept: u32,
    /// Those of which a shorter form is found.
    pub shortened: u32,
    /// All.
    pub of: u32,
}

/// What became of statements that were left open, in three readings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// How many.
    pub of: u32,
    /// The best sentence of the summary counts.
    pub all: BTreeMap<Verdict, u32>,
    /// Without the list of what the user said.
    pub narrative: BTreeMap<Verdict, u32>,
    /// The worst counts.
    pub worst: BTreeMap<Verdict, u32>,
}

/// The report of one compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// What it was.
    #[serde(flatten)]
    pub about: About,
    /// Whether everything that was summarised is in the log. Unless it is, nothing is called dropped.
    pub complete: bool,
    /// Whether it is also as much text as the logged size asks for. Where it is not, the model saw more than the log holds.
    pub ample: bool,
    /// Whether its summary can be read.
    pub readable: bool,
    /// Verdicts by class, of what is listed.
    pub counts: Counts,
    /// The same of what only tools said. It is listed on demand.
    pub tools: Counts,
    /// What was lost at earlier compactions and not said again, by class and by where it was lost.
    pub already_lost: BTreeMap<Class, BTreeMap<u32, u32>>,
    /// Items that were not found and are not called dropped, since originals are missing from the log.
    pub suppressed: BTreeMap<Class, u32>,
    /// These items, in the order of a report.
    pub not_found: Vec<Finding>,
    /// What became of the exact items of its own range.
    pub survival: Vec<Survival>,
    /// What became of what its own range left open.
    pub retention: Retention,
    /// Whether the list of what the user said is whole.
    pub listing: Option<Listing>,
    /// The room that the summary had.
    pub ruler: Option<Ruler>,
    /// Sentences that nothing supports, where that was asked; places from 0.
    pub unsupported: Option<Vec<usize>>,
    /// What became of each item, in the order of a report.
    pub findings: Vec<Finding>,
}

impl Pass {
    /// That originals are missing, or may be, where nothing is called dropped for that.
    pub fn missing(&self) -> Option<&'static str> {
        match self.about.told_complete {
            _ if self.complete => None,
            Some(false) => Some("originals are missing from the log"),
            _ => Some("originals may be missing from the log"),
        }
    }

    /// How many items were not found where nothing is called dropped.
    pub fn suppressed(&self) -> u32 {
        self.suppressed.values().sum()
    }

    /// The findings of a class.
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.class == class)
    }

    /// The findings of a class with a verdict.
    pub fn with(&self, class: Class, verdict: Verdict) -> impl Iterator<Item = &Finding> {
        self.of_class(class).filter(move |finding| finding.verdict == verdict)
    }

    /// How many items of a class met a verdict.
    pub fn count(&self, class: Class, verdict: Verdict) -> u32 {
        self.counts.get(&class).and_then(|of| of.get(&verdict)).copied().unwrap_or(0)
    }

    /// How many items live on only in turns that were kept.
    pub fn at_risk(&self) -> usize {
        self.findings.iter().filter(|finding| finding.at_risk).count()
    }

    /// How many losses it is charged with, by class, those that matter most first.
    pub fn losses(&self) -> Vec<(Class, u32)> {
        let of = |class| (class, self.count(class, Verdict::Dropped));
        Class::ALL.into_iter().map(of).filter(|(_, count)| *count > 0).collect()
    }
}

/// One point of a retention curve.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// How many passes the items have been through.
    pub passes: u32,
    /// How many items.
    pub of: u32,
    /// What became of them.
    pub verdicts: BTreeMap<Verdict, u32>,
}

impl Point {
    /// The share that is still found.
    pub fn kept(&self) -> f64 {
        let kept: u32 = self.verdicts.iter().filter(|(verdict, _)| verdict.is_kept()).map(|(_, n)| n).sum();
        f64::from(kept) / f64::from(self.of.max(1))
    }
}

/// What is still found after so many passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Curves {
    /// Of what was left open.
    pub open: Vec<Point>,
    /// The same without the list of what the user said.
    pub open_narrative: Vec<Point>,
    /// Of what binds.
    pub binding: Vec<Point>,
    /// Of exact items that the user said.
    pub exact: Vec<Point>,
}
