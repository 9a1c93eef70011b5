//! How the lexicon's words are found in a text: phrases as whole words in any case, and rules as patterns.

use regex::{Regex, RegexBuilder};

use super::LexiconError;

/// A set of phrases, matched as whole words in any case.
#[derive(Debug, Default)]
pub struct Phrases(Option<Regex>);

impl Phrases {
    pub(super) fn new(phrases: &[String]) -> Result<Self, LexiconError> {
        if phrases.is_empty() {
            return Ok(Self(None));
        }
        // Longest first: alternatives are tried in order.
        let mut sorted: Vec<&String> = phrases.iter().collect();
        sorted.sort_by_key(|phrase| (std::cmp::Reverse(phrase.len()), *phrase));
        let alternatives: Vec<String> = sorted.into_iter().map(|phrase| spelled(phrase)).collect();
        compile(&format!("(?:{})", alternatives.join("|"))).map(|regex| Self(Some(regex)))
    }

    /// Where the phrases stand in `text`, from left to right.
    pub fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = std::ops::Range<usize>> + 't {
        let found = self.0.iter().flat_map(move |regex| regex.find_iter(text));
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

/// A phrase as a pattern: any white space between its words, any apostrophe or none.
pub(super) fn spelled(phrase: &str) -> String {
    let escaped = regex::escape(phrase);
    escaped.replace(' ', r"\s+").replace('\'', "['’]?")
}

/// A pattern for any case.
pub(super) fn compile(pattern: &str) -> Result<Regex, LexiconError> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).build();
    built.map_err(|error| LexiconError::Pattern(error.to_string()))
}

/// A pattern, and what must not follow its match.
#[derive(Debug)]
pub struct Rule {
    pub(super) is: Regex,
    pub(super) unless: Option<Regex>,
}

impl Rule {
    /// Whether it holds for `text`.
    pub fn holds(&self, text: &str) -> bool {
        self.is.find_iter(text).any(|found| {
            let after = &text[found.end()..];
            !self.unless.as_ref().is_some_and(|unless| unless.is_match(after))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words() {
        let phrases = Phrases::new(&["may".into(), "may be".into(), "don't know".into()]).unwrap();
        let found = |text: &str| phrases.find(text).map(|r| text[r].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("It may  be so; maybe."), ["may  be"]);
        assert_eq!(found("I don’t know, dont know."), ["don’t know", "dont know"]);
        assert_eq!(found("may-day"), Vec::<String>::new());
        assert!(phrases.opens("**May** it"));
        assert!(!phrases.opens("It may"));
    }
}
