//! What holds for the blocks of a range whatever sentence is asked: prompts as plain text, files, what edits add.

use std::collections::HashMap;
use std::sync::OnceLock;

use memchr::memmem;

use super::asked::{fold, plain};
use super::class::Class;
use super::index::{Index, Word};
use super::range::Block;

/// What is known of a range's blocks.
#[derive(Debug, Default)]
pub struct Ground {
    /// The prompts, as [`plain`] text, by their places.
    pub(super) plain_prompts: Vec<(usize, String)>,
    /// The different paths, and each block's.
    pub(super) paths: Vec<String>,
    pub(super) path_of: Vec<Option<usize>>,
    /// The first block that changes each path.
    pub(super) first_change: Vec<Option<usize>>,
    /// Of an edit: words of the new text that the old one does not hold.
    pub(super) new_words: Vec<Option<Vec<Word>>>,
    /// The prompt that each block answers to, itself for a prompt.
    pub(super) prompt_of: Vec<Option<usize>>,
    /// How long each block is, as a feature.
    pub(super) length: Vec<f64>,
    pub(super) last_todo: Option<usize>,
    /// Made when the first literal is looked for.
    folded: OnceLock<Folded>,
}

/// All blocks as one text with single spaces, a line each.
#[derive(Debug)]
struct Folded {
    text: String,
    /// Where each block ends.
    ends: Vec<usize>,
}

impl Ground {
    /// Looks at all blocks once.
    pub fn new(blocks: &[Block], index: &Index) -> Self {
        let mut ground = Self::default();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut prompt = None;
        for (place, block) in blocks.iter().enumerate() {
            if block.spot.class == Class::Prompt {
                ground.plain_prompts.push((place, plain(&block.text)));
                if !block.spot.voice {
                    prompt = Some(place);
                }
            }
            ground.prompt_of.push(prompt);
            let path = (!block.path.is_empty()).then(|| {
                *places.entry(&block.path).or_insert_with(|| {
                    ground.paths.push(block.path.clone());
                    ground.first_change.push(None);
                    ground.paths.len() - 1
                })
            });
            ground.path_of.push(path);
            if let Some(path) = path.filter(|_| block.spot.class == Class::Change) {
                ground.first_change[path].get_or_insert(place);
            }
            ground.new_words.push(new_words(block, index));
            ground.length.push((1.0 + index.of_block[place].len() as f64).ln());
        }
        ground.last_todo = blocks.iter().rposition(|block| block.spot.class == Class::Todo);
        ground
    }

    /// The prompt at `place` as plain text.
    pub(super) fn plain_prompt(&self, place: usize) -> Option<&str> {
        let at = self.plain_prompts.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        Some(&self.plain_prompts[at].1)
    }

    /// The share of `literals` that each block holds, weighed by how few hold them; none where there are none.
    pub(super) fn literals(&self, blocks: &[Block], literals: &[String]) -> Option<Vec<f64>> {
        if literals.is_empty() {
            return None;
        }
        let folded = self.folded.get_or_init(|| Folded::new(blocks));
        let mut shares = vec![0.0; blocks.len()];
        let mut total = 0.0;
        for literal in literals {
            let holds = folded.holding(literal);
            let weight = (1.0 + blocks.len() as f64 / holds.len().max(1) as f64).ln();
            total += weight;
            for block in holds {
                shares[block] += weight;
            }
        }
        for share in &mut shares {
            *share /= total;
        }
        Some(shares)
    }
}

fn new_words(block: &Block, index: &Index) -> Option<Vec<Word>> {
    let (old, new) = block.edit.as_ref()?;
    let old = index.query(&block.text[old.clone()]).known;
    let mut new = index.query(&block.text[new.clone()]).known;
    new.retain(|word| old.binary_search(word).is_err());
    Some(new)
}

impl Folded {
    fn new(blocks: &[Block]) -> Self {
        let mut text = String::with_capacity(blocks.iter().map(|block| block.text.len() + 1).sum());
        let ends = blocks.iter().map(|block| {
            fold(&block.text, &mut text);
            // Nothing that is looked for holds a line break, so nothing is found across two blocks.
            text.push('\n');
            text.len()
        });
        let ends = ends.collect();
        Self { text, ends }
    }

    /// The blocks that hold `literal`, in order.
    fn holding(&self, literal: &str) -> Vec<usize> {
        let finder = memmem::Finder::new(literal.as_bytes());
        let (mut out, mut from) = (Vec::new(), 0);
        while let Some(at) = finder.find(&self.text.as_bytes()[from..]) {
            let block = self.ends.partition_point(|end| *end <= from + at);
            out.push(block);
            from = self.ends[block];
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_block_by_block() {
        let text = "a b\nc\n\nc d\n\n".to_owned();
        let folded = Folded { ends: vec![4, 6, 7, 11, 12], text };
        assert_eq!(folded.holding("c"), [1, 3]);
        assert_eq!(folded.holding("a b"), [0]);
        assert!(folded.holding("b c").is_empty());
    }
}
