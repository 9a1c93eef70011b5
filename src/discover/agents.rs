//! The table of agents: where each keeps its sessions, and which files there are sessions.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// One agent.
#[derive(Debug)]
pub struct Agent {
    /// Its name, that of its format.
    pub name: &'static str,
    /// The variable that moves its folder.
    pub variable: &'static str,
    /// The variable may name several folders with commas between them.
    several: bool,
    /// A variable that names a folder of sessions outright, beside the others.
    direct: Option<&'static str>,
    /// Its folders where the variable is not set, below the home folder.
    usual: &'static [&'static str],
    /// The folders of sessions in its folder.
    folders: &'static [&'static str],
    /// How a session's file name begins.
    begins: &'static str,
    /// Sessions stand in folders of projects, with a folder beside each for what belongs to it.
    by_project: bool,
}

/// What a file is, by its name and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A session.
    Session,
    /// A sub-agent's part of one.
    Subagent,
}

/// All of them.
pub static AGENTS: [Agent; 3] = [
    Agent {
        name: "claude-code",
        variable: "CLAUDE_CONFIG_DIR",
        several: true,
        direct: None,
        usual: &[".claude", ".config/claude"],
        folders: &["projects"],
        begins: "",
        by_project: true,
    },
    Agent {
        name: "codex",
        variable: "CODEX_HOME",
        several: false,
        direct: None,
        usual: &[".codex"],
        folders: &["sessions", "archived_sessions"],
        begins: "rollout-",
        by_project: false,
    },
    Agent {
        name: "pi",
        variable: "PI_CODING_AGENT_DIR",
        several: false,
        direct: Some("PI_CODING_AGENT_SESSION_DIR"),
        usual: &[".pi/agent"],
        folders: &["sessions"],
        begins: "",
        by_project: false,
    },
];

/// How a session's file name may end. What is compressed is read like what is not, once the reader can.
const ENDINGS: [&str; 3] = [".jsonl", ".jsonl.zst", ".jsonl.gz"];
/// The folder of sub-agents beside a session.
const SUBAGENTS: &str = "subagents";
/// How a sub-agent's file begins.
const SUBAGENT: &str = "agent-";
/// How the file of a compaction's own call begins: it is no sub-agent.
const COMPACTION_CALL: &str = "agent-acompact-";

/// A folder to look in.
#[derive(Clone, Debug)]
pub struct Place {
    /// Whose it is; nothing where somebody named it, and the files themselves have to say.
    pub agent: Option<&'static Agent>,
    /// The folder.
    pub folder: PathBuf,
}

impl Place {
    /// A folder that somebody named.
    pub fn given(folder: &Path) -> Self {
        Self { agent: None, folder: folder.to_path_buf() }
    }
}

impl Agent {
    /// The agent called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// Its folders of sessions.
    fn places(
        &'static self,
        variable: &dyn Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> impl Iterator<Item = Place> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let own = match set(self.variable) {
            Some(value) => self.listed(&value, home),
            None => {
                home.into_iter().flat_map(|home| self.usual.iter().map(|usual| home.join(usual))).collect()
            }
        };
        let inside: Vec<PathBuf> =
            own.iter().flat_map(|folder| self.folders.iter().map(|inner| folder.join(inner))).collect();
        let direct = self.direct.and_then(set).map(|value| at_home(value.into(), home));
        direct.into_iter().chain(inside).map(|folder| Place { agent: Some(self), folder })
    }

    /// The folders in a variable's value. A folder that exists under the whole value is that one, commas and all.
    fn listed(&self, value: &OsStr, home: Option<&Path>) -> Vec<PathBuf> {
        let whole = at_home(PathBuf::from(value), home);
        match value.to_str() {
            Some(text) if self.several && text.contains(',') && !whole.is_dir() => text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(|part| at_home(part.into(), home))
                .collect(),
            _ => vec![whole],
        }
    }

    /// Whether sessions can be in the folder at `below` the place.
    fn enters(&self, below: &Path) -> bool {
        // In the folder beside a session only its sub-agents are logs: tool results can be thousands of files.
        !self.by_project || below.components().count() < 3 || has_subagents(below)
    }
}

/// `~/x` as the home folder's `x`.
fn at_home(path: PathBuf, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

fn has_subagents(below: &Path) -> bool {
    below.components().any(|part| part.as_os_str() == SUBAGENTS)
}

/// Every agent's folders of sessions; only `agent`'s where one is given.
pub fn places(agent: Option<&'static Agent>) -> Vec<Place> {
    places_by(agent, &|name| std::env::var_os(name), std::env::home_dir().as_deref())
}

fn places_by(
    only: Option<&'static Agent>,
    variable: &dyn Fn(&str) -> Option<OsString>,
    home: Option<&Path>,
) -> Vec<Place> {
    let wanted = AGENTS.iter().filter(|agent| only.is_none_or(|only| only.name == agent.name));
    wanted.flat_map(|agent| agent.places(variable, home)).collect()
}

impl Place {
    /// What the file at `below` this place is, by its name; nothing where it is no session.
    pub fn role(&self, below: &Path) -> Option<Role> {
        // Names need not be UTF-8: what matters of them is.
        let name = below.file_name()?.to_string_lossy();
        if !ENDINGS.iter().any(|ending| name.ends_with(ending)) || name.starts_with(COMPACTION_CALL) {
            return None;
        }
        let by_project = self.agent.is_none_or(|agent| agent.by_project);
        if by_project && name.starts_with(SUBAGENT) {
            return Some(Role::Subagent);
        }
        let begins = self.agent.map_or("", |agent| agent.begins);
        // Beside a sub-agent's log may stand others of its making, which are no conversations.
        let own = !(by_project && self.agent.is_some() && has_subagents(below));
        (own && name.starts_with(begins)).then_some(Role::Session)
    }

    /// Whether sessions can be in the folder at `below` this place.
    pub fn enters(&self, below: &Path) -> bool {
        self.agent.is_none_or(|agent| agent.enters(below))
    }
}

/// Whether a file or folder that nobody knows yet can be a session in one of `places`, or hold some.
pub(super) fn may_hold_sessions(places: &[Place], path: &Path) -> bool {
    let is_session =
        |place: &Place| path.strip_prefix(&place.folder).is_ok_and(|below| place.role(below).is_some());
    places.iter().any(is_session) || path.is_dir()
}

/// The name of a session without the endings.
pub fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let ending = ENDINGS.iter().find(|ending| name.ends_with(**ending))?;
    Some(name[..name.len() - ending.len()].to_owned())
}

/// The session whose folder of sub-agents the file at `path` is in, without the endings.
pub fn owner(path: &Path) -> Option<PathBuf> {
    let folder = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == SUBAGENTS))?;
    folder.parent().map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(only: Option<&str>, set: &[(&str, &str)]) -> Vec<String> {
        let lookup = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        places_by(only.and_then(Agent::named), &lookup, Some(Path::new("/home/me")))
            .iter()
            .map(|place| place.folder.display().to_string())
            .collect()
    }

    #[test]
    fn agents_keep_sessions_in_their_usual_folders() {
        assert_eq!(
            folders(None, &[]),
            [
                "/home/me/.claude/projects",
                "/home/me/.config/claude/projects",
                "/home/me/.codex/sessions",
                "/home/me/.codex/archived_sessions",
                "/home/me/.pi/agent/sessions",
            ]
        );
    }

    #[test]
    fn variables_move_them() {
        let claude = |value| folders(Some("claude-code"), &[("CLAUDE_CONFIG_DIR", value)]);
        assert_eq!(claude("/a"), ["/a/projects"]);
        assert_eq!(claude("/a, ~/b,"), ["/a/projects", "/home/me/b/projects"]);
        assert_eq!(claude(""), folders(Some("claude-code"), &[]));
        let codex = folders(Some("codex"), &[("CODEX_HOME", "/x,y")]);
        assert_eq!(codex, ["/x,y/sessions", "/x,y/archived_sessions"]);
        let pi = [("PI_CODING_AGENT_DIR", "~/p"), ("PI_CODING_AGENT_SESSION_DIR", "/s")];
        assert_eq!(folders(Some("pi"), &pi), ["/s", "/home/me/p/sessions"]);
    }

    #[test]
    fn a_folder_whose_name_holds_a_comma_is_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("a,b");
        std::fs::create_dir(&odd).unwrap();
        let odd = odd.to_str().unwrap().to_owned();
        assert_eq!(folders(Some("claude-code"), &[("CLAUDE_CONFIG_DIR", &odd)]), [format!("{odd}/projects")]);
    }

    #[test]
    fn names_tell_what_a_file_is() {
        let place = |name| Place { agent: Agent::named(name), folder: "/p".into() };
        let (claude, codex, pi) = (place("claude-code"), place("codex"), place("pi"));
        let given = Place::given(Path::new("/p"));
        let session = Some(Role::Session);
        let subagent = Some(Role::Subagent);
        for (place, name, role) in [
            (&claude, "-home-me/0cf3.jsonl", session),
            (&claude, "-home-me/agent-a1.jsonl", subagent),
            (&claude, "-home-me/0cf3/subagents/agent-a1.jsonl", subagent),
            (&claude, "-home-me/0cf3/subagents/workflows/w1/agent-a1.jsonl", subagent),
            (&claude, "-home-me/0cf3/subagents/workflows/w1/journal.jsonl", None),
            (&claude, "-home-me/0cf3/subagents/agent-acompact-f0.jsonl", None),
            (&claude, "-home-me/sessions-index.json", None),
            (&codex, "2026/02/23/rollout-2026-02-23T12-19-38-019c.jsonl", session),
            (&codex, "2026/02/23/rollout-2026-02-23T12-19-38-019c.jsonl.zst", session),
            (&codex, "rollout-2025-05-07-x.json", None),
            (&codex, "session_index.jsonl", None),
            (&pi, "--home-me--/2025-01-01T10-00-00Z_i.jsonl", session),
            (&given, "any/where.jsonl.gz", session),
            (&given, "any/agent-x.jsonl", subagent),
            (&given, "any/agent-acompact-x.jsonl", None),
            (&given, "any/where.txt", None),
        ] {
            assert_eq!(place.role(Path::new(name)), role, "{name}");
        }
    }

    #[test]
    fn folders_that_hold_no_sessions_are_not_entered() {
        let claude = Place { agent: Agent::named("claude-code"), folder: "/p".into() };
        for (below, enters) in [
            ("-home-me", true),
            ("-home-me/0cf3", true),
            ("-home-me/0cf3/tool-results", false),
            ("-home-me/0cf3/subagents", true),
            ("-home-me/0cf3/subagents/workflows", true),
        ] {
            assert_eq!(claude.enters(Path::new(below)), enters, "{below}");
        }
        assert!(Place::given(Path::new("/p")).enters(Path::new("a/b/c/d")));
    }

    #[test]
    fn a_sub_agents_file_names_its_session() {
        let owner = |path: &str| owner(Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(owner("/p/0cf3/subagents/agent-a.jsonl").as_deref(), Some("/p/0cf3"));
        assert_eq!(owner("/p/0cf3/subagents/w/agent-a.jsonl").as_deref(), Some("/p/0cf3"));
        assert_eq!(owner("/p/agent-a.jsonl"), None);
        assert_eq!(stem(Path::new("/p/0cf3.jsonl.zst")).as_deref(), Some("0cf3"));
    }
}
