//! What a reader gets of a forest's file.

use std::sync::atomic::AtomicBool;

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::summarisers::{Failure, Request, SourcePart, SourceTurn, Summariser, Summary};

use super::super::forest::Stamp;
use super::super::reader::{Originals, Reading, read};
use super::super::settings::Settings;
use super::Opened;

impl Opened {
    /// What a reader gets for a question within `budget` tokens. A file of somebody else is read as `settings` say; a
    /// saved one as it was made.
    pub fn ask(
        &self,
        question: &str,
        budget: u64,
        settings: &Settings,
        summariser: &dyn Summariser,
        stop: &AtomicBool,
    ) -> Result<Reading, LogError> {
        let mut forest = self.forest.clone();
        if self.is_foreign() {
            forest.read_as(settings);
        }
        read(&forest, question, budget, &mut OfFile { of: self, summariser, stop })
    }
}

/// The messages of a file as originals. Summaries are made anew from all members: what the file's own cover it does not
/// say.
struct OfFile<'a> {
    of: &'a Opened,
    summariser: &'a dyn Summariser,
    stop: &'a AtomicBool,
}

impl Originals for OfFile<'_> {
    fn sources(&mut self, node: u32) -> Result<Vec<SourceTurn>, LogError> {
        let text = self.of.said(node).to_owned();
        let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text };
        Ok(vec![SourceTurn { turns: (node, node), role: Role::User, parts: vec![part] }])
    }

    fn summary(&mut self, root: u32, budget: u32) -> Result<Result<Summary, Failure>, LogError> {
        let mut members = self.of.forest.forest().members(root, Stamp::MAX);
        members.sort_unstable();
        let mut sources = Vec::new();
        for member in members {
            sources.extend(self.sources(member)?);
        }
        Ok(self.summariser.summarise(&Request { sources, budget }, self.stop))
    }
}
