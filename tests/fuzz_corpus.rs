//! The kept corpus of the fuzz targets (`tests/fuzz/`), checked without a fuzzer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]
#![allow(dead_code, reason = "the fuzz targets use the rest of what they share")]

#[path = "support/checks.rs"]
mod checks;
#[path = "support/digest.rs"]
mod digest;
#[path = "support/random_codex.rs"]
mod random_codex;
#[path = "support/random_log.rs"]
mod random_log;
#[path = "support/random_pi.rs"]
mod random_pi;

#[test]
fn the_kept_corpus_holds() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    for (name, check) in checks::TARGETS {
        let mut inputs = 0;
        for entry in std::fs::read_dir(corpus.join(name)).unwrap() {
            let path = entry.unwrap().path();
            eprintln!("{}", path.display());
            check(&std::fs::read(&path).unwrap());
            inputs += 1;
        }
        assert!(inputs > 3, "the corpus of {name} holds {inputs} inputs");
    }
}
