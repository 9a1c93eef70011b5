//! Values that look like keys, tokens or passwords, masked before a text is pasted somewhere else.
//!
//! Known by how they begin, by the name they are given to, or by their letters: a long run of mixed letters and digits that is
//! no hash of a commit. Masks too much rather than too little, and nothing that a path, an address or a hash is.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands in a value's place.
const MASK: &str = "[masked]";
/// Letters that mixed values are longer than.
const MIXED: usize = 32;

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// Values known by how they begin.
static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?x)
        -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\z)
        | \b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{16,}
        | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,} | \bglpat-[\w-]{16,}
        | \bxox[abeoprs]-[\w-]{10,} | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b | \bAIza[\w-]{30,}
        | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[\w-]{30,} | \bhf_[A-Za-z0-9]{25,} | \bya29\.[\w-]{20,}
        | \bMII[A-Za-z][A-Za-z0-9+/]{12,}={0,2}
        | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}",
    )
});
/// Values known by the name that they are given to, or by the word before them.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?ix)
        (?P<name> [\w-]*(?:password|passwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential)s? ["']? \s*[:=]\s* ["']?
          | \b(?:bearer|basic)\s+ )
        (?P<value> [^\s"'`,;@]{6,} )"#,
    )
});
/// Passwords in addresses.
static IN_ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(://[^\s:/@]+:)[^\s/@]+@"));
/// Long runs of letters and digits.
static RUN: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"[A-Za-z0-9+_=-]{33,}"));

/// `text` with such values masked.
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    if let Some(known) = KNOWN.as_ref()
        && known.is_match(&out)
    {
        out = known.replace_all(&out, MASK).into_owned().into();
    }
    if let Some(address) = IN_ADDRESS.as_ref()
        && address.is_match(&out)
    {
        out = address.replace_all(&out, format!("${{1}}{MASK}@")).into_owned().into();
    }
    if let Some(named) = NAMED.as_ref()
        && named.is_match(&out)
    {
        let mask = |found: &Captures<'_>| {
            let value = &found["value"];
            if is_value(value, &found["name"]) {
                format!("{}{MASK}", &found["name"])
            } else {
                found[0].to_owned()
            }
        };
        out = named.replace_all(&out, mask).into_owned().into();
    }
    if let Some(run) = RUN.as_ref()
        && run.is_match(&out)
    {
        let mask =
            |found: &Captures<'_>| if is_mixed(&found[0]) { MASK.to_owned() } else { found[0].to_owned() };
        out = run.replace_all(&out, mask).into_owned().into();
    }
    out
}

/// Whether what follows a telling name is a value: not a type, a call, a variable or another word of a sentence.
fn is_value(value: &str, name: &str) -> bool {
    let opens = value.split('(').next().unwrap_or_default();
    let is_call = opens.len() < value.len() && opens.chars().all(|c| c.is_alphanumeric() || c == '_');
    if value.starts_with(['$', '<', '{', '(', '[', '%']) || is_call {
        return false;
    }
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_word = value.chars().all(|c| c.is_ascii_lowercase() || c == '.');
    has_digit || !is_word && name.contains('=') || name.contains(['"', '\''])
}

/// Whether a run has letters of both cases and digits, as keys have and hashes and names have not.
fn is_mixed(run: &str) -> bool {
    let has = |test: fn(&u8) -> bool| run.as_bytes().iter().filter(|b| test(b)).count();
    let (small, large, digits) =
        (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase), has(u8::is_ascii_digit));
    run.len() > MIXED
        && small >= 4
        && large >= 4
        && digits >= 3
        && run.matches(['-', '_']).count() * 8 < run.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_are_masked() {
        // Put together here, so that no value in this file looks like a key to anybody else.
        let tail = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for text in [
            format!("use sk-ant-{tail} now"),
            format!("push with ghp_{tail}"),
            format!("Authorization: Bearer {tail}"),
            format!("export API_KEY={tail}"),
            "PASSWORD=hunter2x".to_owned(),
            "{\"password\": \"correct horse\"}".to_owned(),
            "postgres://user:s3cret77@host/db".to_owned(),
            format!("the value {tail}"),
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----".to_owned(),
        ] {
            let masked = masked(&text);
            assert!(masked.contains(MASK), "{text}");
            assert!(
                !masked.contains(tail) && !masked.contains("hunter2x") && !masked.contains("s3cret77"),
                "{masked}"
            );
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "commit 881c11c9881c11c9881c11c9881c11c9881c11c9",
            "123e4567-e89b-12d3-a456-426614174000",
            "src/strategies/context_gc/session/rules.rs",
            "max_tokens: u64",
            "the token: string is parsed",
            "token = parse(text)",
            "https://example.org:8080/a/b",
            "a_very_long_snake_case_name_of_a_function_in_a_test",
            "set API_KEY=$KEY",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn every_pattern_compiles() {
        assert!([&KNOWN, &NAMED, &IN_ADDRESS, &RUN].iter().all(|pattern| pattern.is_some()));
    }
}
