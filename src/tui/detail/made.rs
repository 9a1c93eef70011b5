//! A summary that was made here, line by line: each leads to the turn that its maker took it from.

use crate::outline::Node;
use crate::session::open::OpenLog;
use crate::summarisers::Summary;
use crate::text::preview;
use crate::text::sentences::Sentence;

use super::super::document::{Block, Body, Tone};

/// A summary line by line under its headings. A line leads to the first of the turns that it was taken from;
/// `being` says which node the line at a place is, where it is one.
pub(super) fn lines(
    log: &OpenLog,
    summary: &Summary,
    sentences: &[Sentence],
    being: &dyn Fn(u32) -> Option<Node>,
) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut section = None;
    for (place, sentence) in (0..).zip(sentences) {
        if section != Some(&sentence.heading) {
            if !sentence.heading.is_empty() {
                blocks.push(Block::runs(format!("── {}", sentence.heading), Vec::new()));
            }
            section = Some(&sentence.heading);
        }
        let turns = summary.turns_of(&sentence.range);
        let words = preview::on_one_line(sentence.text(&summary.text));
        let heading = format!("{words}{}", named(&turns, &words));
        let block = Block::new(heading, Tone::Text, Body::Runs(Vec::new()));
        let block = being(place).into_iter().fold(block, Block::being);
        let first = turns.first().and_then(|number| log.session.numbered(0, *number));
        let block = match first {
            Some(id) => block.leading_to(Node::Turn(id)).at(said(&words)),
            None => block,
        };
        blocks.push(if blocks.is_empty() { block } else { block.close() });
    }
    blocks
}

/// Which of these blocks the sentence at `place` is.
pub(in crate::tui) fn block_of(sentences: &[Sentence], place: usize) -> usize {
    let until = &sentences[..sentences.len().min(place + 1)];
    let begins = |at: usize| at == 0 || until[at - 1].heading != until[at].heading;
    let headings = (0..until.len()).filter(|at| begins(*at) && !until[*at].heading.is_empty());
    place + headings.count()
}

/// A line without its bullet: what stands in the turn.
pub(super) fn said(line: &str) -> &str {
    line.trim_start_matches(['-', '*', '•', ' '])
}

/// The turns of a line, behind it where it does not name them itself.
pub(super) fn named(turns: &[u32], line: &str) -> String {
    /// More are counted.
    const NAMED: usize = 4;
    let itself = turns.iter().all(|turn| line.ends_with(')') && line.contains(&format!("t{turn}")));
    if turns.is_empty() || itself {
        return String::new();
    }
    let names: Vec<String> = turns.iter().take(NAMED).map(|turn| format!("t{turn}")).collect();
    let more = turns.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(" · {}{more}", names.join(", "))
}
