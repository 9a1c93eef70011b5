//! Standard output that a terminal can bear.
//!
//! Text passes [`display::safe`] on its way here; JSON and a log's own lines must not. JSON writes control characters
//! below U+0020 as escapes itself, but lets the rest through: what a terminal would act on is written as `\\uXXXX`
//! here, which is the same JSON. Into a pipe or a file nothing is changed.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::text::display::{Run, Verdict};

/// A writer in front of a terminal, or of anything else.
pub struct Guarded<W> {
    inner: W,
    on_terminal: bool,
    /// The beginning of a character whose rest has not been written yet.
    pending: Vec<u8>,
    run: Run,
}

impl<W: Write> Guarded<W> {
    /// Guards `inner` if it is a terminal.
    pub fn new(inner: W, on_terminal: bool) -> Self {
        Self { inner, on_terminal, pending: Vec::new(), run: Run::default() }
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.on_terminal {
            return self.inner.write(bytes);
        }
        self.pending.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.pending) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.pending.len(),
        };
        let rest = self.pending.split_off(whole);
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.pending = rest;
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            let verdict = self.run.next(c);
            if verdict != Verdict::Keep && c != '\n' {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            } else {
                out.push(c);
            }
        }
        self.inner.write_all(out.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(on_terminal: bool, pieces: &[&[u8]]) -> String {
        let mut guarded = Guarded::new(Vec::new(), on_terminal);
        for piece in pieces {
            guarded.write_all(piece).unwrap();
        }
        String::from_utf8(guarded.inner).unwrap()
    }

    #[test]
    fn a_terminal_gets_escapes_and_a_pipe_the_bytes() {
        let json = "{\"a\":\"\u{9b}31m\u{202e}\u{7f}é日\"}\n";
        assert_eq!(written(true, &[json.as_bytes()]), "{\"a\":\"\\u009b31m\\u202e\\u007fé日\"}\n");
        assert_eq!(written(false, &[json.as_bytes()]), json);
    }

    #[test]
    fn marks_beyond_what_a_character_bears_are_escapes() {
        let json = format!("\"e{}\"", "\u{301}".repeat(10));
        let shown = format!("\"e{}\\u0301\\u0301\"", "\u{301}".repeat(8));
        assert_eq!(written(true, &[json.as_bytes()]), shown);
    }

    #[test]
    fn a_character_cut_in_two_arrives_whole() {
        let bytes = "é日".as_bytes();
        assert_eq!(written(true, &[&bytes[..1], &bytes[1..3], &bytes[3..]]), "é日");
    }
}
