//! What a recorded compaction summarised, block by block, as the candidates for a sentence's sources.
//!
//! Which turns belong to it comes from the log's own links ([`Compaction::covers`]): turns that were kept word for
//! word or stand on other branches are no sources. [`Plan`] is taken from the session and is small; reading the texts
//! needs the plan and the log's bytes alone, so it can be done on any thread. Reasoning is left out: agents do not
//! give it to the summariser, and it repeats everything. The summary before gives its sentences, each a block.

use std::collections::HashMap;
use std::sync::Arc;

use crate::formats::Format;
use crate::formats::facts::{PartKind, PartText, Role};
use crate::log::{LogError, Source};
use crate::session::{Compaction, Part, Provenance, Session, TurnId};
use crate::summarisers::Summary;
use crate::text::lexicon::Lexicon;
use crate::text::sentences;

use super::blocks::BlockReader;
pub use super::blocks::{Block, Spot};
pub use super::class::Class;
use super::exact::Line;

/// A part to be read.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) turn: TurnId,
    pub(super) number: u32,
    pub(super) role: Role,
    pub(super) injected: bool,
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) line: u32,
    pub(super) part: u32,
    pub(super) index: u32,
    pub(super) place: u32,
    pub(super) kind: PartKind,
    pub(super) tool: Box<str>,
    pub(super) path: Box<str>,
    pub(super) voice: bool,
    pub(super) error: bool,
    pub(super) again: bool,
    pub(super) pair: Option<u32>,
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
    /// Of a made summary: its text, what its maker says of its lines, and what stands for a turn without text.
    pub(super) made: Option<Made>,
}

/// A summary that is not in the log.
#[derive(Debug)]
pub(super) struct Made {
    text: String,
    pub(super) lines: Vec<Line>,
    bare: Vec<Block>,
}

/// A generation's texts.
#[derive(Debug)]
pub struct Texts {
    /// What was summarised, in order of the path.
    pub blocks: Vec<Block>,
    /// Of blocks whose text stands in several turns: those turns, by the blocks' places.
    pub repeats: HashMap<usize, Arc<[TurnId]>>,
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
            made: None,
        })
    }

    /// What a recorded compaction left in view word for word: the turns that it kept, and messages that it wrote down again.
    /// It has no summary. None where nothing was kept.
    pub fn kept(session: &Session, generation: u32) -> Option<Self> {
        let compaction = session.generation(generation)?;
        let summary = compaction.summary?;
        let mut covered = Vec::new();
        for number in compaction.kept.iter().flat_map(|(from, to)| *from..=*to) {
            if let Some(id) = session.numbered(0, number).filter(|id| session.turn(*id).role != Role::Summary)
            {
                plan_turn(session, id, &mut covered);
            }
        }
        let mut again = Vec::new();
        plan_turn(session, summary, &mut again);
        covered.extend(again.into_iter().filter(|part| part.again));
        (!covered.is_empty()).then(|| {
            let covered_plan = Self::made(session, generation, summary, String::new(), Vec::new(), &[]);
            Self { covered, ..covered_plan }
        })
    }

    /// What to read for a summary that was made from the turns `inputs`; none where there are none.
    pub fn of_summary(session: &Session, summary: &Summary, inputs: &[TurnId]) -> Option<Self> {
        let stands = *inputs.last()?;
        let lines = summary.lines.iter().map(|line| Line::of(session, line)).collect();
        Some(Self::made(session, 0, stands, summary.text.clone(), lines, inputs))
    }

    /// What to read for a summary whose maker says which turns its lines were made from; it counts as `generation` and
    /// stands at the turn `summary`. Sentences of these lines rest on those turns exactly; where its maker names no turn at
    /// all, they may rest on any of `inputs`.
    pub fn made(
        session: &Session,
        generation: u32,
        summary: TurnId,
        text: String,
        lines: Vec<Line>,
        inputs: &[TurnId],
    ) -> Self {
        let mut turns: Vec<TurnId> = lines.iter().flat_map(|line| line.turns.iter().copied()).collect();
        if turns.is_empty() {
            turns.extend(inputs);
        }
        turns.sort_unstable();
        turns.dedup();
        let mut covered = Vec::new();
        for turn in &turns {
            plan_turn(session, *turn, &mut covered);
        }
        let bare = turns.iter().map(|turn| Block::bare(session, *turn)).collect();
        Self {
            generation,
            summary,
            provenance: Provenance::Exact,
            unbroken: true,
            previous: None,
            tokens_before: None,
            format: session.format,
            covered,
            summary_parts: Vec::new(),
            made: Some(Made { text, lines, bare }),
        }
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
        if let Some(made) = &self.made {
            summary.clone_from(&made.text);
        }
        let mut reader = BlockReader::new(lexicon, self.format);
        self.each_text(source, &self.covered, |planned, text| reader.take(planned, text))?;
        let BlockReader { mut blocks, previous, previous_sentences, characters, .. } = reader;
        for bare in self.made.iter().flat_map(|made| &made.bare) {
            if !blocks.iter().any(|block| block.spot.turn == bare.spot.turn) {
                blocks.push(bare.clone());
            }
        }
        // Whole ranges hold at least as many characters as the context had tokens; a log that starts in the middle
        // of a session does not, whatever its chain of records says.
        let ample = self.unbroken && self.tokens_before.is_none_or(|tokens| characters >= tokens);
        let complete = self.unbroken;
        let sentences = sentences::of(&summary);
        let repeats = repeats(&blocks);
        Ok(Texts { blocks, repeats, summary, sentences, previous, previous_sentences, complete, ample })
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

/// The turns that say the same as another one, by the places of their blocks.
fn repeats(blocks: &[Block]) -> HashMap<usize, Arc<[TurnId]>> {
    let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, block) in blocks.iter().enumerate().filter(|(_, block)| block.spot.sentence.is_none()) {
        by_text.entry(&block.text).or_default().push(place);
    }
    let several = by_text.into_values().filter(|places| places.len() > 1);
    several
        .flat_map(|places| {
            let turns: Arc<[TurnId]> = places.iter().map(|place| blocks[*place].spot.turn).collect();
            places.into_iter().map(move |place| (place, turns.clone()))
        })
        .collect()
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
        let (tool, path) = named(&part);
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
            pair: session.pair(&part).map(|(place, _)| place),
        });
    }
}
