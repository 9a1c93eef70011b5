//! "All user messages": where a summary says that it lists them, whether it does.
//!
//! A section is declared complete by its heading. Every message that somebody typed in the range is looked for among its
//! sentences; those that are not there are named, and where two neighbours are listed the wrong way round is counted.

use serde::{Deserialize, Serialize};

use crate::lineage::range::{Block, Class as BlockClass};
use crate::text::harness;
use crate::text::sentences::Section;
use crate::text::words;

use super::exact::place;
use super::finding::Place;
use super::said::Said;

/// A listed sentence shares this much of the shorter one as one run of words.
const RUN: f64 = 0.6;
/// Or holds this share of the message's stems.
const SAYS: f64 = 0.6;
/// Words of a message that are compared: a long one is listed by its beginning.
const COMPARED: usize = 200;

/// What became of the messages of a range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Messages that somebody typed, queued ones included.
    pub messages: u32,
    /// Those that are listed.
    pub listed: u32,
    /// Neighbours in the list that stood the other way round.
    pub inversions: u32,
    /// Neighbours that were compared.
    pub neighbours: u32,
    /// The messages that are not listed.
    pub missing: Vec<Place>,
}

impl Listing {
    /// Whether every message is listed.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Checks the list; none where the summary has no such section.
pub fn check(blocks: &[Block], said: &Said) -> Option<Listing> {
    let list: Vec<usize> = (0..said.sentences.len())
        .filter(|place| said.sentences[*place].section == Section::Messages)
        .collect();
    if list.is_empty() {
        return None;
    }
    let mut listing = Listing::default();
    let mut before: Option<usize> = None;
    // What was said again is a message of its own, and listed where a second entry stands.
    let mut taken: Vec<usize> = Vec::new();
    for block in blocks.iter().filter(|block| is_message(block)) {
        listing.messages += 1;
        let found = entry(&block.text, said, &list, &taken);
        let Some(found) = found else {
            listing.missing.push(place(block, &(0..block.text.len())));
            before = None;
            continue;
        };
        listing.listed += 1;
        if let Some(before) = before {
            listing.neighbours += 1;
            listing.inversions += u32::from(found < before);
        }
        taken.push(found);
        before = Some(found);
    }
    Some(listing)
}

/// Whether somebody typed it: not that somebody stopped the agent, which a harness notes in their place.
fn is_message(block: &Block) -> bool {
    let mut written = harness::written(&block.text);
    let begins = block.text.len() - block.text.trim_start().len();
    let all = block.text.trim_end().len();
    block.spot.class == BlockClass::Prompt
        && !block.spot.voice
        && !matches!(written.pop(), Some(note) if note.start <= begins && note.end >= all)
}

/// The entry that lists a message, one that no other took where there is one.
fn entry(message: &str, said: &Said, list: &[usize], taken: &[usize]) -> Option<usize> {
    let mut spoken = words::spoken(message);
    spoken.truncate(COMPARED);
    let mut stems = words::stems(message);
    stems.sort_unstable();
    stems.dedup();
    let scored = list.iter().filter_map(|place| {
        let entry = &said.sentences[*place];
        let (run, _, _) = words::longest_run(&spoken, &entry.words);
        let shorter = spoken.len().min(entry.words.len()).max(1);
        let run_share = run as f64 / shorter as f64;
        let held = stems.iter().filter(|stem| said.with_stem(stem).contains(&(*place as u32))).count();
        let share = held as f64 / stems.len().max(1) as f64;
        let is_entry = run_share >= RUN && (run >= 3 || run == spoken.len()) || share >= SAYS && held >= 2;
        is_entry.then_some((*place, run_share.max(share)))
    });
    let free = |place: &usize| !taken.contains(place);
    scored
        .max_by(|a, b| free(&a.0).cmp(&free(&b.0)).then(a.1.total_cmp(&b.1)).then(b.0.cmp(&a.0)))
        .map(|(place, _)| place)
}
