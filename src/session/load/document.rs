//! Files that are one JSON document: read whole, where no format of lines fits.

use std::path::Path;

use serde::de::IgnoredAny;

use crate::formats::{Format, conversation};
use crate::log::{MAX_LINE, Source, length};

use super::{Feed, Line, News, Reader, Records};

impl Feed {
    /// Whether what is read is one document.
    pub(super) fn is_document(&self) -> bool {
        self.reader.format.is_some_and(Format::is_document)
    }

    /// The records of the file, if it is one document.
    pub(super) fn document(&mut self, path: &Path) -> Option<News> {
        let position = self.position();
        if self.no_document == Some(position) {
            return None;
        }
        let mut lines: Vec<&[u8]> = self.reader.undecided.iter().map(|(_, bytes)| &bytes[..]).collect();
        let open = self.tail.open_line();
        lines.extend(open.as_ref().map(|raw| raw.bytes));
        let source = if may_be(&lines) { self.source() } else { None };
        let Some(records) = source.and_then(|source| whole(path, &source)) else {
            self.no_document = Some(position);
            return None;
        };
        self.reader.format = Some(Format::Conversation);
        self.reader.undecided.clear();
        Some(News::Records(Format::Conversation, records))
    }
}

/// The records of a document behind lines that no format fits.
pub(super) fn read(path: &Path, source: &Source, reader: &Reader) -> Option<Records> {
    let lines: Vec<&[u8]> = reader.undecided.iter().map(|(_, bytes)| &bytes[..]).collect();
    may_be(&lines).then(|| whole(path, source)).flatten()
}

/// Whether a file that begins with these lines may be one document: where the first line is a whole value already,
/// there is no other.
fn may_be(lines: &[&[u8]]) -> bool {
    let Some((first, rest)) = lines.split_first() else { return false };
    first.trim_ascii_start().starts_with(b"{")
        && (rest.is_empty() || serde_json::from_slice::<IgnoredAny>(first).is_err())
}

fn whole(path: &Path, source: &Source) -> Option<Records> {
    // One line that is over this is not read either.
    if length(path) > MAX_LINE as u64 {
        return None;
    }
    let bytes = source.read_all().ok()?;
    let records = conversation::read(&bytes)?;
    let place = |placed: conversation::Placed| {
        (Line::new(placed.offset as u64, placed.line, placed.length as u64), placed.record)
    };
    Some(records.into_iter().map(place).collect())
}
