//! What became of a statement: the verdict, the sentences it rests on, and which words are gone.
//!
//! Two ways, by what is at stake. Of what was left *open* it counts whether the summary still leaves it open; of what *binds*,
//! whether names, numbers and force are still there. Nothing is called dropped where a part of its words stands together
//! somewhere: then the two are to be compared. Opposites are never claimed; shared words cannot show them.

use std::collections::{BTreeMap, HashSet};

use crate::lineage::contrast;
use crate::text::lexicon::Lexicon;
use crate::text::sentences::Kind;
use crate::text::words;

use super::finding::{Verdict, Why};
use super::said::Said;
use super::statements::{Statement, clauses};

/// A sentence may carry a statement of whose weight it holds this share.
const CARRIES: f64 = 0.40;
/// Below this nothing of a statement is held that chance would not explain.
const TRACE: f64 = 0.30;
/// The same for sentences that stand together, which hold more by chance.
const TRACE_TOGETHER: f64 = 0.50;
/// Both for a statement of which the outcome may be told in other words.
const SOFT_TRACE: f64 = 0.15;
const SOFT_TRACE_TOGETHER: f64 = 0.25;
/// A sentence tells a statement's point where the statement has this share of its words.
const TOLD: f64 = 0.5;
/// A statement of so many words at the most says one thing of the name in it.
const FEW: usize = 6;
/// How many neighbours stand together.
const TOGETHER: usize = 3;
/// A run of words that is a statement of its own inside a longer sentence.
const RUN: f64 = 0.75;
/// The same where a statement binds, and where it is itself.
const RUN_BINDING: f64 = 0.80;
const RUN_WHOLE: f64 = 0.95;
/// A statement with fewer words that tell something says too little to be looked for.
const TELLING: usize = 3;
/// Stems that tell nothing of what a statement is about.
const FILLERS: [&str; 44] = [
    "actually", "anyth", "can't", "doesn't", "don't", "even", "everyth", "fine", "get", "go", "good",
    "guess", "hey", "isn't", "it'", "know", "let", "let'", "like", "make", "mayb", "much", "need", "never",
    "ok", "okay", "one", "pleas", "really", "right", "see", "someth", "still", "sure", "that'", "their",
    "thing", "think", "want", "way", "what'", "yeah", "yes", "yet",
];

/// Whether a stem tells nothing of what a statement is about.
pub(super) fn is_filler(stem: &str) -> bool {
    FILLERS.binary_search(&stem).is_ok()
}

/// How words begin that refuse or leave out without a "not".
const REFUSING: [&str; 9] =
    ["avoid", "exclu", "forbid", "prohibit", "refus", "reject", "skip", "stop", "untouch"];
/// Sentences named in a finding at the most.
const NAMED: usize = 3;

/// What became of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The best that was found.
    pub verdict: Verdict,
    /// The same without the list of what the user said.
    pub narrative: Verdict,
    /// The worst of all sentences that carry it.
    pub worst: Verdict,
    /// The sentences of the best, best first.
    pub sentences: Vec<usize>,
    /// What the verdict rests on.
    pub why: Option<Why>,
    /// The sentence of the worst, where it says something as settled that the statement leaves open.
    pub compare: Option<usize>,
}

/// A sentence that may carry a statement.
struct Candidate {
    place: usize,
    coverage: f64,
    run: f64,
    listed: bool,
}

/// A verdict of one sentence.
struct Reading {
    place: usize,
    coverage: f64,
    listed: bool,
    verdict: Verdict,
    why: Option<Why>,
}

/// What became of `statement` in `said`.
pub fn of(lexicon: &Lexicon, statement: &Statement, said: &Said) -> Judged {
    let held = held(statement, said);
    let candidates = candidates(statement, said, &held);
    let readings: Vec<Reading> = candidates
        .iter()
        .map(|candidate| {
            let (verdict, why) = read(lexicon, statement, said, candidate);
            Reading {
                place: candidate.place,
                coverage: candidate.coverage,
                listed: candidate.listed,
                verdict,
                why,
            }
        })
        .collect();
    let missing = || absent(lexicon, statement, said, &held);
    let Some(best) = best(readings.iter()) else {
        let (verdict, sentences, why) = missing();
        return Judged { verdict, narrative: verdict, worst: verdict, sentences, why, compare: None };
    };
    let told = self::best(readings.iter().filter(|reading| !reading.listed));
    let narrative =
        told.map_or_else(|| if best.listed { Verdict::Dropped } else { missing().0 }, |told| told.verdict);
    let worst =
        readings.iter().max_by_key(|reading| (rank(reading.verdict), std::cmp::Reverse(reading.place)));
    let settled = worst.filter(|worst| {
        matches!(worst.why, Some(Why::Settled(_)))
            && worst.place != best.place
            && statement.answered.is_none()
    });
    let mut sentences = vec![best.place];
    let like =
        readings.iter().filter(|reading| reading.verdict == best.verdict && reading.place != best.place);
    sentences.extend(like.map(|reading| reading.place).take(NAMED - 1));
    Judged {
        verdict: best.verdict,
        narrative,
        worst: worst.map_or(best.verdict, |worst| worst.verdict),
        sentences,
        why: best.why.clone(),
        compare: settled.map(|settled| settled.place),
    }
}

/// Verdicts from the best to the worst.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Preserved => 0,
        Verdict::Paraphrased => 1,
        Verdict::Weakened => 2,
        Verdict::Mutated => 3,
        Verdict::Unverifiable => 4,
        Verdict::Dropped => 5,
    }
}

fn best<'a>(readings: impl Iterator<Item = &'a Reading>) -> Option<&'a Reading> {
    readings.min_by(|a, b| {
        let by_rank = rank(a.verdict).cmp(&rank(b.verdict));
        by_rank.then(b.coverage.total_cmp(&a.coverage)).then(a.place.cmp(&b.place))
    })
}

/// The share of a statement's weight, and the number of its stems, that each sentence holds.
fn held(statement: &Statement, said: &Said) -> BTreeMap<usize, (f64, usize)> {
    let total: f64 = statement.stems.iter().map(|(_, weight)| weight).sum();
    let mut held: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
    for (stem, weight) in &statement.stems {
        for place in said.with_stem(stem) {
            let of = held.entry(*place as usize).or_default();
            of.0 += weight / total.max(f64::MIN_POSITIVE);
            of.1 += 1;
        }
    }
    held
}

/// The sentences that hold enough of a statement.
fn candidates(statement: &Statement, said: &Said, held: &BTreeMap<usize, (f64, usize)>) -> Vec<Candidate> {
    let mut out = Vec::new();
    for (place, (coverage, shared)) in held {
        let coverage = &coverage.max(of_head(statement, said, *place));
        let enough = *coverage >= CARRIES && (*shared >= 2 || statement.stems.len() <= 2);
        let Some(spoken) = said.sentences.get(*place).filter(|spoken| enough && spoken.kind != Kind::Code)
        else {
            continue;
        };
        let (run, _, _) = words::longest_run(&statement.words, &spoken.words);
        let run = run as f64 / statement.words.len().max(1) as f64;
        // A statement of few words is in many sentences that speak of something else.
        if statement.stems.len() < TELLING && run < RUN {
            continue;
        }
        out.push(Candidate { place: *place, coverage: *coverage, run, listed: spoken.is_listed() });
    }
    out
}

/// The share of what binds in a statement, its first clause, that a sentence holds; with three words of it at least.
fn of_head(statement: &Statement, said: &Said, place: usize) -> f64 {
    statement.clauses.first().map_or(0.0, |head| {
        let (coverage, shared) = of_clause(head, said, place);
        if shared >= TELLING { coverage } else { 0.0 }
    })
}

/// The share of a clause that a sentence holds, and how many of its stems.
fn of_clause(clause: &[(String, f64)], said: &Said, place: usize) -> (f64, usize) {
    let held = clause.iter().filter(|(stem, _)| said.with_stem(stem).contains(&(place as u32)));
    let (weight, shared) = held.fold((0.0, 0), |(sum, count), (_, weight)| (sum + weight, count + 1));
    let total: f64 = clause.iter().map(|(_, weight)| weight).sum();
    (weight / total.max(f64::MIN_POSITIVE), shared)
}

/// The verdict of one sentence.
fn read(lexicon: &Lexicon, statement: &Statement, said: &Said, found: &Candidate) -> (Verdict, Option<Why>) {
    if statement.binding.open && !statement.binding.constraint && !statement.binding.rejection {
        read_open(lexicon, said, found)
    } else {
        read_binding(lexicon, statement, said, found)
    }
}

fn read_open(lexicon: &Lexicon, said: &Said, found: &Candidate) -> (Verdict, Option<Why>) {
    let text = said.sentence(found.place);
    if found.run >= RUN {
        (Verdict::Preserved, None)
    } else if said.is_open(lexicon, found.place) || lexicon.asked.is_in(text) {
        (Verdict::Paraphrased, None)
    } else if lexicon.mentioned.is_in(text) {
        let words = lexicon.mentioned.find(text).next().map(|range| text[range].to_owned());
        (Verdict::Weakened, words.map(Why::Softer))
    } else {
        let words = lexicon.settled.find(text).next().map(|range| text[range].to_owned()).unwrap_or_default();
        (Verdict::Unverifiable, Some(Why::Settled(words)))
    }
}

fn read_binding(
    lexicon: &Lexicon,
    statement: &Statement,
    said: &Said,
    found: &Candidate,
) -> (Verdict, Option<Why>) {
    let text = said.sentence(found.place);
    let missing = missing_anchor(statement, said, found.place);
    if found.run >= RUN_WHOLE && missing.is_none() {
        return (Verdict::Preserved, None);
    }
    let own = statement.text.to_lowercase();
    let news = |phrases: &crate::text::lexicon::Phrases| {
        let mut found = phrases.find(text).map(|range| text[range].to_owned());
        found.find(|words| !own.contains(&words.to_lowercase()))
    };
    if let Some(words) = news(&lexicon.permitting)
        && (statement.binding.constraint || statement.binding.rejection)
    {
        return (Verdict::Unverifiable, Some(Why::Settled(words)));
    }
    if let Some(name) = missing {
        return (Verdict::Mutated, Some(Why::Missing(name)));
    }
    if found.run >= RUN_BINDING {
        return (Verdict::Preserved, None);
    }
    if let Some(words) = news(&lexicon.softening) {
        return (Verdict::Weakened, Some(Why::Softer(words)));
    }
    if (statement.binding.constraint || statement.binding.rejection)
        && denies(&statement.text)
        && !denies(text)
    {
        return (Verdict::Unverifiable, Some(Why::NotDenied));
    }
    if lexicon.force.is_in(&statement.text) && !lexicon.force.is_in(text) {
        return (Verdict::Weakened, Some(Why::ForceGone));
    }
    (Verdict::Paraphrased, None)
}

/// Whether a text denies, forbids or leaves something out.
fn denies(text: &str) -> bool {
    words::spoken(text)
        .iter()
        .any(|word| contrast::denies(word) || REFUSING.iter().any(|beginning| word.starts_with(beginning)))
}

/// Whether a name or number stands in a text as a word of its own, or as one of several.
fn has_word(text: &str, name: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, found)| {
        let behind = &text[at + found.len()..];
        let behind = behind.strip_prefix('s').unwrap_or(behind);
        !text[..at].ends_with(is_inside) && !behind.starts_with(is_inside)
    })
}

/// A name or number of the statement that neither a sentence nor the one behind it has.
fn missing_anchor(statement: &Statement, said: &Said, place: usize) -> Option<String> {
    let has = |place: usize, name: &String| {
        said.names(place).is_some_and(|names| names.contains(name))
            // A file is mentioned to an agent with this sign before it.
            || has_word(&said.sentence(place).to_lowercase(), name.trim_start_matches('@'))
    };
    statement.anchors.iter().find(|name| !has(place, name) && !has(place + 1, name)).cloned()
}

/// The verdict where no sentence carries the statement.
fn absent(
    lexicon: &Lexicon,
    statement: &Statement,
    said: &Said,
    held: &BTreeMap<usize, (f64, usize)>,
) -> (Verdict, Vec<usize>, Option<Why>) {
    let telling = statement.stems.iter().filter(|(stem, _)| !is_filler(stem));
    if telling.count() < TELLING {
        return (Verdict::Unverifiable, Vec::new(), Some(Why::Short));
    }
    if let Some(turn) = statement.taken_back {
        return (Verdict::Unverifiable, Vec::new(), Some(Why::TakenBack(turn)));
    }
    if let Some(places) = trace(lexicon, statement, said, held) {
        return (Verdict::Unverifiable, places, Some(Why::Partly));
    }
    (Verdict::Dropped, Vec::new(), None)
}

/// The sentences that hold a part of a statement which chance would not explain: they may tell of it in other words.
fn trace(
    lexicon: &Lexicon,
    statement: &Statement,
    said: &Said,
    held: &BTreeMap<usize, (f64, usize)>,
) -> Option<Vec<usize>> {
    let (alone, beside) =
        if statement.soft { (SOFT_TRACE, SOFT_TRACE_TOGETHER) } else { (TRACE, TRACE_TOGETHER) };
    let most = held.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0).then(b.0.cmp(a.0)));
    if let Some((place, _)) = most.filter(|(_, (coverage, shared))| *coverage >= alone && *shared >= 2) {
        return Some(vec![*place]);
    }
    // A clause of the one may be told in a clause of the other.
    if let Some((place, _)) = held.iter().find(|(place, _)| tells_clause(statement, said, **place)) {
        return Some(vec![*place]);
    }
    if let Some(place) = tells_what_was_done(statement, said) {
        return Some(vec![place]);
    }
    if let Some(place) = tells_what_is_beside(lexicon, statement, said) {
        return Some(vec![place]);
    }
    // What is said of one name in few words may be told in any words beside that name.
    if statement.stems.len() <= FEW && names(statement).any(|name| said.has_name(name)) {
        return Some(Vec::new());
    }
    let total: f64 = statement.stems.iter().map(|(_, weight)| weight).sum();
    let together = (0..said.sentences.len().saturating_sub(TOGETHER - 1)).find(|from| {
        let window = *from..from + TOGETHER;
        let of = statement
            .stems
            .iter()
            .filter(|(stem, _)| said.with_stem(stem).iter().any(|place| window.contains(&(*place as usize))));
        of.map(|(_, weight)| weight).sum::<f64>() >= beside * total
    });
    together.map(|from| (from..from + TOGETHER).collect())
}

/// Whether a sentence holds half of a clause of the statement, or is made of the statement's words, or a clause of it is.
fn tells_clause(statement: &Statement, said: &Said, place: usize) -> bool {
    let holds = |clause: &Vec<(String, f64)>| {
        let (coverage, shared) = of_clause(clause, said, place);
        shared >= 2 && coverage >= TOLD
    };
    let own: HashSet<&str> = statement.stems.iter().map(|(stem, _)| stem.as_str()).collect();
    let is_made_of_it = |clause: &str| {
        let stems: HashSet<String> = words::stems(clause).into_iter().collect();
        let shared = stems.iter().filter(|stem| own.contains(stem.as_str())).count();
        shared >= TELLING && shared as f64 >= TOLD * stems.len() as f64
    };
    let sentence = said.sentence(place);
    statement.clauses.iter().any(holds) || clauses(sentence).chain([sentence]).any(is_made_of_it)
}

/// A sentence that holds what was to be done together with something else of the statement: it may tell that it was.
fn tells_what_was_done(statement: &Statement, said: &Said) -> Option<usize> {
    let others: HashSet<u32> = statement
        .stems
        .iter()
        .filter(|(stem, _)| !statement.wish.contains(stem))
        .flat_map(|(stem, _)| said.with_stem(stem).iter().copied())
        .collect();
    let done = statement.wish.iter().filter(|_| statement.soft).flat_map(|stem| said.with_stem(stem));
    done.copied().find(|place| others.contains(place)).map(|place| place as usize)
}

/// A sentence that leaves open what the statement and the sentences beside it are about.
fn tells_what_is_beside(lexicon: &Lexicon, statement: &Statement, said: &Said) -> Option<usize> {
    let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
    for stem in &statement.beside {
        for place in said.with_stem(stem) {
            *shared.entry(*place).or_default() += 1;
        }
    }
    let tells = |place: usize| {
        let text = said.sentence(place);
        said.is_open(lexicon, place) || lexicon.asked.is_in(text) || lexicon.mentioned.is_in(text)
    };
    shared
        .into_iter()
        .filter(|(_, count)| *count >= TELLING)
        .map(|(place, _)| place as usize)
        .find(|place| tells(*place))
}

/// Names of a statement: of code and files, and words in capitals.
fn names(statement: &Statement) -> impl Iterator<Item = &str> {
    let is_acronym = |word: &&str| {
        word.len() >= 3 && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    let words = statement.text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    statement.anchors.iter().map(String::as_str).chain(words.filter(is_acronym))
}

#[cfg(test)]
mod tests;
