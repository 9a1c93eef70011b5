use super::*;
use proptest::prelude::*;
use std::io::Write;

/// Text that compresses into several blocks.
fn text(length: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + (state >> 28) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What comes out of `bytes` that come in pieces of these lengths, over and over.
fn unpack(bytes: &[u8], pieces: &[usize]) -> (Vec<u8>, Result<(), String>) {
    let (mut unpacker, mut out) = (Unpacker::new(), Vec::new());
    let mut sink = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        Ok(())
    };
    let mut rest = bytes;
    for length in pieces.iter().cycle() {
        let (piece, behind) = rest.split_at((*length).min(rest.len()));
        if let Err(trouble) = unpacker.push(piece, &mut sink) {
            return (out, Err(trouble.to_string()));
        }
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    let outcome = unpacker.end(&mut sink).map_err(|trouble| trouble.to_string());
    (out, outcome)
}

const WHOLE: &[usize] = &[usize::MAX];

#[test]
fn frames_and_members_that_follow_one_another_are_read_on() {
    let (one, two) = (text(700_000), text(1_000));
    let skippable = [&[0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let empty = Vec::new();
    for (packed, wanted) in [
        (vec![zstd(&one)], vec![&one]),
        (vec![gzip(&one)], vec![&one]),
        (vec![zstd(&one), zstd(&empty), zstd(&two)], vec![&one, &two]),
        (vec![gzip(&two), gzip(&empty), gzip(&one)], vec![&two, &one]),
        (vec![gzip(&two), zstd(&one)], vec![&two, &one]),
        (vec![skippable.clone(), zstd(&two), skippable, zstd(&two)], vec![&two, &two]),
        (vec![two.clone()], vec![&two]),
        (vec![b"(".to_vec()], vec![&b"(".to_vec()]),
        (vec![b"\x1f".to_vec()], vec![&b"\x1f".to_vec()]),
        (vec![empty.clone()], vec![&empty]),
    ] {
        let wanted: Vec<u8> = wanted.into_iter().flatten().copied().collect();
        for pieces in [WHOLE, &[1], &[3, 70_000]] {
            let (out, outcome) = unpack(&packed.concat(), pieces);
            assert_eq!(outcome, Ok(()));
            assert!(out == wanted, "{} bytes instead of {}", out.len(), wanted.len());
        }
    }
}

#[test]
fn compressed_data_is_known_by_its_first_bytes() {
    assert!(is_packed(&zstd(b"a")) && is_packed(&gzip(b"a")));
    for first in [&b"{"[..], b"", b"\x1f", b"\x28\xb5\x2f", b"P*M{", b"\x1f\x8a"] {
        assert!(!is_packed(first), "{first:?}");
    }
}

#[test]
fn what_stands_before_a_cut_comes_out_and_the_cut_is_named() {
    let bytes = text(900_000);
    for (packed, kind, least) in [(zstd(&bytes), "zstd", 128 << 10), (gzip(&bytes), "gzip", 64)] {
        for cut in [packed.len() - 1, packed.len() - 5, packed.len() / 2, 30] {
            for pieces in [WHOLE, &[1], &[8_000]] {
                let (out, outcome) = unpack(&packed[..cut], pieces);
                let message = outcome.unwrap_err();
                assert!(message.contains(kind) && message.contains(&format!("offset {cut} ")), "{message}");
                assert!(bytes.starts_with(&out));
                // As much as the cut data stands for, less a block.
                let share = bytes.len() * cut / packed.len();
                assert!(out.len() + least + share / 20 >= share, "{kind} cut at {cut}: {} bytes", out.len());
            }
        }
    }
}

/// Where the header of a frame's fourth block stands; the frame says nothing of the length of its content.
fn fourth_block(frame: &[u8]) -> usize {
    let mut at = 6;
    for _ in 0..3 {
        let header =
            usize::from(frame[at]) | usize::from(frame[at + 1]) << 8 | usize::from(frame[at + 2]) << 16;
        at += 3 + (header >> 3);
    }
    at
}

/// A gzip member whose blocks are not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Where the length of its fourth block stands, and how many bytes the blocks before hold.
fn fourth_stored(member: &[u8]) -> (usize, usize) {
    let (mut at, mut before) = (11, 0);
    for _ in 0..3 {
        let length = usize::from(member[at]) | usize::from(member[at + 1]) << 8;
        (at, before) = (at + 5 + length, before + length);
    }
    (at, before)
}

#[test]
fn what_stands_before_a_damaged_place_comes_out_whatever_the_pieces() {
    let bytes = text(900_000);
    let (mut one, mut two) = (zstd(&bytes), stored(&bytes));
    let (block, (length, before)) = (fourth_block(&one), fourth_stored(&two));
    one[block] |= 0b110;
    two[length] ^= 1;
    for (damaged, least, offset) in [(one, 3 * BLOCK, block), (two, before, length + 4)] {
        let (out, outcome) = unpack(&damaged, WHOLE);
        let message = outcome.unwrap_err();
        assert!(message.contains(&format!("cannot be decompressed beyond offset {offset} ")), "{message}");
        assert_eq!(out.len(), least);
        assert!(bytes.starts_with(&out));
        for pieces in [&[1][..], &[5_000], &[100_000]] {
            let (again, outcome) = unpack(&damaged, pieces);
            assert_eq!(outcome.unwrap_err(), message);
            assert!(again == out, "{} bytes instead of {}", again.len(), out.len());
        }
    }
}

#[test]
fn a_wrong_checksum_is_said_and_takes_nothing_away() {
    let bytes = text(300_000);
    for (mut packed, back) in [(zstd(&bytes), 2), (gzip(&bytes), 6)] {
        let at = packed.len() - back;
        packed[at] ^= 1;
        for pieces in [WHOLE, &[1]] {
            let (out, outcome) = unpack(&packed, pieces);
            assert!(outcome.unwrap_err().contains("from offset 0 of the compressed log on does not match"));
            assert!(out == bytes);
        }
    }
}

#[test]
fn garbage_is_no_data() {
    for magic in [&ZSTD[..], &GZIP] {
        let garbage = [magic, &[0xFF; 300]].concat();
        let (out, outcome) = unpack(&garbage, WHOLE);
        assert_eq!(out.len(), 0);
        assert!(outcome.unwrap_err().contains("cannot be decompressed"));
    }
    let trailing = [zstd(b"a line\n"), b"and a plain one\n".to_vec()].concat();
    let (out, outcome) = unpack(&trailing, &[1]);
    assert_eq!(out, b"a line\n");
    let message = outcome.unwrap_err();
    assert!(message.contains(&format!("at offset {} ", zstd(b"a line\n").len())), "{message}");
}

#[test]
fn a_frame_that_asks_for_too_much_memory_is_refused() {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder.write_all(b"a line\n").unwrap();
    let (out, outcome) = unpack(&encoder.finish().unwrap(), WHOLE);
    assert_eq!(out, b"");
    let message = outcome.unwrap_err();
    assert!(message.contains("128 MiB") && message.contains("--long=31"), "{message}");
}

#[test]
fn what_grows_behind_a_cut_is_read_on() {
    let bytes = text(500_000);
    for packed in [zstd(&bytes), gzip(&bytes)] {
        let (mut unpacker, mut out) = (Unpacker::new(), Vec::new());
        let mut sink = |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            Ok(())
        };
        let (first, second) = packed.split_at(packed.len() / 3);
        unpacker.push(first, &mut sink).unwrap();
        assert!(unpacker.end(&mut sink).is_err());
        unpacker.push(second, &mut sink).unwrap();
        unpacker.end(&mut sink).unwrap();
        assert!(out == bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_behind_a_magic_end_and_do_no_harm(
        garbage in proptest::collection::vec(any::<u8>(), 0..400),
        which in 0..3usize,
        pieces in proptest::collection::vec(1..60usize, 1..5),
    ) {
        let magic = [&ZSTD[..], &GZIP, &SKIPPABLE][which];
        let (whole, one) = (unpack(&[magic, &garbage].concat(), WHOLE), unpack(&[magic, &garbage].concat(), &pieces));
        prop_assert_eq!(whole.0, one.0);
        prop_assert_eq!(whole.1.is_ok(), one.1.is_ok());
    }

    #[test]
    fn a_flipped_byte_leaves_what_stands_before(
        at in any::<proptest::sample::Index>(),
        flip in 1..=255u8,
        gzipped in any::<bool>(),
    ) {
        let bytes = text(200_000);
        let mut packed = if gzipped { gzip(&bytes) } else { zstd(&bytes) };
        let at = at.index(packed.len() - 4) + 4;
        packed[at] ^= flip;
        let (out, outcome) = unpack(&packed, WHOLE);
        // A byte of a header may mean nothing; a changed text is always said to be one.
        prop_assert!(out == bytes || outcome.is_err());
    }
}
