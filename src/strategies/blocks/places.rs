//! Places in the block hierarchy: what an address means, what a place is called, and why there may be none.

use crate::session::address::Address;

use super::{Blocks, Item, Made};

/// A place that an address of the hierarchy means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A block or span.
    Whole(Made),
    /// A sentence of its summary, from 1.
    Sentence(Made, u32),
    /// An item of the ledger, from 1.
    Item(u32),
}

impl Place {
    /// The place that `address` means, if it is one of the hierarchy.
    pub fn of(address: &Address) -> Option<Self> {
        Some(match *address {
            Address::Block(number) => Self::Whole(Made::Block(number)),
            Address::Span(number) => Self::Whole(Made::Span(number)),
            Address::MadeSentence { span: true, of, sentence } => Self::Sentence(Made::Span(of), sentence),
            Address::MadeSentence { of, sentence, .. } => Self::Sentence(Made::Block(of), sentence),
            Address::Item(number) => Self::Item(number),
            _ => return None,
        })
    }
}

impl Made {
    /// Its address.
    pub fn address(self) -> Address {
        match self {
            Self::Block(number) => Address::Block(number),
            Self::Span(number) | Self::Fold(number) => Address::Span(number),
        }
    }

    /// The address of a sentence of its summary, numbered from 1.
    pub fn sentence(self, sentence: u32) -> Address {
        self.address().sentence(sentence)
    }
}

/// Why a place is not in the hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Absent {
    /// Fewer blocks are closed.
    #[error("there is no block b{0}: {1} are closed")]
    Block(u32, usize),
    /// Fewer spans were made.
    #[error("there is no span p{0}: {1} were made")]
    Span(u32, usize),
    /// The ledger is shorter.
    #[error("there is no item i{0}: the ledger has {1}")]
    Item(u32, usize),
}

impl Blocks {
    /// The turns that a block or span stands for, and since which turn it is there.
    pub fn find(&self, made: Made) -> Result<((u32, u32), u32), Absent> {
        let begun = self.begun();
        match made {
            Made::Block(number) => {
                let block = self.block(number).map(|block| (block.turns, block.closed_at));
                block.ok_or_else(|| Absent::Block(number, self.closed(begun).len()))
            }
            Made::Span(number) | Made::Fold(number) => {
                let span = self.span(number).map(|span| (span.turns, span.made_at));
                span.ok_or_else(|| Absent::Span(number, self.spans(begun).len()))
            }
        }
    }

    /// An item of the ledger.
    pub fn find_item(&self, number: u32) -> Result<&Item, Absent> {
        let ledger = self.ledger();
        ledger.item(number).ok_or_else(|| Absent::Item(number, ledger.items(self.begun()).len()))
    }
}
