//! The sentences that are rows on the screen are the sentences that are traced: one numbering for `g3.s12`.
#![allow(clippy::expect_used, clippy::panic, missing_docs, reason = "a failed test may panic")]

mod support;

use pentimento::lineage::range::Plan;
use pentimento::outline::{Node, Outline, View, ViewKind};
use pentimento::session::open::OpenLog;
use pentimento::text::lexicon;

#[test]
fn rows_and_traces_number_the_same_sentences() {
    let folders = ["pi", "codex"].into_iter().filter_map(support::data);
    let others = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let others = others.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = support::claude_code_logs().into_iter().chain(others).collect();
    paths.push(support::demo());
    let mut compared = 0;
    for path in paths {
        let log = OpenLog::load(&path).expect("the log can be read");
        let view = View::new(&log, ViewKind::Generations, log.session.last());
        for compaction in log.session.compactions().iter().filter(|c| c.is_readable()) {
            let generation = compaction.generation;
            let Some(plan) = Plan::new(&log.session, generation) else { continue };
            let texts = plan.read(&log.source, lexicon::built_in()).expect("the texts can be read");
            let summary = view.summary_text(&log, generation);
            assert_eq!(summary.text, texts.summary, "{} g{generation}", path.display());
            assert_eq!(summary.sentences(), texts.sentences);
            let sections = (0..view.count(&log, Node::Generation(generation)))
                .filter_map(|index| view.child(&log, Node::Generation(generation), index))
                .filter(|node| matches!(node, Node::Section(..)));
            let rows: Vec<Node> = sections
                .flat_map(|section| (0..view.count(&log, section)).map(move |index| (section, index)))
                .filter_map(|(section, index)| view.child(&log, section, index))
                .collect();
            let every: Vec<Node> = (0..summary.sentences().len())
                .map(|place| Node::Sentence(generation, place as u32))
                .collect();
            assert_eq!(rows, every, "{} g{generation}", path.display());
            for node in every {
                assert_eq!(view.path_to(&log, node).last(), Some(&node));
            }
            compared += 1;
        }
    }
    assert!(compared >= 6, "the demo alone has six generations");
}
