//! What a terminal may receive from this program, read byte by byte; everything else is a leak.

/// How many zero-width characters may follow one another.
const MARKS: usize = 8;

/// Who wrote the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The interface: it moves the cursor, and never writes a line break.
    Interface,
    /// A command: text and line breaks, not one escape sequence.
    Command,
}

/// The modes that the interface sets and resets.
const MODES: [&str; 10] = ["25", "1000", "1002", "1003", "1006", "1015", "1049", "2004", "2026", "1"];

/// The first thing in `bytes` that `writer` must not send, with what stands around it. Texts that were copied are
/// added to `copied`.
pub fn leak(bytes: &[u8], writer: Writer, copied: &mut Vec<String>) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The last character may be on its way.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(error) => return Some(format!("no UTF-8 at byte {}", error.valid_up_to())),
    };
    let mut rest = text;
    let mut marks = 0;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let leak = |what: &str| {
            let at = text.len() - rest.len();
            let around: String =
                text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
            Some(format!("{what} at byte {at}: {:?}", around + &rest.chars().take(40).collect::<String>()))
        };
        if c == '\u{1b}' && writer == Writer::Interface {
            match sequence(after, copied) {
                Some(length) => rest = &after[length..],
                // It may be on its way.
                None if after.len() < 64 && !after.contains('\u{1b}') => return None,
                None => return leak("a sequence of somebody else's"),
            }
            marks = 0;
            continue;
        }
        match c {
            '\r' | '\n' if writer == Writer::Command => {}
            _ if c.is_control() => return leak("a control character"),
            _ if is_invisible(c) => return leak("an invisible character"),
            _ => {}
        }
        marks = if width(c) == 0 { marks + 1 } else { 0 };
        if marks > MARKS {
            return leak("a heap of marks");
        }
        rest = after;
    }
    None
}

fn width(c: char) -> usize {
    unicode_width::UnicodeWidthChar::width(c).unwrap_or(0)
}

/// Characters that reorder or hide text, written out again so that the program is not its own judge.
fn is_invisible(c: char) -> bool {
    let ranges: [(u32, u32); 17] = [
        (0xad, 0xad),
        (0x61c, 0x61c),
        (0x115f, 0x1160),
        (0x17b4, 0x17b5),
        (0x180e, 0x180e),
        (0x200b, 0x200b),
        (0x200e, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x206f),
        (0x3164, 0x3164),
        (0xfeff, 0xfeff),
        (0xffa0, 0xffa0),
        (0xfff0, 0xfffb),
        (0x1bca0, 0x1bca3),
        (0x1d173, 0x1d17a),
        (0xe0000, 0xe00ff),
        (0xe01f0, 0xe0fff),
    ];
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&(c as u32)))
}

/// The length of the sequence that `after` goes on with behind its ESC, if it is one of the program's own.
fn sequence(after: &str, copied: &mut Vec<String>) -> Option<usize> {
    if let Some(text) = after.strip_prefix("]52;c;") {
        let end = text.find("\u{1b}\\")?;
        copied.push(decoded(&text[..end])?);
        return Some("]52;c;".len() + end + 2);
    }
    let inside = after.strip_prefix('[')?;
    let end = inside.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?'))?;
    let (parameters, last) = (&inside[..end], inside[end..].chars().next()?);
    let numbers = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b';');
    let own = match last {
        'm' => parameters.bytes().all(|b| b.is_ascii_digit() || b == b';' || b == b':'),
        'H' => numbers(parameters),
        'J' => ["2", "", "0"].contains(&parameters),
        'h' | 'l' => parameters.strip_prefix('?').is_some_and(|mode| MODES.contains(&mode)),
        _ => false,
    };
    own.then_some(1 + end + 1)
}

/// What base64 says, if it is base64 of UTF-8.
fn decoded(text: &str) -> Option<String> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = 0_u32;
    let mut held = 0;
    let mut bytes = Vec::new();
    for digit in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | DIGITS.iter().position(|known| *known == digit)? as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaks(text: &str, writer: Writer) -> bool {
        leak(text.as_bytes(), writer, &mut Vec::new()).is_some()
    }

    #[test]
    fn the_programs_own_sequences_pass_and_no_others() {
        let mut copied = Vec::new();
        let own = "\u{1b}[?1049h\u{1b}[2J\u{1b}[3;4Hé\u{1b}[38;5;9m\u{1b}]52;c;Zm9v\u{1b}\\e\u{301}";
        assert_eq!(leak(own.as_bytes(), Writer::Interface, &mut copied), None);
        assert_eq!(copied, ["foo"]);
        let tail = "x".repeat(100);
        for other in [
            "\u{1b}]0;t\u{7}",
            "\u{1b}]52;c;\u{1b}[31m",
            "\u{1b}c",
            "\u{1b}[6n",
            "\u{1b}[?5h",
            "\u{1b}Pq",
            "\u{9b}31m",
            "\n",
        ] {
            assert!(leaks(&format!("a{other}{tail}"), Writer::Interface), "{other:?}");
        }
        for other in [
            "\u{1b}[31m",
            "\t",
            "\u{8}",
            "\u{202e}",
            "\u{e0041}",
            "\u{feff}",
            "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        ] {
            assert!(leaks(&format!("a{other}{tail}"), Writer::Command), "{other:?}");
        }
        assert!(!leaks("plain\r\n日本 👨\u{200d}👩", Writer::Command));
    }
}
