//! The summaries of blocks and spans: written once, by whoever writes them, and kept.
//!
//! Owns what was written and what it carries. Asking again gives the stored text; where originals are not retained,
//! that of a closed block is all there is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::summarisers::input::InputHash;
use crate::summarisers::{Failure, Request, SourcePart, SourceTurn, Summariser, Summary};
use crate::text::tokens;

use super::carry::{self, Carries};
use super::levels::{self, Plan};
use super::{Blocks, Made, Retention};

/// A summary that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The top one.
    pub summary: Summary,
    /// How it was made.
    pub plan: Plan,
    /// The summaries of every level below the top one, from the lowest.
    pub below: Vec<Vec<Summary>>,
    /// The hash of who wrote it and of the originals that it was made from.
    pub input: InputHash,
    /// Who wrote it.
    pub summariser: String,
    /// Tokens that were read for it, on all levels.
    pub read: u64,
    /// Estimated tokens of its text.
    pub tokens: u32,
    /// What it carries of its originals.
    pub carries: Carries,
}

/// Why there is no summary to show.
#[derive(Debug, thiserror::Error)]
pub enum Missing {
    /// Nothing is there.
    #[error("there is no such summary")]
    Nowhere,
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Whoever writes them did not.
    #[error("no summary: {0}")]
    Unwritten(#[from] Failure),
    /// It was not written while its originals were there.
    #[error("originals not retained, and no summary was written while they were there")]
    NotRetained,
}

/// The summaries of one log by one summariser.
#[derive(Debug)]
pub struct Summaries {
    summariser: Arc<dyn Summariser>,
    written: BTreeMap<Made, Result<Arc<Written>, Failure>>,
    /// Blocks up to this number were closed while their originals were there.
    frozen: u32,
}

impl Summaries {
    /// Nothing written yet.
    pub fn new(summariser: Arc<dyn Summariser>) -> Self {
        Self { summariser, written: BTreeMap::new(), frozen: 0 }
    }

    /// Who writes them.
    pub fn summariser(&self) -> String {
        self.summariser.name()
    }

    /// Writes what blocks that have closed since the last call are due, while their originals are there. What fails is
    /// kept as failed: nothing waits for it.
    pub fn write_closed(&mut self, log: &OpenLog, blocks: &Blocks) -> Result<(), LogError> {
        let closed = blocks.closed(blocks.begun()).len() as u32;
        for number in self.frozen + 1..=closed {
            self.write(log, blocks, Made::Block(number), &AtomicBool::new(false))?;
            self.frozen = number;
        }
        Ok(())
    }

    /// A summary that was written already, or why it could not be.
    pub fn known(&self, made: Made) -> Option<&Result<Arc<Written>, Failure>> {
        self.written.get(&made)
    }

    /// The summary of a block or span; written now if it was not before. A failed one is tried again.
    pub fn of(
        &mut self,
        log: &OpenLog,
        blocks: &Blocks,
        made: Made,
        stop: &AtomicBool,
    ) -> Result<Arc<Written>, Missing> {
        blocks.range(made).ok_or(Missing::Nowhere)?;
        if let Some(Ok(written)) = self.written.get(&made) {
            return Ok(Arc::clone(written));
        }
        if blocks.settings().retention == Retention::CurrentBlock {
            return Err(Missing::NotRetained);
        }
        self.write(log, blocks, made, stop)?;
        match self.written.get(&made) {
            Some(Ok(written)) => Ok(Arc::clone(written)),
            Some(Err(failure)) => Err(Missing::Unwritten(failure.clone())),
            None => Err(Missing::Nowhere),
        }
    }

    fn write(
        &mut self,
        log: &OpenLog,
        blocks: &Blocks,
        made: Made,
        stop: &AtomicBool,
    ) -> Result<(), LogError> {
        let inputs = blocks.inputs(&log.session, made);
        let budget = blocks.budget(made);
        let plan = Plan::new(log, &inputs, blocks.settings().window, budget)?;
        let outcome = match climb(log, plan, budget, &*self.summariser, stop)? {
            Ok(climbed) => {
                let items = blocks.ledger().items(blocks.begun());
                let of = |id| inputs.binary_search(&id).is_ok();
                let items = items.iter().filter(|item| of(item.turn));
                let carries = carry::count(log, &inputs, items, &climbed.top.text)?;
                Ok(Arc::new(Written {
                    tokens: tokens::estimate(&climbed.top.text),
                    summary: climbed.top,
                    plan: climbed.plan,
                    below: climbed.below,
                    input: climbed.input,
                    summariser: self.summariser.name(),
                    read: climbed.read,
                    carries,
                }))
            }
            Err(failure) => Err(failure),
        };
        self.written.insert(made, outcome);
        Ok(())
    }
}

/// A plan carried out.
pub(in crate::strategies) struct Climbed {
    pub plan: Plan,
    pub top: Summary,
    pub below: Vec<Vec<Summary>>,
    pub input: InputHash,
    pub read: u64,
}

/// Summarises level by level: originals first, then summaries of them.
pub(in crate::strategies) fn climb(
    log: &OpenLog,
    plan: Plan,
    budget: u32,
    summariser: &dyn Summariser,
    stop: &AtomicBool,
) -> Result<Result<Climbed, Failure>, LogError> {
    let name = summariser.name();
    let mut inputs = Vec::new();
    let mut read = 0;
    let mut below: Vec<Vec<Summary>> = Vec::new();
    let mut level = Vec::new();
    for piece in &plan.pieces {
        let request = Request { sources: levels::sources(log, piece)?, budget };
        inputs.push(InputHash::of(&name, &request));
        read += size(&request);
        match summariser.summarise(&request, stop) {
            Ok(summary) => level.push(summary),
            Err(failure) => return Ok(Err(failure)),
        }
    }
    for (at, joins) in plan.joins.iter().enumerate() {
        let mut above = Vec::new();
        for join in joins {
            let sources = join.clone().map(|index| again(plan.turns(at + 1, index), &level[index]));
            let request = Request { sources: sources.collect(), budget };
            read += size(&request);
            match summariser.summarise(&request, stop) {
                Ok(summary) => above.push(summary),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        below.push(std::mem::replace(&mut level, above));
    }
    let Some(top) = level.pop() else { return Ok(Err(Failure::Failed("there is nothing to sum up".into()))) };
    Ok(Ok(Climbed { plan, top, below, input: InputHash::of_all(&inputs), read }))
}

/// A summary as the source of another.
pub fn again(turns: (u32, u32), summary: &Summary) -> SourceTurn {
    let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text: summary.text.clone() };
    SourceTurn { turns, role: Role::Summary, parts: vec![part] }
}

/// Estimated tokens of what a request gives to read.
pub fn size(request: &Request) -> u64 {
    let parts = request.sources.iter().flat_map(|source| &source.parts);
    parts.map(|part| u64::from(tokens::estimate(&part.text))).sum()
}
