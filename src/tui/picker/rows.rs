//! Which rows the list has: sub-agents under their sessions, and what the filter lets through.

use std::collections::HashSet;

use memchr::memmem::Finder;

use crate::discover::{Catalogue, Listed, SessionNo};

/// A session's place in the order of the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    no: SessionNo,
    depth: u16,
    /// The line it stands under.
    above: Option<usize>,
}

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its session.
    pub no: SessionNo,
    /// How many sessions it stands under.
    pub depth: u16,
    /// How many stand under it.
    pub below: usize,
    /// They are shown.
    pub open: bool,
    /// It is here only for what stands under it.
    pub bystander: bool,
}

/// Every session in order, newest first, each followed by those under it.
pub(super) fn lines(catalogue: &Catalogue) -> Vec<Line> {
    let mut lines = Vec::with_capacity(catalogue.len());
    for root in catalogue.roots() {
        let mut waiting = vec![(root, 0, None)];
        while let Some((no, depth, above)) = waiting.pop() {
            let line = lines.len();
            lines.push(Line { no, depth, above });
            let below = catalogue.children(no).into_iter().rev();
            waiting.extend(below.map(|child| (child, depth + 1, Some(line))));
        }
    }
    lines
}

/// What the filter looks at of each session, by its number: title, project, agent and path.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<Text>);

#[derive(Debug, Default)]
struct Text {
    exact: String,
    lower: String,
}

impl Texts {
    /// Takes note of what `session` is called now. Whether that changed.
    pub(super) fn set(&mut self, no: SessionNo, session: &Listed) -> bool {
        let at = no.0 as usize;
        if self.0.len() <= at {
            self.0.resize_with(at + 1, Text::default);
        }
        let project = session.project().unwrap_or_default();
        let exact = [
            session.title().unwrap_or_default(),
            &project,
            session.agent().unwrap_or_default(),
            &session.path.to_string_lossy(),
        ]
        .join("\n");
        let changed = self.0[at].exact != exact;
        if changed {
            self.0[at] = Text { lower: exact.to_lowercase(), exact };
        }
        changed
    }
}

/// A filter: every word must occur; a word with a capital occurs as it is written, any other in whatever case.
struct Words<'a>(Vec<(Finder<'a>, bool)>);

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let word = |word: &'a str| (Finder::new(word), word.chars().any(char::is_uppercase));
        Self(text.split_whitespace().map(word).collect())
    }

    fn match_text(&self, text: &Text) -> bool {
        self.0.iter().all(|(word, exact)| {
            let text = if *exact { &text.exact } else { &text.lower };
            word.find(text.as_bytes()).is_some()
        })
    }
}

/// The rows of `lines` that `filter` lets through. Without a filter, those whose sessions are all in `open`. With
/// one, also every session that matches under one that does not: that one is then a bystander.
pub(super) fn rows(lines: &[Line], texts: &Texts, filter: &str, open: &HashSet<SessionNo>) -> Vec<Row> {
    let words = Words::new(filter);
    let filtered = !words.0.is_empty();
    let matches: Vec<bool> = lines
        .iter()
        .map(|line| !filtered || texts.0.get(line.no.0 as usize).is_some_and(|text| words.match_text(text)))
        .collect();
    let (mut wanted, mut below) = (matches.clone(), vec![0; lines.len()]);
    for at in (0..lines.len()).rev() {
        if let Some(above) = lines[at].above {
            below[above] += usize::from(wanted[at]);
            wanted[above] |= wanted[at];
        }
    }
    let mut shown = vec![false; lines.len()];
    let mut unfolded = vec![false; lines.len()];
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let opened = open.contains(&line.no);
        unfolded[at] = opened || (filtered && !matches[at]);
        shown[at] = wanted[at] && line.above.is_none_or(|above| shown[above] && unfolded[above]);
        if shown[at] {
            rows.push(Row {
                no: line.no,
                depth: line.depth,
                below: below[at],
                open: unfolded[at] && below[at] > 0,
                bystander: !matches[at],
            });
        }
    }
    rows
}
