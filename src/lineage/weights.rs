//! The weights of the ranker, as the file `assets/ranker.toml` holds them.
//!
//! They were fitted by `cargo bench --bench lineage -- --fit` on hand labels of two session families; the second digit
//! means nothing. A feature that the file does not name weighs nothing.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::context::{MESSAGES, NAMES};
use super::features::{self, COUNT};

/// What each feature weighs, alone and with the messages of neighbouring sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Where a sentence is ranked alone.
    pub alone: [f64; COUNT],
    /// Where its neighbours speak too.
    pub together: [f64; COUNT],
    /// What the neighbours' messages weigh.
    pub messages: [f64; MESSAGES],
}

impl Default for Weights {
    fn default() -> Self {
        Self { alone: [0.0; COUNT], together: [0.0; COUNT], messages: [0.0; MESSAGES] }
    }
}

#[derive(Deserialize)]
struct File {
    features: BTreeMap<String, [f64; 2]>,
    messages: BTreeMap<String, f64>,
}

impl Weights {
    /// Reads the text of a file of weights.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let mut weights = Self::default();
        for place in 0..COUNT {
            if let Some([alone, together]) = file.features.get(&features::name(place)) {
                weights.alone[place] = *alone;
                weights.together[place] = *together;
            }
        }
        for (place, name) in NAMES.iter().enumerate() {
            weights.messages[place] = file.messages.get(*name).copied().unwrap_or(0.0);
        }
        Ok(weights)
    }

    /// The text of a file that holds these weights.
    pub fn write(&self) -> String {
        use std::fmt::Write;
        let mut out = String::from(
            "# What each feature weighs: ranked alone, and with the messages of neighbouring sentences.\n# Written by `cargo bench --bench lineage -- --fit`.\n\n[features]\n",
        );
        for place in 0..COUNT {
            let name = features::name(place);
            let _ = writeln!(out, "{name} = [{:.3}, {:.3}]", self.alone[place], self.together[place]);
        }
        out.push_str("\n[messages]\n");
        for (place, name) in NAMES.iter().enumerate() {
            let _ = writeln!(out, "{name} = {:.3}", self.messages[place]);
        }
        out
    }
}

static BUILT_IN: LazyLock<Weights> =
    LazyLock::new(|| Weights::parse(include_str!("../../assets/ranker.toml")).unwrap_or_default());

/// The weights that the binary embeds.
pub fn built_in() -> &'static Weights {
    &BUILT_IN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_weights_are_whole() {
        let text = include_str!("../../assets/ranker.toml");
        let weights = Weights::parse(text).unwrap();
        assert_eq!(&weights, built_in());
        assert!(weights.alone.iter().all(|weight| weight.is_finite()));
        assert_eq!(weights.write(), text);
    }
}
