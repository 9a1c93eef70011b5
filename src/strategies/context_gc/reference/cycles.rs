//! Circles in the sequence: Tarjan's strongly connected components, with a stack of its own.

use super::Graph;

/// A node that is being looked at, and how many of its edges were followed.
struct Visit {
    node: usize,
    followed: usize,
}

impl Graph<'_> {
    /// Components of two nodes and more.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        const UNSEEN: usize = usize::MAX;
        let count = self.nodes.len();
        let next: Vec<Vec<usize>> = (0..count).map(|node| self.next(node).collect()).collect();
        let (mut number, mut low) = (vec![UNSEEN; count], vec![UNSEEN; count]);
        let mut on_stack = vec![false; count];
        let (mut stack, mut found) = (Vec::new(), Vec::new());
        let mut numbers = 0;
        for root in 0..count {
            if number[root] != UNSEEN {
                continue;
            }
            let mut visits = vec![Visit { node: root, followed: 0 }];
            while let Some(Visit { node, followed }) = visits.last_mut() {
                let node = *node;
                if *followed == 0 {
                    number[node] = numbers;
                    low[node] = numbers;
                    numbers += 1;
                    stack.push(node);
                    on_stack[node] = true;
                }
                if let Some(to) = next[node].get(*followed).copied() {
                    *followed += 1;
                    if number[to] == UNSEEN {
                        visits.push(Visit { node: to, followed: 0 });
                    } else if on_stack[to] {
                        low[node] = low[node].min(number[to]);
                    }
                    continue;
                }
                visits.pop();
                if let Some(above) = visits.last() {
                    low[above.node] = low[above.node].min(low[node]);
                }
                if low[node] == number[node] {
                    let at = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                    let component = stack.split_off(at);
                    for member in &component {
                        on_stack[*member] = false;
                    }
                    if component.len() > 1 {
                        found.push(component);
                    }
                }
            }
        }
        found
    }
}
