//! The Blocks view on the demo session, cut small so that it has blocks and a span.

use crate::strategies::blocks::{Retention, Settings};

use super::super::Setup;
use super::*;

/// The demo session with blocks of 20 turns and a budget that a span is needed for.
fn app(width: u16, height: u16) -> App {
    with(Settings { block_turns: 20, budget: 6_000, ..Settings::default() }, width, height)
}

fn with(settings: Settings, width: u16, height: u16) -> App {
    let replay = Setup { settings, ..Setup::default() };
    let mut app = App::open_with(demo(), replay, width, height);
    app.press("3");
    app.event(Event::Pause);
    app.draw();
    app
}

#[test]
fn the_hierarchy_at_three_sizes() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut app = app(width, height);
        snapshot(&format!("blocks_{width}x{height}"), &app);
        app.press(":b5<Enter><Enter>");
        snapshot(&format!("blocks_open_{width}x{height}"), &app);
        app.press("<Tab>");
        snapshot(&format!("blocks_summary_{width}x{height}"), &app);
    }
}

#[test]
fn a_line_of_a_summary_leads_to_the_turn_it_was_taken_from_and_back() {
    let mut app = app(120, 40);
    app.press(":b5.s1<Enter>t");
    assert!(app.screen().contains("b5.s1 trace"), "{}", app.screen());
    assert!(app.screen().contains("supported, word for word"), "{}", app.screen());
    assert!(app.screen().contains("the turns that its maker names"), "{}", app.screen());
    app.press("<Enter>");
    let Some(Node::Turn(id)) = app.model.selected() else { panic!("no turn: {}", app.screen()) };
    let number = app.model.session().unwrap().turn(id).number;
    let block = app.model.replay.known().unwrap().borrow().blocks.block(5).unwrap().turns;
    assert!((block.0..=block.1).contains(&number), "{number} of {block:?}");
    app.press("<Esc>");
    assert!(app.screen().contains("b5.s1 trace"), "{}", app.screen());
    app.press("<Esc>o");
    assert_eq!(app.model.selected(), Some(Node::Turn(id)));
    // In the summary itself every line is a link.
    app.press(":b5<Enter><Tab>");
    app.press("<Enter>");
    assert_eq!(app.model.selected(), Some(Node::Turn(id)));
}

#[test]
fn a_line_is_still_chosen_after_its_turn_and_its_trace_were_looked_at() {
    let mut app = app(120, 40);
    app.press(":b5<Enter><Tab>jjj");
    assert!(app.screen().ends_with("b5.s4 \"\n"), "{}", app.screen());
    app.press("<Enter><Esc>");
    assert!(app.screen().ends_with("b5.s4 \"\n"), "{}", app.screen());
    app.press("t");
    assert!(app.screen().contains("b5.s4 trace"), "{}", app.screen());
    app.press("<Esc>");
    assert!(
        app.screen().contains("b5 summary of") && app.screen().ends_with("b5.s4 \"\n"),
        "{}",
        app.screen()
    );
}

#[test]
fn what_a_line_or_an_item_says_is_what_is_copied() {
    let mut app = app(120, 40);
    let copied = |app: &mut App, keys: &str| {
        app.copied.clear();
        app.press(keys);
        app.copied.first().cloned()
    };
    let whole = copied(&mut app, ":b5<Enter><Pause>Y").unwrap();
    assert!(whole.starts_with("## "), "{whole}");
    let line = copied(&mut app, "<Tab>jjjY").unwrap();
    assert!(whole.contains(&line) && !line.contains('\n'), "{line}");
    assert_eq!(copied(&mut app, "y").as_deref(), Some("b5.s4"));
    assert_eq!(copied(&mut app, "<Esc>:i6<Enter>Y").as_deref(), Some("What do you think?"));
}

#[test]
fn stepping_back_shows_the_blocks_as_of_then() {
    let mut app = app(120, 40);
    app.press(":b2<Enter>");
    let (_, since) = {
        let shared = app.model.replay.known().unwrap().borrow();
        (shared.blocks.block(2).unwrap().turns, shared.blocks.block(2).unwrap().closed_at)
    };
    while app.model.as_of >= since {
        app.press("<");
    }
    let rows = app.screen();
    assert!(rows.contains("b1 t1") && !rows.contains("b2 t") && !rows.contains("p1 t"), "{rows}");
    assert!(rows.contains(&format!("as of t{}", app.model.as_of)), "{rows}");
    // An address of later leads to its own time.
    app.press(":b2<Enter>");
    assert_eq!(app.model.as_of, since);
}

#[test]
fn items_are_unpinned_and_classed_and_turns_are_pinned() {
    let mut app = app(200, 60);
    let tokens = |app: &App| {
        let shared = app.model.replay.known().unwrap().borrow();
        shared.blocks.ledger_tokens(app.model.session().unwrap(), app.model.as_of)
    };
    let before = tokens(&app);
    app.press(":i3<Enter>p");
    assert!(tokens(&app) < before, "{}", app.screen());
    assert!(app.screen().contains("unpinned by hand"), "{}", app.screen());
    app.press("p");
    assert_eq!(tokens(&app), before);
    app.press("C");
    assert!(app.screen().contains("i3 t1 decision:"), "{}", app.screen());
    app.press("CCCCC");
    assert!(app.screen().contains("i3 t1 rejection+constraint:"), "{}", app.screen());
    app.press(":t100<Enter>p");
    assert!(tokens(&app) > before);
    assert!(app.screen().contains("marks not kept"), "without a store it is said: {}", app.screen());
    app.press(":i1<Enter>gj");
    assert!(matches!(app.model.selected(), Some(Node::Pinned(_))), "pinned turns come first");
    app.press("p");
    assert_eq!(tokens(&app), before);
}

#[test]
fn an_address_that_is_not_there_says_what_is() {
    let mut app = app(120, 40);
    for (address, said) in [
        ("b99", "there is no block b99: "),
        ("p99", "there is no span p99: "),
        ("i99", "there is no item i99: the ledger has 22"),
        ("b1.s999", "there is no sentence b1.s999: the summary has "),
    ] {
        app.press(&format!(":{address}<Enter>"));
        assert!(app.screen().contains(said), "{address}: {}", app.screen());
    }
}

#[test]
fn a_jump_to_a_sentence_promises_nothing_while_writing_is_stopped() {
    let replay = Setup {
        settings: Settings { block_turns: 20, budget: 6_000, ..Settings::default() },
        ..Setup::default()
    };
    let mut app = App::open_with(demo(), replay, 120, 40);
    // As by `X`, before anything could be written.
    app.model.replay.halt();
    app.press("3:b1.s2<Enter>");
    assert!(app.screen().contains("b1.s2: writing is stopped: R goes on"), "{}", app.screen());
    app.press("R:b1.s2<Enter>");
    assert!(app.screen().contains("b1.s2"), "{}", app.screen());
    assert!(!app.screen().contains("writing stopped"), "{}", app.screen());
}

#[test]
fn what_is_frozen_says_so() {
    let settings = Settings { block_turns: 20, retention: Retention::CurrentBlock, ..Settings::default() };
    let mut app = with(settings, 120, 40);
    app.press(":b1<Enter>");
    assert!(app.screen().contains("written by extractive"), "{}", app.screen());
    app.press("<Enter>");
    assert!(!app.screen().contains("  t1 user"), "its turns are not there: {}", app.screen());
}
