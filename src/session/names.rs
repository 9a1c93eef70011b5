//! Strings that occur again and again (tools, paths, labels), kept once.

use std::sync::Arc;

use foldhash::HashMap;

/// A string's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// No string.
pub const NO_NAME: Name = Name(u32::MAX);

/// All of them.
#[derive(Debug, Default)]
pub struct Names {
    by_text: HashMap<Arc<str>, Name>,
    texts: Vec<Arc<str>>,
}

impl Names {
    /// The number of `text`, new or known.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.by_text.get(text) {
            return *name;
        }
        let name = Name(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.by_text.insert(text, name);
        name
    }

    /// The number of `text`, if it is known.
    pub fn known(&self, text: &str) -> Option<Name> {
        self.by_text.get(text).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// The string, or the empty one for [`NO_NAME`].
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }
}
