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
    /// Folders in which sessions stand, or in which such folders do.
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
    let mut walk =
        Walk { look: Look::default(), folders: HashSet::new(), files: HashSet::new(), untold: 0, found };
    for place in places {
        if !walk.place(place) {
            break;
        }
    }
    if walk.untold > 0 {
        walk.look.troubles.push(format!("and {} more", walk.untold));
    }
    walk.look
}

struct Walk<'a> {
    look: Look,
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
                self.look.places.push((place.folder.clone(), false));
                self.trouble(&place.folder, "it is no folder");
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
        let mut waiting = vec![PathBuf::new()];
        // Folders with sessions, and the way to them, in the order they were seen.
        let mut worth = vec![false];
        let mut seen: Vec<(PathBuf, usize)> = vec![(PathBuf::new(), 0)];
        let mut numbers = vec![0];
        while let (Some(below), Some(number)) = (waiting.pop(), numbers.pop()) {
            let folder = place.folder.join(&below);
            let entries = match std::fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.unreadable(&folder, &error);
                    continue;
                }
            };
            for entry in entries {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        self.unreadable(&folder, &error);
                        break;
                    }
                };
                let inner = below.join(entry.file_name());
                match self.look_at(place, &entry, &inner) {
                    Seen::Folder => {
                        numbers.push(seen.len());
                        seen.push((inner.clone(), number));
                        worth.push(false);
                        waiting.push(inner);
                    }
                    Seen::Session(found) => {
                        worth[number] = true;
                        if !(self.found)(found) {
                            return false;
                        }
                    }
                    Seen::Nothing => {}
                }
            }
        }
        self.keep(place, &seen, worth);
        true
    }

    /// Keeps the folders in which sessions are, the ways to them, and the place itself.
    fn keep(&mut self, place: &Place, seen: &[(PathBuf, usize)], mut worth: Vec<bool>) {
        worth[0] = true;
        // A folder was seen after the one it is in.
        for number in (1..seen.len()).rev() {
            if worth[number] {
                worth[seen[number].1] = true;
            }
        }
        let kept = seen.iter().zip(&worth).filter(|(_, worth)| **worth);
        self.look.folders.extend(kept.map(|((below, _), _)| place.folder.join(below)));
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
            return if place.enters(below) && self.is_new_folder(entry, meta) {
                Seen::Folder
            } else {
                Seen::Nothing
            };
        }
        let (Some(role), Some(meta)) = (role, meta.filter(|_| kind.is_file())) else { return Seen::Nothing };
        let stamp = Stamp::of(&meta);
        if !self.files.insert(stamp.file()) {
            return Seen::Nothing;
        }
        Seen::Session(Found { path: entry.path().into(), agent: place.agent, role, stamp })
    }

    fn is_new_folder(&mut self, entry: &DirEntry, meta: Option<Metadata>) -> bool {
        let Some(meta) = meta.or_else(|| entry.metadata().ok()) else { return false };
        self.folders.insert((meta.dev(), meta.ino()))
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

enum Seen {
    Folder,
    Session(Found),
    Nothing,
}
