//! Keys in, screen out: the interface without a terminal, on the demo session.

mod places;
mod receipts;

use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::outline::{Node, Outline, ViewKind};
use crate::session::load;
use crate::session::open::OpenLog;

use super::events::Event;
use super::model::{Model, Start};
use super::search::{Search, compile};
use super::theme::Theme;
use super::update::{Effect, update};
use super::{render, tree};

mod audit;
mod blocks;
mod forest;
mod trace;

/// The interface with keys instead of a keyboard.
struct App {
    model: Model,
    terminal: Terminal<TestBackend>,
    copied: Vec<String>,
    quit: bool,
}

fn demo() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl")
}

impl App {
    fn new(width: u16, height: u16) -> Self {
        Self::open(demo(), width, height)
    }

    fn open(path: PathBuf, width: u16, height: u16) -> Self {
        Self::open_with(path, super::replay::Setup::default(), width, height)
    }

    fn open_with(path: PathBuf, replay: super::replay::Setup, width: u16, height: u16) -> Self {
        let log = OpenLog::load(&path).unwrap();
        let start = Start {
            path,
            follow: false,
            as_of: None,
            view: ViewKind::Window,
            theme: Theme::named("mono").unwrap(),
            mouse: true,
            replay,
        };
        let mut app = Self {
            model: Model::new(start),
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
            copied: Vec::new(),
            quit: false,
        };
        app.event(Event::Indexed(Box::new(log)));
        app.draw();
        app
    }

    fn event(&mut self, event: Event) {
        for effect in update(&mut self.model, event) {
            match effect {
                Effect::Copy(text) => self.copied.push(text),
                Effect::Search(text, gone) => self.search(&text, gone),
                Effect::Quit => self.quit = true,
                Effect::Mouse(_)
                | Effect::Sessions
                | Effect::Newer(_)
                | Effect::Stop
                | Effect::Retake
                | Effect::Redraw => {}
            }
        }
    }

    fn search(&mut self, text: &str, gone: bool) {
        let (sender, reports) = channel();
        let log = self.model.log.as_ref().unwrap();
        let report = move |found| sender.send(found).is_ok();
        let source = log.source.clone();
        let mut search = Search::start(1, text, compile(text).unwrap(), &log.session, source, report);
        search.gone = gone;
        self.model.search = Some(search);
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.model.search.as_ref().is_some_and(|search| !search.is_done()) {
            let left = deadline.saturating_duration_since(Instant::now());
            let found = reports.recv_timeout(left).expect("a search of the demo session ends");
            self.event(Event::Found(found));
        }
    }

    fn draw(&mut self) {
        loop {
            let model = &mut self.model;
            model.settle();
            self.terminal.draw(|frame| render::screen(frame, model)).unwrap();
            let (read, traced) = (self.model.job(), self.model.tracing_job());
            if read.is_none() && traced.is_none() && !super::views::Grown::is_busy(&self.model.forest) {
                return;
            }
            if let Some(job) = read {
                self.event(Event::Read(Box::new(job.run())));
            }
            if let Some(job) = traced {
                self.event(Event::Traced(Box::new(job.run())));
            }
        }
    }

    /// Presses keys: characters as they are, others as `<Enter>`; `<Pause>` lets a digit stand alone.
    fn press(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let (event, used) = match rest.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
                Some((name, _)) if name.len() > 1 => (named(name), name.len() + 2),
                _ => (key(KeyCode::Char(c)), c.len_utf8()),
            };
            self.event(event);
            self.draw();
            rest = &rest[used..];
        }
        self
    }

    fn screen(&self) -> String {
        self.terminal.backend().to_string()
    }

    fn selected(&self) -> String {
        let (log, view) = (self.model.log.as_ref().unwrap(), self.model.view.as_ref().unwrap());
        let label = view.label(log, self.model.selected().unwrap());
        label.address.map_or(label.text, |address| address.to_string())
    }
}

fn key(code: KeyCode) -> Event {
    Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn named(name: &str) -> Event {
    match name {
        "Enter" => key(KeyCode::Enter),
        "Esc" => key(KeyCode::Esc),
        "Tab" => key(KeyCode::Tab),
        "PgDn" => key(KeyCode::PageDown),
        "PgUp" => key(KeyCode::PageUp),
        "End" => key(KeyCode::End),
        "Pause" => Event::Pause,
        _ => unreachable!("no key is called {name}"),
    }
}

/// Times depend on the zone of the machine.
fn snapshot(name: &str, app: &App) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../tests/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}", "YYYY-MM-DD HH:MM:SS");
    settings.add_filter(r"\d{2}:\d{2} ", "HH:MM ");
    settings.bind(|| insta::assert_snapshot!(name, app.screen()));
}

#[test]
fn the_window_at_four_sizes() {
    for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 60)] {
        snapshot(&format!("window_{width}x{height}"), &App::new(width, height));
    }
}

#[test]
fn generations_with_one_opened() {
    let mut app = App::new(120, 40);
    app.press("2<Pause>[[<Enter>");
    snapshot("generations_120x40", &app);
}

#[test]
fn a_difference_of_two_summaries() {
    let mut app = App::new(120, 40);
    app.press("2<Pause>d");
    snapshot("difference_120x40", &app);
    app.press("<Esc>");
    assert!(app.screen().contains("g6 summary"), "Esc ends the difference");
}

#[test]
fn the_help_lists_the_keys() {
    let mut app = App::new(120, 70);
    app.press("?");
    snapshot("help_120x70", &app);
    app.press("x");
    assert!(!app.screen().contains("any key closes"));
}

#[test]
fn a_search_goes_to_the_first_match_and_on() {
    let mut app = App::new(120, 40);
    app.press("/billing_events<Enter>");
    snapshot("search_120x40", &app);
    let first = app.selected();
    app.press("n");
    assert_ne!(app.selected(), first);
    app.press("N");
    assert_eq!(app.selected(), first);
    app.press("<Esc>");
    assert!(app.model.search.is_none());
}

#[test]
fn a_search_without_a_match_says_so_and_a_bad_pattern_too() {
    let mut app = App::new(120, 40);
    app.press("/no such words anywhere<Enter>");
    assert!(app.screen().contains("nothing found in any turn"), "{}", app.screen());
    app.press("<Esc>/a(<Enter>");
    assert!(app.screen().contains("not a regular expression"), "{}", app.screen());
}

#[test]
fn stepping_by_turn_moves_everything_to_that_turn() {
    let mut app = App::new(120, 40);
    let last = app.model.as_of;
    app.press(",");
    assert_eq!(app.model.as_of, last - 1);
    assert!(app.screen().contains("1 turn later"), "{}", app.screen());
    app.press("12,");
    assert_eq!(app.model.as_of, last - 13);
    app.press("<.");
    assert_eq!(app.model.as_of, last - 22);
    assert_eq!(app.model.view.as_ref().unwrap().as_of, last - 22);
    app.press("G");
    app.press("f");
    assert!(app.model.following && app.model.as_of == last);
}

#[test]
fn stepping_by_generation_goes_through_all_of_them_and_back() {
    let mut app = App::new(120, 40);
    for generation in (1..=6).rev() {
        app.press("[");
        assert_eq!(app.selected(), format!("g{generation}"));
    }
    app.press("[");
    assert!(app.screen().contains("no earlier generation"));
    for generation in 2..=6 {
        app.press("]");
        assert_eq!(app.selected(), format!("g{generation}"));
    }
    app.press("]");
    assert_eq!(app.model.waiting_turns(), 0);
}

#[test]
fn counts_repeat_a_move_and_a_digit_alone_chooses_a_view() {
    let mut app = App::new(120, 40);
    app.press("12j");
    assert_eq!(app.model.kind, ViewKind::Window);
    let row = app.selected();
    app.press("gjjjjjjjjjjjj");
    assert_eq!(app.selected(), row);
    app.press("2<Pause>");
    assert_eq!(app.model.kind, ViewKind::Generations);
    app.press("5G");
    assert_eq!(app.model.kind, ViewKind::Generations);
}

#[test]
fn a_jump_finds_turns_parts_lines_generations_and_sub_agents() {
    let mut app = App::new(120, 40);
    for (typed, selected) in [
        ("t88", "t88"),
        ("88", "t88"),
        ("t2.0", "t2.0"),
        ("g3", "g3"),
        ("L4", "t1"),
        ("@a7c41e9", "@a7c41e9"),
        ("@a7c41e9/t2", "@a7c41e9/t2"),
    ] {
        app.press(&format!(":{typed}<Enter>"));
        let found = app.selected();
        assert_eq!(found, selected, "after :{typed}");
    }
    app.press(":t9999<Enter>");
    assert!(app.screen().contains("there is no turn 9999"), "{}", app.screen());
    app.press(":soon<Enter>");
    assert!(app.screen().contains("is no address"), "{}", app.screen());
}

#[test]
fn back_returns_to_where_a_jump_came_from() {
    let mut app = App::new(120, 40);
    app.press(":t60<Enter>:t100<Enter>");
    app.press("<Esc>");
    assert_eq!(app.selected(), "t60");
}

#[test]
fn a_filter_shows_only_what_fits() {
    let mut app = App::new(120, 40);
    app.press("Fuser<Enter>");
    let view = app.model.view.as_ref().unwrap();
    let log = app.model.log.as_ref().unwrap();
    let root = view.child(log, Node::Root, 0).unwrap();
    let users = log.session.turns().iter().filter(|turn| turn.role.name() == "user").count();
    assert_eq!(view.count(log, root), users);
    snapshot("filter_120x40", &app);
    app.press("<Esc>");
    assert!(app.model.filter.is_none() && app.screen().contains("since g6"));
    app.press("FNoSuchTool<Enter>");
    assert!(app.screen().contains("no turn fits"));
}

#[test]
fn what_has_no_address_copies_that_of_what_it_stands_under() {
    let mut app = App::new(120, 40);
    app.press("2<Pause>[[<Enter>j");
    assert!(matches!(app.model.selected(), Some(Node::Section(5, 0))), "{:?}", app.model.selected());
    app.press("y");
    assert_eq!(app.copied, ["g5"]);
    app.press("1<Pause>gy");
    assert_eq!(app.copied.len(), 2, "{}", app.screen());
}

#[test]
fn addresses_and_texts_are_copied() {
    let mut app = App::new(120, 40);
    app.press(":t1<Enter>y");
    app.press("Y");
    assert_eq!(app.copied[0], "t1");
    assert!(app.copied[1].len() > 40);
}

#[test]
fn a_call_and_its_result_lead_to_each_other() {
    let mut app = App::new(120, 40);
    app.press(":t159<Enter>o");
    assert_eq!(app.selected(), "t160");
    app.press("o");
    assert_eq!(app.selected(), "t159");
}

#[test]
fn the_detail_pane_scrolls_and_stops_at_its_end() {
    let mut app = App::new(120, 20);
    app.press("[<Tab>j");
    assert_eq!(app.model.detail.place.line, 1);
    app.press("G");
    let end = app.model.detail.place;
    app.press("j<PgDn>");
    assert_eq!(app.model.detail.place, end);
    app.press("g");
    assert_eq!(app.model.detail.place.line, 0);
}

#[test]
fn the_mouse_selects_opens_and_scrolls() {
    let mut app = App::new(120, 40);
    let mouse = |kind, column, row| MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    let area = app.model.areas.tree;
    let click = mouse(MouseEventKind::Down(MouseButton::Left), area.x + 5, area.y + 2);
    app.event(Event::Mouse(click));
    app.draw();
    assert_eq!(app.selected(), "t157");
    let rows = |app: &mut App| {
        let (log, view, tree) = app.model.parts().unwrap();
        tree.layout(view, log).len()
    };
    let closed = rows(&mut app);
    app.event(Event::Mouse(click));
    app.draw();
    assert!(rows(&mut app) > closed, "a second click opens");
    app.press("g");
    let detail = app.model.areas.detail;
    app.event(Event::Mouse(mouse(MouseEventKind::ScrollDown, detail.x + 3, detail.y + 3)));
    assert_eq!(app.model.detail.place.line, 3);
    let tabs = app.model.areas.tabs;
    app.event(Event::Mouse(mouse(MouseEventKind::Down(MouseButton::Left), tabs.x + 14, tabs.y)));
    assert_eq!(app.model.kind, ViewKind::Generations);
}

#[test]
fn appended_turns_wait_until_the_person_follows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let lines: Vec<String> = std::fs::read_to_string(demo()).unwrap().lines().map(str::to_owned).collect();
    let write = |count: usize| std::fs::write(&path, lines[..count].join("\n") + "\n").unwrap();
    write(200);
    let mut app = App::open(path.clone(), 120, 40);
    let mut feed = load::Feed::new(&path);
    let mut pump = |app: &mut App, skip: bool| {
        loop {
            match feed.next(&path) {
                load::News::Records(_, records) if !skip => app.event(Event::Records(records)),
                load::News::Records(..) => {}
                _ => break,
            }
        }
        app.draw();
    };
    pump(&mut app, true);
    let before = app.model.as_of;
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, (lines[200..].join("\n") + "\n").as_bytes()).unwrap();
    pump(&mut app, false);
    assert_eq!(app.model.as_of, before, "nobody followed");
    assert!(app.screen().contains("turns later"), "{}", app.screen());
    assert!(
        app.screen().contains("6 shows what it lost · c what it covered"),
        "a compaction arrived: {}",
        app.screen()
    );
    app.press("c");
    assert_eq!(app.selected(), "g6");
    app.press("1<Pause>f");
    assert_eq!(app.model.waiting_turns(), 0);
    // What grew record by record is what is read at once.
    let whole = OpenLog::load(&path).unwrap();
    let grown = &app.model.log.as_ref().unwrap().session;
    assert_eq!(grown.turns().len(), whole.session.turns().len());
    assert_eq!(grown.usage, whole.session.usage);
}

#[test]
fn a_partial_log_shows_no_numbers_and_a_jump_waits() {
    let mut app = App::new(120, 40);
    let (tail, source) = load::load_tail(&demo(), 400_000).unwrap();
    app.event(Event::Tail(Box::new(OpenLog::new(tail, source))));
    app.draw();
    assert!(app.screen().contains("t… ") && app.screen().contains("as of t…"), "{}", app.screen());
    app.press(":t9<Enter>");
    assert!(app.screen().contains("waits until the log is read"));
    app.event(Event::Indexed(Box::new(OpenLog::load(&demo()).unwrap())));
    app.draw();
    assert_eq!(app.selected(), "t9");
}

#[test]
fn what_is_searched_for_in_the_end_of_a_log_is_searched_for_in_all_of_it() {
    let mut app = App::new(120, 40);
    let (tail, source) = load::load_tail(&demo(), 100_000).unwrap();
    app.event(Event::Tail(Box::new(OpenLog::new(tail, source))));
    app.press("/for the big shops, p95<Enter>");
    app.draw();
    assert!(app.screen().contains("the rest is searched once it is read"), "{}", app.screen());
    app.event(Event::Indexed(Box::new(OpenLog::load(&demo()).unwrap())));
    app.draw();
    assert_eq!(app.selected(), "t1");
    app.event(Event::Epoch(crate::log::follow::Epoch::Reopened));
    app.event(Event::Indexed(Box::new(OpenLog::load(&demo()).unwrap())));
    app.draw();
    assert!(app.screen().contains("/for the big shops"), "{}", app.screen());
}

#[test]
fn a_difference_is_of_the_generation_that_was_jumped_to() {
    let mut app = App::new(120, 40);
    app.press(":g2<Enter>d");
    assert!(app.screen().contains("g1 → g2 difference"), "{}", app.screen());
    app.press("d:g1<Enter>d");
    assert!(app.screen().contains("no readable summary before g1"), "{}", app.screen());
}

#[test]
fn a_search_from_the_end_goes_on_at_the_top() {
    let mut app = App::new(120, 40);
    app.press("G/two minds<Enter>");
    assert_eq!(app.selected(), "t48");
    assert!(app.screen().contains("goes on at the top: 1 of"), "{}", app.screen());
}

#[test]
fn keys_that_wait_behind_one_another_read_the_log_once() {
    let mut app = App::new(120, 40);
    let shown = app.model.detail.of;
    for _ in 0..20 {
        app.event(key(KeyCode::Char('j')));
    }
    assert_eq!(app.model.detail.of, shown, "nothing is read back before something is drawn");
    app.draw();
    assert_ne!(app.model.detail.of, shown);
}

#[test]
fn what_can_be_said_of_an_empty_or_unfinished_log_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, "").unwrap();
    let start = Start {
        path: path.clone(),
        follow: true,
        as_of: None,
        view: ViewKind::Window,
        theme: Theme::named("mono").unwrap(),
        mouse: true,
        replay: super::replay::Setup::default(),
    };
    let mut app = App {
        model: Model::new(start),
        terminal: Terminal::new(TestBackend::new(120, 40)).unwrap(),
        copied: Vec::new(),
        quit: false,
    };
    app.event(Event::Progress(0, 0));
    app.event(Event::Waiting);
    app.draw();
    assert!(app.screen().contains("waiting for the file"), "{}", app.screen());
    app.event(Event::Resting { polled: false, pending: false });
    app.draw();
    assert!(app.screen().contains("waiting for the first records"), "{}", app.screen());
    app.event(Event::Indexed(Box::new(OpenLog::load(&demo()).unwrap())));
    app.event(Event::Resting { polled: false, pending: true });
    app.draw();
    assert!(app.screen().contains("1 line unfinished"), "{}", app.screen());
}

#[test]
fn quitting_is_one_key() {
    let mut app = App::new(120, 40);
    app.press("q");
    assert!(app.quit);
}

#[test]
fn every_size_draws() {
    let mut app = App::new(120, 40);
    for (width, height) in (0..=30).flat_map(|width| (0..=10).map(move |height| (width * 5, height * 3))) {
        app.terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        app.draw();
        app.press("?<Esc>");
    }
}

/// All rows of a tree, by walking it: what the tree finds without walking.
fn walk(
    outline: &dyn Outline,
    log: &OpenLog,
    open: &dyn Fn(&[Node]) -> bool,
    path: &mut Vec<Node>,
    out: &mut Vec<Vec<Node>>,
) {
    let node = path.last().copied().unwrap_or(Node::Root);
    for index in 0..outline.count(log, node) {
        path.push(outline.child(log, node, index).unwrap());
        out.push(path.clone());
        if open(path) {
            walk(outline, log, open, path, out);
        }
        path.pop();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Opening and closing at random, the n-th row is the n-th row of a walk, and every row finds itself.
    #[test]
    fn rows_found_by_counting_are_the_rows_of_a_walk(steps in prop::collection::vec((0usize..80, 0u8..3), 1..25)) {
        let app = App::new(100, 30);
        let log = app.model.log.as_ref().unwrap();
        let view = app.model.view.as_ref().unwrap();
        let mut tree = tree::Tree::new(&[]);
        let mut opened: Vec<Vec<Node>> = Vec::new();
        for (row, what) in steps {
            let layout = tree.layout(view, log);
            tree.select_row(row, &layout, view, log);
            let path = tree.selected.clone();
            if what == 0 {
                tree.close();
                opened.retain(|known| !known.starts_with(&path));
            } else if view.count(log, *path.last().unwrap()) > 0 {
                tree.open(view, log);
                opened.push(path);
            }
        }
        let mut rows = Vec::new();
        walk(view, log, &|path| opened.iter().any(|known| known == path), &mut Vec::new(), &mut rows);
        let layout = tree.layout(view, log);
        prop_assert_eq!(layout.len(), rows.len());
        for (index, path) in rows.iter().enumerate() {
            let row = layout.row(view, log, index).unwrap();
            prop_assert_eq!(&row.node, path.last().unwrap());
            prop_assert_eq!(row.depth, path.len() - 1);
            tree.selected.clone_from(path);
            prop_assert_eq!(tree.selected_row(&layout, view, log), Some(index));
        }
    }
}
