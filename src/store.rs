//! What outlives a run: one folder of our own, and the files in it.
//!
//! The only folder that is ever written to. Nothing else of the program needs it: without one, what would be kept
//! is worked out again, and the person is told.

pub mod cache;

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// The variable that names the folder outright.
pub const VARIABLE: &str = "PENTIMENTO_STATE";

/// The state folder, made with rights for its owner alone if it was not there: `$PENTIMENTO_STATE`, else
/// `$XDG_STATE_HOME/pentimento`, else `~/.local/state/pentimento`.
pub fn state_folder() -> io::Result<PathBuf> {
    let folder = folder_by(&|name| std::env::var_os(name), std::env::home_dir()).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("there is no home folder; {VARIABLE} names another"))
    })?;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Ok(folder)
}

fn folder_by(variable: &dyn Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set(VARIABLE)
        // A relative path here is to be ignored, says the specification of these variables.
        .or_else(|| {
            set("XDG_STATE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("pentimento"))
        })
        .or_else(|| home.map(|home| home.join(".local/state/pentimento")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_named_by_the_nearest_word() {
        let by = |set: &[(&str, &str)]| {
            let lookup = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
            folder_by(&lookup, Some("/home/me".into())).unwrap()
        };
        assert_eq!(by(&[]), PathBuf::from("/home/me/.local/state/pentimento"));
        assert_eq!(by(&[("XDG_STATE_HOME", "/s")]), PathBuf::from("/s/pentimento"));
        assert_eq!(by(&[("XDG_STATE_HOME", "relative")]), PathBuf::from("/home/me/.local/state/pentimento"));
        assert_eq!(by(&[("XDG_STATE_HOME", "/s"), ("PENTIMENTO_STATE", "/p")]), PathBuf::from("/p"));
        assert_eq!(by(&[("PENTIMENTO_STATE", "")]), PathBuf::from("/home/me/.local/state/pentimento"));
        assert_eq!(folder_by(&|_| None, None), None);
    }
}
