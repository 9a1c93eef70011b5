//! What a compaction left: a summary (or turns that stayed in view) made ready to be asked whether it says something.
//!
//! Names and numbers are looked for in three steps: letter by letter without case, then in the one form of `normal`,
//! then by the end of a path. Statements are asked by [`super::fate`], which gets the sentences with their words.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use crate::text::identifiers::{self, Class as Name};
use crate::text::lexicon::Lexicon;
use crate::text::sentences::{self, Kind, Section, Sentence};
use crate::text::{cues, words};

use super::finding::Class;
use super::normal;

/// A sentence with its words.
#[derive(Debug)]
pub(super) struct Spoken {
    pub(super) range: Range<usize>,
    pub(super) section: Section,
    pub(super) kind: Kind,
    /// Every word, in order.
    pub(super) words: Vec<String>,
    /// Its names and numbers, compared.
    pub(super) names: OnceLock<HashSet<String>>,
    open: OnceLock<bool>,
}

/// What a compaction left.
#[derive(Debug)]
pub struct Said {
    text: String,
    lower: String,
    normal: OnceLock<String>,
    /// The sentences, quotations and blocks of code.
    pub(super) sentences: Vec<Spoken>,
    /// The sentences that hold a stem.
    stems: HashMap<String, Vec<u32>>,
    /// Files' names without their folders.
    files: OnceLock<HashSet<String>>,
}

/// How something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// In the same letters.
    Exact,
    /// In another form that means the same.
    Normal,
    /// A path by its end, a command by its beginning, most words of a quotation.
    Shortened,
}

impl Said {
    /// Makes a text ready. With no sentences given, it is cut as a summary is.
    pub fn new(text: String, sentences: Option<&[Sentence]>) -> Self {
        let own;
        let cut = if let Some(cut) = sentences {
            cut
        } else {
            own = sentences::of(&text);
            &own
        };
        let spoken: Vec<Spoken> = cut.iter().map(|sentence| Spoken::new(&text, sentence)).collect();
        let mut stems: HashMap<String, Vec<u32>> = HashMap::new();
        for (place, sentence) in spoken.iter().enumerate().filter(|(_, sentence)| sentence.kind != Kind::Code)
        {
            words::each_stem(&text[sentence.range.clone()], |stem, _| {
                let held = stems.entry(stem.to_owned()).or_default();
                if held.last() != Some(&(place as u32)) {
                    held.push(place as u32);
                }
            });
        }
        let lower = text.to_ascii_lowercase();
        Self { text, lower, normal: OnceLock::new(), sentences: spoken, stems, files: OnceLock::new() }
    }

    /// Nothing at all.
    pub fn nothing() -> Self {
        Self::new(String::new(), Some(&[]))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a sentence.
    pub fn sentence(&self, place: usize) -> &str {
        self.sentences.get(place).and_then(|spoken| self.text.get(spoken.range.clone())).unwrap_or_default()
    }

    /// The sentences that hold a stem.
    pub(super) fn with_stem(&self, stem: &str) -> &[u32] {
        self.stems.get(stem).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the sentence at `place` leaves something open.
    pub(super) fn is_open(&self, lexicon: &Lexicon, place: usize) -> bool {
        let Some(spoken) = self.sentences.get(place) else { return false };
        *spoken.open.get_or_init(|| {
            let openness = cues::openness(lexicon, self.sentence(place));
            openness.open && !openness.request
        })
    }

    /// Whether a name stands anywhere in it, whole.
    pub(super) fn has_name(&self, name: &str) -> bool {
        find_free(&self.lower, &name.to_ascii_lowercase()).is_some()
    }

    /// The names and numbers of the sentence at `place`.
    pub(super) fn names(&self, place: usize) -> Option<&HashSet<String>> {
        let spoken = self.sentences.get(place)?;
        Some(spoken.names.get_or_init(|| {
            identifiers::find(self.sentence(place)).into_iter().map(|found| found.normal).collect()
        }))
    }

    /// The sentence that holds a byte.
    fn sentence_at(&self, byte: usize) -> Option<usize> {
        let after = self.sentences.partition_point(|spoken| spoken.range.start <= byte);
        let place = after.checked_sub(1)?;
        self.sentences[place].range.contains(&byte).then_some(place)
    }

    /// Whether it says an exact item, how, and in which sentence.
    pub fn finds(
        &self,
        class: Class,
        name: Option<Name>,
        text: &str,
        compared: &str,
    ) -> Option<(How, Option<usize>)> {
        let exact = |word: &str| {
            let at = find_free(&self.lower, word)?;
            Some(self.sentence_at(at))
        };
        let as_said = text.to_ascii_lowercase();
        if let Some(sentence) = exact(&as_said).or_else(|| exact(compared)) {
            return Some((How::Exact, sentence));
        }
        let normal = self.normal.get_or_init(|| normal::of(&self.text));
        let in_one_form = if name == Some(Name::Number) { normal::number(text) } else { normal::of(text) };
        if !in_one_form.is_empty() && find_free(normal, &in_one_form).is_some() {
            return Some((How::Normal, None));
        }
        let sentence = match class {
            Class::Path => self.sentence_at(self.by_end(compared)?),
            Class::Command if name.is_none() => {
                let beginning: Vec<&str> = compared.split(' ').take(2).collect();
                exact(&beginning.join(" ")).filter(|_| compared.split(' ').count() > 2)?
            }
            Class::Quotation => Some(self.by_words(&in_one_form)?),
            _ => return None,
        };
        Some((How::Shortened, sentence))
    }

    /// Where a path stands by its last names: a file's alone, a folder's with the one above.
    fn by_end(&self, path: &str) -> Option<usize> {
        let path = path.trim_end_matches(['/', '*']);
        let mut names = path.rsplit('/');
        let last = names.next()?;
        let above = names.next().filter(|above| !above.is_empty() && *above != ".");
        if last.contains('.') && last.len() > 3 {
            let files = self.files.get_or_init(|| {
                let found = identifiers::files(&self.text);
                found.iter().map(|found| found.base().to_owned()).collect()
            });
            return find_free(&self.lower, last).filter(|_| files.contains(last));
        }
        find_free(&self.lower, &format!("{}/{last}", above?))
    }

    /// The sentence that holds all numbers and most words of a quotation.
    fn by_words(&self, quotation: &str) -> Option<usize> {
        let stems: HashSet<String> = words::stems(quotation).into_iter().collect();
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for stem in &stems {
            for place in self.with_stem(stem) {
                *counts.entry(*place).or_default() += 1;
            }
        }
        let best = counts.into_iter().max_by_key(|(place, count)| (*count, std::cmp::Reverse(*place)))?;
        let enough = stems.len() >= 3 && best.1 * 4 >= stems.len() * 3;
        let has_numbers = |place: u32| {
            let digits = |stem: &&String| stem.starts_with(|c: char| c.is_ascii_digit());
            stems.iter().filter(digits).all(|stem| self.with_stem(stem).contains(&place))
        };
        (enough && has_numbers(best.0)).then_some(best.0 as usize)
    }
}

impl Spoken {
    fn new(text: &str, sentence: &Sentence) -> Self {
        Self {
            range: sentence.range.clone(),
            section: sentence.section,
            kind: sentence.kind,
            words: words::spoken(sentence.text(text)),
            names: OnceLock::new(),
            open: OnceLock::new(),
        }
    }

    /// Whether it repeats what the user said, rather than telling of it.
    pub(super) fn is_listed(&self) -> bool {
        self.section == Section::Messages || self.kind == Kind::Quote
    }
}

/// Where `word` stands in `text` with no letter, digit or underscore beside it, unless its own end is none.
fn find_free(text: &str, word: &str) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let (opens, closes) = (word.starts_with(joins), word.ends_with(joins));
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()).find(|at| {
        let Some((before, after)) = text.get(..*at).zip(text.get(at + word.len()..)) else { return false };
        let before = before.chars().next_back();
        let mut after = after.chars();
        let next = after.next();
        // A number goes on behind a point or a comma.
        let goes_on = is_number
            && (matches!(next, Some('.' | ',')) && after.next().is_some_and(|c| c.is_ascii_digit())
                || matches!(before, Some('.')));
        !(opens && before.is_some_and(joins) || closes && next.is_some_and(joins) || goes_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(summary: &str, class: Class, name: Option<Name>, text: &str) -> Option<How> {
        let said = Said::new(summary.to_owned(), None);
        said.finds(class, name, text, &text.to_lowercase()).map(|(how, _)| how)
    }

    #[test]
    fn names_are_found_whole() {
        let camel = Some(Name::Camel);
        assert_eq!(found("uses TurnId here", Class::Identifier, camel, "TurnId"), Some(How::Exact));
        assert_eq!(found("uses TurnIds here", Class::Identifier, camel, "TurnId"), None);
        assert_eq!(found("uses MyTurnId here", Class::Identifier, camel, "TurnId"), None);
        assert_eq!(found("in 2.500 rows", Class::Number, Some(Name::Number), "500"), None);
    }

    #[test]
    fn other_forms_count_as_such() {
        let number = Some(Name::Number);
        assert_eq!(found("waits 15 minutes now", Class::Number, number, "15min"), Some(How::Normal));
        assert_eq!(found("has 1024 rows", Class::Number, number, "1,024"), Some(How::Normal));
        let path = Some(Name::Path);
        assert_eq!(found("edits main.rs", Class::Path, path, "/home/u/src/main.rs"), Some(How::Shortened));
        assert_eq!(found("edits domain.rs", Class::Path, path, "/home/u/src/main.rs"), None);
        assert_eq!(found("in src/text there", Class::Path, path, "/home/u/src/text"), Some(How::Shortened));
        assert_eq!(found("all text there", Class::Path, path, "/home/u/src/text"), None);
        assert_eq!(
            found("ran cargo test twice", Class::Command, None, "cargo test --all"),
            Some(How::Shortened)
        );
    }

    #[test]
    fn what_is_found_is_found_in_a_sentence() {
        let said = Said::new("1. Goal:\n   - Fix a.rs first.\n   - Then run b.rs.\n".to_owned(), None);
        let (_, sentence) = said.finds(Class::Path, Some(Name::File), "b.rs", "b.rs").unwrap();
        assert_eq!(said.sentence(sentence.unwrap()), "Then run b.rs.");
    }
}
