//! Second chances for lines that a strict reader refuses.
//!
//! Some kinds of damage leave a line readable: bytes that are not UTF-8, half a surrogate pair (`\ud83d` alone, which
//! programs write when they cut a string in the middle of an emoji), zero bytes around it (which a crash leaves at the
//! end of a file, and the next record then stands behind), a mark of the byte order before it, and numbers too large
//! for any machine. The first two become U+FFFD, zero bytes and marks are left out, such a number becomes `null`.
//! Everything else stays as it is: a line that is still no JSON then is malformed.

use std::borrow::Cow;

/// `line` with such damage mended; borrowed where there is none.
pub fn mend(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bare(line));
    let halves = lone_surrogates(text.as_bytes());
    let numbers = endless_numbers(text.as_bytes());
    if halves.is_empty() && numbers.is_empty() {
        return text;
    }
    let mut bytes = text.into_owned().into_bytes();
    for at in halves {
        bytes[at..at + 6].copy_from_slice(br"\ufffd");
    }
    for number in numbers {
        let length = number.len();
        bytes[number].copy_from_slice(format!("{:<length$}", "null").as_bytes());
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// `line` without the zero bytes at its ends and a mark of the byte order.
fn bare(line: &[u8]) -> &[u8] {
    let filled = |byte: &u8| *byte != 0;
    let Some(first) = line.iter().position(filled) else { return line };
    let last = line.iter().rposition(filled).unwrap_or(first);
    let line = &line[first..=last];
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
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

/// Where numbers stand that are infinite once they are read. At least five bytes long: `1e999`.
fn endless_numbers(line: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b'"' => at = after_string(line, at + 1),
            b'-' | b'0'..=b'9' => {
                let rest = &line[at..];
                let in_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let length = rest.iter().position(|byte| !in_number(byte)).unwrap_or(rest.len());
                let value =
                    std::str::from_utf8(&rest[..length]).ok().and_then(|text| text.parse::<f64>().ok());
                if value.is_some_and(f64::is_infinite) {
                    found.push(at..at + length);
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    found
}

/// The place behind the string whose inside begins at `at`.
fn after_string(line: &[u8], mut at: usize) -> usize {
    while let Some(step) = memchr::memchr2(b'"', b'\\', &line[at.min(line.len())..]) {
        at += step;
        if line[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    line.len()
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

    #[test]
    fn zero_bytes_around_a_line_are_left_out() {
        assert_eq!(mend(b"\0\0{}\0"), "{}");
        assert_eq!(mend(b"{\"a\":\"\0\"}"), "{\"a\":\"\0\"}");
        assert_eq!(mend(b"\0\0"), "\0\0");
        assert_eq!(mend("\u{feff}{}".as_bytes()), "{}");
    }

    #[test]
    fn numbers_without_end_are_no_values_and_others_stay() {
        assert_eq!(mend(br#"{"a":1e999,"b":-1E+400}"#), r#"{"a":null ,"b":null   }"#);
        for line in [r#"{"a":1e30,"b":-0.5e-999}"#, r#"["1e999","\"1e999",1]"#, "\"1e999", "1e999x\\\""] {
            let mended = mend(line.as_bytes());
            assert_eq!(mended.contains("1e"), line.contains("1e") && !line.starts_with('1'), "{mended}");
        }
    }
}
