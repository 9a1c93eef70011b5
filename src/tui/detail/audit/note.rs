//! The recall note as it will be pasted.

use crate::audit::pass::Pass;
use crate::outline::audit::{Audited, Audits, is_loss};
use crate::outline::{Node, View};
use crate::recall::{self, Piece};
use crate::session::TurnId;
use crate::session::later::{self, Soon};
use crate::session::open::OpenLog;
use crate::session::text::shown;
use crate::text::numbers::{count, short};
use crate::text::tokens;

use super::super::super::document::{Block, Document, Tone};
use super::super::super::model::clock;
use super::waiting;

/// The note of what is selected: a document whose text is what is copied.
pub fn note(audits: &Audits, view: &View, log: &OpenLog, node: Node) -> Document {
    let pieces = match pieces(audits, view, log, node) {
        Ok(pieces) => pieces,
        Err(fact) => {
            return Document {
                title: "note".to_owned(),
                facts: vec![fact],
                pending: true,
                ..Document::default()
            };
        }
    };
    if pieces.is_empty() {
        let facts = vec![(Tone::Assistant, nothing(audits, node))];
        return Document { title: "note".to_owned(), facts, ..Document::default() };
    }
    let text = recall::markdown(&log.session, &pieces, true);
    let mut facts = vec![
        (Tone::Assistant, "r or Enter copies it to the clipboard · Esc goes back".to_owned()),
        (
            Tone::Dim,
            format!(
                "{} · ~{} tokens · keys and tokens masked",
                count(pieces.len() as u64, "piece"),
                short(u64::from(tokens::estimate(&text)))
            ),
        ),
    ];
    if let Some(generation) = compaction(node).filter(|generation| goes_back(audits, *generation)) {
        let what = format!("no statement was lost at g{generation}: those lost before come with it");
        facts.push((Tone::Dim, what));
    }
    let blocks = vec![Block::whole(String::new(), Tone::Text, text)];
    Document { title: format!("note of {}", of(log, node)), facts, blocks, ..Document::default() }
}

/// Why there is nothing to collect.
fn nothing(audits: &Audits, node: Node) -> String {
    let Some(generation) = compaction(node) else {
        return "nothing of it was dropped or changed: there is nothing to collect".to_owned();
    };
    let pass = audits.pass(generation);
    if let Some(reason) = pass.and_then(|pass| pass.about.unreadable.as_ref()) {
        return format!("{reason}: what g{generation} lost cannot be told");
    }
    if let Some((missing, pass)) = pass.and_then(|pass| Some((pass.missing()?, pass))) {
        let not_found = count(u64::from(pass.suppressed()), "item");
        return format!(
            "{missing}: what g{generation} lost cannot be told; not found, each under its class: {not_found}"
        );
    }
    "no statement of the user's was dropped or changed, here or before, and no name that the user said twice: there is \
     nothing to collect; r on a class collects all of it"
        .to_owned()
}

/// The compaction that a node stands for as a whole.
fn compaction(node: Node) -> Option<u32> {
    match node {
        Node::Generation(generation)
        | Node::Section(generation, _)
        | Node::Audited(Audited::Beside(generation, _)) => Some(generation),
        _ => None,
    }
}

/// Whether a compaction lost no statement, so that those lost before are what is missed.
fn goes_back(audits: &Audits, generation: u32) -> bool {
    audits.pass(generation).is_some_and(|pass| pass.readable && recall::statements(pass).is_empty())
}

/// What a note is of.
fn of(log: &OpenLog, node: Node) -> String {
    match node {
        Node::Audited(
            Audited::Class(generation, class)
            | Audited::Kept(generation, class)
            | Audited::Missing(generation, class),
        ) => {
            format!("g{generation} {}", class.plural())
        }
        Node::Audited(Audited::Finding(generation, _)) => format!("an item of g{generation}"),
        Node::Generation(generation)
        | Node::Section(generation, _)
        | Node::Audited(Audited::Beside(generation, _)) => {
            format!("what g{generation} lost")
        }
        Node::Sentence(generation, place) => format!("g{generation}.s{}", place + 1),
        Node::Turn(id) => log.session.address(id).to_string(),
        Node::Part(id, part) => format!("{}.{part}", log.session.address(id)),
        _ => String::new(),
    }
}

/// The pieces of a note; or why there are none yet.
fn pieces(audits: &Audits, view: &View, log: &OpenLog, node: Node) -> Result<Vec<Piece>, (Tone, String)> {
    let pass = |generation: u32| audits.pass(generation).ok_or_else(|| waiting(audits, log, generation));
    match node {
        Node::Turn(id) => turn(log, id, None),
        Node::Part(id, part) => turn(log, id, Some(part)),
        Node::Sentence(generation, place) => {
            let summary = view.summary_text(log, generation);
            if let Some(bytes) = summary.pending {
                return Err((Tone::Warn, later::note(bytes)));
            }
            let text = summary.sentence(place).unwrap_or_default().to_owned();
            Ok(vec![Piece::of_sentence(format!("g{generation}.s{}", place + 1), text)])
        }
        Node::Generation(generation)
        | Node::Section(generation, _)
        | Node::Audited(Audited::Beside(generation, _)) => {
            let pass = pass(generation)?;
            let mut pieces = recall::statements(pass);
            if goes_back(audits, generation) {
                let passes = audits.auditing.passes().iter().map(|pass| &**pass);
                pieces = recall::lost_before(passes, generation);
            }
            pieces.extend(recall::names(pass));
            Ok(pieces)
        }
        Node::Audited(Audited::Class(generation, class)) => {
            let pass = pass(generation)?;
            Ok(recall::findings(pass, pass.of_class(class).filter(|finding| is_loss(finding))))
        }
        Node::Audited(Audited::Kept(generation, class)) => {
            let pass = pass(generation)?;
            Ok(recall::findings(pass, pass.of_class(class).filter(|finding| !is_loss(finding))))
        }
        Node::Audited(Audited::Missing(generation, class)) => {
            let pass = pass(generation)?;
            Ok(recall::findings(pass, pass.not_found.iter().filter(|finding| finding.class == class)))
        }
        Node::Audited(Audited::Finding(generation, place)) => {
            let pass: &Pass = pass(generation)?;
            Ok(recall::findings(pass, audits.finding(generation, place).into_iter()))
        }
        _ => Ok(Vec::new()),
    }
}

fn turn(log: &OpenLog, id: TurnId, part: Option<u32>) -> Result<Vec<Piece>, (Tone, String)> {
    let texts = match log.texts_soon(id) {
        Ok(Soon::Ready(texts)) => texts,
        Ok(Soon::Later(bytes)) => return Err((Tone::Warn, later::note(bytes))),
        Err(error) => return Err((Tone::Warn, error)),
    };
    let wanted = texts.iter().filter(|located| part.is_none_or(|part| located.index == part));
    let text = wanted.map(|located| shown(&located.text)).collect::<Vec<_>>().join("\n");
    let address = log.session.address(id);
    let address = part.map_or_else(|| address.to_string(), |part| format!("{address}.{part}"));
    let turn = log.session.turn(id);
    Ok(vec![Piece::of_turn(address, turn.role, clock(turn.time, true), text)])
}
