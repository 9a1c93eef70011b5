//! Strategies that are replayed here: their settings as typed, resolved, and the replay itself.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::cli::{ReplayOptions, SummariserOptions};
use crate::message::complain;
use crate::session::address::NoSentence;
use crate::session::open::OpenLog;
use crate::store::OptionalStore;
use crate::strategies::blocks::carry::Share;
use crate::strategies::blocks::hand::Marks;
use crate::strategies::blocks::places::Absent;
use crate::strategies::blocks::summaries::{Missing, Summaries, Written};
use crate::strategies::blocks::{Blocks, Made, Retention, Settings};
use crate::summarisers::Summariser;

use super::Failure;

impl From<Missing> for Failure {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Log(error) => Self::Log(error),
            other => Self::NotFound(other.to_string()),
        }
    }
}

impl From<Absent> for Failure {
    fn from(absent: Absent) -> Self {
        Self::NotFound(absent.to_string())
    }
}

impl From<NoSentence> for Failure {
    fn from(absent: NoSentence) -> Self {
        Self::NotFound(absent.to_string())
    }
}

/// The settings that the options mean.
pub(super) fn settings(options: &ReplayOptions) -> Result<Settings, Failure> {
    options.settings().map_err(Failure::Usage)
}

/// Who writes summaries of a log, as the options say.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) summariser: Arc<dyn Summariser>,
    store: Arc<OptionalStore>,
}

impl Writer {
    pub(super) fn of(log: &OpenLog, options: &SummariserOptions) -> Result<Self, Failure> {
        let writer = options.writer().map_err(Failure::Usage)?;
        // Who only looks makes no store.
        let store = if writer.is_kept() { OptionalStore::open() } else { OptionalStore::existing() };
        let store = Arc::new(store);
        Ok(Self { summariser: writer.summariser(log, &store), store })
    }

    /// What a person said of the ledger by hand.
    fn marks(&self, log: &OpenLog) -> Marks {
        Marks::of(&self.store.ask(|store| store.pins(&log.key())).unwrap_or_default())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let left = self.store.keep_rest();
        if let Some(trouble) = self.store.trouble() {
            let lost = if left > 0 { format!(" ({left} not kept)") } else { String::new() };
            complain(&format!("{trouble}{lost}"));
        }
    }
}

/// The block hierarchy of a log, and its summaries.
pub(super) struct Replayed {
    pub(super) blocks: Blocks,
    pub(super) summaries: Summaries,
    _writer: Writer,
}

impl Replayed {
    pub(super) fn new(log: &OpenLog, options: &ReplayOptions) -> Result<Self, Failure> {
        let mut blocks = Blocks::of(log, settings(options)?)?;
        let writer = Writer::of(log, &options.summaries)?;
        blocks.mark(&log.session, writer.marks(log));
        let mut summaries = Summaries::new(Arc::clone(&writer.summariser));
        if blocks.settings().retention == Retention::CurrentBlock {
            summaries.write_closed(log, &blocks)?;
        }
        Ok(Self { blocks, summaries, _writer: writer })
    }

    /// Writes the summaries of the blocks closed as of turn `as_of`, and of the span in view. One that fails is shown
    /// as failed.
    pub(super) fn write(&mut self, log: &OpenLog, as_of: u32) -> Result<(), Failure> {
        let blocks: Vec<u32> = self.blocks.closed(as_of).iter().map(|block| block.number).collect();
        let span = self.blocks.spans(as_of).last().map(|span| Made::Span(span.number));
        for made in blocks.into_iter().map(Made::Block).chain(span) {
            let written = self.summaries.of(log, &self.blocks, made, &AtomicBool::new(false));
            if let Err(Missing::Log(error)) = written {
                return Err(error.into());
            }
        }
        Ok(())
    }
}

/// What a summary carries, as JSON.
pub(super) fn carries(written: &Written) -> Value {
    let share = |share: Share| json!([share.carried, share.of]);
    let carries = &written.carries;
    json!({"exact": share(carries.exact), "open": share(carries.open), "binding": share(carries.binding)})
}
