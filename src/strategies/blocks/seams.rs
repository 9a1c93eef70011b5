//! Where a block closes, and why there.

use std::collections::HashMap;

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::{Session, TurnId};
use crate::text::words;

use super::{Blocks, inputs, is_read, is_typed, reading, todo};

/// Why a block closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClosedBy {
    /// The log records a compaction right after it.
    Compaction,
    /// Its last turn reports that an item of a plan or to-do list is done.
    Plan,
    /// A prompt about something else comes next.
    Subject,
    /// A typed prompt comes next.
    Prompt,
    /// The assistant's last turn calls no tool.
    Step,
    /// No seam came, but no call was open.
    Cap,
    /// Nothing of that came.
    Forced,
    /// Blocks of a fixed size are wanted.
    Fixed,
}

impl ClosedBy {
    /// All reasons, the first that holds first.
    pub const ALL: [Self; 8] = [
        Self::Compaction,
        Self::Plan,
        Self::Subject,
        Self::Prompt,
        Self::Step,
        Self::Cap,
        Self::Forced,
        Self::Fixed,
    ];

    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Plan => "plan",
            Self::Subject => "subject",
            Self::Prompt => "prompt",
            Self::Step => "step",
            Self::Cap => "cap",
            Self::Forced => "forced",
            Self::Fixed => "fixed",
        }
    }
}

/// Below this cosine of word counts a prompt is about something else.
const FAR: f64 = 0.05;
/// So many bytes of the open block's newest turns tell what it is about; blocks of real sessions have a tenth of it.
const LISTENED: usize = 2 << 20;

/// Takes the calls of turn `turn` into `open`, and out of it those that have their result or whose step has ended now
/// that the next turn begins: calls that were interrupted never get a result.
pub(super) fn follow_calls(session: &Session, turn: u32, open: &mut Vec<u32>) {
    let (Some(id), Some(next)) = (session.numbered(0, turn), session.numbered(0, turn + 1)) else { return };
    open.extend(
        session.parts(id).filter(|(_, part)| part.kind == PartKind::ToolCall).map(|(place, _)| place),
    );
    let begins = session.turn(next);
    open.retain(|place| {
        let answered = session.answered_by(*place).is_some_and(|by| {
            let by = session.turn(by);
            by.thread == 0 && by.number <= turn
        });
        let caller = session.turn_of(&session.part(*place));
        let step_ended = match begins.role {
            Role::User => is_typed(session, next) && !begins.is_queued(),
            Role::Assistant => session.step(next) != session.step(caller),
            Role::Summary => true,
            Role::Tool => false,
        };
        !answered && !step_ended
    });
}

impl Blocks {
    /// Why the open block closes after turn `turn`, if it does.
    pub(super) fn closes(
        &self,
        log: &OpenLog,
        turn: u32,
        no_call_open: bool,
        done: &[todo::Result],
    ) -> Result<Option<ClosedBy>, LogError> {
        let settings = &self.settings;
        let size = turn + 1 - self.first_open();
        if !settings.seams {
            return Ok((size >= settings.block_turns).then_some(ClosedBy::Fixed));
        }
        if size < settings.block_turns {
            return Ok(None);
        }
        if no_call_open {
            let seam = self.seam(log, turn, done)?;
            if seam.is_some() || size >= settings.cap() {
                return Ok(Some(seam.unwrap_or(ClosedBy::Cap)));
            }
        }
        Ok((size >= settings.limit()).then_some(ClosedBy::Forced))
    }

    /// The seam after turn `turn`, where no call is open.
    fn seam(&self, log: &OpenLog, turn: u32, done: &[todo::Result]) -> Result<Option<ClosedBy>, LogError> {
        let session = &log.session;
        let (Some(id), Some(next)) = (session.numbered(0, turn), session.numbered(0, turn + 1)) else {
            return Ok(None);
        };
        if session.turn(next).is_summary() {
            return Ok(Some(ClosedBy::Compaction));
        }
        if todo::is_any_done(log, done)? {
            return Ok(Some(ClosedBy::Plan));
        }
        if is_typed(session, next) {
            let far = self.is_far(log, next, turn)?;
            return Ok(Some(if far { ClosedBy::Subject } else { ClosedBy::Prompt }));
        }
        let calls = session.parts(id).any(|(_, part)| part.kind == PartKind::ToolCall);
        let goes_on = session.continues(next) == Some(id);
        let ends = session.turn(id).role == Role::Assistant && !calls && !goes_on;
        Ok(ends.then_some(ClosedBy::Step))
    }

    /// Whether the words of the prompt `next` are far from those of the open block. Of a prompt without words that
    /// mean anything nothing can be said.
    fn is_far(&self, log: &OpenLog, next: TurnId, turn: u32) -> Result<bool, LogError> {
        let mut asked = HashMap::new();
        count(log, next, &mut asked)?;
        if asked.is_empty() {
            return Ok(false);
        }
        let mut said = HashMap::new();
        let mut bytes = 0;
        for id in inputs(&log.session, (self.first_open(), turn), turn + 1) {
            bytes += count(log, id, &mut said)?;
            if bytes > LISTENED {
                break;
            }
        }
        Ok(!said.is_empty() && cosine(&asked, &said) < FAR)
    }
}

/// Counts the words of a turn. The answer is how many bytes that were.
fn count(log: &OpenLog, id: TurnId, counts: &mut HashMap<String, u64>) -> Result<usize, LogError> {
    let texts = reading::texts(log, id, reading::WORDS, |part| is_read(part.kind))?;
    for located in &texts {
        words::each_stem(&located.text.text, |word, _| match counts.get_mut(word) {
            Some(count) => *count += 1,
            None => {
                counts.insert(word.to_owned(), 1);
            }
        });
    }
    Ok(texts.iter().map(|located| located.text.text.len()).sum())
}

/// The cosine of two counts. Sums are whole numbers: their order changes nothing.
fn cosine(a: &HashMap<String, u64>, b: &HashMap<String, u64>) -> f64 {
    let square = |counts: &HashMap<String, u64>| counts.values().map(|n| n * n).sum::<u64>() as f64;
    let shared: u64 = a.iter().map(|(word, n)| n * b.get(word).copied().unwrap_or(0)).sum();
    shared as f64 / (square(a) * square(b)).sqrt()
}
