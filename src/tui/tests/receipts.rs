//! The Receipts view: of an agent's session, and of a trace.

use super::*;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn app(name: &str, width: u16, height: u16) -> App {
    let mut app = App::open(fixture(name), width, height);
    app.press("5<Pause>");
    app
}

#[test]
fn sessions_and_traces_at_three_sizes() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut app = app("pruned.jsonl", width, height);
        snapshot(&format!("receipts_{width}x{height}"), &app);
        app.press(":r:t8.1<Enter>l");
        snapshot(&format!("receipts_open_{width}x{height}"), &app);
        app.press("gl");
        snapshot(&format!("receipts_stages_{width}x{height}"), &app);
        let app = self::app("trace.jsonl", width, height);
        snapshot(&format!("receipts_trace_{width}x{height}"), &app);
    }
}

#[test]
fn a_receipt_leads_to_its_original_and_to_what_superseded_it_and_back() {
    let mut app = app("pruned.jsonl", 120, 40);
    app.press(":r:t5.0<Enter>");
    assert!(app.screen().contains("override · superseded by t20.0"), "{}", app.screen());
    // The newer list was replaced itself.
    assert!(app.screen().contains("superseded by: t20.0 · in force now: t24.0"), "{}", app.screen());
    assert!(app.screen().contains("this agent did not use"), "{}", app.screen());
    let receipt = app.model.selected();
    app.press("o");
    assert_eq!(app.model.kind, ViewKind::Window);
    let Some(Node::Turn(id)) = app.model.selected() else { panic!("no turn: {}", app.screen()) };
    assert_eq!(app.model.session().unwrap().turn(id).number, 4);
    app.press("<Esc>");
    assert_eq!((app.model.kind, app.model.selected()), (ViewKind::Receipts, receipt));
    // By a key, and by the link of the document.
    app.press("t");
    assert!(app.screen().contains("t20.0 tool"), "{}", app.screen());
    let led_to = app.model.selected();
    app.press("<Esc>");
    assert_eq!(app.model.selected(), receipt);
    app.press("<Tab><Enter>");
    assert_eq!(app.model.selected(), led_to);
}

#[test]
fn stepping_through_time_shows_the_receipts_as_of_then() {
    let mut app = app("pruned.jsonl", 120, 40);
    app.press(":t15<Enter>");
    // Before the branch was left.
    while app.model.as_of > 15 {
        app.press(",");
    }
    let screen = app.screen();
    assert!(screen.contains("t13 assistant") && !screen.contains("r:t12.0"), "{screen}");
    assert!(screen.contains("r:t8.1 dedup +1 · "), "{screen}");
    assert!(!screen.contains("r:t7.0"), "{screen}");
    app.press(".");
    assert_eq!(app.model.as_of, 16);
    let screen = app.screen();
    assert!(screen.contains("r:t12.0 sweep +2 · abandoned by t16"), "{screen}");
    assert!(!screen.contains("t13 assistant A regular"), "{screen}");
    // An address of later leads to its own time.
    app.press(":r:t7.0<Enter>");
    assert_eq!(app.model.as_of, 20);
    assert!(app.screen().contains("recorded: the agent itself took it out of view"), "{}", app.screen());
}

#[test]
fn what_was_pruned_is_found_wherever_it_is_looked_for() {
    let mut app = app("pruned.jsonl", 120, 40);
    // A search finds a text behind a receipt.
    app.press("/Adding regex<Enter>");
    let selected = app.model.selected();
    assert!(matches!(selected, Some(Node::Receipt(_))), "{selected:?} {}", app.screen());
    app.press("<Esc>F Bash<Enter>");
    assert!(app.screen().contains("matching turns · "), "{}", app.screen());
    app.press("<Esc>:r:t99<Enter>");
    assert!(app.screen().contains("there is no receipt r:t99 here"), "{}", app.screen());
    // What is live says so.
    app.press(":r:t3<Enter>");
    assert!(app.screen().contains("t3 tool"), "{}", app.screen());
}

#[test]
fn events_of_a_trace_go_by_their_ids() {
    let mut app = app("trace.jsonl", 120, 40);
    app.press(":r:b2<Enter>");
    let screen = app.screen();
    assert!(
        screen.contains("sweep · abandoned by x1") && screen.contains("RUN ssh -L 443:shop:80"),
        "{screen}"
    );
    app.press(":r:v1<Enter>t");
    assert!(app.screen().contains("v2 · port = 443"), "{}", app.screen());
    app.press(":t10<Enter>");
    assert!(
        app.screen().contains("kept: importance=critical, though override would prune it"),
        "{}",
        app.screen()
    );
    assert!(app.screen().contains("beside it · 1 event"), "{}", app.screen());
}
