//! Second chances for lines that a strict reader refuses.
//!
//! Two kinds of damage leave a line readable: bytes that are not UTF-8, and half a surrogate pair (`\ud83d` alone,
//! which programs write when they cut a string in the middle of an emoji). Both become U+FFFD. Everything else
//! stays as it is: a line that is still no JSON then is malformed.

use std::borrow::Cow;

/// `line` with such damage mended; borrowed where there is none.
pub fn mend(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line);
    match lone_surrogates(text.as_bytes()) {
        spots if spots.is_empty() => text,
        spots => {
            let mut bytes = text.into_owned().into_bytes();
            for at in spots {
                bytes[at..at + 6].copy_from_slice(br"\ufffd");
            }
            Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
        }
    }
}

/// Where the escapes of lone surrogates begin.
fn lone_surrogates(line: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'\\', &line[at..]) {
        at += step;
        match unit(line, at) {
            Some(0xd800..=0xdbff) if matches!(unit(line, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                found.push(at);
                at += 6;
            }
            Some(_) => at += 6,
            None => at = (at + 2).min(line.len()),
        }
    }
    found
}

/// The code unit of a `\uXXXX` escape at `at`.
fn unit(line: &[u8], at: usize) -> Option<u32> {
    let escape = line.get(at..at + 6)?;
    if !escape.starts_with(br"\u") {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_become_replacements_and_pairs_stay() {
        assert_eq!(mend(br#""a\ud83d b""#), r#""a\ufffd b""#);
        assert_eq!(mend(br#""\ude00\ud83d""#), r#""\ufffd\ufffd""#);
        assert_eq!(mend(br#""\ud83d\ude00""#), r#""\ud83d\ude00""#);
        assert_eq!(mend(br#""\\ud83d""#), r#""\\ud83d""#);
        assert_eq!(mend(b"\"\\"), "\"\\");
        assert_eq!(mend(b"\"\xff\""), "\"\u{fffd}\"");
    }
}
