//! One frame, and one appended record, in a session of a million turns.
//!
//! `cargo bench --bench frame -- [--turns=N] [--compact-every=N]`. No terminal: the library draws into a buffer of 120×40. Beside the
//! million stands a session of a thousand turns, since a frame should cost what is on the screen and nothing else.

#![allow(clippy::unwrap_used, missing_docs, reason = "a measurement stops at the first surprise")]

mod support;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pentimento::outline::ViewKind;
use pentimento::session::load::{End, Feed, News};
use pentimento::session::open::OpenLog;
use pentimento::tui::{Event, Model, Start, Theme, render, update};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use support::generate::{self, Shape, Until};
use support::{Arguments, median, percentile, row};
use tempfile::TempDir;

/// Frames at each place.
const FRAMES: usize = 200;
const APPENDS: u64 = 200;

fn main() {
    let Some(arguments) = Arguments::read() else { return };
    let turns = arguments.number("turns", 1_000_000) as u32;
    let compact_every = arguments.number("compact-every", 160) as u32;
    for (turns, compact_every) in [(1_000, None), (turns, None), (turns, Some(compact_every))] {
        measure(turns, compact_every);
    }
}

fn measure(turns: u32, compact_every: Option<u32>) {
    let folder = tempfile::tempdir().unwrap();
    let mut opened = Opened::new(&folder, turns, compact_every);
    let compactions = opened.model.session().unwrap().compactions().len();
    println!(
        "{} turns, {} records, {compactions} compactions, {FRAMES} frames of 120×40 at each place",
        opened.model.session().unwrap().turns().len(),
        opened.model.session().unwrap().rows().len()
    );
    let last = opened.model.session().unwrap().last();
    let views: &[char] = if compactions > 0 { &['1', '2'] } else { &['1'] };
    for view in views {
        opened.press(KeyCode::Char(*view));
        take(&mut opened.model, Event::Pause);
        let name = if *view == '1' { "window" } else { "generations" };
        opened.press(KeyCode::Char('g'));
        opened.frames(&format!("{name}, top, down"), KeyCode::Down);
        if compactions == 0 {
            opened.jump(&format!("t{}", last / 2));
            opened.frames(&format!("{name}, middle, down"), KeyCode::Down);
        }
        opened.press(KeyCode::Char('G'));
        opened.frames(&format!("{name}, end, up"), KeyCode::Up);
    }
    opened.press(KeyCode::Char('1'));
    take(&mut opened.model, Event::Pause);
    opened.jump(&format!("t{}", last / 2));
    opened.frames("as of one turn earlier, from the middle", KeyCode::Char(','));
    opened.appends();
    println!();
}

/// A log read whole, with a screen.
struct Opened {
    path: PathBuf,
    feed: Feed,
    model: Model,
    terminal: Terminal<TestBackend>,
}

impl Opened {
    fn new(folder: &TempDir, turns: u32, compact_every: Option<u32>) -> Self {
        let path = folder.path().join("session.jsonl");
        generate::session(&path, Until::Turns(turns), Shape { compact_every, longest: 4 });
        let mut feed = Feed::new(&path);
        let mut session = None;
        let end = feed.read_to_end(&path, &mut session, &mut |_| true);
        assert!(matches!(end, End::Reached), "{end:?}");
        let mut model = Model::new(start(&path));
        let log = OpenLog::new(session.unwrap(), feed.source().unwrap());
        take(&mut model, Event::Indexed(Box::new(log)));
        let terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
        let mut opened = Self { path, feed, model, terminal };
        opened.draw();
        opened
    }

    fn draw(&mut self) -> Duration {
        let begun = Instant::now();
        let model = &mut self.model;
        self.terminal.draw(|frame| render::screen(frame, model)).unwrap();
        begun.elapsed()
    }

    fn press(&mut self, code: KeyCode) {
        take(&mut self.model, Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    fn jump(&mut self, address: &str) {
        self.press(KeyCode::Char(':'));
        address.chars().for_each(|letter| self.press(KeyCode::Char(letter)));
        self.press(KeyCode::Enter);
    }

    /// A frame after every press of a key.
    fn frames(&mut self, what: &str, code: KeyCode) {
        self.draw();
        let mut updates = Vec::new();
        let mut draws = Vec::new();
        for _ in 0..FRAMES {
            let begun = Instant::now();
            self.press(code);
            updates.push(begun.elapsed());
            draws.push(self.draw());
        }
        row(what, &format!("frame {} · key {}", figures(&draws), figures(&updates)));
    }

    /// Records that come one by one while the end is followed: read, taken in, drawn.
    fn appends(&mut self) {
        self.press(KeyCode::Char('G'));
        self.press(KeyCode::Char('f'));
        if !self.model.following {
            self.press(KeyCode::Char('f'));
        }
        let mut file = File::options().append(true).open(&self.path).unwrap();
        let mut parent = generate::last_id(&self.path);
        let (mut reads, mut updates, mut draws) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..APPENDS {
            let (id, line) = generate::prompt(number, parent.as_deref(), "quagga");
            parent = Some(id);
            file.write_all(line.as_bytes()).unwrap();
            let begun = Instant::now();
            let News::Records(_, records) = self.feed.next(&self.path) else {
                unreachable!("the appended record did not come")
            };
            reads.push(begun.elapsed());
            let begun = Instant::now();
            take(&mut self.model, Event::Records(records));
            updates.push(begun.elapsed());
            draws.push(self.draw());
            assert!(matches!(self.feed.next(&self.path), News::Nothing));
        }
        let (reads, updates, draws) = (figures(&reads), figures(&updates), figures(&draws));
        row("appended record, followed", &format!("read {reads} · taken in {updates} · frame {draws}"));
    }
}

fn start(path: &Path) -> Start {
    Start {
        path: path.to_path_buf(),
        follow: false,
        as_of: None,
        view: ViewKind::Window,
        theme: Theme::named("ansi").unwrap(),
        mouse: false,
        replay: pentimento::tui::Setup::default(),
    }
}

fn take(model: &mut Model, event: Event) {
    // What is asked of others (the clipboard, a search) is not measured here.
    let _ = update(model, event);
}

/// Median and worst.
fn figures(times: &[Duration]) -> String {
    let micro = |time: Duration| time.as_secs_f64() * 1e6;
    format!("{:.0} µs (worst {:.0})", micro(median(times)), micro(percentile(times, 100)))
}
