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
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}
