//! What `strict` must give for a finished list, said as plainly as can be: every rule is a question about the whole
//! list, answered anew. Slow, and written without a look at the engine's shortcuts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What became of each event, by the name under which it is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub pruned: BTreeSet<String>,
    pub protected: BTreeMap<String, String>,
    pub reasons: BTreeMap<String, String>,
    pub order: Vec<String>,
}

type Rank = (u64, usize, usize, u64, usize);

struct Oracle<'a> {
    events: &'a [Value],
    labels: Vec<String>,
    parents: Vec<Option<usize>>,
    calls: Vec<Option<usize>>,
    targets: Vec<BTreeSet<usize>>,
    rings: Vec<Option<BTreeSet<usize>>>,
    swept: Vec<BTreeSet<usize>>,
    ranks: Vec<Rank>,
}

/// The answer for a list of events.
pub fn answer(events: &[Value]) -> Answer {
    let mut oracle = Oracle {
        events,
        labels: labels(events),
        parents: Vec::new(),
        calls: Vec::new(),
        targets: Vec::new(),
        rings: Vec::new(),
        swept: Vec::new(),
        ranks: Vec::new(),
    };
    let all = 0..events.len();
    oracle.parents = all.clone().map(|n| oracle.parent(n)).collect();
    oracle.calls = all.clone().map(|n| oracle.call(n)).collect();
    oracle.targets = all.clone().map(|n| oracle.targets_of(n)).collect();
    oracle.rings = all.clone().map(|n| oracle.ring(n)).collect();
    oracle.swept = all.clone().map(|n| oracle.sweepers(n)).collect();
    oracle.ranks = all.map(|n| oracle.rank(n)).collect();
    oracle.judge()
}

fn labels(events: &[Value]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for event in events {
        let id = event["id"].as_str().unwrap();
        let numbered = (2..).map(|n| format!("{id}#{n}"));
        let free = std::iter::once(id.to_owned()).chain(numbered).find(|label| !labels.contains(label));
        labels.push(free.unwrap());
    }
    labels
}

impl Oracle<'_> {
    fn kind(&self, n: usize) -> &str {
        self.events[n]["type"].as_str().unwrap()
    }

    /// What an id means to event `n`: the newest before it, else the first behind it.
    fn meant(&self, id: &str, before: usize, matches: impl Fn(usize) -> bool) -> Option<usize> {
        let is = |n: &usize| self.events[*n]["id"] == id && matches(*n);
        (0..before).rev().find(is).or_else(|| (before..self.events.len()).find(is))
    }

    fn parent(&self, n: usize) -> Option<usize> {
        let id = self.events[n]["parent_id"].as_str().filter(|id| !id.is_empty())?;
        self.meant(id, n, |_| true).filter(|parent| *parent != n)
    }

    fn call(&self, n: usize) -> Option<usize> {
        let id = self.events[n]["call_id"].as_str()?;
        self.meant(id, n, |n| self.kind(n) == "tool_call")
    }

    fn targets_of(&self, n: usize) -> BTreeSet<usize> {
        let named = self.events[n]["ref_to"].as_array().into_iter().flatten();
        named.filter_map(|id| self.meant(id.as_str().unwrap(), n + 1, |_| true)).collect()
    }

    /// The event and what it hangs on, nearest first, each once.
    fn up(&self, n: usize) -> Vec<usize> {
        let mut path = vec![n];
        let mut at = self.parents[n];
        while let Some(next) = at.filter(|next| !path.contains(next)) {
            path.push(next);
            at = self.parents[next];
        }
        path
    }

    fn ring(&self, n: usize) -> Option<BTreeSet<usize>> {
        let path = self.up(n);
        let last = path[path.len() - 1];
        (self.parents[last] == Some(n)).then(|| path.into_iter().collect())
    }

    /// The targets that sweep an event: those on its way up with no abandon event of theirs before them.
    fn sweepers(&self, n: usize) -> BTreeSet<usize> {
        let path = self.up(n);
        let named = |target: usize| self.targets.iter().any(|targets| targets.contains(&target));
        let mut sweepers = BTreeSet::new();
        let mut barred: BTreeSet<usize> = BTreeSet::new();
        for at in path {
            if named(at) && (at == n || !barred.contains(&at)) {
                sweepers.insert(at);
            }
            barred.extend(&self.targets[at]);
        }
        sweepers
    }

    fn rank(&self, n: usize) -> Rank {
        let time = |n: usize| self.events[n]["timestamp"].as_u64().unwrap();
        let path = self.up(n);
        let causes: BTreeSet<usize> =
            path.iter().flat_map(|n| self.rings[*n].clone().unwrap_or_else(|| [*n].into())).collect();
        let depth = path.iter().filter(|n| self.rings[**n].is_none()).count();
        let ringed = path.iter().any(|n| self.rings[*n].is_some());
        let depth = if ringed || depth == 0 { depth } else { depth - 1 };
        let latest = causes.iter().map(|n| time(*n)).max().unwrap();
        (latest, causes.into_iter().max().unwrap(), depth, time(n), n)
    }

    fn unit(&self, n: usize) -> Vec<usize> {
        let call = self.calls[n].unwrap_or(n);
        let results = (0..self.events.len()).filter(|n| self.calls[*n] == Some(call));
        let mut unit: Vec<usize> = results.collect();
        // In the order in which they were paired: those before the call waited for it, in order.
        unit.sort_unstable();
        unit.insert(0, call);
        unit
    }

    fn superseded(&self, n: usize) -> Option<usize> {
        if self.kind(n) != "set_var" || !self.swept[n].is_empty() {
            return None;
        }
        let rivals = (0..self.events.len()).filter(|m| {
            self.kind(*m) == "set_var"
                && self.events[*m]["key"] == self.events[n]["key"]
                && self.swept[*m].is_empty()
        });
        rivals.max_by_key(|m| self.ranks[*m]).filter(|winner| *winner != n)
    }

    fn words(&self, call: usize) -> Option<String> {
        let unit = self.unit(call);
        let free = |n: &usize| self.swept[*n].is_empty() && self.rings[*n].is_none();
        if self.kind(call) != "tool_call" || unit.len() < 2 || !unit.iter().all(free) {
            return None;
        }
        let results: Vec<String> = unit[1..].iter().map(|n| self.events[*n]["result"].to_string()).collect();
        Some(format!("{}{}{results:?}", self.events[call]["tool_name"], self.events[call]["arguments"]))
    }

    fn duplicate(&self, n: usize) -> Option<usize> {
        let call = self.calls[n].unwrap_or(n);
        let words = self.words(call)?;
        let equal = (0..self.events.len()).filter(|m| self.words(*m).as_ref() == Some(&words));
        let first = equal.min_by_key(|m| self.ranks[*m]).filter(|first| *first != call)?;
        let nth = self.unit(call).iter().position(|m| *m == n).unwrap();
        Some(self.unit(first)[nth])
    }

    fn reason(&self, n: usize) -> Option<String> {
        if !self.swept[n].is_empty() {
            let nearest = self.up(n).into_iter().find(|at| self.swept[n].contains(at)).unwrap();
            let by = (0..self.events.len()).rev().find(|m| self.targets[*m].contains(&nearest)).unwrap();
            return Some(format!("abandoned by {}", self.labels[by]));
        }
        if let Some(winner) = self.superseded(n) {
            return Some(format!("superseded by {}", self.labels[winner]));
        }
        if let Some(first) = self.duplicate(n) {
            return Some(format!("duplicate of {}", self.labels[first]));
        }
        (self.rings[n].is_some() && self.kind(n) != "set_var").then(|| "collapsed into cycle".to_owned())
    }

    fn judge(&self) -> Answer {
        let mut answer = Answer::default();
        let reasons: Vec<Option<String>> = (0..self.events.len()).map(|n| self.reason(n)).collect();
        let critical = |n: usize| self.events[n]["importance"] == "critical";
        let mut order: Vec<usize> = (0..self.events.len()).collect();
        order.sort_by_key(|n| self.ranks[*n]);
        for n in order {
            let label = self.labels[n].clone();
            let unit = self.unit(n);
            let keeper = unit.iter().find(|m| reasons[**m].is_none()).or(unit.iter().find(|m| critical(**m)));
            if let Some(reason) = &reasons[n] {
                answer.reasons.insert(label.clone(), reason.clone());
                match keeper {
                    None => drop(answer.pruned.insert(label.clone())),
                    Some(_) if critical(n) => {
                        answer.protected.insert(label.clone(), "importance=critical".to_owned());
                    }
                    Some(keeper) => {
                        let keeper = format!("kept together with {}", self.labels[*keeper]);
                        answer.protected.insert(label.clone(), keeper);
                    }
                }
            }
            if !answer.pruned.contains(&label) {
                answer.order.push(label);
            }
        }
        answer
    }
}
