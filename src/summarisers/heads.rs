//! The heads of a summary: what it has to carry, in the order in which it does.

/// A head of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Head {
    /// What was asked for.
    Goal,
    /// What was decided, turned down, and has to hold.
    Decisions,
    /// What was found out and done.
    Findings,
    /// What was left open.
    Open,
    /// Exact names: files, addresses, versions, identifiers.
    Files,
    /// What went wrong.
    Errors,
}

impl Head {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Goal, Self::Decisions, Self::Findings, Self::Open, Self::Files, Self::Errors];

    /// The words of the heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Goal => "Goal",
            Self::Decisions => "Decisions",
            Self::Findings => "Findings",
            Self::Open => "Open items",
            Self::Files => "Files and references",
            Self::Errors => "Errors",
        }
    }

    /// The head with this title.
    pub fn of(title: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|head| head.title() == title)
    }

    /// Its line in a summary.
    pub fn line(self) -> String {
        format!("## {}", self.title())
    }
}
