//! The rows that belong to no turn, as they stand behind one.

use std::ops::Range;

use super::table::Table;

/// Rows between two turns of a thread, in file order.
#[derive(Clone, Debug)]
pub struct Notes<'a> {
    pub(super) all: &'a Table<u32, 1>,
    pub(super) places: Range<u32>,
}

impl Notes<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The row at `index`.
    pub fn get(&self, index: usize) -> Option<u32> {
        self.places.clone().nth(index).and_then(|place| self.all.get(place))
    }

    /// Where a row stands among them.
    pub fn position(&self, row: u32) -> Option<usize> {
        let at = place(self.all, row);
        let is_it = self.places.contains(&at) && self.all.get(at) == Some(row);
        is_it.then(|| (at - self.places.start) as usize)
    }
}

/// The place of the first of `rows`, which rise, that is at or behind `row`.
pub(super) fn place(rows: &Table<u32, 1>, row: u32) -> u32 {
    let (mut from, mut to) = (0, rows.len() as u32);
    while from < to {
        let middle = from + (to - from) / 2;
        if rows.get(middle).is_some_and(|known| known < row) { from = middle + 1 } else { to = middle }
    }
    from
}
