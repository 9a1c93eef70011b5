//! What one record says, in words that every agent's format shares.
//!
//! A format turns the bytes of one physical line into a [`Record`]; the session model grows from a row of them.
//! Facts hold sizes, ids and short previews, never whole texts: those stay in the log and are read again when
//! somebody looks.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A record's, message's or call's id, hashed with fixed keys: the same in every run of one build.
///
/// 64 bits: among a million ids the chance that any two share one is below 10⁻⁷. Packed, since a session has a map
/// from many of them to four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(Rust, packed(4))]
pub struct Id(pub u64);

impl Id {
    /// The id that `text` stands for.
    pub fn of(text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// What a record says of the record it hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Parent {
    /// The record names none and its format expects none.
    #[default]
    Absent,
    /// The record says outright that it has none: a conversation begins here.
    Root,
    /// The record with this id.
    Of(Id),
}

/// The line of conversation a record says it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Strand {
    /// The main conversation, or the only one in a sub-agent's file.
    #[default]
    Main,
    /// A sub-agent's, with its id where the record names it.
    Side(Option<Box<str>>),
}

/// Who speaks in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// A prompt, typed by a person or put in by the agent's harness.
    User,
    /// The model.
    Assistant,
    /// Results of tool calls.
    Tool,
    /// A recorded summary that stands for earlier turns.
    Summary,
}

impl Role {
    /// The word used in JSON, filters and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Summary => "summary",
        }
    }
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartKind {
    /// Prose.
    Text,
    /// The model's own reasoning.
    Thinking,
    /// A call of a tool.
    ToolCall,
    /// What a tool gave back.
    ToolResult,
    /// A picture.
    Image,
    /// A text that only the model's provider can read.
    Encrypted,
    /// A block of a kind that this build does not know; kept, counted and shown as it is.
    Other,
}

impl PartKind {
    /// The word used in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Image => "image",
            Self::Encrypted => "encrypted",
            Self::Other => "other",
        }
    }
}

/// One non-empty content block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFacts {
    /// What it is.
    pub kind: PartKind,
    /// The tool's name, on a call.
    pub tool: Option<Box<str>>,
    /// The file a call is about.
    pub path: Option<Box<str>>,
    /// Bytes of its text: unescaped strings, without the JSON around them.
    pub bytes: u32,
    /// Estimated tokens ([`crate::text::tokens`]).
    pub tokens: u32,
    /// The id that pairs a call with its result.
    pub call: Option<Id>,
    /// A result that reports a failure.
    pub error: bool,
    /// A result that carries the user's own words.
    pub voice: bool,
    /// A checksum of its text, to find the same text again; 0 of parts without a text of their own.
    pub digest: u32,
    /// The first words.
    pub preview: String,
}

impl PartFacts {
    /// A part of `kind` about which nothing else is known.
    pub fn bare(kind: PartKind) -> Self {
        Self {
            kind,
            tool: None,
            path: None,
            bytes: 0,
            tokens: 0,
            call: None,
            error: false,
            voice: false,
            digest: 0,
            preview: String::new(),
        }
    }
}

/// Tokens the provider charged for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    /// Input that was neither read from nor written to the cache.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
}

impl Usage {
    /// Size of the context the message was made from.
    pub fn context(self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }

    /// Adds what was charged beside it.
    pub fn add(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
    }
}

/// Which of its two records an agent wrote that puts every message down twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// What its interface was told.
    Event,
    /// What the model was told.
    Item,
}

/// What a message says as a whole, hashed: how a compaction's copy of it is known again where there are no ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Said {
    role: Role,
    digest: u32,
    bytes: u32,
}

impl Said {
    /// What `parts` say in `role`.
    pub fn of(role: Role, parts: &[PartFacts]) -> Self {
        let digest = parts.iter().fold(0u32, |sum, part| sum.rotate_left(5) ^ part.digest);
        Self { role, digest, bytes: parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes)) }
    }
}

/// A record that speaks: a prompt, a piece of an assistant message, tool results, a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnFacts {
    /// Who speaks.
    pub role: Role,
    /// The message this record is a piece of.
    pub message: Option<Id>,
    /// Its non-empty blocks, in order.
    pub parts: Vec<PartFacts>,
    /// The calls that it answers without a word: results without text are no parts.
    pub silent: Vec<Id>,
    /// Usage as logged on this record.
    pub usage: Option<Usage>,
    /// Put in by the harness, not typed.
    pub injected: bool,
    /// The model's name.
    pub model: Option<Box<str>>,
    /// The sub-agent that a result comes from.
    pub agent: Option<Box<str>>,
    /// It goes on with the assistant's open turn: its format names no messages, only their pieces one after another.
    pub joins: bool,
    /// Its agent writes the message twice, and this is one of the two.
    pub twin: Option<Twin>,
    /// What it says, where its format needs that to be found again.
    pub said: Option<Said>,
    /// It sums up the branch that ends in this record.
    pub branch: Option<Id>,
}

impl TurnFacts {
    /// A record of these parts about which nothing else is known.
    pub fn new(role: Role, parts: Vec<PartFacts>) -> Self {
        Self {
            role,
            message: None,
            parts,
            silent: Vec::new(),
            usage: None,
            injected: false,
            model: None,
            agent: None,
            joins: false,
            twin: None,
            said: None,
            branch: None,
        }
    }
}

/// What happened to prompts that wait for the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queue {
    /// A prompt joined the queue: a turn from now on.
    Enqueue(Vec<PartFacts>),
    /// The oldest is about to be delivered as a record of its own.
    Dequeue,
    /// A prompt left the queue: it was delivered in the middle of the agent's work. Newer versions say which.
    Remove(Vec<PartFacts>),
    /// All waiting prompts went back to the user's editor and never reached the model.
    Withdraw,
    /// A record that shows a waiting prompt being delivered, with its text.
    Delivered(Vec<PartFacts>),
}

/// The mark an agent leaves where it compacts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Boundary {
    /// What set it off, as logged (`auto`, `manual`).
    pub trigger: Option<Box<str>>,
    /// Context size before, as logged.
    pub tokens_before: Option<u64>,
    /// Context size after, as logged.
    pub tokens_after: Option<u64>,
    /// The last record of the compacted conversation, as logged; often dangling, sometimes pointing forward.
    pub logical_parent: Option<Id>,
    /// Records kept word for word, one by one.
    pub kept: Vec<Id>,
    /// First and last record of a kept run.
    pub kept_segment: Option<(Id, Id)>,
    /// Where the kept run begins that ends with the compaction.
    pub kept_from: Option<KeptFrom>,
    /// The model reads what was kept before the summary, not behind it.
    pub kept_first: bool,
    /// What the compaction wrote down again: messages kept word for word, and others told to the model anew.
    pub again: Vec<Again>,
}

/// The first record that a compaction left in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptFrom {
    /// The record with this id.
    Record(Id),
    /// The record with this number among those that can be read, from 0.
    Entry(u64),
}

/// A message that a compaction's record holds a copy of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// What it says.
    pub said: Said,
    /// Its blocks, and the number of the first among all blocks of the record.
    pub parts: Vec<PartFacts>,
    /// See `parts`.
    pub first: u16,
}

/// What a record measures: sizes and names that stand beside the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Meter {
    /// Tokens charged so far, for the whole session.
    pub total: Option<Usage>,
    /// Size of the context that the newest message was made from.
    pub context: Option<u64>,
    /// Size of the model's window.
    pub window: Option<u64>,
    /// The model that answers from now on.
    pub model: Option<Box<str>>,
}

/// Where a session comes from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Header {
    /// The session, or its file, that this one was forked from.
    pub forked_from: Option<Box<str>>,
    /// The session whose sub-agent this one is.
    pub parent: Option<Box<str>>,
    /// Its beginning is in another file.
    pub begins_elsewhere: bool,
}

/// Results whose text was taken from the model's view.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Clearing {
    /// Tokens saved, as logged.
    pub tokens_saved: Option<u64>,
    /// The calls whose results were cleared.
    pub calls: Vec<Id>,
}

/// What a record is. What is large is boxed: most records of a log are notes, and all are moved about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Part of a turn.
    Turn(Box<TurnFacts>),
    /// Something about waiting prompts.
    Queue(Queue),
    /// A compaction's mark.
    Boundary(Box<Boundary>),
    /// A whole compaction in one record: its mark and its summary.
    Compacted(Box<(Boundary, TurnFacts)>),
    /// The newest prompts, so many of them, and all that followed them, were taken from the model's view.
    Rewind(u32),
    /// A measurement.
    Meter(Box<Meter>),
    /// Where the session comes from.
    Header(Box<Header>),
    /// A sub-agent was started by this call.
    Agent(Box<str>, Option<Id>),
    /// A microcompaction.
    Clearing(Clearing),
    /// The session's title.
    Title(Box<str>),
    /// Anything that is no turn.
    Note,
    /// A line that is no record, and why.
    Malformed(Box<str>),
}

impl Body {
    /// Part of a turn, about which these facts are known.
    pub fn turn(facts: TurnFacts) -> Self {
        Self::Turn(Box::new(facts))
    }

    /// The mark of a compaction.
    pub fn boundary(boundary: Boundary) -> Self {
        Self::Boundary(Box::new(boundary))
    }
}

/// One physical line, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub id: Option<Id>,
    /// The record it hangs on.
    pub parent: Parent,
    /// The thread it says it belongs to.
    pub strand: Strand,
    /// Milliseconds since the epoch.
    pub time: Option<i64>,
    /// The record's type in its own format's words, for notes and rows (`system/turn_duration`).
    pub label: Cow<'static, str>,
    /// The session id, where it differs from the record before it in the same batch.
    pub session: Option<Box<str>>,
    /// The agent's version, likewise.
    pub version: Option<Box<str>>,
    /// The directory the agent works in, likewise.
    pub project: Option<Box<str>>,
    /// A short name for a thread that starts with this record.
    pub short_id: Box<str>,
    /// Names of types and fields that this build does not know.
    pub unknown: Vec<Box<str>>,
    /// The line was repaired before it could be read (bytes that are not UTF-8, half a surrogate pair).
    pub repaired: bool,
    /// What it is.
    pub body: Body,
}

impl Record {
    /// A record of kind `body` about which nothing else is known.
    pub fn bare(label: &'static str, body: Body) -> Self {
        Self {
            id: None,
            parent: Parent::Absent,
            strand: Strand::Main,
            time: None,
            label: label.into(),
            session: None,
            version: None,
            project: None,
            short_id: Box::default(),
            unknown: Vec::new(),
            repaired: false,
            body,
        }
    }
}

/// The whole text of one part, read back from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartText {
    /// What it is.
    pub kind: PartKind,
    /// The tool's name, on a call.
    pub tool: Option<String>,
    /// The text.
    pub text: String,
}
