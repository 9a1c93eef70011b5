use proptest::prelude::*;

use super::*;

const SUMMARY: &str = "This session is being continued from a previous conversation that ran out of context.\nAnalysis:\nLet me look. It began with a prompt.\n\nSummary:\n1. Primary Request and Intent:\n   - The user asked for `a.b. C` and \"one. Two\". Then e.g. More came.\n     - nested bullet\n\n3. Files and Code Sections:\n   - **src/main.rs**\n     - Added `run()`\n     ```rust\n     fn run() {}\n     ```\n\n6. All user messages:\n   - \"now run the tests\"\n\n9. Optional Next Step:\n   None.\n\nIf you need specific details from before compaction, read it.";

fn texts() -> Vec<(Kind, Section, &'static str)> {
    of(SUMMARY).iter().map(|s| (s.kind, s.section, s.text(SUMMARY))).collect()
}

#[test]
fn a_summary_falls_into_its_sentences() {
    use Kind::{Code, Quote, Sentence};
    use Section::{Chronology, Files, Messages, Next, Request};
    assert_eq!(
        texts(),
        [
            (Sentence, Chronology, "Let me look."),
            (Sentence, Chronology, "It began with a prompt."),
            (Sentence, Request, "The user asked for `a.b. C` and \"one. Two\"."),
            (Sentence, Request, "Then e.g. More came."),
            (Sentence, Request, "nested bullet"),
            (Sentence, Files, "Added `run()`"),
            (Code, Files, "     fn run() {}\n"),
            (Quote, Messages, "\"now run the tests\""),
            (Sentence, Next, "None."),
        ]
    );
}

#[test]
fn nesting_and_headings() {
    let sentences = of(SUMMARY);
    assert_eq!(sentences[4].parent, Some(2));
    assert_eq!(sentences[3].parent, None);
    assert!(!sentences[3].opens_line);
    assert_eq!(sentences[5].heading, "src/main.rs");
    assert!(sentences[0].drafted && !sentences[2].drafted);
}

#[test]
fn an_open_fence_runs_to_the_end() {
    let text = "a\n```\ncode\nmore";
    let kinds: Vec<&str> = of(text).iter().map(|s| s.text(text)).collect();
    assert_eq!(kinds, ["a", "code\nmore"]);
    assert_eq!(of("```\n```\n"), []);
}

#[test]
fn every_pattern_compiles() {
    for pattern in [&FIRST_LINE, &LAST_LINES, &BULLET, &TICK, &QUOTED_LINE, &STOP, &SHORTENED] {
        assert!(pattern.is_some());
    }
}

proptest! {
    #[test]
    fn places_slice_in_order(text in "(\\PC|\n|[-#*`\".:] ?|  |```\n|Summary:\n){0,60}") {
        let sentences = of(&text);
        let mut end = 0;
        for (place, sentence) in sentences.iter().enumerate() {
            assert!(sentence.range.start >= end, "{sentence:?}");
            end = sentence.range.end;
            assert!(!sentence.text(&text).trim().is_empty());
            assert!(sentence.parent.is_none_or(|parent| parent < place));
        }
        assert_eq!(of(&text), sentences);
    }

    #[test]
    fn a_sentence_is_its_own_only_sentence(text in "[A-Za-z .!?`\"()]{0,60}") {
        for range in split(&text) {
            let sentence = text[range].trim_start();
            assert!(split(sentence).iter().eq(std::iter::once(&(0..sentence.len()))));
        }
    }
}

proptest! {
    #[test]
    fn headings_are_those_of_a_pattern(text in "(#{0,7}[ a]?|\\*\\*|[AB])[a*:.` ]{0,6}(\\*\\*)?:?|A[a-z]{68,74}:") {
        let pattern = Regex::new(r"^(?:#{1,6}\s+.*|\*\*[^*]{2,80}\*\*:?|[A-Z][^.!?`]{1,70}:)\s*$").unwrap();
        assert_eq!(is_heading(text.trim()), pattern.is_match(text.trim()), "{text}");
    }
}

#[test]
fn sentences_of_scripts_without_capitals_are_told_apart() {
    let cut = |text: &str| split(text).into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>();
    assert_eq!(
        cut("用户要求修复。我们修改了文件!现在通过了。"),
        ["用户要求修复。", "我们修改了文件!现在通过了。"]
    );
    assert_eq!(
        cut("テストが失敗した。修正した。「終わり。」と言った。"),
        ["テストが失敗した。", "修正した。", "「終わり。」", "と言った。"]
    );
    assert_eq!(cut("هل نجح الاختبار؟ نعم نجح. انتهى العمل."), ["هل نجح الاختبار؟", "نعم نجح.", "انتهى العمل."]);
    assert_eq!(cut("See e.g. the file. then stop."), ["See e.g. the file. then stop."]);
}
