//! One form for what may be written in several ways: compatibility forms of characters, quotation marks and dashes,
//! thousands, numbers in words, and a number with its unit (`15 minutes`, `15-minute`, `15min`).

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Units and the sign that stands for each.
const UNITS: [(&str, &str); 41] = [
    ("%", "%"),
    ("b", "b"),
    ("byte", "byte"),
    ("bytes", "byte"),
    ("cents", "cent"),
    ("d", "d"),
    ("day", "d"),
    ("days", "d"),
    ("gb", "gb"),
    ("gib", "gib"),
    ("gigabytes", "gb"),
    ("h", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("hr", "h"),
    ("hrs", "h"),
    ("k", "k"),
    ("kb", "kb"),
    ("kib", "kib"),
    ("line", "line"),
    ("lines", "line"),
    ("mb", "mb"),
    ("megabytes", "mb"),
    ("mib", "mib"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("min", "min"),
    ("mins", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("ms", "ms"),
    ("percent", "%"),
    ("px", "px"),
    ("s", "s"),
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("secs", "s"),
    ("tokens", "token"),
    ("week", "w"),
    ("weeks", "w"),
];
/// Numbers in words.
const NUMBERS: [&str; 11] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

fn sign(unit: &str) -> Option<&'static str> {
    UNITS.binary_search_by_key(&unit, |(name, _)| name).ok().map(|at| UNITS[at].1)
}

/// Whether a word is a unit, in any case.
pub(super) fn is_unit(word: &str) -> bool {
    word.len() <= 12 && sign(&word.to_ascii_lowercase()).is_some()
}

/// A number, with its unit where it has one.
pub(super) fn number(text: &str) -> String {
    of(text).replace(' ', "")
}

/// A text in its one form: lower case, words and numbers with a space between.
pub(super) fn of(text: &str) -> String {
    let composed: Cow<str> = match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.into(),
        _ => text.nfkc().collect::<String>().into(),
    };
    let mut plain = String::with_capacity(composed.len());
    for c in composed.chars() {
        match c {
            '’' | '‘' => plain.push('\''),
            '–' | '—' | '−' => plain.push('-'),
            '*' | '`' | '"' | '“' | '”' => {}
            _ => plain.extend(c.to_lowercase()),
        }
    }
    let mut out = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        push(&mut out, word);
    }
    out.trim_matches([' ', '.', ',', ';', ':']).to_owned()
}

fn push(out: &mut String, word: &str) {
    let bare = word.trim_matches(['.', ',', ';', ':', '(', ')']);
    // A unit joins the number before it.
    let follows_number = out.ends_with(|c: char| c.is_ascii_digit());
    if let Some(sign) = sign(bare).filter(|_| follows_number) {
        out.push_str(sign);
        return;
    }
    if !out.is_empty() {
        out.push(' ');
    }
    if let Some(number) = NUMBERS.iter().position(|name| *name == bare) {
        out.push_str(&number.to_string());
        return;
    }
    let digits = bare.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b',' | b'.')).count();
    let joined = bare[digits..].trim_start_matches('-');
    match sign(joined).filter(|_| digits > 0) {
        Some(sign) => {
            ungrouped(out, &bare[..digits]);
            out.push_str(sign);
        }
        None if digits == bare.len() && digits > 0 => ungrouped(out, bare),
        None => out.push_str(word.trim_end_matches([',', ';'])),
    }
}

/// Digits without marks between thousands.
fn ungrouped(out: &mut String, digits: &str) {
    out.extend(digits.chars().filter(|c| *c != ','));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_sorted() {
        assert!(UNITS.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn what_is_written_in_several_ways_has_one_form() {
        for same in [
            &["15 minutes", "15-minute", "15min", "15 mins"][..],
            &["1,024 rows", "1024 rows", "1024 Rows."],
            &["“two” files", "2 files", "`two` files"],
            &["don’t", "don't"],
            &["ﬁle", "file"],
        ] {
            for text in same {
                assert_eq!(of(text), of(same[0]), "{text}");
            }
        }
        assert_ne!(of("15 minutes"), of("15 hours"));
        assert_eq!(number("2,500 ms"), "2500ms");
    }
}
