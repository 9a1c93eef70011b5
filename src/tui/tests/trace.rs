//! Traces through the keys: rows, the pane, its links, and who traces when.

use ratatui::style::Modifier;

use super::super::model::Pane;
use super::*;

/// The decision of the demo, sentence 2 of its sixth summary, followed to the question of turn 9.
#[test]
fn a_sentence_is_followed_to_its_prompt_at_three_sizes() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut app = App::new(width, height);
        app.press(":g6.s2<Enter>t");
        assert_eq!(app.selected(), "g6.s2");
        snapshot(&format!("trace_{width}x{height}"), &app);
        // The rest of a long trace, from its end.
        app.press("G");
        snapshot(&format!("trace_end_{width}x{height}"), &app);
        let text = app.model.detail.document.plain();
        assert!(text.contains("the hedge is lost in g3: g2.s3 said \"is considering\""), "{text}");
        // The last link is the prompt.
        let last = app.model.detail.document.links().len();
        app.press(&format!("{}j<Enter>", 40 * last));
        assert_eq!(app.selected(), "t9", "{}", app.screen());
        app.press("<Esc>");
        assert_eq!(app.selected(), "g6.s2");
        assert!(app.screen().contains("g6.s2 trace"), "back in the trace: {}", app.screen());
        app.press("<Esc>");
        assert_eq!((app.selected().as_str(), app.model.pane), ("g6.s2", Pane::Tree));
        assert!(!app.screen().contains(" trace ─"), "{}", app.screen());
    }
}

#[test]
fn a_source_is_shown_where_it_says_it() {
    // The words stand far down in a document that the sub-agent's count came back in.
    let mut app = App::new(60, 15);
    app.press(":g2.s10<Enter>t");
    let chosen = app.model.detail.document.target().unwrap();
    assert_eq!(chosen.0, app.model.log.as_ref().unwrap().session.numbered(0, 46).map(Node::Turn).unwrap());
    app.press("G<PgUp>g<Enter>");
    assert_eq!(app.selected(), "t46");
    assert!(app.screen().contains("a varchar fails without a cast"), "{}", app.screen());
}

#[test]
fn every_step_of_a_chain_leads_back_to_the_step_before() {
    let mut app = App::new(120, 40);
    app.press(":g6.s2<Enter>t");
    for (from, to) in
        [("g6.s2", "g5.s3"), ("g5.s3", "g4.s4"), ("g4.s4", "g3.s5"), ("g3.s5", "g2.s3"), ("g2.s3", "g1.s3")]
    {
        assert_eq!(app.selected(), from);
        app.press("g");
        for _ in 0..100 {
            let chosen = app.model.detail.document.chosen.unwrap();
            if app.model.detail.document.blocks[chosen].heading.starts_with(&format!("{to} →")) {
                break;
            }
            app.press("j");
        }
        app.press("<Enter>");
        assert_eq!(app.selected(), to);
    }
    for back in ["g2.s3", "g3.s5", "g4.s4", "g5.s3", "g6.s2"] {
        app.press("<Esc>");
        assert_eq!(app.selected(), back);
        assert!(app.screen().contains(&format!("{back} trace")), "{}", app.screen());
    }
}

#[test]
fn what_became_of_a_turn() {
    let mut app = App::new(120, 40);
    app.press(":t9<Enter>t");
    snapshot("trace_turn_120x40", &app);
    app.press("<Enter>");
    assert_eq!(app.selected(), "g1.s25");
    app.press("<Esc>");
    assert_eq!(app.selected(), "t9");
    app.press("<Esc>o");
    assert!(!app.screen().contains("t9 trace"), "{}", app.screen());
}

#[test]
fn a_trace_follows_the_selection_from_sentence_to_sentence() {
    let mut app = App::new(120, 40);
    app.press(":g6.s2<Enter>t<Tab>j");
    assert!(app.screen().contains("g6.s3 trace"), "{}", app.screen());
    app.press("k");
    assert!(app.screen().contains("g6.s2 trace"), "{}", app.screen());
    app.press("kk");
    assert!(!app.screen().contains(" trace ─"), "a section is no sentence: {}", app.screen());
}

#[test]
fn a_trace_of_a_summary_or_section_is_that_of_its_first_sentence() {
    let mut app = App::new(120, 40);
    app.press(":g3<Enter>t");
    assert_eq!(app.selected(), "g3.s1");
    assert!(app.screen().contains("g3.s1 is the first of 34 sentences of its summary"), "{}", app.screen());
    app.press("<Esc>2<Pause>:g4.s7<Enter>h");
    assert_eq!(app.selected(), "Key Technical Concepts");
    app.press("t");
    assert_eq!(app.selected(), "g4.s7");
    app.press("<Esc>1<Pause>:@a7c41e9/t2<Enter>t");
    assert!(app.screen().contains("a sub-agent's turns are in no summary"), "{}", app.screen());
    app.press("<Esc>:g9.s1<Enter>");
    assert!(app.screen().contains("no generation 9"), "{}", app.screen());
    app.press(":g1.s400<Enter>");
    assert!(app.screen().contains("g1 has no sentence 400"), "{}", app.screen());
    app.press(":g1.s1<Enter>y");
    assert_eq!(app.copied, ["g1.s1"]);
}

#[test]
fn rows_say_that_they_are_not_traced_yet_and_are_traced_one_generation_at_a_time() {
    let mut app = App::new(120, 40);
    app.press("2<Pause>");
    app.event(Event::Pause);
    for event in
        ":g6.s2".chars().map(|c| key(KeyCode::Char(c))).chain([key(KeyCode::Enter), key(KeyCode::Char('t'))])
    {
        app.event(event);
    }
    let model = &mut app.model;
    app.terminal.draw(|frame| render::screen(frame, model)).unwrap();
    assert!(app.screen().contains("g6.s2 … The user decided"), "{}", app.screen());
    assert!(app.screen().contains("… tracing g6 …"), "{}", app.screen());
    let job = app.model.tracing_job().expect("the trace on the screen is asked for");
    assert!(app.model.tracing_job().is_none(), "one at a time");
    // Keys are taken in and frames are drawn meanwhile; what is asked for next goes first afterwards.
    app.press("<Esc>:g2.s3<Enter>t");
    app.event(Event::Traced(Box::new(job.run())));
    let model = &mut app.model;
    app.terminal.draw(|frame| render::screen(frame, model)).unwrap();
    let job = app.model.tracing_job().expect("another one");
    app.event(Event::Traced(Box::new(job.run())));
    assert!(app.model.tracing.get(2).is_some() && app.model.tracing.get(5).is_none());
    app.draw();
    assert!(
        app.screen().contains("t9.0 → g1.s3")
            || app.model.detail.document.plain().contains("I keep wondering"),
        "{}",
        app.model.detail.document.plain()
    );
    // Another epoch knows nothing of it, not even of what comes back late.
    let late = {
        app.press("<Esc>:g6.s2<Enter>");
        let model = &mut app.model;
        app.terminal.draw(|frame| render::screen(frame, model)).unwrap();
        app.model.tracing_job()
    };
    app.event(Event::Indexed(Box::new(OpenLog::load(&demo()).unwrap())));
    if let Some(job) = late {
        app.event(Event::Traced(Box::new(job.run())));
    }
    assert!((1..=6).all(|generation| app.model.tracing.get(generation).is_none()));
}

#[test]
fn words_that_a_source_shares_are_marked_without_colour() {
    let mut app = App::new(120, 40);
    app.press(":g1.s1<Enter>t");
    let buffer = app.terminal.backend().buffer();
    let marked: String = buffer
        .content()
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::UNDERLINED) && cell.modifier.contains(Modifier::BOLD))
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(marked.contains("slow") && marked.contains("index"), "{marked}");
}

#[test]
fn a_log_without_readable_summaries_says_so() {
    let message = |role: &str, kind: &str, text: &str| {
        format!(
            r#"{{"timestamp":"2026-02-01T10:00:01.000Z","type":"response_item","payload":{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}}}"#
        )
    };
    let lines = [
        r#"{"timestamp":"2026-02-01T10:00:00.000Z","type":"session_meta","payload":{"id":"main","cwd":"/w","cli_version":"0.110.0"}}"#.to_owned(),
        message("user", "input_text", "first"),
        message("assistant", "output_text", "done"),
        r#"{"type":"compacted","payload":{"message":"","replacement_history":[{"type":"compaction","encrypted_content":"gAAAAABmZmZmZmZm"}]}}"#.to_owned(),
        message("user", "input_text", "next"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout.jsonl");
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let mut app = App::open(path, 120, 40);
    app.press(":g1<Enter>t");
    assert!(app.screen().contains("g1 cannot be traced: the summary is encrypted"), "{}", app.screen());
    app.press(":g1.s1<Enter>");
    assert!(app.screen().contains("g1 has no sentences: the summary is encrypted"), "{}", app.screen());
    app.press(":t1<Enter>t");
    assert!(app.screen().contains("cannot be told: g1 cannot be read"), "{}", app.screen());
}
