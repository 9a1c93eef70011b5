//! Context-GC: a trace of typed events, four stages that prune what is of no use any more, receipts for the rest.

mod event;
mod line;
mod outcome;
mod python;
mod read;
mod reference;
pub mod session;
mod strict;
mod trace;
mod value;

pub use event::{Event, Invalid, Kind};
pub use line::{full_prompt, line};
pub use outcome::{Changes, Compacted, Fate, Oddity, Receipt, Row, Stage};
pub use read::{Trace, Unreadable, read};
pub use trace::{ContextGc, GcError, Mode, compact_events};
