//! The blocks of a range: what a part of a turn is as a candidate for a sentence's sources, and by which text it is found.
//!
//! Owns [`Block`] and the way from a part's text to it. The user's words inside a tool result are a block of their own, and
//! so is each sentence of the summary before.

use std::collections::HashMap;
use std::ops::Range;

use crate::formats::Format;
use crate::formats::facts::{PartKind, PartText, Role};
use crate::session::{Session, TurnId};
use crate::text::lexicon::Lexicon;
use crate::text::{harness, identifiers, sentences};

use super::class::{self, Class};
use super::range::Planned;

/// Where a candidate or a source stands, and what it is.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Its turn; of a sentence, the turn of the summary before.
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
    /// Of the summary before: the sentence's place in it, from 0.
    pub sentence: Option<usize>,
}

/// One candidate.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where it stands.
    pub spot: Spot,
    /// How many prompts came before it in the range.
    pub prompts: u32,
    /// Its text; of a call, the tool's name and the arguments.
    pub text: String,
    /// What added to a byte of this text gives that byte in the text of its part; none where something was cut out inside.
    pub shift: Option<i64>,
    /// The file it is about, in lower case; empty where there is none.
    pub path: String,
    /// The place of the call that a result answers.
    pub call: Option<usize>,
    /// Where the text before an edit and the text after it stand.
    pub edit: Option<(Range<usize>, Range<usize>)>,
}

impl Block {
    /// What stands for a turn of which nothing can be read but what the session keeps.
    pub(super) fn bare(session: &Session, id: TurnId) -> Self {
        let turn = session.turn(id);
        let preview = session.preview(&turn);
        let preview = preview.trim();
        Self {
            spot: Spot {
                turn: id,
                number: turn.number,
                role: turn.role,
                line: session.row(turn.first_row).line,
                part: 0,
                index: 0,
                voice: false,
                class: Class::Meta,
                sentence: None,
            },
            prompts: 0,
            text: if preview.is_empty() { turn.role.name() } else { preview }.to_owned(),
            shift: None,
            path: String::new(),
            call: None,
            edit: None,
        }
    }
}

/// Turns texts into blocks.
pub(super) struct BlockReader<'a> {
    lexicon: &'a Lexicon,
    format: Format,
    pub(super) blocks: Vec<Block>,
    /// Blocks by the place of their part in the session.
    calls: HashMap<u32, usize>,
    prompts: u32,
    pub(super) previous: String,
    pub(super) previous_sentences: Vec<sentences::Sentence>,
    /// Characters read: what the model saw of the range.
    pub(super) characters: u64,
}

impl<'a> BlockReader<'a> {
    pub(super) fn new(lexicon: &'a Lexicon, format: Format) -> Self {
        Self {
            lexicon,
            format,
            blocks: Vec::new(),
            calls: HashMap::new(),
            prompts: 0,
            previous: String::new(),
            previous_sentences: Vec::new(),
            characters: 0,
        }
    }

    /// Takes the next part and its text.
    pub(super) fn take(&mut self, planned: &Planned, found: PartText) {
        let text = found.text;
        self.characters += text.chars().count() as u64;
        // What a compaction told again beside its summary is a message, and no part of the summary.
        if planned.role == Role::Summary && !planned.again {
            self.take_summary(planned, text);
            return;
        }
        let said = planned.voice.then(|| self.format.voice(&text).map(str::to_owned)).flatten();
        let said_at = said.as_deref().and_then(|said| shift(&text, said));
        let (class, text, at) = self.describe(planned, text);
        if text.trim().is_empty() {
            return;
        }
        if class == Class::Prompt {
            self.prompts += 1;
        }
        let call = planned.pair.and_then(|pair| self.calls.get(&pair).copied());
        let edit = (class == Class::Change).then(|| self.edited(&text)).flatten();
        self.calls.insert(planned.place, self.blocks.len());
        self.push(planned, class, (text, at), call, edit);
        // Approving a plan is the user's answer too, though no words of it are logged.
        let said = said.or_else(|| (class == Class::Plan).then(|| approval(planned, &self.blocks)).flatten());
        if let Some(said) = said {
            self.prompts += 1;
            self.push(planned, Class::Prompt, (said, said_at), call, None);
            if let Some(block) = self.blocks.last_mut() {
                block.spot.voice = true;
            }
        }
    }

    fn push(
        &mut self,
        planned: &Planned,
        class: Class,
        (text, shift): (String, Option<i64>),
        call: Option<usize>,
        edit: Option<(Range<usize>, Range<usize>)>,
    ) {
        self.blocks.push(Block {
            spot: Spot {
                turn: planned.turn,
                number: planned.number,
                role: planned.role,
                line: planned.line,
                part: planned.part,
                index: planned.index,
                voice: false,
                class,
                sentence: None,
            },
            prompts: self.prompts,
            text,
            shift,
            path: planned.path.to_lowercase(),
            call,
            edit,
        });
    }

    /// The summary before is a source sentence by sentence.
    fn take_summary(&mut self, planned: &Planned, text: String) {
        if !self.previous.is_empty() {
            return;
        }
        let sentences = sentences::of(&text);
        for (place, sentence) in sentences.iter().enumerate() {
            let said = (sentence.text(&text).to_owned(), Some(sentence.range.start as i64));
            self.push(planned, Class::Summary, said, None, None);
            if let Some(block) = self.blocks.last_mut() {
                block.spot.sentence = Some(place);
                block.path = about(&block.text);
            }
        }
        (self.previous, self.previous_sentences) = (text, sentences);
    }

    /// What a part is, the text by which it is found, and how that is shifted against the part's own.
    fn describe(&self, planned: &Planned, text: String) -> (Class, String, Option<i64>) {
        let deed = self.lexicon.tools.deed(&planned.tool);
        match planned.kind {
            PartKind::Text if planned.role == Role::Assistant => (Class::Text, text, Some(0)),
            PartKind::Text => {
                let said = harness::without(&text, &harness::tagged(&text)).trim().to_owned();
                let shift = shift(&text, &said);
                if planned.injected || said.is_empty() {
                    (Class::Meta, text, Some(0))
                } else {
                    (Class::Prompt, said, shift)
                }
            }
            PartKind::ToolCall => {
                let named = planned.tool.len() as i64 + 1;
                (class::of_call(deed), format!("{}\n{text}", planned.tool), Some(-named))
            }
            PartKind::ToolResult => (class::of_result(deed, planned.error, &text), text, Some(0)),
            _ => (Class::Meta, text, Some(0)),
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

/// Where `said` stands in the text that it was cut out of, in one piece.
fn shift(text: &str, said: &str) -> Option<i64> {
    text.find(said).map(|at| at as i64)
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
