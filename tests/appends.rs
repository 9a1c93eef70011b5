//! However a log arrives, its session is the same; and what was true after a turn stays true.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

#[path = "support/digest.rs"]
mod digest;
#[path = "support/random_codex.rs"]
mod random_codex;
#[path = "support/random_log.rs"]
mod random_log;
#[path = "support/random_pi.rs"]
mod random_pi;
mod support;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use digest::{difference, digest, rest};
use pentimento::session::load::{Feed, News, load};
use pentimento::session::{RowKind, Session};
use pentimento::strategies::{Limit, Strategy, context};
use proptest::prelude::*;

/// The session of `bytes` written to `path` in pieces that end at `cuts`, and read after each.
fn in_appends(path: &Path, bytes: &[u8], cuts: &[usize]) -> Result<Session, String> {
    let mut feed = Feed::new(path);
    let mut session = None;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    let mut from = 0;
    let mut sorted = cuts.to_vec();
    sorted.sort_unstable();
    for to in sorted.into_iter().chain([bytes.len()]) {
        file.write_all(&bytes[from..to]).unwrap();
        from = to;
        rest(&mut feed, path, &mut session)?;
    }
    finished(&mut feed, path, bytes, session)
}

/// The session of `bytes` sent through a pipe in pieces that end at `cuts`, each read before the next is sent.
fn in_writes(path: &Path, bytes: &[u8], cuts: &[usize]) -> Result<Session, String> {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let folder = path.parent().unwrap().to_path_buf();
    let mut feed = Feed::of_stream(path, reader, Ok(folder)).unwrap();
    let mut session = None;
    let mut from = 0;
    let mut sorted = cuts.to_vec();
    sorted.sort_unstable();
    for to in sorted.into_iter().chain([bytes.len()]) {
        let begun = Instant::now();
        // Its end is not read before it has come: a pipe holds less than some logs.
        std::thread::scope(|scope| {
            scope.spawn(|| writer.write_all(&bytes[from..to]).unwrap());
            while feed.position() < to as u64 && begun.elapsed() < Duration::from_secs(20) {
                rest(&mut feed, path, &mut session)?;
                std::thread::yield_now();
            }
            Ok::<(), String>(())
        })?;
        rest(&mut feed, path, &mut session)?;
        from = to;
    }
    drop(writer);
    while feed.flow().is_some_and(|flow| !flow.ended) {
        std::thread::yield_now();
    }
    rest(&mut feed, path, &mut session)?;
    finished(&mut feed, path, bytes, session)
}

/// The session once nobody waits for more.
fn finished(
    feed: &mut Feed,
    path: &Path,
    bytes: &[u8],
    mut session: Option<Session>,
) -> Result<Session, String> {
    assert_eq!(feed.position(), bytes.len() as u64);
    match feed.finish(path) {
        News::Records(format, records) => {
            let session = session.get_or_insert_with(|| Session::new(format));
            for (line, record) in records {
                session.push(line, record);
            }
        }
        News::Unreadable(error) => return Err(error.to_string()),
        _ => {}
    }
    Ok(session.expect("a format was found, so there are records"))
}

fn check(bytes: &[u8], cuts: &[usize]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let live = in_appends(&path, bytes, cuts).map(|session| digest(&session));
    let piped = in_writes(&path, bytes, cuts).map(|session| digest(&session));
    let whole = load(&path).map(|session| digest(&session)).map_err(|error| error.to_string());
    for live in [live, piped] {
        match (&live, &whole) {
            (Ok(live), Ok(whole)) => prop_assert_eq!(difference(live, whole), None),
            (live, whole) => prop_assert_eq!(live.as_ref().map(|_| ()), whole.as_ref().map(|_| ())),
        }
    }
    Ok(())
}

/// Where a cut falls: anywhere, or up to four bytes before or two behind the end of a line, where most can go wrong.
fn place(bytes: &[u8], cut: proptest::sample::Index, near: usize) -> usize {
    let anywhere = cut.index(bytes.len() + 1);
    match bytes[anywhere..].iter().position(|b| *b == b'\n') {
        Some(end) if near < 7 => (anywhere + end + near).saturating_sub(4).min(bytes.len()),
        _ => anywhere,
    }
}

/// Random logs of every format.
const BUILDERS: [Builder; 3] = [random_log::build, random_codex::build, random_pi::build];

type Builder = fn(&[random_log::Seed]) -> Vec<u8>;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_in_appends_is_the_log_as_a_whole(
        format in 0..BUILDERS.len(),
        seeds in random_log::seeds(40),
        cuts in proptest::collection::vec((any::<proptest::sample::Index>(), 0..12usize), 0..8),
    ) {
        let bytes = BUILDERS[format](&seeds);
        let cuts: Vec<usize> = cuts.iter().map(|(cut, near)| place(&bytes, *cut, *near)).collect();
        check(&bytes, &cuts)?;
    }

    #[test]
    fn a_log_cut_after_a_turn_has_the_contexts_of_the_whole(
        format in 0..BUILDERS.len(),
        seeds in random_log::seeds(60),
        turn in any::<proptest::sample::Index>(),
    ) {
        let bytes = BUILDERS[format](&seeds);
        let file = support::log_of(&bytes);
        let Ok(whole) = load(file.path()) else { return Ok(()) };
        if whole.last() > 0 {
            let number = turn.index(whole.last() as usize) as u32 + 1;
            if let Some(difference) = cut_after(&whole, &bytes, number) {
                return Err(TestCaseError::fail(difference));
            }
        }
    }
}

/// What a log cut where turn `number + 1` begins says otherwise than the whole one does as of turn `number`.
fn cut_after(whole: &Session, bytes: &[u8], number: u32) -> Option<String> {
    let end = whole
        .numbered(0, number + 1)
        .map_or(bytes.len(), |next| whole.row(whole.turn(next).first_row).offset as usize);
    let file = support::log_of(&bytes[..end]);
    let cut = match load(file.path()) {
        Ok(cut) => cut,
        Err(error) => return Some(format!("cut at {end}: {error}")),
    };
    if cut.last() != number {
        return Some(format!("cut after t{number} the log ends with t{}", cut.last()));
    }
    for strategy in [
        Strategy::Recorded,
        Strategy::Full,
        Strategy::Truncate(Limit::Turns(5)),
        Strategy::Truncate(Limit::Tokens(2_000)),
    ] {
        let (then, now) = (context(&cut, strategy, number), context(whole, strategy, number));
        if then != now {
            return Some(format!("{strategy} as of t{number}\ncut   {then:?}\nwhole {now:?}"));
        }
    }
    let abandoned = |session: &Session| -> Vec<bool> {
        (1..=number)
            .filter_map(|n| session.numbered(0, n))
            .map(|id| session.is_abandoned(id, number))
            .collect()
    };
    if abandoned(&cut) != abandoned(whole) {
        return Some(format!("other turns are abandoned as of t{number}"));
    }
    let compactions = |session: &Session| -> Vec<String> {
        let stamped = session
            .compactions()
            .iter()
            .filter(|c| c.summary.is_some_and(|id| session.turn(id).number <= number));
        stamped.map(|compaction| format!("{compaction:?}")).collect()
    };
    if compactions(&cut) != compactions(whole) {
        return Some(format!("cut after t{number}: {:?}\nwhole {:?}", compactions(&cut), compactions(whole)));
    }
    (cut.context_size(number) != whole.context_size(number)).then(|| format!("another size as of t{number}"))
}

/// Numbers that look random and are the same in every run.
fn scattered(count: usize, below: usize, salt: usize) -> Vec<usize> {
    let mut state = salt as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn real_logs_in_appends_are_the_logs_as_a_whole() {
    for (salt, path) in support::all_logs().iter().enumerate() {
        let bytes = std::fs::read(path).unwrap();
        let mut cuts = scattered(5, bytes.len() + 1, salt);
        // One cut right before a newline: an unfinished line that is a whole record.
        cuts.extend(
            bytes.iter().skip(bytes.len() / 2).position(|b| *b == b'\n').map(|at| bytes.len() / 2 + at),
        );
        if let Err(error) = check(&bytes, &cuts) {
            panic!("{} cut at {cuts:?}: {error}", path.display());
        }
    }
}

#[test]
fn real_logs_cut_after_a_turn_have_the_contexts_of_the_whole() {
    for name in [
        "claude-code/v1.0.17-corrupt-lines.jsonl",
        "claude-code/v1.0.98-inline-sidechains.jsonl",
        "claude-code/v2.1.17-microcompaction.jsonl",
        "claude-code/v2.1.220-preserved-segment.jsonl",
        "claude-code/v2.1.29-auto-and-manual.jsonl",
        "claude-code/v2.1.42-one-compaction.jsonl",
        "codex/six-compactions-trimmed.jsonl",
        "codex/v0.104-encrypted-compaction.jsonl",
        "pi/v1-two-compactions.jsonl",
        "pi/v3-small.jsonl",
    ] {
        let Some(path) = support::data(name) else { return };
        let bytes = std::fs::read(&path).unwrap();
        let whole = load(&path).unwrap();
        let last = whole.last() as usize;
        let mut numbers = scattered(6, last, name.len());
        let summaries = whole.compactions().iter().filter_map(|c| c.summary);
        numbers.extend(summaries.map(|id| whole.turn(id).number as usize - 1));
        numbers.extend(whole.clearings().iter().map(|c| c.turn as usize - 1));
        for number in numbers {
            if let Some(difference) = cut_after(&whole, &bytes, number as u32 + 1) {
                panic!("{name}: {difference}");
            }
        }
    }
}

fn a_long_random_log(build: Builder) -> Session {
    let bytes: Vec<u8> = scattered(8_000, 256, 1).into_iter().map(|byte| byte as u8).collect();
    let seeds: Vec<random_log::Seed> = bytes.as_chunks().0.to_vec();
    load(support::log_of(&build(&seeds)).path()).unwrap()
}

#[test]
fn random_rollouts_hold_encrypted_and_readable_summaries_echoes_and_rewinds() {
    let session = a_long_random_log(random_codex::build);
    assert_eq!(session.format.name(), "codex");
    let any = |holds: fn(&pentimento::session::Compaction) -> bool| session.compactions().iter().any(holds);
    assert!(any(|c| c.encrypted.is_some() && !c.kept.is_empty()), "encrypted, with kept messages");
    assert!(any(|c| c.is_readable() && c.told_anew > 0), "readable, with messages told again");
    assert!(any(|c| c.unreadable().is_some() && c.encrypted.is_none()), "without a text");
    assert!(session.echoes().next().is_some() && session.main().branches > 1 && session.window().1);
}

#[test]
fn random_sessions_of_pi_hold_kept_runs_by_number_and_by_id_and_branch_summaries() {
    let session = a_long_random_log(random_pi::build);
    assert_eq!(session.format.name(), "pi");
    assert!(session.compactions().iter().any(|c| !c.covers.is_empty() && !c.kept.is_empty()));
    let tree = a_long_random_log(|seeds| {
        let [_, _, detail, end] = seeds[0];
        random_pi::build(&[&[[0, 200, detail, end]], seeds].concat())
    });
    assert!(tree.compactions().iter().any(|c| !c.covers.is_empty() && !c.kept.is_empty()));
    assert!(!tree.branch_summaries().is_empty() && tree.main().branches > 1);
}

#[test]
fn random_logs_hold_every_kind_of_row() {
    let session = a_long_random_log(random_log::build);
    for kind in [RowKind::Turn, RowKind::Note, RowKind::Echo, RowKind::Malformed] {
        assert!(session.rows().iter().any(|row| row.kind == kind), "{kind:?}");
    }
    assert!(session.compactions().iter().any(|c| !c.covers.is_empty() && !c.kept.is_empty()), "kept turns");
    assert!(session.compactions().iter().any(|c| c.summary.is_none()), "a boundary alone");
    assert!(session.threads().len() > 1, "sub-agents");
    assert!(session.main().branches > 1, "branches");
    assert!(!session.clearings().is_empty(), "microcompactions");
}
