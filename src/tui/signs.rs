//! The signs before a summary's sentences: how far each is supported. One table for the rows, the pane and the help.

use crate::audit::finding::Verdict;
use crate::lineage::support::Support;
use crate::lineage::trace::Traced;
use crate::lineage::tracing::Tracing;
use crate::text::sentences::Kind;

use super::document::Tone;

/// A sign and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// One column wide.
    pub mark: &'static str,
    /// In a word or two.
    pub name: &'static str,
    /// For the help.
    pub doc: &'static str,
    /// How it is drawn.
    pub tone: Tone,
}

const fn sign(mark: &'static str, name: &'static str, tone: Tone, doc: &'static str) -> Sign {
    Sign { mark, name, doc, tone }
}

/// Most of it is found.
pub const SUPPORTED: Sign = sign(
    "●",
    "supported",
    Tone::Assistant,
    "two thirds of its words' weight and more stand in its three best sources",
);
/// A part of it is found.
pub const WEAK: Sign = sign("◐", "weak", Tone::Summary, "weakly supported: a part of it does");
/// Little of it is found.
pub const UNSUPPORTED: Sign =
    sign("○", "unsupported", Tone::Warn, "little of it does, though all that was summarised is in the log");
/// It says that something is absent.
pub const ABSENCE: Sign =
    sign("–", "absence", Tone::Dim, "it says that something is absent: no turn can support that");
/// It cannot be told.
pub const UNKNOWN: Sign = sign(
    "?",
    "cannot be told",
    Tone::Dim,
    "little of it is found, but originals may be missing from the log, or it says too little",
);
/// Code is not traced.
pub const CODE: Sign = sign("·", "code", Tone::Dim, "code: it says nothing that could be supported");
/// It is being traced.
pub const PENDING: Sign = sign("…", "tracing…", Tone::Dim, "not traced yet");
/// It could not be traced.
pub const FAILED: Sign = sign("✗", "cannot be traced", Tone::Warn, "the log could not be read back");

/// All of them, in the order of the help.
pub const ALL: [Sign; 8] = [SUPPORTED, WEAK, UNSUPPORTED, ABSENCE, UNKNOWN, CODE, PENDING, FAILED];

/// The signs of the audit's verdicts, what is lost most first.
pub const VERDICTS: [Sign; 6] = [
    sign(
        "✗",
        "dropped",
        Tone::Warn,
        "not found in the summary, though all that was summarised is in the log",
    ),
    sign("≠", "mutated", Tone::Warn, "a number or name of it is another one, or gone"),
    sign("↓", "weakened", Tone::Summary, "said with less force"),
    sign("?", "compare", Tone::Heading, "the rules cannot tell: read both"),
    sign("≈", "paraphrased", Tone::Assistant, "said in other words, or in a shorter form"),
    sign("=", "preserved", Tone::Assistant, "it stands there in its own words, or in a turn that was kept"),
];

/// The sign of a verdict.
pub fn of_verdict(verdict: Verdict) -> Sign {
    let [dropped, mutated, weakened, compare, paraphrased, preserved] = VERDICTS;
    match verdict {
        Verdict::Dropped => dropped,
        Verdict::Mutated => mutated,
        Verdict::Weakened => weakened,
        Verdict::Unverifiable => compare,
        Verdict::Paraphrased => paraphrased,
        Verdict::Preserved => preserved,
    }
}

/// The sign of the sentence at `place` of a generation's summary.
pub fn of(tracing: &Tracing, generation: u32, place: u32) -> Sign {
    let Some(trace) = tracing.get(generation) else {
        return if tracing.failure(generation).is_some() { FAILED } else { PENDING };
    };
    trace.sentences.get(place as usize).map_or(UNKNOWN, of_traced)
}

/// The sign of a sentence that was traced.
pub fn of_traced(traced: &Traced) -> Sign {
    match traced.support {
        _ if traced.sentence.kind == Kind::Code => CODE,
        Support::Supported => SUPPORTED,
        Support::Weak => WEAK,
        Support::Unsupported => UNSUPPORTED,
        Support::Absence => ABSENCE,
        Support::Unknown => UNKNOWN,
    }
}

/// What to watch for in a part of a traced summary: how many of its sentences are unsupported, how many weak.
pub fn of_section(tracing: &Tracing, generation: u32, places: std::ops::Range<usize>) -> Vec<(Sign, usize)> {
    let Some(sentences) = tracing.get(generation).and_then(|trace| trace.sentences.get(places)) else {
        return Vec::new();
    };
    let count = |support| sentences.iter().filter(|traced| traced.support == support).count();
    let counts = [(UNSUPPORTED, count(Support::Unsupported)), (WEAK, count(Support::Weak))];
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}
