//! The newest session of a directory, and whether a newer one came to be.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::store::cache::Cache;

use super::agents::{Place, Role, may_hold_sessions};
use super::walk::{Found, Look, walk};
use super::watch::{Bell, Watch, Woken};
use super::{Glance, Known};

/// A directory that sessions are looked for in, under every name it has.
#[derive(Clone, Debug)]
pub struct Directory {
    names: Vec<PathBuf>,
}

impl Directory {
    /// The directory at `path`.
    pub fn new(path: &Path) -> Self {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let mut names = vec![absolute];
        names.extend(path.canonicalize());
        names.dedup();
        Self { names }
    }

    /// The directory the program was started in, also as the shell calls it.
    pub fn current() -> std::io::Result<Self> {
        let real = std::env::current_dir()?;
        let mut directory = Self::new(&real);
        // What the shell says counts if it is the same place: it keeps the names of links.
        let shell = std::env::var_os("PWD").map(PathBuf::from);
        if let Some(shell) = shell.filter(|shell| shell.canonicalize().is_ok_and(|named| named == real)) {
            directory.names.insert(0, shell);
        }
        directory.names.dedup();
        Ok(directory)
    }

    /// Its name.
    pub fn name(&self) -> &Path {
        self.names.first().map_or(Path::new("."), PathBuf::as_path)
    }

    /// How many steps this directory is below `project`: 0 where it is the same, nothing where it is not below.
    pub fn below(&self, project: &Path) -> Option<usize> {
        let steps = |name: &PathBuf, project: &Path| {
            name.strip_prefix(project).ok().map(|rest| rest.components().count())
        };
        let direct = self.names.iter().find_map(|name| steps(name, project));
        direct.or_else(|| {
            let real = project.canonicalize().ok()?;
            self.names.iter().find_map(|name| steps(name, &real))
        })
    }

    /// Whether `project` is this directory or below it.
    pub fn holds(&self, project: &Path) -> bool {
        let inside = |project: &Path| self.names.iter().any(|name| project.starts_with(name));
        inside(project) || project.canonicalize().is_ok_and(|real| inside(&real))
    }
}

/// The newest session of a directory.
#[derive(Debug)]
pub struct Newest {
    /// Its file.
    pub path: Arc<Path>,
    /// How many steps its project is above the directory.
    distance: usize,
    /// Every session that was there.
    known: HashSet<Arc<Path>>,
}

/// The newest session whose project is `directory`, else that of the nearest project above it. Where there is none,
/// where was looked.
pub fn newest(places: &[Place], directory: &Directory, cache: &mut Cache<Known>) -> Result<Newest, Look> {
    let mut found = Vec::new();
    let look = walk(places, &mut |session| {
        found.push(session);
        true
    });
    found.sort_by_key(|found| Reverse(found.stamp.modified));
    let mut distances = Distances { directory, known: HashMap::new() };
    let mut best: Option<(usize, Arc<Path>)> = None;
    for session in found.iter().filter(|session| session.role == Role::Session) {
        let Some(distance) = distances.of(&glance(session, cache)) else { continue };
        if best.as_ref().is_none_or(|(nearest, _)| distance < *nearest) {
            best = Some((distance, Arc::clone(&session.path)));
        }
        if distance == 0 {
            break;
        }
    }
    let known = found.into_iter().map(|session| session.path).collect();
    best.map(|(distance, path)| Newest { path, distance, known }).ok_or(look)
}

/// The quick look at a session, from the cache if it is there.
fn glance(session: &Found, cache: &mut Cache<Known>) -> Glance {
    if let Some(known) = cache.get(&session.stamp) {
        return known.glance.clone();
    }
    let glance = Glance::of(&session.path, session.role);
    if glance.problem.is_none() && glance.format.is_some() {
        cache.put(&session.path, session.stamp, Known { glance: glance.clone(), counts: None });
    }
    glance
}

/// Distances of projects, each worked out once.
struct Distances<'a> {
    directory: &'a Directory,
    known: HashMap<String, Option<usize>>,
}

impl Distances<'_> {
    /// How far the directory is below the session's project. Nothing for a sub-agent's.
    fn of(&mut self, glance: &Glance) -> Option<usize> {
        if glance.parent.is_some() && !glance.fork {
            return None;
        }
        let project = glance.project.clone()?;
        let directory = self.directory;
        *self.known.entry(project).or_insert_with_key(|project| directory.below(Path::new(project)))
    }
}

/// Tells `send` of every session of the directory that comes to be after `newest` and stands no further from it,
/// until `send` answers false.
pub fn await_newer(
    places: Vec<Place>,
    directory: Directory,
    newest: Newest,
    poll: bool,
    send: impl Fn(Arc<Path>) -> bool + Send + 'static,
) -> Bell {
    let (mut watch, bell) = Watch::new(poll);
    let Newest { distance: mut nearest, mut known, .. } = newest;
    std::thread::spawn(move || {
        loop {
            let begun = Instant::now();
            let mut fresh = Vec::new();
            let look = walk(&places, &mut |session| {
                if session.role == Role::Session && !known.contains(&session.path) {
                    fresh.push(session);
                }
                true
            });
            watch.looked(begun.elapsed(), &look.folders);
            fresh.sort_by_key(|session| session.stamp.modified);
            let mut distances = Distances { directory: &directory, known: HashMap::new() };
            let mut newer = None;
            for session in fresh {
                let glance = Glance::of(&session.path, session.role);
                // A file that does not say yet where its agent works is looked at again.
                if glance.project.is_none() {
                    continue;
                }
                known.insert(Arc::clone(&session.path));
                if let Some(distance) = distances.of(&glance).filter(|distance| *distance <= nearest) {
                    nearest = distance;
                    newer = Some(session.path);
                }
            }
            if newer.is_some_and(|path| !send(path)) || !wait(&mut watch, &places, &known) {
                return;
            }
        }
    });
    bell
}

/// Waits until there may be a session that is not known. False: to stop.
fn wait(watch: &mut Watch, places: &[Place], known: &HashSet<Arc<Path>>) -> bool {
    loop {
        match watch.wait() {
            Woken::Stop => return false,
            Woken::Again => return true,
            Woken::Changed(paths) => {
                let is_new =
                    |path: &PathBuf| !known.contains(path.as_path()) && may_hold_sessions(places, path);
                if paths.iter().any(is_new) {
                    return true;
                }
            }
        }
    }
}
