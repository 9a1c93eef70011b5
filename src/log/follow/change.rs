//! What became of a file since it was read to its end.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::SystemTime;

use super::super::fingerprint::Fingerprint;

/// An open file and what was read of it.
pub(super) struct Seen<'a> {
    pub(super) file: &'a File,
    /// How much.
    pub(super) read: u64,
    pub(super) fingerprint: &'a Fingerprint,
    /// What is appended is read; behind a damaged place it would not be.
    pub(super) goes_on: bool,
}

/// See [`since`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is as it was.
    Nothing,
    /// It is longer.
    Grown,
    /// Nothing is at its path.
    Gone,
    /// Another file is.
    Replaced,
    /// It is shorter than what was read.
    Truncated,
    /// It holds other bytes.
    Rewritten,
}

/// What the file at `path` is now to the one that was `seen`, whose modification time was `modified`; and its
/// modification time now.
pub(super) fn since(
    seen: &Seen,
    path: &Path,
    modified: Option<SystemTime>,
) -> io::Result<(Change, Option<SystemTime>)> {
    let named = match std::fs::metadata(path) {
        Ok(named) => named,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Change::Gone, None)),
        Err(error) => return Err(error),
    };
    let now = named.modified().ok();
    let change = if same_file(&seen.file.metadata()?, &named) {
        of_the_file(seen, named.len(), modified != now)?
    } else {
        Change::Replaced
    };
    Ok((change, now))
}

fn of_the_file(seen: &Seen, length: u64, touched: bool) -> io::Result<Change> {
    // Some file systems give no length for files that can be read all the same.
    Ok(if length < seen.read && !still_holds_its_end(seen)? {
        Change::Truncated
    } else if length > seen.read && !seen.fingerprint.same_edges(seen.file)? {
        Change::Rewritten
    } else if length > seen.read && seen.goes_on {
        Change::Grown
    } else if length >= seen.read && touched && !seen.fingerprint.same_bytes(seen.file)? {
        Change::Rewritten
    } else {
        Change::Nothing
    })
}

/// Whether the last byte that was read can be read again.
fn still_holds_its_end(seen: &Seen) -> io::Result<bool> {
    let Some(last) = seen.read.checked_sub(1) else { return Ok(true) };
    Ok(seen.file.read_at(&mut [0], last)? == 1)
}

fn same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}
