//! The same audit of any strategy: what went out of view at each point, and what the context says in its place.
//!
//! Uses nothing of a strategy but its [`Context`] and the texts that stand in it. The points are those at which the recursive
//! baseline compacts: where the log records a compaction, and where the budget is exceeded; so all strategies are compared on
//! equal terms. Of a turn that went out of view everything has to be found in what stands for turns; turns in view are kept.

use std::collections::BTreeSet;

use crate::lineage::range::Plan;
use crate::log::Source;
use crate::session::{Session, TurnId};
use crate::strategies::blocks::Settings;
use crate::strategies::recursive::Recursive;
use crate::strategies::{Context, Entry};

use super::work::{About, Options, Work};

/// The turns as of which strategies are compared.
pub fn points(session: &Session, settings: Settings) -> Vec<u32> {
    let recursive = Recursive::of(session, settings);
    recursive.folds(session.last()).iter().map(|fold| fold.made_at).collect()
}

/// Makes the passes of a strategy, point by point.
#[derive(Debug)]
pub struct Replaying<'a> {
    session: &'a Session,
    source: &'a Source,
    options: Options,
    /// Turns that went out of view at an earlier point.
    out: BTreeSet<TurnId>,
    passes: u32,
}

impl<'a> Replaying<'a> {
    /// No point yet.
    pub fn new(session: &'a Session, source: &'a Source, options: Options) -> Self {
        Self { session, source, options, out: BTreeSet::new(), passes: 0 }
    }

    /// The pass at the next point: the context there, and the text of all that stands for turns in it. None where nothing went
    /// out of view since the last point and nothing ever did.
    pub fn pass(&mut self, context: &Context, text: String) -> Option<Work> {
        let session = self.session;
        let seen: BTreeSet<TurnId> = context
            .entries
            .iter()
            .filter(|entry| matches!(entry, Entry::Turn(_) | Entry::Said { .. }))
            .filter_map(Entry::turn)
            .collect();
        let mut path: Vec<TurnId> = session.line(session.head(context.as_of)).collect();
        path.reverse();
        let gone = |id: &TurnId| !session.turn(*id).is_summary() && !seen.contains(id);
        let news: Vec<TurnId> = path.into_iter().filter(gone).filter(|id| !self.out.contains(id)).collect();
        if news.is_empty() && self.out.is_empty() {
            return None;
        }
        self.out.extend(&news);
        self.passes += 1;
        let generation = self.passes;
        let head = session.head(context.as_of)?;
        let about = About {
            told_complete: Some(true),
            generation,
            turn: context.as_of,
            unreadable: None,
            covered: news.len() as u32,
            kept: seen.len() as u32,
        };
        let plan = Plan::made(session, generation, head, text, Vec::new(), &news);
        let seen: Vec<TurnId> = seen.into_iter().collect();
        let kept = (!seen.is_empty())
            .then(|| Plan::made(session, generation, head, String::new(), Vec::new(), &seen));
        Some(Work::new(session, self.source, about, Some(plan), kept, self.options))
    }
}
