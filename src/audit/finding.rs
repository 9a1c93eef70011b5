//! What the audit says, in the only words it has: classes, verdicts, voices, and findings with their places.
//!
//! Everything here can be kept and read back: places are numbers of turns and bytes of parts, never handles of a session.

use serde::{Deserialize, Serialize};

use crate::text::binding::Binding;
use crate::text::numbers::grouped;

/// What kind of thing an item is, in the order in which a report tells of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Something has to hold.
    Constraint,
    /// Something was turned down.
    Rejection,
    /// Something was left open: a question, a doubt, a proposal.
    Open,
    /// Something was decided.
    Decision,
    /// Something was promised.
    Commitment,
    /// A path or a file's name.
    Path,
    /// A command, or an option of one.
    Command,
    /// What a failure is known by: an error's code, an exit status.
    Error,
    /// A number of three digits or more, or with a unit.
    Number,
    /// Any other name: of code, a version, an address, a ticket.
    Identifier,
    /// Words that somebody put in quotation marks.
    Quotation,
}

impl Class {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 11] = [
        Self::Constraint,
        Self::Rejection,
        Self::Open,
        Self::Decision,
        Self::Commitment,
        Self::Path,
        Self::Command,
        Self::Error,
        Self::Number,
        Self::Identifier,
        Self::Quotation,
    ];

    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constraint => "constraint",
            Self::Rejection => "rejection",
            Self::Open => "open",
            Self::Decision => "decision",
            Self::Commitment => "commitment",
            Self::Path => "path",
            Self::Command => "command",
            Self::Error => "error",
            Self::Number => "number",
            Self::Identifier => "identifier",
            Self::Quotation => "quotation",
        }
    }

    /// The same for several.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Constraint => "constraints",
            Self::Rejection => "rejections",
            Self::Open => "open questions",
            Self::Decision => "decisions",
            Self::Commitment => "commitments",
            Self::Path => "paths",
            Self::Command => "commands",
            Self::Error => "errors",
            Self::Number => "numbers",
            Self::Identifier => "identifiers",
            Self::Quotation => "quotations",
        }
    }

    /// So many of it, in words.
    pub fn counted(self, count: u32) -> String {
        let one = if self == Self::Open { "open question" } else { self.name() };
        format!("{} {}", grouped(u64::from(count)), if count == 1 { one } else { self.plural() })
    }

    /// Whether it is a sentence of the user's, rather than something exact inside one.
    pub fn is_statement(self) -> bool {
        self <= Self::Commitment
    }

    /// The class under which a sentence that binds is told of: the first of its kinds in the order of a report.
    pub fn of_binding(binding: Binding) -> Option<Self> {
        let all = [
            (binding.constraint, Self::Constraint),
            (binding.rejection, Self::Rejection),
            (binding.open, Self::Open),
            (binding.decision, Self::Decision),
            (binding.commitment, Self::Commitment),
        ];
        all.into_iter().find_map(|(holds, class)| holds.then_some(class))
    }
}

/// What became of an item at a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It stands there in its own words, or in view in a turn that was kept.
    Preserved,
    /// It is said in other words, or in a shorter form.
    Paraphrased,
    /// It is said with less force.
    Weakened,
    /// A number or name of it is another one, or gone.
    Mutated,
    /// It is not found any more.
    Dropped,
    /// The rules cannot tell. Compare the two.
    Unverifiable,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Preserved,
        Self::Paraphrased,
        Self::Weakened,
        Self::Mutated,
        Self::Dropped,
        Self::Unverifiable,
    ];

    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Preserved => "preserved",
            Self::Paraphrased => "paraphrased",
            Self::Weakened => "weakened",
            Self::Mutated => "mutated",
            Self::Dropped => "dropped",
            Self::Unverifiable => "unverifiable",
        }
    }

    /// The word for people: what cannot be told is to be compared.
    pub fn shown(self) -> &'static str {
        if self == Self::Unverifiable { "compare" } else { self.name() }
    }

    /// Whether the item can still be found.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Preserved | Self::Paraphrased)
    }
}

/// Who said something, the least telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// What a tool gave back.
    ToolResult,
    /// What the model asked a tool to do.
    ToolUse,
    /// The model's prose.
    Text,
    /// The user.
    Prompt,
}

impl Voice {
    /// All of them, the most telling first.
    pub const ALL: [Self; 4] = [Self::Prompt, Self::Text, Self::ToolUse, Self::ToolResult];

    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Text => "text",
            Self::ToolUse => "tool_use",
            Self::ToolResult => "tool_result",
        }
    }

    /// Whether only programs said it.
    pub fn is_tool(self) -> bool {
        self <= Self::ToolUse
    }
}

/// How often a range says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// In two parts at least.
    Headline,
    /// In one.
    Footnote,
}

impl Frequency {
    /// Of something that so many parts say.
    pub fn of(units: u32) -> Self {
        if units >= 2 { Self::Headline } else { Self::Footnote }
    }

    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Headline => "headline",
            Self::Footnote => "footnote",
        }
    }
}

/// Where an item stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The turn's number in the main thread.
    pub turn: u32,
    /// The part's number in the turn: `t12.0`.
    pub index: u32,
    /// The physical line of its record.
    pub line: u32,
    /// The part's number in its record.
    pub part: u32,
    /// The user's words inside a tool result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub voice: bool,
    /// Its bytes in the text of the part; none where that text was cut together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<(u64, u64)>,
}

impl Place {
    /// The address of the part.
    pub fn address(&self) -> String {
        format!("t{}.{}", self.turn, self.index)
    }
}

/// What became of one item at one compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is.
    pub class: Class,
    /// What became of it.
    pub verdict: Verdict,
    /// Its words.
    pub text: String,
    /// Who said it; the most telling voice where several did.
    pub voice: Voice,
    /// How often its range says it.
    pub frequency: Frequency,
    /// The parts that say it.
    pub units: u32,
    /// The pass in whose range it was said.
    pub since: u32,
    /// The pass at which it was lost; none while it is found.
    pub first_lost: Option<u32>,
    /// It is in none of the summaries and lives on in turns that were kept word for word.
    pub at_risk: bool,
    /// Where it stands, the first few places.
    pub sources: Vec<Place>,
    /// The sentences of the summary that carry it, or that are to be compared with it; places from 0.
    pub sentences: Vec<usize>,
    /// Why: the words that are gone or new, the turn that answered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Of a statement: the same verdict without the list of what the user said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrative: Option<Verdict>,
    /// Of a statement: the verdict of the worst sentence that carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Verdict>,
    /// A sentence of the summary that says it as settled, though another keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<usize>,
    /// The turn that answered a question, or agreed to a proposal, in the same range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u32>,
    /// What tells it from others of its class.
    #[serde(skip)]
    pub(crate) key: String,
    /// How much it says.
    #[serde(skip)]
    pub(super) weight: f64,
}

impl Finding {
    /// Whether another report says something of the same item.
    pub fn is_same_item(&self, other: &Self) -> bool {
        self.class == other.class && self.key == other.key
    }

    /// Where it was said first.
    pub fn address(&self) -> String {
        self.sources.first().map(Place::address).unwrap_or_default()
    }
}

/// What a verdict rests on beside shared words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what", content = "words")]
pub enum Why {
    /// A number or name that is gone.
    Missing(String),
    /// Words that take force from it.
    Softer(String),
    /// All words that bound are gone.
    ForceGone,
    /// It forbids, and the sentence that has its words does not deny anything.
    NotDenied,
    /// Words that allow what it forbids, or settle what it leaves open.
    Settled(String),
    /// Only a part of its words is found.
    Partly,
    /// It says too little for a verdict.
    Short,
    /// It was answered or carried out in the range, and what came of it may stand in its place.
    Outcome,
    /// A turn soon after it, with a word of it, takes something back: perhaps this.
    TakenBack(u32),
    /// It stands in another form.
    OtherForm,
    /// It is not found, and originals are missing from the log: it may have been lost before.
    Incomplete,
}

impl Why {
    /// In words for people.
    pub fn words(&self) -> String {
        match self {
            Self::Missing(name) => format!("without {name}"),
            Self::Softer(words) => format!("softer: {words}"),
            Self::ForceGone => "no word of it binds any more".to_owned(),
            Self::NotDenied => "its words stand there without a \"not\"".to_owned(),
            Self::Settled(words) if words.is_empty() => "not told as open any more".to_owned(),
            Self::Settled(words) => format!("told as settled: {words}"),
            Self::Partly => "only a part of its words is found".to_owned(),
            Self::Short => "too few words to tell".to_owned(),
            Self::Outcome => "not found; what came of it may stand in its place".to_owned(),
            Self::TakenBack(turn) => format!("not found; t{turn} may take it back"),
            Self::OtherForm => "in another form".to_owned(),
            Self::Incomplete => "not found, where originals are missing from the log".to_owned(),
        }
    }
}
