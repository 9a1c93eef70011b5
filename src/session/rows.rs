//! The lines of a log: a few bytes each, whatever their number.
//!
//! Owns where every non-blank line is and what it turned out to be. Of places only the beginnings are kept, and of
//! these the low halves: a line reaches to the next one, lines are counted on, and the few places where that does not
//! hold (blank lines, the high halves) are written down by themselves.

use super::table::{Fields, Table, first_not};
use super::turns::{Row, RowKind, TurnId};

/// Rows in file order.
#[derive(Debug, Default)]
pub struct Rows {
    kept: Table<Kept, 4>,
    /// The rows at which the high half grows by one.
    wraps: Vec<u32>,
    /// Where a row is not followed by the next line.
    gaps: Vec<Gap>,
    /// The last row's end, without a newline.
    end: u64,
    first_line: u32,
    last_line: u32,
}

/// What is kept of a row.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// The low half of its offset.
    begin: u32,
    anchor: TurnId,
    label: u16,
    kind: RowKind,
    flags: u8,
}

impl Fields<4> for Kept {
    fn fields(&self, _: u32) -> [u32; 4] {
        let kind = self.kind as u32 | u32::from(self.flags) << 2;
        [self.begin, self.anchor.0, u32::from(self.label), kind]
    }

    fn of(_: u32, [begin, anchor, label, kind]: [u32; 4]) -> Self {
        const KINDS: [RowKind; 4] = [RowKind::Turn, RowKind::Note, RowKind::Echo, RowKind::Malformed];
        let (flags, kind) = ((kind >> 2) as u8, KINDS[(kind & 3) as usize]);
        Self { begin, anchor: TurnId(anchor), label: label as u16, kind, flags }
    }
}

/// A row that the next one does not follow at once.
#[derive(Clone, Copy, Debug)]
struct Gap {
    row: u32,
    length: u32,
    /// The line of the row behind it.
    next_line: u32,
}

impl Rows {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The row with this number, from 0.
    pub fn get(&self, row: u32) -> Option<Row> {
        let Kept { begin, anchor, label, kind, flags } = self.kept.get(row)?;
        let offset = self.high(row) | u64::from(begin);
        Some(Row {
            offset,
            length: self.length(row, offset),
            line: self.line(row),
            anchor,
            label,
            kind,
            flags,
        })
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Row> {
        self.from(0)
    }

    /// What each turned out to be.
    pub fn kinds(&self) -> impl Iterator<Item = RowKind> {
        self.kept.iter().map(|kept| kept.kind)
    }

    /// Those from the row `first` on.
    pub fn from(&self, first: u32) -> impl DoubleEndedIterator<Item = Row> {
        (first..self.len() as u32).filter_map(|row| self.get(row))
    }

    /// The last one.
    pub fn last(&self) -> Option<Row> {
        self.get((self.len() as u32).checked_sub(1)?)
    }

    /// Takes in one more.
    pub(super) fn push(&mut self, row: Row) {
        let number = self.len() as u32;
        if let Some(before) = number.checked_sub(1) {
            if self.end + 1 != row.offset || self.last_line + 1 != row.line {
                let begin = self.offset(before);
                let length = u32::try_from(self.end - begin).unwrap_or(u32::MAX);
                self.gaps.push(Gap { row: before, length, next_line: row.line });
            }
        } else {
            self.first_line = row.line;
        }
        while (self.wraps.len() as u64) < row.offset >> 32 {
            self.wraps.push(number);
        }
        self.end = row.offset + u64::from(row.length);
        self.last_line = row.line;
        let Row { anchor, label, kind, flags, .. } = row;
        self.kept.push(Kept { begin: row.offset as u32, anchor, label, kind, flags });
    }

    /// The turn that `row` belongs to or hangs on.
    pub(super) fn anchor(&self, row: u32) -> TurnId {
        self.kept.get(row).map_or(TurnId::NONE, |kept| kept.anchor)
    }

    /// What `row` turned out to be.
    pub(super) fn kind(&self, row: u32) -> Option<RowKind> {
        self.kept.get(row).map(|kept| kept.kind)
    }

    /// `row` belongs to, or hangs on, this turn.
    pub(super) fn hang(&mut self, row: u32, anchor: TurnId) {
        self.kept.change(row, |kept| kept.anchor = anchor);
    }

    /// `row` turned out to be this.
    pub(super) fn mark(&mut self, row: u32, kind: RowKind) {
        self.kept.change(row, |kept| kept.kind = kind);
    }

    /// The row of a physical line.
    pub(super) fn of_line(&self, line: u32) -> Option<u32> {
        let low = first_not(0..self.len() as u32, |row| self.line(row) < line);
        ((low as usize) < self.len() && self.line(low) == line).then_some(low)
    }

    /// How many rows begin at `offset` or before.
    pub(super) fn begun_by(&self, offset: u64) -> u32 {
        let high = (offset >> 32) as usize;
        // The wraps bound the rows of one high half; within, the low halves ascend.
        let from = high.checked_sub(1).map_or(Some(0), |wrap| self.wraps.get(wrap).copied());
        let Some(from) = from else { return self.len() as u32 };
        let to = self.wraps.get(high).map_or(self.len() as u32, |row| *row);
        let begins_by = |row| self.kept.get(row).is_some_and(|kept| kept.begin <= offset as u32);
        first_not(from..to, begins_by)
    }

    fn offset(&self, row: u32) -> u64 {
        self.high(row) | self.kept.get(row).map_or(0, |kept| u64::from(kept.begin))
    }

    /// The high half of a row's offset.
    fn high(&self, row: u32) -> u64 {
        (self.wraps.partition_point(|wrap| *wrap <= row) as u64) << 32
    }

    fn length(&self, row: u32, offset: u64) -> u32 {
        let end = if row as usize + 1 == self.len() {
            self.end
        } else {
            match self.gaps.binary_search_by_key(&row, |gap| gap.row) {
                Ok(gap) => return self.gaps[gap].length,
                Err(_) => self.offset(row + 1) - 1,
            }
        };
        u32::try_from(end - offset).unwrap_or(u32::MAX)
    }

    fn line(&self, row: u32) -> u32 {
        let before = self.gaps.partition_point(|gap| gap.row < row);
        match before.checked_sub(1).map(|gap| self.gaps[gap]) {
            Some(gap) => gap.next_line + (row - gap.row - 1),
            None => self.first_line + row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A row of some length, behind so many blank lines of so many bytes each.
    fn step() -> impl Strategy<Value = (u32, u32, u64)> {
        let blank = prop_oneof![3 => Just(0u64), 1 => 0..9u64, 1 => (1u64 << 31)..(3 << 32)];
        (0..2_000u32, prop_oneof![4 => Just(0u32), 1 => 1..3u32], blank)
    }

    proptest! {
        #[test]
        fn packed_rows_are_the_rows_put_in(steps in prop::collection::vec(step(), 0..40), line in 0..9u32) {
            let mut rows = Rows::default();
            let mut plain: Vec<Row> = Vec::new();
            let (mut offset, mut line) = (0u64, line);
            for (index, (length, blanks, bytes)) in steps.into_iter().enumerate() {
                (offset, line) = (offset + u64::from(blanks) * (bytes + 1), line + blanks);
                let row = Row { offset, length, line, label: index as u16, ..Row::NOTHING };
                rows.push(row);
                plain.push(row);
                (offset, line) = (offset + u64::from(length) + 1, line + 1);
            }
            let place = |row: &Row| (row.offset, row.length, row.line, row.label);
            prop_assert_eq!(rows.iter().map(|row| place(&row)).collect::<Vec<_>>(),
                plain.iter().map(place).collect::<Vec<_>>());
            for (index, row) in plain.iter().enumerate() {
                prop_assert_eq!(rows.of_line(row.line), Some(index as u32));
                prop_assert_eq!(rows.begun_by(row.offset), index as u32 + 1);
                prop_assert_eq!(rows.begun_by(row.offset + u64::from(row.length)), index as u32 + 1);
            }
            prop_assert_eq!(rows.of_line(line), None);
            prop_assert_eq!(rows.last().as_ref().map(place), plain.last().map(place));
        }
    }
}
