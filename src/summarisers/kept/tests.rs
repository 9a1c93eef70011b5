use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::{SourcePart, SourceTurn};
use super::*;
use crate::formats::facts::{PartKind, Role};
use crate::store::Store;

/// Says what it was asked; counts how often.
#[derive(Debug, Default)]
struct Echo(AtomicUsize);

impl Summariser for Echo {
    fn name(&self) -> String {
        "echo/1".to_owned()
    }

    fn summarise(&self, request: &Request, _: &AtomicBool) -> Result<Summary, Failure> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let text = request.sources[0].parts[0].text.clone();
        match text.as_str() {
            "panic" => panic!("it broke"),
            "fail" => Err(Failure::Failed("no".to_owned())),
            _ => Ok(Summary { lines: vec![SummaryLine { range: 0..text.len(), turns: vec![1] }], text }),
        }
    }
}

fn ask(folder: &std::path::Path, echo: &Arc<Echo>, session: &str, text: &str) -> Result<Summary, Failure> {
    let store = Arc::new(OptionalStore::open_in(folder));
    let belongs = Belongs { session: session.to_owned(), log: None, place: "b1".to_owned() };
    let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text: text.to_owned() };
    let sources = vec![SourceTurn { turns: (1, 1), role: Role::User, parts: vec![part] }];
    let request = Request { sources, budget: 100 };
    Kept::new(store, Arc::clone(echo) as Arc<_>, belongs).summarise(&request, &AtomicBool::new(false))
}

#[test]
fn the_store_is_asked_first_and_gets_what_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let echo = Arc::new(Echo::default());
    for session in ["a", "b"] {
        assert_eq!(ask(folder.path(), &echo, session, "text").unwrap().lines[0].turns, [1]);
        assert_eq!(echo.0.load(Ordering::SeqCst), 1, "written once");
        let store = Store::open_in(folder.path()).unwrap();
        assert_eq!(store.summaries_of(session).unwrap().len(), 1);
    }
}

#[test]
fn what_fails_is_kept_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let echo = Arc::new(Echo::default());
    assert_eq!(ask(folder.path(), &echo, "a", "fail"), Err(Failure::Failed("no".to_owned())));
    let broken = Err(Failure::Failed("the summariser broke down".to_owned()));
    assert_eq!(ask(folder.path(), &echo, "a", "panic"), broken);
    assert_eq!(Store::open_in(folder.path()).unwrap().summaries_of("a").unwrap(), []);
}
