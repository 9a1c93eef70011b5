use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use super::*;

/// Says what it was asked, once the gate is open; counts how often, and how many at once.
#[derive(Debug, Default)]
struct Gate {
    open: AtomicBool,
    asked: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Gate {
    fn make(&self, text: &str, stop: &AtomicBool) -> Result<String, Failure> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        while !self.open.load(Ordering::SeqCst) && !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(2));
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        match text {
            _ if stop.load(Ordering::Relaxed) => Err(Failure::Stopped),
            "panic" => panic!("it broke"),
            "fail" => Err(Failure::Failed("no".to_owned())),
            _ => Ok(text.to_owned()),
        }
    }
}

fn ask(pool: &Pool<&'static str, String>, gate: &Arc<Gate>, text: &'static str) {
    let gate = Arc::clone(gate);
    pool.ask(text, text == "urgent", move |stop| gate.make(text, stop));
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
    let gate = Arc::new(Gate::default());
    let wakes = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&wakes);
    let pool = Pool::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let texts = ["a", "b", "c", "d", "e", "f"];
    for _ in 0..3 {
        for text in texts {
            ask(&pool, &gate, text);
        }
    }
    until(|| pool.counts() == Counts { queued: 4, running: 2, ..Counts::default() });
    gate.open.store(true, Ordering::SeqCst);
    for text in texts {
        assert_eq!(*pool.wait(text).unwrap(), text);
    }
    assert_eq!(pool.counts(), Counts { done: 6, ..Counts::default() });
    assert_eq!(gate.asked.load(Ordering::SeqCst), 6);
    assert_eq!(gate.most.load(Ordering::SeqCst), 2);
    until(|| wakes.load(Ordering::SeqCst) == 12);
}

#[test]
fn what_fails_is_told_and_can_be_tried_again() {
    let gate = Arc::new(Gate::default());
    gate.open.store(true, Ordering::SeqCst);
    let pool = Pool::new(|| {});
    ask(&pool, &gate, "fail");
    assert_eq!(pool.wait("fail"), Err(Failure::Failed("no".to_owned())));
    ask(&pool, &gate, "fail");
    assert_eq!(gate.asked.load(Ordering::SeqCst), 1, "not by itself");
    pool.again("fail");
    ask(&pool, &gate, "fail");
    assert!(pool.wait("fail").is_err());
    assert_eq!(gate.asked.load(Ordering::SeqCst), 2);
    ask(&pool, &gate, "panic");
    assert_eq!(pool.wait("panic"), Err(Failure::Failed("the summariser broke down".to_owned())));
}

#[test]
fn what_is_cancelled_is_stopped_and_may_be_asked_for_again() {
    let gate = Arc::new(Gate::default());
    let pool = Pool::new(|| {});
    for text in ["a", "b", "c"] {
        ask(&pool, &gate, text);
    }
    until(|| pool.counts().running == 2);
    pool.cancel("a");
    pool.cancel("c");
    assert_eq!((pool.progress("a"), pool.progress("c")), (None, None));
    assert_eq!(pool.wait("c"), Err(Failure::Stopped));
    until(|| gate.now.load(Ordering::SeqCst) == 1);
    ask(&pool, &gate, "a");
    gate.open.store(true, Ordering::SeqCst);
    assert_eq!(*pool.wait("a").unwrap(), "a");
    assert_eq!(*pool.wait("b").unwrap(), "b");
    assert_eq!(gate.asked.load(Ordering::SeqCst), 3, "c never ran");
}

#[test]
fn a_pool_that_is_dropped_leaves_nothing_running() {
    let gate = Arc::new(Gate::default());
    let pool = Pool::new(|| {});
    for text in ["a", "b", "c"] {
        ask(&pool, &gate, text);
    }
    until(|| gate.now.load(Ordering::SeqCst) == 2);
    drop(pool);
    assert_eq!((gate.now.load(Ordering::SeqCst), gate.asked.load(Ordering::SeqCst)), (0, 2));
}

#[test]
fn what_is_urgent_does_not_wait_behind_the_rest() {
    let gate = Arc::new(Gate::default());
    let pool = Pool::new(|| {});
    for text in ["a", "b", "c", "d"] {
        ask(&pool, &gate, text);
    }
    until(|| pool.counts().running == 2);
    ask(&pool, &gate, "urgent");
    pool.cancel("a");
    until(|| pool.progress("urgent") == Some(Progress::Running));
    assert_eq!(pool.progress("c"), Some(Progress::Queued));
    gate.open.store(true, Ordering::SeqCst);
    assert_eq!(*pool.wait("d").unwrap(), "d");
}
