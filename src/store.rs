//! What outlives a run: one folder of our own, and the files in it.
//!
//! [`cache`] is what can be counted again; [`database`] what cannot, or not cheaply: summaries, and what a person marked.
//!
//! The only folder that is ever written to. Nothing else of the program needs it: without one, what would be kept
//! is worked out again, and the person is told. Knows nothing of logs and imports nothing of the flow, so every layer
//! may ask it.

mod audits;
pub mod cache;
pub mod database;
mod forget;
mod hand;
mod optional;
mod schema;
mod summaries;
mod trouble;

pub use database::Store;
pub use forget::Forgotten;
pub use hand::{Item, Note, Pin};
pub use optional::OptionalStore;
pub use summaries::{KeptLine, KeptSummary, Owner};
pub use trouble::StoreError;

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;

use signal_hook::consts::SIGXFSZ;

/// There is no state folder.
#[derive(Debug, thiserror::Error)]
pub enum NoState {
    /// Nothing says where it should be.
    #[error(
        "no state folder: none of PENTIMENTO_STATE, XDG_STATE_HOME and HOME is set. Set PENTIMENTO_STATE to one"
    )]
    Nowhere,
    /// It cannot be made.
    #[error(
        "no state folder: {}: {error}. Set PENTIMENTO_STATE to a folder that can be written", .folder.display()
    )]
    Refused {
        /// Where it should be.
        folder: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// From now on a file that would grow beyond the limit that a shell sets (`ulimit -f`) is an error of whoever writes it,
/// and does not end the process. What is started from here has the limit's own effect again: a handler is nobody's
/// inheritance, unlike a signal that is ignored.
pub fn outlive_file_limits() {
    // Nobody looks at the flag. Where signals cannot be caught it stays as it was.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// The state folder; it is made, for its owner alone, if it is not there. `PENTIMENTO_STATE`, else `pentimento` in
/// `XDG_STATE_HOME`, else in `~/.local/state`.
pub fn state_folder() -> Result<PathBuf, NoState> {
    let folder = place(|name| std::env::var_os(name)).ok_or(NoState::Nowhere)?;
    match DirBuilder::new().recursive(true).mode(0o700).create(&folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(NoState::Refused { folder, error }),
    }
}

fn place(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // A relative path is no place for state: the XDG rule, and a home is never relative.
    let absolute = |name| set(name).filter(|path| path.is_absolute());
    let in_home = || absolute("HOME").map(|home| home.join(".local/state"));
    set("PENTIMENTO_STATE").or_else(|| Some(absolute("XDG_STATE_HOME").or_else(in_home)?.join("pentimento")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_folder_is_where_the_environment_says() {
        let at = |variables: &[(&str, &str)]| {
            let found = place(|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            });
            found.map(|path| path.to_string_lossy().into_owned())
        };
        let home = ("HOME", "/home/a");
        assert_eq!(at(&[home]).as_deref(), Some("/home/a/.local/state/pentimento"));
        assert_eq!(at(&[home, ("XDG_STATE_HOME", "/s")]).as_deref(), Some("/s/pentimento"));
        assert_eq!(at(&[home, ("XDG_STATE_HOME", "s")]).as_deref(), Some("/home/a/.local/state/pentimento"));
        assert_eq!(at(&[home, ("PENTIMENTO_STATE", "/p")]).as_deref(), Some("/p"));
        assert_eq!(at(&[home, ("PENTIMENTO_STATE", "")]).as_deref(), Some("/home/a/.local/state/pentimento"));
        assert_eq!(at(&[]), None);
    }
}
