//! The one door from log text to display text.
//!
//! A log holds whatever a tool printed: escape sequences, bidirectional overrides, half a terminal's command set.
//! Nothing of that may reach the terminal. Whole escape sequences are replaced by one visible stand-in, other
//! control characters by their pictures (U+2400 and on), bidirectional controls, tags and whatever else is made to be
//! invisible by `�`, a tab by spaces, and a cluster keeps at most eight combining marks. Joiners and one variation
//! selector stay where emoji and scripts need them. Output that goes to a pipe as JSON does not pass here.

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
    let mut run = Run::default();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let verdict = run.next(c);
        match c {
            '\t' => out.push_str(TAB),
            '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                out.push(ESCAPE);
                rest = after_sequence(c, rest);
            }
            '\0'..='\u{1f}' => out.push(picture(c as u32)),
            '\u{7f}' => out.push('␡'),
            _ => match verdict {
                Verdict::Keep => out.push(c),
                Verdict::Hide => out.push(HIDDEN),
                Verdict::Drop => {}
            },
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

/// What is to be done with a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is harmless.
    Keep,
    /// A terminal would act on it, or show something else than a reader sees.
    Hide,
    /// One mark too many on one character.
    Drop,
}

/// Judges the characters of a text one after another.
#[derive(Debug, Default)]
pub struct Run {
    /// Zero-width characters in a row.
    marks: usize,
    /// Columns of the character before, as it is shown.
    before: usize,
}

impl Run {
    /// What is to be done with the next character.
    pub fn next(&mut self, c: char) -> Verdict {
        let columns = columns(c);
        self.marks = if columns == 0 { self.marks + 1 } else { 0 };
        let verdict = match c {
            _ if c.is_control() || self.before < selector(c) => Verdict::Hide,
            _ if is_hidden(c) && !is_selector(c) => Verdict::Hide,
            _ if self.marks > MARKS => Verdict::Drop,
            _ => Verdict::Keep,
        };
        self.before = match verdict {
            Verdict::Keep => columns,
            // What stands for it is one column wide where it was wider.
            Verdict::Hide => columns.min(1),
            Verdict::Drop => self.before,
        };
        verdict
    }
}

/// Whether `text` is safe as it is, but for its line breaks.
pub fn is_safe(text: &str) -> bool {
    let mut run = Run::default();
    text.chars().all(|c| c == '\n' || run.next(c) == Verdict::Keep)
}

/// Characters that change the order of what follows, or carry text nobody sees.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}'
        | '\u{2028}' | '\u{2029}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' | '\u{feff}' | '\u{ad}'
        | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
}

/// Selectors of ideographs: there are enough of them to carry any text.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{e0100}'..='\u{e01ef}')
}

/// How many columns the character before a variation selector must have, so that there is something to vary.
fn selector(c: char) -> usize {
    match c {
        _ if is_selector(c) => 2,
        '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => 1,
        _ => 0,
    }
}

/// How many columns a character takes by itself; what is no text counts as one.
fn columns(c: char) -> usize {
    if (c as u32) < 0x300 { 1 } else { unicode_width::UnicodeWidthChar::width(c).unwrap_or(1) }
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
    fn what_is_made_to_be_invisible_is_visible() {
        for c in [
            '\u{ad}',
            '\u{200b}',
            '\u{2060}',
            '\u{2065}',
            '\u{feff}',
            '\u{e0041}',
            '\u{e0fff}',
            '\u{180e}',
            '\u{fff0}',
        ] {
            assert_eq!(safe(&format!("a{c}b")), "a�b", "{c:?}");
        }
    }

    #[test]
    fn joiners_and_one_selector_stay_and_more_of_them_do_not() {
        for text in [
            "👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "葛\u{e0100}城",
            "می\u{200c}خواهم",
        ] {
            assert_eq!(safe(text), text);
        }
        assert_eq!(safe("a\u{fe00}\u{fe01}\u{fe02}"), "a\u{fe00}��");
        assert_eq!(safe("a\u{e0100}b葛\u{e0100}\u{e0101}"), "a�b葛\u{e0100}�");
        assert_eq!(safe("\u{fe0f}a"), "�a");
    }

    #[test]
    fn marks_are_capped() {
        let text = format!("e{}", "\u{301}".repeat(50));
        assert_eq!(safe(&text).chars().count(), 1 + MARKS);
    }

    #[test]
    fn a_selector_behind_a_wide_character_that_is_hidden_is_hidden_too() {
        // A filler of two columns is shown as one of one: then there is nothing of two columns to select a form of.
        let shown = safe("0\u{115f}\u{e0152}");
        assert_eq!(shown, "0��");
        assert!(is_safe(&shown));
        assert_eq!(safe("字\u{e0100}"), "字\u{e0100}");
    }

    proptest! {
        #[test]
        fn nothing_dangerous_is_left_and_a_second_pass_changes_nothing(text in "(\\PC|[\\x00-\\x1f\\x7f-\\u{9f}\\u{202a}-\\u{202e}\\u{300}\\u{fe00}-\\u{fe02}\\u{e0100}-\\u{e0102}葛\\[\\]0-9;m]){0,40}") {
            let once = safe(&text).into_owned();
            prop_assert!(!once.chars().any(|c| c.is_control() || (is_hidden(c) && !is_selector(c))));
            prop_assert_eq!(safe(&once).into_owned(), once);
        }
    }
}
