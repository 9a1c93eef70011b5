//! What a node is called: data, not yet a line of a screen.

use crate::session::address::Address;
use crate::strategies::blocks::State;
use crate::text::{display, numbers};

/// A node's name and what is known of it at a glance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// What it is: `turn`, `summary`, `section`, `sentence`, `part`, `note`, `malformed`, `group`, `share`, `thread`,
    /// `microcompaction`, `block`, `span`, `level`, `item`, `cluster`, `union`, `health`, `asked`, `stage`, `receipt`,
    /// `finding`, `kept`, `beside`, `nothing`.
    pub kind: &'static str,
    /// Where it is.
    pub address: Option<Address>,
    /// Who speaks, or a part's kind: a short word for a narrow column.
    pub who: &'static str,
    /// Its words, as they stand in the log.
    pub text: String,
    /// Estimated tokens.
    pub tokens: Option<u64>,
    /// The number of the turn it stands at.
    pub turn: Option<u32>,
    /// It is in the log; otherwise it was computed here.
    pub recorded: bool,
    /// The model does not see it.
    pub out: bool,
    /// What to watch for.
    pub marks: Vec<Mark>,
}

/// Something to watch for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A tool reported a failure.
    Error,
    /// The user's own words inside a tool result.
    Voice,
    /// Typed while the agent worked.
    Queued,
    /// Taken back from the queue.
    Withdrawn,
    /// Put in by the harness.
    Injected,
    /// The same message as an earlier turn.
    Continues(u32),
    /// Abandoned at this turn.
    Abandoned(u32),
    /// Costs far more than the rest.
    Outlier,
    /// Its results were cleared from the model's view after this turn.
    Cleared(u32),
    /// Placed by file order: the record it hangs on is missing.
    Dangling,
    /// Placed by file order: the record it hangs on is itself, or comes behind it.
    Forward,
    /// Originals are missing from the log.
    Incomplete,
    /// Whether originals are missing cannot be told.
    Untold,
    /// How a covered range is known, where that is not exact.
    Provenance(&'static str),
    /// Bytes were replaced before it could be read.
    Repaired,
    /// Seen again at this line.
    Echo(u32),
    /// A summary that cannot be read here.
    Unreadable,
    /// Told to the model again, beside the summary.
    ToldAgain,
    /// It sums up the branch that ended in this turn.
    SumsUp(u32),
    /// What became of an item of the ledger.
    State(State),
    /// Whoever was to write its summary did not.
    NoSummary,
    /// Its summary is one of other members than it has.
    StaleSummary,
    /// A person said so.
    ByHand(&'static str),
    /// So many of its parts are pruned.
    Pruned(u32),
    /// Something keeps it although a stage would have pruned it.
    Kept(String),
    /// Only turns that were kept still say it.
    AtRisk,
    /// What is said of it beside.
    Beside(String),
}

impl Mark {
    /// The mark in words, short.
    pub fn words(&self) -> String {
        match self {
            Self::Error => "✗ error".into(),
            Self::Voice => "user said".into(),
            Self::Queued => "queued".into(),
            Self::Withdrawn => "taken back".into(),
            Self::Injected => "injected".into(),
            Self::Continues(turn) => format!("continues t{turn}"),
            Self::Abandoned(turn) => format!("abandoned at t{turn}"),
            Self::Outlier => "! large".into(),
            Self::Cleared(turn) => format!("cleared after t{turn}"),
            Self::Dangling => "parent missing".into(),
            Self::Forward => "parent not before it".into(),
            Self::Incomplete => "! incomplete".into(),
            Self::Untold => "complete?".into(),
            Self::Provenance(how) => (*how).into(),
            Self::Repaired => "repaired".into(),
            Self::Echo(line) => format!("again at L{line}"),
            Self::Unreadable => "! unreadable".into(),
            Self::ToldAgain => "told again".into(),
            Self::State(state) => state.words(),
            Self::NoSummary => "! no summary".into(),
            Self::StaleSummary => "! stale summary".into(),
            Self::ByHand(what) => (*what).into(),
            Self::Pruned(parts) => format!("{} pruned", numbers::count(u64::from(*parts), "part")),
            Self::Kept(why) => format!("kept: {why}"),
            Self::AtRisk => "! at risk".into(),
            Self::Beside(what) => what.clone(),
            Self::SumsUp(turn) => format!("sums up the branch that ended at t{turn}"),
        }
    }

    /// Whether it warns.
    pub fn warns(&self) -> bool {
        matches!(
            self,
            Self::Error
                | Self::Outlier
                | Self::Incomplete
                | Self::Dangling
                | Self::Forward
                | Self::Withdrawn
                | Self::Unreadable
                | Self::NoSummary
                | Self::StaleSummary
                | Self::AtRisk
        )
    }
}

/// A label as one line of plain text, safe for a terminal.
pub fn one_line(label: &Label) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(label.address.as_ref().map(ToString::to_string));
    if !label.who.is_empty() {
        words.push(label.who.to_owned());
    }
    if !label.text.is_empty() {
        words.push(display::safe(&label.text).into_owned());
    }
    words.extend(label.marks.iter().map(|mark| format!("[{}]", mark.words())));
    words.extend(label.tokens.map(|tokens| format!("~{}", numbers::short(tokens))));
    words.join(" ")
}
