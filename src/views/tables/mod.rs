//! Generic tables of the file, unchanged.

mod export;
pub mod rows;

use crate::base::text;
use crate::engine::query::{TableHelpQuery, TablePart, TableQuery};
use crate::state::choices::ViewState;
use crate::ui::controls::Problem;
use crate::ui::table::{Column, Row, Table};
use crate::views::query::run_latest;
use crate::views::scope::EntireTrace;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// More rows than these are not loaded into the page.
const MOST_ROWS: u64 = 100_000;
/// Rows of the first page: on screen at once.
const FIRST_PAGE: u64 = 500;
/// Rows of each further page.
const PAGE: u64 = 20_000;

/// The loaded rows of a table.
#[derive(Debug, Clone, Default)]
struct Loaded {
    id: String,
    columns: Arc<Vec<Column>>,
    rows: Arc<Vec<Row>>,
    n_total: u64,
    is_all: bool,
}

#[derive(Clone, Copy)]
struct State {
    choices: ViewState,
    chosen: Memo<Option<String>>,
    loaded: RwSignal<Loaded>,
    problem: RwSignal<Option<String>>,
}

/// The list of generic tables, and the chosen one.
#[component]
pub fn TablesView(
    /// Answers for the open profile.
    ask: Ask,
    /// Ids and row counts.
    tables: Signal<Vec<(String, u64)>>,
    /// Whether this is a device profile; only its rows can be saved.
    #[prop(optional)]
    has_timeline: bool,
    /// The chosen table, and the choices of each.
    #[prop(default = ViewState::detached("tables"))]
    choices: ViewState,
) -> impl IntoView {
    let (picked, pick) = choices.choice("id", String::new());
    let chosen = Memo::new(move |_| {
        let picked = Some(picked.get()).filter(|id| tables.with(|t| t.iter().any(|t| t.0 == *id)));
        picked.or_else(|| tables.with(|t| t.first().map(|t| t.0.clone())))
    });
    let exports = ask.clone();
    let state = State { choices, chosen, loaded: RwSignal::new(Loaded::default()), problem: RwSignal::new(None) };
    run_latest(move || {
        let (ask, id) = (ask.clone(), chosen.get());
        async move {
            let result = match id {
                Some(id) => load(ask, id, state).await,
                None => Ok(()),
            };
            state.problem.set(result.err().map(|e| e.to_string()));
        }
    });
    let item = move |(id, n): (String, u64)| {
        let is_chosen = {
            let id = id.clone();
            move || chosen.with(|c| c.as_ref() == Some(&id))
        };
        let label = id.clone();
        view! {
            <li>
                <button type="button" class="tables__item" aria-current=move || is_chosen().then_some("true") on:click=move |_| pick.set(id.clone())>
                    <span class="mono tables__name" title=label.clone()>{label.clone()}</span>
                    <span class="figure">{text::count(n)}</span>
                </button>
            </li>
        }
    };
    let list = move || tables.get().into_iter().map(item).collect_view();
    view! {
        <section class="tables" data-view="tables">
            <header class="torch__head"><h1>"Tables"</h1><EntireTrace is_of_file=true /></header>
            <Show when=move || tables.with(|t| !t.is_empty()) fallback=|| view! { <p class="waiting">"This profile has no tables beyond those of the other views."</p> }>
                <div class="tables__body">
                    <nav class="tables__list" aria-label="Tables with their numbers of rows"><ul>{list}</ul></nav>
                    <div class="tables__one">
                        <export::Exports ask=exports.clone() table=chosen has_timeline problem=state.problem />
                        <Problem text=state.problem />
                        <One state />
                    </div>
                </div>
            </Show>
        </section>
    }
}

/// The chosen table; each has sorting and filter of its own.
#[component]
fn One(state: State) -> impl IntoView {
    let id = Memo::new(move |_| state.loaded.with(|l| l.id.clone()));
    let note = move || {
        let loaded = state.loaded.get();
        let n = text::count(loaded.rows.len() as u64);
        if state.chosen.get().is_some_and(|id| id != loaded.id) || (!loaded.is_all && state.problem.with(|p| p.is_none())) {
            Some(format!("Loading… {n} rows so far."))
        } else {
            let is_cut = (loaded.rows.len() as u64) < loaded.n_total;
            is_cut
                .then(|| format!("{n} of {} rows are loaded; filter, sorting and the table's CSV see these.", text::count(loaded.n_total)))
        }
    };
    let table = move || {
        let id = id.get();
        let columns = Signal::derive(move || state.loaded.with(|l| l.columns.clone()));
        let rows = Signal::derive(move || state.loaded.with(|l| l.rows.clone()));
        let saved = state.choices.choice(&format!("table.{id}"), String::new());
        (!id.is_empty()).then(|| view! { <Table id=id.clone() label=id columns rows empty="This table has no rows." saved /> })
    };
    let of_columns = move || {
        let n = state.loaded.with(|l| l.columns.len());
        (n > rows::SHOWN_COLUMNS).then(|| {
            let (shown, all) = (text::count(rows::SHOWN_COLUMNS as u64), text::count(n as u64));
            format!("At first, {shown} of {all} columns are shown; choose others in Columns.")
        })
    };
    view! {
        <p class="waiting" role="status">{note}</p>
        <p class="waiting">{of_columns}</p>
        {table}
    }
}

/// Fetches a table page by page until another table is chosen.
async fn load(ask: Ask, id: String, state: State) -> Result<(), EngineError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut n = FIRST_PAGE;
    let help = ask.ask(TableHelpQuery { id: id.clone() }).await?;
    loop {
        let part = page(&ask, &id, rows.len() as u64, n).await?;
        if state.chosen.try_get_untracked().flatten().as_ref() != Some(&id) {
            return Ok(());
        }
        let is_end = part.rows.is_empty();
        rows.extend(part.rows.iter().cloned().map(rows::row));
        let have = rows.len() as u64;
        let is_all = is_end || have >= part.n_total.min(MOST_ROWS);
        if is_all || n == FIRST_PAGE {
            let (columns, so_far) = match rows::is_turned(&part) {
                true => (rows::turned_columns(&help), rows::turned(&part.columns, &help, rows.first())),
                false => (rows::columns(&part.columns, &help, &rows), if is_all { std::mem::take(&mut rows) } else { rows.clone() }),
            };
            let columns = Arc::new(columns);
            state.problem.set(None);
            state.loaded.set(Loaded { id: id.clone(), columns, rows: Arc::new(so_far), n_total: part.n_total, is_all });
        }
        if is_all {
            return Ok(());
        }
        n = PAGE.min(MOST_ROWS - have);
    }
}

async fn page(ask: &Ask, id: &str, first: u64, n: u64) -> Result<TablePart, EngineError> {
    ask.ask(TableQuery { id: id.into(), first, n }).await
}
