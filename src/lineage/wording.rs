//! What changed between an earlier wording and a later one: words that are gone or new, and hedges that were lost.
//!
//! A hedge is lost where the earlier wording leaves something open and the later one does not. That is a reason to
//! compare the two, no verdict: turns in between may have settled it, and a neighbour may say it instead.

use std::collections::HashSet;
use std::ops::Range;

use crate::text::cues;
use crate::text::lexicon::Lexicon;
use crate::text::{sentences, words};

use super::chain::{SentenceId, Traces};
use super::range::Class;
use super::support::TOGETHER;
use super::trace::{SourceLink, Traced};

/// Stop words that turn a statement into another one.
const TELLING: [&str; 16] = [
    "all", "can", "could", "if", "may", "might", "must", "no", "not", "only", "or", "shall", "should",
    "will", "would", "once",
];
/// An unmarked word between two marked ones is marked with them: a reader wants the phrase.
const BRIDGE: usize = 1;

/// The earlier of two wordings.
#[derive(Clone, Copy, Debug)]
pub enum Earlier<'a> {
    /// A sentence of the summary before.
    Sentence(SentenceId),
    /// What a turn says.
    Turn(&'a SourceLink),
}

/// A hedge that a later wording left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The words that left it open; none for a question without any.
    pub words: Vec<String>,
    /// A sentence beside the later wording that rests on the same and still leaves something open.
    pub beside: Option<SentenceId>,
}

/// The stretches of `text` whose words `other` does not have, whatever their endings.
pub fn changed(text: &str, other: &str) -> Vec<Range<usize>> {
    let mut known = HashSet::new();
    words::each_spoken(other, |word, _| {
        known.insert(stemmed(word));
    });
    // Each word, whether it is missing in the other text, and whether that alone says something.
    let mut marks: Vec<(Range<usize>, bool, bool)> = Vec::new();
    words::each_spoken(text, |word, range| {
        let telling = !words::is_stop(word) || TELLING.contains(&word);
        marks.push((range, !known.contains(&stemmed(word)), telling));
    });
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut last: Option<usize> = None;
    for (at, (range, gone, telling)) in marks.iter().enumerate() {
        let near = last.is_some_and(|last| at - last <= 1);
        if !gone || !(*telling || near) {
            continue;
        }
        match out.last_mut() {
            Some(open) if last.is_some_and(|last| at - last <= 1 + BRIDGE && joins(text, open, range)) => {
                open.end = range.end;
            }
            _ => out.push(range.clone()),
        }
        last = Some(at);
    }
    out
}

/// Whether two marked stretches stand in one sentence.
fn joins(text: &str, before: &Range<usize>, after: &Range<usize>) -> bool {
    let between = text.get(before.end..after.start).unwrap_or_default();
    let ends = |c: char| matches!(c, '.' | '!' | '?' | ';');
    !between.contains(['\n', '`']) && !between.trim_end().ends_with(ends) || between.chars().all(ends)
}

fn stemmed(word: &str) -> String {
    let mut word = word.to_owned();
    words::stem(&mut word);
    word
}

/// What leaves `text` open, where anything does.
fn open(lexicon: &Lexicon, text: &str) -> Option<Vec<String>> {
    let openness = cues::openness(lexicon, text);
    openness.open.then(|| openness.hedges.iter().map(|hedge| text[hedge.range.clone()].to_owned()).collect())
}

/// How many words a sentence of a turn has to share with a wording to be about the same.
const ABOUT: usize = 2;

/// Whether a sentence of a turn speaks of what `later` says: a turn speaks of many things.
fn is_about(said: &str, later: &str) -> bool {
    let known: HashSet<String> = words::stems(later).into_iter().collect();
    let shared: HashSet<String> =
        words::stems(said).into_iter().filter(|word| known.contains(word)).collect();
    shared.len() >= ABOUT
}

/// The words with which a turn leaves open what `after` speaks of; none where it does not.
fn hedge(lexicon: &Lexicon, source: &SourceLink, after: &str) -> Option<Vec<String>> {
    // Programs and arguments hedge nothing.
    if !matches!(source.spot.class, Class::Prompt | Class::Text | Class::Plan) {
        return None;
    }
    let said = sentences::split(&source.snippet).into_iter().map(|range| &source.snippet[range]);
    let mut hedges = said.filter(|said| is_about(said, after)).filter_map(|said| open(lexicon, said));
    hedges.next().map(|first| hedges.fold(first, |all, more| [all, more].concat()))
}

/// The words with which a turn leaves open what a sentence made from it says without leaving it open.
pub fn loss_since(lexicon: &Lexicon, source: &SourceLink, after: &str) -> Option<Vec<String>> {
    if open(lexicon, after).is_some() { None } else { hedge(lexicon, source, after) }
}

/// The hedge that the sentence `later` lost on the way from `earlier`.
pub fn loss(lexicon: &Lexicon, traces: &Traces, earlier: Earlier<'_>, later: SentenceId) -> Option<Loss> {
    let trace = traces.get(later.generation)?;
    let after = trace.sentences.get(later.place)?.sentence.text(&trace.text);
    let words = match earlier {
        Earlier::Sentence(id) => {
            let before = traces.get(id.generation)?;
            open(lexicon, before.sentences.get(id.place)?.sentence.text(&before.text))
        }
        Earlier::Turn(source) => hedge(lexicon, source, after),
    }?;
    if open(lexicon, after).is_some() {
        return None;
    }
    let rests = |traced: &Traced| match earlier {
        Earlier::Sentence(id) => traced.before == Some(id.place),
        Earlier::Turn(source) => traced
            .sources
            .iter()
            .take(TOGETHER)
            .any(|other| other.spot.turn == source.spot.turn && other.spot.sentence.is_none()),
    };
    let beside = trace.sentences.iter().enumerate().find(|(place, traced)| {
        *place != later.place && rests(traced) && open(lexicon, traced.sentence.text(&trace.text)).is_some()
    });
    let beside = beside.map(|(place, _)| SentenceId { generation: later.generation, place });
    Some(Loss { words, beside })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, other: &str) -> Vec<String> {
        changed(text, other).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn words_that_the_other_wording_lacks_are_marked_as_phrases() {
        let (old, new) =
            ("The user is considering converting it to an enum.", "Plan to convert it to an enum.");
        assert_eq!(marked(old, new), ["user is considering"]);
        assert_eq!(marked(new, old), ["Plan"]);
        assert_eq!(marked(old, old), Vec::<String>::new());
    }

    #[test]
    fn small_words_count_where_they_turn_a_statement() {
        assert_eq!(marked("Do not touch the table.", "Touch the table."), ["not"]);
        assert_eq!(marked("It may rewrite the table.", "It rewrites the table."), ["may"]);
        assert_eq!(marked("Add the index to a table.", "Add an index, table."), Vec::<String>::new());
    }
}
