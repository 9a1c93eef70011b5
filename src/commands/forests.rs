//! The cold forest on the command line: its settings as typed, resolved; the replay with its summaries.

pub(super) mod file;
pub(super) mod write;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::cli::{ForestOptions, SummariserOptions};
use crate::outline::forest::ForestView;
use crate::session::open::OpenLog;
use crate::strategies::union_find::replay::Replay;
use crate::strategies::union_find::settings::Settings;
use crate::strategies::union_find::summaries::{BUDGET, OfReplay, Summaries, Written};

use super::Failure;
use super::replay::Writer;

/// The settings that the options mean.
pub(super) fn settings(options: &ForestOptions) -> Result<Settings, Failure> {
    options.settings().map_err(Failure::Usage)
}

/// The cold forest of a log, and its summaries.
pub(super) struct Cold {
    pub(super) replay: Replay,
    pub(super) summaries: Summaries,
    _writer: Writer,
}

impl Cold {
    /// The forest of the turns up to `last`.
    pub(super) fn new(
        log: &OpenLog,
        options: &ForestOptions,
        last: u32,
        summariser: &SummariserOptions,
    ) -> Result<Self, Failure> {
        let replay = Replay::of(log, settings(options)?, last)?;
        let writer = Writer::of(log, summariser)?;
        let summaries = Summaries::new(Arc::clone(&writer.summariser), summariser.summariser_window);
        Ok(Self { replay, summaries, _writer: writer })
    }

    /// The tree as of a turn.
    pub(super) fn view(&self, log: &OpenLog, as_of: u32) -> ForestView<'_> {
        ForestView::new(log, &self.replay, Some(&self.summaries), as_of)
    }

    /// The root of the cluster that holds a turn.
    pub(super) fn root(&self, log: &OpenLog, turn: u32) -> Result<u32, Failure> {
        let node = self.replay.node_of_turn(turn).ok_or_else(|| {
            Failure::NotFound(match log.session.numbered(0, turn) {
                None => format!("there is no cluster c{turn}: the main thread has {}", log.session.last()),
                Some(id) if log.session.turn(id).is_summary() => {
                    format!("t{turn} is in no cluster: recorded summaries are left out")
                }
                Some(_) => format!("t{turn} is in no cluster: it is not cold"),
            })
        })?;
        Ok(self.replay.forest().forest().root(node, u32::MAX))
    }

    /// The summary of a cluster, written now.
    pub(super) fn summary(&mut self, root: u32) -> Result<Arc<Written>, Failure> {
        self.summary_as_of(root, self.replay.begun())
    }

    /// The same of the members that it had as of a turn.
    pub(super) fn summary_as_of(&mut self, root: u32, as_of: u32) -> Result<Arc<Written>, Failure> {
        let written = self.summaries.of(&self.replay, root, as_of, BUDGET, &AtomicBool::new(false))?;
        written.map_err(|failure| Failure::NotFound(format!("no summary: {failure}")))
    }

    /// Writes the summaries of the clusters of several messages as of a turn. One that fails is shown as failed.
    pub(super) fn write(&mut self, as_of: u32) -> Result<(), Failure> {
        let forest = self.replay.forest().forest();
        let many = forest.roots(as_of).into_iter().filter(|root| forest.size(*root, as_of) > 1);
        for root in many.collect::<Vec<_>>() {
            // A failure is kept with the summaries.
            let _ = self.summaries.of(&self.replay, root, as_of, BUDGET, &AtomicBool::new(false))?;
        }
        Ok(())
    }

    /// The messages as originals.
    pub(super) fn originals(&mut self) -> OfReplay<'_> {
        OfReplay { replay: &self.replay, summaries: &mut self.summaries }
    }
}
