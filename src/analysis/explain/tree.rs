//! A tree of times in the making: leaves are filled, and every node sums what is below it.

use super::PartNode;
use crate::base::DurationNs;
use crate::base::Order as _;
use rustc_hash::FxHashMap;

/// Children of a node at most; those with the least time become one, [`OTHERS`].
const MOST_CHILDREN: usize = 2_000;
/// Nodes of a tree at most; beyond it the deepest level is omitted.
const MOST_NODES: usize = 100_000;
/// Name of the children beyond the limit, and of time that a node has beside its children.
pub const OTHERS: &str = "Others";

/// A tree in the making.
pub struct Tree {
    nodes: Vec<Node>,
    places: FxHashMap<(u32, String), u32>,
    /// Time by (node, sample), where there are several samples.
    samples: FxHashMap<(u32, u32), i64>,
    n_samples: u32,
}

#[derive(Debug, Clone, Default)]
struct Node {
    name: String,
    parent: u32,
    level: u8,
    time: i64,
    count: u64,
    bytes: Option<u64>,
    children: Vec<u32>,
}

impl Tree {
    /// A tree with a root, over this number of samples (at least one).
    pub fn new(root: &str, n_samples: u32) -> Self {
        let root = Node { name: root.into(), ..Node::default() };
        Tree { nodes: vec![root], places: FxHashMap::default(), samples: FxHashMap::default(), n_samples: n_samples.max(1) }
    }

    /// The child of that name, made where it is new. 0 is the root.
    pub fn child(&mut self, parent: u32, name: &str) -> u32 {
        if let Some(&at) = self.places.get(&(parent, name.to_string())) {
            return at;
        }
        let at = self.nodes.len() as u32;
        let level = self.nodes[parent as usize].level.saturating_add(1);
        self.nodes.push(Node { name: name.into(), parent, level, ..Node::default() });
        self.nodes[parent as usize].children.push(at);
        self.places.insert((parent, name.to_string()), at);
        at
    }

    /// The node at the end of a path below `parent`.
    pub fn path(&mut self, parent: u32, names: &[&str]) -> u32 {
        names.iter().fold(parent, |at, name| self.child(at, name))
    }

    /// Adds time of a sample to a leaf.
    pub fn time(&mut self, leaf: u32, sample: u32, ns: i64) {
        let node = &mut self.nodes[leaf as usize];
        node.time = node.time.saturating_add(ns);
        if self.n_samples > 1 {
            let sum = self.samples.entry((leaf, sample)).or_insert(0);
            *sum = sum.saturating_add(ns);
        }
    }

    /// Counts what starts at a leaf.
    pub fn count(&mut self, leaf: u32, n: u64) {
        self.nodes[leaf as usize].count += n;
    }

    /// Adds bytes to a leaf.
    pub fn bytes(&mut self, leaf: u32, n: u64) {
        let sum = self.nodes[leaf as usize].bytes.get_or_insert(0);
        *sum = sum.saturating_add(n);
    }

    /// The nodes in pre-order: children of the root in order of creation, others by time.
    pub fn finish(mut self) -> Vec<PartNode> {
        self.settle_inner();
        let spreads = self.spreads();
        for at in (1..self.nodes.len()).rev() {
            let node = self.nodes[at].clone();
            let parent = &mut self.nodes[node.parent as usize];
            parent.time = parent.time.saturating_add(node.time);
            parent.count = parent.count.saturating_add(node.count);
            parent.bytes = match (parent.bytes, node.bytes) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
            };
        }
        let deepest = self.nodes.iter().map(|n| n.level).max().unwrap_or(0);
        let most = (1..=deepest).rev().find(|most| self.nodes.iter().filter(|n| n.level <= *most).count() <= MOST_NODES).unwrap_or(1);
        self.write(&spreads, most)
    }

    /// Time of a node that has children becomes a child's, so that children sum to their parent.
    fn settle_inner(&mut self) {
        for at in 0..self.nodes.len() as u32 {
            let node = &self.nodes[at as usize];
            if node.children.is_empty() || (node.time == 0 && node.count == 0 && node.bytes.is_none()) {
                continue;
            }
            let other = self.child(at, OTHERS) as usize;
            let node = &mut self.nodes[at as usize];
            let (time, count, bytes) = (std::mem::take(&mut node.time), std::mem::take(&mut node.count), node.bytes.take());
            let other_node = &mut self.nodes[other];
            other_node.time = other_node.time.saturating_add(time);
            other_node.count += count;
            if let Some(bytes) = bytes {
                self.bytes(other as u32, bytes);
            }
            let moved: Vec<(u32, i64)> = self.samples.iter().filter(|(k, _)| k.0 == at).map(|(k, v)| (k.1, *v)).collect();
            for (sample, ns) in moved {
                self.samples.remove(&(at, sample));
                *self.samples.entry((other as u32, sample)).or_insert(0) += ns;
            }
        }
    }

    /// Sample standard deviation of every node, nanoseconds.
    fn spreads(&self) -> Option<Vec<f64>> {
        if self.n_samples < 2 {
            return None;
        }
        let mut of: FxHashMap<(u32, u32), i64> = FxHashMap::default();
        for (&(leaf, sample), &ns) in &self.samples {
            let mut at = leaf;
            loop {
                let sum = of.entry((at, sample)).or_insert(0);
                *sum = sum.saturating_add(ns);
                if at == 0 {
                    break;
                }
                at = self.nodes[at as usize].parent;
            }
        }
        let n = f64::from(self.n_samples);
        let mut sums = vec![0.0; self.nodes.len()];
        for (&(node, _), &ns) in &of {
            sums[node as usize] += ns as f64;
        }
        let mut squares = vec![(0.0, 0u32); self.nodes.len()];
        for (&(node, _), &ns) in &of {
            let square = &mut squares[node as usize];
            *square = (square.0 + (ns as f64 - sums[node as usize] / n).powi(2), square.1 + 1);
        }
        // Samples without any time there differ from the mean as well.
        let spread = |at: usize| {
            let (sum, n_recorded) = squares[at];
            let rest = f64::from(self.n_samples - n_recorded) * (sums[at] / n).powi(2);
            ((sum + rest) / (n - 1.0)).sqrt()
        };
        Some((0..self.nodes.len()).map(spread).collect())
    }

    fn write(&self, spreads: &Option<Vec<f64>>, most_level: u8) -> Vec<PartNode> {
        let n = i64::from(self.n_samples);
        let per = |v: u64| v as f64 / n as f64;
        // Means are cut from the running sum of the leaves: each is within one nanosecond of its own, and children sum to their parent.
        let mut out: Vec<PartNode> = Vec::new();
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut sum = 0i64;
        let mut stack: Vec<Visit> = vec![Visit::Node(0)];
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::End => {
                    if let Some((_, at)) = open.pop() {
                        out[at].time = DurationNs(sum.div_euclid(n) - out[at].time.0);
                        out[at].n_below = (out.len() - at - 1) as u32;
                    }
                }
                Visit::Others(children) => {
                    let node = |c: &u32| &self.nodes[*c as usize];
                    let bytes = children.iter().filter_map(|c| node(c).bytes).reduce(u64::saturating_add);
                    let before = sum.div_euclid(n);
                    sum = children.iter().fold(sum, |sum, c| sum.saturating_add(node(c).time));
                    out.push(PartNode {
                        name: OTHERS.into(),
                        level: children.first().map_or(0, |c| node(c).level),
                        n_below: 0,
                        time: DurationNs(sum.div_euclid(n) - before),
                        spread_ns: None,
                        count: per(children.iter().map(|c| node(c).count).fold(0, u64::saturating_add)),
                        bytes: bytes.map(per),
                    });
                }
                Visit::Node(at) => {
                    let node = &self.nodes[at as usize];
                    open.push((at, out.len()));
                    out.push(PartNode {
                        name: node.name.clone(),
                        level: node.level,
                        n_below: 0,
                        // The running sum before it, until it ends.
                        time: DurationNs(sum.div_euclid(n)),
                        spread_ns: spreads.as_ref().and_then(|s| s.get(at as usize).copied()),
                        count: per(node.count),
                        bytes: node.bytes.map(per),
                    });
                    stack.push(Visit::End);
                    if node.children.is_empty() || node.level >= most_level {
                        sum = sum.saturating_add(node.time);
                        continue;
                    }
                    let mut children = node.children.clone();
                    if at != 0 {
                        let key = |c: &u32| (std::cmp::Reverse(self.nodes[*c as usize].time), &self.nodes[*c as usize].name);
                        children.order_by(|a, b| key(a).cmp(&key(b)));
                    }
                    let others = children.split_off(children.len().min(MOST_CHILDREN));
                    if !others.is_empty() {
                        stack.push(Visit::Others(others));
                    }
                    stack.extend(children.into_iter().rev().map(Visit::Node));
                }
            }
        }
        out
    }
}

enum Visit {
    Node(u32),
    /// Children that become one.
    Others(Vec<u32>),
    /// All below the last open node is written.
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<'a>(nodes: &'a [PartNode], name: &str) -> &'a PartNode {
        nodes.iter().find(|n| n.name == name).expect("a node of that name")
    }

    /// Checks that children sum to their parents.
    fn check(nodes: &[PartNode]) {
        for (at, node) in nodes.iter().enumerate().filter(|n| n.1.n_below > 0) {
            let below = &nodes[at + 1..=at + node.n_below as usize];
            let sum: i64 = below.iter().filter(|n| n.level == node.level + 1).map(|n| n.time.0).sum();
            assert_eq!(sum, node.time.0, "{}", node.name);
        }
    }

    #[test]
    fn means_of_children_sum_to_their_parent() {
        let mut tree = Tree::new("Step", 3);
        let kernel = tree.child(0, "Kernel");
        for (i, name) in ["mm", "add", "mul", "relu"].into_iter().enumerate() {
            let leaf = tree.path(kernel, &[name, "k"]);
            for sample in 0..3 {
                tree.time(leaf, sample, 10 + i as i64 + i64::from(sample == 2));
                tree.count(leaf, 2);
            }
        }
        let rest = tree.child(0, "Other");
        tree.time(rest, 1, 7);
        let nodes = tree.finish();
        check(&nodes);
        // (10 + 11 + 12 + 13) × 3 + 4 + 7 = 149.
        assert_eq!((nodes[0].time.0, nodes[0].count, nodes[0].n_below), (149 / 3, 8.0, 10));
        assert_eq!(named(&nodes, "relu").time.0, 13);
        let spread = named(&nodes, "relu").spread_ns.expect("three samples");
        assert!((spread - (1.0f64 / 3.0).sqrt()).abs() < 1e-9, "13, 13, 14: {spread}");
        let spread = named(&nodes, "Other").spread_ns.expect("three samples");
        assert!((spread - (49.0f64 / 3.0).sqrt()).abs() < 1e-9, "0, 7, 0: {spread}");
        assert_eq!(nodes.iter().map(|n| n.name.as_str()).take(3).collect::<Vec<_>>(), ["Step", "Kernel", "relu"]);
    }

    #[test]
    fn what_a_parent_has_itself_becomes_a_child() {
        let mut tree = Tree::new("Total", 1);
        let part = tree.child(0, "DMA");
        tree.time(part, 0, 5);
        let leaf = tree.child(part, "queue");
        tree.time(leaf, 0, 7);
        tree.bytes(leaf, 64);
        let nodes = tree.finish();
        check(&nodes);
        assert_eq!((named(&nodes, "DMA").time.0, named(&nodes, OTHERS).time.0), (12, 5));
        assert_eq!((nodes[0].bytes, nodes[0].spread_ns), (Some(64.0), None));
    }

    #[test]
    fn many_children_become_one() {
        let mut tree = Tree::new("Total", 1);
        let part = tree.child(0, "Tensor");
        for i in 0..MOST_CHILDREN + 10 {
            let leaf = tree.child(part, &i.to_string());
            tree.time(leaf, 0, i as i64);
            tree.count(leaf, 1);
        }
        let nodes = tree.finish();
        check(&nodes);
        assert_eq!(nodes.len(), 2 + MOST_CHILDREN + 1);
        assert_eq!((named(&nodes, OTHERS).count, named(&nodes, OTHERS).time.0), (10.0, 45));
    }
}
