//! What a line's words and names weigh, from the request's own text.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::text::words;

/// A hash with fixed keys: nothing depends on the order of a map, but a run shall cost what the run before it did.
pub type Fixed = BuildHasherDefault<DefaultHasher>;

/// A word's or a name's number.
pub type Term = u32;

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// How often it occurs in lines.
    times: u32,
    /// In how many sources.
    sources: u32,
    /// The source it was seen in last, from 1.
    last: u32,
    /// What a name weighs beside what it would as a word.
    bonus: f64,
}

/// All terms of a request.
#[derive(Debug, Default)]
pub struct Terms {
    numbers: HashMap<Box<str>, Term, Fixed>,
    counts: Vec<Count>,
}

impl Terms {
    fn number(&mut self, word: &str) -> Term {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.fresh();
        self.numbers.insert(word.into(), number);
        number
    }

    /// The number of a term that is no word.
    pub fn fresh(&mut self) -> Term {
        self.counts.push(Count::default());
        self.counts.len() as Term - 1
    }

    /// Appends the stems of a line to `into`.
    pub fn words(&mut self, line: &str, into: &mut Vec<Term>) {
        words::each_stem(line, |word, _| into.push(self.number(word)));
    }

    /// Counts the terms of a line of `source`.
    pub fn count(&mut self, terms: &[Term], source: u32) {
        for term in terms {
            let count = &mut self.counts[*term as usize];
            count.times += 1;
            if count.last != source + 1 {
                count.last = source + 1;
                count.sources += 1;
            }
        }
    }

    /// What a name weighs beside its words.
    pub fn set_bonus(&mut self, term: Term, bonus: f64) {
        self.counts[term as usize].bonus = bonus;
    }

    /// What each term weighs among `sources` sources: TF-IDF, damped; a word that occurs once is as often a slip as it
    /// is telling.
    pub fn weights(&self, sources: usize) -> Vec<f64> {
        let all = sources.max(1) as f64;
        let weight = |count: &Count| {
            if count.bonus > 0.0 {
                return count.bonus;
            }
            let rare = (1.0 + all / f64::from(count.sources.max(1))).ln();
            let often = if count.times > 1 { 1.0 + f64::from(count.times).ln() } else { 0.5 };
            rare * often
        };
        self.counts.iter().map(weight).collect()
    }
}
