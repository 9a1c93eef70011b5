#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]

use super::*;

fn read(line: &str) -> Record {
    Parser::default().parse(line.as_bytes())
}

fn turn_of(line: &str) -> TurnFacts {
    match read(line).body {
        Body::Turn(facts) => *facts,
        other => panic!("no turn: {other:?}"),
    }
}

/// A record of `kind` with this content.
fn with_content(kind: &str, content: &str) -> String {
    format!(
        r#"{{"type":"{kind}","uuid":"u","parentUuid":"p","sessionId":"s","message":{{"role":"{kind}","content":{content}}}}}"#
    )
}

#[test]
fn a_result_without_text_is_a_tool_turn_and_no_prompt() {
    for content in [r#""""#, r#""  \n""#, "[]", "null"] {
        let block = format!(r#"[{{"type":"tool_result","tool_use_id":"c1","content":{content}}}]"#);
        let facts = turn_of(&with_content("user", &block));
        assert_eq!((facts.role, facts.parts.len()), (Role::Tool, 0), "{content}");
        assert_eq!(facts.silent, [Id::of("c1")], "{content}");
    }
    let facts =
        turn_of(&with_content("user", r#"[{"type":"tool_result","tool_use_id":"c1","content":"done"}]"#));
    assert_eq!((facts.role, facts.parts.len(), facts.silent.len()), (Role::Tool, 1, 0));
}

#[test]
fn a_sub_agents_id_becomes_a_name_that_can_stand_in_an_address() {
    let strand = |id: &str| read(&format!(r#"{{"type":"user","isSidechain":true,"agentId":"{id}"}}"#)).strand;
    assert_eq!(strand("a881341"), Strand::Side(Some("a881341".into())));
    assert_eq!(strand(r"\u001b[31m/x.y \u202e"), Strand::Side(Some("__31m_x_y__".into())));
    assert_eq!(strand(""), Strand::Side(None));
}
