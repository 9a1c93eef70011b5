//! The lines that a summary could copy: where each stands, under which head, and how much its place speaks for it.
//!
//! Prose gives sentences, tools give errors and names. What a user typed is told apart at once, as it may bind; an
//! assistant's sentence only once it is looked at, which most never are.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use regex::Regex;

use crate::formats::facts::{PartKind, Role};
use crate::text::lexicon::{Deed, Lexicon};
use crate::text::{binding, harness, preview, tokens};

use super::super::heads::Head;
use super::super::{Failure, Request, SourcePart, SourceTurn};
use super::items::{Items, Place, Voice};
use super::terms::{Fixed, Term, Terms};
use super::{go_on, lines};

/// A line that could stand in a summary.
#[derive(Debug)]
pub struct Candidate {
    /// The source it stands in first.
    pub source: u32,
    /// The further sources that hold the same line.
    pub also: Vec<u32>,
    place: Place,
    /// Where it would stand.
    pub head: Head,
    /// Whether it is an assistant's and its head a guess.
    pub unread: bool,
    /// Whether it is a name on a line of its own.
    pub is_name: bool,
    /// What its place makes of its words' weight.
    pub prior: f64,
    /// What it costs, list mark included.
    pub tokens: u32,
    /// Its terms' places.
    pub terms: Range<usize>,
}

impl Candidate {
    /// Its text, as it stands in the request.
    pub fn text<'r>(&self, request: &'r Request) -> &'r str {
        let part = &request.sources[self.place.source as usize].parts[self.place.part as usize];
        &part.text[self.place.start as usize..self.place.end as usize]
    }
}

/// All of them.
#[derive(Debug)]
pub struct Candidates<'r> {
    /// In the order of the request, names last.
    pub all: Vec<Candidate>,
    /// Their terms, one after another.
    pub terms: Vec<Term>,
    /// What each term weighs.
    pub weights: Vec<f64>,
    /// What they are from.
    pub request: &'r Request,
}

/// Finds the candidates of a request.
pub fn read<'r>(
    request: &'r Request,
    lexicon: &Lexicon,
    stop: &AtomicBool,
) -> Result<Candidates<'r>, Failure> {
    let mut reader = Reader {
        request,
        lexicon,
        terms: Terms::default(),
        items: Items::default(),
        all: Vec::new(),
        arena: Vec::new(),
        seen: HashMap::default(),
        prompts: 0,
        stop,
    };
    for (number, source) in request.sources.iter().enumerate() {
        go_on(stop)?;
        reader.prose(number, source);
    }
    for (number, source) in request.sources.iter().enumerate() {
        go_on(stop)?;
        reader.tools(number as u32, source);
    }
    for number in 0..reader.all.len() {
        if number.is_multiple_of(1024) {
            go_on(stop)?;
        }
        reader.close(number);
    }
    go_on(stop)?;
    reader.names();
    let weights = reader.terms.weights(request.sources.len());
    Ok(Candidates { all: reader.all, terms: reader.arena, weights, request })
}

struct Reader<'r, 'l> {
    request: &'r Request,
    lexicon: &'l Lexicon,
    terms: Terms,
    items: Items<'r>,
    all: Vec<Candidate>,
    arena: Vec<Term>,
    /// Lines by what they say, in any case.
    seen: HashMap<String, u32, Fixed>,
    /// Prompts so far.
    prompts: usize,
    /// One text may be as large as a log: it is asked for within each.
    stop: &'l AtomicBool,
}

/// Of what looks pasted, so many lines still ask.
const ASKING_LINES: usize = 2;
/// After so many bytes of a text it is asked whether to go on.
const STRETCH: usize = 64 << 10;
/// Error lines taken from one result at most.
const ERRORS: usize = 3;
/// What a user typed with fewer words ("right?") says nothing to who has not read what it is about.
const ASKING_WORDS: usize = 2;
/// A line of an assistant with fewer words says nothing on its own, an error line with fewer neither.
const WORDS: usize = 3;
const ERROR_WORDS: usize = 2;

impl<'r> Reader<'r, '_> {
    fn prose(&mut self, number: usize, source: &'r SourceTurn) {
        let mut typed = false;
        for (at, part) in source.parts.iter().enumerate().filter(|(_, part)| part.kind == PartKind::Text) {
            let (place, text) = ((number as u32, at as u32), part.text.as_str());
            match source.role {
                Role::User => {
                    typed = true;
                    self.prompt(place, text);
                }
                Role::Assistant => {
                    self.items((text, 0..text.len()), place, Voice::Prose);
                    let prior = self.standing(number, source);
                    lines::each(text, self.stop, |range, _| self.said(place, text, range, prior));
                }
                Role::Summary => {
                    self.items((text, 0..text.len()), place, Voice::Prose);
                    lines::each(text, self.stop, |range, heading| self.summed(place, range, heading));
                }
                Role::Tool => {}
            }
        }
        self.prompts += usize::from(typed);
    }

    /// What a user typed or pasted.
    fn prompt(&mut self, place: (u32, u32), text: &'r str) {
        let machine = harness::written(text);
        let mut from = 0;
        for range in machine.iter().cloned().chain(std::iter::once(text.len()..text.len())) {
            self.items((text, from..range.start), place, Voice::Prompt);
            from = range.end;
        }
        let pasted = binding::is_pasted(text);
        let first = if self.prompts == 0 { 1.6 } else { 1.0 };
        let mut count = 0;
        lines::each(text, self.stop, |range, _| {
            if machine.iter().any(|machine| machine.contains(&range.start)) {
                return;
            }
            count += 1;
            let (head, prior) = if pasted && count > ASKING_LINES {
                (Head::Findings, 0.5)
            } else if pasted {
                (Head::Goal, 2.5 * first)
            } else {
                match binding::of(self.lexicon, &text[range.clone()]) {
                    bound if bound.decision || bound.rejection || bound.constraint => (Head::Decisions, 4.0),
                    bound if bound.commitment || bound.open => (Head::Open, 3.0),
                    _ => (Head::Goal, 2.5 * first),
                }
            };
            self.add(place, range, head, prior, ASKING_WORDS);
        });
    }

    /// An assistant's sentence: a guess until it is looked at.
    fn said(&mut self, place: (u32, u32), text: &str, range: Range<usize>, prior: f64) {
        let line = &text[range.clone()];
        let prior = prior * if is_chatter(line) { 0.3 } else { 1.0 } * if is_row(line) { 0.6 } else { 1.0 };
        if let Some(added) = self.add(place, range, Head::Findings, prior, WORDS) {
            added.unread = true;
        }
    }

    /// A line of a summary of turns keeps its head.
    fn summed(&mut self, place: (u32, u32), range: Range<usize>, heading: &str) {
        let head = Head::of(heading).unwrap_or(Head::Findings);
        let prior = match head {
            Head::Goal => 2.5,
            Head::Decisions => 4.0,
            Head::Open => 3.0,
            Head::Findings | Head::Files | Head::Errors => 1.2,
        };
        self.add(place, range, head, prior, 1);
    }

    /// What an assistant's text is worth by where it stands: the answer that ends its work most, what it says between
    /// two calls least.
    fn standing(&self, number: usize, source: &SourceTurn) -> f64 {
        let calls = source.parts.iter().any(|part| part.kind == PartKind::ToolCall);
        let next = self.request.sources.get(number + 1).map(|next| next.role);
        let late = number as f64 / self.request.sources.len() as f64;
        let standing = match next {
            _ if calls => 0.6,
            None | Some(Role::User) => 1.8,
            Some(_) => 1.0,
        };
        standing * (1.0 + 0.3 * late)
    }

    fn tools(&mut self, number: u32, source: &'r SourceTurn) {
        for (at, part) in source.parts.iter().enumerate() {
            let at = at as u32;
            match part.kind {
                PartKind::ToolCall => {
                    let deed = part.tool.as_deref().map_or(Deed::Other, |tool| self.lexicon.tools.deed(tool));
                    let changes = matches!(deed, Deed::Write | Deed::Edit);
                    let voice = if changes { Voice::Change } else { Voice::Call };
                    self.items((&part.text, 0..part.text.len()), (number, at), voice);
                }
                PartKind::ToolResult => self.result(number, at, part),
                PartKind::Text if source.role == Role::Tool => self.result(number, at, part),
                _ => {}
            }
        }
    }

    fn result(&mut self, source: u32, at: u32, part: &'r SourcePart) {
        self.items((&part.text, 0..part.text.len()), (source, at), Voice::Result);
        for range in errors(&part.text, part.error, self.stop) {
            let prior = if part.error { 1.5 } else { 1.0 };
            self.add((source, at), range, Head::Errors, prior, ERROR_WORDS);
        }
    }

    /// Finds the names in a text, a stretch at a time. No name goes on behind white space.
    fn items(&mut self, (text, range): (&'r str, Range<usize>), place: (u32, u32), voice: Voice) {
        let mut from = range.start;
        while from < range.end && go_on(self.stop).is_ok() {
            let least = text.floor_char_boundary((from + STRETCH).min(range.end));
            let gap = text[least..range.end].find(|c: char| c.is_ascii_whitespace());
            let to = gap.map_or(range.end, |gap| least + gap);
            self.items.read((text, from..to), place, voice, &mut self.terms);
            from = to;
        }
    }

    /// Adds a line, unless the request had it before or it has fewer words than `least`.
    fn add(
        &mut self,
        (source, part): (u32, u32),
        range: Range<usize>,
        head: Head,
        prior: f64,
        least: usize,
    ) -> Option<&mut Candidate> {
        let text = &self.request.sources[source as usize].parts[part as usize].text[range.clone()];
        let tokens = tokens::estimate(text) + 1;
        let from = self.arena.len();
        self.terms.words(text, &mut self.arena);
        let said = preview::on_one_line(text).to_lowercase();
        let known = self.seen.get(&said).copied();
        if known.is_some() || self.arena.len() < from + least {
            self.arena.truncate(from);
            if let Some(known) = known {
                let known = &mut self.all[known as usize];
                if known.source != source && known.also.last() != Some(&source) {
                    known.also.push(source);
                }
            }
            return None;
        }
        self.terms.count(&self.arena[from..], source);
        self.seen.insert(said, self.all.len() as u32);
        let place = Place { source, part, start: range.start as u32, end: range.end as u32 };
        let terms = from..self.arena.len();
        self.all.push(Candidate {
            source,
            also: vec![],
            place,
            head,
            unread: false,
            is_name: false,
            prior,
            tokens,
            terms,
        });
        self.all.last_mut()
    }

    /// A line's terms are its words and names, each once.
    fn close(&mut self, number: usize) {
        let candidate = &self.all[number];
        let mut terms = self.arena[candidate.terms.clone()].to_vec();
        self.items.terms(candidate.text(self.request), &mut terms);
        terms.sort_unstable();
        terms.dedup();
        let from = self.arena.len();
        self.arena.extend(terms);
        self.all[number].terms = from..self.arena.len();
    }

    /// Names that stand on lines of their own.
    fn names(&mut self) {
        for item in &self.items.all {
            self.terms.set_bonus(item.term, item.weight());
            let place = item.place;
            let text = &self.request.sources[place.source as usize].parts[place.part as usize].text
                [place.start as usize..place.end as usize];
            let said = text.to_lowercase();
            if self.seen.contains_key(&said) {
                continue;
            }
            self.seen.insert(said, self.all.len() as u32);
            let from = self.arena.len();
            self.arena.push(item.term);
            self.all.push(Candidate {
                source: place.source,
                also: item.also.clone(),
                place,
                head: Head::Files,
                unread: false,
                is_name: true,
                prior: 1.0,
                tokens: tokens::estimate(text) + 1,
                terms: from..from + 1,
            });
        }
    }
}

/// What assistants open with when they only say what they are about to do, or that they are pleased.
const CHATTER: [&str; 13] = [
    "let me",
    "now let me",
    "now i'll",
    "now i will",
    "i'll",
    "i will",
    "let's",
    "perfect",
    "great",
    "good",
    "excellent",
    "you're right",
    "sure",
];

fn is_chatter(line: &str) -> bool {
    let head = preview::beginning(line, 16).to_lowercase().replace('’', "'");
    CHATTER.iter().any(|opening| {
        head.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// A row of a table tells little without its head.
fn is_row(line: &str) -> bool {
    line.starts_with('|') && line.ends_with('|')
}

static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:(?:[\w./-]+:\d+(?::\d+)?:\s*)?(?:fatal |syntax |compile )?[Ee]rror(?:\[\w+\])?:|ERROR\b|FAIL(?:ED)?\b|fatal:|panic:|thread '.*' panicked|Traceback|[A-Z]\w*(?:Error|Exception)\b|.*: (?:command not found|No such file|Permission denied)|[Ee]xit code:? [1-9])",
    )
    .ok()
});
/// Words of a failure, in a result that is one.
static FAILURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i-u:error|fail|panic|exception|cannot|can't|denied|not found|no such|invalid|missing|exit code|unexpected|refused|timed out)").ok()
});

/// The lines of a tool's output that tell what went wrong; where it failed and none does, its first line.
fn errors(text: &str, failed: bool, stop: &AtomicBool) -> Vec<Range<usize>> {
    let matches = |pattern: &LazyLock<Option<Regex>>, line: &str| {
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(line))
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut first = None;
    for line in lines::lines(text) {
        if go_on(stop).is_err() {
            break;
        }
        let raw = &text[line.clone()];
        let from = line.start + (raw.len() - raw.trim_start().len());
        let cut =
            from..text.floor_char_boundary(line.start + raw.trim_end().len().min(LONGEST_ERROR)).max(from);
        let shown = &text[cut.clone()];
        if shown.is_empty() {
            continue;
        }
        first = first.or_else(|| Some(cut.clone()));
        if matches(&ERROR, shown) || failed && matches(&FAILURE, shown) {
            out.push(cut);
            if out.len() == ERRORS {
                break;
            }
        }
    }
    if out.is_empty() && failed {
        out.extend(first);
    }
    out
}

/// Longest line of a tool's output that is looked at, in bytes.
const LONGEST_ERROR: usize = 240;
