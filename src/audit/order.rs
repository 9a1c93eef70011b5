//! The order of a report: what matters most first, and of that what is surest and says most.

use std::cmp::Ordering;

use super::finding::{Finding, Verdict};

/// Puts findings in order: by class, then by how much is lost, then by what each says.
pub(super) fn sort(findings: &mut [Finding]) {
    findings.sort_by(compare);
}

fn compare(a: &Finding, b: &Finding) -> Ordering {
    let by_class = a.class.cmp(&b.class).then(loss(a.verdict).cmp(&loss(b.verdict)));
    let by_weight = b.weight.total_cmp(&a.weight);
    let place =
        |finding: &Finding| finding.sources.first().map(|place| (place.turn, place.index, place.bytes));
    by_class
        .then(a.answered.is_some().cmp(&b.answered.is_some()))
        .then(b.voice.cmp(&a.voice))
        .then(by_weight)
        .then_with(|| place(a).cmp(&place(b)))
        .then_with(|| a.text.cmp(&b.text))
}

/// Verdicts, what is lost most first.
fn loss(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Dropped => 0,
        Verdict::Mutated => 1,
        Verdict::Weakened => 2,
        Verdict::Unverifiable => 3,
        Verdict::Paraphrased => 4,
        Verdict::Preserved => 5,
    }
}
