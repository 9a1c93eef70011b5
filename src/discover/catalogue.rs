//! The list of sessions: what is known of each, which stands under which, and in what order.
//!
//! Sessions keep their numbers while they come, grow and go; the order is worked out anew when somebody asks after
//! a change. A session stands under the one it was started from as soon as both are known, in whatever order they
//! came.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::store::cache::Stamp;

use super::agents::{self, Agent, Role};
use super::{Counts, Found, Glance, Known, LIVE, News};

/// A session's number in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionNo(pub u32);

/// One session.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its file.
    pub path: Arc<Path>,
    /// Whose folder it is in, if it is an agent's.
    pub place: Option<&'static Agent>,
    /// What it is by its name.
    pub role: Role,
    /// The state of its file.
    pub stamp: Stamp,
    /// The quick look, once taken.
    pub glance: Option<Glance>,
    /// Its counts, once counted; of an earlier state while it grows.
    pub counts: Option<Counts>,
    /// The counts are of an earlier state.
    pub stale: bool,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// The session it was started from, where that is listed.
    pub parent: Option<SessionNo>,
    /// Sessions started from it.
    pub children: Vec<SessionNo>,
    /// When it was last seen to have grown, in milliseconds since the epoch.
    grown: i64,
    gone: bool,
}

impl Listed {
    /// The agent's name: what its records say, else whose folder it is in.
    pub fn agent(&self) -> Option<&str> {
        let counted = self.counts.as_ref().map(|counts| counts.format.as_str());
        let glanced = || self.glance.as_ref().and_then(|glance| glance.format.as_deref());
        counted.or_else(glanced).or_else(|| self.place.map(|agent| agent.name))
    }

    /// The title, or the first prompt.
    pub fn title(&self) -> Option<&str> {
        let counted = self.counts.as_ref().filter(|_| !self.stale).and_then(|counts| counts.title.as_deref());
        let glanced = || self.glance.as_ref().and_then(|glance| glance.title.as_deref());
        counted.or_else(glanced).or_else(|| self.prompt())
    }

    /// The name of its file: what it is called where it has no title.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The first prompt.
    pub fn prompt(&self) -> Option<&str> {
        self.glance.as_ref()?.prompt.as_deref()
    }

    /// The directory the agent worked in. Where no record in sight says so, the name of the folder that an agent
    /// keeps the project's sessions in, which tells it roughly.
    pub fn project(&self) -> Option<String> {
        let glanced = self.glance.as_ref().and_then(|glance| glance.project.clone());
        let counted = || self.counts.as_ref().and_then(|counts| counts.project.clone());
        glanced.or_else(counted).or_else(|| {
            let own = agents::owner(&self.path).unwrap_or_else(|| self.path.to_path_buf());
            let folder = own.parent()?.file_name()?.to_string_lossy().into_owned();
            self.place.filter(|_| folder.starts_with('-')).map(|_| folder)
        })
    }

    /// When its file changed last, in milliseconds since the epoch.
    pub fn modified(&self) -> i64 {
        self.stamp.modified / 1_000_000
    }

    /// Whether it is being written, as of `now`: it changed within the last minute, or was seen to grow.
    pub fn is_live(&self, now: i64) -> bool {
        let recent = |time: i64| (now - LIVE..=now + LIVE).contains(&time);
        recent(self.modified()) || recent(self.grown)
    }

    /// Whether it is to be listed: in an agent's folder by its name, elsewhere once its records say what it is.
    pub fn is_shown(&self) -> bool {
        // Of a file that cannot be looked into nobody knows whether it is a session: better listed than missed.
        let is_log = |glance: &Glance| glance.format.is_some() || glance.locked;
        let known = self.glance.as_ref().is_some_and(is_log) || self.counts.is_some();
        !self.gone && (self.place.is_some() || known)
    }

    /// Whether counts are still to come.
    pub fn is_uncounted(&self) -> bool {
        self.counts.is_none() && self.problem.is_none()
    }
}

/// What a session can be named by where another says what it was started from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Its path without endings.
    Path(PathBuf),
    /// Its id.
    Id(String),
}

/// All sessions that were found.
#[derive(Debug, Default)]
pub struct Catalogue {
    sessions: Vec<Listed>,
    by_path: HashMap<Arc<Path>, SessionNo>,
    by_key: HashMap<Key, SessionNo>,
    /// Sessions whose parent is not listed (yet).
    waiting: HashMap<Key, Vec<SessionNo>>,
}

impl Catalogue {
    /// Takes in what the scout tells. The sessions that changed.
    pub fn take(&mut self, news: News, now: i64) -> Vec<SessionNo> {
        match news {
            News::Found(found) => {
                found.into_iter().map(|(found, known)| self.found(found, known, now)).collect()
            }
            News::Gone(paths) => paths.iter().filter_map(|path| self.gone(path)).collect(),
            News::Glanced(glances) => {
                let taken = glances.into_iter();
                taken.filter_map(|(path, stamp, glance)| self.glanced(&path, stamp, glance)).collect()
            }
            News::Counted(path, stamp, counts) => self.counted(&path, stamp, counts).into_iter().collect(),
            News::Looked(_) | News::Trouble(_) => Vec::new(),
        }
    }

    /// The session with this number.
    pub fn get(&self, no: SessionNo) -> &Listed {
        &self.sessions[no.0 as usize]
    }

    /// The session in the file at `path`.
    pub fn at(&self, path: &Path) -> Option<SessionNo> {
        self.by_path.get(path).copied().filter(|no| !self.get(*no).gone)
    }

    /// How many numbers were given out: every [`SessionNo`] is below.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Every session that is to be listed.
    pub fn shown(&self) -> impl Iterator<Item = (SessionNo, &Listed)> {
        let all = self.sessions.iter().enumerate();
        all.filter(|(_, session)| session.is_shown()).map(|(no, session)| (SessionNo(no as u32), session))
    }

    fn found(&mut self, found: Found, known: Option<Known>, now: i64) -> SessionNo {
        let no = match self.by_path.get(&found.path) {
            Some(no) => {
                let session = &mut self.sessions[no.0 as usize];
                if found.stamp.file() == session.stamp.file() && found.stamp.bytes > session.stamp.bytes {
                    session.grown = now;
                }
                session.stale = session.counts.is_some();
                (session.stamp, session.problem, session.gone) = (found.stamp, None, false);
                *no
            }
            None => self.add(found),
        };
        self.register(no);
        if let Some(known) = known {
            self.sessions[no.0 as usize].counts = known.counts;
            self.sessions[no.0 as usize].stale = false;
            self.set_glance(no, known.glance);
        }
        no
    }

    fn add(&mut self, found: Found) -> SessionNo {
        let no = SessionNo(self.sessions.len() as u32);
        self.by_path.insert(Arc::clone(&found.path), no);
        self.sessions.push(Listed {
            path: found.path,
            place: found.agent,
            role: found.role,
            stamp: found.stamp,
            glance: None,
            counts: None,
            stale: false,
            problem: None,
            parent: None,
            children: Vec::new(),
            grown: i64::MIN,
            gone: false,
        });
        no
    }

    fn glanced(&mut self, path: &Path, stamp: Stamp, glance: Glance) -> Option<SessionNo> {
        let no = self.at(path)?;
        if self.get(no).stamp.file() == stamp.file() {
            self.set_glance(no, glance);
        }
        Some(no)
    }

    fn set_glance(&mut self, no: SessionNo, glance: Glance) {
        let session = &mut self.sessions[no.0 as usize];
        session.problem.clone_from(&glance.problem);
        session.glance = Some(glance);
        self.register(no);
    }

    fn counted(&mut self, path: &Path, stamp: Stamp, counts: Result<Counts, String>) -> Option<SessionNo> {
        let no = self.at(path)?;
        let session = &mut self.sessions[no.0 as usize];
        if session.stamp.file() != stamp.file() {
            return None;
        }
        match counts {
            Ok(counts) => (session.counts, session.problem) = (Some(counts), None),
            Err(problem) => session.problem = Some(problem),
        }
        session.stale = session.stamp != stamp;
        Some(no)
    }

    fn gone(&mut self, path: &Path) -> Option<SessionNo> {
        let no = self.at(path)?;
        for key in self.keys(no) {
            if self.by_key.get(&key) == Some(&no) {
                self.by_key.remove(&key);
            }
        }
        self.detach(no);
        for child in std::mem::take(&mut self.sessions[no.0 as usize].children) {
            self.sessions[child.0 as usize].parent = None;
            if let Some(key) = self.parent_key(child) {
                self.waiting.entry(key).or_default().push(child);
            }
        }
        let session = &mut self.sessions[no.0 as usize];
        (session.gone, session.counts, session.glance) = (true, None, None);
        Some(no)
    }

    /// Names the session by all it is known by, and puts it under its parent and its children under it.
    fn register(&mut self, no: SessionNo) {
        for key in self.keys(no) {
            if self.by_key.get(&key) == Some(&no) {
                continue;
            }
            self.by_key.entry(key.clone()).or_insert(no);
            for child in self.waiting.remove(&key).unwrap_or_default() {
                self.attach(child, no);
            }
        }
        let Some(key) = self.parent_key(no) else { return };
        if self.get(no).parent.is_some() {
            return;
        }
        match self.by_key.get(&key) {
            Some(parent) => self.attach(no, *parent),
            None => {
                let waiting = self.waiting.entry(key).or_default();
                if !waiting.contains(&no) {
                    waiting.push(no);
                }
            }
        }
    }

    /// What a session is known by.
    fn keys(&self, no: SessionNo) -> Vec<Key> {
        let session = self.get(no);
        let Some(stem) = agents::stem(&session.path).filter(|_| session.role == Role::Session) else {
            return Vec::new();
        };
        let mut keys = vec![Key::Path(session.path.with_file_name(&stem)), Key::Id(stem)];
        // A resumed session of Claude Code may carry an earlier one's id in its records: there the name counts.
        let named = session.agent() == Some("claude-code");
        let id = session.glance.as_ref().and_then(|glance| glance.id.clone()).filter(|_| !named);
        keys.extend(id.map(Key::Id));
        keys
    }

    /// What its parent is known by.
    fn parent_key(&self, no: SessionNo) -> Option<Key> {
        let session = self.get(no);
        let owner = agents::owner(&session.path).filter(|_| session.role == Role::Subagent);
        owner.map(Key::Path).or_else(|| session.glance.as_ref()?.parent.clone().map(Key::Id))
    }

    fn attach(&mut self, child: SessionNo, parent: SessionNo) {
        // Two that name one another, or a session that names itself, stand side by side.
        let mut above = Some(parent);
        while let Some(no) = above {
            if no == child {
                return;
            }
            above = self.get(no).parent;
        }
        if self.get(child).gone || self.get(child).parent.is_some() {
            return;
        }
        self.sessions[child.0 as usize].parent = Some(parent);
        self.sessions[parent.0 as usize].children.push(child);
    }

    fn detach(&mut self, child: SessionNo) {
        if let Some(parent) = self.sessions[child.0 as usize].parent.take() {
            self.sessions[parent.0 as usize].children.retain(|no| *no != child);
        }
    }

    /// The sessions to be listed that stand under none, newest first. One counts as new as the newest below it: a
    /// session waits in silence while its sub-agents write.
    pub fn roots(&self) -> Vec<SessionNo> {
        let mut newest: HashMap<SessionNo, i64> = HashMap::new();
        for (no, session) in self.shown() {
            let root = self.root(no);
            let newest = newest.entry(root).or_insert(i64::MIN);
            *newest = session.stamp.modified.max(*newest);
        }
        let mut roots: Vec<(SessionNo, i64)> = newest.into_iter().collect();
        roots.sort_by(|(a, a_newest), (b, b_newest)| {
            b_newest.cmp(a_newest).then_with(|| self.get(*a).path.cmp(&self.get(*b).path))
        });
        roots.into_iter().map(|(no, _)| no).collect()
    }

    /// The sessions to be listed under `no`, newest first.
    pub fn children(&self, no: SessionNo) -> Vec<SessionNo> {
        let mut children: Vec<SessionNo> =
            self.get(no).children.iter().copied().filter(|child| self.get(*child).is_shown()).collect();
        children.sort_by_key(|child| {
            (Reverse(self.get(*child).stamp.modified), Arc::clone(&self.get(*child).path))
        });
        children
    }

    /// The session at the top that `no` stands under, or itself.
    pub fn root(&self, no: SessionNo) -> SessionNo {
        let mut at = no;
        while let Some(parent) = self.get(at).parent.filter(|parent| self.get(*parent).is_shown()) {
            at = parent;
        }
        at
    }
}

#[cfg(test)]
mod tests;
