//! A home folder with the sessions of three agents, made for a test.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// Variables that would lead out of the made home.
const FOREIGN: [&str; 7] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "PWD",
];

/// A home folder; it is deleted when dropped.
pub struct Home(TempDir);

/// One record of Claude Code. `what` is `user`, `assistant`, `title`, `boundary` or `summary`.
pub fn claude(number: usize, session: &str, project: &str, what: &str, text: &str) -> String {
    let parent = if number == 0 || what == "boundary" {
        "null".to_owned()
    } else {
        format!("\"{session}-{}\"", number - 1)
    };
    let common = format!(
        r#""uuid":"{session}-{number}","parentUuid":{parent},"sessionId":"{session}","cwd":"{project}","version":"2.1.7","timestamp":"2026-03-03T14:02:{:02}.000Z""#,
        number % 60
    );
    match what {
        "title" => format!(r#"{{"type":"custom-title","customTitle":"{text}","sessionId":"{session}"}}"#),
        "boundary" => format!(
            r#"{{"type":"system","subtype":"compact_boundary",{common},"compactMetadata":{{"trigger":"auto","preTokens":150000}}}}"#
        ),
        "summary" => format!(
            r#"{{"type":"user",{common},"isCompactSummary":true,"message":{{"role":"user","content":"{text}"}}}}"#
        ),
        "user" => format!(r#"{{"type":"user",{common},"message":{{"role":"user","content":"{text}"}}}}"#),
        _ => format!(
            r#"{{"type":"assistant",{common},"message":{{"id":"m{number}","role":"assistant","model":"claude-opus-4-5","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input_tokens":10,"output_tokens":20,"cache_read_input_tokens":3000,"cache_creation_input_tokens":400}}}}}}"#
        ),
    }
}

/// A short session of Claude Code about `prompt`, with an answer.
pub fn exchange(session: &str, project: &str, prompt: &str) -> Vec<String> {
    vec![claude(0, session, project, "user", prompt), claude(1, session, project, "assistant", "Done.")]
}

impl Home {
    /// An empty one.
    pub fn new() -> Self {
        // Under a name that a path on the screen can be told by; links resolved, as agents log directories.
        let folder = tempfile::Builder::new().prefix("home-").tempdir().expect("a temporary folder");
        Self(folder)
    }

    /// One with sessions of every kind; see the test of the list for what is in it.
    pub fn furnished() -> Self {
        let home = Self::new();
        let api = "/work/api";
        let mut login = exchange("login", api, "Fix the login: it fails when the name has an umlaut");
        login.push(claude(2, "login", api, "boundary", ""));
        login.push(claude(3, "login", api, "summary", "The login was fixed."));
        login.push(claude(4, "login", api, "assistant", "And now?"));
        login.push(claude(5, "login", api, "title", "Login with umlauts"));
        home.write(".claude/projects/-work-api/login.jsonl", &login, minutes(5));
        let agent = exchange("login", api, "Find every call of the login")
            .join("\n")
            .replace(r#""type":"#, r#""isSidechain":true,"agentId":"a7","type":"#);
        home.write(".claude/projects/-work-api/login/subagents/agent-a7.jsonl", &[agent], minutes(7));
        let call = exchange("login", api, "Your task is to create a summary");
        home.write(".claude/projects/-work-api/login/subagents/agent-acompact-f0.jsonl", &call, minutes(6));
        home.write(
            ".claude/projects/-work-api/login/tool-results/toolu_1.txt",
            &["output".to_owned()],
            minutes(6),
        );
        let slow = exchange("slow", "/work/shop", "Why is the build slow?");
        home.write(".claude/projects/-work-shop/slow.jsonl", &slow, minutes(65));
        let beside = exchange("slow", "/work/shop", "Measure the linker")
            .join("\n")
            .replace(r#""type":"#, r#""isSidechain":true,"agentId":"b2","type":"#);
        home.write(".claude/projects/-work-shop/agent-b2.jsonl", &[beside], minutes(66));
        home.write(".config/claude/projects/-work-old/empty.jsonl", &[], minutes(60 * 24 * 3 + 30));
        home.write(
            ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-c1.jsonl",
            &codex("c1", ""),
            minutes(125),
        );
        let child = codex("c2", r#","parent_thread_id":"c1""#);
        home.write(".codex/sessions/2026/03/01/rollout-2026-03-01T11-00-00-c2.jsonl", &child, minutes(130));
        let fork = codex("c3", r#","forked_from_id":"c1""#);
        home.write(".codex/archived_sessions/rollout-2026-03-01T12-00-00-c3.jsonl", &fork, minutes(128));
        home.write(".codex/sessions/rollout-2025-05-07-old.json", &["{}".to_owned()], minutes(1));
        home.write(".codex/session_index.jsonl", &["{}".to_owned()], minutes(1));
        home.write(
            ".pi/agent/sessions/--work-pi--/2026-03-01T10-00-00-000Z_p1.jsonl",
            &pi("p1", ""),
            minutes(190),
        );
        let fork = pi("p2", r#","parentSession":"/elsewhere/2026-03-01T10-00-00-000Z_p1.jsonl""#);
        home.write(".pi/agent/sessions/--work-pi--/2026-03-01T11-00-00-000Z_p2.jsonl", &fork, minutes(200));
        home
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of what is `below` it.
    pub fn at(&self, below: &str) -> PathBuf {
        self.path().join(below)
    }

    /// Writes a file that changed `age` ago.
    pub fn write(&self, below: &str, lines: &[String], age: Duration) -> PathBuf {
        let path = self.at(below);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders can be made");
        let mut file = File::create(&path).expect("it can be made");
        for line in lines {
            writeln!(file, "{line}").expect("it can be written");
        }
        file.set_modified(SystemTime::now() - age).expect("its time can be set");
        path
    }

    /// Appends to a file, now.
    pub fn append(&self, below: &str, line: &str) {
        let mut file = File::options().append(true).open(self.at(below)).expect("it is there");
        writeln!(file, "{line}").expect("it can be written");
    }

    /// Variables for a process that is to live here; nothing: not set.
    pub fn variables(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        let own = [("HOME", self.path().to_path_buf()), ("PENTIMENTO_STATE", self.at("state"))];
        let foreign = FOREIGN.into_iter().map(|name| (name, None));
        foreign.chain(own.map(|(name, value)| (name, Some(value)))).collect()
    }

    /// The binary, about to run here with `arguments`.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pentimento"));
        command.args(arguments).current_dir(self.path());
        for (name, value) in self.variables() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Its run.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }
}

fn minutes(count: u64) -> Duration {
    // Half a minute more, so that a slow test tells the same age.
    Duration::from_secs(count * 60 + 30)
}

fn codex(id: &str, more: &str) -> Vec<String> {
    vec![
        format!(
            r#"{{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{{"id":"{id}","cwd":"/work/codex","cli_version":"0.104.0"{more}}}}}"#
        ),
        r#"{"timestamp":"2026-03-01T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Rename the flag"}]}}"#.to_owned(),
    ]
}

fn pi(id: &str, more: &str) -> Vec<String> {
    vec![
        format!(
            r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/pi"{more}}}"#
        ),
        r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"Fix the login bug"}}"#.to_owned(),
    ]
}
