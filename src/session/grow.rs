//! One record more: the only way the model changes.
//!
//! Appending costs the same at the first record and at the millionth. What a record changes of what is there
//! already is bounded: the open turn grows, a fork stamps the turns it leaves behind, a result finds its call.

use crate::formats::facts::{Body, Id, Parent, PartFacts, PartKind, Record, Role, Strand, TurnFacts};

use super::branches::Hang;
use super::model::Session;
use super::names::{NO_NAME, Name};
use super::previews::Preview;
use super::queue::QueueOutcome;
use super::table::Table;
use super::turns::{Echo, NEVER, Part, Row, RowKind, Thread, Turn, TurnId};

/// Tools that start a sub-agent.
const TASK_TOOLS: [&str; 2] = ["Task", "Agent"];

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Where its line begins in the log.
    pub offset: u64,
    /// The line's number, from 1.
    pub number: u32,
    /// Its length in bytes.
    pub length: u32,
    /// Milliseconds since the epoch, if the record says so.
    pub(super) time: Option<i64>,
}

impl Line {
    /// The line at `offset` with `number` and `length`.
    pub fn new(offset: u64, number: u32, length: u64) -> Self {
        Self { offset, number, length: u32::try_from(length).unwrap_or(u32::MAX), time: None }
    }
}

/// Where a record stands and what it hangs on.
struct Origin {
    line: Line,
    row: u32,
    hang: Hang,
    strand: Strand,
    /// A name for a thread that it starts.
    short_id: Box<str>,
    id: Option<Id>,
}

impl Session {
    /// Takes in the record at `line`.
    pub fn push(&mut self, line: Line, mut record: Record) {
        self.take(line, &mut record);
    }

    /// The same, and leaves what is left of the record, its memory above all, to whoever read it: memory that one
    /// thread asks for and another gives back costs them both.
    pub(super) fn take(&mut self, mut line: Line, record: &mut Record) {
        line.time = record.time;
        self.bytes = self.bytes.max(line.offset + u64::from(line.length));
        for name in record.unknown.drain(..) {
            *self.unknown.entry(name).or_insert(0) += 1;
        }
        note_new(&mut self.session_ids, record.session.as_deref());
        self.version = record.version.take().or_else(|| self.version.take());
        let label = self.intern_label(&record.label);
        self.project = self.project.take().or_else(|| record.project.take());
        let hang = self.hang(record.parent);
        let row = self.rows.len() as u32;
        let mut flags = 0;
        if hang == Hang::Dangling {
            flags |= Row::DANGLING;
            if let Parent::Of(id) = record.parent
                && !self.ids.contains_key(&id)
            {
                self.lost.push((row, id));
            }
        }
        if record.parent == Parent::Root {
            flags |= Row::ROOT;
        }
        if record.repaired {
            flags |= Row::REPAIRED;
        }
        self.rows.push(Row {
            offset: line.offset,
            length: line.length,
            line: line.number,
            anchor: hang.turn(),
            label,
            kind: RowKind::Note,
            flags,
        });
        let (strand, short_id) = (std::mem::take(&mut record.strand), std::mem::take(&mut record.short_id));
        let origin = Origin { line, row, hang, strand, short_id, id: record.id };
        self.body(origin, &mut record.body);
        if self.rows.kind(row) != Some(RowKind::Turn) {
            self.others.push(row);
        }
        if let Some(id) = record.id {
            // Of a record that was written twice, the chain goes on from the last copy.
            self.ids.insert(id, row);
        }
    }

    /// The number of a label. A log with more kinds of records than can be told apart has them under the last name.
    fn intern_label(&mut self, label: &str) -> u16 {
        let known = self.labels.known(label);
        let last = u16::try_from(self.labels.len()).is_err();
        let name =
            known.unwrap_or_else(|| if last { Name(u32::from(u16::MAX)) } else { self.labels.intern(label) });
        name.0 as u16
    }

    fn body(&mut self, origin: Origin, body: &mut Body) {
        let Origin { line, row, id, .. } = origin;
        match body {
            Body::Note => {}
            Body::Title(title) => self.title = Some(std::mem::take(title)),
            Body::Malformed(reason) => {
                self.rows.mark(row, RowKind::Malformed);
                self.malformed.push((row, std::mem::take(reason)));
            }
            Body::Queue(queue) => match self.queue(line, queue) {
                QueueOutcome::Turn(id) => self.rows.hang(row, id),
                QueueOutcome::Echo(of) => self.echo(row, of),
                QueueOutcome::Note => {}
            },
            Body::Boundary(boundary) => self.boundary(row, id, std::mem::take(&mut **boundary)),
            Body::Clearing(clearing) => self.clear(row, clearing),
            Body::Turn(facts) => self.turn_record(origin, facts),
            Body::Compacted(compaction) => {
                self.twins.clear();
                let (boundary, facts) = &mut **compaction;
                if let Some(of) = id.and_then(|id| self.repeats(id, row, facts)) {
                    self.echo(row, of);
                    return;
                }
                self.compacted(line, row, origin.hang, std::mem::take(boundary), facts);
            }
            Body::Rewind(prompts) => self.rewind(*prompts),
            Body::Meter(meter) => self.measure(meter),
            Body::Header(header) => {
                self.header.get_or_insert_with(|| std::mem::take(header));
            }
            Body::Agent(agent, call) => self.agent(row, std::mem::take(agent), *call),
        }
    }

    /// A sub-agent was started by `call`, or by what was said last.
    fn agent(&mut self, row: u32, agent: Box<str>, call: Option<Id>) {
        let called =
            call.and_then(|call| self.calls.get(&call)).map(|place| self.turn_of(&self.part(*place)));
        let turn = called.unwrap_or_else(|| self.tip(0));
        if self.agents.iter().all(|(known, _)| *known != agent)
            && let Some(turn) = turn.some()
        {
            self.rows.hang(row, turn);
            self.agents.push((agent, turn));
        }
    }

    fn turn_record(&mut self, origin: Origin, facts: &TurnFacts) {
        let Origin { line, row, hang, id, .. } = origin;
        if let Some(of) = id.and_then(|id| self.repeats(id, row, facts)) {
            self.echo(row, of);
            return;
        }
        if facts.role == Role::User
            && let Some(of) = self.delivers(facts)
            && !self.is_compacted_away(of)
        {
            self.echo(row, of);
            // A chain that goes on from the delivered copy goes on from where the copy hangs.
            self.rows.hang(row, hang.turn().some().unwrap_or(of));
            self.delivered.push(Echo { row, of });
            return;
        }
        if let Some(of) = self.twin_of(facts) {
            self.echo(row, of);
            return;
        }
        note_new(&mut self.models, facts.model.as_deref());
        if facts.role == Role::Summary {
            self.summary(line, row, facts);
            return;
        }
        let thread = self.thread_of(origin.strand, &origin.short_id, hang);
        let turn = match self.open_turn(thread, facts) {
            Some(open) => open,
            None => self.new_turn(thread, line, row, hang, facts),
        };
        self.twins.wait(facts, turn);
        if let Some(said) = facts.said {
            self.said.entry(said).or_default().push(turn);
        }
        let leaf = facts.branch.and_then(|leaf| self.ids.get(&leaf)).map(|row| self.rows.anchor(*row));
        if let Some(leaf) = leaf.and_then(TurnId::some) {
            self.branch_summaries.push((turn, leaf));
        }
        self.extend(turn, row, facts);
    }

    /// The turn that a record of these facts says once more, as the other of two twins.
    fn twin_of(&mut self, facts: &TurnFacts) -> Option<TurnId> {
        let turn = self.twins.take(facts)?;
        if let Some(said) = facts.said {
            let known = self.said.entry(said).or_default();
            if known.last() != Some(&turn) {
                known.push(turn);
            }
        }
        Some(turn)
    }

    /// The open turn of `thread` that a record of these facts belongs to.
    fn open_turn(&self, thread: usize, facts: &TurnFacts) -> Option<TurnId> {
        if facts.joins {
            let open = self.tip(thread).some()?;
            let newest = self.threads[thread].turns.last() == Some(open);
            return (newest && self.turn(open).role == Role::Assistant).then_some(open);
        }
        let message = self.messages.get(&facts.message?)?;
        (self.threads[thread].turns.last() == Some(message.last_turn)).then_some(message.last_turn)
    }

    fn new_turn(&mut self, thread: usize, line: Line, row: u32, hang: Hang, facts: &TurnFacts) -> TurnId {
        let message = facts.message.and_then(|id| self.messages.get(&id)).map(|m| (m.last_turn, m.step));
        let call =
            facts.parts.iter().find_map(|part| part.call.filter(|_| part.kind == PartKind::ToolResult));
        let call_step = call
            .or_else(|| facts.silent.first().copied())
            .and_then(|call| self.calls.get(&call))
            .map(|place| self.turn(self.turn_of(&self.part(*place))))
            .filter(|turn| usize::from(turn.thread) == thread)
            .map(|turn| turn.step);
        let known_step = message.map(|(_, step)| step).or(call_step);
        let step = known_step.unwrap_or(self.step_ends.len() as u32);
        let place = self.place(thread, hang, step, facts.role);
        let mut flags = place.flags;
        if facts.injected {
            flags |= Turn::INJECTED;
        }
        let id = self.add_turn(thread, line, row, facts.role, place.prev, step, flags);
        if let Some((earlier, _)) = message {
            self.continues.insert(id, earlier);
        }
        id
    }

    /// A prompt that waits: placed at the end of its thread without ending the step that is going on.
    pub(super) fn queued_turn(&mut self, line: Line, parts: Vec<PartFacts>) -> TurnId {
        let row = self.rows.len() as u32 - 1;
        let tip = self.tip(0);
        let step = tip.some().map_or(self.step_ends.len() as u32, |tip| self.turn(tip).step);
        let id = self.add_turn(0, line, row, Role::User, tip, step, Turn::QUEUED);
        self.extend(id, row, &TurnFacts::new(Role::User, parts));
        id
    }

    #[expect(clippy::too_many_arguments, reason = "what a turn is made of")]
    pub(super) fn add_turn(
        &mut self,
        thread: usize,
        line: Line,
        row: u32,
        role: Role,
        prev: TurnId,
        step: u32,
        flags: u8,
    ) -> TurnId {
        let id = TurnId(self.turns.len() as u32);
        let parts = self.parts.len() as u32;
        let owner = &mut self.threads[thread];
        owner.turns.push(id);
        if prev == TurnId::NONE || flags & Turn::ROOT != 0 {
            owner.conversations += 1;
        }
        self.turns.push(Turn {
            number: owner.turns.len() as u32,
            thread: thread as u16,
            branch: owner.branches,
            role,
            flags,
            preview_rank: u8::MAX,
            preview: Preview::default(),
            first_row: row,
            last_row: row,
            parts: (parts, parts),
            prev,
            step,
            abandoned_at: NEVER,
            tokens: 0,
            context: 0,
            time: line.time.unwrap_or(i64::MIN),
        });
        if step as usize == self.step_ends.len() {
            self.step_ends.push(id);
        } else {
            self.step_ends.change(step, |end| *end = id);
        }
        id
    }

    /// Adds a record's parts to the turn `id`.
    pub(super) fn extend(&mut self, id: TurnId, row: u32, facts: &TurnFacts) {
        self.rows.mark(row, RowKind::Turn);
        self.rows.hang(row, id);
        self.count_usage(id, facts);
        let begin = self.parts.len() as u32;
        let mut turn = self.turn(id);
        if turn.parts.0 == turn.parts.1 {
            turn.parts.0 = begin;
        } else if turn.parts.1 != begin {
            turn.flags |= Turn::MIXED;
        }
        for (index, part) in facts.parts.iter().enumerate() {
            let rank = preview_rank(part.kind);
            if rank < turn.preview_rank && !part.preview.is_empty() {
                turn.preview_rank = rank;
                turn.preview = self.previews.add(&part.preview);
            }
            turn.tokens = turn.tokens.saturating_add(part.tokens);
            turn.set(Turn::VOICE, part.voice);
            turn.set(Turn::ERROR, part.error);
            self.add_part(id, row, index as u32, part);
        }
        for call in facts.silent.iter().copied() {
            if let Some(place) = self.calls.get(&call).copied()
                && self.answered_by(place).is_none()
            {
                self.answered.insert(place, id);
            }
            self.returned(call);
        }
        if let Some(agent) = &facts.agent {
            self.agents.push((agent.clone(), id));
        }
        turn.last_row = row;
        turn.parts.1 = self.parts.len() as u32;
        self.turns.change(id.0, |old| *old = turn);
    }

    pub(super) fn add_part(&mut self, id: TurnId, row: u32, index: u32, facts: &PartFacts) {
        let place = self.parts.len() as u32;
        let mut part = Part {
            row,
            bytes: facts.bytes,
            tokens: facts.tokens,
            tool: facts.tool.as_deref().map_or(NO_NAME, |tool| self.names.intern(tool)),
            path: facts.path.as_deref().map_or(NO_NAME, |path| self.names.intern(path)),
            pair: u32::MAX,
            index,
            kind: facts.kind,
            voice: facts.voice,
            error: facts.error,
            again: false,
        };
        match (facts.kind, facts.call) {
            (PartKind::ToolCall, Some(call)) => {
                self.calls.insert(call, place);
                if facts.tool.as_deref().is_some_and(|tool| TASK_TOOLS.contains(&tool)) {
                    self.open_task_calls.push(id);
                }
            }
            (PartKind::ToolResult, Some(call)) => {
                if let Some(called) = self.calls.get(&call).copied() {
                    if let Some(first) = self.answered_by(called) {
                        self.answered.entry(called).or_insert(first);
                    }
                    self.parts.change(called, |caller| {
                        caller.pair = place;
                        (part.tool, part.path, part.pair) = (caller.tool, caller.path, called);
                    });
                    self.returned(call);
                }
            }
            _ => {}
        }
        self.parts.push(part);
    }

    /// The call has its result: no sub-agent that starts from now on is its work.
    fn returned(&mut self, call: Id) {
        if let Some(called) = self.calls.get(&call) {
            let turn = self.turn_of(&self.part(*called));
            self.open_task_calls.retain(|open| *open != turn);
        }
    }

    /// The turn that a record with this id repeats: the same id, equally rooted, and the same parts.
    fn repeats(&self, id: Id, row: u32, facts: &TurnFacts) -> Option<TurnId> {
        let earlier = *self.ids.get(&id)?;
        let known = self.row(earlier);
        let equally = known.is(Row::ROOT) == self.row(row).is(Row::ROOT);
        if known.kind == RowKind::Echo {
            return self.echo_of(earlier).filter(|_| equally);
        }
        if known.kind != RowKind::Turn || !equally {
            return None;
        }
        let turn = known.anchor;
        let same = self
            .parts(turn)
            .filter(|(_, part)| part.row == earlier)
            .map(|(_, part)| (part.kind, part.bytes, part.tokens))
            .eq(facts.parts.iter().map(|part| (part.kind, part.bytes, part.tokens)));
        (same && self.turn(turn).role == facts.role).then_some(turn)
    }

    pub(super) fn echo(&mut self, row: u32, of: TurnId) {
        self.rows.mark(row, RowKind::Echo);
        self.rows.hang(row, of);
    }

    /// The thread that a record belongs to: by what it hangs on, by its sub-agent's id, or a new one.
    fn thread_of(&mut self, strand: Strand, short_id: &str, hang: Hang) -> usize {
        let agent = match strand {
            Strand::Main => return 0,
            Strand::Side(agent) => agent,
        };
        if self.turns.is_empty() && agent.is_some() {
            // The file of one sub-agent: its thread is the main one here.
            self.main_agent.clone_from(&agent);
        }
        if agent.is_some() && agent == self.main_agent {
            return 0;
        }
        if let Some(turn) = hang.turn().some()
            && self.turn(turn).thread > 0
        {
            return self.turn(turn).thread as usize;
        }
        // The empty name is the main thread's.
        let name = match agent.as_deref().unwrap_or(short_id) {
            "" => "side",
            name => name,
        };
        if let Some(known) = self.threads.iter().skip(1).position(|thread| &*thread.name == name) {
            return known + 1;
        }
        let dangles = hang == Hang::Dangling && agent.is_none();
        if (dangles && self.threads.len() > 1) || self.threads.len() > usize::from(u16::MAX) {
            return self.threads.len() - 1;
        }
        let started_by = match self.open_task_calls[..] {
            [only] => Some(only),
            _ => None,
        };
        self.threads.push(Thread {
            name: name.into(),
            turns: Table::default(),
            started_by,
            branches: 1,
            conversations: 0,
        });
        self.threads.len() - 1
    }
}

pub(super) fn note_new(known: &mut Vec<Box<str>>, name: Option<&str>) {
    if let Some(name) = name
        && known.iter().all(|known| **known != *name)
    {
        known.push(name.into());
    }
}

/// Which part's first words speak best for a turn: the lowest.
fn preview_rank(kind: PartKind) -> u8 {
    match kind {
        PartKind::Text => 0,
        PartKind::ToolResult => 1,
        PartKind::ToolCall => 2,
        PartKind::Thinking => 3,
        PartKind::Image | PartKind::Encrypted | PartKind::Other => 4,
    }
}
