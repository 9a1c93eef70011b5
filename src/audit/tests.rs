//! What the tests of the audit share, and how items are followed.

use super::auditor::Auditor;
use super::exact::{Finder, Items};
use super::finding::{Class, Finding, Verdict, Why};
use super::pass::Pass;
use super::said::Said;
use super::statements::{self, Statement};
use super::work::{About, Facts, Options};
use crate::formats::facts::Role;
use crate::lineage::range::{Block, Class as BlockClass, Spot};
use crate::session::TurnId;
use crate::text::lexicon::built_in;

/// A block of turn `number`.
pub(crate) fn block(class: BlockClass, role: Role, number: u32, text: &str) -> Block {
    Block {
        spot: Spot {
            turn: TurnId(number),
            number,
            role,
            line: number,
            part: 0,
            index: 0,
            voice: false,
            class,
            sentence: None,
        },
        prompts: number,
        text: text.to_owned(),
        shift: Some(0),
        path: String::new(),
        call: None,
        edit: None,
    }
}

fn prompt(number: u32, text: &str) -> Block {
    block(BlockClass::Prompt, Role::User, number, text)
}

/// A summary.
pub(crate) fn said(text: &str) -> Said {
    Said::new(text.to_owned(), None)
}

/// The only statement of a prompt.
pub(crate) fn statement(sentence: &str) -> Statement {
    let others = [
        "Look at the parser first and tell me how it reads tables.",
        "Good, go on with the listing then and add a test.",
        "Fine.",
    ];
    let mut blocks: Vec<Block> = vec![prompt(1, sentence)];
    blocks.extend((10..).step_by(10).zip(others).map(|(number, text)| prompt(number, text)));
    let mut found = statements::of(&blocks[..1], built_in());
    assert_eq!(found.len(), 1, "{sentence}: {found:?}");
    let weighed = statements::of(&blocks, built_in());
    weighed.into_iter().next().unwrap_or_else(|| found.remove(0))
}

/// Facts of a compaction.
struct Made<'a> {
    generation: u32,
    blocks: Vec<Block>,
    summary: &'a str,
    kept: &'a str,
    complete: bool,
    unreadable: bool,
}

impl<'a> Made<'a> {
    fn new(generation: u32, prompts: &[&str], summary: &'a str) -> Self {
        let numbers = generation * 100..;
        let blocks = numbers.zip(prompts).map(|(number, text)| prompt(number, text)).collect();
        Self { generation, blocks, summary, kept: "", complete: true, unreadable: false }
    }

    fn facts(self) -> Facts {
        let (mut items, mut finder) = (Items::default(), Finder::default());
        for (number, block) in self.blocks.iter().enumerate() {
            items.take(&mut finder, number, block);
        }
        Facts {
            about: About {
                generation: self.generation,
                turn: self.generation * 100 + 99,
                unreadable: self.unreadable.then(|| "encrypted".to_owned()),
                covered: 1,
                kept: 0,
                told_complete: Some(self.complete),
            },
            complete: self.complete,
            ample: true,
            said: said(self.summary),
            kept: said(self.kept),
            items,
            statements: statements::of(&self.blocks, built_in()),
            listing: None,
            ruler: None,
            unsupported: None,
            options: Options::default(),
        }
    }
}

const RULE: &str = "Never push the release branch to production on Fridays.";

fn found<'a>(pass: &'a Pass, text: &str) -> Option<&'a Finding> {
    pass.findings.iter().find(|finding| finding.text == text)
}

#[test]
fn a_loss_is_charged_once_and_counted_from_then_on() {
    let mut auditor = Auditor::default();
    let mut take = |made: Made| auditor.take(built_in(), made.facts());
    let first = take(Made::new(1, &[RULE], RULE));
    assert_eq!(found(&first, RULE).unwrap().verdict, Verdict::Preserved);
    let second = take(Made::new(2, &["Go on."], "- The parser reads tables."));
    let lost = found(&second, RULE).unwrap();
    assert_eq!((lost.verdict, lost.since, lost.first_lost), (Verdict::Dropped, 1, Some(2)));
    assert!(second.already_lost.is_empty());
    let third = take(Made::new(3, &["Go on."], "- The parser reads tables."));
    assert_eq!(found(&third, RULE), None);
    assert_eq!(third.already_lost[&Class::Constraint], [(2, 1)].into());
    // Said again, it is an item of that range.
    let fourth = take(Made::new(4, &[RULE], "- Nothing."));
    assert_eq!(found(&fourth, RULE).unwrap().since, 4);
    assert!(fourth.already_lost.is_empty());
    let curve = auditor.curves().binding;
    let points: Vec<(u32, u32, u32)> = curve
        .iter()
        .map(|point| (point.passes, point.of, point.verdicts.get(&Verdict::Dropped).copied().unwrap_or(0)))
        .collect();
    // The first saying is lost at its second pass and stays lost; the second saying is lost at its first.
    assert_eq!(points, [(1, 2, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1)]);
}

#[test]
fn what_lives_on_in_kept_turns_alone_is_at_risk() {
    let mut auditor = Auditor::default();
    let mut made = Made::new(1, &[RULE], "- The parser reads tables.");
    made.kept = RULE;
    let pass = auditor.take(built_in(), made.facts());
    let finding = found(&pass, RULE).unwrap();
    assert_eq!((finding.verdict, finding.at_risk), (Verdict::Preserved, true));
    assert_eq!(pass.at_risk(), 1);
}

#[test]
fn nothing_is_called_dropped_where_originals_are_missing() {
    let mut auditor = Auditor::default();
    let mut made = Made::new(1, &[RULE, "See src/main.rs."], "- The parser reads tables.");
    made.complete = false;
    let pass = auditor.take(built_in(), made.facts());
    assert_eq!(pass.findings, []);
    assert_eq!(pass.suppressed, [(Class::Constraint, 1), (Class::Path, 1)].into());
    let told: Vec<_> = pass.not_found.iter().map(|finding| (finding.class, finding.verdict)).collect();
    assert_eq!(told, [(Class::Constraint, Verdict::Unverifiable), (Class::Path, Verdict::Unverifiable)]);
}

#[test]
fn nothing_is_followed_through_a_summary_that_cannot_be_read() {
    let mut auditor = Auditor::default();
    auditor.take(built_in(), Made::new(1, &[RULE], RULE).facts());
    let mut sealed = Made::new(2, &[], "");
    sealed.unreadable = true;
    let pass = auditor.take(built_in(), sealed.facts());
    assert!(!pass.readable && pass.findings.is_empty());
    let third = auditor.take(built_in(), Made::new(3, &[], "- The parser reads tables.").facts());
    assert_eq!(found(&third, RULE), None);
}

#[test]
fn reports_begin_with_what_binds() {
    let prompts = [RULE, "See src/main.rs and wait 15 minutes.", "Should the status column become an enum?"];
    let pass = Auditor::default().take(built_in(), Made::new(1, &prompts, "- Nothing.").facts());
    let classes: Vec<Class> = pass.findings.iter().map(|finding| finding.class).collect();
    assert_eq!(classes, [Class::Constraint, Class::Open, Class::Path, Class::Number]);
}

#[test]
fn what_was_answered_or_carried_out_in_its_range_is_not_called_dropped() {
    let question = "Should the status column become an enum?";
    let mut made = Made::new(1, &[question], "- Nothing.");
    let mut answer =
        block(BlockClass::Text, Role::Assistant, 101, "An enum for the status column costs a rewrite.");
    answer.prompts = 100;
    made.blocks.push(answer);
    let pass = Auditor::default().take(built_in(), made.facts());
    let finding = found(&pass, question).unwrap();
    assert_eq!((finding.verdict, finding.answered), (Verdict::Unverifiable, Some(101)));
    let decision = "ok, let's go with option B";
    let pass = Auditor::default().take(built_in(), Made::new(1, &[decision], "- Nothing.").facts());
    assert_eq!(found(&pass, decision).unwrap().verdict, Verdict::Unverifiable);
}

#[test]
fn what_the_user_takes_back_is_not_called_dropped() {
    let ban = "Never add the langchain library to this project's dependencies.";
    let back = "It seems that LangChain is used anyway. So never mind.";
    let other = "The port is taken. So never mind.";
    for (answer, verdict, why) in
        [(back, Verdict::Unverifiable, Some(Why::TakenBack(101))), (other, Verdict::Dropped, None)]
    {
        let pass = Auditor::default()
            .take(built_in(), Made::new(1, &[ban, answer], "- The chart is faster.").facts());
        let finding = found(&pass, ban).unwrap();
        assert_eq!((finding.verdict, &finding.why), (verdict, &why), "{answer}");
    }
}
