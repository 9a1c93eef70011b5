//! The one key table: dispatch, help, hints and the README all come from it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::outline::ViewKind;

use super::Action;

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// A session is open.
    Inspector,
    /// A session is open, and the pane with a trace has the keys: these go before the others.
    Trace,
    /// The list of sessions.
    Picker,
    /// The list of sessions while its filter is empty: these keys are text once something is typed.
    EmptyFilter,
}

/// The contexts of the list of sessions.
pub const PICKER: [Context; 2] = [Context::Picker, Context::EmptyFilter];

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Where it holds.
    pub context: Context,
    /// What it does.
    pub action: Action,
    /// The keys, as people write them; the first is the one shown in hints.
    pub keys: &'static [&'static str],
    /// The heading it stands under in the help.
    pub topic: &'static str,
    /// What it does, in words.
    pub doc: &'static str,
    /// The word in the hint line; empty where it is not shown there.
    pub hint: &'static str,
}

const fn bind(
    action: Action,
    keys: &'static [&'static str],
    topic: &'static str,
    doc: &'static str,
    hint: &'static str,
) -> Binding {
    Binding { context: Context::Inspector, action, keys, topic, doc, hint }
}

const fn view(kind: ViewKind, keys: &'static [&'static str]) -> Binding {
    bind(Action::View(kind), keys, SHOW, kind.title(), "")
}

const fn pick(
    action: Action,
    keys: &'static [&'static str],
    topic: &'static str,
    doc: &'static str,
    hint: &'static str,
) -> Binding {
    Binding { context: Context::Picker, action, keys, topic, doc, hint }
}

const fn link(
    action: Action,
    keys: &'static [&'static str],
    doc: &'static str,
    hint: &'static str,
) -> Binding {
    Binding { context: Context::Trace, action, keys, topic: TRACE, doc, hint }
}

const fn when_empty(binding: Binding) -> Binding {
    Binding { context: Context::EmptyFilter, ..binding }
}

const MOVE: &str = "Move";
const TIME: &str = "Time";
const FIND: &str = "Find";
const SHOW: &str = "Show";
const TRACE: &str = "In a trace, a summary of Blocks or Forest, and the Audit";
const BLOCKS: &str = "Blocks and Forest";
const AUDIT: &str = "Audit";
const LIST: &str = "Sessions";

/// Every key.
pub const TABLE: &[Binding] = &[
    bind(Action::Open, &["Enter"], MOVE, "open a node and step in, unfold a long result", "open"),
    bind(
        Action::Trace,
        &["t"],
        FIND,
        "trace: the turns that a summary's sentence rests on, what became of a turn, what superseded a receipt's event",
        "trace",
    ),
    bind(Action::Down, &["Down", "j"], MOVE, "one row down; 12j moves twelve", ""),
    bind(Action::Up, &["Up", "k"], MOVE, "one row up", ""),
    bind(Action::PageDown, &["PgDn", "Space", "Ctrl-f"], MOVE, "a page down", ""),
    bind(Action::PageUp, &["PgUp", "b", "Ctrl-b"], MOVE, "a page up", ""),
    bind(Action::First, &["g", "Home"], MOVE, "to the first row", ""),
    bind(Action::Last, &["G", "End"], MOVE, "to the last row, and follow if it is the end of the log", ""),
    bind(Action::Toggle, &["Right", "l"], MOVE, "open a node, or step into it", ""),
    bind(Action::Close, &["Left", "h"], MOVE, "close a node, or step out to its parent", ""),
    bind(Action::OpenAll, &["*"], MOVE, "open everything under a node, up to 2,000 rows", ""),
    bind(Action::NextPane, &["Tab"], MOVE, "to the other pane", "pane"),
    bind(
        Action::Back,
        &["Esc", "Backspace"],
        MOVE,
        "back to where you came from; leaves search and filter",
        "",
    ),
    bind(
        Action::GenerationBack,
        &["["],
        TIME,
        "as of the newest generation before this moment",
        "generation",
    ),
    bind(Action::GenerationOn, &["]"], TIME, "as of the next generation", ""),
    bind(Action::TurnBack, &[","], TIME, "as of one turn earlier", "turn"),
    bind(Action::TurnOn, &["."], TIME, "as of one turn later", ""),
    bind(Action::TenBack, &["<"], TIME, "as of ten turns earlier", ""),
    bind(Action::TenOn, &[">"], TIME, "as of ten turns later", ""),
    bind(Action::Follow, &["f"], TIME, "follow the end of the log, or stop following", "follow"),
    bind(Action::Compaction, &["c"], TIME, "to the newest compaction and what it covered", ""),
    bind(
        Action::Search,
        &["/"],
        FIND,
        "search the turns' texts: a regular expression; capitals make it exact",
        "search",
    ),
    bind(Action::NextMatch, &["n"], FIND, "next match", ""),
    bind(Action::PreviousMatch, &["N"], FIND, "previous match", ""),
    bind(
        Action::Jump,
        &[":"],
        FIND,
        "jump to t489, t489.2, L560, g3, g3.s12, b4, b4.s2, p2, i9, c45, c45.s2, u7, r:t88, @NAME/t12 or a clock time",
        "jump",
    ),
    bind(
        Action::Ask,
        &["a"],
        FIND,
        "ask the cold forest: which clusters a reader would get for a question, and what of them",
        "ask",
    ),
    bind(
        Action::Filter,
        &["F"],
        FIND,
        "show only turns of a role, tool or thread: user, Bash, @NAME, error, voice",
        "",
    ),
    bind(
        Action::Original,
        &["o"],
        FIND,
        "from a summary to the first turn it covers; from a sentence to the turn behind its oldest wording; from a receipt to the turn in the Window; between a call and its result",
        "",
    ),
    view(ViewKind::Window, &[ViewKind::Window.digit()]),
    view(ViewKind::Generations, &[ViewKind::Generations.digit()]),
    view(ViewKind::Blocks, &[ViewKind::Blocks.digit()]),
    view(ViewKind::Forest, &[ViewKind::Forest.digit()]),
    view(ViewKind::Receipts, &[ViewKind::Receipts.digit()]),
    view(ViewKind::Audit, &[ViewKind::Audit.digit()]),
    bind(Action::Difference, &["d"], SHOW, "the words that changed since the summary before", ""),
    bind(Action::Zoom, &["z"], SHOW, "one pane on the whole screen, or both again", ""),
    bind(Action::Narrower, &["-"], SHOW, "narrower tree", ""),
    bind(Action::Wider, &["+", "="], SHOW, "wider tree", ""),
    bind(Action::CopyAddress, &["y"], SHOW, "copy the address", ""),
    bind(Action::CopyText, &["Y"], SHOW, "copy the text", ""),
    bind(Action::Mouse, &["M"], SHOW, "give the mouse to the terminal, or take it back", ""),
    bind(Action::Sessions, &["S"], SHOW, "the list of sessions; Esc there comes back", ""),
    bind(Action::Help, &["?"], SHOW, "this help", "help"),
    bind(Action::Stop, &["Ctrl-z"], SHOW, "back to the shell for now; its `fg` returns here", ""),
    bind(Action::Quit, &["q", "Ctrl-c"], SHOW, "quit", "quit"),
    bind(
        Action::Pin,
        &["p"],
        BLOCKS,
        "pin a turn to the ledger, or unpin an item: kept, also by the next start",
        "pin",
    ),
    bind(
        Action::Class,
        &["C"],
        BLOCKS,
        "another class for an item: decision, rejection, …, as the rules have it",
        "",
    ),
    bind(Action::Again, &["R"], BLOCKS, "write a summary that is missing, try those again that failed", ""),
    bind(Action::Halt, &["X"], BLOCKS, "stop writing summaries, also the ones that are being written", ""),
    bind(
        Action::Recall,
        &["r"],
        AUDIT,
        "a note to paste back to the agent: of what a compaction lost, a class of it or one item, of a turn or a sentence; again: copy it",
        "note",
    ),
    bind(
        Action::Shown,
        &["v"],
        AUDIT,
        "show all items, only what was lost or changed, or of that only what the user said",
        "",
    ),
    link(Action::Open, &["Enter", "o"], "go to the chosen turn or sentence", "go there"),
    link(Action::Back, &["Esc", "Backspace"], "back to the sentence or turn it is about", "back"),
    link(Action::Down, &["Down", "j"], "choose the next one; scroll where none is in sight", "choose"),
    link(Action::Up, &["Up", "k"], "choose the one before", ""),
    pick(Action::Open, &["Enter"], LIST, "open the session; one that is being written is followed", "open"),
    pick(Action::Down, &["Down", "Ctrl-n"], LIST, "the next session", ""),
    pick(Action::Up, &["Up", "Ctrl-p"], LIST, "the one before", ""),
    pick(Action::PageDown, &["PgDn"], LIST, "a page down", ""),
    pick(Action::PageUp, &["PgUp"], LIST, "a page up", ""),
    pick(Action::First, &["Home"], LIST, "to the newest", ""),
    pick(Action::Last, &["End"], LIST, "to the oldest", ""),
    pick(Action::Toggle, &["Right"], LIST, "show the sub-agents and forks of a session", "sub-agents"),
    pick(Action::Close, &["Left"], LIST, "hide them; from one of them, to its session", ""),
    when_empty(pick(
        Action::Fold,
        &["Space"],
        LIST,
        "show or hide them (in an empty filter; later a space parts words)",
        "",
    )),
    pick(Action::CopyAddress, &["Ctrl-y"], LIST, "copy the session's path", ""),
    pick(
        Action::Back,
        &["Esc"],
        LIST,
        "empty the filter; then back to the session you came from, or quit",
        "",
    ),
    when_empty(pick(Action::Help, &["?"], LIST, "this help (in an empty filter)", "help")),
    pick(Action::Quit, &["Ctrl-c"], LIST, "quit", "quit"),
];

/// Topics of the help, in order.
const TOPICS: [&str; 8] = [MOVE, TIME, FIND, TRACE, SHOW, BLOCKS, AUDIT, LIST];

/// The rows that hold in one of `contexts`, in order.
pub fn bindings(contexts: &[Context]) -> impl Iterator<Item = &'static Binding> {
    TABLE.iter().filter(|binding| contexts.contains(&binding.context))
}

/// The topics of those rows, in order.
pub fn topics(contexts: &[Context]) -> impl Iterator<Item = &'static str> {
    TOPICS.into_iter().filter(|topic| bindings(contexts).any(|binding| binding.topic == *topic))
}

/// What a key means in one of `contexts`.
pub fn action(contexts: &[Context], key: KeyEvent) -> Option<Action> {
    let name = name(key)?;
    bindings(contexts).find(|binding| binding.keys.contains(&name.as_str())).map(|binding| binding.action)
}

/// The key as people write it.
pub fn name(key: KeyEvent) -> Option<String> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let plain = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "Enter".to_owned(),
        KeyCode::Esc => "Esc".to_owned(),
        KeyCode::Backspace => "Backspace".to_owned(),
        KeyCode::Tab | KeyCode::BackTab => "Tab".to_owned(),
        KeyCode::Up => "Up".to_owned(),
        KeyCode::Down => "Down".to_owned(),
        KeyCode::Left => "Left".to_owned(),
        KeyCode::Right => "Right".to_owned(),
        KeyCode::PageUp => "PgUp".to_owned(),
        KeyCode::PageDown => "PgDn".to_owned(),
        KeyCode::Home => "Home".to_owned(),
        KeyCode::End => "End".to_owned(),
        _ => return None,
    };
    Some(if control { format!("Ctrl-{plain}") } else { plain })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Contexts that hold at the same time.
    const TOGETHER: [&[Context]; 3] = [&[Context::Inspector], &[Context::Trace], &PICKER];

    #[test]
    fn no_key_is_bound_twice_and_every_row_says_what_it_does() {
        for contexts in TOGETHER {
            let mut seen = HashSet::new();
            for binding in bindings(contexts) {
                assert!(!binding.keys.is_empty() && !binding.doc.is_empty(), "{binding:?}");
                assert!(TOPICS.contains(&binding.topic));
                for key in binding.keys {
                    assert!(seen.insert(key), "{key} is bound twice");
                }
            }
        }
    }

    #[test]
    fn no_action_stands_in_two_rows() {
        for contexts in TOGETHER {
            let mut seen = HashSet::new();
            assert!(bindings(contexts).all(|binding| seen.insert(binding.action)));
        }
    }

    #[test]
    fn no_letter_means_anything_where_it_is_to_be_typed() {
        for binding in bindings(&[Context::Picker]) {
            assert!(binding.keys.iter().all(|key| key.chars().count() > 1 && *key != "Space"), "{binding:?}");
        }
    }

    #[test]
    fn the_readme_lists_every_key() {
        let readme = include_str!("../../README.md");
        for binding in TABLE {
            let key = binding.keys[0];
            assert!(
                readme.contains(&format!("`{key}`")),
                "the README does not mention {key}: {}",
                binding.doc
            );
        }
    }

    #[test]
    fn keys_read_as_people_write_them() {
        const INSPECTOR: [Context; 1] = [Context::Inspector];
        let key = |code, modifiers| KeyEvent::new(code, modifiers);
        assert_eq!(action(&INSPECTOR, key(KeyCode::Char('G'), KeyModifiers::SHIFT)), Some(Action::Last));
        assert_eq!(action(&INSPECTOR, key(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Action::Quit));
        assert_eq!(action(&INSPECTOR, key(KeyCode::Char('c'), KeyModifiers::NONE)), Some(Action::Compaction));
        assert_eq!(action(&INSPECTOR, key(KeyCode::F(1), KeyModifiers::NONE)), None);
    }
}
