//! Settings of the cold forest: two presets by name, each with the values it was published or measured with.

/// Which rule unites clusters, and who reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Balanced clusters: no threshold, covariance with the whole, no cluster above a share.
    Balanced,
    /// The published implementation's choices (its variant PY-v3): nearest root above a threshold, closest pair above
    /// the cap.
    Reference,
}

impl Preset {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Reference => "reference",
        }
    }

    /// The preset called `name`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Balanced, Self::Reference].into_iter().find(|preset| preset.name() == name)
    }
}

/// What the weights of terms are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// The messages that have come so far.
    Incremental,
    /// All messages, before the first is taken in: it sees the future, and is for comparison only.
    Fitted,
}

impl Vectors {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Incremental => "incremental",
            Self::Fitted => "fitted",
        }
    }

    /// The one called `name`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Incremental, Self::Fitted].into_iter().find(|vectors| vectors.name() == name)
    }
}

/// How many clusters there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// So many.
    Fixed(u32),
    /// The square root of the cold messages, ten at least.
    Root,
    /// Any number.
    None,
}

/// More clusters than this are not capped but listed: every pair of clusters below a cap has a number in memory.
pub const LARGEST_CAP: u32 = 1000;

impl Cap {
    /// How many clusters `cold` messages may have.
    pub fn of(self, cold: u32) -> Option<u32> {
        match self {
            Self::Fixed(cap) => Some(cap),
            // What is over the largest cap is a million messages.
            Self::Root => {
                let root = cold.isqrt();
                Some((root + u32::from(root * root < cold)).clamp(10, LARGEST_CAP))
            }
            Self::None => None,
        }
    }

    /// Reads `10`, `sqrt` or `none`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "sqrt" => Some(Self::Root),
            "none" => Some(Self::None),
            _ => text.parse().ok().filter(|cap| (1..=LARGEST_CAP).contains(cap)).map(Self::Fixed),
        }
    }
}

impl std::fmt::Display for Cap {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Fixed(cap) => cap.fmt(f),
            Self::Root => f.write_str("sqrt"),
            Self::None => f.write_str("none"),
        }
    }
}

/// Settings of a cold forest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The rule.
    pub preset: Preset,
    /// The weights.
    pub vectors: Vectors,
    /// Messages in the hot window.
    pub hot: u32,
    /// Clusters at the most.
    pub cap: Cap,
    /// Of the reference: a message joins the nearest cluster at this similarity or above.
    pub threshold: f64,
    /// Clusters that a reader gets.
    pub nearest: u32,
    /// Of the reference: clusters below this similarity to the question are not read.
    pub min_sim: f64,
}

impl Settings {
    /// The published values of a preset.
    pub fn of(preset: Preset) -> Self {
        Self {
            preset,
            vectors: Vectors::Incremental,
            hot: 10,
            cap: Cap::Fixed(10),
            threshold: 0.15,
            nearest: 3,
            min_sim: 0.05,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        let Self { preset, vectors, hot, cap, threshold, .. } = self;
        let threshold = match preset {
            Preset::Balanced => String::new(),
            Preset::Reference => format!(" · threshold {threshold}"),
        };
        format!("{} · {} vectors · hot {hot} · cap {cap}{threshold}", preset.name(), vectors.name())
    }

    /// Who makes the vectors, as files name it: how terms are found, how they are weighted, and from what.
    pub fn embedder(&self) -> &'static str {
        match (self.preset, self.vectors) {
            (Preset::Balanced, Vectors::Incremental) => "terms/1 log-tf bm-idf incremental",
            (Preset::Balanced, Vectors::Fitted) => "terms/1 log-tf bm-idf fitted",
            (Preset::Reference, Vectors::Incremental) => "ascii tf-share idf incremental",
            (Preset::Reference, Vectors::Fitted) => "ascii tf-count smooth-idf fitted",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(Preset::Balanced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_cap_grows_with_the_messages() {
        let cap = |cold| Cap::Root.of(cold);
        assert_eq!(
            [cap(1), cap(100), cap(101), cap(10_000), cap(u32::MAX)],
            [Some(10), Some(10), Some(11), Some(100), Some(1000)]
        );
        for text in ["10", "sqrt", "none"] {
            assert_eq!(Cap::parse(text).unwrap().to_string(), text);
        }
        assert!(Cap::parse("0").is_none() && Cap::parse("ten").is_none());
    }
}
