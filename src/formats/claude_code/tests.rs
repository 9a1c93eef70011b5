#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]

use super::*;

fn read(line: &str) -> Record {
    Parser::default().parse(line.as_bytes())
}

fn turn_of(line: &str) -> TurnFacts {
    match read(line).body {
        Body::Turn(facts) => facts,
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
