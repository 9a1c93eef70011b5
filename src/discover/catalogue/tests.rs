//! Kinship in whatever order sessions come, order, and what is listed at all.

use super::*;

use crate::discover::agents::Role;

/// A catalogue that is told of made-up files.
#[derive(Default)]
struct Made {
    catalogue: Catalogue,
    files: u64,
}

const NOW: i64 = 1_000_000_000;

impl Made {
    fn find(&mut self, agent: Option<&str>, path: &str, role: Role, age: i64) -> SessionNo {
        self.files += 1;
        let modified = (NOW - age) * 1_000_000;
        let stamp = Stamp { device: 1, inode: self.files, bytes: 10, modified };
        let found = Found { path: Path::new(path).into(), agent: agent.and_then(Agent::named), role, stamp };
        self.catalogue.take(News::Found(vec![(found, None)]), NOW)[0]
    }

    fn session(&mut self, agent: &str, path: &str, age: i64) -> SessionNo {
        self.find(Some(agent), path, Role::Session, age)
    }

    fn glance(&mut self, no: SessionNo, id: &str, parent: &str, fork: bool) {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let session = self.catalogue.get(no);
        let format = session.agent().map(str::to_owned);
        let (path, stamp) = (Arc::clone(&session.path), session.stamp);
        let glance = Glance { format, id: some(id), parent: some(parent), fork, ..Glance::default() };
        self.catalogue.take(News::Glanced(vec![(path, stamp, glance)]), NOW);
    }

    fn parents(&self, of: &[SessionNo]) -> Vec<Option<SessionNo>> {
        of.iter().map(|no| self.catalogue.get(*no).parent).collect()
    }
}

#[test]
fn kin_is_found_in_whatever_order_it_comes() {
    for child_first in [true, false] {
        let mut made = Made::default();
        let child = |made: &mut Made| {
            let child = made.session("codex", "/c/rollout-x-b.jsonl", 5);
            made.glance(child, "b", "a", false);
            child
        };
        let early = child_first.then(|| child(&mut made));
        let parent = made.session("codex", "/c/rollout-x-a.jsonl", 9);
        made.glance(parent, "a", "", false);
        let child = early.unwrap_or_else(|| child(&mut made));
        assert_eq!(made.parents(&[child, parent]), [Some(parent), None]);
        assert_eq!(made.catalogue.children(parent), [child]);
        assert_eq!(made.catalogue.roots(), [parent]);
    }
}

#[test]
fn sub_agents_stand_under_the_session_their_folder_or_record_names() {
    let mut made = Made::default();
    let claude = Some("claude-code");
    let inside = made.find(claude, "/p/x/s/subagents/agent-a.jsonl", Role::Subagent, 1);
    let beside = made.find(claude, "/p/x/agent-b.jsonl", Role::Subagent, 2);
    made.glance(beside, "", "s", false);
    let orphan = made.find(claude, "/p/x/gone/subagents/agent-c.jsonl", Role::Subagent, 3);
    let session = made.session("claude-code", "/p/x/s.jsonl", 50);
    // A resumed session carries the earlier one's id: its own name counts.
    let resumed = made.session("claude-code", "/p/x/t.jsonl", 40);
    made.glance(resumed, "s", "", false);
    assert_eq!(made.parents(&[inside, beside, orphan, session]), [Some(session), Some(session), None, None]);
    assert_eq!(made.catalogue.children(session), [inside, beside]);
    // The family is as new as its newest member.
    assert_eq!(made.catalogue.roots(), [session, orphan, resumed]);
}

#[test]
fn a_session_that_goes_leaves_its_children_and_finds_them_again() {
    let mut made = Made::default();
    let parent = made.session("pi", "/s/t_a.jsonl", 9);
    made.glance(parent, "a", "", false);
    let child = made.session("pi", "/s/t_b.jsonl", 5);
    made.glance(child, "b", "a", true);
    assert_eq!(made.parents(&[child]), [Some(parent)]);
    made.catalogue.take(News::Gone(vec![Path::new("/s/t_a.jsonl").into()]), NOW);
    assert_eq!((made.parents(&[child]), made.catalogue.roots()), (vec![None], vec![child]));
    let back = made.session("pi", "/s/t_a.jsonl", 1);
    made.glance(back, "a", "", false);
    assert_eq!((made.parents(&[child]), back), (vec![Some(parent)], parent));
}

#[test]
fn sessions_that_name_each_other_or_themselves_stand_side_by_side() {
    let mut made = Made::default();
    let one = made.session("codex", "/c/rollout-x-a.jsonl", 1);
    let two = made.session("codex", "/c/rollout-x-b.jsonl", 2);
    let own = made.session("codex", "/c/rollout-x-c.jsonl", 3);
    made.glance(one, "a", "b", true);
    made.glance(two, "b", "a", true);
    made.glance(own, "c", "c", true);
    assert_eq!(
        made.catalogue.roots().len()
            + made.catalogue.children(two).len()
            + made.catalogue.children(one).len(),
        3
    );
    assert_eq!(made.parents(&[own]), [None]);
}

#[test]
fn a_file_of_no_agents_folder_is_listed_once_its_records_say_what_it_is() {
    let mut made = Made::default();
    let log = made.find(None, "/d/log.jsonl", Role::Session, 1);
    let diary = made.find(None, "/d/diary.jsonl", Role::Session, 2);
    let locked = made.find(None, "/d/locked.jsonl", Role::Session, 3);
    assert_eq!(made.catalogue.roots(), []);
    let told = |made: &mut Made, no: SessionNo, glance: Glance| {
        let session = made.catalogue.get(no);
        let (path, stamp) = (Arc::clone(&session.path), session.stamp);
        made.catalogue.take(News::Glanced(vec![(path, stamp, glance)]), NOW);
    };
    told(&mut made, log, Glance { format: Some("pi".into()), ..Glance::default() });
    told(&mut made, diary, Glance { problem: Some("no log format".into()), ..Glance::default() });
    told(&mut made, locked, Glance { problem: Some("denied".into()), locked: true, ..Glance::default() });
    assert_eq!(made.catalogue.roots(), [log, locked]);
    assert_eq!(made.catalogue.get(log).agent(), Some("pi"));
}

#[test]
fn what_grows_is_live_and_its_counts_are_of_an_earlier_state() {
    let mut made = Made::default();
    let no = made.session("claude-code", "/p/x/s.jsonl", 10 * LIVE);
    let before = made.catalogue.get(no).stamp;
    let path = Arc::clone(&made.catalogue.get(no).path);
    let counts = Counts { turns: 7, ..Counts::default() };
    made.catalogue.take(News::Counted(Arc::clone(&path), before, Ok(counts.clone())), NOW);
    let session = made.catalogue.get(no);
    assert!(!session.stale && !session.is_live(NOW) && !session.is_uncounted());
    // It has grown, though its clock stands still.
    let after = Stamp { bytes: 20, ..before };
    let found = Found {
        path: Arc::clone(&path),
        agent: Agent::named("claude-code"),
        role: Role::Session,
        stamp: after,
    };
    made.catalogue.take(News::Found(vec![(found, None)]), NOW);
    let session = made.catalogue.get(no);
    assert!(session.stale && session.is_live(NOW) && session.is_live(NOW + LIVE));
    assert!(!session.is_live(NOW + LIVE + 1));
    assert_eq!(session.counts.as_ref().map(|counts| counts.turns), Some(7));
    made.catalogue.take(News::Counted(path, after, Ok(counts)), NOW);
    assert!(!made.catalogue.get(no).stale);
}
