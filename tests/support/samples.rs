//! How each format's lines are written by hand: the table that the tests of odd logs go through.
//!
//! A further format joins them with a row. In a template `TEXT` is the inside of a JSON string, `VALUE` a JSON value,
//! `N` the line's number and `PARENT` the id of the line before, quoted, or `null` on the first.

#![allow(dead_code, reason = "each test binary uses a part of it")]

/// A format's lines.
pub struct Sample {
    /// The name of the format.
    pub format: &'static str,
    /// What a log begins with.
    pub head: &'static [&'static str],
    /// A prompt.
    pub prompt: &'static str,
    /// Lines with any value, in fields that are known and in one that is not. Each is a record whatever the value.
    pub values: &'static [&'static str],
    /// One line of each kind, with text in every place that can hold it.
    pub texts: &'static [&'static str],
}

/// Every format of this build.
pub const SAMPLES: [Sample; 1] = [CLAUDE_CODE];

const CLAUDE_CODE: Sample = Sample {
    format: "claude-code",
    head: &[],
    prompt: r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","version":"2.1.7","message":{"role":"user","content":"TEXT"}}"#,
    values: &[
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","unheard":VALUE,"message":{"role":"user","content":"unknown field"}}"#,
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","version":VALUE,"timestamp":VALUE,"message":{"role":VALUE,"content":"known fields"}}"#,
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","message":{"role":"user","content":VALUE}}"#,
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","message":{"role":"user","content":[VALUE,{"type":"text","text":"beside it"}]}}"#,
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","message":{"role":"user","content":[{"type":"text","text":VALUE},{"type":"text","text":"after it"}]}}"#,
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","message":VALUE}"#,
        r#"{"parentUuid":PARENT,"type":"assistant","uuid":"uN","sessionId":"s1","message":{"role":"assistant","id":"mN","usage":VALUE,"content":[{"type":"tool_use","id":"cN","name":"Read","input":VALUE}]}}"#,
        r#"{"parentUuid":PARENT,"type":"assistant","uuid":"uN","sessionId":"s1","message":{"role":"assistant","id":"mN","content":[{"type":"tool_use","id":"dN","name":"Read","input":{"file_path":"/a","deep":VALUE}}]}}"#,
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","toolUseResult":VALUE,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"dN","content":"done"}]}}"#,
        r#"{"parentUuid":PARENT,"type":"user","uuid":"uN","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"dN","content":[VALUE,{"type":"text","text":"result"}]}]}}"#,
        r#"{"parentUuid":PARENT,"type":"assistant","uuid":"uN","sessionId":"s1","message":{"role":"assistant","id":"mN","content":[{"type":"never-seen","new":VALUE}]}}"#,
        r#"{"parentUuid":PARENT,"type":"system","uuid":"uN","sessionId":"s1","subtype":"compact_boundary","compactMetadata":VALUE}"#,
        r#"{"parentUuid":PARENT,"type":"system","uuid":"uN","sessionId":"s1","subtype":"turn_duration","content":VALUE}"#,
        r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s1","content":VALUE}"#,
        r#"{"parentUuid":PARENT,"type":"attachment","uuid":"uN","sessionId":"s1","attachment":{"type":"queued_command","prompt":VALUE}}"#,
        r#"{"type":"content-replacement","sessionId":"s1","replacements":VALUE}"#,
        r#"{"type":"never-seen","new":VALUE}"#,
        r#"{"type":"summary","summary":VALUE}"#,
    ],
    texts: &[
        r#"{"type":"summary","summary":"title TEXT","leafUuid":"x"}"#,
        r#"{"parentUuid":null,"type":"user","uuid":"p1","sessionId":"s TEXT","version":"2 TEXT","cwd":"/TEXT","gitBranch":"TEXT","message":{"role":"user","content":"prompt TEXT"}}"#,
        r#"{"parentUuid":"p1","type":"assistant","uuid":"p2","sessionId":"s TEXT","message":{"role":"assistant","id":"m1","model":"model TEXT","content":[{"type":"thinking","thinking":"thinking TEXT"},{"type":"text","text":"said TEXT"},{"type":"tool_use","id":"c1","name":"Tool TEXT","input":{"file_path":"/path TEXT","key TEXT":"value TEXT","list":["item TEXT"]}},{"type":"kind TEXT","text":"other TEXT"}],"usage":{"input_tokens":9000,"output_tokens":5}}}"#,
        r#"{"parentUuid":"p2","type":"user","uuid":"p3","sessionId":"s TEXT","toolUseResult":{"agentId":"agent TEXT"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":[{"type":"text","text":"result TEXT"},{"type":"image","source":{"media_type":"media TEXT","data":"AAAA"}}]}]}}"#,
        r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s TEXT","content":"queued TEXT"}"#,
        r#"{"type":"queue-operation","operation":"popAll","sessionId":"s TEXT","content":"queued TEXT"}"#,
        r#"{"parentUuid":null,"type":"user","uuid":"z1","isSidechain":true,"agentId":"side TEXT","sessionId":"s TEXT","message":{"role":"user","content":"side TEXT"}}"#,
        r#"{"parentUuid":"z1","type":"assistant","uuid":"z2","isSidechain":true,"agentId":"side TEXT","sessionId":"s TEXT","message":{"role":"assistant","id":"m2","content":"side TEXT"}}"#,
        r#"{"parentUuid":"p3","type":"type TEXT","uuid":"n1","sessionId":"s TEXT","field TEXT":1}"#,
        r#"{"parentUuid":"p3","type":"user","uuid":"n2","sessionId":"s TEXT","field TEXT":1,"message":{"role":"user","content":"more TEXT"}}"#,
        r#"{"parentUuid":"n2","type":"system","uuid":"n3","sessionId":"s TEXT","subtype":"subtype TEXT","content":"note TEXT"}"#,
        r#"{"parentUuid":"n2","type":"progress","uuid":"n4","sessionId":"s TEXT","data":{"type":"progress TEXT"}}"#,
        r#"{"parentUuid":"n2","type":"attachment","uuid":"n5","sessionId":"s TEXT","attachment":{"type":"attachment TEXT"}}"#,
        r#"{"parentUuid":null,"type":"system","uuid":"b1","sessionId":"s TEXT","subtype":"compact_boundary","logicalParentUuid":"n2","compactMetadata":{"trigger":"trigger TEXT","preTokens":9000}}"#,
        r#"{"parentUuid":"b1","type":"user","uuid":"b2","sessionId":"s TEXT","isCompactSummary":true,"message":{"role":"user","content":"opening TEXT\n1. Heading TEXT:\nfirst TEXT\n\n2. Other TEXT:\n- `code TEXT`\n"}}"#,
        r#"{"parentUuid":"b2","type":"user","uuid":"p4","sessionId":"s TEXT","message":{"role":"user","content":"again TEXT"}}"#,
        r#"{"parentUuid":null,"type":"system","uuid":"b3","sessionId":"s TEXT","subtype":"compact_boundary","logicalParentUuid":"p4","compactMetadata":{"trigger":"trigger TEXT","preTokens":9000}}"#,
        r#"{"parentUuid":"b3","type":"user","uuid":"b4","sessionId":"s TEXT","isCompactSummary":true,"message":{"role":"user","content":"opening changed TEXT\n1. Heading TEXT:\nsecond TEXT more\n\n2. Other TEXT:\n- `code TEXT`\n"}}"#,
        r#"{"parentUuid":"b4","type":"user","uuid":"p5","sessionId":"s TEXT","message":{"role":"user","content":"last TEXT"}}"#,
        r#"{"type":"ai-title","sessionId":"s TEXT","aiTitle":"title TEXT"}"#,
        r#"{"broken TEXT"#,
    ],
};

impl Sample {
    /// A log of its head and prompts with these texts, each as it stands inside a JSON string.
    pub fn prompts<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> String {
        let mut log = String::new();
        for line in self.head {
            log.push_str(line);
            log.push('\n');
        }
        for (number, text) in texts.into_iter().enumerate() {
            log.push_str(&self.prompt(number + 1, text.as_ref()));
            log.push('\n');
        }
        log
    }

    /// The prompt that is line `number` after the head.
    pub fn prompt(&self, number: usize, text: &str) -> String {
        fill(self.prompt, number).replace("TEXT", text)
    }

    /// A log whose lines hold `value` wherever a value can stand, between two prompts.
    pub fn with_values(&self, value: &str) -> String {
        let mut log = self.prompts(["the first prompt"]);
        let lines = self.values.iter().enumerate();
        for (at, line) in lines {
            log.push_str(&fill(line, at + 2).replace("VALUE", value));
            log.push('\n');
        }
        log.push_str(&self.prompt(self.values.len() + 2, "the last prompt"));
        log.push('\n');
        log
    }

    /// A log with `text`, as it stands inside a JSON string, in every place that can hold text.
    pub fn with_texts(&self, text: &str) -> String {
        let lines = self.head.iter().chain(self.texts).map(|line| line.replace("TEXT", text));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }
}

fn fill(template: &str, number: usize) -> String {
    let parent = if number == 1 { "null".to_owned() } else { format!("\"u{}\"", number - 1) };
    template
        .replace("PARENT", &parent)
        .replace("\"uN\"", &format!("\"u{number}\""))
        .replace("\"mN\"", &format!("\"m{number}\""))
        .replace("\"cN\"", &format!("\"c{number}\""))
        .replace("\"dN\"", &format!("\"d{}\"", number / 2))
}
