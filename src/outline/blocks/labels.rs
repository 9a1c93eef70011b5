//! What stands in a row of the block hierarchy.

use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::blocks::summaries::Waiting;
use crate::strategies::blocks::{Made, State};
use crate::text::numbers::{count, short};
use crate::text::preview;

use super::super::labels::{bare_part_label, bare_turn_label, range_text, row_label};
use super::super::{Group, Label, Mark, Node};
use super::{BlocksView, LedgerSum};

impl BlocksView<'_> {
    /// What a node is called.
    pub(super) fn label_of(&self, log: &OpenLog, node: Node) -> Label {
        match node {
            Node::Made(made) => self.made_label(log, made),
            Node::MadeSentence(made, place) => self.sentence_label(made, place),
            Node::Piece(made, level, index) => self.piece_label(log, made, level, index),
            Node::Item(number) => self.item_label(log, number),
            Node::Pinned(id) => Self::pinned_label(log, id),
            Node::Group(Group::Notes(id)) => Label {
                kind: "group",
                text: count(log.session.notes_after(id).len() as u64, "note"),
                ..Label::default()
            },
            Node::Group(group) => self.group_label(log, group),
            Node::Turn(id) => self.turn_label(log, id),
            Node::Part(id, index) => match log.session.nth_part(id, index as usize) {
                Some((_, part)) => bare_part_label(log, id, index, &part),
                None => Label::default(),
            },
            Node::Row(row) => row_label(&log.session, row),
            _ => Label { kind: "root", ..Label::default() },
        }
    }

    fn made_label(&self, log: &OpenLog, made: Made) -> Label {
        let Some((from, to)) = self.blocks.range(made) else { return Label::default() };
        let mut words = vec![range_text(&[(from, to)])];
        let spans = self.blocks.spans(self.as_of);
        let in_view = spans.last();
        let (planned, originals, turn, out) = match made {
            Made::Block(number) => {
                let Some(block) = self.blocks.block(number) else { return Label::default() };
                words.push(format!("closed by {} at t{}", block.closed_by.name(), block.closed_at));
                let left = self.abandoned(log, block).len();
                if left > 0 {
                    words.push(format!("{left} abandoned since"));
                }
                (block.planned, block.originals, block.closed_at, in_view.is_some_and(|s| number <= s.blocks))
            }
            Made::Span(number) => {
                let Some(span) = self.blocks.span(number) else { return Label::default() };
                words.push(count(u64::from(span.blocks), "block"));
                words.push(match span.prepared_at {
                    Some(at) => format!("made at t{}, prepared at t{at}", span.made_at),
                    None => format!("made at t{}", span.made_at),
                });
                (span.planned, span.originals, span.made_at, in_view.is_some_and(|s| number != s.number))
            }
            Made::Fold(_) => return Label::default(),
        };
        words.push(count(u64::from(to - from + 1), "turn"));
        words.push(format!("of ~{}", short(originals)));
        if let Some(plan) = self.plan(log, made) {
            words.push(format!("depth {}", plan.depth()));
        }
        let replaced = spans.iter().find(|span| match made {
            Made::Block(number) => number <= span.blocks,
            Made::Span(number) | Made::Fold(number) => number < span.number,
        });
        words.extend(replaced.filter(|_| out).map(|span| format!("replaced by p{}", span.number)));
        let waiting = self.summaries.and_then(|summaries| summaries.waiting(self.blocks, made));
        words.extend(self.standing(made).filter(|_| waiting.is_none()));
        let known = self.summaries.and_then(|summaries| summaries.known(self.blocks, made));
        Label {
            marks: if matches!(known, Some(Err(_))) { vec![Mark::NoSummary] } else { Vec::new() },
            who: match waiting {
                Some(Waiting::Queued) => "waits",
                Some(Waiting::Running) => "writing…",
                None => "",
            },
            kind: made.kind(),
            address: Some(made.address()),
            text: words.join(" · "),
            tokens: Some(u64::from(planned)),
            turn: Some(turn),
            out,
            ..Label::default()
        }
    }

    /// What there is of a summary, in words.
    fn standing(&self, made: Made) -> Option<String> {
        let known = self.summaries.and_then(|summaries| summaries.known(self.blocks, made));
        Some(match known {
            Some(Ok(written)) => {
                let c = &written.carries;
                let frozen = if self.is_frozen() { " · frozen, originals not retained" } else { "" };
                format!(
                    "written ~{} · carries {}/{} exact, {}/{} open, {}/{} binding{frozen}",
                    short(u64::from(written.tokens)),
                    c.exact.carried,
                    c.exact.of,
                    c.open.carried,
                    c.open.of,
                    c.binding.carried,
                    c.binding.of,
                )
            }
            // The mark says that there is none.
            Some(Err(failure)) => failure.to_string(),
            None if self.is_frozen() => "no summary, originals not retained".into(),
            None => {
                self.summaries?;
                "not written".into()
            }
        })
    }

    fn piece_label(&self, log: &OpenLog, made: Made, level: u16, index: u16) -> Label {
        let Some(plan) = self.plan(log, made) else { return Label::default() };
        let turns = plan.turns(usize::from(level), usize::from(index));
        let size = plan.pieces.get(usize::from(index)).filter(|_| level == 1).map(|piece| piece.tokens);
        let of = size.map_or_else(String::new, |size| format!(" · of ~{}", short(size)));
        Label {
            kind: "level",
            text: format!("level {level} · {}{of} · depth {level}", range_text(&[turns])),
            tokens: Some(u64::from(self.blocks.budget(made))),
            turn: Some(turns.1),
            out: true,
            ..Label::default()
        }
    }

    fn item_label(&self, log: &OpenLog, number: u32) -> Label {
        let Some(item) = self.blocks.ledger().item(number) else { return Label::default() };
        let mut marks = Vec::new();
        let state = item.state(&log.session, self.as_of);
        if state != State::Open {
            marks.push(Mark::State(state));
        }
        if item.voice {
            marks.push(Mark::Voice);
        }
        marks.extend(item.hand.class.map(|_| Mark::ByHand("class by hand")));
        match item.hand.pinned {
            Some(true) => marks.push(Mark::ByHand("pinned by hand")),
            Some(false) => marks.push(Mark::ByHand("unpinned by hand: not in the context")),
            None => {}
        }
        let gone = item.is_gone(&log.session, self.as_of);
        if gone {
            marks.push(Mark::Abandoned(log.session.turn(item.turn).abandoned_at));
        }
        Label {
            kind: "item",
            address: Some(Address::Item(number)),
            text: format!("t{} {}: {}", item.at, item.kinds().join("+"), item.text),
            tokens: Some(u64::from(item.tokens)),
            turn: Some(item.at),
            out: gone || item.is_unpinned(),
            marks,
            ..Label::default()
        }
    }

    /// A turn that a person pinned, whole.
    fn pinned_label(log: &OpenLog, id: TurnId) -> Label {
        let mut label = bare_turn_label(&log.session, id);
        label.kind = "item";
        label.marks.push(Mark::ByHand("pinned by hand"));
        label
    }

    fn sentence_label(&self, made: Made, place: u32) -> Label {
        let Some(written) = self.written(made) else { return Label::default() };
        let text = written.sentence(place).unwrap_or_default();
        let turns = written.turns_of(place);
        Label {
            kind: "sentence",
            address: Some(made.sentence(place + 1)),
            text: preview::of(text),
            turn: turns.first().copied(),
            ..Label::default()
        }
    }

    fn group_label(&self, log: &OpenLog, group: Group) -> Label {
        let (text, tokens) = match group {
            Group::Ledger => {
                let ledger = self.blocks.ledger();
                let pinned = ledger.pinned(&log.session, self.as_of).len();
                let items = ledger.items(self.as_of);
                let sum = self.ledger.unwrap_or_else(|| LedgerSum::of(self.blocks, log, self.as_of));
                let mut words = vec![format!("ledger · {}", count((items.len() + pinned) as u64, "item"))];
                words.extend((sum.answered > 0).then(|| format!("{} answered", sum.answered)));
                words.extend((sum.superseded > 0).then(|| format!("{} superseded", sum.superseded)));
                words.extend((pinned > 0).then(|| format!("{} by hand", count(pinned as u64, "turn"))));
                (words.join(" · "), sum.tokens)
            }
            Group::Open => {
                let (from, to) = self.blocks.open_range(self.as_of);
                let size = u64::from((to + 1).saturating_sub(from));
                let range = if size > 0 { format!(" {}", range_text(&[(from, to)])) } else { String::new() };
                let tokens = self.blocks.open_tokens(&log.session, self.as_of);
                (format!("open{range} · {}", count(size, "turn")), tokens)
            }
            Group::Lines(made) => {
                let written = self.written(made);
                let sentences = written.map_or(0, |written| written.sentences.len());
                let text = format!("summary · {}", count(sentences as u64, "line"));
                (text, written.map_or(0, |written| u64::from(written.tokens)))
            }
            _ => return Label::default(),
        };
        Label { kind: "group", text, tokens: Some(tokens), ..Label::default() }
    }

    fn turn_label(&self, log: &OpenLog, id: TurnId) -> Label {
        let session = &log.session;
        let turn = session.turn(id);
        let mut label = bare_turn_label(session, id);
        let left = session.is_abandoned(id, self.as_of);
        label.out = left || turn.is_summary() || turn.number < self.blocks.open_range(self.as_of).0;
        if left && !turn.is_withdrawn() {
            label.marks.push(Mark::Abandoned(turn.abandoned_at));
        }
        label
    }
}
