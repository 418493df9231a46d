//! What is shared without a server: pictures, reports, data, one HTML file. The scripts in `public/share` make them, and are loaded when the user
//! first asks; here is what they need to know of the page.

use crate::app::storage::browser_state;
use crate::app::storage::library_list;
use crate::app::storage::table_zip;
use crate::app::storage::url_state;
use crate::app::wiring::views;
use crate::app::workers::worker_registry;
use crate::base::{TimeNs, TimeRange, text};
use crate::state::url::UrlState;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::ui::dom::{call_script, file_name};
use crate::views::timeline::picture;
use crate::worker::error::words;
use crate::worker::protocol::{RangeRecordsQuery, RecordsCursor, TraceCursor, TraceEventsQuery};
use js_sys::{Array, Object, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::CanvasRenderingContext2d;

/// The action that shows all others.
pub const PANEL: &str = "panel";

thread_local! {
    /// The object for scripts; created once.
    static HOST: RefCell<Option<Object>> = const { RefCell::new(None) };
    /// Where the Chrome trace that is being saved continues.
    static TRACE: Cell<Option<TraceCursor>> = const { Cell::new(None) };
    /// Where reading the records of the selected range continues.
    static RECORDS: Cell<Option<RecordsCursor>> = const { Cell::new(None) };
}

/// Runs the action of a button or a command.
pub fn act(app: App, action: &'static str) {
    let host = HOST.with_borrow_mut(|cached| cached.get_or_insert_with(|| host(app)).clone());
    spawn_local(async move {
        if let Err(error) = call_script("share/share.js", "act", &[host.into(), action.into()]).await {
            actions::notify(app, words(&error), true);
        }
    });
}

fn set(object: &Object, key: &str, value: impl Into<JsValue>) {
    // A plain object takes any property.
    let _ = Reflect::set(object, &key.into(), &value.into());
}

fn host(app: App) -> Object {
    let host = Object::new();
    let state = Closure::<dyn Fn() -> JsValue>::new(move || untrack(|| state(app)));
    set(&host, "state", state.into_js_value());
    let files = Closure::<dyn Fn() -> JsValue>::new(move || files(app));
    set(&host, "files", files.into_js_value());
    let sizes = Closure::<dyn Fn() -> JsValue>::new(|| {
        let sizes = picture::sizes().map(|s| [s.width, s.height, s.top].into_iter().map(JsValue::from).collect::<Array>());
        sizes.map_or(JsValue::NULL, Into::into)
    });
    set(&host, "sizes", sizes.into_js_value());
    let top = Closure::<dyn Fn(JsValue)>::new(|ctx: JsValue| picture::draw_top(ctx.unchecked_ref::<CanvasRenderingContext2d>()));
    set(&host, "drawTop", top.into_js_value());
    let rows = Closure::<dyn Fn(JsValue, f64)>::new(|ctx: JsValue, scale| picture::draw_rows(ctx.unchecked_ref(), scale));
    set(&host, "drawRows", rows.into_js_value());
    let show = Closure::<dyn Fn(String)>::new(move |view: String| actions::show_view(app, &view));
    set(&host, "showView", show.into_js_value());
    let steps = Closure::<dyn Fn(bool)>::new(browser_state::set_stepping);
    set(&host, "setStepping", steps.into_js_value());
    let notify = Closure::<dyn Fn(String, bool)>::new(move |text, is_error| actions::notify(app, text, is_error));
    set(&host, "notify", notify.into_js_value());
    let begin = Closure::<dyn Fn()>::new(|| TRACE.set(Some(TraceCursor::default())));
    set(&host, "beginTrace", begin.into_js_value());
    let next = Closure::<dyn Fn(bool) -> Promise>::new(move |is_range| future_to_promise(next_of_trace(app, is_range)));
    set(&host, "nextOfTrace", next.into_js_value());
    let begin = Closure::<dyn Fn()>::new(|| RECORDS.set(Some(RecordsCursor::default())));
    set(&host, "beginRecords", begin.into_js_value());
    let next = Closure::<dyn Fn() -> Promise>::new(move || future_to_promise(next_of_records(app)));
    set(&host, "nextOfRecords", next.into_js_value());
    let begin = Closure::<dyn Fn(bool) -> Promise>::new(move |is_range| future_to_promise(table_zip::begin(app, is_range)));
    set(&host, "beginTables", begin.into_js_value());
    let next = Closure::<dyn Fn() -> Promise>::new(|| future_to_promise(table_zip::next()));
    set(&host, "nextOfTables", next.into_js_value());
    let end = Closure::<dyn Fn()>::new(table_zip::end);
    set(&host, "endTables", end.into_js_value());
    host
}

/// What is looked at, in the words of the page.
fn state(app: App) -> JsValue {
    let Some(front) = app.front() else { return JsValue::NULL };
    let out = Object::new();
    let view = app.state.view().get();
    let range = app.range.get();
    let whole = front.columns.range();
    let times = |r: crate::base::TimeRange| {
        format!("{} – {} ({})", text::time_exact(r.start.0), text::time_exact(r.end.0), text::duration(r.duration()))
    };
    set(&out, "title", front.title.as_str());
    set(&out, "name", front.own_title.as_str());
    set(&out, "file", file_name(&front.own_title, ""));
    set(&out, "hash", front.hash.as_str());
    set(&out, "format", front.format.as_str());
    set(&out, "view", view.as_str());
    set(&out, "viewTitle", views::of(&view).map_or("Timeline", |v| v.title));
    set(&out, "hasRange", range.is_some());
    let scope =
        range.map_or_else(|| format!("Entire trace: {}", text::duration(whole.duration())), |r| format!("Selected range {}", times(r)));
    set(&out, "scope", scope);
    set(&out, "window", app.window.get().map_or_else(String::new, times));
    set(&out, "hasRows", range.is_some() && app.rows.with(|rows| !rows.is_empty()));
    set(&out, "isDevice", front.is_device());
    set(&out, "nSlices", front.columns.info.n_slices as f64);
    let offered = views::VIEWS.iter().filter(|v| front.columns.info.views.iter().any(|id| id == v.id));
    let offered = offered.map(|v| Array::of2(&v.id.into(), &v.title.into())).collect::<Array>();
    set(&out, "views", offered);
    set(&out, "fragment", url_state::current(app).to_fragment());
    set(&out, "moments", marked_ranges(app, times));
    out.into()
}

/// Named places in time, to be linked: `[[name, times, fragment], …]`: the selection, the selected range, markers and regions.
fn marked_ranges(app: App, times: impl Fn(TimeRange) -> String) -> Array {
    let now = url_state::current(app);
    let base = UrlState {
        view: String::new(),
        range: None,
        rows: Vec::new(),
        selection: None,
        window: None,
        search: String::new(),
        ..now.clone()
    };
    let link_to =
        |name: &str, when: String, state: UrlState| -> Array { Array::of3(&name.into(), &when.into(), &state.to_fragment().into()) };
    let out = Array::new();
    if let Some(selected) = now.selection.clone() {
        let (name, at) = (selected.name.clone(), text::time_exact(selected.start.0));
        out.push(&link_to(&format!("Selected: {name}"), at, UrlState { selection: Some(selected), window: now.window, ..base.clone() }));
    }
    if let Some(range) = now.range {
        let rows = now.rows.clone();
        out.push(&link_to("Selected range", times(range), UrlState { range: Some(range), rows, window: Some(range), ..base.clone() }));
    }
    app.annotations.with(|book| {
        for mark in &book.current.items {
            let range = mark.range();
            let state = match mark.is_region() {
                true => UrlState { range: Some(range), window: Some(range), ..base.clone() },
                false => UrlState { window: Some(around(range, app)), ..base.clone() },
            };
            let when = if mark.is_region() { times(range) } else { text::time_exact(mark.start.0) };
            out.push(&link_to(&mark.name, when, state));
        }
    });
    out
}

/// A window with a marker in its middle: a fiftieth of the profile.
fn around(marker: TimeRange, app: App) -> TimeRange {
    const PART: i64 = 100;
    let half = app.front().map_or(1, |p| p.columns.range().duration().0 / PART).max(1);
    let ends = [-half, half].map(|by| TimeNs(marker.start.0.saturating_add(by)));
    TimeRange::new(ends[0], ends[1])
}

/// The files of the profile in front: `[[path, file], …]`.
fn files(app: App) -> JsValue {
    let files = app.front_untracked().and_then(|front| worker_registry::files(front.id)).map(|f| f.0).unwrap_or_default();
    library_list::listed(&files)
}

/// The question for the part that is next: of the selected range and the rows of its box, or of everything.
fn chosen(app: App, front: &OpenProfile, is_range: bool) -> TraceEventsQuery {
    let range = app.range.get_untracked().filter(|_| is_range);
    let rows = app.rows.get_untracked();
    let tracks = if range.is_some() && !rows.is_empty() { front.columns.info.tracks_of(&rows) } else { Vec::new() };
    TraceEventsQuery { range, tracks, cursor: TRACE.get().unwrap_or_default() }
}

/// The next part of the Chrome trace: `[text, done, of, slices, slices without fields, whether it is the last]`.
async fn next_of_trace(app: App, is_range: bool) -> Result<JsValue, JsValue> {
    let error = |text: &str| JsValue::from(js_sys::Error::new(text));
    let front = app.front_untracked().ok_or_else(|| error("The profile was closed."))?;
    let query = chosen(app, &front, is_range);
    let part = front.ask.ask(query).await.map_err(|e| error(&e.to_string()))?;
    TRACE.set(part.next);
    let numbers = [part.progress.0, part.progress.1, part.n_slices, part.n_without_fields].map(|n| JsValue::from(n as f64));
    let mut out = Array::of1(&part.text.into());
    out.extend(numbers);
    out.push(&part.next.is_none().into());
    Ok(out.into())
}

/// The next records of the selected range and of the rows of its box: `[text, done, of, events, name of the file, whether it is the last]`.
async fn next_of_records(app: App) -> Result<JsValue, JsValue> {
    let error = |text: &str| JsValue::from(js_sys::Error::new(text));
    let front = app.front_untracked().ok_or_else(|| error("The profile was closed."))?;
    let range = app.range.get_untracked().ok_or_else(|| error("No range is selected."))?;
    let rows = app.rows.get_untracked();
    let tracks = if rows.is_empty() { Vec::new() } else { front.columns.info.tracks_of(&rows) };
    let query = RangeRecordsQuery { range, tracks, cursor: RECORDS.get().unwrap_or_default() };
    let part = front.ask.ask(query).await.map_err(|e| error(&e.to_string()))?;
    RECORDS.set(part.next);
    let mut out = Array::of1(&part.text.into());
    out.extend([part.progress.0, part.progress.1, part.n_events].map(|n| JsValue::from(n as f64)));
    out.push(&part.member.into());
    out.push(&part.next.is_none().into());
    Ok(out.into())
}
