//! The first words of turns, one behind the other: a text of its own for each would cost more than its words.

/// Where a turn's first words are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Preview {
    pub(super) begin: u32,
    pub(super) length: u16,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Previews(String);

impl Previews {
    /// Keeps `words`: they are few ([`crate::text::preview::LENGTH`] characters). Behind four gigabytes of them, which
    /// some hundred million turns have, turns show none.
    pub(super) fn add(&mut self, words: &str) -> Preview {
        let place = u32::try_from(self.0.len()).ok().zip(u16::try_from(words.len()).ok());
        let Some((begin, length)) = place else { return Preview::default() };
        self.0.push_str(words);
        Preview { begin, length }
    }

    /// The words there.
    pub(super) fn get(&self, at: Preview) -> &str {
        let begin = at.begin as usize;
        self.0.get(begin..begin + usize::from(at.length)).unwrap_or_default()
    }
}
