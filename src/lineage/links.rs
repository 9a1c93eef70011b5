//! From a sentence's ranking to what is said of it: its sources with their snippets, its support, its origin.

use std::ops::Range;

use crate::text::lexicon::Lexicon;
use crate::text::sentences::Kind;
use crate::text::{identifiers, preview, words};

use super::asked::path_match;
use super::contrast::{self, Close, Contrast};
use super::index::{Index, Query};
use super::origin;
use super::range::{Block, Texts};
use super::rank::Ranked;
use super::support::{Spoken, Support, TOGETHER, Weighed, is_verbatim};
use super::trace::{SourceLink, Traced};

/// How many sources of a sentence are kept.
const KEPT: usize = 10;
/// Longest snippet, in bytes.
const SNIPPET: usize = 320;

/// The things that a sentence names; numbers name nothing.
fn named(text: &str) -> Vec<String> {
    let found = identifiers::find(text).into_iter().filter(|found| found.class != identifiers::Class::Number);
    found.map(|found| found.normal).collect()
}

/// A sentence without the things that it names.
fn without_names(text: &str) -> String {
    let mut out = text.to_owned();
    for found in identifiers::find(text) {
        out.replace_range(found.range.clone(), &" ".repeat(found.range.len()));
    }
    out
}

/// A sentence's words, in all the ways in which its sources are held against them.
struct Words<'a> {
    query: Query,
    spoken: Spoken,
    all: &'a Weighed,
    /// Those beside names.
    said: Weighed,
    files: Vec<String>,
}

/// Says of one sentence after another what it rests on.
pub(super) struct Tracer<'a> {
    pub(super) texts: &'a Texts,
    pub(super) index: &'a Index,
    pub(super) lexicon: &'a Lexicon,
    /// The sentences of the summary before, weighed; quotes and code are not about anything.
    pub(super) old: &'a [Option<Weighed>],
}

impl Tracer<'_> {
    /// The sentence at `place`, with its sources in order.
    pub(super) fn sentence(&self, place: usize, ranked: &[Ranked]) -> Traced {
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
        let query = self.index.query(text);
        let said = Weighed::new(self.index, self.lexicon, &without_names(text));
        let files: Vec<String> = identifiers::files(text).into_iter().map(|file| file.normal).collect();
        let words = Words { query, spoken: Spoken::new(text), all: &weighed, said, files };
        let link = |ranked| self.link(&words, ranked);
        let sources: Vec<SourceLink> = ranked.iter().take(KEPT).map(link).collect();
        let contrasts =
            if sentence.kind == Kind::Code { Vec::new() } else { self.contrasts(text, ranked, &sources) };
        let (origin, parent) = origin::of(self.texts, self.index, &weighed, ranked);
        Traced {
            sentence: sentence.clone(),
            support,
            coverage,
            verbatim: sources.iter().take(TOGETHER).any(|source| is_verbatim(source.run)),
            contrasts,
            origin,
            parent,
            before: parent.or_else(|| self.before(&weighed, text)),
            sources,
        }
    }

    /// What the sentence says otherwise than its first three sources.
    fn contrasts(&self, text: &str, ranked: &[Ranked], sources: &[SourceLink]) -> Vec<Contrast> {
        let first = ranked.iter().zip(sources).take(TOGETHER);
        let close = first.map(|(ranked, source)| Close {
            passage: self.passage(ranked),
            snippet: &source.snippet,
            coverage: source.coverage,
            run: source.run,
        });
        contrast::of(text, &close.collect::<Vec<Close>>())
    }

    fn passage(&self, ranked: &Ranked) -> &str {
        &self.texts.blocks[ranked.block].text[self.index.passages[ranked.passage].range.clone()]
    }

    /// The old sentence that is most about the same, the earlier one among equals. One that names the same thing letter
    /// by letter goes before any that only shares words.
    fn before(&self, weighed: &Weighed, text: &str) -> Option<usize> {
        let names = named(text);
        let alike = self.old.iter().enumerate().filter_map(|(place, old)| {
            let likeness = weighed.likeness(old.as_ref()?);
            if likeness <= 0.0 {
                return None;
            }
            let old = self.texts.previous_sentences[place].text(&self.texts.previous);
            let same = !names.is_empty() && named(old).iter().any(|name| names.contains(name));
            Some((same, likeness, place))
        });
        let best = alike.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)));
        best.map(|(_, _, place)| place)
    }

    fn link(&self, words: &Words, ranked: &Ranked) -> SourceLink {
        let block = &self.texts.blocks[ranked.block];
        let range = self.snippet(&words.query, block, ranked.passage);
        let snippet = block.text[range].to_owned();
        let held = |weighed: &Weighed| {
            weighed.coverage(self.index, &self.texts.blocks, std::slice::from_ref(ranked))
        };
        let coverage = held(words.all);
        // Of a block about the very file that the sentence names, the name says enough.
        let is_named = words.files.iter().any(|file| path_match(&block.path, file) >= 1.0);
        let said = if is_named || words.said.is_empty() { coverage } else { held(&words.said) };
        SourceLink {
            spot: block.spot,
            repeats: self.texts.repeats.get(&ranked.block).cloned(),
            named: false,
            score: ranked.score,
            coverage,
            said,
            run: words.spoken.run(self.passage(ranked)),
            shared: self.shared(&words.query, &snippet),
            snippet,
        }
    }

    /// The window of a passage that shares most with the sentence.
    fn snippet(&self, query: &Query, block: &Block, passage: usize) -> Range<usize> {
        let mut best: Option<(f64, Range<usize>)> = None;
        for window in &self.index.windows[self.index.passages[passage].windows.clone()] {
            let mut found: Vec<u32> = self.index.slice(window.words.clone()).to_vec();
            found.retain(|word| query.known.binary_search(word).is_ok());
            found.sort_unstable();
            found.dedup();
            let shared: f64 = found.iter().map(|word| self.index.weight(*word)).sum();
            if best.as_ref().is_none_or(|(most, _)| shared > *most) {
                best = Some((shared, window.range.clone()));
            }
        }
        let range = best.map_or_else(|| self.index.passages[passage].range.clone(), |(_, range)| range);
        let found = &block.text[range.clone()];
        let start = range.start + (found.len() - found.trim_start().len());
        start..start + preview::floor(found.trim(), SNIPPET).len()
    }

    fn shared(&self, query: &Query, snippet: &str) -> Vec<Range<usize>> {
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
