//! From any sentence of a summary to the turns it rests on, and from any turn to what became of it.
//!
//! A [`range::Plan`] says what has to be read for one recorded compaction; [`prepared::Prepared`] reads and indexes it and
//! answers for single sentences; [`trace::trace`] asks it for all of them and gives a [`trace::Trace`]; [`chain::Traces`]
//! keeps both and follows sentences through generations, backward and forward. Costs grow with a range, never with the log.
//!
//! Refuses to prove anything: sources are ordered by a model's belief and shown three at a time. Formats are not known
//! here; what tools and words mean comes from [`crate::text::lexicon`].
//!
//! # What the ranking rests on
//!
//! Features and messages follow a recipe that was measured on hand labels ([`features`], [`context`]). On top of it,
//! each by cross-validation where no summary is ranked with weights that saw its log (`benches/README.md` has the
//! figures): neighbouring words side by side as a feature of their own, and how much of a sentence the prompt of a
//! block's round holds, help; sentences of the summary before are blocks of their own, with the file they name as their
//! path, so that old and new compete in one ranking ([`origin`]).
//!
//! Tried and left out, as they change nothing beyond noise or make it worse: identifiers in the index, words of change,
//! of running, of approval, of failure crossed with kinds of blocks, bullets that open with a file name, correction for
//! blocks that match everything.

pub mod asked;
mod blocks;
pub mod chain;
mod class;
pub mod context;
pub mod contrast;
pub mod exact;
pub mod features;
mod forward;
pub mod ground;
pub mod index;
mod links;
mod matched;
pub mod origin;
mod passages;
pub mod prepared;
pub mod range;
pub mod rank;
pub mod support;
pub mod told;
pub mod trace;
pub mod tracing;
pub mod weights;
pub mod wording;
