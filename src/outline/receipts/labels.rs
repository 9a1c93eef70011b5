//! What stands in a row of the compacted prompt.

use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::OpenLog;
use crate::strategies::context_gc::Stage;
use crate::strategies::context_gc::session::{Prompt, Replay, Stub};
use crate::text::numbers::{count, grouped};

use super::super::labels::{bare_part_label, bare_turn_label, row_label};
use super::super::{Group, Label, Mark, Node};
use super::{Pruning, ReceiptsTree, stages};

/// The stage, or that the log records it: a word for a narrow column.
pub fn stage_name(stage: Option<Stage>) -> &'static str {
    stage.map_or("recorded", Stage::name)
}

/// What a stage prunes, by its place.
pub fn stage_at(place: u8) -> Option<Stage> {
    Stage::ALL.get(usize::from(place)).copied()
}

/// What a stage prunes, in words.
pub fn stage_words(stage: Option<Stage>) -> &'static str {
    match stage {
        Some(Stage::Sweep) => "on a branch that was given up",
        Some(Stage::Override) => "a newer value is in force",
        Some(Stage::Dedup) => "said before",
        Some(Stage::Cycle) => "in a circle",
        None => "cleared by the agent itself",
    }
}

/// What superseded an event, in one word.
fn cause_word(stage: Option<Stage>) -> &'static str {
    match stage {
        Some(Stage::Override) => "newer",
        Some(Stage::Dedup) => "first",
        _ => "by",
    }
}

impl ReceiptsTree {
    /// What a node is called.
    pub(super) fn label_of(&self, log: &OpenLog, node: Node) -> Label {
        let Pruning { replay, prompt } = &*self.shared.borrow();
        match node {
            Node::Group(Group::Notes(id)) => {
                group(count(log.session.notes_after(id).len() as u64, "note"), None)
            }
            Node::Group(known) => group_label(log, prompt, known),
            Node::Stage(stage) => stage_label(prompt, stage),
            Node::Receipts(first) => self.run_label(log, replay, prompt, first),
            Node::Receipt(item) => match replay.stub(item, self.as_of) {
                Some(stub) => receipt_label(log, replay, item, &stub),
                None => Label::default(),
            },
            Node::Cause(item) => match replay.stub(item, self.as_of) {
                Some(stub) => cause_label(log, replay, &stub),
                None => Label::default(),
            },
            Node::Turn(id) => self.turn_label(log, replay, prompt, id),
            Node::Part(id, index) => {
                let mut label = part_label(log, replay, id, index);
                label.out = replay.pruned_at(id, Some(index), self.as_of).next().is_some();
                label
            }
            Node::Row(row) => row_label(&log.session, row),
            _ => Label { kind: "root", ..Label::default() },
        }
    }

    fn turn_label(&self, log: &OpenLog, replay: &Replay, prompt: &Prompt, id: TurnId) -> Label {
        let session = &log.session;
        let mut label = bare_turn_label(session, id);
        label.out = prompt.row_of(id).is_none();
        if label.out && session.is_abandoned(id, self.as_of) && !session.turn(id).is_withdrawn() {
            label.marks.push(Mark::Abandoned(session.turn(id).abandoned_at));
        }
        let gone = prompt.receipts_at(id).flat_map(|item| replay.parts_of(item));
        let gone = gone.filter(|(turn, _)| *turn == id).count() as u32;
        if gone > 0 {
            label.marks.push(Mark::Pruned(gone));
        }
        for kept in replay.kept(id, self.as_of) {
            label.marks.push(Mark::Kept(format!("{}, though {}", kept.keeper, kept.reason)));
        }
        if session.format.is_trace()
            && let Some(name) = replay.named(id)
        {
            label.text = format!("{name} · {}", label.text);
        }
        label
    }

    fn run_label(&self, log: &OpenLog, replay: &Replay, prompt: &Prompt, first: u32) -> Label {
        /// More receipts than this are not looked at to say what they have in common.
        const LOOKED_AT: usize = 24;
        let receipts = prompt.run_len(replay, first);
        let looked_at: Vec<Stub> = (0..receipts.min(LOOKED_AT))
            .filter_map(|at| prompt.in_run(replay, first, at))
            .filter_map(|item| replay.stub(item, self.as_of))
            .collect();
        let mut names: Vec<&'static str> = Vec::new();
        for stub in &looked_at {
            let name = stage_name(stub.stage);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let reasons =
            looked_at.first().filter(|known| looked_at.iter().all(|stub| stub.reason == known.reason));
        let words = match (reasons, names.as_slice()) {
            (Some(stub), _) if receipts <= LOOKED_AT => stub.reason.clone(),
            (_, [_]) => looked_at.first().map_or_else(String::new, |stub| format!("{}, …", stub.reason)),
            (_, names) if receipts <= LOOKED_AT => names.join(", "),
            (_, names) => format!("{}, …", names.join(", ")),
        };
        let all_recorded = looked_at.iter().all(|stub| stub.stage.is_none());
        Label {
            kind: "receipt",
            address: Some(Address::Receipt(replay.name(first).to_owned())),
            who: if names.len() == 1 { names[0] } else { "" },
            text: format!("+{} · {words}", grouped(receipts.saturating_sub(1) as u64)),
            tokens: Some(prompt.run_tokens(replay, first)),
            turn: replay.origin(first).map(|(turn, _)| log.session.turn(turn).number),
            recorded: all_recorded,
            ..Label::default()
        }
    }
}

fn group(text: String, tokens: Option<u64>) -> Label {
    Label { kind: "group", text, tokens, ..Label::default() }
}

fn group_label(log: &OpenLog, prompt: &Prompt, known: Group) -> Label {
    let totals = prompt.totals();
    match known {
        Group::Pruned => {
            let of = |stage: u8| {
                let receipts = prompt.of_stage(usize::from(stage)).len() as u64;
                format!("{} {}", grouped(receipts), stage_name(stage_at(stage)))
            };
            let words: Vec<String> = stages(prompt).map(of).collect();
            let tokens = stages(prompt).map(|stage| prompt.stage_tokens(usize::from(stage))).sum();
            group(format!("pruned · {}", words.join(", ")), Some(tokens))
        }
        Group::Prompt => {
            let kept =
                if totals.kept > 0 { format!(" · {} kept", grouped(totals.kept)) } else { String::new() };
            group(format!("prompt · {}{kept}", count(prompt.len() as u64, "line")), Some(totals.after))
        }
        Group::Beside => {
            let what = if log.session.format.is_trace() { "event" } else { "turn" };
            group(format!("beside it · {}", count(prompt.beside().len() as u64, what)), None)
        }
        _ => Label::default(),
    }
}

fn stage_label(prompt: &Prompt, place: u8) -> Label {
    let stage = stage_at(place);
    let receipts = prompt.of_stage(usize::from(place)).len() as u64;
    Label {
        kind: "stage",
        who: stage_name(stage),
        text: format!("{} · {}", count(receipts, "event"), stage_words(stage)),
        tokens: Some(prompt.stage_tokens(usize::from(place))),
        recorded: stage.is_none(),
        ..Label::default()
    }
}

/// The label of a part; of the only part of a trace's event, what the event says.
fn part_label(log: &OpenLog, replay: &Replay, id: TurnId, index: u32) -> Label {
    let Some((_, part)) = log.session.nth_part(id, index as usize) else { return Label::default() };
    let mut label = bare_part_label(log, id, index, &part);
    if log.session.format.is_trace()
        && let Some(name) = replay.named(id)
    {
        label.text = format!("{name} · {}", label.text);
    }
    label
}

/// What an event says, in a few words.
fn words(log: &OpenLog, parts: &[(TurnId, u32)]) -> String {
    let Some((turn, index)) = parts.first() else { return String::new() };
    let part = log.session.nth_part(*turn, *index as usize);
    part.map_or_else(String::new, |(_, part)| bare_part_label(log, *turn, *index, &part).text)
}

fn receipt_label(log: &OpenLog, replay: &Replay, item: u32, stub: &Stub) -> Label {
    Label {
        kind: "receipt",
        address: Some(Address::Receipt(stub.id.clone())),
        who: stage_name(stub.stage),
        text: format!("{} · {}", stub.reason, words(log, &stub.parts)),
        tokens: Some(replay.tokens(&log.session, item)),
        turn: Some(stub.at),
        recorded: stub.stage.is_none(),
        ..Label::default()
    }
}

fn cause_label(log: &OpenLog, replay: &Replay, stub: &Stub) -> Label {
    let label = match stub.by.and_then(|by| replay.origin(by)) {
        // Of a call with its result, what was asked for says more.
        Some((turn, Some(part))) if !log.session.format.is_trace() => {
            let by = stub.by.map_or(&[][..], |by| replay.parts_of(by));
            Label { text: words(log, by), ..part_label(log, replay, turn, part) }
        }
        Some((turn, Some(part))) => part_label(log, replay, turn, part),
        Some((turn, None)) => bare_turn_label(&log.session, turn),
        None => Label::default(),
    };
    Label { kind: "cause", who: cause_word(stub.stage), ..label }
}
