//! What the detail pane shows of a node: headed blocks of text, cut into lines before anything is wrapped.
//!
//! A line here is at most [`PIECE`] bytes of log text, whatever the log calls a line, so that a line of 60 MB is
//! cut once and never wrapped whole. Long blocks are folded to their first lines with their size. A block may lead
//! somewhere: then its heading is a link, and one of the links is the chosen one.

use std::ops::Range;
use std::sync::Arc;

use crate::outline::Node;
use crate::session::text::LocatedText;

/// Longest piece of text that is wrapped at once, in bytes.
pub const PIECE: usize = 4096;
/// Blocks of more pieces than this are folded.
const FOLD_OVER: usize = 60;
/// Pieces a folded block shows.
const FOLDED: usize = 20;

/// The role a text plays: what it is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Plain.
    Text,
    /// Less important.
    Dim,
    /// A heading.
    Heading,
    /// A person's.
    User,
    /// The model's.
    Assistant,
    /// A tool's.
    Tool,
    /// A summary's.
    Summary,
    /// To watch for.
    Warn,
    /// New words.
    Added,
    /// Words that are gone.
    Removed,
    /// Words that both texts hold.
    Shared,
    /// The link that a key follows.
    Chosen,
}

/// A text with its heading.
#[derive(Clone, Debug)]
pub struct Block {
    /// A line above it; empty for none.
    pub heading: String,
    /// How the heading is drawn.
    pub tone: Tone,
    /// The text.
    pub body: Body,
    /// Where its heading leads.
    pub link: Option<Node>,
    /// The words that are to be seen there.
    pub words: Option<String>,
    /// What it is itself, where that is a node of its own: a line of a summary.
    pub is: Option<Node>,
    /// It stands right under the block before.
    pub close: bool,
    folded: bool,
    pieces: Vec<Range<usize>>,
    /// Of what a fold hides: it begins within a line, and how many lines begin in it.
    hidden: (bool, usize),
}

/// A text, or a share in one that is kept elsewhere: a text of 60 MB is not copied for every frame.
#[derive(Clone, Debug)]
pub enum Words {
    /// Its own.
    Own(String),
    /// One of a turn's.
    OfTurn(Arc<Vec<LocatedText>>, usize),
    /// A record's.
    OfRecord(Arc<str>),
}

impl Words {
    fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::OfTurn(texts, index) => texts.get(*index).map_or("", |located| &located.text.text),
            Self::OfRecord(text) => text,
        }
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self::Own(text)
    }
}

/// A block's text.
#[derive(Clone, Debug)]
pub enum Body {
    /// As it stands in the log.
    Text(Words),
    /// Lines of differently drawn runs.
    Runs(Vec<Runs>),
    /// Two texts to compare: side by side where there is room, else one under the other; and lines below them.
    Pair(Runs, Runs, Vec<Runs>),
}

/// Differently drawn runs of one line.
pub type Runs = Vec<(Tone, String)>;

impl Block {
    /// A block of log text, folded where it is long.
    pub fn text(heading: String, tone: Tone, text: impl Into<Words>) -> Self {
        let text = text.into();
        let pieces = cut(text.as_str());
        let folded = pieces.len() > FOLD_OVER;
        let begins = |piece: &Range<usize>| piece.start == 0 || text.as_str()[..piece.start].ends_with('\n');
        let rest = pieces.get(FOLDED..).unwrap_or_default();
        let inside = rest.first().is_some_and(|first| !begins(first));
        let hidden = (inside, rest.iter().filter(|piece| begins(piece)).count());
        Self { folded, pieces, hidden, ..Self::new(heading, tone, Body::Text(text)) }
    }

    /// A block that is never folded.
    pub fn whole(heading: String, tone: Tone, text: impl Into<Words>) -> Self {
        let mut block = Self::text(heading, tone, text);
        block.folded = false;
        block
    }

    /// A block of drawn runs.
    pub fn runs(heading: String, lines: Vec<Runs>) -> Self {
        Self::new(heading, Tone::Heading, Body::Runs(lines))
    }

    /// A block that is never folded and leads nowhere.
    pub fn new(heading: String, tone: Tone, body: Body) -> Self {
        Self {
            heading,
            tone,
            body,
            link: None,
            words: None,
            is: None,
            close: false,
            folded: false,
            pieces: Vec::new(),
            hidden: (false, 0),
        }
    }

    /// The same, leading to `node`.
    pub fn leading_to(self, node: Node) -> Self {
        Self { link: Some(node), ..self }
    }

    /// The same, to be seen at these words of it.
    pub fn at(self, words: &str) -> Self {
        Self { words: Some(words.to_owned()), ..self }
    }

    /// The same, being `node` itself.
    pub fn being(self, node: Node) -> Self {
        Self { is: Some(node), ..self }
    }

    /// The same without a blank line before it.
    pub fn close(self) -> Self {
        Self { close: true, ..self }
    }

    /// Whether keys can be about it.
    fn can_be_chosen(&self) -> bool {
        self.link.is_some() || self.is.is_some()
    }

    /// Lines before the text.
    fn above(&self) -> usize {
        usize::from(!self.close) + usize::from(!self.heading.is_empty())
    }

    fn lines(&self) -> usize {
        match &self.body {
            Body::Text(_) if self.folded => FOLDED + 1,
            Body::Text(_) => self.pieces.len(),
            Body::Runs(lines) => lines.len(),
            Body::Pair(_, _, below) => 1 + below.len(),
        }
    }
}

/// The lines of `text`, those over [`PIECE`] bytes cut between characters.
fn cut(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let mut stop = at + line.trim_end_matches(['\n', '\r']).len();
        let mut from = at;
        while stop - from > PIECE {
            let step = text[from..stop].floor_char_boundary(PIECE);
            pieces.push(from..from + step);
            from += step;
        }
        stop = stop.max(from);
        pieces.push(from..stop);
        at = end;
    }
    while pieces.last().is_some_and(|last| text[last.clone()].trim().is_empty()) && pieces.len() > 1 {
        pieces.pop();
    }
    pieces
}

/// One line to wrap and draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A heading.
    Heading(Tone, &'a str),
    /// A heading that leads somewhere, and whether it is the chosen one.
    Link(bool, Tone, &'a str),
    /// Two texts to compare.
    Pair(&'a [(Tone, String)], &'a [(Tone, String)]),
    /// A piece of log text, still raw.
    Text(&'a str),
    /// Drawn runs.
    Runs(&'a [(Tone, String)]),
    /// What a fold hides.
    Fold(String),
    /// Nothing.
    Blank,
}

/// Everything the pane shows of one node.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The pane's title.
    pub title: String,
    /// What is known at a glance.
    pub facts: Vec<(Tone, String)>,
    /// The texts.
    pub blocks: Vec<Block>,
    /// Texts are still being read: it is to be made anew.
    pub pending: bool,
    /// The block whose link is chosen.
    pub chosen: Option<usize>,
    /// The line that somebody came for.
    pub sought: Option<usize>,
}

impl Document {
    /// How many lines there are, before wrapping.
    pub fn len(&self) -> usize {
        self.facts.len() + self.blocks.iter().map(|block| block.above() + block.lines()).sum::<usize>()
    }

    /// The blocks that can be chosen, since they lead somewhere or are something themselves, each with the line of its
    /// heading.
    pub fn links(&self) -> Vec<(usize, usize)> {
        let mut line = self.facts.len();
        let mut links = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            if block.can_be_chosen() {
                links.push((number, line + usize::from(!block.close)));
            }
            line += block.above() + block.lines();
        }
        links
    }

    /// Where the chosen link leads.
    pub fn target(&self) -> Option<(Node, Option<String>)> {
        let block = self.blocks.get(self.chosen?)?;
        Some((block.link?, block.words.clone()))
    }

    /// What the chosen block is itself.
    pub fn chosen_line(&self) -> Option<Node> {
        self.blocks.get(self.chosen?)?.is
    }

    /// The line at `index`, and the block it belongs to.
    pub fn line(&self, index: usize) -> Option<(Line<'_>, Option<usize>)> {
        if let Some((tone, fact)) = self.facts.get(index) {
            return Some((Line::Heading(*tone, fact), None));
        }
        let mut left = index - self.facts.len();
        for (number, block) in self.blocks.iter().enumerate() {
            if !block.close {
                if left == 0 {
                    return Some((Line::Blank, Some(number)));
                }
                left -= 1;
            }
            if !block.heading.is_empty() {
                if left == 0 {
                    let line = if block.can_be_chosen() {
                        Line::Link(self.chosen == Some(number), block.tone, &block.heading)
                    } else {
                        Line::Heading(block.tone, &block.heading)
                    };
                    return Some((line, Some(number)));
                }
                left -= 1;
            }
            if left < block.lines() {
                return Some((line_of(block, left), Some(number)));
            }
            left -= block.lines();
        }
        None
    }

    /// Folds or unfolds the first long block at or after line `index`. False: there is none.
    pub fn toggle_fold(&mut self, index: usize) -> bool {
        let from = self.line(index).and_then(|(_, block)| block).unwrap_or(0);
        let long = self.blocks.iter_mut().skip(from).find(|block| block.pieces.len() > FOLD_OVER);
        let Some(block) = long else { return false };
        block.folded = !block.folded;
        true
    }

    /// Unfolds everything: a search looks into it.
    pub fn unfold(&mut self) {
        for block in &mut self.blocks {
            block.folded = false;
        }
    }

    /// All texts, for copying.
    pub fn plain(&self) -> String {
        let texts = self.blocks.iter().map(|block| match &block.body {
            Body::Text(text) => text.as_str().to_owned(),
            Body::Runs(lines) => lines.iter().map(|runs| joined(runs)).collect::<Vec<_>>().join("\n"),
            Body::Pair(before, after, below) => {
                let lines = [before, after].into_iter().chain(below);
                lines.map(|runs| joined(runs)).collect::<Vec<_>>().join("\n")
            }
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

fn joined(runs: &[(Tone, String)]) -> String {
    runs.iter().map(|(_, text)| text.as_str()).collect()
}

fn line_of(block: &Block, index: usize) -> Line<'_> {
    match &block.body {
        Body::Runs(lines) => Line::Runs(&lines[index]),
        Body::Pair(before, after, _) if index == 0 => Line::Pair(before, after),
        Body::Pair(_, _, below) => Line::Runs(&below[index - 1]),
        Body::Text(text) if block.folded && index == FOLDED => {
            let from = block.pieces[FOLDED].start;
            let size = crate::text::numbers::bytes((text.as_str().len() - from) as u64);
            let lines = crate::text::numbers::count(block.hidden.1 as u64, "line");
            let what = match block.hidden {
                (true, 0) => "the rest of this line".to_owned(),
                (true, _) => format!("the rest of this line and {lines} more"),
                (false, _) => format!("{lines} more"),
            };
            Line::Fold(format!("… {what}, {size} · Enter unfolds"))
        }
        Body::Text(text) => Line::Text(&text.as_str()[block.pieces[index].clone()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(document: &Document) -> Vec<String> {
        (0..document.len())
            .map(|index| match document.line(index).unwrap().0 {
                Line::Heading(_, text) | Line::Link(_, _, text) => format!("# {text}"),
                Line::Text(text) => text.to_owned(),
                Line::Fold(text) => text,
                Line::Runs(_) | Line::Pair(..) => "runs".into(),
                Line::Blank => String::new(),
            })
            .collect()
    }

    #[test]
    fn facts_headings_and_lines_follow_one_another() {
        let block = Block::text("call".into(), Tone::Tool, "a\nb\n\n".to_owned());
        let facts = vec![(Tone::Dim, "facts".into())];
        let document = Document { facts, blocks: vec![block], ..Document::default() };
        assert_eq!(shown(&document), ["# facts", "", "# call", "a", "b"]);
        assert!(document.line(document.len()).is_none());
    }

    #[test]
    fn long_blocks_are_folded_with_their_size_and_unfold() {
        let text = "line\n".repeat(100);
        let mut document =
            Document { blocks: vec![Block::text(String::new(), Tone::Text, text)], ..Document::default() };
        assert_eq!(document.len(), 1 + 21);
        assert_eq!(shown(&document)[21], "… 80 lines more, 400 B · Enter unfolds");
        assert!(document.toggle_fold(0));
        assert_eq!(document.len(), 1 + 100);
    }

    #[test]
    fn a_fold_counts_lines_of_the_text() {
        for (text, fold) in [
            ("x".repeat(PIECE * 70), "… the rest of this line, 200 KiB · Enter unfolds"),
            (
                format!("{}\nb\nc\n", "x".repeat(PIECE * 70)),
                "… the rest of this line and 2 lines more, 200 KiB · Enter unfolds",
            ),
            (
                format!("{}{}", "a\n".repeat(20), "x".repeat(PIECE * 70)),
                "… 1 line more, 280 KiB · Enter unfolds",
            ),
        ] {
            let block = Block::text(String::new(), Tone::Text, text);
            let document = Document { blocks: vec![block], ..Document::default() };
            assert_eq!(shown(&document).last().unwrap(), fold);
        }
    }

    #[test]
    fn a_line_of_megabytes_is_cut_before_it_is_wrapped() {
        let text = "é".repeat(3_000_000);
        let pieces = cut(&text);
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(pieces.iter().map(ExactSizeIterator::len).sum::<usize>(), text.len());
    }
}
