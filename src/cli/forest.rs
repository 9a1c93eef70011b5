//! Settings of the cold forest: as typed, and what they mean.

use clap::Args;

use crate::strategies::union_find::settings::{Cap, LARGEST_CAP, Preset, Settings, Vectors};
use crate::text::preview::quoted;

/// Settings of the cold forest.
#[derive(Clone, Debug, Args)]
pub struct ForestOptions {
    /// The rule that unites messages: `balanced` keeps clusters of like size, `reference` is the published one.
    #[arg(long, value_name = "NAME", default_value = "balanced", value_parser = ["balanced", "reference"])]
    pub preset: String,
    /// What words weigh: by the messages so far, or `fitted` on all of them before the first, which sees the future
    /// and is for comparison.
    #[arg(long, value_name = "HOW", default_value = "incremental", value_parser = ["incremental", "fitted"])]
    pub vectors: String,
    /// Messages in the hot window: 10 without it. Of `--strategy truncate`: the turns that it keeps, instead of a budget.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub hot: Option<u32>,
    /// Clusters at the most: a number up to 1000, `sqrt` of the messages (10 at the least), or `none`.
    #[arg(long, value_name = "NUMBER|sqrt|none", default_value = "10")]
    pub cap: String,
    /// Of `--preset reference`: a message joins a cluster at this similarity; 0.15 without it.
    #[arg(long, value_name = "COSINE")]
    pub threshold: Option<f64>,
    /// Clusters that a reader gets.
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub nearest: u32,
    /// Of `--preset reference`: a cluster is read from this similarity on; 0.05 without it.
    #[arg(long, value_name = "COSINE")]
    pub min_sim: Option<f64>,
}

impl ForestOptions {
    /// The settings that the options mean, or what is wrong with them.
    pub fn settings(&self) -> Result<Settings, String> {
        let preset = Preset::named(&self.preset).unwrap_or(Preset::Balanced);
        let usual = Settings::of(preset);
        for (name, value) in [("--threshold", self.threshold), ("--min-sim", self.min_sim)] {
            match value {
                Some(_) if preset != Preset::Reference => {
                    return Err(format!("{name} belongs to `--preset reference`"));
                }
                Some(value) if !(-1.0..=1.0).contains(&value) => {
                    return Err(format!("{name} is a cosine, from -1 to 1: {value} is none"));
                }
                _ => {}
            }
        }
        let cap = Cap::parse(&self.cap).ok_or_else(|| {
            format!(
                "--cap takes a number from 1 to {LARGEST_CAP}, sqrt or none: \"{}\" is none of them",
                quoted(&self.cap)
            )
        })?;
        if cap == Cap::None && preset == Preset::Balanced {
            let why = "the balanced rule unites because of its cap";
            return Err(format!("--cap none belongs to `--preset reference`: {why}"));
        }
        Ok(Settings {
            vectors: Vectors::named(&self.vectors).unwrap_or(Vectors::Incremental),
            hot: self.hot.unwrap_or(usual.hot),
            cap,
            threshold: self.threshold.unwrap_or(usual.threshold),
            nearest: self.nearest,
            min_sim: self.min_sim.unwrap_or(usual.min_sim),
            ..usual
        })
    }
}
