//! Data and layout of a flame graph: pure arithmetic.

/// A node of the tree. Nodes are in pre-order: a parent before its children.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// How much it has, its children's included. Nothing or less takes no room.
    pub value: i64,
    /// The node above; `None` for a root. Always an earlier position.
    pub parent: Option<u32>,
    /// Colour slot.
    pub colour: u16,
    /// A line for the read-out; may be empty.
    pub note: String,
}

/// Box of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeBox {
    /// The node, by position; of several narrow neighbours the first.
    pub node: usize,
    /// Number of nodes in the box: more than one if each would be too narrow to see.
    pub count: usize,
    /// Row from the top.
    pub depth: usize,
    /// Left edge as a share of the width.
    pub start: f64,
    /// Width as a share of the width.
    pub share: f64,
}

/// Height of a row in CSS pixels.
pub const ROW: f64 = 20.0;

/// Places of all nodes that are seen when `zoom` fills the width; `None` shows the roots side by side. `least` is the narrowest share that
/// is drawn by itself. Children are drawn to the scale of their parent; when they add up to more than it, to their sum.
pub fn places(nodes: &[Node], zoom: Option<usize>, least: f64) -> Vec<NodeBox> {
    let sums = child_sums(nodes);
    let roots: f64 = nodes.iter().filter(|n| n.parent.is_none()).map(width).sum();
    let path = path(nodes, zoom);
    // Indexed by node: its place, and how much of its width its children have taken.
    let mut at: Vec<Option<(usize, f64, f64)>> = vec![None; nodes.len()];
    let mut taken = vec![0.0f64; nodes.len()];
    let mut taken_by_roots = 0.0;
    let mut out: Vec<NodeBox> = Vec::new();
    // The place that gathers narrow children, by parent; roots have the last.
    let mut gathering: Vec<Option<usize>> = vec![None; nodes.len() + 1];
    for (i, node) in nodes.iter().enumerate() {
        let parent = node.parent.map(|p| p as usize).filter(|p| *p < i);
        let is_on_path = path.contains(&i);
        let (depth, start, share) = if is_on_path {
            (parent.and_then(|p| at[p]).map_or(0, |p| p.0 + 1), 0.0, 1.0)
        } else {
            let (depth, from, whole, all, used) = match parent {
                None if zoom.is_some() => continue,
                None => (0, 0.0, 1.0, roots, &mut taken_by_roots),
                Some(p) if path.contains(&p) && path.last() != Some(&p) => continue,
                Some(p) => {
                    let Some((depth, start, share)) = at[p] else { continue };
                    (depth + 1, start, share, (nodes[p].value as f64).max(sums[p]), &mut taken[p])
                }
            };
            let part = if all > 0.0 { width(node) / all * whole } else { 0.0 };
            let start = from + *used;
            *used += part;
            (depth, start, part)
        };
        if share <= 0.0 {
            continue;
        }
        let gather = &mut gathering[parent.unwrap_or(nodes.len())];
        if share >= least {
            at[i] = Some((depth, start, share));
            *gather = None;
            out.push(NodeBox { node: i, count: 1, depth, start, share });
        } else if let Some(place) = gather.and_then(|g| out.get_mut(g)) {
            place.count += 1;
            place.share += share;
        } else {
            *gather = Some(out.len());
            out.push(NodeBox { node: i, count: 1, depth, start, share });
        }
    }
    out
}

fn width(node: &Node) -> f64 {
    node.value.max(0) as f64
}

fn child_sums(nodes: &[Node]) -> Vec<f64> {
    let mut sums = vec![0.0; nodes.len()];
    for node in nodes {
        if let Some(sum) = node.parent.and_then(|p| sums.get_mut(p as usize)) {
            *sum += width(node);
        }
    }
    sums
}

/// A node and those above it, from the root.
pub fn path(nodes: &[Node], node: Option<usize>) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = node.filter(|n| *n < nodes.len());
    while let Some(n) = at {
        path.push(n);
        at = nodes[n].parent.map(|p| p as usize).filter(|p| *p < n);
    }
    path.reverse();
    path
}

/// Rows there are.
pub fn depth(places: &[NodeBox]) -> usize {
    places.iter().map(|p| p.depth + 1).max().unwrap_or(0)
}

/// The place, by position, under a point: x as a share of the width, y in pixels.
pub fn hit(places: &[NodeBox], x: f64, y: f64) -> Option<usize> {
    let depth = if y < 0.0 { return None } else { (y / ROW) as usize };
    places.iter().position(|p| p.depth == depth && x >= p.start && x < p.start + p.share)
}

/// The place after a key: ↑ the parent, ↓ the widest child, ← → the neighbours in the row.
pub fn moved(nodes: &[Node], places: &[NodeBox], at: Option<usize>, key: &str) -> Option<usize> {
    let Some(here) = at.and_then(|at| places.get(at)) else { return (!places.is_empty()).then_some(0) };
    let row = |depth: usize| places.iter().enumerate().filter(move |(_, p)| p.depth == depth);
    let found = match key {
        "ArrowUp" => nodes.get(here.node)?.parent.and_then(|parent| places.iter().position(|p| p.node == parent as usize)),
        "ArrowDown" => {
            let below = row(here.depth + 1).filter(|(_, p)| nodes[p.node].parent == Some(here.node as u32));
            below.max_by(|a, b| a.1.share.total_cmp(&b.1.share)).map(|(i, _)| i)
        }
        "ArrowRight" => {
            row(here.depth).filter(|(_, p)| p.start > here.start).min_by(|a, b| a.1.start.total_cmp(&b.1.start)).map(|(i, _)| i)
        }
        "ArrowLeft" => row(here.depth).filter(|(_, p)| p.start < here.start).max_by(|a, b| a.1.start.total_cmp(&b.1.start)).map(|(i, _)| i),
        _ => None,
    };
    found.or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(parent, value)` by node.
    fn tree(nodes: &[(Option<u32>, i64)]) -> Vec<Node> {
        nodes
            .iter()
            .enumerate()
            .map(|(i, (parent, value))| Node { name: i.to_string(), value: *value, parent: *parent, ..Node::default() })
            .collect()
    }

    fn text(places: &[NodeBox]) -> Vec<String> {
        places.iter().map(|p| format!("{}x{} row {} {:.2}+{:.2}", p.node, p.count, p.depth, p.start, p.share)).collect()
    }

    #[test]
    fn children_take_their_share_of_the_parent() {
        let nodes = tree(&[(None, 100), (Some(0), 50), (Some(1), 25), (Some(0), 25), (None, 100)]);
        let found = text(&places(&nodes, None, 0.0));
        assert_eq!(
            found,
            ["0x1 row 0 0.00+0.50", "1x1 row 1 0.00+0.25", "2x1 row 2 0.00+0.12", "3x1 row 1 0.25+0.12", "4x1 row 0 0.50+0.50"]
        );
    }

    #[test]
    fn a_zoomed_node_fills_the_width_below_those_above_it() {
        let nodes = tree(&[(None, 100), (Some(0), 50), (Some(1), 25), (Some(0), 25), (None, 100)]);
        assert_eq!(text(&places(&nodes, Some(1), 0.0)), ["0x1 row 0 0.00+1.00", "1x1 row 1 0.00+1.00", "2x1 row 2 0.00+0.50"]);
        assert_eq!(path(&nodes, Some(2)), [0, 1, 2]);
    }

    #[test]
    fn children_that_add_up_to_more_than_their_parent_stay_inside() {
        let nodes = tree(&[(None, 10), (Some(0), 30), (Some(0), 10)]);
        assert_eq!(text(&places(&nodes, None, 0.0))[1..], ["1x1 row 1 0.00+0.75", "2x1 row 1 0.75+0.25"]);
        assert!(places(&tree(&[(None, 0), (Some(0), -5), (Some(9), 3)]), None, 0.0).iter().all(|p| p.share.is_finite()));
    }

    #[test]
    fn narrow_neighbours_stand_together() {
        let mut nodes = tree(&[(None, 1_000)]);
        nodes.extend(tree(&vec![(Some(0), 1); 100]));
        let found = places(&nodes, None, 0.01);
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].count, found[1].node), (100, 1));
        assert!((found[1].share - 0.1).abs() < 1e-9);
        assert_eq!(depth(&found), 2);
    }

    #[test]
    fn points_and_keys_find_places() {
        let nodes = tree(&[(None, 100), (Some(0), 20), (Some(0), 70), (Some(2), 70)]);
        let all = places(&nodes, None, 0.0);
        assert_eq!(hit(&all, 0.5, ROW * 1.5), Some(2));
        assert_eq!(hit(&all, 0.95, ROW * 1.5), None);
        assert_eq!(hit(&all, 0.5, -1.0), None);
        let go = |keys: &[&str]| keys.iter().fold(None, |at, k| moved(&nodes, &all, at, k));
        assert_eq!(go(&["ArrowDown"]), Some(0));
        assert_eq!(go(&["ArrowDown", "ArrowDown"]), Some(2));
        assert_eq!(go(&["ArrowDown", "ArrowDown", "ArrowLeft"]), Some(1));
        assert_eq!(go(&["ArrowDown", "ArrowDown", "ArrowRight"]), Some(2));
        assert_eq!(go(&["ArrowDown", "ArrowDown", "ArrowUp"]), Some(0));
        assert_eq!(moved(&[], &[], None, "ArrowUp"), None);
    }
}
