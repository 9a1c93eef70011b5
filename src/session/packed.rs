//! Turns and their parts as numbers: how [`Table`] packs them.

use crate::formats::facts::{PartKind, Role};

use super::names::Name;
use super::previews::Preview;
use super::table::{Fields, Table};
use super::turns::{Part, Turn, TurnId};

/// Turns in file order.
pub type Turns = Table<Turn, 17>;
/// Parts in file order.
pub(super) type Parts = Table<Part, 8>;

const ROLES: [Role; 4] = [Role::User, Role::Assistant, Role::Tool, Role::Summary];
const KINDS: [PartKind; 8] = [
    PartKind::Text,
    PartKind::Thinking,
    PartKind::ToolCall,
    PartKind::ToolResult,
    PartKind::Image,
    PartKind::Encrypted,
    PartKind::Other,
    PartKind::Other,
];
/// Stands for the rank of a turn without a preview.
const UNRANKED: u32 = 0x3f;

impl Fields<17> for Turn {
    // What stands near the turn itself is counted from there: then it is the same, or nearly, in all of a chunk.
    fn fields(&self, at: u32) -> [u32; 17] {
        let rank = if self.preview_rank == u8::MAX { UNRANKED } else { u32::from(self.preview_rank) };
        [
            at.wrapping_sub(self.number),
            u32::from(self.thread) | u32::from(self.branch) << 16,
            self.role as u32 | rank << 2,
            u32::from(self.flags),
            self.preview.begin,
            u32::from(self.preview.length),
            self.first_row,
            self.last_row.wrapping_sub(self.first_row),
            self.parts.0,
            self.parts.1.wrapping_sub(self.parts.0),
            self.prev.some().map_or(u32::MAX, |prev| at.wrapping_sub(prev.0)),
            self.step,
            self.abandoned_at,
            self.tokens,
            self.context,
            (self.time >> 32) as u32,
            self.time as u32,
        ]
    }

    fn of(at: u32, fields: [u32; 17]) -> Self {
        let [
            number,
            place,
            speaks,
            flags,
            begin,
            length,
            first_row,
            rows,
            part,
            parts,
            prev,
            step,
            fields @ ..,
        ] = fields;
        let [abandoned_at, tokens, context, late, early] = fields;
        let rank = speaks >> 2;
        Self {
            number: at.wrapping_sub(number),
            thread: place as u16,
            branch: (place >> 16) as u16,
            role: ROLES[(speaks & 3) as usize],
            flags: flags as u8,
            preview_rank: if rank == UNRANKED { u8::MAX } else { rank as u8 },
            preview: Preview { begin, length: length as u16 },
            first_row,
            last_row: first_row.wrapping_add(rows),
            parts: (part, part.wrapping_add(parts)),
            prev: if prev == u32::MAX { TurnId::NONE } else { TurnId(at.wrapping_sub(prev)) },
            step,
            abandoned_at,
            tokens,
            context,
            time: i64::from(late as i32) << 32 | i64::from(early),
        }
    }
}

impl Fields<8> for Part {
    fn fields(&self, at: u32) -> [u32; 8] {
        let signs = u32::from(self.voice) << 3 | u32::from(self.error) << 4 | u32::from(self.again) << 5;
        // The other half of a call stands a little before or behind it.
        let pair = if self.pair == u32::MAX { u32::MAX } else { zigzag(self.pair.wrapping_sub(at)) };
        [
            self.row,
            self.bytes,
            self.tokens,
            self.tool.0,
            self.path.0,
            pair,
            self.index,
            self.kind as u32 | signs,
        ]
    }

    fn of(at: u32, [row, bytes, tokens, tool, path, pair, index, kind]: [u32; 8]) -> Self {
        Self {
            row,
            bytes,
            tokens,
            tool: Name(tool),
            path: Name(path),
            pair: if pair == u32::MAX { u32::MAX } else { at.wrapping_add(unzigzag(pair)) },
            index,
            kind: KINDS[(kind & 7) as usize],
            voice: kind & 8 > 0,
            error: kind & 16 > 0,
            again: kind & 32 > 0,
        }
    }
}

/// A distance in either direction as a number that is small where the distance is.
fn zigzag(distance: u32) -> u32 {
    (distance << 1) ^ ((distance as i32 >> 31) as u32)
}

fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![3 => 0..300u32, 1 => Just(u32::MAX), 1 => any::<u32>()]
    }

    proptest! {
        #[test]
        fn a_packed_turn_is_the_turn(
            at in number(), numbers in prop::array::uniform12(number()), time in any::<i64>(),
            (thread, branch, length) in any::<(u16, u16, u16)>(), role in 0..4usize, flags in any::<u8>(),
            preview_rank in prop_oneof![0..5u8, Just(u8::MAX)],
        ) {
            let [number, begin, first_row, last_row, part, parts, prev, step, abandoned_at, tokens, context, _] = numbers;
            let turn = Turn {
                number, thread, branch, role: ROLES[role], flags, preview_rank,
                preview: Preview { begin, length }, first_row, last_row, parts: (part, parts),
                prev: TurnId(prev), step, abandoned_at, tokens, context, time,
            };
            // A turn comes before its successors.
            prop_assume!(prev == u32::MAX || at.wrapping_sub(prev) != u32::MAX);
            prop_assert_eq!(format!("{:?}", Turn::of(at, turn.fields(at))), format!("{turn:?}"));
        }

        #[test]
        fn a_packed_part_is_the_part(
            at in number(), numbers in prop::array::uniform7(number()), kind in 0..7usize,
            (voice, error, again) in any::<(bool, bool, bool)>(),
        ) {
            let [row, bytes, tokens, tool, path, pair, index] = numbers;
            let part = Part {
                row, bytes, tokens, tool: Name(tool), path: Name(path), pair, index, kind: KINDS[kind], voice, error,
                again,
            };
            // Of two billion parts, the first is no half of the last.
            prop_assume!(pair == u32::MAX || zigzag(pair.wrapping_sub(at)) != u32::MAX);
            prop_assert_eq!(format!("{:?}", Part::of(at, part.fields(at))), format!("{part:?}"));
        }
    }
}
