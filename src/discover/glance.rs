//! The quick look at a session: its two ends tell the project, the title, who wrote it and where it comes from.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::formats::facts::{Body, PartKind, Record, Role as Speaker, Strand};
use crate::formats::{Detection, Format, detect};
use crate::log::{Lines, LogError, Peek, is_packed};
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
    /// The system refused to open it, or it is damaged before it tells: nobody knows what it is.
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
        match detect(&lines, !head.whole) {
            Detection::Known(format) => glance.read(format, &lines, role),
            Detection::Undecided(Some(format)) if head.whole => glance.read(format, &lines, role),
            Detection::Undecided(_) if !head.whole => {}
            _ if head.trouble.is_some() => (glance.problem, glance.locked) = (head.trouble.clone(), true),
            _ => {
                let problem = match lines.first() {
                    None => "it is empty",
                    Some(first) if is_packed(first) => "decompressed once, it is still compressed",
                    Some(_) => "no log format that this build knows",
                };
                glance.problem = Some(problem.to_owned());
            }
        }
        glance
    }

    /// What the lines of a known format say. Of ids, projects and parents the first counts: a session may go on with
    /// copies of another's records.
    fn read(&mut self, format: Format, lines: &[&[u8]], role: Role) {
        self.format = Some(format.name().to_owned());
        let mut parser = format.parser();
        let mut prompts = Prompts::default();
        let mut has_header = false;
        let owned = |text: Box<str>| text.into_string();
        for line in lines {
            let record = parser.parse(line);
            prompts.take(format, line, &record);
            self.begun = self.begun.or(record.time);
            self.id = self.id.take().or_else(|| record.session.map(owned));
            self.version = self.version.take().or_else(|| record.version.map(owned));
            self.project = self.project.take().or_else(|| record.project.map(owned));
            match record.body {
                Body::Title(title) => self.title = Some(preview::of(&title)),
                Body::Header(header) if !has_header => {
                    has_header = true;
                    self.fork = header.parent.is_none();
                    self.parent =
                        header.parent.or_else(|| header.forked_from.as_deref().and_then(id_in)).map(owned);
                }
                Body::Turn(facts) => facts.model.iter().for_each(|model| self.take_model(model)),
                Body::Meter(meter) => meter.model.iter().for_each(|model| self.take_model(model)),
                _ => {}
            }
        }
        self.prompt = prompts.best();
        if role == Role::Subagent && self.parent.is_none() {
            // The records of a sub-agent carry its session's id, not one of its own.
            (self.parent, self.fork) = (self.id.take(), false);
        }
    }

    fn take_model(&mut self, model: &str) {
        if !self.models.iter().any(|known| known == model) {
            self.models.push(model.to_owned());
        }
    }
}

/// The id of a session that is named by its id, or by its file `<time>_<id>.jsonl`: folders move, names stay.
fn id_in(name: &str) -> Option<Box<str>> {
    let file = name.rsplit(['/', '\\']).next()?;
    let id = match file.split_once(".jsonl") {
        Some((stem, _)) => stem.rsplit('_').next()?,
        None => file,
    };
    (!id.is_empty()).then(|| id.into())
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
    fn a_session_says_what_it_was_started_from_in_its_first_header() {
        let codex = |id: &str, more: &str| {
            format!(
                r#"{{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{{"id":"{id}","cwd":"/q","cli_version":"0.104.0"{more}}}}}"#
            )
        };
        let fork = codex("c", r#","forked_from_id":"a""#);
        let of = |lines: &[&str]| of(Role::Session, lines);
        let glance = of(&[&fork, &codex("a", r#","parent_thread_id":"x""#)]);
        assert_eq!(
            (glance.id.as_deref(), glance.parent.as_deref(), glance.fork),
            (Some("c"), Some("a"), true)
        );
        let copied = of(&[&codex("c", ""), &codex("a", r#","parent_thread_id":"x""#)]);
        assert_eq!(copied.parent, None);
        let agent = of(&[&codex("c", r#","parent_thread_id":"b","forked_from_id":"a""#)]);
        assert_eq!((agent.parent.as_deref(), agent.fork), (Some("b"), false));
        let pi = of(&[
            r#"{"type":"session","version":3,"id":"i","timestamp":"2026-03-01T10:00:00Z","cwd":"/r","parentSession":"/x/2025-01-01T09-00-00-000Z_h.jsonl"}"#,
        ]);
        assert_eq!((pi.project.as_deref(), pi.parent.as_deref(), pi.fork), (Some("/r"), Some("h"), true));
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
