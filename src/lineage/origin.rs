//! Whether a sentence came from the turns that its compaction read, or was taken over from the summary before.
//!
//! The range holds the summary before, sentence by sentence, next to the turns that came after it. A sentence is
//! inherited where the best old sentence covers it and matches clearly better than the best turn; where the turns hold
//! it as well, the summariser could read the original, and it counts as new. Anything else is weak: nothing is said.

use super::index::Index;
use super::range::Texts;
use super::rank::Ranked;
use super::support::Weighed;

/// What has to be covered for anything to be said.
const COVERED: f64 = 0.45;
/// How much better the old sentence has to match.
const BETTER: f64 = 1.1;
/// How much more it has to cover.
const MORE: f64 = 0.15;
/// How close the turns' coverage has to come for both to be sources.
const CLOSE: f64 = 0.05;

/// Where a sentence came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// From the turns since the summary before.
    New,
    /// From the summary before.
    Inherited,
    /// From either.
    Both,
    /// It cannot be told.
    Weak,
}

impl Origin {
    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Inherited => "inherited",
            Self::Both => "both",
            Self::Weak => "weak",
        }
    }
}

/// The origin of a sentence with these sources; where it is inherited, the place of the sentence before.
pub fn of(texts: &Texts, index: &Index, weighed: &Weighed, ranked: &[Ranked]) -> (Origin, Option<usize>) {
    let is_old = |source: &&Ranked| texts.blocks[source.block].sentence.is_some();
    let best = |old: bool| ranked.iter().find(|source| is_old(source) == old);
    let measure = |source: Option<&Ranked>| {
        source.map_or((0.0, 0.0), |source| {
            (source.matched, weighed.coverage(index, &texts.blocks, std::slice::from_ref(source)))
        })
    };
    let old = best(true);
    let ((new_match, new_cover), (old_match, old_cover)) = (measure(best(false)), measure(old));
    let better = old_match >= BETTER * new_match || old_cover >= new_cover + MORE;
    if old.is_some() && old_cover >= COVERED && better {
        if new_cover >= old_cover - CLOSE && new_match >= old_match {
            return (Origin::Both, None);
        }
        return (Origin::Inherited, old.and_then(|source| texts.blocks[source.block].sentence));
    }
    if new_cover >= COVERED { (Origin::New, None) } else { (Origin::Weak, None) }
}
