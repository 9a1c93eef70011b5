//! How the lexicon's words are found in a text: phrases as whole words in any case, and rules as patterns.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use super::LexiconError;

/// A pattern for any case, compiled when it is first asked.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) fn new(text: String) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// The pattern; none where it is no regular expression, which [`Pattern::check`] tells.
    pub(super) fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.text).ok()).as_ref()
    }

    pub(super) fn check(&self) -> Result<(), LexiconError> {
        compile(&self.text).map(drop).map_err(|error| LexiconError::Pattern(error.to_string()))
    }

    /// Whether it is found in `text`.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.get().is_some_and(|pattern| pattern.is_match(text))
    }
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).build()
}

/// A set of phrases, matched as whole words in any case.
#[derive(Debug, Default)]
pub struct Phrases(Option<Pattern>);

impl Phrases {
    pub(super) fn new(phrases: &[String]) -> Self {
        // Longest first: alternatives are tried in order.
        let mut sorted: Vec<String> = phrases.iter().flat_map(|phrase| written_out(phrase)).collect();
        sorted.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        sorted.dedup();
        if sorted.is_empty() {
            return Self(None);
        }
        let alternatives: Vec<String> = sorted.iter().map(|phrase| spelled(phrase)).collect();
        Self(Some(Pattern::new(format!("(?:{})", alternatives.join("|")))))
    }

    pub(super) fn check(&self) -> Result<(), LexiconError> {
        self.0.as_ref().map_or(Ok(()), Pattern::check)
    }

    /// Where the phrases stand in `text`, from left to right.
    pub fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = std::ops::Range<usize>> + 't {
        let pattern = self.0.as_ref().and_then(Pattern::get);
        let found = pattern.into_iter().flat_map(move |regex| regex.find_iter(text));
        found.map(|found| found.range()).filter(move |range| stands_free(text, range))
    }

    /// Whether any of them stands in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        self.find(text).next().is_some()
    }

    /// Whether `text` begins with one of them, marks aside.
    pub fn opens(&self, text: &str) -> bool {
        let from = text.len() - text.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        self.find(text).next().is_some_and(|range| range.start == from)
    }
}

fn stands_free(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    !before.is_some_and(|c| joins(c) || matches!(c, '\'' | '’')) && !after.is_some_and(joins)
}

/// All phrases that one stands for: "can|could you|we please?" is eight.
pub(super) fn written_out(phrase: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for word in phrase.split_whitespace() {
        let required = word.strip_suffix('?').unwrap_or(word);
        let mut next = if required == word { Vec::new() } else { out.clone() };
        for word in required.split('|') {
            let joined =
                |head: &String| if head.is_empty() { word.to_owned() } else { format!("{head} {word}") };
            next.extend(out.iter().map(joined));
        }
        out = next;
    }
    out.retain(|phrase| !phrase.is_empty());
    out
}

/// A phrase as a pattern: any white space between its words, any apostrophe or none.
pub(super) fn spelled(phrase: &str) -> String {
    let escaped = regex::escape(phrase);
    escaped.replace(' ', r"\s+").replace('\'', "['’]?")
}

/// A pattern, and what must not follow its match.
#[derive(Debug)]
pub struct Rule {
    pub(super) is: Pattern,
    pub(super) unless: Option<Pattern>,
}

impl Rule {
    /// Whether it holds for `text`.
    pub fn holds(&self, text: &str) -> bool {
        let found = self.is.get().into_iter().flat_map(|pattern| pattern.find_iter(text));
        let mut ends = found.map(|found| found.end());
        ends.any(|end| !self.unless.as_ref().is_some_and(|unless| unless.is_in(&text[end..])))
    }

    pub(super) fn check(&self) -> Result<(), LexiconError> {
        self.is.check()?;
        self.unless.as_ref().map_or(Ok(()), Pattern::check)
    }
}

/// A pattern that a sentence is asked for as a whole.
#[derive(Debug, Default)]
pub struct Cue(Option<Pattern>);

impl Cue {
    pub(super) fn new(text: String) -> Self {
        Self(Some(Pattern::new(text)))
    }

    /// Whether it is found in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_in(text))
    }

    pub(super) fn check(&self) -> Result<(), LexiconError> {
        self.0.as_ref().map_or(Ok(()), Pattern::check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_phrase_stands_for_several() {
        assert_eq!(written_out("as far as"), ["as far as"]);
        assert_eq!(
            written_out("can|could you not?"),
            ["can you", "could you", "can you not", "could you not"]
        );
        assert_eq!(written_out("may|might?"), ["may", "might"]);
        assert_eq!(written_out(" "), Vec::<String>::new());
    }

    #[test]
    fn phrases_are_whole_words() {
        let phrases = Phrases::new(&["may".into(), "may be".into(), "don't know".into()]);
        let found = |text: &str| phrases.find(text).map(|r| text[r].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("It may  be so; maybe."), ["may  be"]);
        assert_eq!(found("I don’t know, dont know."), ["don’t know", "dont know"]);
        assert_eq!(found("may-day"), Vec::<String>::new());
        assert!(phrases.opens("**May** it"));
        assert!(!phrases.opens("It may"));
    }
}
