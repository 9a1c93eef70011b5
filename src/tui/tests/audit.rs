//! The Audit view: on the demo session, whose originals may be missing, and on a small whole session that loses something.

use crate::audit::finding::{Class, Verdict};
use crate::audit::pass::Counts;
use crate::outline::audit::{Audited, Audits, Beside};

use super::*;

fn audited() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/audited.jsonl")
}

fn app(path: PathBuf, width: u16, height: u16) -> App {
    let mut app = App::open(path, width, height);
    app.press("6<Pause>");
    app
}

#[test]
fn the_reports_of_the_demo_at_three_sizes() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut app = app(demo(), width, height);
        snapshot(&format!("audit_demo_{width}x{height}"), &app);
        app.press(":g1<Enter>l");
        snapshot(&format!("audit_demo_open_{width}x{height}"), &app);
    }
}

#[test]
fn losses_their_evidence_and_the_note_at_three_sizes() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut app = app(audited(), width, height);
        snapshot(&format!("audit_{width}x{height}"), &app);
        app.press("j<Enter>j");
        snapshot(&format!("audit_class_{width}x{height}"), &app);
        app.press("<Enter>");
        snapshot(&format!("audit_item_{width}x{height}"), &app);
        app.press("<Esc>kkr");
        snapshot(&format!("audit_note_{width}x{height}"), &app);
    }
}

#[test]
fn every_count_opens_into_its_items_and_every_item_into_its_places() {
    for path in [demo(), audited()] {
        let app = app(path, 120, 40);
        let (log, view) = (app.model.log.as_ref().unwrap(), app.model.view.as_ref().unwrap());
        let audits = app.model.audits.borrow();
        assert_eq!(audits.auditing.passes().len(), log.session.compactions().len());
        for pass in audits.auditing.passes() {
            let generation = pass.about.generation;
            for (class, counts) in &pass.counts {
                let node = Node::Audited(Audited::Class(generation, *class));
                let mut items = under(view, log, node);
                items.retain(|node| matches!(node, Node::Audited(Audited::Finding(..))));
                for (verdict, count) in counts {
                    let with = items.iter().filter(|node| verdict_of(&audits, **node) == *verdict).count();
                    assert_eq!(with, *count as usize, "g{generation} {class:?} {verdict:?}");
                }
            }
        }
    }
}

fn verdict_of(audits: &crate::outline::audit::Audits, node: Node) -> Verdict {
    let Node::Audited(Audited::Finding(generation, place)) = node else { panic!("{node:?}") };
    audits.finding(generation, place).unwrap().verdict
}

/// Every node under one; each is where its tree says it is.
fn under(view: &crate::outline::View, log: &OpenLog, node: Node) -> Vec<Node> {
    let mut out = Vec::new();
    for index in 0..view.count(log, node) {
        let child = view.child(log, node, index).unwrap();
        assert_eq!(view.position(log, node, child), Some(index), "{child:?}");
        assert_eq!(view.path_to(log, child).last(), Some(&child));
        assert!(!view.label(log, child).text.is_empty(), "{child:?}");
        out.push(child);
        out.extend(under(view, log, child));
    }
    out
}

#[test]
fn an_item_leads_to_the_turn_that_says_it_and_back() {
    let mut app = app(audited(), 120, 40);
    app.press(":g1<Enter>ljlj");
    assert_eq!(app.selected(), "t3.0", "{}", app.screen());
    assert!(app.screen().contains("dropped: first lost in g1, not found in its summary"), "{}", app.screen());
    app.press("o");
    assert!(matches!(app.model.selected(), Some(Node::Part(..))), "{}", app.screen());
    assert_eq!(app.model.kind, ViewKind::Window);
    assert!(app.screen().contains("rename the sensor ids"), "{}", app.screen());
    app.press("<Esc>");
    assert_eq!((app.model.kind, app.selected().as_str()), (ViewKind::Audit, "t3.0"));
    // The same by the link of the document, and from there back to the item.
    app.press("<Enter><Enter>");
    assert_eq!(app.model.kind, ViewKind::Window, "{}", app.screen());
    app.press("<Esc>");
    assert_eq!((app.model.kind, app.selected().as_str()), (ViewKind::Audit, "t3.0"));
    assert_eq!(app.model.pane, super::super::model::Pane::Detail);
    // What became of the turn.
    app.press("<Esc>t");
    assert!(app.screen().contains("t3 trace"), "{}", app.screen());
    app.press("<Esc>");
    assert_eq!((app.model.kind, app.selected().as_str()), (ViewKind::Audit, "t3.0"));
    app.press("y<Esc>Y");
    assert_eq!(app.copied[0], "t3.0");
    assert!(app.copied[1].starts_with("No, don't rename the sensor ids"), "{:?}", app.copied);
}

#[test]
fn what_carries_an_item_leads_to_the_sentence_and_to_its_other_compactions() {
    let mut app = app(audited(), 120, 60);
    app.press(":g1<Enter>ljljj");
    let screen = app.screen();
    assert!(screen.contains("compare: the rules cannot tell"), "{screen}");
    assert!(screen.contains("g1.s3") && screen.contains("where possible"), "{screen}");
    assert!(screen.contains("g2 ✗ dropped"), "{screen}");
    // The place, then the sentence.
    app.press("<Enter>j<Enter>");
    assert!(app.screen().contains("g1.s3 trace"), "{}", app.screen());
    app.press("<Esc>");
    assert!(app.screen().contains("g1 constraint compare"), "{}", app.screen());
    app.press("G<Enter>");
    assert!(app.screen().contains("g2 constraint dropped"), "{}", app.screen());
}

#[test]
fn a_note_is_copied_as_it_is_shown() {
    let mut app = app(audited(), 120, 60);
    app.press("r");
    let screen = app.screen();
    for said in [
        "# From earlier in Weather station logging",
        "## t1.0 · constraint, dropped at g2",
        "> 4096 bytes (t5)",
    ] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
    app.press("r");
    let note = app.copied.pop().unwrap();
    assert!(note.starts_with("# From earlier in Weather station logging\n"), "{note}");
    assert!(note.contains("> Never write to the flash while the pump runs."), "{note}");
    assert!(note.contains("constraint, to be compared with g2"), "{note}");
    // Enter and Y copy the same; moving on leaves it.
    app.press("<Enter>Y");
    assert_eq!(app.copied, [note.clone(), note]);
    app.press("<Esc>");
    assert!(!app.screen().contains("# From earlier"), "{}", app.screen());
    // Of one item, and of a turn in another view.
    app.press("jljr");
    assert!(app.screen().contains("note of an item of g2"), "{}", app.screen());
    app.press("r");
    assert_eq!(app.copied.pop().unwrap().matches("\n## ").count(), 1);
    app.press("<Esc>1<Pause>:t5<Enter>rr");
    let note = app.copied.pop().unwrap();
    assert!(note.contains("## t5 · user") && note.contains("> Let's go with a ring buffer"), "{note}");
}

#[test]
fn the_note_of_what_kept_everything_says_so() {
    let mut app = app(demo(), 120, 40);
    app.press("jr");
    assert!(app.screen().contains("nothing of it was dropped"), "{}", app.screen());
    app.press("r");
    assert!(app.copied.is_empty());
    assert!(app.screen().contains("there is nothing to copy"), "{}", app.screen());
}

#[test]
fn what_is_shown_is_chosen_and_links_show_all_again() {
    let mut app = app(audited(), 120, 60);
    app.press(":g1<Enter>l");
    assert!(app.screen().contains("kept"), "{}", app.screen());
    app.press("jjjj");
    app.press("v");
    assert!(app.screen().contains("only what was lost or changed"), "{}", app.screen());
    assert!(!app.screen().contains("decisions ·"), "{}", app.screen());
    app.press("v");
    assert!(
        !app.screen().contains("record_sample") && !app.screen().contains("commands ·"),
        "{}",
        app.screen()
    );
    assert!(app.screen().contains("paths · 2 dropped"), "{}", app.screen());
    app.press("v");
    assert!(app.screen().contains("shows all items"), "{}", app.screen());
    let audits = app.model.audits.borrow();
    assert_eq!(audits.sorted(1).unwrap().class(Class::Path).unwrap().kept.len(), 2);
}

#[test]
fn a_search_goes_through_the_items_shown() {
    let mut app = app(audited(), 120, 60);
    app.press("/ring buffer<Enter>");
    assert_eq!(app.selected(), "t5.0", "{}", app.screen());
    assert!(app.screen().contains("item 2 of 2 of the audit"), "from the newest on: {}", app.screen());
    app.press("n");
    assert!(app.screen().contains("item 1 of 2 of the audit"), "{}", app.screen());
    app.press("N");
    assert!(app.screen().contains("item 2 of 2 of the audit"), "{}", app.screen());
    // What no item says is found in the turns.
    app.press("<Esc>/06:00<Enter>");
    assert_eq!((app.model.kind, app.selected().as_str()), (ViewKind::Window, "t8"), "{}", app.screen());
}

#[test]
fn stepping_back_shows_the_reports_as_of_then() {
    let mut app = app(audited(), 120, 40);
    app.press("[[");
    assert_eq!(app.selected(), "g1");
    assert!(!app.screen().contains("▸ g2 "), "{}", app.screen());
    app.press("[");
    assert!(app.screen().contains("no earlier generation"), "{}", app.screen());
    app.press(",");
    assert!(app.screen().contains("no compaction as of t6"), "{}", app.screen());
    app.press("]");
    assert_eq!(app.selected(), "g1");
    // A row of a later time leads to its own.
    app.press("ljljj<Enter>G<Enter>");
    assert!(app.screen().contains("g2 constraint dropped"), "{}", app.screen());
}

#[test]
fn nothing_is_called_dropped_where_originals_are_missing_and_unread_summaries_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.jsonl");
    let text = std::fs::read_to_string(audited()).unwrap();
    let cut: Vec<&str> = text.lines().skip(3).collect();
    std::fs::write(&path, cut.join("\n") + "\n").unwrap();
    let mut app = app(path, 200, 60);
    app.press(":g1<Enter>l");
    let screen = app.screen();
    let first = screen.lines().find(|line| line.contains("▾ g1 ")).unwrap();
    assert!(first.contains("not found") && !first.contains("dropped"), "{screen}");
    assert!(screen.contains("originals are missing from the log"), "{screen}");
    // What was not found is listed all the same.
    app.press("jl");
    let screen = app.screen();
    let row = screen.lines().find(|line| line.contains("not found, where originals are missing"));
    assert!(row.is_some(), "{screen}");

    let alone = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/boundary-alone.jsonl");
    let screen = self::app(alone, 120, 40).screen();
    assert!(screen.contains("! unreadable a boundary without a summary"), "{screen}");

    let none = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/queued.jsonl");
    let screen = self::app(none, 120, 40).screen();
    assert!(screen.contains("nothing was compacted so far"), "{screen}");
    assert!(screen.contains("this view lists"), "{screen}");
}

#[test]
fn what_is_not_audited_yet_says_so() {
    let mut app = App::open(audited(), 120, 40);
    // Without a thread that audits.
    app.event(key(KeyCode::Char('6')));
    app.event(Event::Pause);
    let job = app.model.auditing_job().unwrap();
    app.terminal.draw(|frame| render::screen(frame, &mut app.model)).unwrap();
    assert!(app.screen().contains("auditing g1 of 2"), "{}", app.screen());
    assert!(app.screen().contains("g1 being audited …"), "{}", app.screen());
    app.event(key(KeyCode::Char('r')));
    app.terminal.draw(|frame| render::screen(frame, &mut app.model)).unwrap();
    assert!(app.screen().contains("g2 waits"), "{}", app.screen());
    assert!(app.model.auditing_job().is_none(), "one at a time");
    app.event(Event::Audited(Box::new(job.run())));
    app.draw();
    assert!(app.screen().contains("# From earlier"), "the note comes by itself: {}", app.screen());
}

#[test]
fn what_only_tools_said_opens_into_as_many_items_as_are_counted() {
    let mut app = app(demo(), 120, 40);
    let audits = |app: &App, ask: &dyn Fn(&Audits)| ask(&app.model.audits.borrow());
    app.press(":g1<Enter>");
    audits(&app, &|audits| assert!(audits.of_tools(1).is_empty(), "not before somebody asks"));
    assert!(app.model.select(Node::Audited(Audited::Beside(1, Beside::Tools))));
    // The first frame asks, the second shows.
    app.draw();
    app.draw();
    audits(&app, &|audits| {
        let pass = audits.pass(1).unwrap();
        let mut counts = Counts::new();
        for finding in audits.of_tools(1).map(|place| audits.finding(1, place).unwrap()) {
            assert!(finding.voice.is_tool(), "{finding:?}");
            *counts.entry(finding.class).or_default().entry(finding.verdict).or_default() += 1;
        }
        assert_eq!(counts, pass.tools);
    });
    app.press("lj");
    let screen = app.screen();
    assert!(screen.contains("▾ said by tools alone") || screen.contains("said by tools alone:"), "{screen}");
    assert!(screen.contains("── said at"), "its place stands beside: {screen}");
}

#[test]
fn a_note_where_nothing_was_lost_last_recalls_what_was_lost_before() {
    let mut app = app(demo(), 120, 40);
    app.press("r");
    let screen = app.screen();
    assert!(screen.contains("constraint, dropped at g3"), "{screen}");
    assert!(screen.contains("no statement was lost at g6: those lost before come with it"), "{screen}");
    app.press("r");
    assert!(app.copied.pop().unwrap().contains("> And never touch billing_events"));
}
