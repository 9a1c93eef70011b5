//! What a block is, as far as it bears on whether a summary rests on it.

use crate::text::lexicon::Deed;

/// What a block is, as far as it bears on whether a summary rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A person's words: a prompt, or what was said inside a tool result.
    Prompt,
    /// The result of a call that failed.
    Error,
    /// A sentence of the summary before.
    Summary,
    /// A call that writes or changes a file.
    Change,
    /// The model's prose.
    Text,
    /// A plan put to the user, and the answer to it.
    Plan,
    /// A call that runs a command.
    RunCall,
    /// A list of what is to be done.
    Todo,
    /// What a sub-agent gave back.
    AgentResult,
    /// What a command gave back.
    RunResult,
    /// A call that reads or searches.
    ReadCall,
    /// Another call.
    OtherCall,
    /// What the harness put in.
    Meta,
    /// What was read or found.
    ReadResult,
    /// A call that starts a sub-agent.
    AgentCall,
    /// Another result.
    OtherResult,
    /// The result of a write, an edit or a to-do list: it repeats the call.
    Echo,
}

impl Class {
    /// All of them, in the order of their weights.
    pub const ALL: [Self; 17] = [
        Self::Prompt,
        Self::Error,
        Self::Summary,
        Self::Change,
        Self::Text,
        Self::Plan,
        Self::RunCall,
        Self::Todo,
        Self::AgentResult,
        Self::RunResult,
        Self::ReadCall,
        Self::OtherCall,
        Self::Meta,
        Self::ReadResult,
        Self::AgentCall,
        Self::OtherResult,
        Self::Echo,
    ];

    /// Whether it is about reading: the call or what came back.
    pub fn is_read(self) -> bool {
        matches!(self, Self::ReadCall | Self::ReadResult)
    }
}

/// What a call is, by what its tool does.
pub(super) fn of_call(deed: Deed) -> Class {
    match deed {
        Deed::Write | Deed::Edit => Class::Change,
        Deed::Run => Class::RunCall,
        Deed::Read | Deed::Search => Class::ReadCall,
        Deed::Agent => Class::AgentCall,
        Deed::Todo => Class::Todo,
        Deed::Plan => Class::Plan,
        Deed::Other => Class::OtherCall,
    }
}

/// What a result is, by the tool that gave it and by how it begins.
pub(super) fn of_result(deed: Deed, error: bool, text: &str) -> Class {
    if deed == Deed::Plan {
        return Class::Plan;
    }
    if text.starts_with("The user doesn't want") {
        return Class::OtherResult;
    }
    if error || text.starts_with("Error") || text.starts_with("Exit code") {
        return Class::Error;
    }
    match deed {
        Deed::Write | Deed::Edit | Deed::Todo => Class::Echo,
        Deed::Run => Class::RunResult,
        Deed::Read | Deed::Search => Class::ReadResult,
        Deed::Agent => Class::AgentResult,
        Deed::Plan => Class::Plan,
        Deed::Other => Class::OtherResult,
    }
}
