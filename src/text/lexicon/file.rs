//! The form of the lexicon's file.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) version: String,
    pub(super) hedges: Hedges,
    pub(super) force: Force,
    pub(super) binding: Binding,
    pub(super) requests: Requests,
    pub(super) reports: Reports,
    pub(super) tools: ToolNames,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hedges {
    pub(super) modal: Vec<String>,
    pub(super) adverb: Vec<String>,
    pub(super) first_person: Vec<String>,
    pub(super) evidential: Vec<String>,
    pub(super) unsure: Vec<String>,
    pub(super) weak: Vec<String>,
    pub(super) approximate: Vec<String>,
    pub(super) undecided: Vec<String>,
    pub(super) never: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Force {
    pub(super) binding: Vec<String>,
    pub(super) softening: Vec<String>,
    pub(super) permitting: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleText {
    pub(super) is: String,
    pub(super) unless: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Binding {
    pub(super) lead: Vec<String>,
    pub(super) assent: Vec<String>,
    pub(super) decision: Vec<RuleText>,
    pub(super) rejection: Vec<RuleText>,
    pub(super) constraint: Vec<RuleText>,
    pub(super) commitment: Vec<RuleText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Requests {
    pub(super) filler: Vec<String>,
    pub(super) action: Vec<String>,
    pub(super) feasible: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reports {
    pub(super) user: Vec<String>,
    pub(super) absence: Vec<String>,
    pub(super) asked: Vec<String>,
    pub(super) mentioned: Vec<String>,
    pub(super) settled: Vec<String>,
    pub(super) template: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolNames {
    pub(super) read: Vec<String>,
    pub(super) write: Vec<String>,
    pub(super) edit: Vec<String>,
    pub(super) run: Vec<String>,
    pub(super) search: Vec<String>,
    pub(super) agent: Vec<String>,
    pub(super) todo: Vec<String>,
    pub(super) plan: Vec<String>,
    pub(super) old_text: Vec<String>,
    pub(super) new_text: Vec<String>,
}
