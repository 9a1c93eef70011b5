//! What Context-GC makes of the session behind the screen: it grows with the log, in slices between frames.
//!
//! Nothing of it is there before somebody looks. What a slice takes in is never looked at again; the prompt is brought up to
//! date with it at once, by what is another.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use crate::outline::receipts::Pruning;
use crate::session::open::OpenLog;

use super::views::Grown;

/// The events of the session on the screen, once somebody looked.
#[derive(Debug, Default)]
pub struct Pruner {
    shared: Option<Rc<RefCell<Pruning>>>,
    /// Why it cannot go on.
    failure: Option<String>,
    /// Something is to be shown anew.
    changed: bool,
}

impl Pruner {
    /// The events; they begin now where nobody looked before.
    pub fn begin(&mut self) -> Rc<RefCell<Pruning>> {
        Rc::clone(self.shared.get_or_insert_default())
    }

    /// The events, where somebody looked.
    pub fn known(&self) -> Option<&Rc<RefCell<Pruning>>> {
        self.shared.as_ref()
    }

    /// Whether all turns that are whole were taken in.
    pub fn is_settled(&self, log: &OpenLog) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.borrow().replay.is_settled(log))
    }

    /// Why it stopped before its end.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

impl Grown for Pruner {
    fn advance(&mut self, log: &OpenLog, as_of: u32, until: Instant) -> bool {
        let Some(shared) = self.shared.as_ref().filter(|_| !log.session.partial) else { return false };
        let mut shared = shared.borrow_mut();
        let (begun, findings) = (shared.replay.begun(), shared.replay.findings());
        let mut first = true;
        // One at least, or a slow machine would never come to an end.
        let go_on = |_| std::mem::take(&mut first) || Instant::now() < until;
        let went = shared.replay.advance_while(log, go_on);
        self.failure = went.err().map(|error| error.to_string());
        if (begun, findings) != (shared.replay.begun(), shared.replay.findings()) {
            shared.move_to(log, as_of);
            self.changed = true;
        }
        self.failure.is_none() && !shared.replay.is_settled(log)
    }

    fn has_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    fn news(&mut self) -> Option<String> {
        None
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}
