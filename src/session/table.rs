//! Lists of small structs, most of them packed: what a session holds most of.
//!
//! The newest items stand as they are, since these are what records change. Older ones are packed, so many at a time:
//! every field in as few bits as its values there take, counted from the least of them or along an even growth. An item is read without
//! unpacking others; to change one costs at the most to pack its chunk anew. Items are numbered from 0 and stay.

use std::ops::Range;

use super::turns::TurnId;

/// Items packed together.
const CHUNK: usize = 256;
/// So many of the newest items are not packed: what looks back a little, as most does, finds them as they are.
const NEWEST: usize = 2 * CHUNK;

/// An item as so many numbers. [`u32::MAX`] stands for "none" and makes its neighbours no larger.
pub trait Fields<const N: usize>: Copy {
    /// The fields of the item numbered `at`.
    fn fields(&self, at: u32) -> [u32; N];
    /// The item numbered `at` that has these fields.
    fn of(at: u32, fields: [u32; N]) -> Self;
}

impl Fields<1> for u32 {
    fn fields(&self, _: u32) -> [u32; 1] {
        [*self]
    }

    fn of(_: u32, [value]: [u32; 1]) -> Self {
        value
    }
}

impl Fields<1> for TurnId {
    // Turns mostly follow one another.
    fn fields(&self, _: u32) -> [u32; 1] {
        [self.0]
    }

    fn of(_: u32, [turn]: [u32; 1]) -> Self {
        Self(turn)
    }
}

/// A list of items.
#[derive(Debug)]
pub struct Table<T, const N: usize> {
    packed: Vec<Chunk<N>>,
    open: Vec<T>,
}

impl<T, const N: usize> Default for Table<T, N> {
    fn default() -> Self {
        Self { packed: Vec::new(), open: Vec::new() }
    }
}

impl<T: Fields<N>, const N: usize> Table<T, N> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.packed.len() * CHUNK + self.open.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item numbered `at`.
    pub fn get(&self, at: u32) -> Option<T> {
        let (chunk, index) = (at as usize / CHUNK, at as usize % CHUNK);
        match self.packed.get(chunk) {
            Some(chunk) => Some(T::of(at, chunk.get(index))),
            None => self.open.get(at as usize - self.packed.len() * CHUNK).copied(),
        }
    }

    /// The first one.
    pub fn first(&self) -> Option<T> {
        self.get(0)
    }

    /// The last one.
    pub fn last(&self) -> Option<T> {
        self.get((self.len() as u32).checked_sub(1)?)
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> {
        (0..self.len() as u32).filter_map(|at| self.get(at))
    }

    /// How many of them hold, where those that hold come first.
    pub fn partition_point(&self, holds: impl Fn(T) -> bool) -> u32 {
        first_not(0..self.len() as u32, |at| self.get(at).is_some_and(&holds))
    }

    /// Adds one.
    pub(super) fn push(&mut self, item: T) {
        if self.open.len() == 2 * NEWEST {
            let mut at = (self.packed.len() * CHUNK) as u32;
            for items in self.open[..NEWEST].chunks(CHUNK) {
                let rows: Vec<[u32; N]> = (at..).zip(items).map(|(at, item)| item.fields(at)).collect();
                self.packed.push(Chunk::of(&rows));
                at += CHUNK as u32;
            }
            self.open.drain(..NEWEST);
        }
        self.open.push(item);
    }

    /// Changes the item numbered `at`, if there is one.
    pub(super) fn change(&mut self, at: u32, change: impl FnOnce(&mut T)) {
        let (chunk, index) = (at as usize / CHUNK, at as usize % CHUNK);
        match self.packed.get_mut(chunk) {
            Some(chunk) => {
                let mut item = T::of(at, chunk.get(index));
                change(&mut item);
                chunk.set(index, item.fields(at));
            }
            None => {
                let open = at as usize - self.packed.len() * CHUNK;
                self.open.get_mut(open).map(change);
            }
        }
    }
}

/// The first of `places` that does not hold, where those that hold come first.
pub(super) fn first_not(places: Range<u32>, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (places.start, places.end);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// [`CHUNK`] items, one behind the other.
#[derive(Debug)]
struct Chunk<const N: usize> {
    columns: [Column; N],
    /// The items, and a few bytes behind the last, so that eight can be read at once from any bit.
    bytes: Box<[u8]>,
    /// Bits of one item.
    stride: u16,
}

/// How one field is packed: the difference of its value from what it would be if it grew evenly.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    base: u32,
    /// What it grows by from item to item, in 256ths.
    slope: u32,
    /// The bit of an item at which it begins.
    at: u16,
    /// In how many bits the difference stands.
    width: u8,
    /// Some items have none of it: these are 0, and the others count from 1.
    holes: bool,
}

/// Bytes behind the last item.
const SLACK: usize = 8;

impl Column {
    /// A field that has these values.
    fn of(values: impl Iterator<Item = u32> + Clone) -> Self {
        let level = Self::along(0, values.clone());
        let mut ends = values.clone();
        let (first, last) = (ends.next().unwrap_or(0), ends.last().unwrap_or(0));
        // Places in lists and files grow so.
        let growth = u64::from(last.saturating_sub(first)) * 256 / (CHUNK as u64 - 1);
        match u32::try_from(growth) {
            Ok(slope) if slope > 0 && !level.holes => {
                let slanted = Self::along(slope, values);
                if slanted.width < level.width { slanted } else { level }
            }
            _ => level,
        }
    }

    /// The same where it grows by `slope`. Values far below where that leads to wrap around.
    fn along(slope: u32, values: impl Iterator<Item = u32>) -> Self {
        let grown = Self { slope, ..Self::default() };
        let (mut least, mut most, mut holes) = (u32::MAX, 0, false);
        for (index, value) in values.enumerate() {
            let is_none = slope == 0 && value == u32::MAX;
            let value = grown.code(index, value);
            least = least.min(value);
            most = most.max(if is_none { 0 } else { value });
            holes |= is_none;
        }
        if holes && least == u32::MAX {
            return Self { base: u32::MAX, ..Self::default() };
        }
        let base = least.wrapping_sub(u32::from(holes));
        let width = u32::BITS - most.wrapping_sub(base).leading_zeros();
        Self { base, slope, at: 0, width: width as u8, holes }
    }

    /// What stands for `value` at `index` where it fits.
    fn code(self, index: usize, value: u32) -> u32 {
        if self.holes && value == u32::MAX { 0 } else { value.wrapping_sub(self.even(index)) }
    }

    fn value(self, index: usize, code: u32) -> u32 {
        if self.holes && code == 0 { u32::MAX } else { self.even(index).wrapping_add(code) }
    }

    /// What it would be at `index` if it grew evenly.
    fn even(self, index: usize) -> u32 {
        self.base.wrapping_add(((index as u64 * u64::from(self.slope)) >> 8) as u32)
    }

    fn fits(self, index: usize, value: u32) -> bool {
        let code = self.code(index, value);
        u64::from(code) & !self.mask() == 0 && self.value(index, code) == value
    }

    fn mask(self) -> u64 {
        (1 << self.width) - 1
    }
}

impl<const N: usize> Chunk<N> {
    fn of(rows: &[[u32; N]]) -> Self {
        let mut stride = 0;
        let columns = std::array::from_fn(|field| {
            let column = Column { at: stride, ..Column::of(rows.iter().map(|row| row[field])) };
            stride += u16::from(column.width);
            column
        });
        let bits = rows.len() * usize::from(stride);
        let bytes = vec![0; bits.div_ceil(8) + SLACK].into_boxed_slice();
        let mut chunk = Self { columns, bytes, stride };
        for (index, row) in rows.iter().enumerate() {
            chunk.write(index, row);
        }
        chunk
    }

    fn get(&self, index: usize) -> [u32; N] {
        self.columns.map(|column| self.field(index, column))
    }

    fn field(&self, index: usize, column: Column) -> u32 {
        let bit = index * usize::from(self.stride) + usize::from(column.at);
        let bytes = self.bytes.get(bit / 8..).and_then(<[u8]>::first_chunk);
        let code = bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)) >> (bit % 8) & column.mask();
        column.value(index, code as u32)
    }

    /// Puts `row` in, packing all of them anew where it does not fit.
    fn set(&mut self, index: usize, row: [u32; N]) {
        if self.columns.iter().zip(row).all(|(column, value)| column.fits(index, value)) {
            self.write(index, &row);
            return;
        }
        let mut rows: Vec<[u32; N]> = (0..CHUNK).map(|index| self.get(index)).collect();
        rows[index] = row;
        *self = Self::of(&rows);
    }

    /// Puts `row` in, which fits.
    fn write(&mut self, index: usize, row: &[u32; N]) {
        for (column, value) in self.columns.iter().zip(row) {
            let bit = index * usize::from(self.stride) + usize::from(column.at);
            if let Some(bytes) = self.bytes.get_mut(bit / 8..).and_then(<[u8]>::first_chunk_mut) {
                let beside = u64::from_le_bytes(*bytes) & !(column.mask() << (bit % 8));
                let code = u64::from(column.code(index, *value)) << (bit % 8);
                *bytes = (beside | code).to_le_bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Fields<3> for [u32; 3] {
        fn fields(&self, _: u32) -> [u32; 3] {
            *self
        }
        fn of(_: u32, fields: [u32; 3]) -> Self {
            fields
        }
    }

    fn row() -> impl Strategy<Value = [u32; 3]> {
        (value(), 0..300u32, value()).prop_map(|(first, second, third)| [first, second, third])
    }

    fn value() -> impl Strategy<Value = u32> {
        let edges = prop_oneof![Just(0), Just(1), Just(u32::MAX), Just(u32::MAX - 1), Just(255), Just(256)];
        prop_oneof![4 => 0..9u32, 2 => 70_000..70_200u32, 1 => edges, 1 => any::<u32>()]
    }

    proptest! {
        #[test]
        fn a_table_holds_what_was_put_in_and_changed(
            rows in prop::collection::vec(row(), 0..3000),
            changes in prop::collection::vec((any::<prop::sample::Index>(), row()), 0..40),
        ) {
            let mut table = Table::<[u32; 3], 3>::default();
            let mut plain = rows.clone();
            for row in rows {
                table.push(row);
            }
            for (at, row) in changes {
                prop_assume!(!plain.is_empty());
                let at = at.index(plain.len());
                plain[at] = row;
                table.change(at as u32, |item| *item = row);
            }
            prop_assert_eq!(table.len(), plain.len());
            prop_assert_eq!(table.last(), plain.last().copied());
            prop_assert_eq!(table.get(plain.len() as u32), None);
            prop_assert_eq!(table.iter().collect::<Vec<_>>(), plain);
        }
    }

    proptest! {
        #[test]
        fn what_grows_is_held_and_found(steps in prop::collection::vec(growth(), 1200..1800), from in any::<u32>()) {
            let mut plain: Vec<u32> = Vec::new();
            let mut last = from;
            for step in steps {
                last = last.saturating_add(step).min(u32::MAX - 1);
                plain.push(last);
            }
            let mut table = Table::<u32, 1>::default();
            for value in &plain {
                table.push(*value);
            }
            prop_assert_eq!(table.first(), plain.first().copied());
            prop_assert_eq!(&table.iter().collect::<Vec<_>>(), &plain);
            for middle in [from, plain[plain.len() / 2], last] {
                let before = plain.partition_point(|value| *value < middle);
                prop_assert_eq!(table.partition_point(|value| value < middle) as usize, before);
            }
        }
    }

    /// Nearly even, with a leap now and then.
    fn growth() -> impl Strategy<Value = u32> {
        prop_oneof![900 => 0..900u32, 1 => any::<u32>()]
    }

    #[test]
    fn what_is_alike_takes_no_room() {
        let mut table = Table::<[u32; 3], 3>::default();
        for at in 0..3 * NEWEST as u32 {
            table.push([7_000_000 + at, u32::MAX, if at % 2 == 0 { u32::MAX } else { 5_000_000 }]);
        }
        assert_eq!(table.packed[0].stride, 1);
    }
}
