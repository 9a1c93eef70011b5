//! The block hierarchy as a tree: the ledger, spans with their levels, blocks, open turns.
//!
//! All of it but the turns is replayed. Asks the strategy for what there is and the summaries for what was written;
//! writes nothing itself.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::blocks::levels::Plan;
use crate::strategies::blocks::summaries::{Summaries, Written};
use crate::strategies::blocks::{Block, Blocks, Made, Retention, State};
use crate::text::numbers::{count, short};

use super::labels::{bare_part_label, bare_turn_label, range_text, row_label};
use super::{Group, Label, Mark, Node, Outline, parts};

/// The tree of a block hierarchy as of a turn.
#[derive(Debug)]
pub struct BlocksView<'a> {
    /// The hierarchy.
    pub blocks: &'a Blocks,
    /// What was written of it, if anything.
    pub summaries: Option<&'a Summaries>,
    /// The number of the main thread's turn it is as of.
    pub as_of: u32,
    plans: RefCell<HashMap<Made, Option<Rc<Plan>>>>,
}

/// The name of the view on the command line.
pub const NAME: &str = "blocks";

impl<'a> BlocksView<'a> {
    /// The tree as of turn `as_of`.
    pub fn new(blocks: &'a Blocks, summaries: Option<&'a Summaries>, as_of: u32) -> Self {
        Self { blocks, summaries, as_of, plans: RefCell::default() }
    }

    /// What was written for a block or span.
    pub fn written(&self, made: Made) -> Option<&Written> {
        self.summaries?.known(made)?.as_ref().ok().map(|written| &**written)
    }

    /// How its summary is made; nothing where the log cannot be read.
    pub fn plan(&self, log: &OpenLog, made: Made) -> Option<Rc<Plan>> {
        if let Some(plan) = self.plans.borrow().get(&made) {
            return plan.clone();
        }
        let plan = match self.written(made) {
            Some(written) => Some(Rc::new(written.plan.clone())),
            None if self.is_frozen() => None,
            None => {
                let inputs = self.blocks.inputs(&log.session, made);
                let window = self.blocks.settings().window;
                Plan::new(log, &inputs, window, self.blocks.budget(made)).ok().map(Rc::new)
            }
        };
        self.plans.borrow_mut().insert(made, plan.clone());
        plan
    }

    /// Whether the originals of closed blocks are not kept.
    pub fn is_frozen(&self) -> bool {
        self.blocks.settings().retention == Retention::CurrentBlock
    }

    /// Turns of a block that were left behind after it closed.
    pub fn abandoned(&self, log: &OpenLog, block: &Block) -> Vec<u32> {
        let inputs = self.blocks.inputs(&log.session, Made::Block(block.number));
        let left = inputs.into_iter().filter(|id| log.session.is_abandoned(*id, self.as_of));
        left.map(|id| log.session.turn(id).number).collect()
    }

    fn root(&self) -> Vec<Node> {
        let mut root = Vec::new();
        if !self.blocks.ledger().items(self.as_of).is_empty() {
            root.push(Node::Group(Group::Ledger));
        }
        let spans = self.blocks.spans(self.as_of);
        root.extend(spans.last().map(|span| Node::Made(Made::Span(span.number))));
        let replaced = spans.last().map_or(0, |span| span.blocks as usize);
        let after = &self.blocks.closed(self.as_of)[replaced..];
        root.extend(after.iter().map(|block| Node::Made(Made::Block(block.number))));
        root.push(Node::Group(Group::Open));
        // Spans that were replaced by longer ones, newest first.
        root.extend(spans.iter().rev().skip(1).map(|span| Node::Made(Made::Span(span.number))));
        root
    }

    fn children(&self, log: &OpenLog, node: Node) -> Vec<Node> {
        match node {
            Node::Root => self.root(),
            Node::Group(Group::Ledger) => {
                self.blocks.ledger().items(self.as_of).iter().map(|item| Node::Item(item.number)).collect()
            }
            Node::Group(Group::Open) => turns(log, self.blocks.open_range(self.as_of)),
            Node::Made(made) => {
                let mut children = self.pieces(log, made);
                match made {
                    Made::Block(number) if !self.is_frozen() => {
                        children
                            .extend(self.blocks.block(number).into_iter().flat_map(|b| turns(log, b.turns)));
                    }
                    Made::Span(number) if self.blocks.spans(self.as_of).len() == number as usize => {
                        let blocks = self.blocks.span(number).map_or(0, |span| span.blocks);
                        children.extend((1..=blocks).map(|block| Node::Made(Made::Block(block))));
                    }
                    _ => {}
                }
                children
            }
            Node::Piece(made, 1, index) => {
                let plan = self.plan(log, made);
                plan.map_or_else(Vec::new, |plan| turns(log, plan.turns(1, usize::from(index))))
            }
            Node::Piece(made, level, index) => {
                let below =
                    self.plan(log, made).map(|plan| plan.below(usize::from(level), usize::from(index)));
                below.unwrap_or(0..0).map(|place| Node::Piece(made, level - 1, place as u16)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The summaries that the one of `made` joins, where originals exceed the summariser's window.
    fn pieces(&self, log: &OpenLog, made: Made) -> Vec<Node> {
        let Some(plan) = self.plan(log, made) else { return Vec::new() };
        let level = plan.joins.len();
        (0..plan.size(level)).map(|place| Node::Piece(made, level as u16, place as u16)).collect()
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
        words.extend(in_view.filter(|_| out).map(|span| format!("replaced by p{}", span.number)));
        words.extend(self.standing(made));
        Label {
            kind: made.kind(),
            address: Some(address(made)),
            text: words.join(" · "),
            tokens: Some(u64::from(planned)),
            turn: Some(turn),
            out,
            ..Label::default()
        }
    }

    /// What there is of a summary, in words.
    fn standing(&self, made: Made) -> Option<String> {
        let known = self.summaries.and_then(|summaries| summaries.known(made));
        Some(match known {
            Some(Ok(written)) => {
                let c = written.carries;
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
            Some(Err(failure)) => format!("no summary: {failure}"),
            None if self.is_frozen() => "no summary, originals not retained".into(),
            None => return None,
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
        let state = item.state(self.as_of);
        if state != State::Open {
            marks.push(Mark::State(state));
        }
        if item.voice {
            marks.push(Mark::Voice);
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
            out: gone,
            marks,
            ..Label::default()
        }
    }

    fn group_label(&self, log: &OpenLog, group: Group) -> Label {
        let context = self.blocks.context(&log.session, self.as_of);
        let (text, tokens) = match group {
            Group::Ledger => {
                let items = self.blocks.ledger().items(self.as_of).len() as u64;
                let force = self.blocks.ledger().in_force(&log.session, self.as_of);
                let tokens = force.iter().map(|item| u64::from(item.tokens)).sum();
                (format!("ledger · {}", count(items, "item")), tokens)
            }
            Group::Open => {
                let (from, to) = self.blocks.open_range(self.as_of);
                let size = u64::from((to + 1).saturating_sub(from));
                let range = if size > 0 { format!(" {}", range_text(&[(from, to)])) } else { String::new() };
                let open = context.entries.iter().filter(|entry| entry.kind() == "turn");
                (format!("open{range} · {}", count(size, "turn")), open.map(|e| e.tokens(&log.session)).sum())
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

fn turns(log: &OpenLog, (from, to): (u32, u32)) -> Vec<Node> {
    (from..=to).filter_map(|number| log.session.numbered(0, number)).map(Node::Turn).collect()
}

/// The address of a block or span.
fn address(made: Made) -> Address {
    match made {
        Made::Block(number) => Address::Block(number),
        Made::Span(number) | Made::Fold(number) => Address::Span(number),
    }
}

impl Outline for BlocksView<'_> {
    fn count(&self, log: &OpenLog, node: Node) -> usize {
        match node {
            Node::Turn(_) | Node::Part(..) | Node::Group(Group::Notes(_)) | Node::Row(_) => {
                parts::count(log, node)
            }
            _ => self.children(log, node).len(),
        }
    }

    fn child(&self, log: &OpenLog, node: Node, index: usize) -> Option<Node> {
        match node {
            Node::Turn(_) | Node::Group(Group::Notes(_)) => parts::child(log, node, index),
            _ => self.children(log, node).get(index).copied(),
        }
    }

    fn position(&self, log: &OpenLog, node: Node, child: Node) -> Option<usize> {
        match node {
            Node::Turn(_) | Node::Group(Group::Notes(_)) => parts::position(log, node, child),
            _ => self.children(log, node).iter().position(|known| *known == child),
        }
    }

    fn label(&self, log: &OpenLog, node: Node) -> Label {
        match node {
            Node::Made(made) => self.made_label(log, made),
            Node::Piece(made, level, index) => self.piece_label(log, made, level, index),
            Node::Item(number) => self.item_label(log, number),
            Node::Group(Group::Notes(id)) => Label {
                kind: "group",
                text: count(log.session.notes_after(id).len() as u64, "note"),
                ..Label::default()
            },
            Node::Group(group) => self.group_label(log, group),
            Node::Turn(id) => self.turn_label(log, id),
            Node::Part(id, index) => match log.session.nth_part(id, index as usize) {
                Some((_, part)) => bare_part_label(log, id, index, part),
                None => Label::default(),
            },
            Node::Row(row) => row_label(&log.session, row),
            _ => Label { kind: "root", ..Label::default() },
        }
    }

    fn sources(&self, log: &OpenLog, node: Node) -> Vec<TurnId> {
        match node {
            Node::Made(made) => self.blocks.inputs(&log.session, made),
            Node::Piece(made, level, index) => {
                let plan = self.plan(log, made);
                let turns = plan.map(|plan| plan.turns(usize::from(level), usize::from(index)));
                let holds = |id: &TurnId| {
                    turns.is_some_and(|(from, to)| (from..=to).contains(&log.session.turn(*id).number))
                };
                self.blocks.inputs(&log.session, made).into_iter().filter(holds).collect()
            }
            Node::Item(number) => {
                self.blocks.ledger().item(number).map(|item| item.turn).into_iter().collect()
            }
            Node::Group(Group::Open) => {
                let context = self.blocks.context(&log.session, self.as_of);
                context.entries.iter().filter_map(crate::strategies::Entry::turn).collect()
            }
            Node::Group(Group::Ledger) => {
                self.blocks.ledger().items(self.as_of).iter().map(|item| item.turn).collect()
            }
            Node::Turn(id) | Node::Part(id, _) => vec![id],
            _ => Vec::new(),
        }
    }
}
