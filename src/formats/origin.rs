//! Where a session comes from: its project, its id, and the session it was started from.
//!
//! One reader for every agent's first records, since their keys do not meet: Claude Code's stand at the top of each
//! record, Codex' inside `payload`, pi's in the first line. Whoever lists sessions asks before the format is
//! decided, and of agents whose records this build may not read.

use super::lenient::{Text, lenient, shrug_at};

/// What one record says of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The directory the agent worked in.
    pub project: Option<Box<str>>,
    /// The session's id.
    pub id: Option<Box<str>>,
    /// The agent's version.
    pub version: Option<Box<str>>,
    /// The session it was started from.
    pub parent: Option<Parent>,
}

/// The session that another was started from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its id.
    pub id: Box<str>,
    /// The session goes on where its parent was, with what was said there; otherwise it is a sub-agent's.
    pub fork: bool,
}

lenient! {
    /// The keys of any agent's record that say where its session comes from.
    for<'de> struct Keys<'de> {
        "type" => kind: Text<'de>,
        "id" => id: Text<'de>,
        "cwd" => cwd: Text<'de>,
        "sessionId" => session: Text<'de>,
        "version" => version: Text<'de>,
        "parentSession" | "branchedFrom" => parent_file: Text<'de>,
        "payload" => payload: Payload<'de>,
    }
}

lenient! {
    /// Codex' records have a payload.
    for<'de> struct Payload<'de> {
        "id" => id: Text<'de>,
        "cwd" => cwd: Text<'de>,
        "cli_version" => version: Text<'de>,
        "parent_thread_id" => parent: Text<'de>,
        "forked_from_id" => forked_from: Text<'de>,
    }
}

impl Origin {
    /// What `line` says; nothing where it is no record.
    pub fn of(line: &[u8]) -> Self {
        let mended = super::repair::mend(line);
        let keys: Keys = serde_json::from_str(&mended).unwrap_or_default();
        let payload = &keys.payload;
        match keys.kind.as_str() {
            "session_meta" => Self {
                project: filled(&payload.cwd),
                id: filled(&payload.id),
                version: filled(&payload.version),
                parent: parent(&payload.parent, false).or_else(|| parent(&payload.forked_from, true)),
            },
            // A header of pi; its `version` is the format's.
            "session" if !keys.cwd.as_str().is_empty() => Self {
                project: filled(&keys.cwd),
                id: filled(&keys.id),
                version: None,
                parent: keys
                    .parent_file
                    .0
                    .as_deref()
                    .and_then(id_in_name)
                    .map(|id| Parent { id, fork: true }),
            },
            _ => Self {
                project: filled(&keys.cwd).or_else(|| filled(&payload.cwd)),
                id: filled(&keys.session),
                version: filled(&keys.version),
                parent: None,
            },
        }
    }

    /// Takes from a later record what this one left open.
    #[must_use]
    pub fn or(self, later: Self) -> Self {
        Self {
            project: self.project.or(later.project),
            id: self.id.or(later.id),
            version: self.version.or(later.version),
            parent: self.parent.or(later.parent),
        }
    }
}

fn filled(text: &Text) -> Option<Box<str>> {
    text.boxed().filter(|text| !text.trim().is_empty())
}

fn parent(id: &Text, fork: bool) -> Option<Parent> {
    filled(id).map(|id| Parent { id, fork })
}

/// The id in a session's file name, `<time>_<id>.jsonl`: folders move, names stay.
fn id_in_name(path: &str) -> Option<Box<str>> {
    let name = path.rsplit(['/', '\\']).next()?;
    let stem = name.split(".jsonl").next()?;
    let id = stem.rsplit('_').next()?;
    (!id.is_empty()).then(|| id.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Origin {
        Origin::of(line.as_bytes())
    }

    fn parent(id: &str, fork: bool) -> Parent {
        Parent { id: id.into(), fork }
    }

    #[test]
    fn each_agent_says_where_it_works() {
        let claude = of(r#"{"type":"user","uuid":"u","cwd":"/p","sessionId":"s","version":"2.1.7"}"#);
        assert_eq!((claude.project.as_deref(), claude.id.as_deref()), (Some("/p"), Some("s")));
        assert_eq!(claude.version.as_deref(), Some("2.1.7"));
        let codex = of(
            r#"{"type":"session_meta","payload":{"id":"c","cwd":"/q","cli_version":"0.104.0","parent_thread_id":"b","forked_from_id":"a"}}"#,
        );
        assert_eq!((codex.project.as_deref(), codex.id.as_deref()), (Some("/q"), Some("c")));
        assert_eq!(codex.parent, Some(parent("b", false)));
        let pi = of(
            r#"{"type":"session","version":3,"id":"i","cwd":"/r","parentSession":"/home/x/2025-01-01T09-00-00-000Z_h.jsonl"}"#,
        );
        assert_eq!((pi.project.as_deref(), pi.id.as_deref(), pi.version), (Some("/r"), Some("i"), None));
        assert_eq!(pi.parent, Some(parent("h", true)));
    }

    #[test]
    fn a_fork_is_told_from_a_sub_agent_and_the_first_word_counts() {
        let fork = of(r#"{"type":"session_meta","payload":{"id":"c","cwd":"/q","forked_from_id":"a"}}"#);
        assert_eq!(fork.parent, Some(parent("a", true)));
        let copied = of(r#"{"type":"session_meta","payload":{"id":"a","cwd":"/elsewhere"}}"#);
        assert_eq!(fork.clone().or(copied), fork);
        let later = of(r#"{"type":"turn_context","payload":{"cwd":"/late"}}"#);
        assert_eq!(Origin::default().or(later).project.as_deref(), Some("/late"));
    }

    #[test]
    fn what_is_no_record_says_nothing() {
        for line in ["", "{", "[1]", "null", r#"{"cwd":7,"payload":[]}"#, r#"{"cwd":"  "}"#] {
            assert_eq!(of(line), Origin::default(), "{line}");
        }
        assert_eq!(Origin::of(b"{\"cwd\":\"/a\xff\"}").project.as_deref(), Some("/a\u{fffd}"));
    }
}
