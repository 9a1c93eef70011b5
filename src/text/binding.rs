//! What binds in a user's sentence: decisions, rejections, constraints, commitments, and what it leaves open.
//!
//! Membership is reliable, the kind is a hint. Comparing two things turns none of them down, asking for a note promises
//! nothing, and what should have happened is a report. Pasted text never binds: see [`is_pasted`].

use super::cues::{self, Hedge, Openness};
use super::lexicon::{Lexicon, Rule};
use super::{harness, sentences};

/// The kinds of binding sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    /// Something was decided.
    pub decision: bool,
    /// Something was turned down.
    pub rejection: bool,
    /// Something has to hold.
    pub constraint: bool,
    /// Something was promised.
    pub commitment: bool,
    /// Something was left open.
    pub open: bool,
}

impl Binding {
    /// Whether the sentence binds in any way.
    pub fn any(self) -> bool {
        self.decision || self.rejection || self.constraint || self.commitment || self.open
    }
}

/// From here on a text was pasted, not typed.
const PASTED: usize = 1500;

/// Whether a text of so many bytes is too long to have been typed.
pub fn is_long(bytes: usize) -> bool {
    bytes > PASTED
}

/// Whether a text was pasted rather than typed: long, fenced, a trace or a table.
pub fn is_pasted(text: &str) -> bool {
    let is_table = |line: &str| line.trim_start().starts_with('|') && line.trim_end().ends_with('|');
    let is_trace = |line: &str| {
        let line = line.trim_start();
        line.starts_with("at ") && line.contains('(')
            || line.starts_with("File \"")
            || line.starts_with("goroutine ")
    };
    is_long(text.len()) || text.contains("```") || text.lines().any(|line| is_table(line) || is_trace(line))
}

/// The sentences of a prompt that a person typed: those outside what a harness wrote, fences, tables and traces, unless
/// the rest is still so long that it was pasted.
pub fn typed_sentences(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut lines = Vec::new();
    let machine = harness::written(text);
    for line in harness::around(text, &machine).flat_map(str::lines) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if !fenced && !trimmed.is_empty() && !is_pasted(trimmed) {
            lines.push(trimmed);
        }
    }
    if is_long(lines.iter().map(|line| line.len()).sum()) {
        return Vec::new();
    }
    let sentences = lines.into_iter().flat_map(|line| sentences::split(line).into_iter().map(|at| &line[at]));
    sentences.collect()
}

/// How a user's sentence binds.
pub fn of(lexicon: &Lexicon, sentence: &str) -> Binding {
    let text = cues::masked(sentence, false);
    let Openness { question, request, open, proposal, hedges } = cues::openness(lexicon, sentence);
    // A sentence that only trails off, or only hopes, leaves nothing that anybody would answer.
    let uncertain = cues::masked(sentence, true);
    let hopes = |hedge: &Hedge| uncertain[hedge.range.clone()].to_lowercase().contains("hope");
    let open = open && (question || proposal || !hedges.iter().all(hopes));
    let asks = question && !request;
    let holds = |rules: &[Rule]| rules.iter().any(|rule| rule.holds(&text));
    let assents = lexicon.assent.is_in(&text);
    let opens_with_no = ["no", "don", "do not", "stop"]
        .iter()
        .any(|word| text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase().starts_with(word));
    let decision = holds(&lexicon.decision) && (!asks || assents);
    // Who agrees to have something removed turns down nothing that was put to him.
    let agrees = decision && assents && !text.to_lowercase().replace(['\'', '’'], "").contains("lets not");
    Binding {
        decision,
        rejection: holds(&lexicon.rejection) && !agrees && (!asks && !request || opens_with_no),
        constraint: holds(&lexicon.constraint) && !asks && !request,
        commitment: holds(&lexicon.commitment) && !asks,
        open: open && (!decision || asks),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lexicon::built_in;
    use super::*;

    #[test]
    fn kinds() {
        let of = |text| of(built_in(), text);
        assert!(of("ok, let's go with option B").decision);
        assert!(of("yes, let's rename it").decision);
        assert!(!of("ok let's discuss it").decision);
        assert!(of("no, remove this again, the risk is too big").rejection);
        let agreed = of("yeah, lets remove that and push");
        assert!(agreed.decision && !agreed.rejection);
        assert!(of("ok, let's not do that then").rejection);
        assert!(!of("no problem").rejection);
        assert!(of("No migration may hold a lock for long").constraint);
        assert!(!of("No migration may hold a lock for long").rejection);
        assert!(!of("No, i did it - and it worked great").rejection);
        assert!(of("never push to main").constraint);
        assert!(!of("So never mind.").any());
        let ban = of("No migration may hold a lock on orders.");
        assert!(ban.constraint && !ban.open);
        assert!(of("the log should be read-only").constraint);
        assert!(of("I'll check it later").commitment);
        assert!(of("should we keep it?").open);
        assert!(!of("run the tests").any());
        assert!(!of("it uses casts instead of a constructor").rejection);
        assert!(of("fix them all, skip the last one").rejection);
        assert!(!of("can you remove the tests again").any());
        assert!(!of("this should have deleted the branch").any());
        assert!(!of("there is no other way...").any());
        assert!(of("could we do it like the other check?").open);
        assert!(!of("ok, I hope that was not too much at once").open);
        assert!(of("I hope that is fast enough, but maybe it is not").open);
    }

    #[test]
    fn pasted_text() {
        assert!(is_pasted("| a | b |"));
        assert!(is_pasted("see\n```\nx\n```"));
        assert!(!is_pasted("no, not like that"));
    }

    #[test]
    fn what_a_harness_wrote_is_not_typed() {
        let text = "<ci-event>\nDo not reply.\n</ci-event>\nnever push <note-to-self>or do</note-to-self>";
        assert_eq!(typed_sentences(text), ["never push"]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_asked(text in "\\PC{0,80}") {
            assert_eq!(of(built_in(), &text), of(built_in(), &text));
            let _ = is_pasted(&text);
        }
    }
}
