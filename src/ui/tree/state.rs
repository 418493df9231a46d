//! Signals of one tree table.

use super::data::{self, Branch, Children, Line};
use crate::ui::table::order::{Filter, SortKeys};
use crate::ui::table::window::{self, ROW, Window};
use crate::ui::table::{Column, Row};
use leptos::{html, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows that are shown at most when a tree is opened all at once.
const MOST_OPENED: usize = 20_000;

#[derive(Clone, Copy)]
pub(super) struct State {
    pub columns: Signal<Arc<Vec<Column>>>,
    pub branches: Signal<Arc<Vec<Branch>>>,
    pub selected: Signal<Option<usize>>,
    pub on_row: Option<Callback<usize>>,
    pub children: Memo<Arc<Children>>,
    pub keys: RwSignal<SortKeys>,
    pub typed: RwSignal<String>,
    pub is_regex: RwSignal<bool>,
    pub problem: Memo<Option<String>>,
    pub opened: RwSignal<BTreeSet<u32>>,
    pub active: RwSignal<Option<u32>>,
    pub lines: Memo<Arc<Vec<Line>>>,
    pub window: Signal<Window>,
    pub scroll: RwSignal<f64>,
    pub height: RwSignal<f64>,
    pub scroller: NodeRef<html::Div>,
    /// Changes whenever rows must be drawn anew.
    pub generation: Memo<u64>,
}

impl State {
    pub fn new(
        columns: Signal<Arc<Vec<Column>>>,
        branches: Signal<Arc<Vec<Branch>>>,
        selected: Signal<Option<usize>>,
        on_row: Option<Callback<usize>>,
    ) -> Self {
        let (keys, typed, is_regex) = (RwSignal::new(SortKeys::new()), RwSignal::new(String::new()), RwSignal::new(false));
        let (opened, active) = (RwSignal::new(BTreeSet::new()), RwSignal::new(None));
        let (scroll, height) = (RwSignal::new(0.0), RwSignal::new(600.0));
        let children = Memo::new(move |_| Arc::new(branches.with(|b| Children::new(b))));
        let problem = Memo::new(move |_| Filter::new(&typed.get(), is_regex.get()).err().map(|e| e.to_string()));
        let matching = Memo::new(move |_| {
            let filter = Filter::new(&typed.get(), is_regex.get()).unwrap_or_default();
            branches.with(|b| data::matching(b, &filter))
        });
        let lines = Memo::new(move |_| {
            let (branches, columns, keys, opened) = (branches.get(), columns.get(), keys.get(), opened.get());
            Arc::new(matching.with(|matching| data::lines(&branches, &children.get(), &columns, &keys, &opened, matching.as_deref())))
        });
        let window = Signal::derive(move || window::window(lines.with(|l| l.len()), columns.with(|c| c.len()), scroll.get(), height.get()));
        let generation = Memo::new(move |old: Option<&u64>| {
            branches.track();
            columns.track();
            old.map_or(0, |old| old + 1)
        });
        let scroller = NodeRef::new();
        State {
            columns,
            branches,
            selected,
            on_row,
            children,
            keys,
            typed,
            is_regex,
            problem,
            opened,
            active,
            lines,
            window,
            scroll,
            height,
            scroller,
            generation,
        }
    }

    /// Opens `levels` levels; 1 closes all.
    pub fn open_levels(&self, levels: usize) {
        let opened = untrack(|| data::open_to(&self.branches.get(), &self.children.get(), levels, MOST_OPENED));
        self.opened.set(opened);
    }

    /// Opens or closes a row.
    pub fn toggle(&self, row: u32) {
        self.opened.update(|opened| {
            if !opened.remove(&row) {
                opened.insert(row);
            }
        });
    }

    /// Whether a row has children.
    pub fn has_children(&self, row: u32) -> bool {
        self.children.with_untracked(|c| !c.of(row).is_empty())
    }

    fn parent(&self, row: u32) -> Option<u32> {
        self.branches.with_untracked(|b| b.get(row as usize).and_then(|b| b.parent))
    }

    /// Stands on a row and brings it into sight, opening what is above it.
    pub fn reveal(&self, row: u32) {
        let mut above = self.parent(row);
        let mut way = Vec::new();
        while let Some(at) = above.filter(|_| way.len() < usize::from(u16::MAX)) {
            way.push(at);
            above = self.parent(at);
        }
        if way.iter().any(|at| self.opened.with_untracked(|o| !o.contains(at))) {
            self.opened.update(|opened| opened.extend(way));
        }
        self.active.set(Some(row));
        self.scroll_to(row);
    }

    fn scroll_to(&self, row: u32) {
        let Some(scroller) = self.scroller.get_untracked() else { return };
        let at = self.lines.with_untracked(|l| l.iter().position(|l| l.at == row).map(|at| (at, l.len())));
        let Some((at, n)) = at else { return };
        let height = f64::from(scroller.client_height());
        if let Some(to) = window::scroll_to(at, n, f64::from(scroller.scroll_top()), height, ROW) {
            scroller.set_scroll_top(to as i32);
            self.scroll.set(to);
        }
    }

    /// Moves the keyboard's row by `by` lines.
    pub fn step(&self, by: isize) {
        let lines = self.lines.get_untracked();
        let Some(last) = lines.len().checked_sub(1) else { return };
        let at = self.active.get_untracked().and_then(|active| lines.iter().position(|l| l.at == active));
        let to = at.map_or(if by > 0 { 0 } else { last }, |at| at.saturating_add_signed(by).min(last));
        self.active.set(Some(lines[to].at));
        self.scroll_to(lines[to].at);
    }

    /// → opens a row, or goes to its first child.
    pub fn inward(&self) {
        let Some(row) = self.active.get_untracked() else { return self.step(1) };
        if !self.has_children(row) {
            return;
        }
        if self.opened.with_untracked(|o| o.contains(&row)) { self.step(1) } else { self.toggle(row) }
    }

    /// ← closes a row, or goes to its parent.
    pub fn outward(&self) {
        let Some(row) = self.active.get_untracked() else { return };
        if self.opened.with_untracked(|o| o.contains(&row)) && self.has_children(row) {
            self.toggle(row);
        } else if let Some(parent) = self.parent(row) {
            self.active.set(Some(parent));
            self.scroll_to(parent);
        }
    }

    /// Calls the listener with the row that was chosen.
    pub fn choose(&self, row: u32) {
        self.active.set(Some(row));
        if let Some(on_row) = self.on_row {
            on_row.run(row as usize);
        }
    }

    /// All rows as a flat list with a column for the level, to be saved.
    pub fn flat(&self) -> (Vec<Column>, Vec<Row>) {
        use crate::ui::table::{Cell, Kind};
        let mut columns = vec![Column::new("depth", "Depth", Kind::Count, "")];
        columns.extend(self.columns.read_untracked().iter().cloned());
        let branches = self.branches.get_untracked();
        let mut levels: Vec<i64> = Vec::with_capacity(branches.len());
        for branch in branches.iter() {
            levels.push(branch.parent.and_then(|p| levels.get(p as usize)).map_or(0, |l| l + 1));
        }
        let row = |(branch, level): (&Branch, &i64)| {
            Row::new(std::iter::once(Cell::Int(*level)).chain(branch.row.cells.iter().cloned()).collect())
        };
        (columns, branches.iter().zip(&levels).map(row).collect())
    }
}
