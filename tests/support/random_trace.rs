//! Random traces: few ids, so that events repeat, hang on themselves, on one another in circles, and on what comes later.

use serde_json::{Value, json};

/// What one event is made from.
pub type Seed = [u8; 6];

const IDS: u8 = 14;

fn id(byte: u8) -> String {
    // One id looks like the name that a repeated one gets.
    if byte % (IDS + 1) == IDS { "e1#2".to_owned() } else { format!("e{}", byte % (IDS + 1)) }
}

/// An event for each seed.
pub fn build(seeds: &[Seed]) -> Vec<Value> {
    seeds.iter().enumerate().map(|(place, seed)| event(place, *seed)).collect()
}

fn event(place: usize, [kind, name, parent, what, time, guard]: Seed) -> Value {
    // Most ids are new, most events follow the one before.
    let own = if name < 200 { format!("n{place}") } else { id(name) };
    let near = |byte: u8| match byte {
        0..120 => place.checked_sub(1 + usize::from(byte % 3)).map(|place| format!("n{place}")),
        120..150 => Some(format!("n{}", place + usize::from(byte % 5))),
        150..230 => Some(id(byte)),
        _ => None,
    };
    let mut event = json!({"id": own, "timestamp": time % 20, "parent_id": near(parent)});
    let fields = match kind % 8 {
        0 | 1 => json!({"type": "set_var", "key": what % 3, "value": what}),
        2 => json!({"type": "tool_call", "tool_name": "look", "arguments": {"at": what % 2}}),
        3 => json!({"type": "tool_result", "call_id": near(what), "result": u32::from(guard) % 2}),
        4 => json!({"type": "abandon", "ref_to": [near(what).unwrap_or_default(), id(guard)]}),
        5 => json!({"type": "decision", "content": if what % 4 == 0 { Value::Null } else { json!("so") }}),
        6 => json!({"type": "requirement", "content": "must"}),
        _ => json!({"type": "command_run", "command": "make", "exit_code": what}),
    };
    let (Some(own), Some(fields)) = (event.as_object_mut(), fields.as_object()) else { return event };
    own.extend(fields.clone());
    if guard % 9 == 0 {
        own.insert("importance".to_owned(), json!("critical"));
    }
    event
}
