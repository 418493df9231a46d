//! A table of the file, unchanged, if its keys for operator names and times are unknown.

use super::rows;
use crate::engine::query::{TablePart, TableQuery};
use crate::state::choices::Choice;
use crate::ui::controls::Problem;
use crate::ui::table::Table;
use crate::views::query::use_query;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// Rows that are shown here; the view Tables has all of them.
const MOST_ROWS: u64 = 20_000;

/// The table of that id.
#[component]
pub(super) fn GenericTable(ask: Ask, id: String, saved: Choice<String>) -> impl IntoView {
    let found = use_query(ask, Signal::stored(Some(TableQuery { id: id.clone(), first: 0, n: MOST_ROWS })));
    let (columns, shown) = (found.derive(rows::raw_columns), found.derive(rows::raw_rows));
    let is_cut = |part: &TablePart| (part.rows.len() as u64) < part.n_total;
    let note = move || {
        let part = found.value.get().filter(|p| is_cut(p))?;
        Some(format!("{} of {} rows are shown; the Tables view has all rows.", part.rows.len(), part.n_total))
    };
    view! {
        <Problem text=found.problem />
        <p class="waiting">{note}</p>
        <Table id=id label="Operators as listed in the file" columns rows=shown saved empty="The list in the file is empty." />
    }
}
