//! What a model is told: texts that the binary embeds and the user may replace, with the request in their places.
//!
//! `turns.md` is for original turns (a block, a span, a part of one), `summaries.md` for summaries of such parts. In
//! both `{{turns}}`, `{{budget}}` and `{{text}}` are filled in; a text without `{{text}}` gets it at its end.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::formats::facts::{PartKind, Role};

use super::Request;

/// The files, and what is embedded in their place.
const TURNS: (&str, &str) = ("turns.md", include_str!("../../assets/prompts/turns.md"));
const SUMMARIES: (&str, &str) = ("summaries.md", include_str!("../../assets/prompts/summaries.md"));

/// A prompt of the user's own cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the prompt {} cannot be read: {error}", .file.display())]
pub struct UnreadablePrompt {
    /// The file.
    file: PathBuf,
    /// Why.
    error: std::io::Error,
}

/// The prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    turns: String,
    summaries: String,
}

impl Default for Prompts {
    fn default() -> Self {
        Self { turns: TURNS.1.to_owned(), summaries: SUMMARIES.1.to_owned() }
    }
}

impl Prompts {
    /// Those in `folder`; what is not there is as it is built in.
    pub fn from_folder(folder: &Path) -> Result<Self, UnreadablePrompt> {
        let read = |(name, built_in): (&str, &str)| {
            let file = folder.join(name);
            match std::fs::read_to_string(&file) {
                Ok(text) => Ok(text),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && folder.is_dir() => {
                    Ok(built_in.to_owned())
                }
                Err(error) => Err(UnreadablePrompt { file, error }),
            }
        };
        Ok(Self { turns: read(TURNS)?, summaries: read(SUMMARIES)? })
    }

    /// Changes with every change of the prompts.
    pub fn id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.turns.as_bytes()).update(&[0]).update(self.summaries.as_bytes());
        hasher.finalize().to_hex()[..8].to_owned()
    }

    /// The prompt for a request.
    pub fn prompt(&self, request: &Request) -> String {
        let of_summaries = request.sources.iter().any(|source| source.role == Role::Summary);
        let template = if of_summaries { &self.summaries } else { &self.turns };
        let first = request.sources.first().map_or(0, |source| source.turns.0);
        let last = request.sources.last().map_or(0, |source| source.turns.1);
        let text = written(request);
        let fill = |part: &str| {
            part.replace("{{turns}}", &format!("t{first} to t{last}"))
                .replace("{{budget}}", &request.budget.to_string())
        };
        // The text last: what it says is filled in nowhere.
        match template.split_once("{{text}}") {
            Some((before, after)) => format!("{}{}{}", fill(before), text.trim_end(), fill(after)),
            None => format!("{}\n{text}", fill(template)),
        }
    }
}

/// The sources as text. Reasoning and pictures are left out, as agents leave them out for their summarisers.
fn written(request: &Request) -> String {
    let mut out = String::new();
    for source in &request.sources {
        let (first, last) = source.turns;
        let turns = if first == last { format!("t{first}") } else { format!("t{first} to t{last}") };
        for part in &source.parts {
            let what = match part.kind {
                PartKind::Text => source.role.name().to_owned(),
                PartKind::ToolCall => format!("calls {}", part.tool.as_deref().unwrap_or("a tool")),
                PartKind::ToolResult if part.error => "result, failed".to_owned(),
                PartKind::ToolResult => "result".to_owned(),
                _ => continue,
            };
            // A string takes all that is written to it.
            let _ = write!(out, "[{turns} {what}]\n{}\n\n", part.text.trim_end());
        }
    }
    out
}
