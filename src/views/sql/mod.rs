//! Queries in SQL over the open profiles: a field, a gallery, the result as a table or a chart, and the way into the timeline.

mod chart;
mod editor;
pub mod engine;
mod gallery;
mod result;
mod saved_queries;
mod tokens;

use crate::base::{TimeRange, text};
use crate::engine::query::TableInfo;
use crate::state::choices::ViewState;
use crate::ui::controls::Menu;
use crate::ui::dom;
use crate::ui::table::{Column, Row, Table};
use chart::{KINDS, ResultChart};
use editor::Editor;
use engine::{Failure, MOST_ROWS, Run, Source};
use gallery::Gallery;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use result::Found;
pub use result::Lead;
pub use saved_queries::SavedQueries;
use saved_queries::one_line;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use tokens::Problem;

/// Rows that are copied as Markdown.
const MOST_COPIED: usize = 1_000;
/// From the wish to end a query until its engine is ended, ms.
const PATIENCE_MS: u32 = 2_000;
/// A query that does not answer between two parts is ended with its engine, ms.
const LONGEST_MS: u32 = 33_000;

/// Where the view is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Ready,
    Running,
    Failed,
}

/// A query that runs. Who ends it may outlast the view.
#[derive(Default)]
struct Turn {
    /// Whether it is to end.
    is_ended: Rc<Cell<bool>>,
    is_done: Cell<bool>,
    /// Whether the engine or a table is being loaded, which takes as long as it takes.
    is_loading: Cell<bool>,
    /// Whether it took too long and the engine was ended for it.
    is_late: Cell<bool>,
}

#[derive(Clone, Copy)]
struct State {
    text: RwSignal<String>,
    phase: RwSignal<Phase>,
    /// What is done now, or what the last query returned.
    status: RwSignal<String>,
    problem: RwSignal<Option<Problem>>,
    found: RwSignal<Arc<Found>>,
    /// Whether `id` of the result is that of a slice.
    has_slice_ids: RwSignal<bool>,
    saved: RwSignal<SavedQueries>,
    /// Counts the queries that were run.
    n_run: RwSignal<u32>,
    turn: StoredValue<Rc<Turn>, LocalStorage>,
}

impl State {
    /// A name for the rows of the result: that of the saved query, else its beginning.
    fn set_name(self) -> String {
        let text = self.text.get_untracked();
        let saved = self.saved.with_untracked(|saved| saved.named.iter().find(|(_, query)| *query == text).map(|(name, _)| name.clone()));
        saved.unwrap_or_else(|| one_line(&text))
    }
}

/// The view.
#[component]
pub fn SqlView(
    /// The profile in front, then the others.
    sources: Signal<Vec<Source>>,
    /// Kind of the profile in front: which queries of the gallery it can answer.
    kind: &'static str,
    /// The selected range: `in_range(ts)`.
    range: Signal<Option<TimeRange>>,
    /// Leads to a slice or a time.
    on_lead: Callback<Lead>,
    /// Marks what rows lead to in the timeline, as a set of that name.
    on_mark: Callback<(String, Vec<Lead>)>,
    /// Bytes that the open profiles leave for tables.
    bytes_left: Callback<(), u64>,
    /// What was chosen.
    #[prop(default = ViewState::detached("sql"))]
    choices: ViewState,
) -> impl IntoView {
    let (query, set_query) = choices.choice("q", String::new());
    let state = State {
        text: RwSignal::new(query.get_untracked()),
        phase: RwSignal::new(Phase::Ready),
        status: RwSignal::new(String::new()),
        problem: RwSignal::new(None),
        found: RwSignal::default(),
        has_slice_ids: RwSignal::new(false),
        saved: RwSignal::new(SavedQueries::load()),
        n_run: RwSignal::new(0),
        turn: StoredValue::new_local(Rc::default()),
    };
    // A link may come while the view is shown.
    Effect::new(move |before: Option<String>| {
        let now = query.get();
        if before.is_some_and(|before| before != now) && state.text.with_untracked(|t| *t != now) {
            state.text.set(now.clone());
        }
        now
    });
    let infos = RwSignal::new(Vec::<TableInfo>::new());
    let _tables = LocalResource::new(move || {
        let front = sources.with(|all| all.first().cloned());
        async move {
            if let Some(front) = front {
                match engine::infos(&front.ask).await {
                    Ok(found) => drop(infos.try_set(found)),
                    Err(error) => drop(state.status.try_set(error.to_string())),
                }
            }
        }
    });
    let run = Callback::new(move |()| {
        let text = state.text.get_untracked();
        set_query.set(text.clone());
        start(state, sources, range.get_untracked(), bytes_left.run(()), text);
    });
    let end = Callback::new(move |()| cancel(state));
    engine::shown();
    on_cleanup(move || {
        cancel(state);
        engine::hidden();
    });
    let load = Callback::new(move |text: String| {
        state.text.set(text);
        state.problem.set(None);
    });
    let wrong = Signal::derive(move || state.problem.with(|p| p.as_ref()?.place.map(|place| place.2)));
    let names = Signal::derive(move || {
        let columns = |info: &TableInfo| (info.name.clone(), info.columns.iter().map(|c| c.0.clone()).collect());
        infos.with(|all| all.iter().map(columns).collect())
    });
    let is_new = move || state.n_run.get() == 0 && state.text.with(|t| t.trim().is_empty());
    let is_running = move || state.phase.get() == Phase::Running;
    let word = move || match state.phase.get() {
        Phase::Ready => "ready",
        Phase::Running => "running",
        Phase::Failed => "failed",
    };
    let schemas = move || {
        let all = sources.get();
        let one = |(at, source): (usize, Source)| {
            let also = source.alias.map(|alias| view! { " or " <code>{alias}</code> });
            let which = if at == 0 { " (this profile)" } else { "" };
            let name = source.schema.clone();
            view! { {if at > 0 { ", " } else { "" }} <code data-sql-schema=name>{source.schema}</code> {also} {which} }
        };
        (all.len() > 1).then(|| {
            let list = all.into_iter().enumerate().map(one).collect_view();
            view! { <p class="sql__note">"Schemas: " {list} ". Write a table of another profile as " <code>"schema.table"</code> "."</p> }
        })
    };
    let problem = move || {
        state.problem.get().map(|p| {
            let place = p.place.map(|(line, column, _)| format!("Line {line}, column {column}: ")).unwrap_or_default();
            view! { <p class="notice notice--danger" role="alert" data-sql-problem="">{place}{p.sentence}</p> }
        })
    };
    view! {
        <section class="sql" data-view="sql" data-sql=word data-sql-runs=move || state.n_run.get()>
            <header class="sql__head"><h1>"SQL"</h1><span class="scope" data-scope="entire">"Entire trace; in_range(ts) is the selected range"</span></header>
            <Editor text=state.text wrong tables=names on_run=run on_end=end />
            <div class="sql__tools">
                <button type="button" class="button button--primary" data-sql-run="" title="Run the query (Ctrl+Enter)" disabled=is_running on:click=move |_| run.run(())>"Run"</button>
                <button type="button" class="button" data-sql-cancel="" title="Cancel the query (Esc)" disabled=move || !is_running() on:click=move |_| end.run(())>"Cancel"</button>
                <Menu label="Gallery"><GalleryList kind infos load is_in_menu=true /></Menu>
                <Menu label="Saved"><Saved state load /></Menu>
                <Menu label="Tables"><TableList infos load /></Menu>
                <span class="sql__status" role="status" data-sql-status="">{move || state.status.get()}</span>
            </div>
            {schemas}
            {problem}
            <Show when=is_new>
                <div class="sql__first" data-sql-first="">
                    <p class="sql__note">"Type a query, or choose one:"</p>
                    <GalleryList kind infos load is_in_menu=false />
                </div>
            </Show>
            <Output state choices on_lead on_mark />
        </section>
    }
}

/// Beside a query without a result, where one of an earlier query is shown.
const OLD_RESULT: &str = "The result below is of an earlier query.";

/// Runs a query; one at a time.
fn start(state: State, sources: Signal<Vec<Source>>, range: Option<TimeRange>, bytes_left: u64, query: String) {
    if state.phase.get_untracked() == Phase::Running {
        return;
    }
    state.phase.set(Phase::Running);
    state.problem.set(None);
    state.status.set("Running…".into());
    let turn = Rc::new(Turn::default());
    state.turn.set_value(turn.clone());
    watch(turn.clone(), LONGEST_MS);
    spawn_local(async move {
        let sources = sources.get_untracked();
        let loading = turn.clone();
        let on_phase = Rc::new(move |status: String| {
            loading.is_loading.set(status.starts_with("Loading"));
            drop(state.status.try_set(status));
        });
        let run = Run { sources: &sources, range, bytes_left, is_ended: turn.is_ended.clone(), on_phase };
        let outcome = run.run(&query).await;
        turn.is_done.set(true);
        // The view may be gone.
        if state.phase.try_get_untracked().is_none() {
            return;
        }
        match outcome {
            Ok(found) => {
                state.status.set(returned(&found));
                let names = tokens::names(&query);
                let has = |table: &str| names.iter().any(|n| n.eq_ignore_ascii_case(table));
                state.has_slice_ids.set(has("slice") && !["instant", "flow", "track", "Instruction", "DmaPacket"].iter().any(|t| has(t)));
                state.saved.update(|saved| saved.ran(&query));
                state.saved.with_untracked(SavedQueries::save);
                state.found.set(Arc::new(found));
                state.phase.set(Phase::Ready);
            }
            Err(failure) => {
                let problem = match failure {
                    Failure::Ended(sentence) => Problem { sentence, place: None },
                    Failure::Problem(_) if turn.is_late.get() => Problem { sentence: engine::TOO_LONG.into(), place: None },
                    Failure::Problem(problem) if turn.is_ended.get() => Problem { sentence: "The query was cancelled.".into(), ..problem },
                    Failure::Problem(problem) => problem,
                };
                let is_old = state.found.with_untracked(|found| !found.fields.is_empty());
                state.status.set(if is_old { OLD_RESULT.into() } else { String::new() });
                state.problem.set(Some(problem));
                state.phase.set(Phase::Failed);
            }
        }
        state.n_run.update(|n| *n += 1);
    });
}

/// Ends the engine if the query runs too long, even if the view was closed meanwhile.
fn watch(turn: Rc<Turn>, ms: u32) {
    spawn_local(async move {
        TimeoutFuture::new(ms).await;
        let is_loading = ms == LONGEST_MS && turn.is_loading.get();
        if !turn.is_done.get() && !is_loading {
            turn.is_late.set(ms == LONGEST_MS);
            engine::stop();
        }
    });
}

fn cancel(state: State) {
    if state.phase.try_get_untracked() == Some(Phase::Running)
        && let Some(turn) = state.turn.try_get_value()
    {
        turn.is_ended.set(true);
        watch(turn, PATIENCE_MS);
    }
}

/// Rows and time in words.
fn returned(found: &Found) -> String {
    let rows = text::counted(found.rows.len() as u64, "row");
    let cut = if found.is_cut { format!(" (the first {} are shown)", text::count(MOST_ROWS as u64)) } else { String::new() };
    format!("{rows}{cut} in {}", text::duration(crate::base::DurationNs((found.ms * 1e6) as i64)))
}

/// Queries that come with the page.
#[component]
fn GalleryList(kind: &'static str, infos: RwSignal<Vec<TableInfo>>, load: Callback<String>, is_in_menu: bool) -> impl IntoView {
    let found = LocalResource::new(gallery::fetch);
    let list = move |all: Gallery| {
        let entries = infos.with(|infos| gallery::entries(&all, kind, infos)).into_iter();
        let entry = |[title, what, query]: [String; 3]| {
            let name = is_in_menu.then(|| title.clone());
            view! {
                <li>
                    <button type="button" class="sql__entry" data-sql-query=name on:click=move |_| load.run(query.clone())>
                        <strong>{title}</strong>" "<span class="sql__what">{what}</span>
                    </button>
                </li>
            }
        };
        view! { <ul class="sql__list">{entries.map(entry).collect_view()}</ul> }.into_any()
    };
    move || match found.get() {
        None => view! { <p class="waiting">"Loading the gallery…"</p> }.into_any(),
        Some(Ok(all)) => list(all),
        Some(Err(error)) => view! { <p class="notice notice--danger">{error.to_string()}</p> }.into_any(),
    }
}

/// Named queries and the history.
#[component]
fn Saved(state: State, load: Callback<String>) -> impl IntoView {
    let name = RwSignal::new(String::new());
    let change = move |name: String, query: String| {
        state.saved.update(|saved| saved.name(&name, &query));
        state.saved.with_untracked(SavedQueries::save);
    };
    let save = move |_| change(name.get_untracked(), state.text.get_untracked());
    let named = move |(name, query): (String, String)| {
        let (title, gone) = (name.clone(), name.clone());
        view! {
            <li class="sql__named">
                <button type="button" class="sql__entry" on:click=move |_| load.run(query.clone())><strong>{title}</strong></button>
                <button type="button" class="button button--quiet" aria-label=format!("Remove {name}") on:click=move |_| change(gone.clone(), String::new())>"Remove"</button>
            </li>
        }
    };
    let ran = move |query: String| {
        let line = one_line(&query);
        view! { <li><button type="button" class="sql__entry mono" on:click=move |_| load.run(query.clone())>{line}</button></li> }
    };
    view! {
        <div class="sql__save">
            <input class="input" type="text" aria-label="Name of the query" placeholder="Name" prop:value=move || name.get() on:input:target=move |e| name.set(e.target().value()) />
            <button type="button" class="button" data-sql-save="" disabled=move || name.with(|n| n.trim().is_empty()) on:click=save>"Save the query"</button>
        </div>
        <ul class="sql__list">{move || state.saved.get().named.into_iter().map(named).collect_view()}</ul>
        <h2>"History"</h2>
        <ul class="sql__list">{move || state.saved.get().history.into_iter().map(ran).collect_view()}</ul>
    }
}

/// Tables of the profile in front with their columns.
#[component]
fn TableList(infos: RwSignal<Vec<TableInfo>>, load: Callback<String>) -> impl IntoView {
    let one = move |info: TableInfo| {
        let query = format!(
            "select * from {} limit 100",
            if info.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') { info.name.clone() } else { result::quoted(&info.name) }
        );
        let columns: Vec<String> =
            info.columns.iter().map(|c| if c.2.is_empty() { c.0.clone() } else { format!("{} ({})", c.0, c.2) }).collect();
        view! {
            <li>
                <button type="button" class="sql__entry" on:click=move |_| load.run(query.clone())>
                    <strong class="mono">{info.name}</strong>" "<span class="sql__what">{columns.join(", ")}</span>
                </button>
            </li>
        }
    };
    view! { <ul class="sql__list">{move || infos.get().into_iter().map(one).collect_view()}</ul> }
}

/// The result.
#[component]
fn Output(state: State, choices: ViewState, on_lead: Callback<Lead>, on_mark: Callback<(String, Vec<Lead>)>) -> impl IntoView {
    let (chart, set_chart) = choices.choice("chart", String::new());
    let axes = RwSignal::new(None::<(usize, usize)>);
    Effect::new(move || {
        state.found.track();
        axes.set(None);
    });
    let on_row = Callback::new(move |at: usize| {
        let lead = state.found.with_untracked(|f| result::lead(&f.fields, f.rows.get(at)?, state.has_slice_ids.get_untracked()));
        if let Some(lead) = lead {
            on_lead.run(lead);
        }
    });
    let mark = move |_| {
        let lead = |f: &Found, row: &Row| result::lead(&f.fields, row, state.has_slice_ids.get_untracked());
        let leads = state.found.with_untracked(|f| f.rows.iter().filter_map(|row| lead(f, row)).collect());
        on_mark.run((state.set_name(), leads));
    };
    let leads =
        Memo::new(move |_| state.found.with(|f| f.rows.first().and_then(|row| result::lead(&f.fields, row, state.has_slice_ids.get()))));
    let copy = move |_| state.found.with_untracked(|f| dom::copy_text(&result::markdown(&f.fields, &f.rows, MOST_COPIED)));
    let columns = Signal::derive(move || state.found.with(|f| Arc::new(result::columns(&f.fields))));
    let rows: Signal<Arc<Vec<Row>>> = Memo::new(move |_| state.found.with(|f| f.rows.clone())).into();
    let option = move |at: usize, name: String, is_chosen: bool| view! { <option value=at.to_string() selected=is_chosen>{name}</option> };
    let picker = move |label: &'static str, is_x: bool| {
        let options = move || {
            let found = state.found.get();
            let (x, y) = axes.get().unwrap_or_else(|| chart::first_columns(&found));
            let chosen = if is_x { x } else { y };
            found.fields.iter().enumerate().map(|(at, f)| option(at, f.name.clone(), at == chosen)).collect_view()
        };
        let choose = move |value: String| {
            let at = value.parse().unwrap_or(0);
            let (x, y) = axes.get_untracked().unwrap_or_else(|| state.found.with_untracked(|f| chart::first_columns(f)));
            axes.set(Some(if is_x { (at, y) } else { (x, at) }));
        };
        view! { <label>{label} " " <select class="select" on:change:target=move |e| choose(e.target().value())>{options}</select></label> }
    };
    let kinds = move || {
        let now = chart.get();
        KINDS.iter().map(|(id, name)| view! { <option value=*id selected=*id == now>{*name}</option> }).collect_view()
    };
    let drawn = move || {
        let (found, kind) = (state.found.get(), chart.get());
        let columns = axes.get().unwrap_or_else(|| chart::first_columns(&found));
        (!kind.is_empty() && !found.rows.is_empty()).then(|| view! { <div class="sql__chart"><ResultChart found kind columns /></div> })
    };
    let has_columns = Memo::new(move |_| state.found.with(|f| !f.fields.is_empty()));
    let id = Memo::new(move |_| columns.with(|c: &Arc<Vec<Column>>| c.iter().map(|c| c.id.clone()).collect::<Vec<_>>()));
    // Other columns are another table: sorting and filter begin anew.
    let table = move || {
        id.track();
        view! { <Table id="sql" label="Result of the query" columns rows on_row empty="The query returned no rows." /> }
    };
    view! {
        <Show when=move || has_columns.get()>
            <div class="sql__tools">
                <button type="button" class="button" title="Copy the first 1000 rows as a Markdown table" on:click=copy>"Copy as Markdown"</button>
                <label>"Chart " <select class="select" data-sql-chart="" on:change:target=move |e| set_chart.set(e.target().value())>{kinds}</select></label>
                <Show when=move || !chart.get().is_empty()>{picker("x", true)}{picker("y", false)}</Show>
                <Show when=move || leads.get().is_some()>
                    <button type="button" class="button" data-sql-mark="" title="Mark the slices of all rows in the timeline as a named set" on:click=mark>"Mark in the timeline"</button>
                </Show>
                <Show when=move || leads.get().is_some()><span class="sql__what">"Click a row, or press Enter on it, to show it in the timeline."</span></Show>
            </div>
            {drawn}
            {table}
        </Show>
    }
}
