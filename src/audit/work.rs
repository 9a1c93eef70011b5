//! What has to be read for one compaction, and the facts that come of it: work for any thread.
//!
//! A [`Work`] is taken from the session and is small. [`Work::run`] reads the range, finds its items and makes the summary
//! ready to be asked; it knows nothing of other compactions. What became of the items is [`super::auditor`]'s part, which
//! takes facts in order. Texts of the range are dropped here: facts hold items, not turns.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::lineage::prepared::Prepared;
use crate::lineage::range::Plan;
use crate::lineage::support::Support;
use crate::lineage::weights;
use crate::log::{LogError, Source};
use crate::session::Session;
use crate::text::lexicon::Lexicon;

use super::exact::{Exact, Finder, Items, voice};
use super::finding::{Class, Voice};
use super::listing::{self, Listing};
use super::ruler::{self, Copied, Family, Runs};
use super::said::Said;
use super::statements::{self, Statement};

/// What is asked for beside losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// List what only tools said, not only count it.
    pub tools: bool,
    /// Trace every sentence, to name those that nothing supports. It takes several times as long.
    pub unsupported: bool,
}

/// What is known of a compaction before anything is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its number: a generation, or a pass of a strategy.
    pub generation: u32,
    /// The number of the turn at which it took effect.
    pub turn: u32,
    /// Why its summary cannot be read; none where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// How many turns it replaced.
    pub covered: u32,
    /// How many turns of its range stayed in view.
    pub kept: u32,
    /// Whether everything that was summarised is in the log, where the log tells.
    pub told_complete: Option<bool>,
}

/// One compaction to be read.
#[derive(Debug)]
pub struct Work {
    pub(super) about: About,
    /// None where there is no summary to be read.
    plan: Option<Plan>,
    /// What stayed in view.
    kept: Option<Plan>,
    source: Source,
    options: Options,
    seed: u64,
}

/// The room of a summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ruler {
    /// Its bits.
    pub bits: u64,
    /// Its bits, compressed.
    pub compressed: u64,
    /// What it is made of.
    pub copied: Copied,
    /// Families of items beside it.
    pub families: Vec<Family>,
}

/// What was read of one compaction.
#[derive(Debug)]
pub struct Facts {
    pub(super) about: About,
    /// Whether everything that was summarised is in the log.
    pub(super) complete: bool,
    /// Whether it is also as much text as its logged size asks for.
    pub(super) ample: bool,
    pub(super) said: Said,
    pub(super) kept: Said,
    pub(super) items: Items,
    pub(super) statements: Vec<Statement>,
    pub(super) listing: Option<Listing>,
    pub(super) ruler: Option<Ruler>,
    /// Sentences that nothing supports, where that was asked.
    pub(super) unsupported: Option<Vec<usize>>,
    pub(super) options: Options,
}

impl Work {
    /// The work of a recorded compaction; none where the log has no such generation.
    pub fn of(session: &Session, source: &Source, generation: u32, options: Options) -> Option<Self> {
        let compaction = session.generation(generation)?;
        let unreadable = match compaction.summary {
            None => Some("a boundary without a summary: nothing was compacted".to_owned()),
            Some(_) => compaction.unreadable(),
        };
        let about = About {
            generation,
            turn: compaction.summary.map_or(0, |summary| session.turn(summary).number),
            covered: compaction.covered(),
            kept: compaction.kept_turns(),
            told_complete: compaction.complete,
            unreadable,
        };
        let plan = Plan::new(session, generation).filter(|_| about.unreadable.is_none());
        let kept = Plan::kept(session, generation);
        Some(Self::new(session, source, about, plan, kept, options))
    }

    /// The work of a pass of a strategy: `plan` has the turns that went out of view and what stands for them, `kept` those
    /// that are in view.
    pub(super) fn new(
        session: &Session,
        source: &Source,
        about: About,
        plan: Option<Plan>,
        kept: Option<Plan>,
        options: Options,
    ) -> Self {
        let id = session.session_ids.first().map(|id| id.as_bytes()).unwrap_or_default();
        let seed = u64::from(crc32fast::hash(id)) << 32 | u64::from(about.generation);
        Self { about, plan, kept, source: source.clone(), options, seed }
    }

    /// What is known before anything is read.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Reads it. `finder` remembers what words hold from one work to the next.
    pub fn run(self, lexicon: &Lexicon, finder: &mut Finder) -> Result<Facts, LogError> {
        let Self { about, plan, kept, source, options, seed } = self;
        let Some(plan) = plan else { return Ok(Facts::unread(about, options)) };
        let texts = plan.read(&source, lexicon)?;
        let mut items = Items::default();
        let mut runs = Runs::new(&texts.summary);
        for (number, block) in texts.blocks.iter().enumerate() {
            items.take(finder, number, block);
            runs.take(&block.text);
        }
        let kept = match kept {
            Some(kept) => {
                let texts = kept.read(&source, lexicon)?;
                let spoken = texts.blocks.iter().filter(|block| voice(block).is_some());
                let all: Vec<&str> = spoken.map(|block| block.text.as_str()).collect();
                Said::new(all.join("\n\n"), None)
            }
            None => Said::nothing(),
        };
        let unsupported =
            if options.unsupported { Some(unsupported(&plan, &source, lexicon)?) } else { None };
        let statements = statements::of(&texts.blocks, lexicon);
        let said = Said::new(texts.summary, Some(&texts.sentences));
        let listing = listing::check(&texts.blocks, &said);
        // What says nothing has no room.
        let speaks = !said.text().trim().is_empty();
        let ruler = speaks.then(|| measure(&said, &items.all, runs.copied(), seed));
        let (complete, ample) = (texts.complete, texts.ample);
        Ok(Facts {
            about,
            complete,
            ample,
            said,
            kept,
            items,
            statements,
            listing,
            ruler,
            unsupported,
            options,
        })
    }
}

impl Facts {
    fn unread(about: About, options: Options) -> Self {
        Self {
            about,
            complete: false,
            ample: false,
            said: Said::nothing(),
            kept: Said::nothing(),
            items: Items::default(),
            statements: Vec::new(),
            listing: None,
            ruler: None,
            unsupported: None,
            options,
        }
    }
}

/// The sentences that nothing in a range supports.
fn unsupported(plan: &Plan, source: &Source, lexicon: &Lexicon) -> Result<Vec<usize>, LogError> {
    let trace = Prepared::read(plan, source, lexicon, weights::built_in())?.trace(lexicon);
    let all = trace.sentences.iter().enumerate();
    Ok(all.filter(|(_, traced)| traced.support == Support::Unsupported).map(|(place, _)| place).collect())
}

/// The ruler of a summary: paths, all names, and what the user said.
fn measure(said: &Said, items: &[Exact], copied: Copied, seed: u64) -> Ruler {
    let bits = said.text().len() as u64 * 8;
    let lower = said.text().to_lowercase();
    let holds = |item: &str| lower.contains(item);
    let family = |name: &str, wanted: &dyn Fn(&Exact) -> bool| {
        let members: BTreeSet<&str> =
            items.iter().filter(|item| wanted(item)).map(|item| &*item.normal).collect();
        ruler::family(name, &members, bits, seed, &holds)
    };
    let families = vec![
        family("paths", &|item| item.class == Class::Path),
        family("identifiers", &|item| matches!(item.class, Class::Path | Class::Identifier | Class::Number)),
        family("user items", &|item| item.voice == Voice::Prompt),
    ];
    Ruler { bits, compressed: ruler::compressed(said.text()), copied, families }
}
