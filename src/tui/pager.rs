//! Scrolling through a document by rows of the screen, wrapping only what is looked at.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::display;

use super::document::{Document, Line, Runs, Tone};

/// From this width on two texts to compare stand side by side.
const SIDE_BY_SIDE: usize = 60;
/// What stands between them.
const BETWEEN: &str = " │ ";
/// What stands before the second of them where it stands below the first.
const BECAME: &str = "→ ";
/// The signs before a link: chosen, and not.
const LINK: (&str, &str) = ("▸ ", "  ");

/// Where the first row on the screen stands: a line of the document and a row of that line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, before wrapping.
    pub line: usize,
    /// The row of the wrapped line.
    pub row: usize,
}

/// One row of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Runs, safe for the terminal.
    pub runs: Vec<(Tone, String)>,
}

/// Cuts `text` into rows of at most `width` columns, at white space where there is some. Rows are byte ranges; a
/// row after a cut at white space begins with the word. Rows after the first are `hang` columns narrower: they are
/// set in. An empty text is one empty row.
pub fn wrap(text: &str, width: usize, hang: usize) -> Vec<Range<usize>> {
    let whole = width.max(1);
    let mut width = whole;
    let mut rows = Vec::new();
    let (mut start, mut columns) = (0, 0);
    // The byte after the last white space of the row, and the columns before it.
    let mut breakable: Option<(usize, usize)> = None;
    for (at, cluster) in text.grapheme_indices(true) {
        let wide = cluster.width();
        while columns + wide > width && at > start && cluster != " " {
            let (cut, before) = breakable.filter(|(cut, _)| *cut > start).unwrap_or((at, columns));
            rows.push(start..cut);
            start = cut;
            columns -= before;
            breakable = None;
            width = whole.saturating_sub(hang).max(1);
        }
        columns += wide;
        // White space before the first word is no place to break: the word would stand alone on the next row.
        if cluster == " " && !text[start..at].trim_start().is_empty() {
            breakable = Some((at + 1, columns));
        }
    }
    rows.push(start..text.len());
    rows
}

/// The rows of one line of a document.
pub fn rows(line: &Line, width: usize) -> Vec<Row> {
    let runs: Runs = match line {
        Line::Blank => return vec![Row::default()],
        Line::Pair(before, after) => return pair(before, after, width),
        Line::Link(chosen, tone, text) => {
            let (tone, sign) = if *chosen { (Tone::Chosen, LINK.0) } else { (*tone, LINK.1) };
            vec![(tone, format!("{sign}{}", display::safe(text)))]
        }
        Line::Heading(tone, text) => vec![(*tone, display::safe(text).into_owned())],
        Line::Text(text) => vec![(Tone::Text, display::safe(text).into_owned())],
        Line::Fold(text) => vec![(Tone::Warn, text.clone())],
        Line::Runs(runs) => {
            runs.iter().map(|(tone, text)| (*tone, display::safe(text).into_owned())).collect()
        }
    };
    let whole: String = runs.iter().map(|(_, text)| text.as_str()).collect();
    let hang = hang(&whole, width);
    let row = |(number, range): (usize, Range<usize>)| {
        let mut runs = part(&runs, &range);
        if number > 0 && hang > 0 {
            runs.insert(0, (Tone::Text, " ".repeat(hang)));
        }
        Row { runs }
    };
    wrap(&whole, width, hang).into_iter().enumerate().map(row).collect()
}

/// Two texts side by side, or one under the other where there is no room.
fn pair(before: &[(Tone, String)], after: &[(Tone, String)], width: usize) -> Vec<Row> {
    if width < SIDE_BY_SIDE {
        let mut out = rows(&Line::Runs(before), width);
        let mut below = rows(&Line::Runs(after), width.saturating_sub(BECAME.width()));
        for (number, row) in below.iter_mut().enumerate() {
            let sign = if number == 0 { BECAME.to_owned() } else { " ".repeat(BECAME.width()) };
            row.runs.insert(0, (Tone::Dim, sign));
        }
        out.extend(below);
        return out;
    }
    let column = (width - BETWEEN.width()) / 2;
    let (left, right) = (rows(&Line::Runs(before), column), rows(&Line::Runs(after), column));
    let mut right = right.into_iter();
    let height = left.len().max(right.len());
    let mut left = left.into_iter();
    (0..height)
        .map(|_| {
            let mut runs = left.next().unwrap_or_default().runs;
            // A row may end with the space at which it was cut, one column too many.
            if let Some((_, text)) = runs.last_mut() {
                text.truncate(text.trim_end().len());
            }
            let taken: usize = runs.iter().map(|(_, text)| text.width()).sum();
            runs.push((Tone::Dim, format!("{:gap$}{BETWEEN}", "", gap = column.saturating_sub(taken))));
            runs.extend(right.next().unwrap_or_default().runs);
            Row { runs }
        })
        .collect()
}

/// How far the rows after the first are set in: to where the words of the line begin, behind white space and a
/// bullet or number. At most a third of the width.
fn hang(text: &str, width: usize) -> usize {
    let words = text.trim_start_matches(' ');
    let indent = text.len() - words.len();
    let bullet = match words.split_once(' ') {
        Some((mark, _))
            if mark.len() <= 3 && (["-", "*", "•", "+"].contains(&mark) || mark.ends_with(['.', ')'])) =>
        {
            mark.width() + 1
        }
        _ => 0,
    };
    let hang = indent + bullet;
    if hang <= width / 3 { hang } else { 0 }
}

/// The stretch `range` of the runs' joined text, as runs.
fn part(runs: &[(Tone, String)], range: &Range<usize>) -> Vec<(Tone, String)> {
    let mut out = Vec::new();
    let mut at = 0;
    for (tone, text) in runs {
        let (from, to) = (range.start.max(at), range.end.min(at + text.len()));
        if from < to {
            out.push((*tone, text[from - at..to - at].to_owned()));
        }
        at += text.len();
    }
    out
}

fn height(document: &Document, line: usize, width: usize) -> usize {
    document.line(line).map_or(0, |(line, _)| rows(&line, width).len())
}

/// The place `by` rows further down (or up) from `from`, not past the ends.
pub fn moved(document: &Document, from: Place, by: isize, width: usize) -> Place {
    let mut place = from;
    if by >= 0 {
        for _ in 0..by {
            if place.row + 1 < height(document, place.line, width) {
                place.row += 1;
            } else if place.line + 1 < document.len() {
                place = Place { line: place.line + 1, row: 0 };
            } else {
                break;
            }
        }
    } else {
        for _ in 0..by.unsigned_abs() {
            if place.row > 0 {
                place.row -= 1;
            } else if place.line > 0 {
                let line = place.line - 1;
                place = Place { line, row: height(document, line, width).saturating_sub(1) };
            } else {
                break;
            }
        }
    }
    place
}

/// The lowest place at which the last row of the document still stands at the bottom of the screen.
pub fn bottom(document: &Document, width: usize, screen: usize) -> Place {
    let Some(line) = document.len().checked_sub(1) else { return Place::default() };
    let last = Place { line, row: height(document, line, width).saturating_sub(1) };
    moved(document, last, 1 - screen.max(1) as isize, width)
}

/// The rows on a screen of `screen` rows from `from` on, each with its line's number.
pub fn visible(document: &Document, from: Place, width: usize, screen: usize) -> Vec<(usize, Row)> {
    let mut out = Vec::with_capacity(screen);
    let mut place = from;
    while out.len() < screen {
        let Some((line, _)) = document.line(place.line) else { break };
        let rows = rows(&line, width).into_iter().skip(place.row);
        out.extend(rows.take(screen - out.len()).map(|row| (place.line, row)));
        place = Place { line: place.line + 1, row: 0 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrapped(text: &str, width: usize) -> Vec<&str> {
        wrap(text, width, 0).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrapped("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
        assert_eq!(wrapped("ab cdefgh", 5), ["ab ", "cdefg", "h"]);
    }

    #[test]
    fn rows_after_the_first_are_set_in_behind_a_bullet() {
        let text = Line::Text("  - one two three");
        let rows: Vec<String> = rows(&text, 13)
            .into_iter()
            .map(|row| row.runs.into_iter().map(|(_, text)| text).collect())
            .collect();
        assert_eq!(rows, ["  - one two ", "    three"]);
    }

    proptest! {
        #[test]
        fn rows_join_to_the_text_and_none_is_too_wide(text in "[a-z é日😀]{0,80}", width in 2usize..20) {
            let rows = wrapped(&text, width);
            prop_assert_eq!(rows.concat(), text.clone());
            for row in rows {
                prop_assert!(row.trim_end().width() <= width, "{row:?} in {width}");
            }
        }
    }
}
