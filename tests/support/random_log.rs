//! Random logs of Claude Code's kind: valid records, damaged lines and everything between, from a few bytes each.

use std::fmt::Write;

use proptest::prelude::*;

/// The bytes that one line is made from: its kind, its parent, a detail, its end.
pub type Seed = [u8; 4];

/// Seeds of a log of up to `lines` lines.
pub fn seeds(lines: usize) -> impl Strategy<Value = Vec<Seed>> {
    proptest::collection::vec(any::<Seed>(), 1..lines)
}

/// The log that `seeds` stand for; its last line has no newline where the last seed says so.
pub fn build(seeds: &[Seed]) -> Vec<u8> {
    let mut log = Growing::default();
    for seed in seeds {
        log.add(*seed);
    }
    if seeds.last().is_some_and(|seed| seed[3] & 1 == 1) {
        log.bytes.pop();
    }
    log.bytes
}

/// A line that is no record of any format, in one of the ways that happen.
#[allow(dead_code, reason = "each test binary uses a part of it")]
pub fn damaged(detail: u8) -> Vec<u8> {
    match detail % 7 {
        0 => Vec::new(),
        1 => b"  \t ".to_vec(),
        2 => b"{\"type\":\"message\",".to_vec(),
        3 => b"no JSON at all }".to_vec(),
        4 => b"{\"type\":\"a\"}{\"type\":\"b\"}".to_vec(),
        5 => vec![0; usize::from(detail)],
        _ => b"{\"type\":\"message\",\"text\":\"caf\xe9 \\ud83d\"}".to_vec(),
    }
}

#[derive(Default)]
struct Growing {
    bytes: Vec<u8>,
    lines: Vec<Vec<u8>>,
    /// Ids of the records in the reply chain.
    chain: Vec<String>,
    calls: usize,
}

impl Growing {
    fn add(&mut self, [kind, parent, detail, end]: Seed) {
        let line = self.line(kind, parent, usize::from(detail));
        self.bytes.extend_from_slice(&line);
        self.bytes.extend_from_slice(match end {
            0..=15 => b"\r\n",
            16..=23 => b" \n",
            24..=31 => b"\n\n",
            _ => b"\n",
        });
        self.lines.push(line);
    }

    fn line(&mut self, kind: u8, parent: u8, detail: usize) -> Vec<u8> {
        let number = self.lines.len();
        let text =
            ["ok", "run the tests", "a longer text of several words", "é \\ud83d\\ude00", ""][detail % 5];
        match kind {
            0..=39 => self.chained(parent, "user", &prompt(text)),
            40..=89 => {
                self.calls += 1;
                let message = format!(
                    r#""message":{{"id":"m{}","role":"assistant","model":"x","content":[{{"type":"text","text":"{text}"}},{{"type":"tool_use","id":"c{}","name":"{}","input":{{"file_path":"/a","n":{detail}}}}}],"usage":{{"input_tokens":{number},"output_tokens":{detail},"cache_read_input_tokens":7}}}}"#,
                    number / 3,
                    self.calls,
                    if detail.is_multiple_of(4) { "Task" } else { "Read" },
                );
                self.chained(parent, "assistant", &message)
            }
            90..=129 => {
                let call = if detail.is_multiple_of(2) { self.calls } else { detail % (self.calls + 1) };
                let message = format!(
                    r#""message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{call}","content":"{text}"}}]}}"#
                );
                self.chained(parent, "user", &message)
            }
            130..=137 => self.boundary(detail),
            138..=149 => {
                let summary = r#""isCompactSummary":true,"message":{"role":"user","content":"Summary: the story so far"}"#;
                self.chained(if detail.is_multiple_of(3) { parent } else { 128 }, "user", summary)
            }
            150..=152 => self.chained(
                255,
                "user",
                &prompt("This session is being continued from a previous conversation that ran out of context. Old."),
            ),
            153..=160 => self.chained(parent, "progress", r#""data":{"type":"hook_progress"}"#),
            161..=172 => {
                let side = format!(r#""isSidechain":true,"agentId":"a{}",{}"#, detail % 3, prompt(text));
                self.chained(parent, if detail.is_multiple_of(2) { "user" } else { "assistant" }, &side)
            }
            173..=180 => queue("enqueue", Some(text)),
            181..=184 => queue("dequeue", None),
            185..=188 => queue("remove", None),
            189..=191 => queue("popAll", None),
            192..=195 => {
                let shown = format!(r#""attachment":{{"type":"queued_command","prompt":"{text}"}}"#);
                self.chained(parent, "attachment", &shown)
            }
            196..=203 if number > 0 => self.lines[detail % number].clone(),
            204..=207 => {
                let cleared = format!(
                    r#""subtype":"microcompact_boundary","microcompactMetadata":{{"tokensSaved":9,"compactedToolIds":["c1","c{detail}"]}}"#
                );
                self.chained(parent, "system", &cleared)
            }
            208..=211 => format!(r#"{{"type":"summary","summary":"{text} {detail}","leafUuid":"x"}}"#).into(),
            212..=217 => Vec::new(),
            218..=221 => b"  \t ".to_vec(),
            222..=226 => b"{\"type\":\"user\",\"uuid\":".to_vec(),
            227..=231 => b"no JSON at all }".to_vec(),
            232..=235 => {
                let one = self.chained(parent, "user", &prompt(text));
                [&one[..], &one[..]].concat()
            }
            236..=239 => b"{\"type\":\"never-seen\",\"new\":[1,2]}".to_vec(),
            240..=242 => vec![0; detail],
            243..=245 => {
                let mut line = self.chained(parent, "user", &prompt("half"));
                let at = line.windows(4).position(|w| w == b"half").unwrap_or(0);
                line[at] = 0xff;
                line
            }
            246..=248 => self.chained(parent, "user", &prompt("cut \\ud83d")),
            _ => self.chained(parent, "user", r#""message":{"role":"user","content":{"not":"a list"}}"#),
        }
    }

    /// A record of the reply chain, hanging on the newest one, an earlier one, none, or one that is not there.
    fn chained(&mut self, parent: u8, kind: &str, rest: &str) -> Vec<u8> {
        let parent = match (parent, self.chain.last()) {
            (250..=255, _) | (_, None) => "null".to_owned(),
            (240..=249, _) => r#""gone""#.to_owned(),
            (200..=239, _) => format!(r#""{}""#, self.chain[usize::from(parent) % self.chain.len()]),
            (_, Some(last)) => format!(r#""{last}""#),
        };
        let number = self.lines.len();
        let mut line = String::new();
        let _ = write!(
            line,
            r#"{{"parentUuid":{parent},"type":"{kind}","uuid":"u{number}","sessionId":"s{}","version":"2.1.7","timestamp":"2026-01-23T10:{:02}:00.000Z",{rest}}}"#,
            number / 20,
            number % 60,
        );
        self.chain.push(format!("u{number}"));
        line.into_bytes()
    }

    fn boundary(&mut self, detail: usize) -> Vec<u8> {
        let known = |n: usize| self.chain.get(n % self.chain.len().max(1)).cloned().unwrap_or_default();
        let (head, tail) = (known(detail / 2), known(detail));
        let kept = match detail % 4 {
            0 => {
                format!(r#","preservedSegment":{{"headUuid":"{head}","anchorUuid":"x","tailUuid":"{tail}"}}"#)
            }
            1 => format!(r#","preservedMessages":{{"anchorUuid":"x","uuids":["{head}","{tail}"]}}"#),
            _ => String::new(),
        };
        let logical =
            if detail.is_multiple_of(3) { tail } else { self.chain.last().cloned().unwrap_or_default() };
        let rest = format!(
            r#""subtype":"compact_boundary","logicalParentUuid":"{logical}","compactMetadata":{{"trigger":"auto","preTokens":{detail}{kept}}}"#
        );
        self.chained(255, "system", &rest)
    }
}

fn prompt(text: &str) -> String {
    format!(r#""message":{{"role":"user","content":"{text}"}}"#)
}

fn queue(operation: &str, text: Option<&str>) -> Vec<u8> {
    let content = text.map_or_else(String::new, |text| format!(r#","content":"{text}""#));
    format!(r#"{{"type":"queue-operation","operation":"{operation}","sessionId":"s"{content}}}"#).into_bytes()
}
