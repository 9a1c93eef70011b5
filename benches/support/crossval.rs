//! Each summary ranked with weights that did not see its log.
//!
//! The second step is fitted on the messages of neighbours that were themselves ranked with weights that saw neither
//! their own log nor the one that is held out, so nothing leaks from one step to the next.

use std::collections::BTreeMap;

use pentimento::lineage::context::{MESSAGES, Messages};
use pentimento::lineage::features::{self, COUNT};
use pentimento::lineage::index::Index;
use pentimento::lineage::rank::{Field, Ranked, dot};
use pentimento::lineage::weights::Weights;
use pentimento::text::lexicon;

use crate::fit::{Example, fit};
use crate::gold::{Label, Summary};

/// Squares of weights of dense features, of files' and of all others are held down so.
const DENSE: f64 = 0.1;
const FILES: f64 = 0.15;
const OTHERS: f64 = 0.3;
const NEIGHBOURS: f64 = 0.5;

/// One labelled summary, ready to be ranked.
pub struct Prepared<'a> {
    /// The summary.
    pub summary: &'a Summary,
    /// Its index.
    pub index: Index,
    /// Its candidates.
    pub field: Field,
}

impl<'a> Prepared<'a> {
    /// Prepares a summary.
    pub fn new(summary: &'a Summary) -> Self {
        let index = Index::new(&summary.texts.blocks);
        let field = Field::new(&summary.texts, &index, lexicon::built_in());
        Self { summary, index, field }
    }

    /// The example that a label makes. Blocks that support a part are neither right nor wrong.
    fn example(&self, label: &Label, messages: Option<&[Vec<Messages>]>) -> Example {
        let mut example = Example::default();
        for (place, candidate) in self.field.candidates[label.sentence].iter().enumerate() {
            let right = is_right(label, candidate.block, true);
            if label.partly.contains(&candidate.block) && !right {
                continue;
            }
            let mut row = candidate.features.to_vec();
            if let Some(messages) = messages {
                row.extend(messages[label.sentence][place]);
            }
            example.rows.push(row);
            example.right.push(right);
        }
        example
    }
}

/// Whether a label names the block; with `more`, whether a second reader added it.
pub fn is_right(label: &Label, block: usize, more: bool) -> bool {
    label.sources.contains(&block) || more && label.more.contains(&block)
}

fn ridge() -> Vec<f64> {
    let dense = [
        "match",
        "match-in-class",
        "coverage",
        "prose-coverage",
        "window-precision",
        "literals",
        "call-coverage",
        "new-text",
        "quotation",
        "repeats",
        "length",
        "pairs",
        "prompt-coverage",
    ];
    let of = |place| match features::name(place).as_str() {
        name if dense.contains(&name) => DENSE,
        "own-file" | "inherited-file" => FILES,
        _ => OTHERS,
    };
    (0..COUNT).map(of).collect()
}

/// Fits weights without some of the summaries.
pub struct Fitter<'a> {
    prepared: &'a [Prepared<'a>],
    alone: BTreeMap<Vec<usize>, [f64; COUNT]>,
}

impl<'a> Fitter<'a> {
    /// Fits on these.
    pub fn new(prepared: &'a [Prepared<'a>]) -> Self {
        Self { prepared, alone: BTreeMap::new() }
    }

    /// The weights of the first step, fitted without the summaries at `without`.
    fn alone(&mut self, without: &[usize]) -> [f64; COUNT] {
        let mut key = without.to_vec();
        key.sort_unstable();
        key.dedup();
        if let Some(known) = self.alone.get(&key) {
            return *known;
        }
        let mut examples = Vec::new();
        for (_, prepared) in self.prepared.iter().enumerate().filter(|(at, _)| !key.contains(at)) {
            examples.extend(prepared.summary.labels.iter().map(|label| prepared.example(label, None)));
        }
        let fitted = fit(&examples.iter().collect::<Vec<_>>(), &ridge());
        let weights: [f64; COUNT] = fitted.try_into().unwrap();
        self.alone.insert(key, weights);
        weights
    }

    /// Both steps, fitted without the summaries at `without`.
    pub fn weights(&mut self, without: &[usize]) -> Weights {
        let prepared = self.prepared;
        let mut examples = Vec::new();
        for (at, prepared) in prepared.iter().enumerate().filter(|(at, _)| !without.contains(at)) {
            let blind = self.alone(&[without, &[at]].concat());
            let messages = prepared.field.messages(&blind);
            let labels = prepared.summary.labels.iter();
            examples.extend(labels.map(|label| prepared.example(label, Some(&messages))));
        }
        let mut ridge = ridge();
        ridge.extend([NEIGHBOURS; MESSAGES]);
        let together = fit(&examples.iter().collect::<Vec<_>>(), &ridge);
        Weights {
            alone: self.alone(without),
            together: together[..COUNT].try_into().unwrap(),
            messages: together[COUNT..].try_into().unwrap(),
        }
    }

    /// The rankings of every summary by weights that did not see it: with neighbours, and alone.
    pub fn rankings(&mut self) -> Vec<[Vec<Vec<Ranked>>; 2]> {
        let prepared = self.prepared;
        let one = |(at, prepared): (usize, &Prepared)| {
            let weights = self.weights(&[at]);
            let sentences = prepared.summary.texts.sentences.iter().zip(&prepared.field.candidates);
            let alone = sentences.map(|(sentence, candidates)| {
                let scores: Vec<f64> = candidates.iter().map(|c| dot(&c.features, &weights.alone)).collect();
                prepared.field.order(sentence, candidates, &scores)
            });
            [prepared.field.rank(&weights), alone.collect()]
        };
        prepared.iter().enumerate().map(one).collect()
    }
}
