//! A made session in the shape of Claude Code's: prompts, messages in several records, tool results of mixed sizes
//! with their structured copies, notes between them, and a compaction every so many turns.
//!
//! The words mean nothing; kinds, sizes and links are what a long session has. The same wish gives the same file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// How long the session is to be.
#[derive(Clone, Copy)]
pub enum Until {
    /// About so many bytes.
    Bytes(u64),
    /// At least so many turns.
    Turns(u32),
}

/// What it looks like.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Turns between compactions; nothing without any.
    pub compact_every: Option<u32>,
    /// The longest tool result, in lines; most are far shorter.
    pub longest: u64,
}

/// A session as they are.
pub const USUAL: Shape = Shape { compact_every: Some(160), longest: 400 };

/// No compaction in the last so many bytes: a screen as of the end is to have turns to show.
const CALM: u64 = 400 << 10;

/// Lines as they stand inside a JSON string: code, listings, logs, prose, escapes and a little that is not ASCII.
const LINES: [&str; 12] = [
    r"    let found = index.get(&key).copied().unwrap_or_default();",
    r#"    return Err(Error::Missing { path: path.to_owned(), wanted: \"field\" });"#,
    r"\tif err != nil {\n\t\treturn fmt.Errorf(\u0022read %s: %w\u0022, name, err)\n\t}",
    r"-rw-r--r--  1 someone staff  18442 Mar  3 14:02 src/session/render_table.rs",
    r"2026-03-03T14:02:11.204Z INFO  server::pool connection 41 returned after 12 ms",
    r"test session::tests::a_turn_that_goes_on_is_one_turn ... ok",
    r"The cache is keyed by path and size, so a file that was touched but not changed is not read again.",
    r"Größe und Änderungszeit stimmen überein; das ist kein Fehler — siehe Abschnitt 4.",
    r"   312→    pub fn insert(&mut self, key: Key, value: Value) -> Option<Value> {",
    r#"{\"name\": \"widget\", \"version\": \"1.4.2\", \"dependencies\": {\"left\": \"^2.0.0\"}}"#,
    r"src/outline/parts.rs:118:    pub(super) fn label(view: &View, log: &OpenLog, node: Node) -> Label {",
    r"",
];

const TOOLS: [(&str, &str); 4] = [
    ("Bash", r#"{"command":"cargo test --workspace 2>&1 | tail -40","description":"Run the tests"}"#),
    ("Read", r#"{"file_path":"/home/someone/project/src/render_table.rs"}"#),
    ("Grep", r#"{"pattern":"fn insert","path":"/home/someone/project/src","output_mode":"content"}"#),
    ("Edit", r#"{"file_path":"/home/someone/project/src/pool.rs","old_string":"a","new_string":"b"}"#),
];

/// Writes a session to `path`.
pub fn session(path: &Path, until: Until, shape: Shape) {
    let out = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    let mut writer = Writer::new(out, until, shape);
    writer.snapshot();
    while !writer.is_done() {
        writer.exchange();
    }
    writer.out.flush().unwrap();
}

/// A prompt that begins with `word` and hangs on the record `parent`: its id, and its line with the newline.
pub fn prompt(number: u64, parent: Option<&str>, word: &str) -> (String, String) {
    let id = format!("00000000-0000-4000-9000-{number:012x}");
    let parent = parent.map_or_else(|| "null".to_owned(), |parent| format!("\"{parent}\""));
    let line = format!(
        "{{\"parentUuid\":{parent},{COMMON},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{word} is the \
         next thing to look at\"}},\"uuid\":\"{id}\",\"timestamp\":\"2026-03-09T10:00:00.000Z\"}}\n"
    );
    (id, line)
}

/// The id of the last record of the log at `path`, as far as its end tells.
pub fn last_id(path: &Path) -> Option<String> {
    const KEY: &str = "\"uuid\":\"";
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(256 << 10))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let after = &text[text.rfind(KEY)? + KEY.len()..];
    Some(after[..after.find('"')?].to_owned())
}

/// Keys that every record of the chain has.
const COMMON: &str = "\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/someone/project\",\
    \"sessionId\":\"5e551000-0000-4000-8000-000000000000\",\"version\":\"2.1.7\",\"gitBranch\":\"main\"";

struct Writer {
    out: BufWriter<File>,
    until: Until,
    shape: Shape,
    random: u64,
    written: u64,
    turns: u32,
    since: u32,
    records: u64,
    messages: u64,
    context: u64,
    /// The newest record of the chain.
    last: Option<u64>,
    line: String,
}

impl Writer {
    fn new(out: BufWriter<File>, until: Until, shape: Shape) -> Self {
        Self {
            out,
            until,
            shape,
            random: 0x9e37_79b9_7f4a_7c15,
            written: 0,
            turns: 0,
            since: 0,
            records: 0,
            messages: 0,
            context: 20_000,
            last: None,
            line: String::new(),
        }
    }

    fn is_done(&self) -> bool {
        match self.until {
            Until::Bytes(bytes) => self.written >= bytes,
            Until::Turns(turns) => self.turns >= turns,
        }
    }

    fn compacts(&self) -> bool {
        let calm = match self.until {
            Until::Bytes(bytes) => self.written + CALM < bytes,
            Until::Turns(turns) => self.turns + 40 < turns,
        };
        calm && self.shape.compact_every.is_some_and(|every| self.since >= every)
    }

    /// A prompt and the work it sets off.
    fn exchange(&mut self) {
        if self.compacts() {
            self.compact();
        }
        let lines = 1 + self.below(3);
        let words = self.text(lines);
        self.user(&format!("\"{words}\""), "");
        for _ in 0..=self.below(9) {
            if self.is_done() {
                return;
            }
            self.call();
        }
        let lines = 2 + self.below(12);
        let words = self.text(lines);
        self.messages += 1;
        self.assistant(&format!("{{\"type\":\"text\",\"text\":\"{words}\"}}"));
        self.turns += 1;
        self.record("system", "\"subtype\":\"turn_duration\",\"durationMs\":41832,\"isMeta\":false");
    }

    /// A message that calls a tool, as one record a block, and its result.
    fn call(&mut self) {
        self.messages += 1;
        self.turns += 1;
        if self.below(4) == 0 {
            let words = self.text(3);
            self.assistant(&format!(
                "{{\"type\":\"thinking\",\"thinking\":\"{words}\",\"signature\":\"{}\"}}",
                "EpYECkYICxgC".repeat(30)
            ));
        }
        if self.below(3) == 0 {
            let words = self.text(1);
            self.assistant(&format!("{{\"type\":\"text\",\"text\":\"{words}\"}}"));
        }
        let (tool, input) = TOOLS[self.below(4) as usize];
        let call = format!("toolu_{:024x}", self.messages);
        self.assistant(&format!(
            "{{\"type\":\"tool_use\",\"id\":\"{call}\",\"name\":\"{tool}\",\"input\":{input}}}"
        ));
        if self.below(6) == 0 {
            self.record("progress", "\"data\":{\"type\":\"hook_progress\",\"hookEvent\":\"PostToolUse\"}");
        }
        // Most results are short, and few are very long: the square of an even spread.
        let share = self.below(1000);
        let text = self.text(1 + self.shape.longest * share * share / 1_000_000);
        self.user(
            &format!("[{{\"tool_use_id\":\"{call}\",\"type\":\"tool_result\",\"content\":\"{text}\"}}]"),
            &format!(",\"toolUseResult\":{{\"stdout\":\"{text}\",\"stderr\":\"\",\"interrupted\":false}}"),
        );
    }

    fn compact(&mut self) {
        let before = Self::id(self.last);
        let meta = format!(
            "\"subtype\":\"compact_boundary\",\"content\":\"Conversation compacted\",\"isMeta\":false,\
             \"logicalParentUuid\":{before},\"compactMetadata\":{{\"trigger\":\"auto\",\"preTokens\":{}}}",
            self.context
        );
        self.last = None;
        self.record("system", &meta);
        let mut summary = String::from("This session is being continued from a previous conversation.\\n\\n");
        for (number, heading) in
            ["Primary Request", "Key Concepts", "Files", "Current Work"].iter().enumerate()
        {
            let words = self.text(14);
            let _ = write!(summary, "{}. {heading}:\\n{words}\\n", number + 1);
        }
        self.context = 20_000;
        self.user(&format!("\"{summary}\""), ",\"isCompactSummary\":true,\"isVisibleInTranscriptOnly\":true");
        self.since = 0;
    }

    fn snapshot(&mut self) {
        self.line.push_str(
            "{\"type\":\"file-history-snapshot\",\"messageId\":\"5e551000-0000-4000-8000-000000000001\",\
             \"snapshot\":{\"trackedFileBackups\":{}},\"isSnapshotUpdate\":false}",
        );
        self.end();
    }

    fn user(&mut self, content: &str, more: &str) {
        self.turns += 1;
        self.since += 1;
        let message = format!("\"message\":{{\"role\":\"user\",\"content\":{content}}}{more}");
        self.record("user", &message);
    }

    fn assistant(&mut self, block: &str) {
        self.since += 1;
        self.context += 400;
        let message = format!(
            "\"message\":{{\"model\":\"claude-opus-4-5\",\"id\":\"msg_{0:024x}\",\"type\":\"message\",\
             \"role\":\"assistant\",\"content\":[{block}],\"stop_reason\":null,\"usage\":{{\"input_tokens\":9,\
             \"cache_creation_input_tokens\":400,\"cache_read_input_tokens\":{1},\"output_tokens\":120}}}},\
             \"requestId\":\"req_{0:024x}\"",
            self.messages, self.context
        );
        self.record("assistant", &message);
    }

    /// One record of the chain.
    fn record(&mut self, kind: &str, fields: &str) {
        let (parent, id) = (Self::id(self.last), Self::id(Some(self.records)));
        let seconds = self.records / 4;
        let _ = write!(
            self.line,
            "{{\"parentUuid\":{parent},{COMMON},\"type\":\"{kind}\",{fields},\"uuid\":{id},\
             \"timestamp\":\"2026-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z\"}}",
            1 + seconds / 2_419_200 % 12,
            1 + seconds / 86_400 % 28,
            seconds / 3600 % 24,
            seconds / 60 % 60,
            seconds % 60,
            self.records % 4 * 250
        );
        self.last = Some(self.records);
        self.records += 1;
        self.end();
    }

    fn end(&mut self) {
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes()).unwrap();
        self.written += self.line.len() as u64;
        self.line.clear();
    }

    /// A record's id as JSON: scattered as real ones are, by a step that visits every number once.
    fn id(record: Option<u64>) -> String {
        let Some(record) = record else { return "null".to_owned() };
        let scattered = record.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("\"{:08x}-{:04x}-4000-8000-{record:012x}\"", scattered >> 32, scattered >> 16 & 0xffff)
    }

    fn text(&mut self, lines: u64) -> String {
        let mut text = String::new();
        for _ in 0..lines {
            text.push_str(LINES[self.below(LINES.len() as u64) as usize]);
            text.push_str("\\n");
        }
        text
    }

    /// An even spread below `limit`, the same in every run (xorshift).
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }
}
