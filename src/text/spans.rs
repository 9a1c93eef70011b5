//! Spans between marks on one line: quotations and code, found without a pattern that counts.

use std::ops::Range;

/// What opens a span, what closes it, and how many characters may stand between.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// Any of these opens it.
    pub open: &'static [char],
    /// Any of these closes it, and none stands inside.
    pub close: &'static [char],
    /// The fewest characters inside.
    pub least: usize,
    /// The most.
    pub most: usize,
}

/// The spans of any of these kinds in `text`, marks included, from left to right without overlap.
pub fn find(text: &str, kinds: &[Marks]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        if at < from {
            continue;
        }
        let mut ends = kinds.iter().filter(|kind| kind.open.contains(&c));
        if let Some(end) = ends.find_map(|kind| end(&text[at + c.len_utf8()..], kind)) {
            from = at + c.len_utf8() + end;
            out.push(at..from);
        }
    }
    out
}

/// What stands between the marks of a span.
pub fn inside(span: &str) -> &str {
    let mut chars = span.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}

/// Where a span ends that was opened just before `rest`.
fn end(rest: &str, kind: &Marks) -> Option<usize> {
    for (count, (at, c)) in rest.char_indices().enumerate() {
        if kind.close.contains(&c) {
            return (count >= kind.least).then_some(at + c.len_utf8());
        }
        if c == '\n' || count == kind.most {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    const KINDS: [Marks; 3] = [
        Marks { open: &['`'], close: &['`'], least: 1, most: usize::MAX },
        Marks { open: &['"'], close: &['"'], least: 2, most: 6 },
        Marks { open: &['“'], close: &['”'], least: 0, most: 6 },
    ];

    proptest! {
        #[test]
        fn spans_are_those_of_a_pattern(text in "[ab`\"“”\n]{0,40}|\\PC{0,40}") {
            let pattern = Regex::new("`[^`\n]+`|\"[^\"\n]{2,6}\"|“[^”\n]{0,6}”").unwrap();
            let expected: Vec<Range<usize>> = pattern.find_iter(&text).map(|found| found.range()).collect();
            assert_eq!(find(&text, &KINDS), expected);
        }
    }

    #[test]
    fn marks_are_no_part_of_what_stands_inside() {
        assert_eq!(inside("“a”"), "a");
        assert_eq!(inside("\""), "");
    }
}
