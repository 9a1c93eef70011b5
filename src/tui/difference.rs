//! The words that changed between two summaries.

use similar::{ChangeTag, TextDiff};

use crate::outline::View;
use crate::session::open::OpenLog;

use super::document::{Block, Document, Tone};

/// What changed in the summary of `generation` since the readable one before it.
pub fn document(view: &View, log: &OpenLog, generation: u32) -> Result<Document, String> {
    let before = (1..generation)
        .rev()
        .find(|earlier| {
            log.session.generation(*earlier).is_some_and(|compaction| compaction.summary.is_some())
        })
        .ok_or_else(|| format!("there is no summary before g{generation} to compare with"))?;
    let old = view.summary_text(log, before).text.clone();
    let new = view.summary_text(log, generation).text.clone();
    let (lines, kept, gone, added) = lines(&old, &new);
    let facts = vec![
        (Tone::Dim, format!("words of g{before} → g{generation}: {kept} kept, {gone} gone, {added} new")),
        (Tone::Dim, "[-gone-] {+new+}: a plain difference; it says nothing about what is true".to_owned()),
    ];
    let blocks = vec![Block::runs(String::new(), lines)];
    Ok(Document { title: format!("g{before} → g{generation} difference"), facts, blocks })
}

type Runs = Vec<(Tone, String)>;

/// The difference as lines of runs, and how many words were kept, are gone and are new.
fn lines(old: &str, new: &str) -> (Vec<Runs>, usize, usize, usize) {
    let diff = TextDiff::from_unicode_words(old, new);
    let mut lines: Vec<Runs> = vec![Vec::new()];
    let (mut kept, mut gone, mut added) = (0, 0, 0);
    for change in diff.iter_all_changes() {
        let text = change.value();
        let is_word = usize::from(text.chars().any(char::is_alphanumeric));
        let tone = match change.tag() {
            ChangeTag::Equal => {
                kept += is_word;
                Tone::Text
            }
            ChangeTag::Delete => {
                gone += is_word;
                Tone::Removed
            }
            ChangeTag::Insert => {
                added += is_word;
                Tone::Added
            }
        };
        for (number, piece) in text.split('\n').enumerate() {
            if number > 0 && tone != Tone::Removed {
                lines.push(Vec::new());
            }
            push(&mut lines, tone, piece);
        }
    }
    for line in &mut lines {
        for (tone, text) in line {
            match tone {
                Tone::Removed => *text = format!("[-{text}-]"),
                Tone::Added => *text = format!("{{+{text}+}}"),
                _ => {}
            }
        }
    }
    (lines, kept, gone, added)
}

/// Adds to the last run where that is drawn the same.
fn push(lines: &mut [Runs], tone: Tone, text: &str) {
    let Some(line) = lines.last_mut() else { return };
    if text.is_empty() || (text.trim().is_empty() && tone == Tone::Removed) {
        return;
    }
    match line.last_mut() {
        Some((last, run)) if *last == tone => run.push_str(text),
        _ => line.push((tone, text.to_owned())),
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
        assert_eq!(text, ["The user [-wonders-]{+decided+} [-about-]{+on+} it.", "End"]);
        assert_eq!((kept, gone, added), (4, 2, 2));
    }
}
