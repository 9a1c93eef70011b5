//! Which views there are: one row each, for the command line, the tabs, the keys and the help.

/// Which tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewKind {
    /// What the model sees.
    Window,
    /// What each compaction covered.
    Generations,
    /// The block hierarchy, replayed.
    Blocks,
    /// The cold forest, replayed.
    Forest,
    /// What Context-GC prunes, replayed.
    Receipts,
    /// What each compaction lost.
    Audit,
}

impl ViewKind {
    /// The views of this build, in the order of their tabs.
    pub const ALL: [Self; 6] =
        [Self::Window, Self::Generations, Self::Blocks, Self::Forest, Self::Receipts, Self::Audit];

    /// Its name on the command line and, capitalised, on the screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Generations => "generations",
            Self::Blocks => super::blocks::NAME,
            Self::Forest => super::forest::NAME,
            Self::Receipts => super::receipts::NAME,
            Self::Audit => super::audit::NAME,
        }
    }

    /// The digit that chooses it.
    pub const fn digit(self) -> &'static str {
        match self {
            Self::Window => "1",
            Self::Generations => "2",
            Self::Blocks => "3",
            Self::Forest => "4",
            Self::Receipts => "5",
            Self::Audit => "6",
        }
    }

    /// Its name and what it shows.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Window => "Window: what the model sees",
            Self::Generations => "Generations: what each compaction covered",
            Self::Blocks => "Blocks: ledger, spans, blocks, open turns",
            Self::Forest => "Forest: clusters behind a hot window",
            Self::Receipts => "Receipts: the prompt, and what was pruned",
            Self::Audit => "Audit: what each compaction lost",
        }
    }

    /// The view called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// Its place among the tabs.
    pub fn place(self) -> usize {
        self as usize
    }
}
