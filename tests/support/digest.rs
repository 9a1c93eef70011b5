//! Everything that a session says, to compare two ways of reading one log.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::path::Path;

use pentimento::session::load::{End, Feed};
use pentimento::session::{Session, TurnId};

/// Everything a session says, a line a thing, so that a difference can be read.
pub fn digest(session: &Session) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |what: &str, fact: &dyn std::fmt::Debug| out.push(format!("{what}: {fact:?}"));
    for row in session.rows().iter() {
        add("row", &(row, session.label(&row)));
    }
    for (index, turn) in session.turns().iter().enumerate() {
        let id = TurnId(index as u32);
        add("turn", &(turn, session.before(id), session.continues(id), session.cleared_at(id)));
        for (place, part) in session.parts(id) {
            add("part", &(place, part, session.named(part.tool), session.named(part.path)));
        }
        let history: Vec<u32> =
            (0..=session.last()).filter(|n| session.is_abandoned(id, *n)).take(8).collect();
        add("abandoned", &(id, history));
    }
    for compaction in session.compactions() {
        add("compaction", &(compaction, session.provenance(compaction)));
    }
    add("threads", &session.threads());
    add("clearings", &session.clearings());
    add("echoes", &session.echoes().collect::<Vec<_>>());
    add("malformed", &session.malformed());
    add("agents", &session.agents());
    add("unknown", &session.unknown);
    add("usage", &session.usage);
    add("names", &(&session.title, &session.session_ids, &session.version, &session.models));
    add("header", &(session.header(), session.window(), session.branch_summaries()));
    add("heads", &(0..=session.last()).map(|number| session.head(number)).collect::<Vec<_>>());
    add("sizes", &session.compactions().iter().map(|c| session.size_after(c)).collect::<Vec<_>>());
    out
}

/// The first difference between two digests.
pub fn difference(live: &[String], whole: &[String]) -> Option<String> {
    let at = (0..live.len().max(whole.len())).find(|at| live.get(*at) != whole.get(*at))?;
    Some(format!("in appends {:?}\nas a whole {:?}", live.get(at), whole.get(at)))
}

/// Lets `feed` read until it rests.
pub fn rest(feed: &mut Feed, path: &Path, session: &mut Option<Session>) -> Result<(), String> {
    loop {
        match feed.read_to_end(path, session, &mut |_| true) {
            End::Reached | End::Waiting => return Ok(()),
            End::Epoch(_) | End::Stopped => {}
            End::Unreadable(error) => return Err(error.to_string()),
        }
    }
}
