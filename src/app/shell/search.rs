//! The search box: counts while one types, Enter goes from hit to hit. Names are searched at once; records of the file part by part.

use crate::app::wiring::front::Front;
use crate::base::SliceId;
use crate::state::search::{Scanned, SearchOptions, merged, step_hit, terms_from};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, Search, actions};
use crate::ui::effect::effect;
use crate::views::search::{SearchAct, SearchView};
use crate::worker::protocol::{ScanQuery, SearchQuery};
use gloo_timers::future::TimeoutFuture;
use leptos::task::spawn_local;
use leptos::{ev, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;

const ID: &str = "search";
/// Hits that the page holds; all are counted.
const LIMIT: u32 = 1_000_000;
const PAUSE_MS: u32 = 120;
/// The list of hits is rebuilt after this many parts.
const PARTS: u32 = 16;

/// Puts the cursor into the search box.
pub fn focus() {
    if let Some(input) = document().get_element_by_id(ID).and_then(|e| e.dyn_into::<web_sys::HtmlInputElement>().ok()) {
        // An element that cannot be focused is hidden; then there is nothing to do.
        let _ = input.focus();
        input.select();
    }
}

/// The view of the search at length.
pub(in crate::app) fn view(Front { app, profile, .. }: Front) -> AnyView {
    let search = Signal::derive(move || app.state.search().get());
    let ask = profile.ask.clone();
    let on_act = Callback::new(move |act| match act {
        SearchAct::Text(text) => app.state.search().update(|s| s.text = text),
        SearchAct::Step(is_back) => step_hit(app, is_back),
        SearchAct::Stop => app.state.search().update(|s| s.scan.iter_mut().for_each(|s| s.is_over = true)),
        SearchAct::Name(name) => crate::app::wiring::navigation::show_occurrences(app, ask.clone(), "name".into(), name),
    });
    let (fields, categories) = (profile.columns.info.search_fields.clone(), profile.columns.info.categories.clone());
    let range = crate::app::wiring::navigation::scope(app);
    let saved = app.view_state("search").choice("table", String::new());
    view! { <SearchView ask=profile.ask search options=SearchOptions::of(app) fields categories range rows=app.boxed_rows() saved on_act /> }
        .into_any()
}

/// What is searched for, and how.
#[derive(Debug, Clone, PartialEq)]
struct Wanted {
    query: SearchQuery,
    /// Key of the field in the records; `None`: they are not searched.
    records: Option<String>,
}

/// Box, count, whether the text is a pattern, and the way to the summary.
#[component]
pub fn SearchBox() -> impl IntoView {
    let app = App::expect();
    let options = SearchOptions::of(app);
    let text = Memo::new(move |_| app.state.search().with(|s| s.text.clone()));
    run_when_it_changes(app, options, text);
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => step_hit(app, event.shift_key()),
        "Escape" => {
            app.state.search().update(|s| s.text.clear());
            let input: web_sys::HtmlInputElement = event_target(&event);
            // As above.
            let _ = input.blur();
        }
        _ => {}
    };
    let (is_regex, set_regex) = options.is_regex;
    view! {
        <div class="search" role="search">
            <input
                id=ID type="search" class="search__input" placeholder="Search  /" autocomplete="off" spellcheck="false"
                aria-label="Search slices by name or attribute" prop:value=move || text.get()
                on:input:target=move |e| app.state.search().update(|s| (s.text, s.steps) = (e.target().value(), None)) on:keydown=on_key
            />
            <button
                type="button" class="search__count figure" data-search-count="" aria-live="polite" title="Open Search: fields, records, and a summary of the hits"
                on:click=move |_| actions::show_view(app, "search")
            >
                {move || app.state.search().with(count)}
            </button>
            <button
                type="button" class="button button--icon search__regex mono" title="Regular expression"
                aria-pressed=move || is_regex.get().to_string() on:click=move |_| set_regex.set(!is_regex.get_untracked())
            >
                ".*"
            </button>
        </div>
    }
}

fn run_when_it_changes(app: App, options: SearchOptions, text: Memo<String>) {
    let n_changes = StoredValue::new(0u32);
    effect(move || {
        let (is_regex, field, category) = (options.is_regex.0.get(), options.field.0.get(), options.category.0.get());
        let query = SearchQuery { text: text.get(), is_regex, field, limit: LIMIT, category, terms: terms_from(&options.terms.0.get()) };
        let records = options.in_records.0.get().then(|| options.key.0.get());
        let front = app.state.front().get();
        n_changes.update_value(|n| *n += 1);
        let change = n_changes.get_value();
        if front.is_some() {
            spawn_local(async move {
                TimeoutFuture::new(PAUSE_MS).await;
                if n_changes.try_get_value() == Some(change) {
                    run(app, Wanted { query, records }, move || n_changes.try_get_value() == Some(change)).await;
                }
            });
        }
    });
    // Highlights follow the hits, or are taken away.
    Effect::new(move |before: Option<(bool, Arc<Vec<SliceId>>)>| {
        let now = (options.is_highlighted.0.get(), app.state.search().with(|s| s.hits.clone()));
        if before.as_ref().is_some_and(|b| b.0 != now.0 || !Arc::ptr_eq(&b.1, &now.1)) {
            actions::set_highlights(app, if now.0 { now.1.to_vec() } else { Vec::new() });
        }
        now
    });
}

fn count(search: &Search) -> String {
    let n = crate::base::text::count(search.n_found());
    let scanning = search.scan.as_ref().filter(|s| !s.is_over).map(|s| format!(", {} read", crate::base::text::percent(s.share())));
    let scanning = scanning.unwrap_or_default();
    match (search.text.is_empty(), &search.refused, search.at) {
        (true, None, _) if search.n_found() == 0 => String::new(),
        (_, Some(sentence), _) => sentence.clone(),
        (_, _, Some(at)) => format!("{} of {n}{scanning}", crate::base::text::count(at as u64 + 1)),
        _ => format!("{n} found{scanning}"),
    }
}

/// Runs a search; the hits are shown unless another search has started.
async fn run(app: App, wanted: Wanted, is_current: impl Fn() -> bool) {
    let (text, answered) = (wanted.query.text.clone(), wanted.query.text.clone());
    let Some(profile) = app.front_untracked() else {
        return;
    };
    if wanted.query.is_empty() {
        if app.state.search().with_untracked(|s| s.n_found() > 0 || s.refused.is_some() || s.scan.is_some()) {
            app.state.search().set(Search::default());
        }
        return;
    }
    let answer = profile.ask.ask(wanted.query.clone()).await;
    if !is_current() {
        return;
    }
    let scan = wanted.records.as_ref().map(|_| Scanned { n_all: profile.columns.info.n_slices, ..Scanned::default() });
    let found = match answer {
        Ok(hits) => {
            let (n_total, n_instants) = (hits.n_total, hits.n_instants);
            Search {
                text,
                answered,
                hits: Arc::new(hits.slices),
                n_total,
                instants: Arc::new(hits.instants),
                n_instants,
                scan,
                ..Search::default()
            }
        }
        Err(error) => Search { text, answered, refused: Some(error.to_string()), ..Search::default() },
    };
    let is_refused = found.refused.is_some();
    let steps = app.state.search().with_untracked(|s| s.steps);
    app.state.search().set(found);
    if let Some(is_back) = steps {
        step_hit(app, is_back);
    }
    if let (Some(key), false) = (wanted.records, is_refused) {
        scan_records(app, profile, wanted.query, key, is_current).await;
    }
}

/// Searches the records part by part. Other questions are answered between two parts.
async fn scan_records(app: App, profile: OpenProfile, query: SearchQuery, key: String, is_current: impl Fn() -> bool) {
    let (names, n_names) = app.state.search().with_untracked(|s| (s.hits.clone(), s.n_total));
    let mut names = names.to_vec();
    names.sort_unstable();
    let mut scanned = Scanned { n_all: profile.columns.info.n_slices, ..Scanned::default() };
    let (mut hits, mut keys): (Vec<SliceId>, Vec<String>) = (Vec::new(), Vec::new());
    let mut ask = Some(ScanQuery {
        text: query.text,
        is_regex: query.is_regex,
        key,
        category: query.category,
        terms: query.terms,
        ..ScanQuery::default()
    });
    let mut n_parts = 0u32;
    while let Some(question) = ask {
        let part = match profile.ask.ask(question.clone()).await {
            Ok(part) => part,
            Err(error) => {
                app.state.search().update(|s| (s.refused, s.scan) = (Some(error.to_string()), None));
                return;
            }
        };
        // Another search, or the user, has ended this one.
        if !is_current() || app.state.search().with_untracked(|s| s.scan.as_ref().is_none_or(|s| s.is_over)) {
            return;
        }
        scanned.n_seen += part.n_seen;
        scanned.n_unreadable += part.n_unreadable;
        hits.extend(part.slices);
        keys.extend(part.keys);
        ask = part.next.map(|cursor| ScanQuery { cursor, ..question });
        n_parts += 1;
        let is_over = ask.is_none();
        if is_over || n_parts.is_multiple_of(PARTS) || n_parts == 1 {
            hits.sort_unstable();
            keys.sort_unstable();
            keys.dedup();
            scanned.is_over = is_over;
            let more = Scanned { hits: Arc::new(hits.clone()), keys: Arc::new(keys.clone()), ..scanned.clone() };
            show(app, &profile, &names, n_names, more);
        } else {
            let (n_seen, n_unreadable) = (scanned.n_seen, scanned.n_unreadable);
            app.state.search().update(|s| {
                if let Some(scan) = &mut s.scan {
                    (scan.n_seen, scan.n_unreadable) = (n_seen, n_unreadable);
                }
            });
        }
    }
}

/// Merged hits in names and records.
fn show(app: App, profile: &OpenProfile, names: &[SliceId], n_names: u64, scanned: Scanned) {
    let starts = &profile.columns.start;
    let all = merged(names, &scanned.hits, |s| starts.get(s.index()).unwrap_or(0));
    app.state.search().update(|s| {
        // The last shown hit keeps its number while it still matches.
        let shown = s.at.and_then(|at| s.hits.get(at).copied());
        s.at = shown.and_then(|slice| all.iter().position(|h| *h == slice));
        s.n_total = n_names.max(all.len() as u64);
        if *s.hits != all {
            s.hits = Arc::new(all);
        }
        s.scan = Some(scanned);
    });
}
