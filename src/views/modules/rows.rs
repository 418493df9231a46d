//! What the Modules view shows: the modules as a tree, and a thread's operators as a tree.

use crate::analysis::torch::modules::{ModuleRow, Modules, TreeNode};
use crate::base::Order as _;
use crate::base::{TimeNs, text};
use crate::ui::flame::Node;
use crate::ui::table::{Cell, Column, Columns, Kind, Row};
use crate::ui::tree::Branch;
use crate::views::wording;

/// Positions in pre-order with siblings in their order, and the new position of each parent.
///
/// A parent that is not there, or that is its own ancestor, makes a root.
fn pre_order(parents: &[Option<u32>]) -> Vec<(usize, Option<u32>)> {
    let n = parents.len();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n + 1];
    for (i, parent) in parents.iter().enumerate() {
        let place = parent.map(|p| p as usize).filter(|p| *p < n && *p != i).unwrap_or(n);
        children[place].push(i as u32);
    }
    let mut out: Vec<(usize, Option<u32>)> = Vec::with_capacity(n);
    let mut open: Vec<(u32, Option<u32>)> = children[n].iter().rev().map(|&c| (c, None)).collect();
    while let Some((at, parent)) = open.pop() {
        let place = out.len() as u32;
        out.push((at as usize, parent));
        open.extend(children[at as usize].iter().rev().map(|&c| (c, Some(place))));
    }
    out
}

/// The modules in the order they are listed.
pub fn ordered(modules: &Modules) -> Vec<(ModuleRow, Option<u32>)> {
    let parents: Vec<Option<u32>> = modules.rows.iter().map(|r| r.parent).collect();
    pre_order(&parents).into_iter().map(|(i, parent)| (modules.rows[i].clone(), parent)).collect()
}

fn specs(has_device: bool) -> Columns<ModuleRow> {
    const DEVICE_TOTAL: &str = "Time of kernels launched in the calls; overlaps count twice.";
    const DEVICE_SELF: &str = "Time of kernels launched directly by the module or its operators.";
    const HOST_TOTAL: &str = "Host time of the calls, including nested operators and modules.";
    const HOST_SELF: &str = "Host time of the calls, excluding nested operators and modules.";
    const MEAN: &str = "Mean device time per call, or host time if there is no device time. This is the width in the flame graph.";
    Columns::<ModuleRow>::new()
        .column("name", "Module Name", Kind::Name, "Class, and number within the class.", |r| Cell::Text(r.name.clone()))
        .column("occurrences", "Occurrences", Kind::Count, "Calls in the entire trace, at any place in the tree.", |r| r.occurrences.into())
        .column("operators", "Operators", Kind::Count, "Operators called directly by the module.", |r| r.operators.into())
        .column("host_total", "Host Total Time", Kind::Duration, HOST_TOTAL, |r| r.host_total.into())
        .column("host_self", "Host Self Time", Kind::Duration, HOST_SELF, |r| r.host_self.into())
        .with(has_device, |all| {
            all.column("device_total", "Device Total Time", Kind::Duration, DEVICE_TOTAL, |r| r.device_total.into()).column(
                "device_self",
                "Device Self Time",
                Kind::Duration,
                DEVICE_SELF,
                |r| r.device_self.into(),
            )
        })
        .column("mean", "Mean per Call", Kind::Duration, MEAN, |r| Cell::Int(r.mean_ns.round() as i64))
}

/// Columns of the modules, as the plugin names them; of a device only when one was used.
pub fn columns(has_device: bool) -> Vec<Column> {
    specs(has_device).headers()
}

/// The tree of modules.
pub fn branches(modules: &Modules) -> Vec<Branch> {
    let columns = specs(modules.has_device);
    let branch = |(r, parent): (ModuleRow, Option<u32>)| Branch { row: Row { colour: Some(r.colour), ..columns.row(&r) }, parent };
    ordered(modules).into_iter().map(branch).collect()
}

/// The flame graph of modules: as wide as their mean per call.
pub fn flame(modules: &Modules) -> Vec<Node> {
    let node = |(r, parent): (ModuleRow, Option<u32>)| Node {
        value: r.mean_ns.round() as i64,
        parent,
        colour: r.colour,
        note: format!("{} calls, {} operators", text::count(r.occurrences), text::count(r.operators)),
        name: r.name,
    };
    ordered(modules).into_iter().map(node).collect()
}

/// How many modules there are and how many are listed.
pub fn scope(modules: &Modules) -> String {
    let (listed, all) = (modules.rows.len() as u64, modules.n_total);
    let what = if modules.is_lightning { "Lightning modules" } else { "modules" };
    // If none is recorded there may still be some; a note explains it.
    if all == 0 {
        return String::new();
    }
    if listed < all {
        format!("{} of {} {what} are listed", text::count(listed), text::count(all))
    } else {
        format!("{} {what}", text::count(all))
    }
}

/// A node and the place of its parent in the list.
pub type Placed = (TreeNode, Option<u32>);

/// Nodes of several answers as one list in pre-order; a node that came twice is there once.
pub fn merged(parts: &[Vec<TreeNode>]) -> Vec<Placed> {
    let mut nodes: Vec<TreeNode> = parts.concat();
    nodes.order_by_key(|n| (n.node, n.start));
    nodes.dedup_by_key(|n| n.node);
    nodes.order_by_key(|n| (n.start, n.depth, n.node));
    let place = |number: u32, nodes: &[TreeNode], by_number: &[(u32, u32)]| {
        let at = by_number.binary_search_by_key(&number, |b| b.0).ok()?;
        nodes.get(by_number[at].1 as usize).map(|_| by_number[at].1)
    };
    let mut by_number: Vec<(u32, u32)> = nodes.iter().zip(0u32..).map(|(n, i)| (n.node, i)).collect();
    by_number.sort_unstable();
    let parents: Vec<Option<u32>> = nodes.iter().map(|n| n.parent.and_then(|p| place(p, &nodes, &by_number))).collect();
    pre_order(&parents).into_iter().map(|(i, parent)| (nodes[i].clone(), parent)).collect()
}

/// Columns of the tree of operators.
pub fn tree_columns(has_device: bool) -> Vec<Column> {
    let mut out = vec![
        Column::new("name", "Name", Kind::Name, "Operator, module or step."),
        Column::new("kind", "Kind", Kind::Text, "Kind of the node."),
        Column::new("start", "Start", Kind::Duration, wording::SINCE_ORIGIN),
        Column::new("duration", "Duration", Kind::Duration, "Duration on the host."),
    ];
    if has_device {
        out.push(Column::new("device_total", "Device Total", Kind::Duration, "Time of kernels launched in it."));
    }
    out.push(Column::new("children", "Children", Kind::Count, "Number of direct children, loaded or not."));
    out
}

/// The tree of operators.
pub fn tree_branches(nodes: &[Placed], has_device: bool) -> Vec<Branch> {
    let branch = |(n, parent): &Placed| {
        let TimeNs(start) = n.start;
        let mut cells = vec![Cell::Text(n.name.clone()), Cell::Text(n.kind.clone()), Cell::Int(start), Cell::Int(n.duration.0)];
        if has_device {
            cells.push(Cell::Int(n.device_total.0));
        }
        cells.push(Cell::Int(i64::from(n.n_children)));
        Branch { row: Row { colour: Some(n.colour), ..Row::new(cells) }, parent: *parent }
    };
    nodes.iter().map(branch).collect()
}

/// Children of the node at a place that are not loaded.
pub fn n_missing(nodes: &[Placed], at: usize) -> u32 {
    let Some((node, _)) = nodes.get(at) else { return 0 };
    let loaded = nodes.iter().filter(|n| n.1 == Some(at as u32)).count();
    node.n_children.saturating_sub(loaded as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_recorded_module_is_not_shown_as_none() {
        assert_eq!(scope(&Modules::default()), "");
        assert_eq!(scope(&Modules { n_total: 3, ..Modules::default() }), "0 of 3 modules are listed");
    }

    fn modules(rows: &[(&str, Option<u32>)]) -> Modules {
        let row = |r: &(&str, Option<u32>)| ModuleRow { name: r.0.into(), parent: r.1, mean_ns: 2.6, ..ModuleRow::default() };
        Modules { rows: rows.iter().map(row).collect(), n_total: rows.len() as u64, ..Modules::default() }
    }

    #[test]
    fn parents_are_followed_by_what_is_below_them() {
        let modules = modules(&[("a", None), ("b", None), ("c", Some(0)), ("d", Some(1)), ("e", Some(2))]);
        let got: Vec<_> = ordered(&modules).into_iter().map(|(r, p)| (r.name, p)).collect();
        let want = [("a", None), ("c", Some(0)), ("e", Some(1)), ("b", None), ("d", Some(3))];
        assert_eq!(got, want.map(|(n, p)| (n.to_string(), p)));
        assert_eq!(flame(&modules)[1].value, 3);
    }

    #[test]
    fn wrong_parents_make_roots() {
        let got = pre_order(&[Some(9), Some(1)]);
        assert_eq!(got, [(0, None), (1, None)]);
    }

    #[test]
    fn branches_have_a_cell_per_column() {
        for has_device in [false, true] {
            let modules = Modules { has_device, ..modules(&[("a", None)]) };
            assert_eq!(branches(&modules)[0].row.cells.len(), columns(has_device).len());
            let nodes = [(TreeNode::default(), None)];
            assert_eq!(tree_branches(&nodes, has_device)[0].row.cells.len(), tree_columns(has_device).len());
        }
    }

    #[test]
    fn parts_of_a_tree_are_put_together() {
        let node = |node, parent, start, n_children| TreeNode { node, parent, start: TimeNs(start), n_children, ..TreeNode::default() };
        let first = vec![node(0, None, 0, 2), node(5, Some(0), 50, 0), node(1, Some(0), 10, 1)];
        let below = vec![node(1, Some(0), 10, 1), node(2, Some(1), 12, 0)];
        let short = merged(std::slice::from_ref(&first));
        assert_eq!(n_missing(&short, 1), 1);
        let all = merged(&[first, below]);
        assert_eq!(all.iter().map(|n| (n.0.node, n.1)).collect::<Vec<_>>(), [(0, None), (1, Some(0)), (2, Some(1)), (5, Some(0))]);
        assert_eq!(n_missing(&all, 1), 0);
        assert_eq!(n_missing(&all, 99), 0);
    }
}
