//! Where keys lead that find something: also with a filter on, on one pane, in a sub-agent, after the log was cut off.

use std::io::Write;

use crate::log::follow::Epoch;
use crate::session::load::Feed;
use crate::session::load::News;

use super::super::events::Event;
use super::super::model::Pane;
use super::App;

#[test]
fn a_search_goes_on_among_the_turns_that_a_filter_shows() {
    let mut app = App::new(120, 40);
    app.press("Fuser<Enter>g/order<Enter>");
    let mut seen = Vec::new();
    for _ in 0..40 {
        let at = app.selected();
        assert!(!app.screen().contains("does not show"), "{}", app.screen());
        if seen.contains(&at) {
            break;
        }
        seen.push(at);
        app.press("n");
    }
    assert!(seen.len() > 2, "{seen:?}");
    let session = &app.model.log.as_ref().unwrap().session;
    for address in &seen {
        let number = address[1..].parse().unwrap();
        assert_eq!(session.turn(session.numbered(0, number).unwrap()).role.name(), "user");
    }
    app.press("<Esc><Esc>Fsummary<Enter>/no one says this<Enter>");
    assert!(app.screen().contains("nothing found"), "{}", app.screen());
}

#[test]
fn a_match_that_a_filter_hides_is_not_gone_to() {
    let mut app = App::new(120, 40);
    app.press("Fsummary<Enter>");
    let before = app.selected();
    app.press("/3 passed<Enter>n");
    assert_eq!(app.selected(), before);
    assert!(app.screen().contains("no match in the turns that the filter shows"), "{}", app.screen());
}

#[test]
fn the_original_is_shown_in_place_of_a_difference() {
    for (width, height) in [(120, 40), (60, 15)] {
        let mut app = App::new(width, height);
        app.press("[d");
        assert!(app.screen().contains("difference"), "{}", app.screen());
        app.press("o");
        let at = app.selected();
        assert!(at.starts_with('t'), "{at}");
        assert!(!app.screen().contains("difference"), "{}", app.screen());
    }
}

#[test]
fn on_one_pane_a_difference_comes_to_the_front_and_goes_again() {
    let mut app = App::new(60, 15);
    app.press("[d");
    assert!(app.model.pane == Pane::Detail && app.screen().contains("difference"), "{}", app.screen());
    app.press("d");
    assert!(app.model.pane == Pane::Tree && !app.screen().contains("difference"), "{}", app.screen());
}

#[test]
fn a_call_and_its_result_lead_to_one_another_in_a_sub_agent_too() {
    let mut app = App::new(120, 40);
    app.press(":@a7c41e9/t2<Enter>o");
    let result = app.selected();
    assert_eq!(result, "@a7c41e9/t3", "{}", app.screen());
    app.press("o");
    assert_eq!(app.selected(), "@a7c41e9/t2");
}

/// Says what `feed` brings until it is at rest.
fn bring(app: &mut App, feed: &mut Feed, path: &std::path::Path) {
    loop {
        match feed.next(path) {
            News::Records(_, records) => app.event(Event::Records(records)),
            News::Epoch(epoch) => app.event(Event::Epoch(epoch)),
            _ => break,
        }
    }
    app.event(Event::Resting { polled: false, pending: false });
    app.draw();
}

#[test]
fn whoever_was_at_the_end_is_at_the_end_of_a_log_that_was_cut_off() {
    let whole = std::fs::read(super::demo()).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&lines[..60].concat()).unwrap();
    let mut app = App::open(file.path().to_owned(), 120, 40);
    app.press("k");
    let mut feed = Feed::new(file.path());
    app.event(Event::Epoch(Epoch::Truncated));
    file.as_file().set_len(0).unwrap();
    let mut begun = false;
    for pieces in [&lines[..20], &lines[20..35]] {
        let mut to = std::fs::OpenOptions::new().append(true).open(file.path()).unwrap();
        to.write_all(&pieces.concat()).unwrap();
        if !begun {
            begun = true;
            let log = crate::session::open::OpenLog::load(file.path()).unwrap();
            app.event(Event::Begun(Box::new(log)));
            while !matches!(feed.next(file.path()), News::Nothing) {}
            app.event(Event::Records(Vec::new()));
            app.event(Event::Resting { polled: false, pending: false });
        }
        bring(&mut app, &mut feed, file.path());
    }
    let last = app.model.log.as_ref().unwrap().session.last();
    assert_eq!(app.model.as_of, last, "{}", app.screen());
}
