//! The block hierarchy: summaries that start at original text.
//!
//! Owns where blocks close, what spans replace, the ledger, and the context that comes of them as of any turn. Decides
//! by what is known when the next turn begins and stamps with that turn, so that a log that grows and one that is read
//! at once give the same. Sizes are planned, never waited for: a summary counts with its budget, or with its originals
//! where they are smaller, so that no decision depends on a summariser that is slow or fails. Keeps no text but the
//! ledger's: the log is asked where a seam needs words. What is written and by whom is [`summaries`]' part.

pub mod carry;
pub mod hand;
mod ledger;
pub mod levels;
pub mod originals;
pub mod places;
mod reading;
mod seams;
mod settings;
mod spans;
pub mod summaries;
pub(super) mod todo;

pub use ledger::{Item, Ledger, State};
pub use seams::ClosedBy;
pub use settings::{Retention, Settings};
pub use spans::Span;

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Part, Session, TurnId};

use self::summaries::Covers;
use super::{Context, Entry, LedgerEntry, MadeEntry};

/// A summary of this strategy, by its number from 1: `b4`, `p2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Made {
    /// A block's.
    Block(u32),
    /// A span's.
    Span(u32),
    /// Of the recursive baseline: the summary after so many compactions.
    Fold(u32),
}

impl Made {
    /// The word in JSON.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Block(_) => "block",
            Self::Span(_) => "span",
            Self::Fold(_) => "fold",
        }
    }
}

/// A closed block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its number, from 1.
    pub number: u32,
    /// The numbers of its first and last turn.
    pub turns: (u32, u32),
    /// The turn that had begun when it closed.
    pub closed_at: u32,
    /// Why it closed there.
    pub closed_by: ClosedBy,
    /// Tokens of the turns that its summary is made from.
    pub originals: u64,
    /// What its summary counts for: its budget, or its originals where they are smaller.
    pub planned: u32,
    /// The originals and planned tokens of this block and all before it.
    sums: (u64, u64),
}

/// The block hierarchy of one log, as far as it was read.
#[derive(Debug)]
pub struct Blocks {
    settings: Settings,
    /// The main thread's newest turn that was looked at: it has begun.
    begun: u32,
    /// The newest turn that was looked at after its end.
    ended: u32,
    closed: Vec<Block>,
    spans: spans::Spans,
    ledger: Ledger,
    /// Calls without a result, by their places among the parts.
    open_calls: Vec<u32>,
    lists: todo::Lists,
    /// Tokens of the open turns up to the newest that ended, as of its end; none where they are to be counted anew.
    open: Option<Open>,
}

/// Tokens of the turns from `first` to `last` that were in view after `last`.
#[derive(Clone, Copy, Debug)]
struct Open {
    first: u32,
    last: u32,
    tokens: u64,
}

impl Blocks {
    /// No turn read yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            begun: 0,
            ended: 0,
            closed: Vec::new(),
            spans: spans::Spans::default(),
            ledger: Ledger::default(),
            open_calls: Vec::new(),
            lists: todo::Lists::default(),
            open: None,
        }
    }

    /// The hierarchy of the whole log.
    pub fn of(log: &OpenLog, settings: Settings) -> Result<Self, LogError> {
        let mut blocks = Self::new(settings);
        blocks.advance(log)?;
        Ok(blocks)
    }

    /// Takes in the turns that have begun since. Work grows with them alone. After an error everything that was taken
    /// in stays, and the next call goes on from there.
    pub fn advance(&mut self, log: &OpenLog) -> Result<(), LogError> {
        self.advance_while(log, &mut || true)
    }

    /// The same as long as `go_on` says so: it is asked before each turn.
    pub fn advance_while(&mut self, log: &OpenLog, go_on: &mut dyn FnMut() -> bool) -> Result<(), LogError> {
        while self.begun < log.session.last() && go_on() {
            if self.ended < self.begun {
                self.end(log, self.begun)?;
                self.ended = self.begun;
            }
            self.ledger.arrive(log, self.begun + 1)?;
            self.begun += 1;
        }
        Ok(())
    }

    /// Turn `turn` has ended: the next one begins.
    fn end(&mut self, log: &OpenLog, turn: u32) -> Result<(), LogError> {
        let session = &log.session;
        let answers = self.ledger.answers(log, turn)?;
        let mut open_calls = self.open_calls.clone();
        seams::follow_calls(session, turn, &mut open_calls);
        let mut lists = self.lists.clone();
        let done = lists.take(session, turn);
        let closes = self.closes(log, turn, open_calls.is_empty(), &done)?;
        // Nothing can fail from here on.
        (self.open_calls, self.lists) = (open_calls, lists);
        self.ledger.settle(session, turn, answers);
        self.ledger.pin_marked(session, turn);
        if let Some(closed_by) = closes {
            self.close(session, turn, closed_by);
        }
        let tokens = self.tokens(session, turn);
        self.spans.check(&self.settings, &self.closed, turn + 1, tokens);
        Ok(())
    }

    fn close(&mut self, session: &Session, turn: u32, closed_by: ClosedBy) {
        let from = self.first_open();
        let ids = inputs(session, (from, turn), turn + 1);
        let originals = ids.map(|id| tokens_of(session, id)).sum();
        let planned = planned(self.settings.block_budget, originals);
        let before = self.closed.last().map_or((0, 0), |block| block.sums);
        self.closed.push(Block {
            number: self.closed.len() as u32 + 1,
            turns: (from, turn),
            closed_at: turn + 1,
            closed_by,
            originals,
            planned,
            sums: (before.0 + originals, before.1 + u64::from(planned)),
        });
    }

    /// The number of the first turn that is in no block.
    fn first_open(&self) -> u32 {
        self.closed.last().map_or(1, |block| block.turns.1 + 1)
    }

    /// What everything comes to after turn `turn`, with the blocks that there are.
    fn tokens(&mut self, session: &Session, turn: u32) -> u64 {
        let open = self.open_sum(session, turn);
        let spanned = self.spans.all().last();
        let (span, skipped) = spanned
            .map_or((0, 0), |span| (u64::from(span.planned), self.closed[span.blocks as usize - 1].sums.1));
        let all = self.closed.last().map_or(0, |block| block.sums.1);
        self.settings.system + self.ledger.tokens() + span + all - skipped + open
    }

    /// Tokens of the open turns after turn `turn`; counted anew only where the block began with another turn or the path
    /// did not just go on.
    fn open_sum(&mut self, session: &Session, turn: u32) -> u64 {
        let first = self.first_open();
        let before = self.open.filter(|open| {
            let goes_on = session.goes_on_from(turn) == session.numbered(0, turn.saturating_sub(1));
            (open.first, open.last + 1) == (first, turn) && goes_on && session.is_steady(turn, turn)
        });
        let from = before.map_or(first, |open| open.last + 1);
        let fresh = open_turns(session, from, turn).map(|id| u64::from(session.turn(id).tokens));
        let tokens = before.map_or(0, |open| open.tokens) + fresh.sum::<u64>();
        self.open = Some(Open { first, last: turn, tokens });
        tokens
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The newest turn that was taken in.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// The blocks that were closed as of turn `as_of`, in order.
    pub fn closed(&self, as_of: u32) -> &[Block] {
        &self.closed[..self.closed.partition_point(|block| block.closed_at <= as_of)]
    }

    /// The spans that had been made as of turn `as_of`; the last one is in view.
    pub fn spans(&self, as_of: u32) -> &[Span] {
        self.spans.as_of(as_of)
    }

    /// Takes over what a person said of the ledger by hand, in place of what was said before.
    pub fn mark(&mut self, session: &Session, marks: hand::Marks) {
        self.ledger.mark(session, self.begun, marks);
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The block with this number.
    pub fn block(&self, number: u32) -> Option<&Block> {
        self.closed.get(number.checked_sub(1)? as usize)
    }

    /// The span with this number.
    pub fn span(&self, number: u32) -> Option<&Span> {
        self.spans.all().get(number.checked_sub(1)? as usize)
    }

    /// The numbers of the turns in no block as of turn `as_of`; the first is larger where there are none.
    pub fn open_range(&self, as_of: u32) -> (u32, u32) {
        (self.closed(as_of).last().map_or(1, |block| block.turns.1 + 1), as_of)
    }

    /// Why spans were prepared ahead of their need, as costs count them: turn and last block of each.
    pub fn prepared(&self, as_of: u32) -> &[(u32, u32)] {
        self.spans.prepared(as_of)
    }

    /// The turns that a summary is made from, oldest first.
    pub fn inputs(&self, session: &Session, made: Made) -> Vec<TurnId> {
        self.covers(made).map_or_else(Vec::new, |covers| self.inputs_of(session, covers))
    }

    /// Which summary is that of a block or span.
    pub fn covers(&self, made: Made) -> Option<Covers> {
        let (_, to) = self.range(made)?;
        Some(Covers { span: matches!(made, Made::Span(_)), to })
    }

    /// The span that was prepared last as of turn `as_of` and is not in view yet: nothing waits for its summary.
    pub fn ahead(&self, as_of: u32) -> Option<Covers> {
        let (_, blocks) = self.prepared(as_of).last()?;
        let in_view = self.spans(as_of).last().map_or(0, |span| span.blocks);
        let to = self.block(*blocks).filter(|_| *blocks > in_view)?.turns.1;
        Some(Covers { span: true, to })
    }

    /// The turns that a summary is made from, oldest first.
    pub fn inputs_of(&self, session: &Session, covers: Covers) -> Vec<TurnId> {
        let last = self.closed.partition_point(|block| block.turns.1 <= covers.to);
        let from = if covers.span { 0 } else { last.saturating_sub(1) };
        let of = |block: &Block| inputs(session, block.turns, block.closed_at).collect::<Vec<_>>();
        self.closed[from..last].iter().flat_map(|block| of(block).into_iter().rev()).collect()
    }

    /// The block that turn `number` is in, where it is in a closed one.
    pub fn block_of(&self, number: u32) -> Option<&Block> {
        self.closed.get(self.closed.partition_point(|block| block.turns.1 < number))
    }

    /// The range of turns that a summary stands for.
    pub fn range(&self, made: Made) -> Option<(u32, u32)> {
        match made {
            Made::Block(number) => self.block(number).map(|block| block.turns),
            Made::Span(number) => self.span(number).map(|span| span.turns),
            Made::Fold(_) => None,
        }
    }

    /// Tokens that a summary may have.
    pub fn budget(&self, made: Made) -> u32 {
        match made {
            Made::Block(_) => self.settings.block_budget,
            Made::Span(_) | Made::Fold(_) => self.settings.span_budget,
        }
    }

    /// The context as of turn `as_of`: ledger, span, the blocks after it, the turns after those. Tokens of summaries
    /// are planned ones.
    pub fn context(&self, session: &Session, as_of: u32) -> Context {
        let mut entries = Vec::new();
        let as_of = as_of.min(self.begun);
        let items = self.ledger.in_force(session, as_of);
        let pinned = self.ledger.pinned(session, as_of);
        if !items.is_empty() || !pinned.is_empty() {
            let tokens = self.ledger_tokens(session, as_of);
            let items = items.iter().map(|item| item.number).collect();
            entries.push(Entry::Ledger(Box::new(LedgerEntry { items, pinned: pinned.to_vec(), tokens })));
        }
        let span = self.spans(as_of).last();
        let made = |made, covers, planned: u32| {
            Entry::Made(Box::new(MadeEntry { made, covers, tokens: u64::from(planned) }))
        };
        entries.extend(span.map(|span| made(Made::Span(span.number), span.turns, span.planned)));
        let closed = &self.closed(as_of)[span.map_or(0, |span| span.blocks as usize)..];
        entries
            .extend(closed.iter().map(|block| made(Made::Block(block.number), block.turns, block.planned)));
        let mut open: Vec<Entry> =
            open_turns(session, self.open_range(as_of).0, as_of).map(Entry::Turn).collect();
        open.reverse();
        entries.extend(open);
        let tokens = entries.iter().map(|entry| entry.tokens(session)).sum::<u64>() + self.settings.system;
        Context { as_of, strategy: super::BLOCKS, entries, tokens }
    }
}

impl Blocks {
    /// Tokens of the ledger in the context as of turn `as_of`, what a person pinned included.
    pub fn ledger_tokens(&self, session: &Session, as_of: u32) -> u64 {
        let items = self.ledger.in_force(session, as_of);
        let pinned = self.ledger.pinned(session, as_of).iter().map(|id| u64::from(session.turn(*id).tokens));
        items.iter().map(|item| u64::from(item.tokens)).chain(pinned).sum()
    }

    /// Tokens of the turns in no block as of turn `as_of`.
    pub fn open_tokens(&self, session: &Session, as_of: u32) -> u64 {
        let open = open_turns(session, self.open_range(as_of).0, as_of);
        open.map(|id| u64::from(session.turn(id).tokens)).sum()
    }

    /// Tokens of the summaries in the context as of turn `as_of`, planned.
    pub fn summary_tokens(&self, as_of: u32) -> u64 {
        let closed = self.closed(as_of);
        let all = closed.last().map_or(0, |block| block.sums.1);
        let Some(span) = self.spans(as_of).last() else { return all };
        all - closed[span.blocks as usize - 1].sums.1 + u64::from(span.planned)
    }
}

/// The turns in view after turn `as_of` from `first` on, newest first.
fn open_turns(session: &Session, first: u32, as_of: u32) -> impl Iterator<Item = TurnId> {
    originals(session, session.head(as_of), first, as_of)
}

/// The turns of a range that a summary made when turn `at` began reads, newest first: what was on the branch then.
fn inputs(session: &Session, turns: (u32, u32), at: u32) -> impl Iterator<Item = TurnId> {
    originals(session, session.goes_on_from(at), turns.0, at - 1)
        .skip_while(move |id| session.turn(*id).number > turns.1)
}

/// The original turns that lead to `head`, back to turn `first`, less prompts that were taken back by turn `as_of`.
fn originals(
    session: &Session,
    head: Option<TurnId>,
    first: u32,
    as_of: u32,
) -> impl Iterator<Item = TurnId> {
    let line = session.line(head).take_while(move |id| session.turn(*id).number >= first);
    line.filter(move |id| {
        !session.turn(*id).is_summary() && session.withdrawn_at(*id).is_none_or(|at| at > as_of)
    })
}

/// Whether a summary reads parts of this kind. Reasoning is not given to summarisers, pictures cannot be.
pub fn is_read(kind: PartKind) -> bool {
    matches!(kind, PartKind::Text | PartKind::ToolCall | PartKind::ToolResult | PartKind::Other)
}

/// Estimated tokens of what a summary reads of a turn.
pub fn tokens_of(session: &Session, id: TurnId) -> u64 {
    let read = session.parts(id).filter(|(_, part)| is_read(part.kind));
    read.map(|(_, part): (u32, Part)| u64::from(part.tokens)).sum()
}

/// What a summary counts for before it is written.
pub fn planned(budget: u32, originals: u64) -> u32 {
    u32::try_from(originals).map_or(budget, |originals| originals.min(budget))
}

/// Whether a person typed the turn.
fn is_typed(session: &Session, id: TurnId) -> bool {
    let turn = session.turn(id);
    turn.role == Role::User && !turn.is_injected()
}
