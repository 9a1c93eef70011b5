//! Arguments of `audit` and `recall`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ForestOptions, ReplayOptions};

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(
    long_about = "What each compaction lost.\n\nStatements of the user's that bind or were left open, and names, numbers and \
commands, each with the verdict of what became of it: preserved, paraphrased, weakened, mutated, dropped, or compare where \
the rules cannot tell. Found by words alone, without a model: read what it points at."
)]
pub struct AuditArguments {
    /// Session logs, and folders of them.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The way to compact: `recorded` is what the agent did; `recursive`, `blocks`, `union-find`, `context-gc`, `truncate`
    /// and `full` are replayed, at the points where the agent compacted or the budget was exceeded.
    #[arg(long, value_name = "NAME", default_value = "recorded")]
    pub strategy: String,
    /// Settings of what is replayed.
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Settings of the cold forest.
    #[command(flatten)]
    pub forest: ForestOptions,
    /// Only the newest compaction.
    #[arg(long)]
    pub last: bool,
    /// A short note of what was lost, made to be given to the agent after a compaction.
    #[arg(long, conflicts_with = "json")]
    pub brief: bool,
    /// Exit status 1 where this is found; several with commas.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub fail_on: Vec<Rule>,
    /// Every finding, also what was preserved; without it what was lost, the first of each class.
    #[arg(long)]
    pub all: bool,
    /// Also list what only tools said. It is counted in any case.
    #[arg(long)]
    pub tools: bool,
    /// In the note: values that look like keys or tokens as they are.
    #[arg(long, requires = "brief")]
    pub show_secrets: bool,
    /// A cue lexicon of your own, instead of the one that is built in.
    #[arg(long, value_name = "FILE")]
    pub lexicon: Option<PathBuf>,
    /// One JSON object for each log.
    #[arg(long)]
    pub json: bool,
}

/// What an audit may fail on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rule {
    /// A constraint was dropped.
    ConstraintDropped,
    /// A rejection was dropped.
    RejectionDropped,
    /// A decision was dropped.
    DecisionDropped,
    /// An open question was dropped.
    OpenDropped,
    /// A sentence of a summary is supported by nothing in its range.
    Unsupported,
    /// A summary cannot be read.
    Unreadable,
}

/// Arguments of `recall`.
#[derive(Debug, Args)]
#[command(
    long_about = "A Markdown note to paste back to the agent: the turns and items at the addresses, word for word.\n\nWithout \
an address: the ledger of what binds, and what the newest compaction dropped."
)]
pub struct RecallArguments {
    /// The session log.
    pub path: PathBuf,
    /// Turns (t489, t489.2, @a881341/t12, L560), sentences of summaries (g3.s12), generations (g3: what it dropped), items of
    /// the ledger (i9).
    #[arg(value_name = "ADDRESS")]
    pub addresses: Vec<String>,
    /// Also values that look like keys or tokens, as they are.
    #[arg(long)]
    pub show_secrets: bool,
    /// Settings of the block hierarchy, where the ledger is asked.
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}
