//! A short note of what the compactions shown have dropped, to be given to the agent right after one.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::audit::finding::{Class, Finding, Verdict};
use crate::audit::pass::{Curves, Pass};
use crate::text::display::safe;
use crate::text::numbers::count;
use crate::text::{preview, secrets};

use super::{Failure, Head, Print};

/// Statements, and exact items, that are named.
const STATEMENTS: usize = 12;
const EXACT: usize = 12;

/// Writes the note.
pub(super) struct Brief<'a> {
    out: &'a mut dyn Write,
    path: &'a Path,
    show_secrets: bool,
}

impl<'a> Brief<'a> {
    pub(super) fn new(out: &'a mut dyn Write, path: &'a Path, show_secrets: bool) -> Self {
        Self { out, path, show_secrets }
    }

    fn shown(&self, text: &str) -> String {
        // What is cut is not known as a key any more, so it is masked before.
        let text = if self.show_secrets { text.into() } else { secrets::masked(text) };
        safe(&preview::of(&text)).into_owned()
    }
}

impl Print for Brief<'_> {
    fn head(&mut self, _: &Head) -> Result<(), Failure> {
        Ok(())
    }

    fn pass(&mut self, _: &Head, pass: &Pass) -> Result<(), Failure> {
        let generation = pass.about.generation;
        if let Some(reason) = &pass.about.unreadable {
            writeln!(self.out, "Compaction g{generation}: {}. What it lost cannot be told.", safe(reason))?;
            return Ok(());
        }
        let dropped = |wanted: fn(&&Finding) -> bool| {
            let all = pass.findings.iter().filter(|finding| finding.verdict == Verdict::Dropped);
            all.filter(wanted).collect::<Vec<_>>()
        };
        let statements = dropped(|finding| finding.class.is_statement() && finding.answered.is_none());
        let exact =
            dropped(|finding| matches!(finding.class, Class::Path | Class::Command | Class::Identifier));
        if let Some(missing) = pass.missing() {
            let not_found = count(u64::from(pass.suppressed()), "item");
            writeln!(
                self.out,
                "Compaction g{generation}: what it lost cannot be told, {missing}. Not found in its summary: {not_found}."
            )?;
        }
        if statements.is_empty() && exact.is_empty() {
            if pass.missing().is_none() {
                // What is not listed may be told in other words, or leave nothing open and bind nothing.
                writeln!(
                    self.out,
                    "Compaction g{generation}: nothing of what binds, was open or was named is missing from its summary."
                )?;
            }
            return Ok(());
        }
        writeln!(
            self.out,
            "Not in the summary of compaction g{generation} (t{}) any more:",
            pass.about.turn
        )?;
        for finding in statements.iter().take(STATEMENTS) {
            let (class, text) = (finding.class.name(), self.shown(&finding.text));
            let turn = finding.sources.first().map_or(0, |place| place.turn);
            writeln!(self.out, "- {class}, t{turn}: {text}")?;
        }
        if statements.len() > STATEMENTS {
            writeln!(self.out, "- and {} more statements", statements.len() - STATEMENTS)?;
        }
        let mut names: BTreeMap<Class, Vec<String>> = BTreeMap::new();
        for finding in exact.iter().take(EXACT) {
            names.entry(finding.class).or_default().push(self.shown(&finding.text));
        }
        for (class, names) in names {
            writeln!(self.out, "- {}: {}", class.plural(), names.join(", "))?;
        }
        if exact.len() > EXACT {
            writeln!(self.out, "- and {} more names", exact.len() - EXACT)?;
        }
        let path = safe(&self.path.display().to_string()).into_owned();
        writeln!(
            self.out,
            "Read one again with its turn's number: pentimento expand '{path}' tNUMBER. Found by words alone: compare."
        )?;
        Ok(())
    }

    fn end(&mut self, _: &Head, _: &Curves) -> Result<(), Failure> {
        Ok(())
    }
}
