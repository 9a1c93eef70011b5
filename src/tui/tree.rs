//! What is open, what is selected and which rows are on the screen of a lazy tree.
//!
//! Rows are never listed: the tree keeps only the open nodes, and finds the n-th row by their counts. So a node
//! with a million children costs what its open children cost, and a line that arrives costs nothing.

use crate::outline::{Node, Outline};
use crate::session::open::OpenLog;

/// One row of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The node.
    pub node: Node,
    /// How deep it stands, from 0.
    pub depth: usize,
    /// Whether it is open.
    pub open: bool,
    /// How many children it has.
    pub children: usize,
    /// The open node it stands under.
    parent: usize,
}

/// An open node and the open nodes under it.
#[derive(Clone, Debug)]
struct Branch {
    node: Node,
    open: Vec<Branch>,
}

/// An open node with its place among the rows.
#[derive(Debug)]
struct Laid {
    node: Node,
    /// Depth of its children.
    depth: usize,
    parent: usize,
    /// The place of the node itself among its parent's children.
    position: usize,
    children: usize,
    /// All rows under it.
    rows: usize,
    /// Open children, in order.
    open: Vec<usize>,
}

/// The open part of a tree, measured.
#[derive(Debug)]
pub struct Layout(Vec<Laid>);

impl Layout {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.0[0].rows
    }

    /// The row at `index`.
    pub fn row(&self, outline: &dyn Outline, log: &OpenLog, index: usize) -> Option<Row> {
        let mut laid = 0;
        let mut left = index;
        'descend: loop {
            let parent = &self.0[laid];
            // Children and the rows under open ones, in order: skip whole open children where they lie before.
            let mut passed = 0;
            for &child in &parent.open {
                let open = &self.0[child];
                let before = open.position - passed;
                if left < before {
                    break;
                }
                left -= before;
                if left == 0 {
                    return self.found(outline, log, laid, open.position);
                }
                left -= 1;
                if left < open.rows {
                    laid = child;
                    continue 'descend;
                }
                left -= open.rows;
                passed = open.position + 1;
            }
            return self.found(outline, log, laid, passed + left);
        }
    }

    fn found(&self, outline: &dyn Outline, log: &OpenLog, laid: usize, position: usize) -> Option<Row> {
        let parent = &self.0[laid];
        if position >= parent.children {
            return None;
        }
        let node = outline.child(log, parent.node, position)?;
        let open = parent.open.iter().any(|child| self.0[*child].node == node);
        Some(Row { node, depth: parent.depth, open, children: outline.count(log, node), parent: laid })
    }

    /// The open nodes that `row` stands under, outermost first.
    pub fn ancestors(&self, row: &Row) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut at = row.parent;
        while at != 0 {
            nodes.push(self.0[at].node);
            at = self.0[at].parent;
        }
        nodes.reverse();
        nodes
    }

    /// The row at which the node at the end of `path` stands.
    fn index(&self, outline: &dyn Outline, log: &OpenLog, path: &[Node]) -> Option<usize> {
        let mut laid = 0;
        let mut index = 0;
        for (level, node) in path.iter().enumerate() {
            let parent = &self.0[laid];
            let open = parent.open.iter().copied().find(|child| self.0[*child].node == *node);
            let position = match open {
                Some(child) => self.0[child].position,
                None => outline.position(log, parent.node, *node)?,
            };
            let above =
                parent.open.iter().map(|child| &self.0[*child]).take_while(|open| open.position < position);
            index += position + above.map(|open| open.rows).sum::<usize>();
            if level + 1 < path.len() {
                index += 1;
                laid = open?;
            }
        }
        (!path.is_empty()).then_some(index)
    }
}

/// The state of one tree on the screen.
#[derive(Clone, Debug)]
pub struct Tree {
    root: Branch,
    /// The selected node: the way down to it.
    pub selected: Vec<Node>,
    /// The first row on the screen.
    pub top: usize,
    /// How many rows fit on the screen.
    pub height: usize,
}

/// Most rows that "open everything" opens.
const OPEN_ALL: usize = 2_000;

impl Tree {
    /// A tree with these nodes open at the top.
    pub fn new(open: &[Node]) -> Self {
        let open = open.iter().map(|node| Branch { node: *node, open: Vec::new() }).collect();
        Self { root: Branch { node: Node::Root, open }, selected: Vec::new(), top: 0, height: 1 }
    }

    /// Measures the open nodes as the outline is now. Open nodes that are no longer there stay open for when they
    /// come back.
    pub fn layout(&self, outline: &dyn Outline, log: &OpenLog) -> Layout {
        let mut layout = Layout(Vec::new());
        lay(&mut layout, &self.root, 0, 0, 0, outline, log);
        layout
    }

    /// The selected node.
    pub fn node(&self) -> Option<Node> {
        self.selected.last().copied()
    }

    /// The row of the selected node.
    pub fn selected_row(&self, layout: &Layout, outline: &dyn Outline, log: &OpenLog) -> Option<usize> {
        layout.index(outline, log, &self.selected)
    }

    /// Selects the row at `index`, or the last one.
    pub fn select_row(&mut self, index: usize, layout: &Layout, outline: &dyn Outline, log: &OpenLog) {
        let index = index.min(layout.len().saturating_sub(1));
        if let Some(row) = layout.row(outline, log, index) {
            self.selected = layout.ancestors(&row);
            self.selected.push(row.node);
        }
    }

    /// Moves the selection by `by` rows.
    pub fn step(&mut self, by: isize, outline: &dyn Outline, log: &OpenLog) {
        let layout = self.layout(outline, log);
        let now = self.selected_row(&layout, outline, log).unwrap_or(self.top);
        self.select_row(now.saturating_add_signed(by), &layout, outline, log);
    }

    /// Opens the nodes of `path` down to its last but one, and selects the last.
    pub fn reveal(&mut self, path: &[Node]) {
        let Some((last, above)) = path.split_last() else { return };
        let mut branch = &mut self.root;
        for node in above {
            branch = open(branch, *node);
        }
        self.selected = above.to_vec();
        self.selected.push(*last);
    }

    /// The same, and opens the last.
    pub fn reveal_open(&mut self, path: &[Node]) {
        self.reveal(path);
        let mut branch = &mut self.root;
        for node in path {
            branch = open(branch, *node);
        }
    }

    /// Opens the selected node, or closes it if it is open.
    pub fn toggle(&mut self, outline: &dyn Outline, log: &OpenLog) {
        if self.is_open() { self.close() } else { self.open(outline, log) }
    }

    /// Whether the selected node is open.
    pub fn is_open(&self) -> bool {
        let mut branch = &self.root;
        for node in &self.selected {
            match branch.open.iter().find(|open| open.node == *node) {
                Some(next) => branch = next,
                None => return false,
            }
        }
        !self.selected.is_empty()
    }

    /// Opens the selected node if it has children.
    pub fn open(&mut self, outline: &dyn Outline, log: &OpenLog) {
        if self.node().is_some_and(|node| outline.count(log, node) > 0) {
            let mut branch = &mut self.root;
            for node in &self.selected {
                branch = open(branch, *node);
            }
        }
    }

    /// Closes the selected node.
    pub fn close(&mut self) {
        let Some((last, above)) = self.selected.split_last() else { return };
        let mut branch = &mut self.root;
        for node in above {
            match branch.open.iter().position(|open| open.node == *node) {
                Some(at) => branch = &mut branch.open[at],
                None => return,
            }
        }
        branch.open.retain(|open| open.node != *last);
    }

    /// Steps out: closes the selected node, or selects its parent if it is closed.
    pub fn close_or_leave(&mut self) {
        if self.is_open() {
            self.close();
        } else if self.selected.len() > 1 {
            self.selected.pop();
        }
    }

    /// Opens everything under the selected node, up to a bound. False: the bound was reached.
    pub fn open_all(&mut self, outline: &dyn Outline, log: &OpenLog) -> bool {
        self.open(outline, log);
        let Some(node) = self.node() else { return true };
        let mut branch = &mut self.root;
        for node in &self.selected {
            branch = open(branch, *node);
        }
        let mut left = OPEN_ALL;
        open_under(branch, node, &mut left, outline, log)
    }

    /// Moves the rows on the screen so that the selected one is among them, with a margin where there is room.
    pub fn scroll_to_selected(&mut self, layout: &Layout, outline: &dyn Outline, log: &OpenLog) {
        let rows = layout.len();
        let most = rows.saturating_sub(self.height);
        if let Some(at) = self.selected_row(layout, outline, log) {
            let margin = (self.height / 4).min(3);
            let lowest = (at + margin + 1).saturating_sub(self.height);
            self.top = self.top.clamp(lowest.min(at), at.saturating_sub(margin).max(lowest));
        }
        self.top = self.top.min(most);
    }
}

fn open(branch: &mut Branch, node: Node) -> &mut Branch {
    let at = match branch.open.iter().position(|open| open.node == node) {
        Some(at) => at,
        None => {
            branch.open.push(Branch { node, open: Vec::new() });
            branch.open.len() - 1
        }
    };
    &mut branch.open[at]
}

fn open_under(
    branch: &mut Branch,
    node: Node,
    left: &mut usize,
    outline: &dyn Outline,
    log: &OpenLog,
) -> bool {
    for index in 0..outline.count(log, node) {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let Some(child) = outline.child(log, node, index) else { continue };
        if outline.count(log, child) > 0 && !open_under(open(branch, child), child, left, outline, log) {
            return false;
        }
    }
    true
}

fn lay(
    layout: &mut Layout,
    branch: &Branch,
    depth: usize,
    parent: usize,
    position: usize,
    outline: &dyn Outline,
    log: &OpenLog,
) -> usize {
    let at = layout.0.len();
    let children = outline.count(log, branch.node);
    layout.0.push(Laid {
        node: branch.node,
        depth,
        parent,
        position,
        children,
        rows: children,
        open: Vec::new(),
    });
    let mut places: Vec<(usize, &Branch)> = branch
        .open
        .iter()
        .filter_map(|open| Some((outline.position(log, branch.node, open.node)?, open)))
        .filter(|(position, _)| *position < children)
        .collect();
    places.sort_by_key(|(position, _)| *position);
    for (position, open) in places {
        let child = lay(layout, open, depth + 1, at, position, outline, log);
        layout.0[at].rows += layout.0[child].rows;
        layout.0[at].open.push(child);
    }
    at
}
