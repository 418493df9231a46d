//! Search at length: which fields, how far it is, and what the hits sum up to.

pub mod rows;
mod terms;
mod values;

use crate::analysis::hits::HitSummary;
use crate::base::{SliceId, TimeRange, text};
use crate::engine::query::{HitSummaryQuery, SearchQuery};
use crate::state::BoxedRows;
use crate::state::choices::Choice;
use crate::state::search::{Search, SearchOptions, terms_from};
use crate::ui::controls::Problem;
use crate::ui::table::Table;
use crate::views::query::latest;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// What the view asks the page to do.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchAct {
    /// Another text.
    Text(String),
    /// To the next hit, or the one before.
    Step(bool),
    /// Ends the search in the records; its hits are kept.
    Stop,
    /// Shows all slices of that name.
    Name(String),
}

/// Fields, progress and summary of the search.
#[component]
pub fn SearchView(
    /// Answers for the open profile.
    ask: Ask,
    /// The search and its hits.
    search: Signal<Search>,
    /// Search options.
    options: SearchOptions,
    /// (id, label) of name, attributes and numbers.
    fields: Vec<(String, String)>,
    /// (id, label, slices) of categories.
    categories: Vec<(String, String, u64)>,
    /// The range that the values of fields are of; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// The rows of that range.
    rows: Signal<BoxedRows>,
    /// Where sorting and filter of the summary are kept.
    saved: Choice<String>,
    /// The action.
    on_act: Callback<SearchAct>,
) -> impl IntoView {
    let refused = Signal::derive(move || search.with(|s| s.refused.clone()));
    let is_wanted = Memo::new(move |_| {
        let has_terms = terms_from(&options.terms.0.get()).iter().any(|t| !t.text.trim().is_empty());
        has_terms || search.with(|s| !s.text.is_empty())
    });
    let (columns, values_ask) = (fields.clone(), ask.clone());
    view! {
        <section class="searchview" data-view="search">
            <header class="searchview__head"><h1>"Search"</h1><Found search is_wanted /></header>
            <Form search options fields=fields.clone() on_act />
            <terms::Terms options fields categories />
            <Problem text=refused />
            <Progress search on_act />
            <Show
                when=move || is_wanted.get()
                fallback=move || view! { <p class="waiting" data-search-hint="">{HOW}" "{move || of_range(range.with(Option::is_some))}</p> }
            >
                <Summary ask=ask.clone() search options saved on_act />
            </Show>
            <Show when=move || is_wanted.get() || range.get().is_some()>
                <values::Values ask=values_ask.clone() search options fields=columns.clone() range boxed=rows />
            </Show>
        </section>
    }
}

/// What can be typed.
const HOW: &str = "Enter a name, a part of it, or a regular expression. Search is case-sensitive only if the text contains a capital letter. Instants, such as semaphore updates and errors, are found by name only.";

/// What there is to see of a range without a search.
fn of_range(has_range: bool) -> &'static str {
    match has_range {
        false => "Select a range in the timeline to see its slices.",
        true => "The table below covers the selected range; search covers the entire trace.",
    }
}

#[component]
fn Found(search: Signal<Search>, is_wanted: Memo<bool>) -> impl IntoView {
    let found = move || search.with(|s| found(s, is_wanted.get()));
    view! { <span class="figure" role="status" data-hits="">{found}</span> }
}

/// The number of hits; empty without a search.
fn found(search: &Search, is_wanted: bool) -> String {
    let all = text::count(search.n_found());
    let instants = text::count(search.n_instants);
    let instants = if search.n_instants > 0 {
        format!(", including {instants} instants (such as semaphore updates and errors)")
    } else {
        String::new()
    };
    match (is_wanted && search.refused.is_none(), search.at) {
        (false, _) => String::new(),
        (_, Some(at)) => format!("{} of {all} hits{instants}", text::count(at as u64 + 1)),
        _ => format!("{all} hits{instants}"),
    }
}

#[component]
fn Form(search: Signal<Search>, options: SearchOptions, fields: Vec<(String, String)>, on_act: Callback<SearchAct>) -> impl IntoView {
    let SearchOptions { is_regex, field, in_records, key, is_highlighted, .. } = options;
    let option = move |(id, label): (String, String)| {
        let this = id.clone();
        view! { <option value=id selected=move || field.0.get() == this>{label}</option> }
    };
    // Numbers have no text to look for.
    let options = fields.into_iter().filter(|f| !f.0.ends_with("_ns") && f.0 != "pc" && f.0 != "bytes").map(option).collect_view();
    let keys = move || search.with(|s| s.scan.as_ref().map(|s| s.keys.clone()).unwrap_or_default());
    let known = move || keys().iter().map(|k| view! { <option value=k.clone()></option> }).collect_view();
    let has_none = move || search.with(|s| s.n_found() == 0);
    view! {
        <div class="searchview__form">
            <input
                type="search" class="input searchview__text" placeholder="Search" aria-label="Text" autocomplete="off" spellcheck="false"
                prop:value=move || search.with(|s| s.text.clone()) on:input:target=move |e| on_act.run(SearchAct::Text(e.target().value()))
            />
            <Toggle label="Regular expression" choice=is_regex />
            <label class="field">
                "In"
                <select class="select" data-field="search-field" on:change:target=move |e| field.1.set(e.target().value())>
                    <option value="" selected=move || field.0.get().is_empty()>"Name and attributes"</option>
                    {options}
                </select>
            </label>
            <Toggle label="Also in the records of the file" choice=in_records />
            <Show when=move || in_records.0.get()>
                <label class="field">
                    "Field"
                    <input
                        class="input mono" list="search-keys" placeholder="any field" data-field="search-key" prop:value=move || key.0.get()
                        on:change:target=move |e| key.1.set(e.target().value().trim().to_string())
                    />
                    <datalist id="search-keys">{known}</datalist>
                </label>
            </Show>
            <Toggle label="Highlight all" choice=is_highlighted />
            // Without hits they stay, disabled: the controls before them must not move while a user aims at one.
            <button type="button" class="button" disabled=has_none title="Show the previous hit (Shift+Enter in the search box)" on:click=move |_| on_act.run(SearchAct::Step(true))>"Previous"</button>
            <button type="button" class="button" disabled=has_none title="Show the next hit (Enter in the search box)" on:click=move |_| on_act.run(SearchAct::Step(false))>"Next"</button>
        </div>
    }
}

#[component]
fn Toggle(label: &'static str, choice: Choice<bool>) -> impl IntoView {
    view! {
        <label class="field">
            <input type="checkbox" prop:checked=move || choice.0.get() on:change:target=move |e| choice.1.set(e.target().checked()) />
            {label}
        </label>
    }
}

/// How far the search in the records is.
#[component]
fn Progress(search: Signal<Search>, on_act: Callback<SearchAct>) -> impl IntoView {
    let scan = Memo::new(move |_| {
        search.with(|s| s.scan.as_ref().map(|s| (s.share(), s.n_seen, s.n_all, s.n_unreadable, s.is_over, s.hits.len() as u64)))
    });
    let sentence = move || {
        scan.get().map(|(_, seen, all, unreadable, is_over, n)| {
            let unreadable = if unreadable > 0 { format!("; {} could not be read", text::count(unreadable)) } else { String::new() };
            let stopped = if is_over && seen < all { ", stopped" } else { "" };
            format!(
                "{} of {} records read{stopped}, {} with a field that matches{unreadable}.",
                text::count(seen),
                text::count(all),
                text::count(n)
            )
        })
    };
    let is_running = move || scan.get().is_some_and(|s| !s.4);
    view! {
        <Show when=move || scan.get().is_some()>
            <p class="searchview__progress">
                <progress max="1" prop:value=move || scan.get().map_or(0.0, |s| s.0) aria-label="Records read"></progress>
                <span class="figure" data-scan=move || if is_running() { "running" } else { "over" }>{sentence}</span>
                <Show when=is_running>
                    <button type="button" class="button" on:click=move |_| on_act.run(SearchAct::Stop)>"Stop"</button>
                </Show>
            </p>
        </Show>
    }
}

/// What the hits follow from: the search of names, and the hits in records so far; `None` when it was refused. Tracked.
fn wanted(search: Signal<Search>, options: SearchOptions) -> Option<(SearchQuery, Arc<Vec<SliceId>>)> {
    let records: Arc<Vec<SliceId>> = search.with(|s| s.scan.as_ref().map(|s| s.hits.clone()).unwrap_or_default());
    let (text, is_refused) = search.with(|s| (s.text.clone(), s.refused.is_some()));
    let (is_regex, field, category) = (options.is_regex.0.get(), options.field.0.get(), options.category.0.get());
    let query = SearchQuery { text, is_regex, field, limit: 0, category, terms: terms_from(&options.terms.0.get()) };
    (!is_refused).then_some((query, records))
}

/// The hits summed up, by device and name.
#[component]
fn Summary(ask: Ask, search: Signal<Search>, options: SearchOptions, saved: Choice<String>, on_act: Callback<SearchAct>) -> impl IntoView {
    let wanted = Memo::new(move |_| wanted(search, options));
    let answer = latest(move || {
        let (ask, wanted) = (ask.clone(), wanted.get());
        async move {
            match wanted {
                Some((query, records)) => summary(&ask, query, records.to_vec()).await,
                None => Ok(HitSummary::default()),
            }
        }
    });
    let found = Memo::new(move |_| answer.get().and_then(Result::ok).unwrap_or_default());
    let rows = Signal::derive(move || Arc::new(found.with(rows::rows)));
    let on_row = Callback::new(move |at: usize| {
        if let Some(row) = found.with_untracked(|f| f.rows.get(at).map(|r| r.name.clone())) {
            on_act.run(SearchAct::Name(row));
        }
    });
    view! {
        <p class="searchview__totals figure" data-totals="">{move || found.with(rows::totals)}</p>
        <Table id="search-summary" label="Hits by device and name" columns=Signal::stored(Arc::new(rows::columns())) rows on_row empty="No slice was found." saved />
    }
}

async fn summary(ask: &Ask, query: SearchQuery, records: Vec<SliceId>) -> Result<HitSummary, EngineError> {
    ask.ask(HitSummaryQuery { search: query, more: records }).await
}

#[cfg(test)]
mod tests {
    use super::{Search, found, of_range};

    #[test]
    fn no_hit_is_said_also_without_a_text() {
        let of = |n_total, at| Search { n_total, at, ..Search::default() };
        assert_eq!((found(&of(0, None), true), found(&of(0, None), false)), ("0 hits".into(), String::new()));
        assert_eq!(found(&of(1200, Some(0)), true), "1 of 1\u{202f}200 hits");
        let with_instants = Search { n_instants: 730, ..of(3, None) };
        assert!(found(&with_instants, true).starts_with("733 hits, including 730 instants"));
        assert_eq!(found(&Search { refused: Some("no".into()), ..of(0, None) }, true), "");
    }

    #[test]
    fn the_hint_says_what_to_do_for_a_range() {
        assert!(of_range(false).starts_with("Select a range"));
        assert!(of_range(true).contains("covers the selected range"));
    }
}
