//! How a block's text is cut: passages of whole lines, windows of lines and sentences inside them.

use std::ops::Range;

/// Longest passage, in bytes, where its lines allow.
const PASSAGE: usize = 900;
/// Longest window, likewise.
const WINDOW: usize = 260;

/// Where the passages of a text stand.
pub(super) fn passages(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut piece = at..at + line.len();
        at += line.len();
        while piece.len() > PASSAGE + 1 {
            out.extend(open.take());
            let cut = cut(&text[piece.clone()], PASSAGE);
            out.push(piece.start..piece.start + cut);
            piece.start += cut;
        }
        match &mut open {
            Some(open) if open.len() + piece.len() <= PASSAGE + 1 => open.end = piece.end,
            _ => {
                out.extend(open.take());
                open = Some(piece);
            }
        }
    }
    out.extend(open);
    out.retain(|range| !text[range.clone()].trim().is_empty());
    out
}

/// Where to cut a line that is longer than `most`: at its last space, where there is one in the second half.
fn cut(line: &str, most: usize) -> usize {
    let head = crate::text::preview::floor(line, most);
    let end = if head.is_empty() { line.ceil_char_boundary(most.max(1)) } else { head.len() };
    head.rfind(' ').filter(|space| *space > most / 2).unwrap_or(end)
}

/// The ends of a passage's windows: lines and sentences, joined while they stay short.
pub(super) fn windows(text: &str) -> Vec<usize> {
    let mut out = Vec::new();
    let (mut from, mut end) = (0, 0);
    for piece in pieces(text) {
        let mut piece = piece;
        if piece.end - from > WINDOW && end > from {
            out.push(end);
            from = piece.start;
        }
        while piece.len() > WINDOW {
            piece.start += cut(&text[piece.clone()], WINDOW);
            out.push(piece.start);
            from = piece.start;
        }
        end = piece.end;
    }
    out.push(text.len());
    out
}

/// Lines, and sentences inside them.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        let ends_line = bytes[at] == b'\n';
        let ends_sentence = matches!(bytes[at], b'.' | b'!' | b'?')
            && matches!(bytes.get(at + 1), Some(b' '))
            && bytes.get(at + 2).is_some_and(u8::is_ascii_uppercase);
        if ends_line || ends_sentence {
            out.push(from..at + 1);
            from = at + 1;
        }
    }
    if from < bytes.len() {
        out.push(from..bytes.len());
    }
    out
}

/// The lines of a text without the line numbers that reading tools put before them.
pub(super) fn each_line(text: &str, mut take: impl FnMut(&str, usize)) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let head = line.trim_start_matches([' ', '\t']);
        let digits = head.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &head[digits..];
        let marked = rest.strip_prefix('→').or_else(|| rest.strip_prefix('\t'));
        let body = marked.filter(|_| digits > 0).unwrap_or(line);
        take(body, at + line.len() - body.len());
        at += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn passages_pack_whole_lines() {
        let text = format!("{}\n{}\n{}", "a".repeat(500), "b".repeat(300), "c".repeat(300));
        assert_eq!(passages(&text), [0..802, 802..1102]);
        let long = format!("{} {}", "x".repeat(600), "y".repeat(600));
        assert_eq!(passages(&long), [0..600, 600..1201]);
    }

    #[test]
    fn line_numbers_are_no_words() {
        let mut lines = Vec::new();
        each_line("   12→fn main\n13\tlet\n14 x", |line, at| lines.push((line.to_owned(), at)));
        let expected = [("fn main\n", 8), ("let\n", 19), ("14 x", 23)];
        assert_eq!(lines, expected.map(|(line, at)| (line.to_owned(), at)));
    }

    proptest! {
        #[test]
        fn any_text_is_cut_in_order(text in "(\\PC|\n| ){0,400}", times in 1usize..12) {
            let text = text.repeat(times);
            let mut end = 0;
            for range in passages(&text) {
                assert!(range.start >= end && !text[range.clone()].trim().is_empty());
                end = range.end;
                let ends = windows(&text[range.clone()]);
                assert!(ends.is_sorted() && ends.last() == Some(&range.len()));
            }
        }
    }
}
