//! One generation traced: each sentence of its summary with its sources, its support and where it came from.
//!
//! [`trace`] needs a [`Plan`] and the log's bytes, so it runs on any thread; what it gives holds no index, only results,
//! and is kept as long as anybody looks. Kept results never change: a recorded compaction's range is closed.

use std::ops::Range;

use crate::formats::facts::Role;
use crate::log::{LogError, Source};
use crate::session::{Provenance, TurnId};
use crate::text::lexicon::Lexicon;
use crate::text::sentences::{Kind, Sentence};
use crate::text::words;
use crate::text::{identifiers, preview};

use super::index::Index;
use super::origin::{self, Origin};
use super::range::{Block, Class, Plan, Texts};
use super::rank::{Field, Ranked};
use super::support::{Support, TOGETHER, Weighed, is_verbatim, run};
use super::weights::Weights;

/// How many sources of a sentence are kept.
const KEPT: usize = 10;
/// Longest snippet, in bytes.
const SNIPPET: usize = 320;

/// A generation's summary, traced.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The generation.
    pub generation: u32,
    /// The turn of its summary.
    pub summary: TurnId,
    /// How its range is known.
    pub provenance: Provenance,
    /// Whether everything that was summarised is in the log, by its chain of records.
    pub complete: bool,
    /// Whether it is also as much text as its logged size asks for; only then anything is called unsupported.
    pub ample: bool,
    /// The generation whose summary stands in its range.
    pub previous: Option<u32>,
    /// The lexicon's id.
    pub lexicon: String,
    /// The summary.
    pub text: String,
    /// Its sentences; `g3.s12` is at place 11.
    pub sentences: Vec<Traced>,
}

/// A sentence, traced.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The sentence.
    pub sentence: Sentence,
    /// How far it is supported.
    pub support: Support,
    /// The share of its weight that its first three sources hold.
    pub coverage: f64,
    /// Whether it stands in one of its first three sources word for word.
    pub verbatim: bool,
    /// Where it came from.
    pub origin: Origin,
    /// Where it is inherited: the place of the sentence in the summary before.
    pub parent: Option<usize>,
    /// The sentence in the summary before that is about the same, whether or not this one was taken over from it.
    pub before: Option<usize>,
    /// Its sources, best first. Show three.
    pub sources: Vec<SourceLink>,
}

/// A source of a sentence.
#[derive(Clone, Debug)]
pub struct SourceLink {
    /// Its turn; of a sentence, the turn of the summary before.
    pub turn: TurnId,
    /// The turn's number.
    pub number: u32,
    /// The turn's role.
    pub role: Role,
    /// The physical line of its record.
    pub line: u32,
    /// Its number in its record, from 0.
    pub part: u32,
    /// Its number in its turn, from 0.
    pub index: u32,
    /// The user's words inside a tool result.
    pub voice: bool,
    /// What kind of block it is.
    pub class: Class,
    /// Of the summary before: the sentence's place in it.
    pub sentence: Option<usize>,
    /// The ranker's share of belief, 0 to 1: it orders, it does not prove.
    pub score: f64,
    /// The share of the sentence's weight that this source holds alone.
    pub coverage: f64,
    /// The longest run of words that both share, as a share of the sentence.
    pub run: f64,
    /// The stretch of it that matches best.
    pub snippet: String,
    /// Where shared words stand in the snippet.
    pub shared: Vec<Range<usize>>,
}

/// Reads and traces a generation.
pub fn trace(plan: &Plan, source: &Source, lexicon: &Lexicon, weights: &Weights) -> Result<Trace, LogError> {
    let texts = plan.read(source, lexicon)?;
    let index = Index::new(&texts.blocks);
    let rankings = Field::new(&texts, &index, lexicon).rank(weights);
    let old = texts.previous_sentences.iter().map(|sentence| match sentence.kind {
        Kind::Sentence => {
            let text = sentence.text(&texts.previous);
            Some((Weighed::new(&index, lexicon, text), named(text)))
        }
        _ => None,
    });
    let tracer = Tracer { texts: &texts, index: &index, lexicon, old: old.collect() };
    let sentences =
        rankings.iter().enumerate().map(|(place, ranked)| tracer.sentence(place, ranked)).collect();
    Ok(Trace {
        generation: plan.generation,
        summary: plan.summary,
        provenance: plan.provenance,
        complete: texts.complete,
        ample: texts.ample,
        previous: plan.previous,
        lexicon: lexicon.id().to_owned(),
        sentences,
        text: texts.summary,
    })
}

/// The things that a sentence names; numbers name nothing.
fn named(text: &str) -> Vec<String> {
    let found = identifiers::find(text).into_iter().filter(|found| found.class != identifiers::Class::Number);
    found.map(|found| found.normal).collect()
}

struct Tracer<'a> {
    texts: &'a Texts,
    index: &'a Index,
    lexicon: &'a Lexicon,
    /// The sentences of the summary before; quotes and code are not about anything.
    old: Vec<Option<(Weighed, Vec<String>)>>,
}

impl Tracer<'_> {
    fn sentence(&self, place: usize, ranked: &[Ranked]) -> Traced {
        let sentence = &self.texts.sentences[place];
        let text = sentence.text(&self.texts.summary);
        let Texts { blocks, ample, .. } = self.texts;
        let weighed = Weighed::new(self.index, self.lexicon, text);
        let coverage = weighed.coverage(self.index, blocks, &ranked[..ranked.len().min(TOGETHER)]);
        let support = match sentence.kind {
            // Code is not traced: it says nothing that could be supported.
            Kind::Code => Support::Unknown,
            _ => weighed.support(self.lexicon, sentence, text, coverage, *ample),
        };
        let spoken = words::spoken(text);
        let sources: Vec<SourceLink> =
            ranked.iter().take(KEPT).map(|ranked| self.link(text, &spoken, &weighed, ranked)).collect();
        let (origin, parent) = origin::of(self.texts, self.index, &weighed, ranked);
        Traced {
            sentence: sentence.clone(),
            support,
            coverage,
            verbatim: sources.iter().take(TOGETHER).any(|source| is_verbatim(source.run)),
            origin,
            parent,
            before: parent.or_else(|| self.before(&weighed, text)),
            sources,
        }
    }

    /// The old sentence that is most about the same, the earlier one among equals. One that names the same thing letter
    /// by letter goes before any that only shares words.
    fn before(&self, weighed: &Weighed, text: &str) -> Option<usize> {
        let names = named(text);
        let alike = self.old.iter().enumerate().filter_map(|(place, old)| {
            let (old, old_names) = old.as_ref()?;
            let likeness = weighed.likeness(old);
            let same = old_names.iter().any(|name| names.contains(name));
            (likeness > 0.0).then_some((same, likeness, place))
        });
        let best = alike.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)));
        best.map(|(_, _, place)| place)
    }

    fn link(&self, text: &str, spoken: &[String], weighed: &Weighed, ranked: &Ranked) -> SourceLink {
        let block = &self.texts.blocks[ranked.block];
        let range = self.snippet(text, block, ranked.passage);
        let snippet = block.text[range].to_owned();
        let passage = &block.text[self.index.passages[ranked.passage].range.clone()];
        SourceLink {
            turn: block.turn,
            number: block.number,
            role: block.role,
            line: block.line,
            part: block.part,
            index: block.index,
            voice: block.voice,
            class: block.class,
            sentence: block.sentence,
            score: ranked.score,
            coverage: weighed.coverage(self.index, &self.texts.blocks, std::slice::from_ref(ranked)),
            run: run(spoken, passage).1,
            shared: self.shared(text, &snippet),
            snippet,
        }
    }

    /// The window of a passage that shares most with the sentence.
    fn snippet(&self, text: &str, block: &Block, passage: usize) -> Range<usize> {
        let query = self.index.query(text);
        let mut best: Option<(f64, Range<usize>)> = None;
        for (words, range) in self.index.window_ranges(passage, &block.text) {
            let mut found: Vec<u32> = self.index.slice(words).to_vec();
            found.retain(|word| query.known.binary_search(word).is_ok());
            found.sort_unstable();
            found.dedup();
            let shared: f64 = found.iter().map(|word| self.index.weight(*word)).sum();
            if best.as_ref().is_none_or(|(most, _)| shared > *most) {
                best = Some((shared, range));
            }
        }
        let range = best.map_or_else(|| self.index.passages[passage].range.clone(), |(_, range)| range);
        let found = &block.text[range.clone()];
        let start = range.start + (found.len() - found.trim_start().len());
        start..start + preview::floor(found.trim(), SNIPPET).len()
    }

    fn shared(&self, text: &str, snippet: &str) -> Vec<Range<usize>> {
        let query = self.index.query(text);
        let mut out = Vec::new();
        words::each_stem(snippet, |word, range| {
            let known = self.index.word(word).is_some_and(|word| query.known.binary_search(&word).is_ok());
            if known {
                out.push(range);
            }
        });
        out
    }
}
