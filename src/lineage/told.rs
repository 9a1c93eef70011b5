//! What a trace says, in words: the same on the screen and in the text of `trace`.
//!
//! Nothing is claimed here that the rules cannot tell: a sentence is "supported", not true, and a turn that no sentence is
//! found to carry is "not found", not lost.

use crate::session::{Compaction, Session};
use crate::text::numbers;
use crate::text::sentences::Kind;

use super::chain::{Chain, SentenceId};
use super::forward::{Fate, Forward};
use super::origin::Origin;
use super::support::{Support, TOGETHER};
use super::trace::{Trace, Traced};

/// How far a sentence is supported; of one that cannot be told, why not.
pub fn support(traced: &Traced, complete: bool, ample: bool) -> &'static str {
    match traced.support {
        _ if traced.sentence.kind == Kind::Code => "code is not traced",
        Support::Supported if traced.is_word_for_word() => "supported, word for word",
        Support::Supported if traced.verbatim => "supported, nearly word for word",
        Support::Unknown if !complete => "support cannot be told: originals are missing from the log",
        Support::Unknown if !ample => "support cannot be told: the model saw more than the log holds",
        Support::Unknown => "support cannot be told: it says too little",
        support => support.name().unwrap_or_default(),
    }
}

/// How much of it the sources that are shown hold together.
pub fn held(traced: &Traced) -> Option<String> {
    let share = format!("{:.0} % of it", traced.coverage * 100.0);
    match traced.sources.len() {
        0 => None,
        1 => Some(format!("its only source holds {share}")),
        2 => Some(format!("its two sources hold {share}")),
        TOGETHER.. => Some(format!("its three best sources hold {share}")),
    }
}

/// The words of a hedge that was lost.
pub fn hedge(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.to_lowercase())).collect();
    if words.is_empty() { "the question".to_owned() } else { words.join(", ") }
}

/// Where a sentence came from. `before` is the generation whose summary stands in its range.
pub fn whence(traced: &Traced, before: Option<u32>) -> String {
    let since = before.map_or_else(String::new, |generation| format!(" since g{generation}"));
    let old = before.zip(traced.before).map(|(generation, place)| SentenceId { generation, place });
    let shares = old.map_or_else(String::new, |old| format!("; {old} shares words"));
    match (traced.origin, old) {
        (Origin::New, _) => format!("new: from the turns{since}{shares}"),
        (Origin::Inherited, Some(old)) => format!("taken over from {old}"),
        (Origin::Inherited, None) => "taken over from the summary before".to_owned(),
        (Origin::Both, Some(old)) => format!("in {old} and in the turns since: from either"),
        (Origin::Both, None) => "from the summary before or from the turns since".to_owned(),
        (Origin::Weak, _) => format!("where it came from cannot be told{shares}"),
    }
}

/// How many summaries and changes of wording stand between a sentence and original turns.
pub fn distance(chain: &Chain) -> String {
    match chain.paraphrases {
        0 => format!("depth {}", chain.depth),
        some => format!("depth {} · {}", chain.depth, numbers::count(u64::from(some), "paraphrase")),
    }
}

/// How a step of a chain leads on.
pub fn step(inherited: bool, reworded: bool, origin: Origin) -> &'static str {
    match (inherited, reworded, origin) {
        (true, true, _) => "taken over, reworded",
        (true, false, _) => "taken over",
        (false, _, Origin::New | Origin::Both) => "shares words; turns since speak of it too",
        (false, ..) => "shares words",
    }
}

/// What is known of where a turn was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trail {
    /// The model still sees it.
    InView,
    /// A summary carries it, or a compaction kept it.
    Seen,
    /// Summaries carry it weakly at best.
    Faint,
    /// No sentence is found that carries it.
    Lost,
    /// It cannot be told.
    Untold,
}

/// Where turn `number` was last seen.
pub fn last_seen(session: &Session, forward: &Forward, number: u32) -> (Trail, String) {
    if forward.in_view {
        return (Trail::InView, "the model still sees it".to_owned());
    }
    let Some((first, _)) = forward.generations.first() else {
        return (Trail::Untold, "no compaction concerns it: it left the view otherwise".to_owned());
    };
    // The trail ends before the first summary that nobody here can read.
    let next = forward.last_seen.map_or(*first, |generation| generation + 1);
    let unreadable = session.generation(next).and_then(Compaction::unreadable).is_some();
    let weakly = forward.last_weak.filter(|weak| forward.last_seen.is_none_or(|seen| *weak > seen));
    let Some(seen) = forward.last_seen else {
        return match (unreadable, weakly) {
            (true, _) => (Trail::Untold, format!("what became of it cannot be told: g{next} cannot be read")),
            (false, Some(generation)) => (Trail::Faint, format!("carried weakly, last in g{generation}")),
            (false, None) => (Trail::Lost, "found in no summary".to_owned()),
        };
    };
    let kept = session.generation(seen).is_some_and(|compaction| kept(compaction, number));
    let how = if kept { ", which kept it word for word" } else { "" };
    let since = weakly.map_or_else(String::new, |generation| format!(", weakly in g{generation}"));
    let then = if unreadable { format!("; g{next} cannot be read") } else { String::new() };
    (Trail::Seen, format!("last seen in g{seen}{how}{since}{then}"))
}

fn kept(compaction: &Compaction, number: u32) -> bool {
    compaction.kept.iter().any(|(from, to)| (*from..=*to).contains(&number))
}

/// What one compaction, traced, did with a turn.
pub fn fate(session: &Session, trace: Option<&Trace>, generation: u32, fate: &Fate) -> String {
    match fate {
        Fate::Kept => return "kept in view word for word".to_owned(),
        Fate::Abandoned => return "on another branch: not summarised".to_owned(),
        Fate::Summarised(_) | Fate::Inherited(_) => {}
    }
    if let Some(reason) = session.generation(generation).and_then(Compaction::unreadable) {
        return reason;
    }
    match (fate.counts(), fate) {
        ((0, 0), Fate::Inherited(_)) => "taken over by no sentence".to_owned(),
        ((0, 0), _) if trace.is_some_and(|trace| !trace.complete) => {
            "found in no sentence; originals of its range are missing".to_owned()
        }
        ((0, 0), _) => "summarised, found in no sentence".to_owned(),
        ((1, 0), _) => "1 sentence carries it".to_owned(),
        ((strong, 0), _) => format!("{strong} sentences carry it"),
        ((0, 1), _) => "1 sentence carries it weakly".to_owned(),
        ((0, weak), _) => format!("{weak} sentences carry it weakly"),
        ((1, weak), _) => format!("1 sentence carries it, {weak} weakly"),
        ((strong, weak), _) => format!("{strong} sentences carry it, {weak} weakly"),
    }
}
