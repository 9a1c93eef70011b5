//! One line to one record, whatever its format: the second chance of a damaged line, and why a line is none.

use super::facts::{Body, Record};

/// Reads `line` with `parse`, mended where it cannot be read as it is. Never fails.
pub(super) fn read(line: &[u8], mut parse: impl FnMut(&str) -> serde_json::Result<Record>) -> Record {
    // Checked as a whole, the line need not be checked again string by string: a quarter of the time.
    if let Some(Ok(record)) = simdutf8::basic::from_utf8(line).ok().map(&mut parse) {
        return record;
    }
    match parse(&super::repair::mend(line)) {
        Ok(record) => Record { repaired: true, ..record },
        Err(error) => Record::bare("malformed", Body::Malformed(reason(line, &error).into())),
    }
}

/// Why a line is no record.
fn reason(line: &[u8], error: &serde_json::Error) -> String {
    if line.iter().all(|b| *b == 0) {
        return format!("{} zero bytes, as a crash leaves them", line.len());
    }
    if error.is_eof() {
        return format!("ends in the middle of a value, after byte {}", line.len());
    }
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("{what} at byte {}", error.column())
}

/// `now`, where it is not empty and differs from the `last` one, which it replaces.
pub(super) fn changed(last: &mut String, now: &str) -> Option<Box<str>> {
    if now.is_empty() || last == now {
        return None;
    }
    now.clone_into(last);
    Some(now.into())
}

/// An ISO 8601 time in milliseconds since the epoch.
pub(super) fn milliseconds(text: &str) -> Option<i64> {
    usual(text.as_bytes())
        .or_else(|| text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond))
}

/// The same of a time as agents write it, `2026-02-23T11:54:52.352Z`, with far less work: there is one in every line.
fn usual(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let mut digits = true;
    let mut number = |from: usize, to: usize| {
        text[from..to].iter().fold(0, |sum, byte| {
            digits &= byte.is_ascii_digit();
            sum * 10 + i64::from(byte.wrapping_sub(b'0'))
        })
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second, millisecond) =
        (number(11, 13), number(14, 16), number(17, 19), number(20, 23));
    let marks = [text[4], text[7], text[10], text[13], text[16], text[19], text[23]];
    if !digits || marks != *b"--T::.Z" {
        return None;
    }
    // Only what every month and every minute has.
    let is_plain =
        (1..=12).contains(&month) && (1..=28).contains(&day) && hour < 24 && minute < 60 && second < 60;
    // Years are counted from March, so that the day that not every year has is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
        - 719_469;
    is_plain.then_some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_time_as_agents_write_it_is_what_any_reader_makes_of_it(
            text in "[0-9]{4}-(0[0-9]|1[0-9])-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9][.][0-9]{3}Z",
        ) {
            let time = text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond);
            prop_assert_eq!(milliseconds(&text), time);
            if let Some(usual) = usual(text.as_bytes()) {
                prop_assert_eq!(Some(usual), time);
            }
        }
    }

    #[test]
    fn times_are_read() {
        assert_eq!(usual(b"1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(usual(b"2026-02-23T11:54:52.352Z"), Some(1_771_847_692_352));
        assert_eq!(usual(b"2026-02-23T11:54:52,352Z"), None);
        assert_eq!(milliseconds("2026-01-31T23:59:60Z"), milliseconds("2026-01-31T23:59:59Z"));
        assert_eq!(milliseconds("2026-02-23T12:54:52.352+01:00"), Some(1_771_847_692_352));
        assert_eq!(milliseconds("2026-02-30T12:54:52.352Z"), None);
    }
}
