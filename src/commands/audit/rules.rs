//! `--fail-on`: when an audit ends with status 1.

use crate::audit::finding::{Class, Verdict};
use crate::audit::pass::Pass;
use crate::cli::Rule;

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
            let dropped = |class: Class| (pass.count(class, Verdict::Dropped) as usize, class.plural());
            let (count, what) = match rule {
                Rule::ConstraintDropped => dropped(Class::Constraint),
                Rule::RejectionDropped => dropped(Class::Rejection),
                Rule::DecisionDropped => dropped(Class::Decision),
                Rule::OpenDropped => dropped(Class::Open),
                Rule::Unsupported => {
                    (pass.unsupported.as_ref().map_or(0, Vec::len), "sentences supported by nothing")
                }
                // A boundary without a summary is nothing to be read.
                Rule::Unreadable => {
                    (usize::from(!pass.readable && pass.about.turn > 0), "summaries that cannot be read")
                }
            };
            if count > 0 {
                let done = if matches!(rule, Rule::Unsupported | Rule::Unreadable) { "" } else { " dropped" };
                self.broken.push(format!("{} g{}: {count} {what}{done}", head.path, pass.about.generation));
            }
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
