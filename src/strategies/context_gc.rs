//! Context-GC: a trace of typed events, four stages that prune what is of no use any more, receipts for the rest.
//!
//! An event is live, pruned (a receipt stands for it) or protected (a stage would have pruned it, and something keeps it).
//! The stages: *sweep* takes what hangs below an abandoned event, *override* all values of a variable but the newest,
//! *dedup* calls that were made before with the same result, *cycle* events that follow one another in a circle.
//!
//! [`Mode::Reference`] is version 0.3.0 as it behaves. [`Mode::Strict`] differs from it by these rules and no others; each
//! has a test of its name in `tests/context_gc/strict.rs` (`defect_1_…`):
//!
//! | | rule | an example | `reference` | `strict` |
//! |---|---|---|---|---|
//! | 1 | *the future survives*: an abandon event ends the branch that it abandons; what follows the event goes on | `bad`, then `ab` abandons `bad`, then `good` follows `ab` | `good` is pruned with all that comes | `good` is live |
//! | 2 | *the dead supersede nothing*: values in abandoned branches take no part | live `rate = 5`; a protected `rate = 8` in an abandoned branch | `rate = 5` is pruned | both are live |
//! | 3 | *no event follows itself*: it is reported and has no parent | `s` has the parent `s` | `s` and all below are in no prompt and no list | `s` is live |
//! | 4 | *no event replaces another*: a repeated id is reported and kept as `id#2` | two events `a` | the first is gone | `a` and `a#2` are live |
//! | 5 | *every receipt is visible*: a receipt wherever events are missing, one line for those that stand together | `bad` and two below it are swept | no line, or only for the one beside a live event | `[RECEIPT bad +2]` |
//! | 6 | *what receipts cost is told*: without them a prompt never costs more than the whole | five values with long ids | 3 tokens more than before | `receipt_tokens` says how many |
//! | 7 | *protection holds in circles*, and so does a value in force | a critical event in a circle | pruned | live |
//! | 8 | *a failed add leaves no trace*: an event is checked before any trace knows of it, and a parent may come later | an event with an unknown parent is added | every later compaction fails | it is reported, and waits for its parent |
//! | 9 | *a call and its results are one*: pruned together or not at all | a critical call, made twice | the call is live, its result pruned | both are live |
//! | 10 | *causes before clocks*: an event is as late as the latest of those it hangs on | `k = 1` at 100, then `k = 2` below it at 50 | `k = 1` wins | `k = 2` wins |
//! | 11 | *inputs are never changed*: an event keeps its text, and a receipt gives it back byte for byte | any pruned event | `"pruned": true` is written into it | as it was |
//! | 12 | *every way to write a trace is read*: an array, an object with `events`, an event a line, behind blanks or a byte order mark | a benchmark's file | not read by its own command | read |
//! | 13 | *no walk recurses* (in both modes) | 60,000 events in a chain | needs a raised limit | stacks of its own |
//! | 14 | *a circle may have followers*: an event may follow the receipt of a circle | the parent `cluster_…` | every later compaction fails | it is live |
//!
//! Strict mode also never fails: a parent, call or target that is not there is an [`Oddity`] beside the result.

mod outcome;
mod read;
mod reference;
pub mod session;
mod strict;
mod trace;

use crate::formats::context_gc::{event, prompt, value};

pub(crate) use prompt::tokens as prompt_tokens;
use strict::receipt_line;

pub use event::{Event, Invalid, Kind};
pub use outcome::{Changes, Compacted, Fate, Oddity, Place, Receipt, Row, Stage};
pub use prompt::{full_prompt, line};
pub use read::{Trace, Unreadable, read};
pub use trace::{ContextGc, GcError, Mode, compact_events};
