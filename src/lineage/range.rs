//! What a recorded compaction summarised, block by block, as the candidates for a sentence's sources.
//!
//! Which turns belong to it comes from the log's own links ([`Compaction::covers`]): turns that were kept word for
//! word or stand on other branches are no sources. [`Plan`] is taken from the session and is small; reading the texts
//! needs the plan and the log's bytes alone, so it can be done on any thread. Reasoning is left out: agents do not
//! give it to the summariser, and it repeats everything. The summary before gives its sentences, each a block.

use std::collections::HashMap;
use std::ops::Range;

use crate::formats::Format;
use crate::formats::facts::{PartKind, PartText, Role};
use crate::log::{LogError, Source};
use crate::session::{Compaction, Part, Provenance, Session, TurnId};
use crate::text::lexicon::{Deed, Lexicon};
use crate::text::{identifiers, sentences};

/// What a block is, as far as it bears on whether a summary rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A person's words: a prompt, or what was said inside a tool result.
    Prompt,
    /// The result of a call that failed.
    Error,
    /// A sentence of the summary before.
    Summary,
    /// A call that writes or changes a file.
    Change,
    /// The model's prose.
    Text,
    /// A plan put to the user, and the answer to it.
    Plan,
    /// A call that runs a command.
    RunCall,
    /// A list of what is to be done.
    Todo,
    /// What a sub-agent gave back.
    AgentResult,
    /// What a command gave back.
    RunResult,
    /// A call that reads or searches.
    ReadCall,
    /// Another call.
    OtherCall,
    /// What the harness put in.
    Meta,
    /// What was read or found.
    ReadResult,
    /// A call that starts a sub-agent.
    AgentCall,
    /// Another result.
    OtherResult,
    /// The result of a write, an edit or a to-do list: it repeats the call.
    Echo,
}

impl Class {
    /// All of them, in the order of their weights.
    pub const ALL: [Self; 17] = [
        Self::Prompt,
        Self::Error,
        Self::Summary,
        Self::Change,
        Self::Text,
        Self::Plan,
        Self::RunCall,
        Self::Todo,
        Self::AgentResult,
        Self::RunResult,
        Self::ReadCall,
        Self::OtherCall,
        Self::Meta,
        Self::ReadResult,
        Self::AgentCall,
        Self::OtherResult,
        Self::Echo,
    ];

    /// Whether it is about reading: the call or what came back.
    pub fn is_read(self) -> bool {
        matches!(self, Self::ReadCall | Self::ReadResult)
    }
}

/// One candidate.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its turn.
    pub turn: TurnId,
    /// The turn's number in the main thread.
    pub number: u32,
    /// The turn's role.
    pub role: Role,
    /// The physical line of its record.
    pub line: u32,
    /// Its number in its record, from 0.
    pub part: u32,
    /// Its number in its turn, from 0.
    pub index: u32,
    /// The user's words inside a tool result, cut out of it.
    pub voice: bool,
    /// What it is.
    pub class: Class,
    /// How many prompts came before it in the range.
    pub prompts: u32,
    /// Its text; of a call, the tool's name and the arguments.
    pub text: String,
    /// The file it is about, in lower case; empty where there is none.
    pub path: String,
    /// The place of the call that a result answers.
    pub call: Option<usize>,
    /// Where the text before an edit and the text after it stand.
    pub edit: Option<(Range<usize>, Range<usize>)>,
    /// Of the summary before: the sentence's place in it, from 0.
    pub sentence: Option<usize>,
}

/// A part to be read.
#[derive(Debug)]
struct Planned {
    turn: TurnId,
    number: u32,
    role: Role,
    injected: bool,
    offset: u64,
    length: u32,
    line: u32,
    part: u32,
    index: u32,
    place: u32,
    kind: PartKind,
    tool: Box<str>,
    path: Box<str>,
    voice: bool,
    error: bool,
    again: bool,
    pair: Option<u32>,
}

/// What has to be read for a generation, and what the session knows of it.
#[derive(Debug)]
pub struct Plan {
    /// The generation.
    pub generation: u32,
    /// The turn of its summary.
    pub summary: TurnId,
    /// How its range is known.
    pub provenance: Provenance,
    /// Whether the chain of records shows every original to be in the log.
    pub unbroken: bool,
    /// The generation whose summary stands in its range.
    pub previous: Option<u32>,
    tokens_before: Option<u64>,
    format: Format,
    covered: Vec<Planned>,
    summary_parts: Vec<Planned>,
}

/// A generation's texts.
#[derive(Debug)]
pub struct Texts {
    /// What was summarised, in order of the path.
    pub blocks: Vec<Block>,
    /// The summary.
    pub summary: String,
    /// Its sentences.
    pub sentences: Vec<sentences::Sentence>,
    /// The summary before; empty where there is none in the range.
    pub previous: String,
    /// Its sentences.
    pub previous_sentences: Vec<sentences::Sentence>,
    /// Whether everything that was summarised is in the log, by its chain of records.
    pub complete: bool,
    /// Whether it is also as much text as its logged size asks for: what the model saw and the log does not hold
    /// (instructions, attachments) may support a sentence too.
    pub ample: bool,
}

impl Plan {
    /// What to read for `generation`; none where the log has no such generation or its boundary has no summary.
    pub fn new(session: &Session, generation: u32) -> Option<Self> {
        let compaction = session.generation(generation)?;
        let summary = compaction.summary?;
        let mut covered = Vec::new();
        let mut previous = None;
        for id in covered_turns(session, compaction) {
            if session.turn(id).role == Role::Summary {
                previous = session.compaction_of(id).map(|before| before.generation).or(previous);
            }
            plan_turn(session, id, &mut covered);
        }
        let mut summary_parts = Vec::new();
        plan_turn(session, summary, &mut summary_parts);
        summary_parts.retain(|part| !part.again);
        Some(Self {
            generation,
            summary,
            provenance: session.provenance(compaction),
            unbroken: compaction.complete == Some(true),
            previous,
            tokens_before: compaction.tokens_before,
            format: session.format,
            covered,
            summary_parts,
        })
    }

    /// Reads the texts.
    pub fn read(&self, source: &Source, lexicon: &Lexicon) -> Result<Texts, LogError> {
        let mut summary = String::new();
        self.each_text(source, &self.summary_parts, |_, text| {
            if text.kind == PartKind::Text {
                summary.push_str(&text.text);
                summary.push('\n');
            }
        })?;
        summary.pop();
        let mut reader = BlockReader {
            lexicon,
            format: self.format,
            blocks: Vec::new(),
            calls: HashMap::new(),
            prompts: 0,
            previous: String::new(),
            previous_sentences: Vec::new(),
            characters: 0,
        };
        self.each_text(source, &self.covered, |planned, text| reader.take(planned, text))?;
        let BlockReader { blocks, previous, previous_sentences, characters, .. } = reader;
        // Whole ranges hold at least as many characters as the context had tokens; a log that starts in the middle
        // of a session does not, whatever its chain of records says.
        let ample = self.unbroken && self.tokens_before.is_none_or(|tokens| characters >= tokens);
        let complete = self.unbroken;
        let sentences = sentences::of(&summary);
        Ok(Texts { blocks, summary, sentences, previous, previous_sentences, complete, ample })
    }

    /// Calls `take` with each of `parts` and its text, reading every line once.
    fn each_text(
        &self,
        source: &Source,
        parts: &[Planned],
        mut take: impl FnMut(&Planned, PartText),
    ) -> Result<(), LogError> {
        for of_line in parts.chunk_by(|a, b| a.offset == b.offset) {
            let Some(first) = of_line.first() else { continue };
            let line = source.read(first.offset, first.length as usize)?;
            let mut texts: Vec<Option<PartText>> = self.format.texts(&line).into_iter().map(Some).collect();
            for planned in of_line {
                if let Some(text) = texts.get_mut(planned.part as usize).and_then(Option::take) {
                    take(planned, text);
                }
            }
        }
        Ok(())
    }
}

/// The turns that a compaction replaced, in order of their numbers.
fn covered_turns<'a>(session: &'a Session, compaction: &'a Compaction) -> impl Iterator<Item = TurnId> + 'a {
    let numbers = compaction.covers.iter().flat_map(|(from, to)| *from..=*to);
    numbers.filter_map(|number| session.numbered(0, number))
}

fn plan_turn(session: &Session, id: TurnId, out: &mut Vec<Planned>) {
    let turn = session.turn(id);
    for (index, (place, part)) in session.parts(id).enumerate() {
        if matches!(part.kind, PartKind::Thinking | PartKind::Image) {
            continue;
        }
        let row = session.row(part.row);
        let named = |part: &Part| {
            let text = |name| session.named(name).unwrap_or_default().into();
            (text(part.tool), text(part.path))
        };
        let (tool, path) = named(part);
        out.push(Planned {
            turn: id,
            number: turn.number,
            role: turn.role,
            injected: turn.is_injected(),
            offset: row.offset,
            length: row.length,
            line: row.line,
            part: part.index,
            index: index as u32,
            place,
            kind: part.kind,
            tool,
            path,
            voice: part.voice,
            error: part.error,
            again: part.again,
            pair: session.pair(part).map(|(place, _)| place),
        });
    }
}

/// Turns texts into blocks.
struct BlockReader<'a> {
    lexicon: &'a Lexicon,
    format: Format,
    blocks: Vec<Block>,
    /// Blocks by the place of their part in the session.
    calls: HashMap<u32, usize>,
    prompts: u32,
    previous: String,
    previous_sentences: Vec<sentences::Sentence>,
    /// Characters read: what the model saw of the range.
    characters: u64,
}

impl BlockReader<'_> {
    fn take(&mut self, planned: &Planned, found: PartText) {
        let text = found.text;
        self.characters += text.chars().count() as u64;
        // What a compaction told again beside its summary is a message, and no part of the summary.
        if planned.role == Role::Summary && !planned.again {
            self.take_summary(planned, text);
            return;
        }
        let said = planned.voice.then(|| self.format.voice(&text).map(str::to_owned)).flatten();
        let (class, text) = self.describe(planned, text);
        if text.trim().is_empty() {
            return;
        }
        if class == Class::Prompt {
            self.prompts += 1;
        }
        let call = planned.pair.and_then(|pair| self.calls.get(&pair).copied());
        let edit = (class == Class::Change).then(|| self.edited(&text)).flatten();
        self.calls.insert(planned.place, self.blocks.len());
        self.push(planned, class, text, call, edit);
        // Approving a plan is the user's answer too, though no words of it are logged.
        let said = said.or_else(|| (class == Class::Plan).then(|| approval(planned, &self.blocks)).flatten());
        if let Some(said) = said {
            self.prompts += 1;
            self.push(planned, Class::Prompt, said, call, None);
            if let Some(block) = self.blocks.last_mut() {
                block.voice = true;
            }
        }
    }

    fn push(
        &mut self,
        planned: &Planned,
        class: Class,
        text: String,
        call: Option<usize>,
        edit: Option<(Range<usize>, Range<usize>)>,
    ) {
        self.blocks.push(Block {
            turn: planned.turn,
            number: planned.number,
            role: planned.role,
            line: planned.line,
            part: planned.part,
            index: planned.index,
            voice: false,
            class,
            prompts: self.prompts,
            text,
            path: planned.path.to_lowercase(),
            call,
            edit,
            sentence: None,
        });
    }

    /// The summary before is a source sentence by sentence.
    fn take_summary(&mut self, planned: &Planned, text: String) {
        if !self.previous.is_empty() {
            return;
        }
        let sentences = sentences::of(&text);
        for (place, sentence) in sentences.iter().enumerate() {
            self.push(planned, Class::Summary, sentence.text(&text).to_owned(), None, None);
            if let Some(block) = self.blocks.last_mut() {
                block.sentence = Some(place);
                block.path = about(&block.text);
            }
        }
        (self.previous, self.previous_sentences) = (text, sentences);
    }

    /// What a part is, and the text by which it is found.
    fn describe(&self, planned: &Planned, text: String) -> (Class, String) {
        let deed = self.lexicon.tools.deed(&planned.tool);
        match planned.kind {
            PartKind::Text if planned.role == Role::Assistant => (Class::Text, text),
            PartKind::Text => {
                let said = without_tags(&text);
                if planned.injected || said.is_empty() { (Class::Meta, text) } else { (Class::Prompt, said) }
            }
            PartKind::ToolCall => (class_of_call(deed), format!("{}\n{text}", planned.tool)),
            PartKind::ToolResult => (class_of_result(deed, planned.error, &text), text),
            _ => (Class::Meta, text),
        }
    }

    /// Where a call's arguments hold the text before an edit and after it.
    fn edited(&self, text: &str) -> Option<(Range<usize>, Range<usize>)> {
        let argument = |names: &[String]| {
            names.iter().find_map(|name| {
                let from = text.find(&format!("\n{name}:"))?;
                Some((from, from + name.len() + 2))
            })
        };
        let (old, old_text) = argument(&self.lexicon.tools.old_text)?;
        let (new, new_text) = argument(&self.lexicon.tools.new_text)?;
        Some(if old < new {
            (old_text..new, new_text..text.len())
        } else {
            (old_text..text.len(), new_text..old)
        })
    }
}

fn class_of_call(deed: Deed) -> Class {
    match deed {
        Deed::Write | Deed::Edit => Class::Change,
        Deed::Run => Class::RunCall,
        Deed::Read | Deed::Search => Class::ReadCall,
        Deed::Agent => Class::AgentCall,
        Deed::Todo => Class::Todo,
        Deed::Plan => Class::Plan,
        Deed::Other => Class::OtherCall,
    }
}

fn class_of_result(deed: Deed, error: bool, text: &str) -> Class {
    if deed == Deed::Plan {
        return Class::Plan;
    }
    if text.starts_with("The user doesn't want") {
        return Class::OtherResult;
    }
    if error || text.starts_with("Error") || text.starts_with("Exit code") {
        return Class::Error;
    }
    match deed {
        Deed::Write | Deed::Edit | Deed::Todo => Class::Echo,
        Deed::Run => Class::RunResult,
        Deed::Read | Deed::Search => Class::ReadResult,
        Deed::Agent => Class::AgentResult,
        Deed::Plan => Class::Plan,
        Deed::Other => Class::OtherResult,
    }
}

/// The file that a sentence is about: the only one that it names.
fn about(sentence: &str) -> String {
    let mut files = identifiers::find(sentence).into_iter().filter(identifiers::Identifier::is_file);
    match (files.next(), files.next()) {
        (Some(only), None) => only.normal,
        _ => String::new(),
    }
}

/// The first sentence of a plan's answer that is no failure.
fn approval(planned: &Planned, blocks: &[Block]) -> Option<String> {
    if planned.kind != PartKind::ToolResult || planned.error {
        return None;
    }
    let answer = &blocks.last()?.text;
    let first = sentences::split(answer.lines().next()?).into_iter().next()?;
    Some(answer[first].to_owned())
}

/// A prompt without what the harness wrapped in tags (`<system-reminder>…</system-reminder>`).
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let (before, tagged) = rest.split_at(open);
        out.push_str(before);
        let name_ends = tagged[1..].find(|c: char| !(c.is_ascii_lowercase() || matches!(c, '-' | '_')));
        let name = &tagged[1..=name_ends.unwrap_or(0)];
        let closing = format!("</{name}>");
        match tagged.find(&closing).filter(|_| name.contains(['-', '_'])) {
            Some(at) => rest = &tagged[at + closing.len()..],
            None => {
                out.push('<');
                rest = &tagged[1..];
            }
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_the_harness_are_taken_out() {
        assert_eq!(without_tags("run it <system-reminder>be\nkind</system-reminder> now"), "run it  now");
        assert_eq!(without_tags("<command-name>/clear</command-name>"), "");
        assert_eq!(without_tags("is a < b and <b>bold</b>?"), "is a < b and <b>bold</b>?");
        assert_eq!(without_tags("<open-tag without end"), "<open-tag without end");
        assert_eq!(without_tags("<"), "<");
    }
}
