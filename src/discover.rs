//! Where agents keep their sessions, and what can be said of each without reading it whole.
//!
//! Owns the table of agents, the walk through their folders, the quick look at a session's two ends, and the counts
//! that need the whole of it. Counts come from the session model and nowhere else; they are kept for the next start
//! ([`crate::store`]). Nothing here is an error that ends anything: a folder that cannot be read, a file that
//! vanishes, a log of no known format is told of and passed over.

pub mod agents;
mod catalogue;
mod counts;
mod glance;
pub mod newest;
mod scout;
mod walk;
pub mod watch;

pub use agents::{Agent, Place, Role};
pub use catalogue::{Catalogue, Listed, SessionNo};
pub use counts::{Counter, Counts};
pub use glance::Glance;
pub use scout::{News, Scout};
pub use walk::{Found, Look, walk};

use serde::{Deserialize, Serialize};

use crate::store::cache::Cache;

/// What is kept of a session for the next start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The quick look.
    pub glance: Glance,
    /// What needed the whole of it, once it was read.
    pub counts: Option<Counts>,
}

/// Raised whenever the meaning of what is kept changes.
const KNOWN_VERSION: u32 = 2;

/// The cache of what is known of sessions.
pub fn cache() -> Cache<Known> {
    Cache::open("sessions", &format!("{}.{KNOWN_VERSION}", env!("CARGO_PKG_VERSION")))
}

/// A session counts as live for this long after it was written to, in milliseconds: an agent that works writes
/// every few seconds, and one that waits for its person does not.
pub const LIVE: i64 = 60_000;

/// Milliseconds since the epoch.
pub fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
