//! The doors to this strategy: a finished list, or a trace that grows.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use super::event::Event;
use super::outcome::{Changes, Compacted, Fate, Place};
use super::{reference, strict};

/// Whose rules hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The defects of the reference mended.
    #[default]
    Strict,
    /// Version 0.3.0 as it behaves.
    Reference,
}

impl Mode {
    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Reference => "reference",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = [Self::Strict, Self::Reference].into_iter().find(|mode| mode.name() == text);
        found.ok_or_else(|| format!("\"{text}\" is no mode: strict or reference"))
    }
}

/// Why a trace cannot be compacted. In `strict` nothing of the kind happens: what is odd is reported beside the result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GcError {
    /// A finished list names a parent that it does not hold.
    #[error("Event '{event}' references a non-existent parent_id '{parent}'")]
    MissingParent {
        /// The event.
        event: String,
        /// What it names.
        parent: String,
    },
    /// An event was added before the one that it follows.
    #[error("parent_id '{parent}' not found in graph — events must be added in dependency order")]
    ParentComesLater {
        /// What it names.
        parent: String,
    },
    /// A list or an object stands where a key is needed.
    #[error("event '{event}': '{field}' is a list or an object, which cannot be a key")]
    Unhashable {
        /// The event.
        event: String,
        /// The field.
        field: &'static str,
    },
}

/// Compacts a finished list of events. The list is not changed.
///
/// ```
/// use pentimento::strategies::context_gc::{Mode, compact_events, read};
///
/// let trace = read(br#"[
///   {"id": "a", "type": "set_var", "timestamp": 1, "key": "port", "value": 80},
///   {"id": "b", "type": "set_var", "timestamp": 2, "key": "port", "value": 443, "parent_id": "a"}
/// ]"#)?;
/// let compacted = compact_events(&trace.events, Mode::Strict)?;
/// assert_eq!(compacted.prompt, "[RECEIPT a]\nport = 443");
/// assert_eq!(compacted.prune_reasons["a"], "superseded by b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compact_events(events: &[Event], mode: Mode) -> Result<Compacted, GcError> {
    match mode {
        Mode::Reference => reference::compact(events),
        Mode::Strict => {
            let mut engine = strict::Engine::default();
            for event in events {
                engine.add(event.clone());
            }
            Ok(engine.compacted())
        }
    }
}

/// A trace that grows.
///
/// ```
/// use pentimento::strategies::context_gc::{ContextGc, Event, Mode};
///
/// let mut gc = ContextGc::new(Mode::Strict);
/// gc.add_event(Event::parse(r#"{"id": "a", "type": "set_var", "timestamp": 1, "key": "k", "value": 1}"#)?)?;
/// assert!(gc.compact()?.pruned.is_empty());
///
/// gc.add_event(Event::parse(r#"{"id": "b", "type": "set_var", "timestamp": 2, "key": "k", "value": 2}"#)?)?;
/// assert_eq!(gc.compact()?.pruned, ["a"]);
/// assert_eq!(gc.compacted()?.prompt, "[RECEIPT a]\nk = 2");
/// assert!(gc.receipt("a").unwrap().contains(r#""value": 1"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ContextGc(Rules);

#[derive(Debug)]
enum Rules {
    Strict(Box<strict::Engine>),
    Reference(Batch),
}

impl Default for Rules {
    fn default() -> Self {
        Self::Strict(Box::default())
    }
}

/// The reference's own way: everything anew at each call.
#[derive(Debug, Default)]
struct Batch {
    events: Vec<Event>,
    /// The ids of its graph: of all events, and of the stubs of the last compaction.
    known: HashSet<String>,
    pruned: HashSet<String>,
    protected: HashSet<String>,
    seen: usize,
}

impl ContextGc {
    /// An empty trace.
    pub fn new(mode: Mode) -> Self {
        Self(match mode {
            Mode::Strict => Rules::default(),
            Mode::Reference => Rules::Reference(Batch::default()),
        })
    }

    /// Adds an event. In `strict` this never fails; in `reference` the event must
    /// come after the one that it follows, and a failed one stays in the trace.
    pub fn add_event(&mut self, event: Event) -> Result<(), GcError> {
        match &mut self.0 {
            Rules::Strict(engine) => {
                engine.add(event);
                Ok(())
            }
            Rules::Reference(batch) => batch.add(event),
        }
    }

    /// What changed since the last call. In `strict` this costs in proportion to what changed; in `reference` a whole run.
    pub fn compact(&mut self) -> Result<Changes, GcError> {
        match &mut self.0 {
            Rules::Strict(engine) => Ok(engine.changes()),
            Rules::Reference(batch) => batch.changes(),
        }
    }

    /// The state as a whole, with the prompt. Work grows with the trace.
    pub fn compacted(&mut self) -> Result<Compacted, GcError> {
        match &mut self.0 {
            Rules::Strict(engine) => Ok(engine.compacted()),
            Rules::Reference(batch) => reference::compact(&batch.events),
        }
    }

    /// What became of an event. In `strict` this costs little; in `reference` a whole run.
    pub fn fate(&mut self, id: &str) -> Fate {
        match &mut self.0 {
            Rules::Strict(engine) => engine.fate(id),
            Rules::Reference(batch) => {
                reference::compact(&batch.events).map_or(Fate::Live, |compacted| compacted.fate(id))
            }
        }
    }

    /// The event that pruned the one named `id`, or would have were that not protected. In `strict` only.
    pub fn cause(&mut self, id: &str) -> Option<&str> {
        match &mut self.0 {
            Rules::Strict(engine) => engine.cause(id),
            Rules::Reference(_) => None,
        }
    }

    /// Where an event stands in the prompt. In `strict` only.
    pub fn place(&mut self, id: &str) -> Option<Place> {
        match &mut self.0 {
            Rules::Strict(engine) => engine.order(id).map(Place),
            Rules::Reference(_) => None,
        }
    }

    /// The text of an event as it was added, byte for byte, whether it was pruned or not.
    pub fn receipt(&self, id: &str) -> Option<&str> {
        match &self.0 {
            Rules::Strict(engine) => engine.find(id).map(Event::source),
            Rules::Reference(batch) => {
                batch.events.iter().rev().find(|event| event.id() == id).map(Event::source)
            }
        }
    }

    /// The name under which the newest event is kept: its id, or its id with a number where it was there before.
    pub fn newest(&self) -> Option<&str> {
        match &self.0 {
            Rules::Strict(engine) => engine.newest(),
            Rules::Reference(batch) => batch.events.last().map(Event::id),
        }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Rules::Strict(engine) => engine.len(),
            Rules::Reference(batch) => batch.events.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Batch {
    fn add(&mut self, event: Event) -> Result<(), GcError> {
        self.known.insert(event.id().to_owned());
        let parent = event.parent().map(str::to_owned);
        self.events.push(event);
        match parent {
            Some(parent) if !self.known.contains(&parent) => Err(GcError::ParentComesLater { parent }),
            _ => Ok(()),
        }
    }

    fn changes(&mut self) -> Result<Changes, GcError> {
        let compacted = reference::compact(&self.events)?;
        let clusters = compacted.live_ids.iter().cloned();
        self.known = self.events.iter().map(|event| event.id().to_owned()).chain(clusters).collect();
        let pruned: HashSet<String> = compacted.pruned_ids.iter().cloned().collect();
        let protected: HashSet<String> = compacted.protected_ids.iter().cloned().collect();
        let mut seen = HashSet::new();
        let ids: Vec<&str> = self.events.iter().map(Event::id).filter(|id| seen.insert(*id)).collect();
        let only = |now: &HashSet<String>, then: &HashSet<String>| -> Vec<String> {
            let new = ids.iter().filter(|id| now.contains(**id) && !then.contains(**id));
            new.map(|id| (*id).to_owned()).collect()
        };
        let changes = Changes {
            added: self.events.len() - self.seen,
            pruned: only(&pruned, &self.pruned),
            restored: only(&self.pruned, &pruned),
            protected: only(&protected, &self.protected),
            ..Changes::default()
        };
        self.seen = self.events.len();
        (self.pruned, self.protected) = (pruned, protected);
        Ok(changes)
    }
}
