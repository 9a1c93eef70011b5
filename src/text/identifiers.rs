//! Identifiers in running text, in 13 classes: what a summary has to keep letter by letter.
//!
//! Classes are tried in order and never overlap. A slash between two plain words is an alternation (`and/or`), not a
//! path; a single digit is no fact. The regular expressions have no look-around, so what may stand beside a match is
//! checked by hand.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// What kind of identifier it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// An address with a scheme.
    Url,
    /// A path with a slash.
    Path,
    /// A file name with a known extension.
    File,
    /// `2.1.7`, `v1.0`.
    Version,
    /// `ABC-12`, `#12`.
    Ticket,
    /// A UUID.
    Uuid,
    /// Seven hexadecimal digits or more, letters and digits both.
    Hash,
    /// `--flag`.
    Flag,
    /// `$HOME`, `MAX_SIZE`.
    Variable,
    /// `snake_case`.
    Snake,
    /// `a.b`, `a::b`.
    Dotted,
    /// `CamelCase`.
    Camel,
    /// A number, with its unit where it has one.
    Number,
}

/// One identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    /// Its class.
    pub class: Class,
    /// As compared: lower-case, without trailing punctuation and thousands separators.
    pub normal: String,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Identifier {
    /// Whether it names a file.
    pub fn is_file(&self) -> bool {
        matches!(self.class, Class::Path | Class::File)
    }

    /// The last name of a path.
    pub fn base(&self) -> &str {
        self.normal.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }
}

const EXTENSIONS: &str = "go|rs|py|jsx?|tsx?|mjs|cjs|jsonl?|ya?ml|toml|md|txt|sh|bash|zsh|fish|c|h|cc|cpp|hpp|java|kt|swift|rb|php|cs|sql|proto|html?|css|scss|lock|cfg|ini|conf|env|log|csv|tsv|xml|svg|png|jpe?g|gif|pdf|gradle|lua|exs?|heex|vue|svelte|tf|mod|sum";

/// The classes in order, each with its pattern, made when a text first may hold one.
static CLASSES: [(Class, LazyLock<Option<Regex>>); 13] = [
    (Class::Url, LazyLock::new(|| compiled(Class::Url))),
    (Class::Path, LazyLock::new(|| compiled(Class::Path))),
    (Class::File, LazyLock::new(|| compiled(Class::File))),
    (Class::Version, LazyLock::new(|| compiled(Class::Version))),
    (Class::Ticket, LazyLock::new(|| compiled(Class::Ticket))),
    (Class::Uuid, LazyLock::new(|| compiled(Class::Uuid))),
    (Class::Hash, LazyLock::new(|| compiled(Class::Hash))),
    (Class::Flag, LazyLock::new(|| compiled(Class::Flag))),
    (Class::Variable, LazyLock::new(|| compiled(Class::Variable))),
    (Class::Snake, LazyLock::new(|| compiled(Class::Snake))),
    (Class::Dotted, LazyLock::new(|| compiled(Class::Dotted))),
    (Class::Camel, LazyLock::new(|| compiled(Class::Camel))),
    (Class::Number, LazyLock::new(|| compiled(Class::Number))),
];

fn compiled(class: Class) -> Option<Regex> {
    Regex::new(&pattern(class)).ok()
}

fn pattern(class: Class) -> String {
    let pattern = match class {
        Class::Url => r#"(?i)\b[a-z][a-z0-9+.-]*://[^\s)>\]}"'`|,]+"#,
        Class::Path => r"(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+*-]*[\w*]|[~/]/?(?:[\w.@+-]+/)*[\w.@+-]*\w",
        Class::File => return file(),
        Class::Version => r"\bv?\d+\.\d+(?:\.\d+)*(?:-\w[\w.]*)?\b",
        Class::Ticket => r"\b[A-Z][A-Z0-9]{1,9}-\d+\b|#\d{1,6}\b",
        Class::Uuid => r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
        Class::Hash => r"\b[0-9a-f]{7,64}\b",
        Class::Flag => r"--[a-z][\w-]+",
        Class::Variable => r"\$[A-Z_][A-Z0-9_]+\b|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b",
        Class::Snake => r"\b_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b",
        Class::Dotted => r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+\b",
        Class::Camel => {
            r"\b(?:[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z]{2,}[a-z]+[A-Za-z0-9]*|[A-Z][a-z0-9]+[A-Z]{2,})\b"
        }
        Class::Number => return number(),
    };
    pattern.to_owned()
}

fn file() -> String {
    format!(r"\b[\w-]+(?:\.[\w-]+)*\.(?:{EXTENSIONS})\b")
}

fn number() -> String {
    let units = r"%|ms\b|s\b|sec\b|seconds?\b|min\b|minutes?\b|hours?\b|hrs?\b|days?\b|weeks?\b|years?\b|[KMGT]i?B\b|bytes?\b|tokens?\b|lines?\b|px\b|rpm\b|rps\b|qps\b|k\b|x\b";
    format!(r"[+\-−]?\d[\d,]*(?:\.\d+)?(?:\s?(?:{units}))?")
}

/// The identifiers of `text`, by class and then by place.
pub fn find(text: &str) -> Vec<Identifier> {
    find_until(text, Class::Number)
}

/// Those that name files: of classes that come first, so that no other has to be looked for.
pub fn files(text: &str) -> Vec<Identifier> {
    let mut found = find_until(text, Class::File);
    found.retain(Identifier::is_file);
    found
}

/// The identifiers of the classes up to `last`.
fn find_until(text: &str, last: Class) -> Vec<Identifier> {
    let mut out = Vec::new();
    let mut used = vec![false; text.len()];
    let classes = CLASSES.iter().take_while(|(class, _)| *class <= last);
    for (class, pattern) in classes.filter(|(class, _)| may_hold(*class, text.as_bytes())) {
        for found in pattern.iter().flat_map(|pattern| pattern.find_iter(text)) {
            let range = found.range();
            if used[range.clone()].contains(&true) || !stands_free(*class, text, &range) {
                continue;
            }
            let normal = normal(*class, found.as_str());
            if normal.is_empty() || !is_one(*class, found.as_str(), &normal) {
                continue;
            }
            used[range.clone()].fill(true);
            out.push(Identifier { class: *class, normal, range });
        }
    }
    out
}

/// Whether a text has what every identifier of a class has: it is quicker to look for than the whole pattern.
fn may_hold(class: Class, text: &[u8]) -> bool {
    let has = |byte: u8| memchr::memchr(byte, text).is_some();
    match class {
        Class::Url => memchr::memmem::find(text, b"://").is_some(),
        Class::Path => memchr::memchr2(b'/', b'~', text).is_some(),
        Class::File | Class::Version => has(b'.'),
        Class::Ticket => memchr::memchr2(b'-', b'#', text).is_some(),
        Class::Uuid => has(b'-'),
        Class::Flag => memchr::memmem::find(text, b"--").is_some(),
        Class::Variable => memchr::memchr2(b'$', b'_', text).is_some(),
        Class::Snake => has(b'_'),
        Class::Dotted => memchr::memchr2(b'.', b':', text).is_some(),
        Class::Camel => text.iter().any(u8::is_ascii_uppercase),
        // \d is any script's digit.
        Class::Hash | Class::Number => !text.is_ascii() || text.iter().any(u8::is_ascii_digit),
    }
}

/// Whether what stands beside a match lets it be one.
fn stands_free(class: Class, text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match class {
        Class::Path => !is_word(before) && before != Some('/'),
        Class::Flag => !is_word(before) && before != Some('-'),
        Class::Ticket => !is_word(before),
        Class::Number => {
            let decimal = after == Some('.')
                && text[range.end + 1..].chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
            !is_word(before) && before != Some('.') && !is_word(after) && !decimal
        }
        _ => true,
    }
}

/// Whether a match is an identifier of its class after all.
fn is_one(class: Class, found: &str, normal: &str) -> bool {
    match class {
        Class::Path => {
            let telling = normal.starts_with(['/', '~', '.'])
                || normal.chars().any(|c| c.is_ascii_digit() || matches!(c, '_' | '-' | '.' | '*'));
            telling && normal.len() > 1 || normal.matches('/').count() > 1
        }
        Class::Hash => {
            found.bytes().any(|b| b.is_ascii_digit()) && found.bytes().any(|b| b.is_ascii_alphabetic())
        }
        Class::Number => normal.trim_start_matches('-').chars().count() > 1,
        _ => true,
    }
}

fn normal(class: Class, found: &str) -> String {
    let trimmed = found.trim().trim_end_matches(['.', ',', ';', ':']);
    let lower = trimmed.to_lowercase();
    match class {
        Class::Number => {
            let plain: String = lower.chars().filter(|c| !matches!(c, ',' | ' ' | '+')).collect();
            plain.replace('−', "-")
        }
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(Class, String)> {
        find(text).into_iter().map(|id| (id.class, id.normal)).collect()
    }

    #[test]
    fn every_class_is_found() {
        for (text, class, normal) in [
            ("see https://example.org/a?b=1.", Class::Url, "https://example.org/a?b=1"),
            ("in src/text/words.rs, line", Class::Path, "src/text/words.rs"),
            ("under ~/notes", Class::Path, "~/notes"),
            ("the cmd/tool/cli folder", Class::Path, "cmd/tool/cli"),
            ("edit README.md now", Class::File, "readme.md"),
            ("since v2.1.7 it", Class::Version, "v2.1.7"),
            ("closes ABC-12", Class::Ticket, "abc-12"),
            ("closes #123.", Class::Ticket, "#123"),
            ("id 123e4567-e89b-12d3-a456-426614174000", Class::Uuid, "123e4567-e89b-12d3-a456-426614174000"),
            ("commit 881c11c9", Class::Hash, "881c11c9"),
            ("pass --dry-run", Class::Flag, "--dry-run"),
            ("set MAX_SIZE", Class::Variable, "max_size"),
            ("field is_open", Class::Snake, "is_open"),
            ("call os.Exit", Class::Dotted, "os.exit"),
            ("call std::env::args", Class::Dotted, "std::env::args"),
            ("type TurnId", Class::Camel, "turnid"),
            ("took 15 minutes", Class::Number, "15minutes"),
            ("has 1,024 rows", Class::Number, "1024"),
        ] {
            assert!(found(text).contains(&(class, normal.to_owned())), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn alternations_list_numbers_and_words_are_none() {
        assert_eq!(found("and/or read/write; 1. one 2) two"), []);
        assert_eq!(found("defaced accede beef"), []);
    }

    proptest! {
        #[test]
        fn files_are_those_among_all(text in "\\PC{0,60}|[a-z/._:~ -]{0,60}|([a-z]{1,5}[/.]){0,6}(rs|md)") {
            let mut all = find(&text);
            all.retain(Identifier::is_file);
            assert_eq!(files(&text), all);
        }

        #[test]
        fn what_is_needed_is_in_every_match(text in "\\PC{0,60}|[a-zA-Z/._:~$#0-9 -]{0,60}") {
            for (class, pattern) in CLASSES.iter().filter(|(_, pattern)| pattern.as_ref().unwrap().is_match(&text)) {
                // What matches without a digit is no hash after all.
                if *class == Class::Hash {
                    continue;
                }
                assert!(may_hold(*class, text.as_bytes()), "{class:?} {pattern:?}");
            }
        }

        #[test]
        fn ranges_slice_and_do_not_overlap(text in "\\PC{0,60}|[a-z/._#0-9A-Z: -]{0,60}") {
            let mut ids = find(&text);
            ids.sort_by_key(|id| id.range.start);
            for pair in ids.windows(2) {
                assert!(pair[0].range.end <= pair[1].range.start);
            }
            for id in &ids {
                assert!(text.get(id.range.clone()).is_some_and(|found| !found.is_empty()));
            }
        }
    }
}
