use super::super::{SourcePart, SourceTurn};
use super::*;
use crate::formats::facts::{PartKind, Role};

fn request(text: &str) -> Request {
    let part = SourcePart { kind: PartKind::Text, tool: None, error: false, text: text.to_owned() };
    Request { sources: vec![SourceTurn { turns: (1, 1), role: Role::User, parts: vec![part] }], budget: 10 }
}

#[test]
fn requests_that_differ_have_hashes_that_differ() {
    let base = request("text");
    let mut seen = vec![InputHash::of("n", &base), InputHash::of("m", &base)];
    let mut changed = |change: fn(&mut Request)| {
        let mut request = base.clone();
        change(&mut request);
        seen.push(InputHash::of("n", &request));
    };
    changed(|request| request.budget += 1);
    changed(|request| request.sources[0].turns.1 += 1);
    changed(|request| request.sources[0].role = Role::Assistant);
    changed(|request| request.sources[0].parts[0].kind = PartKind::ToolCall);
    changed(|request| request.sources[0].parts[0].tool = Some(String::new()));
    changed(|request| request.sources[0].parts[0].error = true);
    changed(|request| request.sources[0].parts[0].text.push(' '));
    changed(|request| request.sources.clear());
    let all = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), all);
    // What was kept by one build is found by the next.
    let hash = InputHash::of("n", &base).to_string();
    insta::assert_snapshot!(hash, @"5755e4a28c079352bc5e872ec132821145b513cbd626a50dd8438c4aa9e97861");
}
