//! One-line previews: the first words of a text, white space folded.

/// Longest preview, in characters.
pub const LENGTH: usize = 96;

/// All of `text` on one line: every run of white space as one space and none at the ends.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first [`LENGTH`] characters of `text` with every run of white space as one space and none at the ends; the last
/// of them is "…" where more follows. Other characters stay as they are: this is data, made safe only when it is
/// displayed.
pub fn of(text: &str) -> String {
    first(text, LENGTH)
}

/// The same of the first `length` characters.
pub fn first(text: &str, length: usize) -> String {
    // A gap and one character more show that something follows.
    let mut words = beginning(text, length + 2);
    let mut ends = words.char_indices().map(|(at, _)| at).skip(length.saturating_sub(1));
    if let Some((cut, _)) = ends.next().zip(ends.next()) {
        words.truncate(words[..cut].trim_end().len());
        words.push('…');
    }
    words
}

/// The first `length` characters of `text` folded so, without a mark where more follows.
pub fn beginning(text: &str, length: usize) -> String {
    // Far more than a preview can need, and a bound on what blank text of any length costs.
    let head = floor(text, length * 64).trim_start();
    if let Some(plain) = plain(head, length) {
        return plain.to_owned();
    }
    let mut out = String::with_capacity(head.len().min(length + length / 4));
    let mut left = length;
    let mut gap = false;
    for c in head.chars() {
        if c.is_whitespace() {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            if left <= 1 {
                break;
            }
            out.push(' ');
            left -= 1;
        }
        if left == 0 {
            break;
        }
        out.push(c);
        left -= 1;
    }
    out
}

/// The first `length` characters of `head` where they need no folding, as most do not: printable, with single spaces.
fn plain(head: &str, length: usize) -> Option<&str> {
    let cut = head.len().min(length);
    let mut before = b'.';
    for byte in &head.as_bytes()[..cut] {
        let folds = *byte < b' ' || (*byte == b' ' && before == b' ');
        if folds || !byte.is_ascii() {
            return None;
        }
        before = *byte;
    }
    Some(head[..cut].trim_end())
}

/// What somebody typed, as a message quotes it: what to do next must not be pushed out of sight.
pub fn quoted(text: &str) -> std::borrow::Cow<'_, str> {
    const MOST: usize = 32;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The longest prefix of `text` of at most `bytes` bytes that ends between characters.
pub fn floor(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_white_space_and_stops() {
        assert_eq!(of("  a\n\n b\tc "), "a b c");
        assert_eq!(of(&"x".repeat(500)).chars().count(), LENGTH);
        assert_eq!(of(&"é ".repeat(500)).chars().count(), LENGTH);
        assert_eq!(of("   \n"), "");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(first("ab cd", 5), "ab cd");
        assert_eq!(first("ab cd \n", 5), "ab cd");
        assert_eq!(first("ab cde", 5), "ab c…");
        assert_eq!(first("ab  c d e", 4), "ab…");
        assert_eq!(first("éé éé", 4), "éé…");
        assert_eq!(beginning("ab cde", 5), "ab cd");
        assert_eq!(of(&format!("{} y", "x".repeat(LENGTH - 1))), format!("{}…", "x".repeat(LENGTH - 1)));
        assert_eq!(of(&"x".repeat(LENGTH)), "x".repeat(LENGTH));
    }

    #[test]
    fn what_is_quoted_is_short() {
        assert_eq!(quoted("é"), "é");
        assert_eq!(quoted(&"é".repeat(32)), "é".repeat(32));
        assert_eq!(quoted(&"é".repeat(33)), format!("{}…", "é".repeat(32)));
    }

    #[test]
    fn floor_never_cuts_a_character() {
        assert_eq!(floor("aé", 2), "a");
        assert_eq!(floor("aé", 9), "aé");
    }
}
