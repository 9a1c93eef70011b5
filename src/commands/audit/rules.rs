//! `--fail-on`: when an audit ends with status 1.

use crate::audit::finding::{Class, Verdict};
use crate::audit::pass::Pass;
use crate::cli::Rule;
use crate::text::numbers::count;

use super::{Failure, Head};

/// What was found against the rules.
pub(super) struct Rules<'a> {
    rules: &'a [Rule],
    broken: Vec<String>,
}

/// Broken rules that are named one by one.
const NAMED: usize = 8;

impl<'a> Rules<'a> {
    pub(super) fn new(rules: &'a [Rule]) -> Self {
        Self { rules, broken: Vec::new() }
    }

    /// Holds a report against the rules.
    pub(super) fn take(&mut self, head: &Head, pass: &Pass) {
        for rule in self.rules {
            let dropped = |class: Class| {
                let count = pass.count(class, Verdict::Dropped);
                (count > 0).then(|| format!("{} dropped", class.counted(count)))
            };
            let broken = match rule {
                Rule::ConstraintDropped => dropped(Class::Constraint),
                Rule::RejectionDropped => dropped(Class::Rejection),
                Rule::DecisionDropped => dropped(Class::Decision),
                Rule::OpenDropped => dropped(Class::Open),
                Rule::Unsupported => {
                    let places = pass.unsupported.as_ref().map_or(0, Vec::len) as u64;
                    (places > 0).then(|| format!("{} supported by nothing", count(places, "sentence")))
                }
                // A boundary without a summary is nothing to be read.
                Rule::Unreadable => {
                    (!pass.readable && pass.about.turn > 0).then(|| "the summary cannot be read".to_owned())
                }
            };
            self.broken
                .extend(broken.map(|broken| format!("{} g{}: {broken}", head.path, pass.about.generation)));
        }
    }

    /// How it ends.
    pub(super) fn outcome(self) -> Result<(), Failure> {
        if self.broken.is_empty() {
            return Ok(());
        }
        let more = self.broken.len().saturating_sub(NAMED);
        let mut lines: Vec<String> = self.broken.into_iter().take(NAMED).collect();
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        Err(Failure::Rule(format!("an audit rule failed:\n{}", lines.join("\n"))))
    }
}
