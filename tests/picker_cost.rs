//! What the list of sessions costs, by counting: a frame the same at fifty sessions and at five thousand, and no
//! session read whole before the list is there.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod support;

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use pentimento::discover::{Agent, Counts, Found, Glance, Known, News, Place, Role, Scout};
use pentimento::store::cache::{Cache, Stamp};
use pentimento::tui::picker::{Picker, screen, update};
use pentimento::tui::{Event, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use support::home::{Home, exchange};

fn picker() -> Picker {
    Picker::new(Theme::named("ansi").unwrap(), Some("/home/me".into()))
}

/// A made-up session whose row is as wide as every other's.
fn session(number: usize) -> (Found, Option<Known>) {
    let path = format!("/home/me/.claude/projects/-home-me-project/session-{number:08}.jsonl");
    let stamp = Stamp {
        device: 1,
        inode: number as u64,
        bytes: 4_321,
        modified: 1_700_000_000_000_000_000 - number as i64 * 1_000_000_000,
    };
    let glance = Glance {
        format: Some("claude-code".to_owned()),
        project: Some("/home/me/project".to_owned()),
        title: Some(format!("Session number {number:08} of many")),
        prompt: Some("What is to be done?".to_owned()),
        ..Glance::default()
    };
    let counts = Counts { format: "claude-code".to_owned(), turns: 489, ..Counts::default() };
    let agent = Agent::named("claude-code");
    let found = Found { path: Path::new(&path).into(), agent, role: Role::Session, stamp };
    (found, Some(Known { glance, counts: Some(counts) }))
}

/// Allocations of one frame with the list in its middle, once the first frames have filled the caches.
fn allocations(sessions: usize) -> u64 {
    let mut picker = picker();
    update(&mut picker, Event::Sessions(News::Found((0..sessions).map(session).collect())));
    picker.settle();
    assert_eq!(picker.len(), sessions);
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    terminal.draw(|frame| screen(frame, &mut picker)).unwrap();
    let page_down = crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Down);
    for _ in 0..sessions / 2 {
        update(&mut picker, Event::Key(page_down));
    }
    let mut draw = || {
        picker.settle();
        terminal.draw(|frame| screen(frame, &mut picker)).map(drop).unwrap();
    };
    for _ in 0..3 {
        draw();
    }
    let counted = allocation_counter::measure(&mut draw);
    let shown = terminal.backend().to_string();
    assert!(shown.contains(&format!("Session number {:08}", sessions / 2)), "{shown}");
    counted.count_total
}

#[test]
fn a_frame_allocates_the_same_at_fifty_sessions_and_at_five_thousand() {
    let (few, many) = (allocations(50), allocations(5_000));
    eprintln!("allocations a frame: {few} at 50 sessions, {many} at 5,000");
    assert_eq!(few, many);
    assert!(few < 6_000, "{few} allocations for one frame");
}

/// Bytes that this process has read from files so far.
fn bytes_read() -> Option<u64> {
    let counters = std::fs::read_to_string("/proc/self/io").ok()?;
    counters.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}

#[test]
fn the_list_is_there_before_any_session_is_read_whole() {
    const SESSIONS: usize = 5_000;
    /// All of a session but its beginning is a hole.
    const LENGTH: u64 = 16 << 20;
    /// What may be read of each: its two ends.
    const ENDS: u64 = 96 << 10;
    let home = Home::new();
    for number in 0..SESSIONS {
        let name = format!("s{number}");
        let path = home.write(
            &format!("projects/-p{}/{name}.jsonl", number % 50),
            &exchange(&name, "/p", "What is to be done?"),
            Duration::from_secs(3_600 + number as u64),
        );
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_len(LENGTH).unwrap();
        file.set_modified(time).unwrap();
    }
    let Some(before) = bytes_read() else {
        eprintln!("skipped: this system does not count what is read");
        return;
    };
    let (sender, news) = channel();
    let cache = Cache::open_in(&home.at("state"), "sessions", "test");
    let place = Place { agent: Agent::named("claude-code"), folder: home.at("projects") };
    let scout = Scout::start(vec![place], true, false, cache, move |news| sender.send(news).is_ok());
    let mut picker = picker();
    let (mut glances, mut found) = (0, 0);
    while glances < SESSIONS {
        let news = news.recv_timeout(Duration::from_mins(1)).expect("the scout goes on");
        match &news {
            News::Glanced(some) => glances += some.len(),
            News::Found(some) => found += some.len(),
            News::Counted(..) => panic!("nobody counts here"),
            _ => {}
        }
        update(&mut picker, Event::Sessions(news));
    }
    let read = bytes_read().unwrap() - before;
    drop(scout);
    picker.settle();
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    terminal.draw(|frame| screen(frame, &mut picker)).unwrap();
    let shown = terminal.backend().to_string();
    assert!(shown.contains("5,000 sessions") && shown.contains("5,000 to count"), "{shown}");
    assert!(shown.matches("What is to be done?").count() > 20, "{shown}");
    let each = read / SESSIONS as u64;
    eprintln!("{found} sessions of 16 MiB: {each} bytes read of each");
    assert!(each < ENDS, "{each} bytes read of each session");
}
