//! Logs whose content is odd: nested without end, damaged, binary, empty.

use std::collections::BTreeMap;
use std::fmt::Write;

use pentimento::session::TurnId;
use pentimento::session::open::OpenLog;

use crate::pty::Screen;
use crate::samples::{SAMPLES, Sample};
use crate::support::{json, json_lines, log_of, run, stdout, text};

/// Values that a reader may stumble over.
fn odd_values() -> Vec<(&'static str, String)> {
    let nested = |open: &str, inside: &str, shut: &str, deep: usize| {
        format!("{}{inside}{}", open.repeat(deep), shut.repeat(deep))
    };
    let mut values = vec![
        ("arrays", nested("[", "", "]", 100_000)),
        ("objects", nested(r#"{"a":"#, "1", "}", 100_000)),
        ("both", nested(r#"[{"text":"#, r#""end""#, "}]", 50_000)),
        ("texts in texts", nested(r#"[{"type":"text","text":"#, r#""end""#, "}]", 50_000)),
        ("results in results", nested(r#"[{"type":"tool_result","content":"#, r#""end""#, "}]", 50_000)),
        ("messages in messages", nested(r#"{"content":"#, "1", "}", 100_000)),
    ];
    // Around every limit that a reader of JSON may have.
    for deep in [62, 63, 64, 65, 126, 127, 128, 129] {
        values.push(("limits", nested("[", r#""x""#, "]", deep)));
        values.push(("limits", nested(r#"{"text":"#, r#""x""#, "}", deep)));
    }
    values.extend([
        (
            "a key twice",
            r#"{"type":"text","text":"one","type":"image","text":"two","text":"three"}"#.to_owned(),
        ),
        ("half a pair", r#""cut \ud83d""#.to_owned()),
        ("the other half", r#"["\ude00",{"\ude00":"\ud83d","text":"\ud83d"}]"#.to_owned()),
        ("numbers without end", r#"[1e999,-1E+400,{"text":1e999}]"#.to_owned()),
        ("large numbers", r"[18446744073709551616,-9223372036854775809,1e308,-0.0]".to_owned()),
        ("null", "null".to_owned()),
        ("false", "false".to_owned()),
        ("nothing", r#""""#.to_owned()),
        ("blank", r#"" \n\t ""#.to_owned()),
        ("zero", r#""\u0000""#.to_owned()),
        ("strings", r#"["a",["b"],{"text":["c"]},{"type":"text","text":["d"]}]"#.to_owned()),
        ("many blocks", format!("[{}0]", r#"{"type":"text","text":"x"},"#.repeat(70_000))),
        (
            "many keys",
            format!(
                "{{{}\"z\":0}}",
                (0..9_000).fold(String::new(), |mut keys, key| {
                    let _ = write!(keys, "\"k{key}\":{key},");
                    keys
                })
            ),
        ),
    ]);
    values
}

#[test]
fn no_value_in_any_field_costs_a_record_or_its_text() {
    for sample in &SAMPLES {
        for (number, (what, value)) in odd_values().into_iter().enumerate() {
            let log = log_of(sample.with_values(&value).as_bytes());
            let path = text(log.path());
            let what = format!("{} {what}", sample.format);
            let info = json(&["info", "--json", path]);
            let records = sample.head.len() + sample.values.len() + 2;
            assert_eq!(
                (&info["records"], &info["malformed"]),
                (&records.into(), &0.into()),
                "{what}: {info}"
            );
            let look = [&["turns", "--json"][..], &["context"], &["tree", "--depth", "9"]][number % 3];
            assert!(!stdout(&[look, &[path]].concat()).is_empty(), "{what} {look:?}");
            let log = OpenLog::load(log.path()).unwrap();
            for id in (0..log.session.turns().len() as u32).map(TurnId) {
                let (texts, parts) = (log.texts(id).unwrap().len(), log.session.part_count(id));
                assert_eq!(texts, parts, "{what} {}", log.session.address(id));
            }
        }
    }
}

#[test]
fn what_is_nested_without_end_is_shown_to_its_end() {
    let deep = format!("{}\"the innermost\"{}", "[".repeat(100_000), "]".repeat(100_000));
    for sample in &SAMPLES {
        let log = log_of(sample.with_values(&deep).as_bytes());
        let path = text(log.path());
        let calls: Vec<String> = json_lines(&["turns", "--json", path])
            .iter()
            .filter(|turn| {
                turn["parts"].as_array().is_some_and(|parts| parts.iter().any(|p| p["kind"] == "tool_call"))
            })
            .map(|turn| turn["address"].as_str().unwrap().to_owned())
            .collect();
        assert!(!calls.is_empty());
        for address in &calls {
            let shown = String::from_utf8(stdout(&["expand", path, address])).unwrap();
            assert!(shown.contains("the innermost"), "{address}");
        }
    }
}

/// Opens the log, walks over every row with its detail, opens all of it, and leaves. The answer is the first screen.
fn walk(path: &str, rows: usize) -> String {
    let mut screen = Screen::start(&[path], 120, 40);
    // Keys that come before the log is read would be answered by an empty view.
    screen.wait("○ at the end");
    let first = screen.until("first screen", |text| text.contains("Window: what the model sees"));
    for keys in ["g", "*", "g"] {
        screen.press(keys);
    }
    for _ in 0..rows {
        screen.press("j");
    }
    for keys in ["2", "g", "*", "j", "j", "j", "\t", " ", "G", "\t", "/x\r"] {
        screen.press(keys);
    }
    screen.until("end of the search", |text| text.contains("nothing found") || text.contains("match"));
    screen.press("\x1b");
    screen.press(":L1\r");
    screen.press("?");
    screen.wait("Help");
    screen.press("?q");
    assert_eq!(screen.ended(), 0);
    first
}

#[test]
fn no_value_in_any_field_stops_the_interface() {
    for sample in &SAMPLES {
        let kinds: BTreeMap<&str, String> = odd_values().into_iter().collect();
        for (what, value) in kinds {
            println!("{} {what}", sample.format);
            let log = log_of(sample.with_values(&value).as_bytes());
            walk(text(log.path()), 30);
        }
    }
}

/// What a damaged file is, what `info --json` says of its records and malformed lines, and words on its first screen.
struct Damage {
    what: &'static str,
    bytes: Vec<u8>,
    records: u64,
    malformed: u64,
    shows: &'static [&'static str],
}

fn damages(sample: &Sample) -> Vec<Damage> {
    let plain = sample.prompts(["first", "second", "third"]).into_bytes();
    let head = sample.head.len() as u64;
    let lines: Vec<&[u8]> = plain.split_inclusive(|byte| *byte == b'\n').collect();
    let (before, last) = lines.split_at(lines.len() - 1);
    let (before, last) = (before.concat(), last[0]);
    let with = |parts: &[&[u8]]| parts.concat();
    let junk: Vec<u8> = (0..9_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let broken =
        junk.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count() as u64;
    let not_utf8 = with(&[&before, &sample.prompt(3, "thXrd").replace('X', "\u{7f}").into_bytes(), b"\n"]);
    let not_utf8: Vec<u8> = not_utf8.into_iter().map(|byte| if byte == 0x7f { 0xff } else { byte }).collect();
    let damage = |what, bytes, records, malformed, shows| Damage {
        what,
        bytes,
        records: head + records,
        malformed,
        shows,
    };
    vec![
        damage("no final newline", plain[..plain.len() - 1].to_vec(), 3, 0, &["turn 3"]),
        damage("carriage returns", with(&[&before[..before.len() - 1], b"\r\n", last]), 3, 0, &["turn 3"]),
        damage("bytes that are no text", not_utf8, 3, 0, &["turn 3"]),
        damage("zero bytes at the end", with(&[&plain, &[0; 4096]]), 4, 1, &["turn 3"]),
        damage("zero bytes, then a record", with(&[&before, &[0; 4096], last]), 3, 0, &["turn 3"]),
        damage("junk in the middle", with(&[&before, &junk, b"\n", last]), 3 + broken, broken, &["turn 3"]),
        damage(
            "a torn line in the middle",
            with(&[&before, &last[..last.len() / 2], b"\n", last]),
            4,
            1,
            &["turn 3"],
        ),
        damage(
            "a torn line at the end",
            with(&[&plain, &last[..last.len() / 2]]),
            4,
            1,
            &["turn 3", "1 line unfinished"],
        ),
        damage("blank lines", with(&[b"\n\n \n", &before, b"\n\t\n", last, b"\n\n"]), 3, 0, &["turn 3"]),
        damage("a mark of byte order", with(&[b"\xef\xbb\xbf", &plain]), 3, 0, &["turn 3"]),
    ]
}

#[test]
fn a_damaged_log_is_read_as_far_as_it_can_be() {
    for sample in &SAMPLES {
        for Damage { what, bytes, records, malformed, shows } in damages(sample) {
            let what = format!("{} {what}", sample.format);
            let log = log_of(&bytes);
            let path = text(log.path());
            let info = json(&["info", "--json", path]);
            assert_eq!(
                (&info["records"], &info["malformed"]),
                (&records.into(), &malformed.into()),
                "{what}: {info}"
            );
            assert_eq!(info["main_turns"], 3, "{what}");
            for line in info["malformed_lines"].as_array().unwrap() {
                assert!(line["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{what}: {line}");
                let address = format!("L{}", line["line"]);
                let shown = String::from_utf8(stdout(&["expand", path, &address])).unwrap();
                assert!(shown.contains("malformed"), "{what}: {shown}");
            }
            let raw = stdout(&["expand", "--raw", path, "t1"]);
            assert!(bytes.windows(raw.len() - 1).any(|window| window == &raw[..raw.len() - 1]), "{what}");
            let mut screen = Screen::start(&[path], 120, 40);
            for words in shows {
                screen.wait(words);
            }
            screen.press("q");
            assert_eq!(screen.ended(), 0, "{what}");
        }
    }
}

#[test]
fn files_that_are_no_logs_say_so() {
    let junk: Vec<u8> = (0..200_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let files: [(&str, Vec<u8>, &str); 7] = [
        ("empty", Vec::new(), "the file is empty"),
        ("a newline", b"\n".to_vec(), "the file is empty"),
        ("a brace", b"{".to_vec(), "no known log format"),
        ("a zero byte", vec![0], "no known log format"),
        ("zero bytes", vec![0; 100_000], "no known log format"),
        ("junk", junk, "no known log format"),
        ("one long line", vec![b'x'; 3_000_000], "no known log format"),
    ];
    for (what, bytes, words) in files {
        let log = log_of(&bytes);
        let path = text(log.path());
        for arguments in [
            &["info", path][..],
            &["turns", path],
            &["context", path],
            &["tree", path],
            &["expand", path, "t1"],
        ] {
            let output = run(arguments);
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{what} {arguments:?}: {message}");
            assert!(message.contains(words) && output.stdout.is_empty(), "{what} {arguments:?}: {message}");
            assert!(message.len() < 2_000, "{what}: {} bytes of message", message.len());
        }
        let mut screen = Screen::start(&[path], 120, 30);
        screen.wait(&words[..12]);
        assert_eq!(screen.ended(), 3, "{what}");
        assert!(!screen.is_alternate());
    }
}

#[test]
fn a_follower_of_a_file_without_records_waits_for_them() {
    for sample in &SAMPLES {
        for bytes in [&b""[..], b"\n", b"{", &[0]] {
            let log = log_of(bytes);
            let mut screen = Screen::start(&["--follow", text(log.path())], 120, 30);
            let zeros = bytes.contains(&0);
            screen.wait(if zeros { "no known format yet" } else { "waiting for the first records" });
            let more = format!("\n{}", sample.prompts(["at last"]));
            std::io::Write::write_all(&mut log.as_file(), more.as_bytes()).unwrap();
            screen.wait("at last");
            screen.press("q");
            assert_eq!(screen.ended(), 0);
        }
    }
}
