//! Random sessions of pi's kind, linear and as trees: messages, compactions, branch summaries, damaged lines.

use crate::random_log::{Seed, damaged};

/// The session that `seeds` stand for; the first seed decides whether its entries have ids.
pub fn build(seeds: &[Seed]) -> Vec<u8> {
    let linear = seeds.first().is_some_and(|seed| seed[1] < 96);
    let version = if linear { "" } else { r#""version":3,"# };
    let head = r#""id":"a-session","timestamp":"2026-05-12T01:02:27.657Z","cwd":"/w""#;
    let mut bytes = format!("{{\"type\":\"session\",{version}{head}}}\n").into_bytes();
    let mut ids: Vec<String> = Vec::new();
    for (number, [kind, parent, detail, end]) in seeds.iter().copied().enumerate() {
        let (known, n) = (ids.clone(), usize::from(detail));
        let known = |at: usize| known.get(at % known.len().max(1)).cloned().unwrap_or_default();
        let rest = match kind {
            239.. => {
                bytes.extend_from_slice(&damaged(detail));
                bytes.push(b'\n');
                continue;
            }
            kind => entry(kind, number, n, linear, &known),
        };
        let link = match (linear, parent) {
            (true, _) => String::new(),
            (false, 250..) => format!(r#""id":"e{number}","parentId":"gone","#),
            (false, 240..=249) => format!(r#""id":"e{number}","parentId":null,"#),
            (false, 190..=239) if !ids.is_empty() => {
                format!(r#""id":"e{number}","parentId":"{}","#, known(usize::from(parent)))
            }
            _ => match ids.last() {
                Some(last) => format!(r#""id":"e{number}","parentId":"{last}","#),
                None => format!(r#""id":"e{number}","parentId":null,"#),
            },
        };
        let line = format!(r#"{{{link}"timestamp":"2026-05-12T01:{:02}:00.000Z",{rest}}}"#, number % 60);
        ids.push(format!("e{number}"));
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(if end < 16 { b"\r\n" } else { b"\n" });
    }
    if seeds.last().is_some_and(|seed| seed[3] & 1 == 1) {
        bytes.pop();
    }
    bytes
}

fn entry(kind: u8, number: usize, detail: usize, linear: bool, known: &dyn Fn(usize) -> String) -> String {
    let text = ["ok", "run the tests", "a longer text of several words", "é \\ud83d\\ude00", ""][detail % 5];
    let blocks = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
    let message = |rest: &str| format!(r#""type":"message","message":{{{rest}}}"#);
    match kind {
        0..=49 => message(&format!(r#""role":"user","content":{blocks}"#)),
        50..=109 => {
            let failed = if detail.is_multiple_of(7) { r#","errorMessage":"429 too many"# } else { "" };
            let failed = if failed.is_empty() { String::new() } else { format!("{failed}\"") };
            message(&format!(
                r#""role":"assistant","model":"m","content":[{{"type":"thinking","thinking":"{text}"}},{{"type":"toolCall","id":"c{number}","name":"bash","arguments":{{"command":"ls {detail}"}}}}],"usage":{{"input":{number},"output":{detail},"cacheRead":100,"cacheWrite":2}}{failed}"#
            ))
        }
        110..=159 => message(&format!(
            r#""role":"toolResult","toolCallId":"c{}","isError":{},"content":[{{"type":"text","text":"{text}"}},{{"type":"image","data":"AAAA","mimeType":"image/png"}}]"#,
            number.saturating_sub(detail % 3),
            detail.is_multiple_of(4)
        )),
        160..=164 => message(&format!(r#""role":"toolResult","toolCallId":"c{number}","content":[]"#)),
        165..=169 => message(&format!(r#""role":"bashExecution","command":"ls","output":"{text}""#)),
        170..=189 => {
            let kept = match (linear, detail % 4) {
                (_, 3) => String::new(),
                (true, _) => format!(r#","firstKeptEntryIndex":{}"#, detail % (number + 2)),
                (false, 2) => r#","firstKeptEntryId":"gone""#.to_owned(),
                (false, _) => format!(r#","firstKeptEntryId":"{}""#, known(detail)),
            };
            format!(r#""type":"compaction","summary":"{text}","tokensBefore":{detail}{kept}"#)
        }
        190..=199 => format!(r#""type":"branch_summary","summary":"left","fromId":"{}""#, known(detail)),
        200..=206 => format!(r#""type":"custom_message","customType":"x","content":{blocks},"display":true"#),
        207..=212 => format!(r#""type":"session_info","name":"{text}""#),
        213..=218 => format!(r#""type":"model_change","provider":"p","modelId":"m{detail}""#),
        219..=224 => r#""type":"thinking_level_change","thinkingLevel":"high""#.to_owned(),
        225..=229 => r#""type":"never-seen","new":1"#.to_owned(),
        230..=234 => message(r#""role":"hologram","content":"?""#),
        _ => r#""type":"label","targetId":"x","label":"here""#.to_owned(),
    }
}
