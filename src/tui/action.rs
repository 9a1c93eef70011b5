//! What a person can mean.

use crate::outline::ViewKind;

/// One thing to do. What each does is said once, in the key table ([`super::keys::TABLE`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the key table documents each, for people and for the help")]
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Open,
    Close,
    Toggle,
    OpenAll,
    Fold,
    Back,
    NextPane,
    Zoom,
    View(ViewKind),
    TurnBack,
    TurnOn,
    TenBack,
    TenOn,
    GenerationBack,
    GenerationOn,
    Follow,
    Compaction,
    Difference,
    Original,
    Trace,
    Search,
    NextMatch,
    PreviousMatch,
    Jump,
    Filter,
    CopyAddress,
    CopyText,
    Narrower,
    Wider,
    Mouse,
    Sessions,
    Help,
    Stop,
    Quit,
}
