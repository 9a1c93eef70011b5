//! How a text is cut into lines that a summary may copy.
//!
//! Sentences, as lineage cuts them, without list marks, headings, fenced code and rules. Lines that an editor wrapped
//! are read as one. Everything is cut into pieces of a bounded length first, so that no text costs more than its length.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::text::sentences;

/// Longest line, in bytes: some 80 tokens.
const LONGEST: usize = 400;
/// Longest stretch that sentences are looked for in.
const STRETCH: usize = 4096;
/// A line shorter than this was ended by its writer, not wrapped by an editor.
const WRAPPED: usize = 60;

/// Calls `take` with where each line stands in `text` and the nearest heading above it; not any more once `stop` is set.
pub fn each<'t>(text: &'t str, stop: &AtomicBool, mut take: impl FnMut(Range<usize>, &'t str)) {
    let mut heading = "";
    let mut fenced = false;
    let mut paragraph = 0..0;
    for line in lines(text) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let trimmed = text[line.clone()].trim();
        let fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let continues = !fenced && !fence && wraps(text, &paragraph, trimmed);
        if !continues {
            stretch(text, &paragraph, stop, &mut |range| take(range, heading));
            paragraph = 0..0;
        }
        if fence {
            fenced = !fenced;
        } else if fenced || trimmed.is_empty() || is_mark(trimmed) {
        } else if let Some(title) = title(trimmed) {
            heading = title;
        } else {
            let from = if continues { paragraph.start } else { line.start };
            paragraph = from..line.end;
        }
    }
    stretch(text, &paragraph, stop, &mut |range| take(range, heading));
}

/// Where the lines of a text stand, without their newlines.
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    text.split_inclusive('\n').map(move |line| {
        let range = from..from + line.trim_end_matches(['\n', '\r']).len();
        from += line.len();
        range
    })
}

/// Whether `next` goes on with the sentence that the paragraph before it began.
fn wraps(text: &str, paragraph: &Range<usize>, next: &str) -> bool {
    let before = text[paragraph.clone()].trim_end();
    let last = before.rsplit('\n').next().unwrap_or_default();
    last.len() >= WRAPPED
        && before.len() < STRETCH / 2
        && !before.ends_with(['.', '!', '?', ':', ';', '|'])
        && next.chars().next().is_some_and(char::is_lowercase)
}

/// A line that is no text of its own: a rule, a tag, a mark.
fn is_mark(trimmed: &str) -> bool {
    let tag = trimmed.starts_with('<') && trimmed.ends_with('>') && !trimmed.contains(' ');
    tag || !trimmed.chars().any(char::is_alphanumeric)
}

fn title(trimmed: &str) -> Option<&str> {
    let rest = trimmed.trim_start_matches('#');
    let marked = rest.len() < trimmed.len() && rest.starts_with(' ');
    marked.then(|| rest.trim().trim_matches(['*', ':', ' ']))
}

/// The sentences of a paragraph, cut to lines.
fn stretch(text: &str, paragraph: &Range<usize>, stop: &AtomicBool, take: &mut impl FnMut(Range<usize>)) {
    for part in pieces(text, paragraph.clone(), STRETCH) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let marked = &text[part.clone()];
        let from = part.start + mark(marked);
        for range in sentences::split(&text[from..part.end]) {
            for piece in pieces(text, from + range.start..from + range.end, LONGEST) {
                let cut = trimmed(text, piece);
                if !cut.is_empty() {
                    take(cut);
                }
            }
        }
    }
}

/// How many bytes of `line` are white space and list marks.
fn mark(line: &str) -> usize {
    let mut rest = line.trim_start();
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = &rest[digits..];
        let mut tail = match digits {
            0 => rest.strip_prefix(['-', '*', '•', '+', '>']),
            1..=3 => after.strip_prefix(['.', ')']),
            _ => None,
        };
        for tick in ["[ ]", "[x]", "[X]", "✅", "✓", "✗", "❌", "☐", "☑"] {
            tail = tail.or_else(|| rest.strip_prefix(tick));
        }
        match tail.filter(|tail| tail.starts_with(char::is_whitespace)) {
            Some(tail) => rest = tail.trim_start(),
            None => return line.len() - rest.len(),
        }
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let found = &text[range.clone()];
    let from = range.start + (found.len() - found.trim_start().len());
    from..from + found.trim().len()
}

/// `range` in pieces of at most `longest` bytes: cut after white space, or after a mark of a script without any, or
/// between two characters.
fn pieces(text: &str, range: Range<usize>, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let mut from = range.start;
    std::iter::from_fn(move || {
        if from >= range.end {
            return None;
        }
        let end = if range.end - from <= longest { range.end } else { cut(text, from, longest) };
        let piece = from..end;
        from = end;
        Some(piece)
    })
}

fn cut(text: &str, from: usize, longest: usize) -> usize {
    let end = text.floor_char_boundary(from + longest);
    let half = text.floor_char_boundary(from + longest / 2);
    let late = &text[half..end];
    let after = |marks: fn(char) -> bool| {
        late.char_indices().rev().find(|(_, c)| marks(*c)).map(|(at, c)| half + at + c.len_utf8())
    };
    after(|c| matches!(c, ';' | '。' | '！' | '？' | '；'))
        .or_else(|| after(char::is_whitespace))
        .unwrap_or(end)
}
