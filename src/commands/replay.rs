//! Strategies that are replayed here: their settings as typed, resolved, and the replay itself.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::cli::ReplayOptions;
use crate::session::open::OpenLog;
use crate::strategies::blocks::carry::Share;
use crate::strategies::blocks::summaries::{Missing, Summaries, Written};
use crate::strategies::blocks::{Blocks, Made, Retention, Settings};
use crate::summarisers::Summariser;
use crate::summarisers::extractive::Extractive;

use super::Failure;

impl From<Missing> for Failure {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Log(error) => Self::Log(error),
            other => Self::NotFound(other.to_string()),
        }
    }
}

/// The settings that the options mean.
pub(super) fn settings(options: &ReplayOptions) -> Result<Settings, Failure> {
    let usual = Settings::default();
    let settings = Settings {
        seams: options.seams == "on",
        block_turns: options.block_turns,
        budget: options.budget.unwrap_or(usual.budget),
        window: options.summariser_window,
        retention: if options.retention == "all" { Retention::All } else { Retention::CurrentBlock },
        ..usual
    };
    settings.checked().map_err(Failure::Usage)
}

/// Who writes summaries, as the options say.
pub(super) fn summariser(options: &ReplayOptions) -> Result<Arc<dyn Summariser>, Failure> {
    match options.summariser.as_str() {
        "extractive" => Ok(Arc::new(Extractive::default())),
        other => Err(Failure::Usage(format!("\"{other}\" is no summariser of this build: extractive"))),
    }
}

/// The block hierarchy of a log, and its summaries.
pub(super) struct Replayed {
    pub(super) blocks: Blocks,
    pub(super) summaries: Summaries,
}

impl Replayed {
    pub(super) fn new(log: &OpenLog, options: &ReplayOptions) -> Result<Self, Failure> {
        let blocks = Blocks::of(log, settings(options)?)?;
        let mut summaries = Summaries::new(summariser(options)?);
        if blocks.settings().retention == Retention::CurrentBlock {
            summaries.write_closed(log, &blocks)?;
        }
        Ok(Self { blocks, summaries })
    }

    /// Writes the summaries of the blocks closed as of turn `as_of`, and of the span in view. One that fails is shown
    /// as failed.
    pub(super) fn write(&mut self, log: &OpenLog, as_of: u32) -> Result<(), Failure> {
        let blocks: Vec<u32> = self.blocks.closed(as_of).iter().map(|block| block.number).collect();
        let span = self.blocks.spans(as_of).last().map(|span| Made::Span(span.number));
        for made in blocks.into_iter().map(Made::Block).chain(span) {
            match self.summaries.of(log, &self.blocks, made, &AtomicBool::new(false)) {
                Err(Missing::Log(error)) => return Err(error.into()),
                Err(_) | Ok(_) => {}
            }
        }
        Ok(())
    }
}

/// What a summary carries, as JSON.
pub(super) fn carries(written: &Written) -> Value {
    let share = |share: Share| json!([share.carried, share.of]);
    let carries = written.carries;
    json!({"exact": share(carries.exact), "open": share(carries.open), "binding": share(carries.binding)})
}
