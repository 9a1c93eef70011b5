//! The cold forest behind the screen: it grows on a thread of its own, and summaries and answers are made on others.
//!
//! Nothing of it is there before somebody looks. Between frames the log's turns are only cut into messages, which needs
//! the session and is quick; reading and clustering them is the thread's. A summary is asked for when somebody looks at a
//! cluster, and again when that is another one than it was written for.

mod builder;
mod opened;

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crate::cli::Writer;
use crate::outline::forest::{Asked, FileShown, Shown};
use crate::session::open::OpenLog;
use crate::store::OptionalStore;
use crate::strategies::blocks::summaries::Waiting;
use crate::strategies::union_find::ColdForest;
use crate::strategies::union_find::cut::Cutter;
use crate::strategies::union_find::grove::Grove;
use crate::strategies::union_find::opened::Opened;
use crate::strategies::union_find::question::Question;
use crate::strategies::union_find::reader::{BUDGET as READER, Reading};
use crate::strategies::union_find::replay::Replay;
use crate::strategies::union_find::settings::{Settings, Vectors};
use crate::strategies::union_find::summaries::{BUDGET, Of, Summaries, Written};
use crate::summarisers::Failure;
use crate::summarisers::pool::{Pool, Progress};

use super::replay::{Setup, Wake};
use super::views::Grown;

use builder::{Builder, Order};
use opened::OpenFile;

/// Messages that are cut ahead of the thread: enough that it never waits for a frame.
const AHEAD: u32 = 4_000;
/// Messages handed over at once.
const BATCH: usize = 256;

/// The forest of the session on the screen, once somebody looked.
pub struct Forests {
    settings: Settings,
    writer: Writer,
    keeps: bool,
    /// Tokens that the summariser reads at once.
    window: u64,
    wake: Wake,
    open: Option<Open>,
    /// A forest's file that is shown instead of a session.
    file: Option<OpenFile>,
    /// An answer came from it.
    answered: bool,
    /// A person stopped the writing.
    halted: bool,
}

struct Open {
    shown: Rc<Shown>,
    cutter: Cutter,
    builder: Builder,
    summaries: Pool<Of, Written>,
    questions: Pool<u64, Reading>,
    /// Asked for and not there yet.
    pending: BTreeSet<Of>,
    /// The number of the newest question.
    question: u64,
    /// Something is to be shown anew.
    changed: bool,
}

impl fmt::Debug for Forests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forests").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What there is to say of it at a glance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Turns replayed, and turns there are.
    pub replayed: (u32, u32),
    /// Why it does not go on.
    pub failure: Option<String>,
    /// Summaries that wait to be written, are being written, and could not be.
    pub counts: (usize, usize, usize),
    /// A person stopped the writing.
    pub halted: bool,
    /// The settings, in words.
    pub settings: String,
}

impl Forests {
    /// Nothing replayed yet.
    pub fn new(setup: &Setup) -> Self {
        Self {
            settings: setup.forest,
            writer: setup.writer.clone(),
            keeps: setup.keeps,
            window: setup.settings.window,
            wake: Arc::new(|| {}),
            open: None,
            file: None,
            answered: false,
            halted: false,
        }
    }

    /// A forest's file is shown; there is no session.
    pub fn show(&mut self, file: Opened) {
        self.file = Some(OpenFile::new(file, &self.wake));
    }

    /// That file.
    pub fn file(&self) -> Option<&Rc<FileShown>> {
        self.file.as_ref().map(|file| &file.shown)
    }

    /// Who is told when there is something new.
    pub fn wake(&mut self, wake: Wake) {
        self.wake = wake;
    }

    /// The forest; it begins now where nobody looked before.
    pub fn shown(&mut self, log: &OpenLog) -> Rc<Shown> {
        let Self { settings, writer, keeps, window, wake, .. } = self;
        let open = self.open.get_or_insert_with(|| {
            let store = Arc::new(if *keeps { OptionalStore::later() } else { OptionalStore::none() });
            let grove = Arc::new(Grove::new(Replay::new(ColdForest::new(*settings))));
            let summaries = Summaries::new(writer.summariser(log, &store), *window);
            let woken = || {
                let wake = Arc::clone(wake);
                move || wake()
            };
            Open {
                shown: Rc::new(Shown::new(Arc::clone(&grove), summaries)),
                cutter: Cutter::new(settings.hot),
                builder: Builder::start(grove, Arc::clone(wake)),
                summaries: Pool::new(woken()),
                questions: Pool::new(woken()),
                pending: BTreeSet::new(),
                question: 0,
                changed: false,
            }
        });
        Rc::clone(&open.shown)
    }

    /// The forest, where somebody looked.
    pub fn known(&self) -> Option<&Rc<Shown>> {
        self.open.as_ref().map(|open| &open.shown)
    }

    /// Whether all turns there are were replayed.
    pub fn is_settled(&self, log: &OpenLog) -> bool {
        self.known().is_some_and(|shown| shown.grove.look(Replay::begun) >= log.session.last())
    }

    /// Somebody looks at a cluster: a summary of all its members as of a turn is wanted.
    pub fn ask(&mut self, root: u32, as_of: u32) {
        if let Some(open) = self.open.as_mut().filter(|_| !self.halted) {
            open.write(root, as_of);
        }
    }

    /// Asks what a reader would get for a question as of a turn, or of the file that is shown.
    pub fn question(&mut self, log: &OpenLog, text: &str, as_of: u32) {
        if let Some(file) = &mut self.file {
            return file.question(text, self.settings, self.writer.clone());
        }
        let shown = self.shown(log);
        let Some(open) = &mut self.open else { return };
        open.questions.cancel(open.question);
        open.question += 1;
        let question = Question {
            grove: Arc::clone(&shown.grove),
            scribe: shown.summaries.borrow().scribe().clone(),
            text: text.to_owned(),
            as_of,
            budget: READER,
        };
        *shown.asked.borrow_mut() =
            Some(Asked { question: text.to_owned(), as_of, budget: READER, reading: None });
        open.questions.ask(open.question, true, move |stop| question.read(stop));
    }

    /// Tries again what failed, and goes on where a person stopped it. The answer is how many.
    pub fn again(&mut self) -> usize {
        self.halted = false;
        let Some(open) = &mut self.open else { return 0 };
        open.builder.again();
        let mut summaries = open.shown.summaries.borrow_mut();
        let failed = summaries.failed();
        for of in &failed {
            open.summaries.again(*of);
            summaries.again(*of);
        }
        failed.len()
    }

    /// Stops the writing: nothing that waits or runs is written. The answer is how many that were.
    pub fn halt(&mut self) -> usize {
        self.halted = true;
        if let Some(file) = &self.file {
            file.halt();
        }
        let Some(open) = &mut self.open else { return 0 };
        let pending = std::mem::take(&mut open.pending);
        for of in &pending {
            open.drop(*of);
        }
        halt_question(&open.questions, open.question, &mut open.shown.asked.borrow_mut());
        pending.len()
    }

    /// How things stand.
    pub fn standing(&self, log: &OpenLog) -> Option<Standing> {
        let open = self.open.as_ref()?;
        let summaries = open.shown.summaries.borrow();
        let (queued, running) = summaries.counts();
        Some(Standing {
            replayed: (open.shown.grove.look(Replay::begun), log.session.last()),
            failure: open.builder.failure(),
            counts: (queued, running, summaries.failed().len()),
            halted: self.halted,
            settings: self.settings.words(),
        })
    }
}

impl Grown for Forests {
    /// Cuts turns into messages.
    fn advance(&mut self, log: &OpenLog, _: u32, until: Instant) -> bool {
        self.answered |= self.file.as_ref().is_some_and(OpenFile::collect);
        let Some(open) = &mut self.open else { return false };
        if log.session.partial {
            return false;
        }
        open.collect();
        open.cut(log, self.settings.vectors == Vectors::Fitted, until)
    }

    fn has_changed(&mut self) -> bool {
        let answered = std::mem::take(&mut self.answered);
        let grown = |open: &mut Open| std::mem::take(&mut open.changed) | open.builder.has_grown();
        answered | self.open.as_mut().is_some_and(grown)
    }

    fn news(&mut self) -> Option<String> {
        None
    }

    fn is_busy(&self) -> bool {
        let answers = self.file.as_ref().is_some_and(OpenFile::is_busy);
        answers
            || self.open.as_ref().is_some_and(|open| {
                let asks = open.shown.asked.borrow().as_ref().is_some_and(|asked| asked.reading.is_none());
                !open.pending.is_empty()
                    || asks
                    || (open.builder.is_busy() && open.builder.failure().is_none())
            })
    }

    /// What was being made for the old one is ended elsewhere.
    fn forget(&mut self) {
        self.file = None;
        if let Some(open) = self.open.take() {
            let Open { builder, summaries, questions, .. } = open;
            std::thread::spawn(move || drop((builder, summaries, questions)));
        }
    }
}

impl Open {
    /// Hands messages over until `until`. The answer is whether there are more that could be.
    fn cut(&mut self, log: &OpenLog, fitted: bool, until: Instant) -> bool {
        let last = log.session.last();
        // Fitted vectors need all texts before the first message.
        let fits = fitted && self.cutter.messages() == 0;
        let mut all = Vec::new();
        let was_done = self.cutter.begun() == last;
        while self.cutter.begun() < last {
            if !fits && self.cutter.messages().saturating_sub(self.builder.taken()) >= AHEAD {
                return false;
            }
            let mut arrivals = Vec::new();
            while arrivals.len() < BATCH
                && let Some(arrival) = self.cutter.next(log, last)
            {
                arrivals.push(arrival);
            }
            if fits {
                all.append(&mut arrivals);
            } else {
                self.builder.send(Order { arrivals, begun: self.cutter.begun(), fits });
                if Instant::now() >= until {
                    return self.cutter.begun() < last;
                }
            }
        }
        if fits && !was_done {
            let fits = !all.is_empty();
            self.builder.send(Order { arrivals: all, begun: last, fits });
        }
        false
    }

    /// Has a summary written that is not there, failed or on its way.
    fn write(&mut self, root: u32, as_of: u32) {
        let (of, size) = self.shown.grove.look(|replay| {
            let of = Of::new(replay, root, as_of, BUDGET);
            (of, replay.forest().forest().size(root, as_of))
        });
        // A single message stands for itself.
        if size < 2 || self.shown.summaries.borrow().is_settled(of) {
            return;
        }
        // What was to be written for another state of it would only keep this one waiting.
        let others: Vec<Of> = self.pending.iter().copied().filter(|known| known.root == root).collect();
        for other in others {
            if self.shown.summaries.borrow().waiting(other) == Some(Waiting::Queued) {
                self.pending.remove(&other);
                self.drop(other);
            }
        }
        let grove = Arc::clone(&self.shown.grove);
        let scribe = self.shown.summaries.borrow().scribe().clone();
        self.shown.summaries.borrow_mut().wait(of, Some(Waiting::Queued));
        self.pending.insert(of);
        self.summaries.ask(of, true, move |stop| {
            let order = grove.look(|replay| scribe.order(replay, of));
            order.write(stop).unwrap_or_else(|error| Err(Failure::Failed(error.to_string())))
        });
    }

    /// It is not to be written.
    fn drop(&self, of: Of) {
        self.summaries.cancel(of);
        self.shown.summaries.borrow_mut().wait(of, None);
    }

    /// Takes in what other threads made.
    fn collect(&mut self) {
        let before = self.pending.len();
        let mut begun = false;
        let mut summaries = self.shown.summaries.borrow_mut();
        self.pending.retain(|of| match self.summaries.progress(*of) {
            Some(Progress::Done(written)) => {
                summaries.take(*of, Ok(written));
                false
            }
            Some(Progress::Failed(failure)) => {
                summaries.take(*of, Err(failure));
                false
            }
            Some(Progress::Running) => {
                begun |= summaries.waiting(*of) != Some(Waiting::Running);
                summaries.wait(*of, Some(Waiting::Running));
                true
            }
            Some(Progress::Queued) => true,
            None => false,
        });
        self.changed |= begun || before != self.pending.len();
        self.changed |= take_answer(&self.questions, self.question, &mut self.shown.asked.borrow_mut());
    }
}

/// Takes in the answer to the question with this number. True: there is one now.
fn take_answer(questions: &Pool<u64, Reading>, number: u64, asked: &mut Option<Asked>) -> bool {
    let Some(asked) = asked.as_mut().filter(|asked| asked.reading.is_none()) else { return false };
    asked.reading = match questions.progress(number) {
        Some(Progress::Done(reading)) => Some(Ok(reading)),
        Some(Progress::Failed(failure)) => Some(Err(failure)),
        Some(Progress::Queued | Progress::Running) => None,
        None => Some(Err(Failure::Stopped)),
    };
    asked.reading.is_some()
}

/// A person does not wait for an answer that is not there.
fn halt_question(questions: &Pool<u64, Reading>, number: u64, asked: &mut Option<Asked>) {
    if let Some(asked) = asked.as_mut().filter(|asked| asked.reading.is_none()) {
        questions.cancel(number);
        asked.reading = Some(Err(Failure::Stopped));
    }
}
