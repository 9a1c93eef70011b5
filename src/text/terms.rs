//! Terms as the cold forest counts them: words of prose and of agents' logs.
//!
//! Two ways. [`each_mixed`] is made for logs: runs of letters and digits, the pieces of `camelCase`, and whole paths,
//! versions and qualified names beside their pieces, without stop words. [`each_plain`] is what the published
//! implementation counts, kept for comparison: runs of ASCII letters and digits, and nothing else. Unlike
//! [`super::words`], nothing is stemmed here: an exact name is what most questions ask for.

use std::ops::Range;

use super::words;

/// What joins the runs of a compound: `src/text/terms.rs`, `10.2.1`, `union_find::forest`.
const JOINERS: [char; 8] = ['.', '_', ':', '/', '@', '#', '-', '\\'];
/// A longer compound is text run together, not a name.
const COMPOUND: usize = 80;
/// Only words longer than this are split at case changes.
const SPLIT: usize = 3;
/// A word of more pieces is no identifier but encoded data.
const PIECES: usize = 8;

/// Calls `take` with every run of ASCII letters and digits of `text`, lower-case.
pub fn each_plain(text: &str, mut take: impl FnMut(&str)) {
    // Lower-casing comes first: a few letters outside ASCII have their small ones inside.
    let lower = text.to_lowercase();
    for run in lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
        take(run);
    }
}

/// Calls `take` with every term of `text`, lower-case, stop words left out.
pub fn each_mixed(text: &str, mut take: impl FnMut(&str)) {
    let mut buffer = String::new();
    let mut give = |found: &str| {
        buffer.clear();
        if found.is_ascii() {
            buffer.push_str(found);
            buffer.make_ascii_lowercase();
        } else {
            buffer.extend(found.chars().flat_map(char::to_lowercase));
        }
        if !words::is_stop(&buffer) {
            take(&buffer);
        }
    };
    for compound in compounds(text) {
        let compound = &text[compound];
        let mut runs = 0;
        for run in compound.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
            runs += 1;
            each_of_run(run, &mut give);
        }
        if runs > 1 && compound.chars().nth(COMPOUND).is_none() {
            give(compound);
        }
    }
}

/// Runs of letters, digits and joiners, from their first letter or digit to their last.
fn compounds(text: &str) -> impl Iterator<Item = Range<usize>> {
    let start = text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric() && !JOINERS.contains(&c)).filter_map(move |run| {
        let run = run.trim_matches(JOINERS);
        let from = run.as_ptr() as usize - start;
        (!run.is_empty()).then_some(from..from + run.len())
    })
}

/// A run of letters and digits, its pieces, or where it writes no spaces, each two neighbours of its characters.
fn each_of_run(run: &str, give: &mut impl FnMut(&str)) {
    if !run.is_ascii() && run.chars().any(writes_no_spaces) {
        let places: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        if places.len() > 3 {
            places.windows(3).for_each(|three| give(&run[three[0]..three[2]]));
            return;
        }
    }
    give(run);
    if run.len() > SPLIT {
        let cuts = case_changes(run);
        if !cuts.is_empty() && cuts.len() < PIECES {
            let begins = std::iter::once(0).chain(cuts.iter().copied());
            let ends = cuts.iter().copied().chain([run.len()]);
            begins
                .zip(ends)
                .map(|(from, to)| &run[from..to])
                .filter(|piece| piece.chars().nth(1).is_some())
                .for_each(give);
        }
    }
}

/// Where a run's pieces begin, the first not counted: at a capital behind a small letter or a digit, and at the last
/// capital of several that a small letter follows.
fn case_changes(run: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut before: Option<(usize, char, bool)> = None;
    for (at, c) in run.char_indices() {
        if let Some((place, last, opens)) = before {
            if c.is_uppercase() && !last.is_uppercase() {
                cuts.push(at);
            } else if c.is_lowercase() && last.is_uppercase() && !opens {
                cuts.push(place);
            }
        }
        let opens = before.is_none_or(|(_, last, _)| !last.is_uppercase());
        before = Some((at, c, opens));
    }
    cuts
}

/// Han, kana, Thai, Lao, Khmer and Burmese letters.
fn writes_no_spaces(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        each_mixed(text, |term| out.push(term.to_owned()));
        out
    }

    #[test]
    fn names_are_split_and_kept_whole() {
        assert_eq!(
            mixed("Edit src/parseConfig.rs."),
            ["edit", "src", "parseconfig", "parse", "config", "rs", "src/parseconfig.rs"]
        );
        assert_eq!(mixed("HTTPServer v2.1.7"), ["httpserver", "http", "server", "v2", "1", "7", "v2.1.7"]);
        assert_eq!(mixed("the (MAX_SIZE) and - ../x"), ["max", "size", "max_size", "x"]);
        assert_eq!(mixed("größeÄndern"), ["größeändern", "größe", "ändern"]);
    }

    #[test]
    fn what_is_no_name_is_not_kept_whole() {
        let long = format!("{}x", "ab/".repeat(40));
        assert!(mixed(&long).iter().all(|term| !term.contains('/')));
        assert_eq!(mixed("aBcDeFgHiJkLmNoPqRsT"), ["abcdefghijklmnopqrst"]);
    }

    #[test]
    fn text_without_spaces_gives_neighbours() {
        assert_eq!(mixed("数据库迁移"), ["数据", "据库", "库迁", "迁移"]);
        assert_eq!(mixed("数据"), ["数据"]);
    }

    #[test]
    fn plain_terms_are_ascii_runs() {
        let mut out = Vec::new();
        each_plain("Port 5432, K\u{212A} naïve_x", |term| out.push(term.to_owned()));
        assert_eq!(out, ["port", "5432", "kk", "na", "ve", "x"]);
    }
}
