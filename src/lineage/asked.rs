//! A sentence as a question to the index: its words, the files it names, what it quotes, what stands around it.

use std::ops::Range;

use crate::text::identifiers::{self, Identifier};
use crate::text::lexicon::Lexicon;
use crate::text::sentences::{Kind, Section, Sentence};
use crate::text::spans::{self, Marks};
use crate::text::words;

use super::index::{Index, Query};

/// How far up the bullets a file's name is inherited.
const INHERIT: usize = 3;

/// One sentence, prepared.
#[derive(Debug, Default)]
pub struct Asked {
    /// All its words.
    pub words: Query,
    /// Neighbouring words of the sentence, as pairs.
    pub pairs: Vec<(u32, u32)>,
    /// Its words without those of paths and file names.
    pub prose: Query,
    /// The words of what it hangs on: the bullet above and the sentence before it in its line.
    pub around: Vec<u32>,
    /// Files it names, in lower case.
    pub own_files: Vec<String>,
    /// Files named by what it stands under, where it names none.
    pub inherited_files: Vec<String>,
    /// What it quotes, as [`plain`] text.
    pub quotes: Vec<String>,
    /// Back-ticked and quoted strings to be found letter by letter.
    pub literals: Vec<String>,
    /// It speaks of the user.
    pub of_user: bool,
    /// Its section.
    pub section: Option<Section>,
    /// It opens its line.
    pub opens_line: bool,
}

const QUOTED: [Marks; 1] = [Marks { open: &['"', '“'], close: &['"', '”'], least: 2, most: 200 }];
const LITERAL: [Marks; 3] = [
    Marks { open: &['`'], close: &['`'], least: 3, most: 160 },
    Marks { open: &['"'], close: &['"'], least: 6, most: 160 },
    Marks { open: &['“'], close: &['”'], least: 6, most: 160 },
];

impl Asked {
    /// Prepares the sentence at `place` of `sentences`.
    pub fn new(
        index: &Index,
        lexicon: &Lexicon,
        summary: &str,
        sentences: &[Sentence],
        place: usize,
    ) -> Self {
        let Some(sentence) = sentences.get(place) else { return Self::default() };
        let text = sentence.text(summary);
        let files: Vec<Identifier> = identifiers::files(text);
        let own_files = names(&files);
        let is_quote = sentence.kind == Kind::Quote;
        let inherited_files = if is_quote || !own_files.is_empty() {
            Vec::new()
        } else {
            inherited_files(summary, sentences, sentence)
        };
        let words = index.query(text);
        let around = around(index, summary, sentences, place, &words);
        let mut quotes = captures(&QUOTED, text, plain);
        if is_quote {
            quotes.push(plain(text));
        }
        quotes.retain(|quote| quote.len() > 1);
        let literals = captures(&LITERAL, text, |found| {
            let found = folded(found);
            found.strip_suffix("()").map_or(found.clone(), str::to_owned)
        });
        let telling = |literal: &String| {
            let short = literal.len() < 6 && literal.bytes().all(|b| b.is_ascii_alphabetic());
            literal.len() > 3 && !short && !own_files.contains(&literal.to_lowercase())
        };
        Self {
            pairs: pairs(index, text),
            prose: index.query(&blanked(text, files.iter().map(|file| file.range.clone()))),
            words,
            around,
            inherited_files,
            literals: sorted(literals.into_iter().filter(telling).collect()),
            own_files,
            of_user: is_quote || sentence.section == Section::Messages || lexicon.user.is_in(text),
            quotes,
            section: Some(sentence.section),
            opens_line: sentence.opens_line,
        }
    }

    /// The files that it names, or else inherits.
    pub fn files(&self) -> &[String] {
        if self.own_files.is_empty() { &self.inherited_files } else { &self.own_files }
    }

    /// Whether it has too few words to stand alone.
    pub fn is_short(&self) -> bool {
        self.words.known.len() + self.words.unknown < 4
    }
}

fn sorted(mut all: Vec<String>) -> Vec<String> {
    all.sort_unstable();
    all.dedup();
    all
}

fn names(files: &[Identifier]) -> Vec<String> {
    sorted(files.iter().map(|file| file.normal.clone()).collect())
}

/// The files named by the nearest thing above a sentence that names any: its bullets, then its heading.
fn inherited_files(summary: &str, sentences: &[Sentence], sentence: &Sentence) -> Vec<String> {
    let mut above: Vec<&str> = Vec::new();
    let mut parent = sentence.parent;
    while let Some(found) = parent.and_then(|parent| sentences.get(parent)).filter(|_| above.len() < INHERIT)
    {
        above.push(found.text(summary));
        parent = found.parent;
    }
    above.push(&sentence.heading);
    let mut named = above.into_iter().map(|text| {
        let files: Vec<Identifier> = identifiers::files(text);
        names(&files)
    });
    named.find(|files| !files.is_empty()).unwrap_or_default()
}

/// The known words of the bullet above and of the sentence before in the same line, less the sentence's own.
fn around(index: &Index, summary: &str, sentences: &[Sentence], place: usize, own: &Query) -> Vec<u32> {
    let sentence = &sentences[place];
    let parent = sentence.parent.and_then(|parent| sentences.get(parent));
    let before = (!sentence.opens_line && place > 0).then(|| &sentences[place - 1]);
    let mut out: Vec<u32> = [parent, before]
        .into_iter()
        .flatten()
        .flat_map(|sentence| index.query(sentence.text(summary)).known)
        .filter(|word| own.known.binary_search(word).is_err())
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Neighbouring words that the range holds both.
fn pairs(index: &Index, text: &str) -> Vec<(u32, u32)> {
    let words: Vec<Option<u32>> = words::stems(text).iter().map(|word| index.word(word)).collect();
    let both = |pair: &[Option<u32>]| Some((pair.first().copied()??, pair.get(1).copied()??));
    let mut out: Vec<(u32, u32)> = words.windows(2).filter_map(both).collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn captures(kinds: &[Marks], text: &str, as_: impl Fn(&str) -> String) -> Vec<String> {
    spans::find(text, kinds).into_iter().map(|span| as_(spans::inside(&text[span]))).collect()
}

fn blanked(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> String {
    let mut out = text.to_owned();
    for range in ranges {
        out.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    out
}

/// A text with everything but letters and digits as single spaces, in lower case: how quotations are compared.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.trim().to_owned()
}

/// A text with every run of white space as one space: how literals are found.
pub fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold(text, &mut out);
    out
}

/// The same at the end of `out`.
pub fn fold(text: &str, out: &mut String) {
    let mut is_first = true;
    for word in text.split_whitespace() {
        if !is_first {
            out.push(' ');
        }
        is_first = false;
        out.push_str(word);
    }
}

/// How well a block's path answers to a name: 1 where the name ends it, less where only its last parts agree.
pub fn path_match(path: &str, name: &str) -> f64 {
    let name = name.trim_matches('/').trim_start_matches(['.', '~', '/']);
    let path = path.trim_end_matches('/');
    if name.is_empty() || path.is_empty() {
        return 0.0;
    }
    let parts = name.split('/').count();
    let same = path.rsplit('/').zip(name.rsplit('/')).take_while(|(a, b)| a == b).count();
    if same == parts {
        return 1.0;
    }
    same as f64 / parts as f64 * 0.9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert!((path_match("/home/u/src/text/words.rs", "src/text/words.rs") - 1.0).abs() < 1e-9);
        assert!((path_match("/home/u/src/words.rs", "words.rs") - 1.0).abs() < 1e-9);
        assert!(path_match("/home/u/src/words.rs", "lib/words.rs") < 0.5);
        assert!(path_match("/home/u/mywords.rs", "words.rs") < 0.1);
        assert!(path_match("", "words.rs") < 0.1);
    }

    #[test]
    fn texts_for_comparison() {
        assert_eq!(plain("\"Don't, please!\""), "don t please");
        assert_eq!(folded(" a \n\t b "), "a b");
    }
}
