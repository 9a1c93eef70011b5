//! What a block hierarchy is made by.

/// Which originals may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// All of them: nothing is deleted.
    All,
    /// Those of the open block: older ones may be gone, so that their summaries are frozen and no span is made.
    CurrentBlock,
}

/// What a block hierarchy is made by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Close at seams; otherwise at exactly `block_turns`.
    pub seams: bool,
    /// Turns after which a block closes at the next seam.
    pub block_turns: u32,
    /// Tokens that the context may have.
    pub budget: u64,
    /// Tokens that a block's summary may have.
    pub block_budget: u32,
    /// Tokens that a span's summary may have.
    pub span_budget: u32,
    /// Tokens that the summariser can read at once.
    pub window: u64,
    /// Which originals may be read.
    pub retention: Retention,
    /// Tokens of the system prompt, where somebody knows them: logs seldom hold it.
    pub system: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seams: true,
            block_turns: 40,
            budget: super::super::BUDGET,
            block_budget: 1_200,
            span_budget: 3_000,
            window: 200_000,
            retention: Retention::All,
            system: 0,
        }
    }
}

impl Settings {
    /// The turn at which a block without a seam closes as soon as no call is open: half as many again.
    pub fn cap(&self) -> u32 {
        self.block_turns.saturating_add(self.block_turns / 2)
    }

    /// The turn at which it closes in any case: twice as many.
    pub fn limit(&self) -> u32 {
        self.block_turns.saturating_mul(2)
    }

    /// Tokens of context above which the next span is prepared.
    pub fn soft(&self) -> u64 {
        self.budget / 5 * 4 + self.budget % 5 * 4 / 5
    }

    /// These settings, or what is wrong with them. A level of summaries must fit the summariser's window at least two
    /// by two, or no level would be shorter than the one below.
    pub fn checked(self) -> Result<Self, String> {
        if self.block_turns == 0 {
            return Err("a block needs at least 1 turn".into());
        }
        let least = u64::from(self.block_budget.max(self.span_budget)) * 2;
        if self.window < least {
            return Err(format!(
                "a summariser that reads {} tokens cannot join two summaries: it needs a window of {least} at least",
                self.window
            ));
        }
        Ok(self)
    }
}
