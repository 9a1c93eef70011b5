//! An audit is kept in the store, and said again as long as the log is the same file in the same state.

use std::path::{Path, PathBuf};

use crate::audit::work::Options;
use crate::session::open::OpenLog;
use crate::store::OptionalStore;
use crate::store::cache::Stamp;
use crate::text::lexicon::Lexicon;

use super::Report;

/// Goes up whenever the same log may give another report.
const RULES: u32 = 6;
/// How hard reports are compressed: they are read back far more often than the level would show.
const LEVEL: i32 = 3;

/// Where the audit of one log is kept.
pub(super) struct Kept<'a> {
    path: PathBuf,
    stamp: Stamp,
    made_with: String,
    store: &'a OptionalStore,
}

impl<'a> Kept<'a> {
    /// The place of a log's audit; none where it cannot be told whether the log is the same, and of what is replayed, which
    /// has more settings than the log and is made again.
    pub(super) fn of(
        path: &Path,
        strategy: &str,
        lexicon: &Lexicon,
        options: Options,
        store: &'a OptionalStore,
    ) -> Option<Self> {
        let meta = std::fs::metadata(path).ok().filter(|meta| meta.is_file() && strategy == "recorded")?;
        let version = env!("CARGO_PKG_VERSION");
        let made_with = format!("{RULES} {version} {} {options:?}", lexicon.id());
        Some(Self { path: path.to_path_buf(), stamp: Stamp::of(&meta), made_with, store })
    }

    /// What is kept.
    pub(super) fn report(&self) -> Option<Report> {
        let bytes = self.store.ask(|store| store.audit(&self.stamp, &self.made_with)).flatten()?;
        // What cannot be read is made again.
        let text = zstd::decode_all(&*bytes).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps a report, where the log did not change while it was read.
    pub(super) fn keep(&self, log: &OpenLog, report: &Report) {
        let same = std::fs::metadata(&self.path).is_ok_and(|meta| Stamp::of(&meta) == self.stamp);
        let bytes = serde_json::to_vec(report).ok().and_then(|text| zstd::encode_all(&*text, LEVEL).ok());
        if let Some(bytes) = bytes.filter(|_| same) {
            self.store
                .ask(|store| store.keep_audit(&log.key(), &self.path, &self.stamp, &self.made_with, &bytes));
        }
    }
}
