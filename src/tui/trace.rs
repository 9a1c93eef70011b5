//! The document of a trace: what a sentence rests on and where its wording came from, or what became of a turn.
//!
//! Three sources are shown, never one alone, and every figure says what it counts: words that are held, no proof. What
//! is still being traced is said where it will stand.

pub mod made;

use std::borrow::Cow;
use std::ops::Range;

use crate::lineage::chain::{Carried, Carrier, Chain, Fate, Forward, SentenceId, Step};
use crate::lineage::support::TOGETHER;
use crate::lineage::told::{self, Trail};
use crate::lineage::trace::{SourceLink, Trace, Traced};
use crate::lineage::tracing::Tracing;
use crate::lineage::wording::{self, Earlier, Loss};
use crate::outline::{Node, View};
use crate::session::open::OpenLog;
use crate::session::{Compaction, Session, TurnId};
use crate::text::sentences::Kind;
use crate::text::{display, lexicon, numbers, preview, words};

use super::detail::tone_of;
use super::document::{Block, Body, Document, Runs, Tone};
use super::signs;

/// The node of a sentence.
pub fn node(id: SentenceId) -> Node {
    Node::Sentence(id.generation, id.place as u32)
}

/// What is known of a sentence at a glance, for whoever shows its text.
pub fn standing(log: &OpenLog, tracing: &Tracing, generation: u32, place: u32) -> (Tone, String) {
    let sign = signs::of(tracing, generation, place);
    let Some((trace, traced)) = traced(tracing, generation, place) else {
        let why = match tracing.failure(generation) {
            Some(error) => format!("{} cannot be traced: {error}", sign.mark),
            None if log.session.partial => format!("{} traced once the log is read", sign.mark),
            None => format!("{} tracing g{generation} …", sign.mark),
        };
        return (sign.tone, why);
    };
    told_of(trace, traced)
}

/// How far a sentence is supported, with its sign.
fn told_of(trace: &Trace, traced: &Traced) -> (Tone, String) {
    let sign = signs::of_traced(traced);
    let words = match sign {
        signs::CODE | signs::ABSENCE => sign.doc.to_owned(),
        _ => {
            let held = told::held(traced).map_or_else(String::new, |held| format!(": {held}"));
            format!("{}{held}", told::support(traced, trace.complete, trace.ample))
        }
    };
    (sign.tone, format!("{} {words}", sign.mark))
}

fn traced(tracing: &Tracing, generation: u32, place: u32) -> Option<(&Trace, &Traced)> {
    let trace = tracing.get(generation)?;
    Some((trace, trace.sentences.get(place as usize)?))
}

/// The trace of a sentence.
pub fn sentence(view: &View, log: &OpenLog, tracing: &Tracing, generation: u32, place: u32) -> Document {
    let id = SentenceId { generation, place: place as usize };
    let summary = view.summary_text(log, generation);
    let text = summary.sentence(place).unwrap_or_default();
    let mut facts = vec![(Tone::Summary, preview::on_one_line(&cut(text, HEAD)))];
    facts.push(standing(log, tracing, generation, place));
    let mut document = Document { title: format!("{id} trace"), ..Document::default() };
    let Some((trace, traced)) = traced(tracing, generation, place) else {
        return Document { facts, ..document };
    };
    let chain = tracing.traces().chain(id);
    let missing = tracing.next_back(&log.session, generation);
    facts.extend(contrasts(traced));
    let steps = steps(tracing, id, &chain);
    facts.extend(lost(&steps));
    let mut from = told::whence(traced, trace.previous);
    if missing.is_none() {
        from = format!("{from} · {}", told::distance(&chain));
    }
    facts.push((Tone::Dim, from));
    document.blocks = sources(trace, traced);
    if traced.sentence.kind != Kind::Code {
        document.blocks.extend(back(tracing, &steps, missing));
    }
    document.chosen = document.links().first().map(|(block, _)| *block);
    Document { facts, ..document }
}

/// A step of a chain with both its ends: the earlier one, and the sentence after it.
struct Link<'a> {
    earlier: Earlier<'a>,
    step: Option<Step>,
    later: SentenceId,
    loss: Option<Loss>,
}

impl Link<'_> {
    fn address(&self) -> String {
        match self.earlier {
            Earlier::Sentence(id) => id.to_string(),
            Earlier::Turn(source) => address(source, None),
        }
    }
}

fn steps<'a>(tracing: &Tracing, id: SentenceId, chain: &'a Chain) -> Vec<Link<'a>> {
    let mut later = id;
    let mut out = Vec::new();
    let mut push = |earlier: Earlier<'a>, step| {
        let loss = wording::loss(lexicon::built_in(), tracing.traces(), earlier, later);
        out.push(Link { earlier, step, later, loss });
        if let Earlier::Sentence(id) = earlier {
            later = id;
        }
    };
    for step in &chain.sentences {
        push(Earlier::Sentence(step.sentence), Some(*step));
    }
    if let Some(turn) = &chain.turn {
        push(Earlier::Turn(turn), None);
    }
    out
}

/// The newest step at which the wording lost its hedge and no sentence beside it kept one.
fn lost(steps: &[Link]) -> Option<(Tone, String)> {
    let losses = steps.iter().filter_map(|link| Some((link, link.loss.as_ref()?)));
    let (link, loss) = losses.into_iter().find(|(_, loss)| loss.beside.is_none())?;
    Some(lost_words(link, loss))
}

fn lost_words(link: &Link, loss: &Loss) -> (Tone, String) {
    let hedge = told::hedge(&loss.words);
    let from = link.address();
    let text = format!(
        "the hedge is lost in g{}: {from} said {hedge}, {} does not",
        link.later.generation, link.later
    );
    match loss.beside {
        Some(beside) => (Tone::Dim, format!("{text}; {beside} beside it still leaves something open")),
        None => (Tone::Warn, format!("! {text}: compare")),
    }
}

/// The address of a source: a part of a turn, or a sentence of the summary before.
fn address(source: &SourceLink, previous: Option<u32>) -> String {
    match (source.spot.sentence, previous) {
        (Some(place), Some(generation)) => SentenceId { generation, place }.to_string(),
        _ => format!("t{}.{}", source.spot.number, source.spot.index),
    }
}

fn target(source: &SourceLink, previous: Option<u32>) -> Node {
    match (source.spot.sentence, previous) {
        (Some(place), Some(generation)) => node(SentenceId { generation, place }),
        _ => Node::Turn(source.spot.turn),
    }
}

/// What a sentence says otherwise than its sources.
fn contrasts(traced: &Traced) -> impl Iterator<Item = (Tone, String)> {
    traced.contrasts.iter().map(|contrast| (Tone::Warn, format!("! {}", contrast.words())))
}

fn sources(trace: &Trace, traced: &Traced) -> Vec<Block> {
    if traced.sources.is_empty() {
        let why = if traced.sentence.kind == Kind::Code {
            "no sources: code is not traced"
        } else {
            "no sources: nothing in the range shares a telling word with it"
        };
        return vec![Block::runs(rule(why), Vec::new())];
    }
    let heading = match traced.sources.len() {
        _ if traced.is_named() => "the turns that its maker names",
        1 => "the only source that shares a telling word; likeness is no proof",
        2 => "two sources, likeliest first; likeness is no proof",
        _ => "three best sources, likeliest first; likeness is no proof",
    };
    let mut blocks = vec![Block::runs(rule(heading), Vec::new())];
    for source in traced.sources.iter().take(TOGETHER) {
        let who = if source.spot.voice { "the user's words in a result" } else { source.spot.role.name() };
        let held = format!("holds {:.0} % of it alone", source.coverage * 100.0);
        let heading = format!("{} {who} · {held}", address(source, trace.previous));
        let body = Body::Runs(vec![shared(source)]);
        let tone = if source.spot.voice { Tone::User } else { tone_of(source.spot.role) };
        let block = Block::new(heading, tone, body).leading_to(target(source, trace.previous)).close();
        blocks.push(if source.spot.sentence.is_none() { block.at(&source.snippet) } else { block });
    }
    blocks
}

/// A heading with a line before it, as between panes.
fn rule(heading: &str) -> String {
    format!("── {heading}")
}

/// A source's words, those that it shares with the sentence marked. Marks are set in what is displayed: one that began
/// inside an escape sequence would tear it apart.
fn shared(source: &SourceLink) -> Runs {
    let display = safe_line(&source.snippet);
    let text = display.as_ref();
    let mut runs = vec![(Tone::Text, "    ".to_owned())];
    let mut at = 0;
    let marks = if text == source.snippet { source.shared.clone() } else { shared_anew(source, text) };
    let mut marks = marks.iter().peekable();
    while let Some(mark) = marks.next() {
        let mut end = mark.end;
        // Words that follow one another are one mark.
        while let Some(next) = marks.next_if(|next| text[end..next.start].chars().all(|c| c == ' ')) {
            end = next.end;
        }
        push(&mut runs, Tone::Text, &text[at..mark.start]);
        push(&mut runs, Tone::Shared, &text[mark.start..end]);
        at = end;
    }
    push(&mut runs, Tone::Text, &text[at..]);
    runs
}

/// The shared words of a source in `text`, which is how its snippet is displayed.
fn shared_anew(source: &SourceLink, text: &str) -> Vec<Range<usize>> {
    let known: Vec<&str> =
        source.shared.iter().filter_map(|range| source.snippet.get(range.clone())).collect();
    let mut out = Vec::new();
    words::each_stem(text, |_, range| {
        if known.contains(&&text[range.clone()]) {
            out.push(range);
        }
    });
    out
}

/// A text on one line as it is displayed.
fn safe_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '\t']) {
        return Cow::Owned(display::safe(&text.replace(['\n', '\r', '\t'], " ")).into_owned());
    }
    display::safe(text)
}

/// Bytes of a wording that are shown: what is wrapped for a frame has to be short.
const WORDING: usize = 2048;
/// The same of the sentence in the head of its trace, which must not push its sources out of sight.
const HEAD: usize = 200;

/// A wording, or as much of it as is shown and how much more there is.
fn short(text: &str) -> Cow<'_, str> {
    cut(text, WORDING)
}

/// A text, or its first `bytes` bytes and how many more there are.
fn cut(text: &str, bytes: usize) -> Cow<'_, str> {
    let head = preview::floor(text, bytes);
    match (text.len() - head.len()) as u64 {
        0 => Cow::Borrowed(text),
        more => Cow::Owned(format!("{head} … ({} more)", numbers::bytes(more))),
    }
}

/// Adds a run.
fn push(runs: &mut Runs, tone: Tone, text: &str) {
    if !text.is_empty() {
        runs.push((tone, text.to_owned()));
    }
}

/// A chain back to its oldest wording, each step with both wordings.
fn back(tracing: &Tracing, steps: &[Link], missing: Option<u32>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !steps.is_empty() {
        let heading = rule("chain back to the oldest wording · [-gone-] {+new+}");
        blocks.push(Block::runs(heading, Vec::new()));
    }
    for link in steps.iter().filter(|link| missing.is_none() || link.step.is_some()) {
        let block = step(tracing, link);
        blocks.push(if blocks.len() == 1 { block.close() } else { block });
    }
    if let Some(generation) = missing {
        blocks.push(Block::runs(format!("{} tracing g{generation} …", signs::PENDING.mark), Vec::new()));
    }
    blocks
}

fn step(tracing: &Tracing, link: &Link) -> Block {
    let later = tracing.get(link.later.generation);
    let new = later
        .and_then(|trace| Some(trace.sentences.get(link.later.place)?.sentence.text(&trace.text)))
        .unwrap_or_default();
    let (old, how, to) = match link.earlier {
        Earlier::Sentence(id) => {
            let trace = tracing.get(id.generation);
            let old = trace.and_then(|trace| Some(trace.sentences.get(id.place)?.sentence.text(&trace.text)));
            let origin = later.and_then(|trace| Some(trace.sentences.get(link.later.place)?.origin));
            let how = link
                .step
                .zip(origin)
                .map_or("shares words", |(step, origin)| told::step(step.inherited, step.reworded, origin));
            (old.unwrap_or_default(), how.to_owned(), node(id))
        }
        Earlier::Turn(source) => {
            (source.snippet.as_str(), source.spot.role.name().to_owned(), Node::Turn(source.spot.turn))
        }
    };
    let heading = format!("{} → {} · {how}", link.address(), link.later);
    let below = link.loss.as_ref().map(|loss| vec![lost_words(link, loss)]);
    let (old, new) = (short(old), short(new));
    let (old, new) = (safe_line(&old), safe_line(&new));
    let (before, after) = (marked(&old, &new, Tone::Removed), marked(&new, &old, Tone::Added));
    let body = Body::Pair(before, after, below.into_iter().collect());
    let tone = if matches!(link.earlier, Earlier::Turn(_)) { Tone::User } else { Tone::Summary };
    let block = Block::new(heading, tone, body).leading_to(to);
    if let Earlier::Turn(source) = link.earlier { block.at(&source.snippet) } else { block }
}

/// `text` with the words marked that `other` does not have.
fn marked(text: &str, other: &str, tone: Tone) -> Runs {
    let (open, close) = if tone == Tone::Removed { ("[-", "-]") } else { ("{+", "+}") };
    let mut runs = Vec::new();
    let mut at = 0;
    for range in wording::changed(text, other) {
        push(&mut runs, Tone::Text, &text[at..range.start]);
        push(&mut runs, tone, &format!("{open}{}{close}", &text[range.clone()]));
        at = range.end;
    }
    push(&mut runs, Tone::Text, &text[at..]);
    runs
}

/// What became of a turn.
pub fn turn(view: &View, log: &OpenLog, tracing: &Tracing, id: TurnId) -> Document {
    let session = &log.session;
    let it = session.turn(id);
    let missing = tracing.next_on(session, it.number);
    let forward = tracing.traces().forward(session, id, view.as_of);
    let words = preview::on_one_line(&session.preview(&it));
    let last = last_seen(session, &forward, it.number, view.as_of, missing.is_some());
    let facts = vec![
        (tone_of(it.role), format!("{} {words}", it.role.name())),
        last,
        (Tone::Dim, "\"carries\" counts shared words and wordings taken over: no proof".to_owned()),
    ];
    let mut blocks = Vec::new();
    for (generation, fate) in &forward.generations {
        blocks.extend(fate_blocks(session, tracing, *generation, fate));
    }
    if forward.generations.is_empty() && forward.in_view {
        blocks.push(Block::runs("no compaction so far concerns it".to_owned(), Vec::new()));
    }
    let title = format!("{} trace", session.address(id));
    let mut document = Document { title, facts, blocks, ..Document::default() };
    document.chosen = document.links().first().map(|(block, _)| *block);
    document
}

/// Where a turn was last seen as of turn `as_of`.
fn last_seen(
    session: &Session,
    forward: &Forward,
    number: u32,
    as_of: u32,
    is_tracing: bool,
) -> (Tone, String) {
    let (trail, words) = told::last_seen(session, forward, number);
    if is_tracing && trail != Trail::InView {
        return (Tone::Dim, "out of view; its trail is being followed".to_owned());
    }
    let tone = match trail {
        Trail::InView => Tone::Assistant,
        Trail::Seen => Tone::Summary,
        Trail::Untold if forward.generations.is_empty() => Tone::Dim,
        Trail::Faint | Trail::Lost | Trail::Untold => Tone::Warn,
    };
    let when = if as_of < session.last() { format!(", as of t{as_of}") } else { String::new() };
    (tone, format!("{words}{when}"))
}

/// What one compaction did with a turn.
fn fate_blocks(session: &Session, tracing: &Tracing, generation: u32, fate: &Fate) -> Vec<Block> {
    let known = tracing.get(generation);
    let is_guessed = matches!(fate, Fate::Summarised(_) | Fate::Inherited(_));
    let readable = session.generation(generation).is_some_and(Compaction::is_readable);
    let what = match (known, tracing.failure(generation)) {
        (None, Some(error)) if is_guessed && readable => format!("cannot be traced: {error}"),
        (None, None) if is_guessed && readable => format!("{} tracing …", signs::PENDING.mark),
        _ => told::fate(session, known.map(std::sync::Arc::as_ref), generation, fate),
    };
    let mut blocks = vec![Block::runs(rule(&format!("g{generation} · {what}")), Vec::new())];
    for carried in fate.carried() {
        blocks.extend(known.map(|trace| carrier(trace, carried)));
    }
    blocks
}

fn carrier(trace: &Trace, carried: &Carried) -> Block {
    let text = trace
        .sentences
        .get(carried.sentence.place)
        .map_or_else(String::new, |traced| preview::on_one_line(&short(traced.sentence.text(&trace.text))));
    let mut heading = match carried.carrier {
        Carrier::Carries => format!("{} carries it", carried.sentence),
        Carrier::Weak => format!("{} weakly", carried.sentence),
    };
    if let Some(from) = carried.from {
        heading = format!("{heading} · after {from}");
    }
    let tone = if carried.carrier == Carrier::Carries { Tone::Summary } else { Tone::Dim };
    let body = Body::Runs(vec![vec![(Tone::Text, format!("    {text}"))]]);
    Block::new(heading, tone, body).leading_to(node(carried.sentence)).close()
}
