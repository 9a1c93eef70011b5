//! Keys in, screen out: the list without a terminal, on made-up sessions.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::discover::{Agent, Counts, Found, Glance, Known, Look, News, Role};
use crate::store::cache::Stamp;

use super::super::events::Event;
use super::*;

/// The list with keys instead of a keyboard.
struct App {
    picker: Picker,
    terminal: Terminal<TestBackend>,
    effects: Vec<Effect>,
}

/// A made-up session, as old as its number of minutes.
fn session(agent: &str, path: &str, minutes: i64, title: &str, project: &str) -> (Found, Known) {
    let modified = (crate::discover::now() - minutes * 60_000 - 5_000) * 1_000_000;
    let role = if path.contains("subagents") { Role::Subagent } else { Role::Session };
    let inode = path.bytes().fold(7, |sum, b| sum * 31 % 1_000_003 + u64::from(b));
    let stamp = Stamp { device: 1, inode, bytes: 4_321, modified };
    let glance = Glance {
        format: Some(agent.to_owned()),
        project: Some(project.to_owned()),
        title: Some(title.to_owned()),
        prompt: Some(format!("The first prompt of it: {title}, and what else there is to say of that")),
        id: Some("0cf3db51".to_owned()),
        models: vec!["claude-opus-4-5".to_owned()],
        version: Some("2.1.7".to_owned()),
        ..Glance::default()
    };
    let counts = Counts {
        format: agent.to_owned(),
        turns: 489,
        tokens: Some(23_456_789),
        context: Some(142_000),
        compactions: 3,
        models: glance.models.clone(),
        ..Counts::default()
    };
    let found = Found { path: Path::new(path).into(), agent: Agent::named(agent), role, stamp };
    (found, Known { glance, counts: Some(counts) })
}

fn furnished() -> Vec<(Found, Option<Known>)> {
    let known = |(found, known)| (found, Some(known));
    let home = |below: &str| format!("/home/me/{below}");
    let claude = |name: &str| home(&format!(".claude/projects/{name}"));
    let mut found = vec![
        known(session("claude-code", &claude("-w-api/a.jsonl"), 0, "Fix the login", "/home/me/work/api")),
        known(session(
            "claude-code",
            &claude("-w-api/a/subagents/agent-1.jsonl"),
            2,
            "Search the callers",
            "/home/me/work/api",
        )),
        known(session(
            "claude-code",
            &claude("-w-api/a/subagents/agent-2.jsonl"),
            3,
            "Write the Tests",
            "/home/me/work/api",
        )),
        known(session(
            "claude-code",
            &claude("-w-shop/b.jsonl"),
            70,
            "Why is the build slow?",
            "/home/me/work/shop",
        )),
        known(session(
            "pi",
            &home(".pi/agent/sessions/--w--/t_c.jsonl"),
            60 * 50,
            "日本語のタイトル \u{1b}[31m\u{202e}x",
            "/srv/a-directory-with-a-rather-long-name/and-more",
        )),
    ];
    let (mut broken, _) = session("codex", &home(".codex/sessions/rollout-d.jsonl"), 300, "", "/x");
    broken.stamp.bytes = 0;
    found.push((broken, None));
    let (uncounted, mut partly) =
        session("codex", &home(".codex/sessions/rollout-e.jsonl"), 400, "Rename the flag", "/x");
    partly.counts = None;
    found.push((uncounted, Some(partly)));
    found
}

impl App {
    fn new(width: u16, height: u16) -> Self {
        let mut app = Self::empty(width, height);
        app.news(News::Found(furnished()));
        let path: Arc<Path> = Path::new("/home/me/.codex/sessions/rollout-d.jsonl").into();
        let stamp = app.picker.catalogue.get(app.picker.catalogue.at(&path).unwrap()).stamp;
        let glance = Glance { problem: Some("it is empty".to_owned()), ..Glance::default() };
        app.news(News::Glanced(vec![(path, stamp, glance)]));
        app.news(News::Looked(Look {
            places: vec![("/home/me/.claude/projects".into(), true)],
            ..Look::default()
        }));
        app.draw();
        app
    }

    fn empty(width: u16, height: u16) -> Self {
        let theme = Theme::named("mono").unwrap();
        let picker = Picker::new(theme, Some("/home/me".into()));
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        Self { picker, terminal, effects: Vec::new() }
    }

    fn event(&mut self, event: Event) {
        self.effects.extend(update(&mut self.picker, event));
    }

    fn news(&mut self, news: News) {
        self.event(Event::Sessions(news));
    }

    fn draw(&mut self) {
        self.picker.settle();
        self.terminal.draw(|frame| screen(frame, &mut self.picker)).unwrap();
    }

    fn screen(&mut self) -> String {
        self.draw();
        self.terminal.backend().to_string()
    }

    fn press(&mut self, keys: &[KeyCode]) {
        for key in keys {
            self.event(Event::Key(crossterm::event::KeyEvent::new(*key, KeyModifiers::NONE)));
            self.draw();
        }
    }

    fn control(&mut self, key: char) {
        self.event(Event::Key(crossterm::event::KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL)));
    }

    fn types(&mut self, text: &str) {
        let keys: Vec<KeyCode> = text.chars().map(KeyCode::Char).collect();
        self.press(&keys);
    }

    /// The names of the files on the rows.
    fn rows(&mut self) -> Vec<String> {
        self.picker.settle();
        let name = |row: &Row| {
            let path = &self.picker.session(row).path;
            path.file_stem().unwrap().to_string_lossy().into_owned()
        };
        self.picker.rows.iter().map(name).collect()
    }

    fn selected(&self) -> String {
        let no = self.picker.selected().unwrap();
        self.picker.catalogue.get(no).path.file_stem().unwrap().to_string_lossy().into_owned()
    }
}

#[test]
fn the_list_fits_every_screen() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut app = App::new(width, height);
        insta::with_settings!({
            prepend_module_to_snapshot => false,
            snapshot_path => "../../../tests/snapshots",
            filters => [(r"written to [0-9-]{10} [0-9:]{8}", "written to YYYY-MM-DD HH:MM:SS")],
        }, {
            insta::assert_snapshot!(format!("sessions_{width}x{height}"), app.screen());
        });
    }
}

#[test]
fn every_size_draws() {
    for width in 1..90 {
        for height in [1, 2, 3, 4, 5, 8, 11, 12, 15, 19, 20, 30] {
            let mut app = App::new(width, height);
            app.types("api");
            app.press(&[KeyCode::Esc, KeyCode::Char('?')]);
            app.screen();
        }
    }
}

#[test]
fn sub_agents_are_folded_and_shown() {
    let mut app = App::new(120, 40);
    assert_eq!(app.rows(), ["a", "b", "rollout-d", "rollout-e", "t_c"]);
    app.press(&[KeyCode::Right]);
    assert_eq!(app.rows()[..3], ["a", "agent-1", "agent-2"]);
    app.press(&[KeyCode::Down, KeyCode::Down]);
    assert_eq!(app.selected(), "agent-2");
    app.press(&[KeyCode::Left]);
    assert_eq!((app.selected().as_str(), app.rows().len()), ("a", 7), "first to the session");
    app.press(&[KeyCode::Left]);
    assert_eq!(app.rows().len(), 5, "then folded");
    app.press(&[KeyCode::Char(' ')]);
    assert_eq!(app.rows().len(), 7);
    app.press(&[KeyCode::Char(' ')]);
    assert_eq!(app.rows().len(), 5);
}

#[test]
fn letters_filter_at_once_by_every_word_and_smart_case() {
    let mut app = App::new(120, 40);
    app.types("work api");
    assert_eq!(app.rows(), ["a"], "matching sub-agents stay folded under a session that matches");
    assert!(app.screen().contains("1 of 7 sessions"), "{}", app.screen());
    app.control('u');
    app.types("tests");
    assert_eq!(app.rows(), ["a", "agent-2"], "what matches below one that does not is shown with it");
    app.control('u');
    app.types("tests Write");
    assert_eq!(app.rows(), ["a", "agent-2"]);
    app.control('u');
    app.types("WRITE");
    assert_eq!(app.rows(), Vec::<String>::new());
    assert!(app.screen().contains("No session matches"));
    app.control('u');
    app.types("codex");
    assert_eq!(app.rows(), ["rollout-d", "rollout-e"]);
    app.types(" q?");
    assert_eq!(app.picker.filter.text, "codex q?", "a question mark behind a letter is text");
    app.press(&[KeyCode::Backspace, KeyCode::Backspace, KeyCode::Backspace]);
    assert_eq!(app.rows().len(), 2);
    app.press(&[KeyCode::Down, KeyCode::Esc]);
    assert_eq!(
        (app.rows().len(), app.selected().as_str()),
        (5, "rollout-e"),
        "what was found stays selected"
    );
    app.event(Event::Paste("日本語\n".into()));
    assert_eq!(app.rows(), ["t_c"]);
}

#[test]
fn keys_move_open_copy_and_leave() {
    let mut app = App::new(120, 40);
    app.press(&[KeyCode::End]);
    assert_eq!(app.selected(), "t_c");
    app.press(&[KeyCode::Home, KeyCode::Up]);
    assert_eq!(app.selected(), "a");
    app.control('n');
    assert_eq!(app.selected(), "b");
    app.control('p');
    app.press(&[KeyCode::Enter]);
    let path = PathBuf::from("/home/me/.claude/projects/-w-api/a.jsonl");
    assert_eq!(app.effects.pop(), Some(Effect::Open(path.clone(), true)));
    app.control('y');
    assert_eq!(app.effects.pop(), Some(Effect::Copy(path.display().to_string())));
    app.press(&[KeyCode::Down, KeyCode::Down]);
    app.press(&[KeyCode::Enter]);
    assert_eq!(app.effects, [], "a session that cannot be read does not open");
    assert!(app.screen().contains("it is empty"));
    app.picker.has_session = true;
    app.types("x");
    app.press(&[KeyCode::Esc]);
    assert_eq!(app.effects, []);
    app.press(&[KeyCode::Esc]);
    assert_eq!(app.effects.pop(), Some(Effect::Back));
    app.picker.has_session = false;
    app.press(&[KeyCode::Esc]);
    assert_eq!(app.effects.pop(), Some(Effect::Quit));
    app.control('c');
    assert_eq!(app.effects.pop(), Some(Effect::Quit));
}

#[test]
fn the_selection_stays_with_its_session_while_others_come_and_go() {
    let mut app = App::new(120, 40);
    let fresh = |name: &str| {
        let path = format!("/home/me/.claude/projects/-w-new/{name}.jsonl");
        let (found, known) = session("claude-code", &path, 0, "New", "/n");
        News::Found(vec![(found, Some(known))])
    };
    app.news(fresh("n1"));
    app.draw();
    assert_eq!(app.picker.cursor, 0, "until somebody moves, the newest is selected");
    app.press(&[KeyCode::Down, KeyCode::Down, KeyCode::Down]);
    let selected = app.selected();
    app.news(fresh("n2"));
    app.draw();
    assert_eq!((app.selected(), app.rows().len()), (selected.clone(), 7));
    let path: Arc<Path> = Path::new("/home/me/.claude/projects/-w-new/n1.jsonl").into();
    app.news(News::Gone(vec![path]));
    app.draw();
    assert_eq!((app.selected(), app.rows().len()), (selected, 6));
}

#[test]
fn the_mouse_selects_opens_and_scrolls() {
    let mut app = App::new(120, 40);
    let mouse = |kind, row| Event::Mouse(MouseEvent { kind, column: 30, row, modifiers: KeyModifiers::NONE });
    app.event(mouse(MouseEventKind::Down(MouseButton::Left), 4));
    assert_eq!((app.selected().as_str(), app.effects.len()), ("b", 0));
    app.event(mouse(MouseEventKind::Down(MouseButton::Left), 4));
    assert!(matches!(app.effects.pop(), Some(Effect::Open(..))));
    app.event(mouse(MouseEventKind::ScrollDown, 4));
    assert_eq!(app.selected(), "t_c");
    app.event(mouse(MouseEventKind::Down(MouseButton::Left), 38));
    assert_eq!(app.selected(), "t_c", "below the rows is nothing");
}

#[test]
fn nothing_of_a_log_reaches_the_terminal_raw() {
    let mut app = App::new(200, 60);
    app.press(&[KeyCode::End]);
    let screen = app.screen();
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'), "{screen}");
    // Wide characters take two cells; the backend prints the second as a blank.
    assert!(screen.contains("␛"), "{screen}");
}

#[test]
fn an_empty_list_says_where_it_looked_and_what_to_try() {
    let mut app = App::empty(80, 24);
    assert!(app.screen().contains("Looking for sessions"));
    app.news(News::Looked(Look {
        places: vec![("/home/me/.claude/projects".into(), true), ("/home/me/.codex/sessions".into(), false)],
        troubles: vec!["/home/me/.claude/projects/x: Permission denied".to_owned()],
        ..Look::default()
    }));
    let screen = app.screen();
    for words in [
        "~/.claude/projects",
        "~/.codex/sessions (not there)",
        "Permission denied",
        "pentimento PATH",
        "assets/demo/session.jsonl",
        "pentimento --help",
    ] {
        assert!(screen.contains(words), "no {words:?} in {screen}");
    }
}

#[test]
fn ages_go_on_and_live_marks_go_out() {
    let mut app = App::new(120, 40);
    assert!(app.screen().contains("1 live"));
    app.picker.now += 2 * crate::discover::LIVE;
    app.picker.stale.totals = true;
    let screen = app.screen();
    assert!(!screen.contains("live") && !screen.contains(" now "), "{screen}");
}
