//! Standard input and compressed logs through the real binary: the same answers as from the plain file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use support::{fixture, log_of, text};

/// Runs the binary with `input` for its standard input and `state` for its state folder.
fn run(state: &Path, input: &[u8], arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pentimento"))
        .args(arguments)
        .env("PENTIMENTO_STATE", state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Whoever wants only the beginning closes the pipe.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    })
}

/// Standard output and error of a run that has to succeed.
fn answers(state: &Path, input: &[u8], arguments: &[&str]) -> (String, String) {
    let output = run(state, input, arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, errors) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    (out, errors)
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The answers of every command about the log `path`, without the path.
fn all(state: &Path, input: &[u8], path: &str) -> Vec<String> {
    let mut answers_of: Vec<String> = Vec::new();
    for arguments in [
        &["info", "--json"][..],
        &["turns", "--json"],
        &["context", "--json"],
        &["tree", "--json", "--depth", "9"],
        &["turns"],
        &["context", "--strategy", "full"],
    ] {
        let arguments: Vec<&str> = arguments.iter().copied().chain([path]).collect();
        let (out, errors) = answers(state, input, &arguments);
        assert_eq!(errors, "", "{arguments:?}");
        answers_of.push(out);
    }
    let mut info: Value = serde_json::from_str(&answers_of[0]).unwrap();
    assert_eq!(info["path"], path);
    info["path"].take();
    answers_of[0] = info.to_string();
    for address in ["t1", "L1", "g1"] {
        for flag in ["--raw", "--json"] {
            let output = run(state, input, &["expand", flag, path, address]);
            answers_of.push(format!(
                "{:?} {}",
                output.status.code(),
                String::from_utf8_lossy(&output.stdout)
            ));
        }
    }
    answers_of
}

#[test]
fn a_log_from_standard_input_is_the_log_of_the_file() {
    let state = tempfile::tempdir().unwrap();
    let names = ["kept-segment.jsonl", "odd-content.jsonl", "replayed.jsonl", "unknown.jsonl"];
    for path in names.map(fixture).into_iter().chain([support::demo()]) {
        let bytes = std::fs::read(&path).unwrap();
        // Alone: what stands beside a file does not stand beside a pipe.
        let alone = log_of(&bytes);
        let plain = all(state.path(), b"", text(alone.path()));
        for input in [bytes.clone(), zstd(&bytes), gzip(&bytes)] {
            assert_eq!(all(state.path(), &input, "-"), plain, "{}", path.display());
        }
    }
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn raw_lines_of_standard_input_are_its_bytes() {
    let state = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(support::demo()).unwrap();
    let (raw, _) = answers(state.path(), &bytes, &["expand", "-", "g1", "--raw"]);
    let all = String::from_utf8(bytes).unwrap();
    assert!(raw.lines().count() > 10 && all.contains(&raw), "{raw}");
}

/// A folder with the log `name` and its sub-agents' files, all compressed by `pack` and named with `ending`.
fn packed(name: &str, ending: &str, pack: fn(&[u8]) -> Vec<u8>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |from: &Path, to: &Path| {
        let mut to = to.as_os_str().to_owned();
        to.push(ending);
        std::fs::write(to, pack(&std::fs::read(from).unwrap())).unwrap();
    };
    put(&fixture(name), &folder.path().join(name));
    let below = Path::new(name).with_extension("").join("subagents");
    std::fs::create_dir_all(folder.path().join(&below)).unwrap();
    for entry in std::fs::read_dir(fixture("").join(&below)).unwrap() {
        let from = entry.unwrap().path();
        put(&from, &folder.path().join(&below).join(from.file_name().unwrap()));
    }
    folder
}

#[test]
fn a_compressed_log_and_its_sub_agents_are_the_plain_ones() {
    let state = tempfile::tempdir().unwrap();
    let name = "compaction-call.jsonl";
    let plain = fixture(name);
    // Known by its bytes: the name may say anything.
    for (ending, pack) in [
        (".zst", zstd as fn(&[u8]) -> Vec<u8>),
        (".gz", gzip),
        ("", zstd),
        ("", gzip),
        (".gz", zstd),
        (".zst", <[u8]>::to_vec),
    ] {
        let folder = packed(name, ending, pack);
        let path = folder.path().join(format!("{name}{ending}"));
        assert_eq!(all(state.path(), b"", text(&path)), all(state.path(), b"", text(&plain)), "{ending:?}");
        for arguments in [&["turns", "--json", "--thread", "@b77"][..], &["expand", "@b77/t1", "--raw"]] {
            let of = |path: &Path| {
                let arguments: Vec<&str> = arguments[..1]
                    .iter()
                    .copied()
                    .chain([text(path)])
                    .chain(arguments[1..].iter().copied())
                    .collect();
                answers(state.path(), b"", &arguments)
            };
            assert_eq!(of(&path), of(&plain), "{ending:?} {arguments:?}");
            assert!(!of(&path).0.is_empty());
        }
    }
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn several_frames_are_one_log() {
    let state = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(support::demo()).unwrap();
    let plain = log_of(&bytes);
    // The cut falls into a line.
    let (one, two) = bytes.split_at(bytes.len() / 3);
    for packed in [[zstd(one), zstd(two)].concat(), [gzip(one), gzip(two)].concat()] {
        let log = log_of(&packed);
        assert_eq!(all(state.path(), b"", text(log.path())), all(state.path(), b"", text(plain.path())));
    }
}

#[test]
fn a_log_that_is_cut_off_keeps_what_can_be_read_and_says_where_it_ends() {
    let state = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(support::demo()).unwrap();
    for (packed, kind) in [(zstd(&bytes), "zstd"), (gzip(&bytes), "gzip")] {
        let cut = packed.len() * 2 / 3;
        let log = log_of(&packed[..cut]);
        let (info, errors) = answers(state.path(), b"", &["info", "--json", text(log.path())]);
        let info: Value = serde_json::from_str(&info).unwrap();
        for said in [&errors, info["problems"].as_str().unwrap()] {
            assert!(said.contains(&format!("{kind} data is cut off at offset {cut}")), "{said}");
        }
        assert!(errors.contains(text(log.path())), "{errors}");
        let length = info["bytes"].as_u64().unwrap() as usize;
        assert!(length > bytes.len() / 3, "{length} bytes were read");
        // The last line was cut in two: that is said of a plain file as well.
        let prefix = log_of(&bytes[..length]);
        let of = |path: &Path| answers(state.path(), b"", &["turns", "--json", text(path)]).0;
        assert_eq!(of(log.path()), of(prefix.path()));
        // From a pipe it is the same.
        let (piped, errors) = answers(state.path(), &packed[..cut], &["turns", "--json", "-"]);
        assert_eq!(piped, of(prefix.path()));
        assert!(errors.contains("standard input: ") && errors.contains("cut off at offset"), "{errors}");
    }
}

#[test]
fn a_cut_sub_agent_is_said_to_be_cut() {
    let state = tempfile::tempdir().unwrap();
    let folder = packed("compaction-call.jsonl", ".gz", gzip);
    let agent = folder.path().join("compaction-call/subagents/agent-b77.jsonl.gz");
    let bytes = std::fs::read(&agent).unwrap();
    std::fs::write(&agent, &bytes[..bytes.len() - 9]).unwrap();
    let path = folder.path().join("compaction-call.jsonl.gz");
    let (_, errors) = answers(state.path(), b"", &["turns", text(&path), "--thread", "@b77"]);
    assert!(errors.contains(text(&agent)) && errors.contains("cut off"), "{errors}");
}

#[test]
fn a_compressed_log_without_a_record_is_status_3_and_says_why() {
    let state = tempfile::tempdir().unwrap();
    let garbage = |magic: &[u8]| [magic, &[0xFF; 200]].concat();
    let window = {
        let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(28).unwrap();
        encoder.write_all(b"{}\n").unwrap();
        encoder.finish().unwrap()
    };
    for (bytes, words) in [
        (garbage(&[0x28, 0xB5, 0x2F, 0xFD]), &["zstd", "offset"][..]),
        (garbage(&[0x1F, 0x8B]), &["gzip", "offset"]),
        (zstd(&std::fs::read(support::demo()).unwrap())[..20].to_vec(), &["cut off at offset 20"]),
        (window, &["128 MiB", "zstd -d --long=31"]),
        (zstd(b""), &["empty"]),
        (zstd(b"Dear diary,\n"), &["Claude Code", "Dear diary,"]),
    ] {
        let log = log_of(&bytes);
        for arguments in
            [&["info", text(log.path())][..], &["turns", "--json", text(log.path())], &[text(log.path())]]
        {
            let output = run(state.path(), b"", arguments);
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{arguments:?}: {message}");
            assert!(output.stdout.is_empty());
            for word in words {
                assert!(message.contains(word), "no {word:?} in {message:?}");
            }
        }
    }
}

#[test]
fn what_standard_input_lacks_is_said() {
    let state = tempfile::tempdir().unwrap();
    for (input, words) in [
        (&b""[..], &["standard input ended before the first record"][..]),
        (b"\n \n", &["standard input ended before the first record"]),
        (b"Dear diary,\n", &["standard input: ", "Claude Code", "Dear diary,"]),
    ] {
        let output = run(state.path(), input, &["info", "-"]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{message}");
        for word in words {
            assert!(message.contains(word), "no {word:?} in {message:?}");
        }
    }
}

#[test]
fn without_a_state_folder_the_log_is_kept_in_memory_and_that_is_said() {
    let blocked = log_of(b"no folder");
    let bytes = std::fs::read(support::demo()).unwrap();
    let plain = answers(Path::new("/"), b"", &["turns", "--json", text(&support::demo())]);
    let packed = log_of(&zstd(&bytes));
    for state in [blocked.path().to_path_buf(), blocked.path().join("below")] {
        for (input, path) in [(&bytes[..], "-"), (b"", text(packed.path()))] {
            let (out, errors) = answers(&state, input, &["turns", "--json", path]);
            assert_eq!(out, plain.0);
            assert!(errors.contains("kept in memory") && errors.contains(text(blocked.path())), "{errors}");
        }
    }
    assert_eq!(plain.1, "", "a plain file needs no spool");
}

#[test]
fn a_full_disk_keeps_what_went_on_it_and_says_so() {
    let state = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(support::demo()).unwrap();
    let packed = log_of(&zstd(&bytes));
    // Files may grow to 100 KiB, and writing beyond is an error instead of a signal.
    let shell = r#"trap "" XFSZ; ulimit -f 200; exec "$0" turns --json "$1""#;
    let output = Command::new("sh")
        .args(["-c", shell, env!("CARGO_BIN_EXE_pentimento"), text(packed.path())])
        .env("PENTIMENTO_STATE", state.path())
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let kept: usize = errors
        .split(|c: char| !c.is_ascii_digit())
        .find_map(|n| n.parse().ok().filter(|n| *n > 9_999))
        .unwrap();
    assert!(errors.contains(&format!("only the first {kept} bytes of the log were kept")), "{errors}");
    assert!(errors.contains("PENTIMENTO_STATE") && errors.contains(text(state.path())), "{errors}");
    let prefix = log_of(&bytes[..kept]);
    let (wanted, _) = answers(state.path(), b"", &["turns", "--json", text(prefix.path())]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), wanted);
}

#[test]
fn the_state_folder_is_made_for_its_owner_alone() {
    use std::os::unix::fs::MetadataExt;
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("a/b");
    answers(&state, &std::fs::read(support::demo()).unwrap(), &["info", "-"]);
    assert_eq!(std::fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn a_file_that_is_called_like_standard_input_has_a_path() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(support::demo(), folder.path().join("-")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pentimento"))
        .args(["turns", "./-"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stdout.is_empty());
}

#[test]
fn in_a_pipe_the_interface_says_what_to_use_instead() {
    let state = tempfile::tempdir().unwrap();
    let output = run(state.path(), &std::fs::read(support::demo()).unwrap(), &["-"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("needs a terminal") && message.contains("info"), "{message}");
}

#[test]
fn zero_bytes_behind_a_gzip_member_are_no_part_of_the_log() {
    let state = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(support::demo()).unwrap();
    let plain = log_of(&bytes);
    let of = |path: &Path| answers(state.path(), b"", &["turns", "--json", text(path)]);
    let (one, two) = bytes.split_at(bytes.len() / 3);
    let zeros = vec![0; 300_000];
    for packed in [[gzip(&bytes), zeros.clone()].concat(), [gzip(one), zeros.clone(), gzip(two)].concat()] {
        let log = log_of(&packed);
        assert_eq!(of(log.path()), of(plain.path()));
    }
    // Whatever else stands there is not the log's.
    for packed in [[gzip(&bytes), vec![0, 0, 7]].concat(), [zstd(&bytes), vec![0, 0]].concat()] {
        let log = log_of(&packed);
        let (turns, errors) = of(log.path());
        assert_eq!(turns, of(plain.path()).0);
        assert!(errors.contains("neither zstd nor gzip"), "{errors}");
    }
}

#[test]
fn a_damaged_checksum_says_nothing_of_what_may_follow() {
    let state = tempfile::tempdir().unwrap();
    let mut packed = gzip(&std::fs::read(support::demo()).unwrap());
    let trailer = packed.len() - 8;
    packed[trailer] ^= 0xFF;
    let log = log_of(&packed);
    let (_, errors) = answers(state.path(), b"", &["turns", text(log.path())]);
    assert!(errors.contains("does not match its checksum"), "{errors}");
    assert!(errors.contains("some of what was read may be wrong, and nothing behind it is read"), "{errors}");
}

#[test]
fn where_no_whole_record_comes_before_the_damage_that_is_said() {
    let state = tempfile::tempdir().unwrap();
    let packed = zstd(&std::fs::read(support::demo()).unwrap());
    let log = log_of(&packed[..30]);
    let output = run(state.path(), b"", &["info", text(log.path())]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        message.contains("no whole record could be read: the zstd data is cut off at offset 30"),
        "{message}"
    );
    assert!(message.contains("--follow PATH` waits for the rest"), "{message}");
    assert!(!message.contains("all that comes before was read"), "{message}");
    let output = run(state.path(), &packed[..30], &["info", "-"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no whole record") && !message.contains("--follow"), "{message}");
}

#[test]
fn a_log_compressed_twice_is_said_to_be() {
    let state = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(support::demo()).unwrap();
    for packed in [zstd(&zstd(&bytes)), gzip(&gzip(&bytes)), gzip(&zstd(&bytes))] {
        let log = log_of(&packed);
        let output = run(state.path(), b"", &["info", text(log.path())]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert!(message.contains("it is still compressed") && message.contains("zstd -d"), "{message}");
        assert!(message.lines().count() == 1, "{message}");
    }
}
