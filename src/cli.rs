//! The command line as typed.

mod audit;
mod forest;
mod replay;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::discover::agents::AGENTS;
use crate::outline::ViewKind;
use crate::strategies::context_gc::Mode;
use crate::strategies::union_find::reader::BUDGET as READER_BUDGET;

pub use audit::{AuditArguments, RecallArguments, Rule};
pub use forest::ForestOptions;
pub use replay::{ReplayOptions, SummariserOptions, Writer};

/// A terminal inspector for AI agents' session logs.
///
/// Opens a log or follows it live, shows what the model still sees and what was compacted away, and leads from
/// there back to the original turns. Runs offline and only reads the logs.
#[derive(Debug, Parser)]
#[command(name = "pentimento", version, args_conflicts_with_subcommands = true, max_term_width = 100)]
#[command(
    after_help = "Addresses: t489 a turn, t489.2 a part of it, @a881341/t12 a sub-agent's turn, L560 a physical \
line, g3 a generation, b4 a block, p2 a span, i9 an item of the ledger, c45 the cluster that holds turn 45, u7 a union, r:t88 what a receipt stands for.\nLogs: - is standard input; what is compressed with zstd or gzip is read as it is.\n\
Exit status: 0 done, 1 an audit rule failed, 2 wrong usage, 3 the log could not be read, 4 nothing found, for that address or at all."
)]
pub struct Arguments {
    /// What to do; without it the terminal interface opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the terminal interface.
    #[command(flatten)]
    pub interface: Interface,
}

/// Options of the terminal interface.
#[derive(Debug, Args)]
pub struct Interface {
    /// The session log to open; - reads standard input, and the keys come from the terminal. Of a folder, or without
    /// a path, a list of sessions opens: those in the folder, or in the folders where agents keep them.
    pub path: Option<PathBuf>,
    /// Start at the end and stay there while the log grows; wait for a file that does not exist yet.
    #[arg(short, long)]
    pub follow: bool,
    /// Show everything as of this moment: a turn (489, t489), just after a compaction (g2), just before it (g2-),
    /// or a clock time.
    #[arg(long, value_name = "MOMENT")]
    pub as_of: Option<String>,
    /// What it looks like.
    #[command(flatten)]
    pub screen: Screen,
}

/// Options of the terminal interface, whatever it opens.
#[derive(Debug, Args)]
pub struct Screen {
    /// The view to start with.
    #[arg(long, value_name = "NAME")]
    pub view: Option<ViewName>,
    /// Look for changes every quarter of a second instead of waiting for events of the file system.
    #[arg(long)]
    pub poll: bool,
    /// The colours; `ansi` are the terminal's own.
    #[arg(long, value_name = "NAME", default_value = "ansi", value_parser = ["ansi", "dark", "light", "mono"])]
    pub theme: String,
    /// When to use colours.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: ColorWhen,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub no_mouse: bool,
    /// Settings of what is replayed.
    #[command(flatten, next_help_heading = "Settings of the block hierarchy")]
    pub replay: ReplayOptions,
    /// Settings of the cold forest.
    #[command(flatten, next_help_heading = "Settings of the cold forest")]
    pub forest: ForestOptions,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// Unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A view's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewName {
    /// What the model sees.
    Window,
    /// What each compaction covered.
    Generations,
    /// The block hierarchy, replayed: ledger, spans, blocks, open turns.
    Blocks,
    /// The cold forest, replayed: its health, clusters with their unions, the hot window.
    Forest,
    /// What Context-GC prunes, stage by stage, replayed.
    Receipts,
    /// What each compaction lost.
    Audit,
}

impl From<ViewName> for ViewKind {
    fn from(name: ViewName) -> Self {
        match name {
            ViewName::Window => Self::Window,
            ViewName::Generations => Self::Generations,
            ViewName::Blocks => Self::Blocks,
            ViewName::Forest => Self::Forest,
            ViewName::Receipts => Self::Receipts,
            ViewName::Audit => Self::Audit,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Format, counts, token use, malformed and unknown records, what fills the window, every compaction.
    Info {
        /// The session log.
        path: PathBuf,
        /// One JSON object.
        #[arg(long)]
        json: bool,
        /// What summaries cost.
        #[command(flatten)]
        costs: CostOptions,
    },
    /// The timeline: one line for each turn.
    Turns(TurnsArguments),
    /// What the model sees.
    Context(ContextArguments),
    /// A view's tree as text.
    Tree(TreeArguments),
    /// The turns under an address, word for word.
    Expand(ExpandArguments),
    /// The compacted prompt of a Context-GC trace.
    Gc(GcArguments),
    /// The sessions there are, newest first.
    Sessions(SessionsArguments),
    /// Open the newest session of the current directory, and follow it.
    Last(LastArguments),
    /// What a reader would get of the cold forest for a question, beside the hot window.
    Ask(AskArguments),
    /// What a summary's sentences rest on, or what became of a turn.
    Trace(TraceArguments),
    /// What each compaction lost.
    Audit(AuditArguments),
    /// A note of chosen turns and items, ready to paste back to the agent.
    Recall(RecallArguments),
    /// Delete what the store holds of a session: summaries, pins, marks, notes, counts, audits.
    Forget(ForgetArguments),
    /// Completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// The manual page, in roff.
    Man,
}

/// Arguments of `gc`.
#[derive(Debug, Args)]
pub struct GcArguments {
    /// The trace: a JSON array of events, an object with `events`, or one event a line; - is standard input.
    pub path: PathBuf,
    /// Whose rules hold: `strict` mends the defects of Context-GC 0.3.0, `reference` has them.
    #[arg(long, value_name = "MODE", default_value = "strict")]
    pub mode: Mode,
    /// Instead of the prompt: this event, what became of it, and why.
    #[arg(long, value_name = "ID", conflicts_with_all = ["diff", "body"])]
    pub explain: Option<String>,
    /// Instead of the prompt: what it lacks and has beside the prompt of the whole trace.
    #[arg(long, conflicts_with = "body")]
    pub diff: bool,
    /// Instead of the prompt: the body of the request that carries it. Nothing is sent.
    #[arg(long = "as", id = "body", value_name = "PROVIDER", requires_all = ["model", "message"])]
    pub body: Option<Provider>,
    /// The model that the request names.
    #[arg(long, value_name = "NAME", requires = "body")]
    pub model: Option<String>,
    /// What the user says in the request.
    #[arg(long, value_name = "TEXT", requires = "body")]
    pub message: Option<String>,
    /// One JSON object.
    #[arg(long, conflicts_with_all = ["diff", "body"])]
    pub json: bool,
}

/// Who would get a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Provider {
    /// Anthropic's messages: the prompt is the system text.
    Anthropic,
    /// `OpenAI`'s chat completions: the prompt is the system's message.
    Openai,
}

/// Arguments of `sessions`.
#[derive(Debug, Args)]
pub struct SessionsArguments {
    /// List the sessions in this folder and below, instead of those in the folders where agents keep them.
    pub dir: Option<PathBuf>,
    /// Only this agent's.
    #[arg(long, value_name = "NAME", value_parser = agents())]
    pub agent: Option<String>,
    /// Only those whose agent worked in this directory or below it.
    #[arg(long, value_name = "PATH")]
    pub project: Option<PathBuf>,
    /// Only those whose agent worked in the current directory or below it.
    #[arg(long, conflicts_with = "project")]
    pub here: bool,
    /// Only the newest N sessions. Their sub-agents and forks come with them and are not counted.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// One JSON object for each line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `last`.
#[derive(Debug, Args)]
#[command(
    long_about = "Open the newest session of the current directory, and follow it.\n\nThat is the session written to \
last among those whose agent worked in the current directory; where there is none, in the nearest directory above it. \
When the agent starts anew there, its new session is shown instead."
)]
pub struct LastArguments {
    /// Only this agent's.
    #[arg(long, value_name = "NAME", value_parser = agents())]
    pub agent: Option<String>,
    /// What it looks like.
    #[command(flatten)]
    pub screen: Screen,
}

/// The names of the agents whose folders are known.
fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name))
}

/// What `info` says of costs.
#[derive(Debug, Args)]
pub struct CostOptions {
    /// Also what summaries cost under each strategy, beside the published example.
    #[arg(long)]
    pub costs: bool,
    /// Prices of a million tokens read and written, for the costs.
    #[arg(long, value_name = "IN,OUT", requires = "costs")]
    pub rates: Option<String>,
    /// Settings of the strategies.
    #[command(flatten)]
    pub replay: ReplayOptions,
}

/// Arguments of `ask`.
#[derive(Debug, Args)]
pub struct AskArguments {
    /// The session log, or a forest's file.
    pub path: PathBuf,
    /// The question.
    pub question: String,
    /// As of this moment: a turn, g2, g2- or a clock time.
    #[arg(long, value_name = "MOMENT")]
    pub as_of: Option<String>,
    /// Tokens that the reader may get beside the hot window (estimated).
    #[arg(long, value_name = "TOKENS", default_value_t = READER_BUDGET, value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: u64,
    /// Settings of the cold forest.
    #[command(flatten)]
    pub forest: ForestOptions,
    /// Who writes summaries.
    #[command(flatten)]
    pub summaries: SummariserOptions,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `turns`.
#[derive(Debug, Args)]
pub struct TurnsArguments {
    /// The session log.
    pub path: PathBuf,
    /// Only turns A to B of the main thread; either may be left out (`100..`).
    #[arg(long, value_name = "A..B")]
    pub range: Option<String>,
    /// Only this thread: `main`, or `@NAME` of a sub-agent. Without it every thread of the file, the main one first.
    #[arg(long, value_name = "THREAD")]
    pub thread: Option<String>,
    /// One JSON object for each line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `context`.
#[derive(Debug, Args)]
pub struct ContextArguments {
    /// The session log.
    pub path: PathBuf,
    /// As of this moment: a turn, g2, g2- or a clock time.
    #[arg(long, value_name = "MOMENT")]
    pub as_of: Option<String>,
    /// The way to compact: `recorded` is what the agent did, `truncate` keeps the newest turns, `full` keeps all,
    /// `blocks` is the block hierarchy, `recursive` folds every summary into the next, `union-find` sums up clusters of
    /// messages behind a hot window, `context-gc` puts receipts in the place of what is of no use any more.
    #[arg(long, value_name = "NAME", default_value = "recorded")]
    pub strategy: String,
    /// Settings of `blocks` and `recursive`.
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Settings of `union-find`.
    #[command(flatten)]
    pub forest: ForestOptions,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tree`.
#[derive(Debug, Args)]
pub struct TreeArguments {
    /// The session log.
    pub path: PathBuf,
    /// The view.
    #[arg(long, value_name = "NAME", default_value = "window")]
    pub view: ViewName,
    /// As of this moment: a turn, g2, g2- or a clock time.
    #[arg(long, value_name = "MOMENT")]
    pub as_of: Option<String>,
    /// How many levels to print.
    #[arg(long, value_name = "LEVELS", default_value_t = 2)]
    pub depth: u32,
    /// Settings of the view `blocks`.
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Settings of the view `forest`.
    #[command(flatten)]
    pub forest: ForestOptions,
    /// Of the view `forest`: also write it to this file in the published format (version 3), which other programs read.
    /// The hot window is not part of that.
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Of the view `forest`: also save it to this file with its hot window, vocabulary and settings, so that it can go
    /// on from there.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Of --write and --save: replace a file that is there, whatever it holds. Without it only --save replaces one, and
    /// only a forest that it saved.
    #[arg(long)]
    pub force: bool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `expand`.
#[derive(Debug, Args)]
pub struct ExpandArguments {
    /// The session log.
    pub path: PathBuf,
    /// Where: t489, t489.2, @a881341/t12, @a881341, L560, g3, b4, p2, i9, c45, u7, r:t88;
    /// r:e002 of a Context-GC trace.
    pub address: String,
    /// Every physical line from the first to the last covered record, notes included, as the log's bytes.
    #[arg(long, conflicts_with_all = ["json", "summary"])]
    pub raw: bool,
    /// Of a generation, block, span or cluster: its summary instead of the turns it covers.
    #[arg(long)]
    pub summary: bool,
    /// Settings of the block hierarchy, where the address is in it.
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Settings of the cold forest, where the address is in it.
    #[command(flatten)]
    pub forest: ForestOptions,
    /// One JSON object for each line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// The session log.
    pub path: PathBuf,
    /// Of a summary (g3) or one of its sentences (g3.s12): the turns it rests on. Of a turn (t489) or line (L560): the
    /// sentences that carry it, generation by generation. Of a block, span or cluster (b4, b4.s2, c45): the turns that its summary was
    /// taken from.
    pub address: String,
    /// Settings of the block hierarchy, where the address is in it.
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Settings of the cold forest, where the address is in it.
    #[command(flatten)]
    pub forest: ForestOptions,
    /// A cue lexicon of your own, instead of the one that is built in.
    #[arg(long, value_name = "FILE")]
    pub lexicon: Option<PathBuf>,
    /// One JSON object for each sentence; of a turn, one object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `forget`.
#[derive(Debug, Args)]
#[command(
    long_about = "Delete what the store holds of a session: summaries, pins, marks, notes, counts.\n\nThe log itself is \
never touched. Nothing of what is deleted is left in any file of the state folder; what the disk keeps of blocks that were \
written before is beyond any program's reach."
)]
pub struct ForgetArguments {
    /// The session log. It may be gone: the store remembers where the logs of its sessions were.
    pub path: PathBuf,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}
