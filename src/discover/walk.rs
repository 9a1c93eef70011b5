//! The walk through folders: every file that is a session by its name.
//!
//! Symbolic links are followed; a folder or file that was seen under another name is not seen again, so loops end.
//! Nothing is opened here: names and what the system says of the files.

use std::collections::HashSet;
use std::fs::{DirEntry, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::store::cache::Stamp;

use super::agents::{Agent, Place, Role};

/// A file that is a session by its name.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it is.
    pub path: Arc<Path>,
    /// Whose it is, if its place says so.
    pub agent: Option<&'static Agent>,
    /// What it is.
    pub role: Role,
    /// Its state.
    pub stamp: Stamp,
}

/// Where was looked, and what was in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The places, and whether each is there.
    pub places: Vec<(PathBuf, bool)>,
    /// Folders and files that could not be read, and why.
    pub troubles: Vec<String>,
    /// Folders in which sessions may come to be, those that changed last first.
    pub folders: Vec<PathBuf>,
}

impl Look {
    /// The places in one line, those that are not there marked.
    pub fn places_line(&self) -> String {
        let place = |(path, there): &(PathBuf, bool)| {
            format!("{}{}", path.display(), if *there { "" } else { " (not there)" })
        };
        let places: Vec<String> = self.places.iter().map(place).collect();
        places.join(", ")
    }
}

/// Troubles told one by one; of a tree full of them the rest is counted.
const TOLD: usize = 20;

/// Hands every session in `places` to `found`, which ends the walk by answering false.
pub fn walk(places: &[Place], found: &mut dyn FnMut(Found) -> bool) -> Look {
    let mut walk = Walk {
        look: Look::default(),
        kept: Vec::new(),
        folders: HashSet::new(),
        files: HashSet::new(),
        untold: 0,
        found,
    };
    for place in places {
        if !walk.place(place) {
            break;
        }
    }
    if walk.untold > 0 {
        walk.look.troubles.push(format!("and {} more", walk.untold));
    }
    walk.kept.sort_by(|(a, _), (b, _)| b.cmp(a));
    walk.look.folders = walk.kept.into_iter().map(|(_, folder)| folder).collect();
    walk.look
}

struct Walk<'a> {
    look: Look,
    kept: Vec<(i64, PathBuf)>,
    folders: HashSet<(u64, u64)>,
    files: HashSet<(u64, u64)>,
    untold: usize,
    found: &'a mut dyn FnMut(Found) -> bool,
}

impl Walk<'_> {
    /// False: somebody wants it to end.
    fn place(&mut self, place: &Place) -> bool {
        match std::fs::metadata(&place.folder) {
            Ok(meta) if meta.is_dir() => {
                self.look.places.push((place.folder.clone(), true));
                if self.folders.insert((meta.dev(), meta.ino())) {
                    return self.below(place);
                }
            }
            Ok(_) => {
                self.look.places.push((place.folder.clone(), true));
                self.trouble(&place.folder, "it is no folder; `pentimento` with a log's path opens that");
            }
            Err(error) => {
                self.look.places.push((place.folder.clone(), false));
                if error.kind() != io::ErrorKind::NotFound {
                    self.trouble(&place.folder, &error.to_string());
                }
            }
        }
        true
    }

    fn below(&mut self, place: &Place) -> bool {
        let mut folders = vec![Folder::default()];
        let mut waiting = vec![0];
        while let Some(number) = waiting.pop() {
            let below = folders[number].below.clone();
            let folder = place.folder.join(&below);
            let entries = self.entries(&folder);
            for entry in entries {
                let inner = below.join(entry.file_name());
                match self.look_at(place, &entry, &inner) {
                    Seen::Folder(modified) => {
                        waiting.push(folders.len());
                        folders.push(Folder { below: inner, parent: number, modified, matters: false });
                    }
                    Seen::Session(found) => {
                        folders[number].matters = true;
                        if !(self.found)(found) {
                            return false;
                        }
                    }
                    Seen::Nothing => {}
                }
            }
        }
        self.keep(place, folders);
        true
    }

    /// What is in a folder, by name: which of two names of a file is the first must not depend on the file system.
    fn entries(&mut self, folder: &Path) -> Vec<DirEntry> {
        let mut entries = Vec::new();
        match std::fs::read_dir(folder) {
            Ok(all) => {
                for entry in all {
                    match entry {
                        Ok(entry) => entries.push(entry),
                        Err(error) => {
                            self.unreadable(folder, &error);
                            break;
                        }
                    }
                }
            }
            Err(error) => self.unreadable(folder, &error),
        }
        entries.sort_by_key(DirEntry::file_name);
        entries
    }

    /// Keeps the folders in which a session may come to be: in an agent's place all that were entered, elsewhere
    /// those where some are and the ways to them.
    fn keep(&mut self, place: &Place, mut folders: Vec<Folder>) {
        folders[0].matters = true;
        // A folder comes after the one it is in.
        for number in (1..folders.len()).rev() {
            if folders[number].matters {
                let parent = folders[number].parent;
                folders[parent].matters = true;
            }
        }
        let kept = folders.into_iter().filter(|folder| folder.matters || place.agent.is_some());
        self.kept.extend(kept.map(|folder| (folder.modified, place.folder.join(folder.below))));
    }

    fn look_at(&mut self, place: &Place, entry: &DirEntry, below: &Path) -> Seen {
        let Ok(mut kind) = entry.file_type() else { return Seen::Nothing };
        let role = place.role(below);
        let mut meta: Option<Metadata> = None;
        if kind.is_symlink() || (role.is_some() && !kind.is_dir()) {
            match std::fs::metadata(entry.path()) {
                Ok(known) => {
                    kind = known.file_type();
                    meta = Some(known);
                }
                // It vanished meanwhile, or is a link to nothing: no session either way.
                Err(error) => {
                    if role.is_some() {
                        self.unreadable(&entry.path(), &error);
                    }
                    return Seen::Nothing;
                }
            }
        }
        if kind.is_dir() {
            let modified = if place.enters(below) { self.new_folder(entry, meta) } else { None };
            return modified.map_or(Seen::Nothing, Seen::Folder);
        }
        let (Some(role), Some(meta)) = (role, meta.filter(|_| kind.is_file())) else { return Seen::Nothing };
        let stamp = Stamp::of(&meta);
        if !self.files.insert(stamp.file()) {
            return Seen::Nothing;
        }
        Seen::Session(Found { path: entry.path().into(), agent: place.agent, role, stamp })
    }

    /// When a folder changed, if it was not seen before.
    fn new_folder(&mut self, entry: &DirEntry, meta: Option<Metadata>) -> Option<i64> {
        let meta = meta.or_else(|| entry.metadata().ok())?;
        self.folders.insert((meta.dev(), meta.ino())).then(|| meta.mtime())
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        if error.kind() != io::ErrorKind::NotFound {
            self.trouble(path, &error.to_string());
        }
    }

    fn trouble(&mut self, path: &Path, why: &str) {
        if self.look.troubles.len() < TOLD {
            self.look.troubles.push(format!("{}: {why}", path.display()));
        } else {
            self.untold += 1;
        }
    }
}

/// A folder of a place.
#[derive(Default)]
struct Folder {
    below: PathBuf,
    /// The one it is in, by its number.
    parent: usize,
    modified: i64,
    /// Sessions are in it or below.
    matters: bool,
}

enum Seen {
    /// One that was not seen before, and when it changed.
    Folder(i64),
    Session(Found),
    Nothing,
}
