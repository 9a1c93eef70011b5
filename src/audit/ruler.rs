//! How much could be kept: the room of a summary beside what remembering its items takes, in bits.
//!
//! The *literal reader* answers "was this among them?" by looking the item up in the summary; its error is half the share of
//! items it misses and half the share of others it takes for one. A *Bloom filter* of the same size, with a whole number of
//! hashes, never misses; no tester without misses can do better than ½·2^(−b) at b bits an item, and no tester at all better
//! than the two-sided floor. One budget serves all families at once, so the room that one family seems to have is shared.
//! A model may guess what the summary does not say: its error cannot be computed here.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;

use flate2::{Compression, GzBuilder};
use serde::{Deserialize, Serialize};

use crate::text::words;

/// Hashes of a Bloom filter that are tried.
const HASHES: u32 = 64;
/// Steps of the search for the two-sided floor.
const GRID: u32 = 4_000;
const HALVINGS: u32 = 80;
/// The runs of words that count as copied.
const COPIED: usize = 5;
/// From this share of copied words on a summary is a selection; up to the other it is written anew.
const SELECTED: f64 = 0.50;
const WRITTEN: f64 = 0.20;

/// What is said beside every ruler.
pub const SAYS: &str = "One budget serves all families at once: what one of them seems to have left is shared. The literal \
                        reader looks items up; a model may guess, and its error is not known.";

/// Half the share of other items that a Bloom filter with a whole number of hashes takes for members.
pub fn bloom(bits: f64, items: f64) -> f64 {
    if bits <= 0.0 || items <= 0.0 {
        return if items <= 0.0 { 0.0 } else { 0.5 };
    }
    let share = |hashes: u32| {
        let hashes = f64::from(hashes);
        (1.0 - (-hashes * items / bits).exp()).powf(hashes)
    };
    0.5 * (1..=HASHES).map(share).fold(1.0, f64::min)
}

/// The least balanced error of a tester that misses no item, at so many bits an item.
pub fn one_sided(bits_per_item: f64) -> f64 {
    0.5 * (-bits_per_item.max(0.0)).exp2()
}

/// The least balanced error of any tester, at so many bits an item.
pub fn two_sided(bits_per_item: f64) -> f64 {
    if bits_per_item <= 0.0 {
        return 0.5;
    }
    let mut least = one_sided(bits_per_item);
    for step in 0..GRID {
        let missed = f64::from(step) / f64::from(GRID) * 0.999;
        let kept = 1.0 - missed;
        let (mut low, mut high) = (1e-300, kept);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if divergence(kept, middle) <= bits_per_item {
                high = middle;
            } else {
                low = middle;
            }
        }
        least = least.min(f64::midpoint(missed, high));
    }
    least
}

/// How far a share is from another, in bits.
fn divergence(share: f64, other: f64) -> f64 {
    let term = |p: f64, q: f64| if p > 0.0 { p * (p / q).log2() } else { 0.0 };
    term(share, other) + term(1.0 - share, 1.0 - other)
}

/// The least balanced error of a list of as many whole items as the bits hold.
pub fn selection(bits: f64, items: f64, bits_of_item: f64) -> f64 {
    if items <= 0.0 || bits_of_item <= 0.0 {
        return 0.0;
    }
    0.5 * (1.0 - (bits / (items * bits_of_item)).min(1.0))
}

/// Bits that a Bloom filter, and at the least any tester without misses, needs for a balanced error.
pub fn bits_for(items: f64, error: f64) -> (f64, f64) {
    let share = (2.0 * error).min(1.0);
    if share <= 0.0 || share >= 1.0 {
        return (0.0, 0.0);
    }
    let floor = items * (1.0 / share).log2();
    (floor / std::f64::consts::LN_2, floor)
}

/// Bits of a text, compressed.
pub fn compressed(text: &str) -> u64 {
    let mut out = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let written = out.write_all(text.as_bytes()).and_then(|()| out.finish());
    written.map_or(0, |bytes| bytes.len() as u64 * 8)
}

/// What a summary is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Copied {
    /// The share of its words in runs of five or more that the range holds too.
    pub share: f64,
    /// The squares of those runs over its words: how long they are.
    pub density: f64,
}

impl Copied {
    /// The word for it.
    pub fn kind(&self) -> &'static str {
        match self.share {
            SELECTED.. => "SELECT-like",
            WRITTEN.. => "mixed",
            _ => "GEN-like",
        }
    }
}

/// Words as the runs of a summary are compared: by their hashes.
#[derive(Debug)]
pub struct Runs {
    words: Vec<u64>,
    /// Where each run of [`COPIED`] words begins.
    starts: HashMap<u64, Vec<u32>>,
    copied: Vec<bool>,
}

impl Runs {
    /// The runs of a summary.
    pub fn new(summary: &str) -> Self {
        let mut words = Vec::new();
        words::each_spoken(summary, |word, _| words.push(hash(word)));
        let mut starts: HashMap<u64, Vec<u32>> = HashMap::new();
        for (at, run) in words.windows(COPIED).enumerate() {
            starts.entry(joined(run)).or_default().push(at as u32);
        }
        let copied = vec![false; words.len()];
        Self { words, starts, copied }
    }

    /// Takes in a text of the range.
    pub fn take(&mut self, text: &str) {
        if self.starts.is_empty() {
            return;
        }
        let mut last = [0u64; COPIED];
        let mut count = 0usize;
        let (starts, copied) = (&self.starts, &mut self.copied);
        words::each_spoken(text, |word, _| {
            last.rotate_left(1);
            last[COPIED - 1] = hash(word);
            count += 1;
            if count >= COPIED
                && let Some(found) = starts.get(&joined(&last))
            {
                for at in found {
                    copied[*at as usize..*at as usize + COPIED].fill(true);
                }
            }
        });
    }

    /// What the summary is made of.
    pub fn copied(&self) -> Copied {
        let all = self.words.len().max(1) as f64;
        let runs = self.copied.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len);
        let (sum, squares) = runs.fold((0, 0), |(sum, squares), run| (sum + run, squares + run * run));
        Copied { share: sum as f64 / all, density: squares as f64 / all }
    }
}

fn hash(word: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    word.bytes().fold(0xcbf2_9ce4_8422_2325, fold)
}

fn joined(run: &[u64]) -> u64 {
    run.iter().fold(0, |all, word| (all.rotate_left(13) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The ruler of one family of items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Family {
    /// Its name.
    pub family: String,
    /// How many different items the range holds.
    pub items: u32,
    /// Bits of the summary for each.
    pub bits_per_item: f64,
    /// The share of items that the summary does not hold.
    pub missed: f64,
    /// The share of strangers that it holds.
    pub taken: f64,
    /// The literal reader's balanced error.
    pub literal: f64,
    /// What a Bloom filter of the same size comes to.
    pub bloom: f64,
    /// The floor without misses.
    pub one_sided: f64,
    /// The floor.
    pub two_sided: f64,
    /// What the best list of whole items comes to.
    pub selection: f64,
    /// Bits for an error of one in a hundred: a Bloom filter's, and the floor without misses.
    pub bits_for: (f64, f64),
}

/// Error that the bits of [`Family::bits_for`] are for.
pub const TARGET: f64 = 0.01;

/// The ruler of a family. `holds` looks an item up; strangers are `members` with one character changed, by `seed`.
pub fn family(
    name: &str,
    members: &BTreeSet<&str>,
    bits: u64,
    seed: u64,
    holds: &dyn Fn(&str) -> bool,
) -> Family {
    let (items, bits) = (members.len() as f64, bits as f64);
    let missed = members.iter().filter(|item| !holds(item)).count() as f64 / items.max(1.0);
    let strangers = strangers(members, seed);
    let taken = strangers.iter().filter(|item| holds(item)).count() as f64 / strangers.len().max(1) as f64;
    let bits_per_item = if items > 0.0 { bits / items } else { 0.0 };
    let size = members.iter().map(|item| item.len() as f64 * 8.0).sum::<f64>() / items.max(1.0);
    Family {
        family: name.to_owned(),
        items: members.len() as u32,
        bits_per_item,
        missed,
        taken,
        literal: 0.5 * (missed + taken),
        bloom: bloom(bits, items),
        one_sided: one_sided(bits_per_item),
        // From four bits an item on the two floors are one.
        two_sided: if bits_per_item < 4.0 { two_sided(bits_per_item) } else { one_sided(bits_per_item) },
        selection: selection(bits, items, size),
        bits_for: bits_for(items, TARGET),
    }
}

/// Strangers at the most.
const STRANGERS: usize = 500;

/// Items that are none of `members`: each is one of them with one character changed.
fn strangers(members: &BTreeSet<&str>, seed: u64) -> BTreeSet<String> {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let all: Vec<&&str> = members.iter().collect();
    let mut state = seed | 1;
    let mut next = |below: usize| {
        // A multiplicative congruential generator; the upper bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let mut out = BTreeSet::new();
    for _ in 0..STRANGERS.min(all.len() * 4) {
        let item = all[next(all.len())];
        let places: Vec<usize> =
            item.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()).map(|(at, _)| at).collect();
        let letter = LETTERS[next(LETTERS.len())] as char;
        let Some(at) = places.get(next(places.len())) else { continue };
        let mut changed = (*item).to_owned();
        changed.replace_range(*at..=*at, letter.encode_utf8(&mut [0; 4]));
        if !members.contains(&*changed) {
            out.insert(changed);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 0.0005
    }

    #[test]
    fn the_published_figures_are_reproduced() {
        // 1,792 characters of summary for 15,000 strings.
        let (bits, items) = (14_336.0, 15_000.0);
        assert!(is(bloom(bits, items), 0.324), "{}", bloom(bits, items));
        assert!(is(one_sided(bits / items), 0.258), "{}", one_sided(bits / items));
        assert!(is(two_sided(bits / items), 0.223), "{}", two_sided(bits / items));
        for (bits, two) in [(0.5, 0.296), (2.0, 0.120)] {
            assert!(is(two_sided(bits), two), "{}", two_sided(bits));
        }
        assert!((two_sided(4.0) - one_sided(4.0)).abs() < 0.001);
        let (bloom, floor) = bits_for(354.0, 0.01);
        assert!(is(bloom / floor, std::f64::consts::LN_2.recip()));
        assert!((bloom - 2_880.0).abs() < 5.0, "{bloom}");
    }

    #[test]
    fn copies_are_runs_of_five_words() {
        let mut runs = Runs::new("one two three four five six and something else of its own entirely");
        runs.take("zero one two three four five six seven");
        assert!(is(runs.copied().share, 6.0 / 13.0));
        assert_eq!(runs.copied().kind(), "mixed");
    }

    #[test]
    fn strangers_are_none_of_the_members_and_always_the_same() {
        let members: BTreeSet<&str> = ["src/a.rs", "src/b.rs", "docs/c.md"].into();
        let found = strangers(&members, 7);
        assert_eq!(found, strangers(&members, 7));
        assert!(!found.is_empty() && found.iter().all(|item| !members.contains(item.as_str())));
    }
}
