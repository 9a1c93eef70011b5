//! What a sentence leaves open: hedges, questions, proposals, requests, and how far a hedge reaches.
//!
//! Words come from the [`super::lexicon`]; the rules are here. Code, paths, addresses and quotations are masked first:
//! what somebody else said, or what a program prints, hedges nothing.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::lexicon::{HedgeClass, Lexicon};

/// A hedge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hedge {
    /// Its class.
    pub class: HedgeClass,
    /// Where it stands.
    pub range: Range<usize>,
}

/// What a sentence is, as far as it leaves anything open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openness {
    /// It asks.
    pub question: bool,
    /// It asks for work to be done.
    pub request: bool,
    /// It puts something up for decision.
    pub proposal: bool,
    /// Its hedges, from left to right.
    pub hedges: Vec<Hedge>,
    /// Whether it leaves something undecided or uncertain.
    pub open: bool,
}

/// A pattern written in this file; a test tries each of them.
fn pattern(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).case_insensitive(true).build().ok()
}

static CODE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?s)`[^`\n]*`|```.*?```|https?://\S+|(?:[\w.@-]+/)+[\w.@*-]+"));
static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r#""[^"\n]{3,}"|“[^”\n]{3,}”"#));
static ASKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^\W*(?:(?:so|and|but|ok|okay|q:)\s+)*(?:what|why|how|where|who|which)\b"));
/// Sentences that open like questions and are none: "What we need is …".
static STATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^\W*(?:what|how|when|where|which)\b[^.?]*\b(?:is that|means|we need|i want|i need)\b")
});
static INVERTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:(?:so|and|but)\s+)*(?:is|are|do|does|did|should|would|isn['’]?t|doesn['’]?t)\s+(?:it|this|that|there|we|you|they|the|i)\b",
    )
});
static CAN_WE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\b(?:can|could)\s+we\s+"));
static CAN_YOU: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\b(?:can|could|would|will)\s+you\b"));
static PIECE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"[?.!]\s+|,\s+(?:why|what|how|or|right|is|are|should|does|do)\b"));
static CLAUSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"[;:.!?]|\s[-–—]\s|,\s+(?:but|and|so|because|since|which|though|although)\b|\b(?:but|however|although|though|because|unless|nevertheless)\b",
    )
});

fn is_match(pattern: Option<&Regex>, text: &str) -> bool {
    pattern.is_some_and(|pattern| pattern.is_match(text))
}

/// `text` with code, paths and addresses blanked out, byte for byte; with `quotations`, those too.
pub fn masked(text: &str, quotations: bool) -> String {
    let mut out = text.to_owned();
    for pattern in [&CODE, &QUOTED].into_iter().take(if quotations { 2 } else { 1 }) {
        let found: Vec<Range<usize>> =
            pattern.iter().flat_map(|pattern| pattern.find_iter(&out)).map(|found| found.range()).collect();
        for range in found {
            let starts_free = !out[..range.start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if starts_free || out[range.clone()].starts_with(['`', '"', '“']) {
                out.replace_range(range.clone(), &" ".repeat(range.len()));
            }
        }
    }
    out
}

/// What `sentence` leaves open.
pub fn openness(lexicon: &Lexicon, sentence: &str) -> Openness {
    let text = masked(sentence, true);
    let hedges = hedges(lexicon, &text);
    let request = is_request(lexicon, &text);
    let question = is_question(&text) && (!request || asks_besides(lexicon, &text));
    let has = |class: HedgeClass| hedges.iter().any(|hedge| hedge.class == class);
    let wonders = text.to_lowercase().contains("whether") || text.to_lowercase().contains("wondering");
    let proposal = has(HedgeClass::Undecided) && (is_question(&text) || wonders);
    let trails_off = text.trim_end().ends_with("...") || text.trim_end().ends_with('…');
    let real = hedges.iter().any(|hedge| {
        let counts =
            !matches!(hedge.class, HedgeClass::Weak | HedgeClass::Approximate | HedgeClass::Undecided);
        counts && !(request && hedge.class == HedgeClass::Modal)
    });
    let silent = hedges.is_empty() && !question && !request;
    let open = question || proposal || real || (trails_off && silent);
    Openness { question, request, proposal, hedges, open }
}

/// The hedges of a masked text.
fn hedges(lexicon: &Lexicon, text: &str) -> Vec<Hedge> {
    let never: Vec<Range<usize>> = lexicon.never.find(text).collect();
    let mut out = Vec::new();
    for (class, phrases) in &lexicon.hedges {
        for range in phrases.find(text) {
            let inside = never.iter().any(|never| never.start <= range.start && range.end <= never.end);
            if !inside && counts(*class, text, &range) {
                out.push(Hedge { class: *class, range });
            }
        }
    }
    out.sort_by_key(|hedge| (hedge.range.start, hedge.class));
    out
}

/// Whether what stands before a modal verb makes a ban of it.
fn is_banned(before: &str) -> bool {
    /// Words that a subject has beside the one that says no.
    const SUBJECT: usize = 3;
    const NO: [&str; 4] = ["no", "nobody", "none", "nothing"];
    let subject = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty());
    subject
        .take(SUBJECT + 1)
        .take_while(|word| !matches!(*word, "i" | "it" | "that" | "they" | "this" | "we" | "you"))
        .any(|word| NO.contains(&word))
}

/// Whether a phrase is a hedge where it stands.
fn counts(class: HedgeClass, text: &str, range: &Range<usize>) -> bool {
    let word = text[range.clone()].to_lowercase();
    let after = text[range.end..].trim_start().to_lowercase();
    let before = text[..range.start].trim_end().to_lowercase();
    let next = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let last = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match (class, word.as_str()) {
        // A month, or a ban: "no migration may hold a lock".
        (HedgeClass::Modal, "may") => !next.starts_with(|c: char| c.is_ascii_digit()) && !is_banned(&before),
        // A request or a question of its own.
        (HedgeClass::Modal, "could") => !matches!(next, "you" | "we" | "i"),
        (HedgeClass::Modal, "might") => !after.starts_with("as well"),
        (HedgeClass::Approximate, _) => {
            after.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '~' | '$'))
        }
        (HedgeClass::Unsure, "possible") => {
            !matches!(last, "if" | "where" | "when" | "as" | "no" | "any" | "every" | "all")
        }
        (HedgeClass::Unsure, "potential" | "concern" | "worry" | "doubt" | "possibility") => {
            !matches!(last, "no" | "any" | "every" | "all" | "as")
        }
        (HedgeClass::Unsure, "hmm" | "hm") => range.start <= 3,
        _ => true,
    }
}

/// Whether a masked text asks for work: "could you run the tests?"
fn is_request(lexicon: &Lexicon, text: &str) -> bool {
    // "Can we" with another verb asks whether it can be done, "could we" with any.
    let asks_whether = CAN_WE.iter().flat_map(|can| can.find_iter(text)).any(|found| {
        let orders = lexicon.feasible.is_in(&text[found.end()..]);
        !orders || found.as_str().to_lowercase().starts_with("could")
    });
    lexicon.request.is_in(text) && !asks_whether
}

/// Whether a question mark ends something: inside a word it is part of an address.
fn has_question_mark(text: &str) -> bool {
    text.match_indices('?').any(|(at, mark)| !text[at + mark.len()..].starts_with(char::is_alphanumeric))
}

fn is_question(text: &str) -> bool {
    has_question_mark(text)
        || (is_match(ASKS.as_ref(), text) && !is_match(STATES.as_ref(), text))
        || is_match(INVERTED.as_ref(), text)
}

/// Whether a request holds a question besides.
fn asks_besides(lexicon: &Lexicon, text: &str) -> bool {
    let mut from = 0;
    let mut pieces: Vec<&str> = Vec::new();
    for end in PIECE.iter().flat_map(|piece| piece.find_iter(text)) {
        pieces.push(&text[from..=end.start()]);
        from = end.start() + 1;
    }
    pieces.push(&text[from..]);
    let asks = |piece: &&str| {
        has_question_mark(piece) && !lexicon.request.is_in(piece) && !is_match(CAN_YOU.as_ref(), piece)
    };
    pieces.iter().any(asks)
}

/// The text that a hedge governs: to its right up to the end of the clause; a hedge that ends its clause ("…, I
/// guess") governs the clause to its left.
pub fn scope(text: &str, hedge: &Hedge) -> Range<usize> {
    let Some(clause) = CLAUSE.as_ref() else { return hedge.range.clone() };
    let right = hedge.range.end
        ..clause.find(&text[hedge.range.end..]).map_or(text.len(), |found| hedge.range.end + found.start());
    if super::words::spoken(&text[right.clone()]).len() > 1 {
        return right;
    }
    let left = clause.find_iter(&text[..hedge.range.start]).last().map_or(0, |found| found.end());
    left..hedge.range.start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lexicon::built_in;
    use super::*;

    fn is_open(sentence: &str) -> bool {
        openness(built_in(), sentence).open
    }

    #[test]
    fn what_is_open() {
        for open in [
            "maybe we should keep it",
            "so why is it slow?",
            "the data is off I guess",
            "should we drop the column",
            "not sure about this one",
            "can we undo this later?",
            "could you run the tests? and why are they slow?",
            "this looks like a bug",
            "and then it stopped...",
        ] {
            assert!(is_open(open), "{open}");
        }
    }

    #[test]
    fn what_is_settled() {
        for settled in [
            "run the tests",
            "can you add a test?",
            "GET /orders?status=open is slow",
            "it is all in there - can you update the schema accordingly?",
            "please make sure it builds",
            "due on May 5",
            "print `maybe?` here",
            "no doubt about it",
            "as soon as possible",
            "it takes about 5 minutes",
            "fix it if possible",
        ] {
            assert!(!is_open(settled), "{settled}");
        }
    }

    #[test]
    fn hedges_govern_their_clause() {
        let governed = |text: &str| {
            let open = openness(built_in(), text);
            text[scope(text, &open.hedges[0])].trim().to_owned()
        };
        assert_eq!(governed("It works, but maybe the cache is stale; restart it"), "the cache is stale");
        assert_eq!(governed("Done; the data is off, I guess."), "the data is off,");
    }

    #[test]
    fn every_pattern_compiles() {
        for pattern in [&CODE, &QUOTED, &ASKS, &STATES, &INVERTED, &CAN_WE, &CAN_YOU, &PIECE, &CLAUSE] {
            assert!(pattern.is_some());
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_asked(text in "\\PC{0,80}|[a-z?.,;`\" ]{0,60}") {
            let masked = masked(&text, true);
            assert_eq!(masked.len(), text.len());
            for hedge in openness(built_in(), &text).hedges {
                assert!(masked.get(scope(&masked, &hedge)).is_some());
            }
        }
    }
}
