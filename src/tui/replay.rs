//! The block hierarchy behind the screen: it grows with the log, its summaries are written elsewhere, marks are kept.
//!
//! Nothing of it is there before somebody looks. It is replayed in slices between frames, so that a long log never holds
//! one up; what a slice takes in is never looked at again. Summaries are asked for as they come to be part of the context,
//! and one that is prepared ahead of its need as soon as the soft threshold is passed; those of older blocks when somebody
//! looks at them.

mod keeper;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cli::Writer;
use crate::outline::blocks::Hierarchy;
use crate::session::open::OpenLog;
use crate::store::OptionalStore;
use crate::strategies::blocks::hand::{Mark, Marks};
use crate::strategies::blocks::summaries::{Covers, Summaries, Waiting, Written};
use crate::strategies::blocks::{Blocks, Made, Retention, Settings};
use crate::strategies::union_find;
use crate::summarisers::Failure;
use crate::summarisers::pool::{Pool, Progress};

use super::views::Grown;
pub(super) use keeper::Keeper;

/// Called from other threads when there is something new to look at.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// How long a slice takes.
pub const SLICE: Duration = Duration::from_millis(6);

/// How sessions are replayed.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Where blocks close and spans begin.
    pub settings: Settings,
    /// How the cold forest is made.
    pub forest: union_find::settings::Settings,
    /// Who writes summaries.
    pub writer: Writer,
    /// Marks, and summaries that are worth it, are kept in the state folder.
    pub keeps: bool,
}

/// The hierarchy of the session on the screen, once somebody looked.
pub struct Replay {
    setup: Setup,
    wake: Wake,
    open: Option<Open>,
    /// Those of logs that were replaced, which may still have something to keep.
    former: Vec<Keeper>,
    /// A person stopped the writing.
    halted: bool,
}

struct Open {
    shared: Rc<RefCell<Hierarchy>>,
    pool: Pool<Covers, Written>,
    keeper: Keeper,
    /// Asked for and not there yet.
    pending: BTreeSet<Covers>,
    /// Somebody looked at them: they are wanted even where they are not part of the context.
    looked_at: BTreeSet<Covers>,
    /// Why it cannot go on.
    failure: Option<String>,
    /// A mark is not kept yet; it is tried again.
    unkept: bool,
    /// The store cannot be used.
    broken: bool,
    news: Vec<String>,
    /// Something is to be shown anew.
    changed: bool,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("setup", &self.setup).finish_non_exhaustive()
    }
}

/// What there is to say of it at a glance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Tokens of the context, planned.
    pub tokens: u64,
    /// What they may come to.
    pub budget: u64,
    /// Turns replayed, and turns there are.
    pub replayed: (u32, u32),
    /// Summaries that wait to be written.
    pub queued: usize,
    /// Those that are being written.
    pub running: usize,
    /// Those that could not be.
    pub failed: usize,
    /// A person stopped the writing.
    pub halted: bool,
    /// Marks cannot be kept.
    pub unkept: bool,
}

impl Replay {
    /// Nothing replayed yet.
    pub fn new(setup: Setup) -> Self {
        Self { setup, wake: Arc::new(|| {}), open: None, former: Vec::new(), halted: false }
    }

    /// Who is told when there is something new.
    pub fn wake(&mut self, wake: Wake) {
        self.wake = wake;
    }

    /// Who keeps marks.
    pub(super) fn keepers(&self) -> impl Iterator<Item = &Keeper> {
        self.open.iter().map(|open| &open.keeper).chain(&self.former)
    }

    /// Nobody looks any more. Who keeps marks may still have something to do.
    pub(super) fn leave(&mut self) -> Vec<Keeper> {
        self.forget();
        std::mem::take(&mut self.former)
    }

    /// Whether anybody looked.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The hierarchy; it begins now where nobody looked before.
    pub fn hierarchy(&mut self, log: &OpenLog) -> Rc<RefCell<Hierarchy>> {
        let Setup { settings, writer, keeps, .. } = &self.setup;
        let open = self.open.get_or_insert_with(|| {
            let store = Arc::new(if *keeps { OptionalStore::later() } else { OptionalStore::none() });
            let summaries = Summaries::new(writer.summariser(log, &store));
            let blocks = Blocks::new(settings.clone());
            let (wake, woken) = (Arc::clone(&self.wake), Arc::clone(&self.wake));
            Open {
                shared: Rc::new(RefCell::new(Hierarchy::new(blocks, summaries))),
                pool: Pool::new(move || woken()),
                keeper: Keeper::start(store, log.key(), log.path.clone(), wake),
                pending: BTreeSet::new(),
                looked_at: BTreeSet::new(),
                failure: None,
                unkept: false,
                broken: false,
                news: Vec::new(),
                changed: false,
            }
        });
        Rc::clone(&open.shared)
    }

    /// The hierarchy, where somebody looked.
    pub fn known(&self) -> Option<&Rc<RefCell<Hierarchy>>> {
        self.open.as_ref().map(|open| &open.shared)
    }

    /// Whether all turns there are were replayed.
    pub fn is_settled(&self, log: &OpenLog) -> bool {
        self.known().is_some_and(|shared| shared.borrow().blocks.begun() == log.session.last())
    }

    /// Why it stopped before its end.
    pub fn failure(&self) -> Option<&str> {
        self.open.as_ref()?.failure.as_deref()
    }

    /// Whether a person stopped the writing.
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// Somebody looks at a block or span: its summary is wanted.
    pub fn ask(&mut self, log: &OpenLog, made: Made) {
        let Some(open) = &mut self.open else { return };
        let covers = open.shared.borrow().blocks.covers(made);
        if let Some(covers) = covers.filter(|_| !self.halted) {
            open.looked_at.insert(covers);
            open.write(log, covers, true);
        }
    }

    /// Tries again what failed, only that of `only` if it did, and goes on where a person stopped it. The answer is how
    /// many.
    pub fn again(&mut self, only: Option<Made>) -> usize {
        self.halted = false;
        let Some(open) = &mut self.open else { return 0 };
        let mut shared = open.shared.borrow_mut();
        let mut failed = shared.summaries.failed();
        if let Some(covers) =
            only.and_then(|made| shared.blocks.covers(made)).filter(|it| failed.contains(it))
        {
            failed = vec![covers];
        }
        for covers in &failed {
            open.pool.again(*covers);
            shared.summaries.again(*covers);
        }
        failed.len()
    }

    /// Stops the writing: nothing that waits or runs is written. The answer is how many that were.
    pub fn halt(&mut self) -> usize {
        self.halted = true;
        let Some(open) = &mut self.open else { return 0 };
        let pending = std::mem::take(&mut open.pending);
        for covers in &pending {
            open.drop(*covers);
        }
        pending.len()
    }

    /// Says something by hand, here and now, and keeps it.
    pub fn mark(&mut self, log: &OpenLog, key: &str, mark: Mark) {
        let Some(open) = &mut self.open else { return };
        let mut marks = open.shared.borrow().blocks.ledger().marks().clone();
        marks.set(key, mark);
        open.take_marks(log, marks);
        open.keeper.keep(key, mark);
    }

    /// How things stand as of turn `as_of`.
    pub fn standing(&self, log: &OpenLog, as_of: u32) -> Option<Standing> {
        let open = self.open.as_ref()?;
        let shared = open.shared.borrow();
        let Hierarchy { blocks, summaries, .. } = &*shared;
        let (queued, running) = summaries.counts();
        Some(Standing {
            tokens: blocks.settings().system
                + shared.ledger_sum(log, as_of).tokens
                + blocks.summary_tokens(as_of)
                + blocks.open_tokens(&log.session, as_of),
            budget: blocks.settings().budget,
            replayed: (blocks.begun(), log.session.last()),
            queued,
            running,
            failed: summaries.failed().len(),
            halted: self.halted,
            unkept: open.unkept || open.broken,
        })
    }
}

impl Grown for Replay {
    fn advance(&mut self, log: &OpenLog, as_of: u32, until: Instant) -> bool {
        let Some(open) = &mut self.open else { return false };
        if log.session.partial {
            return false;
        }
        open.collect(log);
        let more = open.replay(log, until);
        if more || self.halted { more } else { open.want(log, as_of, until) }
    }

    fn has_changed(&mut self) -> bool {
        self.open.as_mut().is_some_and(|open| std::mem::take(&mut open.changed))
    }

    fn news(&mut self) -> Option<String> {
        let news = std::mem::take(&mut self.open.as_mut()?.news);
        (!news.is_empty()).then(|| news.join("; "))
    }

    fn is_busy(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !open.pending.is_empty() || open.keeper.is_busy())
    }

    /// What was being written for the old one is ended elsewhere.
    fn forget(&mut self) {
        self.former.retain(|keeper| !keeper.wait(Instant::now()));
        if let Some(Open { pool, keeper, .. }) = self.open.take() {
            keeper.close();
            self.former.push(keeper);
            std::thread::spawn(move || drop(pool));
        }
    }
}

impl Open {
    /// Takes in turns until `until`. The answer is whether there are more.
    fn replay(&mut self, log: &OpenLog, until: Instant) -> bool {
        let mut shared = self.shared.borrow_mut();
        let before = shared.blocks.begun();
        let mut first = true;
        // One at least, or a slow machine would never come to an end.
        let mut go_on = || std::mem::take(&mut first) || Instant::now() < until;
        match shared.blocks.advance_while(log, &mut go_on) {
            Ok(()) => self.failure = None,
            Err(error) => {
                self.failure = Some(error.to_string());
                return false;
            }
        }
        // At its end a turn may have closed a block: rows stand elsewhere then.
        self.changed |= before != shared.blocks.begun();
        shared.blocks.begun() < log.session.last()
    }

    /// Asks for what is part of the context as of turn `as_of`, and for what is prepared ahead; a little more than until
    /// `until`. The answer is whether there is more to ask for.
    fn want(&mut self, log: &OpenLog, as_of: u32, until: Instant) -> bool {
        let frozen = self.shared.borrow().blocks.settings().retention == Retention::CurrentBlock;
        let wanted: Vec<Covers> = {
            let blocks = &self.shared.borrow().blocks;
            let span = blocks.spans(as_of).last().filter(|_| !frozen);
            let from = span.map_or(0, |span| span.blocks as usize);
            let closed = &blocks.closed(if frozen { blocks.begun() } else { as_of })[from..];
            let of_blocks = closed.iter().rev().map(|block| Covers { span: false, to: block.turns.1 });
            let of_span = span.map(|span| Covers { span: true, to: span.turns.1 });
            let ahead = blocks.ahead(as_of).filter(|_| !frozen);
            of_span.into_iter().chain(ahead).chain(of_blocks).collect()
        };
        let set: BTreeSet<Covers> = wanted.iter().copied().collect();
        // What was to be written for a context that is no more would only keep the others waiting.
        let is_stale = |covers: &Covers| {
            let waits = self.shared.borrow().summaries.waiting_for(*covers) == Some(Waiting::Queued);
            waits && !frozen && !set.contains(covers) && !self.looked_at.contains(covers)
        };
        let stale: Vec<Covers> = self.pending.iter().copied().filter(is_stale).collect();
        for covers in stale {
            self.pending.remove(&covers);
            self.drop(covers);
        }
        for covers in wanted {
            // What is asked for is so for good: every frame asks for some.
            if self.write(log, covers, covers.span) && Instant::now() >= until {
                return true;
            }
        }
        false
    }

    /// It is not to be written.
    fn drop(&self, covers: Covers) {
        self.pool.cancel(covers);
        self.shared.borrow_mut().summaries.wait(covers, None);
    }

    /// Has a summary written that is not there, failed or on its way. The answer is whether that was to be asked for.
    fn write(&mut self, log: &OpenLog, covers: Covers, urgent: bool) -> bool {
        let mut shared = self.shared.borrow_mut();
        let Hierarchy { blocks, summaries, .. } = &mut *shared;
        if summaries.is_settled(covers) {
            return false;
        }
        let order = summaries.order(log, blocks, covers);
        summaries.wait(covers, Some(Waiting::Queued));
        self.pending.insert(covers);
        self.pool.ask(covers, urgent, move |stop| {
            order.write(stop).unwrap_or_else(|error| Err(Failure::Failed(error.to_string())))
        });
        true
    }

    /// Takes in what other threads did.
    fn collect(&mut self, log: &OpenLog) {
        {
            let summaries = &mut self.shared.borrow_mut().summaries;
            let before = self.pending.len();
            let mut begun = false;
            self.pending.retain(|covers| match self.pool.progress(*covers) {
                Some(Progress::Done(written)) => {
                    summaries.take(*covers, Ok(written));
                    false
                }
                Some(Progress::Failed(failure)) => {
                    summaries.take(*covers, Err(failure));
                    false
                }
                Some(Progress::Running) => {
                    begun |= summaries.waiting_for(*covers) != Some(Waiting::Running);
                    summaries.wait(*covers, Some(Waiting::Running));
                    true
                }
                Some(Progress::Queued) => true,
                None => false,
            });
            self.changed |= begun || before != self.pending.len();
        }
        let Some(answer) = self.keeper.answer() else { return };
        if answer.unkept && !self.unkept {
            self.news.push("the mark is not kept yet: it holds until you leave".to_owned());
        }
        self.news.extend(answer.trouble);
        (self.unkept, self.broken) = (answer.unkept, answer.broken);
        if let Some(marks) = answer.marks {
            self.take_marks(log, marks);
        }
    }

    fn take_marks(&mut self, log: &OpenLog, marks: Marks) {
        let shared = &mut *self.shared.borrow_mut();
        if *shared.blocks.ledger().marks() != marks {
            shared.blocks.mark(&log.session, marks);
            shared.marked += 1;
            self.changed = true;
        }
    }
}
