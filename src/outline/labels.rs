//! What every node is called, and what is marked on it.

use crate::formats::facts::PartKind;
use crate::session::address::Address;
use crate::session::later::{self, Soon};
use crate::session::open::OpenLog;
use crate::session::{Part, Session, TurnId};
use crate::text::sentences::Kind;
use crate::text::{numbers, preview};

use super::parts::{ranges, size};
use super::{Group, Label, Mark, Node, View, ViewKind};

/// What a node is called.
pub(super) fn label(view: &View, log: &OpenLog, node: Node) -> Label {
    let session = &log.session;
    match node {
        Node::Generation(generation) => generation_label(view, session, generation),
        Node::Section(generation, section) => section_label(view, log, generation, section),
        Node::Sentence(generation, place) => sentence_label(view, log, generation, place),
        Node::Group(group) => group_label(view, log, group),
        Node::Turn(id) => turn_label(view, session, id),
        Node::Part(id, index) => session
            .nth_part(id, index as usize)
            .map_or_else(Label::default, |(_, part)| part_label(view, log, id, index, &part)),
        Node::Row(row) => row_label(session, row),
        Node::Clearing(place) => clearing_label(session, place as usize),
        Node::Share(index) => share_label(view, session, usize::from(index)),
        Node::Thread(thread) => thread_label(session, usize::from(thread)),
        Node::Agent(agent) => agent_label(log, usize::from(agent)),
        Node::AgentTurn(agent, id) => of_agent(log, agent, |inner, name| {
            let mut label = bare_turn_label(&inner.session, id);
            label.address = Some(inner.address(id, Some(name)));
            label.out = true;
            label
        }),
        Node::AgentPart(agent, id, index) => of_agent(log, agent, |inner, name| {
            let Some((_, part)) = inner.session.nth_part(id, index as usize) else {
                return Label::default();
            };
            let mut label = bare_part_label(inner, id, index, &part);
            label.address = Some(with_part(inner.address(id, Some(name)), index));
            label.out = true;
            label
        }),
        // What views have that show something else than the log is theirs ([`super::OwnTree`]).
        _ => Label { kind: "root", ..Label::default() },
    }
}

fn of_agent(log: &OpenLog, agent: u16, label: impl FnOnce(&OpenLog, &str) -> Label) -> Label {
    match log.agent_log(usize::from(agent)) {
        Ok(inner) => label(inner, &log.agents()[usize::from(agent)].file.name),
        Err(error) => Label { kind: "thread", text: error, ..Label::default() },
    }
}

fn generation_label(view: &View, session: &Session, generation: u32) -> Label {
    let Some(compaction) = session.generation(generation) else { return Label::default() };
    let trigger = compaction.trigger.as_deref().unwrap_or("");
    let mut marks = Vec::new();
    let mut text = match compaction.summary {
        None => "boundary without a summary".to_owned(),
        Some(_) if compaction.covers.is_empty() && compaction.kept.is_empty() => {
            "summary of turns in another file".to_owned()
        }
        Some(_) => {
            let sealed = compaction.encrypted.map(|size| numbers::bytes(u64::from(size)));
            let what = sealed.map_or("summary".to_owned(), |size| format!("encrypted summary ({size})"));
            let turns = numbers::count(u64::from(compaction.covered()), "turn");
            let kept = compaction.kept_turns();
            let kept = if kept > 0 { format!(" · {kept} kept") } else { String::new() };
            format!("{what} of {turns}{kept}")
        }
    };
    if !trigger.is_empty() {
        text = format!("{text} · {trigger}");
    }
    if let Some(before) = compaction.before(numbers::short) {
        text = format!("{text} · at {before}");
    }
    if compaction.depth > 1 {
        text = format!("{text} · depth {}", compaction.depth);
    }
    if compaction.summary.is_some() {
        if compaction.unreadable().is_some() {
            marks.push(Mark::Unreadable);
        }
        match compaction.complete {
            Some(false) => marks.push(Mark::Incomplete),
            None => marks.push(Mark::Untold),
            Some(true) => {}
        }
        let provenance = session.provenance(compaction).name();
        if provenance == "positional" {
            marks.push(Mark::Provenance(provenance));
        }
    }
    Label {
        kind: "summary",
        address: Some(Address::Generation(generation)),
        who: "",
        text,
        tokens: match (view.kind, compaction.summary) {
            // In view is also what stands beside the summary's text.
            (ViewKind::Window, Some(id)) => Some(u64::from(session.turn(id).tokens)),
            _ => compaction.summary_tokens.map(u64::from),
        },
        turn: compaction.summary.map(|id| session.turn(id).number),
        recorded: true,
        out: compaction.summary.is_none() || view.summary != Some(generation),
        marks,
    }
}

fn section_label(view: &View, log: &OpenLog, generation: u32, section: u16) -> Label {
    let summary = view.summary_text(log, generation);
    let Some(section) = summary.sections.get(usize::from(section)) else { return Label::default() };
    let body = &summary.text[section.range.clone()];
    let text = if section.heading.is_empty() { preview::of(body) } else { section.heading.clone() };
    Label {
        kind: "section",
        text,
        tokens: Some(u64::from(crate::text::tokens::estimate(body))),
        turn: log
            .session
            .generation(generation)
            .and_then(|c| c.summary)
            .map(|id| log.session.turn(id).number),
        recorded: true,
        out: view.summary != Some(generation),
        ..Label::default()
    }
}

/// The most characters of a sentence in its label.
const SENTENCE: usize = 400;

fn sentence_label(view: &View, log: &OpenLog, generation: u32, place: u32) -> Label {
    let summary = view.summary_text(log, generation);
    let Some(sentence) = summary.sentences().get(place as usize) else { return Label::default() };
    let turn = log.session.generation(generation).and_then(|compaction| compaction.summary);
    Label {
        kind: "sentence",
        address: Some(Address::Sentence { generation, sentence: place + 1 }),
        who: if sentence.kind == Kind::Code { "code" } else { "" },
        text: preview::first(sentence.text(&summary.text), SENTENCE),
        turn: turn.map(|id| log.session.turn(id).number),
        recorded: true,
        out: view.summary != Some(generation),
        ..Label::default()
    }
}

fn group_label(view: &View, log: &OpenLog, group: Group) -> Label {
    let session = &log.session;
    let turns = |count: usize| numbers::count(count as u64, "turn");
    let of_ranges = |name: &str| {
        let ranges = ranges(log, group);
        format!("{name} {} · {}", range_text(ranges), turns(size(ranges)))
    };
    let in_view = || view.window_turns as usize;
    let text = match group {
        Group::Since => match view.summary {
            Some(generation) => format!("since g{generation} · {}", turns(in_view())),
            None => format!("since the beginning · {}", turns(in_view())),
        },
        Group::Kept => format!("kept word for word · {}", turns(view.kept.len())),
        Group::Fill => match session.context_size(view.as_of) {
            Some((logged, _)) => {
                format!("what fills the window, of the {} logged", numbers::short(u64::from(logged)))
            }
            None => "what fills the window".to_owned(),
        },
        Group::Out => "out of the window".to_owned(),
        Group::Covered(generation) => of_ranges(&format!("covered by g{generation}")),
        Group::KeptBy(_) => of_ranges("kept"),
        Group::AbandonedIn(_) => of_ranges("abandoned before it"),
        Group::Abandoned => format!("abandoned branches · {}", turns(view.abandoned.len())),
        Group::Earlier => format!("earlier conversations · {}", turns(view.earlier.len())),
        Group::Notes(id) => numbers::count(session.notes_after(id).len() as u64, "note"),
        Group::Matches => format!("matching turns · {}", turns(view.matches.len())),
        Group::Threads => format!(
            "sub-agents of the whole session · {}",
            numbers::count(log.thread_count() as u64 - 1, "thread")
        ),
        // Other trees' ([`super::OwnTree`]).
        _ => String::new(),
    };
    let tokens = match group {
        Group::Since => Some(view.tokens_in_view(session)),
        Group::Kept => Some(view.kept.iter().map(|id| super::window::shown_tokens(view, session, *id)).sum()),
        _ => None,
    };
    let out = !matches!(group, Group::Since | Group::Kept | Group::Fill | Group::Notes(_) | Group::Matches);
    Label { kind: "group", text, tokens, recorded: group != Group::Fill, out, ..Label::default() }
}

/// `t1–t299, t301`.
pub(super) fn range_text(ranges: &[(u32, u32)]) -> String {
    let one =
        |(from, to): &(u32, u32)| if from == to { format!("t{from}") } else { format!("t{from}–t{to}") };
    let shown: Vec<String> = ranges.iter().take(3).map(one).collect();
    let more = if ranges.len() > 3 { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

pub(super) fn bare_turn_label(session: &Session, id: TurnId) -> Label {
    let turn = session.turn(id);
    let tools: Vec<&str> = session
        .parts(id)
        .filter(|(_, part)| matches!(part.kind, PartKind::ToolCall | PartKind::ToolResult))
        .filter_map(|(_, part)| session.named(part.tool))
        .collect();
    let preview = session.preview(&turn);
    let text = match (tools.as_slice(), preview.is_empty()) {
        ([], _) => preview,
        ([one], true) => (*one).to_owned(),
        ([one], false) if turn.preview_is_text() => format!("{preview} → {one}"),
        ([one], false) => format!("{one} {preview}"),
        ([first, rest @ ..], _) => format!("{preview} → {first} +{}", rest.len()),
    };
    let mut marks = Vec::new();
    if turn.has_voice() {
        marks.push(Mark::Voice);
    } else if turn.has_error() {
        marks.push(Mark::Error);
    }
    if turn.is_withdrawn() {
        marks.push(Mark::Withdrawn);
    } else if turn.is_queued() {
        marks.push(Mark::Queued);
    }
    if turn.is_injected() {
        marks.push(Mark::Injected);
    }
    if let Some((_, leaf)) = session.branch_summaries().iter().find(|(summary, _)| *summary == id) {
        marks.push(Mark::SumsUp(session.turn(*leaf).number));
    }
    if turn.is_dangling() {
        marks.push(if session.hangs_forward(id) { Mark::Forward } else { Mark::Dangling });
    }
    if let Some(before) = session.continues(id) {
        marks.push(Mark::Continues(session.turn(before).number));
    }
    Label {
        kind: if turn.is_summary() { "summary" } else { "turn" },
        address: Some(session.address(id)),
        who: turn.role.name(),
        text,
        tokens: Some(u64::from(turn.tokens)),
        turn: Some(turn.number),
        recorded: true,
        out: false,
        marks,
    }
}

fn turn_label(view: &View, session: &Session, id: TurnId) -> Label {
    let mut label = bare_turn_label(session, id);
    let turn = session.turn(id);
    if turn.thread != 0 {
        label.out = true;
        return label;
    }
    label.out = !view.sees(session, id);
    if session.withdrawn_at(id).is_some_and(|at| at > view.as_of) {
        label.marks.retain(|mark| *mark != Mark::Withdrawn);
        label.marks.push(Mark::Queued);
    }
    if session.is_abandoned(id, view.as_of) && !turn.is_withdrawn() {
        label.marks.push(Mark::Abandoned(turn.abandoned_at));
    }
    if let Some(at) = session.cleared_at(id).filter(|at| *at <= view.as_of) {
        label.marks.push(Mark::Cleared(at));
    } else if !label.out && view.is_outlier(session, id) {
        label.marks.push(Mark::Outlier);
    }
    label
}

fn with_part(address: Address, index: u32) -> Address {
    match address {
        Address::Turn { thread, number, .. } => Address::Turn { thread, number, part: Some(index) },
        other => other,
    }
}

pub(super) fn bare_part_label(log: &OpenLog, id: TurnId, index: u32, part: &Part) -> Label {
    let session = &log.session;
    let tool = session.named(part.tool).unwrap_or_default();
    let words = match part.kind {
        PartKind::ToolCall if part.path != crate::session::NO_NAME => session.name(part.path).to_owned(),
        _ => first_words(log, id, index),
    };
    let text = if tool.is_empty() { words } else { format!("{tool} {words}") };
    let mut marks = Vec::new();
    if part.voice {
        marks.push(Mark::Voice);
    } else if part.error {
        marks.push(Mark::Error);
    } else if part.again {
        marks.push(Mark::ToldAgain);
    }
    Label {
        kind: "part",
        address: Some(with_part(session.address(id), index)),
        who: match part.kind {
            PartKind::Text => "text",
            PartKind::Thinking => "thinking",
            PartKind::ToolCall => "call",
            PartKind::ToolResult => "result",
            PartKind::Image => "image",
            PartKind::Encrypted => "sealed",
            PartKind::Other => "other",
        },
        text,
        tokens: Some(u64::from(part.tokens)),
        turn: Some(session.turn(id).number),
        recorded: true,
        out: false,
        marks,
    }
}

/// The first words of a part, read back from the log: labels are made only for rows on the screen.
fn first_words(log: &OpenLog, id: TurnId, index: u32) -> String {
    match log.first_words(id, index) {
        Ok(Soon::Ready(words)) => words,
        Ok(Soon::Later(bytes)) => later::note(bytes),
        Err(error) => error,
    }
}

fn part_label(view: &View, log: &OpenLog, id: TurnId, index: u32, part: &Part) -> Label {
    let mut label = bare_part_label(log, id, index, part);
    label.out = !view.sees(&log.session, id);
    label
}

pub(super) fn row_label(session: &Session, row: u32) -> Label {
    let Some(record) = session.rows().get(row) else { return Label::default() };
    let reason = session.malformed_reason(row);
    let mut marks = Vec::new();
    if record.is_repaired() {
        marks.push(Mark::Repaired);
    }
    let text = match (reason, record.kind) {
        (Some(reason), _) => reason.to_owned(),
        (None, crate::session::RowKind::Echo) => {
            let of = session.echo_of(row).map(|of| session.address(of));
            format!("{} repeats {}", session.label(&record), of.map_or_else(String::new, |a| a.to_string()))
        }
        _ => session.label(&record).to_owned(),
    };
    Label {
        kind: if reason.is_some() { "malformed" } else { "note" },
        address: Some(Address::Line(record.line)),
        who: if reason.is_some() { "malformed" } else { "" },
        text,
        recorded: true,
        out: true,
        marks,
        ..Label::default()
    }
}

fn clearing_label(session: &Session, place: usize) -> Label {
    let Some(clearing) = session.clearings().get(place) else { return Label::default() };
    let saved =
        clearing.tokens_saved.map_or_else(String::new, |saved| format!(" · {} saved", numbers::short(saved)));
    Label {
        kind: "microcompaction",
        address: session.rows().get(clearing.row).map(|row| Address::Line(row.line)),
        text: format!("results of {} cleared{saved}", numbers::count(clearing.turns.len() as u64, "turn")),
        turn: Some(clearing.turn),
        recorded: true,
        ..Label::default()
    }
}

fn share_label(view: &View, session: &Session, index: usize) -> Label {
    let fill = view.fill(session);
    let Some(share) = fill.kinds.iter().chain(&fill.files).nth(index) else { return Label::default() };
    let shown: u64 = fill.kinds.iter().map(|share| share.tokens).sum();
    let logged = session.context_size(view.as_of).map_or(0, |(tokens, _)| u64::from(tokens));
    let percent = (share.tokens * 100).checked_div(shown.max(logged)).unwrap_or(0);
    Label {
        kind: "share",
        text: format!("{percent:>3} % {} · {}", share.what, numbers::count(u64::from(share.turns), "turn")),
        tokens: Some(share.tokens),
        ..Label::default()
    }
}

fn thread_label(session: &Session, thread: usize) -> Label {
    let Some(thread) = session.threads().get(thread) else { return Label::default() };
    let from =
        thread.started_by.map_or_else(String::new, |id| format!(" · started at {}", session.address(id)));
    let words = thread.turns.first().map(|id| session.preview(&session.turn(id))).unwrap_or_default();
    Label {
        kind: "thread",
        address: Some(Address::Thread(thread.name.to_string())),
        text: format!("{}{from} · {words}", numbers::count(thread.turns.len() as u64, "turn")),
        recorded: true,
        out: true,
        ..Label::default()
    }
}

fn agent_label(log: &OpenLog, agent: usize) -> Label {
    let Some(known) = log.agents().get(agent) else { return Label::default() };
    let reported = crate::session::subagents::reported_by(&log.session, &known.file.name);
    let from = reported.map_or_else(String::new, |id| format!("reported at {} · ", log.session.address(id)));
    let text = match log.agent_log(agent) {
        Ok(inner) => {
            let main = inner.session.main();
            let first = main.turns.first().map(|id| inner.session.turn(id));
            let words = first.map(|turn| inner.session.preview(&turn)).unwrap_or_default();
            format!("{from}{} · {words}", numbers::count(main.turns.len() as u64, "turn"))
        }
        Err(error) => format!("{from}{error}"),
    };
    Label {
        kind: "thread",
        address: Some(Address::Thread(known.file.name.clone())),
        text,
        recorded: true,
        out: true,
        ..Label::default()
    }
}
