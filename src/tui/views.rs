//! The views on the screen, in one place: with what each opens, and who makes its rows.
//!
//! A view is a row of [`ViewKind`] (name, digit, title), a tree (an [`crate::outline::OwnTree`] where it does not show
//! what the log records) and an arm in each function here. What its own nodes show, where its own addresses lead and what
//! its own keys do stands in a module of the view's name here, in `detail/` and in `update/`.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use crate::outline::audit::{AuditTree, Audits, Shown};
use crate::outline::blocks::BlocksTree;
use crate::outline::forest::{FileTree, ForestTree};
use crate::outline::receipts::{Pruning, ReceiptsTree};
use crate::outline::{Group, Node, View, ViewKind};
use crate::session::open::OpenLog;
use crate::text::numbers::{grouped, short};

use super::forest::{self, Forests};
use super::model::Model;
use super::pruning::Pruner;
use super::replay::{Replay, SLICE, Standing};
use super::tree::Tree;

/// What is replayed behind a view. It begins when somebody looks, and goes on between frames.
pub(super) trait Grown {
    /// Goes on until `until`, and takes in what others did: everything is wanted as of turn `as_of`. The answer is whether
    /// there is more to do at once.
    fn advance(&mut self, log: &OpenLog, as_of: u32, until: Instant) -> bool;
    /// Whether something is to be shown anew since the last call.
    fn has_changed(&mut self) -> bool;
    /// What a person has to be told, once.
    fn news(&mut self) -> Option<String>;
    /// Whether somebody is still to bring something.
    fn is_busy(&self) -> bool;
    /// The log is another one.
    fn forget(&mut self);
}

/// What stands on the tab of each view, in order: where `width` columns do not hold the names, the beginnings of those that are
/// not on the screen.
pub(super) fn tabs(shown: ViewKind, width: u16) -> Vec<(ViewKind, String)> {
    /// Letters of a name that tell it from the others.
    const LETTERS: usize = 3;
    let tab = |kind: ViewKind, name: &str| (kind, format!(" {} {} ", kind.digit(), capital(name)));
    let whole: Vec<_> = ViewKind::ALL.into_iter().map(|kind| tab(kind, kind.name())).collect();
    if whole.iter().map(|(_, text)| text.len()).sum::<usize>() < usize::from(width) {
        return whole;
    }
    let short = |kind: ViewKind| if kind == shown { kind.name() } else { &kind.name()[..LETTERS] };
    ViewKind::ALL.into_iter().map(|kind| tab(kind, short(kind))).collect()
}

/// A word with a capital first letter.
fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A tree for each view, as it is before anybody opened anything.
pub(super) fn fresh_trees() -> Vec<Tree> {
    ViewKind::ALL.into_iter().map(|kind| Tree::new(opened(kind))).collect()
}

/// What is open at first.
fn opened(kind: ViewKind) -> &'static [Node] {
    match kind {
        ViewKind::Window | ViewKind::Generations => &[Node::Group(Group::Since)],
        ViewKind::Blocks => &[Node::Group(Group::Ledger), Node::Group(Group::Open)],
        ViewKind::Forest => &[Node::Group(Group::Now), Node::Group(Group::Hot), Node::Group(Group::Open)],
        ViewKind::Receipts => &[Node::Group(Group::Prompt)],
        // The newest compaction, once there is one.
        ViewKind::Audit => &[],
    }
}

/// What stands behind the views.
pub(super) struct Behind<'m> {
    pub replay: &'m mut Replay,
    pub pruner: &'m mut Pruner,
    pub forest: &'m mut Forests,
    pub audits: &'m Rc<RefCell<Audits>>,
}

/// The view as of turn `as_of`.
pub(super) fn make(
    Behind { replay, pruner, forest, audits }: Behind<'_>,
    log: &OpenLog,
    kind: ViewKind,
    as_of: u32,
) -> View {
    match kind {
        ViewKind::Window | ViewKind::Generations => View::new(log, kind, as_of),
        ViewKind::Blocks => {
            let shared = replay.hierarchy(log);
            replay.advance(log, as_of, Instant::now() + SLICE);
            View::of_own(log, kind, as_of, Box::new(BlocksTree::new(shared, as_of)))
        }
        ViewKind::Forest => match forest.file() {
            Some(file) => View::of_own(log, kind, as_of, Box::new(FileTree::new(Rc::clone(file)))),
            None => {
                let shown = forest.shown(log);
                forest.advance(log, as_of, Instant::now() + SLICE);
                View::of_own(log, kind, as_of, Box::new(ForestTree::new(shown, as_of)))
            }
        },
        ViewKind::Receipts => {
            let shared = pruner.begin();
            pruner.advance(log, as_of, Instant::now() + SLICE);
            View::of_own(log, kind, as_of, Box::new(ReceiptsTree::new(shared, as_of)))
        }
        ViewKind::Audit => {
            audits.borrow_mut().begun = true;
            View::of_own(log, kind, as_of, Box::new(AuditTree::new(Rc::clone(audits), as_of)))
        }
    }
}

/// What a view says of itself beside its title; the second: it is to be watched.
pub(super) fn standing(model: &Model) -> Option<(String, bool)> {
    match model.kind {
        ViewKind::Window | ViewKind::Generations => None,
        ViewKind::Blocks => {
            let log = model.log.as_ref()?;
            if log.session.partial {
                return Some(("waits until the log is read".to_owned(), true));
            }
            if let Some(failure) = model.replay.failure() {
                return Some((failure.to_owned(), true));
            }
            model.replay.standing(log, model.as_of).map(|standing| blocks(&standing))
        }
        ViewKind::Receipts => {
            let log = model.log.as_ref()?;
            if log.session.partial {
                return Some(("waits until the log is read".to_owned(), true));
            }
            if let Some(failure) = model.pruner.failure() {
                return Some((failure.to_owned(), true));
            }
            model.pruner.known().map(|shared| receipts(&shared.borrow(), log))
        }
        ViewKind::Forest => {
            let log = model.log.as_ref()?;
            if log.session.partial {
                return Some(("waits until the log is read".to_owned(), true));
            }
            if let Some(file) = model.forest.file() {
                return Some((file.file.head(), !file.file.breaches().is_empty()));
            }
            model.forest.standing(log).map(forest)
        }
        ViewKind::Audit => {
            let log = model.log.as_ref()?;
            if log.session.partial {
                return Some(("waits until the log is read".to_owned(), true));
            }
            Some(audit(&model.audits.borrow(), log))
        }
    }
}

fn audit(audits: &Audits, log: &OpenLog) -> (String, bool) {
    if let Some(failure) = audits.auditing.failure() {
        return (format!("the log could not be read back: {failure} · R tries again"), true);
    }
    let compactions = log.session.compactions();
    // Of a boundary at the end it is not known yet whether a summary follows.
    let open = compactions.last().is_some_and(|compaction| compaction.summary.is_none());
    let (done, all) = (audits.auditing.passes().len(), compactions.len() - usize::from(open));
    if done < all {
        return (format!("auditing g{} of {all}", done + 1), true);
    }
    match audits.shown() {
        Shown::All => ("v shows only what was lost".to_owned(), false),
        shown => (format!("{} · v", shown.words()), true),
    }
}

fn receipts(pruning: &Pruning, log: &OpenLog) -> (String, bool) {
    let (done, all) = (pruning.replay.begun(), log.session.last());
    if !pruning.replay.is_settled(log) {
        return (format!("replaying t{} of t{}", grouped(done.into()), grouped(all.into())), true);
    }
    let totals = pruning.prompt.totals();
    // A trace is counted as its maker counts.
    let sign = if log.session.format.is_trace() { "" } else { "~" };
    let saved = format!("{sign}{} → {sign}{}", short(totals.before), short(totals.after));
    let receipts = if totals.receipts > 0 {
        format!(" · receipts {sign}{}", short(totals.receipts))
    } else {
        String::new()
    };
    (format!("replayed · {saved}{receipts}"), false)
}

fn forest(standing: forest::Standing) -> (String, bool) {
    if let Some(failure) = standing.failure {
        return (failure, true);
    }
    let (done, all) = standing.replayed;
    if done < all {
        return (format!("replaying t{} of t{}", grouped(done.into()), grouped(all.into())), true);
    }
    let (queued, running, failed) = standing.counts;
    let mut words = vec!["replayed".to_owned()];
    let counted = [(running, "being written"), (queued, "waiting"), (failed, "failed")];
    words.extend(counted.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    words.extend(standing.halted.then(|| "writing stopped".to_owned()));
    words.push(standing.settings);
    (words.join(" · "), failed > 0)
}

fn blocks(standing: &Standing) -> (String, bool) {
    let (done, all) = standing.replayed;
    if done < all {
        return (format!("replaying t{} of t{}", grouped(done.into()), grouped(all.into())), true);
    }
    let mut words = vec![format!("replayed · ~{} of {}", short(standing.tokens), short(standing.budget))];
    let over = standing.tokens > standing.budget;
    words.extend(over.then(|| "over it".to_owned()));
    let left = standing.running + standing.queued;
    words.extend((left > 0).then(|| format!("writing {} of {left}", standing.running)));
    words.extend((standing.failed > 0).then(|| format!("{} failed", standing.failed)));
    words.extend(standing.halted.then(|| "writing stopped".to_owned()));
    words.extend(standing.unkept.then(|| "marks not kept".to_owned()));
    (words.join(" · "), over || standing.failed > 0 || standing.unkept)
}
