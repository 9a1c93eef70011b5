//! Which events a turn is: the table in [`super`], row by row.
//!
//! An event stands for parts of turns and carries digests in place of texts: those stay in the log.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::TurnId;
use crate::session::open::OpenLog;
use crate::session::text::LocatedText;

use super::super::Event;

/// Tools that only look at one file.
const READERS: [&str; 4] = ["Read", "NotebookRead", "read", "read_file"];
/// Tools that only look, at anything.
const SEARCHERS: [&str; 10] =
    ["Grep", "Glob", "LS", "WebFetch", "WebSearch", "TodoRead", "grep", "find", "ls", "glob"];
/// Tools that change files.
const EDITORS: [&str; 7] = ["Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "write", "apply_patch"];
/// Tools that run a command.
const SHELLS: [&str; 6] = ["Bash", "bash", "shell", "exec_command", "local_shell", "shell_command"];
/// Tools that say what is to be done.
const LISTS: [&str; 2] = ["TodoWrite", "update_plan"];
/// How commands that run tests begin or go on.
const TESTS: [&str; 11] = [
    "cargo test",
    "cargo nextest",
    "go test",
    "pytest",
    "npm test",
    "npm run test",
    "yarn test",
    "pnpm test",
    "mix test",
    "make test",
    "vitest",
];
/// Longest text that an event carries.
const SHOWN: usize = 200;

/// An event and the parts that it stands for.
pub(super) struct Mapped {
    pub(super) id: String,
    pub(super) event: Event,
    pub(super) parts: Vec<(TurnId, u32)>,
}

/// What was seen so far.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// The newest event of each turn: what the next one follows.
    newest: HashMap<TurnId, String>,
    /// How often each file was changed, and any.
    changes: HashMap<String, u32>,
    all_changes: u32,
    /// The turn before, in the order of the thread.
    last: Option<TurnId>,
}

/// What an event says: its type, its fields, and the parts that it stands for.
type Told = (&'static str, Value, Vec<(TurnId, u32)>);

/// A part of a turn, with its text.
struct Piece<'a> {
    turn: TurnId,
    number: u32,
    tool: &'a str,
    path: &'a str,
    text: &'a LocatedText,
    error: bool,
    /// The user's own words are in it.
    voice: bool,
    /// The call's place among all parts, on results.
    call: Option<(TurnId, u32, String)>,
}

impl Piece<'_> {
    fn address(&self, log: &OpenLog) -> String {
        format!("t{}.{}", log.session.turn(self.turn).number, self.number)
    }
}

impl Rules {
    /// The events of a turn of the main thread. Turns have to come in order.
    pub(super) fn events(&mut self, log: &OpenLog, id: TurnId) -> Result<Vec<Mapped>, LogError> {
        let session = &log.session;
        let turn = session.turn(id);
        let number = turn.number;
        let before = session.before(id);
        let mut out = Vec::new();
        let mut parent = before.and_then(|before| self.newest.get(&before).cloned());
        let mut add = |id: String, kind: &str, fields: Value, parts: Vec<(TurnId, u32)>| {
            let mut event = json!({"id": id, "type": kind, "timestamp": number, "parent_id": parent});
            if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
                event.extend(fields);
            }
            if let Ok(event) = Event::parse(&event.to_string()) {
                parent = Some(id.clone());
                out.push(Mapped { id, event, parts });
            }
        };
        add(format!("t{number}"), "decision", json!({"content": null}), Vec::new());
        if let Some(left) = left_behind(log, self.last, before, number) {
            add(format!("t{number}.left"), "abandon", json!({"ref_to": [format!("t{left}")]}), Vec::new());
        }
        let texts = log.texts(id)?;
        for (place, part) in session.parts(id) {
            let Some(text) = texts.iter().find(|text| text.place == place) else { continue };
            let own = vec![(id, text.index)];
            let name = format!("t{number}.{}", text.index);
            let typed = turn.role == Role::User && !turn.is_injected();
            match part.kind {
                PartKind::Text if typed => {
                    add(name, "requirement", json!({"content": short(&text.text.text)}), own);
                }
                PartKind::ToolCall | PartKind::ToolResult => {
                    let other = session.pair(part);
                    let call =
                        other.filter(|_| part.kind == PartKind::ToolResult).and_then(|(place, call)| {
                            let of = session.turn_of(call);
                            let index = session.parts(of).position(|(at, _)| at == place)? as u32;
                            Some((of, index, format!("t{}.{index}", session.turn(of).number)))
                        });
                    let piece = Piece {
                        turn: id,
                        number: text.index,
                        tool: session.name(part.tool),
                        path: session.name(part.path),
                        text,
                        error: part.error,
                        voice: part.voice,
                        call,
                    };
                    let Some((kind, fields, parts)) = self.tool(log, &piece, part.kind)? else { continue };
                    add(name, kind, fields, parts);
                }
                _ => add(name, "decision", json!({"content": short(&text.text.text)}), own),
            }
        }
        if let Some(newest) = parent {
            self.newest.insert(id, newest);
        }
        self.last = Some(id);
        Ok(out)
    }

    /// The event of a call, or of a result with or without its call; none where the result has to come first.
    fn tool(&mut self, log: &OpenLog, piece: &Piece, kind: PartKind) -> Result<Option<Told>, LogError> {
        let own = (piece.turn, piece.number);
        let tool = piece.tool;
        let acts = [&EDITORS[..], &SHELLS, &LISTS].iter().any(|tools| tools.contains(&tool));
        if kind == PartKind::ToolCall {
            if acts {
                return Ok(None);
            }
            // What a look tells depends on the changes before it; any other call is like no other.
            let state = match tool {
                _ if READERS.contains(&tool) => json!(self.changes.get(piece.path).copied().unwrap_or(0)),
                _ if SEARCHERS.contains(&tool) => json!(self.all_changes),
                _ => json!(piece.address(log)),
            };
            let arguments = json!({"digest": digest(&piece.text.text.text), "state": state});
            return Ok(Some(("tool_call", json!({"tool_name": tool, "arguments": arguments}), vec![own])));
        }
        let Some((turn, index, call)) = &piece.call else {
            let fields = json!({"content": short(&piece.text.text.text)});
            return Ok(Some(("decision", fields, vec![own])));
        };
        if !acts {
            // What the user said there is no duplicate of anything.
            let told = if piece.voice { piece.address(log) } else { digest(&piece.text.text.text) };
            let result = json!({"call_id": call, "result": told});
            return Ok(Some(("tool_result", result, vec![own])));
        }
        let parts = vec![(*turn, *index), own];
        let asked = log.texts(*turn)?;
        let asked = asked.iter().find(|text| text.index == *index).map_or("", |text| &*text.text.text);
        Ok(Some(if EDITORS.contains(&tool) {
            if piece.error {
                return Ok(Some(("error", json!({"message": filled(&piece.text.text.text)}), parts)));
            }
            *self.changes.entry(piece.path.to_owned()).or_default() += 1;
            self.all_changes += 1;
            ("file_edit", json!({"path": filled(piece.path), "diff_hash": digest(asked)}), parts)
        } else if LISTS.contains(&tool) {
            if piece.error {
                return Ok(Some(("error", json!({"message": filled(&piece.text.text.text)}), parts)));
            }
            ("set_var", json!({"key": "to-do", "value": digest(asked)}), parts)
        } else {
            let (kind, fields) = command(asked, &piece.text.text.text, piece.error);
            (kind, fields, parts)
        }))
    }
}

/// The number of the first turn of the branch that turn `number` leaves behind, if it leaves any: the path went from
/// `last` and goes on from `before`.
fn left_behind(log: &OpenLog, last: Option<TurnId>, before: Option<TurnId>, number: u32) -> Option<u32> {
    let session = &log.session;
    if last == before {
        return None;
    }
    let mut first = None;
    let mut at = last;
    while let Some(id) = at.filter(|id| Some(*id) != before && session.is_abandoned(*id, number)) {
        first = Some(session.turn(id).number);
        at = session.before(id);
    }
    first
}

/// What a command was and how it ended.
fn command(asked: &str, told: &str, error: bool) -> (&'static str, Value) {
    let line = ["command", "cmd"].iter().find_map(|key| argument(asked, key)).unwrap_or(asked);
    let exit = exit_code(told).unwrap_or(i64::from(error));
    if exit == 0
        && line.contains("git commit")
        && let Some((hash, message)) = committed(told)
    {
        return ("git_commit", json!({"commit_hash": hash, "message": filled(message)}));
    }
    if TESTS.iter().any(|test| line.contains(test)) {
        let (passed, failed) = (i64::from(exit == 0), i64::from(exit != 0));
        let fields = json!({"test_names": [short(line)], "exit_code": exit, "passed_count": passed, "failed_count": failed});
        return ("test_run", fields);
    }
    ("command_run", json!({"command": filled(line), "exit_code": exit}))
}

/// The first line of an argument, in arguments as they are shown: `name: value`, or the value below its name.
fn argument<'a>(shown: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = shown.lines();
    while let Some(line) = lines.next() {
        match line.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')) {
            Some("") => return lines.next(),
            Some(value) => return value.strip_prefix(' '),
            None => {}
        }
    }
    None
}

/// The exit code that a result names.
fn exit_code(told: &str) -> Option<i64> {
    ["Exit code ", "Exit code: ", "exited with code "].iter().find_map(|words| {
        let (_, behind) = told.split_once(words)?;
        let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
}

/// The hash and the message in what `git commit` prints: `[branch hash] message`.
fn committed(told: &str) -> Option<(&str, &str)> {
    told.lines().find_map(|line| {
        let (inside, message) = line.strip_prefix('[')?.split_once("] ")?;
        let hash = inside.rsplit(' ').next().filter(|hash| hash.len() >= 7)?;
        hash.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some((hash, message))
    })
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The beginning of a text, never empty.
fn short(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    if short.is_empty() { "…".to_owned() } else { short }
}

fn filled(text: &str) -> String {
    short(text.trim())
}
