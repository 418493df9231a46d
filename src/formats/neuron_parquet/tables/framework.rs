//! Paths of framework operators in the model: `NeuronLlamaDecoderLayer[1]/attention/aten.add`, by the id that instructions have.

use super::table::Table;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Parts of a path; names that go in a circle end there.
const MOST_PARTS: usize = 64;
/// Paths that are kept.
const MOST_PATHS: usize = 1_000_000;

/// Paths by `raw_framework_id`.
pub type Paths = FxHashMap<i64, String>;

/// From the table `FrameworkInstruction`, else from the tree in `FrameworkNode`; none without either. Both tables are also shown unchanged,
/// and the ledger has what could not be read.
pub fn paths(tables: &BTreeMap<String, Table>) -> Paths {
    let recorded = tables.get("FrameworkInstruction").map(of_instructions).unwrap_or_default();
    if recorded.is_empty() { tables.get("FrameworkNode").map(of_nodes).unwrap_or_default() } else { recorded }
}

fn of_instructions(table: &Table) -> Paths {
    let mut out = Paths::default();
    for file in &table.files {
        let _ = file.rows(&["raw_framework_id", "framework_name"], (0, u64::MAX), |b, _| {
            for row in 0..b.n_rows {
                if let (Some(id), name) = (b.int(0, row), b.text(1, row))
                    && !name.is_empty()
                    && out.len() < MOST_PATHS
                {
                    out.entry(id).or_insert_with(|| name.into());
                }
            }
            ControlFlow::Continue(())
        });
    }
    out
}

fn of_nodes(table: &Table) -> Paths {
    let mut parents: FxHashMap<String, String> = FxHashMap::default();
    let mut nodes: Vec<(String, Vec<i64>)> = Vec::new();
    for file in &table.files {
        let _ = file.rows(&["node_name", "parent_name", "children_ids"], (0, u64::MAX), |b, _| {
            for row in 0..b.n_rows {
                let name = b.text(0, row).to_string();
                parents.entry(name.clone()).or_insert_with(|| b.text(1, row).into());
                nodes.push((name, ids(b.text(2, row))));
            }
            ControlFlow::Continue(())
        });
    }
    let mut out: FxHashMap<i64, Vec<&str>> = FxHashMap::default();
    for (name, ids) in &nodes {
        let path = path(name, &parents);
        for id in ids.iter().take(MOST_PATHS.saturating_sub(out.len())) {
            // A node lists what is below it, too: the longest path is that of the operator itself.
            if out.get(id).is_none_or(|known| known.len() < path.len()) {
                out.insert(*id, path.clone());
            }
        }
    }
    out.into_iter().map(|(id, path)| (id, path.join("/"))).collect()
}

/// `[123, 456]`.
pub fn ids(list: &str) -> Vec<i64> {
    list.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|word| word.parse().ok()).collect()
}

/// Names from the root to a node.
fn path<'a>(name: &'a str, parents: &'a FxHashMap<String, String>) -> Vec<&'a str> {
    let mut out = vec![name];
    let mut at = name;
    while let Some(parent) = parents.get(at).filter(|p| !p.is_empty() && out.len() < MOST_PARTS && !out.contains(&p.as_str())) {
        out.push(parent);
        at = parent;
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_from_the_root_and_end_in_circles() {
        let parents: FxHashMap<String, String> = [("add", "attention"), ("attention", "layer"), ("layer", ""), ("a", "b"), ("b", "a")]
            .map(|(n, p)| (n.into(), p.into()))
            .into_iter()
            .collect();
        assert_eq!(path("add", &parents), ["layer", "attention", "add"]);
        assert_eq!(path("a", &parents), ["b", "a"]);
        assert_eq!(ids("[123, -4,7]"), [123, -4, 7]);
        assert!(ids("[]").is_empty());
    }
}
