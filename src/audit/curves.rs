//! How much is still found after so many passes, item by item, whatever pass it was said in.
//!
//! Items of one range are a cohort. At each pass a cohort is one pass older; what it lost before counts as dropped at every
//! later age. Items of which nobody can tell any more leave their cohort.

use std::collections::BTreeMap;

use super::finding::Verdict;
use super::pass::{Curves, Point};

/// Which curve an item is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Left open.
    Open,
    /// Binds.
    Binding,
    /// Exact, and said by the user.
    Exact,
}

/// Losses of a cohort before the pass at hand.
type Lost = BTreeMap<(u32, Kind), u32>;

/// Counts by passes.
type Tallies = BTreeMap<(Kind, u32), BTreeMap<Verdict, u32>>;

/// All cohorts of a log.
#[derive(Debug, Default)]
pub(super) struct Cohorts {
    lost: Lost,
    /// How many passes were begun, each cohort's age.
    ages: BTreeMap<u32, u32>,
    all: Tallies,
    narrative: Tallies,
}

impl Cohorts {
    /// A pass begins: its own cohort is new.
    pub(super) fn begin(&mut self, generation: u32) {
        self.ages.entry(generation).or_default();
        for age in self.ages.values_mut() {
            *age += 1;
        }
        for ((since, kind), lost) in &self.lost {
            let age = self.ages.get(since).copied().unwrap_or(0);
            for tallies in [&mut self.all, &mut self.narrative] {
                *tallies.entry((*kind, age)).or_default().entry(Verdict::Dropped).or_default() += lost;
            }
        }
    }

    /// An item met a verdict.
    pub(super) fn take(&mut self, since: u32, kind: Option<Kind>, verdict: Verdict, narrative: Verdict) {
        let Some(kind) = kind else { return };
        let age = self.ages.get(&since).copied().unwrap_or(0);
        *self.all.entry((kind, age)).or_default().entry(verdict).or_default() += 1;
        *self.narrative.entry((kind, age)).or_default().entry(narrative).or_default() += 1;
        if verdict == Verdict::Dropped {
            *self.lost.entry((since, kind)).or_default() += 1;
        }
    }

    /// Nothing is known of any item any more.
    pub(super) fn forget(&mut self) {
        self.lost.clear();
        self.ages.clear();
    }

    /// The curves so far.
    pub(super) fn curves(&self) -> Curves {
        let of = |tallies: &Tallies, wanted: Kind| {
            let points = tallies.iter().filter(|((kind, _), _)| *kind == wanted);
            let point = |(&(_, passes), verdicts): (&(Kind, u32), &BTreeMap<Verdict, u32>)| Point {
                passes,
                of: verdicts.values().sum(),
                verdicts: verdicts.clone(),
            };
            points.map(point).collect()
        };
        Curves {
            open: of(&self.all, Kind::Open),
            open_narrative: of(&self.narrative, Kind::Open),
            binding: of(&self.all, Kind::Binding),
            exact: of(&self.all, Kind::Exact),
        }
    }
}
