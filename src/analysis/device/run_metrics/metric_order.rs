//! The order of metrics: by group, as in the file.

use crate::analysis::device::run_metrics::metric::Metric;
use crate::base::Order as _;
use crate::model::{Cell, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts metrics summary by summary, group by group: first those that `summary_group_order` names, then others as first seen, those without a group
/// last; within a group by name. Where the file has no groups its own order stays.
pub(in crate::analysis::device) fn sort(profile: &Profile, metrics: &mut [Metric]) {
    let places: FxHashMap<String, i64> = ranks(profile).into_iter().collect();
    let mut met: FxHashMap<&str, usize> = FxHashMap::default();
    for m in metrics.iter().filter(|m| !m.group.is_empty()) {
        let n = met.len();
        met.entry(&m.group).or_insert(n);
    }
    if met.is_empty() {
        return;
    }
    let rank = |m: &Metric| match (places.get(&m.group), met.get(m.group.as_str())) {
        (Some(at), _) => (0, *at),
        (None, Some(at)) => (1, *at as i64),
        (None, None) => (2, 0),
    };
    let mut groups: Vec<((i32, i64), String)> = metrics
        .iter()
        .map(|m| (rank(m), &m.group))
        .collect::<FxHashSet<_>>()
        .into_iter()
        .map(|(rank, group)| (rank, group.clone()))
        .collect();
    groups.order();
    let place: FxHashMap<&str, usize> = groups.iter().enumerate().map(|(at, (_, group))| (group.as_str(), at)).collect();
    // Hundreds of summaries come one after the other: each is sorted by itself.
    metrics.order_by_key(|m| m.node);
    for of_node in metrics.chunk_by_mut(|a, b| a.node == b.node) {
        of_node.order_by_cached_key(|m| (place.get(m.group.as_str()).copied(), m.name.clone()));
    }
}

/// Groups with their places in the file's order, named as in [`Metric`].
fn ranks(profile: &Profile) -> Vec<(String, i64)> {
    let table = profile.tables.iter().find(|t| t.id == "summary_group_order");
    let Some((table, row)) = table.and_then(|t| Some((t, t.rows.first()?))) else { return Vec::new() };
    let place = |(name, cell): (&String, &Cell)| if let Cell::Int(at) = cell { Some((name.replace('_', " "), *at)) } else { None };
    table.columns.iter().zip(row).filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GenericTable;

    fn metric((name, group): (&str, &str)) -> Metric {
        let (how, meaning) = (String::new(), String::new());
        Metric {
            node: 0,
            name: name.into(),
            group: group.into(),
            file: None,
            text: None,
            computed: None,
            how,
            meaning,
            differs: false,
            is_rounded: false,
            rounding: None,
            is_published: false,
        }
    }

    #[test]
    fn groups_stand_as_the_file_orders_them() {
        let columns = vec!["tensor_engine".into(), "overall_stats".into()];
        let order =
            GenericTable { id: "summary_group_order".into(), columns, rows: vec![vec![Cell::Int(4), Cell::Int(0)]], ..Default::default() };
        let mut profile = Profile::default();
        let all = [("z", ""), ("m", "tensor engine"), ("o", "other"), ("b", "overall stats"), ("a", "tensor engine"), ("c", "summary")];
        let sorted = |profile: &Profile, all: &[(&str, &str)]| {
            let mut metrics: Vec<Metric> = all.iter().copied().map(metric).collect();
            sort(profile, &mut metrics);
            metrics.into_iter().map(|m| m.name).collect::<Vec<_>>()
        };
        assert_eq!(sorted(&profile, &all), ["a", "m", "o", "b", "c", "z"]);
        profile.tables.push(order);
        assert_eq!(sorted(&profile, &all), ["b", "a", "m", "o", "c", "z"]);
        assert_eq!(sorted(&profile, &[("z", ""), ("a", "")]), ["z", "a"], "without groups the file's order stays");
    }
}
