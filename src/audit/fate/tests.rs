use super::*;
use crate::audit::tests::{said, statement};
use crate::text::lexicon::built_in;

fn verdict(sentence: &str, summary: &str) -> Verdict {
    judged(sentence, summary).verdict
}

fn judged(sentence: &str, summary: &str) -> Judged {
    of(built_in(), &statement(sentence), &said(summary))
}

#[test]
fn what_stands_there_in_its_own_words_is_preserved() {
    let rule = "Never push the release branch to production on Fridays.";
    assert_eq!(
        verdict(rule, "- Never push the release branch to production on Fridays."),
        Verdict::Preserved
    );
    let question = "Should the status column become an enum?";
    assert_eq!(
        verdict(question, "6. All user messages:\n   - \"Should the status column become an enum?\""),
        Verdict::Preserved
    );
}

#[test]
fn other_words_paraphrase_and_softer_ones_weaken() {
    let rule = "Never push the release branch to production on Fridays.";
    assert_eq!(
        verdict(rule, "- The release branch must never be pushed to production on Fridays."),
        Verdict::Paraphrased
    );
    assert_eq!(
        verdict(rule, "- Preferably the release branch is not pushed to production on Fridays."),
        Verdict::Weakened
    );
    let question = "Should the status column become an enum?";
    assert_eq!(
        verdict(question, "- The user asked if the status column becomes an enum."),
        Verdict::Paraphrased
    );
    assert_eq!(
        verdict(question, "- The user considered a status column that is an enum."),
        Verdict::Weakened
    );
}

#[test]
fn another_number_mutates() {
    let rule = "The lock must never be held longer than 30 seconds by a migration.";
    let changed = judged(rule, "- A migration must never hold the lock longer than 60 seconds.");
    assert_eq!(changed.verdict, Verdict::Mutated);
    assert_eq!(changed.why, Some(Why::Missing("30seconds".to_owned())));
    // A number is not in a longer one.
    let limit = "The retry limit must always stay at 700 for every client.";
    let changed = judged(limit, "- The retry limit must always stay at 7000 for every client.");
    assert_eq!(changed.verdict, Verdict::Mutated);
}

#[test]
fn what_is_told_as_settled_is_to_be_compared() {
    let question = "Should the status column become an enum?";
    let settled = judged(question, "- The status column will become an enum as decided.");
    assert_eq!(settled.verdict, Verdict::Unverifiable);
    assert!(matches!(settled.why, Some(Why::Settled(_))));
    let lifted = judged(
        "Never push the release branch on Fridays.",
        "- It is fine to push the release branch on Fridays.",
    );
    assert_eq!(lifted.verdict, Verdict::Unverifiable);
    let turned = judged("The importer must not depend on MySQL at all.", "- The importer depends on MySQL.");
    assert_eq!((turned.verdict, turned.why), (Verdict::Unverifiable, Some(Why::NotDenied)));
    let avoided = judged(
        "The importer must not depend on MySQL at all.",
        "- The importer must avoid to depend on MySQL.",
    );
    assert_ne!(avoided.why, Some(Why::NotDenied));
}

#[test]
fn a_quotation_in_the_list_does_not_hide_what_the_narrative_claims() {
    let question = "Should the status column become an enum?";
    let summary = "8. Current Work:\n   - The status column will become an enum.\n\n6. All user messages:\n   - \"Should the status column become an enum?\"";
    let both = judged(question, summary);
    assert_eq!(
        (both.verdict, both.narrative, both.worst),
        (Verdict::Preserved, Verdict::Unverifiable, Verdict::Unverifiable)
    );
    assert_eq!(both.compare, Some(0));
    let listed = judged(question, "6. All user messages:\n   - \"Should the status column become an enum?\"");
    assert_eq!((listed.verdict, listed.narrative), (Verdict::Preserved, Verdict::Dropped));
}

#[test]
fn what_is_nowhere_is_dropped_and_what_is_there_in_part_is_not() {
    let rule = "Never push the release branch to production on Fridays.";
    assert_eq!(verdict(rule, "- The parser reads tables.\n- Tests pass."), Verdict::Dropped);
    // A part of its words in one sentence, its words in neighbours.
    for summary in [
        "- Something about the release branch was said in passing.",
        "- The release branch.\n- What to push.\n- Fridays come.",
    ] {
        assert_eq!(verdict(rule, summary), Verdict::Unverifiable, "{summary}");
    }
    // A short sentence may tell what binds in a long one.
    let long = "Never push to production on Fridays, as whoever answers the phone is away then and nobody else \
                could roll a broken listing back before the weekend.";
    assert_eq!(verdict(long, "- No push on Fridays: production."), Verdict::Paraphrased);
    assert_eq!(verdict("No, don't write that one.", "- The parser reads tables."), Verdict::Unverifiable);
    // One thing is said of a name that stands there.
    assert_eq!(verdict("I guess we might drop the TTL handling.", "- TTL: gone."), Verdict::Unverifiable);
}

#[test]
fn what_binds_may_stand_in_one_clause_of_several() {
    let summary =
        "- Rules of the user: no lock on `orders` longer than 2 seconds; never touch `billing_events`.";
    for rule in [
        "And never touch billing_events, neither the schema nor the rows: finance reads that table directly and is audited on it.",
        "No migration may hold a lock on orders for longer than 2 seconds: the shop front writes to it all day and we have no maintenance window.",
    ] {
        assert_ne!(verdict(rule, summary), Verdict::Dropped, "{rule}");
        assert_eq!(verdict(rule, "- The parser reads tables.\n- Tests pass."), Verdict::Dropped, "{rule}");
    }
    let wish = "Don't change anything for it yet, I only want to hear the trade-offs.";
    let wish_of_two = "We've found that commits made by hand are better for understanding. if it's compatible then let's not \
                       spend too much time on it";
    assert_ne!(
        verdict(wish_of_two, "- Auto-commit: don't spend time, keep compatible if easy"),
        Verdict::Dropped
    );
    assert_ne!(
        verdict(wish, "- Asked whether the status should become an enum, trade-offs only."),
        Verdict::Dropped
    );
}

#[test]
fn the_fillers_are_sorted_stems() {
    assert!(FILLERS.is_sorted());
    for word in ["something", "please", "maybe", "let's", "don't", "never"] {
        let stems = words::stems(word);
        assert!(stems.iter().all(|stem| FILLERS.contains(&stem.as_str())), "{word}: {stems:?}");
    }
}

#[test]
fn what_a_person_agreed_to_have_done_is_not_called_dropped_where_it_is_told_as_done() {
    let agreed = "yeah, lets remove that and commit and push ASAP, then lets talk about the exporter.";
    let told = "- The earlier summary showed that the unnecessary commits were removed by the script.";
    let judged = judged(agreed, told);
    assert_eq!((judged.verdict, judged.why), (Verdict::Unverifiable, Some(Why::Partly)));
    assert_eq!(verdict(agreed, "- The chart is drawn twice as fast now."), Verdict::Dropped);
}
