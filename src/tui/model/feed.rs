//! What is known of the file that the log is in.

use crate::log::Flow;

/// What is known of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    /// Bytes read and to read while the index is being built.
    pub indexing: Option<(u64, u64)>,
    /// No file is there yet.
    pub waiting: bool,
    /// The file is gone.
    pub gone: bool,
    /// It cannot be read, and why.
    pub problem: Option<String>,
    /// Why what has come so far is no log of a known format.
    pub doubt: Option<String>,
    /// Changes are looked for by polling, since no events arrive.
    pub polled: bool,
    /// All that is there was read.
    pub resting: bool,
    /// The file ends in a line that is no record yet.
    pub pending: bool,
    /// How often the log was read anew.
    pub epochs: u32,
    /// How the log arrives, where it has to be spooled.
    pub flow: Option<Flow>,
}

impl Feed {
    /// The same when all that is there was read, and nothing is wrong.
    pub(in crate::tui) fn at_rest(&self, polled: bool, pending: bool) -> Self {
        Self {
            polled,
            pending,
            epochs: self.epochs,
            flow: self.flow.clone(),
            resting: true,
            ..Self::default()
        }
    }

    /// Why there is no log to show, if something is wrong with it.
    pub(in crate::tui) fn nothing(&self) -> Option<&str> {
        self.problem.as_deref().or(self.doubt.as_deref())
    }

    /// Bytes read and to read, while what was there at the start is still being read and their number is known.
    pub fn reading(&self) -> Option<(u64, u64)> {
        let flowing = self.flow.as_ref().filter(|flow| flow.is_file && !flow.ended);
        self.indexing.or_else(|| flowing.map(|flow| (flow.read, flow.whole)))
    }

    /// Whether records that come were there at the start. A stream has sent those when it falls silent.
    pub(in crate::tui) fn catches_up(&self) -> bool {
        let streams = self.flow.as_ref().is_some_and(|flow| !flow.is_file);
        self.reading().is_some() || (streams && !self.resting)
    }
}
