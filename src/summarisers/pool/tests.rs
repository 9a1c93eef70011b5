use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use super::super::{SourcePart, SourceTurn, SummaryLine};
use super::*;
use crate::formats::facts::{PartKind, Role};
use crate::store::Store;

/// Says what it was asked, once the gate is open; counts how often, and how many at once.
#[derive(Debug, Default)]
struct Gated {
    open: AtomicBool,
    asked: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Summariser for Gated {
    fn name(&self) -> String {
        "gated/1".to_owned()
    }

    fn summarise(&self, request: &Request, stop: &AtomicBool) -> Result<Summary, Failure> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let text = request.sources[0].parts[0].text.clone();
        while !self.open.load(Ordering::SeqCst) && !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(2));
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        match text.as_str() {
            _ if stop.load(Ordering::Relaxed) => Err(Failure::Stopped),
            "panic" => panic!("it broke"),
            "fail" => Err(Failure::Failed("no".to_owned())),
            _ => Ok(Summary { lines: vec![SummaryLine { range: 0..text.len(), turns: vec![1] }], text }),
        }
    }
}

fn request(text: &str) -> Request {
    let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text: text.to_owned() };
    Request { sources: vec![SourceTurn { turns: (1, 1), role: Role::User, parts: vec![part] }], budget: 10 }
}

fn belongs(session: &str) -> Belongs {
    Belongs { session: session.to_owned(), log: None, place: "u1..u2".to_owned() }
}

fn gated() -> (Arc<Gated>, Arc<dyn Summariser>) {
    let gated = Arc::new(Gated::default());
    (Arc::clone(&gated), gated)
}

fn until(holds: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("it did not come to that");
}

#[test]
fn few_run_at_once_and_none_runs_twice() {
    let (gate, summariser) = gated();
    let wakes = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&wakes);
    let pool = Pool::new(Arc::new(OptionalStore::none()), move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let texts: Vec<String> = (0..6).map(|number| format!("text {number}")).collect();
    let mut hashes = Vec::new();
    for _ in 0..3 {
        hashes = texts.iter().map(|text| pool.ask(&summariser, request(text), None)).collect();
    }
    until(|| pool.counts() == Counts { queued: 4, running: 2, ..Counts::default() });
    gate.open.store(true, Ordering::SeqCst);
    for (hash, text) in hashes.iter().zip(&texts) {
        assert_eq!(pool.wait(*hash).unwrap().text, *text);
    }
    assert_eq!(pool.counts(), Counts { done: 6, ..Counts::default() });
    assert_eq!(gate.asked.load(Ordering::SeqCst), 6);
    assert_eq!(gate.most.load(Ordering::SeqCst), 2);
    until(|| wakes.load(Ordering::SeqCst) == 12);
}

#[test]
fn the_store_is_asked_first_and_gets_what_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let mut hash = None;
    for (session, asked) in [("a", 1), ("b", 0)] {
        let (gate, summariser) = gated();
        gate.open.store(true, Ordering::SeqCst);
        let pool = Pool::new(Arc::new(OptionalStore::open_in(folder.path())), || {});
        let asked_for = pool.ask(&summariser, request("text"), Some(belongs(session)));
        assert_eq!(pool.wait(asked_for).unwrap().lines[0].turns, [1]);
        assert_eq!(gate.asked.load(Ordering::SeqCst), asked);
        // Of one who asks when it is there already, too.
        pool.ask(&summariser, request("text"), Some(belongs(&format!("{session}, later"))));
        let store = Store::open_in(folder.path()).unwrap();
        for owner in [session.to_owned(), format!("{session}, later")] {
            until(|| store.summaries_of(&owner).unwrap().len() == 1);
        }
        assert!(hash.is_none_or(|hash| hash == asked_for), "the same input has the same hash");
        hash = Some(asked_for);
    }
}

#[test]
fn what_fails_is_told_kept_nowhere_and_can_be_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (gate, summariser) = gated();
    gate.open.store(true, Ordering::SeqCst);
    let pool = Pool::new(Arc::new(OptionalStore::open_in(folder.path())), || {});
    let hash = pool.ask(&summariser, request("fail"), Some(belongs("a")));
    assert_eq!(pool.wait(hash), Err(Failure::Failed("no".to_owned())));
    assert_eq!(pool.ask(&summariser, request("fail"), None), hash);
    assert_eq!(gate.asked.load(Ordering::SeqCst), 1, "not by itself");
    pool.again(hash);
    pool.ask(&summariser, request("fail"), None);
    assert!(pool.wait(hash).is_err());
    assert_eq!(gate.asked.load(Ordering::SeqCst), 2);
    assert_eq!(Store::open_in(folder.path()).unwrap().summaries_of("a").unwrap(), []);
    let hash = pool.ask(&summariser, request("panic"), None);
    assert_eq!(pool.wait(hash), Err(Failure::Failed("the summariser broke down".to_owned())));
}

#[test]
fn what_is_cancelled_is_stopped_and_may_be_asked_for_again() {
    let (gate, summariser) = gated();
    let pool = Pool::new(Arc::new(OptionalStore::none()), || {});
    let hashes: Vec<_> =
        ["a", "b", "c"].iter().map(|text| pool.ask(&summariser, request(text), None)).collect();
    until(|| pool.counts().running == 2);
    pool.cancel(hashes[0]);
    pool.cancel(hashes[2]);
    assert_eq!((pool.progress(hashes[0]), pool.progress(hashes[2])), (None, None));
    assert_eq!(pool.wait(hashes[2]), Err(Failure::Stopped));
    until(|| gate.now.load(Ordering::SeqCst) == 1);
    pool.ask(&summariser, request("a"), None);
    gate.open.store(true, Ordering::SeqCst);
    assert_eq!(pool.wait(hashes[0]).unwrap().text, "a");
    assert_eq!(pool.wait(hashes[1]).unwrap().text, "b");
    assert_eq!(gate.asked.load(Ordering::SeqCst), 3, "c never ran");
}

#[test]
fn a_pool_that_is_dropped_leaves_nothing_running() {
    let (gate, summariser) = gated();
    let pool = Pool::new(Arc::new(OptionalStore::none()), || {});
    for text in ["a", "b", "c"] {
        pool.ask(&summariser, request(text), None);
    }
    until(|| gate.now.load(Ordering::SeqCst) == 2);
    drop(pool);
    assert_eq!((gate.now.load(Ordering::SeqCst), gate.asked.load(Ordering::SeqCst)), (0, 2));
}

#[test]
fn requests_that_differ_have_hashes_that_differ() {
    let base = request("text");
    let mut seen = vec![InputHash::of("n", &base), InputHash::of("m", &base)];
    let mut changed = |change: fn(&mut Request)| {
        let mut request = base.clone();
        change(&mut request);
        seen.push(InputHash::of("n", &request));
    };
    changed(|request| request.budget += 1);
    changed(|request| request.sources[0].turns.1 += 1);
    changed(|request| request.sources[0].role = Role::Assistant);
    changed(|request| request.sources[0].parts[0].kind = PartKind::ToolCall);
    changed(|request| request.sources[0].parts[0].tool = Some(String::new()));
    changed(|request| request.sources[0].parts[0].error = true);
    changed(|request| request.sources[0].parts[0].text.push(' '));
    changed(|request| request.sources.clear());
    let all = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), all);
    // What was kept by one build is found by the next.
    let hash = InputHash::of("n", &base).to_string();
    insta::assert_snapshot!(hash, @"5755e4a28c079352bc5e872ec132821145b513cbd626a50dd8438c4aa9e97861");
}
