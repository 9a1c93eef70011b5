//! The keys of a Claude Code record that this build reads, and the names of those it knows and leaves alone.

use crate::formats::facts::Id;
use crate::formats::lenient::{Count, Flag, Ids, Link, List, Present, Text, lenient};

use crate::formats::blocks::Content;

lenient! {
    /// One line.
    for<'de> struct Envelope<'de> {
        "type" => kind: Text<'de>,
        "subtype" => subtype: Text<'de>,
        "uuid" => uuid: Text<'de>,
        "parentUuid" => parent: Link,
        "logicalParentUuid" => logical_parent: Link,
        "sessionId" => session_id: Text<'de>,
        "timestamp" => timestamp: Text<'de>,
        "version" => version: Text<'de>,
        "isSidechain" => is_sidechain: Flag,
        "isMeta" => is_meta: Flag,
        "isCompactSummary" => is_compact_summary: Flag,
        "agentId" => agent_id: Text<'de>,
        "message" => message: Message<'de>,
        "toolUseResult" => tool_use_result: ToolUseResult<'de>,
        "compactMetadata" => compaction: CompactMetadata<'de>,
        "microcompactMetadata" => microcompaction: MicrocompactMetadata,
        "replacements" => replacements: List<Replacement>,
        "operation" => operation: Text<'de>,
        "content" => content: Content,
        "attachment" => attachment: Attachment<'de>,
        "data" => data: Data<'de>,
        "summary" | "aiTitle" | "customTitle" => title: Text<'de>,
    }
    else unknown unless is_known_field
}

lenient! {
    /// The API message inside a record.
    for<'de> struct Message<'de> {
        "role" => role: Text<'de>,
        "id" => id: Text<'de>,
        "model" => model: Text<'de>,
        "content" => content: Content,
        "usage" => usage: UsageFields,
        "parts" => has_parts: Present,
    }
}

lenient! {
    /// Tokens charged.
    for<'de> struct UsageFields {
        "input_tokens" => input: Count,
        "output_tokens" => output: Count,
        "cache_read_input_tokens" => cache_read: Count,
        "cache_creation_input_tokens" => cache_write: Count,
    }
}

lenient! {
    /// The structured copy of a tool's result; only the link to a sub-agent is read.
    for<'de> struct ToolUseResult<'de> {
        "agentId" => agent_id: Text<'de>,
    }
}

lenient! {
    /// What a boundary says of its compaction.
    for<'de> struct CompactMetadata<'de> {
        "trigger" => trigger: Text<'de>,
        "preTokens" => pre_tokens: Count,
        "postTokens" => post_tokens: Count,
        "preservedSegment" => segment: Segment,
        "preservedMessages" => preserved: Preserved,
    }
}

lenient! {
    /// A kept run by its ends.
    for<'de> struct Segment {
        "headUuid" => head: Link,
        "tailUuid" => tail: Link,
    }
}

lenient! {
    /// Kept records one by one.
    for<'de> struct Preserved {
        "uuids" => uuids: Ids,
    }
}

lenient! {
    /// What a microcompaction cleared.
    for<'de> struct MicrocompactMetadata {
        "tokensSaved" => tokens_saved: Count,
        "compactedToolIds" => calls: Ids,
    }
}

lenient! {
    /// An attachment; only a queued prompt's delivery is read.
    for<'de> struct Attachment<'de> {
        "type" => kind: Text<'de>,
        "prompt" => prompt: Content,
    }
}

lenient! {
    /// What a progress record reports.
    for<'de> struct Data<'de> {
        "type" => kind: Text<'de>,
    }
}

lenient! {
    /// One replaced block.
    for<'de> struct Replacement {
        "toolUseId" => call: Link,
    }
}

impl Envelope<'_> {
    /// The record's id.
    pub(super) fn id(&self) -> Option<Id> {
        self.uuid.0.as_deref().map(Id::of)
    }

    /// A short name for a thread that this record starts: the head of its id.
    pub(super) fn short_id(&self) -> Box<str> {
        self.uuid.as_str().chars().filter(char::is_ascii_alphanumeric).take(7).collect::<String>().into()
    }
}

impl UsageFields {
    pub(super) fn is_some(&self) -> bool {
        self.input.0.is_some() || self.output.0.is_some()
    }
}

/// Whether a record type is known, read or not.
pub(super) fn is_known_type(kind: &str) -> bool {
    matches!(
        kind,
        "user"
            | "assistant"
            | "system"
            | "progress"
            | "attachment"
            | "summary"
            | "file-history-snapshot"
            | "file-history-delta"
            | "queue-operation"
            | "last-prompt"
            | "mode"
            | "permission-mode"
            | "ai-title"
            | "custom-title"
            | "agent-name"
            | "agent-color"
            | "agent-setting"
            | "tag"
            | "pr-link"
            | "bridge-session"
            | "worktree-state"
            | "relocated"
            | "atis-latch"
            | "isolation-latch"
            | "cost-state"
            | "history-suppression"
            | "attribution-snapshot"
            | "continued-in"
            | "ended-by-model"
            | "observer-ref"
            | "frame-link"
            | "fork-context-ref"
            | "speculation-accept"
            | "content-replacement"
    )
}

/// Types that may stand first in a file and do not decide its format.
pub(super) fn opens_a_file(kind: &str) -> bool {
    matches!(
        kind,
        "summary"
            | "file-history-snapshot"
            | "queue-operation"
            | "last-prompt"
            | "mode"
            | "permission-mode"
            | "ai-title"
            | "agent-name"
            | "bridge-session"
    )
}

/// Keys that are known and left alone.
fn is_known_field(name: &str) -> bool {
    matches!(
        name,
        "cwd"
            | "gitBranch"
            | "userType"
            | "slug"
            | "entrypoint"
            | "session_id"
            | "requestId"
            | "permissionMode"
            | "promptId"
            | "promptSource"
            | "origin"
            | "thinkingMetadata"
            | "todos"
            | "planContent"
            | "sourceToolUseID"
            | "sourceToolAssistantUUID"
            | "isVisibleInTranscriptOnly"
            | "teamName"
            | "imagePasteIds"
            | "isApiErrorMessage"
            | "effort"
            | "advisorModel"
            | "attributionSkill"
            | "level"
            | "durationMs"
            | "messageCount"
            | "error"
            | "retryInMs"
            | "retryAttempt"
            | "maxRetries"
            | "cause"
            | "hookCount"
            | "hookInfos"
            | "hookErrors"
            | "preventedContinuation"
            | "stopReason"
            | "hasOutput"
            | "toolUseID"
            | "parentToolUseID"
            | "leafUuid"
            | "lastPrompt"
            | "explicit"
            | "messageId"
            | "snapshot"
            | "isSnapshotUpdate"
            | "snapshotMessageId"
            | "trackingPath"
            | "backup"
            | "mode"
            | "agentName"
            | "agentColor"
            | "agentSetting"
            | "tag"
            | "prNumber"
            | "prUrl"
            | "prRepository"
            | "bridgeSessionId"
            | "lastSequenceNum"
            | "worktreeSession"
            | "relocatedCwd"
            | "atis"
            | "costUSD"
            | "forkedFrom"
            | "snipMetadata"
            | "hookAdditionalContext"
            | "path"
            | "frameUrl"
            | "isolation"
            | "ownerAccountUuid"
            | "ownerOrganizationUuid"
    )
}
