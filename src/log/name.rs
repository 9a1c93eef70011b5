//! What the path of a log says besides where it is.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Whether `path` means standard input. A file of that name is `./-`.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The path as people read it.
pub fn shown(path: &Path) -> Cow<'_, str> {
    if is_standard_input(path) { "standard input".into() } else { path.to_string_lossy() }
}

/// The path without the ending that says how the file is compressed.
pub fn unpacked(path: &Path) -> PathBuf {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("zst" | "zstd" | "gz") => path.with_extension(""),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_compression_are_no_part_of_a_name() {
        for (path, name) in
            [("a/b.jsonl.zst", "a/b.jsonl"), ("b.jsonl.gz", "b.jsonl"), ("b.jsonl", "b.jsonl")]
        {
            assert_eq!(unpacked(Path::new(path)), Path::new(name));
        }
        assert_eq!(shown(Path::new("-")), "standard input");
        assert_eq!(shown(Path::new("./-")), "./-");
    }
}
