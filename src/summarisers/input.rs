//! The hash of what a summary is made by and from: what it is stored under.

use std::fmt;

use super::Request;

/// A hash of a summariser's name and a request. The same in every run and on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputHash(pub [u8; 32]);

impl InputHash {
    /// The hash of what `name` is asked.
    pub fn of(name: &str, request: &Request) -> Self {
        let mut hasher = blake3::Hasher::new();
        // Lengths before texts: no two requests write the same bytes.
        let mut text = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        text(name);
        text(&request.budget.to_string());
        text(&request.sources.len().to_string());
        for source in &request.sources {
            text(&format!("{} {} {}", source.turns.0, source.turns.1, source.parts.len()));
            text(source.role.name());
            for part in &source.parts {
                text(part.kind.name());
                text(if part.error { "failed" } else { "" });
                text(if part.tool.is_some() { "tool" } else { "" });
                text(part.tool.as_deref().unwrap_or_default());
                text(&part.text);
            }
        }
        Self(hasher.finalize().into())
    }

    /// The hash of what several hashes stand for, in this order.
    pub fn of_all(hashes: &[Self]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for hash in hashes {
            hasher.update(&hash.0);
        }
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for InputHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for InputHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InputHash({self})")
    }
}

#[cfg(test)]
mod tests;
