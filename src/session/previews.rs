//! The first words of turns, one behind the other: a text of its own for each would cost more than its words.

/// Where a turn's first words are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Preview {
    begin: [u8; 5],
    length: u16,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Previews(String);

impl Previews {
    /// Keeps `words`. A preview has few ([`crate::text::preview::LENGTH`] characters): they are never cut here.
    pub(super) fn add(&mut self, words: &str) -> Preview {
        let Ok(length) = u16::try_from(words.len()) else { return Preview::default() };
        let [a, b, c, d, e, ..] = (self.0.len() as u64).to_le_bytes();
        self.0.push_str(words);
        Preview { begin: [a, b, c, d, e], length }
    }

    /// The words there.
    pub(super) fn get(&self, at: Preview) -> &str {
        let [a, b, c, d, e] = at.begin;
        let begin = u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]) as usize;
        self.0.get(begin..begin + usize::from(at.length)).unwrap_or_default()
    }
}
