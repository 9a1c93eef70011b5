//! A compaction's record: the summary, or that it cannot be read, and the history that took the old one's place.

use crate::formats::blocks::{encrypted, part};
use crate::formats::facts::{Again, Body, Boundary, PartFacts, PartKind, Role, Said, TurnFacts};

use super::envelope::{HistoryItem, Payload};

/// How a summary begins where it stands as a message in the new history.
pub(super) const PREFIX: &str = "Another language model started to solve this problem";

/// Where the summary of a record is.
pub(super) enum Summary {
    /// In the record's own message.
    Message,
    /// In the item with this place in the history.
    Item(usize),
    /// It is so many bytes, and only the provider can read them.
    Encrypted(u32),
    /// Nowhere.
    None,
}

/// What decides where a summary is, of one item of the history.
pub(super) struct Clue {
    /// It is a compaction's item, not a message.
    pub(super) is_compaction: bool,
    /// It begins as summaries do.
    pub(super) begins_so: bool,
    /// Bytes of what is encrypted in it.
    pub(super) encrypted: u32,
}

/// Finds the summary. An encrypted one is what the model sees, whatever the message says.
pub(super) fn find(message: bool, items: &[Clue]) -> Summary {
    let sealed = items.iter().find(|item| item.is_compaction && item.encrypted > 0);
    let sealed = sealed.or_else(|| items.iter().find(|item| !message && item.encrypted > 0));
    if let Some(item) = sealed {
        return Summary::Encrypted(item.encrypted);
    }
    match items.iter().rposition(|item| item.begins_so) {
        _ if message => Summary::Message,
        Some(at) => Summary::Item(at),
        None => Summary::None,
    }
}

/// Whether an item of this kind holds an encrypted summary.
pub(super) fn is_compaction(kind: &str) -> bool {
    matches!(kind, "compaction" | "compaction_summary" | "context_compaction")
}

pub(super) fn body(payload: Payload) -> Body {
    let message = part(PartKind::Text, payload.message.0);
    let clues: Vec<Clue> = payload.history.0.iter().map(clue).collect();
    let summary = find(message.is_some(), &clues);
    let parts: Vec<PartFacts> = match &summary {
        Summary::Message => message.into_iter().collect(),
        Summary::Item(at) => payload.history.0[*at].content.parts.clone().into_iter().take(1).collect(),
        Summary::Encrypted(bytes) => vec![encrypted(*bytes)],
        Summary::None => Vec::new(),
    };
    let own = Said::of(Role::User, &parts);
    // The blocks of the history are numbered behind the summary's, those of the summary itself too.
    let mut first = 1u16;
    let mut again = Vec::new();
    for (at, item) in payload.history.0.into_iter().enumerate() {
        let role = if item.role.as_str() == "assistant" { Role::Assistant } else { Role::User };
        let said = item.content.said(role);
        let is_summary = matches!(summary, Summary::Item(place) if place == at) || said == own;
        let blocks = item.content.parts.len() as u16;
        if item.kind.as_str() == "message" && blocks > 0 && !is_summary {
            again.push(Again { said, parts: item.content.parts, first });
        }
        first = first.saturating_add(blocks);
    }
    let boundary = Boundary { again, kept_first: true, ..Boundary::default() };
    Body::Compacted(Box::new((boundary, TurnFacts::new(Role::Summary, parts))))
}

fn clue(item: &HistoryItem) -> Clue {
    Clue {
        is_compaction: is_compaction(item.kind.as_str()),
        begins_so: item.content.parts.first().is_some_and(|part| part.preview.starts_with(PREFIX)),
        encrypted: item.encrypted.0,
    }
}
