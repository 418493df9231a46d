//! What the user did to the rows, by the paths of these: it outlives other rows in their place, and is there again when they come back.

pub use super::folding::ByPath;
pub(crate) use super::folding::Key;
use super::folding::{Folding, ordered};
use crate::base::TrackId;
use crate::engine::page_columns::PageColumns;
use crate::views::timeline::lookup::index::Index;
use std::collections::{HashMap, HashSet};

/// The key of each track.
pub(crate) fn keys(index: &Index) -> Vec<Key> {
    let mut n_of: HashMap<&str, u32> = HashMap::new();
    let key = |path: &'_ str, n: &mut u32| {
        *n += 1;
        (path.to_string(), *n - 1)
    };
    index.tracks.iter().map(|t| key(&t.path, n_of.entry(&t.path).or_default())).collect()
}

/// Groups with the rows directly in them: (group, rows).
pub(crate) fn families(index: &Index) -> impl Iterator<Item = (Option<usize>, &[TrackId])> {
    let groups = index.tracks.iter().enumerate().filter(|(_, t)| t.children.len() > 1);
    std::iter::once((None, index.roots.as_slice())).chain(groups.map(|(i, t)| (Some(i), t.children.as_slice())))
}

/// `base` with the missing names of `more`, each after its predecessor in `more`.
fn merged(base: Vec<Key>, more: &[Key]) -> Vec<Key> {
    let known: HashSet<&Key> = base.iter().collect();
    let mut behind: HashMap<Option<&Key>, Vec<&Key>> = HashMap::new();
    let mut last = None;
    for key in more {
        if known.contains(key) { last = Some(key) } else { behind.entry(last).or_default().push(key) }
    }
    let first = behind.remove(&None).unwrap_or_default();
    let rest = base.iter().flat_map(|key| std::iter::once(key).chain(behind.remove(&Some(key)).unwrap_or_default()));
    first.into_iter().chain(rest).cloned().collect()
}

impl ByPath {
    /// What was done to the rows of `columns`, and before to others.
    pub fn of(folding: &Folding, index: &Index, columns: &PageColumns) -> Self {
        let mut out = folding.past.clone();
        let keys = keys(index);
        let first = Folding::at_first(columns).closed;
        for (i, key) in keys.iter().enumerate() {
            let track = TrackId(i as u32);
            let is_closed = folding.closed.contains(&track);
            if is_closed != first.contains(&track) {
                out.closed.insert(key.clone(), is_closed);
            } else {
                out.closed.remove(key);
            }
        }
        let pinned = folding.pinned.iter().filter_map(|t| keys.get(t.index()).cloned()).collect();
        out.pinned.retain(|key| !keys.contains(key));
        out.pinned = merged(pinned, &out.pinned);
        for (group, rows) in families(index).filter(|_| !folding.rank.is_empty()) {
            let group = group.map(|g| keys[g].clone());
            let order = ordered(rows, &folding.rank);
            if order != rows || out.order.contains_key(&group) {
                let past = out.order.remove(&group).unwrap_or_default();
                out.order.insert(group, merged(order.iter().map(|t| keys[t.index()].clone()).collect(), &past));
            }
        }
        out
    }

    /// The same done to the rows of `columns`, with this filter and these kinds hidden.
    pub fn rows(self, index: &Index, columns: &PageColumns, (filter, hidden): (String, Vec<String>)) -> Folding {
        let keys = keys(index);
        let mut out = Folding { filter, hidden, ..Folding::at_first(columns) };
        let places: HashMap<&Key, TrackId> = keys.iter().zip(0..).map(|(key, i)| (key, TrackId(i))).collect();
        for (key, is_closed) in &self.closed {
            match (places.get(key), is_closed) {
                (Some(track), true) => drop(out.closed.insert(*track)),
                (Some(track), false) => drop(out.closed.remove(track)),
                (None, _) => {}
            }
        }
        out.pinned = self.pinned.iter().filter_map(|key| places.get(key).copied()).collect();
        for (group, rows) in families(index) {
            let Some(order) = self.order.get(&group.map(|g| keys[g].clone())) else { continue };
            if out.rank.is_empty() {
                out.rank = (0..keys.len() as u32).collect();
            }
            let natural: Vec<Key> = rows.iter().map(|t| keys[t.index()].clone()).collect();
            let here: HashSet<&Key> = natural.iter().collect();
            let known = order.iter().filter(|key| here.contains(key)).cloned().collect();
            for (key, rank) in merged(known, &natural).iter().zip(rows) {
                out.rank[places[key].index()] = rank.0;
            }
        }
        out.past = self;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::TrackKind;
    use crate::views::timeline::lookup::sample::{sample, with_rows};
    use crate::views::timeline::rows::layout::rows;

    /// Pinned rows, then the others.
    fn names(columns: &PageColumns, index: &Index, folding: &Folding) -> Vec<String> {
        let rows = rows(columns, index, folding);
        let all = rows.pinned.iter().chain(&rows.rows);
        all.map(|r| columns.info.strings.get(columns.info.tracks[r.track.index()].name).to_string()).collect()
    }

    fn moved(folding: &Folding, from: &PageColumns, to: &PageColumns) -> Folding {
        let rest = (folding.filter.clone(), folding.hidden.clone());
        ByPath::of(folding, &Index::new(from), from).rows(&Index::new(to), to, rest)
    }

    #[test]
    fn rows_stay_as_they_were_put_and_come_back() {
        let (queues, engines) = (with_rows(&["q1", "q2", "q3"]), with_rows(&["e1", "e2"]));
        let (index, other) = (Index::new(&queues), Index::new(&engines));
        let mut f = Folding { filter: "e".into(), hidden: vec!["DMA".into()], ..Folding::default() };
        f.toggle(TrackId(1));
        f.toggle_pin(TrackId(6));
        f.toggle_pin(TrackId(2));
        f.move_to(&index, &queues, TrackId(7), TrackId(5));
        f.move_to(&index, &queues, TrackId(4), TrackId(0));
        let before = names(&queues, &index, &f);
        assert_eq!(before[..5], ["q2", "waits", "device", "q3", "q1"]);
        let there = moved(&f, &queues, &engines);
        assert_eq!(names(&engines, &other, &there), ["waits", "device", "e1", "e2", "host", "memory"]);
        assert_eq!((there.filter.as_str(), there.hidden.as_slice(), there.closed.len()), ("e", ["DMA".to_string()].as_slice(), 1));
        let mut there = there;
        there.toggle(TrackId(1));
        there.toggle_pin(TrackId(2));
        let back = moved(&there, &engines, &queues);
        assert_eq!(names(&queues, &index, &back)[..4], ["q2", "device", "q3", "q1"]);
        assert!(back.closed.is_empty(), "what was done in between counts too");
    }

    #[test]
    fn rows_of_one_path_are_distinguished() {
        let twins = with_rows(&["s", "s", "t"]);
        let index = Index::new(&twins);
        let mut f = Folding::default();
        f.shift(&index, &twins, TrackId(7), true);
        f.toggle_pin(TrackId(6));
        let again = moved(&f, &twins, &twins);
        assert_eq!((again.pinned.clone(), names(&twins, &index, &again)), (vec![TrackId(6)], names(&twins, &index, &f)));
    }

    #[test]
    fn what_is_not_as_at_first_is_noted_and_no_more() {
        let mut columns = sample();
        (columns.info.tracks[5].kind, columns.info.tracks[5].lanes) = (TrackKind::Queue, 3..9);
        let index = Index::new(&columns);
        let mut f = Folding::at_first(&columns);
        assert_eq!(ByPath::of(&f, &index, &columns), ByPath::default());
        f.toggle(TrackId(5));
        assert!(moved(&f, &columns, &columns).closed.is_empty(), "an open queue stays open");
    }

    #[test]
    fn lists_are_merged_in_the_order_of_both() {
        let keys = |names: &[&str]| names.iter().map(|n| (n.to_string(), 0)).collect::<Vec<_>>();
        let check = |base: &[&str], more: &[&str], want: &[&str]| assert_eq!(merged(keys(base), &keys(more)), keys(want));
        check(&["b", "a"], &["x", "a", "y", "z", "b", "w"], &["x", "b", "w", "a", "y", "z"]);
        check(&[], &["a"], &["a"]);
        check(&["a"], &[], &["a"]);
    }
}
