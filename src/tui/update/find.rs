//! Finding: search, jump, filter.

use crate::outline::Node;
use crate::session::address::{Address, Moment};
use crate::session::{Session, TurnId};

use super::super::document::{Document, Line};
use super::super::filter::Filter;
use super::super::model::{Model, Pane, Shows};
use super::super::pager::Place;
use super::super::prompt::{Kind, Prompt};
use super::super::search::{Found, Search, compile};
use super::Effect;

/// Why nothing is selected where something was found.
pub(super) const NOT_SHOWN: &str = "this view does not show it; 1 is the Window, and Esc ends a filter";

/// A line was typed to its end.
pub(super) fn answer(model: &mut Model, prompt: &Prompt) -> Vec<Effect> {
    match prompt.kind {
        Kind::Search => return search(model, &prompt.text),
        Kind::Jump => jump(model, prompt.text.trim()),
        Kind::Filter => filter(model, &prompt.text),
        Kind::Question => super::forest::ask(model, prompt.text.trim()),
        // Asked for in the list of sessions only.
        Kind::Sessions => {}
    }
    Vec::new()
}

fn search(model: &mut Model, text: &str) -> Vec<Effect> {
    if text.is_empty() {
        model.search = None;
        return Vec::new();
    }
    match compile(text) {
        Ok(pattern) if model.forest.file().is_some() => {
            super::forest::search(model, text, pattern);
            Vec::new()
        }
        Ok(_) if model.log.is_some() => vec![Effect::Search(text.to_owned(), false)],
        Ok(_) => Vec::new(),
        Err(error) => {
            model.message = Some(error);
            Vec::new()
        }
    }
}

/// A search reports: goes to the first match at or after the selection as soon as there is one.
pub(super) fn take(model: &mut Model, found: Found) {
    let Some(search) = &mut model.search else { return };
    if search.number != found.number {
        return;
    }
    search.take(found);
    // What a person reads is searched first.
    if !search.gone && model.pane == Pane::Detail && to_line(model, match_line(model, 0, true)) {
        if let Some(search) = &mut model.search {
            search.gone = true;
        }
        return;
    }
    let gone = model.search.as_ref().is_some_and(|search| search.gone);
    if !gone && super::audit::next_found(model, true) {
        if let Some(search) = &mut model.search {
            search.gone = true;
        }
        return;
    }
    let Some(search) = &model.search else { return };
    let (none, done, gone) = (search.hits.is_empty(), search.is_done(), search.gone);
    let after = model.selected_turn();
    let here = |search: &Search| {
        search.hits.iter().copied().find(|hit| after.is_none_or(|at| *hit >= at) && model.lets_through(*hit))
    };
    match model.search.as_ref().and_then(here) {
        Some(hit) if !gone => go_to_hit(model, hit),
        None if !gone && !none && done => next(model, true),
        _ if none && done => model.message = Some(nothing_found(model).to_owned()),
        _ => {}
    }
}

fn nothing_found(model: &Model) -> &'static str {
    if model.session().is_some_and(|session| session.partial) {
        "nothing found in the end of the log: the rest is searched once it is read"
    } else {
        "nothing found in any turn"
    }
}

/// To the next turn with a match, or first to the next match further down in the text on the screen.
pub(super) fn next(model: &mut Model, on: bool) {
    if model.search.is_some() && model.pane == Pane::Detail && next_line(model, on) {
        return;
    }
    if super::audit::next_found(model, on) || super::forest::next_found(model, on) {
        return;
    }
    let Some(search) = &model.search else {
        model.message = Some("no search: type / first".to_owned());
        return;
    };
    let hits = &search.hits;
    if hits.is_empty() {
        let what = if search.is_done() { nothing_found(model) } else { "nothing found yet" };
        model.message = Some(what.to_owned());
        return;
    }
    let at = model.selected_turn();
    let shown = |hit: &&TurnId| model.lets_through(**hit);
    let (ahead, behind) = if on {
        let (behind, ahead) = hits.split_at(at.map_or(0, |at| hits.partition_point(|hit| *hit <= at)));
        (ahead.iter().find(shown), behind.iter().find(shown))
    } else {
        let before = at.map_or(hits.len(), |at| hits.partition_point(|hit| *hit < at));
        let (ahead, behind) = hits.split_at(before);
        (ahead.iter().rfind(shown), behind.iter().rfind(shown))
    };
    let wrapped = ahead.is_none();
    let Some(hit) = ahead.or(behind).copied() else {
        model.message = Some("no match in the turns that the filter shows; Esc ends the filter".to_owned());
        return;
    };
    go_to_hit(model, hit);
    if wrapped && let Some(search) = &model.search {
        let (mut place, mut of) = (0, 0);
        for known in search.hits.iter().filter(|hit| model.lets_through(**hit)) {
            of += 1;
            place += u32::from(*known <= hit);
        }
        let end = if on { "top" } else { "bottom" };
        model.message = Some(format!("search goes on at the {end}: {place} of {of} turns"));
    }
}

fn go_to_hit(model: &mut Model, hit: TurnId) {
    if model.search.as_ref().is_some_and(|search| !search.gone)
        || matches!(model.detail.shows, Shows::Trace(_))
    {
        model.remember();
    }
    if let Some(search) = &mut model.search {
        search.gone = true;
    }
    model.following = false;
    model.detail.shows = Shows::Node;
    let later = model.session().is_some_and(|session| {
        let turn = session.turn(hit);
        turn.thread == 0 && turn.number > model.as_of
    });
    if later {
        let number = model.session().map_or(0, |session| session.turn(hit).number);
        model.move_to(number);
    }
    if !model.select(Node::Turn(hit)) && !super::audit::elsewhere(model, Node::Turn(hit)) {
        model.message = Some(NOT_SHOWN.to_owned());
    }
    model.detail.of = None;
}

impl Model {
    /// Whether the filter, if there is one, shows a turn.
    fn lets_through(&self, id: TurnId) -> bool {
        let session = self.session();
        let passes = |filter: &Filter| session.is_some_and(|session| filter.passes(session, id));
        self.filter.as_ref().is_none_or(passes)
    }

    /// Scrolls the detail to the first match, if there is a search and a match.
    pub(in super::super) fn show_match(&mut self) {
        if self.search.is_some() {
            self.detail.document.unfold();
            if let Some(line) = match_line(self, 0, true) {
                let above = line.saturating_sub(self.detail.height / 3);
                self.detail.place = Place { line: if line < self.detail.height { 0 } else { above }, row: 0 };
            }
        }
    }
}

impl Model {
    /// Scrolls the detail to a stretch of its text: to the line that holds the longest of its lines.
    pub(in super::super) fn show_words(&mut self, words: &str) {
        let longest = words.lines().map(str::trim).max_by_key(|line| line.len()).unwrap_or_default();
        if longest.is_empty() {
            return;
        }
        let document = &mut self.detail.document;
        let holds = |document: &Document| {
            (0..document.len()).find(
                |line| matches!(document.line(*line), Some((Line::Text(text), _)) if text.contains(longest)),
            )
        };
        let folded = holds(document);
        if folded.is_none() {
            document.unfold();
        }
        let Some(line) = folded.or_else(|| holds(document)) else { return };
        document.sought = Some(line);
        // What fits on the screen from the top stays there.
        let seen =
            super::super::pager::visible(document, Place::default(), self.detail.width, self.detail.height);
        if seen.last().is_some_and(|(last, _)| *last <= line) {
            self.detail.place = Place { line: line.saturating_sub(self.detail.height / 3), row: 0 };
        }
    }
}

/// The first line with a match from line `from` on, or back from the line before it.
fn match_line(model: &Model, from: usize, on: bool) -> Option<usize> {
    let pattern = &model.search.as_ref()?.pattern;
    let document = &model.detail.document;
    let matches = |line: &usize| match document.line(*line) {
        Some((Line::Text(text) | Line::Heading(_, text) | Line::Link(_, _, text), _)) => {
            pattern.is_match(text)
        }
        _ => false,
    };
    if on { (from..document.len()).find(matches) } else { (0..from).rev().find(matches) }
}

fn next_line(model: &mut Model, on: bool) -> bool {
    let from = model.detail.place.line + usize::from(on);
    to_line(model, match_line(model, from, on))
}

/// Scrolls the detail to a line, where there is one.
fn to_line(model: &mut Model, line: Option<usize>) -> bool {
    if let Some(line) = line {
        model.detail.place = Place { line, row: 0 };
    }
    line.is_some()
}

/// Goes to an address, a generation or a clock time.
pub(in super::super) fn jump(model: &mut Model, text: &str) {
    let Some(session) = model.session() else { return };
    let mut waits = session.partial;
    if !waits {
        jump_now(model, text);
        // What is not there yet may still come.
        waits = model.feed.catches_up() && model.message.is_some();
    }
    if waits {
        model.pending = Some(text.to_owned());
        model.message = Some(format!("{text}: waits until the log is read"));
    }
}

fn jump_now(model: &mut Model, text: &str) {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let address = if digits { format!("t{text}") } else { text.to_owned() };
    match address.parse::<Address>() {
        Ok(address) => to_address(model, &address),
        Err(error) => match text.parse::<Moment>() {
            Ok(moment) => to_moment(model, &moment),
            Err(_) => model.message = Some(error.to_string()),
        },
    }
}

fn to_moment(model: &mut Model, moment: &Moment) {
    let Some(session) = model.session() else { return };
    match session.resolve(moment) {
        Ok(number) if matches!(moment, Moment::Before(_)) => {
            model.remember();
            model.following = false;
            model.move_to(number);
            if let Some(id) = model.session().and_then(|session| session.numbered(0, number)) {
                model.select(Node::Turn(id));
            }
        }
        Ok(number) => match session.numbered(0, number) {
            Some(id) => to_turn(model, id, None),
            None => model.message = Some("before the first turn".to_owned()),
        },
        Err(error) => model.message = Some(error.to_string()),
    }
}

pub(in super::super) fn to_address(model: &mut Model, address: &Address) {
    if let Some(file) = model.forest.file().cloned() {
        return super::forest::in_file(model, &file, address);
    }
    let Some(log) = &model.log else { return };
    let session = &log.session;
    let missing = |model: &mut Model, error: String| model.message = Some(error);
    match address {
        Address::Turn { thread, number, part } => {
            let name = thread.as_deref();
            match session.thread_named(name) {
                Some(thread) => match session.numbered(thread, *number) {
                    Some(id) => to_turn(model, id, *part),
                    None => {
                        let last = session.threads()[thread].turns.len();
                        missing(model, format!("there is no turn {number}: the thread has {last}"));
                    }
                },
                None => to_agent(model, name.unwrap_or_default(), Some(*number)),
            }
        }
        Address::Thread(name) => to_agent(model, name, None),
        Address::Sentence { generation, sentence } => {
            super::trace::to_sentence(model, *generation, *sentence);
        }
        Address::Generation(generation) => {
            let summary = session.generation(*generation).map(|compaction| compaction.summary);
            match summary {
                Some(Some(_)) => to_generation(model, *generation),
                Some(None) => missing(model, format!("g{generation} is a boundary without a summary")),
                None => {
                    let known = session.compactions().len();
                    missing(model, format!("there is no generation {generation}: the log has {known}"));
                }
            }
        }
        Address::Cluster(_) | Address::ClusterSentence { .. } | Address::Union(_) => {
            super::forest::to_address(model, address);
        }
        Address::Block(_) | Address::Span(_) | Address::MadeSentence { .. } | Address::Item(_) => {
            super::blocks::to_address(model, address);
        }
        Address::Line(line) => match log.find_line(*line) {
            Ok(row) => {
                let node = session.row(row).turn().map_or(Node::Row(row), Node::Turn);
                to_node(model, node);
            }
            Err(error) => missing(model, error.to_string()),
        },
        Address::Receipt(_) => super::receipts::to_address(model, address),
    }
}

/// As of the generation's summary, with that selected: what `[` and `]` do, to any generation.
fn to_generation(model: &mut Model, generation: u32) {
    let number = model.session().and_then(|session| {
        let summary = session.generation(generation)?.summary?;
        Some(session.turn(summary).number)
    });
    let Some(number) = number else { return };
    model.remember();
    model.following = false;
    model.detail.shows = Shows::Node;
    model.move_to(number);
    model.select(Node::Generation(generation));
}

fn to_turn(model: &mut Model, id: TurnId, part: Option<u32>) {
    let node = part.map_or(Node::Turn(id), |part| Node::Part(id, part));
    to_node(model, node);
}

pub(super) fn to_node(model: &mut Model, node: Node) {
    model.remember();
    model.following = false;
    model.detail.shows = Shows::Node;
    let number = |session: &Session| match node {
        Node::Turn(id) | Node::Part(id, _) if session.turn(id).thread == 0 => session.turn(id).number,
        Node::Row(row) => session.anchor(row).map_or(0, |id| session.turn(id).number),
        _ => 0,
    };
    let needed = model.session().map_or(0, number);
    if needed > model.as_of {
        model.move_to(needed);
    }
    if !model.select(node) && !super::audit::elsewhere(model, node) {
        model.message = Some(NOT_SHOWN.to_owned());
    }
}

fn to_agent(model: &mut Model, name: &str, number: Option<u32>) {
    let Some(log) = &model.log else { return };
    let inline = log.session.thread_named(Some(name)).filter(|thread| *thread > 0);
    let file = log.agents().iter().position(|agent| agent.file.name == name);
    let node = match (inline, file) {
        (Some(thread), _) => Node::Thread(thread as u16),
        (None, Some(agent)) => match number {
            None => Node::Agent(agent as u16),
            Some(number) => match log.agent_log(agent).map(|inner| inner.session.numbered(0, number)) {
                Ok(Some(id)) => Node::AgentTurn(agent as u16, id),
                Ok(None) => {
                    model.message = Some(format!("@{name} has no turn {number}"));
                    return;
                }
                Err(error) => {
                    model.message = Some(format!("@{name}: {error}"));
                    return;
                }
            },
        },
        (None, None) => {
            model.message = Some(format!("there is no thread @{name}"));
            return;
        }
    };
    to_node(model, node);
}

fn filter(model: &mut Model, text: &str) {
    if matches!(model.detail.shows, Shows::Trace(_)) {
        model.remember();
    }
    model.filter = Filter::new(text);
    let Some(log) = &model.log else { return };
    let matches = model.filter.as_ref().map(|filter| filter.all(&log.session, model.as_of));
    if matches.as_ref().is_some_and(Vec::is_empty) {
        model.filter = None;
        model.message = Some(format!("no turn fits \"{}\"", text.trim()));
        return;
    }
    if let Some(view) = &mut model.view {
        view.set_matches(log, matches);
    }
    model.following = false;
    let tree = &mut model.trees[model.kind.place()];
    tree.reveal(&[Node::Group(crate::outline::Group::Matches), Node::Root]);
    tree.selected.clear();
    model.keep_selection();
    if model.filter.is_some()
        && let Some((log, view, tree)) = model.parts()
    {
        let newest = view.newest(log);
        tree.reveal(&newest);
    }
}
