//! Random rollouts of Codex's kind: items and events in and out of order, compactions, rewinds, damaged lines.

use crate::random_log::{Seed, damaged};

/// The rollout that `seeds` stand for.
pub fn build(seeds: &[Seed]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for (number, [kind, who, detail, end]) in seeds.iter().copied().enumerate() {
        let texts = ["ok", "run the tests", "a longer text of several words", "é \\ud83d\\ude00", ""];
        let text = format!("{} {}", texts[usize::from(detail) % 5], detail / 64);
        let line = match kind {
            0..=9 => meta(who),
            10..=59 => {
                said.push(text.clone());
                message(if who < 128 { "user" } else { "assistant" }, &text)
            }
            60..=79 => told(if who < 128 { "user_message" } else { "agent_message" }, &text),
            // Twice, as most agents write it, the event first or last.
            80..=119 => {
                said.push(text.clone());
                let (event, role) =
                    if who < 128 { ("user_message", "user") } else { ("agent_message", "assistant") };
                let (first, second) = (told(event, &text), message(role, &text));
                if who.is_multiple_of(2) {
                    format!("{first}\n{second}")
                } else {
                    format!("{second}\n{first}")
                }
            }
            120..=139 => call(number, detail),
            140..=159 => output(number, who, detail, &text),
            160..=169 => reasoning(detail, &text),
            170..=184 => tokens(number, detail),
            185..=199 => compacted(&said, who, detail),
            200..=206 => format!(
                r#"{{"type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{}}}}}"#,
                detail % 4
            ),
            207..=212 => turn_context(who),
            213..=216 => message("developer", &text),
            217..=219 => message("user", "<environment_context>here</environment_context>"),
            220..=222 => event(&format!(r#""type":"context_compacted","n":{detail}"#)),
            223..=225 => event(r#""type":"never-seen""#),
            226..=228 => event(&format!(r#""type":"thread_name_updated","thread_name":"{text}""#)),
            229..=231 => event(&format!(
                r#""type":"collab_agent_spawn_end","call_id":"c{detail}","new_thread_id":"thread-{who}""#
            )),
            232..=235 => format!(
                r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#
            ),
            236..=238 => r#"{"record_type":"state","n":1}"#.to_owned(),
            _ => {
                bytes.extend_from_slice(&damaged(detail));
                bytes.push(b'\n');
                continue;
            }
        };
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(if end < 16 { b"\r\n" } else { b"\n" });
    }
    if seeds.last().is_some_and(|seed| seed[3] & 1 == 1) {
        bytes.pop();
    }
    bytes
}

fn item(payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-02-23T11:54:52.353Z","type":"response_item","payload":{{{payload}}}}}"#)
}

fn event(payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-02-23T11:54:53.000Z","type":"event_msg","payload":{{{payload}}}}}"#)
}

fn meta(who: u8) -> String {
    let base = if who < 32 { r#","history_base":{"thread_id":"before"}"# } else { "" };
    format!(
        r#"{{"type":"session_meta","payload":{{"id":"session-{}","cwd":"/w","cli_version":"0.104.0"{base}}}}}"#,
        who / 64
    )
}

fn content(role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    format!(r#"[{{"type":"{kind}","text":"{text}"}}]"#)
}

fn message(role: &str, text: &str) -> String {
    item(&format!(r#""type":"message","role":"{role}","content":{}"#, content(role, text)))
}

fn told(kind: &str, text: &str) -> String {
    let images = if text.len() > 20 { r#","images":["data:image/png;base64,AAAA"]"# } else { "" };
    event(&format!(r#""type":"{kind}","message":"{text}"{images}"#))
}

fn call(number: usize, detail: u8) -> String {
    match detail % 4 {
        0 => item(&format!(r#""type":"web_search_call","action":{{"type":"search","query":"q{number}"}}"#)),
        1 => item(&format!(
            r#""type":"custom_tool_call","call_id":"c{number}","name":"apply_patch","input":"*** Begin Patch\n*** Update File: src/a.rs\n""#
        )),
        2 => item(&format!(
            r#""type":"local_shell_call","call_id":"c{number}","action":{{"type":"exec","command":["bash","-lc","ls {number}"]}}"#
        )),
        _ => item(&format!(
            r#""type":"function_call","call_id":"c{number}","name":"shell","arguments":"{{\"command\":[\"ls\"]}}""#
        )),
    }
}

fn output(number: usize, who: u8, detail: u8, text: &str) -> String {
    let call = number.saturating_sub(usize::from(who % 4));
    let output = match detail % 5 {
        0 => format!(r#""{text}""#),
        1 => format!(r#""{{\"output\":\"{text}\",\"metadata\":{{\"exit_code\":1}}}}""#),
        2 => format!(r#"[{{"type":"input_text","text":"{text}"}},{{"type":"input_image","image_url":"x"}}]"#),
        3 => format!(r#"{{"content":"{text}","success":false}}"#),
        _ => "\"\"".to_owned(),
    };
    item(&format!(r#""type":"function_call_output","call_id":"c{call}","output":{output}"#))
}

fn reasoning(detail: u8, text: &str) -> String {
    let summary = if detail.is_multiple_of(3) {
        "[]".to_owned()
    } else {
        format!(r#"[{{"type":"summary_text","text":"{text}"}}]"#)
    };
    item(&format!(r#""type":"reasoning","summary":{summary},"encrypted_content":"gAAAA{detail}""#))
}

fn tokens(number: usize, detail: u8) -> String {
    let info = match detail % 5 {
        0 => "null".to_owned(),
        // The counter of a new process begins anew.
        1 => r#"{"total_token_usage":{"input_tokens":9,"output_tokens":1},"last_token_usage":{"input_tokens":9}}"#.to_owned(),
        2 => r#"{"last_token_usage":{"input_tokens":0,"total_tokens":99},"model_context_window":258400}"#.to_owned(),
        _ => format!(
            r#"{{"total_token_usage":{{"input_tokens":{},"cached_input_tokens":7,"output_tokens":3}},"last_token_usage":{{"input_tokens":{}}}}}"#,
            100 * number + 10,
            100 + number
        ),
    };
    event(&format!(r#""type":"token_count","info":{info}"#))
}

fn compacted(said: &[String], who: u8, detail: u8) -> String {
    let mut items: Vec<String> = said
        .iter()
        .rev()
        .take(usize::from(detail % 6))
        .map(|text| format!(r#"{{"type":"message","role":"user","content":{}}}"#, content("user", text)))
        .collect();
    items.reverse();
    let summary = "Another language model started to solve this problem. The story so far.";
    let message = match who % 5 {
        0 => {
            items.push(r#"{"type":"compaction","encrypted_content":"gAAAAABcdef"}"#.to_owned());
            ""
        }
        1 => {
            items.push(format!(
                r#"{{"type":"message","role":"user","content":{}}}"#,
                content("user", summary)
            ));
            summary
        }
        2 => {
            items.push(format!(
                r#"{{"type":"message","role":"user","content":{}}}"#,
                content("user", summary)
            ));
            ""
        }
        3 => "",
        _ => "only a message",
    };
    let history = if who.is_multiple_of(7) {
        String::new()
    } else {
        format!(r#","replacement_history":[{}]"#, items.join(","))
    };
    format!(
        r#"{{"timestamp":"2026-02-23T12:00:00.000Z","type":"compacted","payload":{{"message":"{message}"{history}}}}}"#
    )
}

fn turn_context(who: u8) -> String {
    format!(r#"{{"type":"turn_context","payload":{{"cwd":"/w","model":"gpt-{}"}}}}"#, who % 3)
}
