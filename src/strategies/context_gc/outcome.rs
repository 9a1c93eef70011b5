//! What a compaction gives back, whatever the mode.

use std::collections::BTreeMap;
use std::fmt;

/// What pruned an event, or would have if the event were not protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Its branch was abandoned.
    Sweep,
    /// A newer value of its variable is in force.
    Override,
    /// The same call gave the same result before.
    Dedup,
    /// It is part of a cycle.
    Cycle,
}

impl Stage {
    /// Every stage, in the order in which they run.
    pub const ALL: [Self; 4] = [Self::Sweep, Self::Override, Self::Dedup, Self::Cycle];

    /// Its name in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::Override => "override",
            Self::Dedup => "dedup",
            Self::Cycle => "cycle",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// In the prompt.
    Live,
    /// In the prompt although a stage would have pruned it.
    Protected {
        /// The stage.
        stage: Stage,
        /// Why the stage would have.
        reason: String,
        /// What keeps it.
        keeper: String,
    },
    /// Behind a receipt.
    Pruned {
        /// The stage that did.
        stage: Stage,
        /// Why it did.
        reason: String,
    },
}

/// A stub that stands for pruned events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its address: the event or cluster that it names.
    pub id: String,
    /// The events it stands for, in order.
    pub members: Vec<String>,
    /// Whether the prompt shows it.
    pub visible: bool,
}

/// Something odd in a trace that lost nothing. `strict` only: the reference goes on without a word, or fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Oddity {
    /// An id that was there before.
    #[error("event number {number} repeats the id \"{id}\"; it is kept as \"{label}\"")]
    RepeatedId {
        /// Its number among the events, from 1.
        number: usize,
        /// The id.
        id: String,
        /// The name under which it is kept.
        label: String,
    },
    /// An event that follows itself.
    #[error("event \"{id}\" is its own parent; it is kept as one without a parent")]
    SelfParent {
        /// The event.
        id: String,
    },
    /// An event that follows one which is not there.
    #[error(
        "event \"{id}\" follows \"{parent}\", which is not in the trace; it is kept as one without a parent"
    )]
    MissingParent {
        /// The event.
        id: String,
        /// What it names.
        parent: String,
    },
    /// Events that follow one another in a circle.
    #[error("{} events follow one another in a circle: {}", members.len(), members.join(", "))]
    Cycle {
        /// The events, sorted.
        members: Vec<String>,
    },
    /// A result of a call that is not there.
    #[error("result \"{id}\" belongs to the call \"{call}\", which is not in the trace")]
    MissingCall {
        /// The result.
        id: String,
        /// What it names.
        call: String,
    },
    /// An abandon of what is not there.
    #[error("\"{id}\" abandons \"{target}\", which is not in the trace")]
    MissingTarget {
        /// The abandon event.
        id: String,
        /// What it names.
        target: String,
    },
}

/// The state of a trace after compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// What the model reads.
    pub prompt: String,
    /// Tokens of every event's line.
    pub tokens_before: u64,
    /// Tokens of the prompt.
    pub tokens_after: u64,
    /// Those of them that receipts cost.
    pub receipt_tokens: u64,
    /// Pruned events, sorted.
    pub pruned_ids: Vec<String>,
    /// Events that a stage would have pruned but for their protection, sorted.
    pub protected_ids: Vec<String>,
    /// Events in the prompt, in its order; those without a line of their own included.
    pub live_ids: Vec<String>,
    /// Stubs, sorted by id in `reference`, in the prompt's order in `strict`.
    pub receipts: Vec<Receipt>,
    /// Why each event was pruned. `reference` names protected ones too.
    pub prune_reasons: BTreeMap<String, String>,
    /// What keeps each protected event.
    pub protected_reasons: BTreeMap<String, String>,
    /// The stage behind each pruned or protected event.
    pub stages: BTreeMap<String, Stage>,
    /// The prompt in its pieces.
    pub rows: Vec<Row>,
    /// What is odd in the trace.
    pub oddities: Vec<Oddity>,
}

/// A piece of the prompt: what one event says, or a line of receipts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A live event's line.
    Event {
        /// The event, or a cluster's id in `reference`.
        id: String,
        /// What it says.
        text: String,
    },
    /// A receipt's line.
    Receipt {
        /// Its place in [`Compacted::receipts`].
        receipt: usize,
        /// What it says.
        text: String,
    },
}

impl Row {
    /// What it says.
    pub fn text(&self) -> &str {
        match self {
            Self::Event { text, .. } | Self::Receipt { text, .. } => text,
        }
    }
}

impl Compacted {
    /// Fills in what follows from the rows: the prompt and what it costs.
    pub(super) fn total(&mut self) {
        let texts: Vec<&str> = self.rows.iter().map(Row::text).collect();
        self.prompt = texts.join("\n");
        self.tokens_after = super::prompt::tokens(self.prompt.chars().count());
        let own = self.rows.iter().filter(|row| matches!(row, Row::Event { .. }));
        let (rows, characters) =
            own.fold((0usize, 0), |(rows, sum), row| (rows + 1, sum + row.text().chars().count()));
        self.receipt_tokens = self.tokens_after - super::prompt::tokens(characters + rows.saturating_sub(1));
    }

    /// What became of an event.
    pub fn fate(&self, id: &str) -> Fate {
        let reason = self.prune_reasons.get(id).cloned().unwrap_or_default();
        match (self.stages.get(id), self.protected_reasons.get(id)) {
            (Some(stage), _) if self.pruned_ids.binary_search_by(|pruned| (**pruned).cmp(id)).is_ok() => {
                Fate::Pruned { stage: *stage, reason }
            }
            (Some(stage), Some(keeper)) => Fate::Protected { stage: *stage, reason, keeper: keeper.clone() },
            _ => Fate::Live,
        }
    }
}

/// What changed since the last compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// How many events were added.
    pub added: usize,
    /// Events that are pruned now and were not, in the order of the trace.
    pub pruned: Vec<String>,
    /// Events that were pruned and are no more.
    pub restored: Vec<String>,
    /// Events that are protected from a stage now and were not.
    pub protected: Vec<String>,
    /// Events of whom anything else is true now than was. Those of `strict` only, as the next.
    pub judged: Vec<String>,
    /// Events that were there and stand elsewhere in the prompt now.
    pub moved: Vec<String>,
}

/// Where an event stands in the prompt: compares with those of other events as of the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub(super) super::strict::Order);

impl Place {
    /// Behind all others.
    pub const LAST: Self = Self(super::strict::Order::LAST);
}
