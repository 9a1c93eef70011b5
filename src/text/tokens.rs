//! The fixed token estimate: character classes in runs.
//!
//! A run of letters counts one token for every seven bytes begun, digits one for three, punctuation one for two,
//! bytes outside ASCII one for three; white space is free. Against `o200k` it is about 8 % high on mixed text.
//! It never changes with the session, so that everything stamped with it is the same however a log arrived; what
//! is fitted to a session is for display only.

const SPACE: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const PUNCTUATION: u8 = 3;
const WIDE: u8 = 4;
const CLASSES: usize = 5;

/// How many bytes of a run of each class share one token (0: none are counted).
const RUN: [u8; CLASSES] = [0, 7, 3, 2, 3];
/// The first automaton state of each class; the states of a class follow one another.
const FIRST: [u8; CLASSES] = [0, 1, 8, 11, 13];
const STATES: usize = 16;
/// Set in a transition that begins a token.
const BEGINS: u8 = 0x80;

const CLASS_OF: [u8; 256] = class_table();
const NEXT: [u8; STATES * 8] = transition_table();

const fn class_table() -> [u8; 256] {
    let mut table = [PUNCTUATION; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = if b >= 0x80 {
            WIDE
        } else if b.is_ascii_alphabetic() {
            LETTER
        } else if b.is_ascii_digit() {
            DIGIT
        } else if b <= b' ' {
            SPACE
        } else {
            PUNCTUATION
        };
        byte += 1;
    }
    table
}

const fn transition_table() -> [u8; STATES * 8] {
    let mut table = [0u8; STATES * 8];
    let mut state = 0;
    while state < STATES {
        let mut class = 0;
        while class < CLASSES {
            let first = FIRST[class];
            let run = RUN[class];
            let inside = run > 0 && state as u8 >= first && (state as u8) < first + run;
            table[state * 8 + class] = if run == 0 {
                0
            } else if inside && (state as u8) + 1 < first + run {
                state as u8 + 1
            } else {
                first | BEGINS
            };
            class += 1;
        }
        state += 1;
    }
    table
}

/// Estimated tokens of `text`: 0 for blank text, at most its length in bytes.
///
/// ```
/// assert_eq!(pentimento::text::tokens::estimate("run the tests"), 3);
/// assert_eq!(pentimento::text::tokens::estimate("internationalisation"), 3);
/// ```
pub fn estimate(text: &str) -> u32 {
    let bytes = text.as_bytes();
    match lanes(bytes) {
        Some(cuts) => count_lanes(bytes, cuts),
        None => count_from(0, bytes).1,
    }
}

/// Texts shorter than this are counted in one go.
const WORTH_LANES: usize = 512;

/// Cuts a long text into four stretches of about the same length, each beginning with white space, so that they can
/// be counted side by side: the automaton alone waits for its last step most of the time.
fn lanes(bytes: &[u8]) -> Option<[usize; 3]> {
    if bytes.len() < WORTH_LANES {
        return None;
    }
    let quarter = bytes.len() / 4;
    let mut cuts = [0; 3];
    for (lane, cut) in cuts.iter_mut().enumerate() {
        let from = quarter * (lane + 1);
        let step = bytes[from..from + quarter / 2].iter().position(|b| CLASS_OF[*b as usize] == SPACE)?;
        *cut = from + step;
    }
    Some(cuts)
}

fn step(state: usize, byte: u8) -> (usize, u32) {
    let next = NEXT[(state << 3 | CLASS_OF[byte as usize] as usize) & (STATES * 8 - 1)];
    ((next & 0x0f) as usize, u32::from(next >> 7))
}

fn count_from(mut state: usize, bytes: &[u8]) -> (usize, u32) {
    let mut count = 0;
    for &byte in bytes {
        let (next, begins) = step(state, byte);
        state = next;
        count += begins;
    }
    (state, count)
}

fn count_lanes(bytes: &[u8], [a, b, c]: [usize; 3]) -> u32 {
    let lanes = [&bytes[..a], &bytes[a..b], &bytes[b..c], &bytes[c..]];
    let common = lanes.iter().map(|lane| lane.len()).min().unwrap_or(0);
    let heads = lanes.map(|lane| &lane[..common]);
    let mut states = [0; 4];
    let mut counts = [0; 4];
    let [first, second, third, fourth] = heads;
    for (((w, x), y), z) in first.iter().zip(second).zip(third).zip(fourth) {
        for (lane, byte) in [*w, *x, *y, *z].into_iter().enumerate() {
            let (next, begins) = step(states[lane], byte);
            states[lane] = next;
            counts[lane] += begins;
        }
    }
    let tails = lanes.iter().zip(states).map(|(lane, state)| count_from(state, &lane[common..]).1);
    counts.iter().sum::<u32>() + tails.sum::<u32>()
}

/// What an image is taken to cost. Providers charge by area, up to about 1,600 tokens for one; the size in
/// pixels is not in the log.
pub const IMAGE: u32 = 1_600;

#[cfg(test)]
mod tests {
    use super::{CLASS_OF, FIRST, RUN, estimate};
    use proptest::prelude::*;

    /// The definition, slowly: for each run of one class, its length divided by the class's share, rounded up.
    fn by_runs(text: &str) -> u32 {
        let mut total = 0;
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let class = CLASS_OF[bytes[at] as usize];
            let end = bytes[at..]
                .iter()
                .position(|b| CLASS_OF[*b as usize] != class)
                .map_or(bytes.len(), |n| at + n);
            let share = u32::from(RUN[class as usize]);
            if share > 0 {
                total += ((end - at) as u32).div_ceil(share);
            }
            at = end;
        }
        total
    }

    #[test]
    fn states_fit_the_table() {
        assert!(FIRST.iter().zip(RUN).all(|(first, run)| first + run <= 16));
    }

    #[test]
    fn known_values() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate(" \n\t"), 0);
        assert_eq!(estimate("a b c"), 3);
        assert_eq!(estimate("12345"), 2);
        assert_eq!(estimate("foo(bar);"), 4);
        assert_eq!(estimate("日本"), 2);
    }

    proptest! {
        #[test]
        fn the_automaton_counts_runs(text in "\\PC*|[a-z0-9 ;é日]{0,60}") {
            prop_assert_eq!(estimate(&text), by_runs(&text));
        }

        #[test]
        fn long_texts_counted_in_lanes_come_out_the_same(text in "([a-z0-9;é日]{0,30}[ \n]){40,120}") {
            prop_assert_eq!(estimate(&text), by_runs(&text));
        }
    }
}
