//! TF-IDF vectors of messages: sparse, unit length, never computed again once a message is cold.
//!
//! Owns the vocabulary and the weights. What one message costs is bounded: at most [`TERMS`] distinct terms of it are
//! counted, the most frequent ones and among those the first, so that its vector takes 6 KiB at the most (12 bytes a
//! term) and it adds as many terms to the vocabulary at the most. The weights are those of the settings' preset; a
//! question is weighed with what is known now and changes nothing.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use crate::text::terms;

use super::settings::{Preset, Settings, Vectors};

/// Distinct terms of one message that are counted.
pub const TERMS: usize = 512;

/// A sparse vector: terms in ascending order, and their weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    terms: Box<[u32]>,
    weights: Box<[f64]>,
}

impl Vector {
    /// A vector of these terms, in ascending order, and weights.
    pub fn new(terms: Vec<u32>, weights: Vec<f64>) -> Self {
        Self { terms: terms.into(), weights: weights.into() }
    }

    /// Its terms and weights.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        self.terms.iter().copied().zip(self.weights.iter().copied())
    }

    /// How many terms it has.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether it says nothing: the zero vector.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The product with another.
    pub fn dot(&self, other: &Self) -> f64 {
        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
        let mut sum = 0.0;
        while let (Some((a, x)), Some((b, y))) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(left.next()),
                std::cmp::Ordering::Greater => drop(right.next()),
                std::cmp::Ordering::Equal => {
                    sum += x * y;
                    left.next();
                    right.next();
                }
            }
        }
        sum
    }

    /// The product with itself.
    pub fn square(&self) -> f64 {
        self.weights.iter().map(|weight| weight * weight).sum()
    }

    fn normalised(mut self) -> Self {
        let length = self.square().sqrt();
        if length > 0.0 {
            self.weights.iter_mut().for_each(|weight| *weight /= length);
            self
        } else {
            Self::default()
        }
    }
}

/// A message's terms, counted: ascending terms, how often each, and how many there were with those left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Terms and how often each occurs.
    pub terms: Vec<(u32, u32)>,
    /// All occurrences.
    pub total: u32,
}

/// Terms and in how many messages each occurs.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    preset: Preset,
    vectors: Vectors,
    numbers: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    messages_with: Vec<u32>,
    messages: u32,
    /// Fitted: terms that come later are left out.
    sealed: bool,
}

impl Vocabulary {
    /// No message seen.
    pub fn new(settings: &Settings) -> Self {
        Self {
            preset: settings.preset,
            vectors: settings.vectors,
            numbers: HashMap::new(),
            names: Vec::new(),
            messages_with: Vec::new(),
            messages: 0,
            sealed: false,
        }
    }

    /// What a file says: the terms in order, in how many messages each occurs, and how many messages there were.
    pub fn restored(settings: &Settings, terms: Vec<(String, u32)>, messages: u32) -> Self {
        let mut vocabulary = Self::new(settings);
        for (name, with) in terms {
            let number = vocabulary.intern(&name) as usize;
            vocabulary.messages_with[number] = with;
        }
        vocabulary.messages = messages;
        vocabulary.sealed = settings.vectors == Vectors::Fitted;
        vocabulary
    }

    /// Every term in order, with how many messages have it.
    pub fn terms(&self) -> impl Iterator<Item = (&str, u32)> {
        self.names.iter().map(AsRef::as_ref).zip(self.messages_with.iter().copied())
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many messages were seen.
    pub fn messages(&self) -> u32 {
        self.messages
    }

    /// A term's text.
    pub fn name(&self, term: u32) -> &str {
        self.names.get(term as usize).map_or("", AsRef::as_ref)
    }

    fn intern(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.names.len() as u32;
        let name: Arc<str> = term.into();
        self.names.push(Arc::clone(&name));
        self.messages_with.push(0);
        self.numbers.insert(name, number);
        number
    }

    /// Calls `take` with every term of a text.
    fn each(&self, text: &str, take: impl FnMut(&str)) {
        match self.preset {
            Preset::Balanced => terms::each_mixed(text, take),
            Preset::Reference => terms::each_plain(text, take),
        }
    }

    /// Counts all of `texts` before the first message is taken in.
    pub fn fit<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        for text in texts {
            let counts = self.count(text);
            self.add(&counts);
        }
        self.sealed = true;
    }

    /// The terms of a message; those not seen before join the vocabulary, unless that was fitted.
    pub fn count(&mut self, text: &str) -> Counts {
        let mut found: HashMap<Box<str>, (u32, u32)> = HashMap::new();
        let mut total = 0u32;
        self.each(text, |term| {
            total += 1;
            match found.get_mut(term) {
                Some((count, _)) => *count += 1,
                None => drop(found.insert(term.into(), (1, total))),
            }
        });
        let mut found: Vec<(Box<str>, u32, u32)> =
            found.into_iter().map(|(term, (count, first))| (term, count, first)).collect();
        if found.len() > TERMS {
            found.sort_unstable_by_key(|(_, count, first)| (u32::MAX - count, *first));
            found.truncate(TERMS);
        }
        // Terms are numbered in the order in which they were first said.
        found.sort_unstable_by_key(|(_, _, first)| *first);
        let number = |(term, count, _): (Box<str>, u32, u32)| {
            let known = self.numbers.get(&*term).copied();
            let number = if self.sealed { known } else { Some(known.unwrap_or_else(|| self.intern(&term))) };
            Some((number?, count))
        };
        let mut terms: Vec<(u32, u32)> = found.into_iter().filter_map(number).collect();
        terms.sort_unstable();
        Counts { terms, total }
    }

    /// A message of these terms was seen.
    pub fn add(&mut self, counts: &Counts) {
        self.messages += 1;
        for (term, _) in &counts.terms {
            self.messages_with[*term as usize] += 1;
        }
    }

    /// The vector of a message, weighed with what is known now.
    pub fn weigh(&self, counts: &Counts) -> Vector {
        let weigh = |(term, count): &(u32, u32)| {
            let weight = self.weight(*term, *count, counts.total);
            (weight > 0.0).then_some((*term, weight))
        };
        let (terms, weights) = counts.terms.iter().filter_map(weigh).unzip();
        Vector::new(terms, weights).normalised()
    }

    /// The vector of a question: terms that nobody said are left out, and nothing changes.
    pub fn question(&self, text: &str) -> Vector {
        let mut found: HashMap<u32, u32> = HashMap::new();
        let mut total = 0;
        self.each(text, |term| {
            total += 1;
            if let Some(number) = self.numbers.get(term) {
                *found.entry(*number).or_insert(0) += 1;
            }
        });
        let mut terms: Vec<(u32, u32)> = found.into_iter().collect();
        terms.sort_unstable();
        self.weigh(&Counts { terms, total })
    }

    fn weight(&self, term: u32, count: u32, total: u32) -> f64 {
        let (with, messages) = (f64::from(self.messages_with[term as usize]), f64::from(self.messages));
        let count = f64::from(count);
        match (self.preset, self.vectors) {
            (Preset::Balanced, _) => {
                (1.0 + count.ln()) * ((messages - with + 0.5) / (with + 0.5)).ln().max(0.0)
            }
            (Preset::Reference, Vectors::Fitted) => count * (((messages + 1.0) / (with + 1.0)).ln() + 1.0),
            (Preset::Reference, Vectors::Incremental) if with > 0.0 => {
                count / f64::from(total) * (1.0 + messages / with).ln()
            }
            (Preset::Reference, Vectors::Incremental) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_message_has_a_bounded_number_of_terms() {
        let words: Vec<String> = (0..2000).map(|n| format!("w{n}")).collect();
        let text = words.join(" ") + " w1999 w1999";
        let mut vocabulary = Vocabulary::new(&Settings::default());
        let counts = vocabulary.count(&text);
        assert_eq!((counts.terms.len(), vocabulary.len()), (TERMS, TERMS));
        assert!(vocabulary.terms().any(|(name, _)| name == "w1999"), "what is said most stays");
        assert_eq!(counts.total, 2002);
    }

    #[test]
    fn a_question_changes_nothing() {
        let mut vocabulary = Vocabulary::new(&Settings::default());
        for text in ["the port is 5432", "deploy at noon", "lunch at one"] {
            let counts = vocabulary.count(text);
            vocabulary.add(&counts);
        }
        let before: Vec<(String, u32)> = vocabulary.terms().map(|(name, n)| (name.to_owned(), n)).collect();
        let vector = vocabulary.question("Which port, and why not 5433?");
        assert_eq!(vector.iter().map(|(term, _)| vocabulary.name(term)).collect::<Vec<_>>(), ["port"]);
        assert!((vector.square() - 1.0).abs() < 1e-12);
        let after: Vec<(String, u32)> = vocabulary.terms().map(|(name, n)| (name.to_owned(), n)).collect();
        assert_eq!(before, after);
    }
}
