//! Source files that the user gave beside a profile: kept until a profile names them, read when its source is shown. They go nowhere else.

use crate::app::open::file_drop::Dropped;
use crate::app::wiring::front::Front;
use crate::app::wiring::navigation::scope;
use crate::base::EventId;
use crate::state::choices::Choice;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::ui::effect::effect;
use crate::views::source::files::{SourceText, is_beside_source, is_source, matching};
use crate::views::source::pane::SourcePane;
use crate::views::source::rows::files;
use crate::views::source::{SourceLocation, SourceView, lines, places_of, slices_of};
use crate::worker::client::Ask;
use crate::worker::protocol::Details;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::sync::Arc;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

/// Longer files are no source that anyone reads, bytes.
const LONGEST: f64 = 8e6;
/// Files of source that are kept.
const MOST: usize = 10_000;
/// Files that are read for one profile.
const MOST_READ: usize = 200;

thread_local! {
    static SOURCE_FILES: RefCell<Vec<Dropped>> = const { RefCell::new(Vec::new()) };
}

/// Whether the source pane is open: `open`, `closed`; empty: if there is something to show.
fn wanted(app: App) -> Choice<String> {
    app.view_state("timeline").choice("source", String::new())
}

/// Keeps the source files of a drop, and returns the rest of it. One file alone may be a profile under an odd name, unless there is a
/// profile open that it could belong to.
pub(in crate::app) fn take(app: App, dropped: Vec<Dropped>) -> Vec<Dropped> {
    let has_device = app.state.profiles().with_untracked(|all| all.iter().any(OpenProfile::is_device));
    if dropped.len() == 1 && !has_device {
        return dropped;
    }
    let (source, rest): (Vec<_>, Vec<_>) = dropped.into_iter().partition(|f| is_source(&f.name) && f.file.size() <= LONGEST);
    if source.is_empty() {
        return rest;
    }
    let rest: Vec<_> = rest.into_iter().filter(|f| !is_beside_source(&f.name)).collect();
    let n = source.len();
    SOURCE_FILES.with_borrow_mut(|all| {
        // A later file replaces an earlier one with the same path.
        all.retain(|old| source.iter().all(|new| new.name != old.name));
        all.extend(source);
        all.truncate(MOST);
    });
    app.n_sources.update(|n| *n += 1);
    if app.front_untracked().filter(OpenProfile::is_device).is_some() {
        actions::show_view(app, "timeline");
        wanted(app).1.set("open".into());
    } else if rest.is_empty() {
        let files = if n == 1 { "One file of source is".to_string() } else { format!("{n} files of source are") };
        let what = format!("{files} loaded for the Source view. Open a Neuron device profile that refers to it.");
        actions::notify_of_drop(app, what, false);
    }
    rest
}

/// The view of every line.
pub(in crate::app) fn view(Front { app, profile, .. }: Front) -> AnyView {
    let ask = profile.ask.clone();
    let on_place = Callback::new(move |place| show_place(app, ask.clone(), place));
    view! { <SourceView ask=profile.ask range=scope(app) on_place /> }.into_any()
}

/// Lights up the instructions of a line, and goes to the first.
fn show_place(app: App, ask: Ask, place: SourceLocation) {
    spawn_local(async move {
        if let Some(slices) = slices_of(&ask, place).await {
            let first = slices.first().copied();
            actions::set_highlights(app, slices);
            actions::show_view(app, "timeline");
            actions::select_and_reveal(app, first);
        }
    });
}

/// The source line requested in the details, and the instruction it belongs to.
#[derive(Clone, Copy)]
struct RequestedLocation(RwSignal<Option<(EventId, SourceLocation)>>);

/// Shows a line in the pane, wherever it is asked for below the component that calls this.
pub(in crate::app) fn asking(app: App, details: RwSignal<Option<Details>>) -> Callback<SourceLocation> {
    let asked = RwSignal::new(None);
    provide_context(RequestedLocation(asked));
    Callback::new(move |place| {
        let item = details.with_untracked(|d| d.as_ref().map(|d| d.item));
        asked.set(item.map(|item| (item, place)));
        actions::show_view(app, "timeline");
        wanted(app).1.set("open".into());
    })
}

/// Files that only stacks and loops name, as instructions with such are found.
fn further(details: RwSignal<Option<Details>>, named: Signal<Arc<Vec<String>>>) -> RwSignal<Vec<String>> {
    let found = RwSignal::new(Vec::<String>::new());
    effect(move || {
        let all = details.with(|d| d.as_ref().and_then(|d| d.instruction.as_ref()).map(|i| places_of(&i.origin)).unwrap_or_default());
        for file in all.into_iter().map(|p| p.file) {
            let is_known = named.with(|n| n.contains(&file)) || found.with_untracked(|f| f.contains(&file));
            if !is_known {
                found.update(|f| f.push(file));
            }
        }
    });
    found
}

/// The source pane of a device profile; absent without source files, unless opened.
pub(in crate::app) fn pane(app: App, details: RwSignal<Option<Details>>) -> impl IntoView {
    let profile = app.front_untracked().filter(OpenProfile::is_device);
    let is_due = Memo::new(move |_| match wanted(app).0.get().as_str() {
        "open" => true,
        "closed" => false,
        _ => app.n_sources.get() > 0,
    });
    move || profile.clone().filter(|_| is_due.get()).map(|profile| view! { <Pane profile details /> })
}

#[component]
fn Pane(profile: OpenProfile, details: RwSignal<Option<Details>>) -> impl IntoView {
    let app = App::expect();
    let source = lines(profile.ask.clone(), scope(app));
    let named = source.derive(files);
    let texts = RwSignal::new(Arc::<Vec<SourceText>>::default());
    let further = further(details, named);
    let read = Memo::new(move |_| ([named.get().as_ref().clone(), further.get()].concat(), app.n_sources.get()));
    effect(move || {
        let now = read.get();
        let given = chosen(&now.0);
        spawn_local(async move {
            let mut out = Vec::new();
            for (file, path, handle) in given {
                if let Some(lines) = text(handle).await {
                    out.push(SourceText { file, path, lines });
                }
            }
            if read.try_get_untracked().as_ref() == Some(&now) {
                texts.set(Arc::new(out));
            }
        });
    });
    let asked = expect_context::<RequestedLocation>().0;
    let marked = Signal::derive(move || {
        let item = details.with(|d| d.as_ref().map(|d| d.item));
        if let Some((_, place)) = asked.get().filter(|asked| Some(asked.0) == item) {
            return vec![place];
        }
        details.with(|d| d.as_ref().and_then(|d| d.instruction.as_ref()).map(|i| i.origin.places.clone()).unwrap_or_default())
    });
    let ask = profile.ask;
    let on_place = Callback::new(move |place| show_place(app, ask.clone(), place));
    let on_close = Callback::new(move |()| wanted(app).1.set("closed".into()));
    let has = move || wanted(app).0.get() == "open" || texts.with(|t| !t.is_empty());
    view! {
        <Show when=has>
            <SourcePane source=source.value.into() texts=texts.into() marked on_place on_close />
        </Show>
    }
}

/// The given file of each that is named: (the profile's path, its own, the file).
fn chosen(named: &[String]) -> Vec<(String, String, File)> {
    SOURCE_FILES.with_borrow(|all| {
        let paths: Vec<String> = all.iter().map(|d| d.name.clone()).collect();
        let found = named.iter().filter_map(|file| Some((file, &all[matching(file, &paths)?])));
        found.take(MOST_READ).map(|(file, d)| (file.clone(), d.name.clone(), d.file.clone())).collect()
    })
}

/// The lines of a file; `None` if it cannot be read any more.
async fn text(file: File) -> Option<Vec<String>> {
    let text = JsFuture::from(file.text()).await.ok()?.as_string()?;
    Some(text.lines().map(Into::into).collect())
}
