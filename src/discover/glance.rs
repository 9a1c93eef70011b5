//! The quick look at a session: its two ends tell the project, the title, who wrote it and where it comes from.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::formats::facts::{Body, PartKind, Record, Role as Speaker, Strand};
use crate::formats::origin::Origin;
use crate::formats::{DETECT_LINES, Detection, Format, detect};
use crate::log::{Lines, LogError, Peek};
use crate::text::preview;

use super::agents::Role;

/// How much of the beginning is looked at: more only where less does not tell. Codex begins with its instructions,
/// some tens of kilobytes; a first prompt may hold a picture.
const HEADS: [usize; 3] = [16 << 10, 256 << 10, 4 << 20];
/// How much of the end: titles are written again now and then.
const TAIL: usize = 64 << 10;
/// The longest prompt that is kept, in characters.
const PROMPT: usize = 400;

/// What a session's two ends say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    /// The format's name, once it is decided.
    pub format: Option<String>,
    /// The directory the agent worked in.
    pub project: Option<String>,
    /// The session's id.
    pub id: Option<String>,
    /// The id of the session it was started from.
    pub parent: Option<String>,
    /// It goes on where that one was; otherwise it is its sub-agent.
    pub fork: bool,
    /// The last title in sight.
    pub title: Option<String>,
    /// The first typed prompt in sight.
    pub prompt: Option<String>,
    /// Models in sight.
    pub models: Vec<String>,
    /// The agent's version.
    pub version: Option<String>,
    /// When its first record was written, in milliseconds since the epoch.
    pub begun: Option<i64>,
    /// Why it cannot be read.
    #[serde(skip)]
    pub problem: Option<String>,
    /// The system refused to open it: nobody knows what it is.
    #[serde(skip)]
    pub locked: bool,
}

impl Glance {
    /// Looks at the session at `path`. Of what cannot be read, says why.
    pub fn of(path: &Path, role: Role) -> Self {
        match Self::look(path, role) {
            Ok(glance) => glance,
            Err(error) => {
                let locked = matches!(error, LogError::Io { .. });
                Self { problem: Some(error.to_string()), locked, ..Self::default() }
            }
        }
    }

    fn look(path: &Path, role: Role) -> Result<Self, LogError> {
        let peek = Peek::open(path)?;
        let io = |error| LogError::io(path, 0, error);
        let (mut glance, mut whole) = (Self::default(), false);
        for bytes in HEADS {
            let head = peek.head(bytes).map_err(io)?;
            glance = Self::of_head(&head, role);
            whole = head.whole;
            if whole || glance.tells_enough(bytes) {
                break;
            }
        }
        if let Some(format) = glance.format.as_deref().and_then(Format::named)
            && !whole
            && let Some(title) = last_title(format, &peek.tail(TAIL).map_err(io)?)
        {
            glance.title = Some(title);
        }
        Ok(glance)
    }

    /// Whether more than the first `bytes` bytes would tell nothing that matters. A file of no known format says so
    /// in its first lines; a session without a prompt by [`HEADS`]' second step has none worth the search.
    fn tells_enough(&self, bytes: usize) -> bool {
        let all = self.project.is_some() && self.prompt.is_some();
        self.problem.is_some() || (self.format.is_some() && (all || bytes >= HEADS[1]))
    }

    fn of_head(head: &Lines, role: Role) -> Self {
        let lines: Vec<&[u8]> = head.iter().collect();
        let mut glance = Self::default();
        let origin = lines.iter().take(DETECT_LINES).fold(Origin::default(), |origin, line| {
            if origin.project.is_some() && origin.id.is_some() { origin } else { origin.or(Origin::of(line)) }
        });
        glance.take_origin(origin, role);
        match detect(&lines, !head.whole) {
            Detection::Known(format) => glance.read(format, &lines),
            Detection::Undecided(Some(format)) if head.whole => glance.read(format, &lines),
            Detection::Undecided(_) if lines.is_empty() && head.whole => {
                glance.problem = Some("it is empty".to_owned());
            }
            Detection::Undecided(_) => {}
            Detection::Unknown(_) if lines.is_empty() => glance.problem = Some("it is empty".to_owned()),
            Detection::Unknown(_) => glance.problem = Some("no log format that this build knows".to_owned()),
        }
        glance
    }

    fn take_origin(&mut self, origin: Origin, role: Role) {
        let owned = |text: Box<str>| text.into_string();
        self.project = origin.project.map(owned);
        self.version = origin.version.map(owned);
        // The records of a sub-agent carry its session's id, not one of its own.
        match (role, origin.parent) {
            (_, Some(parent)) => {
                self.id = origin.id.map(owned);
                (self.parent, self.fork) = (Some(parent.id.into_string()), parent.fork);
            }
            (Role::Subagent, None) => self.parent = origin.id.map(owned),
            (Role::Session, None) => self.id = origin.id.map(owned),
        }
    }

    /// What the lines of a known format say.
    fn read(&mut self, format: Format, lines: &[&[u8]]) {
        self.format = Some(format.name().to_owned());
        let mut parser = format.parser();
        let mut prompts = Prompts::default();
        for line in lines {
            let record = parser.parse(line);
            self.begun = self.begun.or(record.time);
            if let Body::Title(title) = &record.body {
                self.title = Some(preview::of(title));
            }
            if let Body::Turn(facts) = &record.body
                && let Some(model) = facts.model.as_deref()
                && !self.models.iter().any(|known| known == model)
            {
                self.models.push(model.to_owned());
            }
            prompts.take(format, line, &record);
        }
        self.prompt = prompts.best();
    }
}

/// The last title in the lines.
fn last_title(format: Format, lines: &Lines) -> Option<String> {
    let mut parser = format.parser();
    lines.iter().rev().find_map(|line| match parser.parse(line).body {
        Body::Title(title) => Some(preview::of(&title)),
        _ => None,
    })
}

/// The first prompts, from what a person typed into the main conversation down to what there is at all.
#[derive(Debug, Default)]
struct Prompts {
    best: Option<(u8, String)>,
}

impl Prompts {
    fn take(&mut self, format: Format, line: &[u8], record: &Record) {
        let Body::Turn(facts) = &record.body else { return };
        if facts.role != Speaker::User || matches!(self.best, Some((0, _))) {
            return;
        }
        let Some(part) = facts.parts.iter().find(|part| part.kind == PartKind::Text) else { return };
        let made = facts.injected || is_marked_up(&part.preview);
        let rank = u8::from(made) * 2 + u8::from(record.strand != Strand::Main);
        if self.best.as_ref().is_some_and(|(best, _)| *best <= rank) {
            return;
        }
        let texts = format.texts(line);
        let text =
            texts.iter().find(|text| text.kind == PartKind::Text).map_or(&*part.preview, |text| &text.text);
        self.best = Some((rank, preview::first(text, PROMPT)));
    }

    fn best(self) -> Option<String> {
        self.best.map(|(_, text)| text)
    }
}

/// Whether a text is an element of markup, as harnesses wrap what they put in (`<command-name>`,
/// `<environment_context>`). Somebody may type such a thing: it is passed over only where another prompt follows.
fn is_marked_up(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('<') else { return false };
    let name = inner.split('>').next().unwrap_or_default();
    inner.contains('>') && name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(role: Role, lines: &[&str]) -> Glance {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        Glance::of(&path, role)
    }

    fn user(text: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","cwd":"/p","version":"2.1.7","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"{text}"}}}}"#
        )
    }

    #[test]
    fn the_ends_tell_what_it_is_about() {
        let prompt = user("Fix   the\\nlogin");
        let glance = of(
            Role::Session,
            &[
                r#"{"type":"summary","summary":"An old title","leafUuid":"x"}"#,
                &prompt,
                r#"{"type":"assistant","uuid":"a","parentUuid":"u","sessionId":"s","message":{"role":"assistant","model":"m-1","content":[]}}"#,
                r#"{"type":"custom-title","customTitle":"Login","sessionId":"s"}"#,
            ],
        );
        assert_eq!(glance.format.as_deref(), Some("claude-code"));
        assert_eq!((glance.project.as_deref(), glance.id.as_deref()), (Some("/p"), Some("s")));
        assert_eq!(
            (glance.title.as_deref(), glance.prompt.as_deref()),
            (Some("Login"), Some("Fix the login"))
        );
        assert_eq!((glance.models, glance.version.as_deref()), (vec!["m-1".to_owned()], Some("2.1.7")));
        assert_eq!((glance.begun, glance.parent, glance.problem), (Some(1_767_225_600_000), None, None));
    }

    #[test]
    fn what_the_harness_put_in_is_no_prompt_where_another_follows() {
        let command = user("<command-name>/clear</command-name>");
        let typed = user("Now <b>this</b>");
        assert_eq!(of(Role::Session, &[&command, &typed]).prompt.as_deref(), Some("Now <b>this</b>"));
        let alone = of(Role::Session, &[&command]).prompt;
        assert_eq!(alone.as_deref(), Some("<command-name>/clear</command-name>"));
    }

    #[test]
    fn a_sub_agents_records_carry_its_sessions_id() {
        let line =
            user("Look").replace(r#""type":"user""#, r#""type":"user","isSidechain":true,"agentId":"a1""#);
        let glance = of(Role::Subagent, &[&line]);
        assert_eq!((glance.id, glance.parent.as_deref(), glance.fork), (None, Some("s"), false));
        assert_eq!(glance.prompt.as_deref(), Some("Look"));
    }

    #[test]
    fn a_title_between_the_ends_is_out_of_sight_and_a_long_head_is_not() {
        let filler = format!(r#"{{"type":"progress","sessionId":"s","data":"{}"}}"#, "x".repeat(40 << 10));
        let prompt = user("At last");
        let glance = of(Role::Session, &[&filler, &filler, &filler, &prompt]);
        assert_eq!(glance.prompt.as_deref(), Some("At last"));
        let title = r#"{"type":"ai-title","aiTitle":"In the middle","sessionId":"s"}"#;
        let mut lines = vec![prompt.as_str()];
        lines.extend(std::iter::repeat_n(filler.as_str(), 9));
        lines.push(title);
        lines.extend(std::iter::repeat_n(filler.as_str(), 2));
        assert_eq!(of(Role::Session, &lines).title, None);
        lines.push(title);
        assert_eq!(of(Role::Session, &lines).title.as_deref(), Some("In the middle"));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let problem = |lines: &[&str]| of(Role::Session, lines).problem.unwrap();
        assert!(problem(&["Dear diary,"]).contains("no log format"));
        assert!(problem(&[]).contains("empty"));
        let missing = Glance::of(Path::new("/nowhere/at-all.jsonl"), Role::Session);
        assert!(missing.problem.unwrap().contains("no such file"));
    }
}
