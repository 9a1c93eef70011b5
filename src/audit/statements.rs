//! The statements of a range: sentences of the user's that bind or leave something open, each where it stands.
//!
//! Words of the user stand in prompts, in prompts that were queued, and in tool results that carry a reason or an answer; an
//! answer to the agent's question is a decision, with the question, since alone it says nothing. What each word weighs comes
//! from the prose of the range: what people and the model said, not what programs printed.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::lineage::range::{Block, Class as BlockClass};
use crate::text::binding::{self, Binding};
use crate::text::identifiers::{self, Class as Name};
use crate::text::lexicon::Lexicon;
use crate::text::words;

use super::exact::place;
use super::fate::is_filler;
use super::finding::{Class, Place};

/// Longest statement; what is longer was pasted.
const LONGEST: usize = 400;
/// How many rounds later an assent still answers a proposal.
const ROUNDS: u32 = 2;
/// A text answers a question of whose words it says this share.
const ANSWERS: f64 = 0.5;
/// How a harness opens what it says in the user's name.
const ANSWERED: &str = "User has answered your questions";

/// A sentence of the user's.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The class under which it is told of.
    pub class: Class,
    /// All that it is.
    pub binding: Binding,
    /// Its words as they stand.
    pub text: String,
    /// Where it stands, and where the same is said again.
    pub places: Vec<Place>,
    /// The parts that say it.
    pub units: u32,
    /// The turn that answers it in the same range.
    pub answered: Option<u32>,
    /// The turn in the same range that may take it back.
    pub taken_back: Option<u32>,
    /// What came of it may be told without any of its words: an answered question, a decision that was carried out, a wish.
    pub soft: bool,
    /// Stems with their weights, each once.
    pub(super) stems: Vec<(String, f64)>,
    /// The stems of its clauses, where it has several; the first one says what binds, the others why.
    pub(super) clauses: Vec<Vec<(String, f64)>>,
    /// Of what was left open: the stems of the sentences beside it, which say what it is about.
    pub(super) beside: Vec<String>,
    /// Every word, in order.
    pub(super) words: Vec<String>,
    /// The stems of what is to be done, and of its being done, where the statement says "let's".
    pub(super) wish: Vec<String>,
    /// Names and numbers, compared.
    pub(super) anchors: Vec<String>,
    /// What tells it from others.
    pub(super) key: String,
}

/// How rare words are in a range's prose.
struct Weights {
    counts: HashMap<String, u32>,
    blocks: u32,
}

impl Weights {
    fn new(blocks: &[Block]) -> Self {
        let mut weights = Self { counts: HashMap::new(), blocks: 0 };
        let mut own: HashSet<String> = HashSet::new();
        for block in blocks.iter().filter(|block| is_prose(block)) {
            weights.blocks += 1;
            words::each_stem(&block.text, |stem, _| {
                if !own.contains(stem) {
                    own.insert(stem.to_owned());
                }
            });
            for stem in own.drain() {
                *weights.counts.entry(stem).or_default() += 1;
            }
        }
        weights
    }

    fn of(&self, stem: &str) -> f64 {
        let held = f64::from(self.counts.get(stem).copied().unwrap_or(0));
        (1.0 + (f64::from(self.blocks) - held + 0.5).max(0.0) / (held + 0.5)).ln()
    }
}

fn is_prose(block: &Block) -> bool {
    matches!(block.spot.class, BlockClass::Prompt | BlockClass::Text | BlockClass::Summary)
}

/// The statements of a range, in order; what is said again counts once.
pub fn of(blocks: &[Block], lexicon: &Lexicon) -> Vec<Statement> {
    let weights = Weights::new(blocks);
    let mut out: Vec<Statement> = Vec::new();
    let mut by_key: HashMap<String, usize> = HashMap::new();
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.spot.class == BlockClass::Prompt) {
        let answers = answers(&block.text);
        let said: Vec<(&str, Binding)> = if block.spot.voice && !answers.is_empty() {
            answers
                .into_iter()
                .map(|answer| (answer, Binding { decision: true, ..Binding::default() }))
                .collect()
        } else if block.spot.voice && is_harness(&block.text) {
            Vec::new()
        } else {
            let sentences = binding::typed_sentences(&block.text).into_iter();
            sentences.map(|sentence| (sentence, binding::of(lexicon, sentence))).collect()
        };
        for (number, (sentence, binding)) in said.iter().copied().enumerate() {
            let Some(class) = Class::of_binding(binding).filter(|_| sentence.len() <= LONGEST) else {
                continue;
            };
            let start = sentence.as_ptr() as usize - block.text.as_ptr() as usize;
            let place = place(block, &(start..start + sentence.len()));
            let words = words::spoken(sentence);
            let key = words.join(" ");
            if let Some(known) = by_key.get(&key) {
                let known = &mut out[*known];
                known.units += 1;
                if known.places.len() < super::exact::PLACES {
                    known.places.push(place);
                }
                continue;
            }
            by_key.insert(key.clone(), out.len());
            let stems: BTreeSet<String> = words::stems(sentence).into_iter().collect();
            let answered = binding.open.then(|| answered(blocks, at, &stems, lexicon)).flatten();
            let taken_back = taken_back(blocks, at, &stems);
            let soft = match class {
                Class::Constraint | Class::Rejection => !lexicon.force.is_in(sentence),
                Class::Open => answered.is_some() || is_replied_to(blocks, at),
                _ => true,
            };
            let stems = weighed(&weights, stems);
            let parts: Vec<Vec<(String, f64)>> = clauses(sentence)
                .map(|clause| weighed(&weights, words::stems(clause).into_iter().collect()))
                .filter(|clause| clause.len() >= 2)
                .collect();
            let beside = if binding.open { beside(&said, number) } else { Vec::new() };
            let wish = wish(&words);
            let (text, places, anchors) = (sentence.to_owned(), vec![place], anchors(sentence));
            out.push(Statement {
                class,
                binding,
                text,
                places,
                units: 1,
                answered,
                taken_back,
                soft,
                stems,
                clauses: if parts.len() > 1 { parts } else { Vec::new() },
                beside,
                words,
                wish,
                anchors,
                key,
            });
        }
    }
    out
}

/// The stems of the verb behind the first "let's", as it stands and as what was done.
fn wish(words: &[String]) -> Vec<String> {
    let at = words.iter().position(|word| matches!(word.as_str(), "let's" | "let’s" | "lets"));
    let Some(verb) = at.and_then(|at| words.get(at + 1)) else { return Vec::new() };
    let done = format!("{}ed", verb.strip_suffix('e').unwrap_or(verb));
    words::stems(&format!("{verb} {done}"))
}

/// What a harness says in the user's name, with no word of the user's in it.
fn is_harness(text: &str) -> bool {
    text.starts_with("User has approved your plan") || text.starts_with(ANSWERED)
}

/// The agent's questions with the user's answers, `"…"="…"` each.
fn answers(text: &str) -> Vec<&str> {
    let Some(from) = text.strip_prefix(ANSWERED).and_then(|_| text.find('"')) else { return Vec::new() };
    let mut out = Vec::new();
    let mut rest = &text[from..];
    while let Some(middle) = rest.find("\"=\"") {
        let Some(end) = rest[middle + 3..].find('"').map(|end| middle + 3 + end + 1) else { break };
        out.push(&rest[..end]);
        let Some(next) = rest[end..].find('"') else { break };
        rest = &rest[end + next..];
    }
    out
}

/// Names and numbers that another wording has to keep.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = identifiers::find(text)
        .into_iter()
        .filter(|found| found.class != Name::Ticket || found.normal.len() > 2)
        .map(|found| found.normal)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The turn that answers what the block at `asked` leaves open: the model's prose that takes up its words before the next
/// prompt, or a prompt soon after that agrees.
fn answered(blocks: &[Block], asked: usize, stems: &BTreeSet<String>, lexicon: &Lexicon) -> Option<u32> {
    let round = blocks[asked].prompts;
    for block in blocks[asked + 1..].iter().take_while(|block| block.prompts <= round + ROUNDS) {
        let agrees =
            || lexicon.assent.is_in(&block.text) || block.text.starts_with("User has approved your plan");
        let answers = || {
            let said: HashSet<String> = words::stems(&block.text).into_iter().collect();
            let shared = stems.iter().filter(|stem| said.contains(*stem)).count();
            shared >= 2.min(stems.len()) && shared as f64 >= ANSWERS * stems.len() as f64
        };
        let is_answer = match block.spot.class {
            BlockClass::Prompt => agrees(),
            BlockClass::Text => block.prompts == round && answers(),
            _ => false,
        };
        if is_answer {
            return Some(block.spot.number);
        }
    }
    None
}

/// The prompt soon after the block at `said` that takes something back and holds a word of it.
fn taken_back(blocks: &[Block], said: usize, stems: &BTreeSet<String>) -> Option<u32> {
    /// How people say that what they said does not count.
    const BACK: [&str; 4] = ["never mind", "nevermind", "scratch that", "forget what i said"];
    let round = blocks[said].prompts;
    let later = blocks[said + 1..].iter().take_while(|block| block.prompts <= round + ROUNDS);
    let mut prompts = later.filter(|block| block.spot.class == BlockClass::Prompt);
    let back = prompts.find(|block| {
        let text = block.text.to_lowercase();
        BACK.iter().any(|words| text.contains(words))
            // In lower case: a name may be written with capitals in one and without in the other.
            && words::stems(&text).iter().any(|stem| stems.contains(stem) && !is_filler(stem))
    });
    back.map(|block| block.spot.number)
}

fn weighed(weights: &Weights, stems: BTreeSet<String>) -> Vec<(String, f64)> {
    stems.into_iter().map(|stem| (weights.of(&stem), stem)).map(|(weight, stem)| (stem, weight)).collect()
}

/// The clauses of a sentence, as far as its marks tell.
pub(super) fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    let ends = sentence.match_indices([',', ';', ':', '(', ')', '—', '–']);
    let ends = ends.filter(|(at, mark)| sentence[at + mark.len()..].starts_with([' ', '(']));
    let ends: Vec<usize> = ends.map(|(at, mark)| at + mark.len()).chain([sentence.len()]).collect();
    let mut from = 0;
    ends.into_iter().map(move |end| &sentence[std::mem::replace(&mut from, end)..end])
}

/// The stems of the sentences before and behind one.
fn beside(said: &[(&str, Binding)], number: usize) -> Vec<String> {
    let near = number.saturating_sub(1)..(number + 2).min(said.len());
    let stems: BTreeSet<String> = near.flat_map(|at| words::stems(said[at].0)).collect();
    stems.into_iter().collect()
}

/// Whether the model says anything before the next prompt.
fn is_replied_to(blocks: &[Block], asked: usize) -> bool {
    let round = blocks[asked].prompts;
    let same = blocks[asked + 1..].iter().take_while(|block| block.prompts == round);
    same.into_iter().any(|block| block.spot.class == BlockClass::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_with_their_questions() {
        let text = "User has answered your questions: \"Which way?\"=\"Left\", \"How far?\"=\"10 km\". You can go on.";
        assert_eq!(answers(text), ["\"Which way?\"=\"Left\"", "\"How far?\"=\"10 km\""]);
        assert_eq!(answers("User has answered your questions: nothing"), Vec::<&str>::new());
        assert_eq!(answers("\"a\"=\"b\""), Vec::<&str>::new());
    }
}
