//! What a table on the screen remembers, and what follows from it.

use super::choices::TableChoices;
use super::data::{Column, Row};
use super::order::{self, Filter, SortKeys};
use super::window::{self, ROW, Window};
use leptos::{html, prelude::*};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is missing, and who brings it.
#[derive(Clone, Copy)]
pub struct MissingRows {
    /// Rows there are; no more than those given when none is missing.
    pub n_total: Signal<usize>,
    /// Requests all rows; may be called again while they are loading.
    pub load: Callback<()>,
}

/// One line of the body: a row, or a member of an opened one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Line {
    /// Position in the rows.
    pub row: u32,
    /// Which of its members; `None` is the row itself.
    pub member: Option<u32>,
}

/// The lines of ordered rows, opened ones with their members beneath.
pub fn lines(rows: &[Row], order: &[u32], opened: &BTreeSet<u32>) -> Vec<Line> {
    let mut out = Vec::with_capacity(order.len());
    for row in order {
        out.push(Line { row: *row, member: None });
        if opened.contains(row) {
            let n = rows.get(*row as usize).map_or(0, |r| r.members.len() as u32);
            out.extend((0..n).map(|m| Line { row: *row, member: Some(m) }));
        }
    }
    out
}

/// Where a table keeps what the user did to it, as the text of [`TableChoices`].
pub type SavedChoices = (Signal<String>, SignalSetter<String>);

/// Signals of one table.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub columns: Signal<Arc<Vec<Column>>>,
    pub rows: Signal<Arc<Vec<Row>>>,
    pub selected: Signal<Option<usize>>,
    pub on_row: Option<Callback<usize>>,
    /// Rows that are still to come.
    pub rest: Option<MissingRows>,
    /// Sorting, columns and filter.
    pub choices: Memo<TableChoices>,
    /// Where the choices are stored: in this table, or by its owner.
    saved: SignalSetter<String>,
    pub keys: Memo<SortKeys>,
    pub opened: RwSignal<BTreeSet<u32>>,
    /// The line that the keyboard is on.
    pub active: RwSignal<Option<Line>>,
    pub scroll: RwSignal<f64>,
    pub height: RwSignal<f64>,
    pub scroller: NodeRef<html::Div>,
    /// Columns shown, by position.
    pub shown: Memo<Vec<usize>>,
    /// Why the filter filters nothing.
    pub problem: Memo<Option<String>>,
    pub order: Memo<Arc<Vec<u32>>>,
    pub lines: Memo<Arc<Vec<Line>>>,
    /// Not a memo: one that depends on `lines` beside `lines` itself would keep an effect that reads both from running.
    pub window: Signal<Window>,
    /// Changes whenever rows must be drawn anew.
    pub generation: Memo<u64>,
}

impl State {
    pub fn new(
        columns: Signal<Arc<Vec<Column>>>,
        rows: Signal<Arc<Vec<Row>>>,
        selected: Signal<Option<usize>>,
        on_row: Option<Callback<usize>>,
        saved: Option<SavedChoices>,
        rest: Option<MissingRows>,
    ) -> Self {
        let (text, saved) = saved.unwrap_or_else(|| {
            let own = RwSignal::new(String::new());
            (own.into(), own.into())
        });
        let choices = Memo::new(move |_| TableChoices::from_text(&text.get()));
        let keys = Memo::new(move |_| choices.with(|c| columns.with(|columns| c.keys(columns))));
        let filter = Memo::new_with_compare(
            move |_| choices.with(|c| Filter::new(&c.filter, c.is_regex)),
            // What was typed decides.
            move |_, _| true,
        );
        let opened = RwSignal::new(BTreeSet::new());
        let scroll = RwSignal::new(0.0);
        let height = RwSignal::new(600.0);
        let shown = Memo::new(move |_| {
            let columns = columns.get();
            let shown: Vec<usize> = choices.with(|c| (0..columns.len()).filter(|i| c.shows(&columns[*i])).collect());
            // A link can name all of them.
            if shown.is_empty() { (0..columns.len()).collect() } else { shown }
        });
        let problem = Memo::new(move |_| filter.with(|f| f.as_ref().err().map(ToString::to_string)));
        let order = Memo::new_with_compare(
            move |_| {
                let filter = filter.with(|f| f.as_ref().ok().cloned().unwrap_or_default());
                Arc::new(order::order(&columns.get(), &rows.get(), &keys.get(), &filter))
            },
            |a, b| !is_same(a, b),
        );
        let lines = Memo::new_with_compare(move |_| Arc::new(lines(&rows.get(), &order.get(), &opened.get())), |a, b| !is_same(a, b));
        let n_columns = Signal::derive(move || shown.with(Vec::len));
        let window = Signal::derive(move || window::window(lines.with(|l| l.len()), n_columns.get(), scroll.get(), height.get()));
        let generation = Memo::new(move |old: Option<&u64>| {
            rows.track();
            shown.track();
            old.map_or(0, |old| old + 1)
        });
        let (active, scroller) = (RwSignal::new(None), NodeRef::new());
        State {
            columns,
            rows,
            selected,
            on_row,
            rest,
            choices,
            saved,
            keys,
            opened,
            active,
            scroll,
            height,
            scroller,
            shown,
            problem,
            order,
            lines,
            window,
            generation,
        }
    }

    /// Changes sorting, columns or filter.
    pub fn choose_how(&self, change: impl FnOnce(&mut TableChoices)) {
        let mut choices = self.choices.get_untracked();
        change(&mut choices);
        self.saved.set(choices.to_text());
    }

    /// Whether a total row is at the foot: it adds up all rows or does not are there.
    pub fn has_total(&self) -> bool {
        self.n_awaited().is_none() && self.columns.with(|c| c.iter().any(|c| c.is_summed)) && self.order.with(|o| o.len() > 1)
    }

    /// Scrolls a line into view.
    pub fn reveal(&self, line: usize) {
        let Some(scroller) = self.scroller.get_untracked() else { return };
        let n = self.lines.with_untracked(|l| l.len());
        let covered = ROW * if untrack(|| self.has_total()) { 2.0 } else { 1.0 };
        let height = f64::from(scroller.client_height());
        if let Some(to) = window::scroll_to(line, n, f64::from(scroller.scroll_top()), height, covered) {
            scroller.set_scroll_top(to as i32);
            self.scroll.set(to);
        }
    }

    /// Brings a row into sight and is on it.
    pub fn reveal_row(&self, row: usize) {
        let line = Line { row: row as u32, member: None };
        if let Some(at) = self.lines.with_untracked(|l| l.iter().position(|l| *l == line)) {
            self.active.set(Some(line));
            self.reveal(at);
        }
    }

    /// Moves the keyboard's line by `by`, within the table.
    pub fn step(&self, by: isize) {
        let lines = self.lines.get_untracked();
        if lines.is_empty() {
            return;
        }
        let at = self.active.get_untracked().and_then(|active| lines.iter().position(|l| *l == active));
        let to = match at {
            Some(at) => at.saturating_add_signed(by).min(lines.len() - 1),
            None if by > 0 => 0,
            None => lines.len() - 1,
        };
        self.active.set(Some(lines[to]));
        self.reveal(to);
    }

    /// Calls the listener with the row that was chosen.
    pub fn choose(&self, row: u32) {
        self.active.set(Some(Line { row, member: None }));
        if let Some(on_row) = self.on_row {
            on_row.run(row as usize);
        }
    }
}

fn is_same<T>(a: Option<&Arc<Vec<T>>>, b: Option<&Arc<Vec<T>>>) -> bool
where
    T: PartialEq,
{
    matches!((a, b), (Some(a), Some(b)) if Arc::ptr_eq(a, b) || a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_beneath_their_row() {
        let mut fused = Row::new(vec![]);
        fused.members = vec!["a".into(), "b".into()];
        let rows = [Row::new(vec![]), fused];
        let found = lines(&rows, &[1, 0], &BTreeSet::from([0, 1]));
        let at = |row, member| Line { row, member };
        assert_eq!(found, [at(1, None), at(1, Some(0)), at(1, Some(1)), at(0, None)]);
    }
}
