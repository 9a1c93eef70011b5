//! The Audit view: each compaction with what it dropped, weakened or changed, class by class, and what stands beside.
//!
//! Rows are places in reports that never change, sorted once for each report and each choice of what is shown; a frame looks
//! up the rows on the screen. Audits nothing itself, and adds no verdict: what is kept is set apart, not left out.

mod labels;
mod own;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::audit::auditing::Auditing;
use crate::audit::finding::{Class, Finding, Verdict, Voice};
use crate::audit::pass::Pass;

pub use labels::{changes, counted};
pub use own::AuditTree;

/// The name of the view on the command line.
pub const NAME: &str = "audit";

/// A row that only this view has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Audited {
    /// There is nothing to audit.
    Nothing,
    /// A class of a generation's report.
    Class(u32, Class),
    /// What of a class was kept.
    Kept(u32, Class),
    /// What of a class was not found, where originals are missing.
    Missing(u32, Class),
    /// A finding of a generation's report, from 0; behind its findings what was not found, then what only tools said.
    Finding(u32, u32),
    /// What stands beside the findings of a generation.
    Beside(u32, Beside),
    /// What is still found after so many compactions.
    Retention,
}

/// What a report says beside its findings, in the order of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Beside {
    /// Items that live on only in turns that were kept.
    AtRisk,
    /// Whether the list of what the user said is whole.
    Listing,
    /// How far the sentences of the summary are supported.
    Support,
    /// What was lost at earlier compactions and not said again.
    Before,
    /// What only tools said.
    Tools,
    /// The room that the summary had.
    Room,
}

/// Which findings are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shown {
    /// All, what was kept under a row of its own.
    #[default]
    All,
    /// Those that were lost or changed, or are to be compared.
    Lost,
    /// Those of them that the user said.
    Said,
}

impl Shown {
    /// The next choice.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::All => Self::Lost,
            Self::Lost => Self::Said,
            Self::Said => Self::All,
        }
    }

    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            Self::All => "all items",
            Self::Lost => "only what was lost or changed",
            Self::Said => "only what the user said and was lost or changed",
        }
    }

    fn lets_through(self, finding: &Finding) -> bool {
        match self {
            Self::All => true,
            Self::Lost => is_loss(finding),
            Self::Said => is_loss(finding) && finding.voice == Voice::Prompt,
        }
    }
}

/// Whether a finding is one to look at: it is not kept, or another sentence tells it as settled.
pub fn is_loss(finding: &Finding) -> bool {
    !finding.verdict.is_kept() || finding.compare.is_some()
}

/// What is shown of a class.
#[derive(Clone, Debug)]
pub struct Sheaf {
    /// The class.
    pub class: Class,
    /// Verdicts of what is shown.
    pub counts: BTreeMap<Verdict, u32>,
    /// The findings to look at, by their places in the report.
    pub lost: Vec<u32>,
    /// Those that were kept.
    pub kept: Vec<u32>,
    /// Those that were not found and are not called dropped.
    pub missing: Vec<u32>,
}

/// A report, sorted into rows.
#[derive(Clone, Debug, Default)]
pub struct Sorted {
    /// Its classes, in the order of a report.
    pub classes: Vec<Sheaf>,
    /// The findings that are at risk.
    pub at_risk: Vec<u32>,
    /// What stands beside.
    pub beside: Vec<Beside>,
}

impl Sorted {
    fn of(pass: &Pass, shown: Shown) -> Self {
        let mut sheaves: BTreeMap<Class, Sheaf> = BTreeMap::new();
        let empty = |class| Sheaf {
            class,
            counts: BTreeMap::new(),
            lost: Vec::new(),
            kept: Vec::new(),
            missing: Vec::new(),
        };
        let mut at_risk = Vec::new();
        for (place, finding) in (0..).zip(&pass.findings) {
            if finding.at_risk {
                at_risk.push(place);
            }
            if !shown.lets_through(finding) {
                continue;
            }
            let sheaf = sheaves.entry(finding.class).or_insert_with(|| empty(finding.class));
            *sheaf.counts.entry(finding.verdict).or_default() += 1;
            if is_loss(finding) { sheaf.lost.push(place) } else { sheaf.kept.push(place) }
        }
        if shown == Shown::All {
            for (place, finding) in (pass.findings.len() as u32..).zip(&pass.not_found) {
                sheaves.entry(finding.class).or_insert_with(|| empty(finding.class)).missing.push(place);
            }
        }
        let beside = [
            (Beside::AtRisk, !at_risk.is_empty()),
            (Beside::Listing, pass.listing.is_some()),
            (Beside::Support, pass.readable),
            (Beside::Before, pass.already_lost.values().any(|of| !of.is_empty())),
            (Beside::Tools, !pass.tools.is_empty()),
            (Beside::Room, pass.ruler.is_some()),
        ];
        let beside = beside.into_iter().filter(|(_, there)| *there).map(|(beside, _)| beside).collect();
        Self { classes: sheaves.into_values().collect(), at_risk, beside }
    }

    /// What is shown of a class.
    pub fn class(&self, class: Class) -> Option<&Sheaf> {
        self.classes.iter().find(|sheaf| sheaf.class == class)
    }

    /// The verdicts of all classes, what is lost most first, each with its classes in order.
    pub fn changes(&self) -> Vec<(Verdict, Vec<(Class, u32)>)> {
        let verdicts = [Verdict::Dropped, Verdict::Mutated, Verdict::Weakened, Verdict::Unverifiable];
        let of = |verdict| {
            let count = |sheaf: &Sheaf| sheaf.counts.get(&verdict).map(|count| (sheaf.class, *count));
            (verdict, self.classes.iter().filter_map(count).collect::<Vec<_>>())
        };
        verdicts.into_iter().map(of).filter(|(_, classes)| !classes.is_empty()).collect()
    }
}

/// The reports of a log, and what is shown of them.
#[derive(Debug, Default)]
pub struct Audits {
    /// What was audited.
    pub auditing: Auditing,
    /// Somebody looked: compactions are audited as they come.
    pub begun: bool,
    shown: Shown,
    sorted: RefCell<HashMap<u32, Rc<Sorted>>>,
}

impl Audits {
    /// Which findings are shown.
    pub fn shown(&self) -> Shown {
        self.shown
    }

    /// Shows others.
    pub fn show(&mut self, shown: Shown) {
        self.shown = shown;
        self.sorted.borrow_mut().clear();
    }

    /// The log is another one. What was chosen stays.
    pub fn forget(&mut self) {
        self.auditing.forget();
        self.begun = false;
        self.sorted.borrow_mut().clear();
    }

    /// The report of a generation.
    pub fn pass(&self, generation: u32) -> Option<&Arc<Pass>> {
        self.auditing.get(generation)
    }

    /// A finding.
    pub fn finding(&self, generation: u32, place: u32) -> Option<&Finding> {
        let pass = self.pass(generation)?;
        let of_tools = self.auditing.of_tools(generation).unwrap_or_default();
        pass.findings.iter().chain(&pass.not_found).chain(of_tools).nth(place as usize)
    }

    /// The places of what only tools said, once somebody asked for it.
    pub fn of_tools(&self, generation: u32) -> std::ops::Range<u32> {
        let before = self.pass(generation).map_or(0, |pass| pass.findings.len() + pass.not_found.len());
        let count = self.auditing.of_tools(generation).map_or(0, <[_]>::len);
        before as u32..(before + count) as u32
    }

    /// The rows of a report. Sorted when first asked for.
    pub fn sorted(&self, generation: u32) -> Option<Rc<Sorted>> {
        if let Some(sorted) = self.sorted.borrow().get(&generation) {
            return Some(Rc::clone(sorted));
        }
        let sorted = Rc::new(Sorted::of(self.pass(generation)?, self.shown));
        self.sorted.borrow_mut().insert(generation, Rc::clone(&sorted));
        Some(sorted)
    }
}
