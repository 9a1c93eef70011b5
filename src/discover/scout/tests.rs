//! What the threads tell: everything once, changes as they come, and nothing that is known already.

use std::fs::File;
use std::io::Write;
use std::sync::mpsc::{Receiver, channel};

use tempfile::TempDir;

use super::*;

/// Anything may take this long on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct Home(TempDir);

impl Home {
    fn new(sessions: usize) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for number in 0..sessions {
            home.write(number, 1);
        }
        home
    }

    fn path(&self, number: usize) -> PathBuf {
        self.0.path().join(format!("projects/-p/s{number}.jsonl"))
    }

    fn write(&self, number: usize, prompts: usize) {
        let path = self.path(number);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = File::create(&path).unwrap();
        for prompt in 0..prompts {
            writeln!(
                file,
                r#"{{"type":"user","uuid":"u{prompt}","parentUuid":null,"sessionId":"s","cwd":"/p","message":{{"role":"user","content":"hi"}}}}"#
            )
            .unwrap();
        }
    }

    fn start(&self, poll: bool) -> (Scout, Receiver<News>) {
        let (sender, news) = channel();
        let place = Place { agent: Agent::named("claude-code"), folder: self.0.path().join("projects") };
        let cache = Cache::open_in(self.0.path(), "sessions", "test");
        let scout = Scout::start(vec![place], poll, true, cache, move |news| sender.send(news).is_ok());
        (scout, news)
    }
}

/// What was told until `count` sessions were counted and everything was looked at.
fn until(news: &Receiver<News>, count: usize) -> Vec<News> {
    let (mut told, mut counted, mut looked) = (Vec::new(), 0, false);
    while counted < count || !looked {
        let next = news.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("only {told:?}"));
        counted += usize::from(matches!(next, News::Counted(..)));
        looked |= matches!(next, News::Looked(_));
        told.push(next);
    }
    told
}

fn glances(told: &[News]) -> usize {
    told.iter().map(|news| if let News::Glanced(glances) = news { glances.len() } else { 0 }).sum()
}

#[test]
fn what_is_known_is_told_at_once_and_read_no_more() {
    let home = Home::new(3);
    let (scout, news) = home.start(false);
    let told = until(&news, 3);
    assert_eq!(glances(&told), 3);
    drop(scout);

    let (scout, news) = home.start(false);
    let told = until(&news, 0);
    let known: Vec<u64> = told
        .iter()
        .filter_map(|news| if let News::Found(found) = news { Some(found) } else { None })
        .flatten()
        .map(|(_, known)| known.as_ref().unwrap().counts.as_ref().unwrap().turns)
        .collect();
    assert_eq!((known, glances(&told)), (vec![1, 1, 1], 0));
    // Nor does it happen later.
    while let Ok(more) = news.recv_timeout(Duration::from_millis(500)) {
        assert!(!matches!(more, News::Counted(..) | News::Glanced(_)), "{more:?}");
    }
    drop(scout);
}

#[test]
fn changes_are_told_as_they_come() {
    for poll in [false, true] {
        let home = Home::new(1);
        let (scout, news) = home.start(poll);
        until(&news, 1);
        let turns = |wanted: u64| loop {
            if let News::Counted(_, _, counts) = news.recv_timeout(PATIENCE).expect("it is told")
                && counts.unwrap().turns == wanted
            {
                return;
            }
        };
        home.write(0, 5);
        turns(5);
        home.write(7, 2);
        turns(2);
        std::fs::remove_file(home.path(7)).unwrap();
        loop {
            if let News::Gone(gone) = news.recv_timeout(PATIENCE).expect("it is told") {
                assert_eq!(gone.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>(), [home.path(7)]);
                break;
            }
        }
        drop(scout);
    }
}

#[test]
fn a_paused_scout_says_nothing_and_then_everything() {
    let home = Home::new(1);
    let (scout, news) = home.start(true);
    until(&news, 1);
    scout.pause();
    // A round may be under way.
    while news.recv_timeout(Duration::from_millis(1_500)).is_ok() {}
    home.write(1, 3);
    assert!(news.recv_timeout(Duration::from_millis(1_500)).is_err());
    scout.resume();
    let told = until(&news, 1);
    assert!(told.iter().any(|news| matches!(news, News::Found(found) if found.len() == 1)), "{told:?}");
    scout.pause();
    drop(scout);
}

#[test]
fn the_newest_is_counted_first() {
    let home = Home::new(0);
    for (number, age) in [(0, 300), (1, 100), (2, 200)] {
        home.write(number, number + 1);
        let time = std::time::SystemTime::now() - Duration::from_secs(age);
        File::options().write(true).open(home.path(number)).unwrap().set_modified(time).unwrap();
    }
    let mut jobs = Jobs::default();
    for number in 0..3 {
        let path: Arc<Path> = home.path(number).into();
        let stamp = Stamp::of(&std::fs::metadata(&path).unwrap());
        jobs.push(&path, stamp);
    }
    let order: Vec<PathBuf> = (0..3).map(|_| jobs.next().unwrap().0.to_path_buf()).collect();
    assert_eq!(order, [home.path(1), home.path(2), home.path(0)]);
    assert!(jobs.next().is_err());
    // One that was counted a moment ago waits.
    let path: Arc<Path> = home.path(0).into();
    jobs.rests.insert(Arc::clone(&path), Instant::now() + Duration::from_secs(5));
    jobs.push(&path, Stamp::of(&std::fs::metadata(&path).unwrap()));
    assert!(jobs.next().unwrap_err() <= Duration::from_secs(5));
}
