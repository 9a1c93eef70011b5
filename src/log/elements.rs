//! Files that are one JSON value: the elements of their array, each of which counts as a line.
//!
//! Owns where such an array begins and where each of its elements does, found while the bytes come. An array that is not
//! closed goes on when the file grows. A file is one only if its first byte opens an array of objects, or an object that
//! holds such an array under `events` before anything that records of other files have; where the array turns out to be
//! broken, or has ended, lines are lines again.

use std::ops::Range;

/// How far the array may be from the first byte.
const HEAD: usize = 1 << 20;

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// Not enough to tell.
    More,
    /// Its lines are lines.
    Lines,
    /// The elements of the array that opens at this byte are.
    Array {
        /// Behind its bracket.
        at: usize,
        /// An object is around it.
        inside: bool,
    },
}

/// What `head`, the first bytes of a file, says. More of them never change an answer.
pub(super) fn begin(head: &[u8]) -> Begin {
    let undecided = if head.len() < HEAD { Begin::More } else { Begin::Lines };
    let head = &head[..head.len().min(HEAD)];
    let first = blank(head, if head.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 });
    let found = match head.get(first) {
        None => return undecided,
        Some(b'[') => Some((first + 1, false)),
        Some(b'{') => match events(head, first + 1) {
            Look::Found(at) => Some((at, true)),
            Look::Nothing => None,
            Look::More => return undecided,
        },
        Some(_) => None,
    };
    let Some((at, inside)) = found else { return Begin::Lines };
    match head.get(blank(head, at)) {
        None => undecided,
        Some(b'{' | b']') => Begin::Array { at, inside },
        Some(_) => Begin::Lines,
    }
}

/// Behind blank space.
fn blank(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// What a look into some bytes finds.
enum Look<T> {
    Found(T),
    /// It is not there, whatever follows.
    Nothing,
    /// They end before that is known.
    More,
}

/// Where in an object, from `at` on, the array under `events` opens: behind its bracket. There is none where what comes
/// before it belongs to a record.
fn events(bytes: &[u8], mut at: usize) -> Look<usize> {
    loop {
        at = blank(bytes, at);
        if bytes.get(at) == Some(&b',') {
            at = blank(bytes, at + 1);
        }
        let key = match (bytes.get(at), value(bytes, at)) {
            (None | Some(b'"'), Look::More) => return Look::More,
            (Some(b'"'), Look::Found(key)) => key,
            _ => return Look::Nothing,
        };
        let colon = blank(bytes, key.end);
        let from = blank(bytes, colon + 1);
        match (bytes.get(colon), bytes.get(from)) {
            (None, _) | (Some(b':'), None) => return Look::More,
            (Some(b':'), Some(_)) => {}
            (Some(_), _) => return Look::Nothing,
        }
        at = match (&bytes[key], value(bytes, from)) {
            (b"\"events\"", _) if bytes[from] == b'[' => return Look::Found(from + 1),
            (b"\"events\"" | b"\"id\"" | b"\"type\"", _) | (_, Look::Nothing) => return Look::Nothing,
            (_, Look::More) => return Look::More,
            (_, Look::Found(value)) => value.end,
        };
    }
}

/// The value that begins at `at`.
fn value(bytes: &[u8], at: usize) -> Look<Range<usize>> {
    let mut scanner = Scanner::new(at as u64, 1, false);
    for byte in bytes.get(at..).unwrap_or_default() {
        scanner.feed(&[*byte]);
        if let Some(element) = scanner.found.first() {
            return Look::Found(at..at + element.length);
        }
        if scanner.ended.is_some() {
            return Look::Nothing;
        }
    }
    Look::More
}

/// An element of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// Where it begins in the file.
    pub(super) offset: u64,
    /// The physical line on which it begins.
    pub(super) line: u32,
    /// How many bytes it has.
    pub(super) length: usize,
}

/// Finds elements, byte after byte.
#[derive(Debug)]
pub(super) struct Scanner {
    /// Whole elements.
    pub(super) found: Vec<Element>,
    /// The element whose end has not come: where it begins, and on which line.
    pub(super) open: Option<(u64, u32)>,
    /// From here on, on this line, nothing is an element any more.
    pub(super) ended: Option<(u64, u32)>,
    /// Where the next byte is.
    at: u64,
    line: u32,
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// An object is around the array, and what follows in it is passed over.
    inside: bool,
    behind: bool,
}

impl Scanner {
    /// A scanner of what follows behind the bracket at `at`.
    pub(super) fn new(at: u64, line: u32, inside: bool) -> Self {
        Self {
            found: Vec::new(),
            open: None,
            ended: None,
            at,
            line,
            depth: 0,
            in_string: false,
            escaped: false,
            inside,
            behind: false,
        }
    }

    /// Takes what comes next.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.ended.is_some() {
                return;
            }
            self.take(self.at, *byte);
            self.at += 1;
        }
    }

    /// Takes the byte at `at`.
    fn take(&mut self, at: u64, byte: u8) {
        if byte == b'\n' {
            // No string of JSON holds one: what was taken for an element is none.
            if self.in_string {
                self.ended = Some(self.open.unwrap_or((at, self.line)));
                return;
            }
            self.line += 1;
        }
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.in_string = false;
                    self.close(at + 1);
                }
                _ => {}
            }
            return;
        }
        match byte {
            b',' | b':' if self.depth == 0 => self.close(at),
            b']' | b'}' if self.depth == 0 => {
                self.close(at);
                self.leave(at, byte);
            }
            // A number or a word ends here.
            _ if byte.is_ascii_whitespace() => self.close(at),
            _ => {
                self.open.get_or_insert((at, self.line));
                match byte {
                    b'"' => self.in_string = true,
                    b'[' | b'{' => self.depth += 1,
                    b']' | b'}' => {
                        self.depth -= 1;
                        self.close(at + 1);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The array is closed, or the object around it.
    fn leave(&mut self, at: u64, byte: u8) {
        if self.inside && !self.behind && byte == b']' {
            self.behind = true;
            return;
        }
        self.ended = Some((at + 1, self.line));
    }

    /// The element that is open ends before `at`, if nothing in it is open.
    fn close(&mut self, at: u64) {
        if self.depth > 0 {
            return;
        }
        let Some((offset, line)) = self.open.take() else { return };
        if !self.behind {
            self.found.push(Element { offset, line, length: (at - offset) as usize });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(text: &str) -> (Vec<(&str, u32)>, Option<&str>) {
        let Begin::Array { at, inside } = begin(text.as_bytes()) else { return (Vec::new(), Some(text)) };
        let line = 1 + text[..at].matches('\n').count() as u32;
        let mut scanner = Scanner::new(at as u64, line, inside);
        // Byte by byte: nothing may hang on where the file was cut.
        text.as_bytes()[at..].chunks(1).for_each(|bytes| scanner.feed(bytes));
        let found = scanner.found.iter().map(|element| {
            let offset = element.offset as usize;
            (&text[offset..offset + element.length], element.line)
        });
        (found.collect(), scanner.ended.map(|(at, _)| &text[at as usize..]))
    }

    #[test]
    fn arrays_of_objects_are_read_by_element() {
        assert_eq!(
            elements("[{\"a\": \"]}\\\"\"},{}]\n"),
            (vec![("{\"a\": \"]}\\\"\"}", 1), ("{}", 1)], Some("\n"))
        );
        assert_eq!(
            elements("\u{feff} \n[\n {\n  \"a\": [1, {}]\n },\n {}, 7 , \"x\"\n"),
            (vec![("{\n  \"a\": [1, {}]\n }", 3), ("{}", 6), ("7", 6), ("\"x\"", 6)], None)
        );
        let wrapped = "{\"name\": {\"events\": [{}]},\n \"events\": [{\"b\":1}], \"probes\": [{}, []]}\n{}";
        assert_eq!(elements(wrapped), (vec![("{\"b\":1}", 2)], Some("\n{}")));
        assert_eq!(elements("[]"), (vec![], Some("")));
    }

    #[test]
    fn other_files_have_lines() {
        for text in [
            "{\"type\":\"user\",\"events\":[{}]}\n",
            "{\"id\":1,\n\"events\":[{}]}",
            "{\"events\":7}",
            "{\"events\":[7]}",
            "{broken\n",
            "{}\n{}\n",
            "[1]",
            "words",
            "{\"a\": \"b\n\", \"events\": [{}]}",
        ] {
            assert_eq!(begin(text.as_bytes()), Begin::Lines, "{text}");
        }
        for text in ["", " ", "[", "{", "{\"a", "{\"a\": [", "{\"events\": [ "] {
            assert_eq!(begin(text.as_bytes()), Begin::More, "{text}");
        }
    }

    #[test]
    fn a_broken_array_ends_where_its_last_element_began() {
        let (found, rest) = elements("[{\"a\":1},{\"b\": \"cut\n{\"type\":\"user\"}\n");
        assert_eq!((found.len(), rest), (1, Some("{\"b\": \"cut\n{\"type\":\"user\"}\n")));
    }
}
