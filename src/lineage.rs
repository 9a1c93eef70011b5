//! From any sentence of a summary to the turns it rests on, and from any turn to what became of it.

pub mod asked;
pub mod context;
pub mod features;
pub mod index;
pub mod origin;
pub mod range;
pub mod rank;
pub mod support;
pub mod trace;
pub mod weights;
