//! Which rows of a tree are shown, and in what order: pure functions.

use crate::base::Order as _;
use crate::ui::table::order::{self, Filter, SortKeys};
use crate::ui::table::{Column, Row};
use std::collections::BTreeSet;

/// A row and its parent. Rows are in pre-order: a parent before its children.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Branch {
    /// Its cells; the first column holds the name that is indented.
    pub row: Row,
    /// The row above; `None` for a root. Always an earlier position.
    pub parent: Option<u32>,
}

/// A row that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Line {
    /// Position among the branches.
    pub at: u32,
    /// How many are above it.
    pub level: u16,
}

/// The children of every row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Children {
    /// Where those of a row begin in `items`; one more than there are rows, roots at the very end.
    starts: Vec<u32>,
    items: Vec<u32>,
    n: usize,
}

impl Children {
    /// Children and roots of a list in pre-order. A parent that is not an earlier row makes a root.
    pub fn new(branches: &[Branch]) -> Self {
        let n = branches.len();
        let place = |i: usize| branches[i].parent.map(|p| p as usize).filter(|p| *p < i).unwrap_or(n);
        let mut starts = vec![0u32; n + 2];
        for i in 0..n {
            starts[place(i) + 1] += 1;
        }
        for i in 0..=n {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut items) = (starts.clone(), vec![0u32; n]);
        for i in 0..n {
            let slot = &mut next[place(i)];
            items[*slot as usize] = i as u32;
            *slot += 1;
        }
        Children { starts, items, n }
    }

    /// Children of a row.
    pub fn of(&self, row: u32) -> &[u32] {
        self.slice(row as usize)
    }

    /// Rows without a parent.
    pub fn roots(&self) -> &[u32] {
        self.slice(self.n)
    }

    fn slice(&self, at: usize) -> &[u32] {
        let from = self.starts.get(at).copied().unwrap_or(0) as usize;
        let to = self.starts.get(at + 1).copied().unwrap_or(0) as usize;
        self.items.get(from..to).unwrap_or_default()
    }
}

/// Rows that pass a filter, and all those above them; `None` when the filter lets all pass.
pub fn matching(branches: &[Branch], filter: &Filter) -> Option<Vec<bool>> {
    if matches!(filter, Filter::All) {
        return None;
    }
    let mut matching: Vec<bool> = branches.iter().map(|b| filter.matches(&b.row)).collect();
    for i in (0..branches.len()).rev() {
        if let (true, Some(parent)) = (matching[i], branches[i].parent.map(|p| p as usize).filter(|p| *p < i)) {
            matching[parent] = true;
        }
    }
    Some(matching)
}

/// The rows shown, from top to bottom. Siblings are sorted by `keys`; with a filter every kept row is open.
pub fn lines(
    branches: &[Branch],
    children: &Children,
    columns: &[Column],
    keys: &SortKeys,
    opened: &BTreeSet<u32>,
    matching: Option<&[bool]>,
) -> Vec<Line> {
    let is_shown = |row: &u32| matching.is_none_or(|k| k[*row as usize]);
    let sorted = |rows: &[u32]| {
        let mut rows: Vec<u32> = rows.iter().copied().filter(is_shown).collect();
        let keys = keys.iter().filter(|k| k.0 < columns.len());
        rows.order_by(|a, b| {
            let cell = |row: u32, column| branches[row as usize].row.cell(column);
            let by = |key: &(usize, order::Direction)| order::compare(cell(*a, key.0), cell(*b, key.0), key.1);
            keys.clone().map(by).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        rows
    };
    let mut out = Vec::new();
    let mut stack: Vec<Line> = sorted(children.roots()).into_iter().rev().map(|at| Line { at, level: 0 }).collect();
    while let Some(line) = stack.pop() {
        out.push(line);
        if matching.is_some() || opened.contains(&line.at) {
            let level = line.level.saturating_add(1);
            stack.extend(sorted(children.of(line.at)).into_iter().rev().map(|at| Line { at, level }));
        }
    }
    out
}

/// Rows that are open if `levels` levels are shown, up to `most` rows.
pub fn open_to(branches: &[Branch], children: &Children, levels: usize, most: usize) -> BTreeSet<u32> {
    let mut level: Vec<usize> = Vec::with_capacity(branches.len());
    let mut opened = BTreeSet::new();
    let mut n_shown = children.roots().len();
    for (i, branch) in branches.iter().enumerate() {
        level.push(branch.parent.and_then(|p| level.get(p as usize)).map_or(1, |l| l + 1));
        let n = children.of(i as u32).len();
        let is_shown = branch.parent.is_none_or(|p| p as usize >= i || opened.contains(&p));
        if is_shown && level[i] < levels && n > 0 && n_shown + n <= most {
            opened.insert(i as u32);
            n_shown += n;
        }
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::super::super::table::{Cell, Kind};
    use super::order::Direction::{Ascending, Descending};
    use super::*;

    fn tree() -> Vec<Branch> {
        let branch = |name: &str, n: i64, parent| Branch { row: Row::new(vec![Cell::Text(name.into()), Cell::Int(n)]), parent };
        vec![
            branch("net", 9, None),
            branch("conv", 3, Some(0)),
            branch("relu", 5, Some(0)),
            branch("max", 1, Some(2)),
            branch("loss", 2, None),
        ]
    }

    fn shown(keys: &[(usize, order::Direction)], opened: &[u32], typed: &str) -> String {
        let (branches, columns) = (tree(), [Column::new("name", "Name", Kind::Name, ""), Column::new("n", "N", Kind::Count, "")]);
        let matching = matching(&branches, &Filter::new(typed, false).unwrap());
        let opened = opened.iter().copied().collect();
        let lines = lines(&branches, &Children::new(&branches), &columns, &keys.to_vec(), &opened, matching.as_deref());
        let line = |l: &Line| format!("{}{}", "-".repeat(l.level.into()), branches[l.at as usize].row.name());
        lines.iter().map(line).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn closed_rows_hide_what_is_below() {
        assert_eq!(shown(&[], &[], ""), "net loss");
        assert_eq!(shown(&[], &[0], ""), "net -conv -relu loss");
        assert_eq!(shown(&[], &[0, 2], ""), "net -conv -relu --max loss");
        assert_eq!(shown(&[], &[2], ""), "net loss");
    }

    #[test]
    fn siblings_sort_below_their_parent() {
        assert_eq!(shown(&[(1, Descending)], &[0], ""), "net -relu -conv loss");
        assert_eq!(shown(&[(1, Ascending)], &[0], ""), "loss net -conv -relu");
    }

    #[test]
    fn a_filter_opens_the_way_to_what_it_finds() {
        assert_eq!(shown(&[], &[], "max"), "net -relu --max");
        assert_eq!(shown(&[], &[], "nothing"), "");
    }

    #[test]
    fn levels_open_as_far_as_there_is_room() {
        let (branches, at) =
            (tree(), |levels, most| open_to(&tree(), &Children::new(&tree()), levels, most).into_iter().collect::<Vec<_>>());
        assert_eq!(branches.len(), 5);
        assert_eq!(at(1, 99), [] as [u32; 0]);
        assert_eq!(at(2, 99), [0]);
        assert_eq!(at(9, 99), [0, 2]);
        assert_eq!(at(9, 3), [] as [u32; 0]);
        // A row with a later parent is a root.
        let odd = [Branch { parent: Some(7), ..Branch::default() }];
        assert_eq!(Children::new(&odd).roots(), [0]);
    }
}
