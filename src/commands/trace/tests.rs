use super::*;
use crate::lineage::exact::Line;
use crate::lineage::range::Plan;

#[test]
fn sources_that_the_maker_names_are_told_as_named() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/lineage.jsonl");
    let log = OpenLog::load(std::path::Path::new(fixture)).unwrap();
    let turn = |number| log.session.numbered(0, number).unwrap();
    let text = "The retry limit stays.\nNothing of this is in any turn.\nNobody named a turn here.";
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let lines = vec![
        Line { range: 0..ends[0], turns: vec![turn(3), turn(1)] },
        Line { range: ends[0] + 1..ends[1], turns: vec![turn(2)] },
    ];
    let plan = Plan::made(&log.session, 1, turn(1), text.to_owned(), lines, &[]);
    let mut tracer = Tracer::new(&log, lexicon::built_in());
    let range = Prepared::read(&plan, &log.source, tracer.lexicon, weights::built_in()).unwrap();
    tracer.traces.insert(Arc::new(range.trace(tracer.lexicon)));
    let mut out = Vec::new();
    tracer.generation(1, true, &mut out).unwrap();
    let rows: Vec<Value> =
        std::str::from_utf8(&out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = |row: &Value| -> Vec<(u64, bool)> {
        let sources = row["sources"].as_array().unwrap().iter();
        sources.map(|s| (s["turn"].as_u64().unwrap(), s["named"] == json!(true))).collect()
    };
    assert_eq!(named(&rows[0]), [(1, true), (3, true)]);
    assert_eq!(rows[0]["sources"][0]["score"], json!(1.0));
    assert_eq!(named(&rows[1]), [(2, true)]);
    assert!(named(&rows[2]).iter().all(|(_, named)| !named));
    out.clear();
    tracer.generation(1, false, &mut out).unwrap();
    let shown = String::from_utf8(out).unwrap();
    assert_eq!(shown.matches(" named, ").count(), 3, "{shown}");
}
