//! The recall note: chosen turns, sentences, items and losses as Markdown, ready to paste back to the agent.
//!
//! Texts stand word for word, quoted, each under its address, so that neither the agent nor the person takes the log's words
//! for the note's. Whoever makes a note says whether what looks like a key or a token is masked. Prints and copies nothing
//! itself: the command line and the terminal make the same note here.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use crate::audit::finding::{Class, Finding, Frequency, Verdict, Voice, Why};
use crate::audit::pass::Pass;
use crate::formats::facts::Role;
use crate::session::Session;
use crate::text::display::safe;
use crate::text::secrets;

/// One piece of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it stands.
    pub address: String,
    /// What it is: who says it, when, or how it binds.
    pub about: String,
    /// Its words.
    pub text: String,
}

impl Piece {
    /// A piece of a turn, said by `role` at a time that is already in words.
    pub fn of_turn(address: String, role: Role, time: Option<String>, text: String) -> Self {
        let about = match time {
            Some(time) => format!("{} · {time}", role.name()),
            None => role.name().to_owned(),
        };
        Self { address, about, text }
    }

    /// A sentence of a recorded summary.
    pub fn of_sentence(address: String, text: String) -> Self {
        Self { address, about: "summary".to_owned(), text }
    }

    fn of_finding(finding: &Finding, generation: u32) -> Self {
        let about = match finding.verdict {
            Verdict::Unverifiable => format!("{}, to be compared with g{generation}", finding.class.name()),
            verdict => format!("{}, {} at g{generation}", finding.class.name(), verdict.name()),
        };
        Self { address: finding.address(), about, text: finding.text.clone() }
    }
}

/// A note as Markdown.
pub fn markdown(session: &Session, pieces: &[Piece], masks: bool) -> String {
    let title = session.title.as_deref().unwrap_or("this session");
    let mut out = format!("# From earlier in {}\n", safe(title));
    out.push_str(
        "\nQuoted from the session's log, word for word; a compaction may have taken it out of view.\n",
    );
    for piece in pieces {
        // What is written into a text is there.
        let _ = write!(out, "\n## {} · {}\n\n", safe(&piece.address), safe(&piece.about));
        for line in masked(&piece.text, masks).lines() {
            let _ = writeln!(out, "> {}", safe(line));
        }
    }
    out
}

/// A text, its keys and tokens masked where that is wanted.
pub fn masked(text: &str, masks: bool) -> Cow<'_, str> {
    if masks { secrets::masked(text) } else { Cow::Borrowed(text) }
}

/// What of a report matters to whoever goes on: statements that were dropped, those that lost force or a name, and those of
/// which the opposite may stand there.
pub fn statements(pass: &Pass) -> Vec<Piece> {
    let lost = pass.findings.iter().filter(|finding| finding.class.is_statement() && is_lost(finding));
    lost.map(|finding| Piece::of_finding(finding, pass.about.generation)).collect()
}

/// What was dropped before a generation and is not said again since, of what the user said: the newest loss first. Whoever
/// finds nothing lost at the newest compaction still misses that.
pub fn lost_before<'a>(passes: impl DoubleEndedIterator<Item = &'a Pass>, generation: u32) -> Vec<Piece> {
    let mut since: HashSet<(Class, &str)> = HashSet::new();
    let mut pieces = Vec::new();
    for pass in passes.filter(|pass| pass.about.generation <= generation).rev() {
        let is_lost = |finding: &&Finding| {
            finding.class.is_statement()
                && finding.verdict == Verdict::Dropped
                && !since.contains(&(finding.class, finding.key.as_str()))
        };
        if pass.about.generation < generation {
            let lost = pass.findings.iter().filter(is_lost);
            pieces.extend(lost.map(|finding| Piece::of_finding(finding, pass.about.generation)));
        }
        since.extend(pass.findings.iter().map(|finding| (finding.class, finding.key.as_str())));
    }
    pieces
}

/// Whether a finding is known to be lost or changed.
fn is_lost(finding: &Finding) -> bool {
    matches!(finding.verdict, Verdict::Dropped | Verdict::Mutated | Verdict::Weakened)
        || may_be_turned(finding)
}

/// Whether what binds may stand there as its opposite: nothing that a note leaves out, as the rules cannot tell.
fn may_be_turned(finding: &Finding) -> bool {
    finding.class != Class::Open && matches!(finding.why, Some(Why::NotDenied | Why::Settled(_)))
}

/// The exact items that the user said and a compaction dropped, a piece for each class: those that were said more than once
/// by name, the others counted.
pub fn names(pass: &Pass) -> Vec<Piece> {
    let of = |class| names_of(pass, class);
    Class::ALL.into_iter().filter(|class| !class.is_statement()).filter_map(of).collect()
}

fn names_of(pass: &Pass, class: Class) -> Option<Piece> {
    let dropped = pass.with(class, Verdict::Dropped).filter(|finding| finding.voice == Voice::Prompt);
    let (often, once): (Vec<&Finding>, Vec<&Finding>) =
        dropped.partition(|finding| finding.frequency == Frequency::Headline);
    if often.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = often.into_iter().map(name).collect();
    if !once.is_empty() {
        lines.push(format!("and {} that were said once", once.len()));
    }
    Some(piece_of_names(pass, class, &lines))
}

fn name(finding: &Finding) -> String {
    let turn = finding.sources.first().map_or_else(String::new, |place| format!(" (t{})", place.turn));
    format!("{}{turn}", finding.text)
}

fn piece_of_names(pass: &Pass, class: Class, lines: &[String]) -> Piece {
    let generation = pass.about.generation;
    Piece {
        address: format!("g{generation}"),
        about: format!("{}, dropped at g{generation}", class.plural()),
        text: lines.join("\n"),
    }
}

/// Chosen findings of a report: statements one by one, exact items by class.
pub fn findings<'a>(pass: &Pass, chosen: impl Iterator<Item = &'a Finding>) -> Vec<Piece> {
    let (said, exact): (Vec<&Finding>, Vec<&Finding>) =
        chosen.partition(|finding| finding.class.is_statement());
    let mut pieces: Vec<Piece> =
        said.into_iter().map(|finding| Piece::of_finding(finding, pass.about.generation)).collect();
    match exact[..] {
        [one] => pieces.push(Piece::of_finding(one, pass.about.generation)),
        _ => {
            for class in Class::ALL {
                let lines: Vec<String> = exact
                    .iter()
                    .filter(|finding| finding.class == class)
                    .map(|finding| name(finding))
                    .collect();
                if !lines.is_empty() {
                    pieces.push(piece_of_names(pass, class, &lines));
                }
            }
        }
    }
    pieces
}
