//! The cue lexicon: the words and patterns by which sentences are told apart, as one file that a user may replace.
//!
//! Owns reading and compiling it. The text comes from whoever may touch the disk; [`built_in`] is the one that the
//! binary embeds. [`Lexicon::id`] stands in every report: the version that the file states and a checksum of its
//! bytes, so that a changed file is never taken for the old one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

mod file;
mod phrases;

use file::{File, RuleText, ToolNames};
pub use phrases::{Cue, Phrases, Rule};
use phrases::{Pattern, spelled, written_out};

/// The file, compiled.
#[derive(Debug, Default)]
pub struct Lexicon {
    id: String,
    /// Hedges, by class.
    pub hedges: BTreeMap<HedgeClass, Phrases>,
    /// Phrases inside which no hedge counts.
    pub never: Phrases,
    /// Words that bind.
    pub force: Phrases,
    /// Words that soften.
    pub softening: Phrases,
    /// Words that allow.
    pub permitting: Phrases,
    /// What a decision looks like.
    pub decision: Vec<Rule>,
    /// What a rejection looks like.
    pub rejection: Vec<Rule>,
    /// What a constraint looks like.
    pub constraint: Vec<Rule>,
    /// What a commitment looks like.
    pub commitment: Vec<Rule>,
    /// A sentence that opens with assent.
    pub assent: Cue,
    /// "Could you …" with a verb of work.
    pub request: Cue,
    /// "Can we" before a verb of work.
    pub feasible: Cue,
    /// Words that speak of the user.
    pub user: Phrases,
    /// What a sentence opens with that says something is absent.
    pub absence: Phrases,
    /// Words that report a question or a doubt.
    pub asked: Phrases,
    /// Words that report a thought or a proposal.
    pub mentioned: Phrases,
    /// Words that report something as settled.
    pub settled: Phrases,
    /// Words that any summary holds, as lineage counts words.
    pub template: BTreeSet<String>,
    /// What tools do.
    pub tools: Tools,
}

/// The classes of hedges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HedgeClass {
    /// May, might, could.
    Modal,
    /// Maybe, probably.
    Adverb,
    /// I think, IMO.
    FirstPerson,
    /// Seems, looks like.
    Evidential,
    /// Not sure, unclear.
    Unsure,
    /// Kind of, if possible: leaves nothing open on its own.
    Weak,
    /// Roughly, before a number: likewise.
    Approximate,
    /// Whether, should we, what if.
    Undecided,
}

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deed {
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a file.
    Edit,
    /// Runs a command.
    Run,
    /// Looks for something.
    Search,
    /// Starts a sub-agent.
    Agent,
    /// Keeps a list of what is to be done.
    Todo,
    /// Puts a plan to the user.
    Plan,
    /// Anything else.
    Other,
}

/// What tools do, by their names.
#[derive(Debug, Default)]
pub struct Tools {
    deeds: BTreeMap<String, Deed>,
    /// Arguments that hold the text before an edit.
    pub old_text: Vec<String>,
    /// Arguments that hold the text after it.
    pub new_text: Vec<String>,
}

impl Tools {
    /// What the tool of this name does.
    pub fn deed(&self, name: &str) -> Deed {
        self.deeds.get(&name.to_lowercase()).copied().unwrap_or(Deed::Other)
    }
}

/// Why a lexicon cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LexiconError {
    /// It is not TOML of the expected form; the message says where.
    #[error("the lexicon cannot be read: {0}")]
    Form(String),
    /// One of its patterns is no regular expression.
    #[error("the lexicon holds a pattern that cannot be used: {0}")]
    Pattern(String),
}

fn any_of(phrases: &[String]) -> String {
    let phrases = phrases.iter().flat_map(|phrase| written_out(phrase));
    let spelled: Vec<String> = phrases.map(|phrase| spelled(&phrase)).collect();
    format!("(?:{})", spelled.join("|"))
}

impl Lexicon {
    /// Reads the text of a lexicon file and tries all its patterns.
    pub fn parse(text: &str) -> Result<Self, LexiconError> {
        let lexicon = Self::read(text)?;
        let sets = [
            [&lexicon.never, &lexicon.force, &lexicon.softening, &lexicon.permitting],
            [&lexicon.user, &lexicon.absence, &lexicon.asked, &lexicon.mentioned],
        ];
        let sets = sets.into_iter().flatten().chain([&lexicon.settled]);
        lexicon.hedges.values().chain(sets).try_for_each(Phrases::check)?;
        let rules = [&lexicon.decision, &lexicon.rejection, &lexicon.constraint, &lexicon.commitment];
        rules.into_iter().flatten().try_for_each(Rule::check)?;
        [&lexicon.assent, &lexicon.request, &lexicon.feasible].into_iter().try_for_each(Cue::check)?;
        Ok(lexicon)
    }

    /// The same without trying the patterns: most questions need a few of them.
    fn read(text: &str) -> Result<Self, LexiconError> {
        let file: File = toml::from_str(text).map_err(|error| LexiconError::Form(error.to_string()))?;
        let File { version, hedges, force, binding, requests, reports, tools } = file;
        let lead = format!(r"^\W*(?:{}\b[,.:!]?\s+)*", any_of(&binding.lead));
        let assent = any_of(&binding.assent);
        let rules = |texts: &[RuleText]| -> Vec<Rule> {
            texts.iter().map(|text| rule(text, &lead, &assent)).collect()
        };
        let asked = format!(
            r"(?:^|[,.;:]\s*|\s[-–—]\s+|\b(?:and|but|so|ok|okay|yes|no|then|now|also|quick)\b,?\s+)(?:can|could|would|will)\s+(?:you|we)\s+(?:{}[\s-]+)*{}\b",
            any_of(&requests.filler),
            any_of(&requests.action)
        );
        let feasible = format!(r"^(?:(?:please|also|just|now|then)\s+)?{}\b", any_of(&requests.feasible));
        let mut classes = BTreeMap::new();
        for (class, phrases) in [
            (HedgeClass::Modal, &hedges.modal),
            (HedgeClass::Adverb, &hedges.adverb),
            (HedgeClass::FirstPerson, &hedges.first_person),
            (HedgeClass::Evidential, &hedges.evidential),
            (HedgeClass::Unsure, &hedges.unsure),
            (HedgeClass::Weak, &hedges.weak),
            (HedgeClass::Approximate, &hedges.approximate),
            (HedgeClass::Undecided, &hedges.undecided),
        ] {
            classes.insert(class, Phrases::new(phrases));
        }
        Ok(Self {
            id: format!("{version} ({:08x})", crc32fast::hash(text.as_bytes())),
            hedges: classes,
            never: Phrases::new(&hedges.never),
            force: Phrases::new(&force.binding),
            softening: Phrases::new(&force.softening),
            permitting: Phrases::new(&force.permitting),
            decision: rules(&binding.decision),
            rejection: rules(&binding.rejection),
            constraint: rules(&binding.constraint),
            commitment: rules(&binding.commitment),
            assent: Cue::new(format!(r"{lead}{assent}\b")),
            request: Cue::new(asked),
            feasible: Cue::new(feasible),
            user: Phrases::new(&reports.user),
            absence: Phrases::new(&reports.absence),
            asked: Phrases::new(&reports.asked),
            mentioned: Phrases::new(&reports.mentioned),
            settled: Phrases::new(&reports.settled),
            template: reports.template.iter().flat_map(|word| super::words::stems(word)).collect(),
            tools: tools.into(),
        })
    }

    /// The version that the file states, and a checksum of the file.
    pub fn id(&self) -> &str {
        &self.id
    }
}

fn rule(text: &RuleText, lead: &str, assent: &str) -> Rule {
    let spaced = |pattern: &str| pattern.replace(' ', r"\s+");
    let is = spaced(&text.is).replace("{lead}", lead).replace("{assent}", assent);
    let unless = text.unless.as_ref().map(|unless| Pattern::new(format!("^(?:{})", spaced(unless))));
    Rule { is: Pattern::new(is), unless }
}

impl From<ToolNames> for Tools {
    fn from(names: ToolNames) -> Self {
        let mut deeds = BTreeMap::new();
        for (list, deed) in [
            (names.read, Deed::Read),
            (names.write, Deed::Write),
            (names.edit, Deed::Edit),
            (names.run, Deed::Run),
            (names.search, Deed::Search),
            (names.agent, Deed::Agent),
            (names.todo, Deed::Todo),
            (names.plan, Deed::Plan),
        ] {
            deeds.extend(list.into_iter().map(|name| (name.to_lowercase(), deed)));
        }
        Self { deeds, old_text: names.old_text, new_text: names.new_text }
    }
}

static BUILT_IN: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::read(include_str!("../../assets/lexicon.toml")).unwrap_or_default());

/// The lexicon that the binary embeds.
pub fn built_in() -> &'static Lexicon {
    &BUILT_IN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_lexicon_is_whole() {
        let text = include_str!("../../assets/lexicon.toml");
        let lexicon = Lexicon::parse(text).unwrap();
        assert!(lexicon.id().starts_with("1 ("));
        assert_eq!(lexicon.id(), built_in().id());
        assert_eq!(lexicon.tools.deed("Bash"), Deed::Run);
        assert_eq!(lexicon.tools.deed("mcp__x__y"), Deed::Other);
    }

    #[test]
    fn a_changed_lexicon_has_another_id() {
        let text = include_str!("../../assets/lexicon.toml");
        let changed = Lexicon::parse(&text.replace("dunno|", "")).unwrap();
        assert_ne!(changed.id(), built_in().id());
    }

    #[test]
    fn mistakes_are_named() {
        let error = Lexicon::parse("version = 1").unwrap_err().to_string();
        assert!(error.contains("line 1") || error.contains("version"), "{error}");
        let text = include_str!("../../assets/lexicon.toml").replace("\\\\bdo nothing\\\\b", "(");
        let error = Lexicon::parse(&text).unwrap_err().to_string();
        assert!(error.contains("pattern"), "{error}");
    }
}
