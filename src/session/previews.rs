//! The first words of turns, one behind the other: a text of its own for each would cost more than its words.
//!
//! All but the newest are compressed, a block of neighbours at a time. Who looks at one of them most often looks at its
//! neighbours next, so the last blocks that were unpacked are kept.

use std::sync::{Mutex, PoisonError};

/// Bytes of words that are compressed together, or a few more.
const BLOCK: usize = 32 << 10;
/// Blocks of the newest words that are not compressed.
const NEWEST: usize = 2;
/// Unpacked blocks that are kept: what a screen shows stands in one or two of them.
const KEPT: usize = 4;
/// How hard zstd tries: words that are compressed while a log is read are to cost little of that.
const LEVEL: i32 = 1;

/// Where a turn's first words are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Preview {
    pub(super) begin: u32,
    pub(super) length: u16,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Previews {
    packed: Vec<Block>,
    /// The newest.
    open: String,
    /// Where these begin.
    begin: usize,
    unpacked: Mutex<Vec<(usize, String)>>,
}

#[derive(Debug)]
struct Block {
    begin: usize,
    /// Its words as they are, where they did not get shorter.
    plain: bool,
    bytes: Box<[u8]>,
}

impl Previews {
    /// Keeps `words`: they are few ([`crate::text::preview::LENGTH`] characters). Behind four gigabytes of them, which
    /// some hundred million turns have, turns show none.
    pub(super) fn add(&mut self, words: &str) -> Preview {
        let begin = self.begin + self.open.len();
        let place = u32::try_from(begin).ok().zip(u16::try_from(words.len()).ok());
        let Some((begin, length)) = place else { return Preview::default() };
        if self.open.len() >= (NEWEST + 1) * BLOCK {
            self.pack();
        }
        self.open.push_str(words);
        Preview { begin, length }
    }

    /// Compresses the oldest of those that are not. Words are cut where no character is; who asks for some that stand in
    /// two blocks gets both.
    fn pack(&mut self) {
        let cut = self.open.floor_char_boundary(BLOCK);
        let words = &self.open.as_bytes()[..cut];
        let packed = zstd::bulk::compress(words, LEVEL).ok().filter(|packed| packed.len() < cut);
        let plain = packed.is_none();
        let bytes = packed.unwrap_or_else(|| words.to_vec()).into_boxed_slice();
        self.packed.push(Block { begin: self.begin, plain, bytes });
        self.begin += cut;
        self.open.drain(..cut);
    }

    /// The words there.
    pub(super) fn get(&self, at: Preview) -> String {
        let (begin, end) = (at.begin as usize, at.begin as usize + usize::from(at.length));
        let mut words = String::with_capacity(usize::from(at.length));
        let first = self.packed.partition_point(|block| block.begin <= begin).saturating_sub(1);
        for (index, block) in
            self.packed.iter().enumerate().skip(first).take_while(|(_, block)| block.begin < end)
        {
            let to = end.min(self.packed.get(index + 1).map_or(self.begin, |next| next.begin));
            let from = begin.max(block.begin);
            if from < to {
                self.copy(index, from - block.begin..to - block.begin, &mut words);
            }
        }
        if end > self.begin {
            let within = begin.max(self.begin) - self.begin..end - self.begin;
            words.push_str(self.open.get(within).unwrap_or_default());
        }
        words
    }

    /// Appends what stands at `range` in a block to `words`.
    fn copy(&self, index: usize, range: std::ops::Range<usize>, words: &mut String) {
        let mut unpacked = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        match unpacked.iter().position(|(known, _)| *known == index) {
            Some(at) => unpacked[..=at].rotate_right(1),
            None => {
                unpacked.truncate(KEPT - 1);
                unpacked.insert(0, (index, self.packed[index].text()));
            }
        }
        words.push_str(unpacked[0].1.get(range).unwrap_or_default());
    }
}

impl Block {
    fn text(&self) -> String {
        let bytes = if self.plain { None } else { zstd::bulk::decompress(&self.bytes, 2 * BLOCK).ok() };
        String::from_utf8(bytes.unwrap_or_else(|| self.bytes.to_vec())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_come_back_wherever_they_stand(
            words in prop::collection::vec("[a-zé日]{0,40}|[ab ]{200,380}", 0..900),
            asked in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        ) {
            let mut previews = Previews::default();
            let places: Vec<Preview> = words.iter().map(|words| previews.add(words)).collect();
            for at in asked {
                prop_assume!(!words.is_empty());
                let at = at.index(words.len());
                prop_assert_eq!(&previews.get(places[at]), &words[at]);
            }
            for (place, words) in places.iter().zip(&words) {
                prop_assert_eq!(&previews.get(*place), words);
            }
        }
    }

    #[test]
    fn old_words_take_less() {
        let mut previews = Previews::default();
        for number in 0..20_000 {
            previews.add(&format!("The tests of module {number} pass."));
        }
        let packed: usize = previews.packed.iter().map(|block| block.bytes.len()).sum();
        assert!(previews.open.len() <= (NEWEST + 2) * BLOCK && packed * 2 < previews.begin, "{packed}");
    }
}
