//! Settings of strategies that are replayed: as typed, and what they mean.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::session::open::OpenLog;
use crate::store::OptionalStore;
use crate::strategies::blocks::{Retention, Settings};
use crate::summarisers::Summariser;
use crate::summarisers::command::Program;
use crate::summarisers::extractive::Extractive;
use crate::summarisers::kept::{Belongs, Kept};
use crate::summarisers::prompts::Prompts;

/// Settings of strategies that are replayed.
#[derive(Clone, Debug, Args)]
pub struct ReplayOptions {
    /// Close blocks at seams of the work, or all at the same size.
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = ["on", "off"])]
    pub seams: String,
    /// Turns after which a block closes at the next seam.
    #[arg(long, value_name = "TURNS", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    pub block_turns: u32,
    /// Tokens that the context may have (estimated), the newest turn in any case; 120,000 without it.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Option<u64>,
    /// Who writes summaries.
    #[command(flatten)]
    pub summaries: SummariserOptions,
    /// Which originals may be read: `current-block` freezes summaries of closed blocks.
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = ["all", "current-block"])]
    pub retention: String,
}

/// Who writes summaries.
#[derive(Clone, Debug, Args)]
pub struct SummariserOptions {
    /// Who writes summaries: `extractive`, which copies sentences, or a command that
    /// reads a prompt and prints a summary.
    #[arg(long, value_name = "NAME|CMD", default_value = "extractive")]
    pub summariser: String,
    /// A folder with prompts of your own for such a command, `turns.md` and `summaries.md`; one that is not there is
    /// as it is built in.
    #[arg(long, value_name = "FOLDER")]
    pub prompts: Option<PathBuf>,
    /// Seconds that such a command may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    pub summariser_limit: u64,
    /// Tokens that the summariser can read at once.
    #[arg(long, value_name = "TOKENS", default_value_t = 200_000)]
    pub summariser_window: u64,
}

impl ReplayOptions {
    /// The settings that the options mean, or what is wrong with them.
    pub fn settings(&self) -> Result<Settings, String> {
        let usual = Settings::default();
        let settings = Settings {
            seams: self.seams == "on",
            block_turns: self.block_turns,
            budget: self.budget.unwrap_or(usual.budget),
            window: self.summaries.summariser_window,
            retention: if self.retention == "all" { Retention::All } else { Retention::CurrentBlock },
            ..usual
        };
        settings.checked()
    }
}

impl SummariserOptions {
    /// Who writes summaries, as the options say, or what is wrong with them.
    pub fn writer(&self) -> Result<Writer, String> {
        if self.summariser == EXTRACTIVE {
            return Ok(Writer::default());
        }
        let prompts = match &self.prompts {
            Some(folder) => Prompts::from_folder(folder).map_err(|error| error.to_string())?,
            None => Prompts::default(),
        };
        let limit = Duration::from_secs(self.summariser_limit);
        let program = Program::new(&self.summariser).with_limit(limit).with_prompts(prompts);
        Ok(Writer { summariser: Arc::new(program), kept: true })
    }
}

/// The summariser that copies sentences.
const EXTRACTIVE: &str = "extractive";

/// Who writes summaries.
#[derive(Clone, Debug)]
pub struct Writer {
    summariser: Arc<dyn Summariser>,
    /// What it writes is worth keeping. Copies of the log are made again at once.
    kept: bool,
}

impl Default for Writer {
    fn default() -> Self {
        Self { summariser: Arc::new(Extractive::default()), kept: false }
    }
}

impl Writer {
    /// Whether what it writes is kept.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// The summariser without anything being kept: what it sums up belongs to no log.
    pub fn bare(&self) -> &dyn Summariser {
        &*self.summariser
    }

    /// The summariser for a log: what is worth keeping is kept in `store`.
    pub fn summariser(&self, log: &OpenLog, store: &Arc<OptionalStore>) -> Arc<dyn Summariser> {
        if !self.kept {
            return Arc::clone(&self.summariser);
        }
        let belongs =
            Belongs { session: log.key(), log: Some(log.path.clone()), place: "replayed".to_owned() };
        Arc::new(Kept::new(Arc::clone(store), Arc::clone(&self.summariser), belongs))
    }
}
