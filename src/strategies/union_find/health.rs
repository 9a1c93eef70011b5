//! How balanced a forest is: what to look at before anything else is believed of its clusters.

use super::ColdForest;
use super::forest::Stamp;
use super::rules::SHARE;
use crate::text::numbers::short;

/// The health of a forest as of a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Health {
    /// Cold messages.
    pub cold: u32,
    /// Clusters.
    pub clusters: u32,
    /// Members of the largest.
    pub largest: u32,
    /// Clusters of one message.
    pub singletons: u32,
    /// Unions.
    pub unions: u32,
    /// Unions that the cap forced; none where nothing says.
    pub forced: Option<u32>,
    /// Numbers in vectors that are none.
    pub not_numbers: u32,
}

impl Health {
    /// Of a forest as of a moment.
    pub fn of(forest: &ColdForest, at: Stamp) -> Self {
        let inner = forest.forest();
        let sizes = inner.roots(at).into_iter().map(|root| inner.size(root, at));
        let unions = inner.unions_as_of(at).len() as u32;
        let counted = Self::of_sizes(sizes).with_not_numbers(forest.not_numbers(at) as usize);
        Self { unions, forced: Some(forest.forced(at)), ..counted }
    }

    /// Of clusters of these sizes.
    pub fn of_sizes(sizes: impl Iterator<Item = u32>) -> Self {
        let mut health = Self::default();
        for size in sizes {
            health.cold += size;
            health.clusters += 1;
            health.largest = health.largest.max(size);
            health.singletons += u32::from(size == 1);
        }
        health
    }

    /// With so many numbers that are none.
    #[must_use]
    pub fn with_not_numbers(self, count: usize) -> Self {
        Self { not_numbers: count as u32, ..self }
    }

    /// The largest cluster's share of all cold messages.
    pub fn largest_share(&self) -> f64 {
        if self.cold == 0 { 0.0 } else { f64::from(self.largest) / f64::from(self.cold) }
    }

    /// The same in per cent; what is not all, or not nothing, is not rounded to it.
    fn largest_percent(&self) -> String {
        let share = self.largest_share() * 100.0;
        match share.round() {
            all if all >= 100.0 && self.largest < self.cold => "> 99".to_owned(),
            none if none < 1.0 && self.largest > 0 => "< 1".to_owned(),
            share => share.to_string(),
        }
    }

    /// Whether the largest cluster holds too much. Four of five messages in one cluster are many for so few.
    pub fn is_lopsided(&self) -> bool {
        self.largest_share() > SHARE && self.cold >= 12
    }

    /// In one line; a warning where the largest cluster holds too much, or a vector holds what is no number.
    pub fn line(&self) -> String {
        let share = self.largest_percent();
        let warn = |is: bool| if is { "! " } else { "" };
        format!(
            "{}largest {share} % · single {}/{} · {}NaN {} · forced {}/{}",
            warn(self.is_lopsided()),
            self.singletons,
            self.clusters,
            warn(self.not_numbers > 0),
            self.not_numbers,
            self.forced.map_or_else(|| "–".to_owned(), |forced| short(forced.into())),
            short(self.unions.into()),
        )
    }
}
