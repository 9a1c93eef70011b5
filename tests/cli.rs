//! The command line's contract: exit statuses, messages, pipes, JSON, and nothing dangerous on a terminal.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a failed test may panic"
)]

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{fixture, json, json_lines, log_of, run, stdout, text};

/// Runs a command that must fail with `status`, print nothing and say `words` on standard error.
fn fails(arguments: &[&str], status: i32, words: &[&str]) {
    let output = run(arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed {:?}", String::from_utf8_lossy(&output.stdout));
    for word in words {
        assert!(message.contains(word), "{arguments:?}: no {word:?} in {message:?}");
    }
}

/// The ways to look at a log; each needs nothing but its path.
const LOOKS: [&[&str]; 5] =
    [&["info"], &["turns"], &["context"], &["tree"], &["tree", "--view", "generations", "--depth", "5"]];

/// The arguments of a look at `path`.
fn look<'a>(arguments: &[&'a str], path: &'a Path) -> Vec<&'a str> {
    arguments.iter().copied().chain([text(path)]).collect()
}

#[test]
fn a_log_that_cannot_be_read_is_status_3_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.jsonl");
    let empty = log_of(b"");
    let blank = log_of(b"\n  \n");
    for arguments in LOOKS {
        fails(&look(arguments, &missing), 3, &["no such file", text(&missing), "--follow"]);
        fails(&look(arguments, folder.path()), 3, &["folder", text(folder.path())]);
        fails(&look(arguments, empty.path()), 3, &["empty", text(empty.path())]);
        fails(&look(arguments, blank.path()), 3, &["empty", text(blank.path())]);
    }
    fails(&["expand", text(&missing), "t1"], 3, &["no such file"]);
}

#[test]
fn a_file_of_no_known_format_says_what_was_looked_for_and_what_it_holds() {
    let diary = log_of("Dear diary,\n\u{1b}[31mtoday\n".repeat(50).as_bytes());
    for arguments in LOOKS {
        fails(&look(arguments, diary.path()), 3, &["Claude Code", "parentUuid", "Dear diary,"]);
    }
    let message = run(&["info", text(diary.path())]).stderr;
    assert!(!message.contains(&0x1b), "an escape sequence reached the terminal");
}

#[test]
fn wrong_usage_is_status_2() {
    let log = fixture("rewind.jsonl");
    let log = text(&log);
    fails(&["expand", log, "x9"], 2, &["\"x9\" is no address", "t489"]);
    fails(&["expand", log, "t1", "--raw", "--json"], 2, &["--raw"]);
    fails(&["context", log, "--as-of", "soon"], 2, &["\"soon\" is no moment"]);
    fails(&["context", log, "--strategy", "magic"], 2, &["\"magic\" is no strategy", "recorded"]);
    fails(&["turns", log, "--range", "5"], 2, &["\"5\" is no range"]);
    fails(&["tree", log, "--view", "moon"], 2, &["moon", "window"]);
    fails(&["info"], 2, &["<PATH>"]);
    fails(&["nonsense", "and", "more"], 2, &[]);
}

#[test]
fn an_address_that_leads_nowhere_is_status_4_and_says_how_far_the_log_goes() {
    let log = fixture("rewind.jsonl");
    let log = text(&log);
    fails(&["expand", log, "t99"], 4, &["no turn 99", "has 10"]);
    fails(&["expand", log, "t0"], 4, &["no turn 0"]);
    fails(&["expand", log, "t1.7"], 4, &["t1", "has 1 part,"]);
    fails(&["expand", log, "L99"], 4, &["line 99", "11"]);
    fails(&["expand", log, "g2"], 4, &["no generation 2", "has 1"]);
    fails(&["expand", log, "@nobody/t1"], 4, &["@nobody", "no sub-agents"]);
    fails(&["context", log, "--as-of", "99"], 4, &["no turn 99", "has 10"]);
    fails(&["context", log, "--as-of", "g7"], 4, &["no generation 7"]);
    fails(&["context", log, "--as-of", "2001-01-01T00:00"], 4, &["2001-01-01T00:00"]);
    let alone = fixture("boundary-alone.jsonl");
    fails(&["context", text(&alone), "--as-of", "g1"], 4, &["without a summary"]);
    fails(&["expand", text(&alone), "g1"], 4, &["covers no turn"]);
    let with_agent = fixture("compaction-call.jsonl");
    fails(&["expand", text(&with_agent), "@b77/t9"], 4, &["@b77", "has 2"]);
    fails(&["turns", text(&with_agent), "--thread", "@nobody"], 4, &["@b77"]);
}

#[test]
fn every_kind_of_address_is_found() {
    let log = fixture("compaction-call.jsonl");
    let role_and_text = |address: &str| -> Vec<(String, String)> {
        let lines = json_lines(&["expand", "--json", text(&log), address]);
        let field = |line: &serde_json::Value, key: &str| line[key].as_str().unwrap().to_owned();
        lines.iter().map(|line| (field(line, "address"), field(line, "text"))).collect()
    };
    let pair = |address: &str, text: &str| (address.to_owned(), text.to_owned());
    assert_eq!(role_and_text("t1"), [pair("t1", "Add a dark theme.")]);
    assert_eq!(role_and_text("t2.0"), [pair("t2.0", "Which colours?")]);
    assert_eq!(role_and_text("L3"), [pair("t3", "Use the ones of the logo.")]);
    assert_eq!(role_and_text("@b77/t2"), [pair("@b77/t2", "Twelve.")]);
    assert_eq!(role_and_text("@b77").len(), 2);
    assert_eq!(role_and_text("g1").len(), 4);
    let note = json_lines(&["expand", "--json", text(&log), "L5"]);
    assert_eq!((&note[0]["address"], &note[0]["role"]), (&"L5".into(), &"note".into()));
}

#[test]
fn every_json_answer_is_one_object_that_names_its_schema_or_one_object_a_line() {
    for entry in std::fs::read_dir(fixture("")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        for arguments in LOOKS {
            let arguments: Vec<&str> = look(arguments, &path).into_iter().chain(["--json"]).collect();
            if arguments[0] == "turns" {
                assert!(
                    json_lines(&arguments).iter().all(|line| line["address"].is_string()),
                    "{arguments:?}"
                );
            } else {
                assert_eq!(json(&arguments)["schema"], 1, "{arguments:?}");
            }
        }
    }
}

#[test]
fn answers_are_the_same_in_every_run() {
    let log = fixture("replayed.jsonl");
    for arguments in LOOKS {
        assert_eq!(stdout(&look(arguments, &log)), stdout(&look(arguments, &log)), "{arguments:?}");
    }
}

#[test]
fn completions_and_the_manual_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(stdout(&["completions", shell])).unwrap();
        assert!(script.contains("pentimento") && script.contains("expand"), "{shell}");
    }
    let manual = String::from_utf8(stdout(&["man"])).unwrap();
    assert!(manual.contains(".TH pentimento") && manual.contains("expand"), "{manual}");
}

/// A log of `turns` prompts.
fn long_log(turns: usize) -> tempfile::NamedTempFile {
    let mut log = String::new();
    for number in 0..turns {
        let _ = writeln!(
            log,
            r#"{{"parentUuid":null,"type":"user","uuid":"u{number}","sessionId":"s","message":{{"role":"user","content":"prompt {number}"}}}}"#
        );
    }
    log_of(log.as_bytes())
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let log = long_log(5_000);
    let log = text(log.path());
    for arguments in [
        &["turns", log][..],
        &["turns", "--json", log],
        &["info", log],
        &["context", "--strategy", "full", log],
        &["expand", log, "t1"],
        &["completions", "bash"],
        &["completions", "fish"],
        &["man"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_pentimento"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(writer)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), message.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_reader_that_takes_one_line_gets_that_line() {
    use std::io::{BufRead, BufReader};
    let log = long_log(5_000);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pentimento"))
        .args(["turns", text(log.path())])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("prompt 0"), "{first}");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// What no terminal should be sent: escape sequences, controls, and characters that reorder text.
const HOSTILE: &str =
    r"\u001b[2J\u001b]52;c;Zm9v\u0007 \u009b31m \u202egnp.exe\u2066 \u0000\u0008\u007f\r\n\u200b end";

/// A log with hostile text in every place that a command prints.
fn hostile_log() -> tempfile::NamedTempFile {
    let mut log = String::new();
    let mut add = |kind: &str, id: &str, parent: &str, rest: &str| {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
        let _ = writeln!(
            log,
            r#"{{"parentUuid":{parent},"type":"{kind}","uuid":"{id}","sessionId":"{HOSTILE}","version":"{HOSTILE}",{rest}}}"#
        );
    };
    let said = |role: &str, content: &str| {
        format!(r#""message":{{"role":"{role}","id":"m{HOSTILE}","model":"{HOSTILE}","content":{content}}}"#)
    };
    add("user", "u1", "", &said("user", &format!("\"{HOSTILE}\"")));
    let call = format!(
        r#"[{{"type":"thinking","thinking":"{HOSTILE}"}},{{"type":"{HOSTILE}","text":"{HOSTILE}"}},{{"type":"tool_use","id":"c1","name":"{HOSTILE}","input":{{"file_path":"{HOSTILE}","{HOSTILE}":"{HOSTILE}"}}}}]"#
    );
    add("assistant", "a1", "u1", &said("assistant", &call));
    let result = format!(r#"[{{"type":"tool_result","tool_use_id":"c1","content":"{HOSTILE}"}}]"#);
    add("user", "r1", "a1", &said("user", &result));
    let side =
        format!(r#""isSidechain":true,"agentId":"{HOSTILE}",{}"#, said("user", &format!("\"{HOSTILE}\"")));
    add("user", "z1", "", &side);
    add(HOSTILE, "n1", "r1", &format!(r#""{HOSTILE}":1"#));
    add("system", "n2", "r1", &format!(r#""subtype":"{HOSTILE}""#));
    add(
        "system",
        "b1",
        "",
        &format!(r#""subtype":"compact_boundary","compactMetadata":{{"trigger":"{HOSTILE}","preTokens":5}}"#),
    );
    let summary =
        format!(r#""isCompactSummary":true,{}"#, said("user", &format!("\"1. {HOSTILE}:\\n{HOSTILE}\"")));
    add("user", "s1", "b1", &summary);
    add("ai-title", "t1", "", &format!(r#""aiTitle":"{HOSTILE}""#));
    log.push_str("{\"broken \u{1b}[31m \u{202e}\n");
    log_of(log.as_bytes())
}

fn is_dangerous(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}' | '\u{61c}')
}

#[test]
fn nothing_in_a_log_reaches_the_terminal_raw() {
    let log = hostile_log();
    let log = text(log.path());
    let turns = json_lines(&["turns", "--json", log]);
    assert!(turns.iter().any(|turn| turn["preview"].to_string().contains("\\u001b")), "JSON keeps the text");
    let mut runs: Vec<Vec<&str>> = vec![
        vec!["info", log],
        vec!["turns", log],
        vec!["context", log],
        vec!["context", log, "--as-of", "g1-"],
        vec!["context", log, "--strategy", "full"],
        vec!["expand", log, "g1"],
        vec!["expand", log, "g1", "--summary"],
        vec!["tree", log, "--depth", "9"],
        vec!["tree", log, "--depth", "9", "--as-of", "g1-"],
        vec!["tree", log, "--view", "generations", "--depth", "9"],
    ];
    let lines: Vec<String> = (1..=10).map(|line| format!("L{line}")).collect();
    runs.extend(lines.iter().map(|line| vec!["expand", log, line]));
    for arguments in runs {
        let printed = String::from_utf8(stdout(&arguments)).unwrap();
        let found: Vec<char> = printed.chars().filter(|c| is_dangerous(*c)).collect();
        assert!(found.is_empty(), "{arguments:?} printed {found:?} in {printed:?}");
        assert!(!printed.is_empty(), "{arguments:?}");
    }
    for address in ["t1.9", "@x\u{1b}[31m/t1", "g\u{202e}", "L99"] {
        let message = String::from_utf8(run(&["expand", log, address]).stderr).unwrap();
        assert!(!message.is_empty() && !message.chars().any(is_dangerous), "{address:?}: {message:?}");
    }
}

#[test]
fn a_pipe_a_device_and_a_file_without_a_length_do_not_hang() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (path, word) in
        [(pipe.to_str().unwrap(), "pipe"), ("/dev/zero", "device"), ("/proc/self/status", "format")]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_pentimento")).args(["info", path]).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{path}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(word), "{path}: {message}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/session.jsonl");
    for (arguments, status) in [
        (&["turns", demo, "--range", "5..3"][..], 2),
        (&["turns", demo, "--range", "0..3"], 2),
        (&["turns", demo, "--range", "9000..9001"], 4),
        (&["context", demo, "--as-of", "25:99"], 2),
        (&["context", demo, "--hot", "4"], 2),
        (&["context", demo, "--strategy", "truncate", "--hot", "0"], 2),
        (&["context", demo, "--strategy", "truncate", "--budget", "0"], 2),
        (&["expand", demo, "t2", "--summary"], 4),
        (&["expand", demo, "@/t1"], 2),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_pentimento")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn what_is_quoted_and_counted_reads_well() {
    let agents = fixture("compaction-call.jsonl");
    let nested = "@../../x/t1";
    fails(&["expand", text(&agents), nested], 2, &["\"@../../x/t1\" is no address"]);
    let long = "z".repeat(900);
    fails(&["expand", text(&agents), &long], 2, &["zzz…\" is no address", "g3 for a generation"]);
    fails(&["context", text(&agents), "--as-of", &long], 2, &["zzz…\" is no moment", "clock time"]);
    let bare =
        r#"{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"c","cwd":"/q"}}"#;
    let log = log_of(bare.as_bytes());
    let info = String::from_utf8(stdout(&["info", text(log.path())])).unwrap();
    assert!(info.contains("turns       0\n"), "{info}");
    let head = r#"{"type":"session","version":3,"id":"S","timestamp":"2025-01-01T10:00:00Z","cwd":"/p"}"#;
    let log = log_of(format!("{head}\n{{\"type\":\"message\",\"id\":\"e\",\"message\":null}}\n").as_bytes());
    let info = json(&["info", "--json", text(log.path())]);
    assert_eq!(info["unknown"]["message without a role"], 1, "{info}");
}

#[test]
fn a_parent_that_is_in_the_file_is_not_called_missing() {
    let line = |id: &str, parent: &str, text: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2025-01-01T10:00:00Z","message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let head = r#"{"type":"session","version":3,"id":"S","timestamp":"2025-01-01T10:00:00Z","cwd":"/p"}"#;
    let lines = [
        head.to_owned(),
        line("a", "b", "forward"),
        line("b", "a", "back"),
        line("c", "c", "itself"),
        line("d", "nowhere", "lost"),
    ];
    let log = log_of(lines.join("\n").as_bytes());
    let turns = String::from_utf8(stdout(&["turns", text(log.path())])).unwrap();
    let of = |word: &str| turns.lines().find(|line| line.contains(word)).unwrap();
    assert!(of("forward").contains("[parent not before it]"), "{turns}");
    assert!(of("itself").contains("[parent not before it]"), "{turns}");
    assert!(of("lost").contains("[parent missing]"), "{turns}");
    assert!(!of("back").contains("parent"), "{turns}");
}

#[test]
fn a_sub_agents_log_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("main.jsonl");
    std::fs::copy(fixture("compaction-call.jsonl"), &main).unwrap();
    let agents = folder.path().join("main/subagents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("agent-none.jsonl"), "").unwrap();
    std::fs::create_dir(agents.join("agent-dir.jsonl")).unwrap();
    for (name, word) in [("@none/t1", "empty so far"), ("@dir/t1", "a folder, not a sub-agent's log")] {
        let output = run(&["expand", text(&main), name]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(word) && !message.contains("--follow"), "{message}");
    }
}

/// What the documentation says can be checked, with a log whose name holds the words that the check looks for.
#[test]
fn nothing_is_written_elsewhere_and_no_network_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("O_RDWR-truncated-unlink-socket.jsonl");
    std::fs::copy(fixture("kept-segment.jsonl"), &log).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trace.sh");
    let mut command = Command::new("bash");
    command.arg(script).arg(env!("CARGO_BIN_EXE_pentimento")).arg(&log);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("skipped: ") || last.starts_with("nothing else was written"), "{said}");
    println!("{last}");
}
