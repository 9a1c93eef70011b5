//! The words that changed between two summaries.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::outline::View;
use crate::session::Compaction;
use crate::session::open::OpenLog;

use super::document::{Block, Document, Runs, Tone};

/// What changed in the summary of `generation` since the readable one before it.
pub fn document(view: &View, log: &OpenLog, generation: u32) -> Result<Document, String> {
    let reason = log.session.generation(generation).and_then(Compaction::unreadable);
    if let Some(reason) = reason {
        return Err(format!("g{generation} cannot be compared: {reason}"));
    }
    let before = (1..generation)
        .rev()
        .find(|earlier| log.session.generation(*earlier).is_some_and(Compaction::is_readable))
        .ok_or_else(|| format!("there is no readable summary before g{generation} to compare with"))?;
    let (old, new) = (view.summary_text(log, before), view.summary_text(log, generation));
    if old.pending.is_some() || new.pending.is_some() {
        return Err("the summaries are still being read: try again".to_owned());
    }
    let (lines, kept, gone, added) = lines(&old.text, &new.text);
    let facts = vec![
        (Tone::Dim, format!("words of g{before} → g{generation}: {kept} kept, {gone} gone, {added} new")),
        (Tone::Dim, "[-gone-] {+new+}: a plain difference; it says nothing about what is true".to_owned()),
    ];
    let blocks = vec![Block::runs(String::new(), lines)];
    let title = format!("g{before} → g{generation} difference");
    Ok(Document { title, facts, blocks, ..Document::default() })
}

/// A stretch of two texts.
enum Stretch {
    /// The same in both.
    Same(String),
    /// Other words in the new one.
    Changed(String, String),
}

/// Of texts over this many bytes together the shortest difference may take minutes: they get a long one after a while.
/// Summaries are far below, and their difference is the same on every machine.
const LARGE: usize = 256 << 10;
/// That while.
const ENOUGH: Duration = Duration::from_millis(200);

/// Words the same in both texts, but fewer than this between two changes, are shown as part of one change: a reader
/// wants the phrase that is gone and the phrase that is new.
const BRIDGE: usize = 4;

/// The difference as lines of runs, and how many words were kept, are gone and are new.
fn lines(old: &str, new: &str) -> (Vec<Runs>, usize, usize, usize) {
    let (mut kept, mut gone, mut added) = (0, 0, 0);
    let mut lines: Vec<Runs> = vec![Vec::new()];
    for stretch in bridged(stretches(old, new)) {
        match stretch {
            Stretch::Same(text) => {
                kept += words(&text);
                push(&mut lines, Tone::Text, &text, "", "");
            }
            Stretch::Changed(before, after) => {
                gone += words(&before);
                added += words(&after);
                push(&mut lines, Tone::Removed, before.trim_end(), "[-", "-]");
                push(&mut lines, Tone::Added, &after, "{+", "+}");
            }
        }
    }
    (lines, kept, gone, added)
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

fn stretches(old: &str, new: &str) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    let mut search = TextDiff::configure();
    if old.len() + new.len() > LARGE {
        search.timeout(ENOUGH);
    }
    let difference = search.diff_unicode_words(old, new);
    for change in difference.iter_all_changes() {
        let text = change.value();
        match (change.tag(), out.last_mut()) {
            (ChangeTag::Equal, Some(Stretch::Same(same))) => same.push_str(text),
            (ChangeTag::Equal, _) => out.push(Stretch::Same(text.to_owned())),
            (ChangeTag::Delete, Some(Stretch::Changed(before, _))) => before.push_str(text),
            (ChangeTag::Insert, Some(Stretch::Changed(_, after))) => after.push_str(text),
            (ChangeTag::Delete, _) => out.push(Stretch::Changed(text.to_owned(), String::new())),
            (ChangeTag::Insert, _) => out.push(Stretch::Changed(String::new(), text.to_owned())),
        }
    }
    out
}

/// Joins changes with few words between them. A line break between them keeps them apart.
fn bridged(stretches: Vec<Stretch>) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        if let Stretch::Changed(before, after) = &stretch
            && let [.., Stretch::Changed(..), Stretch::Same(same)] = out.as_slice()
            && words(same) < BRIDGE
            && !same.contains('\n')
        {
            let (before, after) = (format!("{same}{before}"), format!("{same}{after}"));
            out.pop();
            if let Some(Stretch::Changed(first, second)) = out.last_mut() {
                first.push_str(&before);
                second.push_str(&after);
            }
            continue;
        }
        out.push(stretch);
    }
    out
}

/// Adds `text` in `tone`, marked on every line it runs over.
fn push(lines: &mut Vec<Runs>, tone: Tone, text: &str, open: &str, close: &str) {
    for (number, piece) in text.split('\n').enumerate() {
        if number > 0 {
            lines.push(Vec::new());
        }
        let Some(line) = lines.last_mut() else { return };
        if piece.trim().is_empty() {
            if !piece.is_empty() {
                line.push((Tone::Text, piece.to_owned()));
            }
        } else {
            line.push((tone, format!("{open}{piece}{close}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_words_are_marked_and_counted() {
        let (lines, kept, gone, added) =
            lines("The user wonders about it.\nEnd", "The user decided on it.\nEnd");
        let text: Vec<String> =
            lines.iter().map(|line| line.iter().map(|(_, t)| t.as_str()).collect()).collect();
        assert_eq!(text, ["The user [-wonders about-]{+decided on+} it.", "End"]);
        assert_eq!((kept, gone, added), (4, 2, 2));
    }

    #[test]
    fn a_phrase_that_is_gone_keeps_its_spaces() {
        let (lines, ..) = lines("Done (all in production now) here.", "Done here.");
        let text: String = lines[0].iter().map(|(_, text)| text.as_str()).collect();
        assert!(text.contains("all in production now"), "{text}");
    }
}
