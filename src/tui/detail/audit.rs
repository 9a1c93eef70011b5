//! What the detail pane shows of an audit: reports, findings with their evidence, what stands beside, and the note.
//!
//! Every count leads to its items, every item to the places that say it and to the sentences that carry it.

mod beside;
mod note;

use crate::audit::finding::{Class, Finding, Place, Verdict, Voice};
use crate::audit::pass::Pass;
use crate::formats::facts::Role;
use crate::lineage::tracing::Tracing;
use crate::outline::audit::{Audited, Audits, Sheaf, counted};
use crate::outline::{Node, Outline, View};
use crate::session::open::OpenLog;
use crate::text::numbers::{count, grouped};
use crate::text::preview;

use super::super::document::{Block, Body, Document, Tone};
use super::super::signs;

pub use note::note;

/// What every verdict rests on.
const BY_WORDS: &str = "Found by words alone: compare before you trust a verdict.";

/// The document of a node of the view.
pub fn document(
    audits: &Audits,
    view: &View,
    log: &OpenLog,
    tracing: &Tracing,
    node: Node,
) -> Option<Document> {
    let document = match node {
        Node::Generation(generation) => report(audits, log, generation),
        Node::Audited(Audited::Nothing) => nothing(view, log, node),
        Node::Audited(
            audited @ (Audited::Class(generation, class)
            | Audited::Kept(generation, class)
            | Audited::Missing(generation, class)),
        ) => {
            let sorted = audits.sorted(generation)?;
            class_of(audits, generation, sorted.class(class)?, audited)
        }
        Node::Audited(Audited::Finding(generation, place)) => finding(audits, view, log, generation, place)?,
        Node::Audited(Audited::Beside(generation, beside)) => {
            beside::document(audits, view, log, tracing, generation, beside)?
        }
        Node::Audited(Audited::Retention) => beside::retention(audits),
        _ => return None,
    };
    Some(chosen(document))
}

/// The words of a node: what is copied of it.
pub fn plain(audits: &Audits, node: Node) -> Option<String> {
    let Node::Audited(Audited::Finding(generation, place)) = node else { return None };
    audits.finding(generation, place).map(|finding| finding.text.clone())
}

/// The same with its first link chosen.
fn chosen(document: Document) -> Document {
    let first = document.links().first().map(|(block, _)| *block);
    Document { chosen: document.chosen.or(first), ..document }
}

fn nothing(view: &View, log: &OpenLog, node: Node) -> Document {
    let mut facts = vec![(Tone::Heading, view.label(log, node).text)];
    let what = "When the agent compacts its context, this view lists what the summary dropped, weakened or changed of what \
                you said, and of paths, commands, numbers and names.";
    facts.push((Tone::Dim, what.to_owned()));
    Document { facts, ..Document::default() }
}

/// A heading without a text.
fn heading(text: String, tone: Tone) -> Block {
    Block::new(text, tone, Body::Runs(Vec::new()))
}

/// What is said while a generation is not audited yet.
fn waiting(audits: &Audits, log: &OpenLog, generation: u32) -> (Tone, String) {
    if let Some(failure) = audits.auditing.failure() {
        return (Tone::Warn, format!("the log could not be read back: {failure} · R tries again"));
    }
    let next = audits.auditing.passes().len() as u32 + 1;
    let all = log.session.compactions().len();
    let text = if next < generation {
        format!(
            "g{generation} waits: items are followed from one compaction to the next, and g{next} of {all} is being audited …"
        )
    } else {
        format!("g{generation} is being audited …")
    };
    (Tone::Dim, text)
}

/// What is known of the compaction itself.
fn about(pass: &Pass) -> Vec<(Tone, String)> {
    let about = &pass.about;
    let mut words = Vec::new();
    words.extend((about.turn > 0).then(|| format!("t{}", about.turn)));
    words.push(format!("{} covered", count(u64::from(about.covered), "turn")));
    words.extend((about.kept > 0).then(|| format!("{} kept in view", about.kept)));
    let mut facts = vec![(Tone::Dim, words.join(" · "))];
    if let Some(reason) = &about.unreadable {
        facts.push((Tone::Warn, format!("! {reason}: nothing is said of what it lost")));
    } else if let Some(why) = pass.missing() {
        let not_found = pass.suppressed();
        facts.push((
            Tone::Warn,
            format!(
                "! {why}: nothing is called dropped; not found, each under its class: {}",
                count(u64::from(not_found), "item")
            ),
        ));
    }
    facts
}

fn report(audits: &Audits, log: &OpenLog, generation: u32) -> Document {
    let title = format!("g{generation} audit");
    let Some(pass) = audits.pass(generation) else {
        return Document { title, facts: vec![waiting(audits, log, generation)], ..Document::default() };
    };
    let mut facts = about(pass);
    if !pass.readable {
        return Document { title, facts, ..Document::default() };
    }
    facts.push((Tone::Assistant, "r makes a note of it to paste back to the agent".to_owned()));
    let mut blocks = Vec::new();
    if let Some(sorted) = audits.sorted(generation) {
        for (verdict, classes) in sorted.changes() {
            let sign = signs::of_verdict(verdict);
            blocks.push(heading(format!("── {} {}", sign.mark, sign.name), sign.tone));
            for (class, n) in classes {
                let row = heading(counted(class, n), Tone::Text);
                blocks.push(row.leading_to(Node::Audited(Audited::Class(generation, class))).close());
            }
        }
        if blocks.is_empty() {
            let what = if pass.findings.is_empty() {
                "The user said nothing in its range that binds or was left open, and named nothing."
            } else {
                "Nothing that the user said, and no name, was dropped or changed."
            };
            blocks.push(heading(what.to_owned(), Tone::Assistant));
        }
        let told = |sheaf: &Sheaf| {
            let is_kept = |place: &&u32| {
                audits.finding(generation, **place).is_some_and(|finding| finding.verdict.is_kept())
            };
            sheaf.lost.iter().filter(is_kept).count() as u32
        };
        let compared: Vec<(Class, u32)> = sorted
            .classes
            .iter()
            .map(|sheaf| (sheaf.class, told(sheaf)))
            .filter(|(_, count)| *count > 0)
            .collect();
        if !compared.is_empty() {
            let what = "── ? kept, and told as settled elsewhere: compare".to_owned();
            blocks.push(heading(what, signs::of_verdict(Verdict::Unverifiable).tone));
        }
        for (class, count) in compared {
            let row = heading(counted(class, count), Tone::Text);
            blocks.push(row.leading_to(Node::Audited(Audited::Class(generation, class))).close());
        }
        let kept: usize = sorted.classes.iter().map(|sheaf| sheaf.kept.len()).sum();
        if kept > 0 {
            blocks.push(heading(format!("── kept: {}", count(kept as u64, "item")), Tone::Dim));
            for sheaf in sorted.classes.iter().filter(|sheaf| !sheaf.kept.is_empty()) {
                let row = heading(counted(sheaf.class, sheaf.kept.len() as u32), Tone::Text);
                blocks.push(row.leading_to(Node::Audited(Audited::Kept(generation, sheaf.class))).close());
            }
        }
        if !sorted.beside.is_empty() {
            blocks.push(heading("── beside".to_owned(), Tone::Dim));
        }
        for beside in &sorted.beside {
            let row = heading(beside::title(pass, *beside), Tone::Text);
            blocks.push(row.leading_to(Node::Audited(Audited::Beside(generation, *beside))).close());
        }
    }
    facts.push((Tone::Dim, BY_WORDS.to_owned()));
    Document { title, facts, blocks, ..Document::default() }
}

/// Findings that a class's document names, and characters of each.
const NAMED: usize = 200;
const WORDS: usize = 200;

fn class_of(audits: &Audits, generation: u32, sheaf: &Sheaf, audited: Audited) -> Document {
    let what = sheaf.class.plural();
    let (places, which) = match audited {
        Audited::Kept(..) => (&sheaf.kept, " that were kept"),
        Audited::Missing(..) => (&sheaf.missing, " that were not found"),
        _ => (&sheaf.lost, ""),
    };
    let title = format!("g{generation} {what}{which}");
    let mut facts = Vec::new();
    if matches!(audited, Audited::Kept(..)) {
        facts.push((
            Tone::Dim,
            format!("{} found in what the compaction left", counted(sheaf.class, places.len() as u32)),
        ));
    } else if matches!(audited, Audited::Missing(..)) {
        let n = counted(sheaf.class, places.len() as u32);
        facts.push((
            Tone::Warn,
            format!("{n} not found; with originals missing none is called dropped: compare"),
        ));
    } else if places.is_empty() && !sheaf.kept.is_empty() {
        facts.push((Tone::Assistant, format!("all {} were kept", grouped(sheaf.kept.len() as u64))));
    } else if !places.is_empty() {
        facts.push((
            Tone::Dim,
            format!("{} to look at · Enter opens one", counted(sheaf.class, places.len() as u32)),
        ));
        facts.push((Tone::Assistant, format!("r collects these {what} into a note")));
    }
    let mut blocks = Vec::new();
    for (number, place) in places.iter().take(NAMED).enumerate() {
        let Some(finding) = audits.finding(generation, *place) else { continue };
        let sign = signs::of_verdict(finding.verdict);
        let words = preview::first(&finding.text, WORDS);
        let row = heading(format!("{} {} {words}", sign.mark, finding.address()), sign.tone);
        let row = row.leading_to(Node::Audited(Audited::Finding(generation, *place)));
        blocks.push(if number == 0 { row } else { row.close() });
    }
    if places.len() > NAMED {
        blocks.push(heading(
            format!("and {} more: they are the rows of the tree", places.len() - NAMED),
            Tone::Dim,
        ));
    }
    if let Some(pass) = audits.pass(generation)
        && !pass.complete
    {
        facts.extend(about(pass).into_iter().skip(1));
    }
    Document { title, facts, blocks, ..Document::default() }
}

/// What a verdict says, in the words that are allowed to it.
fn told(finding: &Finding, generation: u32) -> (Tone, String) {
    let sign = signs::of_verdict(finding.verdict);
    let what = match finding.verdict {
        Verdict::Dropped => format!("dropped: first lost in g{generation}, not found in its summary"),
        Verdict::Mutated => {
            format!("mutated: in g{generation} a number or name of it is another one, or gone")
        }
        Verdict::Weakened => format!("weakened: g{generation} says it with less force"),
        Verdict::Unverifiable => "compare: the rules cannot tell, read both".to_owned(),
        Verdict::Paraphrased => format!("paraphrased: g{generation} says it in other words"),
        Verdict::Preserved if finding.at_risk => {
            return (
                Tone::Warn,
                format!(
                    "! at risk: in no summary; only turns that g{generation} kept word for word still say it"
                ),
            );
        }
        Verdict::Preserved => format!("preserved: it stands in g{generation}"),
    };
    (sign.tone, format!("{} {what}", sign.mark))
}

fn finding(audits: &Audits, view: &View, log: &OpenLog, generation: u32, place: u32) -> Option<Document> {
    let finding = audits.finding(generation, place)?;
    let class = finding.class;
    let title = format!("g{generation} {} {}", class.name(), finding.verdict.shown());
    let mut facts = vec![told(finding, generation)];
    facts.extend(finding.why.as_ref().map(|why| (Tone::Dim, format!("why: {}", why.words()))));
    facts.push((Tone::Dim, standing(finding, generation)));
    if let Some(narrative) = finding.narrative.filter(|narrative| *narrative != finding.verdict) {
        facts.push((Tone::Dim, format!("without the list of what the user said: {}", narrative.shown())));
    }
    let tone = if finding.voice == Voice::Prompt { Tone::User } else { Tone::Assistant };
    let mut blocks = vec![Block::whole(String::new(), tone, finding.text.clone())];
    blocks.extend(said_at(log, finding));
    if let Some(answered) = finding.answered.and_then(|number| log.session.numbered(0, number)) {
        let row = heading(format!("answered at {}", log.session.address(answered)), Tone::Assistant);
        blocks.push(row.leading_to(Node::Turn(answered)));
    }
    let summary = view.summary_text(log, generation);
    blocks.extend(carried(finding, generation, &|place| summary.sentence(place).map(str::to_owned)));
    blocks.extend(since(audits, finding, generation));
    Some(Document { title, facts, blocks, pending: summary.pending.is_some(), ..Document::default() })
}

/// Who says it, how often, and since when.
fn standing(finding: &Finding, generation: u32) -> String {
    let mut words = vec![match finding.voice {
        Voice::Prompt => "said by the user".to_owned(),
        Voice::Text => "said by the agent".to_owned(),
        Voice::ToolUse => "said in a call".to_owned(),
        Voice::ToolResult => "said in a result".to_owned(),
    }];
    if !finding.class.is_statement() {
        words.push(format!("{}: in {}", finding.frequency.name(), count(u64::from(finding.units), "part")));
    }
    if finding.since < generation {
        words.push(format!("followed since g{}", finding.since));
    }
    words.join(" · ")
}

/// The places that say it, each leading to its part with the words in sight.
fn said_at(log: &OpenLog, finding: &Finding) -> Vec<Block> {
    let mut blocks = vec![heading("── said at".to_owned(), Tone::Dim)];
    blocks.extend(finding.sources.iter().map(|place| said(log, place, &finding.text)));
    let more = (finding.units as usize).saturating_sub(finding.sources.len());
    if more > 0 {
        blocks.push(
            heading(format!("and in {} more: / searches", count(more as u64, "part")), Tone::Dim).close(),
        );
    }
    blocks
}

/// A place, leading to its part with `words` in sight.
pub(super) fn said(log: &OpenLog, place: &Place, words: &str) -> Block {
    let session = &log.session;
    let Some(id) = session.numbered(0, place.turn) else {
        return heading(place.address(), Tone::Dim).close();
    };
    let turn = session.turn(id);
    let voice = if place.voice && turn.role == Role::Tool { " · the user's words" } else { "" };
    let line = vec![(Tone::Dim, format!("    {}", session.preview(&turn)))];
    let block = Block::new(
        format!("{} {}{voice}", place.address(), turn.role.name()),
        super::tone_of(turn.role),
        Body::Runs(vec![line]),
    );
    block.leading_to(Node::Part(id, place.index)).at(words).close()
}

/// The sentences of the summary that carry it, or that are to be compared.
fn carried(finding: &Finding, generation: u32, text: &dyn Fn(u32) -> Option<String>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let row = |place: usize| {
        let heading = format!("g{generation}.s{}", place + 1);
        let body = vec![(
            Tone::Text,
            format!("    {}", text(place as u32).as_deref().map(preview::on_one_line).unwrap_or_default()),
        )];
        let block = Block::new(heading, Tone::Summary, Body::Runs(vec![body]));
        block.leading_to(Node::Sentence(generation, place as u32)).close()
    };
    if !finding.sentences.is_empty() {
        let what = match finding.verdict {
            Verdict::Dropped => "── nearest in the summary: compare",
            Verdict::Unverifiable => "── to be compared in the summary",
            _ => "── in the summary",
        };
        blocks.push(heading(what.to_owned(), Tone::Dim));
        blocks.extend(finding.sentences.iter().map(|place| row(*place)));
    }
    if let Some(place) = finding.compare.filter(|place| !finding.sentences.contains(place)) {
        blocks.push(heading("── another sentence to compare".to_owned(), Tone::Summary));
        blocks.push(row(place));
    }
    blocks
}

/// What became of it at the other compactions.
fn since(audits: &Audits, finding: &Finding, generation: u32) -> Vec<Block> {
    let mut blocks = Vec::new();
    for pass in audits.auditing.passes().iter().filter(|pass| pass.about.generation != generation) {
        let same = pass.of_class(finding.class).find(|other| finding.is_same_item(other));
        let Some(same) = same else { continue };
        let other = pass.about.generation;
        let place = pass.findings.iter().position(|known| std::ptr::eq(known, same)).unwrap_or(0);
        let sign = signs::of_verdict(same.verdict);
        let again = if other > generation && same.since == other { ", said again in its range" } else { "" };
        let row = heading(format!("g{other} {} {}{again}", sign.mark, same.verdict.shown()), sign.tone);
        blocks.push(row.leading_to(Node::Audited(Audited::Finding(other, place as u32))).close());
    }
    if !blocks.is_empty() {
        blocks.insert(0, heading("── at other compactions".to_owned(), Tone::Dim));
    }
    blocks
}
