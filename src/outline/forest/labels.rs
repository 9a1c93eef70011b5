//! What the rows of the cold forest are called.

use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::union_find::replay::turns;
use crate::strategies::union_find::summaries::Standing;
use crate::text::numbers::{count, short};

use super::super::labels::{bare_part_label, bare_turn_label, row_label};
use super::super::{Group, Label, Mark, Node};
use super::ForestView;

/// Columns of a balance bar.
const BAR: u32 = 6;

/// A bar as long as `size` is of `largest`.
pub fn bar(size: u32, largest: u32) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (u64::from(size) * u64::from(BAR) * 8).div_ceil(u64::from(largest.max(1))) as usize;
    let full = "█".repeat(eighths / 8);
    let taken = eighths.div_ceil(8);
    format!("{full}{}{}", EIGHTHS[eighths % 8], " ".repeat((BAR as usize).saturating_sub(taken)))
}

/// The turns from one to another.
pub(super) fn span((from, to): (u32, u32)) -> String {
    if from == to { format!("t{from}") } else { format!("t{from}–t{to}") }
}

impl ForestView<'_> {
    pub(super) fn called(&self, log: &OpenLog, node: Node) -> Label {
        match node {
            Node::Cluster(root) => self.cluster(root),
            Node::Union(place) => self.union_label(place),
            Node::Group(group) => self.group(log, group),
            Node::Turn(id) => self.turn(log, id),
            Node::Part(id, index) => match log.session.nth_part(id, index as usize) {
                Some((_, part)) => bare_part_label(log, id, index, &part),
                None => Label::default(),
            },
            Node::Row(row) => row_label(&log.session, row),
            _ => Label { kind: "root", ..Label::default() },
        }
    }

    /// Its bar, size, turns and terms; what a question gives of it; what to watch for.
    fn cluster(&self, root: u32) -> Label {
        let forest = self.replay.forest().forest();
        let size = forest.size(root, self.as_of);
        let (from, to) = self.replay.span(root, self.as_of);
        // Bars stand one below the other whatever the number before them.
        let digits = |number: u32| number.checked_ilog10().unwrap_or(0) as usize;
        let indent = " ".repeat(digits(self.as_of) - digits(from).min(digits(self.as_of)));
        let first = format!("{indent}{} {}", bar(size, self.moment.largest), count(size.into(), "message"));
        let mut words = vec![first];
        words.extend(self.score(root));
        words.push(span((from, to)));
        let union = forest.last_won(root, self.as_of);
        words.extend(union.filter(|union| union.at == self.as_of).map(|_| "grew now".to_owned()));
        let terms = self.top_terms(root).join(", ");
        words.extend((!terms.is_empty()).then_some(terms));
        words.extend(self.summary(root, size));
        let left = self.abandoned(root);
        words.extend((left > 0).then(|| format!("{left} abandoned since")));
        words.extend(union.map(|union| format!("last union {:.2} {}", union.similarity, union.cause.name())));
        let mut label = Label {
            kind: "cluster",
            address: Some(Address::Cluster(from)),
            text: words.join(" · "),
            tokens: Some(self.replay.tokens(root, self.as_of)),
            turn: Some(from),
            ..Label::default()
        };
        match self.standing(root) {
            Some(Standing::Stale(_)) => label.marks.push(Mark::StaleSummary),
            Some(Standing::Failed(_)) => label.marks.push(Mark::NoSummary),
            _ => {}
        }
        label
    }

    /// How near a question is.
    fn score(&self, root: u32) -> Option<String> {
        let reading = self.reading?;
        let (_, score) = reading.scores.iter().find(|(known, _)| *known == root)?;
        let read = reading.clusters.iter().find(|read| read.root == root);
        let given = read.map_or("", |read| if read.chosen { " given" } else { " left over" });
        Some(format!("asked {score:.3}{given}"))
    }

    fn summary(&self, root: u32, size: u32) -> Option<String> {
        Some(match self.standing(root)? {
            Standing::Whole(written) => format!("summary ~{} of all", short(u64::from(written.tokens))),
            Standing::Stale(written) => {
                format!("its summary is of {} messages, not of these {size}", written.covers.len())
            }
            Standing::Failed(failure) => failure.to_string(),
        })
    }

    fn union_label(&self, place: u32) -> Label {
        let Some(union) = self.union(place) else { return Label::default() };
        Label {
            kind: "union",
            address: Some(Address::Union(place + 1)),
            text: format!(
                "{} + {} at t{} · similarity {:.2} · {}",
                union.sizes.0,
                union.sizes.1,
                union.at,
                union.similarity,
                union.cause.name()
            ),
            turn: Some(union.at),
            ..Label::default()
        }
    }

    fn group(&self, log: &OpenLog, group: Group) -> Label {
        let tokens_of = |ids: &[TurnId]| ids.iter().map(|id| u64::from(log.session.turn(*id).tokens)).sum();
        let (kind, text, tokens) = match group {
            Group::Health => ("health", self.health().line(), None),
            Group::Asked => ("asked", self.asked.clone().unwrap_or_default(), None),
            Group::Now => ("group", self.now_line(), None),
            Group::Hot => {
                let hot = count(self.replay.hot(self.as_of).len() as u64, "message");
                ("group", format!("hot · {hot}"), Some(tokens_of(&self.hot_turns(log))))
            }
            Group::Open => {
                let turns = count(self.open_count(log) as u64, "turn");
                // While the log is being replayed these are many, and nobody waits for their sum.
                let behind = self.is_behind();
                let what = if behind { "not replayed yet" } else { "not closed" };
                let ids = if behind { Vec::new() } else { self.open_turns(log) };
                ("group", format!("{what} · {turns}"), (!ids.is_empty()).then(|| tokens_of(&ids)))
            }
            Group::Notes(id) => ("group", count(log.session.notes_after(id).len() as u64, "note"), None),
            _ => return Label::default(),
        };
        Label { kind, text, tokens, ..Label::default() }
    }

    /// What happened at this turn.
    fn now_line(&self) -> String {
        let at = format!("at t{}", self.as_of);
        if self.replay.begun() < self.as_of {
            return format!("{at}: not replayed yet");
        }
        let (cold, united) = (self.cold_now(), self.united_now());
        let mut words = match cold.len() {
            0 => vec![format!("{at}: nothing turned cold")],
            1 => vec![format!("{at}: {} turned cold", span(self.replay.message(cold.start).turns))],
            many => vec![format!("{at}: {} turned cold", count(many as u64, "message"))],
        };
        match united.len() {
            0 => {}
            1 => words.extend(self.union(united.start).map(|union| {
                // What was united bears the names of just before.
                let before = |root| self.replay.name_before(root, united.start);
                format!("c{} took in c{}", before(union.winner), before(union.loser))
            })),
            many => words.push(count(many as u64, "union")),
        }
        words.join(" · ")
    }

    fn turn(&self, log: &OpenLog, id: TurnId) -> Label {
        let session = &log.session;
        let turn = session.turn(id);
        let mut label = bare_turn_label(session, id);
        let left = session.is_abandoned(id, self.as_of);
        let node = self.replay.node_of_turn(turn.number);
        let cold = node.is_some_and(|node| self.replay.forest().forest().added(node) <= self.as_of);
        label.out = left || turn.is_summary() || cold;
        if left && !turn.is_withdrawn() {
            label.marks.push(Mark::Abandoned(turn.abandoned_at));
        }
        label
    }

    /// The turns of a cold node's message, in words.
    pub fn turns_of(&self, node: u32) -> String {
        span(self.replay.message(node).turns)
    }

    /// The first turn of a cold node's message.
    pub fn first_turn(&self, log: &OpenLog, node: u32) -> Option<TurnId> {
        turns(&log.session, self.replay.message(node)).next()
    }
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_is_as_long_as_its_share_of_the_largest() {
        assert_eq!(bar(24, 24), "██████");
        assert_eq!(bar(12, 24), "███   ");
        assert_eq!(bar(1, 1000), "▏     ");
        assert_eq!(bar(0, 0), "      ");
    }
}
