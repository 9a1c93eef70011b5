//! The summaries of blocks and spans: written once, by whoever writes them, and kept.
//!
//! Owns what was written and what it carries. Asking again gives the stored text; where originals are not retained,
//! that of a closed block is all there is. An [`Order`] can be written on any thread; a summary is known by the turns it
//! covers, so that one which was prepared ahead is that of the span once there is one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::summarisers::input::InputHash;
use crate::summarisers::{Failure, Request, SourcePart, SourceTurn, Summariser, Summary};
use crate::text::sentences::{self, Sentence};
use crate::text::tokens;

use super::carry::{self, Carries};
use super::levels::{self, Plan};
use super::originals::Originals;
use super::{Blocks, Item, Made, Retention};

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
    /// Its sentences: `b4.s2` is at place 1.
    pub sentences: Vec<Sentence>,
}

impl Written {
    /// A sentence's words.
    pub fn sentence(&self, place: u32) -> Option<&str> {
        Some(self.sentences.get(place as usize)?.text(&self.summary.text))
    }

    /// The numbers of the turns that its maker took a sentence from, each once; empty where nobody says.
    pub fn turns_of(&self, place: u32) -> Vec<u32> {
        let sentence = self.sentences.get(place as usize);
        sentence.map(|sentence| self.summary.turns_of(&sentence.range)).unwrap_or_default()
    }
}

/// Which summary: that of a block, or of a span, by the last turn that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Covers {
    /// A span's, which begins at turn 1.
    pub span: bool,
    /// The number of its last turn.
    pub to: u32,
}

/// How far a summary is that is not there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It waits for its turn.
    Queued,
    /// It is being written.
    Running,
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
    written: BTreeMap<Covers, Result<Arc<Written>, Failure>>,
    waiting: BTreeMap<Covers, Waiting>,
    /// Blocks up to this number were closed while their originals were there.
    frozen: u32,
}

impl Summaries {
    /// Nothing written yet.
    pub fn new(summariser: Arc<dyn Summariser>) -> Self {
        Self { summariser, written: BTreeMap::new(), waiting: BTreeMap::new(), frozen: 0 }
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
    pub fn known(&self, blocks: &Blocks, made: Made) -> Option<&Result<Arc<Written>, Failure>> {
        self.written.get(&blocks.covers(made)?)
    }

    /// The lines of summaries that were written which name turn `number`, by block or span and place.
    pub fn naming(&self, blocks: &Blocks, as_of: u32, number: u32) -> Vec<(Made, u32)> {
        let closed =
            blocks.closed(as_of).iter().filter(|block| (block.turns.0..=block.turns.1).contains(&number));
        let spans = blocks.spans(as_of).iter().filter(|span| span.turns.1 >= number);
        let holding =
            closed.map(|block| Made::Block(block.number)).chain(spans.map(|span| Made::Span(span.number)));
        let of = |made| {
            let written = self.known(blocks, made)?.as_ref().ok()?;
            let places = (0..written.sentences.len() as u32)
                .filter(|place| written.turns_of(*place).contains(&number));
            Some(places.map(|place| (made, place)).collect::<Vec<_>>())
        };
        holding.filter_map(of).flatten().collect()
    }

    /// How far it is where somebody writes it.
    pub fn waiting(&self, blocks: &Blocks, made: Made) -> Option<Waiting> {
        self.waiting.get(&blocks.covers(made)?).copied()
    }

    /// The same of one that covers this.
    pub fn waiting_for(&self, covers: Covers) -> Option<Waiting> {
        self.waiting.get(&covers).copied()
    }

    /// How many wait to be written, and how many are being written.
    pub fn counts(&self) -> (usize, usize) {
        let running = self.waiting.values().filter(|waiting| **waiting == Waiting::Running).count();
        (self.waiting.len() - running, running)
    }

    /// Somebody writes it elsewhere, and is so far; or does no more.
    pub fn wait(&mut self, covers: Covers, waiting: Option<Waiting>) {
        match waiting {
            Some(waiting) => self.waiting.insert(covers, waiting),
            None => self.waiting.remove(&covers),
        };
    }

    /// Takes in what was written elsewhere. What is there already stays: a summary is written once.
    pub fn take(&mut self, covers: Covers, outcome: Result<Arc<Written>, Failure>) {
        self.waiting.remove(&covers);
        if !matches!(self.written.get(&covers), Some(Ok(_))) {
            self.written.insert(covers, outcome);
        }
    }

    /// Forgets that a summary failed.
    pub fn again(&mut self, covers: Covers) {
        if matches!(self.written.get(&covers), Some(Err(_))) {
            self.written.remove(&covers);
        }
    }

    /// Whether a summary is there, has failed, or is being written.
    pub fn is_settled(&self, covers: Covers) -> bool {
        self.written.contains_key(&covers) || self.waiting.contains_key(&covers)
    }

    /// What failed.
    pub fn failed(&self) -> Vec<Covers> {
        self.written.iter().filter(|(_, outcome)| outcome.is_err()).map(|(covers, _)| *covers).collect()
    }

    /// The summary of a block or span; written now if it was not before. A failed one is tried again.
    pub fn of(
        &mut self,
        log: &OpenLog,
        blocks: &Blocks,
        made: Made,
        stop: &AtomicBool,
    ) -> Result<Arc<Written>, Missing> {
        let covers = blocks.covers(made).ok_or(Missing::Nowhere)?;
        if let Some(Ok(written)) = self.written.get(&covers) {
            return Ok(Arc::clone(written));
        }
        if blocks.settings().retention == Retention::CurrentBlock {
            return Err(Missing::NotRetained);
        }
        self.write(log, blocks, made, stop)?;
        match self.written.get(&covers) {
            Some(Ok(written)) => Ok(Arc::clone(written)),
            Some(Err(failure)) => Err(Missing::Unwritten(failure.clone())),
            None => Err(Missing::Nowhere),
        }
    }

    /// What is to be written for a block or span.
    pub fn order(&self, log: &OpenLog, blocks: &Blocks, covers: Covers) -> Order {
        let inputs = blocks.inputs_of(&log.session, covers);
        // Items are in the order of their turns: only those of the range are looked at.
        let first = inputs.first().map_or(0, |id| log.session.turn(*id).number);
        let items = blocks.ledger().items(covers.to);
        let items = items[items.partition_point(|item| item.at < first)..].iter();
        let items = items.filter(|item| inputs.binary_search(&item.turn).is_ok()).cloned().collect();
        let budget = if covers.span { blocks.settings().span_budget } else { blocks.settings().block_budget };
        Order {
            originals: Originals::of(log, &inputs),
            items,
            window: blocks.settings().window,
            budget,
            summariser: Arc::clone(&self.summariser),
        }
    }

    fn write(
        &mut self,
        log: &OpenLog,
        blocks: &Blocks,
        made: Made,
        stop: &AtomicBool,
    ) -> Result<(), LogError> {
        let Some(covers) = blocks.covers(made) else { return Ok(()) };
        let outcome = self.order(log, blocks, covers).write(stop)?;
        self.written.insert(covers, outcome.map(Arc::new));
        Ok(())
    }
}

/// A summary to be written, on any thread.
#[derive(Debug)]
pub struct Order {
    originals: Originals,
    /// The ledger's items in them.
    items: Vec<Item>,
    window: u64,
    budget: u32,
    summariser: Arc<dyn Summariser>,
}

impl Order {
    /// Writes it. Takes as long as the summariser does.
    pub fn write(&self, stop: &AtomicBool) -> Result<Result<Written, Failure>, LogError> {
        let plan = Plan::new(&self.originals, self.window, self.budget)?;
        let climbed = match climb(&self.originals, plan, self.budget, &*self.summariser, stop)? {
            Ok(climbed) => climbed,
            Err(failure) => return Ok(Err(failure)),
        };
        let carries = carry::count(&self.originals, self.items.iter(), &climbed.top.text, stop)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(Err(Failure::Stopped));
        }
        Ok(Ok(Written {
            tokens: tokens::estimate(&climbed.top.text),
            sentences: sentences::of(&climbed.top.text),
            summary: climbed.top,
            plan: climbed.plan,
            below: climbed.below,
            input: climbed.input,
            summariser: self.summariser.name(),
            read: climbed.read,
            carries,
        }))
    }
}

/// Summarises level by level: originals first, then summaries of them.
pub(in crate::strategies) fn climb(
    originals: &Originals,
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
        let request = Request { sources: levels::sources(originals, piece, stop)?, budget };
        if stop.load(Ordering::Relaxed) {
            return Ok(Err(Failure::Stopped));
        }
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
                Ok(mut summary) => {
                    lead_down(&mut summary, &level[join.clone()]);
                    above.push(summary);
                }
                Err(failure) => return Ok(Err(failure)),
            }
        }
        below.push(std::mem::replace(&mut level, above));
    }
    let Some(top) = level.pop() else {
        return Ok(Err(Failure::Failed("there is nothing to sum up".into())));
    };
    Ok(Ok(Climbed { plan, top, below, input: InputHash::of_all(&inputs), read }))
}

/// A plan carried out.
pub(in crate::strategies) struct Climbed {
    pub plan: Plan,
    pub top: Summary,
    pub below: Vec<Vec<Summary>>,
    pub input: InputHash,
    pub read: u64,
}

/// A summary as the source of another.
pub fn again(turns: (u32, u32), summary: &Summary) -> SourceTurn {
    let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text: summary.text.clone() };
    SourceTurn { turns, role: Role::Summary, parts: vec![part] }
}

/// Gives lines of a summary of summaries, where they are copies of lines below, the turns of those.
pub fn lead_down<'s>(summary: &mut Summary, below: impl IntoIterator<Item = &'s Summary>) {
    let mut known: HashMap<&str, Vec<u32>> = HashMap::new();
    for summary in below {
        for line in &summary.lines {
            let text = summary.text.get(line.range.clone()).unwrap_or_default();
            known.entry(text).or_default().extend(&line.turns);
        }
    }
    for line in summary.lines.iter_mut().filter(|line| line.turns.is_empty()) {
        let text = summary.text.get(line.range.clone()).unwrap_or_default();
        line.turns = known.get(text).cloned().unwrap_or_default();
        line.turns.sort_unstable();
        line.turns.dedup();
    }
}

/// Estimated tokens of what a request gives to read.
pub fn size(request: &Request) -> u64 {
    let parts = request.sources.iter().flat_map(|source| &source.parts);
    parts.map(|part| u64::from(tokens::estimate(&part.text))).sum()
}
