//! Words as lineage counts them: found in running text and code alike, lower-cased, stemmed, without stop words.
//!
//! `parse_config`, `parseConfig` and "parsing the config" share their words: identifiers are split at underscores and
//! case changes. The stemmer takes off the commonest English endings and nothing more. Snowball's stemmer was not
//! taken: its Rust library has had no release since 2020, and both sides of every comparison here go through the same
//! rule, so it has to be consistent, not right. Han and kana, which write no spaces, give one word a character.

use std::ops::Range;

/// Words that say nothing about which turn a sentence rests on. Sorted.
const STOP: [&str; 112] = [
    "a", "about", "again", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "being",
    "both", "but", "by", "can", "could", "d", "did", "do", "does", "done", "down", "each", "else", "for",
    "from", "further", "had", "has", "have", "having", "he", "here", "how", "i", "if", "in", "into", "is",
    "it", "its", "just", "ll", "m", "may", "me", "might", "more", "most", "must", "my", "new", "no", "not",
    "now", "of", "off", "on", "once", "only", "onto", "or", "other", "our", "out", "over", "own", "re", "s",
    "same", "shall", "she", "should", "so", "some", "such", "t", "than", "that", "the", "them", "then",
    "there", "these", "they", "this", "those", "to", "too", "under", "up", "us", "ve", "very", "was", "we",
    "were", "what", "when", "where", "which", "who", "whom", "why", "will", "with", "would", "you", "your",
];

/// Whether a lower-case word is a stop word.
pub fn is_stop(word: &str) -> bool {
    word.len() <= 7 && STOP.binary_search(&word).is_ok()
}

/// Calls `take` with the bytes of every word of `text`, in order.
pub fn each(text: &str, mut take: impl FnMut(Range<usize>)) {
    let mut scan = Scan { text, at: 0 };
    while let Some(range) = scan.next_word() {
        take(range);
    }
}

/// Calls `take` with every word of `text` in order: lower-case, unstemmed, stop words included, and its bytes.
pub fn each_spoken(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    let mut word = String::new();
    each(text, |range| {
        lower(&text[range.clone()], &mut word);
        take(&word, range);
    });
}

fn lower(found: &str, word: &mut String) {
    word.clear();
    if found.is_ascii() {
        word.push_str(found);
        word.make_ascii_lowercase();
    } else {
        word.extend(found.chars().flat_map(char::to_lowercase));
    }
}

/// Leaves in `out` the stem of a word as it stands in a text; false where it is a stop word.
pub fn stem_of(found: &str, out: &mut String) -> bool {
    lower(found, out);
    let counts = !is_stop(out);
    if counts {
        stem(out);
    }
    counts
}

/// Calls `take` with the stem of every word of `text` that is no stop word, and the word's bytes.
pub fn each_stem(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    let mut stemmed = String::new();
    each(text, |range| {
        if stem_of(&text[range.clone()], &mut stemmed) {
            take(&stemmed, range);
        }
    });
}

/// The stems of `text` in order, without stop words.
pub fn stems(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_stem(text, |word, _| out.push(word.to_owned()));
    out
}

/// Every word of `text` in order, lower-case and unstemmed.
pub fn spoken(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_spoken(text, |word, _| out.push(word.to_owned()));
    out
}

/// Takes the ending off a lower-case word.
pub fn stem(word: &mut String) {
    if !word.is_ascii() {
        return;
    }
    let length = word.len();
    if length > 4 && word.ends_with("ies") {
        word.truncate(length - 3);
        word.push('y');
        return;
    }
    for (ending, least) in [("ing", 5), ("ed", 4)] {
        if length > least && word.ends_with(ending) {
            word.truncate(length - ending.len());
            undouble(word);
            return;
        }
    }
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    if word.len() > 4 && word.ends_with('e') {
        word.pop();
    }
}

/// `stopp` to `stop`; `call` and `pass` stay, as their own forms end so.
fn undouble(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., before, last] = bytes
        && bytes.len() > 3
        && before == last
        && !matches!(last, b'l' | b's')
    {
        word.pop();
    }
}

/// Walks over a text from word to word.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn next_word(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            let from = self.at;
            if byte.is_ascii_alphabetic() {
                self.at = self.end_of_letters(from);
                return Some(from..self.at);
            }
            if byte.is_ascii_digit() {
                self.at = end_of_digits(bytes, from);
                return Some(from..self.at);
            }
            if byte.is_ascii() {
                self.at += 1;
                continue;
            }
            let c = self.text[from..].chars().next()?;
            self.at += c.len_utf8();
            if is_unspaced(c) {
                return Some(from..self.at);
            }
            if c.is_alphabetic() {
                self.at = self.end_of_letters(from);
                return Some(from..self.at);
            }
        }
    }

    /// The end of the word that begins with the letter at `from`.
    fn end_of_letters(&self, from: usize) -> usize {
        let end = end_of_ascii(self.text.as_bytes(), from).unwrap_or_else(|| self.end_of_any(from));
        let bytes = self.text.as_bytes();
        if bytes.get(end) == Some(&b'\'') {
            let tail = bytes[end + 1..].iter().take_while(|b| b.is_ascii_lowercase()).count();
            if tail > 0 {
                return end + 1 + tail;
            }
        }
        end
    }

    /// The same for letters of any script, without the ending.
    fn end_of_any(&self, from: usize) -> usize {
        let mut chars = self.text[from..].char_indices().peekable();
        let mut end = from;
        // The two letters before: a hump begins at `aB`, and at the last capital of `ABc`.
        let mut last: Option<char> = None;
        while let Some((at, c)) = chars.next() {
            let at = from + at;
            if !c.is_alphabetic() || is_unspaced(c) {
                break;
            }
            if c.is_ascii_uppercase()
                && let Some(last) = last
            {
                let next_is_small = chars.peek().is_some_and(|(_, next)| next.is_ascii_lowercase());
                if last.is_ascii_lowercase() || (last.is_ascii_uppercase() && next_is_small) {
                    return at;
                }
            }
            last = Some(c);
            end = at + c.len_utf8();
        }
        end
    }
}

/// Where a word of ASCII letters ends; none where other letters may follow.
fn end_of_ascii(bytes: &[u8], from: usize) -> Option<usize> {
    let mut end = from;
    while let Some(byte) = bytes.get(end).filter(|byte| byte.is_ascii_alphabetic()) {
        if byte.is_ascii_uppercase() && end > from {
            let last = bytes[end - 1];
            let next_is_small = bytes.get(end + 1).is_some_and(u8::is_ascii_lowercase);
            if last.is_ascii_lowercase() || next_is_small {
                return Some(end);
            }
        }
        end += 1;
    }
    (end > from && bytes.get(end).is_none_or(u8::is_ascii)).then_some(end)
}

/// Digits with their separators: `1,024`, `2.1.7`, `14:02`.
fn end_of_digits(bytes: &[u8], from: usize) -> usize {
    let digits = |at: usize| at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(from);
    while matches!(bytes.get(end), Some(b'.' | b',' | b':')) {
        let next = digits(end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

/// Scripts that put no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// The longest run of equal words: how many, and where it begins in each.
pub fn longest_run<T: PartialEq>(a: &[T], b: &[T]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    let mut before = vec![0usize; b.len() + 1];
    let mut now = vec![0usize; b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            now[j + 1] = if x == y { before[j] + 1 } else { 0 };
            if now[j + 1] > best.0 {
                best = (now[j + 1], i + 1 - now[j + 1], j + 1 - now[j + 1]);
            }
        }
        std::mem::swap(&mut before, &mut now);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_stop_words_are_sorted() {
        assert!(STOP.is_sorted());
        assert!(STOP.iter().all(|word| is_stop(word)));
        assert!(!is_stop("commit"));
    }

    #[test]
    fn code_and_prose_share_their_words() {
        assert_eq!(stems("parseConfig parse_config"), ["pars", "config", "pars", "config"]);
        assert_eq!(stems("Parsing the configs"), ["pars", "config"]);
        assert_eq!(spoken("HTTPServer's XMLs"), ["http", "server's", "xm", "ls"]);
        assert_eq!(spoken("v2.1.7 at 14:02, 1,024 rows."), ["v", "2.1.7", "at", "14:02", "1,024", "rows"]);
        assert_eq!(spoken("Größe naïve 漢字 don't"), ["größe", "naïve", "漢", "字", "don't"]);
    }

    #[test]
    fn endings() {
        for (word, expected) in [
            ("queries", "query"),
            ("stopped", "stop"),
            ("stopping", "stop"),
            ("called", "call"),
            ("passes", "pass"),
            ("files", "file"),
            ("file", "file"),
            ("red", "red"),
            ("king", "king"),
            ("pass", "pass"),
        ] {
            let mut word = word.to_owned();
            stem(&mut word);
            assert_eq!(word, expected);
        }
    }

    #[test]
    fn runs() {
        assert_eq!(
            longest_run(&spoken("we keep the hash"), &spoken("please keep the hash column")),
            (3, 1, 1)
        );
        assert_eq!(longest_run::<u8>(&[], &[1]), (0, 0, 0));
    }

    proptest! {
        #[test]
        fn any_text_has_words_in_order(text in "\\PC{0,80}") {
            let mut end = 0;
            each_spoken(&text, |word, range| {
                assert!(range.start >= end && !word.is_empty());
                assert_eq!(text[range.clone()].to_lowercase(), word);
                end = range.end;
            });
        }

        #[test]
        fn ascii_words_end_where_any_would(text in "[a-zA-Zé_ '9]{0,40}") {
            let scan = Scan { text: &text, at: 0 };
            for from in (0..text.len()).filter(|at| text.as_bytes()[*at].is_ascii_alphabetic()) {
                if let Some(end) = end_of_ascii(text.as_bytes(), from) {
                    assert_eq!(end, scan.end_of_any(from));
                }
            }
        }

        #[test]
        fn words_of_words_are_the_same(text in "[a-zA-Z_ ']{0,60}") {
            let words = spoken(&text);
            assert_eq!(spoken(&words.join(" ")), words);
        }
    }
}
