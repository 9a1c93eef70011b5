//! The Forest view on the demo session.

use crate::outline::{Group, Outline};
use crate::strategies::union_find::replay::Replay;
use crate::strategies::union_find::settings::{Cap, Preset, Settings};

use super::super::Setup;
use super::*;

fn app(width: u16, height: u16) -> App {
    with(Settings::default(), width, height)
}

fn with(forest: Settings, width: u16, height: u16) -> App {
    let replay = Setup { forest, ..Setup::default() };
    let mut app = App::open_with(demo(), replay, width, height);
    app.press("4");
    app.event(Event::Pause);
    app.draw();
    app
}

/// The text without the borders and line breaks of panes.
fn words(text: &str) -> String {
    text.split(['│', '\n', '┃']).flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_forest_at_three_sizes() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut app = app(width, height);
        app.press("g");
        snapshot(&format!("forest_{width}x{height}"), &app);
        app.press(":c60<Enter><Enter>");
        snapshot(&format!("forest_open_{width}x{height}"), &app);
        app.press("<Tab>");
        snapshot(&format!("forest_summary_{width}x{height}"), &app);
        app.press("<Esc>awhy is the billing report slow?<Enter>");
        snapshot(&format!("forest_asked_{width}x{height}"), &app);
    }
}

#[test]
fn a_step_shows_what_turned_cold_and_what_was_united() {
    let mut app = app(200, 60);
    app.press("40,");
    let mut seen = (0, 0);
    for _ in 0..12 {
        app.press(".");
        let as_of = app.model.as_of;
        let (cold, united) = app.model.forest.known().unwrap().grove.look(|replay| {
            let now = |count: fn(&Replay, u32) -> usize| count(replay, as_of) - count(replay, as_of - 1);
            (
                now(|replay, at| replay.forest().forest().len_as_of(at) as usize),
                now(|replay, at| replay.forest().forest().unions_as_of(at).len()),
            )
        });
        let screen = app.screen();
        assert!(screen.contains(&format!("at t{as_of}: ")), "{screen}");
        assert_eq!(screen.contains("turned cold ·"), cold > 0 && united > 0, "{screen}");
        assert_eq!(screen.contains("nothing turned cold"), cold == 0, "{screen}");
        assert_eq!(screen.contains(" took in c"), united == 1, "{screen}");
        assert_eq!(screen.contains("grew now"), united > 0, "{screen}");
        seen = (seen.0 + cold, seen.1 + united);
    }
    assert!(seen.0 > 3 && seen.1 > 3, "{seen:?}");
}

#[test]
fn members_and_unions_lead_to_their_turns() {
    let mut app = app(120, 40);
    app.press(":c60<Enter>o");
    let Some(Node::Turn(id)) = app.model.selected() else { panic!("{}", app.screen()) };
    let first = app.model.session().unwrap().turn(id).number;
    app.press(":c60<Enter>");
    assert_eq!(app.selected(), format!("c{first}"), "a cluster is called by its oldest turn");
    app.press(":u7<Enter>");
    assert_eq!(app.selected(), "u7");
    app.press("<Tab><Enter>");
    assert!(matches!(app.model.selected(), Some(Node::Turn(_))), "{}", app.screen());
    // A turn that is hot is found among the hot.
    let last = app.model.as_of;
    app.press(&format!(":t{last}<Enter>"));
    assert_eq!(app.selected(), format!("t{last}"));
}

#[test]
fn lines_of_a_summary_are_one_key_from_their_turns() {
    let mut app = app(120, 40);
    app.press(":c60<Enter>");
    let screen = words(&app.screen());
    assert!(screen.contains("written by extractive") && screen.contains("of all"), "{screen}");
    app.press("<Tab><Enter>");
    let Some(Node::Turn(id)) = app.model.selected() else { panic!("{}", app.screen()) };
    let number = app.model.session().unwrap().turn(id).number;
    let as_of = app.model.as_of;
    let held = app.model.forest.known().unwrap().grove.look(|replay| {
        let forest = replay.forest().forest();
        let root = |turn| replay.node_of_turn(turn).map(|node| forest.root(node, as_of));
        root(number) == root(60)
    });
    assert!(held, "t{number} is a member");
    app.press(":c60.s2<Enter>");
    assert_eq!(app.model.pane, super::super::Pane::Detail);
    // The chosen line is what is copied.
    app.press("y");
    let address = app.copied.last().unwrap().clone();
    assert!(address.starts_with('c') && address.contains(".s2"), "{address}");
    app.press("Y");
    let said = app.copied.last().unwrap().clone();
    assert!(said != address && words(&app.screen()).contains(said.split(" (t").next().unwrap()), "{said}");
    app.press("t");
    assert!(app.screen().contains(&format!("trace LOG {address}")), "{}", app.screen());
    app.press(":c60.s999<Enter>");
    assert!(app.screen().contains("there is no sentence c60.s999"), "{}", app.screen());
}

#[test]
fn a_summary_of_another_moment_is_never_shown_as_one_of_now() {
    let mut app = app(200, 60);
    app.press(":c60<Enter>");
    let size = |app: &App| {
        let as_of = app.model.as_of;
        let Some(Node::Cluster(root)) = app.model.selected() else { panic!("{}", app.screen()) };
        app.model.forest.known().unwrap().grove.look(|replay| replay.forest().forest().size(root, as_of))
    };
    let now = size(&app);
    assert!(words(&app.screen()).contains(&format!("of all {now} messages")), "{}", app.screen());
    // Nothing is written any more: what is there is of another time, and says so.
    app.press("X30,:c60<Enter>");
    let then = size(&app);
    assert_ne!(now, then);
    let screen = words(&app.screen());
    assert!(
        screen.contains(&format!("stale: this summary is of {now} messages, not of these {then}")),
        "{screen}"
    );
    assert!(screen.contains("! stale summary"), "{screen}");
    app.press("R");
    let screen = words(&app.screen());
    assert!(screen.contains(&format!("of all {then} messages")), "{screen}");
    assert!(!screen.contains("stale"), "{screen}");
}

#[test]
fn a_question_gives_what_the_command_gives() {
    let mut app = app(200, 60);
    app.press("awhy is the billing report slow?<Enter>");
    assert_eq!(app.model.selected(), Some(Node::Group(Group::Asked)));
    let first = app.model.forest.known().unwrap().asked.borrow().clone().unwrap();
    let reading = first.reading().unwrap().clone();
    assert!(reading.tokens > 100 && reading.tokens <= first.budget + 50, "{}", reading.tokens);
    assert!(app.screen().contains("given"), "clusters say what is given of them: {}", app.screen());
    // As of an earlier turn the question is asked of the forest of then.
    app.press("50,a<Enter>");
    let shown = std::rc::Rc::clone(app.model.forest.known().unwrap());
    let then = shown.asked.borrow().clone().unwrap();
    assert_eq!((then.as_of, &then.question), (app.model.as_of, &first.question), "it is asked again");
    let log = app.model.log.as_ref().unwrap();
    let early = Replay::of(log, Settings::default(), then.as_of).unwrap();
    let scores = crate::strategies::union_find::reader::scores(early.forest(), &then.question);
    assert_eq!(then.reading().unwrap().scores, scores);
    assert_ne!(reading.scores, scores);
    app.press(".gj");
    assert!(words(&app.screen()).contains("asked at another turn"), "{}", app.screen());
}

#[test]
fn what_grew_on_the_thread_is_what_the_command_makes() {
    for forest in [
        Settings::default(),
        Settings { cap: Cap::Root, hot: 4, ..Settings::default() },
        Settings::of(Preset::Reference),
        Settings {
            vectors: crate::strategies::union_find::settings::Vectors::Fitted,
            ..Settings::of(Preset::Reference)
        },
    ] {
        let app = with(forest, 120, 40);
        let log = app.model.log.as_ref().unwrap();
        let whole = Replay::of(log, forest, log.session.last()).unwrap();
        app.model.forest.known().unwrap().grove.look(|replay| {
            assert_eq!(replay.messages(), whole.messages());
            assert_eq!(replay.forest().forest().unions(), whole.forest().forest().unions());
            assert_eq!(replay.begun(), whole.begun());
            for root in whole.forest().forest().roots(u32::MAX) {
                let members = whole.forest().forest().members(root, u32::MAX);
                let tokens: u64 = members.iter().map(|node| whole.message(*node).tokens).sum();
                assert_eq!(replay.tokens(root, u32::MAX), tokens);
                let turns = members.iter().map(|node| whole.message(*node).turns);
                let (first, last) = (turns.clone().min().unwrap(), turns.max().unwrap());
                assert_eq!(replay.span(root, u32::MAX), (first.0, last.1));
            }
        });
    }
}

#[test]
fn every_row_has_its_place() {
    let mut app = app(120, 40);
    app.press("g*");
    for _ in 0..3 {
        let (log, view) = (app.model.log.as_ref().unwrap(), app.model.view.as_ref().unwrap());
        let mut open = vec![(Node::Root, 0)];
        while let Some((node, depth)) = open.pop() {
            for index in 0..view.count(log, node) {
                let child = view.child(log, node, index).unwrap();
                assert_eq!(view.position(log, node, child), Some(index), "{child:?} under {node:?}");
                if depth > 0
                    && node != Node::Group(Group::Now)
                    && !matches!(child, Node::Part(..) | Node::Row(_))
                {
                    let path = view.path_to(log, child);
                    assert_eq!(path.last(), Some(&child), "{child:?}");
                    assert_eq!(path[path.len() - 2], node);
                }
                open.push((child, depth + 1));
            }
        }
        app.press("35,");
    }
}

#[test]
fn a_step_shows_what_it_did_and_leaves_a_cluster_that_is_watched() {
    let mut app = app(60, 15);
    app.press("G3,");
    assert_eq!(app.model.selected(), Some(Node::Group(Group::Now)));
    assert!(app.screen().contains("at t172"), "{}", app.screen());
    app.press(":c60<Enter>");
    let watched = app.model.selected();
    app.press(",,.");
    assert_eq!(app.model.selected(), watched);
}
