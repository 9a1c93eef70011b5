//! What a harness says in a user's place: elements of markup around output, reminders and reports.
//!
//! Owns where such text stands in a prompt. It is told by its form alone: an element whose name joins words
//! (`<system-reminder>`, `<bash-stdout>`) is no person's, wherever it stands; one of a plain name only where it takes up
//! whole lines. An element that never ends is text.

use std::collections::HashMap;
use std::ops::Range;

/// Lines by which a harness notes that a person stopped it, or said nothing.
const NOTES: [&str; 2] = ["[Request interrupted by user", "(no content)"];

/// The elements with joined names, in order.
pub fn tagged(text: &str) -> Vec<Range<usize>> {
    tagged_by(text, &Closings::of(text))
}

fn tagged_by(text: &str, closings: &Closings) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for (open, _) in text.match_indices('<') {
        let name = name(&text[open + 1..]);
        if !name.contains(['-', '_']) || out.last().is_some_and(|last| last.contains(&open)) {
            continue;
        }
        out.extend(closings.behind(name, open).map(|end| open..end));
    }
    out
}

/// All of it that a harness wrote, in order: [`tagged`], elements that take up whole lines, and its notes.
pub fn written(text: &str) -> Vec<Range<usize>> {
    let closings = Closings::of(text);
    let mut tagged = tagged_by(text, &closings).into_iter().peekable();
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (from, to) = (at, at + line.len());
        at = to;
        let start = from + (line.len() - line.trim_start().len());
        let is_inside = |out: &[Range<usize>]| out.last().is_some_and(|last| start < last.end);
        if !is_inside(&out) && tagged.peek().is_none_or(|next| start < next.start) {
            let whole = if NOTES.iter().any(|note| line.trim_start().starts_with(note)) {
                Some(to)
            } else {
                whole_lines(text, start, &closings)
            };
            out.extend(whole.map(|end| start..end));
        }
        while let Some(next) = tagged.next_if(|next| next.start < to) {
            if out.last().is_none_or(|last| last.end <= next.start) {
                out.push(next);
            }
        }
    }
    out
}

/// The end of an element that opens a line at `start` and ends one.
fn whole_lines(text: &str, start: usize, closings: &Closings) -> Option<usize> {
    let rest = text[start..].strip_prefix('<')?;
    let name = name(rest);
    let opens = !name.is_empty() && rest[name.len()..].starts_with(['>', ' ']);
    let end = closings.behind(name, start).filter(|_| opens)?;
    let rest = text[end..].lines().next().unwrap_or_default();
    rest.trim().is_empty().then_some(end)
}

/// Where elements end, by their names: looked through once, whatever a text opens.
struct Closings<'t>(HashMap<&'t str, Vec<usize>>);

impl<'t> Closings<'t> {
    fn of(text: &'t str) -> Self {
        let mut ends: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, opening) in text.match_indices("</") {
            let name = name(&text[at + opening.len()..]);
            let end = at + opening.len() + name.len();
            if text[end..].starts_with('>') {
                ends.entry(name).or_default().push(end + 1);
            }
        }
        Self(ends)
    }

    /// The byte behind the first element `name` that ends behind `open`.
    fn behind(&self, name: &str, open: usize) -> Option<usize> {
        let ends = self.0.get(name)?;
        ends.get(ends.partition_point(|end| *end <= open)).copied()
    }
}

/// The pieces of the text around these stretches of it, which are in order.
pub fn around<'t>(text: &'t str, ranges: &[Range<usize>]) -> impl Iterator<Item = &'t str> {
    let starts = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
    let ends = ranges.iter().map(|range| range.start).chain(std::iter::once(text.len()));
    starts.zip(ends).map(|(start, end)| text.get(start..end).unwrap_or_default())
}

/// The text without these stretches of it, which are in order.
pub fn without(text: &str, ranges: &[Range<usize>]) -> String {
    around(text, ranges).collect()
}

/// The name that an element opens with.
fn name(text: &str) -> &str {
    let ends = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')));
    &text[..ends.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn left(text: &str) -> String {
        without(text, &written(text)).trim().to_owned()
    }

    #[test]
    fn elements_with_joined_names_are_found_anywhere() {
        let outside = |text| without(text, &tagged(text));
        assert_eq!(outside("run it <system-reminder>be\nkind</system-reminder> now"), "run it  now");
        assert_eq!(outside("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"), "");
        assert_eq!(outside("is a < b and <b>bold</b>?"), "is a < b and <b>bold</b>?");
        assert_eq!(outside("<open-tag without end"), "<open-tag without end");
        assert_eq!(outside("<"), "<");
    }

    #[test]
    fn elements_of_plain_names_are_found_where_they_take_up_lines() {
        assert_eq!(left("<stdout>\nfine\n</stdout>\nnow push it"), "now push it");
        assert_eq!(left("use <b>bold</b> here"), "use <b>bold</b> here");
        assert_eq!(left("<b>bold</b> is what I want"), "<b>bold</b> is what I want");
        assert_eq!(left("[Request interrupted by user for tool use]\nno"), "no");
        assert_eq!(left("(no content)"), "");
    }

    proptest! {
        #[test]
        fn ranges_are_in_order_and_apart(text in "[a-z<>/ \n-]{0,80}") {
            let ranges = written(&text);
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?}");
            let _ = without(&text, &ranges);
        }
    }
}
