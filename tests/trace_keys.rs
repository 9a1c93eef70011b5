//! From a sentence to its prompt with the real binary in a pseudo-terminal: a file, standard input, a compressed log.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod pty;

use pty::{Screen, demo};

/// From the decision in the sixth summary down its chain to the question of turn 9, and back.
fn follows_the_decision_to_its_question(screen: &mut Screen) {
    screen.wait("since g6");
    screen.press(":g6.s2\rt");
    // Said once all six generations are traced.
    screen.wait("words · depth");
    screen.wait("the hedge is lost in g3");
    screen.press("G");
    screen.wait("t9.0 → g1.s3");
    screen.press("\r");
    screen.wait("t9 user");
    // The turn is shown where it says it, also where that is all that fits.
    screen.wait("wondering");
    screen.press("\x1b");
    screen.wait("g6.s2 trace");
    screen.press("\x7f");
    screen.wait("t trace");
}

#[test]
fn a_sentence_leads_to_its_prompt_at_three_sizes() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut screen = Screen::start(&[demo().to_str().unwrap()], width, height);
        follows_the_decision_to_its_question(&mut screen);
        screen.press("q");
        assert_eq!(screen.ended(), 0);
    }
}

#[test]
fn a_compressed_log_is_traced_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl.zst");
    let packed = zstd::encode_all(&*std::fs::read(demo()).unwrap(), 3).unwrap();
    std::fs::write(&path, packed).unwrap();
    let mut screen = Screen::start(&[path.to_str().unwrap()], 120, 40);
    follows_the_decision_to_its_question(&mut screen);
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}

#[test]
fn standard_input_is_traced_as_well() {
    let state = tempfile::tempdir().unwrap();
    let mut screen = Screen::start_on(&demo(), state.path(), &["-"], 120, 40);
    follows_the_decision_to_its_question(&mut screen);
    screen.press("q");
    assert_eq!(screen.ended(), 0);
}
