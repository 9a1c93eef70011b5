//! A summary's sentences: what lineage traces, each with its place in the text.
//!
//! Owns how a summary is cut: headings give context and are no sentences, a line that is one quotation is a quote, a
//! fenced block is code, everything else is split at sentence ends, never inside back-ticks or double quotes. The
//! opening and closing lines that agents put around a summary are left out. Nesting is by indentation: the parent of a
//! bullet is the nearest earlier one that stands further out. Numbers count from 1 in the order of the text and are
//! what `g3.s12` means.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::spans::{self, Marks};

/// What a piece of a summary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A sentence, or a bullet without a full stop.
    Sentence,
    /// A line that quotes somebody from its first character to its last.
    Quote,
    /// A fenced block.
    Code,
}

impl Kind {
    /// The word in JSON and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sentence => "sentence",
            Self::Quote => "quote",
            Self::Code => "code",
        }
    }
}

/// What a section of a summary is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// What happened, in order.
    Chronology,
    /// What was asked for.
    Request,
    /// What one has to know.
    Concepts,
    /// Files and what was done to them.
    Files,
    /// What went wrong, and how it was mended.
    Errors,
    /// Problems and their solutions.
    Problems,
    /// What the user said, one message after another.
    Messages,
    /// What is still to be done.
    Pending,
    /// What was going on when the summary was written.
    Current,
    /// What comes next.
    Next,
    /// Anything else.
    Other,
}

impl Section {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chronology => "chronology",
            Self::Request => "request",
            Self::Concepts => "concepts",
            Self::Files => "files",
            Self::Errors => "errors",
            Self::Problems => "problems",
            Self::Messages => "messages",
            Self::Pending => "pending",
            Self::Current => "current",
            Self::Next => "next",
            Self::Other => "other",
        }
    }

    /// The section that a heading opens; none where it only groups what stands below it.
    fn of(heading: &str) -> Option<Self> {
        let lower = heading.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let table: [(&[&str], Self); 10] = [
            (&["user messages", "user prompts"], Self::Messages),
            (&["chronolog", "what happened", "timeline"], Self::Chronology),
            (&["errors and", "errors &", "mistakes"], Self::Errors),
            (&["problem solving", "problems solved", "key decisions"], Self::Problems),
            (&["next step", "next action"], Self::Next),
            (&["pending", "remaining", "to do", "open tasks"], Self::Pending),
            (&["current work", "current state", "current status", "in progress"], Self::Current),
            (&["files and", "code sections", "relevant files", "file changes"], Self::Files),
            (&["key technical", "key concepts", "critical context", "constraints"], Self::Concepts),
            (&["primary request", "request and intent", "goal", "objective"], Self::Request),
        ];
        table.into_iter().find(|(words, _)| has(words)).map(|(_, section)| section)
    }

    /// Whether it tells of the end of the range: what was going on, what is left, what comes next.
    pub fn is_tail(self) -> bool {
        matches!(self, Self::Pending | Self::Current | Self::Next)
    }

    /// Whether its sentences follow the order of events.
    pub fn is_chronological(self) -> bool {
        matches!(self, Self::Chronology | Self::Messages)
    }
}

/// One sentence, quote or block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the summary.
    pub range: Range<usize>,
    /// Whether it stands in the thinking that some agents write before the summary proper.
    pub drafted: bool,
    /// What its section is about.
    pub section: Section,
    /// The nearest heading, without marks; empty before the first.
    pub heading: String,
    /// How far its line is indented, in bytes.
    pub indent: usize,
    /// The place of the nearest earlier sentence that stands further out.
    pub parent: Option<usize>,
    /// Whether it opens its line.
    pub opens_line: bool,
}

impl Sentence {
    /// Its text in the summary it came from.
    pub fn text<'a>(&self, summary: &'a str) -> &'a str {
        summary.get(self.range.clone()).unwrap_or_default()
    }
}

/// A pattern written in this file; a test tries each of them.
type Pattern = LazyLock<Option<Regex>>;

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static FIRST_LINE: Pattern =
    LazyLock::new(|| pattern(r"^\s*This session is being continued from a previous conversation[^\n]*\n+"));
static LAST_LINES: Pattern = LazyLock::new(|| {
    pattern(
        r"(?i)\n+(?:If you need specific details from before compaction|Please continue the conversation from where we left|Continue the conversation from where (?:it|we) left off|Recent messages are preserved verbatim)",
    )
});
static BULLET: Pattern = LazyLock::new(|| pattern(r"^\s*(?:[-*•+]|\d{1,3}[.)]|[a-z][.)]|\(\d+\))\s+"));
static TICK: Pattern = LazyLock::new(|| pattern(r"^(?:\[[ xX]\]|✅|⏳|☐|☑|✓|✗|❌|🔄)\s*"));
static QUOTED_LINE: Pattern = LazyLock::new(|| pattern(r#"^\s*["“].*["”]\s*(?:\([^)]*\))?\.?\s*$"#));
/// No sentence ends inside these.
const SHELTER: [Marks; 3] = [
    Marks { open: &['`'], close: &['`'], least: 1, most: usize::MAX },
    Marks { open: &['"'], close: &['"'], least: 0, most: 400 },
    Marks { open: &['“'], close: &['”'], least: 0, most: 400 },
];
static STOP: Pattern =
    LazyLock::new(|| pattern(r#"[.!?؟۔।]+["'”’)\]`*]*\s+|[。！？]+["'”’」』）)\]`*]*\s*"#));
static SHORTENED: Pattern = LazyLock::new(|| {
    pattern(r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|dr|mr|ms|inc|st)\.|\b[a-z]\.|\b\d+\.)$")
});

fn is_match(pattern: &Pattern, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

fn match_end(pattern: &Pattern, text: &str) -> usize {
    pattern.as_ref().and_then(|pattern| pattern.find(text)).map_or(0, |found| found.end())
}

/// What may stand before the first letter of a sentence.
const OPENING: [char; 11] = ['"', '\'', '“', '‘', '「', '『', '（', '(', '[', '`', '*'];

/// Where the sentences of one paragraph stand in it.
pub fn split(paragraph: &str) -> Vec<Range<usize>> {
    let sheltered = spans::find(paragraph, &SHELTER);
    let mut out = Vec::new();
    let mut from = 0;
    for stop in STOP.iter().flat_map(|stop| stop.find_iter(paragraph)) {
        let next = paragraph[stop.end()..].trim_start_matches(OPENING);
        // Scripts without capitals open a sentence with any letter.
        let opens =
            next.chars().next().is_some_and(|c| c.is_ascii_digit() || c.is_alphabetic() && !c.is_lowercase());
        let inside = sheltered.iter().any(|range| range.contains(&stop.start()));
        // An abbreviation ends with the full stop itself.
        let mark = stop.as_str().chars().next().map_or(0, char::len_utf8);
        let head = &paragraph[from..stop.start() + mark];
        if opens && !inside && !is_match(&SHORTENED, head) {
            let end = from + paragraph[from..stop.end()].trim_end().len();
            out.push(from..end);
            from = stop.end();
        }
    }
    let end = from + paragraph[from..].trim_end().len();
    if from < end {
        out.push(from..end);
    }
    out.retain(|range| !range.is_empty());
    out
}

/// The sentences of `summary`, in order.
pub fn of(summary: &str) -> Vec<Sentence> {
    let start = match_end(&FIRST_LINE, summary);
    let body = &summary[start..];
    let end = LAST_LINES.as_ref().and_then(|last| last.find(body)).map_or(body.len(), |last| last.start());
    let mut cut = Cutter::new();
    let mut at = start;
    for line in summary[start..start + end].split_inclusive('\n') {
        cut.line(line, at);
        at += line.len();
    }
    cut.close_code(at);
    cut.out
}

/// Takes the lines of a summary one after another.
struct Cutter {
    out: Vec<Sentence>,
    drafted: bool,
    section: Section,
    heading: String,
    /// Where an open fence's block begins, and whether anything but blank lines has come since.
    fence: Option<(usize, bool)>,
    /// Indentation and place of the sentences that later ones may stand under.
    open: Vec<(usize, usize)>,
}

impl Cutter {
    fn new() -> Self {
        Self {
            out: Vec::new(),
            drafted: false,
            section: Section::Other,
            heading: String::new(),
            fence: None,
            open: Vec::new(),
        }
    }

    fn line(&mut self, line: &str, at: usize) {
        let raw = line.trim_end_matches(['\n', '\r']);
        let trimmed = raw.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            if self.fence.is_some() {
                self.close_code(at);
            } else {
                self.fence = Some((at + line.len(), false));
            }
            return;
        }
        if let Some((_, filled)) = &mut self.fence {
            *filled |= !trimmed.is_empty();
            return;
        }
        if trimmed.is_empty() || is_rule(trimmed) || self.is_mark(trimmed) {
            return;
        }
        let indent = raw.len() - raw.trim_start().len();
        let bullet = match_end(&BULLET, raw).max(indent);
        let from = bullet + match_end(&TICK, &raw[bullet..]);
        let rest = &raw[from..];
        if is_heading(rest.trim()) {
            self.open_heading(rest.trim(), indent);
        } else if is_match(&QUOTED_LINE, rest) {
            self.push(Kind::Quote, at + from..at + from + rest.trim_end().len(), indent, true);
        } else {
            for (i, range) in split(rest).into_iter().enumerate() {
                self.push(Kind::Sentence, at + from + range.start..at + from + range.end, indent, i == 0);
            }
        }
    }

    /// The lines that open and close the parts of a summary.
    fn is_mark(&mut self, trimmed: &str) -> bool {
        let lower = trimmed.to_lowercase();
        self.drafted = match lower.as_str() {
            "analysis:" | "<analysis>" => true,
            "summary:" | "<summary>" | "</analysis>" => false,
            "</summary>" => return true,
            _ => return false,
        };
        self.section = if self.drafted { Section::Chronology } else { Section::Other };
        self.heading.clear();
        self.open.clear();
        true
    }

    fn open_heading(&mut self, rest: &str, indent: usize) {
        rest.trim_matches(['#', '*', ':', ' ']).clone_into(&mut self.heading);
        while self.open.last().is_some_and(|(other, _)| *other >= indent) {
            self.open.pop();
        }
        // Deeper headings only group; a draft is told in order whatever its headings say.
        if indent < 2
            && !self.drafted
            && let Some(section) = Section::of(&self.heading)
        {
            self.section = section;
        }
    }

    fn push(&mut self, kind: Kind, range: Range<usize>, indent: usize, opens_line: bool) {
        let place = self.out.len();
        let parent = if opens_line {
            while self.open.last().is_some_and(|(other, _)| *other >= indent) {
                self.open.pop();
            }
            let parent = self.open.last().map(|(_, place)| *place);
            self.open.push((indent, place));
            parent
        } else {
            self.out.last().and_then(|before| before.parent)
        };
        let (section, drafted, heading) = (self.section, self.drafted, self.heading.clone());
        self.out.push(Sentence { kind, range, drafted, section, heading, indent, parent, opens_line });
    }

    /// The end of a fence; one that nobody closed runs to the end of the summary.
    fn close_code(&mut self, end: usize) {
        if let Some((from, true)) = self.fence.take() {
            self.push(Kind::Code, from..end, usize::MAX, true);
        }
    }
}

/// Whether a line is `# Heading`, `**Heading**:` or `Heading:`, the last without a sentence in it.
fn is_heading(trimmed: &str) -> bool {
    let marks = trimmed.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&marks) && trimmed[marks..].starts_with(char::is_whitespace) {
        return true;
    }
    let bold = trimmed.strip_suffix(':').unwrap_or(trimmed);
    if let Some(name) = bold.strip_prefix("**").and_then(|bold| bold.strip_suffix("**")) {
        return !name.contains('*') && (2..=80).contains(&name.chars().count());
    }
    let Some(name) =
        trimmed.strip_suffix(':').filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
    else {
        return false;
    };
    !name.contains(['.', '!', '?', '`']) && (2..=71).contains(&name.chars().count())
}

fn is_rule(trimmed: &str) -> bool {
    trimmed.len() >= 3 && trimmed.bytes().all(|b| matches!(b, b'-' | b'=' | b'_' | b'*'))
}

#[cfg(test)]
mod tests;
