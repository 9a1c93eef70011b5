//! Records to facts: one module per agent format, and the choice between them.
//!
//! Owns what the bytes of one line mean. Refuses to know how lines are found, what a turn's number is, or what a
//! model sees. A further format adds a module, a [`Format`] and a row in `Format::weigh`.

mod arguments;
mod blocks;
pub mod claude_code;
pub mod codex;
pub mod context_gc;
pub mod conversation;
pub mod facts;
mod lenient;
mod line;
pub mod pi;
mod repair;
mod whole;

use facts::{PartText, Record};

/// How many lines are looked at before a file is called unknown.
pub const DETECT_LINES: usize = 64;

/// An agent format this build reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Claude Code's session files, versions 0.2 to 2.1.
    ClaudeCode,
    /// Codex's rollouts, with envelopes and without.
    Codex,
    /// pi's session files, versions 1 to 3.
    Pi,
    /// One JSON document with `messages`.
    Conversation,
    /// Context-GC's traces, an event a line or the elements of an array.
    ContextGc,
}

/// What one line says about the format of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    /// It can be nothing else.
    Decides,
    /// It occurs in such files, but decides nothing.
    Fits,
    /// It says nothing.
    Nothing,
    /// Files of this format hold no such line.
    Refutes,
}

/// What the first lines of a file say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detection {
    /// The format.
    Known(Format),
    /// Nothing decides yet; if nothing more comes, it is this one.
    Undecided(Option<Format>),
    /// No format fits, and the message says what was looked for and what was found.
    Unknown(String),
}

impl Format {
    const ALL: [Self; 5] = [Self::ClaudeCode, Self::Codex, Self::Pi, Self::Conversation, Self::ContextGc];

    /// The name in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Pi => "pi",
            Self::Conversation => "conversation",
            Self::ContextGc => "context-gc",
        }
    }

    /// The format called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What a file of this format is recognised by, for the message about a file of no known format.
    fn looked_for(self) -> &'static str {
        match self {
            Self::ClaudeCode => {
                "Claude Code (JSON lines with \"type\", \"uuid\", \"parentUuid\" and \"sessionId\")"
            }
            Self::Codex => "Codex (JSON lines with \"type\" and \"payload\")",
            Self::Pi => "pi (a first line of \"type\":\"session\" with \"cwd\", then \"message\" entries)",
            Self::Conversation => "a conversation (one JSON document with \"messages\")",
            Self::ContextGc => {
                "Context-GC (events with \"id\", \"type\" and \"timestamp\", one a line or in an array)"
            }
        }
    }

    /// Whether each record names the one that the model saw right before it. Others only hang together in steps: the
    /// calls of one message and their results in any order.
    pub fn is_tree(self) -> bool {
        self == Self::Pi
    }

    /// Whether a file is one document, whole from the start, and not a row of lines that may grow.
    pub fn is_document(self) -> bool {
        self == Self::Conversation
    }

    /// Whether its records are Context-GC's events themselves.
    pub fn is_trace(self) -> bool {
        self == Self::ContextGc
    }

    fn weigh(self, line: &[u8]) -> Evidence {
        match self {
            Self::ClaudeCode => claude_code::weigh(line),
            Self::Codex => codex::weigh(line),
            Self::Pi => pi::weigh(line),
            // No line tells: it is looked for where no other format fits.
            Self::Conversation => Evidence::Nothing,
            Self::ContextGc => context_gc::weigh(line),
        }
    }

    /// A reader of this format's lines.
    pub fn parser(self) -> Parser {
        match self {
            Self::ClaudeCode => Parser::ClaudeCode(claude_code::Parser::default()),
            Self::Codex => Parser::Codex(codex::Parser::default()),
            Self::Pi => Parser::Pi(pi::Parser::default()),
            Self::Conversation => Parser::Document,
            Self::ContextGc => Parser::ContextGc(context_gc::Parser),
        }
    }

    /// The texts of a line's parts, in the order and number of its record's parts. Empty where the line holds none.
    pub fn texts(self, line: &[u8]) -> Vec<PartText> {
        match self {
            Self::ClaudeCode => claude_code::texts(line),
            Self::Codex => codex::texts(line),
            Self::Pi => pi::texts(line),
            Self::Conversation => conversation::texts(line),
            Self::ContextGc => context_gc::texts(line),
        }
    }

    /// The user's own words inside the text of a tool result.
    pub fn voice(self, text: &str) -> Option<&str> {
        (self == Self::ClaudeCode).then(|| blocks::voice(text)).flatten()
    }
}

/// Reads lines one after another; keeps only what it needs to say what changed since the line before.
#[derive(Debug)]
pub enum Parser {
    /// Claude Code.
    ClaudeCode(claude_code::Parser),
    /// Codex.
    Codex(codex::Parser),
    /// pi.
    Pi(pi::Parser),
    /// A document: its lines say nothing each by itself.
    Document,
    /// Context-GC.
    ContextGc(context_gc::Parser),
}

impl Parser {
    /// What `line`, without its newline, says. Never fails: what cannot be read is [`facts::Body::Malformed`].
    pub fn parse(&mut self, line: &[u8]) -> Record {
        match self {
            Self::ClaudeCode(parser) => parser.parse(line),
            Self::Codex(parser) => parser.parse(line),
            Self::Pi(parser) => parser.parse(line),
            Self::Document => Record::bare("line", facts::Body::Note),
            Self::ContextGc(parser) => parser.parse(line),
        }
    }
}

/// What the first `lines` of a file say; `more` tells whether further lines may come.
pub fn detect(lines: &[&[u8]], more: bool) -> Detection {
    let mut fitting: Vec<Format> = Vec::new();
    let mut refuted: Vec<Format> = Vec::new();
    for line in lines.iter().take(DETECT_LINES) {
        for format in Format::ALL {
            match format.weigh(line) {
                Evidence::Decides if !refuted.contains(&format) => return Detection::Known(format),
                Evidence::Fits => fitting.push(format),
                Evidence::Refutes => refuted.push(format),
                Evidence::Decides | Evidence::Nothing => {}
            }
        }
    }
    let fits = fitting.into_iter().find(|format| !refuted.contains(format));
    if fits.is_some() || (more && lines.len() < DETECT_LINES) {
        return Detection::Undecided(fits);
    }
    Detection::Unknown(unknown(lines))
}

fn unknown(lines: &[&[u8]]) -> String {
    use std::fmt::Write;
    let mut message = String::from("no known log format. Looked for: ");
    for (i, format) in Format::ALL.iter().enumerate() {
        let separator = if i > 0 { "; " } else { "" };
        let _ = write!(message, "{separator}{}", format.looked_for());
    }
    message.push_str(". Its first lines hold:");
    if lines.is_empty() {
        message.push_str(" nothing.");
    }
    for line in lines.iter().take(3) {
        let head = String::from_utf8_lossy(&line[..line.len().min(400)]);
        let head = crate::text::preview::of(&head);
        let _ = write!(message, "\n  {}", crate::text::display::safe(&head));
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_may_come_first_do_not_decide() {
        let title: &[u8] = br#"{"type":"summary","summary":"A title","leafUuid":"x"}"#;
        let user: &[u8] =
            br#"{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}"#;
        assert_eq!(detect(&[title], true), Detection::Undecided(Some(Format::ClaudeCode)));
        assert_eq!(detect(&[title, user], true), Detection::Known(Format::ClaudeCode));
        assert_eq!(detect(&[b"{broken", user], true), Detection::Known(Format::ClaudeCode));
        assert_eq!(detect(&[], true), Detection::Undecided(None));
    }

    #[test]
    fn an_unknown_file_says_what_was_looked_for_and_what_it_holds() {
        let Detection::Unknown(message) = detect(&[b"Dear diary,", b"\x1b[31mtoday"], false) else {
            unreachable!("a diary is no session log")
        };
        assert!(message.contains("Claude Code"), "{message}");
        assert!(message.contains("Dear diary"), "{message}");
        assert!(!message.contains('\x1b'), "{message}");
    }

    /// Lines of other agents that look like those of one that is known.
    const LOOK_ALIKES: [&[&str]; 5] = [
        &[
            r#"{"type":"system","uuid":"a","parentUuid":null,"sessionId":"s","subtype":"telemetry"}"#,
            r#"{"type":"user","uuid":"b","parentUuid":"a","sessionId":"s","message":{"role":"user","parts":[{"text":"hi"}]}}"#,
        ],
        &[
            r#"{"type":"system","subtype":"init","sessionId":"s","timestamp":1767812640310}"#,
            r#"{"type":"message","sessionId":"s","role":"user","text":"hi"}"#,
            r#"{"type":"tool_call","sessionId":"s","toolName":"Shell","parameters":{}}"#,
        ],
        &[
            r#"{"type":"session_start","id":"s","cwd":"/w"}"#,
            r#"{"type":"message","id":"a","parentId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}"#,
        ],
        &[
            r#"{"type":"system","content":"You are helpful."}"#,
            r#"{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"Hm."}]}"#,
        ],
        &[r#"{"id":"p","sessionID":"s","messageID":"m","type":"reasoning","text":"Hm."}"#],
    ];

    #[test]
    fn what_only_looks_like_a_known_format_is_unknown() {
        for lines in LOOK_ALIKES {
            let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            let detection = detect(&lines, false);
            assert!(matches!(detection, Detection::Unknown(_)), "{detection:?}");
        }
    }
}
