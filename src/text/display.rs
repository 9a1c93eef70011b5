//! The one door from log text to display text.
//!
//! A log holds whatever a tool printed: escape sequences, bidirectional overrides, half a terminal's command set.
//! Nothing of that may reach the terminal. Whole escape sequences are replaced by one visible stand-in, other
//! control characters by their pictures (U+2400 and on), bidirectional controls and tags by `�`, a tab by
//! spaces, and a cluster keeps at most eight combining marks. Output that goes to a pipe as JSON does not pass here.

use std::borrow::Cow;

/// How many zero-width characters may follow one another.
const MARKS: usize = 8;
/// What stands for a whole escape sequence.
const ESCAPE: char = '␛';
/// What stands for a character that would reorder, hide or tag text.
const HIDDEN: char = '�';
/// Columns a tab is worth.
const TAB: &str = "    ";

/// `text` made safe for a terminal. A newline counts as a control character: split lines before calling.
/// Idempotent: display text passes through unchanged.
pub fn safe(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut marks = 0;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let zero_width = is_zero_width(c);
        marks = if zero_width { marks + 1 } else { 0 };
        match c {
            '\t' => out.push_str(TAB),
            '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                out.push(ESCAPE);
                rest = after_sequence(c, rest);
            }
            '\0'..='\u{1f}' => out.push(picture(c as u32)),
            '\u{7f}' => out.push('␡'),
            '\u{80}'..='\u{9f}' => out.push(HIDDEN),
            _ if is_hidden(c) => out.push(HIDDEN),
            _ if zero_width && marks > MARKS => {}
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// `text` as a name in an address, which is typed, printed and cut at `/` and `.`: letters and digits stay as they
/// are, anything else but `-` and `_` becomes `_`. Nothing where there is no text.
pub fn name(text: &str) -> Option<Box<str>> {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    (!text.is_empty()).then(|| text.chars().map(plain).collect::<String>().into())
}

fn picture(code: u32) -> char {
    char::from_u32(0x2400 + code).unwrap_or(HIDDEN)
}

/// Whether a terminal would act on `c`, or show something else than a reader sees.
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || is_hidden(c)
}

/// Characters that change the order of what follows, or carry text nobody sees.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}'
        | '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{feff}' | '\u{ad}'
        | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

fn is_zero_width(c: char) -> bool {
    c as u32 >= 0x300 && unicode_width::UnicodeWidthChar::width(c) == Some(0)
}

/// What follows the escape sequence that `first` opens: the rest after its final byte, or after its terminator,
/// or the text right after `first` where no sequence stands there.
fn after_sequence(first: char, rest: std::str::Chars<'_>) -> std::str::Chars<'_> {
    let mut after = rest.clone();
    let opener = if first == '\u{1b}' {
        match after.next() {
            Some(c @ ('[' | ']' | 'P' | 'X' | '^' | '_')) => c,
            // A two-character sequence such as ESC 7 or ESC c; with intermediates such as ESC ( B.
            Some('\u{20}'..='\u{2f}') => {
                let mut inner = after.clone();
                return match inner.next() {
                    Some('0'..='~') => inner,
                    _ => after,
                };
            }
            Some('0'..='~') => return after,
            _ => return rest,
        }
    } else {
        match first {
            '\u{9b}' => '[',
            '\u{9d}' => ']',
            _ => 'P',
        }
    };
    if opener == '[' { after_control(&after) } else { after_string(&after) }
}

/// The end of a CSI sequence: parameters and intermediates, then one final byte.
fn after_control<'a>(text: &std::str::Chars<'a>) -> std::str::Chars<'a> {
    let mut at = text.clone();
    loop {
        let mut next = at.clone();
        match next.next() {
            Some('\u{20}'..='\u{3f}') => at = next,
            Some('@'..='~') => return next,
            _ => return at,
        }
    }
}

/// The end of an OSC, DCS, APC, PM or SOS string: BEL, ST, or where a newline or another escape cuts it.
fn after_string<'a>(text: &std::str::Chars<'a>) -> std::str::Chars<'a> {
    let mut at = text.clone();
    loop {
        let mut next = at.clone();
        match next.next() {
            Some('\u{7}' | '\u{9c}') => return next,
            Some('\u{1b}') => {
                let mut end = next.clone();
                return if end.next() == Some('\\') { end } else { at };
            }
            Some('\n') | None => return at,
            Some(_) => at = next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(safe("plain text 123 {}"), Cow::Borrowed(_)));
    }

    #[test]
    fn sequences_become_one_stand_in() {
        assert_eq!(safe("a\u{1b}[31mred\u{1b}[0m"), "a␛red␛");
        assert_eq!(safe("A\u{1b}]0;title\u{7}B"), "A␛B");
        assert_eq!(safe("A\u{1b}]52;c;Zm9v\u{1b}\\B"), "A␛B");
        assert_eq!(safe("A\u{1b}Pq#0\u{1b}\\B"), "A␛B");
        assert_eq!(safe("A\u{9b}2JB"), "A␛B");
        assert_eq!(safe("\u{1b}(Bx"), "␛x");
        assert_eq!(safe("end\u{1b}"), "end␛");
    }

    #[test]
    fn controls_tabs_and_overrides_are_visible() {
        assert_eq!(safe("a\tb"), "a    b");
        assert_eq!(safe("a\u{0}\u{8}\u{7f}"), "a␀␈␡");
        assert_eq!(safe("a\u{202e}b\u{2066}c"), "a�b�c");
        assert_eq!(safe("caf\u{e9} 日本"), "café 日本");
    }

    #[test]
    fn marks_are_capped() {
        let text = format!("e{}", "\u{301}".repeat(50));
        assert_eq!(safe(&text).chars().count(), 1 + MARKS);
    }

    proptest! {
        #[test]
        fn nothing_dangerous_is_left_and_a_second_pass_changes_nothing(text in "(\\PC|[\\x00-\\x1f\\x7f-\\u{9f}\\u{202a}-\\u{202e}\\[\\]0-9;m]){0,40}") {
            let once = safe(&text).into_owned();
            prop_assert!(!once.chars().any(|c| c.is_control() || is_hidden(c)));
            prop_assert_eq!(safe(&once).into_owned(), once);
        }
    }
}
