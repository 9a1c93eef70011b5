//! Which events a turn is: the table in [`super`], row by row.
//!
//! An event stands for parts of turns and carries digests in place of texts: those stay in the log.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::formats::facts::{PartKind, Role};
use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::text::LocatedText;
use crate::session::{Part, TurnId};

use super::super::super::blocks::todo;
use super::super::Event;
use crate::text::lexicon::{self, Deed};

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
    /// The list in force after each turn.
    lists: HashMap<TurnId, Rc<List>>,
    list_count: u32,
    /// Which stretch of the file a turn is in: looks in one are no duplicates of looks in another, which is not in view.
    scopes: HashMap<TurnId, u32>,
    scope_count: u32,
    /// Calls that changed something and have no result that is a part, by their places among all parts.
    waiting: Vec<u32>,
}

/// A list of what is to be done.
#[derive(Debug, Default)]
struct List {
    /// Which list it is: another one begins where unfinished items are dropped.
    number: u32,
    /// What it leaves unfinished.
    open: BTreeSet<String>,
}

/// What an event says: its type, its fields, and the parts that it stands for.
type Told = (&'static str, Value, Vec<(TurnId, u32)>);

/// A part of a turn, with its text.
struct Piece<'a> {
    turn: TurnId,
    number: u32,
    tool: &'a str,
    deed: Deed,
    path: &'a str,
    text: &'a LocatedText,
    error: bool,
    /// The user's own words are in it.
    voice: bool,
    /// The call's place among all parts, on results.
    call: Option<(TurnId, u32, String)>,
}

impl<'a> Piece<'a> {
    fn of(log: &'a OpenLog, part: &Part, text: &'a LocatedText) -> Self {
        let session = &log.session;
        let tool = session.name(part.tool);
        Self {
            turn: session.turn_of(part),
            number: text.index,
            tool,
            deed: lexicon::built_in().tools.deed(tool),
            path: session.name(part.path),
            text,
            error: part.error,
            voice: part.voice,
            call: None,
        }
    }

    /// Whether it is like no other whatever its text: the user's own words, or pictures, of which the text says little.
    fn is_unique(&self) -> bool {
        let mut lines = self.text.text.text.lines();
        self.voice || lines.any(|line| line.starts_with("[image: ") || line.starts_with("[document: "))
    }

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
        if let Some(list) = before.and_then(|before| self.lists.get(&before).cloned()) {
            self.lists.insert(id, list);
        }
        if let Some(scope) = before.and_then(|before| self.scopes.get(&before).copied()) {
            self.scopes.insert(id, scope);
        }
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
        match left_behind(log, self.last, before, number) {
            Left::Nothing => {}
            Left::Branch(first) => {
                let fields = json!({"ref_to": [format!("t{first}")]});
                add(format!("t{number}.left"), "abandon", fields, Vec::new());
            }
            Left::Elsewhere => {
                self.lists.remove(&id);
                self.scope_count += 1;
                self.scopes.insert(id, self.scope_count);
            }
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
                    let other = session.pair(&part);
                    let call =
                        other.filter(|_| part.kind == PartKind::ToolResult).and_then(|(place, call)| {
                            let of = session.turn_of(&call);
                            let index = session.parts(of).position(|(at, _)| at == place)? as u32;
                            Some((of, index, format!("t{}.{index}", session.turn(of).number)))
                        });
                    let piece = Piece { call, ..Piece::of(log, &part, text) };
                    let Some((kind, fields, parts)) = self.tool(log, &piece, part.kind)? else {
                        self.waiting.extend(other.is_none().then_some(place));
                        continue;
                    };
                    add(name, kind, fields, parts);
                }
                _ => add(name, "decision", json!({"content": short(&text.text.text)}), own),
            }
        }
        for (name, (kind, fields, parts)) in self.answered(log, id)? {
            add(name, kind, fields, parts);
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
        if kind == PartKind::ToolCall {
            // What changes something is one event, once it is known how it ended.
            if acts(piece.deed, &piece.text.text.text) {
                return Ok(None);
            }
            // What a look tells depends on the changes before it; any other call is like no other.
            let scope = self.scopes.get(&piece.turn).copied().unwrap_or(0);
            let state = match piece.deed {
                Deed::Read => json!([scope, self.changes.get(piece.path).copied().unwrap_or(0)]),
                Deed::Search => json!([scope, self.all_changes]),
                _ => json!(piece.address(log)),
            };
            let arguments = json!({"digest": digest(&piece.text.text.text), "state": state});
            return Ok(Some((
                "tool_call",
                json!({"tool_name": piece.tool, "arguments": arguments}),
                vec![own],
            )));
        }
        let Some((turn, index, call)) = &piece.call else {
            let fields = json!({"content": short(&piece.text.text.text)});
            return Ok(Some(("decision", fields, vec![own])));
        };
        let asked = log.texts(*turn)?;
        let asked = asked.iter().find(|text| text.index == *index).map_or("", |text| &*text.text.text);
        if !acts(piece.deed, asked) {
            let told = if piece.is_unique() { piece.address(log) } else { digest(&piece.text.text.text) };
            return Ok(Some(("tool_result", json!({"call_id": call, "result": told}), vec![own])));
        }
        let (kind, fields) = self.acted(piece, asked, &piece.text.text.text);
        Ok(Some((kind, fields, vec![(*turn, *index), own])))
    }

    /// The event of what was `asked` for and changed something or ran, given what it `told`.
    fn acted(&mut self, piece: &Piece, asked: &str, told: &str) -> (&'static str, Value) {
        match piece.deed {
            Deed::Run => command(asked, told, piece.error),
            _ if piece.error => ("error", json!({"message": filled(told)})),
            Deed::Todo => {
                let key = format!("to-do {}", self.list_number(piece.turn, asked));
                ("set_var", json!({"key": key, "value": digest(asked)}))
            }
            _ => {
                *self.changes.entry(piece.path.to_owned()).or_default() += 1;
                self.all_changes += 1;
                ("file_edit", json!({"path": filled(piece.path), "diff_hash": digest(asked)}))
            }
        }
    }

    /// The calls that turn `id` answers without a word, and whose results are no parts.
    fn answered(&mut self, log: &OpenLog, id: TurnId) -> Result<Vec<(String, Told)>, LogError> {
        let session = &log.session;
        let (answered, waiting): (Vec<_>, Vec<_>) =
            self.waiting.iter().partition(|place| session.answered_by(**place) == Some(id));
        self.waiting = waiting;
        let mut out = Vec::new();
        for place in answered {
            let part = session.part(place);
            let turn = session.turn_of(&part);
            let texts = log.texts(turn)?;
            let Some(text) = texts.iter().find(|text| text.place == place) else { continue };
            let piece = Piece { turn: id, number: text.index, ..Piece::of(log, &part, text) };
            let (kind, fields) = self.acted(&piece, &text.text.text, "");
            let name = format!("t{}.{}", session.turn(turn).number, text.index);
            out.push((name, (kind, fields, vec![(turn, text.index)])));
        }
        Ok(out)
    }

    /// The number of the list that is written in turn `id`: the one before goes on, unless items that it left unfinished
    /// are dropped.
    fn list_number(&mut self, id: TurnId, asked: &str) -> u32 {
        let items = todo::list(asked).unwrap_or_default();
        let before = self.lists.get(&id);
        let dropped = before.is_some_and(|before| {
            before.open.iter().any(|open| !items.iter().any(|item| item.name == *open))
        });
        let number = match before {
            Some(before) if !dropped => before.number,
            _ => {
                self.list_count += 1;
                self.list_count
            }
        };
        let open = items.into_iter().filter(|item| !item.done).map(|item| item.name).collect();
        self.lists.insert(id, Rc::new(List { number, open }));
        number
    }
}

/// Whether a call, with what it was `asked`, is one event with its result: what it changed counts, not that it was called.
fn acts(deed: Deed, asked: &str) -> bool {
    match deed {
        Deed::Write | Deed::Edit | Deed::Run => true,
        Deed::Todo => todo::list(asked).is_some(),
        _ => false,
    }
}

/// What a turn leaves behind.
enum Left {
    Nothing,
    /// A branch, which begins with this turn.
    Branch(u32),
    /// Turns that are not on its path and are no branch of it: another conversation in the same file.
    Elsewhere,
}

/// What turn `number` leaves behind: the path went from `last`, and goes on from `before`.
///
/// Local commands that nobody answered are no branch: their agent hangs them all on one record, whatever order they were
/// run in.
fn left_behind(log: &OpenLog, last: Option<TurnId>, before: Option<TurnId>, number: u32) -> Left {
    let session = &log.session;
    let number_of = |id: Option<TurnId>| id.map_or(0, |id| session.turn(id).number);
    let (mut first, mut answered, mut abandoned) = (0, false, true);
    let (mut at, mut other) = (last, before);
    while at != other {
        match at.filter(|_| number_of(at) > number_of(other)) {
            Some(id) => {
                first = number_of(at);
                answered |= session.turn(id).role == Role::Assistant;
                abandoned &= session.is_abandoned(id, number);
                at = session.before(id);
            }
            None => other = other.and_then(|id| session.before(id)),
        }
    }
    // They meet where the branch forks; before everything only if the first prompt was taken back.
    let forks = at.is_some() || before.is_none();
    match (answered, abandoned && forks) {
        (false, _) => Left::Nothing,
        (true, true) => Left::Branch(first),
        (true, false) => Left::Elsewhere,
    }
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
