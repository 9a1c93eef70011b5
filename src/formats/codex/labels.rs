//! What Codex's records are called, and which of them say nothing of the conversation.
//!
//! Known names are written out here once: most records are notes, and none of them should cost a name of its own.

use std::borrow::Cow;

/// Before the name of an event.
const EVENT: &str = "event/";

/// Events that say nothing of the conversation that an item does not say, in the order of the alphabet.
const EVENTS: [&str; 36] = [
    "event/agent_reasoning",
    "event/agent_reasoning_raw_content",
    "event/agent_reasoning_section_break",
    "event/collab_agent_interaction_end",
    "event/collab_close_end",
    "event/collab_resume_end",
    "event/collab_waiting_end",
    "event/context_compacted",
    "event/deprecation_notice",
    "event/dynamic_tool_call_request",
    "event/dynamic_tool_call_response",
    "event/entered_review_mode",
    "event/error",
    "event/exec_command_begin",
    "event/exec_command_end",
    "event/exited_review_mode",
    "event/guardian_assessment",
    "event/image_generation_end",
    "event/item_completed",
    "event/item_started",
    "event/mcp_tool_call_begin",
    "event/mcp_tool_call_end",
    "event/patch_apply_begin",
    "event/patch_apply_end",
    "event/plan_update",
    "event/stream_error",
    "event/task_complete",
    "event/thread_goal_updated",
    "event/thread_settings_applied",
    "event/turn_aborted",
    "event/turn_diff",
    "event/undo_completed",
    "event/view_image_tool_call",
    "event/warning",
    "event/web_search_begin",
    "event/web_search_end",
];

/// Events that are read.
const TOLD: [&str; 8] = [
    "event/user_message",
    "event/agent_message",
    "event/token_count",
    "event/task_started",
    "event/thread_rolled_back",
    "event/thread_name_updated",
    "event/collab_agent_spawn_end",
    "event/sub_agent_activity",
];

/// Items that messages are made of.
const ITEMS: [&str; 13] = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "image_generation_call",
    "agent_message",
];

/// Items that no message is made of.
pub(super) const SILENT_ITEMS: [&str; 5] =
    ["ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "other"];

/// Lines beside the conversation.
pub(super) const NOTES: [&str; 3] =
    ["world_state", "inter_agent_communication", "inter_agent_communication_metadata"];

/// Kinds of lines that hold one kind of payload.
const LINES: [&str; 3] = ["session_meta", "turn_context", "compacted"];

/// What a record of this kind of line and of payload is called.
pub(super) fn of(kind: &str, detail: &str) -> Cow<'static, str> {
    let known = match (kind, detail) {
        ("event_msg", detail) => find(&TOLD, EVENT, detail).or_else(|| silent_event(detail)),
        ("response_item", detail) => find(&ITEMS, "", detail),
        (kind, "") => find(&LINES, "", kind).or_else(|| find(&NOTES, "", kind)),
        _ => None,
    };
    match (known, kind, detail) {
        (Some(known), ..) => known.into(),
        (None, kind, "") => kind.to_owned().into(),
        (None, "response_item", detail) => detail.to_owned().into(),
        (None, "event_msg", detail) => format!("{EVENT}{detail}").into(),
        (None, kind, detail) => format!("{kind}/{detail}").into(),
    }
}

/// What an event of this kind is called, if it says nothing of the conversation that an item does not say.
pub(super) fn silent_event(kind: &str) -> Option<&'static str> {
    let at = EVENTS.binary_search_by(|label| label[EVENT.len()..].cmp(kind)).ok()?;
    Some(EVENTS[at])
}

fn find(names: &'static [&'static str], prefix: &str, name: &str) -> Option<&'static str> {
    names.iter().find(|known| known.strip_prefix(prefix) == Some(name)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_silent_event_is_found() {
        assert!(EVENTS.is_sorted() && EVENTS.iter().all(|label| label.starts_with(EVENT)));
        for label in EVENTS {
            assert_eq!(silent_event(&label[EVENT.len()..]), Some(label));
        }
        assert_eq!(silent_event("token_count"), None);
    }
}
